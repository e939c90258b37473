// SPDX-License-Identifier: Apache-2.0
/*
 * INSTANCE_NORMALIZATION: per batch and channel over height and width, (x - mean) * gamma /
 * sqrt(variance + epsilon) + beta; mean and population variance in double, in two passes.
 */
#include <math.h>
#include <string.h>

#include "half/half.h"
#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"

/* Channels at a time: a tick a pixel at least. */
#define BLOCK 16384u

static size_t instance_scratch(const struct nnfw_op_ctx *ctx)
{
	size_t channels = ctx->in[0].dims[3] < BLOCK ? ctx->in[0].dims[3] : BLOCK;

	return 2 * nnfw_align(channels * sizeof(double)) + channels * sizeof(float);
}

/* @n values from element @at as floats: in place, or converted into @mem. */
static const float *normalization_instance_pixel(const struct nnfw_tensor *in, size_t at, size_t n,
						 float *mem)
{
	if (in->dtype == NNPROG_FLOAT32)
		return (const float *)in->data + at;
	nnfw_half_load(mem, (const uint16_t *)in->data + at, n);
	return mem;
}

/* Channels [from, from + n) of the image that begins at pixel @first. */
static int instance_image(struct nnfw_op_ctx *ctx, size_t first, size_t pixels, size_t from,
			  size_t n, struct nnfw_work *work)
{
	const struct nnprog_attr_instance_normalization *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	size_t channels = in->dims[3];
	uint8_t *next = ctx->scratch;
	double *mean = nnfw_take(&next, n * sizeof(*mean));
	double *factor = nnfw_take(&next, n * sizeof(*factor));
	float *mem = (float *)next;
	int ret;

	memset(mean, 0, n * sizeof(*mean));
	memset(factor, 0, n * sizeof(*factor));
	for (uint32_t pass = 0; pass < 3; pass++) {
		for (size_t i = first; i < first + pixels; i++) {
			size_t at = i * channels + from;
			const float *x = normalization_instance_pixel(in, at, n, mem);
			float *to = in->dtype == NNPROG_FLOAT32 ? (float *)out->data + at : mem;

			ret = nnfw_work(work, n);
			if (ret)
				return ret;
			if (pass == 0) {
				for (size_t c = 0; c < n; c++)
					mean[c] += x[c];
			} else if (pass == 1) {
				for (size_t c = 0; c < n; c++)
					factor[c] += (x[c] - mean[c]) * (x[c] - mean[c]);
			} else {
				for (size_t c = 0; c < n; c++)
					to[c] = (float)((x[c] - mean[c]) * factor[c] + a->beta);
				if (to == mem)
					nnfw_half_store((uint16_t *)out->data + at, mem, n);
			}
		}
		for (size_t c = 0; c < n && pass == 0; c++)
			mean[c] /= (double)pixels;
		for (size_t c = 0; c < n && pass == 1; c++)
			factor[c] = a->gamma / sqrt(factor[c] / (double)pixels + a->epsilon);
	}
	return 0;
}

static int instance_run(struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *in = &ctx->in[0];
	struct nnfw_work work = { .progress = ctx->progress };
	size_t pixels = (size_t)in->dims[1] * in->dims[2], channels = in->dims[3];
	int ret = 0;

	for (size_t n = 0; n < in->dims[0] && !ret; n++)
		for (size_t c = 0; c < channels && !ret; c += BLOCK)
			ret = instance_image(ctx, n * pixels, pixels, c,
					     channels - c < BLOCK ? channels - c : BLOCK, &work);
	return ret;
}

const struct nnfw_op nnfw_op_instance_normalization = {
	.opcode = NNPROG_OP_INSTANCE_NORMALIZATION,
	.types = NNFW_TYPES_FLOAT,
	.scratch = instance_scratch,
	.run = instance_run,
};
