// SPDX-License-Identifier: Apache-2.0
/*
 * Functions of floats (f32_math) of the chosen instruction set, against double: all exponents, the
 * ends of the range, infinities, NaN, each length of a part. Rows with vectors have the same bits.
 */
#include <math.h>
#include <string.h>

#include "f32_math/f32_math_kernels.h"
#include "isa/isa.h"
#include "op_harness.h"
#include "test_case.h"

/* Relative, but for results below the least normal number. */
#define BOUND 2e-7
#define LEAST 1.2e-38

static double sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

static const struct function {
	const char *name;
	size_t offset;
	double (*real)(double x);
	float least, greatest;
	bool relative;
} functions[] = {
	{ "sigmoid", offsetof(struct nnfw_f32_math_kernels, sigmoid), sigmoid, -1e30f, 1e30f,
	  false },
	{ "tanh", offsetof(struct nnfw_f32_math_kernels, tanh), tanh, -1e30f, 1e30f, true },
	{ "exp", offsetof(struct nnfw_f32_math_kernels, exp), exp, -1e30f, 1e30f, true },
	{ "expm1", offsetof(struct nnfw_f32_math_kernels, expm1), expm1, -1e30f, 0, true },
};

#define NUM_FUNCTIONS (sizeof(functions) / sizeof(functions[0]))
#define PART 1024u

static void run(const struct function *f, const struct nnfw_isa *isa, float *x, size_t n)
{
	void (*call)(float *, size_t);

	memcpy(&call, (const uint8_t *)NNFW_KERNELS_OF(isa, f32_math) + f->offset, sizeof(call));
	call(x, n);
}

static void expect(const struct function *f, float x, float y)
{
	double want = f->real((double)x), off = fabs((double)y - want);

	if (isnan(x)) {
		if (!isnan(y))
			fail_msg("%s(NaN) is %g", f->name, (double)y);
		return;
	}
	if ((float)want == y)
		return;
	if (!(off <= BOUND * (f->relative ? fmax(fabs(want), LEAST) : 1)))
		fail_msg("%s(%.9g) is %.9g instead of %.9g", f->name, (double)x, (double)y, want);
}

static float argument(const struct function *f, uint32_t i)
{
	static const float edges[] = { 0,	  -0.0f,  INFINITY, -INFINITY, NAN,
				       88.72283f, 88.73f, 89,	    128,       -87.33655f,
				       -103.9f,	  -104,	  -105,	    -1e30f,    1e-40f,
				       -1e-40f,	  1e30f,  20,	    9,	       -0.34657f };
	const uint32_t num_edges = sizeof(edges) / sizeof(edges[0]);
	float x = i < num_edges
			  ? edges[i]
			  : ldexpf((float)((int32_t)op_random(1u << 24) - (1 << 23)) / (1 << 23),
				   (int)op_random(48) - 40);

	return x < f->least || x > f->greatest ? -fabsf(x) : x;
}

TEST(test_functions)
{
	float x[PART], y[PART];

	op_seed(3);
	for (size_t k = 0; k < NUM_FUNCTIONS; k++) {
		for (uint32_t round = 0; round < 200; round++) {
			for (uint32_t i = 0; i < PART; i++)
				x[i] = argument(&functions[k], round * PART + i);
			memcpy(y, x, sizeof(y));
			run(&functions[k], nnfw_isa(), y, PART);
			for (uint32_t i = 0; i < PART; i++)
				expect(&functions[k], x[i], y[i]);
		}
	}
}

/* Any length: the same results as one by one, and nothing behind the end. */
TEST(test_lengths)
{
	float x[70], y[70], one;

	op_seed(4);
	for (size_t k = 0; k < NUM_FUNCTIONS; k++) {
		for (size_t n = 0; n < 66; n++) {
			for (uint32_t i = 0; i < 70; i++)
				y[i] = x[i] = argument(&functions[k], 100 + i);
			run(&functions[k], nnfw_isa(), y, n);
			for (size_t i = 0; i < 70; i++) {
				one = x[i];
				if (i < n)
					run(&functions[k], nnfw_isa(), &one, 1);
				assert_memory_equal(&y[i], &one, sizeof(one));
			}
		}
	}
}

/* The powers, and each sum in the order that the header gives. */
TEST(test_exp_sums)
{
	float x[PART], y[PART];

	op_seed(5);
	for (size_t n = 0; n < PART; n += 1 + n / 8) {
		double is[NNFW_F32_SUMS] = { 1, 2, 3, 4, 5, 6, 7, 8 }, want[NNFW_F32_SUMS];
		size_t half = n / 2 / NNFW_F32_SUMS * NNFW_F32_SUMS;

		memcpy(want, is, sizeof(want));
		for (uint32_t i = 0; i < n; i++)
			x[i] = -ldexpf((float)op_random(1u << 24) / (1 << 24), (int)op_random(8));
		memcpy(y, x, sizeof(y));
		NNFW_KERNELS(f32_math)->exp_sums(y, half, -0.25f, 0.5f, is);
		NNFW_KERNELS(f32_math)->exp_sums(y + half, n - half, -0.25f, 0.5f, is);
		for (size_t i = 0; i < n; i++) {
			x[i] = (x[i] + 0.25f) * 0.5f;
			NNFW_KERNELS(f32_math)->exp(&x[i], 1);
			assert_memory_equal(&x[i], &y[i], sizeof(x[i]));
			want[i % NNFW_F32_SUMS] += (double)x[i];
		}
		assert_memory_equal(is, want, sizeof(is));
	}
}

/* On a machine with several rows of vectors. */
TEST(test_rows_agree)
{
	float x[PART], y[PART], first[PART];

	op_seed(6);
	for (size_t k = 0; k < NUM_FUNCTIONS; k++) {
		bool any = false;

		for (uint32_t i = 0; i < PART; i++)
			x[i] = argument(&functions[k], i);
		for (size_t row = 0; nnfw_isa_row(row); row++) {
			const struct nnfw_isa *isa = nnfw_isa_row(row);

			if (!isa->usable() || !isa->base || !isa->f32_math)
				continue;
			memcpy(y, x, sizeof(y));
			run(&functions[k], isa, y, PART - 3);
			if (any)
				assert_memory_equal(y, first, sizeof(y));
			memcpy(first, y, sizeof(y));
			any = true;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_exp_sums),
		cmocka_unit_test(test_rows_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
