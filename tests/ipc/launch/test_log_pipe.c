// SPDX-License-Identifier: Apache-2.0
/* What a worker prints, and for how long its reader leaves it alone. Times are the test's own. */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "launch/nnipc_launch.h"
#include "nnutil_clock.h"
#include "nnutil_file.h"
#include "test_case.h"

static unsigned int printed;
static char last_printed[256];

static void print(const struct nnipc_log_pipe *log, const char *line)
{
	(void)log;
	printed++;
	snprintf(last_printed, sizeof(last_printed), "%s", line);
}

/* What a worker has written is read once; how long the reader rests after that. */
static int64_t rest_after(struct nnipc_log_pipe *log, int end, const char *text, size_t length)
{
	const int64_t before = nnutil_monotonic_ns();

	assert_int_equal(nnutil_write_all(end, text, length), 0);
	assert_true(nnipc_log_pipe_read(log));
	assert_int_equal(nnipc_log_pipe_rest(log, INT64_MAX), 0);
	return nnipc_log_pipe_rest(log, before);
}

static void begin(struct nnipc_log_pipe *log, int *end)
{
	printed = 0;
	assert_int_equal(nnipc_log_pipe_open(log, print, end), 0);
}

TEST(test_some_lines)
{
	static const char text[] = "one\ntwo\nthree";
	struct nnipc_log_pipe log;
	int end;

	begin(&log, &end);
	assert_int_equal(rest_after(&log, end, text, strlen(text)), 0);
	assert_int_equal(printed, 2);
	assert_int_equal(rest_after(&log, end, "\n", 1), 0);
	assert_string_equal(last_printed, "three");
	close(end);
	assert_false(nnipc_log_pipe_read(&log));
	nnipc_log_pipe_close(&log);
	assert_int_equal(nnipc_log_pipe_rest(&log, 0), 0);
}

/* Whatever a worker writes without end: what is not printed has the reader rest. */
TEST(test_floods)
{
	static char lines[2000], empty[4000], no_line[4000];
	const struct {
		const char *text;
		size_t length;
		unsigned int printed;
	} floods[] = {
		{ lines, sizeof(lines), 100 },
		{ empty, sizeof(empty), 0 },
		{ no_line, sizeof(no_line), 0 },
	};
	struct nnipc_log_pipe log;
	int end;

	for (size_t i = 0; i < sizeof(lines); i++)
		lines[i] = i % 2 ? '\n' : 'x';
	memset(empty, '\n', sizeof(empty));
	memset(no_line, 'x', sizeof(no_line));
	for (size_t i = 0; i < sizeof(floods) / sizeof(floods[0]); i++) {
		begin(&log, &end);
		assert_true(rest_after(&log, end, floods[i].text, floods[i].length) > 0);
		/* more may come back with the time */
		assert_true(printed >= floods[i].printed);
		close(end);
		nnipc_log_pipe_close(&log);
	}
}

/* The end of a worker whose reader rests: its last words are there. */
TEST(test_last_words)
{
	static const char words[] = "last words\n";
	static char lines[2000];
	struct nnipc_log_pipe log;
	int end;

	for (size_t i = 0; i < sizeof(lines); i++)
		lines[i] = i % 2 ? '\n' : 'x';
	begin(&log, &end);
	assert_true(rest_after(&log, end, lines, sizeof(lines)) > 0);
	assert_int_equal(nnutil_write_all(end, words, strlen(words)), 0);
	close(end);
	nnipc_log_pipe_close(&log);
	assert_string_equal(log.last, "last words");
}

/* ---- how many lines ---- */

#define START (777 * NNUTIL_NS_PER_S)

TEST(test_rate)
{
	struct nnutil_log_rate rate;
	unsigned int dropped;

	nnutil_log_rate_init(&rate, 3, 2, START);
	for (int i = 0; i < 3; i++)
		assert_true(nnutil_log_rate_take(&rate, START, &dropped));
	for (int i = 0; i < 5; i++)
		assert_false(nnutil_log_rate_take(&rate, START + NNUTIL_NS_PER_S / 3, &dropped));
	/* one is back after half a second, and the first one has the number */
	assert_true(nnutil_log_rate_take(&rate, START + NNUTIL_NS_PER_S / 2, &dropped));
	assert_int_equal(dropped, 5);
	assert_false(nnutil_log_rate_take(&rate, START + NNUTIL_NS_PER_S / 2, &dropped));
	/* not more than at once, however long it was silent */
	for (int i = 0; i < 3; i++)
		assert_true(nnutil_log_rate_take(&rate, 2 * START, &dropped));
	assert_int_equal(dropped, 0);
	assert_false(nnutil_log_rate_take(&rate, 2 * START, &dropped));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_some_lines),
		cmocka_unit_test(test_floods),
		cmocka_unit_test(test_last_words),
		cmocka_unit_test(test_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
