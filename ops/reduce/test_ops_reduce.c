// SPDX-License-Identifier: Apache-2.0
/* REDUCE and ARG_MINMAX against their definitions, element by element. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "nnfw_ops.h"
#include "op_harness.h"
#include "oracle.h"
#include "test_case.h"

/* The output element to which an input element goes. */
static uint64_t target(const struct nnfw_tensor *in, uint32_t reduced, uint64_t i)
{
	uint32_t at[8];
	uint64_t o = 0;

	oracle_unflat(in->rank, in->dims, i, at);
	for (uint32_t d = 0; d < in->rank; d++) {
		if (!(reduced >> d & 1))
			o = o * in->dims[d] + at[d];
	}
	return o;
}

static double start(uint32_t kind)
{
	return kind == NNPROG_REDUCE_MAX ? -INFINITY
	       : kind == NNPROG_REDUCE_MIN
		       ? INFINITY
		       : kind == NNPROG_REDUCE_PROD || kind == NNPROG_REDUCE_ALL;
}

static double combine(uint32_t kind, double a, double v)
{
	switch (kind) {
	case NNPROG_REDUCE_MAX:
		return fmax(a, v);
	case NNPROG_REDUCE_MIN:
		return fmin(a, v);
	case NNPROG_REDUCE_PROD:
		return a * v;
	case NNPROG_REDUCE_ALL:
		return a != 0 && v != 0;
	case NNPROG_REDUCE_ANY:
		return a != 0 || v != 0;
	default:
		return a + v;
	}
}

/* The rule on the sum of codes less the zero point, multiplier 1 / count. */
static double quant_mean(double sum, double count, const struct nnfw_tensor *out)
{
	float multiplier = (float)(1 / count), acc = (float)(sum - count * out->zero_point);
	double lo, hi, r = oracle_round_even((float)(acc * multiplier)) + out->zero_point;

	oracle_code_range(out, 0, &lo, &hi);
	return r < lo ? lo : r > hi ? hi : r;
}

TEST(test_reduce_random)
{
	op_seed(18);
	for (uint32_t round = 0; round < 700; round++) {
		struct nnprog_attr_reduce a = { .kind = round % NNPROG_REDUCE_COUNT,
						.keep_dims = op_random(2) };
		bool mean = a.kind == NNPROG_REDUCE_MEAN;
		bool extreme = a.kind == NNPROG_REDUCE_MAX || a.kind == NNPROG_REDUCE_MIN;
		struct op_test t = { .opcode = NNPROG_OP_REDUCE, .attrs = &a, .num_in = 2 };
		uint32_t rank = op_random_range(1, 5), dims[5], n = op_random(5), reduced = 0, type,
			 kept = 0;
		uint64_t count = 1;
		int32_t axes[4];
		double *want;

		if (a.kind == NNPROG_REDUCE_ALL || a.kind == NNPROG_REDUCE_ANY)
			type = NNPROG_BOOL8;
		else if (mean || extreme)
			type = (uint32_t[]){ NNPROG_FLOAT32, NNPROG_FLOAT16, NNPROG_UINT8,
					     NNPROG_INT8 }[op_random(4)];
		else
			type = op_random(2);
		for (uint32_t d = 0; d < rank; d++)
			dims[d] = op_random_range(1, 6);
		if (round % 9 == 0)
			dims[rank - 1] = op_random_range(300, 700);
		for (uint32_t k = 0; k < n; k++) {
			axes[k] = (int32_t)op_random(2 * rank) - (int32_t)rank;
			reduced |= 1u << (axes[k] < 0 ? axes[k] + (int32_t)rank : axes[k]);
		}
		t.in[0] = op_tensor(type, rank, dims);
		if (type == NNPROG_UINT8 || type == NNPROG_INT8)
			op_quantize(&t.in[0], 0.1f, op_zero_point(type));
		for (uint64_t i = 0; a.kind == NNPROG_REDUCE_PROD && i < t.in[0].elements; i++)
			oracle_set_number(&t.in[0], i, oracle_number(&t.in[0], i) / 2);
		t.in[1] = op_values(DIMS(n), axes);
		t.out[0] = op_output(type, t.in[0].scale, t.in[0].zero_point);
		assert_int_equal(op_run(&t), 0);
		for (uint32_t d = 0; d < rank; d++) {
			if (reduced >> d & 1)
				count *= dims[d];
			else
				kept++;
		}
		assert_int_equal(t.out[0].rank, a.keep_dims ? rank : kept ? kept : 1);
		want = calloc(t.out[0].elements + 1, sizeof(*want));
		for (uint64_t i = 0; i < t.out[0].elements; i++)
			want[i] = start(a.kind);
		for (uint64_t i = 0; i < t.in[0].elements; i++) {
			uint64_t o = target(&t.in[0], reduced, i);

			assert_true(o < t.out[0].elements);
			want[o] = combine(a.kind, want[o], oracle_number(&t.in[0], i));
		}
		for (uint64_t i = 0; mean && i < t.out[0].elements; i++)
			want[i] = oracle_is_float(&t.in[0])
					  ? want[i] / (double)count
					  : quant_mean(want[i], (double)count, &t.out[0]);
		op_compare(&t, want, "reduce");
	}
}

