// SPDX-License-Identifier: Apache-2.0
#include "fusion/sensord_fusion.h"

#include <string.h>
#include <unistd.h>

#include "messages/sensor_messages.h"

void bases_put(struct sensor *const bases[NUM_BASES])
{
	for (unsigned int i = 0; i < NUM_BASES; i++)
		if (bases[i])
			device_put(bases[i]->device);
}

int base_reader_open(struct base_reader *r, struct sensor *const bases[NUM_BASES])
{
	struct queue_sink *queue;
	int memory_fd, event_fd;
	const int ret = queue_sink_create(&queue, NULL, &memory_fd, &event_fd);

	if (ret)
		return ret;
	*r = (struct base_reader){ .queue = queue, .event_fd = event_fd };
	/* bases are continuous sensors: the kept ring has nothing but notices */
	nnsensors_reader_init(&r->reader, queue_sink_memory(queue)->records,
			      SENSOR_QUEUE_CONTINUOUS * sizeof(struct nnsensors_record));
	for (unsigned int i = 0; i < NUM_BASES; i++)
		if (bases[i])
			subscription_init(&r->subscriptions[i], bases[i], queue_sink(queue),
					  bases[i]->info.handle);
	return 0;
}

void base_reader_close(struct base_reader *r)
{
	for (unsigned int i = 0; i < NUM_BASES; i++)
		if (r->subscriptions[i].sensor)
			subscription_fini(&r->subscriptions[i]);
	queue_sink_destroy(r->queue);
}

static int run_one(struct base_reader *r, unsigned int i, int64_t period_ns, int64_t latency_ns)
{
	struct subscription *s = &r->subscriptions[i];
	int ret = 0;

	if (!s->sensor ||
	    (period_ns == r->periods_ns[i] && (!period_ns || latency_ns == r->latency_ns)))
		return 0;
	if (period_ns)
		ret = subscription_start(s, period_ns, latency_ns);
	else
		subscription_stop(s);
	return ret;
}

int base_reader_run(struct base_reader *r, const int64_t periods_ns[NUM_BASES], int64_t latency_ns)
{
	for (unsigned int i = 0; i < NUM_BASES; i++) {
		struct subscription *s = &r->subscriptions[i];
		const int ret = run_one(r, i, periods_ns[i], latency_ns);

		if (!ret)
			continue;
		/* what ran before ran at these: it is not refused, unless the base is gone */
		while (i--) {
			s = &r->subscriptions[i];
			if (!s->sensor)
				continue;
			if (r->periods_ns[i])
				subscription_start(s, r->periods_ns[i], r->latency_ns);
			else
				subscription_stop(s);
		}
		return ret;
	}
	memcpy(r->periods_ns, periods_ns, sizeof(r->periods_ns));
	r->latency_ns = latency_ns;
	return 0;
}

/** A record of a base that is wanted: samples of one that was just stopped are left out. */
static int base_of(const struct base_reader *r, const struct nnsensors_record *record)
{
	for (int i = 0; i < NUM_BASES; i++)
		if (r->subscriptions[i].sensor && r->periods_ns[i] &&
		    r->subscriptions[i].token == record->token)
			return i;
	return -1;
}

int base_reader_next(struct base_reader *r, struct nnsensors_record *record)
{
	bool asleep = false;
	uint64_t lost;

	for (;;) {
		if (nnsensors_reader_take(&r->reader, record, &lost) == 1) {
			const int base = base_of(r, record);

			if (base >= 0)
				return base;
		} else if (!asleep) {
			/* from here on the writer wakes; what it wrote before is seen next */
			atomic_exchange(&queue_sink_memory(r->queue)->asleep, 1);
			asleep = true;
		} else {
			return -1;
		}
	}
}

void base_reader_woken(struct base_reader *r)
{
	uint64_t count;

	while (read(r->event_fd, &count, sizeof(count)) > 0)
		;
}
