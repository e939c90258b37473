// SPDX-License-Identifier: Apache-2.0
/* CONVERT between every pair of types, float16 exhaustively, rounding and saturation. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "op_harness.h"
#include "oracle.h"
#include "test_case.h"

static void type_range(uint32_t dtype, double *lo, double *hi)
{
	static const double ranges[NNPROG_DTYPE_COUNT][2] = {
		[NNPROG_INT32] = { INT32_MIN, INT32_MAX },
		[NNPROG_UINT32] = { 0, UINT32_MAX },
		[NNPROG_BOOL8] = { 0, 1 },
		[NNPROG_UINT8] = { 0, 255 },
		[NNPROG_INT8] = { -128, 127 },
		[NNPROG_INT16] = { -32768, 32767 },
		[NNPROG_UINT16] = { 0, 65535 },
	};

	*lo = ranges[dtype][0];
	*hi = ranges[dtype][1];
}

static double saturate(uint32_t dtype, double v)
{
	double lo, hi;

	type_range(dtype, &lo, &hi);
	return v < lo ? lo : v > hi ? hi : v;
}

/* Numbers about the limits of every type, as far as the input type has them. */
static void interesting(struct nnfw_tensor *t)
{
	static const double values[] = {
		0,     -0.0, 0.5, -0.5,	 1.5, 2.5,  -1.5, 127.5, 128,	-128,	-129,	  255,
		255.5, 256,  -1,  65535, 3e9, -3e9, 1e-5, 7.99,	 32768, -32769, INFINITY, -INFINITY
	};

	if (!oracle_is_float(t))
		return;
	for (uint64_t i = 0; i < t->elements && i < sizeof(values) / sizeof(values[0]); i++)
		oracle_set_number(t, i, values[i]);
}

TEST(test_cast)
{
	op_seed(11);
	for (uint32_t from = 0; from < NNPROG_DTYPE_COUNT; from++) {
		for (uint32_t to = 0; to < NNPROG_DTYPE_COUNT; to++) {
			struct nnprog_attr_convert a = { .kind = NNPROG_CONVERT_CAST };
			struct op_test t = { .opcode = NNPROG_OP_CONVERT,
					     .attrs = &a,
					     .num_in = 1 };
			double want[600];

			t.in[0] = op_tensor(from, DIMS(2, 300));
			interesting(&t.in[0]);
			/* quantization plays no part */
			if (from == NNPROG_UINT8)
				op_quantize(&t.in[0], 0.25f, 7);
			t.out[0] = op_output(to, 0, 0);
			assert_int_equal(op_run(&t), 0);
			for (uint64_t i = 0; i < t.out[0].elements; i++) {
				double v = oracle_number(&t.in[0], i);

				if (from == NNPROG_BOOL8)
					v = v != 0;
				if (to == NNPROG_BOOL8)
					v = v != 0;
				else if (to == NNPROG_FLOAT32 || to == NNPROG_FLOAT16)
					v = to == NNPROG_FLOAT16 && fabs(v) >= 65520
						    ? copysign(INFINITY, v)
						    : v;
				else
					v = trunc(saturate(to, v));
				want[i] = v;
			}
			oracle_compare(&t.out[0], want, "cast");
			op_release();
		}
	}
}

TEST(test_cast_nan)
{
	static const uint32_t types[] = { NNPROG_INT32, NNPROG_UINT8, NNPROG_INT8, NNPROG_UINT16 };
	struct nnprog_attr_convert a = { .kind = NNPROG_CONVERT_CAST };
	struct op_test t = { .opcode = NNPROG_OP_CONVERT, .attrs = &a, .num_in = 1 };

	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1));
	*(float *)t.in[0].data = NAN;
	for (int i = 0; i < 4; i++) {
		t.out[0] = op_output(types[i], 0, 0);
		assert_int_equal(op_run(&t), 0);
		assert_true(oracle_number(&t.out[0], 0) == 0);
	}
	op_release();
}

static bool is_float(uint32_t dtype)
{
	return dtype == NNPROG_FLOAT32 || dtype == NNPROG_FLOAT16;
}

