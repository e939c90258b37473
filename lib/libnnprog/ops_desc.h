/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the descriptors (ops_*.c). The caller of a descriptor has checked the number of
 * operands, which ones may be omitted, the size of the attributes and the type of input 0;
 * check_attrs() has passed before infer() is called. Private to libnnprog.
 */
#ifndef NNPROG_OPS_DESC_H
#define NNPROG_OPS_DESC_H

#include <errno.h>

#include "nnprog.h"

#define TYPE(t) (1u << NNPROG_##t)
#define TYPES_FLOAT (TYPE(FLOAT32) | TYPE(FLOAT16))
#define TYPES_QUANT8 (TYPE(UINT8) | TYPE(INT8))
#define TYPES_ALL ((1u << NNPROG_DTYPE_COUNT) - 1)

/** Fill @err (may be NULL) and return -EINVAL. */
__attribute__((format(printf, 2, 3))) int nnprog_refuse(struct nnprog_error *err, const char *fmt,
							...);
/** The same for a shape over the limits: -EOVERFLOW. */
int nnprog_too_large(struct nnprog_error *err);

/** UINT8, INT8: arithmetic operations take them with a scale only. */
bool nnprog_is_quant8(uint32_t dtype);
bool nnprog_same_quant(const struct nnprog_operand *a, const struct nnprog_operand *b);

/** Quantized per tensor with a usable scale. 0 or -EINVAL. */
int nnprog_need_scale(const struct nnprog_operand *op, const char *what, struct nnprog_error *err);
/** Output type equal to the input's. 0 or -EINVAL. */
int nnprog_need_type(const struct nnprog_operand *op, uint32_t dtype, const char *what,
		     struct nnprog_error *err);
/** Output of the input's type and, for 8 bits, quantization: what moves data. 0 or -EINVAL. */
int nnprog_need_same(const struct nnprog_operand *in, const struct nnprog_operand *out,
		     struct nnprog_error *err);
/** 8-bit @in can be given in steps of @out; other types pass. 0 or -EINVAL. */
int nnprog_need_requant(const struct nnprog_operand *in, const struct nnprog_operand *out,
			const char *what, struct nnprog_error *err);
/** A vector of @n elements when both are known; *@n is filled in when it was not. 0 or -EINVAL. */
int nnprog_need_vector(const struct nnprog_operand *op, uint32_t *n, const char *what,
		       struct nnprog_error *err);
/** A value input: INT32.. 0 or -EINVAL. */
int nnprog_need_values(const struct nnprog_operand *op, const char *what, struct nnprog_error *err);
/** Rank known to differ is refused. 0 or -EINVAL. */
int nnprog_need_rank(const struct nnprog_operand *op, uint32_t rank, const char *what,
		     struct nnprog_error *err);

static inline bool nnprog_rank_known(const struct nnprog_operand *op)
{
	return op->shape.rank != NNPROG_RANK_UNKNOWN;
}

static inline bool nnprog_dim_known(uint32_t dim)
{
	return dim != NNPROG_DIM_UNKNOWN;
}

/** Dimension @i, unknown when the rank is. @i is below the rank that nnprog_need_rank() saw. */
static inline uint32_t nnprog_dim(const struct nnprog_operand *op, uint32_t i)
{
	return nnprog_rank_known(op) ? op->shape.dims[i] : NNPROG_DIM_UNKNOWN;
}

/** Both known and different. */
static inline bool nnprog_dims_differ(uint32_t a, uint32_t b)
{
	return nnprog_dim_known(a) && nnprog_dim_known(b) && a != b;
}

/** Unknown rank, or @rank unknown dims. */
struct nnprog_shape nnprog_unknown_shape(uint32_t rank);

/** When @shape is complete: its bytes are within the limits. 0 or -EOVERFLOW. */
int nnprog_check_size(const struct nnprog_shape *shape, uint32_t dtype, struct nnprog_error *err);

/** [-rank, rank) -> [0, rank). 0 or -EINVAL. */
int nnprog_resolve_axis(int32_t axis, uint32_t rank, uint32_t *out, struct nnprog_error *err);

/** The multiplier of the requantization rule is a positive finite float. 0 or -EINVAL. */
int nnprog_check_multiplier(double multiplier, struct nnprog_error *err);

int nnprog_check_activation(uint32_t activation, struct nnprog_error *err);
int nnprog_no_attrs(const void *attrs, struct nnprog_error *err);

/**
 * ops_conv.c: types and quantization of a convolution's input, filter, bias and output. 0 or
 * -EINVAL.
 */
int nnprog_check_mac(const struct nnprog_operand *in, const struct nnprog_operand *out,
		     uint32_t channel_dim, struct nnprog_error *err);
/** ops_conv.c: ranks 4, 4 and 1 of those. 0 or -EINVAL. */
int nnprog_check_mac_ranks(const struct nnprog_operand *in, struct nnprog_error *err);
/** ops_conv.c: output channels from filter and bias, which may not differ. 0 or -EINVAL. */
int nnprog_mac_channels(uint32_t from_filter, const struct nnprog_operand *bias, uint32_t *channels,
			struct nnprog_error *err);

extern const struct nnprog_op_desc nnprog_op_conv2d, nnprog_op_depthwise, nnprog_op_fully_connected,
	nnprog_op_pool2d, nnprog_op_binary, nnprog_op_unary, nnprog_op_softmax, nnprog_op_reshape,
	nnprog_op_concat, nnprog_op_pad, nnprog_op_reduce, nnprog_op_resize, nnprog_op_convert,
	nnprog_op_transpose, nnprog_op_arg_minmax, nnprog_op_lstm, nnprog_op_if, nnprog_op_while,
	nnprog_op_compare, nnprog_op_select, nnprog_op_squeeze, nnprog_op_rnn, nnprog_op_svdf,
	nnprog_op_quantized_lstm, nnprog_op_quantized_16bit_lstm, nnprog_op_roi_align,
	nnprog_op_roi_pooling, nnprog_op_heatmap, nnprog_op_bbox_transform, nnprog_op_box_nms,
	nnprog_op_proposals, nnprog_op_detection, nnprog_op_lsh_projection,
	nnprog_op_random_multinomial, nnprog_op_densify, nnprog_op_expand_dims, nnprog_op_slice,
	nnprog_op_strided_slice, nnprog_op_split, nnprog_op_gather, nnprog_op_hashtable_lookup,
	nnprog_op_tile, nnprog_op_mirror_pad, nnprog_op_reverse, nnprog_op_space_depth,
	nnprog_op_space_batch, nnprog_op_channel_shuffle, nnprog_op_topk, nnprog_op_fill,
	nnprog_op_rank, nnprog_op_l2_normalization, nnprog_op_lrn, nnprog_op_instance_normalization,
	nnprog_op_batch_matmul, nnprog_op_transpose_conv;

#endif
