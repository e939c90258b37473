// SPDX-License-Identifier: Apache-2.0
/* Tolerances and special values when an example is judged. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nnmodel.h"
#include "conformance/nnctl_conformance.h"
#include "test_case.h"

/* A file with one output of one float32. */
static bool judge(float actual, float golden)
{
	static const char strings[] = "o";
	uint8_t bytes[16] = { 0 };
	struct nnt_blob blob = { .off = 0, .size = sizeof(golden) };
	struct nnt nnt = {
		.bytes = bytes, .size = sizeof(bytes), .strings = strings, .blobs = &blob
	};
	struct nnt_operand o = { .type = NNMODEL_TENSOR_FLOAT32,
				 .data_size = sizeof(golden),
				 .name = 0 };
	struct nnt_example ex = { 0 };
	char why[200];

	memcpy(bytes, &golden, sizeof(golden));
	return judge_output(&nnt, &ex, &o, &actual, why, sizeof(why));
}

TEST(numbers)
{
	assert_true(judge(1, 1));
	assert_true(judge(1.000001f, 1));
	assert_false(judge(1.1f, 1));
	assert_true(judge(0, -0.0f));
}

/* An infinity equals only itself: every number is infinitely far from it. */
TEST(infinities)
{
	assert_true(judge(INFINITY, INFINITY));
	assert_true(judge(-INFINITY, -INFINITY));
	assert_false(judge(-INFINITY, INFINITY));
	assert_false(judge(INFINITY, -INFINITY));
	assert_false(judge(1, INFINITY));
	assert_false(judge(-3e38f, -INFINITY));
	assert_false(judge(INFINITY, 1));
	assert_false(judge(-INFINITY, 1));
}

/* A NaN is right exactly where a NaN is expected. */
TEST(not_a_number)
{
	assert_true(judge(NAN, NAN));
	assert_true(judge(-NAN, NAN));
	assert_false(judge(NAN, 1));
	assert_false(judge(1, NAN));
	assert_false(judge(NAN, INFINITY));
	assert_false(judge(INFINITY, NAN));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(infinities),
		cmocka_unit_test(not_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
