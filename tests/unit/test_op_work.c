// SPDX-License-Identifier: Apache-2.0
/* Multiply-adds and bytes of operations, counted by hand. */
#include <string.h>

#include "nnprog_desc.h"
#include "nnprog_opcode.h"
#include "core_program.h"
#include "test_case.h"

#define T(...) tensor((const uint32_t[]){ __VA_ARGS__, 0 })
#define OMITTED                                             \
	(struct nnfw_tensor)                                \
	{                                                   \
		.omitted = true, .elements = 77, .size = 77 \
	}

/* Of bytes; the extents end with 0. */
static struct nnfw_tensor tensor(const uint32_t *dims)
{
	struct nnfw_tensor t = { .elements = 1 };

	for (; dims[t.rank]; t.rank++) {
		t.dims[t.rank] = dims[t.rank];
		t.elements *= dims[t.rank];
	}
	t.size = t.elements;
	return t;
}

static struct op_work work_of(uint32_t opcode, const struct nnfw_tensor *in, uint32_t num_in,
			      struct nnfw_tensor out)
{
	const struct nnprog_op_desc desc = { .opcode = opcode };
	const struct nnfw_op_ctx ctx = {
		.desc = &desc, .in = in, .num_in = num_in, .out = &out, .num_out = 1
	};

	return nnfw_op_work(&ctx);
}

#define WORK(opcode, out, ...)                                                                    \
	work_of(opcode, (const struct nnfw_tensor[]){ __VA_ARGS__ },                              \
		sizeof((const struct nnfw_tensor[]){ __VA_ARGS__ }) / sizeof(struct nnfw_tensor), \
		out)

TEST(test_convolutions)
{
	assert_int_equal(
		WORK(NNPROG_OP_CONV_2D, T(1, 4, 4, 8), T(1, 8, 8, 3), T(8, 3, 3, 3), T(8)).macs,
		128 * 27);
	/* two groups: half of the input's channels for each result */
	assert_int_equal(
		WORK(NNPROG_OP_CONV_2D, T(1, 4, 4, 8), T(1, 8, 8, 4), T(8, 3, 3, 2), T(8)).macs,
		128 * 18);
	assert_int_equal(WORK(NNPROG_OP_DEPTHWISE_CONV_2D, T(1, 4, 4, 8), T(1, 8, 8, 4),
			      T(1, 5, 3, 8), T(8))
				 .macs,
			 128 * 15);
	assert_int_equal(WORK(NNPROG_OP_TRANSPOSE_CONV_2D, T(1, 8, 8, 6), T(1, 4, 4, 2),
			      T(6, 3, 3, 2), T(6), OMITTED)
				 .macs,
			 32 * 54);
}

TEST(test_products)
{
	assert_int_equal(
		WORK(NNPROG_OP_FULLY_CONNECTED, T(2, 10), T(2, 4, 5), T(10, 20), T(10)).macs,
		2 * 10 * 20);
	/* [2,3,4] [2,4,5] */
	assert_int_equal(WORK(NNPROG_OP_BATCH_MATMUL, T(2, 3, 5), T(2, 3, 4), T(2, 4, 5)).macs,
			 2 * 3 * 4 * 5);
}

/* Batch 2, 3 steps, input 5, 7 units. */
TEST(test_recurrent)
{
	const struct nnfw_tensor w = T(7, 5), r = T(7, 7);

	assert_int_equal(
		WORK(NNPROG_OP_SEQUENCE_RNN, T(2, 3, 7), T(2, 3, 5), w, r, T(7), T(2, 7)).macs,
		6 * (35 + 49));
	/* no input gate; peepholes and biases are not counted */
	assert_int_equal(WORK(NNPROG_OP_SEQUENCE_LSTM, T(2, 3, 7), T(2, 3, 5), OMITTED, w, w, w,
			      OMITTED, r, r, r, OMITTED, T(7), T(7), OMITTED, T(7), T(7), T(7))
				 .macs,
			 6 * 3 * (35 + 49));
}

TEST(test_bytes)
{
	const struct op_work work = WORK(NNPROG_OP_POOL_2D, T(1, 2, 2, 3), T(1, 4, 4, 3));
	const struct op_work omitted =
		WORK(NNPROG_OP_RESIZE, T(1, 2, 2, 3), T(1, 4, 4, 3), OMITTED);

	assert_int_equal(work.macs, 0);
	assert_int_equal(work.elements, 12);
	assert_int_equal(work.bytes, 60);
	assert_int_equal(omitted.bytes, 60);
	/* an extension's operation is beyond the table */
	assert_int_equal(WORK(NNPROG_OP_EXTENSION, T(4), T(4)).macs, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_convolutions),
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_recurrent),
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
