// SPDX-License-Identifier: Apache-2.0
/* BINARY, UNARY, SOFTMAX: every type and function against definitions in double. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "op_harness.h"
#include "oracle.h"
#include "test_case.h"

static double clamp_code(double code, const struct nnfw_tensor *out, uint32_t activation)
{
	double lo, hi;

	oracle_code_range(out, activation, &lo, &hi);
	return code < lo ? lo : code > hi ? hi : code;
}

/* ---- BINARY ---- */

/* Two shapes that broadcast: dims of the result, some replaced by 1, leading ones cut off. */
static void random_shapes(uint32_t *rank, uint32_t (*dims)[8])
{
	uint32_t n = op_random_range(1, 6), result[8];

	for (uint32_t i = 0; i < n; i++)
		result[i] = op_random(20) ? op_random_range(1, 6) : 0;
	/* beyond a vector, with a rest */
	if (n <= 3 && op_random(2))
		result[n - 1] = op_random_range(20, 300);
	for (int k = 0; k < 2; k++) {
		uint32_t cut = op_random(3) ? 0 : op_random(n + 1);

		rank[k] = n - cut;
		for (uint32_t i = 0; i < rank[k]; i++)
			dims[k][i] = op_random(3) ? result[cut + i] : 1;
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

static double binary_s32(uint32_t kind, double x, double y)
{
	double r = kind == NNPROG_BINARY_ADD   ? x + y
		   : kind == NNPROG_BINARY_SUB ? x - y
		   : kind == NNPROG_BINARY_MUL ? x * y
		   : y != 0		       ? floor(x / y)
					       : 0;

	/* two's complement */
	return (int32_t)(uint32_t)(uint64_t)(int64_t)r;
}

static double binary_want(const struct nnprog_attr_binary *a, const struct op_test *t, uint64_t i)
{
	const struct nnfw_tensor *out = &t->out[0];
	uint64_t ia = broadcast_index(&t->in[0], out, i), ib = broadcast_index(&t->in[1], out, i);
	double x = oracle_number(&t->in[0], ia), y = oracle_number(&t->in[1], ib);
	float ma, mb, px, py, sum;

	if (out->dtype == NNPROG_INT32)
		return binary_s32(a->kind, x, y);
	if (oracle_is_float(out))
		return oracle_activate(a->kind == NNPROG_BINARY_ADD   ? x + y
				       : a->kind == NNPROG_BINARY_SUB ? x - y
				       : a->kind == NNPROG_BINARY_MUL ? x * y
								      : x / y,
				       a->activation);
	x -= t->in[0].zero_point;
	y -= t->in[1].zero_point;
	if (a->kind == NNPROG_BINARY_MUL)
		return oracle_requantize((int64_t)(x * y), t->in[0].scale, t->in[1].scale, out,
					 a->activation);
	/* steps of the output, each product and the sum rounded to float */
	ma = (float)((double)t->in[0].scale / out->scale);
	mb = (float)((double)t->in[1].scale / out->scale);
	px = (float)(x * ma);
	py = (float)(y * mb);
	sum = (float)(a->kind == NNPROG_BINARY_ADD ? (double)px + py : (double)px - py);
	return clamp_code(oracle_round_even(sum) + out->zero_point, out, a->activation);
}

TEST(test_binary_random)
{
	static const uint32_t types[] = { NNPROG_FLOAT32, NNPROG_FLOAT16, NNPROG_INT32,
					  NNPROG_UINT8, NNPROG_INT8 };

	op_seed(7);
	for (uint32_t round = 0; round < 1000; round++) {
		uint32_t type = types[round % 5], rank[2], dims[2][8];
		bool quant = type == NNPROG_UINT8 || type == NNPROG_INT8;
		struct nnprog_attr_binary a = {
			.kind = op_random(quant ? 3 : 4),
			.activation = type == NNPROG_INT32 ? 0 : op_random(4),
		};
		struct op_test t = { .opcode = NNPROG_OP_BINARY, .attrs = &a, .num_in = 2 };
		double *want;

		random_shapes(rank, dims);
		for (int k = 0; k < 2; k++) {
			t.in[k] = op_tensor(type, rank[k], dims[k]);
			if (quant)
				op_quantize(&t.in[k], (float)op_uniform(0.01, 0.1),
					    op_zero_point(type));
		}
		/* quotients stay of the size that the tolerance is meant for */
		for (uint64_t i = 0; a.kind == NNPROG_BINARY_DIV && i < t.in[1].elements; i++) {
			double y = oracle_number(&t.in[1], i);

			if (oracle_is_float(&t.in[1]) && fabs(y) < 0.1)
				oracle_set_number(&t.in[1], i, 0.5);
		}
		t.out[0] = op_output(type, quant ? (float)op_uniform(0.01, 0.2) : 0,
				     op_zero_point(type));
		want = op_want(&t);
		for (uint64_t i = 0; i < t.out[0].elements; i++)
			want[i] = binary_want(&a, &t, i);
		op_compare(&t, want, "binary");
	}
}

TEST(test_binary_integers)
{
	static const int32_t x[] = { 7, -7, -7, 7, 5, INT32_MIN, INT32_MAX, 0 };
	static const int32_t y[] = { -2, 2, -2, 0, 2, -1, 1, 5 };
	static const int32_t div[] = { -4, -4, 3, 0, 2, INT32_MIN, INT32_MAX, 0 };
	struct nnprog_attr_binary a = { .kind = NNPROG_BINARY_DIV };
	struct op_test t = { .opcode = NNPROG_OP_BINARY, .attrs = &a, .num_in = 2 };

	t.in[0] = op_values(DIMS(8), x);
	t.in[1] = op_values(DIMS(8), y);
	t.out[0] = op_output(NNPROG_INT32, 0, 0);
	assert_int_equal(op_run(&t), 0);
	assert_memory_equal(t.out[0].data, div, sizeof(div));
	for (uint32_t kind = 0; kind < 3; kind++) {
		a.kind = kind;
		assert_int_equal(op_run(&t), 0);
		for (int i = 0; i < 8; i++)
			assert_int_equal(((int32_t *)t.out[0].data)[i],
					 (int32_t)binary_s32(kind, x[i], y[i]));
	}
	op_release();
}

TEST(test_binary_refusals)
{
	struct nnprog_attr_binary a = { .kind = NNPROG_BINARY_ADD };
	struct op_test t = { .opcode = NNPROG_OP_BINARY, .attrs = &a, .num_in = 2 };

	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(2, 3));
	t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(2));
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(0));
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[1] = op_tensor(NNPROG_FLOAT16, DIMS(3));
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(3));
	assert_int_equal(op_run(&t), 0);
	a.activation = 4;
	assert_int_equal(op_run(&t), -EINVAL);
	a.activation = 0;
	a.kind = NNPROG_BINARY_COUNT;
	assert_int_equal(op_run(&t), -EINVAL);
	a = (struct nnprog_attr_binary){ NNPROG_BINARY_ADD, NNPROG_ACT_RELU };
	t.in[0] = op_tensor(NNPROG_INT32, DIMS(2, 3));
	t.in[1] = op_tensor(NNPROG_INT32, DIMS(3));
	t.out[0] = op_output(NNPROG_INT32, 0, 0);
	op_refused(&t);
}

