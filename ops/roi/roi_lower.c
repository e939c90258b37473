// SPDX-License-Identifier: Apache-2.0
/* Regions of interest and key points. */
#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"

static int lower_roi(struct lower *l)
{
	const bool align = l->op->type == NNMODEL_ROI_ALIGN;
	struct nnprog_attr_roi a = { 0 };
	bool nchw = false;
	uint32_t in[3], out, i;
	int ret;

	ret = lower_uint(l, 3, 1, &a.height);
	if (!ret)
		ret = lower_uint(l, 4, 1, &a.width);
	if (!ret)
		ret = lower_floats(l, 5, 2, (float *const[]){ &a.height_ratio, &a.width_ratio });
	if (!ret && align)
		ret = lower_uint(l, 7, 0, &a.height_samples);
	if (!ret && align)
		ret = lower_uint(l, 8, 0, &a.width_samples);
	if (!ret)
		ret = lower_bool(l, align ? 9 : 7, &nchw);
	if (!ret)
		ret = lower_in_image(l, 0, nchw, &in[0]);
	for (i = 1; !ret && i < 3; i++)
		ret = lower_in(l, i, &in[i]);
	if (!ret)
		ret = lower_out_image(l, 0, nchw, align ? LOWER_NONE : in[0], &out);
	return ret ? ret
		   : lower_emit(l, align ? NNPROG_OP_ROI_ALIGN : NNPROG_OP_ROI_POOLING, &a,
				sizeof(a), in, 3, &out, 1);
}

static int lower_heatmap(struct lower *l)
{
	bool nchw = false;
	uint32_t in[2], out[2];
	int ret;

	ret = lower_bool(l, 2, &nchw);
	if (!ret)
		ret = lower_in_image(l, 0, nchw, &in[0]);
	if (!ret)
		ret = lower_in(l, 1, &in[1]);
	if (!ret)
		ret = lower_out(l, 0, &out[0]);
	if (!ret)
		ret = lower_out_boxes(l, 1, &out[1]);
	return ret ? ret : lower_emit(l, NNPROG_OP_HEATMAP_MAX_KEYPOINT, NULL, 0, in, 2, out, 2);
}

static const struct lower_row rows[] = {
	{ .opcode = NNMODEL_ROI_ALIGN, .lower = lower_roi },
	{ .opcode = NNMODEL_ROI_POOLING, .lower = lower_roi },
	{ .opcode = NNMODEL_HEATMAP_MAX_KEYPOINT, .lower = lower_heatmap },
};
LOWER_FAMILY(roi, rows);
