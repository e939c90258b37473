// SPDX-License-Identifier: Apache-2.0
/* ALooper_*: an epoll and a table of what its descriptors are for, per thread. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "nnutil_clock.h"
#include "nnutil_log.h"
#include "nnutil_process.h"

#pragma GCC visibility push(default)
#include "android/looper.h"
#pragma GCC visibility pop

/* Descriptors that one poll hears of. */
#define MAX_READY 16
/* Ident of one that has a callback. */
#define WITH_CALLBACK ALOOPER_POLL_CALLBACK

/* What a descriptor was added with. Its number tells it from others of the same descriptor. */
struct request {
	uint64_t number; /* from 1; 0 is the wake-up */
	int fd, ident;
	ALooper_callbackFunc callback;
	void *data;
};

struct ready {
	uint64_t number;
	int events;
};

struct ALooper {
	/* constant */
	unsigned int process;
	bool idents;
	int epoll, wake;

	atomic_uint refs;

	pthread_mutex_t lock; /* protects the requests; not held in a callback */
	struct request *requests;
	uint32_t num_requests, room;
	uint64_t last_number;

	/* its thread's: what the last poll heard of and has not handled */
	struct ready ready[MAX_READY];
	int num_ready, next_ready;
};

/* ---- lifetime ---- */

static pthread_key_t thread_looper;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool have_key;

static void release_looper(void *looper)
{
	ALooper_release(looper);
}

static void init_once(void)
{
	have_key = !pthread_key_create(&thread_looper, release_looper);
	nnutil_process_watch(NULL);
}

static bool inherited(const ALooper *looper)
{
	return nnutil_process_inherited(looper->process);
}

ALooper *ALooper_forThread(void)
{
	ALooper *looper;

	pthread_once(&once, init_once);
	looper = have_key ? pthread_getspecific(thread_looper) : NULL;
	return looper && !inherited(looper) ? looper : NULL;
}

static void looper_free(ALooper *looper)
{
	nnutil_fd_close(looper->epoll);
	nnutil_fd_close(looper->wake);
	pthread_mutex_destroy(&looper->lock);
	free(looper->requests);
	free(looper);
}

static ALooper *looper_new(int opts)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = 0 };
	ALooper *looper = calloc(1, sizeof(*looper));

	if (!looper)
		return NULL;
	looper->process = nnutil_process_number();
	looper->idents = opts & ALOOPER_PREPARE_ALLOW_NON_CALLBACKS;
	atomic_init(&looper->refs, 1);
	pthread_mutex_init(&looper->lock, NULL);
	looper->wake = nnutil_fd_keep(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	looper->epoll = nnutil_fd_keep(epoll_create1(EPOLL_CLOEXEC));
	if (looper->wake >= 0 && looper->epoll >= 0 &&
	    !epoll_ctl(looper->epoll, EPOLL_CTL_ADD, looper->wake, &event))
		return looper;
	looper_free(looper);
	return NULL;
}

ALooper *ALooper_prepare(int opts)
{
	ALooper *looper = ALooper_forThread();

	if (looper || !have_key)
		return looper;
	looper = looper_new(opts);
	if (looper && pthread_setspecific(thread_looper, looper)) {
		looper_free(looper);
		looper = NULL;
	}
	if (!looper)
		nnutil_log(NNUTIL_LOG_ERROR, "ALooper_prepare: no memory or descriptors");
	return looper;
}

void ALooper_acquire(ALooper *looper)
{
	if (looper)
		atomic_fetch_add_explicit(&looper->refs, 1, memory_order_relaxed);
}

void ALooper_release(ALooper *looper)
{
	if (!looper || atomic_fetch_sub_explicit(&looper->refs, 1, memory_order_acq_rel) > 1)
		return;
	if (inherited(looper))
		/* its descriptors are closed already, and its table may be half changed */
		free(looper);
	else
		looper_free(looper);
}

/* ---- descriptors ---- */

/* Under the lock. NULL: there is none. */
static struct request *find_fd(const ALooper *looper, int fd)
{
	for (uint32_t i = 0; i < looper->num_requests; i++)
		if (looper->requests[i].fd == fd)
			return &looper->requests[i];
	return NULL;
}

