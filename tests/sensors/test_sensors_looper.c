// SPDX-License-Identifier: Apache-2.0
/* ALooper, as the NDK has it. */

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "android/looper.h"
#include "child.h"
#include "eventually.h"
#include "task_state.h"
#include "test_case.h"

static ALooper *looper;

/* cmocka's thread keeps its looper over all cases. */
FIXTURE(setup)
{
	looper = ALooper_prepare(ALOOPER_PREPARE_ALLOW_NON_CALLBACKS);
	return !looper;
}

static int make_event(void)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	assert_true(fd >= 0);
	return fd;
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* ---- callbacks ---- */

struct heard {
	unsigned int calls;
	int fd, events;
	int answer;
	bool drain;
	int remove_fd; /* > 0: removed in the callback */
	bool poll; /* poll in the callback */
};

static int on_ready(int fd, int events, void *data)
{
	struct heard *h = data;
	eventfd_t value;

	h->calls++;
	h->fd = fd;
	h->events = events;
	if (h->drain)
		eventfd_read(fd, &value);
	if (h->remove_fd)
		ALooper_removeFd(ALooper_forThread(), h->remove_fd);
	if (h->poll) {
		h->poll = false;
		ALooper_pollOnce(0, NULL, NULL, NULL);
	}
	return h->answer;
}

/* ---- */

static void *other_thread(void *cookie)
{
	ALooper *own;

	(void)cookie;
	if (ALooper_forThread())
		return "a thread begins with a looper";
	if (ALooper_pollOnce(0, NULL, NULL, NULL) != ALOOPER_POLL_ERROR)
		return "polled without a looper";
	own = ALooper_prepare(0);
	if (!own || own == looper || ALooper_forThread() != own || ALooper_prepare(1) != own)
		return "a thread has no looper of its own";
	if (ALooper_addFd(own, 0, 1, ALOOPER_EVENT_INPUT, NULL, NULL) != -1)
		return "an ident without the option";
	/* it lives on */
	ALooper_acquire(own);
	*(ALooper **)cookie = own;
	return NULL;
}

TEST(test_threads)
{
	ALooper *theirs = NULL;
	pthread_t thread;
	void *wrong;

	assert_ptr_equal(ALooper_forThread(), looper);
	assert_ptr_equal(ALooper_prepare(0), looper);
	assert_int_equal(pthread_create(&thread, NULL, other_thread, &theirs), 0);
	assert_int_equal(pthread_join(thread, &wrong), 0);
	if (wrong)
		fail_msg("%s", (char *)wrong);
	ALooper_wake(theirs);
	ALooper_release(theirs);
}

TEST(test_timeout)
{
	int fd = 7, events = 7;
	void *data = &fd;
	int64_t begin;

	assert_int_equal(ALooper_pollOnce(0, &fd, &events, &data), ALOOPER_POLL_TIMEOUT);
	assert_int_equal(fd | events, 0);
	assert_null(data);
	begin = now_ms();
	assert_int_equal(ALooper_pollOnce(50, NULL, NULL, NULL), ALOOPER_POLL_TIMEOUT);
	assert_true(now_ms() - begin >= 49);
	assert_int_equal(ALooper_pollAll(1, NULL, NULL, NULL), ALOOPER_POLL_TIMEOUT);
}

static void *wake_it(void *tid)
{
	while (!thread_asleep(*(pid_t *)tid))
		usleep(1000);
	ALooper_wake(looper);
	return NULL;
}

TEST(test_wake)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);
	pthread_t thread;

	/* before the poll: kept for it, once */
	ALooper_wake(looper);
	ALooper_wake(looper);
	assert_int_equal(ALooper_pollOnce(-1, NULL, NULL, NULL), ALOOPER_POLL_WAKE);
	assert_int_equal(ALooper_pollOnce(0, NULL, NULL, NULL), ALOOPER_POLL_TIMEOUT);
	/* while it waits */
	assert_int_equal(pthread_create(&thread, NULL, wake_it, &tid), 0);
	assert_int_equal(ALooper_pollOnce(-1, NULL, NULL, NULL), ALOOPER_POLL_WAKE);
	assert_int_equal(pthread_join(thread, NULL), 0);
	ALooper_wake(looper);
	assert_int_equal(ALooper_pollAll(-1, NULL, NULL, NULL), ALOOPER_POLL_WAKE);
}

