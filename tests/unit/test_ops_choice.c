// SPDX-License-Identifier: Apache-2.0
/*
 * BINARY beyond arithmetic, COMPARE and SELECT: every type and function against definitions in
 * double.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "op_harness.h"
#include "oracle.h"
#include "test_case.h"

static bool is_quant(uint32_t type)
{
	return type == NNPROG_UINT8 || type == NNPROG_INT8;
}

/* Two shapes that broadcast: dims of the result, some replaced by 1, leading ones cut off. */
static void random_inputs(struct op_test *t, uint32_t type)
{
	uint32_t n = op_random_range(1, 6), result[8], dims[8];

	for (uint32_t i = 0; i < n; i++)
		result[i] = op_random_range(1, 6);
	for (int k = 0; k < 2; k++) {
		uint32_t cut = op_random(3) ? 0 : op_random(n + 1), rank = n - cut;

		for (uint32_t i = 0; i < rank; i++)
			dims[i] = op_random(3) ? result[cut + i] : 1;
		t->in[k] = op_tensor(type, rank, dims);
		if (is_quant(type))
			op_quantize(&t->in[k], (float)op_uniform(0.01, 0.1), op_zero_point(type));
	}
}

static uint64_t broadcast_index(const struct nnfw_tensor *t, const struct nnfw_tensor *out,
				uint64_t i)
{
	uint32_t at[8], own[8];

	oracle_unflat(out->rank, out->dims, i, at);
	for (uint32_t d = 0; d < t->rank; d++)
		own[d] = t->dims[d] == 1 ? 0 : at[out->rank - t->rank + d];
	return oracle_flat(t->rank, t->dims, own);
}

/*
 * The same real value as a code of @out: the float product, the rest in double, ties away from
 * zero.
 */
static double requantized(const struct nnfw_tensor *t, uint64_t i, const struct nnfw_tensor *out)
{
	float real = (float)((oracle_number(t, i) - t->zero_point) * t->scale);
	double code = oracle_round_away((double)real / out->scale + out->zero_point), lo, hi;

	oracle_code_range(out, 0, &lo, &hi);
	return code < lo ? lo : code > hi ? hi : code;
}

/* ---- BINARY ---- */

static double prelu_quant(const struct op_test *t, uint64_t ia, uint64_t ib)
{
	double x = oracle_number(&t->in[0], ia) - t->in[0].zero_point;
	double alpha = oracle_number(&t->in[1], ib) - t->in[1].zero_point;

	if (x >= 0)
		return oracle_requantize((int64_t)x, t->in[0].scale, 1, &t->out[0], 0);
	return oracle_requantize((int64_t)(x * alpha), t->in[0].scale, t->in[1].scale, &t->out[0],
				 0);
}

static double choice_want(uint32_t kind, const struct op_test *t, uint64_t i)
{
	const struct nnfw_tensor *out = &t->out[0];
	uint64_t ia = broadcast_index(&t->in[0], out, i), ib = broadcast_index(&t->in[1], out, i);
	double x = oracle_number(&t->in[0], ia), y = oracle_number(&t->in[1], ib);

	if (is_quant(out->dtype)) {
		if (kind == NNPROG_BINARY_PRELU)
			return prelu_quant(t, ia, ib);
		x = requantized(&t->in[0], ia, out);
		y = requantized(&t->in[1], ib, out);
	}
	switch (kind) {
	case NNPROG_BINARY_MAXIMUM:
		return fmax(x, y);
	case NNPROG_BINARY_MINIMUM:
		return fmin(x, y);
	case NNPROG_BINARY_POW:
		return pow(x, y);
	case NNPROG_BINARY_PRELU:
		return x < 0 ? x * y : x;
	case NNPROG_BINARY_AND:
		return x != 0 && y != 0;
	default:
		return x != 0 || y != 0;
	}
}

