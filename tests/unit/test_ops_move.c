// SPDX-License-Identifier: Apache-2.0
/* RESHAPE, CONCATENATION, PAD, TRANSPOSE: every element's way, in every type. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "nnfw_ops.h"
#include "op_harness.h"
#include "oracle.h"
#include "test_case.h"

static const uint8_t *element(const struct nnfw_tensor *t, uint64_t i)
{
	return (const uint8_t *)t->data + i * nnprog_dtype_size(t->dtype);
}

/* ---- RESHAPE ---- */

TEST(test_reshape)
{
	static const struct {
		int32_t shape[4];
		uint32_t n, want[4];
		int ret;
	} cases[] = {
		{ { 6, 4 }, 2, { 6, 4 }, 0 },
		{ { -1, 4 }, 2, { 6, 4 }, 0 },
		{ { 2, -1, 2 }, 3, { 2, 6, 2 }, 0 },
		{ { -1 }, 1, { 24 }, 0 },
		{ { 24, 1, 1, 1 }, 4, { 24, 1, 1, 1 }, 0 },
		{ { 5, -1 }, 2, { 0 }, -EINVAL },
		{ { -1, -1 }, 2, { 0 }, -EINVAL },
		{ { 23 }, 1, { 0 }, -EINVAL },
		{ { -2, 12 }, 2, { 0 }, -EINVAL },
		{ { 0, -1 }, 2, { 0 }, -EINVAL },
		{ { 0 }, 1, { 0 }, -EINVAL },
	};

	op_seed(14);
	for (uint32_t dtype = 0; dtype < NNPROG_DTYPE_COUNT; dtype++) {
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			struct op_test t = { .opcode = NNPROG_OP_RESHAPE, .num_in = 2 };

			t.in[0] = op_tensor(dtype, DIMS(2, 3, 4));
			t.in[1] = op_values(DIMS(cases[i].n), cases[i].shape);
			t.out[0] = op_output(dtype, 0, 0);
			assert_int_equal(op_run(&t), cases[i].ret);
			if (!cases[i].ret) {
				assert_int_equal(t.out[0].rank, cases[i].n);
				assert_memory_equal(t.out[0].dims, cases[i].want, cases[i].n * 4);
				assert_memory_equal(t.out[0].data, t.in[0].data, t.in[0].size);
			}
			op_release();
		}
	}
}

TEST(test_reshape_large)
{
	static const int32_t shape[] = { 65536, 65536 },
			     many[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 24 };
	struct op_test t = { .opcode = NNPROG_OP_RESHAPE, .num_in = 2 };

	t.in[0] = op_tensor(NNPROG_UINT8, DIMS(24));
	t.out[0] = op_output(NNPROG_UINT8, 0, 0);
	t.in[1] = op_values(DIMS(2), shape);
	assert_int_equal(op_run(&t), -EOVERFLOW);
	t.in[1] = op_values(DIMS(11), many);
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[1].dtype = NNPROG_FLOAT32;
	op_refused(&t);
}

/* ---- CONCATENATION ---- */

