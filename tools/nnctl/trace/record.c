// SPDX-License-Identifier: Apache-2.0
/*
 * "nnctl trace record": run a command with tracing on. With tracefs, marks go to an ftrace
 * instance, together with events of the kernel. Without, every process writes a file, and the files
 * are merged.
 */
#include "trace/nnctl_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/nnctl_base.h"
#include "nnutil_text.h"

#define DEFAULT_OUTPUT "trace.txt"
#define DEFAULT_KB 16384
#define MAX_EVENTS 32

struct record {
	const char *output;
	int64_t buffer_kb;
	bool files, detail;
	char *events[MAX_EVENTS];
	size_t num_events;
	char **command;
};

static volatile sig_atomic_t child;

static void pass_on(int signal)
{
	if (child > 0)
		kill((pid_t)child, signal);
}

static int record_parse(struct record *r, int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "buffer-kb", required_argument, NULL, 'b' },
		{ "event", required_argument, NULL, 'e' },
		{ "files", no_argument, NULL, 'f' },
		{ "detail", no_argument, NULL, 'd' },
		{ 0 },
	};
	int option;

	*r = (struct record){ .output = DEFAULT_OUTPUT, .buffer_kb = DEFAULT_KB };
	optind = 1;
	opterr = 0;
	/* "+": options behind the command are the command's */
	while ((option = getopt_long(argc, argv, "+o:", options, NULL)) != -1) {
		switch (option) {
		case 'o':
			r->output = optarg;
			break;
		case 'b':
			if (nnutil_parse_i64(optarg, 0, 64, 4194304, &r->buffer_kb))
				return usage("--buffer-kb %s: not a number from 64 to 4194304",
					     optarg);
			break;
		case 'e':
			if (r->num_events == MAX_EVENTS)
				return usage("--event is given more than %d times", MAX_EVENTS);
			r->events[r->num_events++] = optarg;
			break;
		case 'f':
			r->files = true;
			break;
		case 'd':
			r->detail = true;
			break;
		default:
			return usage("record: unknown option %s, or its value is missing",
				     argv[optind - 1]);
		}
	}
	if (optind == argc)
		return usage("record: the command to run is missing");
	r->command = argv + optind;
	return 0;
}

/*
 * The exit code as a shell reports it: the command's status, 128 plus the signal that killed it, or
 * 127 when it cannot be run.
 */
static int record_run(char **command, const char *target, bool detail)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, pass = { .sa_handler = pass_on };
	struct sigaction old_int, old_quit;
	int status;
	pid_t pid;

	/*
	 * Signals of the terminal reach the command by themselves. Others are passed on to it, and
	 * the trace is saved afterwards.
	 */
	sigaction(SIGINT, &ignore, &old_int);
	sigaction(SIGQUIT, &ignore, &old_quit);
	sigaction(SIGTERM, &pass, NULL);
	sigaction(SIGHUP, &pass, NULL);
	pid = fork();
	if (!pid) {
		sigaction(SIGINT, &old_int, NULL);
		sigaction(SIGQUIT, &old_quit, NULL);
		signal(SIGTERM, SIG_DFL);
		signal(SIGHUP, SIG_DFL);
		setenv("NNTRACE", target, 1);
		if (detail)
			setenv("NNTRACE_DETAIL", "1", 1);
		execvp(command[0], command);
		complain("%s: %s", command[0], strerror(errno));
		_exit(127);
	}
	if (pid < 0) {
		complain("cannot start a process for %s: %s", command[0], strerror(errno));
		return 127;
	}
	child = pid;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	child = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int record_ftrace(const struct record *r, struct trace_ftrace *t, int out)
{
	unsigned long long lost = 0;
	char target[4200];
	int ret, status;

	snprintf(target, sizeof(target), "marker:%s", trace_ftrace_marker(t));
	ret = trace_ftrace_start(t);
	if (ret) {
		complain("cannot switch tracing on: %s", strerror(-ret));
		return 1;
	}
	/* before and after, so that the clocks' drift is known */
	trace_clocks_read();
	status = record_run(r->command, target, r->detail);
	trace_clocks_read();
	trace_ftrace_stop(t);
	ret = trace_ftrace_save(t, out, &lost);
	if (ret) {
		complain("%s: %s", r->output, strerror(-ret));
		return status ? status : 1;
	}
	if (lost)
		complain(
			"%llu events were lost because the buffer was too small; try --buffer-kb %" PRId64,
			lost, 4 * r->buffer_kb);
	return status;
}

static void remove_folder(const char *dir)
{
	char *const argv[] = { "rm", "-rf", "--", (char *)dir, NULL };
	int status;
	pid_t pid = fork();

	if (!pid) {
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid > 0)
		waitpid(pid, &status, 0);
}

static int record_files(const struct record *r, int out)
{
	const char *tmp = getenv("TMPDIR");
	char dir[2048], target[2100];
	size_t marks, broken;
	int ret, status;

	/* libnntrace expands '%' in the path */
	if (!tmp || !*tmp || strchr(tmp, '%') || strlen(tmp) > sizeof(dir) - 32)
		tmp = "/tmp";
	snprintf(dir, sizeof(dir), "%s/nnctl-trace.XXXXXX", tmp);
	if (!mkdtemp(dir)) {
		complain("%s: %s", dir, strerror(errno));
		return 1;
	}
	snprintf(target, sizeof(target), "file:%s/%%p.txt", dir);
	status = record_run(r->command, target, r->detail);
	ret = trace_merge(dir, out, &marks, &broken);
	remove_folder(dir);
	if (ret) {
		complain("%s: %s", r->output, strerror(-ret));
		return status ? status : 1;
	}
	if (broken)
		complain("left out %zu malformed marks", broken);
	if (!marks)
		complain("%s wrote no marks: does it use this NNAPI runtime?", r->command[0]);
	return status;
}

int trace_record(int argc, char **argv)
{
	struct trace_ftrace *t = NULL;
	char why[256] = "";
	struct record r;
	int out, ret;

	ret = record_parse(&r, argc, argv);
	if (ret)
		return ret;
	out = open(r.output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (out < 0) {
		complain("%s: %s", r.output, strerror(errno));
		return 1;
	}
	if (!r.files) {
		t = trace_ftrace_open(r.buffer_kb, r.events, r.num_events, why, sizeof(why));
		if (!t && r.num_events) {
			complain("--event needs ftrace, which cannot be used: %s", why);
			close(out);
			return 1;
		}
		if (!t)
			complain(
				"ftrace cannot be used, so the trace has no events of the kernel: %s",
				why);
	}
	ret = t ? record_ftrace(&r, t, out) : record_files(&r, out);
	trace_ftrace_close(t);
	if (close(out) && !ret) {
		complain("%s: %s", r.output, strerror(errno));
		ret = 1;
	}
	return ret;
}
