// SPDX-License-Identifier: Apache-2.0
/* The writer of marks: the lines, their file, their process, and failing writes. */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "nntrace.h"
#include "temp.h"
#include "test_case.h"

#define THREADS 4
#define SCOPES 500

static const char *self;

static void start(const char *kind, const char *name)
{
	char target[160];

	snprintf(target, sizeof(target), "%s:%s", kind, temp_path("%s", name));
	assert_int_equal(nntrace_start(target), 0);
}

/* The marks of a text trace, a line each, of thread @tid (0: all). */
static char *marks_of(const char *name, int tid)
{
	static const char word[] = "tracing_mark_write: ";
	char *text = temp_read(temp_path("%s", name), NULL), *out = calloc(1, 1 << 20),
	     *save = NULL, id[16];
	size_t at = 0;

	assert_non_null(out);
	snprintf(id, sizeof(id), "-%d ", tid);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *mark = strstr(line, word);

		if (!mark || (tid && !strstr(line, id)))
			continue;
		at += (size_t)sprintf(out + at, "%s\n", mark + strlen(word));
	}
	free(text);
	return out;
}

/* The contents of a marker file, with the process id as "PID". */
static void expect_marks(const char *name, const char *expected)
{
	char *text = marks_of(name, 0), want[4096];
	size_t at = 0;

	for (const char *p = expected; *p; p++) {
		if (!strncmp(p, "PID", 3)) {
			at += (size_t)snprintf(want + at, sizeof(want) - at, "%d", (int)getpid());
			p += 2;
		} else {
			want[at++] = *p;
		}
	}
	want[at] = '\0';
	assert_string_equal(text, want);
	free(text);
}

static int inner(int n)
{
	NNTRACE_COMP("inner");

	for (int i = 0; i < n; i++) {
		/* a scope of its own, with the same variable */
		NNTRACE_FULL(NNTRACE_LAYER_UTILITY, NNTRACE_PHASE_UNSPECIFIED, "loop");
		if (i == 1)
			return i;
	}
	return n;
}

static void outer(void)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "outer");

	inner(3);
	NNTRACE_RT_SWITCH(NNTRACE_PHASE_INPUTS_AND_OUTPUTS, "second");
	NNTRACE_FULL_RAW(NNTRACE_LAYER_IPC, NNTRACE_PHASE_EXECUTION, "raw");
	NNTRACE_FULL_RAW(NNTRACE_LAYER_DRIVER, NNTRACE_PHASE_EXECUTION, "raw too");
	NNTRACE_RT_SWITCH(NNTRACE_PHASE_RESULTS, "third");
}

TEST(scopes_and_switches)
{
	outer();
	start("file", "scopes");
	outer();
	nntrace_stop();
	outer();
	expect_marks("scopes", "B|PID|[NN_LR_PE]outer\n"
			       "B|PID|[NN_LC_PCO]inner\n"
			       "B|PID|[NN_LU_PU]loop\n"
			       "E|PID\n"
			       "B|PID|[NN_LU_PU]loop\n"
			       "E|PID\n"
			       "E|PID\n"
			       "B|PID|[SW][NN_LR_PIO]second\n"
			       "B|PID|[NN_LI_PE]raw\n"
			       "B|PID|[NN_LD_PE]raw too\n"
			       "B|PID|[SW][NN_LR_PR]third\n"
			       "E|PID\n"
			       "E|PID\n"
			       "E|PID\n"
			       "E|PID\n"
			       "E|PID\n");
}

