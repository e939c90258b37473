// SPDX-License-Identifier: Apache-2.0
/*
 * L2_NORMALIZATION and LOCAL_RESPONSE_NORMALIZATION along an axis, sums in double.
 *
 * 8 bits: S = sum of (q - zero_point)^2, exact; nearest_even((q - zero_point) * 128 / sqrt(S)) in double,
 * plus the zero point of the output, clamped; where S is 0, all zero.
 */
#include <math.h>

#include "move.h"
#include "requant.h"

struct lines {
	size_t outer, n, inner;		/* a line: n elements, inner apart */
};

static struct lines lines_along(const struct nnfw_tensor *t, int32_t wanted)
{
	uint32_t axis = nnfw_axis(wanted, t->rank);

	return (struct lines){ nnfw_extent(t, 0, axis), t->dims[axis],
			       nnfw_extent(t, axis + 1, t->rank) };
}

static void load_line(float *line, const struct nnfw_tensor *t, size_t from, size_t n, size_t inner)
{
	const uint16_t *half = (const uint16_t *)t->data + from;
	const float *single = (const float *)t->data + from;

	if (t->dtype == NNPROG_FLOAT16) {
		for (size_t i = 0; i < n; i++)
			line[i] = nnfw_half_to_float(half[i * inner]);
	} else {
		for (size_t i = 0; i < n; i++)
			line[i] = single[i * inner];
	}
}

static void store_line(const float *line, const struct nnfw_tensor *t, size_t to, size_t n, size_t inner)
{
	uint16_t *half = (uint16_t *)t->data + to;
	float *single = (float *)t->data + to;

	if (t->dtype == NNPROG_FLOAT16) {
		for (size_t i = 0; i < n; i++)
			half[i * inner] = nnfw_float_to_half(line[i]);
	} else {
		for (size_t i = 0; i < n; i++)
			single[i * inner] = line[i];
	}
}

/* ---- L2_NORMALIZATION -------------------------------------------------------------------------- */

static void l2_float(float *line, size_t n)
{
	double sum = 0;
	float norm;

	for (size_t i = 0; i < n; i++)
		sum += (double)line[i] * line[i];
	norm = (float)sqrt(sum);
	norm = norm < 1e-6f ? 1e-6f : norm;
	for (size_t i = 0; i < n; i++)
		line[i] /= norm;
}

static void l2_quant(const struct nnfw_tensor *in, const struct nnfw_tensor *out, size_t from, size_t n,
		     size_t inner)
{
	const uint8_t *x = (const uint8_t *)in->data + from;
	uint8_t *to = (uint8_t *)out->data + from;
	int32_t lo, hi, zero = in->zero_point;
	uint64_t sum = 0;
	double norm;

	nnfw_type_range(out->dtype, &lo, &hi);
	for (size_t i = 0; i < n; i++) {
		int32_t d = nnfw_code(in->dtype, x[i * inner]) - zero;

		sum += (uint32_t)(d * d);
	}
	norm = sum ? sqrt((double)sum) : 1;
	for (size_t i = 0; i < n; i++) {
		int32_t d = nnfw_code(in->dtype, x[i * inner]) - zero;
		int32_t q = (int32_t)rint(d * 128.0 / norm) + out->zero_point;

		/* |d| <= norm, unless somebody writes the input meanwhile: within 255 * 128 all the same */
		q = q < lo ? lo : q;
		to[i * inner] = (uint8_t)(q > hi ? hi : q);
	}
}

static size_t l2_scratch(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_axis *a = ctx->attrs;

	if (nnfw_is_quant8(ctx->in[0].dtype))
		return 0;
	return lines_along(&ctx->in[0], a->axis).n * sizeof(float);
}

static int l2_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_axis *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	struct nnfw_work work = { .progress = ctx->progress };
	struct lines l;
	int ret;

	l = lines_along(in, a->axis);
	for (size_t line = 0; line < l.outer * l.inner; line++) {
		size_t from = line / l.inner * l.n * l.inner + line % l.inner;

		ret = nnfw_work(&work, l.n);
		if (ret)
			return ret;
		if (nnfw_is_quant8(in->dtype)) {
			l2_quant(in, out, from, l.n, l.inner);
			continue;
		}
		load_line(ctx->scratch, in, from, l.n, l.inner);
		l2_float(ctx->scratch, l.n);
		store_line(ctx->scratch, out, from, l.n, l.inner);
	}
	return 0;
}

/* ---- LOCAL_RESPONSE_NORMALIZATION -------------------------------------------------------------- */

/* A window of the line's squares, summed afresh for each element: no error adds up, and no infinity
 * outlives its window. */
static void lrn_line(const struct nnprog_attr_lrn *a, const float *in, float *out, size_t n, size_t from,
		     size_t end)
{
	size_t radius = a->radius < n ? a->radius : n;

	for (size_t i = from; i < end; i++) {
		size_t first = i > radius ? i - radius : 0;
		size_t last = n - i > radius ? i + radius : n - 1;
		double sum = 0;

		for (size_t k = first; k <= last; k++)
			sum += (double)in[k] * in[k];
		out[i] = in[i] * powf((float)(a->bias + a->alpha * sum), -a->beta);
	}
}

static size_t lrn_scratch(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_lrn *a = ctx->attrs;

	return 2 * lines_along(&ctx->in[0], a->axis).n * sizeof(float);
}

static int lrn_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_lrn *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	struct nnfw_work work = { .progress = ctx->progress };
	float *line = ctx->scratch;
	size_t window, step;
	struct lines l;
	int ret;

	l = lines_along(in, a->axis);
	window = a->radius < l.n ? 2 * (size_t)a->radius + 1 : l.n;
	step = window < NNFW_WORK_TICK ? NNFW_WORK_TICK / window : 1;
	for (size_t i = 0; i < l.outer * l.inner; i++) {
		size_t from = i / l.inner * l.n * l.inner + i % l.inner;

		load_line(line, in, from, l.n, l.inner);
		for (size_t k = 0; k < l.n; k += step) {
			size_t count = l.n - k < step ? l.n - k : step;

			ret = nnfw_work(&work, count * window);
			if (ret)
				return ret;
			lrn_line(a, line, line + l.n, l.n, k, k + count);
		}
		store_line(line + l.n, out, from, l.n, l.inner);
	}
	return 0;
}

const struct nnfw_op nnfw_op_l2_normalization = {
	.opcode = NNPROG_OP_L2_NORMALIZATION,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8,
	.scratch = l2_scratch,
	.run = l2_run,
};

const struct nnfw_op nnfw_op_lrn = {
	.opcode = NNPROG_OP_LOCAL_RESPONSE_NORMALIZATION,
	.types = NNFW_TYPES_FLOAT,
	.scratch = lrn_scratch,
	.run = lrn_run,
};
