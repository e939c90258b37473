/* SPDX-License-Identifier: Apache-2.0 */
/* The attributes of device operations. Reserved members are 0. */
#ifndef NNPROG_ATTRS_H
#define NNPROG_ATTRS_H

#include <stdint.h>

struct nnprog_attr_extension {
	uint32_t operation; /* the number within the extension */
	uint32_t reserved;
};

enum nnprog_activation {
	NNPROG_ACT_NONE,
	NNPROG_ACT_RELU,
	NNPROG_ACT_RELU1,
	NNPROG_ACT_RELU6,
	NNPROG_ACT_COUNT
};

enum nnprog_padding { NNPROG_PAD_EXPLICIT, NNPROG_PAD_SAME, NNPROG_PAD_VALID, NNPROG_PAD_COUNT };

struct nnprog_attr_conv2d {
	/* enum nnprog_padding; SAME and VALID are resolved when shapes are known */
	uint32_t padding;
	uint32_t pad_left, pad_right, pad_top, pad_bottom; /* EXPLICIT; else 0 */
	uint32_t stride_w, stride_h, dilation_w, dilation_h; /* >= 1 */
	uint32_t activation; /* enum nnprog_activation */
	/*
	 * DEPTHWISE: >= 1; CONV_2D: 0, or 1: no empty batch (NNAPI's GROUPED_CONV_2D, of one group
	 * too)
	 */
	uint32_t multiplier;
	uint32_t groups; /* CONV_2D: >= 1; DEPTHWISE: 0 */
};

struct nnprog_attr_act {
	uint32_t activation;
	uint32_t reserved;
};

enum nnprog_pool { NNPROG_POOL_AVERAGE, NNPROG_POOL_MAX, NNPROG_POOL_L2, NNPROG_POOL_COUNT };

struct nnprog_attr_pool2d {
	uint32_t kind; /* enum nnprog_pool */
	uint32_t padding;
	uint32_t pad_left, pad_right, pad_top, pad_bottom;
	uint32_t stride_w, stride_h, filter_w, filter_h; /* >= 1 */
	uint32_t activation;
	uint32_t reserved;
};

enum nnprog_binary {
	NNPROG_BINARY_ADD,
	NNPROG_BINARY_SUB,
	NNPROG_BINARY_MUL,
	NNPROG_BINARY_DIV,
	/* activation NONE, any rank; the last two on BOOL8 */
	NNPROG_BINARY_MAXIMUM,
	NNPROG_BINARY_MINIMUM,
	NNPROG_BINARY_POW,
	NNPROG_BINARY_PRELU,
	NNPROG_BINARY_AND,
	NNPROG_BINARY_OR,
	NNPROG_BINARY_COUNT
};

struct nnprog_attr_binary {
	uint32_t kind; /* enum nnprog_binary */
	uint32_t activation; /* INT32: NONE */
};

enum nnprog_unary {
	NNPROG_UNARY_RELU,
	NNPROG_UNARY_RELU1,
	NNPROG_UNARY_RELU6,
	NNPROG_UNARY_LOGISTIC,
	NNPROG_UNARY_TANH,
	NNPROG_UNARY_ELU,
	NNPROG_UNARY_HARD_SWISH,
	NNPROG_UNARY_ABS,
	NNPROG_UNARY_NEG,
	NNPROG_UNARY_FLOOR,
	NNPROG_UNARY_EXP,
	NNPROG_UNARY_LOG,
	NNPROG_UNARY_SIN,
	NNPROG_UNARY_SQRT,
	NNPROG_UNARY_RSQRT,
	NNPROG_UNARY_LOGICAL_NOT,
	NNPROG_UNARY_COUNT
};

struct nnprog_attr_unary {
	uint32_t kind; /* enum nnprog_unary */
	float alpha; /* ELU; else 0 */
};

struct nnprog_attr_softmax {
	float beta; /* > 0, finite */
	int32_t axis; /* [-rank, rank) */
	uint32_t log; /* 1: LOG_SOFTMAX */
	uint32_t reserved;
};

struct nnprog_attr_axis {
	int32_t axis; /* [-rank, rank) */
	/*
	 * CONCATENATION: 1: the axis is new (NNAPI's PACK), axis in [0, rank]. GATHER: 1: NNAPI's
	 * EMBEDDING_LOOKUP, which differs in its error for empty inputs only. Else 0.
	 */
	uint32_t pack;
};

enum nnprog_reduce {
	NNPROG_REDUCE_MEAN,
	NNPROG_REDUCE_SUM,
	NNPROG_REDUCE_PROD,
	NNPROG_REDUCE_MAX,
	NNPROG_REDUCE_MIN,
	NNPROG_REDUCE_ALL,
	NNPROG_REDUCE_ANY,
	NNPROG_REDUCE_COUNT
};

struct nnprog_attr_reduce {
	uint32_t kind; /* enum nnprog_reduce */
	uint32_t keep_dims; /* 0 or 1 */
};

enum nnprog_resize { NNPROG_RESIZE_BILINEAR, NNPROG_RESIZE_NEAREST, NNPROG_RESIZE_COUNT };

struct nnprog_attr_resize {
	uint32_t kind; /* enum nnprog_resize */
	uint32_t align_corners, half_pixel_centers; /* 0 or 1, not both 1 */
	uint32_t reserved;
	/* when the size operand is omitted: both > 0 and finite: out = floor(in * scale) */
	float scale_h, scale_w;
};

enum nnprog_convert {
	NNPROG_CONVERT_REAL, /* keep the real value: quantize, dequantize, requantize, float widths
			      */
	NNPROG_CONVERT_CAST, /* keep the number: NNAPI's CAST; quantization is ignored */
	NNPROG_CONVERT_RELABEL, /* the same bytes under another quantization; one type */
	NNPROG_CONVERT_COUNT
};

