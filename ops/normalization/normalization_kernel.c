// SPDX-License-Identifier: Apache-2.0
/*
 * L2_NORMALIZATION and LOCAL_RESPONSE_NORMALIZATION along an axis, sums in double.
 *
 * 8 bits: S = sum of (q - zero_point)^2, exact; nearest_even((q - zero_point) * 128 / sqrt(S)) in
 * double, plus the zero point of the output, clamped; where S is 0, all zero.
 */
#include <math.h>

#include "kernels/kernel.h"
#include "kernels/requant.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

struct lines {
	size_t outer, n, inner; /* a line: n elements, inner apart */
};

static struct lines lines_along(const struct nnfw_tensor *t, int32_t wanted)
{
	uint32_t axis = nnfw_axis(wanted, t->rank);

	return (struct lines){ nnfw_extent(t, 0, axis), t->dims[axis],
			       nnfw_extent(t, axis + 1, t->rank) };
}

/* ---- L2_NORMALIZATION ---- */

static int l2_float(struct nnfw_work *work, float *line, size_t n)
{
	double sum = 0;
	float norm;

	for (size_t i = 0; i < n;) {
		size_t end = nnfw_slice(work, i, n);

		if (!end)
			return -ECANCELED;
		for (; i < end; i++)
			sum += (double)line[i] * line[i];
	}
	norm = (float)sqrt(sum);
	norm = norm < 1e-6f ? 1e-6f : norm;
	for (size_t i = 0; i < n;) {
		size_t end = nnfw_slice(work, i, n);

		if (!end)
			return -ECANCELED;
		for (; i < end; i++)
			line[i] /= norm;
	}
	return 0;
}

static int l2_quant(struct nnfw_work *work, const struct nnfw_tensor *in,
		    const struct nnfw_tensor *out, size_t from, size_t n, size_t inner)
{
	const uint8_t *x = (const uint8_t *)in->data + from;
	uint8_t *to = (uint8_t *)out->data + from;
	int32_t lo, hi, zero = in->zero_point;
	uint64_t sum = 0;
	double norm;

	nnfw_type_range(out->dtype, &lo, &hi);
	for (size_t i = 0; i < n;) {
		size_t end = nnfw_slice(work, i, n);

		if (!end)
			return -ECANCELED;
		for (; i < end; i++) {
			int32_t d = nnfw_code(in->dtype, x[i * inner]) - zero;

			sum += (uint32_t)(d * d);
		}
	}
	norm = sum ? sqrt((double)sum) : 1;
	for (size_t i = 0; i < n;) {
		size_t end = nnfw_slice(work, i, n);

		if (!end)
			return -ECANCELED;
		for (; i < end; i++) {
			int32_t d = nnfw_code(in->dtype, x[i * inner]) - zero;
			int32_t q = (int32_t)rint(d * 128.0 / norm) + out->zero_point;

			/*
			 * |d| <= norm unless the client writes the input meanwhile: within 255 *
			 * 128 in any case
			 */
			q = q < lo ? lo : q;
			to[i * inner] = (uint8_t)(q > hi ? hi : q);
		}
	}
	return 0;
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

		if (nnfw_is_quant8(in->dtype)) {
			ret = l2_quant(&work, in, out, from, l.n, l.inner);
		} else {
			ret = nnfw_line_load(&work, ctx->scratch, in, from, l.n, l.inner);
			if (!ret)
				ret = l2_float(&work, ctx->scratch, l.n);
			if (!ret)
				ret = nnfw_line_store(&work, ctx->scratch, out, from, l.n, l.inner);
		}
		if (ret)
			return ret;
	}
	return 0;
}

/* ---- LOCAL_RESPONSE_NORMALIZATION ---- */

/*
 * Sums over windows at a cost that does not depend on the radius, and without subtracting, so that
 * no error adds up and no infinity outlives its window. The line, preceded and followed by radius
 * zeros, is cut into blocks of the window's width; a window is the tail of one block and the head
 * of the next. Tails are summed backwards beforehand, the head runs along.
 */
struct windows {
	const float *line;
	size_t n, radius; /* radius at most n */
	double *tails; /* [n]: from that place of the padded line to the end of its block */
	double head;
	size_t phase; /* of the element that is due in its block */
};

/* Square of element @j of the padded line. */
static double padded_square(const struct windows *w, size_t j)
{
	return j < w->radius || j - w->radius >= w->n
		       ? 0
		       : (double)w->line[j - w->radius] * w->line[j - w->radius];
}

static int windows_begin(struct windows *w, struct nnfw_work *work)
{
	const size_t width = 2 * w->radius + 1;
	double sum = 0;

	for (size_t j = (w->n + width - 1) / width * width; j-- > 0;) {
		if (nnfw_work(work, 1))
			return -ECANCELED;
		sum = (j + 1) % width ? sum + padded_square(w, j) : padded_square(w, j);
		if (j < w->n)
			w->tails[j] = sum;
	}
	w->head = 0;
	w->phase = 0;
	return 0;
}

/* The sum around element @i; calls come in order of @i. */
static double windows_next(struct windows *w, size_t i)
{
	const size_t width = 2 * w->radius + 1;
	double sum = w->tails[i];

	if (w->phase) {
		w->head = w->phase == 1 ? padded_square(w, i + width - 1)
					: w->head + padded_square(w, i + width - 1);
		sum += w->head;
	}
	if (++w->phase == width)
		w->phase = 0;
	return sum;
}

static size_t lrn_scratch(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_lrn *a = ctx->attrs;
	const size_t n = lines_along(&ctx->in[0], a->axis).n;

	return nnfw_align(n * sizeof(double)) + 2 * n * sizeof(float);
}

static int lrn_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_lrn *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	const struct lines l = lines_along(in, a->axis);
	struct nnfw_work work = { .progress = ctx->progress };
	uint8_t *next = ctx->scratch;
	struct windows w = { .n = l.n, .radius = a->radius < l.n ? a->radius : l.n };
	float *line, *result;

	w.tails = nnfw_take(&next, l.n * sizeof(double));
	line = (float *)next;
	result = line + l.n;
	w.line = line;
	for (size_t i = 0; i < l.outer * l.inner; i++) {
		size_t from = i / l.inner * l.n * l.inner + i % l.inner;

		if (nnfw_line_load(&work, line, in, from, l.n, l.inner) || windows_begin(&w, &work))
			return -ECANCELED;
		for (size_t k = 0; k < l.n;) {
			size_t end = nnfw_slice(&work, k, l.n);

			/* a power each */
			if (!end || nnfw_work(&work, 3 * (end - k)))
				return -ECANCELED;
			for (size_t e = k; e < end; e++)
				result[e] = line[e] *
					    powf((float)(a->bias + a->alpha * windows_next(&w, e)),
						 -a->beta);
			k = end;
		}
		if (nnfw_line_store(&work, result, out, from, l.n, l.inner))
			return -ECANCELED;
	}
	return 0;
}

const struct nnfw_op nnfw_op_l2_normalization = {
	.opcode = NNPROG_OP_L2_NORMALIZATION,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8,
	.scratch = l2_scratch,
	.run = l2_run,
};

const struct nnfw_op nnfw_op_local_response_normalization = {
	.opcode = NNPROG_OP_LOCAL_RESPONSE_NORMALIZATION,
	.types = NNFW_TYPES_FLOAT,
	.scratch = lrn_scratch,
	.run = lrn_run,
};