TEST(test_choice_random)
{
	static const struct {
		uint32_t kind, type;
	} cases[] = {
		{ NNPROG_BINARY_MAXIMUM, NNPROG_FLOAT32 },
		{ NNPROG_BINARY_MAXIMUM, NNPROG_FLOAT16 },
		{ NNPROG_BINARY_MAXIMUM, NNPROG_INT32 },
		{ NNPROG_BINARY_MAXIMUM, NNPROG_UINT8 },
		{ NNPROG_BINARY_MAXIMUM, NNPROG_INT8 },
		{ NNPROG_BINARY_MINIMUM, NNPROG_FLOAT32 },
		{ NNPROG_BINARY_MINIMUM, NNPROG_FLOAT16 },
		{ NNPROG_BINARY_MINIMUM, NNPROG_INT32 },
		{ NNPROG_BINARY_MINIMUM, NNPROG_UINT8 },
		{ NNPROG_BINARY_MINIMUM, NNPROG_INT8 },
		{ NNPROG_BINARY_POW, NNPROG_FLOAT32 },
		{ NNPROG_BINARY_POW, NNPROG_FLOAT16 },
		{ NNPROG_BINARY_PRELU, NNPROG_FLOAT32 },
		{ NNPROG_BINARY_PRELU, NNPROG_FLOAT16 },
		{ NNPROG_BINARY_PRELU, NNPROG_UINT8 },
		{ NNPROG_BINARY_PRELU, NNPROG_INT8 },
		{ NNPROG_BINARY_AND, NNPROG_BOOL8 },
		{ NNPROG_BINARY_OR, NNPROG_BOOL8 },
	};

	op_seed(60);
	for (uint32_t round = 0; round < 60 * 18; round++) {
		uint32_t type = cases[round % 18].type;
		struct nnprog_attr_binary a = { .kind = cases[round % 18].kind };
		struct op_test t = { .opcode = NNPROG_OP_BINARY, .attrs = &a, .num_in = 2 };
		double *want;

		random_inputs(&t, type);
		for (uint64_t i = 0; a.kind == NNPROG_BINARY_POW && i < t.in[0].elements; i++)
			oracle_set_number(&t.in[0], i, op_uniform(0.5, 2));
		t.out[0] = op_output(type, is_quant(type) ? (float)op_uniform(0.01, 0.2) : 0,
				     op_zero_point(type));
		want = op_want(&t);
		for (uint64_t i = 0; i < t.out[0].elements; i++)
			want[i] = choice_want(a.kind, &t, i);
		op_compare(&t, want, "choice");
	}
}

/*
 * Exact halves: of real values at twice the output's resolution; they go away from zero after the
 * zero point is added, and PRELU's, which follow the requantization rule, to even before.
 */
TEST(test_ties)
{
	static const int8_t x[] = { -5, -3, -1, 1, 3, 5 };
	static const int8_t maximum[] = { -3, -2, -1, 1, 2, 3 },
			    shifted[] = { 8, 9, 10, 11, 12, 13 };
	static const int8_t prelu[] = { 2, 2, 0, 0, 2, 2 };
	struct nnprog_attr_binary a = { .kind = NNPROG_BINARY_MAXIMUM };
	struct op_test t = { .opcode = NNPROG_OP_BINARY, .attrs = &a, .num_in = 2 };
	struct op_test s = { .opcode = NNPROG_OP_SELECT, .num_in = 3 };

	t.in[0] = op_tensor(NNPROG_INT8, DIMS(6));
	memcpy(t.in[0].data, x, sizeof(x));
	op_quantize(&t.in[0], 0.5f, 0);
	t.in[1] = op_tensor(NNPROG_INT8, DIMS(1));
	*(int8_t *)t.in[1].data = -128;
	op_quantize(&t.in[1], 0.5f, 0);
	t.out[0] = op_output(NNPROG_INT8, 1, 0);
	assert_int_equal(op_run(&t), 0);
	assert_memory_equal(t.out[0].data, maximum, sizeof(maximum));
	t.out[0] = op_output(NNPROG_INT8, 1, 10);
	assert_int_equal(op_run(&t), 0);
	assert_memory_equal(t.out[0].data, shifted, sizeof(shifted));
	s.in[0] = op_tensor(NNPROG_BOOL8, DIMS(6));
	memset(s.in[0].data, 1, 6);
	s.in[1] = s.in[2] = t.in[0];
	s.out[0] = op_output(NNPROG_INT8, 1, 0);
	assert_int_equal(op_run(&s), 0);
	assert_memory_equal(s.out[0].data, maximum, sizeof(maximum));
	/* alpha -1 */
	a.kind = NNPROG_BINARY_PRELU;
	*(int8_t *)t.in[1].data = -2;
	t.out[0] = op_output(NNPROG_INT8, 1, 0);
	assert_int_equal(op_run(&t), 0);
	assert_memory_equal(t.out[0].data, prelu, sizeof(prelu));
	op_release();
}

