/* SPDX-License-Identifier: Apache-2.0 */
/* The two sinks: the memory of an event queue, and of a direct channel. */
#ifndef SENSORD_SINKS_H
#define SENSORD_SINKS_H

#include "core/subscription.h"

/* ---- event queues ---- */

struct queue_sink;
struct sensor_queue_memory;
struct waker;

/**
 * A queue's memory (struct sensor_queue_memory, a sealed memfd), and what its reader sleeps on.
 * @memory_fd and @event_fd stay the sink's. @waker wakes the reader, and outlives the queue; NULL:
 * the reader is of the service, and the thread that has an event wakes it. 0; -ENOMEM, -EMFILE.
 */
int queue_sink_create(struct queue_sink **queue, struct waker *waker, int *memory_fd,
		      int *event_fd);
/** Bytes that a queue costs the service. */
uint64_t queue_sink_bytes(void);
/** No subscription has it any more. From then on its memory has no pages, also for those who hold
 * it. */
void queue_sink_destroy(struct queue_sink *queue);
struct sink *queue_sink(struct queue_sink *queue);
/** The memory as the sink has it mapped: for a reader in the service. */
struct sensor_queue_memory *queue_sink_memory(struct queue_sink *queue);
/** Events written so far, and those that a place in the ring was missing for. Any thread. */
void queue_sink_count(const struct queue_sink *queue, uint64_t *delivered, uint64_t *lost);

/* ---- direct channels ---- */

struct channel_sink;

/** enum channel_memory - kinds of memory */
enum channel_memory { CHANNEL_ASHMEM, CHANNEL_GRALLOC };

/** Most bytes: the service writes to all of them, so they may be counted as its own. */
#define CHANNEL_SIZE_MAX (64ull << 20)
/** Bytes that a channel of @size costs the service; UINT64_MAX: more than any may have. */
uint64_t channel_sink_bytes(uint64_t size);

/**
 * channel_sink_create() - map a client's memory, zero it
 * @kind: CHANNEL_ASHMEM: a memfd, that is or becomes sealed against shrinking; CHANNEL_GRALLOC: a
 *	dma-buf
 * @fd: the memory; stays the caller's
 * @size: bytes to use, >= 104
 * @channel: set to the sink
 *
 * Return: 0; -EINVAL: cannot be sealed, is sealed or open against writing, or is no memory of the
 * kind; -ENOMEM: smaller than @size, or not all of its pages are there, or another channel has
 * this memory, or @size is over CHANNEL_SIZE_MAX; -ENOSYS: a dma-buf that cannot be mapped for
 * writing.
 */
int channel_sink_create(enum channel_memory kind, int fd, uint64_t size,
			struct channel_sink **channel);
/** No subscription has it any more: unmapped, and the memory can be another channel's. */
void channel_sink_destroy(struct channel_sink *channel);
struct sink *channel_sink(struct channel_sink *channel);
uint64_t channel_sink_delivered(const struct channel_sink *channel);

#endif
