// SPDX-License-Identifier: Apache-2.0
/*
 * The thread of a device: requests, descriptors of the hardware, and one timer for the hardware's
 * ticks, for changes that are due later, and for readers that are to be woken for batched events.
 * Between two waits it holds no lock while anything of the backend or of a sink runs.
 */
#include "core/sensord_core.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "nnutil_clock.h"
#include "nnutil_file.h"
#include "nnutil_process.h"

#define EVENTS_AT_ONCE 16
/* Above ordinary threads; below interrupt threads of the kernel, which have 50. */
#define REALTIME_PRIORITY 10

static __thread struct sensor_device *own_device;

/* How many threads there are, of all devices. */
static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t threads_changed = PTHREAD_COND_INITIALIZER;
static unsigned int num_threads;

static void count_thread(int more)
{
	pthread_mutex_lock(&threads_lock);
	num_threads += (unsigned int)more;
	pthread_cond_broadcast(&threads_changed);
	pthread_mutex_unlock(&threads_lock);
}

void device_threads_wait(void)
{
	pthread_mutex_lock(&threads_lock);
	while (num_threads)
		pthread_cond_wait(&threads_changed, &threads_lock);
	pthread_mutex_unlock(&threads_lock);
}

/* ---- mailbox ---- */

static void kick(struct sensor_device *device)
{
	const uint64_t one = 1;

	/* it cannot fail: the counter has room for 2^64 writes */
	nnutil_write_all(device->mailbox_fd, &one, sizeof(one));
}

int device_call(struct sensor_device *device, int (*function)(struct sensor_device *, void *),
		void *argument)
{
	struct device_request request = {
		.function = function,
		.argument = argument,
		.result = -ENODEV,
		.was_answered = PTHREAD_COND_INITIALIZER,
	};

	if (own_device == device)
		return function(device, argument);
	pthread_mutex_lock(&device->lock);
	if (!device->closed) {
		*device->requests_end = &request;
		device->requests_end = &request.next;
		kick(device);
		while (!request.answered)
			pthread_cond_wait(&request.was_answered, &device->lock);
	}
	pthread_mutex_unlock(&device->lock);
	pthread_cond_destroy(&request.was_answered);
	return request.result;
}

static struct device_request *take_request(struct sensor_device *device)
{
	struct device_request *request;

	pthread_mutex_lock(&device->lock);
	request = device->requests;
	if (request) {
		device->requests = request->next;
		if (!device->requests)
			device->requests_end = &device->requests;
	}
	pthread_mutex_unlock(&device->lock);
	return request;
}

/* Under the lock; behind it the request is its caller's frame. */
static void device_thread_answer(struct device_request *request)
{
	request->answered = true;
	pthread_cond_signal(&request->was_answered);
}

/* An operation may have ended subscriptions while the backend could not take new demands. */
static void device_thread_settle(struct sensor_device *device)
{
	if (!device->lost && device->demands_old)
		demand_update(device);
}

/* Only one: frequent calls must not keep the device from its samples. */
static void run_request(struct sensor_device *device)
{
	struct device_request *request = take_request(device);

	device->has_requests = request;
	if (!request)
		return;
	request->result = request->function(device, request->argument);
	device_thread_settle(device);
	pthread_mutex_lock(&device->lock);
	device_thread_answer(request);
	pthread_mutex_unlock(&device->lock);
}

/* No function runs any more, waiting callers get an error. */
static void close_mailbox(struct sensor_device *device)
{
	pthread_mutex_lock(&device->lock);
	device->closed = true;
	while (device->requests) {
		struct device_request *request = device->requests;

		device->requests = request->next;
		device_thread_answer(request);
	}
	device->requests_end = &device->requests;
	pthread_mutex_unlock(&device->lock);
}

/* ---- descriptors and time ---- */

static bool is_watched(const struct sensor_device *device, int fd)
{
	for (unsigned int i = 0; i < device->num_watched; i++)
		if (device->watched[i] == fd)
			return true;
	return false;
}

static void device_thread_forget(struct sensor_device *device, int fd)
{
	for (unsigned int i = 0; i < device->num_watched; i++)
		if (device->watched[i] == fd) {
			device->watched[i] = device->watched[--device->num_watched];
			return;
		}
}

static int make_room(struct sensor_device *device)
{
	unsigned int more = device->max_watched ? device->max_watched * 2 : 8;
	int *watched;

	if (device->num_watched < device->max_watched)
		return 0;
	watched = realloc(device->watched, more * sizeof(*watched));
	if (!watched)
		return -ENOMEM;
	device->watched = watched;
	device->max_watched = more;
	return 0;
}

