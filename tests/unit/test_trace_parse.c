// SPDX-License-Identifier: Apache-2.0
/* Whole traces: bounds, truncated input, callbacks. The figures are in tests/trace. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nntrace_parse.h"
#include "temp.h"
#include "test_case.h"

struct text {
	char *bytes;
	size_t len, max;
	int64_t us;
};

static void add(struct text *t, const char *fmt, ...)
{
	va_list ap;

	if (t->len + 2048 > t->max) {
		t->max = t->max * 2 + 4096;
		t->bytes = realloc(t->bytes, t->max);
		assert_non_null(t->bytes);
	}
	va_start(ap, fmt);
	t->len += (size_t)vsnprintf(t->bytes + t->len, t->max - t->len, fmt, ap);
	va_end(ap);
}

static void start(struct text *t)
{
	*t = (struct text){ .us = 1000 };
	add(t, "#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n");
}

static void mark(struct text *t, int tid, const char *text)
{
	add(t, "  app-%d (%d) [000] .... 70.%06lld: tracing_mark_write: %s\n", tid, tid,
	    (long long)t->us, text);
	t->us += 10;
}

struct seen {
	unsigned int runs, last_index, classes;
	double runtime_preparation;
	char class[64];
	uint64_t line;
	uint64_t scopes;
	int stop;
};

static int see_run(void *ctx, const struct nntp_run *run)
{
	struct seen *s = ctx;

	s->runs++;
	s->last_index = run->index;
	s->runtime_preparation = run->all.total[NNTP_PP][NNTP_LR];
	return s->stop;
}

static void see_diagnostic(void *ctx, const struct nntp_diagnostic *d)
{
	struct seen *s = ctx;

	s->classes++;
	snprintf(s->class, sizeof(s->class), "%s", *d->class ? d->class : d->text);
	s->line = d->line;
}

static void see_scope(void *ctx, const struct nntp_scope_info *scope)
{
	struct seen *s = ctx;

	assert_true(scope->mark_len && scope->mark[0] == 'B');
	s->scopes++;
}

static int parse(const struct text *t, size_t len, bool strict, struct seen *seen,
		 struct nntp_result *result)
{
	const struct nntp_callbacks cb = {
		.ctx = seen, .run = see_run, .diagnostic = see_diagnostic, .scope = see_scope
	};
	char *copy = malloc(len ? len : 1);
	struct nntp_source *source;
	int ret, stop = seen->stop;

	assert_non_null(copy);
	memcpy(copy, t->bytes, len);
	*seen = (struct seen){ .stop = stop };
	assert_int_equal(nntp_source_memory(copy, len, &source), 0);
	ret = nntp_parse(source, strict, &cb, result);
	nntp_source_close(source);
	free(copy);
	return ret;
}

static void two_cases(struct text *t)
{
	start(t);
	for (int i = 0; i < 2; i++) {
		mark(t, 5, "B|5|[NN_LA_PO]case");
		mark(t, 5, "B|5|[NN_LR_PP]ANeuralNetworksModel_create");
		mark(t, 5, "E|5");
		mark(t, 5, "E|5");
	}
}

/* Truncate a trace at every line: complete cases are reported with the right times. */
TEST(test_every_prefix)
{
	struct nntp_result result;
	struct seen seen = { 0 };
	size_t second, newline;
	struct text t;
	char *at;

	two_cases(&t);
	at = memmem(t.bytes, t.len, "[NN_LA_PO]case", 14);
	at = memmem(at + 1, (size_t)(t.bytes + t.len - at - 1), "[NN_LA_PO]case", 14);
	second = (size_t)(at - t.bytes) + 10; /* from here on there are two cases */
	newline = t.len - 1;
	for (size_t len = 0; len <= t.len; len++) {
		int ret = parse(&t, len, len % 2, &seen, &result);

		assert_true(ret == 0 || ret == -ENOMSG);
		if (len > second + 4) {
			assert_true(seen.runs >= 1);
			assert_true(fabs(seen.runtime_preparation - 0.01) < 1e-9);
		}
		if (len >= newline)
			assert_int_equal(result.complete, 2);
		assert_int_equal(result.runs, result.complete + result.incomplete + result.failed);
	}
	free(t.bytes);
}

/* A trace a hundred times as long has no more open at any time. */
TEST(test_bounded)
{
	struct nntp_result result;
	struct seen seen = { 0 };
	struct text t;

	start(&t);
	mark(&t, 5, "B|5|[NN_LA_PO]long");
	for (int i = 0; i < 10000; i++) {
		mark(&t, 5, "B|5|[NN_LA_PE]infer");
		mark(&t, 5, "B|5|[NN_LR_PE]ANeuralNetworksExecution_compute");
		mark(&t, 5, "E|5");
		mark(&t, 5, "E|5");
	}
	mark(&t, 5, "E|5");
	assert_int_equal(parse(&t, t.len, false, &seen, &result), 0);
	assert_int_equal(result.most_open, 3);
	assert_int_equal(seen.scopes, 20001);
	assert_int_equal(result.marks, 40002);
	free(t.bytes);
}

