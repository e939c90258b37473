// SPDX-License-Identifier: Apache-2.0
/*
 * How 8-bit products are divided (q8_gemm/q8_blocks.h), for caches of several sizes, threads and
 * kernels: what a rule promises holds for random products, and for those of large networks.
 */

#include "nnutil_process.h"
#include "op_harness.h"
#include "q8_gemm/q8_blocks.h"
#include "q8_gemm/q8_gemm_kernels.h"
#include "test_case.h"

#define KIB ((size_t)1024)

static const struct nnutil_caches caches[] = {
	{ 32 * KIB, 256 * KIB },
	{ 48 * KIB, 1024 * KIB },
	{ 48 * KIB, 2048 * KIB },
	{ 128 * KIB, 4096 * KIB },
};

/* Of the scalar, the AVX2, the AVX-VNNI, the AVX512-VNNI and the AMX kernels. */
static const size_t blocks[] = { 16000, 700000, 1800000, 2800000, 12000000 };

static size_t parts(size_t n, size_t part)
{
	return (n + part - 1) / part;
}

/* A matrix: each pixel is a row of @depth bytes. */
static struct nnfw_q8_extent matrix(size_t pixels, size_t depth, size_t columns)
{
	return (struct nnfw_q8_extent){
		.pixels = pixels,
		.input = pixels * depth,
		.depth = depth,
		.columns = columns,
		.groups = 1,
		.block = blocks[3],
		.threads = 1,
		.caches = caches[1],
	};
}

/* Bytes from beyond the second level if neither side stays there. */
static size_t cost(const struct nnfw_q8_extent *e, const struct nnfw_q8_columns *c, size_t pixels)
{
	size_t weights = e->depth * e->columns * e->groups;

	if (c->weights_first)
		return e->input * e->groups * parts(e->columns, c->unit) + weights;
	return e->input + weights * parts(e->pixels, pixels);
}

static void check(const struct nnfw_q8_extent *e)
{
	struct nnfw_q8_pixels p = nnfw_q8_block_pixels(e);
	size_t rows = p.most < e->pixels ? p.most : e->pixels;
	struct nnfw_q8_columns c = nnfw_q8_block_columns(e, rows, parts(e->pixels, rows));

	assert_true(p.most >= 1 && p.strip >= e->caches.first / 2 &&
		    p.strip <= e->caches.second / 8);
	assert_true(c.unit >= 1 && c.unit <= e->columns && c.call >= 1 && c.call <= c.unit);
	/* ranges begin at panels */
	assert_true(c.unit == e->columns || c.unit % NNFW_Q8_PANEL == 0);
	assert_true(c.call == c.unit || c.call % NNFW_Q8_PANEL == 0);
	/* a call is less than what comes between two ticks, if it can be */
	assert_true(rows * c.call * e->depth < NNFW_Q8_TICK * e->block ||
		    (rows == 1 && c.call <= NNFW_Q8_PANEL));
	assert_true(nnfw_q8_grain(e, rows, c.unit) >= 1);
	if (nnfw_q8_light(e)) {
		assert_true(c.unit == e->columns && c.call == c.unit && !c.weights_first);
		return;
	}
	/* a kernel that reads all weights of a call for each few rows finds them in the cache */
	assert_true(c.call * e->depth <= e->caches.second / 2 || c.call <= NNFW_Q8_PANEL);
	if (c.weights_first) {
		assert_true(c.unit * e->depth <= e->caches.second / 2 || c.unit <= NNFW_Q8_PANEL);
		if (e->threads == 1)
			assert_true(cost(e, &c, rows) < e->input + e->depth * e->columns *
									   e->groups *
									   parts(e->pixels, rows));
	}
}

static void test_random(void **unused)
{
	(void)unused;
	op_seed(1);
	for (uint32_t round = 0; round < 20000; round++) {
		struct nnfw_q8_extent e = matrix(op_random_range(1, op_random(2) ? 300 : 60000),
						 op_random_range(1, op_random(2) ? 5000 : 70000),
						 op_random_range(1, op_random(2) ? 300 : 5000));

		e.input /= op_random_range(1, 9);
		e.groups = op_random(4) ? 1 : op_random_range(2, 40);
		e.block = blocks[op_random(5)];
		e.threads = op_random_range(1, 4);
		e.caches = caches[op_random(4)];
		check(&e);
	}
}

/* One thread: weights beyond the second level are not read for each few pixels. */
static void test_weights_are_read_once(void **unused)
{
	static const size_t shapes[][3] = {
		{ 49, 4608, 512 },  { 49, 512, 2048 },	 { 128, 768, 3072 }, { 128, 3072, 768 },
		{ 196, 2304, 256 }, { 3136, 512, 2048 }, { 1, 1024, 1024 },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		for (size_t j = 0; j < sizeof(caches) / sizeof(caches[0]); j++) {
			struct nnfw_q8_extent e = matrix(shapes[i][0], shapes[i][1], shapes[i][2]);
			size_t weights = e.depth * e.columns, rows;
			struct nnfw_q8_columns c;

			e.caches = caches[j];
			rows = nnfw_q8_block_pixels(&e).most;
			/* a strip of whole rows, as matrices have */
			if (rows > nnfw_q8_block_pixels(&e).strip / e.depth)
				rows = nnfw_q8_block_pixels(&e).strip / e.depth;
			rows = !rows ? 1 : rows < e.pixels ? rows : e.pixels;
			c = nnfw_q8_block_columns(&e, rows, parts(e.pixels, rows));
			check(&e);
			if (weights > e.caches.second / 2)
				assert_true(c.weights_first || parts(e.pixels, rows) <= 2);
		}
	}
}

/* Threads get units of their own, also if one block has all pixels. */
static void test_threads_have_units(void **unused)
{
	(void)unused;
	for (size_t threads = 2; threads <= 4; threads++) {
		struct nnfw_q8_extent e = matrix(49, 512, 2048);
		struct nnfw_q8_columns c;

		e.threads = threads;
		c = nnfw_q8_block_columns(&e, 49, 1);
		assert_true(parts(e.columns, c.unit) >= 2 * threads);
	}
}

/* What the machine reports is within what cores have, and the same each time. */
static void test_caches(void **unused)
{
	struct nnutil_caches a = nnutil_caches(), b = nnutil_caches();

	(void)unused;
	assert_true(a.first >= 16 * KIB && a.first <= 256 * KIB);
	assert_true(a.second >= 128 * KIB && a.second <= 4096 * KIB);
	assert_true(a.first == b.first && a.second == b.second);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_weights_are_read_once),
		cmocka_unit_test(test_threads_have_units),
		cmocka_unit_test(test_caches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