int device_watch(struct sensor_device *device, int fd, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.fd = fd };
	int ret;

	if (!events) {
		if (!is_watched(device, fd))
			return -ENOENT;
		device_thread_forget(device, fd);
		return epoll_ctl(device->epoll_fd, EPOLL_CTL_DEL, fd, NULL) ? -errno : 0;
	}
	if (is_watched(device, fd))
		return epoll_ctl(device->epoll_fd, EPOLL_CTL_MOD, fd, &event) ? -errno : 0;
	ret = make_room(device);
	if (ret)
		return ret;
	if (epoll_ctl(device->epoll_fd, EPOLL_CTL_ADD, fd, &event))
		return -errno;
	device->watched[device->num_watched++] = fd;
	return 0;
}

void device_tick_at(struct sensor_device *device, int64_t time_ns)
{
	device->tick_ns = time_ns < 0 ? INT64_MAX : time_ns;
}

void device_lost(struct sensor_device *device)
{
	device->lost = true;
}

static void set_timer(struct sensor_device *device)
{
	int64_t next = device->tick_ns < device->wake_ns ? device->tick_ns : device->wake_ns;
	struct itimerspec at = { .it_value = { 0 } };

	next = device->deferred_ns < next ? device->deferred_ns : next;
	if (next == device->armed_ns)
		return;
	/* 0 would disarm it */
	if (next != INT64_MAX)
		at.it_value = nnutil_timespec(next > 0 ? next : 1);
	timerfd_settime(device->timer_fd, TFD_TIMER_ABSTIME, &at, NULL);
	device->armed_ns = next;
}

static void look_at_time(struct sensor_device *device)
{
	int64_t now = nnutil_boottime_ns();

	if (device->tick_ns <= now) {
		device->tick_ns = INT64_MAX;
		device->ops->tick(device, now);
	}
	if (device->deferred_ns <= now)
		delivery_deferred(device);
	if (device->wake_ns <= now)
		delivery_wake(device, now);
}

static void look_at(struct sensor_device *device, const struct epoll_event *event)
{
	const int fd = event->data.fd;

	if (fd == device->mailbox_fd)
		device->has_requests = true;
	else if (fd == device->timer_fd)
		/* the time is looked at in every round */
		device->armed_ns = INT64_MAX;
	else if (is_watched(device, fd))
		device->ops->ready(device, fd, event->events);
}

static void device_thread_serve(struct sensor_device *device)
{
	struct epoll_event events[EVENTS_AT_ONCE];
	int n;

	while (!device->lost && !atomic_load(&device->end)) {
		set_timer(device);
		n = epoll_wait(device->epoll_fd, events, EVENTS_AT_ONCE,
			       device->has_requests ? 0 : -1);
		if (n < 0 && errno != EINTR)
			break;
		for (int i = 0; i < n && !device->lost; i++)
			look_at(device, &events[i]);
		if (!device->lost)
			look_at_time(device);
		if (!device->lost && device->has_requests)
			run_request(device);
		device_thread_settle(device);
	}
}

/* ---- begin and end ---- */

static void set_name_and_priority(const struct sensor_device *device)
{
	const struct sched_param realtime = { .sched_priority = REALTIME_PRIORITY };
	char name[16];

	snprintf(name, sizeof(name), "%.15s", device->name);
	pthread_setname_np(pthread_self(), name);
	/* without the permission it is an ordinary thread */
	pthread_setschedparam(pthread_self(), SCHED_FIFO, &realtime);
}

static void set_ended(struct sensor_device *device)
{
	pthread_mutex_lock(&device->lock);
	device->ended = true;
	pthread_cond_broadcast(&device->has_ended);
	pthread_mutex_unlock(&device->lock);
}

static void device_thread_finish(struct sensor_device *device)
{
	bool listed = sensor_list_remove(device);

	delivery_end(device);
	if (!device->lost)
		demand_update(device);
	close_mailbox(device);
	if (device->ops->destroy)
		device->ops->destroy(device);
	/* lost: announce that the list has changed */
	if (listed) {
		sensor_list_changed();
		device_put(device);
	}
	set_ended(device);
}

static void *device_thread_run(void *argument)
{
	struct sensor_device *device = argument;

	own_device = device;
	set_name_and_priority(device);
	device_thread_serve(device);
	device_thread_finish(device);
	own_device = NULL;
	device_put(device);
	count_thread(-1);
	return NULL;
}

int device_thread_start(struct sensor_device *device)
{
	pthread_attr_t attributes;
	pthread_t thread;
	sigset_t before;
	int ret;

	ret = pthread_attr_init(&attributes);
	if (ret)
		return -ret;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	device_get(device);
	count_thread(1);
	nnutil_signals_block(&before);
	ret = pthread_create(&thread, &attributes, device_thread_run, device);
	nnutil_signals_restore(&before);
	pthread_attr_destroy(&attributes);
	if (ret) {
		/* another thread may have found it in the list */
		close_mailbox(device);
		set_ended(device);
		count_thread(-1);
		device_put(device);
	}
	return -ret;
}

void device_thread_end(struct sensor_device *device)
{
	pthread_mutex_lock(&device->lock);
	atomic_store(&device->end, true);
	kick(device);
	while (!device->ended)
		pthread_cond_wait(&device->has_ended, &device->lock);
	pthread_mutex_unlock(&device->lock);
}
