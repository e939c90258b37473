// SPDX-License-Identifier: Apache-2.0
/*
 * 8-bit depthwise convolutions of any size, without memory and with ticks: filters of very many
 * taps, and dilations and strides that leave most of the image out.
 */
#include "conv.h"
#include "kernels/kernel.h"
#include "kernels/requant.h"

/* Channels at a time. */
#define BLOCK 1024u

/* The sums of @n output channels from @first, modulo 2^32. 0 or -ECANCELED. */
static int sum_window(const struct nnfw_op_ctx *ctx, const struct nnfw_conv_geometry *g,
		      const struct nnfw_depthwise_window *w, struct nnfw_work *work, size_t first,
		      size_t n, uint32_t sums[BLOCK])
{
	const struct nnfw_tensor *in = &ctx->in[0], *filter = &ctx->in[1];
	const uint32_t *bias = ctx->in[2].data;
	const int32_t zero = filter->num_scales ? 0 : filter->zero_point;
	const size_t multiplier = g->out_c / g->in_c;

	for (size_t c = 0; c < n; c++)
		sums[c] = bias[first + c];
	for (size_t ky = w->ky0; ky < w->ky1; ky++) {
		const uint8_t *x = (const uint8_t *)in->data + w->offset +
				   (ky - w->ky0) * g->dilation_h * g->in_w * g->in_c;
		const uint8_t *t = (const uint8_t *)filter->data +
				   (ky * g->filter_w + w->kx0) * g->out_c + first;

		for (size_t kx = w->kx0; kx < w->kx1; kx++) {
			if (nnfw_work(work, n))
				return -ECANCELED;
			for (size_t c = 0; c < n; c++) {
				int32_t a = nnfw_code(in->dtype, x[(first + c) / multiplier]);
				int32_t b = nnfw_code(filter->dtype, t[c]);

				sums[c] += (uint32_t)((a - in->zero_point) * (b - zero));
			}
			x += g->dilation_w * g->in_c;
			t += g->out_c;
		}
	}
	return 0;
}

int nnfw_depthwise_q8_long(const struct nnfw_op_ctx *ctx, const struct nnfw_conv_geometry *g)
{
	const struct nnprog_attr_conv2d *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0], *filter = &ctx->in[1], *out = &ctx->out[0];
	const struct nnfw_requant q = nnfw_requant_output(out, a->activation);
	struct nnfw_work work = { .progress = ctx->progress };
	uint8_t *to = out->data;
	uint32_t sums[BLOCK];

	for (size_t i = 0; i < g->batch * g->out_h * g->out_w; i++) {
		size_t row = i / g->out_w;
		struct nnfw_depthwise_window w =
			nnfw_depthwise_window_at(g, row / g->out_h, row % g->out_h, i % g->out_w);

		for (size_t c = 0; c < g->out_c; c += BLOCK) {
			size_t n = g->out_c - c < BLOCK ? g->out_c - c : BLOCK;

			if (nnfw_work(&work, n) || sum_window(ctx, g, &w, &work, c, n, sums))
				return -ECANCELED;
			for (size_t k = 0; k < n; k++) {
				float scale = filter->num_scales ? filter->scales[c + k]
								 : filter->scale;

				*to++ = (uint8_t)nnfw_requantize(
					(int32_t)sums[k],
					(float)((double)in->scale * scale / out->scale), &q);
			}
		}
	}
	return 0;
}