/* ---- UNARY ---- */

static double function(uint32_t kind, double alpha, double x)
{
	switch (kind) {
	case NNPROG_UNARY_RELU:
		return fmax(x, 0);
	case NNPROG_UNARY_RELU1:
		return fmin(fmax(x, -1), 1);
	case NNPROG_UNARY_RELU6:
		return fmin(fmax(x, 0), 6);
	case NNPROG_UNARY_LOGISTIC:
		return 1 / (1 + exp(-x));
	case NNPROG_UNARY_TANH:
		return tanh(x);
	case NNPROG_UNARY_ELU:
		return fmax(0, x) + fmin(0, alpha * (exp(x) - 1));
	case NNPROG_UNARY_HARD_SWISH:
		return x * fmin(fmax(x + 3, 0), 6) / 6;
	case NNPROG_UNARY_ABS:
		return fabs(x);
	case NNPROG_UNARY_NEG:
		return -x;
	case NNPROG_UNARY_FLOOR:
		return floor(x);
	case NNPROG_UNARY_EXP:
		return exp(x);
	case NNPROG_UNARY_LOG:
		return log(x);
	case NNPROG_UNARY_SIN:
		return sin(x);
	case NNPROG_UNARY_SQRT:
		return sqrt(x);
	case NNPROG_UNARY_RSQRT:
		return 1 / sqrt(x);
	default:
		return x == 0;
	}
}

