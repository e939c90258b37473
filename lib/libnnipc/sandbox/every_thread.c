// SPDX-License-Identifier: Apache-2.0
/* As libc's setuid() does it: a signal to each thread, whose handler does the work. */
#include "sandbox/sandbox_private.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "nnutil_clock.h"

/* SIGSETXID of glibc; pthread_sigmask() never blocks it. */
#define SIGNAL 33
#define MOST_ROUNDS 64
#define PATIENCE_NS (5 * NNUTIL_NS_PER_S)

/* The kernel's struct sigaction; glibc's sigaction() refuses this signal. */
struct kernel_sigaction {
	void (*handler)(int number);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

static int (*run)(void *cookie);
static void *run_cookie;
static atomic_int failure;
/* Threads that are through: written by each once, read by the caller. */
static _Atomic(pid_t) last_done;

static int kernel_sigaction(int number, const struct kernel_sigaction *new,
			    struct kernel_sigaction *old)
{
	return syscall(SYS_rt_sigaction, number, new, old, sizeof(new->mask)) ? -errno : 0;
}

static void on_signal(int number)
{
	const int saved = errno;
	int error = run(run_cookie);
	int none = 0;

	(void)number;
	if (error)
		atomic_compare_exchange_strong(&failure, &none, error);
	atomic_store(&last_done, (pid_t)syscall(SYS_gettid));
	errno = saved;
}

/* One thread; one that ends meanwhile needs nothing. */
static int every_thread_visit(pid_t thread)
{
	const int64_t end = nnutil_monotonic_ns() + PATIENCE_NS;
	const pid_t process = getpid();

	atomic_store(&last_done, 0);
	if (syscall(SYS_tgkill, process, thread, SIGNAL))
		return errno == ESRCH ? 0 : -errno;
	while (atomic_load(&last_done) != thread) {
		if (syscall(SYS_tgkill, process, thread, 0))
			return errno == ESRCH ? 0 : -errno;
		if (nnutil_monotonic_ns() > end)
			return -ETIME;
		nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
	}
	return atomic_load(&failure);
}

/* /proc may be of an outer pid namespace; the last number of NSpid is ours. 0: it has ended. */
static pid_t our_number(const char *name)
{
	char path[64], line[256];
	pid_t number = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/self/task/%.20s/status", name);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status)) {
		if (strncmp(line, "NSpid:", 6))
			continue;
		number = (pid_t)strtol(strrchr(line, '\t') + 1, NULL, 10);
	}
	if (status)
		fclose(status);
	return number;
}

struct known {
	pid_t *numbers;
	size_t count, room;
};

static bool is_known(const struct known *k, pid_t number)
{
	for (size_t i = 0; i < k->count; i++)
		if (k->numbers[i] == number)
			return true;
	return false;
}

static int every_thread_remember(struct known *k, pid_t number)
{
	pid_t *more = k->numbers;

	if (k->count == k->room) {
		k->room = k->room ? 2 * k->room : 64;
		more = reallocarray(k->numbers, k->room, sizeof(*more));
		if (!more)
			return -ENOMEM;
	}
	k->numbers = more;
	k->numbers[k->count++] = number;
	return 0;
}

/* Those that are not known yet. Positive: how many there were. */
static int visit_new(struct known *k)
{
	DIR *folder = opendir("/proc/self/task");
	struct dirent *entry;
	int found = 0, error = 0;

	if (!folder)
		return -errno;
	while (!error && (entry = readdir(folder))) {
		pid_t number = entry->d_name[0] == '.' ? 0 : our_number(entry->d_name);

		if (!number || is_known(k, number))
			continue;
		found++;
		error = every_thread_remember(k, number);
		if (!error)
			error = every_thread_visit(number);
	}
	closedir(folder);
	return error ? error : found;
}

int nnipc_on_every_thread(int (*fn)(void *cookie), void *cookie)
{
	struct kernel_sigaction old, abort_action, action;
	struct known known = { 0 };
	int found = 1, error;

	/* a handler that libc has installed knows how to return from a signal; the worker has one
	 */
	error = kernel_sigaction(SIGABRT, NULL, &abort_action);
	if (error)
		return error;
	action = abort_action;
	action.handler = on_signal;
	action.flags |= SA_RESTART;
	action.flags &= ~(unsigned long)(SA_SIGINFO | SA_RESETHAND);
	action.mask = ~0ull;
	run = fn;
	run_cookie = cookie;
	atomic_store(&failure, 0);
	error = kernel_sigaction(SIGNAL, &action, &old);
	if (!error)
		error = every_thread_remember(&known, (pid_t)syscall(SYS_gettid));
	for (int round = 0; !error && found > 0; round++) {
		found = round < MOST_ROUNDS ? visit_new(&known) : -EAGAIN;
		error = found < 0 ? found : 0;
	}
	kernel_sigaction(SIGNAL, &old, NULL);
	free(known.numbers);
	return error ? error : fn(cookie);
}
