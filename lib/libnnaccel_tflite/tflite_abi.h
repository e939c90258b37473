/* SPDX-License-Identifier: Apache-2.0 */
/* What the host of the delegate has in memory: the ABI of TensorFlow Lite. */
#ifndef NNACCEL_TFLITE_ABI_H
#define NNACCEL_TFLITE_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The binary interface between TensorFlow Lite and a delegate, as far as this one uses it. These
 * are the layouts of TensorFlow Lite 2.14 and of LiteRT on Linux (lite/c/common.h);
 * tests/delegate/tflite_layouts.c compares them with its headers. The names are ours.
 *
 * TensorFlow Lite only adds members at the end of these structs. struct tfl_registration goes by
 * value into replace_nodes(): ours is the longest one, its new members are zero, and an older host
 * reads its own, shorter part of it. On x86-64 and arm64 the other arguments do not move with its
 * size.
 */

/* TfLiteStatus */
enum { TFL_OK = 0, TFL_ERROR = 1, TFL_DELEGATE_ERROR = 2 };

/* TfLiteType: not the numbers of the schema */
enum {
	TFL_NO_TYPE,
	TFL_FLOAT32,
	TFL_INT32,
	TFL_UINT8,
	TFL_INT64,
	TFL_STRING,
	TFL_BOOL,
	TFL_INT16,
	TFL_COMPLEX64,
	TFL_INT8,
	TFL_FLOAT16,
	TFL_FLOAT64,
	TFL_COMPLEX128,
	TFL_UINT64,
	TFL_RESOURCE,
	TFL_VARIANT,
	TFL_UINT32,
	TFL_UINT16,
	TFL_INT4,
	TFL_TYPE_COUNT
};

/* TfLiteAllocationType: constants of the file; tensors that get their size when the model runs */
enum { TFL_MMAP_RO = 1, TFL_ARENA_RW = 2, TFL_ARENA_RW_PERSISTENT = 3, TFL_DYNAMIC = 4 };

/* TfLiteQuantizationType */
enum { TFL_NO_QUANTIZATION = 0, TFL_AFFINE_QUANTIZATION = 1 };

/* TfLiteDelegateFlags */
enum { TFL_ALLOW_DYNAMIC_TENSORS = 1, TFL_REQUIRE_PROPAGATED_SHAPES = 2 };

/* TfLiteIntArray, TfLiteFloatArray; from malloc() */
struct tfl_int_array {
	int size;
	int data[];
};

struct tfl_float_array {
	int size;
	float data[];
};

/* TfLiteAffineQuantization */
struct tfl_affine {
	struct tfl_float_array *scale;
	struct tfl_int_array *zero_point;
	int32_t quantized_dimension;
};

struct tfl_delegate;
struct tfl_context;

/* TfLiteTensor */
struct tfl_tensor {
	int type;
	void *data;
	struct tfl_int_array *dims;
	struct {
		float scale;
		int32_t zero_point;
	} params;
	int allocation_type;
	size_t bytes;
	const void *allocation;
	const char *name;
	struct tfl_delegate *delegate;
	int buffer_handle;
	bool data_is_stale;
	bool is_variable;
	struct {
		int type;
		void *params;
	} quantization;
	void *sparsity;
	const struct tfl_int_array *dims_signature;
};

/* TfLiteNode */
struct tfl_node {
	struct tfl_int_array *inputs, *outputs, *intermediates, *temporaries;
	void *user_data;
	void *builtin_data;
	const void *custom_initial_data;
	int custom_initial_data_size;
	struct tfl_delegate *delegate;
	bool might_have_side_effect;
};

/* TfLiteRegistration */
struct tfl_registration {
	void *(*init)(struct tfl_context *context, const char *buffer, size_t length);
	void (*free)(struct tfl_context *context, void *user_data);
	int (*prepare)(struct tfl_context *context, struct tfl_node *node);
	int (*invoke)(struct tfl_context *context, struct tfl_node *node);
	const char *(*profiling_string)(const struct tfl_context *context,
					const struct tfl_node *node);
	int32_t builtin_code;
	const char *custom_name;
	int version;
	void *registration_external;
	void *(*async_kernel)(struct tfl_context *context, struct tfl_node *node);
	uint64_t inplace_operator;
};

/* TfLiteDelegateParams: what init() of a delegate's kernel gets */
struct tfl_delegate_params {
	struct tfl_delegate *delegate;
	struct tfl_int_array *nodes_to_replace, *input_tensors, *output_tensors;
};

/* TfLiteDelegate */
struct tfl_delegate {
	void *data;
	int (*prepare)(struct tfl_context *context, struct tfl_delegate *delegate);
	int (*copy_from_buffer_handle)(struct tfl_context *context, struct tfl_delegate *delegate,
				       int handle, struct tfl_tensor *tensor);
	int (*copy_to_buffer_handle)(struct tfl_context *context, struct tfl_delegate *delegate,
				     int handle, struct tfl_tensor *tensor);
	void (*free_buffer_handle)(struct tfl_context *context, struct tfl_delegate *delegate,
				   int *handle);
	int64_t flags;
	void *opaque_delegate_builder;
};

