// SPDX-License-Identifier: Apache-2.0
/*
 * INSTANCE_NORMALIZATION: per batch and channel over height and width, (x - mean) * gamma /
 * sqrt(variance + epsilon) + beta; mean and population variance in double, in two passes.
 */
#include <math.h>
#include <string.h>

#include "move.h"

static size_t instance_scratch(const struct nnfw_op_ctx *ctx)
{
	size_t channels = ctx->in[0].dims[3];

	return 2 * nnfw_align(channels * sizeof(double)) + channels * sizeof(float);
}

/* A pixel's channels as floats: in place, or converted into @mem. */
static const float *pixel(const struct nnfw_tensor *in, size_t i, float *mem)
{
	size_t channels = in->dims[3];

	if (in->dtype == NNPROG_FLOAT32)
		return (const float *)in->data + i * channels;
	nnfw_half_load(mem, (const uint16_t *)in->data + i * channels, channels);
	return mem;
}

static int instance_image(struct nnfw_op_ctx *ctx, size_t first, size_t pixels, struct nnfw_work *work)
{
	const struct nnprog_attr_instance_normalization *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *out = &ctx->out[0];
	size_t channels = in->dims[3];
	uint8_t *next = ctx->scratch;
	double *mean = nnfw_take(&next, channels * sizeof(*mean));
	double *factor = nnfw_take(&next, channels * sizeof(*factor));
	float *mem = (float *)next;
	int ret;

	memset(mean, 0, channels * sizeof(*mean));
	memset(factor, 0, channels * sizeof(*factor));
	for (uint32_t pass = 0; pass < 3; pass++) {
		for (size_t i = first; i < first + pixels; i++) {
			const float *x = pixel(in, i, mem);
			float *to = in->dtype == NNPROG_FLOAT32 ? (float *)out->data + i * channels : mem;

			ret = nnfw_work(work, channels);
			if (ret)
				return ret;
			if (pass == 0) {
				for (size_t c = 0; c < channels; c++)
					mean[c] += x[c];
			} else if (pass == 1) {
				for (size_t c = 0; c < channels; c++)
					factor[c] += (x[c] - mean[c]) * (x[c] - mean[c]);
			} else {
				for (size_t c = 0; c < channels; c++)
					to[c] = (float)((x[c] - mean[c]) * factor[c] + a->beta);
				if (to == mem)
					nnfw_half_store((uint16_t *)out->data + i * channels, mem,
							channels);
			}
		}
		for (size_t c = 0; c < channels && pass == 0; c++)
			mean[c] /= (double)pixels;
		for (size_t c = 0; c < channels && pass == 1; c++)
			factor[c] = a->gamma / sqrt(factor[c] / (double)pixels + a->epsilon);
	}
	return 0;
}

static int instance_run(struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *in = &ctx->in[0];
	struct nnfw_work work = { .progress = ctx->progress };
	size_t pixels = (size_t)in->dims[1] * in->dims[2];
	int ret = 0;

	for (size_t n = 0; n < in->dims[0] && !ret; n++)
		ret = instance_image(ctx, n * pixels, pixels, &work);
	return ret;
}

const struct nnfw_op nnfw_op_instance_normalization = {
	.opcode = NNPROG_OP_INSTANCE_NORMALIZATION,
	.types = NNFW_TYPES_FLOAT,
	.scratch = instance_scratch,
	.run = instance_run,
};
