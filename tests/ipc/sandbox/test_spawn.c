// SPDX-License-Identifier: Apache-2.0
/* Starting a worker, its end, and what the host program notices of it: nothing. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "eventually.h"
#include "sandbox_run.h"
#include "test_case.h"

static volatile sig_atomic_t children_ended;

static void on_child(int signal)
{
	(void)signal;
	children_ended++;
}

static bool runs(pid_t pid)
{
	return !kill(pid, 0);
}

TEST(test_ends)
{
	static const struct {
		const char *deed;
		int status;
		const char *how;
	} cases[] = {
		{ "open-exit", 7, "exit status 7" },
		{ "open-abort", -SIGABRT, "signal 6 (Aborted)" },
		{ "open-crash", -SIGSEGV, "signal 11 (Segmentation fault)" },
		{ "none", 0, "exit status 0" },
		{ "exit", 7, "exit status 7" },
		{ "abort", -SIGABRT, "signal 6 (Aborted)" },
		{ "crash", -SIGSEGV, "signal 11 (Segmentation fault)" },
	};
	static const char *const modes[] = { "off", "default" };
	struct subject s;
	char how[64];

	for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++) {
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			print_message("%s %s\n", modes[m], cases[i].deed);
			subject_start(&s, modes[m], cases[i].deed, NULL);
			assert_int_equal(subject_end(&s, how, sizeof(how)), cases[i].status);
			assert_string_equal(how, cases[i].how);
			if (strstr(cases[i].deed, "abort"))
				assert_true(subject_printed(&s, "last words"));
		}
	}
}

/* It says nothing, and is killed when its time is over. */
TEST(test_grace)
{
	struct subject s;
	char how[64];
	pid_t pid;

	subject_start(&s, "default", "never", NULL);
	assert_true(lines_await(&s.log, "waiting"));
	assert_false(nnipc_child_ended(&s.child));
	pid = s.child.pid;
	assert_true(runs(pid));
	assert_int_equal(nnipc_child_wait(&s.child, 1000000, how, sizeof(how)), -SIGKILL);
	assert_string_equal(how, "signal 9 (Killed)");
	assert_true(EVENTUALLY(!runs(pid)));
	lines_close(&s.log);
	close(s.socket);
}

TEST(test_kill_the_worker)
{
	struct subject s;

	subject_start(&s, "default", "never", NULL);
	assert_true(lines_await(&s.log, "waiting"));
	assert_int_equal(kill(s.child.pid, SIGKILL), 0);
	assert_int_equal(subject_end(&s, NULL, 0), -SIGKILL);
}

/* The host's own wait() and SIGCHLD know nothing of it. */
TEST(test_no_child_of_the_host)
{
	struct sigaction action = { .sa_handler = on_child }, old;
	struct subject s;

	children_ended = 0;
	assert_int_equal(sigaction(SIGCHLD, &action, &old), 0);
	subject_start(&s, "default", "open-exit", NULL);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(subject_end(&s, NULL, 0), 7);
	assert_int_equal(waitpid(-1, NULL, WNOHANG | __WALL), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(children_ended, 0);
	assert_int_equal(sigaction(SIGCHLD, &old, NULL), 0);
}

TEST(test_descriptors)
{
	struct subject s;
	int extra[64], others;

	/* inheritable ones too */
	for (size_t i = 0; i < sizeof(extra) / sizeof(extra[0]); i++)
		extra[i] = open("/dev/null", O_RDONLY);
	assert_int_equal(subject_run(&s, "default", "open-descriptors", NULL), 0);
	for (size_t i = 0; i < sizeof(extra) / sizeof(extra[0]); i++)
		close(extra[i]);
	for (int fd = 0; fd <= 3; fd++) {
		char line[16];

		snprintf(line, sizeof(line), "fd %d", fd);
		assert_true(subject_printed(&s, line));
	}
	/* the others are the socket to the monitor and the worker's own folder of /proc */
	others = 0;
	for (const char *line = s.log.text; (line = strstr(line, "fd ")); line++)
		others += atoi(line + 3) > 3;
	assert_int_equal(others, 2);
}

TEST(test_signals)
{
	static const unsigned long ignore[8] = { (unsigned long)SIG_IGN }, reset[8];
	struct subject s;
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	signal(SIGUSR2, SIG_IGN);
	/* libc's own, which its sigaction() refuses; some programs inherit it so */
	assert_int_equal(syscall(SYS_rt_sigaction, 32, ignore, NULL, 8), 0);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	assert_int_equal(subject_run(&s, "default", "open-signals", NULL), 0);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	signal(SIGUSR2, SIG_DFL);
	assert_int_equal(syscall(SYS_rt_sigaction, 32, reset, NULL, 8), 0);
	assert_true(subject_printed(&s, "SigBlk:\t0000000000000000"));
	/* SIGXFSZ */
	assert_true(subject_printed(&s, "SigIgn:\t0000000001000000"));
	assert_true(subject_printed(&s, "CapEff:\t0000000000000000"));
	assert_true(subject_printed(&s, "CapPrm:\t0000000000000000"));
	assert_true(subject_printed(&s, "NoNewPrivs:\t1"));
}

static void *start_and_leave(void *cookie)
{
	subject_start(cookie, "default", "never", NULL);
	return NULL;
}

/* PR_SET_PDEATHSIG is about threads; the worker's life is not. */
TEST(test_thread_leaves)
{
	static struct subject s;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, start_and_leave, &s), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(lines_await(&s.log, "waiting"));
	/* the thread's end would have killed it before it was able to say so, or soon after */
	assert_int_equal(poll(&(struct pollfd){ .fd = s.child.pidfd, .events = POLLIN }, 1, 50), 0);
	nnipc_child_kill(&s.child);
	assert_int_equal(subject_end(&s, NULL, 0), -SIGKILL);
}

