// SPDX-License-Identifier: Apache-2.0
/* Events that wait for their reader. */
#include "ndk/sensor_ndk.h"

#include <stdlib.h>

bool event_fifo_init(struct event_fifo *fifo, uint32_t continuous, uint32_t kept)
{
	const uint32_t room[2] = { continuous, kept };

	*fifo = (struct event_fifo){ 0 };
	for (int i = 0; i < 2; i++) {
		fifo->part[i].room = room[i];
		fifo->part[i].entries = calloc(room[i], sizeof(struct event_fifo_entry));
		if (!fifo->part[i].entries) {
			event_fifo_fini(fifo);
			return false;
		}
	}
	return true;
}

void event_fifo_fini(struct event_fifo *fifo)
{
	for (int i = 0; i < 2; i++)
		free(fifo->part[i].entries);
	*fifo = (struct event_fifo){ 0 };
}

static void drop_first(struct event_fifo *fifo, int i)
{
	fifo->part[i].first = (fifo->part[i].first + 1) % fifo->part[i].room;
	fifo->part[i].count--;
}

void event_fifo_put(struct event_fifo *fifo, bool kept, const struct nnsensors_event *event)
{
	const int i = kept;

	if (fifo->part[i].count == fifo->part[i].room)
		drop_first(fifo, i);
	fifo->part[i].entries[(fifo->part[i].first + fifo->part[i].count) % fifo->part[i].room] =
		(struct event_fifo_entry){ *event, ++fifo->number };
	fifo->part[i].count++;
}

bool event_fifo_take(struct event_fifo *fifo, struct nnsensors_event *event)
{
	const struct event_fifo_entry *first = NULL;
	int of = 0;

	for (int i = 0; i < 2; i++) {
		const struct event_fifo_entry *entry = fifo->part[i].entries + fifo->part[i].first;

		if (fifo->part[i].count && (!first || entry->number < first->number)) {
			first = entry;
			of = i;
		}
	}
	if (!first)
		return false;
	*event = first->event;
	drop_first(fifo, of);
	return true;
}
