// SPDX-License-Identifier: Apache-2.0
/* The table of descriptors, and the checks that they share. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "ops_desc.h"

static const struct nnprog_op_desc *const table[NNPROG_OP_COUNT] = {
	[NNPROG_OP_CONV_2D] = &nnprog_op_conv2d,
	[NNPROG_OP_DEPTHWISE_CONV_2D] = &nnprog_op_depthwise,
	[NNPROG_OP_FULLY_CONNECTED] = &nnprog_op_fully_connected,
	[NNPROG_OP_POOL_2D] = &nnprog_op_pool2d,
	[NNPROG_OP_BINARY] = &nnprog_op_binary,
	[NNPROG_OP_UNARY] = &nnprog_op_unary,
	[NNPROG_OP_SOFTMAX] = &nnprog_op_softmax,
	[NNPROG_OP_RESHAPE] = &nnprog_op_reshape,
	[NNPROG_OP_CONCATENATION] = &nnprog_op_concat,
	[NNPROG_OP_PAD] = &nnprog_op_pad,
	[NNPROG_OP_REDUCE] = &nnprog_op_reduce,
	[NNPROG_OP_RESIZE] = &nnprog_op_resize,
	[NNPROG_OP_CONVERT] = &nnprog_op_convert,
	[NNPROG_OP_TRANSPOSE] = &nnprog_op_transpose,
	[NNPROG_OP_ARG_MINMAX] = &nnprog_op_arg_minmax,
	[NNPROG_OP_SEQUENCE_LSTM] = &nnprog_op_lstm,
	[NNPROG_OP_COMPARE] = &nnprog_op_compare,
	[NNPROG_OP_SELECT] = &nnprog_op_select,
	[NNPROG_OP_SQUEEZE] = &nnprog_op_squeeze,
	[NNPROG_OP_EXPAND_DIMS] = &nnprog_op_expand_dims,
	[NNPROG_OP_SLICE] = &nnprog_op_slice,
	[NNPROG_OP_STRIDED_SLICE] = &nnprog_op_strided_slice,
	[NNPROG_OP_SPLIT] = &nnprog_op_split,
	[NNPROG_OP_GATHER] = &nnprog_op_gather,
	[NNPROG_OP_HASHTABLE_LOOKUP] = &nnprog_op_hashtable_lookup,
	[NNPROG_OP_TILE] = &nnprog_op_tile,
	[NNPROG_OP_MIRROR_PAD] = &nnprog_op_mirror_pad,
	[NNPROG_OP_REVERSE] = &nnprog_op_reverse,
	[NNPROG_OP_SPACE_DEPTH] = &nnprog_op_space_depth,
	[NNPROG_OP_SPACE_BATCH] = &nnprog_op_space_batch,
	[NNPROG_OP_CHANNEL_SHUFFLE] = &nnprog_op_channel_shuffle,
	[NNPROG_OP_TOPK] = &nnprog_op_topk,
	[NNPROG_OP_FILL] = &nnprog_op_fill,
	[NNPROG_OP_RANK] = &nnprog_op_rank,
	[NNPROG_OP_L2_NORMALIZATION] = &nnprog_op_l2_normalization,
	[NNPROG_OP_LOCAL_RESPONSE_NORMALIZATION] = &nnprog_op_lrn,
	[NNPROG_OP_INSTANCE_NORMALIZATION] = &nnprog_op_instance_normalization,
	[NNPROG_OP_BATCH_MATMUL] = &nnprog_op_batch_matmul,
	[NNPROG_OP_TRANSPOSE_CONV_2D] = &nnprog_op_transpose_conv,
	[NNPROG_OP_SEQUENCE_RNN] = &nnprog_op_rnn,
	[NNPROG_OP_SVDF] = &nnprog_op_svdf,
	[NNPROG_OP_QUANTIZED_LSTM] = &nnprog_op_quantized_lstm,
	[NNPROG_OP_QUANTIZED_16BIT_LSTM] = &nnprog_op_quantized_16bit_lstm,
	[NNPROG_OP_ROI_ALIGN] = &nnprog_op_roi_align,
	[NNPROG_OP_ROI_POOLING] = &nnprog_op_roi_pooling,
	[NNPROG_OP_HEATMAP_MAX_KEYPOINT] = &nnprog_op_heatmap,
	[NNPROG_OP_AXIS_ALIGNED_BBOX_TRANSFORM] = &nnprog_op_bbox_transform,
	[NNPROG_OP_BOX_WITH_NMS_LIMIT] = &nnprog_op_box_nms,
	[NNPROG_OP_GENERATE_PROPOSALS] = &nnprog_op_proposals,
	[NNPROG_OP_DETECTION_POSTPROCESSING] = &nnprog_op_detection,
	[NNPROG_OP_LSH_PROJECTION] = &nnprog_op_lsh_projection,
	[NNPROG_OP_RANDOM_MULTINOMIAL] = &nnprog_op_random_multinomial,
	[NNPROG_OP_DENSIFY] = &nnprog_op_densify,
	[NNPROG_OP_IF] = &nnprog_op_if,
	[NNPROG_OP_WHILE] = &nnprog_op_while,
};

const struct nnprog_op_desc *nnprog_op_find(uint32_t opcode)
{
	return opcode < NNPROG_OP_COUNT ? table[opcode] : NULL;
}

int nnprog_refuse(struct nnprog_error *err, const char *fmt, ...)
{
	va_list args;

	if (!err)
		return -EINVAL;
	err->offset = 0;
	err->subgraph = UINT32_MAX;
	err->operation = UINT32_MAX;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return -EINVAL;
}

int nnprog_too_large(struct nnprog_error *err)
{
	nnprog_refuse(err, "shape is too large");
	return -EOVERFLOW;
}

bool nnprog_is_quant8(uint32_t dtype)
{
	return dtype == NNPROG_UINT8 || dtype == NNPROG_INT8;
}

bool nnprog_same_quant(const struct nnprog_operand *a, const struct nnprog_operand *b)
{
	return a->scale == b->scale && a->zero_point == b->zero_point && !a->num_scales &&
	       !b->num_scales;
}

int nnprog_need_scale(const struct nnprog_operand *op, const char *what, struct nnprog_error *err)
{
	if (op->num_scales || !(op->scale > 0) || !isfinite(op->scale))
		return nnprog_refuse(err, "%s: needs one scale above 0", what);
	return 0;
}

int nnprog_need_type(const struct nnprog_operand *op, uint32_t dtype, const char *what,
		     struct nnprog_error *err)
{
	if (op->dtype != dtype)
		return nnprog_refuse(err, "%s: type %s where %s is needed", what,
				     nnprog_dtype_name(op->dtype), nnprog_dtype_name(dtype));
	return 0;
}

int nnprog_need_same(const struct nnprog_operand *in, const struct nnprog_operand *out,
		     struct nnprog_error *err)
{
	int ret = nnprog_need_type(out, in->dtype, "output", err);

	if (ret)
		return ret;
	if (nnprog_is_quant8(in->dtype) && !in->num_scales && !nnprog_same_quant(in, out))
		return nnprog_refuse(err, "output: quantization differs from the input's");
	return 0;
}

int nnprog_need_requant(const struct nnprog_operand *in, const struct nnprog_operand *out,
			const char *what, struct nnprog_error *err)
{
	int ret;

	if (!nnprog_is_quant8(in->dtype))
		return 0;
	ret = nnprog_need_scale(in, what, err);
	if (!ret)
		ret = nnprog_need_scale(out, "output", err);
	return ret ? ret : nnprog_check_multiplier((double)in->scale / out->scale, err);
}

int nnprog_need_vector(const struct nnprog_operand *op, uint32_t *n, const char *what,
		       struct nnprog_error *err)
{
	int ret = nnprog_need_rank(op, 1, what, err);
	uint32_t have;

	if (ret)
		return ret;
	have = nnprog_dim(op, 0);
	if (nnprog_dims_differ(have, *n))
		return nnprog_refuse(err, "%s: %u elements where %u are needed", what, have, *n);
	if (!nnprog_dim_known(*n))
		*n = have;
	return 0;
}

int nnprog_need_values(const struct nnprog_operand *op, const char *what, struct nnprog_error *err)
{
	int ret = nnprog_need_type(op, NNPROG_INT32, what, err);

	if (ret)
		return ret;
	if (op->data && !nnprog_shape_complete(&op->shape))
		return nnprog_refuse(err, "%s: contents without a shape", what);
	return 0;
}

int nnprog_need_rank(const struct nnprog_operand *op, uint32_t rank, const char *what,
		     struct nnprog_error *err)
{
	if (nnprog_rank_known(op) && op->shape.rank != rank)
		return nnprog_refuse(err, "%s: rank %u where %u is needed", what, op->shape.rank,
				     rank);
	return 0;
}

struct nnprog_shape nnprog_unknown_shape(uint32_t rank)
{
	struct nnprog_shape shape = { .rank = rank };

	for (uint32_t i = 0; rank <= NNPROG_MAX_RANK && i < rank; i++)
		shape.dims[i] = NNPROG_DIM_UNKNOWN;
	return shape;
}

int nnprog_check_size(const struct nnprog_shape *shape, uint32_t dtype, struct nnprog_error *err)
{
	uint64_t bytes;

	if (nnprog_shape_complete(shape) && nnprog_shape_bytes(shape, dtype, &bytes))
		return nnprog_too_large(err);
	return 0;
}

int nnprog_resolve_axis(int32_t axis, uint32_t rank, uint32_t *out, struct nnprog_error *err)
{
	int64_t a = axis < 0 ? (int64_t)axis + rank : axis;

	if (a < 0 || a >= rank)
		return nnprog_refuse(err, "axis %d outside rank %u", axis, rank);
	*out = (uint32_t)a;
	return 0;
}

int nnprog_check_multiplier(double multiplier, struct nnprog_error *err)
{
	if (!(multiplier > 0) || !isfinite((float)multiplier))
		return nnprog_refuse(err, "scales give no usable multiplier");
	return 0;
}

int nnprog_check_activation(uint32_t activation, struct nnprog_error *err)
{
	if (activation >= NNPROG_ACT_COUNT)
		return nnprog_refuse(err, "activation %u is none of 0..3", activation);
	return 0;
}

int nnprog_no_attrs(const void *attrs, struct nnprog_error *err)
{
	(void)attrs;
	(void)err;
	return 0;
}