static void every_macro(void)
{
	{
		NNTRACE_APP(NNTRACE_PHASE_OVERALL, "a");
		NNTRACE_APP_SWITCH(NNTRACE_PHASE_WARMUP, "b");
	}
	{
		NNTRACE_CPU(NNTRACE_PHASE_EXECUTION, "c");
	}
	{
		NNTRACE_TRANS("d");
		NNTRACE_COMP_SWITCH("e");
	}
	{
		NNTRACE_FULL_SUBTRACT(NNTRACE_LAYER_RUNTIME, NNTRACE_PHASE_COMPILATION, "f");
		NNTRACE_FULL_SWITCH(NNTRACE_LAYER_OTHER, NNTRACE_PHASE_TERMINATION, "g");
	}
	{
		NNTRACE_NAME_1("HIDL::IDevice::x::server");
		NNTRACE_NAME_SWITCH("[SW]y");
	}
	{
		NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_INITIALIZATION, "h");
	}
	{
		NNTRACE_RT(NNTRACE_PHASE_BENCHMARK, "i");
	}
}

TEST(macros_spell_the_contract)
{
	start("file", "macros");
	every_macro();
	nntrace_stop();
	expect_marks("macros", "B|PID|[NN_LA_PO]a\nB|PID|[SW][NN_LA_PWU]b\nE|PID\nE|PID\n"
			       "B|PID|[NN_LC_PE]c\nE|PID\n"
			       "B|PID|[NN_LC_PTR]d\nB|PID|[SW][NN_LC_PCO]e\nE|PID\nE|PID\n"
			       "B|PID|[SUB][NN_LR_PC]f\nB|PID|[SW][NN_LO_PT]g\nE|PID\nE|PID\n"
			       "B|PID|HIDL::IDevice::x::server\nB|PID|[SW]y\nE|PID\nE|PID\n"
			       "B|PID|[NN_LI_PI]h\nE|PID\n"
			       "B|PID|[NN_LR_PBM]i\nE|PID\n");
}

TEST(a_file_looks_like_ftrace)
{
	char tail[40];
	long long sec, usec, last = 0;
	char *text, *save = NULL;
	int pid, tgid, cpu, lines = 0;
	bool header = false;

	start("file", "columns");
	outer();
	nntrace_stop();
	text = temp_read(temp_path("columns"), NULL);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (line[0] == '#') {
			header |= !strcmp(
				line,
				"#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION");
			continue;
		}
		assert_true(header);
		/* a name may have a '-' of its own; its field is 16 wide */
		assert_int_equal(line[16], '-');
		assert_int_equal(sscanf(line + 17,
					"%d ( %d) [%d] .... %lld.%6lld: tracing_mark_write: %39s",
					&pid, &tgid, &cpu, &sec, &usec, tail),
				 6);
		assert_int_equal(pid, (int)gettid());
		assert_int_equal(tgid, (int)getpid());
		assert_true(tail[0] == 'B' || tail[0] == 'E');
		assert_true(sec * 1000000 + usec >= last);
		last = sec * 1000000 + usec;
		lines++;
	}
	assert_int_equal(lines, 16);
	free(text);
}

TEST(a_file_is_appended_to)
{
	char *text;

	for (int i = 0; i < 2; i++) {
		start("file", "twice");
		inner(0);
		nntrace_stop();
	}
	expect_marks("twice", "B|PID|[NN_LC_PCO]inner\nE|PID\nB|PID|[NN_LC_PCO]inner\nE|PID\n");
	text = temp_read(temp_path("twice"), NULL);
	assert_null(strstr(strstr(text, "# tracer") + 1, "# tracer"));
	free(text);
}

TEST(an_open_scope_ends_after_stop)
{
	start("file", "stopped");
	{
		NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "before");

		nntrace_stop();
		NNTRACE_RT_SWITCH(NNTRACE_PHASE_COMPILATION, "after");
		inner(0);
	}
	expect_marks("stopped",
		     "B|PID|[NN_LR_PP]before\nB|PID|[SW][NN_LR_PC]after\nE|PID\nE|PID\n");
}