/* TfLiteContext */
struct tfl_context {
	size_t tensors_size;
	/* the host owns the plan, until the next call */
	int (*get_execution_plan)(struct tfl_context *context, struct tfl_int_array **plan);
	struct tfl_tensor *tensors;
	void *impl;
	/* takes @dims */
	int (*resize_tensor)(struct tfl_context *context, struct tfl_tensor *tensor,
			     struct tfl_int_array *dims);
	void (*report_error)(struct tfl_context *context, const char *format, ...)
		__attribute__((format(printf, 2, 3)));
	int (*add_tensors)(struct tfl_context *context, int count, int *first);
	int (*get_node)(struct tfl_context *context, int index, struct tfl_node **node,
			struct tfl_registration **registration);
	/* runs init() for each partition */
	int (*replace_nodes)(struct tfl_context *context, struct tfl_registration registration,
			     const struct tfl_int_array *nodes, struct tfl_delegate *delegate);
	int recommended_num_threads;
	void *(*get_external_context)(struct tfl_context *context, int type);
	void (*set_external_context)(struct tfl_context *context, int type, void *external);
	bool allow_fp32_relax_to_fp16;
	void *profiler;
	void *(*allocate_persistent_buffer)(struct tfl_context *context, size_t bytes);
	int (*allocate_buffer_for_eval)(struct tfl_context *context, size_t bytes, void **buffer);
	int (*request_scratch_buffer)(struct tfl_context *context, size_t bytes, int *index);
	void *(*get_scratch_buffer)(struct tfl_context *context, int index);
	int (*resize_tensor_explicit)(struct tfl_context *context, struct tfl_tensor *tensor,
				      int rank, const int *dims);
	/* the host owns the partitions, until the next call */
	int (*preview_partitions)(struct tfl_context *context, const struct tfl_int_array *nodes,
				  struct tfl_delegate_params **partitions, int *count);
	struct tfl_tensor *(*get_tensor)(const struct tfl_context *context, int index);
	void *(*get_eval_tensor)(const struct tfl_context *context, int index);
	int (*get_model_metadata)(const struct tfl_context *context, const char *name,
				  const char **data, size_t *bytes);
	int (*acquire_subgraph_context)(struct tfl_context *context, int subgraph,
					struct tfl_context **acquired);
	int (*release_subgraph_context)(struct tfl_context *context, int subgraph);
};

/*
 * The options of TensorFlow Lite's builtin operators in memory (lite/c/builtin_op_data.h), as far
 * as builtin_options.c reads them. Enumerations are ints. As tflite_abi.h.
 */

/* TfLitePadding; the schema begins at 0 with SAME */
enum { TFL_PADDING_UNKNOWN, TFL_PADDING_SAME, TFL_PADDING_VALID };
/* TfLiteMirrorPaddingMode; the schema begins at 0 with REFLECT */
enum { TFL_MIRROR_UNKNOWN, TFL_MIRROR_REFLECT, TFL_MIRROR_SYMMETRIC };

struct tfl_conv_params {
	int padding, stride_width, stride_height, activation;
	int dilation_width_factor, dilation_height_factor;
};

struct tfl_depthwise_conv_params {
	int padding, stride_width, stride_height, depth_multiplier, activation;
	int dilation_width_factor, dilation_height_factor;
};

struct tfl_transpose_conv_params {
	int padding, stride_width, stride_height;
	int activation; /* of version 4 */
};

struct tfl_pool_params {
	int padding, stride_width, stride_height, filter_width, filter_height, activation;
	struct {
		int width, height, width_offset, height_offset;
	} computed;
};

struct tfl_fully_connected_params {
	int activation, weights_format;
	bool keep_num_dims, asymmetric_quantize_inputs;
};

/* ADD, SUB, MUL, DIV, L2_NORMALIZATION and RNN begin with it */
struct tfl_activation_params {
	int activation;
};

struct tfl_concatenation_params {
	int axis, activation;
};

struct tfl_local_response_params {
	int radius;
	float bias, alpha, beta;
};

struct tfl_lstm_params {
	int activation;
	float cell_clip, proj_clip;
	int kernel_type;
	bool asymmetric_quantize_inputs;
};

struct tfl_sequence_lstm_params {
	int activation;
	float cell_clip, proj_clip;
	bool time_major, asymmetric_quantize_inputs, diagonal_recurrent_tensors;
};

struct tfl_bidirectional_lstm_params {
	int activation;
	float cell_clip, proj_clip;
	bool merge_outputs, time_major, asymmetric_quantize_inputs;
};

struct tfl_sequence_rnn_params {
	bool time_major;
	int activation;
	bool asymmetric_quantize_inputs;
};

struct tfl_bidirectional_rnn_params {
	bool time_major;
	int activation;
	bool merge_outputs, asymmetric_quantize_inputs;
};

struct tfl_svdf_params {
	int rank, activation;
	bool asymmetric_quantize_inputs;
};

struct tfl_softmax_params {
	float beta;
};

struct tfl_leaky_relu_params {
	float alpha;
};

/* RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR */
struct tfl_resize_params {
	bool align_corners, half_pixel_centers;
};

/* DEPTH_TO_SPACE, SPACE_TO_DEPTH */
struct tfl_block_params {
	int block_size;
};

struct tfl_gather_params {
	int axis, batch_dims;
};

/* MEAN, SUM, REDUCE_* */
struct tfl_reducer_params {
	bool keep_dims;
};

struct tfl_strided_slice_params {
	int begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
	bool offset; /* of version 8 */
};

struct tfl_pack_params {
	int values_count, axis;
};

struct tfl_unpack_params {
	int num, axis;
};

struct tfl_one_hot_params {
	int axis;
};

struct tfl_mirror_pad_params {
	int mode;
};

struct tfl_reverse_sequence_params {
	int seq_dim, batch_dim;
};

/* IF: then, else; WHILE: condition, body */
struct tfl_subgraphs_params {
	int first, second;
};

struct tfl_batch_matmul_params {
	bool adj_x, adj_y, asymmetric_quantize_inputs;
};

struct tfl_cumsum_params {
	bool exclusive, reverse;
};

struct tfl_gelu_params {
	bool approximate;
};

#endif
