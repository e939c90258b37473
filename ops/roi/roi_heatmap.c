// SPDX-License-Identifier: Apache-2.0
/*
 * HEATMAP_MAX_KEYPOINT: the greatest element of each map, refined by a quadratic around it.
 * float32.
 */
#include <math.h>

#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"

enum { HEATMAP = 0, BOXES };

/* A maximum and its neighbours. */
struct peak {
	float grid[3][3];
	float dx, dy, score;
};

/* @threshold: a Hessian with a smaller determinant gives no place. */
static void roi_heatmap_refine(struct peak *p, float threshold)
{
	float(*g)[3] = p->grid;
	float bx = -(g[1][2] - g[1][0]) / 2, by = -(g[2][1] - g[0][1]) / 2;
	float xx = g[1][0] - 2 * g[1][1] + g[1][2], yy = g[0][1] - 2 * g[1][1] + g[2][1];
	float xy = (g[2][2] - g[2][0] - g[0][2] + g[0][0]) / 4;
	float main = xx * yy, det = main - xy * xy, far;

	p->dx = p->dy = 0;
	p->score = g[1][1];
	if (fabsf(det) < threshold + threshold * main)
		return;
	p->dx = (yy * bx - xy * by) / det;
	p->dy = (xx * by - xy * bx) / det;
	far = fmaxf(fabsf(p->dx), fabsf(p->dy));
	if (far > 1.5f) {
		p->dx *= 1.5f / far;
		p->dy *= 1.5f / far;
	}
	p->score = g[1][1] - bx * p->dx - by * p->dy +
		   ((xx * p->dx + xy * p->dy) * p->dx + (xy * p->dx + yy * p->dy) * p->dy) / 2;
}

/* A position beyond an edge mirrors the one at the same distance inside. */
static size_t mirror(size_t i, int d, size_t size)
{
	if (d < 0)
		return i ? i - 1 : 1;
	if (d > 0)
		return i + 1 < size ? i + 1 : size - 2;
	return i;
}

static size_t heatmap_scratch(const struct nnfw_op_ctx *ctx)
{
	size_t maps = ctx->in[HEATMAP].dims[3];

	/* per map: place and value of the greatest element, the score, the keypoint */
	return nnfw_align(maps * sizeof(uint32_t)) + 2 * nnfw_align(maps * sizeof(float)) +
	       nnfw_align(2 * maps * sizeof(float)) + nnfw_real_view_size(&ctx->in[HEATMAP]);
}

/* First greatest element of each of the @maps that lie interleaved. */
static int find_peaks(struct nnfw_op_ctx *ctx, const float *image, size_t size, size_t maps,
		      uint32_t *place, float *best)
{
	struct nnfw_work work = { .progress = ctx->progress };

	for (size_t k = 0; k < maps; k++) {
		if (nnfw_work(&work, 1))
			return -ECANCELED;
		place[k] = 0;
		best[k] = image[k];
	}
	for (size_t i = 0; i < size * size; i++) {
		const float *p = image + i * maps;

		if (nnfw_work(&work, maps))
			return -ECANCELED;
		for (size_t k = 0; k < maps; k++) {
			if (p[k] > best[k]) {
				best[k] = p[k];
				place[k] = (uint32_t)i;
			}
		}
	}
	return 0;
}

static int heatmap_run(struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *in = &ctx->in[HEATMAP];
	size_t size = in->dims[1], maps = in->dims[3];
	float threshold = in->dtype == NNPROG_FLOAT16 ? 1e-3f : 1e-5f;
	uint8_t *next = ctx->scratch;
	uint32_t *place = nnfw_take(&next, maps * sizeof(*place));
	float *best = nnfw_take(&next, maps * sizeof(float)),
	      *score = nnfw_take(&next, maps * sizeof(float));
	float *point = nnfw_take(&next, 2 * maps * sizeof(float));
	struct nnfw_work work = { .progress = ctx->progress };
	const float *image;

	if (nnfw_real_view(ctx->progress, in, &next, &image))
		return -ECANCELED;
	for (size_t b = 0; b < in->dims[0]; b++, image += size * size * maps) {
		float box[4];
		int ret;

		nnfw_real_load(box, &ctx->in[BOXES], b * 4, 4);
		if (!(box[0] <= box[2]) || !(box[1] <= box[3]))
			return nnfw_refuse(ctx, "box %zu is malformed", b);
		ret = find_peaks(ctx, image, size, maps, place, best);
		if (ret)
			return ret;
		for (size_t k = 0; k < maps; k++) {
			size_t y = place[k] / size, x = place[k] % size;
			struct peak p;

			if (nnfw_work(&work, 64))
				return -ECANCELED;
			for (int i = -1; i <= 1; i++) {
				for (int j = -1; j <= 1; j++)
					p.grid[i + 1][j + 1] = image[(mirror(y, i, size) * size +
								      mirror(x, j, size)) *
									     maps +
								     k];
			}
			roi_heatmap_refine(&p, threshold);
			score[k] = p.score;
			point[2 * k] =
				((float)x + p.dx + 0.5f) / (float)size * (box[2] - box[0]) + box[0];
			point[2 * k + 1] =
				((float)y + p.dy + 0.5f) / (float)size * (box[3] - box[1]) + box[1];
		}
		if (nnfw_real_store_long(&work, &ctx->out[0], b * maps, score, maps) ||
		    nnfw_real_store_long(&work, &ctx->out[1], b * maps * 2, point, maps * 2))
			return -ECANCELED;
	}
	return 0;
}

const struct nnfw_op nnfw_op_heatmap_max_keypoint = {
	.opcode = NNPROG_OP_HEATMAP_MAX_KEYPOINT,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8,
	.scratch = heatmap_scratch,
	.run = heatmap_run,
};
