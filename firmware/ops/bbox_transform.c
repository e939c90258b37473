// SPDX-License-Identifier: Apache-2.0
/* AXIS_ALIGNED_BBOX_TRANSFORM: each region moved and stretched by each of its deltas. float32. */
#include "boxes.h"

enum { ROIS = 0, DELTAS, BATCH, IMAGE_INFO };

static int bbox_transform_run(struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *info = &ctx->in[IMAGE_INFO], *out = &ctx->out[0];
	size_t rois = out->dims[0], classes = out->dims[1] / 4;
	struct nnfw_work work = { .progress = ctx->progress };

	for (size_t r = 0; r < rois; r++) {
		int32_t batch = ((const int32_t *)ctx->in[BATCH].data)[r];
		float roi[4], size[2];

		nnfw_real_load(roi, &ctx->in[ROIS], r * 4, 4);
		if (!(roi[0] <= roi[2]) || !(roi[1] <= roi[3]))
			return nnfw_refuse(ctx, "region %zu is malformed", r);
		if (batch < 0 || (uint32_t)batch >= info->dims[0])
			return nnfw_refuse(ctx, "region %zu is of batch %d", r, batch);
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

const struct nnfw_op nnfw_op_bbox_transform = {
	.opcode = NNPROG_OP_AXIS_ALIGNED_BBOX_TRANSFORM,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPE(UINT16),
	.run = bbox_transform_run,
};
