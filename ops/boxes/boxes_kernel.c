// SPDX-License-Identifier: Apache-2.0
/*
 * AXIS_ALIGNED_BBOX_TRANSFORM: each region moved and stretched by each of its deltas, in float32;
 * and what the operations on boxes share.
 */
#include <math.h>

#include "boxes.h"
#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "nnprog_opcode.h"
#include "nnutil_file.h"

/* Elements that are sifted, or compared, between two ticks. */
#define TICK 2048u

float nnfw_box_iou(const float *a, const float *b)
{
	float area_a = (a[2] - a[0]) * (a[3] - a[1]), area_b = (b[2] - b[0]) * (b[3] - b[1]);
	float w = fminf(a[2], b[2]) - fmaxf(a[0], b[0]), h = fminf(a[3], b[3]) - fmaxf(a[1], b[1]);
	float both = (w > 0 ? w : 0) * (h > 0 ? h : 0);

	return both / (area_a + area_b - both);
}

void nnfw_box_transform(const float roi[4], const float delta[4], float width, float height,
			float out[4])
{
	float w = roi[2] - roi[0], h = roi[3] - roi[1];
	float x = (roi[0] + roi[2]) / 2 + delta[0] * w, y = (roi[1] + roi[3]) / 2 + delta[1] * h;

	w *= expf(delta[2]);
	h *= expf(delta[3]);
	out[0] = nnfw_clampf(x - w / 2, 0, width);
	out[1] = nnfw_clampf(y - h / 2, 0, height);
	out[2] = nnfw_clampf(x + w / 2, 0, width);
	out[3] = nnfw_clampf(y + h / 2, 0, height);
}

/* Heap whose root comes last. */
static void boxes_sift(uint32_t *heap, size_t root, size_t n, const float *keys)
{
	uint32_t moved = heap[root];

	for (size_t child; (child = 2 * root + 1) < n; root = child) {
		if (child + 1 < n && nnfw_before(keys, heap[child], heap[child + 1]))
			child++;
		if (!nnfw_before(keys, moved, heap[child]))
			break;
		heap[root] = heap[child];
	}
	heap[root] = moved;
}

int nnfw_box_sort(uint32_t *order, size_t n, const float *keys, struct nnfw_progress *progress)
{
	for (size_t i = n / 2; i-- > 0;) {
		if (i % TICK == 0 && nnfw_progress_tick(progress))
			return -ECANCELED;
		boxes_sift(order, i, n, keys);
	}
	for (size_t i = n; i-- > 1;) {
		uint32_t last = order[0];

		order[0] = order[i];
		order[i] = last;
		boxes_sift(order, 0, i, keys);
		if (i % TICK == 0 && nnfw_progress_tick(progress))
			return -ECANCELED;
	}
	return 0;
}

int nnfw_box_nms(uint32_t *order, size_t n, const float *boxes, float iou, size_t max, size_t *kept,
		 struct nnfw_progress *progress)
{
	struct nnfw_work work = { .progress = progress };
	size_t keep = 0;

	while (keep < n && keep < max) {
		const float *box = boxes + 4 * (size_t)order[keep];
		size_t left = ++keep;

		for (size_t i = keep; i < n; i++) {
			if (nnfw_work(&work, 8))
				return -ECANCELED;
			if (!(nnfw_box_iou(box, boxes + 4 * (size_t)order[i]) >= iou))
				order[left++] = order[i];
		}
		n = left;
		if (nnfw_progress_tick(progress))
			return -ECANCELED;
	}
	*kept = keep;
	return 0;
}

enum { ROIS = 0, DELTAS, BATCH, IMAGE_INFO };

static int bbox_transform_run(struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *info = &ctx->in[IMAGE_INFO], *out = &ctx->out[0];
	size_t rois = out->dims[0], classes = out->dims[1] / 4;
	struct nnfw_work work = { .progress = ctx->progress };

	for (size_t r = 0; r < rois; r++) {
		int32_t batch = NNUTIL_READ_ONCE(((const int32_t *)ctx->in[BATCH].data)[r]);
		float roi[4], size[2];

		nnfw_real_load(roi, &ctx->in[ROIS], r * 4, 4);
		if (!(roi[0] <= roi[2]) || !(roi[1] <= roi[3]))
			return nnfw_refuse(ctx, "region %zu is malformed", r);
		if (batch < 0 || (uint32_t)batch >= info->dims[0])
			return nnfw_refuse(ctx, "region %zu: batch %d is out of range", r, batch);
		nnfw_real_load(size, info, (size_t)batch * 2, 2);
		for (size_t k = 0; k < classes; k++) {
			float delta[4], moved[4];

			/* two exponentials among them */
			if (nnfw_work(&work, 32))
				return -ECANCELED;
			nnfw_real_load(delta, &ctx->in[DELTAS], (r * classes + k) * 4, 4);
			nnfw_box_transform(roi, delta, size[1], size[0], moved);
			nnfw_real_store(out, (r * classes + k) * 4, moved, 4);
		}
	}
	return 0;
}

const struct nnfw_op nnfw_op_axis_aligned_bbox_transform = {
	.opcode = NNPROG_OP_AXIS_ALIGNED_BBOX_TRANSFORM,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPE(UINT16),
	.run = bbox_transform_run,
};
