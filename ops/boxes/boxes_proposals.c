// SPDX-License-Identifier: Apache-2.0
/*
 * GENERATE_PROPOSALS: anchors at every place of a grid, moved by their deltas; per image the best
 * by score, after non-maximum suppression. Among equal scores the earlier box (row, column, anchor)
 * comes first.
 */
#include "boxes.h"
#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

enum { SCORES = 0, DELTAS, ANCHORS, IMAGE_INFO };

struct proposals {
	struct nnfw_op_ctx *ctx;
	const struct nnprog_attr_proposals *attr;
	size_t height, width, anchors, count; /* count of boxes in an image */
	const float *anchor; /* [anchors, 4] */
	float *box, *score; /* [count, 4], [count] */
	uint32_t *order; /* [count] */
	float *out_score, *out_box; /* as large as the outputs */
	uint32_t written, room;
	struct nnfw_work work;
};

static size_t boxes_of(const struct nnfw_op_ctx *ctx)
{
	return nnfw_extent(&ctx->in[SCORES], 1, 4);
}

static size_t proposals_scratch(const struct nnfw_op_ctx *ctx)
{
	size_t n = boxes_of(ctx), room = n * ctx->in[SCORES].dims[0];

	return nnfw_align(4 * n * sizeof(float)) + 2 * nnfw_align(n * sizeof(float)) +
	       nnfw_align(room * sizeof(float)) + nnfw_align(4 * room * sizeof(float)) +
	       nnfw_real_view_size(&ctx->in[ANCHORS]);
}

static int boxes_proposals_prepare(struct proposals *p, struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *scores = &ctx->in[SCORES];
	size_t n = boxes_of(ctx), room = n * scores->dims[0];
	uint8_t *next = ctx->scratch;

	*p = (struct proposals){
		.ctx = ctx,
		.attr = ctx->attrs,
		.height = scores->dims[1],
		.width = scores->dims[2],
		.anchors = scores->dims[3],
		.count = n,
	};
	p->box = nnfw_take(&next, 4 * n * sizeof(float));
	p->score = nnfw_take(&next, n * sizeof(float));
	p->order = nnfw_take(&next, n * sizeof(uint32_t));
	p->out_score = nnfw_take(&next, room * sizeof(float));
	p->out_box = nnfw_take(&next, 4 * room * sizeof(float));
	p->work.progress = ctx->progress;
	return nnfw_real_view(ctx->progress, &ctx->in[ANCHORS], &next, &p->anchor);
}

/* Scores and moved anchors of an image. */
static int place_boxes(struct proposals *p, size_t image, const float size[2])
{
	const struct nnfw_tensor *deltas = &p->ctx->in[DELTAS];
	size_t n = 0;

	if (nnfw_real_load_long(&p->work, p->score, &p->ctx->in[SCORES], image * p->count,
				p->count) ||
	    nnfw_real_load_long(&p->work, p->box, deltas, image * p->count * 4, p->count * 4))
		return -ECANCELED;
	for (size_t y = 0; y < p->height; y++) {
		for (size_t x = 0; x < p->width; x++) {
			float dx = (float)x * p->attr->width_stride,
			      dy = (float)y * p->attr->height_stride;

			for (size_t a = 0; a < p->anchors; a++, n++) {
				const float *anchor = p->anchor + 4 * a;
				float roi[4] = { anchor[0] + dx, anchor[1] + dy, anchor[2] + dx,
						 anchor[3] + dy };
				float moved[4];

				if (nnfw_work(&p->work, 32))
					return -ECANCELED;
				nnfw_box_transform(roi, p->box + 4 * n, size[1], size[0], moved);
				for (int i = 0; i < 4; i++)
					p->box[4 * (size_t)n + (size_t)i] = moved[i];
			}
		}
	}
	return 0;
}

/* Wide and high enough, with the centre inside the image. */
static bool boxes_proposals_usable(const struct proposals *p, const float *box, const float size[2])
{
	float min = p->attr->min_size;

	return box[2] - box[0] > min && box[3] - box[1] > min && (box[0] + box[2]) / 2 < size[1] &&
	       (box[1] + box[3]) / 2 < size[0];
}

static int one_image(struct proposals *p, size_t image)
{
	size_t n = p->count, usables = 0, kept, limit = SIZE_MAX;
	float size[2];
	int ret;

	nnfw_real_load(size, &p->ctx->in[IMAGE_INFO], image * 2, 2);
	ret = place_boxes(p, image, size);
	if (ret)
		return ret;
	for (size_t i = 0; i < n; i++) {
		if (nnfw_work(&p->work, 1))
			return -ECANCELED;
		p->order[i] = (uint32_t)i;
	}
	ret = nnfw_box_sort(p->order, n, p->score, p->ctx->progress);
	if (ret)
		return ret;
	if (p->attr->pre_nms_max > 0 && (size_t)p->attr->pre_nms_max < n)
		n = (size_t)p->attr->pre_nms_max;
	for (size_t i = 0; i < n; i++) {
		if (nnfw_work(&p->work, 8))
			return -ECANCELED;
		if (boxes_proposals_usable(p, p->box + 4 * (size_t)p->order[i], size))
			p->order[usables++] = p->order[i];
	}
	if (p->attr->post_nms_max > 0)
		limit = (size_t)p->attr->post_nms_max;
	ret = nnfw_box_nms(p->order, usables, p->box, p->attr->iou_threshold, limit, &kept,
			   p->ctx->progress);
	if (ret)
		return ret;
	for (size_t i = 0; i < kept; i++, p->written++) {
		const float *box = p->box + 4 * (size_t)p->order[i];

		if (nnfw_work(&p->work, 8))
			return -ECANCELED;
		p->out_score[p->written] = p->score[p->order[i]];
		for (int k = 0; k < 4; k++)
			p->out_box[4 * (size_t)p->written + (size_t)k] = box[k];
		((int32_t *)p->ctx->out[2].data)[p->written] = (int32_t)image;
	}
	return 0;
}

static int proposals_run(struct nnfw_op_ctx *ctx)
{
	struct proposals p;
	int ret = boxes_proposals_prepare(&p, ctx);

	for (size_t image = 0; image < ctx->in[SCORES].dims[0] && !ret; image++)
		ret = one_image(&p, image);
	if (!ret)
		ret = nnfw_real_store_long(&p.work, &ctx->out[0], 0, p.out_score, p.written);
	if (!ret)
		ret = nnfw_real_store_long(&p.work, &ctx->out[1], 0, p.out_box,
					   4 * (size_t)p.written);
	if (ret)
		return ret;
	nnfw_set_extent(ctx, 3, p.written);
	return 0;
}

const struct nnfw_op nnfw_op_generate_proposals = {
	.opcode = NNPROG_OP_GENERATE_PROPOSALS,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8,
	.scratch = proposals_scratch,
	.run = proposals_run,
};