static double real_want(const struct nnfw_tensor *in, const struct nnfw_tensor *out, uint64_t i)
{
	double q = oracle_number(in, i), v;
	float step = out->scale > 0 ? out->scale : 1, in_step = in->scale > 0 ? in->scale : 1;

	if (in->num_scales) {
		uint32_t at[8];

		oracle_unflat(in->rank, in->dims, i, at);
		in_step = in->scales[at[in->channel_dim]];
	}
	if (is_float(in->dtype)) {
		if (is_float(out->dtype))
			return q;
		/* the quotient of two floats, rounded to float */
		v = oracle_round_away((float)((float)q / step)) + out->zero_point;
	} else {
		/* a float product, as the reference has it */
		float real = (float)(q - in->zero_point) * in_step;

		if (is_float(out->dtype))
			return real;
		v = oracle_round_away((double)real / step + out->zero_point);
	}
	return saturate(out->dtype, v);
}

TEST(test_real)
{
	static const uint32_t types[] = { NNPROG_FLOAT32, NNPROG_FLOAT16, NNPROG_UINT8, NNPROG_INT8,
					  NNPROG_INT16,	  NNPROG_UINT16,  NNPROG_INT32 };

	op_seed(12);
	for (uint32_t round = 0; round < 7 * 7 * 12; round++) {
		struct nnprog_attr_convert a = { .kind = NNPROG_CONVERT_REAL };
		struct op_test t = { .opcode = NNPROG_OP_CONVERT, .attrs = &a, .num_in = 1 };
		uint32_t from = types[round % 7], to = types[round / 7 % 7];
		double want[600];

		t.in[0] = op_tensor(from, DIMS(6, 50, 2));
		t.out[0] = op_output(to, 0, 0);
		if (!is_float(from) && (from != NNPROG_INT32 || op_random(2)))
			op_quantize(&t.in[0], (float)op_uniform(0.002, 0.1),
				    from == NNPROG_INT32 ? 0 : op_zero_point(from));
		if (from == NNPROG_INT8 && op_random(3) == 0)
			op_quantize_channels(&t.in[0], op_random(3), 0.03f);
		if (!is_float(to) && (to != NNPROG_INT32 || op_random(2)))
			op_quantize(&t.out[0], (float)op_uniform(0.002, 0.1),
				    to == NNPROG_INT32 ? 0 : op_zero_point(to));
		interesting(&t.in[0]);
		assert_int_equal(op_run(&t), 0);
		for (uint64_t i = 0; i < t.out[0].elements; i++) {
			want[i] = real_want(&t.in[0], &t.out[0], i);
			if (to == NNPROG_FLOAT16 && fabs(want[i]) >= 65520)
				want[i] = copysign(INFINITY, want[i]);
		}
		oracle_compare(&t.out[0], want, "convert");
		op_release();
	}
}

/* QUANTIZE rounds halves away from zero, and saturates infinities. */
TEST(test_quantize_ties)
{
	static const float x[] = { 0.25f,	0.75f,	  -0.25f,    -0.75f,
				   0.24999999f, INFINITY, -INFINITY, 1e30f };
	static const int8_t want[] = { 11, 12, 9, 8, 10, 127, -128, 127 };
	struct nnprog_attr_convert a = { .kind = NNPROG_CONVERT_REAL };
	struct op_test t = { .opcode = NNPROG_OP_CONVERT, .attrs = &a, .num_in = 1 };

	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(8));
	memcpy(t.in[0].data, x, sizeof(x));
	t.out[0] = op_output(NNPROG_INT8, 0.5f, 10);
	assert_int_equal(op_run(&t), 0);
	assert_memory_equal(t.out[0].data, want, sizeof(want));
	op_release();
}

