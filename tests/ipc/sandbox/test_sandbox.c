// SPDX-License-Identifier: Apache-2.0
/* What a worker cannot do, and what it still can. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "breakout_calls.h"
#include "libc_calls.h"
#include "machine_layers.h"
#include "nnutil_file.h"
#include "sandbox/sandbox_private.h"
#include "sandbox_run.h"
#include "skip.h"
#include "temp.h"
#include "test_case.h"

TEST(test_all_layers)
{
	struct subject s;

	assert_int_equal(subject_run(&s, "strict", "none", NULL), 0);
	assert_true(subject_printed(&s, "layers user mount pid ipc uts net cgroup root limits "
					"no-new-privs no-capabilities landlock seccomp"));
	assert_int_equal(subject_run(&s, "off", "none", NULL), 0);
	assert_true(subject_printed(&s, "layers none"));
}

/* Until the worker has let go of its monitor. */
static void await_shut(struct subject *s)
{
	while (!nnipc_child_shut(&s->child)) {
		assert_false(nnipc_child_ended(&s->child));
		assert_int_equal(poll(&(struct pollfd){ .fd = s->child.status, .events = POLLIN },
				      1, -1),
				 1);
	}
}

/* A worker that holds a folder, of any thread. */
static void check_folder(const char *deed)
{
	char message[256] = "";
	struct subject s;
	uint32_t layers;

	subject_start(&s, "strict", deed, NULL);
	await_shut(&s);
	assert_int_equal(nnipc_child_layers(&s.child, &layers, message, sizeof(message)), -EPERM);
	assert_non_null(strstr(message, "keeps a folder open"));
	nnipc_child_kill(&s.child);
	subject_end(&s, NULL, 0);
}

/* The parent sees for itself, whatever the worker reports. */
TEST(test_child_layers)
{
	char message[256] = "";
	struct subject s;
	uint32_t layers;

	subject_start(&s, "strict", "never", NULL);
	await_shut(&s);
	if (nnipc_child_layers(&s.child, &layers, message, sizeof(message)))
		fail_msg("%s", message);
	assert_int_equal(layers, NNIPC_LAYER_ALL);
	nnipc_child_kill(&s.child);
	assert_int_equal(subject_end(&s, NULL, 0), -SIGKILL);
	/* the process is gone, or is another one by now */
	assert_int_not_equal(nnipc_child_layers(&s.child, &layers, message, sizeof(message)), 0);

	/* a worker that never shuts its door */
	subject_start(&s, "default", "open-never", NULL);
	assert_true(lines_await(&s.log, "waiting"));
	assert_false(nnipc_child_shut(&s.child));
	nnipc_child_layers(&s.child, &layers, message, sizeof(message));
	assert_int_equal(layers, NNIPC_LAYER_ALL &
					 ~(uint32_t)(NNIPC_LAYER_SECCOMP | NNIPC_LAYER_EMPTY_ROOT));
	nnipc_child_kill(&s.child);
	subject_end(&s, NULL, 0);

	/* one that has no sandbox */
	subject_start(&s, "off", "never", NULL);
	assert_true(lines_await(&s.log, "waiting"));
	assert_int_equal(nnipc_child_layers(&s.child, &layers, message, sizeof(message)), 0);
	assert_int_equal(layers & (uint32_t)NNIPC_LAYER_ALL &
				 ~(uint32_t)NNIPC_LAYER_NO_CAPABILITIES &
				 ~(uint32_t)NNIPC_LAYER_NO_NEW_PRIVS,
			 0);
	nnipc_child_kill(&s.child);
	subject_end(&s, NULL, 0);

	check_folder("folder");
	check_folder("hidden-folder");
}

/*
 * Where memory is short a worker goes, and not the application that has started it. What the kernel
 * passes to a program that takes dumps has no memory in it.
 */
TEST(test_end_of_memory)
{
	struct subject s;

	assert_int_equal(subject_run(&s, "strict", "open-oom", NULL), 0);
	assert_true(subject_printed(&s, "oom 800"));
	if (!access("/proc/self/coredump_filter", F_OK)) {
		assert_true(subject_printed(&s, "dumps 00000000"));
		assert_true(subject_printed(&s, "dump-more -13"));
	}
}

