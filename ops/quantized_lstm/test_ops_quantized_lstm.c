// SPDX-License-Identifier: Apache-2.0
/*
 * QUANTIZED_LSTM and QUANTIZED_16BIT_LSTM, bit for bit, against the recipes written with rounded
 * quotients of doubles (every product of 16-bit numbers is exact there) in place of shifts.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "isa/isa.h"
#include "kernels/requant.h"
#include "op_harness.h"
#include "oracle.h"
#include "q8_dot/q8_dot.h"
#include "test_case.h"

#define MAX 16

static double saturate(double x, double lo, double hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

static double sat16(double x)
{
	return saturate(x, -32768, 32767);
}

/* A product of 16-bit fractions: ties up. */
static double times(double a, double b)
{
	return sat16(floor(a * b / 32768 + 0.5));
}

static double divide(double x, int e)
{
	return oracle_round_away(ldexp(x, -e));
}

static double upper(double constant)
{
	return oracle_round_away(constant / 65536);
}

static double wrap16(double x)
{
	double w = fmod(x + 32768, 65536);

	return (w < 0 ? w + 65536 : w) - 32768;
}

static double series(double a)
{
	double c = upper(1895147668), x = a + 4096, x2 = times(x, x), x3 = times(x2, x),
	       x4 = times(x2, x2);
	double sum = divide(times(divide(x4, 2) + x3, upper(715827883)) + x2, 1);

	return sat16(c + times(c, x + sum));
}

/* @a <= 0 of @bits integer bits. */
static double exponential(double a, int bits)
{
	static const double powers[] = { 1672461947, 1302514674, 790015084, 290630308,
					 39332535,   720401,	 242 };
	double quarter = ldexp(1, 13 - bits), part, rest, result;

	if (a == 0)
		return 32767;
	if (bits > 5 && a < -32 * ldexp(1, 15 - bits))
		return 0;
	part = a - floor(a / quarter) * quarter - quarter;
	rest = part - a;
	result = series(ldexp(part, bits));
	for (int e = -2; e < bits && e <= 4; e++) {
		if (fmod(floor(rest / ldexp(1, 15 - bits + e)), 2) == 1)
			result = times(result, upper(powers[e + 2]));
	}
	return result;
}

static double newton(double x)
{
	double half = floor((x + 32767 + 1) / 2),
	       y = upper(1515870810) + times(half, upper(-1010580540));

	for (int i = 0; i < 3; i++)
		y = wrap16(y + sat16(4 * times(y, 8192 - times(half, y))));
	return y;
}

static double logistic(double a)
{
	double positive;

	if (a == 0)
		return 16384;
	positive = sat16(2 * newton(exponential(-fabs(a), 3)));
	return a > 0 ? positive : 32767 - positive;
}

static double hyperbolic(double a, int bits)
{
	double t;

	if (a == 0)
		return 0;
	t = sat16(4 * (newton(exponential(-fabs(a), bits + 1)) - 8192));
	return a < 0 ? -t : t;
}

/* A real multiplier in 31 bits: ties up, then the shift with ties away from zero. */
static double scaled(double x, double real)
{
	int e;
	double q = oracle_round_away(ldexp(frexp(real, &e), 31)), left = e > 0 ? ldexp(x, e) : x;
	/* 31 by 31 bits: exact in long double */
	long double high = floorl((long double)left * (long double)q / 2147483648.0L + 0.5L);

	return e < 0 ? divide((double)high, -e) : (double)high;
}

