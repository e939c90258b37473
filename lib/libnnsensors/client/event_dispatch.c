// SPDX-License-Identifier: Apache-2.0
/* The thread that delivers the events of a connection's queues. */
#include "client/nnsensors_client.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "messages/sensor_messages.h"
#include "nnutil_process.h"

/* Events of a queue before the others have their turn. */
#define TURN 256u
#define MAX_WAKES 16

/* The queue that this thread is in a callback of; NULL: none. */
static _Thread_local struct sensor_queue *in_callback;

/* ---- one queue ---- */

static void tell_lost(struct sensor_queue *q)
{
	const uint64_t lost = q->rings.lost;

	q->rings.lost = 0;
	if (lost && q->callback.on_lost)
		q->callback.on_lost(q->cookie, lost);
}

static void tell_notice(struct sensor_queue *q, const union nnsensors_payload *u)
{
	if (u->meta.what == SENSOR_NOTICE_GONE && q->callback.on_sensor_gone)
		q->callback.on_sensor_gone(q->cookie, u->meta.sensor);
}

static void tell_event(struct sensor_queue *q, const struct nnsensors_record *record)
{
	const bool meta = record->type == NNSENSORS_TYPE_META_DATA;
	const struct nnsensors_event event = {
		.version = sizeof(event),
		.sensor = meta ? 0 : record->token,
		.type = record->type,
		.timestamp = record->timestamp,
		.u = record->u,
		.flags = (uint32_t)record->reserved[2],
	};

	/* notices above the interface's are ours, or of a newer service */
	if (meta && record->u.meta.what >= SENSOR_NOTICE_GONE)
		tell_notice(q, &record->u);
	else
		q->callback.on_event(q->cookie, &event);
}

/* A record was taken: what was lost before it, and the record. */
static void event_dispatch_tell(struct sensor_queue *q, const struct nnsensors_record *record)
{
	tell_lost(q);
	if (!atomic_load(&q->over))
		tell_event(q, record);
}

/* Deliver at most @most records. 1: there may be more; 0: none; -EPROTO. */
static int event_dispatch_deliver(struct sensor_queue *q, uint32_t most)
{
	struct nnsensors_record record;
	int ret = 1;

	while (most-- && !atomic_load(&q->over)) {
		ret = sensor_queue_rings_take(&q->rings, &record);
		if (ret <= 0)
			break;
		event_dispatch_tell(q, &record);
	}
	return ret;
}

/* A turn of a queue. Whether there may be more. */
static bool run_queue(struct sensor_connection *c, struct sensor_queue *q)
{
	struct nnsensors_record record;
	int ret;

	sensor_queue_rings_awake(&q->rings);
	ret = event_dispatch_deliver(q, TURN);
	if (!ret) {
		sensor_queue_rings_asleep(&q->rings);
		ret = sensor_queue_rings_take(&q->rings, &record);
		if (ret == 1 && !atomic_load(&q->over)) {
			sensor_queue_rings_awake(&q->rings);
			event_dispatch_tell(q, &record);
		}
	}
	if (ret < 0)
		sensor_connection_end(c, "corrupt event ring");
	return ret == 1;
}

/* The service is gone: what it had written before is delivered, and then that. */
static void run_last(struct sensor_queue *q)
{
	event_dispatch_deliver(q, sensor_queue_rings_room(&q->rings));
	if (!atomic_load(&q->over) && q->callback.on_service_died)
		q->callback.on_service_died(q->cookie);
}

/* ---- all of them ---- */

/* Under the lock, which is released for the callbacks. Whether @q is still in the list. */
static bool event_dispatch_run(struct sensor_connection *c, struct sensor_queue *q, bool dead)
{
	bool more = false, linked;

	q->ready = false;
	q->died_reported = dead;
	c->running = in_callback = q;
	pthread_mutex_unlock(&c->lock);
	if (dead)
		run_last(q);
	else
		more = run_queue(c, q);
	in_callback = NULL;
	pthread_mutex_lock(&c->lock);
	c->running = NULL;
	linked = !q->deferred;
	if (linked) {
		q->ready |= more;
		pthread_cond_broadcast(&c->idle);
		return true;
	}
	pthread_mutex_unlock(&c->lock);
	q->free(q);
	pthread_mutex_lock(&c->lock);
	return false;
}

