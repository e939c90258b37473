// SPDX-License-Identifier: Apache-2.0
/*
 * BOX_WITH_NMS_LIMIT: soft or hard non-maximum suppression per class and image, limited per image.
 * Among equal scores the smaller region number, then the smaller class, comes first.
 */
#include <math.h>
#include <string.h>

#include "boxes.h"
#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "nnutil_file.h"

enum { SCORES = 0, ROIS, BATCH };
enum { KERNEL_HARD, KERNEL_LINEAR, KERNEL_GAUSSIAN };

struct nms {
	struct nnfw_op_ctx *ctx;
	const struct nnprog_attr_box_nms *attr;
	size_t classes;
	const float *scores, *boxes; /* [R, K], [R, K, 4] */
	/* candidates of one class: [R] */
	uint32_t *candidate;
	float *score;
	/* what the classes of an image have selected, class after class: [R * (K - 1)] */
	uint32_t *order;
	uint32_t *box; /* region * K + class */
	float *key;
	size_t selected;
	/* result */
	float *out_scores;
	uint32_t written;
	struct nnfw_work work;
};

static size_t boxes_nms_results(const struct nnfw_op_ctx *ctx)
{
	return (size_t)ctx->in[SCORES].dims[0] * (ctx->in[SCORES].dims[1] - 1);
}

static size_t box_nms_scratch(const struct nnfw_op_ctx *ctx)
{
	size_t rois = ctx->in[SCORES].dims[0];

	return 2 * nnfw_align(rois * sizeof(float)) +
	       4 * nnfw_align(boxes_nms_results(ctx) * sizeof(float)) +
	       nnfw_real_view_size(&ctx->in[SCORES]) + nnfw_real_view_size(&ctx->in[ROIS]);
}

static int boxes_nms_prepare(struct nms *s, struct nnfw_op_ctx *ctx)
{
	size_t rois = ctx->in[SCORES].dims[0], n = boxes_nms_results(ctx);
	uint8_t *next = ctx->scratch;

	*s = (struct nms){ .ctx = ctx, .attr = ctx->attrs, .classes = ctx->in[SCORES].dims[1] };
	s->candidate = nnfw_take(&next, rois * sizeof(uint32_t));
	s->score = nnfw_take(&next, rois * sizeof(float));
	s->order = nnfw_take(&next, n * sizeof(uint32_t));
	s->box = nnfw_take(&next, n * sizeof(uint32_t));
	s->key = nnfw_take(&next, n * sizeof(float));
	s->out_scores = nnfw_take(&next, n * sizeof(float));
	s->work.progress = ctx->progress;
	if (nnfw_real_view(ctx->progress, &ctx->in[SCORES], &next, &s->scores))
		return -ECANCELED;
	return nnfw_real_view(ctx->progress, &ctx->in[ROIS], &next, &s->boxes);
}

static float decay(const struct nnprog_attr_box_nms *a, float iou)
{
	switch (a->kernel) {
	case KERNEL_LINEAR:
		return iou < a->iou_threshold ? 1 : 1 - iou;
	case KERNEL_GAUSSIAN:
		return expf(-(iou * iou) / a->sigma);
	default:
		return iou < a->iou_threshold ? 1 : 0;
	}
}

/*
 * Take the best of *@count candidates and lower the scores of the rest. *@count: the remaining
 * number. 0 or -ECANCELED.
 */
static int take_best(struct nms *s, size_t class, size_t *count)
{
	const float *box;
	size_t best = 0, left = 0, n = *count;

	for (size_t i = 1; i < n; i++) {
		if (nnfw_work(&s->work, 1))
			return -ECANCELED;
		if (s->score[i] > s->score[best] || s->score[best] != s->score[best])
			best = i;
	}
	s->box[s->selected] = (uint32_t)(s->candidate[best] * s->classes + class);
	s->key[s->selected] = s->score[best];
	box = s->boxes + 4 * (size_t)s->box[s->selected++];
	for (size_t i = 0; i < n; i++) {
		float score;

		if (i == best)
			continue;
		if (nnfw_work(&s->work, 16))
			return -ECANCELED;
		score = s->score[i] *
			decay(s->attr,
			      nnfw_box_iou(box,
					   s->boxes + 4 * (s->candidate[i] * s->classes + class)));
		if (score < s->attr->nms_score_threshold)
			continue;
		s->score[left] = score;
		s->candidate[left++] = s->candidate[i];
	}
	*count = left;
	return 0;
}

/* One class of the regions [first, end). */
static int boxes_nms_suppress(struct nms *s, size_t class, size_t first, size_t end)
{
	size_t n = 0, limit = end - first;

	if (s->attr->max_detections >= 0 && (size_t)s->attr->max_detections < limit)
		limit = (size_t)s->attr->max_detections;
	for (size_t r = first; r < end; r++) {
		float score = s->scores[r * s->classes + class];

		if (nnfw_work(&s->work, 4))
			return -ECANCELED;
		if (score > s->attr->score_threshold) {
			s->candidate[n] = (uint32_t)r;
			s->score[n++] = score;
		}
	}
	while (n && limit--) {
		if (nnfw_progress_tick(s->ctx->progress))
			return -ECANCELED;
		if (take_best(s, class, &n))
			return -ECANCELED;
	}
	return 0;
}