TEST(test_concat_random)
{
	op_seed(15);
	for (uint32_t round = 0; round < 400; round++) {
		uint32_t dtype = round % NNPROG_DTYPE_COUNT, rank = op_random_range(1, 5),
			 n = op_random_range(1, 6), axis, dims[5];
		bool quant = dtype == NNPROG_UINT8 || dtype == NNPROG_INT8;
		struct nnprog_attr_axis a;
		struct op_test t = { .opcode = NNPROG_OP_CONCATENATION, .attrs = &a, .num_in = n };
		uint32_t at[8], first = 0;

		axis = op_random(rank);
		a = (struct nnprog_attr_axis){ op_random(2) ? (int32_t)axis
							    : (int32_t)axis - (int32_t)rank,
					       0 };
		for (uint32_t d = 0; d < rank; d++)
			dims[d] = op_random(12) ? op_random_range(1, 5) : 0;
		for (uint32_t k = 0; k < n; k++) {
			dims[axis] = op_random(8) ? op_random_range(1, 5) : 0;
			t.in[k] = op_tensor(dtype, rank, dims);
			if (quant)
				op_quantize(&t.in[k], 0.1f * (float)op_random_range(1, 3),
					    op_zero_point(dtype));
		}
		t.out[0] = op_output(dtype, t.in[0].scale, t.in[0].zero_point);
		assert_int_equal(op_run(&t), 0);
		for (uint32_t k = 0; k < n; first += t.in[k].dims[axis], k++) {
			const struct nnfw_tensor *in = &t.in[k];

			for (uint64_t i = 0; i < in->elements; i++) {
				uint64_t o;

				oracle_unflat(rank, in->dims, i, at);
				at[axis] += first;
				o = oracle_flat(rank, t.out[0].dims, at);
				if (quant && (in->scale != t.out[0].scale ||
					      in->zero_point != t.out[0].zero_point)) {
					/* round(q * scale + bias) + zp', in float */
					float scale = in->scale * (1.0f / t.out[0].scale);
					float bias = -(float)in->zero_point * scale;
					float product = (float)oracle_number(in, i) * scale;
					double lo, hi, v = (float)(product + bias);

					v = oracle_round_away(v) + t.out[0].zero_point;
					oracle_code_range(&t.out[0], 0, &lo, &hi);
					v = v < lo ? lo : v > hi ? hi : v;
					assert_true(oracle_number(&t.out[0], o) == v);
				} else {
					assert_memory_equal(element(&t.out[0], o), element(in, i),
							    nnprog_dtype_size(dtype));
				}
			}
		}
		assert_int_equal(first, t.out[0].dims[axis]);
		op_release();
	}
}

TEST(test_pack)
{
	for (int32_t axis = -1; axis <= 3; axis++) {
		struct nnprog_attr_axis a = { axis, 1 };
		struct op_test t = { .opcode = NNPROG_OP_CONCATENATION, .attrs = &a, .num_in = 3 };

		for (int k = 0; k < 3; k++)
			t.in[k] = op_tensor(NNPROG_INT32, DIMS(2, 4));
		t.out[0] = op_output(NNPROG_INT32, 0, 0);
		if (axis < 0 || axis > 2) {
			op_refused(&t);
			continue;
		}
		assert_int_equal(op_run(&t), 0);
		assert_int_equal(t.out[0].rank, 3);
		assert_int_equal(t.out[0].dims[axis], 3);
		for (uint32_t k = 0; k < 3; k++) {
			for (uint64_t i = 0; i < 8; i++) {
				uint32_t own[2], at[3];

				oracle_unflat(2, t.in[k].dims, i, own);
				for (int d = 0, s = 0; d < 3; d++)
					at[d] = d == axis ? k : own[s++];
				assert_memory_equal(
					element(&t.in[k], i),
					element(&t.out[0], oracle_flat(3, t.out[0].dims, at)), 4);
			}
		}
		op_release();
	}
}

TEST(test_concat_refusals)
{
	struct nnprog_attr_axis a = { 1, 0 };
	struct op_test t = { .opcode = NNPROG_OP_CONCATENATION, .attrs = &a, .num_in = 2 };

	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(2, 3));
	t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(2, 5));
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	assert_int_equal(op_run(&t), 0);
	a.axis = 0;
	assert_int_equal(op_run(&t), -EINVAL);
	a.axis = 2;
	assert_int_equal(op_run(&t), -EINVAL);
	a.axis = INT32_MIN;
	assert_int_equal(op_run(&t), -EINVAL);
	a = (struct nnprog_attr_axis){ 1, 2 };
	assert_int_equal(op_run(&t), -EINVAL);
	a = (struct nnprog_attr_axis){ 1, 1 };
	assert_int_equal(op_run(&t), -EINVAL);
	a = (struct nnprog_attr_axis){ 1, 0 };
	t.in[1].dtype = NNPROG_INT32;
	op_refused(&t);
}

/* ---- PAD ---- */