/* One turn of each queue that has something. Whether there is more to do. */
static bool run_all(struct sensor_connection *c, unsigned int turn)
{
	const bool dead = atomic_load(&c->dead);
	struct sensor_queue *q;
	bool more = false;

	pthread_mutex_lock(&c->lock);
	for (q = c->queues; q && !atomic_load(&c->stop);) {
		if (q->turn != turn && !atomic_load(&q->over) &&
		    (dead ? !q->died_reported : q->ready)) {
			q->turn = turn;
			if (!event_dispatch_run(c, q, dead)) {
				q = c->queues;
				continue;
			}
		}
		more |= !dead && q->ready;
		q = q->next;
	}
	pthread_mutex_unlock(&c->lock);
	return more || atomic_load(&c->dead) != dead;
}

/*
 * Take the wake-ups: a service whose socket is full cannot send another. A service that sends more
 * than one for a sleep is not read for ever.
 */
static void take_wake_ups(const struct sensor_queue *q)
{
	uint64_t one;

	for (unsigned int i = 0; i < MAX_WAKES; i++)
		if (recv(q->event_fd, &one, sizeof(one), MSG_DONTWAIT) < 0)
			return;
}

/* @queue may be gone; if another one has its address, it is looked at for nothing. */
static void wake_queue(struct sensor_connection *c, const void *queue)
{
	struct sensor_queue *q;

	pthread_mutex_lock(&c->lock);
	for (q = c->queues; q && q != queue; q = q->next)
		;
	if (q) {
		take_wake_ups(q);
		q->ready = true;
	}
	pthread_mutex_unlock(&c->lock);
}

static void wait_for_events(struct sensor_connection *c, int timeout_ms)
{
	struct epoll_event events[MAX_WAKES];
	const int count = epoll_wait(c->epoll, events, MAX_WAKES, timeout_ms);
	eventfd_t value;

	for (int i = 0; i < count; i++) {
		if (!events[i].data.ptr)
			eventfd_read(c->wake, &value);
		else if (events[i].data.ptr == c)
			sensor_connection_end(c, NULL);
		else
			wake_queue(c, events[i].data.ptr);
	}
}

static void *dispatcher(void *cookie)
{
	struct sensor_connection *c = cookie;
	unsigned int turn = 0;
	bool more = false;

	while (!atomic_load(&c->stop)) {
		wait_for_events(c, more ? 0 : -1);
		more = run_all(c, ++turn);
	}
	/* set by this thread */
	if (c->orphan)
		sensor_connection_free(c);
	return NULL;
}

int sensor_dispatch_start(struct sensor_connection *c)
{
	sigset_t before;
	int ret;

	nnutil_signals_block(&before);
	ret = -pthread_create(&c->dispatcher, NULL, dispatcher, c);
	nnutil_signals_restore(&before);
	if (!ret)
		pthread_setname_np(c->dispatcher, "nnsensors");
	return ret;
}

/* ---- queues ---- */

int sensor_dispatch_add(struct sensor_connection *c, struct sensor_queue *queue)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data.ptr = queue };
	int ret = 0;

	pthread_mutex_lock(&c->lock);
	if (epoll_ctl(c->epoll, EPOLL_CTL_ADD, queue->event_fd, &event)) {
		ret = -errno;
	} else {
		queue->ready = true;
		queue->prev = NULL;
		queue->next = c->queues;
		if (c->queues)
			c->queues->prev = queue;
		c->queues = queue;
		/* a first look, which says that it sleeps; or the service is dead already */
		eventfd_write(c->wake, 1);
	}
	pthread_mutex_unlock(&c->lock);
	return ret;
}

void sensor_dispatch_remove(struct sensor_connection *c, struct sensor_queue *queue)
{
	atomic_store(&queue->over, true);
	pthread_mutex_lock(&c->lock);
	while (c->running == queue && in_callback != queue)
		pthread_cond_wait(&c->idle, &c->lock);
	epoll_ctl(c->epoll, EPOLL_CTL_DEL, queue->event_fd, NULL);
	if (queue->prev)
		queue->prev->next = queue->next;
	else
		c->queues = queue->next;
	if (queue->next)
		queue->next->prev = queue->prev;
	pthread_mutex_unlock(&c->lock);
}

void sensor_dispatch_free(struct sensor_queue *queue)
{
	if (in_callback == queue)
		queue->deferred = true;
	else
		queue->free(queue);
}