TEST(test_unary_float)
{
	op_seed(8);
	for (uint32_t round = 0; round < 200; round++) {
		struct nnprog_attr_unary a = { .kind = round % NNPROG_UNARY_LOGICAL_NOT };
		struct op_test t = { .opcode = NNPROG_OP_UNARY, .attrs = &a, .num_in = 1 };
		uint32_t type = round % 2 ? NNPROG_FLOAT16 : NNPROG_FLOAT32;
		double *want;

		bool empty;

		if (a.kind == NNPROG_UNARY_ELU)
			a.alpha = (float)op_uniform(-1, 2);
		/* of these only activations take no elements */
		empty = a.kind <= NNPROG_UNARY_TANH || a.kind == NNPROG_UNARY_HARD_SWISH;
		t.in[0] = op_tensor(type, DIMS(op_random_range(0, 3), op_random_range(1, 40),
					       op_random_range(1, 9)));
		if (!t.in[0].elements && !empty) {
			t.out[0] = op_output(type, 0, 0);
			assert_int_equal(op_run(&t), -EINVAL);
			continue;
		}
		for (uint64_t i = 0; i < t.in[0].elements; i++) {
			double x = oracle_number(&t.in[0], i) * 4;

			if (a.kind == NNPROG_UNARY_LOG || a.kind == NNPROG_UNARY_SQRT ||
			    a.kind == NNPROG_UNARY_RSQRT)
				x = fabs(x) + 0.01;
			oracle_set_number(&t.in[0], i, x);
		}
		t.out[0] = op_output(type, 0, 0);
		want = op_want(&t);
		for (uint64_t i = 0; i < t.out[0].elements; i++)
			want[i] = function(a.kind, a.alpha, oracle_number(&t.in[0], i));
		op_compare(&t, want, "unary");
	}
}

/* All 256 codes through each quantized function. */
TEST(test_unary_quant)
{
	static const uint32_t functions[] = { NNPROG_UNARY_RELU,  NNPROG_UNARY_RELU1,
					      NNPROG_UNARY_RELU6, NNPROG_UNARY_LOGISTIC,
					      NNPROG_UNARY_TANH,  NNPROG_UNARY_HARD_SWISH,
					      NNPROG_UNARY_RSQRT };

	op_seed(9);
	for (uint32_t round = 0; round < 280; round++) {
		uint32_t type = round % 2 ? NNPROG_UINT8 : NNPROG_INT8;
		struct nnprog_attr_unary a = { .kind = functions[round / 2 % 7] };
		struct op_test t = { .opcode = NNPROG_OP_UNARY, .attrs = &a, .num_in = 1 };
		bool clamp = a.kind <= NNPROG_UNARY_RELU6;
		double *want;

		t.in[0] = op_tensor(type, DIMS(256));
		for (int i = 0; i < 256; i++)
			((uint8_t *)t.in[0].data)[i] = (uint8_t)i;
		op_quantize(&t.in[0], (float)op_uniform(0.005, 0.1), op_zero_point(type));
		t.out[0] = op_output(type, clamp ? t.in[0].scale : (float)op_uniform(0.004, 0.1),
				     clamp ? t.in[0].zero_point : op_zero_point(type));
		want = op_want(&t);
		for (uint64_t i = 0; i < 256; i++) {
			const struct nnfw_tensor *out = &t.out[0];
			double x = oracle_real(&t.in[0], i), y = function(a.kind, 0, x);

			if (clamp) {
				/* the fused activation's bounds, on codes */
				want[i] = clamp_code(oracle_number(&t.in[0], i), out,
						     a.kind + NNPROG_ACT_RELU);
			} else if (a.kind == NNPROG_UNARY_RSQRT) {
				/*
				 * dequantize, compute, quantize, in float; NaN and inf are the
				 * maximum
				 */
				float root = 1.0f / sqrtf((float)x);

				y = isnan(root) ? INFINITY
						: oracle_round_away((float)(root / out->scale));
				want[i] = clamp_code(y + out->zero_point, out, 0);
			} else {
				want[i] = clamp_code(oracle_round_even(y / out->scale) +
							     out->zero_point,
						     out, 0);
			}
		}
		op_compare(&t, want, "unary, 8 bits");
	}
}

TEST(test_unary_integers)
{
	static const int32_t x[] = { 0, 1, -1, INT32_MAX, INT32_MIN };
	static const uint8_t flags[] = { 0, 1, 2, 255 }, inverted[] = { 1, 0, 0, 0 };
	struct nnprog_attr_unary a = { .kind = NNPROG_UNARY_ABS };
	struct op_test t = { .opcode = NNPROG_OP_UNARY, .attrs = &a, .num_in = 1 };

	t.in[0] = op_values(DIMS(5), x);
	t.out[0] = op_output(NNPROG_INT32, 0, 0);
	assert_int_equal(op_run(&t), 0);
	assert_memory_equal(t.out[0].data, ((int32_t[]){ 0, 1, 1, INT32_MAX, INT32_MIN }), 20);
	a.kind = NNPROG_UNARY_NEG;
	assert_int_equal(op_run(&t), 0);
	assert_memory_equal(t.out[0].data, ((int32_t[]){ 0, -1, 1, -INT32_MAX, INT32_MIN }), 20);
	a.kind = NNPROG_UNARY_EXP;
	assert_int_equal(op_run(&t), -EINVAL);
	a.kind = NNPROG_UNARY_LOGICAL_NOT;
	t.in[0] = op_tensor(NNPROG_BOOL8, DIMS(4));
	memcpy(t.in[0].data, flags, sizeof(flags));
	t.out[0] = op_output(NNPROG_BOOL8, 0, 0);
	assert_int_equal(op_run(&t), 0);
	assert_memory_equal(t.out[0].data, inverted, sizeof(inverted));
	a.alpha = 1;
	op_refused(&t);
}

