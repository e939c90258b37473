// SPDX-License-Identifier: Apache-2.0
/* The table of instruction sets: each row finds kernels of each family. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "test_case.h"

TEST(test_first_row_is_whole)
{
	const struct nnfw_isa *first = nnfw_isa_row(0);

	assert_string_equal(first->name, "scalar");
	assert_null(first->base);
	assert_true(first->usable());
#define EXPECT_KERNELS(family) assert_non_null(first->family);
	NNFW_FAMILIES(EXPECT_KERNELS)
#undef EXPECT_KERNELS
}

/* A row extends one before it, so that each chain ends at the first; and needs what that one does.
 */
TEST(test_rows_extend)
{
	for (size_t i = 1; nnfw_isa_row(i); i++) {
		const struct nnfw_isa *row = nnfw_isa_row(i);
		size_t base = 0, own = 0;

		while (base < i && nnfw_isa_row(base) != row->base)
			base++;
		assert_true(base < i);
		assert_true(row->base->usable() || !row->usable());
#define EXPECT_KERNELS(family)                         \
	own += row->family != NULL;                    \
	assert_ptr_equal(NNFW_KERNELS_OF(row, family), \
			 row->family ? row->family : NNFW_KERNELS_OF(row->base, family));
		NNFW_FAMILIES(EXPECT_KERNELS)
#undef EXPECT_KERNELS
		assert_true(own > 0);
	}
}

/* struct nnhal_device_info has room for each name, and for all names of the table. */
TEST(test_names_fit)
{
	size_t all = 0;

	for (size_t i = 0; nnfw_isa_row(i); i++) {
		const size_t length = strlen(nnfw_isa_row(i)->name);

		assert_true(length < 16);
		all += length + 1;
	}
	assert_true(all <= 64);
}

TEST(test_choice)
{
	setenv("NNACCEL_ISA", "no-such-set", 1);
	assert_int_equal(nnfw_isa_check(), -EINVAL);
	assert_ptr_equal(nnfw_isa(), nnfw_isa_row(0));
	setenv("NNACCEL_ISA", "scalar", 1);
	assert_int_equal(nnfw_isa_check(), 0);
	unsetenv("NNACCEL_ISA");
	assert_int_equal(nnfw_isa_check(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_row_is_whole),
		cmocka_unit_test(test_rows_extend),
		cmocka_unit_test(test_names_fit),
		cmocka_unit_test(test_choice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