TEST(test_reduce_edges)
{
	static const int32_t axis0[] = { 0 }, bad[] = { 2 };
	static const float x[] = { 0, INFINITY, 3, 2 };
	struct nnprog_attr_reduce a = { .kind = NNPROG_REDUCE_PROD };
	struct op_test t = { .opcode = NNPROG_OP_REDUCE, .attrs = &a, .num_in = 2 };

	/* 0 times infinity is 0 */
	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(2, 2));
	memcpy(t.in[0].data, (float[]){ x[0], x[2], x[1], x[3] }, sizeof(x));
	t.in[1] = op_values(DIMS(1), axis0);
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	assert_int_equal(op_run(&t), 0);
	assert_memory_equal(t.out[0].data, ((float[]){ 0, 6 }), 8);
	/* no axes: nothing is reduced */
	t.in[1] = op_values(DIMS(0), NULL);
	assert_int_equal(op_run(&t), 0);
	assert_memory_equal(t.out[0].data, t.in[0].data, 16);
	t.in[1] = op_values(DIMS(1), axis0);
	/* no elements, reduced or not: refused, whatever the kind */
	for (a.kind = NNPROG_REDUCE_MEAN; a.kind <= NNPROG_REDUCE_MIN; a.kind++) {
		t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(0, 2));
		assert_int_equal(op_run(&t), -EINVAL);
		t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(2, 0));
		assert_int_equal(op_run(&t), -EINVAL);
	}
	a.kind = NNPROG_REDUCE_SUM;
	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(2, 2));
	assert_int_equal(op_run(&t), 0);
	t.in[1] = op_values(DIMS(1), bad);
	assert_int_equal(op_run(&t), -EINVAL);
	a.keep_dims = 2;
	op_refused(&t);
}

/* Axes in client memory that change after inference. */
TEST(test_axes_changed)
{
	static const int32_t axes[] = { 1 };
	const struct nnfw_op *op = nnfw_op_table[NNPROG_OP_REDUCE];
	struct nnprog_attr_reduce a = { .kind = NNPROG_REDUCE_SUM };
	struct nnfw_tensor in[2], out;
	double scratch[3];
	struct nnfw_op_ctx ctx = {
		.attrs = &a, .in = in, .num_in = 2, .out = &out, .num_out = 1, .scratch = scratch
	};

	in[0] = op_tensor(NNPROG_FLOAT32, DIMS(3, 5));
	in[1] = op_values(DIMS(1), axes);
	out = op_tensor(NNPROG_FLOAT32, DIMS(3));
	assert_int_equal(op->scratch(&ctx), sizeof(scratch));
	assert_int_equal(op->run(&ctx), 0);
	for (int32_t axis = -3; axis <= 2; axis++) {
		((int32_t *)in[1].data)[0] = axis;
		assert_int_equal(op->run(&ctx), axis == 1 || axis == -1 ? 0 : -EINVAL);
	}
	op_release();
}

TEST(test_arg_minmax)
{
	static const uint32_t types[] = { NNPROG_FLOAT32, NNPROG_FLOAT16, NNPROG_INT32,
					  NNPROG_UINT8, NNPROG_INT8 };

	op_seed(19);
	for (uint32_t round = 0; round < 400; round++) {
		uint32_t rank = op_random_range(1, 4), dims[4], axis = op_random(rank), at[8];
		struct nnprog_attr_arg_minmax a = { .axis = (int32_t)axis, .is_min = op_random(2) };
		struct op_test t = { .opcode = NNPROG_OP_ARG_MINMAX, .attrs = &a, .num_in = 1 };

		if (op_random(2))
			a.axis -= (int32_t)rank;
		for (uint32_t d = 0; d < rank; d++)
			dims[d] = op_random_range(1, 7);
		if (!op_random(3))
			dims[rank - 1] = op_random_range(20, 140);
		t.in[0] = op_tensor(types[round % 5], rank, dims);
		/* few values: many ties */
		for (uint64_t i = 0; op_random(2) && i < t.in[0].elements; i++)
			oracle_set_number(&t.in[0], i, op_random(3));
		t.out[0] = op_output(NNPROG_INT32, 0, 0);
		assert_int_equal(op_run(&t), 0);
		for (uint64_t i = 0; i < t.in[0].elements; i++) {
			uint32_t best = 0, own;
			double top = 0;

			oracle_unflat(rank, dims, i, at);
			own = at[axis];
			if (own)
				continue;
			for (uint32_t k = 0; k < dims[axis]; k++) {
				double v;

				at[axis] = k;
				v = oracle_number(&t.in[0], oracle_flat(rank, dims, at));
				v = a.is_min ? -v : v;
				if (!k || v > top) {
					top = v;
					best = k;
				}
			}
			at[axis] = 0;
			assert_int_equal(
				((int32_t *)t.out[0].data)[target(&t.in[0], 1u << axis, i)], best);
		}
		op_release();
	}
}

TEST(test_arg_minmax_refusals)
{
	struct nnprog_attr_arg_minmax a = { .axis = 2 };
	struct op_test t = { .opcode = NNPROG_OP_ARG_MINMAX, .attrs = &a, .num_in = 1 };

	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(2, 0));
	t.out[0] = op_output(NNPROG_INT32, 0, 0);
	for (a.axis = 0; a.axis < 2; a.axis++)
		assert_int_equal(op_run(&t), -EINVAL);
	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(2, 3));
	assert_int_equal(op_run(&t), -EINVAL);
	a.axis = 0;
	assert_int_equal(op_run(&t), 0);
	t.out[0].dtype = NNPROG_FLOAT32;
	assert_int_equal(op_run(&t), -EINVAL);
	a.is_min = 2;
	op_refused(&t);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reduce_random),	    cmocka_unit_test(test_reduce_edges),
		cmocka_unit_test(test_axes_changed),	    cmocka_unit_test(test_arg_minmax),
		cmocka_unit_test(test_arg_minmax_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
