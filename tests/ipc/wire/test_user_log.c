// SPDX-License-Identifier: Apache-2.0
/* Lines of a service's log that its users cause, with a clock of the test's own. */

#include <stdio.h>
#include <string.h>

#include "nnutil_clock.h"
#include "test_case.h"
#include "wire/nnipc_wire.h"

#define START (777 * NNUTIL_NS_PER_S)
#define GREEDY 1000
#define QUIET 1001

static unsigned int written;
static char last[1100];

static void write_line(const char *line)
{
	written++;
	snprintf(last, sizeof(last), "%s", line);
}

/* One user's flood hides no line of another one. */
TEST(test_users)
{
	static struct nnipc_user_log log = NNIPC_USER_LOG_INIT(write_line);
	unsigned int dropped, lines = 0;

	for (int i = 0; i < 10000; i++)
		lines += nnipc_user_log_take(&log, GREEDY, START, &dropped);
	assert_int_equal(lines, NNIPC_USER_LOG_AT_ONCE);
	assert_true(nnipc_user_log_take(&log, QUIET, START, &dropped));
	assert_int_equal(dropped, 0);
	/* the number of those that are left out comes with the next one */
	assert_true(nnipc_user_log_take(&log, GREEDY, START + NNUTIL_NS_PER_S, &dropped));
	assert_int_equal(dropped, 10000 - NNIPC_USER_LOG_AT_ONCE);
}

/* More users than there are places: the one that was silent for longest is forgotten. */
TEST(test_many_users)
{
	static struct nnipc_user_log log = NNIPC_USER_LOG_INIT(write_line);
	unsigned int dropped;

	for (unsigned int i = 0; i < NNIPC_USER_LOG_AT_ONCE; i++)
		assert_true(nnipc_user_log_take(&log, GREEDY, START + i, &dropped));
	for (uid_t user = 0; user < NNIPC_USER_LOG_USERS - 1; user++)
		assert_true(nnipc_user_log_take(&log, user, START + 1000 + user, &dropped));
	/* all have places still */
	assert_false(nnipc_user_log_take(&log, GREEDY, START + 2000, &dropped));
	assert_true(nnipc_user_log_take(&log, QUIET, START + 2001, &dropped));
	assert_false(nnipc_user_log_take(&log, GREEDY, START + 2002, &dropped));
}

/* Lines are of one service; a long one is cut. */
TEST(test_lines)
{
	static struct nnipc_user_log log = NNIPC_USER_LOG_INIT(write_line);
	char text[2000];

	written = 0;
	nnipc_user_log(&log, QUIET, "client %d of user %u", 5, (unsigned int)QUIET);
	assert_int_equal(written, 1);
	assert_string_equal(last, "client 5 of user 1001");
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	nnipc_user_log(&log, QUIET, "%s", text);
	assert_int_equal(written, 2);
	assert_int_equal(strlen(last), 1023);
	/* a flood, and the last line of it that is written */
	for (int i = 0; i < 100000; i++)
		nnipc_user_log(&log, GREEDY, "refused");
	assert_string_equal(last, "refused");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_users),
		cmocka_unit_test(test_many_users),
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