TEST(test_pad_random)
{
	op_seed(16);
	for (uint32_t round = 0; round < 500; round++) {
		uint32_t dtype = round % NNPROG_DTYPE_COUNT, rank = op_random_range(1, 5), dims[5],
			 at[8];
		size_t size = nnprog_dtype_size(dtype);
		struct op_test t = { .opcode = NNPROG_OP_PAD, .num_in = op_random_range(2, 3) };
		uint8_t border[4] = { 0 };
		int32_t pads[10];

		for (uint32_t d = 0; d < rank; d++) {
			dims[d] = op_random(15) ? op_random_range(1, 4) : 0;
			pads[2 * d] = (int32_t)op_random(3);
			pads[2 * d + 1] = (int32_t)op_random(3);
			if (op_random(2))
				pads[2 * d] = pads[2 * d + 1] = 0;
		}
		t.in[0] = op_tensor(dtype, rank, dims);
		if (dtype == NNPROG_UINT8 || dtype == NNPROG_INT8) {
			op_quantize(&t.in[0], 0.5f, op_zero_point(dtype));
			border[0] = (uint8_t)t.in[0].zero_point;
		}
		if (dtype == NNPROG_UINT16) {
			op_quantize(&t.in[0], 0.5f, 0x1234);
			memcpy(border, &(uint16_t){ 0x1234 }, 2);
		}
		t.in[1] = op_values(DIMS(rank, 2), pads);
		if (t.num_in == 3 && op_random(2)) {
			t.in[2] = op_random(2) ? op_tensor(dtype, DIMS(1))
					       : op_tensor(dtype, 0, dims);
			memcpy(border, t.in[2].data, size);
		} else if (t.num_in == 3) {
			t.in[2] = op_omitted();
		}
		t.out[0] = op_output(dtype, t.in[0].scale, t.in[0].zero_point);
		if (!t.in[0].elements) {
			op_refused(&t);
			continue;
		}
		assert_int_equal(op_run(&t), 0);
		for (uint64_t i = 0; i < t.out[0].elements; i++) {
			bool inside = true;

			oracle_unflat(rank, t.out[0].dims, i, at);
			for (uint32_t d = 0; d < rank; d++) {
				if (at[d] < (uint32_t)pads[2 * d] ||
				    at[d] >= (uint32_t)pads[2 * d] + dims[d])
					inside = false;
				at[d] -= (uint32_t)pads[2 * d];
			}
			assert_memory_equal(element(&t.out[0], i),
					    inside ? element(&t.in[0], oracle_flat(rank, dims, at))
						   : border,
					    size);
		}
		op_release();
	}
}

TEST(test_pad_refusals)
{
	int32_t pads[] = { 1, 0, 0, 2 };
	struct op_test t = { .opcode = NNPROG_OP_PAD, .num_in = 2 };

	t.in[0] = op_tensor(NNPROG_UINT8, DIMS(3, 3));
	t.out[0] = op_output(NNPROG_UINT8, 0, 0);
	t.in[1] = op_values(DIMS(2, 2), pads);
	assert_int_equal(op_run(&t), 0);
	t.in[1] = op_values(DIMS(1, 2), pads);
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[1] = op_values(DIMS(4), pads);
	assert_int_equal(op_run(&t), -EINVAL);
	pads[2] = -1;
	t.in[1] = op_values(DIMS(2, 2), pads);
	assert_int_equal(op_run(&t), -EINVAL);
	pads[2] = INT32_MAX;
	pads[3] = INT32_MAX;
	t.in[1] = op_values(DIMS(2, 2), pads);
	assert_int_equal(op_run(&t), -EOVERFLOW);
	op_release();
}

/* Paddings in client memory that change after inference are noticed, not followed. */
TEST(test_pad_changed)
{
	const struct nnfw_op *op = nnfw_op_table[NNPROG_OP_PAD];
	int32_t pads[] = { 1, 1, 1, 1 };
	struct nnfw_tensor in[2], out;
	struct nnfw_op_ctx ctx = { .in = in, .num_in = 2, .out = &out, .num_out = 1 };

	in[0] = op_tensor(NNPROG_UINT8, DIMS(3, 3));
	in[1] = op_values(DIMS(2, 2), pads);
	out = op_tensor(NNPROG_UINT8, DIMS(5, 5));
	assert_int_equal(op->run(&ctx), 0);
	((int32_t *)in[1].data)[3] = 100;
	assert_int_equal(op->run(&ctx), -EINVAL);
	assert_true(ctx.error[0]);
	((int32_t *)in[1].data)[3] = -100;
	assert_int_equal(op->run(&ctx), -EINVAL);
	op_release();
}

/* ---- TRANSPOSE ---- */