TEST(test_useful_things)
{
	static const char *const modes[] = { "off", "learn", "default", "strict" };
	struct subject s;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		assert_int_equal(subject_run(&s, modes[i], "useful", NULL), 0);
		assert_true(subject_printed(&s, "thread runs"));
		assert_true(subject_printed(&s, "done"));
		/* nothing is learnt: the list has it all */
		assert_null(strstr(s.log.text, "not allowed"));
		if (i)
			assert_true(subject_printed(&s, "clone3 -38"));
	}
}

/* A newer libc ends no worker. */
TEST(test_libc_calls)
{
	struct subject s;
	char line[64];

	assert_int_equal(subject_run(&s, "learn", "libc", NULL), 0);
	/* nothing is learnt: the list has it all */
	if (strstr(s.log.text, "not allowed"))
		fail_msg("%s", s.log.text);
	if (subject_run(&s, "strict", "libc", NULL))
		fail_msg("%s", s.log.text);
	for (size_t i = 0; i < num_libc_calls; i++) {
		if (libc_calls[i].value == LIBC_CALL_MADE)
			continue;
		snprintf(line, sizeof(line), "%s %ld", libc_calls[i].name, libc_calls[i].value);
		if (!subject_printed(&s, line))
			fail_msg("no line %s in: %s", line, s.log.text);
	}
}

/* Each on its own: it does not run, a line names most of them, the next worker works. */
TEST(test_breakouts)
{
	struct subject s;
	char deed[64], line[128], how[64];

	for (size_t i = 0; i < num_breakout_calls; i++) {
		const struct breakout_call *call = &breakout_calls[i];
		char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, (int)call->number);

		snprintf(deed, sizeof(deed), "call-%s", call->name);
		if (name)
			snprintf(
				line, sizeof(line),
				"nnaccel-worker: the sandbox does not allow the system call %s (%ld)",
				name, call->number);
		else
			snprintf(
				line, sizeof(line),
				"nnaccel-worker: the sandbox does not allow the system call number %ld",
				call->number);
		free(name);
		subject_start(&s, "default", deed, NULL);
		if (subject_end(&s, how, sizeof(how)) != -SIGSYS ||
		    !strstr(s.log.text, line) != breakout_kills(call))
			fail_msg("%s: %s: %s", call->name, how, s.log.text);
		assert_null(strstr(s.log.text, "survived"));
		assert_string_equal(how, "signal 31 (Bad system call)");
	}
	assert_int_equal(subject_run(&s, "default", "useful", NULL), 0);
}

/* What no library makes has one attempt: there is no handler to leave. */
TEST(test_no_handler)
{
	struct subject s;
	char deed[64];

	/* what may be a mistake has one, and a library that leaves it finds nothing done */
	assert_int_equal(subject_run(&s, "default", "leave-openat", NULL), 0);
	assert_true(subject_printed(&s, "left 0"));
	for (size_t i = 0; i < num_breakout_calls; i++) {
		if (!breakout_kills(&breakout_calls[i]))
			continue;
		snprintf(deed, sizeof(deed), "leave-%s", breakout_calls[i].name);
		if (subject_run(&s, "default", deed, NULL) != -SIGSYS ||
		    strstr(s.log.text, "survived"))
			fail_msg("%s: %s", breakout_calls[i].name, s.log.text);
	}
	/* learning names them, for a profile */
	assert_int_equal(subject_run(&s, "learn", "call-bpf", NULL), 0);
	assert_non_null(strstr(s.log.text, "nnaccel-worker: sandbox: not allowed: syscall bpf"));
}

/* A kill that meets a worker which has ended, but whose monitor has not reported it yet. */
TEST(test_kill_too_late)
{
	struct pollfd ended = { .events = POLLIN };
	struct subject s;
	char how[64];

	subject_start(&s, "off", "never", NULL);
	assert_true(lines_await(&s.log, "waiting"));
	ended.fd = (int)syscall(SYS_pidfd_open, s.child.pid, 0);
	assert_true(ended.fd >= 0);
	assert_int_equal(syscall(SYS_pidfd_send_signal, s.child.pidfd, SIGSTOP, NULL, 0), 0);
	assert_int_equal(kill(s.child.pid, SIGABRT), 0);
	assert_int_equal(poll(&ended, 1, -1), 1);
	close(ended.fd);
	nnipc_child_kill(&s.child);
	assert_int_equal(syscall(SYS_pidfd_send_signal, s.child.pidfd, SIGCONT, NULL, 0), 0);
	assert_int_equal(subject_end(&s, how, sizeof(how)), -SIGABRT);
	assert_string_equal(how, "signal 6 (Aborted)");
}

