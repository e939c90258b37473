// SPDX-License-Identifier: Apache-2.0
/* Names of device nodes. */
#include <string.h>

#include "nnutil_node.h"
#include "test_case.h"

TEST(names)
{
	char path[NNUTIL_NODE_PATH];

	assert_ptr_equal(nnutil_node_kind("accel0"), &nnutil_node_kinds[0]);
	assert_ptr_equal(nnutil_node_kind("accel4294967295"), &nnutil_node_kinds[0]);
	assert_ptr_equal(nnutil_node_kind("renderD128"), &nnutil_node_kinds[1]);
	assert_true(nnutil_node_path("accel10", path));
	assert_string_equal(path, "/dev/accel/accel10");
	assert_true(nnutil_node_path("renderD129", path));
	assert_string_equal(path, "/dev/dri/renderD129");
}

TEST(no_names)
{
	static const char *const names[] = {
		"",
		"accel",
		"accel-1",
		"accel0/../accel0",
		"accel 1",
		"accel0x",
		"accelerator1",
		"renderD",
		"card0",
		"cpu",
		"accel00000000000000000000000000000000000001",
	};
	char path[NNUTIL_NODE_PATH];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_null(nnutil_node_kind(names[i]));
		assert_false(nnutil_node_path(names[i], path));
	}
}

TEST(minors)
{
	char name[NNUTIL_NODE_NAME];

	nnutil_node_of_minor(0, name);
	assert_string_equal(name, "accel0");
	nnutil_node_of_minor(127, name);
	assert_string_equal(name, "accel127");
	nnutil_node_of_minor(128, name);
	assert_string_equal(name, "renderD128");
	/* a trace may have any number */
	nnutil_node_of_minor(UINT32_MAX, name);
	assert_string_equal(name, "renderD4294967295");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(no_names),
		cmocka_unit_test(minors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
