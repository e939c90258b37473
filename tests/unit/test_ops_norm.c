// SPDX-License-Identifier: Apache-2.0
/*
 * L2_NORMALIZATION, LOCAL_RESPONSE_NORMALIZATION, INSTANCE_NORMALIZATION against definitions in
 * double.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "op_harness.h"
#include "oracle.h"
#include "test_case.h"

/* A random axis of a random shape; the axis may be counted from the end. */
static uint32_t random_along(struct op_test *t, uint32_t type, int32_t *axis)
{
	uint32_t rank = op_random_range(1, 4), dims[4], d = op_random(rank);

	for (uint32_t i = 0; i < rank; i++)
		dims[i] = op_random_range(1, 6);
	t->in[0] = op_tensor(type, rank, dims);
	*axis = (int32_t)d - (op_random(2) ? (int32_t)rank : 0);
	return d;
}

/* The element @k along the axis of the line through element @i. */
static uint64_t along(const struct nnfw_tensor *t, uint64_t i, uint32_t axis, uint32_t k,
		      uint32_t *own)
{
	uint32_t at[8];

	oracle_unflat(t->rank, t->dims, i, at);
	*own = at[axis];
	at[axis] = k;
	return oracle_flat(t->rank, t->dims, at);
}

TEST(test_l2_random)
{
	static const uint32_t types[] = { NNPROG_FLOAT32, NNPROG_FLOAT16, NNPROG_UINT8,
					  NNPROG_INT8 };

	op_seed(90);
	for (uint32_t round = 0; round < 600; round++) {
		uint32_t type = types[round % 4], axis, own;
		bool quant = round % 4 > 1;
		struct nnprog_attr_axis a = { 0, 0 };
		struct op_test t = { .opcode = NNPROG_OP_L2_NORMALIZATION,
				     .attrs = &a,
				     .num_in = 1 };
		double *want;

		axis = random_along(&t, type, &a.axis);
		if (quant)
			op_quantize(&t.in[0], (float)op_uniform(0.01, 1), op_zero_point(type));
		/* slices of zeros are not left to chance */
		for (uint64_t i = 0; i < t.in[0].elements; i++)
			if (!op_random(3))
				oracle_set_number(&t.in[0], i, t.in[0].zero_point);
		t.out[0] = op_output(type, quant ? 1.0f / 128 : 0, type == NNPROG_UINT8 ? 128 : 0);
		want = op_want(&t);
		for (uint64_t i = 0; i < t.out[0].elements; i++) {
			double x = oracle_number(&t.in[0], i) - t.in[0].zero_point, sum = 0, lo, hi;

			for (uint32_t k = 0; k < t.in[0].dims[axis]; k++) {
				double v =
					oracle_number(&t.in[0], along(&t.in[0], i, axis, k, &own)) -
					t.in[0].zero_point;

				sum += v * v;
			}
			if (!quant) {
				want[i] = x / fmax(sqrt(sum), 1e-6);
				continue;
			}
			oracle_code_range(&t.out[0], 0, &lo, &hi);
			want[i] = (sum > 0 ? oracle_round_even(x * 128 / sqrt(sum)) : 0) +
				  t.out[0].zero_point;
			want[i] = fmin(fmax(want[i], lo), hi);
		}
		op_compare(&t, want, "l2 normalization");
	}
}

/* Below a norm of 1e-6 the divisor stands still. */
TEST(test_l2_epsilon)
{
	struct nnprog_attr_axis a = { -1, 0 };
	struct op_test t = { .opcode = NNPROG_OP_L2_NORMALIZATION, .attrs = &a, .num_in = 1 };
	double want[] = { 0.3, -0.4, 0.6, 0.8 };

	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(2, 2));
	memcpy(t.in[0].data, (float[]){ 3e-7f, -4e-7f, 3e-6f, 4e-6f }, 16);
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	assert_int_equal(op_run(&t), 0);
	oracle_compare(&t.out[0], want, "epsilon");
	op_release();
}