/* As a host: a worker, whose number goes to @report. */
static void start_and_report(int report)
{
	struct subject s;

	subject_start(&s, "default", "never", NULL);
	if (!lines_await(&s.log, "waiting") ||
	    write(report, &s.child.pid, sizeof(s.child.pid)) != sizeof(pid_t))
		_exit(1);
}

/* A host that dies takes its worker along, though the worker does not look at its socket. */
TEST(test_host_dies)
{
	static const int deaths[] = { SIGKILL, SIGABRT };
	int report[2];
	pid_t host, worker;

	for (size_t i = 0; i < sizeof(deaths) / sizeof(deaths[0]); i++) {
		assert_int_equal(pipe2(report, O_CLOEXEC), 0);
		host = fork();
		if (!host) {
			start_and_report(report[1]);
			for (;;)
				pause();
		}
		assert_int_equal(read(report[0], &worker, sizeof(worker)), sizeof(worker));
		assert_true(runs(worker));
		child_kill(host, deaths[i]);
		assert_true(EVENTUALLY(!runs(worker)));
		close(report[0]);
		close(report[1]);
	}
}

/* A host that becomes another program has no use for it. */
TEST(test_host_executes)
{
	int report[2];
	pid_t host, worker;

	assert_int_equal(pipe2(report, O_CLOEXEC), 0);
	host = fork();
	if (!host) {
		start_and_report(report[1]);
		execl("/bin/sleep", "sleep", "1000", NULL);
		_exit(1);
	}
	assert_int_equal(read(report[0], &worker, sizeof(worker)), sizeof(worker));
	assert_true(EVENTUALLY(!runs(worker)));
	child_kill(host, SIGKILL);
	close(report[0]);
	close(report[1]);
}

/* A child of the host keeps nothing of it alive. */
TEST(test_host_forks)
{
	struct subject s;
	pid_t child;

	subject_start(&s, "default", "never", NULL);
	assert_true(lines_await(&s.log, "waiting"));
	child = fork();
	if (!child)
		for (;;)
			pause();
	assert_int_equal(nnipc_child_wait(&s.child, 0, NULL, 0), -SIGKILL);
	child_kill(child, SIGKILL);
	lines_close(&s.log);
	close(s.socket);
}

TEST(test_no_program)
{
	char *argv[] = { (char *)"none", NULL };
	struct nnipc_spawn_config config = {
		.program = "/nowhere/worker", .argv = argv, .socket = 0, .log = -1
	};
	struct nnipc_child child;
	char message[256] = "";

	assert_int_equal(nnipc_spawn(&config, &child, message, sizeof(message)), -ENOENT);
	assert_non_null(strstr(message, "/nowhere/worker: the program cannot be started"));
	/* a program that never becomes a worker */
	config.program = "/bin/false";
	assert_int_equal(nnipc_spawn(&config, &child, message, sizeof(message)), 0);
	assert_int_equal(nnipc_child_wait(&child, -1, NULL, 0), 127);
	assert_int_equal(waitpid(-1, NULL, WNOHANG | __WALL), -1);
}

TEST(test_many)
{
	const int first = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct subject s;
	int last;

	close(first);
	for (int i = 0; i < 50; i++)
		assert_int_equal(subject_run(&s, "default", i & 1 ? "none" : "open-crash", NULL),
				 i & 1 ? 0 : -SIGSEGV);
	last = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_int_equal(last, first);
	close(last);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_grace),
		cmocka_unit_test(test_kill_the_worker),
		cmocka_unit_test(test_no_child_of_the_host),
		cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_signals),
		cmocka_unit_test(test_thread_leaves),
		cmocka_unit_test(test_host_dies),
		cmocka_unit_test(test_host_executes),
		cmocka_unit_test(test_host_forks),
		cmocka_unit_test(test_no_program),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
