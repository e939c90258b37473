// SPDX-License-Identifier: Apache-2.0
/*
 * DETECTION_POSTPROCESSING: boxes from anchors, non-maximum suppression per class (regular) or of
 * all classes together (fast). Among equal scores the smaller class, then the earlier anchor, comes
 * first.
 */
#include <math.h>
#include <string.h>

#include "boxes.h"
#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

enum { SCORES = 0, DELTAS, ANCHORS };

struct detection {
	struct nnfw_op_ctx *ctx;
	const struct nnprog_attr_detection *attr;
	size_t anchors, classes, room; /* room for detections in an image */
	const float *score; /* [anchors, classes] of the image */
	float *box, *key; /* [anchors, 4] y1 x1 y2 x2; [anchors] */
	uint32_t *order; /* [anchors] */
	/* regular: what the classes have kept; fast: classes of an anchor */
	uint32_t *list;
	float *list_key;
	uint32_t *list_anchor, *list_class;
	float *out_score, *out_box; /* [room], [room, 4] */
	size_t written;
	struct nnfw_work work;
};

/* Most entries of the list. */
static size_t list_size(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_detection *a = ctx->attrs;
	size_t anchors = ctx->in[SCORES].dims[1], classes = ctx->in[SCORES].dims[2];

	if (!a->regular_nms)
		return classes;
	return (classes - 1) *
	       (anchors < a->detections_per_class ? anchors : a->detections_per_class);
}

static size_t detection_scratch(const struct nnfw_op_ctx *ctx)
{
	size_t anchors = ctx->in[SCORES].dims[1], room = ctx->out[0].dims[1];

	return nnfw_align(4 * anchors * sizeof(float)) + 2 * nnfw_align(anchors * sizeof(float)) +
	       4 * nnfw_align(list_size(ctx) * sizeof(float)) + nnfw_align(room * sizeof(float)) +
	       nnfw_align(4 * room * sizeof(float)) + nnfw_real_view_size(&ctx->in[SCORES]);
}

static int boxes_detection_prepare(struct detection *d, struct nnfw_op_ctx *ctx)
{
	size_t n = list_size(ctx);
	uint8_t *next = ctx->scratch;

	*d = (struct detection){
		.ctx = ctx,
		.attr = ctx->attrs,
		.anchors = ctx->in[SCORES].dims[1],
		.classes = ctx->in[SCORES].dims[2],
		.room = ctx->out[0].dims[1],
	};
	d->box = nnfw_take(&next, 4 * d->anchors * sizeof(float));
	d->key = nnfw_take(&next, d->anchors * sizeof(float));
	d->order = nnfw_take(&next, d->anchors * sizeof(uint32_t));
	d->list = nnfw_take(&next, n * sizeof(uint32_t));
	d->list_key = nnfw_take(&next, n * sizeof(float));
	d->list_anchor = nnfw_take(&next, n * sizeof(uint32_t));
	d->list_class = nnfw_take(&next, n * sizeof(uint32_t));
	d->out_score = nnfw_take(&next, d->room * sizeof(float));
	d->out_box = nnfw_take(&next, 4 * d->room * sizeof(float));
	d->work.progress = ctx->progress;
	return nnfw_real_view(ctx->progress, &ctx->in[SCORES], &next, &d->score);
}

/* Corners from anchors (centre y, centre x, height, width) and deltas in the same order. */
static int boxes_detection_decode(struct detection *d, size_t image)
{
	const struct nnfw_tensor *deltas = &d->ctx->in[DELTAS];
	const struct nnprog_attr_detection *a = d->attr;
	size_t length = deltas->dims[2];

	for (size_t i = 0; i < d->anchors; i++) {
		float anchor[4], delta[4], y, x, h, w, *box = d->box + 4 * i;

		if (nnfw_work(&d->work, 32))
			return -ECANCELED;
		nnfw_real_load(anchor, &d->ctx->in[ANCHORS], 4 * i, 4);
		nnfw_real_load(delta, deltas, (image * d->anchors + i) * length, 4);
		y = anchor[0] + delta[0] / a->scale_y * anchor[2];
		x = anchor[1] + delta[1] / a->scale_x * anchor[3];
		h = anchor[2] * expf(delta[2] / a->scale_h) / 2;
		w = anchor[3] * expf(delta[3] / a->scale_w) / 2;
		box[0] = y - h;
		box[1] = x - w;
		box[2] = y + h;
		box[3] = x + w;
	}
	return 0;
}

static void boxes_detection_emit(struct detection *d, size_t to, uint32_t anchor, uint32_t class,
				 float score)
{
	d->out_score[d->written] = score;
	memcpy(d->out_box + 4 * d->written, d->box + 4 * (size_t)anchor, 4 * sizeof(float));
	((int32_t *)d->ctx->out[2].data)[to + d->written] =
		(int32_t) class - (d->attr->background_in_label ? 0 : 1);
	d->written++;
}