TEST(test_other_ends)
{
	struct subject s;

	assert_int_equal(subject_run(&s, "default", "past-pool", NULL), -SIGSEGV);
	assert_int_equal(subject_run(&s, "default", "past-file", NULL), -SIGBUS);
#if defined(__x86_64__)
	/* a kernel without calls of 32 bits refuses the instruction itself, before any filter */
	const int native = subject_run(&s, "off", "int80", NULL);

	assert_true(native == 0 || native == -SIGSEGV);
	assert_int_equal(subject_run(&s, "default", "int80", NULL), native ? -SIGSEGV : -SIGSYS);
	assert_null(strstr(s.log.text, "survived"));
#endif
	/* a thread that was made while the door was open */
	assert_int_equal(subject_run(&s, "default", "late-thread", NULL), -SIGSYS);
	assert_non_null(strstr(s.log.text,
			       "does not allow the system call openat (257) of \"/etc/passwd\"\n"));
	/* a name that is not there */
	assert_int_equal(subject_run(&s, "default", "nowhere", NULL), -SIGSYS);
	assert_non_null(
		strstr(s.log.text, "does not allow the system call openat (257) of \"\"\n"));
	/* limits are not ends */
	assert_int_equal(subject_run(&s, "default", "descriptors", NULL), 0);
	assert_true(subject_printed(&s, "descriptors few EMFILE"));
	assert_int_equal(subject_run(&s, "default", "grow", NULL), 0);
	assert_true(subject_printed(&s, "large -27"));
}

TEST(test_open_door)
{
	struct subject s;
	char host[16];

	snprintf(host, sizeof(host), "%d", (int)getpid());
	setenv("SANDBOX_HOST", host, 1);
	if (subject_run(&s, "default", "open-files", NULL))
		fail_msg("%s", s.log.text);
	/* what libraries need, and nothing of the user's */
	assert_true(subject_printed(&s, "library 0"));
	assert_true(subject_printed(&s, "machine 0"));
	if (machine_has_landlock()) {
		assert_true(subject_printed(&s, "read -13"));
		assert_true(subject_printed(&s, "write-library -13"));
		assert_true(subject_printed(&s, "create -13"));
		assert_true(subject_printed(&s, "host-memory -13"));
	}
	assert_true(subject_printed(&s, "mkdir -1"));
	assert_true(subject_printed(&s, "execute -1"));
	assert_true(subject_printed(&s, "mount -1"));
	assert_int_equal(subject_run(&s, "default", "open-processes", NULL), 0);
	/* in a pid namespace, which root makes without a user namespace */
	if (machine_has_namespaces())
		assert_true(subject_printed(&s, "parent 0"));
	assert_true(subject_printed(&s, "host -1"));
	assert_true(subject_printed(&s, "trace-host -1"));
}

/* A call that would have ended it is logged, and runs. */
TEST(test_learning)
{
	struct subject s;

	assert_int_equal(subject_run(&s, "learn", "call-access", NULL), 0);
	assert_non_null(
		strstr(s.log.text, "nnaccel-worker: sandbox: not allowed: syscall faccessat"));
	assert_true(subject_printed(&s, "returned 0"));
	assert_true(subject_printed(&s, "survived"));
	assert_int_equal(subject_run(&s, "learn", "call-ioctl", NULL), 0);
	assert_true(subject_printed(&s, "nnaccel-worker: sandbox: not allowed: ioctl 0x1234"));
	/* the root is empty all the same, and Landlock refuses what is in another one */
	assert_int_equal(subject_run(&s, "learn", "call-openat", NULL), 0);
	assert_true(subject_printed(&s, "returned -2") || subject_printed(&s, "returned -13"));
	assert_int_equal(subject_run(&s, "learn", "late-thread", NULL), 0);
	assert_true(subject_printed(&s, "late -2") || subject_printed(&s, "late -13"));
}

