/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes to a client's memory whose pages may go at any time. To write to a hole of a memfd makes a
 * page, which the kernel counts as the writer's for as long as anybody has the memory: a client
 * that punched holes, and kept what it has, would have the service pay without end. With
 * userfaultfd the write is a SIGBUS instead, as it is in a dma-buf whose exporter has no page. The
 * whole mapping then becomes memory of the service's own, which goes with the channel: the client
 * gets nothing any more, and the thread of the device goes on.
 */
#ifndef SENSORD_CHANNEL_FAULT_H
#define SENSORD_CHANNEL_FAULT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/** struct channel_pages - a mapping of a client's memory, or of one that a client may change */
struct channel_pages {
	void *data;
	uint64_t size;
	atomic_bool lost; /* it is the client's no more */
};

/** Before the first channel. Takes SIGBUS, and a descriptor. */
void channel_fault_prepare(void);
/**
 * Have holes of these pages found. False: without userfaultfd, or where the memory has none (a
 * dma-buf), a hole is filled as ever.
 */
bool channel_fault_watch(const struct channel_pages *pages);
/** This thread writes to @pages and to no others. */
void channel_fault_begin(struct channel_pages *pages);
void channel_fault_end(void);

#endif
