// SPDX-License-Identifier: Apache-2.0
/*
 * A vendor library that tries to get out, behind the whole stack: what it tries does not happen,
 * the log says what it was, the client lives, and its next worker works.
 */
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "breakout_calls.h"
#include "eventually.h"
#include "stack_test.h"

static struct nnhal_device *open_breakout(const char *deed)
{
	char spec[512], message[512] = "";
	struct nnhal_device *dev = NULL;

	snprintf(spec, sizeof(spec), "worker=%s:%s", getenv("BREAKOUT_LIBRARY"), deed);
	MUST_SAY(!stack_driver()->open(spec, &dev, message, sizeof(message)), "%s: %s", spec,
		 message);
	return dev;
}

/* Standard error from here on, which the host's log goes to. */
static int begin_log(void)
{
	int log = memfd_create("log", MFD_CLOEXEC);

	MUST(log >= 0 && dup2(log, STDERR_FILENO) >= 0);
	return log;
}

static bool log_has(int log, const char *text)
{
	static char bytes[65536];
	ssize_t got = pread(log, bytes, sizeof(bytes) - 1, 0);

	MUST(got >= 0);
	bytes[got] = '\0';
	return strstr(bytes, text) != NULL;
}

static void must_log(int log, const char *text)
{
	static char bytes[4096];
	ssize_t got;

	if (EVENTUALLY(log_has(log, text)))
		return;
	got = pread(log, bytes, sizeof(bytes) - 1, 0);
	bytes[got > 0 ? got : 0] = '\0';
	stack_fail(__FILE__, __LINE__, "no line \"%s\" in: %s", text, bytes);
}

static void must_give_memory(struct nnhal_device *dev)
{
	int fd = -1;
	int ret = dev->ops->create_memory(dev, 4096, &fd);

	MUST_SAY(!ret && fd >= 0, "no memory: %s", strerror(-ret));
	close(fd);
}

/* @end: of the worker; @line: what it said. */
static void try_deed(const char *deed, const char *end, const char *line)
{
	const int log = begin_log();
	const struct stack_usage before = stack_usage(getpid());
	struct nnhal_device *dev = open_breakout(deed);
	int fd = -1;
	int ret = dev->ops->create_memory(dev, 4096, &fd);

	MUST_SAY(ret == -EPIPE || ret == -ENODEV, "%s: %d", deed, ret);
	must_log(log, line);
	must_log(log, end);
	MUST(!log_has(log, "broke out"));
	dev->ops->destroy(dev);
	dev = open_breakout("none");
	must_give_memory(dev);
	dev->ops->destroy(dev);
	stack_nothing_left(before);
}

static void try_call(const struct stack_case *c)
{
	const struct breakout_call *call = &breakout_calls[c->numbers[0]];
	char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, (int)call->number);
	char line[128];

	snprintf(line, sizeof(line), "the sandbox does not allow the system call %s",
		 name ? name : "number");
	free(name);
	try_deed(call->name, "signal 31 (Bad system call)", line);
}

static void past_pool(const struct stack_case *c)
{
	(void)c;
	try_deed("past-pool", "signal 11 (Segmentation fault)", "worker");
}

static void late_thread(const struct stack_case *c)
{
	(void)c;
	try_deed("late-thread", "signal 31 (Bad system call)",
		 "the sandbox does not allow the system call openat");
}

static void last_words(const struct stack_case *c)
{
	(void)c;
	try_deed("abort", "signal 6 (Aborted)", "assertion of a vendor");
}

/* Too many descriptors are the worker's own trouble: it answers, and lives. */
static void descriptors(const struct stack_case *c)
{
	struct nnhal_device *dev = open_breakout("descriptors"), *second;
	const pid_t worker = stack_worker();
	struct rlimit limit;
	int fd = -1;
	int ret = dev->ops->create_memory(dev, 4096, &fd);

	(void)c;
	MUST_SAY(ret == -EMFILE, "%d", ret);
	MUST(stack_alive(worker));
	MUST(!prlimit(worker, RLIMIT_NOFILE, NULL, &limit) && limit.rlim_max == 4096);
	second = open_breakout("none");
	must_give_memory(second);
	second->ops->destroy(second);
	dev->ops->destroy(dev);
}

int main(int argc, char **argv)
{
	static const struct stack_case others[] = {
		{ .name = "past-pool", .body = past_pool },
		{ .name = "late-thread", .body = late_thread },
		{ .name = "last-words", .body = last_words },
		{ .name = "descriptors", .body = descriptors },
	};
	enum { OTHERS = sizeof(others) / sizeof(others[0]) };
	struct stack_case *cases = calloc(num_breakout_calls + OTHERS, sizeof(*cases));
	int failed;

	if (!cases)
		return 2;
	memcpy(cases, others, sizeof(others));
	for (size_t i = 0; i < num_breakout_calls; i++) {
		struct stack_case *c = &cases[OTHERS + i];

		c->body = try_call;
		c->numbers[0] = (uint32_t)i;
		snprintf(c->name, sizeof(c->name), "call-%s", breakout_calls[i].name);
	}
	failed = stack_main(argc, argv, cases, (uint32_t)(num_breakout_calls + OTHERS));
	free(cases);
	return failed;
}
