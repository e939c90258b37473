// SPDX-License-Identifier: Apache-2.0
/*
 * The queues of a device object. A job gets an idle queue if there is one, so that independent jobs
 * can overlap and a long job delays few others. Queues are made on demand, up to a small number per
 * priority. The kernel bans a queue whose job hung the device or touched a bad address, and the
 * firmware can refuse a queue: such a queue is dropped here, and the next job gets a new one. Jobs
 * behind the guilty job count as innocent.
 */
#include <errno.h>
#include <stdlib.h>

#include "device/nnhal_device.h"

#define QUEUES_PER_PRIORITY 4u

static struct nnhal_queue *find_queue(struct nnhal_queues *qs, uint32_t priority, uint32_t *count)
{
	struct nnhal_queue *q, *best = NULL;

	*count = 0;
	for (q = qs->list; q; q = q->next) {
		if (q->priority != priority || q->banned)
			continue;
		(*count)++;
		if (!best || q->inflight < best->inflight)
			best = q;
	}
	return best;
}

/*
 * Get a queue with room for a job, and count the job as in flight. 0; -EAGAIN: all are full;
 * -errno.
 */
static int queue_get(struct nnhal_queues *qs, uint32_t priority, struct nnhal_queue **queue)
{
	struct nnhal_queue *best, *new;
	uint32_t count;
	int ret = 0;

	*queue = NULL;
	pthread_mutex_lock(&qs->lock);
	best = find_queue(qs, priority, &count);
	if (!best ||
	    (best->inflight && count < QUEUES_PER_PRIORITY && qs->count < qs->t->max_queues)) {
		new = calloc(1, sizeof(*new));
		ret = new ? qs->t->ops->queue_create(qs->t, priority, &new->tq) : -ENOMEM;
		if (!ret) {
			new->priority = priority;
			new->next = qs->list;
			qs->list = new;
			qs->count++;
			best = new;
		} else {
			free(new);
			if (best)
				ret = 0;
		}
	}
	if (!ret && best->inflight >= qs->t->max_inflight)
		ret = -EAGAIN;
	if (!ret) {
		best->inflight++;
		*queue = best;
	}
	pthread_mutex_unlock(&qs->lock);
	return ret;
}

int nnhal_queue_submit(struct nnhal_queues *qs, uint32_t priority,
		       const struct nnhal_tsubmit *submit, struct nnhal_queue **queue,
		       struct nnhal_tjob **job)
{
	int ret;

	/* a banned queue is dropped: there are no more than these */
	for (uint32_t i = 0; i <= QUEUES_PER_PRIORITY; i++) {
		ret = queue_get(qs, priority, queue);
		if (ret)
			break;
		ret = qs->t->ops->submit(qs->t, (*queue)->tq, submit, job);
		if (!ret)
			return 0;
		nnhal_queue_put(qs, *queue, ret == -ECANCELED);
		if (ret != -ECANCELED)
			break;
	}
	*queue = NULL;
	return ret;
}

void nnhal_queue_put(struct nnhal_queues *qs, struct nnhal_queue *queue, bool ban)
{
	struct nnhal_queue **pos;
	bool drop;

	pthread_mutex_lock(&qs->lock);
	if (ban)
		queue->banned = true;
	drop = --queue->inflight == 0 && queue->banned;
	if (drop) {
		for (pos = &qs->list; *pos != queue; pos = &(*pos)->next)
			;
		*pos = queue->next;
		qs->count--;
	}
	pthread_mutex_unlock(&qs->lock);

	if (drop) {
		qs->t->ops->queue_destroy(qs->t, queue->tq);
		free(queue);
	}
}

void nnhal_queues_init(struct nnhal_queues *qs, struct nnhal_transport *t)
{
	*qs = (struct nnhal_queues){ .t = t };
	pthread_mutex_init(&qs->lock, NULL);
}

void nnhal_queues_fini(struct nnhal_queues *qs)
{
	struct nnhal_queue *q;

	while ((q = qs->list)) {
		qs->list = q->next;
		qs->t->ops->queue_destroy(qs->t, q->tq);
		free(q);
	}
	pthread_mutex_destroy(&qs->lock);
}
