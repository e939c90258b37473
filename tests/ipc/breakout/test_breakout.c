// SPDX-License-Identifier: Apache-2.0
/*
 * A vendor library that tries to get out, behind the whole stack: what it tries does not happen,
 * the log says what it was, the client lives, and its next worker works.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "breakout_calls.h"
#include "breakout_home.h"
#include "descriptors.h"
#include "eventually.h"
#include "machine_layers.h"
#include "stack_test.h"
#include "temp.h"

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

/* @end: of the worker; @line: of its log. */
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

	if (breakout_kills(call))
		snprintf(line, sizeof(line), "worker");
	else
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

/* ---- before the sandbox is locked ---- */

struct home {
	const char *file, *new, *bus;
	struct stat facts;
	int listener;
};

static void home_make(struct home *h)
{
	h->file = temp_path(BREAKOUT_FILE);
	h->new = temp_path(BREAKOUT_NEW);
	h->bus = temp_path(BREAKOUT_SOCKET);
	temp_write_text(h->file, "mine");
	MUST(!chmod(h->file, 0600) && !stat(h->file, &h->facts));
	h->listener = unix_bind(h->bus, SOCK_STREAM);
	MUST(!listen(h->listener, 4));
}

/* Nothing has happened there; @files: to files, neither. */
static void home_must_be_whole(const struct home *h, bool files)
{
	struct pollfd caller = { .fd = h->listener, .events = POLLIN };
	struct stat now;

	MUST(!poll(&caller, 1, 0));
	MUST(!stat(h->file, &now) && now.st_mode == h->facts.st_mode);
	if (!files)
		return;
	MUST(now.st_size == h->facts.st_size);
	MUST(now.st_ctim.tv_sec == h->facts.st_ctim.tv_sec &&
	     now.st_ctim.tv_nsec == h->facts.st_ctim.tv_nsec);
	MUST(access(h->new, F_OK) && errno == ENOENT);
}

static void home_remove(struct home *h)
{
	close(h->listener);
	unlink(h->new);
	MUST(!unlink(h->bus) && !unlink(h->file) && !rmdir(temp_folder()));
}

/* A machine without some layers: the worker does not start, and the reason names them. */
static void must_not_open(const char *line)
{
	char spec[512], message[512] = "";
	const int log = begin_log();
	struct nnhal_device *dev = NULL;

	snprintf(spec, sizeof(spec), "worker=%s:none", getenv("BREAKOUT_LIBRARY"));
	MUST(stack_driver()->open(spec, &dev, message, sizeof(message)));
	MUST_SAY(strstr(message, line) || EVENTUALLY(log_has(log, line)), "%s", message);
	MUST(!log_has(log, "constructor: "));
}

/* What the constructor tries, and the first filter refuses; files are for Landlock (isolation.rst).
 */
static const char *const refused_calls[] = {
	"constructor: mode -1",	  "constructor: time -1",    "constructor: bus -1",
	"constructor: post -1",	  "constructor: child -1",   "constructor: program -1",
	"constructor: filter -1", "constructor: outlive -1",
};
static const char *const refused_files[] = { "constructor: append -13", "constructor: spy -13",
					     "constructor: create -13" };

/* A library whose constructor is hostile is loaded, and that is all: it serves. */
static void constructor(const struct stack_case *c)
{
	const bool landlock = machine_has_landlock();
	struct nnhal_device *dev;
	struct home home;
	int log;

	if (!machine_has_all_layers() && strstr(c->name, "strict")) {
		must_not_open("strict sandbox: the layer ");
		return;
	}
	log = begin_log();
	home_make(&home);
	setenv("NNHAL_TEST_HOME", temp_folder(), 1);
	dev = open_breakout("none");
	must_give_memory(dev);
	for (size_t i = 0; i < sizeof(refused_calls) / sizeof(refused_calls[0]); i++)
		must_log(log, refused_calls[i]);
	for (size_t i = 0; landlock && i < sizeof(refused_files) / sizeof(refused_files[0]); i++)
		must_log(log, refused_files[i]);
	home_must_be_whole(&home, landlock);
	dev->ops->destroy(dev);
	home_remove(&home);
}

/* A folder that is open when the sandbox is locked leads to all below it. */
static void folder(const struct stack_case *c)
{
	char spec[512], message[512] = "";
	struct nnhal_device *dev = NULL;

	(void)c;
	snprintf(spec, sizeof(spec), "worker=%s:folder", getenv("BREAKOUT_LIBRARY"));
	MUST(stack_driver()->open(spec, &dev, message, sizeof(message)) == -EPERM);
	MUST_SAY(strstr(message, "keeps a folder open"), "%s", message);
}

/* What is missing is in the log, once. */
static void missing(const struct stack_case *c)
{
	const char *line = machine_has_all_layers()
				   ? "does not allow these layers of a worker's sandbox: net;"
				   : "does not allow these layers of a worker's sandbox: ";
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	const int log = begin_log();
	static char text[65536];
	struct nnhal_device *dev;

	(void)c;
	MUST(!seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(unshare), 1,
			       SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_NEWNET, CLONE_NEWNET)));
	MUST(!seccomp_load(filter));
	seccomp_release(filter);
	for (int i = 0; i < 2; i++) {
		dev = open_breakout("none");
		dev->ops->destroy(dev);
	}
	MUST(pread(log, text, sizeof(text) - 1, 0) > 0);
	MUST_SAY(strstr(text, line), "%s", text);
	MUST(!strstr(strstr(text, line) + 1, line));
}

/* Nothing keeps files away. */
static void below_floor(const struct stack_case *c)
{
	(void)c;
	must_not_open("default sandbox: it lacks the layers user mount");
}

int main(int argc, char **argv)
{
	static const struct stack_case floor_only = { .name = "below-floor", .body = below_floor };
	static const struct stack_case others[] = {
		{ .name = "constructor-default",
		  .body = constructor,
		  .env = { "NNACCEL_WORKER_SANDBOX=default" } },
		{ .name = "constructor-strict",
		  .body = constructor,
		  .env = { "NNACCEL_WORKER_SANDBOX=strict" } },
		{ .name = "folder", .body = folder },
		{ .name = "missing", .body = missing },
		{ .name = "past-pool", .body = past_pool },
		{ .name = "late-thread", .body = late_thread },
		{ .name = "last-words", .body = last_words },
		{ .name = "descriptors", .body = descriptors },
	};
	enum { OTHERS = sizeof(others) / sizeof(others[0]) };
	struct stack_case *cases;
	int failed;

	if (!machine_is_above_floor())
		return stack_main(argc, argv, &floor_only, 1);
	cases = calloc(num_breakout_calls + OTHERS, sizeof(*cases));
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