static void test_functions(void **unused)
{
	(void)unused;
	for (int a = -32768; a <= 32767; a++) {
		double real = 32768 / (1 + exp(-a / 4096.0));

		assert_int_equal(nnfw_logistic16((int16_t)a), (int)logistic(a));
		assert_true(fabs(nnfw_logistic16((int16_t)a) - real) <= 14);
		for (int bits = 0; bits <= 6; bits++) {
			int got = nnfw_tanh16((int16_t)a, bits);

			real = 32768 * tanh(ldexp(a, bits - 15));
			assert_int_equal(got, (int)hyperbolic(a, bits));
			assert_true(fabs(got - real) <= 40);
		}
	}
	/* rounding */
	assert_int_equal(nnfw_multiply(105, nnfw_multiplier_of(0.1)), 11);
	assert_int_equal(nnfw_multiply(-105, nnfw_multiplier_of(0.1)), -11);
	assert_int_equal(nnfw_multiply(5, nnfw_multiplier_of(0.1)), 1);
	assert_int_equal(nnfw_multiply(-5, nnfw_multiplier_of(0.1)), -1);
	assert_int_equal(nnfw_multiply(15, nnfw_multiplier_of(0.1)), 2);
	assert_int_equal(nnfw_multiply(3, nnfw_multiplier_of(0.5)), 2);
	assert_int_equal(nnfw_multiply(-3, nnfw_multiplier_of(0.5)), -1);
	assert_int_equal(nnfw_multiply(2, nnfw_multiplier_of(1.5)), 3);
	for (int32_t v = 2; v < 1 << 30; v += v / 3 + 1) {
		struct nnfw_multiplier m = nnfw_inverse_sqrt(v);

		assert_true(fabs(ldexp(m.q, m.shift - 31) * sqrt(v) - 1) < 1e-4);
	}
	assert_int_equal(nnfw_inverse_sqrt(1).q, INT32_MAX);
	assert_int_equal(nnfw_inverse_sqrt(-5).shift, 0);
}

/* ---- QUANTIZED_LSTM ---- */

struct form {
	uint32_t batch, input, units, output;
	bool cifg, peephole, projection, projection_bias, layer_norm;
};

static struct nnfw_tensor quantized(struct nnfw_tensor t, float scale, int32_t zero_point)
{
	op_quantize(&t, scale, zero_point);
	return t;
}

static void make(struct op_test *t, const struct form *f)
{
	uint32_t u = f->units, o = f->output;

	for (int k = 0; k < 24; k++)
		t->in[k] = op_omitted();
	t->in[0] = quantized(op_tensor(NNPROG_INT8, DIMS(f->batch, f->input)), 0.0078f,
			     (int)op_random(20) - 10);
	for (uint32_t g = f->cifg; g < 4; g++) {
		t->in[1 + g] = quantized(op_tensor(NNPROG_INT8, DIMS(u, f->input)),
					 (float)op_uniform(0.004, 0.01), 0);
		t->in[5 + g] = quantized(op_tensor(NNPROG_INT8, DIMS(u, o)),
					 (float)op_uniform(0.004, 0.01), 0);
		t->in[12 + g] = op_tensor(NNPROG_INT32, DIMS(u));
		if (f->layer_norm)
			t->in[20 + g] = quantized(op_tensor(NNPROG_INT16, DIMS(u)), 3e-5f, 0);
		if (f->peephole && g != 2)
			t->in[g == 3 ? 11 : 9 + g] = quantized(op_tensor(NNPROG_INT16, DIMS(u)),
							       (float)op_uniform(1e-5, 4e-5), 0);
	}
	if (f->projection)
		t->in[16] = quantized(op_tensor(NNPROG_INT8, DIMS(o, u)),
				      (float)op_uniform(0.004, 0.01), 0);
	if (f->projection_bias)
		t->in[17] = op_tensor(NNPROG_INT32, DIMS(o));
	t->in[18] = quantized(op_tensor(NNPROG_INT8, DIMS(f->batch, o)), 0.0078f,
			      (int)op_random(20) - 10);
	/* a power of two within 1e-3 of its logarithm */
	t->in[19] = quantized(op_tensor(NNPROG_INT16, DIMS(f->batch, u)),
			      ldexpf(1.0003f, -9 - (int)op_random(7)), 0);
	t->out[0] = t->out[2] = op_output(NNPROG_INT8, t->in[18].scale, t->in[18].zero_point);
	t->out[1] = op_output(NNPROG_INT16, t->in[19].scale, 0);
}

static void normalize(const struct op_test *t, uint32_t g, uint32_t units, double *v)
{
	double scale = (double)t->in[20 + g].scale, mean, variance, sum = 0, squares = 0;
	struct nnfw_multiplier inverse;

	for (uint32_t u = 0; u < units; u++) {
		sum += v[u];
		squares += v[u] * v[u];
	}
	mean = trunc(sum * 1024 / units);
	variance = trunc((squares * trunc(1048576.0 / units) - mean * mean) / 1048576);
	if (variance < 1)
		variance = fmin(1, trunc(10000 * scale));
	inverse = nnfw_inverse_sqrt((int32_t)variance);
	for (uint32_t u = 0; u < units; u++) {
		/* the pair is not a normalized one: its own quotients */
		long double high = floorl(
			(long double)(1024 * v[u] - mean) * inverse.q / 2147483648.0L + 0.5L);
		double r = divide((double)high, -inverse.shift);

		r = r * oracle_number(&t->in[20 + g], u) + oracle_number(&t->in[12 + g], u);
		r = trunc((r > 0 ? r + 512 : r - 512) / 1024);
		v[u] = sat16(scaled(r, ldexp(scale, 12)));
	}
}