/* Under the lock. NULL: no memory. */
static struct request *add_request(ALooper *looper)
{
	if (looper->num_requests == looper->room) {
		const uint32_t room = looper->room ? 2 * looper->room : 4;
		struct request *more = realloc(looper->requests, room * sizeof(*more));

		if (!more)
			return NULL;
		looper->requests = more;
		looper->room = room;
	}
	return &looper->requests[looper->num_requests++];
}

/* Under the lock. */
static void drop_request(ALooper *looper, struct request *request)
{
	*request = looper->requests[--looper->num_requests];
}

static uint32_t epoll_events(int events)
{
	return (events & ALOOPER_EVENT_INPUT ? (uint32_t)EPOLLIN : 0) |
	       (events & ALOOPER_EVENT_OUTPUT ? (uint32_t)EPOLLOUT : 0);
}

static int looper_events(uint32_t events)
{
	return (events & EPOLLIN ? ALOOPER_EVENT_INPUT : 0) |
	       (events & EPOLLOUT ? ALOOPER_EVENT_OUTPUT : 0) |
	       (events & EPOLLERR ? ALOOPER_EVENT_ERROR : 0) |
	       (events & EPOLLHUP ? ALOOPER_EVENT_HANGUP : 0);
}

/*
 * Under the lock. A descriptor that was closed without being removed is not in the epoll any more,
 * and its number may be another one's by now.
 */
static int looper_watch(const ALooper *looper, int fd, struct epoll_event *event, bool known)
{
	if (known && !epoll_ctl(looper->epoll, EPOLL_CTL_MOD, fd, event))
		return 0;
	if (known && errno != ENOENT)
		return -errno;
	return epoll_ctl(looper->epoll, EPOLL_CTL_ADD, fd, event) ? -errno : 0;
}

/* Under the lock. */
static int looper_add(ALooper *looper, const struct request *wanted, int events)
{
	struct request *request = find_fd(looper, wanted->fd);
	struct epoll_event event = { .events = epoll_events(events) };
	const bool known = request;
	int ret;

	if (!known)
		request = add_request(looper);
	if (!request)
		return -ENOMEM;
	event.data.u64 = ++looper->last_number;
	ret = looper_watch(looper, wanted->fd, &event, known);
	if (ret) {
		if (!known)
			looper->num_requests--;
		return ret;
	}
	*request = *wanted;
	request->number = looper->last_number;
	return 0;
}

int ALooper_addFd(ALooper *looper, int fd, int ident, int events, ALooper_callbackFunc callback,
		  void *data)
{
	const struct request wanted = {
		.fd = fd,
		.ident = callback ? WITH_CALLBACK : ident,
		.callback = callback,
		.data = data,
	};
	int ret = -EINVAL;

	if (looper && !inherited(looper) && fd >= 0 &&
	    (callback || (looper->idents && ident >= 0))) {
		pthread_mutex_lock(&looper->lock);
		ret = looper_add(looper, &wanted, events);
		pthread_mutex_unlock(&looper->lock);
	}
	if (ret)
		nnutil_log_refusal(__func__, "fd %d, ident %d: %s", fd, ident,
				   looper && !callback && !looper->idents
					   ? "the looper takes callbacks only"
					   : "refused");
	return ret ? -1 : 1;
}

int ALooper_removeFd(ALooper *looper, int fd)
{
	struct request *request;

	if (!looper || inherited(looper))
		return -1;
	pthread_mutex_lock(&looper->lock);
	request = find_fd(looper, fd);
	if (request) {
		/* a closed one is gone there already */
		epoll_ctl(looper->epoll, EPOLL_CTL_DEL, fd, NULL);
		drop_request(looper, request);
	}
	pthread_mutex_unlock(&looper->lock);
	return request ? 1 : 0;
}

void ALooper_wake(ALooper *looper)
{
	if (looper && !inherited(looper))
		eventfd_write(looper->wake, 1);
}

/* ---- polling ---- */

/* A copy of the request of that number; false: it was removed. */
static bool request_of(ALooper *looper, uint64_t number, struct request *copy)
{
	bool found = false;

	pthread_mutex_lock(&looper->lock);
	for (uint32_t i = 0; i < looper->num_requests && !found; i++) {
		found = looper->requests[i].number == number;
		if (found)
			*copy = looper->requests[i];
	}
	pthread_mutex_unlock(&looper->lock);
	return found;
}

