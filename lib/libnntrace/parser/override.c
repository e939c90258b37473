// SPDX-License-Identifier: Apache-2.0
/* The overrides of LR_PE and LD_PE (Documentation/tracing.rst). */
#include <errno.h>
#include <stdlib.h>

#include "nntp.h"

static int queue_push(struct time_queue *q, int64_t time)
{
	size_t want = q->max ? q->max * 2 : 16;
	int64_t *times;

	if (q->count == q->max) {
		times = reallocarray(NULL, want, sizeof(*times));
		if (!times)
			return -ENOMEM;
		for (size_t i = 0; i < q->count; i++)
			times[i] = q->times[(q->first + i) % q->max];
		free(q->times);
		q->times = times;
		q->first = 0;
		q->max = want;
	}
	q->times[(q->first + q->count++) % q->max] = time;
	return 0;
}

static int64_t queue_pop(struct time_queue *q)
{
	int64_t time = q->times[q->first];

	q->first = (q->first + 1) % q->max;
	q->count--;
	return time;
}

void overrides_free(struct thread_overrides *o)
{
	for (unsigned int i = 0; i < NNTP_LOOPS; i++)
		free(o->loop[i].unpaired.times);
	*o = (struct thread_overrides){ 0 };
}

void driver_overrides_free(struct driver_overrides *d)
{
	for (unsigned int i = 0; i < NNTP_LOOPS; i++)
		free(d->loop[i].open.times);
	*d = (struct driver_overrides){ 0 };
}

/* The end of the i-th wait minus the begin of the i-th start, in any order. */
static int pair_by_number(struct loop_overrides *o, bool start, int64_t begin, int64_t end)
{
	if (start) {
		o->starts++;
		o->sum -= begin;
		if (o->unpaired.count) {
			o->sum += queue_pop(&o->unpaired);
			o->waits++;
		}
		return 0;
	}
	if (o->waits == o->starts)
		return queue_push(&o->unpaired, end);
	o->waits++;
	o->sum += end;
	return 0;
}

/*
 * A wait ends the oldest computation of the thread that has no wait yet, if there is one.
 */
static int pair_by_order(struct loop_overrides *o, bool start, int64_t begin, int64_t end)
{
	int ret;

	if (start) {
		ret = queue_push(&o->unpaired, begin);
		return ret ? ret : queue_push(&o->unpaired, end - begin);
	}
	if (o->unpaired.count) {
		o->sum += end - queue_pop(&o->unpaired);
		queue_pop(&o->unpaired);
	}
	return 0;
}

int override_api(struct thread_overrides *all, enum mark_name name, unsigned int loop,
		 int64_t begin, int64_t end, bool in_api, bool strict)
{
	struct loop_overrides *o = &all->loop[loop];

	switch (name) {
	case NAME_START_FENCED:
		if (!strict)
			return 0;
		/* fallthrough */
	case NAME_START:
		o->any = true;
		return strict ? pair_by_order(o, true, begin, end)
			      : pair_by_number(o, true, begin, end);
	case NAME_WAIT:
		return strict ? pair_by_order(o, false, begin, end)
			      : pair_by_number(o, false, begin, end);
	case NAME_API:
		if (!strict)
			return 0;
		/* fallthrough */
	case NAME_CREATE:
	case NAME_LISTED:
		if (strict && in_api)
			return 0;
		o->any = true;
		o->sum += end - begin;
		return 0;
	default:
		return 0;
	}
}

uint64_t override_unpaired(const struct loop_overrides *o, bool strict, int64_t *sum)
{
	*sum = 0;
	if (!strict)
		return o->starts - o->waits;
	for (size_t i = 1; i < o->unpaired.count; i += 2)
		*sum += o->unpaired.times[(o->unpaired.first + i) % o->unpaired.max];
	return o->unpaired.count / 2;
}

int override_driver(struct driver_overrides *d, enum mark_name name, unsigned int loop, int64_t ns,
		    bool strict)
{
	struct loop_driver *o = &d->loop[loop];
	bool request = name == NAME_EXECUTE || (strict && name == NAME_EXECUTE_LATER);

	if (!request && name != NAME_NOTIFY && !(strict && name == NAME_NOTIFY_LATER))
		return 0;
	o->any = true;
	if (request)
		o->executes++;
	else
		o->notifies++;
	if (!strict) {
		/* the sum over pairs is the difference of the sums */
		o->sum += request ? -ns : ns;
		return 0;
	}
	if (request)
		return queue_push(&o->open, ns);
	if (o->open.count)
		o->sum += ns - queue_pop(&o->open);
	return 0;
}

void override_driver_sync(struct driver_overrides *d, unsigned int loop, int64_t ns)
{
	d->loop[loop].any = true;
	d->loop[loop].sum += ns;
}