/* One gate of one batch row, before its function. */
static void gate(const struct op_test *t, const struct form *f,
		 const struct nnprog_attr_quantized_lstm *a, uint32_t b, uint32_t g,
		 const double *cell, double *v)
{
	static const int peepholes[] = { 9, 10, 0, 11 };
	float inter = a->intermediate[g];
	int s = (int)round(log2((double)t->in[19].scale));

	for (uint32_t u = 0; u < f->units; u++) {
		double x = 0, h = 0;

		for (uint32_t i = 0; i < f->input; i++)
			x += (oracle_number(&t->in[0], b * f->input + i) - t->in[0].zero_point) *
			     oracle_number(&t->in[1 + g], u * f->input + i);
		for (uint32_t i = 0; i < f->output; i++)
			h += (oracle_number(&t->in[18], b * f->output + i) - t->in[18].zero_point) *
			     oracle_number(&t->in[5 + g], u * f->output + i);
		v[u] = sat16(scaled(x, t->in[1 + g].scale * t->in[0].scale / inter));
		v[u] = sat16(v[u] + scaled(h, t->in[5 + g].scale * t->in[18].scale / inter));
		if (f->peephole && peepholes[g])
			v[u] = sat16(v[u] +
				     scaled(cell[u] * oracle_number(&t->in[peepholes[g]], u),
					    (float)(ldexp((double)t->in[peepholes[g]].scale, s) /
						    (double)inter)));
	}
	if (f->layer_norm)
		normalize(t, g, f->units, v);
}

static void oracle_quantized(const struct op_test *t, const struct form *f,
			     const struct nnprog_attr_quantized_lstm *a, double *out, double *cells)
{
	int s = (int)round(log2((double)t->in[19].scale));

	for (uint32_t b = 0; b < f->batch; b++) {
		double fg[MAX], ig[MAX], cg[MAX], og[MAX], hidden[MAX],
			*cell = cells + b * f->units;

		for (uint32_t u = 0; u < f->units; u++)
			cell[u] = oracle_number(&t->in[19], b * f->units + u);
		gate(t, f, a, b, 1, cell, fg);
		if (!f->cifg)
			gate(t, f, a, b, 0, cell, ig);
		gate(t, f, a, b, 2, cell, cg);
		for (uint32_t u = 0; u < f->units; u++) {
			double forget = logistic(fg[u]),
			       in = f->cifg ? 32767 - forget : logistic(ig[u]);

			cell[u] = sat16(divide(forget * cell[u], 15) +
					divide(in * hyperbolic(cg[u], 3), 30 + s));
			if (a->cell_clip > 0) {
				double clip = trunc(fmin(a->cell_clip / t->in[19].scale, 32767));

				cell[u] = saturate(cell[u], -clip, clip);
			}
		}
		gate(t, f, a, b, 3, cell, og);
		for (uint32_t u = 0; u < f->units; u++)
			hidden[u] =
				saturate(scaled(logistic(og[u]) * hyperbolic(cell[u], 15 + s),
						(float)(ldexp(1, -30) / (double)a->hidden_scale)) -
						 a->hidden_zero_point,
					 -128, 127);
		for (uint32_t o = 0; o < f->output; o++) {
			double sum = 0, clip;

			for (uint32_t u = 0; f->projection && u < f->units; u++)
				sum += (hidden[u] + a->hidden_zero_point) *
				       oracle_number(&t->in[16], o * f->units + u);
			if (f->projection_bias)
				sum += oracle_number(&t->in[17], o);
			if (!f->projection) {
				out[b * f->output + o] = hidden[o];
				continue;
			}
			sum = scaled(sum, t->in[16].scale * a->hidden_scale / t->in[18].scale) +
			      t->in[18].zero_point;
			sum = saturate(sum, -128, 127);
			clip = trunc(fmin(a->projection_clip / t->in[16].scale, 127));
			out[b * f->output + o] = a->projection_clip > 0 ? saturate(sum, -clip, clip)
									: sum;
		}
	}
}