/* The best of all classes, class after class, to the outputs. */
static int boxes_nms_emit(struct nms *s, int32_t batch)
{
	struct nnfw_tensor *out = s->ctx->out;
	size_t bytes = 4 * nnprog_dtype_size(out[1].dtype), n = s->selected, from = 0;
	int ret;

	for (size_t i = 0; i < n; i++) {
		if (nnfw_work(&s->work, 4))
			return -ECANCELED;
		s->order[i] = (uint32_t)i;
	}
	if (s->attr->max_detections >= 0 && (size_t)s->attr->max_detections < n) {
		ret = nnfw_box_sort(s->order, n, s->key, s->ctx->progress);
		if (ret)
			return ret;
		/* mark the removed boxes; sort the rest by class again */
		for (size_t i = (size_t)s->attr->max_detections; i < n; i++) {
			if (nnfw_work(&s->work, 4))
				return -ECANCELED;
			s->box[s->order[i]] = UINT32_MAX;
		}
		n = 0;
		for (size_t i = 0; i < s->selected; i++) {
			if (nnfw_work(&s->work, 1))
				return -ECANCELED;
			if (s->box[i] != UINT32_MAX)
				s->order[n++] = (uint32_t)i;
		}
	}
	for (size_t i = 1; i <= n; i++) {
		if (i < n &&
		    s->box[s->order[i]] % s->classes == s->box[s->order[from]] % s->classes)
			continue;
		ret = nnfw_box_sort(s->order + from, i - from, s->key, s->ctx->progress);
		if (ret)
			return ret;
		from = i;
	}
	for (size_t i = 0; i < n; i++, s->written++) {
		uint32_t box = s->box[s->order[i]];

		if (nnfw_work(&s->work, 16))
			return -ECANCELED;
		s->out_scores[s->written] = s->key[s->order[i]];
		memcpy((uint8_t *)out[1].data + s->written * bytes,
		       (const uint8_t *)s->ctx->in[ROIS].data + box * bytes, bytes);
		((int32_t *)out[2].data)[s->written] = (int32_t)(box % s->classes);
		((int32_t *)out[3].data)[s->written] = batch;
	}
	return 0;
}

static int check_boxes(struct nms *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const float *box = s->boxes + 4 * i;

		if (nnfw_work(&s->work, 4))
			return -ECANCELED;
		if (!(box[0] <= box[2]) || !(box[1] <= box[3]))
			return nnfw_refuse(s->ctx, "box %zu of region %zu is malformed",
					   i % s->classes, i / s->classes);
	}
	return 0;
}

static int box_nms_run(struct nnfw_op_ctx *ctx)
{
	const int32_t *batches = ctx->in[BATCH].data;
	size_t rois = ctx->in[SCORES].dims[0], end;
	struct nms s;
	int ret;

	ret = boxes_nms_prepare(&s, ctx);
	if (!ret)
		ret = check_boxes(&s, rois * s.classes);
	/* an image is what follows each other with one number */
	for (size_t first = 0; first < rois && !ret; first = end) {
		int32_t batch = NNUTIL_READ_ONCE(batches[first]);

		for (end = first + 1; end < rois && NNUTIL_READ_ONCE(batches[end]) == batch && !ret;
		     end++)
			ret = nnfw_work(&s.work, 1);
		s.selected = 0;
		for (size_t c = 1; c < s.classes && !ret; c++)
			ret = nnfw_work(&s.work, 8) ? -ECANCELED
						    : boxes_nms_suppress(&s, c, first, end);
		if (!ret)
			ret = boxes_nms_emit(&s, batch);
	}
	if (ret)
		return ret;
	/*
	 * NaN is the least of scores, also of those that are codes: the overlap of empty boxes is
	 * NaN
	 */
	for (uint32_t i = 0; i < s.written && nnfw_is_quant8(ctx->out[0].dtype); i++) {
		if (nnfw_work(&s.work, 1))
			return -ECANCELED;
		if (isnan(s.out_scores[i]))
			s.out_scores[i] = -INFINITY;
	}
	ret = nnfw_real_store_long(&s.work, &ctx->out[0], 0, s.out_scores, s.written);
	if (ret)
		return ret;
	nnfw_set_extent(ctx, 4, s.written);
	return 0;
}

const struct nnfw_op nnfw_op_box_with_nms_limit = {
	.opcode = NNPROG_OP_BOX_WITH_NMS_LIMIT,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8,
	.scratch = box_nms_scratch,
	.run = box_nms_run,
};
