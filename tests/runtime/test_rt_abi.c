// SPDX-License-Identifier: Apache-2.0
/* The interface as a compiled program sees it: most of it is checked when this file is compiled. */
#include "abi.h"
#include "rt_test.h"

static const NnApiSLDriverImplFL8 *table(void)
{
	return (const NnApiSLDriverImplFL8 *)ANeuralNetworks_getSLDriverImpl();
}

TEST(the_table_is_of_level_8)
{
	assert_non_null(ANeuralNetworks_getSLDriverImpl());
	assert_ptr_equal(ANeuralNetworks_getSLDriverImpl(), ANeuralNetworks_getSLDriverImpl());
	assert_int_equal(ANeuralNetworks_getSLDriverImpl()->implFeatureLevel,
			 ANEURALNETWORKS_FEATURE_LEVEL_8);
}

TEST(every_member_is_its_function)
{
#define OWN(number, name) assert_non_null(table()->base.name);
#define MEMBER(number, name) assert_true(table()->base.name == name);
#define MEMBER_FL8(number, name) assert_true(table()->name == name);
#include "abi_table.h"
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_is_of_level_8),
		cmocka_unit_test(every_member_is_its_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