/* Of every length up to some vectors, with the greatest codes, and with zero points beyond codes.
 */
static void test_dot(void **unused)
{
	const int32_t zeros[] = { 0, -128, 127, 3, INT32_MIN, INT32_MAX };

	(void)unused;
	op_seed(39);
	for (uint32_t n = 0; n < 600; n++) {
		int8_t *x = malloc(n ? n : 1), *w = malloc(n ? n : 1);
		const bool extreme = n % 3 == 0;

		assert_true(x && w);
		for (uint32_t i = 0; i < n; i++) {
			x[i] = extreme ? -128 : (int8_t)op_random(256);
			w[i] = extreme ? -128 : (int8_t)op_random(256);
		}
		for (size_t z = 0; z < sizeof(zeros) / sizeof(zeros[0]); z++) {
			int64_t sum = 0;

			for (uint32_t i = 0; i < n; i++)
				sum += ((int64_t)x[i] - zeros[z]) * w[i];
			assert_int_equal(NNFW_KERNELS(q8_dot)->dot(x, w, n, zeros[z]),
					 (uint32_t)sum);
		}
		free(x);
		free(w);
	}
}

static void test_quantized(void **unused)
{
	(void)unused;
	op_seed(40);
	for (uint32_t round = 0; round < 400; round++) {
		struct nnprog_attr_quantized_lstm a = {
			.intermediate = { 0.007f, 0.008f, 0.009f, 0.006f },
			.hidden_scale = 0.0079f,
			.hidden_zero_point = op_random(2) ? (int)op_random(21) - 10 : 0,
		};
		struct op_test t = {
			.opcode = NNPROG_OP_QUANTIZED_LSTM, .attrs = &a, .num_in = 24, .num_out = 3
		};
		struct form f = {
			.batch = op_random_range(1, 3),
			.input = op_random_range(1, 8),
			.units = op_random_range(1, 12),
			.cifg = op_random(2),
			.peephole = op_random(2),
			.projection = op_random(2),
			.layer_norm = op_random(2),
		};
		double out[3 * MAX], cell[3 * MAX];

		f.output = f.projection ? op_random_range(1, 12) : f.units;
		f.projection_bias = f.projection && op_random(2);
		if (!f.layer_norm) {
			for (int g = 0; g < 4; g++)
				a.intermediate[g] = ldexpf(1, -12);
		}
		if (op_random(2))
			a.cell_clip = (float)op_uniform(0.05, 1);
		if (op_random(2))
			a.projection_clip = (float)op_uniform(0.1, 0.9);
		make(&t, &f);
		assert_int_equal(op_run(&t), 0);
		oracle_quantized(&t, &f, &a, out, cell);
		oracle_compare(&t.out[0], out, "quantized lstm, state");
		oracle_compare(&t.out[1], cell, "quantized lstm, cell state");
		oracle_compare(&t.out[2], out, "quantized lstm");
		op_release();
	}
}

static void test_quantized_refused(void **unused)
{
	struct nnprog_attr_quantized_lstm a = { .intermediate = { 1, 1, 1, 1 }, .hidden_scale = 1 };
	struct op_test t = {
		.opcode = NNPROG_OP_QUANTIZED_LSTM, .attrs = &a, .num_in = 24, .num_out = 3
	};
	struct form f = {
		.batch = 2, .input = 3, .units = 4, .output = 4, .peephole = true, .layer_norm = true
	};
	static const uint32_t together[] = { 1, 5, 9, 10, 11, 12, 20, 21, 22, 23 };

	(void)unused;
	make(&t, &f);
	assert_int_equal(op_run(&t), 0);
	for (size_t i = 0; i < sizeof(together) / sizeof(together[0]); i++) {
		struct op_test u = t;

		u.in[together[i]] = op_omitted();
		assert_int_equal(op_run(&u), -EINVAL);
	}
	for (int i = 0; i < 6; i++) {
		struct op_test u = t;

		if (i == 0)
			u.in[19].scale = u.out[1].scale = 1.01f / 32768;
		if (i == 1)
			u.in[19].scale = u.out[1].scale = 1.0f / 256;
		if (i == 2)
			u.in[2].zero_point = 1;
		if (i == 3)
			u.out[2].scale *= 2;
		if (i == 4)
			u.in[9].scale = 0;
		if (i == 5)
			u.in[13] = op_tensor(NNPROG_INT32, DIMS(5));
		assert_int_equal(op_run(&u), -EINVAL);
	}
	a.cell_clip = -1;
	assert_int_equal(op_run(&t), -EINVAL);
	a.cell_clip = 0;
	a.intermediate[2] = 0;
	assert_int_equal(op_run(&t), -EINVAL);
	op_release();
}