TEST(test_choice_refusals)
{
	static const struct {
		uint32_t kind, type;
	} bad[] = {
		{ NNPROG_BINARY_POW, NNPROG_INT32 },   { NNPROG_BINARY_POW, NNPROG_UINT8 },
		{ NNPROG_BINARY_PRELU, NNPROG_INT32 }, { NNPROG_BINARY_AND, NNPROG_INT32 },
		{ NNPROG_BINARY_OR, NNPROG_UINT8 },    { NNPROG_BINARY_MAXIMUM, NNPROG_BOOL8 },
		{ NNPROG_BINARY_ADD, NNPROG_BOOL8 },
	};
	struct nnprog_attr_binary a;
	struct op_test t = { .opcode = NNPROG_OP_BINARY, .attrs = &a, .num_in = 2 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		a = (struct nnprog_attr_binary){ .kind = bad[i].kind };
		t.in[0] = op_tensor(bad[i].type, DIMS(2));
		t.in[1] = op_tensor(bad[i].type, DIMS(2));
		t.out[0] = op_output(bad[i].type, 0, 0);
		for (int k = 0; k < 2 && is_quant(bad[i].type); k++)
			op_quantize(&t.in[k], 0.5f, 0);
		t.out[0].scale = t.in[0].scale;
		assert_int_equal(op_run(&t), -EINVAL);
	}
	/* no activation, no zero sizes */
	a = (struct nnprog_attr_binary){ NNPROG_BINARY_MAXIMUM, NNPROG_ACT_RELU };
	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(2, 0));
	t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(1));
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	assert_int_equal(op_run(&t), -EINVAL);
	a.activation = NNPROG_ACT_NONE;
	assert_int_equal(op_run(&t), -EINVAL);
	assert_non_null(strstr(t.error, "no elements"));
	a.kind = NNPROG_BINARY_ADD;
	assert_int_equal(op_run(&t), 0);
	/* 8 bits need scales */
	a.kind = NNPROG_BINARY_MINIMUM;
	t.in[0] = op_tensor(NNPROG_UINT8, DIMS(2));
	t.in[1] = op_tensor(NNPROG_UINT8, DIMS(2));
	t.out[0] = op_output(NNPROG_UINT8, 0.5f, 0);
	op_refused(&t);
}

/* ---- COMPARE ---- */

static bool holds(uint32_t kind, double x, double y)
{
	switch (kind) {
	case NNPROG_COMPARE_EQUAL:
		return x == y;
	case NNPROG_COMPARE_NOT_EQUAL:
		return !(x == y);
	case NNPROG_COMPARE_GREATER:
		return x > y;
	case NNPROG_COMPARE_GREATER_EQUAL:
		return x >= y;
	case NNPROG_COMPARE_LESS:
		return x < y;
	default:
		return x <= y;
	}
}

static double comparable(const struct nnfw_tensor *t, uint64_t i)
{
	double v = oracle_number(t, i);

	if (t->dtype == NNPROG_BOOL8)
		return v != 0;
	return is_quant(t->dtype) ? (double)(float)((v - t->zero_point) * t->scale) : v;
}

TEST(test_compare_random)
{
	static const uint32_t types[] = { NNPROG_FLOAT32, NNPROG_FLOAT16, NNPROG_INT32,
					  NNPROG_UINT8,	  NNPROG_INT8,	  NNPROG_BOOL8 };

	op_seed(61);
	for (uint32_t round = 0; round < 1080; round++) {
		uint32_t type = types[round % 6];
		struct nnprog_attr_compare a = { .kind = round / 6 % 6 };
		struct op_test t = { .opcode = NNPROG_OP_COMPARE, .attrs = &a, .num_in = 2 };
		double *want;

		random_inputs(&t, type);
		/*
		 * equal ones are not left to chance; powers of two make codes of two tensors meet
		 */
		for (int k = 0; k < 2; k++) {
			for (uint64_t i = 0; i < t.in[k].elements && type != NNPROG_BOOL8; i++)
				oracle_set_number(&t.in[k], i, op_random(5));
			if (is_quant(type))
				op_quantize(&t.in[k], op_random(2) ? 0.5f : 0.25f,
					    (int32_t)op_random(4));
		}
		t.out[0] = op_output(NNPROG_BOOL8, 0, 0);
		want = op_want(&t);
		for (uint64_t i = 0; i < t.out[0].elements; i++)
			want[i] = holds(
				a.kind,
				comparable(&t.in[0], broadcast_index(&t.in[0], &t.out[0], i)),
				comparable(&t.in[1], broadcast_index(&t.in[1], &t.out[0], i)));
		op_compare(&t, want, "compare");
	}
}