TEST(test_idents)
{
	int a = make_event(), b = make_event(), fd, events, first, second;
	void *data;

	assert_int_equal(ALooper_addFd(looper, a, 3, ALOOPER_EVENT_INPUT, NULL, &a), 1);
	assert_int_equal(ALooper_addFd(looper, b, 4, ALOOPER_EVENT_INPUT, NULL, &b), 1);
	assert_int_equal(ALooper_pollOnce(0, &fd, &events, &data), ALOOPER_POLL_TIMEOUT);
	eventfd_write(a, 1);
	assert_int_equal(ALooper_pollOnce(-1, &fd, &events, &data), 3);
	assert_int_equal(fd, a);
	assert_int_equal(events, ALOOPER_EVENT_INPUT);
	assert_ptr_equal(data, &a);
	/* as long as it is not read */
	assert_int_equal(ALooper_pollOnce(-1, NULL, NULL, NULL), 3);
	/* of several each call returns one */
	eventfd_write(b, 1);
	first = ALooper_pollOnce(-1, NULL, NULL, NULL);
	second = ALooper_pollOnce(-1, NULL, NULL, NULL);
	assert_int_equal(first + second, 7);
	/* one that was heard of, and then removed, is not returned */
	ALooper_pollOnce(-1, NULL, NULL, NULL);
	assert_int_equal(ALooper_removeFd(looper, a), 1);
	assert_int_equal(ALooper_removeFd(looper, b), 1);
	assert_int_equal(ALooper_pollOnce(0, NULL, NULL, NULL), ALOOPER_POLL_TIMEOUT);
	assert_int_equal(ALooper_removeFd(looper, a), 0);
	close(a);
	close(b);
}

TEST(test_callbacks)
{
	struct heard h = { .answer = 1, .drain = true };
	int a = make_event();

	assert_int_equal(ALooper_addFd(looper, a, 99, ALOOPER_EVENT_INPUT, on_ready, &h), 1);
	eventfd_write(a, 1);
	assert_int_equal(ALooper_pollOnce(-1, NULL, NULL, NULL), ALOOPER_POLL_CALLBACK);
	assert_int_equal(h.calls, 1);
	assert_int_equal(h.fd, a);
	assert_int_equal(h.events, ALOOPER_EVENT_INPUT);
	assert_int_equal(ALooper_pollOnce(0, NULL, NULL, NULL), ALOOPER_POLL_TIMEOUT);
	/* goes on behind callbacks */
	eventfd_write(a, 1);
	assert_int_equal(ALooper_pollAll(20, NULL, NULL, NULL), ALOOPER_POLL_TIMEOUT);
	assert_int_equal(h.calls, 2);
	/* polls in the callback, which find the same */
	h.poll = true;
	h.drain = false;
	eventfd_write(a, 1);
	assert_int_equal(ALooper_pollOnce(-1, NULL, NULL, NULL), ALOOPER_POLL_CALLBACK);
	assert_int_equal(h.calls, 4);
	/* wants no more */
	h.answer = 0;
	assert_int_equal(ALooper_pollOnce(-1, NULL, NULL, NULL), ALOOPER_POLL_CALLBACK);
	assert_int_equal(ALooper_pollOnce(0, NULL, NULL, NULL), ALOOPER_POLL_TIMEOUT);
	assert_int_equal(ALooper_removeFd(looper, a), 0);
	close(a);
}

/* A callback that is due is not called once another one removed it. */
TEST(test_removed_by_callback)
{
	struct heard h[2] = { { .answer = 1 }, { .answer = 1 } };
	int a = make_event(), b = make_event();

	h[0].remove_fd = b;
	h[1].remove_fd = a;
	assert_int_equal(ALooper_addFd(looper, a, 0, ALOOPER_EVENT_INPUT, on_ready, &h[0]), 1);
	assert_int_equal(ALooper_addFd(looper, b, 0, ALOOPER_EVENT_INPUT, on_ready, &h[1]), 1);
	eventfd_write(a, 1);
	eventfd_write(b, 1);
	assert_int_equal(ALooper_pollOnce(-1, NULL, NULL, NULL), ALOOPER_POLL_CALLBACK);
	assert_int_equal(h[0].calls + h[1].calls, 1);
	assert_int_equal(ALooper_removeFd(looper, a) + ALooper_removeFd(looper, b), 1);
	close(a);
	close(b);
}

/* A descriptor is added again: with other events, and for something else under its number. */
TEST(test_replaced)
{
	struct heard h = { .answer = 1 };
	int a = make_event(), number = a;

	assert_int_equal(ALooper_addFd(looper, a, 1, ALOOPER_EVENT_INPUT, NULL, NULL), 1);
	assert_int_equal(ALooper_addFd(looper, a, 2, ALOOPER_EVENT_OUTPUT, NULL, NULL), 1);
	assert_int_equal(ALooper_pollOnce(-1, NULL, NULL, NULL), 2);
	assert_int_equal(ALooper_addFd(looper, a, 2, 0, on_ready, &h), 1);
	assert_int_equal(ALooper_pollOnce(0, NULL, NULL, NULL), ALOOPER_POLL_TIMEOUT);
	/* closed without being removed */
	close(a);
	a = make_event();
	assert_int_equal(a, number);
	assert_int_equal(ALooper_addFd(looper, a, 5, ALOOPER_EVENT_INPUT, NULL, NULL), 1);
	eventfd_write(a, 1);
	assert_int_equal(ALooper_pollOnce(-1, NULL, NULL, NULL), 5);
	assert_int_equal(ALooper_removeFd(looper, a), 1);
	assert_int_equal(h.calls, 0);
	close(a);
}

