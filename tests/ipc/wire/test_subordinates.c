// SPDX-License-Identifier: Apache-2.0
/* Whose subordinate a user is, by a file of subuid(5). */
#include <unistd.h>

#include "temp.h"
#include "test_case.h"
#include "wire/nnipc_wire.h"

static const char *path;

TEST(test_owners)
{
	static const struct {
		uid_t user, owner;
	} cases[] = {
		{ 0, 0 },
		{ 99999, 99999 },
		{ 100000, 1000 },
		{ 165535, 1000 },
		{ 165536, 165536 },
		{ 200000, 0 },
		{ 300000, 300000 },
		{ 400000, 400000 },
		{ 500000, 500000 },
		{ 600000, 1001 },
		{ 700000, 700000 },
		{ 4294967294u, 1002 },
		{ 4294967293u, 1002 },
	};
	struct nnipc_subordinates s = { .path = path };

	temp_write_text(path, "1000:100000:65536\n"
			      "root:200000:1\n"
			      "no-such-user-here:300000:10\n"
			      "1000:400000\n"
			      "1000:500000:0\n"
			      "\n:::\n"
			      "1001:600000:65536\n"
			      "1001:700000:10:10\n"
			      "1002:4294967293:4294967295");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(nnipc_subordinates_owner(&s, cases[i].user), cases[i].owner);
	nnipc_subordinates_fini(&s);
}

/* A user that is added later counts, and one that is gone does not. */
TEST(test_changes)
{
	struct nnipc_subordinates s = { .path = path };

	unlink(path);
	assert_int_equal(nnipc_subordinates_owner(&s, 100005), 100005);
	temp_write_text(path, "7:100000:10\n");
	assert_int_equal(nnipc_subordinates_owner(&s, 100005), 7);
	temp_write_text(path, "7:100000:10\n8:200000:10\n");
	assert_int_equal(nnipc_subordinates_owner(&s, 200005), 8);
	unlink(path);
	assert_int_equal(nnipc_subordinates_owner(&s, 100005), 100005);
	nnipc_subordinates_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_owners),
		cmocka_unit_test(test_changes),
	};

	path = temp_path("subuid");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
