// SPDX-License-Identifier: Apache-2.0
/*
 * Float matrix products with packed weights against sums in double; and that each element has the
 * same bits in any division of the work, also of the operations that divide theirs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "f32_gemm/f32_gemm.h"
#include "half/half.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "op_harness.h"
#include "test_case.h"

struct product {
	size_t m, n, segments, length, k;
	float *x, *y, *bias, *packed, *out;
	const float **rows;
	struct nnfw_f32_left left;
	struct nnfw_f32_weights w;
};

static float *numbers(size_t n)
{
	float *p = malloc(n * sizeof(*p) + !n);

	assert_non_null(p);
	for (size_t i = 0; i < n; i++)
		p[i] = (float)op_uniform(-1, 1);
	return p;
}

/* Weights [n][k] or, transposed, [k][n]; in calls of @step columns. */
static void pack(struct product *p, bool transposed, bool half, size_t step)
{
	struct nnfw_work work = { 0 };
	const bool keep = half && nnfw_f32_takes_half(p->n) && op_random(2);
	size_t count = p->n * p->k, size = nnfw_f32_packed_size(p->n, p->k, keep);
	uint16_t *halves = malloc(count * sizeof(*halves));

	assert_non_null(halves);
	for (size_t i = 0; half && i < count; i++) {
		halves[i] = nnfw_float_to_half(p->y[i]);
		p->y[i] = nnfw_half_to_float(halves[i]);
	}
	p->packed = aligned_alloc(64, size);
	assert_non_null(p->packed);
	memset(p->packed, 0xff, size);
	for (size_t c = 0; c < p->n; c += step) {
		size_t at = transposed ? c : c * p->k;
		const struct nnfw_f32_source from = {
			.data = half ? (const void *)(halves + at) : p->y + at,
			.half = half,
			.keep = keep,
			.column = transposed ? 1 : p->k,
			.depth = transposed ? p->n : 1,
		};

		assert_int_equal(nnfw_f32_pack(&work, p->packed, p->n, p->k, c,
					       p->n - c < step ? p->n - c : step, &from),
				 0);
	}
	p->w = (struct nnfw_f32_weights){ p->n, p->k, p->packed, op_random(2), keep };
	free(halves);
}

static void make(struct product *p)
{
	p->k = p->segments * p->length;
	p->x = numbers(p->m * p->k);
	p->y = numbers(p->n * p->k);
	p->bias = numbers(p->n);
	p->out = numbers(p->m * p->n);
	p->rows = malloc(p->segments * p->m * sizeof(*p->rows));
	assert_non_null(p->rows);
	/* pieces of a row lie anywhere: here, those of all rows together */
	for (size_t s = 0; s < p->segments; s++)
		for (size_t r = 0; r < p->m; r++)
			p->rows[s * p->m + r] = p->x + (s * p->m + r) * p->length;
	p->left = (struct nnfw_f32_left){ .rows = p->rows,
					  .stride = p->m,
					  .m = p->m,
					  .segments = p->segments,
					  .length = p->length };
}

static void release(struct product *p)
{
	free(p->x);
	free(p->y);
	free(p->bias);
	free(p->out);
	free(p->packed);
	free(p->rows);
}

static double wanted(const struct product *p, size_t r, size_t c, bool transposed)
{
	double sum = 0;

	for (size_t i = 0; i < p->k; i++)
		sum += (double)p->rows[i / p->length * p->m + r][i % p->length] *
		       p->y[transposed ? i * p->n + c : c * p->k + i];
	return sum;
}