TEST(test_profile)
{
	const char *path = temp_path("profile");
	struct subject s;

	temp_write_text(
		path, "# comment\n\nsyscall faccessat # so\n  ioctl\t0x1234\nerrno openat EACCES\n"
		      "errno getrandom ENOSYS");
	assert_int_equal(subject_run(&s, "strict", "call-access", path), 0);
	assert_true(subject_printed(&s, "returned 0"));
	assert_int_equal(subject_run(&s, "strict", "call-ioctl", path), 0);
	assert_true(subject_printed(&s, "returned -25"));
	assert_int_equal(subject_run(&s, "strict", "call-openat", path), 0);
	assert_true(subject_printed(&s, "returned -13"));
	/* what every worker may do can be taken away */
	assert_int_equal(subject_run(&s, "strict", "random", path), 0);
	assert_true(subject_printed(&s, "random -38"));
	/* not more than it says */
	assert_int_equal(subject_run(&s, "strict", "call-ioctl-type", path), -SIGSYS);
	assert_int_equal(subject_run(&s, "strict", "call-execve", path), -SIGSYS);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(subject_run(&s, "strict", "none", path), 3);
	assert_non_null(strstr(s.log.text, "enter -22 sandbox profile"));
}

/* Lines about files, and a call that the first filter refuses. */
TEST(test_profile_places)
{
	const char *path = temp_path("profile");
	struct subject s;

	setenv("NNHAL_TEST_PLACE", "/etc", 1);
	temp_write_text(path, "read $NNHAL_TEST_PLACE/passwd\nread $NNHAL_TEST_NOTHING/x\n"
			      "device /nowhere\nread $ORIGIN/none\nsyscall socket\n"
			      "device /nowhere* nnaccel\ndevice /etc/grou* nnaccel");
	assert_int_equal(subject_run(&s, "strict", "open-files", path), 0);
	assert_true(subject_printed(&s, "read 0"));
	assert_true(subject_printed(&s, "group -13"));
	assert_true(subject_printed(&s, "socket 0"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(subject_run(&s, "strict", "open-files", NULL), 0);
	assert_true(subject_printed(&s, "read -13"));
	assert_true(subject_printed(&s, "socket -1"));
	unsetenv("NNHAL_TEST_PLACE");
}

TEST(test_bad_profiles)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "syscall", "line 1: expected" },
		{ "syscall openat close", "line 1: expected" },
		{ "\n\nsyscall nosuch\n", "line 3: there is no system call nosuch" },
		{ "ioctl x", "line 1: x is no number of an ioctl" },
		{ "ioctl -1", "line 1: -1 is no number" },
		{ "ioctl 0x100000000", "line 1: 0x100000000 is no number" },
		{ "errno openat", "line 1: expected" },
		{ "errno openat EWHAT", "line 1: EWHAT is no error" },
		{ "errno openat 13", "line 1: 13 is no error" },
		{ "errno openat EPERM\nsyscall openat", "line 2: openat is there twice" },
		{ "errno ioctl EPERM\nioctl 1", "line 2: another line is about all ioctls" },
		{ "ioctl 1\nerrno ioctl EPERM", "line 2: ioctl is there twice" },
		{ "allow everything", "line 1: expected" },
		{ "read", "line 1: expected" },
		{ "write a", "line 1: a is no path" },
		{ "device $", "line 1: $ is no path" },
		{ "device a b", "line 1: a is no path" },
		{ "device /a b c", "line 1: expected" },
		{ "read $A-B", "line 1: $A-B is no path" },
	};
	struct subject s;
	const char *path = temp_path("profile");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		temp_write_text(path, cases[i].text);
		assert_int_equal(subject_run(&s, "default", "none", path), 3);
		if (!strstr(s.log.text, cases[i].why))
			fail_msg("%s: %s", cases[i].text, s.log.text);
		assert_int_equal(unlink(path), 0);
	}
}

/* A machine that refuses one kind of namespaces: the others remain; strict wants all. */
static void on_a_poorer_machine(unsigned int flag)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

	assert_int_equal(seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(unshare), 1,
					  SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag)),
			 0);
	assert_int_equal(seccomp_load(filter), 0);
	seccomp_release(filter);
}

