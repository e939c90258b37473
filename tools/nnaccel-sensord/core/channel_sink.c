// SPDX-License-Identifier: Apache-2.0
/*
 * Direct channels: a ring of records in a client's memory.
 *
 * The processor's writes to a dma-buf are bracketed (DMA_BUF_IOCTL_SYNC) at the channel's creation,
 * on the thread of the client's connection, and not at each event: the begin of a bracket waits for
 * the fences of the buffer, so an accelerator that computes on a channel's memory, as it shall,
 * would stop the sensor for all of its clients until it is done, and so would a client with a fence
 * that never comes. Where devices see the processor's caches, as everywhere that the accelerator's
 * driver runs, a bracket does nothing else. A reader that needs one makes it on its own side.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/sensord_core.h"
#include "values/nnsensors_values.h"

struct channel_sink {
	struct sink sink;
	struct channel_map map;
	struct nnsensors_record_ring ring;
};

static void channel_put(struct sink *sink, const struct subscription *s,
			const struct nnsensors_record *record)
{
	struct channel_sink *channel = (struct channel_sink *)sink;
	struct nnsensors_record copy = *record;

	copy.token = s->token;
	for (unsigned int i = 0; i < 4; i++)
		copy.reserved[i] = 0;
	channel_fault_begin(&channel->map.pages);
	nnsensors_record_ring_put(&channel->ring, &copy);
	channel_fault_end();
}

/* The format has no word for it: the records end. */
static void channel_gone(struct sink *sink, const struct subscription *s)
{
	(void)sink;
	(void)s;
}

uint64_t channel_sink_bytes(uint64_t size)
{
	return size > CHANNEL_SIZE_MAX ? UINT64_MAX
				       : sizeof(struct channel_sink) + size +
						 nnsensors_record_ring_bytes(
							 size / sizeof(struct nnsensors_record));
}

int channel_sink_create(enum channel_memory kind, int fd, uint64_t size, struct channel_sink **out)
{
	struct channel_sink *channel;
	int ret;

	*out = NULL;
	if (size < sizeof(struct nnsensors_record))
		return -EINVAL;
	channel = calloc(1, sizeof(*channel));
	if (!channel)
		return -ENOMEM;
	channel->sink = (struct sink){ .put = channel_put, .gone = channel_gone };
	ret = channel_memory_map(kind, fd, size, &channel->map);
	if (ret) {
		free(channel);
		return ret;
	}
	ret = channel_memory_begin(kind, fd);
	if (!ret) {
		channel_fault_begin(&channel->map.pages);
		ret = nnsensors_record_ring_init(&channel->ring, channel->map.pages.data, size);
		channel_fault_end();
		channel_memory_end(kind, fd);
		/* it has made a hole meanwhile */
		if (!ret && atomic_load(&channel->map.pages.lost)) {
			nnsensors_record_ring_fini(&channel->ring);
			ret = -EINVAL;
		}
	}
	if (ret) {
		channel_memory_unmap(&channel->map);
		free(channel);
		return ret;
	}
	*out = channel;
	return 0;
}

void channel_sink_destroy(struct channel_sink *channel)
{
	nnsensors_record_ring_fini(&channel->ring);
	channel_memory_unmap(&channel->map);
	free(channel);
}

struct sink *channel_sink(struct channel_sink *channel)
{
	return &channel->sink;
}

uint64_t channel_sink_delivered(const struct channel_sink *channel)
{
	return atomic_load_explicit(&channel->ring.next, memory_order_relaxed) -
	       atomic_load_explicit(&channel->ring.busy_lost, memory_order_relaxed);
}