/* Nor does it end in the next one. */
TEST(an_open_scope_is_of_its_session)
{
	{
		NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "off");

		start("file", "first");
		NNTRACE_RT_SWITCH(NNTRACE_PHASE_COMPILATION, "nothing to switch from");
		NNTRACE_FULL_RAW(NNTRACE_LAYER_RUNTIME, NNTRACE_PHASE_PREPARATION, "first");
		nntrace_stop();
		start("file", "second");
	}
	nntrace_stop();
	expect_marks("first", "B|PID|[NN_LR_PP]first\n");
	expect_marks("second", "");
}

TEST(muted_threads_write_nothing)
{
	start("file", "muted");
	{
		NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "open");

		nntrace_mute();
		nntrace_mute();
		inner(2);
		nntrace_unmute();
		assert_true(nntrace_muted());
		inner(2);
	}
	nntrace_unmute();
	assert_false(nntrace_muted());
	inner(0);
	nntrace_stop();
	expect_marks("muted", "B|PID|[NN_LR_PP]open\nE|PID\nB|PID|[NN_LC_PCO]inner\nE|PID\n");
}

TEST(failed_writes_are_counted_and_dropped)
{
	uint64_t before = nntrace_dropped();

	assert_int_equal(nntrace_start("marker:/dev/full"), 0);
	errno = 4711;
	outer();
	/*
	 * five plain begins, two of "loop"; switches and ends of what was never begun are not tried
	 */
	assert_int_equal(nntrace_dropped() - before, 6);
	assert_int_equal(errno, 4711);
	nntrace_stop();
	inner(0);
	assert_int_equal(nntrace_dropped() - before, 6);
}

TEST(bad_targets)
{
	static const char *const invalid[] = { "on",	"file", "file:",   "marker:",
					       "auto:", "offf", "files:x", "file:/dev/null" };

	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++) {
		assert_int_equal(nntrace_start(invalid[i]), -EINVAL);
		assert_false(nntrace_enabled());
	}
	assert_int_equal(nntrace_start("file:/nonexistent/x"), -ENOENT);
	start("file", "busy");
	assert_int_equal(nntrace_start("file:x"), -EBUSY);
	nntrace_stop();
	assert_int_equal(nntrace_start("off"), 0);
	assert_int_equal(nntrace_start(NULL), 0);
	assert_false(nntrace_enabled());
}

TEST(a_link_is_not_followed)
{
	char target[160];

	unlink(temp_path("link"));
	assert_int_equal(symlink("elsewhere", temp_path("link")), 0);
	snprintf(target, sizeof(target), "file:%s", temp_path("link"));
	assert_int_equal(nntrace_start(target), -ELOOP);
}

TEST(marks_that_are_too_long_are_cut)
{
	char mark[2 * NNTRACE_MARK_MAX];
	char *text;

	memset(mark, 'x', sizeof(mark));
	start("file", "long");
	nntrace_end(nntrace_begin(mark, sizeof(mark)));
	nntrace_stop();
	text = marks_of("long", 0);
	assert_int_equal(strspn(strchr(text, 'x'), "x"), NNTRACE_MARK_MAX);
	free(text);
}

TEST(a_child_has_its_own_id)
{
	char expected[64], *text;
	pid_t pid;

	start("file", "fork");
	pid = fork();
	if (!pid) {
		inner(0);
		_exit(0);
	}
	assert_int_equal(child_wait(pid), 0);
	nntrace_stop();
	snprintf(expected, sizeof(expected), "B|%d|[NN_LC_PCO]inner\nE|%d\n", (int)pid, (int)pid);
	text = marks_of("fork", 0);
	assert_string_equal(text, expected);
	free(text);
}

TEST(nothing_is_allocated)
{
	size_t before, after;

	start("file", "heap");
	outer();
	before = mallinfo2().uordblks;
	for (int i = 0; i < 100; i++)
		outer();
	after = mallinfo2().uordblks;
	nntrace_stop();
	assert_int_equal(before, after);
}

static void *many_scopes(void *arg)
{
	for (int i = 0; i < SCOPES; i++)
		inner(1);
	*(int *)arg = (int)gettid();
	return NULL;
}

