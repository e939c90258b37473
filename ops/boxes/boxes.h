/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the operations on boxes. Boxes are four float32: two corners, or as each function says.
 */
#ifndef NNFW_BOXES_H
#define NNFW_BOXES_H

#include "nnfw_op.h"
#include "nnprog_shape.h"

/** Intersection over union; of two empty boxes NaN. Corners are (a, b, a, b) for any axes a, b. */
float nnfw_box_iou(const float *a, const float *b);

/**
 * Move and stretch @roi (x1, y1, x2, y2) by (dx, dy, dw, dh): its centre by parts of its size, its
 * size by powers of e; clip it to [0, width] x [0, height].
 */
void nnfw_box_transform(const float roi[4], const float delta[4], float width, float height,
			float out[4]);

/**
 * Whether @a comes before @b: greater key first, NaN last, smaller number first among equals. A
 * total order, whatever the keys.
 */
static inline bool nnfw_before(const float *keys, uint32_t a, uint32_t b)
{
	bool nan_a = keys[a] != keys[a], nan_b = keys[b] != keys[b];

	if (nan_a != nan_b)
		return nan_b;
	if (keys[a] > keys[b])
		return true;
	if (keys[b] > keys[a])
		return false;
	return a < b;
}

/** Sort numbers by nnfw_before(), in place. 0 or -ECANCELED. */
int nnfw_box_sort(uint32_t *order, size_t n, const float *keys, struct nnfw_progress *progress);

/**
 * Hard non-maximum suppression of @n boxes given in order: keep the first, drop the rest that
 * overlap it by
 * @iou or more, and so on until @max are kept. Compacts the kept ones to the front; *@kept their
 * number. 0 or -ECANCELED.
 */
int nnfw_box_nms(uint32_t *order, size_t n, const float *boxes, float iou, size_t max, size_t *kept,
		 struct nnfw_progress *progress);

/** Give outputs [0, @num) the extent that run() has found, see nnfw_op_ctx. */
static inline void nnfw_set_extent(struct nnfw_op_ctx *ctx, uint32_t num, uint32_t n)
{
	for (uint32_t i = 0; i < num; i++) {
		struct nnfw_tensor *t = &ctx->out[i];

		t->dims[0] = n;
		t->elements = (uint64_t)n * (t->rank == 2 ? t->dims[1] : 1);
		t->size = t->elements * nnprog_dtype_size(t->dtype);
	}
}

#endif
