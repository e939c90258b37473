// SPDX-License-Identifier: Apache-2.0
/*
 * ASensorEventQueue_*. Events come on the manager's thread and wait in a FIFO; an eventfd, readable
 * while there are some, is what the looper waits for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "ndk/sensor_ndk.h"
#include "nnutil_process.h"

/* Events that wait for their reader. */

static void event_fifo_fini(struct event_fifo *fifo)
{
	for (int i = 0; i < 2; i++)
		free(fifo->part[i].entries);
	*fifo = (struct event_fifo){ 0 };
}

/* False: no memory. */
static bool event_fifo_init(struct event_fifo *fifo, uint32_t continuous, uint32_t kept)
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

static void drop_first(struct event_fifo *fifo, int i)
{
	fifo->part[i].first = (fifo->part[i].first + 1) % fifo->part[i].room;
	fifo->part[i].count--;
}

static void event_fifo_put(struct event_fifo *fifo, bool kept, const struct nnsensors_event *event)
{
	const int i = kept;

	if (fifo->part[i].count == fifo->part[i].room)
		drop_first(fifo, i);
	fifo->part[i].entries[(fifo->part[i].first + fifo->part[i].count) % fifo->part[i].room] =
		(struct event_fifo_entry){ *event, ++fifo->number };
	fifo->part[i].count++;
}

/* False: it is empty. */
static bool event_fifo_take(struct event_fifo *fifo, struct nnsensors_event *event)
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

/* As many as the rings of the service's side. */
#define CONTINUOUS_EVENTS 2048u
#define KEPT_EVENTS 512u
/* Of ASensorEventQueue_enableSensor(). */
#define DEFAULT_PERIOD_US 200000

struct ASensorEventQueue {
	/* constant */
	unsigned int process;
	ALooper *looper;
	struct nnsensors_event_queue *queue;
	int fd;

	/* protects all below; nothing is taken and nothing called under it */
	pthread_mutex_t lock;
	struct event_fifo fifo;
	bool signalled; /* @fd is readable */
	bool died;
	bool additional; /* ADDITIONAL_INFO is wanted */
	int32_t *kept; /* handles of sensors that are not continuous */
	uint32_t num_kept;
};

/* ---- the manager's thread ---- */

/* Under the lock. */
static void signal_reader(struct ASensorEventQueue *q)
{
	if (!q->signalled)
		eventfd_write(q->fd, 1);
	q->signalled = true;
}

/* Under the lock. */
static bool is_kept(const struct ASensorEventQueue *q, int32_t handle)
{
	for (uint32_t i = 0; i < q->num_kept; i++)
		if (q->kept[i] == handle)
			return true;
	return false;
}

static void on_event(void *cookie, const struct nnsensors_event *event)
{
	struct ASensorEventQueue *q = cookie;
	const bool meta = event->type == NNSENSORS_TYPE_META_DATA;

	pthread_mutex_lock(&q->lock);
	if (event->type != NNSENSORS_TYPE_ADDITIONAL_INFO || q->additional) {
		event_fifo_put(&q->fifo, meta || is_kept(q, event->sensor), event);
		signal_reader(q);
	}
	pthread_mutex_unlock(&q->lock);
}

static void on_service_died(void *cookie)
{
	struct ASensorEventQueue *q = cookie;

	pthread_mutex_lock(&q->lock);
	q->died = true;
	signal_reader(q);
	pthread_mutex_unlock(&q->lock);
}

static const struct nnsensors_event_queue_callback callbacks = {
	.size = sizeof(callbacks),
	.on_event = on_event,
	.on_service_died = on_service_died,
};

/* ---- making and freeing ---- */

static void queue_free(struct ASensorEventQueue *q)
{
	nnutil_fd_close(q->fd);
	event_fifo_fini(&q->fifo);
	pthread_mutex_destroy(&q->lock);
	free(q->kept);
	free(q);
}

static struct ASensorEventQueue *queue_new(void)
{
	struct ASensorEventQueue *q = calloc(1, sizeof(*q));