/* ---- QUANTIZED_16BIT_LSTM ---- */

static void test_16bit(void **unused)
{
	(void)unused;
	op_seed(41);
	for (uint32_t round = 0; round < 200; round++) {
		uint32_t batch = op_random_range(1, 3), input = op_random_range(1, 8),
			 units = op_random_range(1, 8);
		float scale = (float)op_uniform(0.001, 0.02);
		int32_t zero = op_zero_point(NNPROG_UINT8);
		struct op_test t = { .opcode = NNPROG_OP_QUANTIZED_16BIT_LSTM,
				     .num_in = 15,
				     .num_out = 2 };
		double cells[3 * 8], out[3 * 8];

		t.in[0] = quantized(op_tensor(NNPROG_UINT8, DIMS(batch, input)), 1.0f / 128, 128);
		for (int g = 0; g < 4; g++) {
			t.in[1 + g] =
				quantized(op_tensor(NNPROG_UINT8, DIMS(units, input)), scale, zero);
			t.in[5 + g] =
				quantized(op_tensor(NNPROG_UINT8, DIMS(units, units)), scale, zero);
			t.in[9 + g] =
				quantized(op_tensor(NNPROG_INT32, DIMS(units)), scale / 128, 0);
		}
		t.in[13] = quantized(op_tensor(NNPROG_INT16, DIMS(batch, units)), 1.0f / 2048, 0);
		t.in[14] = quantized(op_tensor(NNPROG_UINT8, DIMS(batch, units)), 1.0f / 128, 128);
		t.out[0] = op_output(NNPROG_INT16, 1.0f / 2048, 0);
		t.out[1] = op_output(NNPROG_UINT8, 1.0f / 128, 128);
		assert_int_equal(op_run(&t), 0);
		for (uint32_t n = 0; n < batch * units; n++) {
			uint32_t b = n / units, u = n % units;
			double v[MAX], m[MAX], a[4], c, h;

			for (uint32_t i = 0; i < input; i++)
				v[i] = oracle_number(&t.in[0], b * input + i) - 128;
			for (uint32_t i = 0; i < units; i++)
				v[input + i] = oracle_number(&t.in[14], b * units + i) - 128;
			for (int g = 0; g < 4; g++) {
				double sum = oracle_number(&t.in[9 + g], u);

				for (uint32_t i = 0; i < units; i++)
					m[i] = oracle_number(&t.in[5 + g], u * units + i) - zero;
				for (uint32_t i = 0; i < input; i++)
					m[units + i] =
						oracle_number(&t.in[1 + g], u * input + i) - zero;
				for (uint32_t i = 0; i < input + units; i++)
					sum += v[i] * m[i];
				a[g] = sat16(scaled(sum, 4096 * (double)(scale / 128)));
			}
			c = sat16(divide(times(logistic(a[0]), hyperbolic(a[2], 3)), 4) +
				  times(logistic(a[1]), oracle_number(&t.in[13], n)));
			h = times(logistic(a[3]), hyperbolic(sat16(2 * c), 3));
			cells[n] = c;
			out[n] = saturate(divide(h, 8), -128, 127) + 128;
		}
		oracle_compare(&t.out[0], cells, "16-bit lstm, cell state");
		oracle_compare(&t.out[1], out, "16-bit lstm");
		for (int i = 0; i < 5; i++) {
			struct op_test w = t;

			if (i == 0)
				w.in[10].scale *= 1.0001f;
			if (i == 1)
				w.in[6].zero_point = zero ? 0 : 1;
			if (i == 2)
				w.in[0].scale *= 2;
			if (i == 3)
				w.in[13].scale = w.out[0].scale = 1.0f / 1024;
			if (i == 4)
				w.in[14].zero_point = 127;
			assert_int_equal(op_run(&w), -EINVAL);
		}
		op_release();
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions), cmocka_unit_test(test_dot),
		cmocka_unit_test(test_quantized), cmocka_unit_test(test_quantized_refused),
		cmocka_unit_test(test_16bit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