TEST(test_compare_nan)
{
	static const uint8_t want[6] = { 0, 1, 0, 0, 0, 0 };
	struct nnprog_attr_compare a = { 0 };
	struct op_test t = { .opcode = NNPROG_OP_COMPARE, .attrs = &a, .num_in = 2 };

	for (uint32_t type = NNPROG_FLOAT32; type <= NNPROG_FLOAT16; type++) {
		t.in[0] = op_tensor(type, DIMS(1));
		t.in[1] = op_tensor(type, DIMS(1));
		t.out[0] = op_output(NNPROG_BOOL8, 0, 0);
		oracle_set_number(&t.in[0], 0, NAN);
		for (a.kind = 0; a.kind < 6; a.kind++) {
			assert_int_equal(op_run(&t), 0);
			assert_int_equal(*(uint8_t *)t.out[0].data, want[a.kind]);
		}
	}
	assert_int_equal(op_run(&t), -EINVAL);
	a = (struct nnprog_attr_compare){ 0 };
	t.out[0].dtype = NNPROG_UINT8;
	assert_int_equal(op_run(&t), -EINVAL);
	t.out[0].dtype = NNPROG_BOOL8;
	t.in[1] = op_tensor(NNPROG_FLOAT16, DIMS(0));
	op_refused(&t);
}

/* ---- SELECT ---- */

TEST(test_select_random)
{
	op_seed(62);
	for (uint32_t round = 0; round < 450; round++) {
		uint32_t type = round % NNPROG_DTYPE_COUNT, rank = op_random_range(1, 5), dims[5];
		struct op_test t = { .opcode = NNPROG_OP_SELECT, .num_in = 3 };

		for (uint32_t d = 0; d < rank; d++)
			dims[d] = op_random_range(1, 5);
		t.in[0] = op_tensor(NNPROG_BOOL8, rank, dims);
		for (int k = 1; k < 3; k++) {
			t.in[k] = op_tensor(type, rank, dims);
			if (is_quant(type))
				op_quantize(&t.in[k], (float)op_uniform(0.01, 0.1),
					    op_zero_point(type));
		}
		t.out[0] = op_output(type, is_quant(type) ? (float)op_uniform(0.01, 0.2) : 0,
				     op_zero_point(type));
		if (is_quant(type) && op_random(2))
			t.out[0] = op_output(type, t.in[1].scale, t.in[1].zero_point);
		assert_int_equal(op_run(&t), 0);
		for (uint64_t i = 0; i < t.out[0].elements; i++) {
			const struct nnfw_tensor *from =
				&t.in[((uint8_t *)t.in[0].data)[i] ? 1 : 2];
			double want = is_quant(type) ? requantized(from, i, &t.out[0])
						     : oracle_number(from, i);
			double got = oracle_number(&t.out[0], i);

			assert_true(got == want || (isnan(got) && isnan(want)));
		}
		op_release();
	}
}

TEST(test_select_refusals)
{
	struct op_test t = { .opcode = NNPROG_OP_SELECT, .num_in = 3 };

	t.in[0] = op_tensor(NNPROG_BOOL8, DIMS(2, 3));
	t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(2, 3));
	t.in[2] = op_tensor(NNPROG_FLOAT32, DIMS(2, 3));
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	assert_int_equal(op_run(&t), 0);
	t.in[2] = op_tensor(NNPROG_FLOAT32, DIMS(1, 3));
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[2] = op_tensor(NNPROG_FLOAT16, DIMS(2, 3));
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[2] = op_tensor(NNPROG_FLOAT32, DIMS(2, 3));
	t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(3));
	assert_int_equal(op_run(&t), -EINVAL);
	for (int k = 0; k < 3; k++)
		t.in[k] = op_tensor(k ? NNPROG_FLOAT32 : NNPROG_BOOL8, DIMS(2, 0));
	op_refused(&t);
}

TEST(test_cancel)
{
	struct nnprog_attr_compare a = { 0 };
	struct op_test t = { .opcode = NNPROG_OP_COMPARE, .attrs = &a, .num_in = 2 };

	t.in[0] = op_tensor(NNPROG_INT32, DIMS(1, 300000));
	t.in[1] = op_tensor(NNPROG_INT32, DIMS(1));
	t.out[0] = op_output(NNPROG_BOOL8, 0, 0);
	assert_int_equal(op_run(&t), 0);
	assert_true(t.ticks >= 3);
	op_cancel_at(2);
	assert_int_equal(op_run(&t), -ECANCELED);
	op_cancel_at(0);
	op_release();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choice_random),
		cmocka_unit_test(test_choice_refusals),
		cmocka_unit_test(test_ties),
		cmocka_unit_test(test_compare_random),
		cmocka_unit_test(test_compare_nan),
		cmocka_unit_test(test_select_random),
		cmocka_unit_test(test_select_refusals),
		cmocka_unit_test(test_cancel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