TEST(threads_do_not_mix)
{
	pthread_t threads[THREADS];
	int tids[THREADS];
	char *expected = calloc(1, 1 << 20), *text;
	size_t at = 0;
	int pid = (int)getpid();

	assert_non_null(expected);
	start("file", "threads");
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, many_scopes, &tids[i]), 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	nntrace_stop();
	for (int i = 0; i < SCOPES; i++)
		at += (size_t)sprintf(expected + at,
				      "B|%d|[NN_LC_PCO]inner\nB|%d|[NN_LU_PU]loop\nE|%d\nE|%d\n",
				      pid, pid, pid, pid);
	for (int i = 0; i < THREADS; i++) {
		text = marks_of("threads", tids[i]);
		assert_string_equal(text, expected);
		free(text);
	}
	free(expected);
}

/* This program again, with @value for NNTRACE; its status. */
static int run_with(const char *value, const char *argument)
{
	pid_t pid = fork();

	if (!pid) {
		if (value)
			setenv("NNTRACE", value, 1);
		else
			unsetenv("NNTRACE");
		execl(self, self, argument, (char *)NULL);
		_exit(127);
	}
	return child_wait(pid);
}

TEST(the_environment_decides)
{
	char target[160], name[64], *text;
	struct stat st;

	snprintf(target, sizeof(target), "file:%s", temp_path("env"));
	assert_int_equal(run_with(target, "traced"), 0);
	text = marks_of("env", 0);
	assert_non_null(strstr(text, "[NN_LA_PO]traced\n"));
	free(text);

	snprintf(target, sizeof(target), "file:%s/%%p-%%p", temp_folder());
	assert_int_equal(run_with(target, "named"), 0);
	text = temp_read(temp_path("id"), NULL);
	snprintf(name, sizeof(name), "%s-%s", text, text);
	assert_int_equal(stat(temp_path("%s", name), &st), 0);
	free(text);

	assert_int_equal(run_with("off", "silent"), 0);
	assert_int_equal(run_with(NULL, "silent"), 0);
	assert_int_equal(run_with("nosuch", "silent"), 0);
	assert_int_equal(run_with("file:/nonexistent/x", "silent"), 0);
}

/* The function that run_with() calls. */
static int child(const char *what)
{
	const char *env = getenv("NNTRACE");
	char path[160], id[16];

	/* nothing was read before the first */
	{
		NNTRACE_APP(NNTRACE_PHASE_OVERALL, "traced");
	}
	if (!strcmp(what, "silent"))
		return nntrace_enabled() ? 1 : 0;
	if (!nntrace_enabled())
		return 1;
	if (!strcmp(what, "named")) {
		/* behind "file:" */
		snprintf(path, sizeof(path), "%.*s/id", (int)(strrchr(env, '/') - env) - 5,
			 env + 5);
		snprintf(id, sizeof(id), "%d", (int)getpid());
		temp_write_text(path, id);
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(scopes_and_switches),
		cmocka_unit_test(macros_spell_the_contract),
		cmocka_unit_test(a_file_looks_like_ftrace),
		cmocka_unit_test(a_file_is_appended_to),
		cmocka_unit_test(an_open_scope_ends_after_stop),
		cmocka_unit_test(an_open_scope_is_of_its_session),
		cmocka_unit_test(muted_threads_write_nothing),
		cmocka_unit_test(failed_writes_are_counted_and_dropped),
		cmocka_unit_test(bad_targets),
		cmocka_unit_test(a_link_is_not_followed),
		cmocka_unit_test(marks_that_are_too_long_are_cut),
		cmocka_unit_test(a_child_has_its_own_id),
		cmocka_unit_test(nothing_is_allocated),
		cmocka_unit_test(threads_do_not_mix),
		cmocka_unit_test(the_environment_decides),
	};

	if (argc > 1)
		return child(argv[1]);
	self = argv[0];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