/* Every half to float and back; every float pattern of a sample to half as the oracle says. */
TEST(test_half)
{
	struct nnprog_attr_convert a = { .kind = NNPROG_CONVERT_REAL };
	struct op_test t = { .opcode = NNPROG_OP_CONVERT, .attrs = &a, .num_in = 1 }, back;
	uint16_t *h;

	op_seed(13);
	t.in[0] = op_tensor(NNPROG_FLOAT16, DIMS(65536));
	h = t.in[0].data;
	for (uint32_t i = 0; i < 65536; i++)
		h[i] = (uint16_t)i;
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	assert_int_equal(op_run(&t), 0);
	back = t;
	back.in[0] = t.out[0];
	back.out[0] = op_output(NNPROG_FLOAT16, 0, 0);
	assert_int_equal(op_run(&back), 0);
	for (uint32_t i = 0; i < 65536; i++) {
		double v = oracle_number(&t.in[0], i);
		float f = ((float *)t.out[0].data)[i];

		if (isnan(v)) {
			assert_true(isnan(f) && isnan(oracle_number(&back.out[0], i)));
			continue;
		}
		assert_true((double)f == v && !signbit(f) == !signbit(v));
		assert_int_equal(((uint16_t *)back.out[0].data)[i], i);
	}
	op_release();

	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(200000));
	for (uint32_t i = 0; i < 200000; i++) {
		/* exponents about the range of halves, mantissas near ties */
		uint32_t bits = op_random(2) << 31 | (100 + op_random(46)) << 23 |
				op_random(1024) << 13;

		bits |= op_random(3) == 0 ? 0x1000 : op_random(0x2000);
		memcpy((float *)t.in[0].data + i, &bits, sizeof(bits));
	}
	t.out[0] = op_output(NNPROG_FLOAT16, 0, 0);
	assert_int_equal(op_run(&t), 0);
	back.in[0] = op_tensor(NNPROG_FLOAT16, DIMS(1));
	for (uint32_t i = 0; i < 200000; i++) {
		oracle_set_number(&back.in[0], 0, ((float *)t.in[0].data)[i]);
		assert_int_equal(((uint16_t *)t.out[0].data)[i], *(uint16_t *)back.in[0].data);
	}
	op_release();
}

TEST(test_refusals)
{
	struct nnprog_attr_convert a = { .kind = NNPROG_CONVERT_REAL };
	struct op_test t = { .opcode = NNPROG_OP_CONVERT, .attrs = &a, .num_in = 1 };

	/* no real value without a scale */
	t.in[0] = op_tensor(NNPROG_UINT8, DIMS(4));
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	assert_int_equal(op_run(&t), -EINVAL);
	t.out[0] = op_output(NNPROG_UINT8, 0, 0);
	assert_int_equal(op_run(&t), 0);
	t.in[0] = op_tensor(NNPROG_BOOL8, DIMS(4));
	assert_int_equal(op_run(&t), -EINVAL);
	a.kind = NNPROG_CONVERT_CAST;
	assert_int_equal(op_run(&t), 0);
	a.kind = NNPROG_CONVERT_COUNT;
	assert_int_equal(op_run(&t), -EINVAL);
	/* the bytes as they are, of one type */
	a.kind = NNPROG_CONVERT_RELABEL;
	assert_int_equal(op_run(&t), -EINVAL);
	for (uint32_t type = 0; type < NNPROG_DTYPE_COUNT; type++) {
		t.in[0] = op_tensor(type, DIMS(3, 5));
		t.out[0] = op_output(type, 0, 0);
		if (type == NNPROG_UINT8 || type == NNPROG_INT8 || type == NNPROG_INT16 ||
		    type == NNPROG_UINT16) {
			op_quantize(&t.in[0], 0.5f, 0);
			t.out[0] = op_output(type, 0.125f, 3);
		}
		assert_int_equal(op_run(&t), 0);
		assert_memory_equal(t.out[0].data, t.in[0].data, t.in[0].size);
	}
	t.in[0] = op_tensor(NNPROG_UINT8, DIMS(3, 0));
	t.out[0] = op_output(NNPROG_UINT8, 0, 0);
	assert_int_equal(op_run(&t), 0);
	a.kind = NNPROG_CONVERT_CAST;
	op_refused(&t);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cast), cmocka_unit_test(test_cast_nan),
		cmocka_unit_test(test_real), cmocka_unit_test(test_quantize_ties),
		cmocka_unit_test(test_half), cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