	if (!q)
		return NULL;
	q->process = nnutil_process_number();
	pthread_mutex_init(&q->lock, NULL);
	q->fd = nnutil_fd_keep(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	if (q->fd >= 0 && event_fifo_init(&q->fifo, CONTINUOUS_EVENTS, KEPT_EVENTS))
		return q;
	queue_free(q);
	return NULL;
}

ASensorEventQueue *ASensorManager_createEventQueue(ASensorManager *manager, ALooper *looper,
						   int ident, ALooper_callbackFunc callback,
						   void *data)
{
	struct ASensorEventQueue *q;
	enum nnsensors_result result;

	if (!manager || !looper)
		return sensor_ndk_refuse(NULL, "no %s", manager ? "looper" : "manager");
	q = queue_new();
	if (!q)
		return sensor_ndk_refuse(NULL, "no memory or descriptors");
	result = manager->manager->ops->create_event_queue(manager->manager, &callbacks, q,
							   &q->queue);
	if (result != NNSENSORS_OK) {
		queue_free(q);
		return sensor_ndk_refuse(NULL, "%s", nnsensors_result_name(result));
	}
	if (ALooper_addFd(looper, q->fd, ident, ALOOPER_EVENT_INPUT, callback, data) != 1) {
		q->queue->ops->destroy(q->queue);
		queue_free(q);
		return sensor_ndk_refuse(NULL, "the looper refuses ident %d", ident);
	}
	ALooper_acquire(looper);
	q->looper = looper;
	return q;
}

int ASensorManager_destroyEventQueue(ASensorManager *manager, ASensorEventQueue *queue)
{
	if (!manager || !queue)
		return sensor_ndk_refuse(-EINVAL, "no %s", manager ? "queue" : "manager");
	if (nnutil_process_inherited(queue->process)) {
		queue->queue->ops->destroy(queue->queue);
		free(queue);
		return 0;
	}
	ALooper_removeFd(queue->looper, queue->fd);
	ALooper_release(queue->looper);
	queue->queue->ops->destroy(queue->queue);
	queue_free(queue);
	return 0;
}

/* ---- sensors ---- */

/* Remember, before its first event, that a sensor is not continuous. 0 or -ENOMEM. */
static int remember_kept(struct ASensorEventQueue *q, const ASensor *sensor)
{
	const int32_t handle = sensor->info.handle;
	int ret = 0;

	if (ASensor_getReportingMode(sensor) == AREPORTING_MODE_CONTINUOUS)
		return 0;
	pthread_mutex_lock(&q->lock);
	if (!is_kept(q, handle)) {
		int32_t *kept = realloc(q->kept, (q->num_kept + 1) * sizeof(*kept));

		if (kept) {
			q->kept = kept;
			q->kept[q->num_kept++] = handle;
		} else {
			ret = -ENOMEM;
		}
	}
	pthread_mutex_unlock(&q->lock);
	return ret;
}

static int event_queue_enable(ASensorEventQueue *queue, ASensor const *sensor, int32_t period_us,
			      int64_t latency_us, const char *function)
{
	enum nnsensors_result result;
	int ret = -EINVAL;

	if (!queue || !sensor || period_us < 0 || latency_us < 0) {
		nnutil_log_refusal(function, "no queue, no sensor, or a negative time");
		return ret;
	}
	if (nnutil_process_inherited(queue->process))
		return -ENODEV;
	ret = remember_kept(queue, sensor);
	if (ret)
		return ret;
	result = queue->queue->ops->enable_sensor(queue->queue, sensor->info.handle, period_us,
						  latency_us);
	if (result != NNSENSORS_OK)
		nnutil_log_refusal(function, "\"%s\": %s", sensor->info.name,
				   nnsensors_result_name(result));
	return sensor_ndk_result(result);
}

int ASensorEventQueue_registerSensor(ASensorEventQueue *queue, ASensor const *sensor,
				     int32_t samplingPeriodUs, int64_t maxBatchReportLatencyUs)
{
	return event_queue_enable(queue, sensor, samplingPeriodUs, maxBatchReportLatencyUs,
				  __func__);
}

int ASensorEventQueue_enableSensor(ASensorEventQueue *queue, ASensor const *sensor)
{
	return event_queue_enable(queue, sensor, DEFAULT_PERIOD_US, 0, __func__);
}

int ASensorEventQueue_setEventRate(ASensorEventQueue *queue, ASensor const *sensor, int32_t usec)
{
	return event_queue_enable(queue, sensor, usec, 0, __func__);
}

int ASensorEventQueue_disableSensor(ASensorEventQueue *queue, ASensor const *sensor)
{
	enum nnsensors_result result;

	if (!queue || !sensor)
		return sensor_ndk_refuse(-EINVAL, "no queue, or no sensor");
	result = queue->queue->ops->disable_sensor(queue->queue, sensor->info.handle);
	if (result != NNSENSORS_OK)
		return sensor_ndk_refuse(sensor_ndk_result(result), "\"%s\": %s", sensor->info.name,
					 nnsensors_result_name(result));
	return 0;
}

/* ---- events ---- */

int ASensorEventQueue_hasEvents(ASensorEventQueue *queue)
{
	int ret;

	if (!queue)
		return sensor_ndk_refuse(-EINVAL, "no queue");
	if (nnutil_process_inherited(queue->process))
		return -ENODEV;
	pthread_mutex_lock(&queue->lock);
	if (!event_fifo_is_empty(&queue->fifo))
		ret = 1;
	else
		ret = queue->died ? -ENODEV : 0;
	pthread_mutex_unlock(&queue->lock);
	return ret;
}

ssize_t ASensorEventQueue_getEvents(ASensorEventQueue *queue, ASensorEvent *events, size_t count)
{
	struct nnsensors_event event;
	eventfd_t value;
	ssize_t got = 0;

	if (!queue || !events)
		return sensor_ndk_refuse(-EINVAL, "no queue, or no room for events");
	if (nnutil_process_inherited(queue->process))
		return -ENODEV;
	pthread_mutex_lock(&queue->lock);
	while ((size_t)got < count && event_fifo_take(&queue->fifo, &event))
		memcpy(&events[got++], &event, sizeof(event));
	if (queue->signalled && event_fifo_is_empty(&queue->fifo) && (got || count)) {
		eventfd_read(queue->fd, &value);
		queue->signalled = false;
	}
	if (!got && count && queue->died)
		got = -ENODEV;
	pthread_mutex_unlock(&queue->lock);
	return got;
}

int ASensorEventQueue_requestAdditionalInfoEvents(ASensorEventQueue *queue, bool enable_them)
{
	if (!queue)
		return sensor_ndk_refuse(-EINVAL, "no queue");
	if (nnutil_process_inherited(queue->process))
		return -ENODEV;
	pthread_mutex_lock(&queue->lock);
	queue->additional = enable_them;
	pthread_mutex_unlock(&queue->lock);
	return 0;
}
