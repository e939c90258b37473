/* SPDX-License-Identifier: Apache-2.0 */
/* The attributes of device operations. Reserved members are 0. */
#ifndef NNPROG_ATTRS_H
#define NNPROG_ATTRS_H

#include <stdint.h>

/**
 * struct nnprog_attr_extension - attributes of any operation of an extension; its own attributes
 * follow
 * @operation: number of the operation within the extension
 * @reserved: 0
 */
struct nnprog_attr_extension {
	uint32_t operation;
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

/**
 * struct nnprog_attr_conv2d - attributes of CONV_2D and DEPTHWISE_CONV_2D
 * @padding: enum nnprog_padding; SAME and VALID are resolved when shapes are known
 * @pad_left: with EXPLICIT, else 0
 * @pad_right: with EXPLICIT, else 0
 * @pad_top: with EXPLICIT, else 0
 * @pad_bottom: with EXPLICIT, else 0
 * @stride_w: step along the width, at least 1
 * @stride_h: step along the height, at least 1
 * @dilation_w: distance of the filter's columns, at least 1
 * @dilation_h: distance of the filter's rows, at least 1
 * @activation: enum nnprog_activation
 * @multiplier: DEPTHWISE: at least 1. CONV_2D: 0, or 1: no empty batch (NNAPI's GROUPED_CONV_2D,
 * also of one group)
 * @groups: CONV_2D: at least 1; DEPTHWISE: 0
 */
struct nnprog_attr_conv2d {
	uint32_t padding;
	uint32_t pad_left, pad_right, pad_top, pad_bottom;
	uint32_t stride_w, stride_h, dilation_w, dilation_h;
	uint32_t activation;
	uint32_t multiplier;
	uint32_t groups;
};

/**
 * struct nnprog_attr_act - attributes of FULLY_CONNECTED
 * @activation: enum nnprog_activation
 * @reserved: 0
 */
struct nnprog_attr_act {
	uint32_t activation;
	uint32_t reserved;
};

enum nnprog_pool { NNPROG_POOL_AVERAGE, NNPROG_POOL_MAX, NNPROG_POOL_L2, NNPROG_POOL_COUNT };

/**
 * struct nnprog_attr_pool2d - attributes of POOL_2D
 * @kind: enum nnprog_pool
 * @padding: enum nnprog_padding; SAME and VALID are resolved when shapes are known
 * @pad_left: with EXPLICIT, else 0
 * @pad_right: with EXPLICIT, else 0
 * @pad_top: with EXPLICIT, else 0
 * @pad_bottom: with EXPLICIT, else 0
 * @stride_w: step along the width, at least 1
 * @stride_h: step along the height, at least 1
 * @filter_w: width of the window, at least 1
 * @filter_h: height of the window, at least 1
 * @activation: enum nnprog_activation
 * @reserved: 0
 */
struct nnprog_attr_pool2d {
	uint32_t kind;
	uint32_t padding;
	uint32_t pad_left, pad_right, pad_top, pad_bottom;
	uint32_t stride_w, stride_h, filter_w, filter_h;
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

/**
 * struct nnprog_attr_binary - attributes of BINARY
 * @kind: enum nnprog_binary
 * @activation: enum nnprog_activation; NONE but for ADD, SUB, MUL and DIV of other types than INT32
 */
struct nnprog_attr_binary {
	uint32_t kind;
	uint32_t activation;
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

/**
 * struct nnprog_attr_unary - attributes of UNARY
 * @kind: enum nnprog_unary
 * @alpha: of ELU, else 0
 */
struct nnprog_attr_unary {
	uint32_t kind;
	float alpha;
};

/**
 * struct nnprog_attr_softmax - attributes of SOFTMAX
 * @beta: above 0 and finite
 * @axis: dimension, in [-rank, rank)
 * @log: 1: LOG_SOFTMAX
 * @reserved: 0
 */
struct nnprog_attr_softmax {
	float beta;
	int32_t axis;
	uint32_t log;
	uint32_t reserved;
};

/**
 * struct nnprog_attr_axis - attributes of operations along one dimension
 * @axis: dimension, in [-rank, rank)
 * @pack: CONCATENATION: 1: the dimension is new (NNAPI's PACK), @axis in [0, rank]. GATHER: 1:
 * NNAPI's EMBEDDING_LOOKUP, which differs in its error for empty inputs only. Else 0
 */
struct nnprog_attr_axis {
	int32_t axis;
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

/**
 * struct nnprog_attr_reduce - attributes of REDUCE
 * @kind: enum nnprog_reduce
 * @keep_dims: 0 or 1
 */
struct nnprog_attr_reduce {
	uint32_t kind;
	uint32_t keep_dims;
};

enum nnprog_resize { NNPROG_RESIZE_BILINEAR, NNPROG_RESIZE_NEAREST, NNPROG_RESIZE_COUNT };

/**
 * struct nnprog_attr_resize - attributes of RESIZE
 * @kind: enum nnprog_resize
 * @align_corners: 0 or 1
 * @half_pixel_centers: 0 or 1; not both 1
 * @reserved: 0
 * @scale_h: when the size operand is omitted: above 0 and finite, out = floor(in * scale)
 * @scale_w: as @scale_h
 */
struct nnprog_attr_resize {
	uint32_t kind;
	uint32_t align_corners, half_pixel_centers;
	uint32_t reserved;
	float scale_h, scale_w;
};

enum nnprog_convert {
	NNPROG_CONVERT_REAL, /* keep the real value: quantize, dequantize, requantize, float widths
			      */
	NNPROG_CONVERT_CAST, /* keep the number: NNAPI's CAST; quantization is ignored */
	NNPROG_CONVERT_RELABEL, /* the same bytes under another quantization; one type */
	NNPROG_CONVERT_COUNT
};

/**
 * struct nnprog_attr_convert - attributes of CONVERT
 * @kind: enum nnprog_convert
 * @reserved: 0
 */
struct nnprog_attr_convert {
	uint32_t kind;
	uint32_t reserved;
};

/**
 * struct nnprog_attr_arg_minmax - attributes of ARG_MINMAX
 * @axis: dimension, in [-rank, rank)
 * @is_min: 0 or 1; of equal elements the smallest index
 */
struct nnprog_attr_arg_minmax {
	int32_t axis;
	uint32_t is_min;
};

/**
 * struct nnprog_attr_lstm - attributes of SEQUENCE_LSTM
 * @activation: NNAPI's code: 0 none, 1 relu, 3 relu6, 4 tanh, 6 sigmoid
 * @cell_clip: 0 and above; 0: none
 * @projection_clip: 0 and above; 0: none
 * @time_major: 0: batch first, 1: time first
 * @reverse: 1: last step first; outputs stay at their steps
 * @reserved: 0
 */
struct nnprog_attr_lstm {
	uint32_t activation;
	float cell_clip, projection_clip;
	uint32_t time_major;
	uint32_t reverse;
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

/**
 * struct nnprog_attr_compare - attributes of COMPARE
 * @kind: enum nnprog_compare
 * @reserved: 0
 */
struct nnprog_attr_compare {
	uint32_t kind;
	uint32_t reserved;
};

/**
 * struct nnprog_attr_strided_slice - attributes of STRIDED_SLICE
 * @begin_mask: bit i: begin at the end of dimension i
 * @end_mask: bit i: go to the end of dimension i
 * @shrink_mask: bit i: remove dimension i
 * @reserved: 0
 */
struct nnprog_attr_strided_slice {
	uint32_t begin_mask, end_mask, shrink_mask;
	uint32_t reserved;
};

/**
 * struct nnprog_attr_mirror_pad - attributes of MIRROR_PAD
 * @symmetric: 0: REFLECT, 1: SYMMETRIC
 * @reserved: 0
 */
struct nnprog_attr_mirror_pad {
	uint32_t symmetric;
	uint32_t reserved;
};

/**
 * struct nnprog_attr_space_depth - attributes of SPACE_DEPTH
 * @block: at least 1
 * @to_depth: 1: SPACE_TO_DEPTH, 0: DEPTH_TO_SPACE
 */
struct nnprog_attr_space_depth {
	uint32_t block;
	uint32_t to_depth;
};

/**
 * struct nnprog_attr_space_batch - attributes of SPACE_BATCH
 * @to_batch: 1: SPACE_TO_BATCH_ND, 0: BATCH_TO_SPACE_ND
 * @reserved: 0
 */
struct nnprog_attr_space_batch {
	uint32_t to_batch;
	uint32_t reserved;
};

/**
 * struct nnprog_attr_channel_shuffle - attributes of CHANNEL_SHUFFLE
 * @groups: number of groups, at least 1
 * @axis: dimension, in [-rank, rank)
 */
struct nnprog_attr_channel_shuffle {
	uint32_t groups;
	int32_t axis;
};

/**
 * struct nnprog_attr_topk - attributes of TOPK
 * @k: at least 1
 * @reserved: 0
 */
struct nnprog_attr_topk {
	uint32_t k;
	uint32_t reserved;
};

/**
 * struct nnprog_attr_lrn - attributes of LOCAL_RESPONSE_NORMALIZATION
 * @radius: elements on either side
 * @bias: added to the scaled sum of squares
 * @alpha: scale of the sum
 * @beta: exponent
 * @axis: dimension, in [-rank, rank)
 * @reserved: 0
 */
struct nnprog_attr_lrn {
	uint32_t radius;
	float bias, alpha, beta;
	int32_t axis;
	uint32_t reserved;
};

/**
 * struct nnprog_attr_instance_normalization - attributes of INSTANCE_NORMALIZATION
 * @gamma: scale
 * @beta: offset
 * @epsilon: added to the variance
 * @reserved: 0
 */
struct nnprog_attr_instance_normalization {
	float gamma, beta, epsilon;
	uint32_t reserved;
};

/**
 * struct nnprog_attr_batch_matmul - attributes of BATCH_MATMUL
 * @adjoint_x: 0 or 1: transpose the matrices of x
 * @adjoint_y: 0 or 1: transpose the matrices of y
 */
struct nnprog_attr_batch_matmul {
	uint32_t adjoint_x, adjoint_y;
};

/**
 * struct nnprog_attr_transpose_conv - attributes of TRANSPOSE_CONV_2D
 * @padding: enum nnprog_padding; SAME reads the output shape operand
 * @pad_left: with EXPLICIT, else 0
 * @pad_right: may be negative
 * @pad_top: with EXPLICIT, else 0
 * @pad_bottom: may be negative
 * @stride_w: step along the width, at least 1
 * @stride_h: step along the height, at least 1
 * @activation: enum nnprog_activation
 */
struct nnprog_attr_transpose_conv {
	uint32_t padding;
	int32_t pad_left, pad_right, pad_top, pad_bottom;
	uint32_t stride_w, stride_h;
	uint32_t activation;
};

/**
 * struct nnprog_attr_rnn - attributes of SEQUENCE_RNN
 * @activation: as nnprog_attr_lstm, or 2: relu1
 * @time_major: 0: batch first, 1: time first
 * @reverse: 1: last step first; outputs stay at their steps
 * @reserved: 0
 */
struct nnprog_attr_rnn {
	uint32_t activation;
	uint32_t time_major;
	uint32_t reverse;
	uint32_t reserved;
};

/**
 * struct nnprog_attr_svdf - attributes of SVDF
 * @rank: at least 1
 * @activation: enum nnprog_activation
 */
struct nnprog_attr_svdf {
	uint32_t rank;
	uint32_t activation;
};

/**
 * struct nnprog_attr_quantized_lstm - attributes of QUANTIZED_LSTM
 * @cell_clip: 0 and above
 * @projection_clip: 0 and above
 * @intermediate: scales of the gates i, f, c, o, above 0
 * @hidden_zero_point: of the hidden state
 * @hidden_scale: of the hidden state, above 0
 */
struct nnprog_attr_quantized_lstm {
	float cell_clip, projection_clip;
	float intermediate[4];
	int32_t hidden_zero_point;
	float hidden_scale;
};

/**
 * struct nnprog_attr_roi - attributes of ROI_ALIGN and ROI_POOLING
 * @height: of the output, at least 1
 * @width: of the output, at least 1
 * @height_ratio: above 0
 * @width_ratio: above 0
 * @height_samples: ROI_ALIGN: 0 is adaptive; ROI_POOLING: 0
 * @width_samples: as @height_samples
 */
struct nnprog_attr_roi {
	uint32_t height, width;
	float height_ratio, width_ratio;
	uint32_t height_samples, width_samples;
};

/**
 * struct nnprog_attr_box_nms - attributes of BOX_WITH_NMS_LIMIT
 * @score_threshold: regions with this score or less are dropped
 * @max_detections: below 0: no limit
 * @kernel: 0 hard, 1 linear, 2 gaussian
 * @iou_threshold: of the hard and linear kernels
 * @sigma: of the gaussian kernel
 * @nms_score_threshold: boxes that fall below it are dropped
 */
struct nnprog_attr_box_nms {
	float score_threshold;
	int32_t max_detections;
	uint32_t kernel;
	float iou_threshold, sigma, nms_score_threshold;
};

/**
 * struct nnprog_attr_proposals - attributes of GENERATE_PROPOSALS
 * @height_stride: above 0
 * @width_stride: above 0
 * @pre_nms_max: 0 and below: no limit
 * @post_nms_max: 0 and below: no limit
 * @iou_threshold: of the suppression
 * @min_size: narrower or lower boxes are dropped
 */
struct nnprog_attr_proposals {
	float height_stride, width_stride;
	int32_t pre_nms_max, post_nms_max;
	float iou_threshold, min_size;
};

/**
 * struct nnprog_attr_detection - attributes of DETECTION_POSTPROCESSING
 * @scale_y: of the deltas, above 0
 * @scale_x: of the deltas, above 0
 * @scale_h: of the deltas, above 0
 * @scale_w: of the deltas, above 0
 * @regular_nms: 0 or 1
 * @max_detections: of an image
 * @max_classes: of a detection, in the fast form
 * @detections_per_class: in the regular form
 * @score_threshold: lower scores are dropped
 * @iou_threshold: of the suppression
 * @background_in_label: NNAPI's isBGInLabel, 0 or 1
 * @reserved: 0
 */
struct nnprog_attr_detection {
	float scale_y, scale_x, scale_h, scale_w;
	uint32_t regular_nms;
	uint32_t max_detections, max_classes, detections_per_class;
	float score_threshold, iou_threshold;
	uint32_t background_in_label;
	uint32_t reserved;
};

/**
 * struct nnprog_attr_lsh - attributes of LSH_PROJECTION
 * @type: 1 SPARSE_DEPRECATED, 2 DENSE, 3 SPARSE
 * @reserved: 0
 */
struct nnprog_attr_lsh {
	uint32_t type;
	uint32_t reserved;
};

/**
 * struct nnprog_attr_multinomial - attributes of RANDOM_MULTINOMIAL
 * @samples: at least 1
 * @reserved: 0
 */
struct nnprog_attr_multinomial {
	uint32_t samples;
	uint32_t reserved;
};

/**
 * struct nnprog_attr_if - attributes of IF
 * @then_graph: number of a subgraph
 * @else_graph: number of a subgraph
 *
 * Subgraph numbers are greater than that of the subgraph with the operation: there is no recursion.
 * Several operations may use one subgraph. Its inputs and outputs agree with those of the operation
 * in type and quantization, and in the parts of their shapes that both declare; other parts are
 * compared when it runs.
 */
struct nnprog_attr_if {
	uint32_t then_graph, else_graph;
};

/**
 * struct nnprog_attr_while - attributes of WHILE
 * @condition_graph: number of a subgraph
 * @body_graph: number of a subgraph
 */
struct nnprog_attr_while {
	uint32_t condition_graph, body_graph;
};

#endif