TEST(test_too_deep)
{
	struct nntp_result result;
	struct seen seen = { 0 };
	struct text t;

	start(&t);
	mark(&t, 5, "B|5|[NN_LA_PO]deep");
	for (int i = 0; i < 20000; i++)
		mark(&t, 5, "B|5|[NN_LR_PP]f");
	mark(&t, 5, "B|5|[NN_LA_PO]next");
	mark(&t, 5, "E|5");
	assert_int_equal(parse(&t, t.len, false, &seen, &result), 0);
	assert_true(result.errors > 0 && result.most_open < 5000);
	assert_int_equal(result.failed, 1);
	assert_int_equal(seen.runs, 1);
	assert_int_equal(seen.last_index, 1);
	free(t.bytes);
}

/* Many of a kind are logged a few times, then counted. */
TEST(test_flood)
{
	struct nntp_result result;
	struct seen seen = { 0 };
	struct text t;

	start(&t);
	mark(&t, 5, "B|5|[NN_LR_PP]f");
	for (int i = 0; i < 1000; i++)
		mark(&t, 5, "E|5");
	assert_int_equal(parse(&t, t.len, false, &seen, &result), 0);
	assert_int_equal(result.errors, 999);
	assert_true(seen.classes < 20);
	assert_string_equal(seen.class, "extra-end");
	free(t.bytes);
}

TEST(test_no_trace)
{
	struct nntp_result result;
	struct seen seen = { 0 };
	struct text t = { 0 };

	add(&t, "int main(void)\n{\n}\n");
	assert_int_equal(parse(&t, t.len, false, &seen, &result), -ENOMSG);
	assert_int_equal(parse(&t, 0, false, &seen, &result), -ENOMSG);
	free(t.bytes);
}

TEST(test_stop)
{
	struct nntp_result result;
	struct seen seen = { .stop = -ECANCELED };
	struct text t;

	two_cases(&t);
	assert_int_equal(parse(&t, t.len, false, &seen, &result), -ECANCELED);
	assert_int_equal(seen.runs, 1);
	free(t.bytes);
}

/* From a file and from memory it is the same, whatever the buffer's borders cut through. */
TEST(test_file)
{
	const char *path = temp_path("trace");
	char message[256];
	const struct nntp_callbacks cb = { .run = see_run };
	struct nntp_result from_memory, from_file;
	struct nntp_callbacks with = cb;
	struct nntp_source *source;
	struct seen seen = { 0 };
	struct text t;

	start(&t);
	for (int i = 0; i < 30000; i++) {
		mark(&t, 5 + i % 3, "B|5|[NN_LR_PP]ANeuralNetworksModel_create");
		mark(&t, 5 + i % 3, "E|5");
		if (i == 20000) {
			/* longer than any buffer of a line */
			for (int k = 0; k < 1000; k++)
				add(&t, "%01000d", 0);
			add(&t, "\n");
		}
	}
	assert_int_equal(parse(&t, t.len, false, &seen, &from_memory), 0);
	temp_write(path, t.bytes, t.len);
	assert_int_equal(nntp_source_open(path, &source, message, sizeof(message)), 0);
	with.ctx = &seen;
	assert_int_equal(nntp_parse(source, false, &with, &from_file), 0);
	nntp_source_close(source);
	assert_int_equal(from_file.lines, from_memory.lines);
	assert_int_equal(from_file.lines, 60001);
	assert_int_equal(from_file.marks, 60000);
	assert_int_equal(from_file.errors, 0);
	free(t.bytes);
	assert_true(nntp_source_open("/nonexistent/trace", &source, message, sizeof(message)) ==
		    -ENOENT);
	assert_non_null(strstr(message, "/nonexistent/trace"));
}

TEST(test_json_string)
{
	static const char in[] = "a\"\\\n\x7f\xc3\xa4\xff\xc0\x80\xed\xa0\x80";
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	assert_non_null(f);
	nntp_print_json_string(f, in, sizeof(in) - 1);
	fclose(f);
	assert_string_equal(
		out,
		"\"a\\\"\\\\\\u000a\\u007f\xc3\xa4\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\"");
	free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_prefix), cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_too_deep),     cmocka_unit_test(test_flood),
		cmocka_unit_test(test_no_trace),     cmocka_unit_test(test_stop),
		cmocka_unit_test(test_file),	     cmocka_unit_test(test_json_string),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