TEST(test_transpose_random)
{
	op_seed(17);
	for (uint32_t round = 0; round < 500; round++) {
		uint32_t dtype = round % NNPROG_DTYPE_COUNT, rank = op_random_range(1, 6), dims[6],
			 at[8], from[8];
		struct op_test t = { .opcode = NNPROG_OP_TRANSPOSE, .num_in = 2 };
		bool tiles = round % 5 == 0;
		int32_t perm[6];

		/* Tiles of up to 16 by 16, blocks of up to 64, and rests of both. */
		if (tiles)
			rank = op_random_range(2, 4);
		for (uint32_t d = 0; d < rank; d++) {
			dims[d] = op_random(25) ? op_random_range(1, 5) : 0;
			if (tiles && d + 2 >= rank)
				dims[d] = op_random_range(1, 90);
			perm[d] = (int32_t)d;
		}
		for (uint32_t d = rank - 1; d > 0; d--) {
			uint32_t other = op_random(d + 1);
			int32_t p = perm[d];

			perm[d] = perm[other];
			perm[other] = p;
		}
		t.in[0] = op_tensor(dtype, rank, dims);
		t.in[1] = op_values(DIMS(rank), perm);
		if (op_random(6) == 0) {
			t.in[1] = op_omitted();
			t.num_in = op_random_range(1, 2);
			for (uint32_t d = 0; d < rank; d++)
				perm[d] = (int32_t)(rank - 1 - d);
		}
		t.out[0] = op_output(dtype, 0, 0);
		assert_int_equal(op_run(&t), 0);
		for (uint64_t i = 0; i < t.out[0].elements; i++) {
			oracle_unflat(rank, t.out[0].dims, i, at);
			for (uint32_t d = 0; d < rank; d++)
				from[perm[d]] = at[d];
			assert_memory_equal(element(&t.out[0], i),
					    element(&t.in[0], oracle_flat(rank, dims, from)),
					    nnprog_dtype_size(dtype));
		}
		op_release();
	}
}

TEST(test_transpose_refusals)
{
	static const int32_t bad[][3] = { { 0, 1, 1 }, { 0, 1, 3 }, { -1, 1, 0 } };
	struct op_test t = { .opcode = NNPROG_OP_TRANSPOSE, .num_in = 2 };

	t.in[0] = op_tensor(NNPROG_UINT8, DIMS(3, 3, 3));
	t.out[0] = op_output(NNPROG_UINT8, 0, 0);
	for (int i = 0; i < 3; i++) {
		t.in[1] = op_values(DIMS(3), bad[i]);
		assert_int_equal(op_run(&t), -EINVAL);
	}
	t.in[1] = op_values(DIMS(2), bad[0]);
	op_refused(&t);
}

TEST(test_transpose_changed)
{
	static const int32_t perm[] = { 1, 0, 2 };
	const struct nnfw_op *op = nnfw_op_table[NNPROG_OP_TRANSPOSE];
	struct nnfw_tensor in[2], out;
	struct nnfw_op_ctx ctx = { .in = in, .num_in = 2, .out = &out, .num_out = 1 };

	in[0] = op_tensor(NNPROG_UINT8, DIMS(3, 3, 4));
	in[1] = op_values(DIMS(3), perm);
	out = op_tensor(NNPROG_UINT8, DIMS(3, 3, 4));
	assert_int_equal(op->run(&ctx), 0);
	for (int32_t bad = -1; bad <= 3; bad += 4) {
		((int32_t *)in[1].data)[0] = bad;
		assert_int_equal(op->run(&ctx), -EINVAL);
	}
	((int32_t *)in[1].data)[0] = 2;
	((int32_t *)in[1].data)[2] = 1;
	assert_int_equal(op->run(&ctx), -EINVAL);
	op_release();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reshape),		  cmocka_unit_test(test_reshape_large),
		cmocka_unit_test(test_concat_random),	  cmocka_unit_test(test_pack),
		cmocka_unit_test(test_concat_refusals),	  cmocka_unit_test(test_pad_random),
		cmocka_unit_test(test_pad_refusals),	  cmocka_unit_test(test_pad_changed),
		cmocka_unit_test(test_transpose_random),  cmocka_unit_test(test_transpose_refusals),
		cmocka_unit_test(test_transpose_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