static void check(struct product *p, bool transposed, bool biased, bool more)
{
	float *before = malloc(p->m * p->n * sizeof(*before)), *whole = p->out;
	struct nnfw_work work = { 0 };
	struct nnfw_f32_result to = {
		.data = p->out, .ld = p->n, .bias = biased ? p->bias : NULL, .more = more
	};
	size_t row = op_random((uint32_t)p->m), column = p->n / 32 * 16;

	assert_non_null(before);
	memcpy(before, p->out, p->m * p->n * sizeof(*before));
	to.lo = -0.5f * sqrtf((float)p->k);
	to.hi = INFINITY;
	assert_int_equal(nnfw_f32_gemm(&work, &p->left, &p->w, 0, p->n, &to), 0);
	for (size_t r = 0; r < p->m; r++) {
		for (size_t c = 0; c < p->n; c++) {
			double want = wanted(p, r, c, transposed) + (biased ? p->bias[c] : 0) +
				      (more ? before[r * p->n + c] : 0);

			assert_true(fabs(fmax(want, to.lo) - p->out[r * p->n + c]) <
				    2e-6 + 6e-8 * (double)p->k);
		}
	}
	/* the same in four parts */
	for (int part = 0; part < 4; part++) {
		size_t first = part & 1 ? row : 0, end = part & 1 ? p->m : row;
		struct nnfw_f32_left left = p->left;
		struct nnfw_f32_result to_part = to;

		left.rows += first;
		left.m = end - first;
		to_part.data = before + first * p->n;
		assert_int_equal(nnfw_f32_gemm(&work, &left, &p->w, part & 2 ? column : 0,
					       part & 2 ? p->n : column, &to_part),
				 0);
	}
	assert_memory_equal(before, whole, p->m * p->n * sizeof(*before));
	free(before);
}

TEST(test_random)
{
	op_seed(31);
	for (int round = 0; round < 300; round++) {
		struct product p = {
			.m = op_random_range(1, 40),
			.n = op_random(4) ? op_random_range(1, 130) : op_random_range(1, 20),
			.segments = op_random_range(1, 4),
			.length = op_random_range(1, 90),
		};
		bool transposed = op_random(2);
		uint32_t more = op_random(3);

		make(&p);
		pack(&p, transposed, op_random(2), op_random_range(1, (uint32_t)p.n));
		check(&p, transposed, !more, more == 1);
		release(&p);
	}
}

/* So deep that a sum takes several calls: pieces are cut, or groups of them. */
TEST(test_deep)
{
	op_seed(32);
	for (int round = 0; round < 4; round++) {
		struct product p = { .m = 26,
				     .n = 50,
				     .segments = round & 1 ? 3000 : 2,
				     .length = round & 1 ? 3 : 5000 };

		make(&p);
		pack(&p, round & 2, false, p.n);
		check(&p, round & 2, true, false);
		release(&p);
	}
}

/* ---- operations ---- */

/* The result of an operation: on this thread, or divided. @state: of load(), or NULL. */
static void run_op(struct nnfw_op_ctx *ctx, const void *state, bool divided)
{
	const struct nnfw_op *op = nnfw_op_table[ctx->desc->opcode];
	static struct nnfw_crew crew = { .split = op_split_backwards };
	size_t size;

	ctx->state = state;
	ctx->crew = divided ? &crew : NULL;
	ctx->slots = divided ? 2 : 1;
	size = op->scratch(ctx);
	ctx->scratch = size ? aligned_alloc(64, (size + 63) & ~(size_t)63) : NULL;
	memset(ctx->out->data, 0xff, ctx->out->size);
	assert_int_equal(op->run(ctx), 0);
	free(ctx->scratch);
}

/* The same bits divided or not, with weights that load() packed or without. */
static void check_division(uint32_t opcode, const void *attrs, struct nnfw_tensor *in,
			   uint32_t num_in, struct nnfw_tensor *out)
{
	const struct nnfw_op *op = nnfw_op_table[opcode];
	struct nnfw_op_ctx ctx = {
		.desc = nnprog_op_find(opcode),
		.attrs = attrs,
		.in = in,
		.num_in = num_in,
		.out = out,
		.num_out = 1,
	};
	void *wanted = malloc(out->size), *state = NULL;
	size_t size;

	assert_non_null(wanted);
	run_op(&ctx, NULL, false);
	memcpy(wanted, out->data, out->size);
	run_op(&ctx, NULL, true);
	assert_memory_equal(wanted, out->data, out->size);
	in[1].constant = true;
	assert_int_equal(op->load(&ctx, &state, &size), 0);
	run_op(&ctx, state, true);
	assert_memory_equal(wanted, out->data, out->size);
	free(state);
	free(wanted);
	op_release();
}

