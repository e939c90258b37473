// SPDX-License-Identifier: Apache-2.0
/* When a worker may start again: the table of isolation.rst, with a clock of the test's own. */

#include <errno.h>
#include <string.h>

#include "host/nnipc_host.h"
#include "test_case.h"

#define MS 1000000ll
#define S (1000 * MS)
#define START (777 * S)

static struct nnipc_restart_policy policy;

FIXTURE(setup)
{
	policy = (struct nnipc_restart_policy){ .max_crashes = 3 };
	return 0;
}

/* Nanoseconds until a worker may start; with the error that says so. */
static int64_t wait_at(int64_t now, int error)
{
	int64_t wait;

	assert_int_equal(nnipc_restart_wait(&policy, now, &wait), error);
	return wait;
}

TEST(test_table)
{
	assert_int_equal(wait_at(START, 0), 0);
	nnipc_restart_crashed(&policy, START);
	assert_int_equal(wait_at(START, 0), 0);
	nnipc_restart_crashed(&policy, START + S);
	assert_int_equal(wait_at(START + S, -EAGAIN), 100 * MS);
	assert_int_equal(wait_at(START + S + 99 * MS, -EAGAIN), 1 * MS);
	assert_int_equal(wait_at(START + S + 100 * MS, 0), 0);
	nnipc_restart_crashed(&policy, START + 2 * S);
	assert_int_equal(wait_at(START + 2 * S, -EAGAIN), S);
	assert_int_equal(wait_at(START + 3 * S, 0), 0);
	nnipc_restart_crashed(&policy, START + 4 * S);
	assert_int_equal(wait_at(START + 4 * S, -EPERM), 300 * S);
	assert_int_equal(wait_at(START + 303 * S, -EPERM), 1 * S);
	/* then it begins anew */
	assert_int_equal(wait_at(START + 304 * S, 0), 0);
	nnipc_restart_crashed(&policy, START + 305 * S);
	assert_int_equal(wait_at(START + 305 * S, 0), 0);
	nnipc_restart_crashed(&policy, START + 306 * S);
	assert_int_equal(wait_at(START + 306 * S, -EAGAIN), 100 * MS);
}

/* Only crashes of the last minute count. */
TEST(test_window)
{
	for (int i = 0; i < 100; i++) {
		nnipc_restart_crashed(&policy, START + i * 21 * S);
		/* two others were in the last 60 s */
		assert_int_equal(wait_at(START + i * 21 * S, i ? -EAGAIN : 0), i == 0	? 0
									       : i == 1 ? 100 * MS
											: S);
	}
	assert_int_equal(wait_at(START + 99 * 21 * S + 61 * S, 0), 0);
	assert_int_equal(policy.crashes, 0);
}

/* A limit of one: the second crash is too many; and crashes beyond all bounds are only counted. */
TEST(test_limits)
{
	policy.max_crashes = 1;
	nnipc_restart_crashed(&policy, START);
	assert_int_equal(wait_at(START, 0), 0);
	nnipc_restart_crashed(&policy, START + 1);
	assert_int_equal(wait_at(START + 1, -EPERM), 300 * S);
	/* it does not become later by those of others that came down at the same time */
	nnipc_restart_crashed(&policy, START + 2);
	assert_int_equal(wait_at(START + 2, -EPERM), 300 * S - 1);

	policy = (struct nnipc_restart_policy){ .max_crashes = NNIPC_MAX_CRASHES };
	for (unsigned int i = 0; i < NNIPC_MAX_CRASHES; i++)
		nnipc_restart_crashed(&policy, START);
	assert_int_equal(wait_at(START, -EAGAIN), S);
	for (unsigned int i = 0; i < 10; i++)
		nnipc_restart_crashed(&policy, START);
	assert_int_equal(wait_at(START, -EPERM), 300 * S);
}

TEST(test_texts)
{
	char text[96];

	nnipc_restart_crashed(&policy, START);
	nnipc_restart_text(&policy, START, text, sizeof(text));
	assert_string_equal(text, "the next call");
	nnipc_restart_crashed(&policy, START);
	nnipc_restart_text(&policy, START, text, sizeof(text));
	assert_string_equal(text, "a call in 100 ms or later");
	nnipc_restart_crashed(&policy, START);
	nnipc_restart_crashed(&policy, START);
	nnipc_restart_text(&policy, START, text, sizeof(text));
	assert_non_null(strstr(text, "4 crashes in a minute"));
	assert_non_null(strstr(text, "300 s"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_table, setup),
		cmocka_unit_test_setup(test_window, setup),
		cmocka_unit_test_setup(test_limits, setup),
		cmocka_unit_test_setup(test_texts, setup),
	};

	return cmocka_run_group_tests_name("ipc-restart-policy", tests, NULL, NULL);
}
