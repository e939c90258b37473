/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events that wait for their reader, at most as many as there is room for. One that does not fit
 * pushes out the oldest of its kind: those of continuous sensors do not push out others. One thread
 * at a time. Private to the room.
 */
#ifndef NNSENSORS_EVENT_FIFO_H
#define NNSENSORS_EVENT_FIFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnsensors.h"

struct event_fifo_entry {
	struct nnsensors_event event;
	uint64_t number;
};

struct event_fifo {
	struct {
		struct event_fifo_entry *entries;
		uint32_t room, first, count;
	} part[2]; /* continuous, kept */
	uint64_t number; /* of the last event */
};

/** False: no memory. */
bool event_fifo_init(struct event_fifo *fifo, uint32_t continuous, uint32_t kept);
void event_fifo_fini(struct event_fifo *fifo);
void event_fifo_put(struct event_fifo *fifo, bool kept, const struct nnsensors_event *event);
/** False: it is empty. */
bool event_fifo_take(struct event_fifo *fifo, struct nnsensors_event *event);
static inline bool event_fifo_is_empty(const struct event_fifo *fifo)
{
	return !fifo->part[0].count && !fifo->part[1].count;
}

#endif