static void check_poorer(void)
{
	struct subject s;

	on_a_poorer_machine(CLONE_NEWNET);
	assert_int_equal(subject_run(&s, "default", "none", NULL), 0);
	assert_true(subject_printed(&s, "layers user mount pid ipc uts cgroup root limits "
					"no-new-privs no-capabilities landlock seccomp"));
	assert_int_equal(subject_run(&s, "strict", "none", NULL), 3);
	assert_non_null(strstr(s.log.text, "strict sandbox: the layer net is not possible here"));
	on_a_poorer_machine(CLONE_NEWNS);
	/* where names lead somewhere, fstat() works, and nothing finds a name by it */
	assert_int_equal(subject_run(&s, "default", "libc-stat", NULL), 0);
	assert_true(subject_printed(&s, "returned 0"));
	assert_int_equal(subject_run(&s, "default", "libc-statx", NULL), 0);
	assert_true(subject_printed(&s, "returned -38"));
	assert_int_equal(subject_run(&s, "default", "libc-statx-name", NULL), 0);
	assert_true(subject_printed(&s, "returned -38"));
	assert_int_equal(subject_run(&s, "default", "libc-stat-name", NULL), -SIGSYS);
	assert_non_null(strstr(s.log.text, "the system call newfstatat (262) of \"/etc/passwd\""));
	assert_int_equal(subject_run(&s, "default", "call-openat", NULL), -SIGSYS);
	assert_true(subject_printed(&s, "layers user pid ipc uts cgroup limits no-new-privs "
					"no-capabilities landlock seccomp"));
}

/* Calls that this machine's kernel does not have. */
static void without(int call, int error)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

	assert_int_equal(seccomp_rule_add(filter, SCMP_ACT_ERRNO((uint32_t)error), call, 0), 0);
	assert_int_equal(seccomp_load(filter), 0);
	seccomp_release(filter);
}

/* The default mode has a floor: one way to keep files away, and not none. */
static void check_floor(void)
{
	struct subject s;

	without(SCMP_SYS(landlock_create_ruleset), EOPNOTSUPP);
	assert_int_equal(subject_run(&s, "default", "useful", NULL), 0);
	assert_true(subject_printed(&s, "layers user mount pid ipc uts net cgroup root limits "
					"no-new-privs no-capabilities seccomp"));
	on_a_poorer_machine(CLONE_NEWNS);
	assert_int_equal(subject_run(&s, "default", "useful", NULL), 3);
	assert_non_null(
		strstr(s.log.text, "default sandbox: it lacks the layers mount root landlock"));
	assert_null(strstr(s.log.text, "done"));
	assert_int_equal(subject_run(&s, "learn", "useful", NULL), 0);
}

static void check_no_filter(void)
{
	struct subject s;

	without(SCMP_SYS(seccomp), EINVAL);
	assert_int_equal(subject_run(&s, "default", "useful", NULL), 3);
	assert_non_null(strstr(s.log.text, "default sandbox: it lacks the layers seccomp"));
}

static void in_a_child(void (*check)(void))
{
	pid_t child = fork();

	if (!child) {
		check();
		_exit(0);
	}
	assert_int_equal(child_wait(child), 0);
}

/* Where the worker sees the processes of its user it changes none of them. */
static void check_others(void)
{
	static const char *const refused[] = { "open-pin-host -1",   "open-nice-host -1",
					       "open-nice-user -1",  "open-io-host -1",
					       "open-batch-host -1", "shut-pin-host -1",
					       "shut-nice-host -1" };
	static const char *const done[] = { "open-pin 0", "open-nice 0", "shut-pin 0",
					    "shut-nice 0" };
	const int nice = getpriority(PRIO_PROCESS, 0), policy = sched_getscheduler(0);
	struct subject s;
	char host[16];

	snprintf(host, sizeof(host), "%d", (int)getpid());
	setenv("SANDBOX_HOST", host, 1);
	/* the kernel keeps those from it that have capabilities, as root has */
	assert_int_equal(nnipc_drop_capabilities(), 0);
	on_a_poorer_machine(CLONE_NEWPID);
	assert_int_equal(subject_run(&s, "default", "move-host", NULL), 0);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (!subject_printed(&s, refused[i]))
			fail_msg("no line %s in: %s", refused[i], s.log.text);
	for (size_t i = 0; i < sizeof(done) / sizeof(done[0]); i++)
		if (!subject_printed(&s, done[i]))
			fail_msg("no line %s in: %s", done[i], s.log.text);
	assert_int_equal(getpriority(PRIO_PROCESS, 0), nice);
	assert_int_equal(sched_getscheduler(0), policy);
}