/* Anchors whose key is above the threshold, suppressed; in d->order. */
static int boxes_detection_suppress(struct detection *d, size_t max, size_t *kept)
{
	size_t n = 0;
	int ret;

	for (size_t i = 0; i < d->anchors; i++) {
		if (nnfw_work(&d->work, 1))
			return -ECANCELED;
		if (d->key[i] > d->attr->score_threshold)
			d->order[n++] = (uint32_t)i;
	}
	ret = nnfw_box_sort(d->order, n, d->key, d->ctx->progress);
	return ret ? ret
		   : nnfw_box_nms(d->order, n, d->box, d->attr->iou_threshold, max, kept,
				  d->ctx->progress);
}

/* Each class on its own, then the best of all. */
static int regular(struct detection *d, const float *score, size_t to)
{
	size_t n = 0, kept;
	int ret;

	for (size_t c = 1; c < d->classes; c++) {
		for (size_t i = 0; i < d->anchors; i++) {
			if (nnfw_work(&d->work, 4))
				return -ECANCELED;
			d->key[i] = score[i * d->classes + c];
		}
		ret = boxes_detection_suppress(d, d->attr->detections_per_class, &kept);
		if (ret)
			return ret;
		for (size_t i = 0; i < kept; i++, n++) {
			if (nnfw_work(&d->work, 4))
				return -ECANCELED;
			d->list[n] = (uint32_t)n;
			d->list_key[n] = d->key[d->order[i]];
			d->list_anchor[n] = d->order[i];
			d->list_class[n] = (uint32_t)c;
		}
	}
	ret = nnfw_box_sort(d->list, n, d->list_key, d->ctx->progress);
	for (size_t i = 0; i < n && i < d->room && !ret; i++) {
		uint32_t k = d->list[i];

		ret = nnfw_work(&d->work, 16);
		boxes_detection_emit(d, to, d->list_anchor[k], d->list_class[k], d->list_key[k]);
	}
	return ret;
}

/* Anchors by their best class; each kept one with its best classes. */
static int fast(struct detection *d, const float *score, size_t to)
{
	size_t each = d->classes - 1 < d->attr->max_classes ? d->classes - 1 : d->attr->max_classes,
	       kept;
	int ret;

	for (size_t i = 0; i < d->anchors; i++) {
		const float *s = score + i * d->classes;
		float best = s[1];

		if (nnfw_work(&d->work, d->classes))
			return -ECANCELED;
		for (size_t c = 2; c < d->classes; c++)
			best = s[c] > best ? s[c] : best;
		d->key[i] = best;
	}
	ret = boxes_detection_suppress(d, d->attr->max_detections, &kept);
	for (size_t i = 0; i < kept && !ret; i++) {
		const float *s = score + (size_t)d->order[i] * d->classes;

		if (nnfw_work(&d->work, d->classes))
			return -ECANCELED;
		for (size_t c = 1; c < d->classes; c++)
			d->list[c - 1] = (uint32_t)c;
		memcpy(d->list_key, s, d->classes * sizeof(*s));
		ret = nnfw_box_sort(d->list, d->classes - 1, d->list_key, d->ctx->progress);
		for (size_t k = 0; k < each && !ret; k++, ret = nnfw_work(&d->work, 8))
			boxes_detection_emit(d, to, d->order[i], d->list[k],
					     d->list_key[d->list[k]]);
	}
	return ret;
}

static int detection_run(struct nnfw_op_ctx *ctx)
{
	struct detection d;
	int ret = boxes_detection_prepare(&d, ctx);

	if (ret)
		return ret;
	for (size_t image = 0; image < ctx->in[SCORES].dims[0]; image++) {
		const float *score = d.score + image * d.anchors * d.classes;
		size_t to = image * d.room;

		if (nnfw_work(&d.work, 2 * d.room))
			return -ECANCELED;
		memset(d.out_score, 0, d.room * sizeof(float));
		memset(d.out_box, 0, 4 * d.room * sizeof(float));
		memset((int32_t *)ctx->out[2].data + to, 0, d.room * sizeof(int32_t));
		d.written = 0;
		ret = boxes_detection_decode(&d, image);
		if (!ret)
			ret = d.attr->regular_nms ? regular(&d, score, to) : fast(&d, score, to);
		if (ret)
			return ret;
		if (nnfw_real_store_long(&d.work, &ctx->out[0], to, d.out_score, d.room) ||
		    nnfw_real_store_long(&d.work, &ctx->out[1], 4 * to, d.out_box, 4 * d.room))
			return -ECANCELED;
		((int32_t *)ctx->out[3].data)[image] = (int32_t)d.written;
	}
	return 0;
}

const struct nnfw_op nnfw_op_detection_postprocessing = {
	.opcode = NNPROG_OP_DETECTION_POSTPROCESSING,
	.types = NNFW_TYPES_FLOAT,
	.scratch = detection_scratch,
	.run = detection_run,
};