/* ---- SOFTMAX ---- */

static double softmax_want(const struct nnprog_attr_softmax *a, const struct op_test *t, uint64_t i)
{
	const struct nnfw_tensor *in = &t->in[0], *out = &t->out[0];
	uint32_t axis = (uint32_t)(a->axis < 0 ? a->axis + (int32_t)in->rank : a->axis), at[8];
	double max = -INFINITY, sum = 0, e = 0, r;
	uint32_t own;

	oracle_unflat(in->rank, in->dims, i, at);
	own = at[axis];
	for (uint32_t k = 0; k < in->dims[axis]; k++) {
		at[axis] = k;
		max = fmax(max, oracle_number(in, oracle_flat(in->rank, in->dims, at)));
	}
	for (uint32_t k = 0; k < in->dims[axis]; k++) {
		double d, v;

		at[axis] = k;
		d = oracle_number(in, oracle_flat(in->rank, in->dims, at)) - max;
		if (oracle_is_float(in))
			v = exp(d * a->beta);
		else
			v = oracle_round_even(exp(d * in->scale * a->beta) * 1073741824.0);
		sum += v;
		if (k == own)
			e = a->log ? d * a->beta : v;
	}
	if (oracle_is_float(in))
		return a->log ? e - log(sum) : e / sum;
	r = e * (1 / (sum * out->scale));
	return clamp_code(oracle_round_even(r) + out->zero_point, out, 0);
}

TEST(test_softmax_random)
{
	static const uint32_t types[] = { NNPROG_FLOAT32, NNPROG_FLOAT16, NNPROG_UINT8,
					  NNPROG_INT8 };

	op_seed(10);
	for (uint32_t round = 0; round < 300; round++) {
		uint32_t type = types[round % 4], rank = op_random_range(1, 4), dims[4];
		bool quant = round % 4 > 1;
		struct nnprog_attr_softmax a = { .beta = (float)op_uniform(0.1, 3) };
		struct op_test t = { .opcode = NNPROG_OP_SOFTMAX, .attrs = &a, .num_in = 1 };
		double *want;

		a.axis = (int32_t)op_random(2 * rank) - (int32_t)rank;
		a.log = !quant && op_random(2);
		for (uint32_t i = 0; i < rank; i++)
			dims[i] = op_random(15) ? op_random_range(1, 12) : 0;
		if (!op_random(4))
			dims[rank - 1] = op_random_range(60, 300);
		t.in[0] = op_tensor(type, rank, dims);
		if (quant)
			op_quantize(&t.in[0], (float)op_uniform(0.005, 0.2), op_zero_point(type));
		t.out[0] = op_output(type, quant ? 1 / 256.0f : 0, type == NNPROG_INT8 ? -128 : 0);
		if (a.log && !t.in[0].elements) {
			assert_int_equal(op_run(&t), -EINVAL);
			continue;
		}
		want = op_want(&t);
		for (uint64_t i = 0; i < t.out[0].elements; i++)
			want[i] = softmax_want(&a, &t, i);
		op_compare(&t, want, "softmax");
	}
}

TEST(test_softmax_refusals)
{
	static const float betas[] = { 0, -1, NAN, INFINITY };
	struct nnprog_attr_softmax a = { .beta = 1, .axis = -2 };
	struct op_test t = { .opcode = NNPROG_OP_SOFTMAX, .attrs = &a, .num_in = 1 };

	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(2, 3));
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	assert_int_equal(op_run(&t), 0);
	for (int i = 0; i < 4; i++) {
		a.beta = betas[i];
		assert_int_equal(op_run(&t), -EINVAL);
	}
	a.beta = 1;
	a.axis = 2;
	assert_int_equal(op_run(&t), -EINVAL);
	a.axis = -3;
	assert_int_equal(op_run(&t), -EINVAL);
	a.axis = 0;
	a.log = 2;
	assert_int_equal(op_run(&t), -EINVAL);
	a.log = 1;
	t.in[0] = op_tensor(NNPROG_UINT8, DIMS(2, 3));
	op_quantize(&t.in[0], 1, 0);
	t.out[0] = op_output(NNPROG_UINT8, 1 / 256.0f, 0);
	op_refused(&t);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_binary_random),	cmocka_unit_test(test_binary_integers),
		cmocka_unit_test(test_binary_refusals), cmocka_unit_test(test_unary_float),
		cmocka_unit_test(test_unary_quant),	cmocka_unit_test(test_unary_integers),
		cmocka_unit_test(test_softmax_random),	cmocka_unit_test(test_softmax_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