struct nnprog_attr_convert {
	uint32_t kind; /* enum nnprog_convert */
	uint32_t reserved;
};

struct nnprog_attr_arg_minmax {
	int32_t axis; /* [-rank, rank) */
	uint32_t is_min; /* 0 or 1; ties: smallest index */
};

struct nnprog_attr_lstm {
	uint32_t activation; /* NNAPI's code: 0 none, 1 relu, 3 relu6, 4 tanh, 6 sigmoid */
	float cell_clip, projection_clip; /* >= 0; 0: none */
	uint32_t time_major; /* 0 or 1 */
	uint32_t reverse; /* 1: last step first; outputs stay at their steps */
	uint32_t reserved;
};

enum nnprog_compare {
	NNPROG_COMPARE_EQUAL,
	NNPROG_COMPARE_NOT_EQUAL,
	NNPROG_COMPARE_GREATER,
	NNPROG_COMPARE_GREATER_EQUAL,
	NNPROG_COMPARE_LESS,
	NNPROG_COMPARE_LESS_EQUAL,
	NNPROG_COMPARE_COUNT
};

struct nnprog_attr_compare {
	uint32_t kind; /* enum nnprog_compare */
	uint32_t reserved;
};

struct nnprog_attr_strided_slice {
	uint32_t begin_mask, end_mask, shrink_mask; /* bit per dimension */
	uint32_t reserved;
};

struct nnprog_attr_mirror_pad {
	uint32_t symmetric; /* 0: REFLECT, 1: SYMMETRIC */
	uint32_t reserved;
};

struct nnprog_attr_space_depth {
	uint32_t block; /* >= 1 */
	uint32_t to_depth; /* 1: SPACE_TO_DEPTH, 0: DEPTH_TO_SPACE */
};

struct nnprog_attr_space_batch {
	uint32_t to_batch; /* 1: SPACE_TO_BATCH_ND, 0: BATCH_TO_SPACE_ND */
	uint32_t reserved;
};

struct nnprog_attr_channel_shuffle {
	uint32_t groups; /* >= 1 */
	int32_t axis; /* [-rank, rank) */
};

struct nnprog_attr_topk {
	uint32_t k; /* >= 1 */
	uint32_t reserved;
};

struct nnprog_attr_lrn {
	uint32_t radius;
	float bias, alpha, beta;
	int32_t axis; /* [-rank, rank) */
	uint32_t reserved;
};

struct nnprog_attr_instance_normalization {
	float gamma, beta, epsilon;
	uint32_t reserved;
};

struct nnprog_attr_batch_matmul {
	uint32_t adjoint_x, adjoint_y; /* 0 or 1 */
};

struct nnprog_attr_transpose_conv {
	uint32_t padding; /* enum nnprog_padding; SAME reads the output shape operand */
	int32_t pad_left, pad_right, pad_top, pad_bottom; /* right and bottom may be negative */
	uint32_t stride_w, stride_h; /* >= 1 */
	uint32_t activation;
};

struct nnprog_attr_rnn {
	uint32_t activation; /* as nnprog_attr_lstm, or 2: relu1 */
	uint32_t time_major;
	uint32_t reverse;
	uint32_t reserved;
};

struct nnprog_attr_svdf {
	uint32_t rank; /* >= 1 */
	uint32_t activation; /* enum nnprog_activation */
};

struct nnprog_attr_quantized_lstm {
	float cell_clip, projection_clip; /* >= 0 */
	float intermediate[4]; /* scales of gates i f c o, > 0 */
	int32_t hidden_zero_point;
	float hidden_scale; /* > 0 */
};

struct nnprog_attr_roi {
	uint32_t height, width; /* of the output, >= 1 */
	float height_ratio, width_ratio; /* > 0 */
	uint32_t height_samples, width_samples; /* ROI_ALIGN: 0 is adaptive; ROI_POOLING: 0 */
};

struct nnprog_attr_box_nms {
	float score_threshold;
	int32_t max_detections; /* < 0: no limit */
	uint32_t kernel; /* 0 hard, 1 linear, 2 gaussian */
	float iou_threshold, sigma, nms_score_threshold;
};

struct nnprog_attr_proposals {
	float height_stride, width_stride; /* > 0 */
	int32_t pre_nms_max, post_nms_max; /* <= 0: no limit */
	float iou_threshold, min_size;
};

struct nnprog_attr_detection {
	float scale_y, scale_x, scale_h, scale_w; /* of the deltas, > 0 */
	uint32_t regular_nms; /* 0 or 1 */
	uint32_t max_detections, max_classes, detections_per_class;
	float score_threshold, iou_threshold;
	uint32_t background_in_label; /* NNAPI's isBGInLabel, 0 or 1 */
	uint32_t reserved;
};

struct nnprog_attr_lsh {
	uint32_t type; /* 1 SPARSE_DEPRECATED, 2 DENSE, 3 SPARSE */
	uint32_t reserved;
};

struct nnprog_attr_multinomial {
	uint32_t samples; /* >= 1 */
	uint32_t reserved;
};

/**
 * Subgraph numbers, greater than that of the subgraph with the operation: nothing recurs. A
 * subgraph may be used by several operations. Its inputs and outputs agree with the operation's in
 * type and quantization, and in what both say of shapes; what only one says is compared when it
 * runs.
 */
struct nnprog_attr_if {
	uint32_t then_graph, else_graph;
};

struct nnprog_attr_while {
	uint32_t condition_graph, body_graph;
};

#endif