TEST(test_l2_refusals)
{
	struct nnprog_attr_axis a = { 2, 0 };
	struct op_test t = { .opcode = NNPROG_OP_L2_NORMALIZATION, .attrs = &a, .num_in = 1 };

	t.in[0] = op_tensor(NNPROG_UINT8, DIMS(2, 3));
	op_quantize(&t.in[0], 0.5f, 3);
	t.out[0] = op_output(NNPROG_UINT8, 1.0f / 128, 128);
	assert_int_equal(op_run(&t), -EINVAL);
	a.axis = 1;
	assert_int_equal(op_run(&t), 0);
	t.out[0].zero_point = 127;
	assert_int_equal(op_run(&t), -EINVAL);
	t.out[0] = op_output(NNPROG_UINT8, 1.0f / 127, 128);
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(2, 0));
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	op_refused(&t);
}

TEST(test_lrn_random)
{
	op_seed(91);
	for (uint32_t round = 0; round < 300; round++) {
		uint32_t type = round & 1 ? NNPROG_FLOAT16 : NNPROG_FLOAT32, axis, own;
		struct nnprog_attr_lrn a = {
			.radius = op_random(10) ? op_random(5) : INT32_MAX,
			.bias = (float)op_uniform(0.5, 2),
			.alpha = (float)op_uniform(0, 2),
			.beta = (float)op_uniform(-1, 1),
		};
		struct op_test t = { .opcode = NNPROG_OP_LOCAL_RESPONSE_NORMALIZATION,
				     .attrs = &a,
				     .num_in = 1 };
		double *want;

		axis = random_along(&t, type, &a.axis);
		t.out[0] = op_output(type, 0, 0);
		want = op_want(&t);
		for (uint64_t i = 0; i < t.out[0].elements; i++) {
			double sum = 0;

			for (uint32_t k = 0; k < t.in[0].dims[axis]; k++) {
				double v =
					oracle_number(&t.in[0], along(&t.in[0], i, axis, k, &own));

				if (llabs((int64_t)k - own) <= (int64_t)a.radius)
					sum += v * v;
			}
			want[i] = oracle_number(&t.in[0], i) * pow(a.bias + a.alpha * sum, -a.beta);
		}
		op_compare(&t, want, "local response normalization");
	}
}

/*
 * Long lines with any radius, against sums afresh; and a cost that does not grow with the radius.
 */
TEST(test_lrn_radius)
{
	static const uint32_t radii[] = { 0, 1, 7, 99, 149, 150, 151, 299, 300, 301, INT32_MAX };
	struct nnprog_attr_lrn a = { .bias = 1, .alpha = 0.01f, .beta = 0.5f };
	struct op_test t = { .opcode = NNPROG_OP_LOCAL_RESPONSE_NORMALIZATION,
			     .attrs = &a,
			     .num_in = 1 };
	uint64_t ticks = 0;

	op_seed(92);
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	for (size_t r = 0; r < sizeof(radii) / sizeof(radii[0]); r++) {
		double *want;

		t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1, 300));
		/* a large value only affects its window: the rest is exact */
		oracle_set_number(&t.in[0], 40, 1e18);
		oracle_set_number(&t.in[0], 41, INFINITY);
		a.axis = 1;
		a.radius = radii[r];
		want = op_want(&t);
		for (int64_t i = 0; i < 300; i++) {
			double sum = 0;

			for (int64_t k = 0; k < 300; k++)
				if (llabs(k - i) <= (int64_t)a.radius)
					sum += oracle_number(&t.in[0], (uint64_t)k) *
					       oracle_number(&t.in[0], (uint64_t)k);
			want[i] = oracle_number(&t.in[0], (uint64_t)i) *
				  pow(a.bias + (double)a.alpha * sum, -0.5);
		}
		/* infinity times 0 */
		assert_true(isnan(oracle_number(&t.out[0], 41)));
		want[41] = 0;
		oracle_set_number(&t.out[0], 41, 0);
		op_compare(&t, want, "local response normalization, radius");
	}
	for (a.radius = 1; a.radius < 100000; a.radius *= 10) {
		t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1, 200000));
		assert_int_equal(op_run(&t), 0);
		assert_true(!ticks || t.ticks == ticks);
		ticks = t.ticks;
		op_release();
	}
	assert_true(ticks > 0);
}