TEST(test_hang_up)
{
	int fds[2], events;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(ALooper_addFd(looper, fds[0], 1, ALOOPER_EVENT_INPUT, NULL, NULL), 1);
	close(fds[1]);
	assert_int_equal(ALooper_pollOnce(-1, NULL, &events, NULL), 1);
	assert_true(events & ALOOPER_EVENT_HANGUP);
	assert_int_equal(ALooper_removeFd(looper, fds[0]), 1);
	close(fds[0]);
}

TEST(test_refusals)
{
	assert_int_equal(ALooper_addFd(NULL, 0, 1, ALOOPER_EVENT_INPUT, NULL, NULL), -1);
	assert_int_equal(ALooper_addFd(looper, -1, 1, ALOOPER_EVENT_INPUT, NULL, NULL), -1);
	assert_int_equal(ALooper_addFd(looper, 1000, 1, ALOOPER_EVENT_INPUT, NULL, NULL), -1);
	assert_int_equal(ALooper_addFd(looper, 0, -1, ALOOPER_EVENT_INPUT, NULL, NULL), -1);
	assert_int_equal(ALooper_removeFd(NULL, 0), -1);
	assert_int_equal(ALooper_removeFd(looper, 1000), 0);
	ALooper_wake(NULL);
	ALooper_acquire(NULL);
	ALooper_release(NULL);
}

#define MANY 100

TEST(test_many)
{
	struct heard h[MANY] = { { 0 } };
	int fds[MANY];
	bool all;

	for (int i = 0; i < MANY; i++) {
		fds[i] = make_event();
		h[i] = (struct heard){ .drain = true };
		assert_int_equal(
			ALooper_addFd(looper, fds[i], 0, ALOOPER_EVENT_INPUT, on_ready, &h[i]), 1);
		eventfd_write(fds[i], 1);
	}
	do {
		assert_int_equal(ALooper_pollOnce(-1, NULL, NULL, NULL), ALOOPER_POLL_CALLBACK);
		all = true;
		for (int i = 0; i < MANY; i++)
			all &= h[i].calls == 1;
	} while (!all);
	assert_int_equal(ALooper_pollOnce(0, NULL, NULL, NULL), ALOOPER_POLL_TIMEOUT);
	for (int i = 0; i < MANY; i++) {
		assert_int_equal(ALooper_removeFd(looper, fds[i]), 0);
		close(fds[i]);
	}
}

/* Other threads add and remove while it polls. */
static void *add_and_remove(void *data)
{
	struct heard h = { .answer = 1, .drain = true };
	int fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);

	(void)data;
	for (int i = 0; i < 200; i++)
		/* nothing to read, so that no callback is due whose data is gone */
		if (ALooper_addFd(looper, fd, 0, 0, on_ready, &h) != 1 ||
		    ALooper_removeFd(looper, fd) != 1)
			return "refused";
	close(fd);
	ALooper_wake(looper);
	return NULL;
}

TEST(test_added_by_threads)
{
	pthread_t threads[4];
	void *wrong;

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, add_and_remove, NULL), 0);
	assert_int_equal(ALooper_pollOnce(-1, NULL, NULL, NULL), ALOOPER_POLL_WAKE);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
	}
	while (ALooper_pollOnce(0, NULL, NULL, NULL) != ALOOPER_POLL_TIMEOUT)
		;
}

static int in_child(void)
{
	ALooper *own;
	int fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);

	CHECK(!ALooper_forThread());
	CHECK(ALooper_addFd(looper, fd, 1, ALOOPER_EVENT_INPUT, NULL, NULL) == -1);
	CHECK(ALooper_removeFd(looper, fd) == -1);
	ALooper_wake(looper);
	CHECK(ALooper_pollOnce(0, NULL, NULL, NULL) == ALOOPER_POLL_ERROR);
	own = ALooper_prepare(ALOOPER_PREPARE_ALLOW_NON_CALLBACKS);
	CHECK(own && own != looper);
	CHECK(ALooper_addFd(own, fd, 1, ALOOPER_EVENT_INPUT, NULL, NULL) == 1);
	CHECK(ALooper_pollOnce(-1, NULL, NULL, NULL) == 1);
	return 0;
}

TEST(test_fork)
{
	child_run(NULL, in_child);
	assert_int_equal(ALooper_pollOnce(0, NULL, NULL, NULL), ALOOPER_POLL_TIMEOUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_timeout),
		cmocka_unit_test(test_wake),
		cmocka_unit_test(test_idents),
		cmocka_unit_test(test_callbacks),
		cmocka_unit_test(test_removed_by_callback),
		cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_hang_up),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_added_by_threads),
		cmocka_unit_test(test_fork),
	};

	return cmocka_run_group_tests_name("sensors-looper", tests, setup, NULL);
}