/* The callback wants no more of it; it may have removed or replaced it already. */
static void remove_request(ALooper *looper, const struct request *old)
{
	struct request *request;

	pthread_mutex_lock(&looper->lock);
	request = find_fd(looper, old->fd);
	if (request && request->number == old->number) {
		epoll_ctl(looper->epoll, EPOLL_CTL_DEL, old->fd, NULL);
		drop_request(looper, request);
	}
	pthread_mutex_unlock(&looper->lock);
}

static int nothing(int result, int *fd, int *events, void **data)
{
	if (fd)
		*fd = 0;
	if (events)
		*events = 0;
	if (data)
		*data = NULL;
	return result;
}

/* An ident that the last poll heard of and that is still wanted. Negative: none is left. */
static int next_ident(ALooper *looper, int *fd, int *events, void **data)
{
	struct request request;

	while (looper->next_ready < looper->num_ready) {
		const struct ready ready = looper->ready[looper->next_ready++];

		if (!request_of(looper, ready.number, &request) || request.callback)
			continue;
		if (fd)
			*fd = request.fd;
		if (events)
			*events = ready.events;
		if (data)
			*data = request.data;
		return request.ident;
	}
	return -1;
}

/* Wait, and fill the looper's list. What it is so far: WAKE, TIMEOUT or ERROR. */
static int wait_for_ready(ALooper *looper, int timeout_ms)
{
	struct epoll_event events[MAX_READY];
	const int count = epoll_wait(looper->epoll, events, MAX_READY, timeout_ms);
	eventfd_t value;

	looper->num_ready = looper->next_ready = 0;
	if (!count)
		return ALOOPER_POLL_TIMEOUT;
	if (count < 0)
		return errno == EINTR ? ALOOPER_POLL_WAKE : ALOOPER_POLL_ERROR;
	for (int i = 0; i < count; i++) {
		if (events[i].data.u64)
			looper->ready[looper->num_ready++] =
				(struct ready){ events[i].data.u64,
						looper_events(events[i].events) };
		else
			eventfd_read(looper->wake, &value);
	}
	return ALOOPER_POLL_WAKE;
}

/* Whether there were any. A callback may poll, which begins a new list. */
static bool call_back(ALooper *looper)
{
	struct ready ready[MAX_READY];
	const int count = looper->num_ready;
	struct request request;
	bool called = false;

	for (int i = 0; i < count; i++)
		ready[i] = looper->ready[i];
	for (int i = 0; i < count; i++) {
		if (!request_of(looper, ready[i].number, &request) || !request.callback)
			continue;
		called = true;
		if (!request.callback(request.fd, ready[i].events, request.data))
			remove_request(looper, &request);
	}
	return called;
}

int ALooper_pollOnce(int timeoutMillis, int *outFd, int *outEvents, void **outData)
{
	ALooper *looper = ALooper_forThread();
	int ident, result;

	if (!looper) {
		nnutil_log_refusal(__func__,
				   "this thread has no looper: ALooper_prepare() makes one");
		return nothing(ALOOPER_POLL_ERROR, outFd, outEvents, outData);
	}
	ident = next_ident(looper, outFd, outEvents, outData);
	if (ident >= 0)
		return ident;
	result = wait_for_ready(looper, timeoutMillis < 0 ? -1 : timeoutMillis);
	/* a callback may end the looper's life but for this */
	ALooper_acquire(looper);
	if (call_back(looper))
		result = ALOOPER_POLL_CALLBACK;
	ident = next_ident(looper, outFd, outEvents, outData);
	ALooper_release(looper);
	return ident >= 0 ? ident : nothing(result, outFd, outEvents, outData);
}

int ALooper_pollAll(int timeoutMillis, int *outFd, int *outEvents, void **outData)
{
	const int64_t end_ns = nnutil_monotonic_ns() + timeoutMillis * NNUTIL_NS_PER_MS;
	int64_t left_ns;
	int result;

	for (;;) {
		result = ALooper_pollOnce(timeoutMillis, outFd, outEvents, outData);
		if (result != ALOOPER_POLL_CALLBACK)
			return result;
		if (timeoutMillis <= 0)
			continue;
		left_ns = end_ns - nnutil_monotonic_ns();
		if (left_ns <= 0)
			return ALOOPER_POLL_TIMEOUT;
		timeoutMillis = (int)((left_ns + NNUTIL_NS_PER_MS - 1) / NNUTIL_NS_PER_MS);
	}
}