TEST(test_lrn_refusals)
{
	struct nnprog_attr_lrn a = { .radius = (uint32_t)INT32_MAX + 1, .bias = 1 };
	struct op_test t = { .opcode = NNPROG_OP_LOCAL_RESPONSE_NORMALIZATION,
			     .attrs = &a,
			     .num_in = 1 };

	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(2, 3));
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	assert_int_equal(op_run(&t), -EINVAL);
	a.radius = 1;
	assert_int_equal(op_run(&t), 0);
	/* an infinity stays in its window */
	oracle_set_number(&t.in[0], 0, INFINITY);
	a.beta = 1;
	a.alpha = 1;
	assert_int_equal(op_run(&t), 0);
	assert_true(isfinite(oracle_number(&t.out[0], 2)) && oracle_number(&t.out[0], 2) != 0);
	a.axis = -3;
	assert_int_equal(op_run(&t), -EINVAL);
	a.axis = 0;
	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(0, 3));
	op_refused(&t);
}

TEST(test_instance_random)
{
	op_seed(92);
	for (uint32_t round = 0; round < 200; round++) {
		uint32_t type = round & 1 ? NNPROG_FLOAT16 : NNPROG_FLOAT32;
		uint32_t n = op_random_range(1, 3), h = op_random_range(1, 6),
			 w = op_random_range(1, 6), c = op_random_range(1, 6);
		struct nnprog_attr_instance_normalization a = {
			.gamma = (float)op_uniform(-2, 2),
			.beta = (float)op_uniform(-2, 2),
			.epsilon = (float)op_uniform(0.01, 0.5),
		};
		struct op_test t = { .opcode = NNPROG_OP_INSTANCE_NORMALIZATION,
				     .attrs = &a,
				     .num_in = 1 };
		double *want;

		t.in[0] = op_tensor(type, DIMS(n, h, w, c));
		t.out[0] = op_output(type, 0, 0);
		want = op_want(&t);
		for (uint64_t i = 0; i < t.out[0].elements; i++) {
			uint64_t first = i / (h * w * c) * (h * w * c) + i % c;
			double mean = 0, variance = 0;

			for (uint64_t k = 0; k < h * w; k++)
				mean += oracle_number(&t.in[0], first + k * c) / (h * w);
			for (uint64_t k = 0; k < h * w; k++)
				variance += pow(oracle_number(&t.in[0], first + k * c) - mean, 2) /
					    (h * w);
			want[i] = (oracle_number(&t.in[0], i) - mean) * a.gamma /
					  sqrt(variance + a.epsilon) +
				  a.beta;
		}
		op_compare(&t, want, "instance normalization");
	}
}

TEST(test_instance_refusals)
{
	struct nnprog_attr_instance_normalization a = { 1, 0, 0.1f, 0 };
	struct op_test t = { .opcode = NNPROG_OP_INSTANCE_NORMALIZATION, .attrs = &a, .num_in = 1 };

	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(2, 3, 3));
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(0, 3, 3, 1));
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1, 3, 3, 1));
	assert_int_equal(op_run(&t), 0);
	a.reserved = 1;
	op_refused(&t);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_l2_random),	cmocka_unit_test(test_l2_epsilon),
		cmocka_unit_test(test_l2_refusals),	cmocka_unit_test(test_lrn_random),
		cmocka_unit_test(test_lrn_radius),	cmocka_unit_test(test_lrn_refusals),
		cmocka_unit_test(test_instance_random), cmocka_unit_test(test_instance_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