/* In a namespace of its own there is no such process; its threads have numbers. */
TEST(test_others)
{
	struct subject s;

	in_a_child(check_others);
	setenv("SANDBOX_HOST", "1", 1);
	assert_int_equal(subject_run(&s, "strict", "move-host", NULL), 0);
	assert_true(subject_printed(&s, "open-pin-host 0"));
	assert_true(subject_printed(&s, "shut-pin-host 0"));
	assert_true(subject_printed(&s, "shut-nice-host 0"));
}

TEST(test_floor)
{
	in_a_child(check_floor);
	in_a_child(check_no_filter);
}

TEST(test_poorer_machine)
{
	in_a_child(check_poorer);
}

/* ---- a host that is not dumpable, of an ordinary user ---- */

#define NOBODY 65534

/* Where that user may start it. */
static const char *copy_subject(void)
{
	const char *path = temp_path("subject");
	size_t length;
	char *bytes = temp_read(SANDBOX_SUBJECT, &length);

	temp_write(path, bytes, length);
	assert_int_equal(chmod(path, 0755), 0);
	assert_int_equal(chmod(temp_folder(), 0755), 0);
	free(bytes);
	return path;
}

/* 0: it has all layers; 77: it cannot even be started by this user. */
static int run_undumpable(const char *program)
{
	struct subject s;

	if (setgid(NOBODY) || setuid(NOBODY) || prctl(PR_SET_DUMPABLE, 0))
		return 1;
	if (access(program, X_OK))
		return 77;
	subject_program = program;
	if (subject_run(&s, "strict", "none", NULL)) {
		fprintf(stderr, "%s", s.log.text);
		return 2;
	}
	return subject_printed(&s, "layers user mount pid ipc uts net cgroup root limits "
				   "no-new-privs no-capabilities landlock seccomp")
		       ? 0
		       : 3;
}

TEST(test_undumpable_host)
{
	const char *program;
	pid_t child;
	int status;

	if (geteuid())
		skip_host("only root becomes another user");
	program = copy_subject();
	child = fork();
	if (!child)
		_exit(run_undumpable(program));
	status = child_wait(child);
	assert_int_equal(unlink(program), 0);
	if (status == 77)
		skip_host("another user may not enter the folder of this run's files");
	assert_int_equal(status, 0);
}

/* Strict must refuse a machine that lacks layers, and say so. */
TEST(test_strict_is_refused)
{
	struct subject s;

	assert_int_not_equal(subject_run(&s, "strict", "none", NULL), 0);
	assert_false(subject_printed(&s, "layers user"));
}

TEST(test_default_is_refused)
{
	struct subject s;

	assert_int_equal(subject_run(&s, "default", "useful", NULL), 3);
	assert_non_null(strstr(s.log.text, "default sandbox: it lacks the layers user mount"));
	assert_null(strstr(s.log.text, "done"));
}

int main(void)
{
	const struct CMUnitTest poorer[] = {
		cmocka_unit_test(test_strict_is_refused), cmocka_unit_test(test_breakouts),
		cmocka_unit_test(test_no_handler),	  cmocka_unit_test(test_kill_too_late),
		cmocka_unit_test(test_other_ends),	  cmocka_unit_test(test_open_door),
		cmocka_unit_test(test_learning),	  cmocka_unit_test(test_bad_profiles),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_layers),	cmocka_unit_test(test_child_layers),
		cmocka_unit_test(test_end_of_memory),	cmocka_unit_test(test_useful_things),
		cmocka_unit_test(test_libc_calls),	cmocka_unit_test(test_breakouts),
		cmocka_unit_test(test_no_handler),	cmocka_unit_test(test_kill_too_late),
		cmocka_unit_test(test_other_ends),	cmocka_unit_test(test_open_door),
		cmocka_unit_test(test_learning),	cmocka_unit_test(test_profile),
		cmocka_unit_test(test_profile_places),	cmocka_unit_test(test_bad_profiles),
		cmocka_unit_test(test_poorer_machine),	cmocka_unit_test(test_floor),
		cmocka_unit_test(test_undumpable_host), cmocka_unit_test(test_others),
	};

	const struct CMUnitTest bare[] = { cmocka_unit_test(test_strict_is_refused),
					   cmocka_unit_test(test_default_is_refused) };

	if (!machine_is_above_floor())
		return cmocka_run_group_tests(bare, NULL, NULL);
	return machine_has_all_layers() ? cmocka_run_group_tests(tests, NULL, NULL)
					: cmocka_run_group_tests(poorer, NULL, NULL);
}
