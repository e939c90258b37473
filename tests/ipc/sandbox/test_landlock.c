// SPDX-License-Identifier: Apache-2.0
/* Landlock without the other layers: threads that exist are covered, whatever they wait for. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "sandbox/sandbox_private.h"
#include "test_case.h"

enum { THREADS = 12 };
static int pipes[2];

static int can_open(void)
{
	int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* Sleeps in a call that a signal interrupts; all signals blocked. */
static void *thread(void *cookie)
{
	int *seen = cookie;
	sigset_t all;
	char byte;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	seen[0] = can_open();
	while (read(pipes[0], &byte, 1) < 0 && errno == EINTR)
		;
	seen[1] = can_open();
	return NULL;
}

static void on_abort(int number)
{
	_exit(128 + number);
}

static int run(void)
{
	int seen[THREADS][2];
	pthread_t threads[THREADS];

	static const struct nnipc_place places[] = {
		{ "/proc/self", NNIPC_USE_READ },
		{ "/nowhere", NNIPC_USE_READ },
		{ "/etc/passwd", NNIPC_USE_READ },
	};

	signal(SIGABRT, on_abort);
	if (pipe2(pipes, O_CLOEXEC) || nnipc_landlock_enter(places, 3))
		return 1;
	memset(seen, 1, sizeof(seen));
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, thread, seen[i]))
			return 2;
	if (open("/etc/group", O_RDONLY | O_CLOEXEC) >= 0 || errno != EACCES ||
	    open("/etc/passwd", O_RDWR | O_CLOEXEC) >= 0 || errno != EACCES)
		return 8;
	if (open("/tmp/nnipc-made", O_CREAT | O_WRONLY | O_CLOEXEC, 0600) >= 0 || errno != EACCES)
		return 3;
	if (can_open() || nnipc_landlock_close() || can_open() != -EACCES)
		return 4;
	for (int i = 0; i < THREADS; i++)
		if (write(pipes[1], "", 1) != 1)
			return 5;
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		/* a thread may have come so late that it never saw the open door */
		if (seen[i][0] && seen[i][0] != -EACCES)
			return 6;
		if (seen[i][1] != -EACCES)
			return 7;
	}
	return 0;
}

TEST(test_threads)
{
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();

		if (!child)
			_exit(run());
		assert_int_equal(child_wait(child), 0);
	}
}

/* ---- on every thread ---- */

static atomic_int visits;

static int count(void *cookie)
{
	atomic_fetch_add(&visits, 1);
	return *(int *)cookie;
}

static void *wait_in_pipe(void *cookie)
{
	char byte;

	while (read(*(int *)cookie, &byte, 1) < 0 && errno == EINTR)
		;
	return NULL;
}

TEST(test_every_thread)
{
	pthread_t threads[THREADS];
	int ends[2], error = 0;

	signal(SIGABRT, on_abort);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, wait_in_pipe, &ends[0]), 0);
	atomic_store(&visits, 0);
	assert_int_equal(nnipc_on_every_thread(count, &error), 0);
	assert_int_equal(atomic_load(&visits), THREADS + 1);
	error = -EPERM;
	assert_int_equal(nnipc_on_every_thread(count, &error), -EPERM);
	close(ends[1]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	/* libc's use of the signal is as before */
	assert_int_equal(setgid(getgid()), 0);
	signal(SIGABRT, SIG_DFL);
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_every_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