TEST(test_division)
{
	/* image, channels, output channels, filter, groups */
	static const uint32_t convs[][5] = { { 13, 3, 20, 3, 1 },  { 12, 40, 70, 3, 1 },
					     { 15, 70, 33, 1, 1 }, { 5, 24, 200, 3, 1 },
					     { 6, 37, 300, 1, 1 }, { 9, 12, 9, 2, 3 } };
	static const uint32_t products[][3] = { { 3, 300, 40 }, { 200, 37, 20 }, { 60, 150, 33 } };
	const struct nnprog_attr_act act = { .activation = 1 };
	struct nnfw_tensor in[3], out;

	op_seed(33);
	for (uint32_t half = 0; half < 2; half++) {
		uint32_t type = half ? NNPROG_FLOAT16 : NNPROG_FLOAT32;

		for (size_t i = 0; i < 2 * sizeof(convs) / sizeof(convs[0]); i++) {
			const uint32_t *c = convs[i / 2];
			const bool depthwise = i & 1;
			uint32_t n = depthwise ? 2 * c[1] : c[2];
			const struct nnprog_attr_conv2d a = { .padding = NNPROG_PAD_SAME,
							      .stride_w = 1,
							      .stride_h = 1,
							      .dilation_w = 1,
							      .dilation_h = 1,
							      .groups = depthwise ? 0 : c[4],
							      .multiplier = depthwise ? 2 : 0 };

			in[0] = op_tensor(type, DIMS(2, c[0], c[0], c[1]));
			in[1] = op_tensor(type, DIMS(depthwise ? 1 : n, c[3], c[3],
						     depthwise ? n : c[1] / c[4]));
			in[2] = op_tensor(type, DIMS(n));
			out = op_tensor(type, DIMS(2, c[0], c[0], n));
			check_division(depthwise ? NNPROG_OP_DEPTHWISE_CONV_2D : NNPROG_OP_CONV_2D,
				       &a, in, 3, &out);
		}
		for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++) {
			const uint32_t *s = products[i];

			in[0] = op_tensor(type, DIMS(s[0], s[2]));
			in[1] = op_tensor(type, DIMS(s[1], s[2]));
			in[2] = op_tensor(type, DIMS(s[1]));
			out = op_tensor(type, DIMS(s[0], s[1]));
			check_division(NNPROG_OP_FULLY_CONNECTED, &act, in, 3, &out);
			for (uint32_t k = 0; k < 8; k++) {
				const struct nnprog_attr_batch_matmul a = { k & 1, k >> 1 & 1 };
				uint32_t batch = k & 4 ? 5 : 1;

				in[0] = k & 1 ? op_tensor(type, DIMS(batch, s[2], s[0]))
					      : op_tensor(type, DIMS(batch, s[0], s[2]));
				in[1] = k & 2 ? op_tensor(type, DIMS(batch, s[1], s[2]))
					      : op_tensor(type, DIMS(batch, s[2], s[1]));
				out = op_tensor(type, DIMS(batch, s[0], s[1]));
				check_division(NNPROG_OP_BATCH_MATMUL, &a, in, 2, &out);
			}
		}
	}
}

/*
 * Weights of 64 MiB go by once for up to 512 rows; no pass is left with a few rows, which would
 * read all of them again.
 */
TEST(test_passes)
{
	const size_t n = 4096, k = 4096;

	for (size_t m = 1; m <= 512; m++)
		assert_int_equal(nnfw_f32_rows(m, n, k, 64), m);
	for (size_t m = 1; m < 3000; m++)
		for (size_t heavy = 0; heavy < 2; heavy++) {
			const size_t rows = nnfw_f32_rows(m, n, heavy ? k : 4, 64);

			assert_in_range(rows, 1, heavy ? NNFW_F32_MOST_ROWS : 120);
			assert_true(!heavy || !(m % rows) || 2 * (m % rows) >= rows);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_division),
		cmocka_unit_test(test_passes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
