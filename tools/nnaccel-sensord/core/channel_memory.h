/* SPDX-License-Identifier: Apache-2.0 */
/* A client's memory, mapped for a direct channel. */
#ifndef SENSORD_CHANNEL_MEMORY_H
#define SENSORD_CHANNEL_MEMORY_H

#include <sys/types.h>

#include "core/channel_fault.h"
#include "core/sinks.h"

struct channel_map {
	struct channel_map *next; /* of all, so that none is there twice */
	dev_t dev;
	ino_t ino;
	struct channel_pages pages;
};

/**
 * channel_memory_map() - take a client's memory, as channel_sink_create() says
 *
 * Between the two calls the processor may write to it, and no other map of this memory succeeds.
 */
int channel_memory_map(enum channel_memory kind, int fd, uint64_t size, struct channel_map *map);
void channel_memory_unmap(struct channel_map *map);

/**
 * Around the first writes, before a device gets the memory. Without effect on a memfd. The
 * first may wait for devices that use the memory. 0; -ENOSYS: not for the processor.
 */
int channel_memory_begin(enum channel_memory kind, int fd);
void channel_memory_end(enum channel_memory kind, int fd);

#endif
