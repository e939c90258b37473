// SPDX-License-Identifier: Apache-2.0
/*
 * Our layouts beside those of TensorFlow Lite's headers: it compiles if they agree
 * (scripts/check/doors.sh). Not a part of the build, which has no such headers. LiteRT's of
 * 2026-08-21 (f6745779), with its folder tflite as tensorflow/lite, agree as well.
 */
#include "tensorflow/lite/c/builtin_op_data.h"
#include "tensorflow/lite/c/common.h"

#include "tflite_abi.h"

#define SIZE(theirs, ours) _Static_assert(sizeof(theirs) == sizeof(struct ours), #theirs)
/* The member of theirs is at the place of ours, and of its size. */
#define SAME(theirs, member, ours, our_member)                                          \
	_Static_assert(offsetof(theirs, member) == offsetof(struct ours, our_member) && \
			       sizeof(((theirs *)0)->member) ==                         \
				       sizeof(((struct ours *)0)->our_member),          \
		       #theirs "." #member)
#define VALUE(theirs, ours) _Static_assert((int)(theirs) == (int)(ours), #theirs)

VALUE(kTfLiteOk, TFL_OK);
VALUE(kTfLiteError, TFL_ERROR);
VALUE(kTfLiteDelegateError, TFL_DELEGATE_ERROR);
VALUE(kTfLiteFloat32, TFL_FLOAT32);
VALUE(kTfLiteInt32, TFL_INT32);
VALUE(kTfLiteUInt8, TFL_UINT8);
VALUE(kTfLiteInt64, TFL_INT64);
VALUE(kTfLiteString, TFL_STRING);
VALUE(kTfLiteBool, TFL_BOOL);
VALUE(kTfLiteInt16, TFL_INT16);
VALUE(kTfLiteComplex64, TFL_COMPLEX64);
VALUE(kTfLiteInt8, TFL_INT8);
VALUE(kTfLiteFloat16, TFL_FLOAT16);
VALUE(kTfLiteFloat64, TFL_FLOAT64);
VALUE(kTfLiteComplex128, TFL_COMPLEX128);
VALUE(kTfLiteUInt64, TFL_UINT64);
VALUE(kTfLiteResource, TFL_RESOURCE);
VALUE(kTfLiteVariant, TFL_VARIANT);
VALUE(kTfLiteUInt32, TFL_UINT32);
VALUE(kTfLiteUInt16, TFL_UINT16);
VALUE(kTfLiteInt4, TFL_INT4);
VALUE(kTfLiteMmapRo, TFL_MMAP_RO);
VALUE(kTfLiteArenaRw, TFL_ARENA_RW);
VALUE(kTfLiteArenaRwPersistent, TFL_ARENA_RW_PERSISTENT);
VALUE(kTfLiteDynamic, TFL_DYNAMIC);
VALUE(kTfLiteAffineQuantization, TFL_AFFINE_QUANTIZATION);
VALUE(kTfLiteDelegateFlagsAllowDynamicTensors, TFL_ALLOW_DYNAMIC_TENSORS);
VALUE(kTfLiteDelegateFlagsRequirePropagatedShapes, TFL_REQUIRE_PROPAGATED_SHAPES);
VALUE(kTfLitePaddingSame, TFL_PADDING_SAME);
VALUE(kTfLitePaddingValid, TFL_PADDING_VALID);
VALUE(kTfLiteMirrorPaddingReflect, TFL_MIRROR_REFLECT);
VALUE(kTfLiteMirrorPaddingSymmetric, TFL_MIRROR_SYMMETRIC);

SIZE(TfLiteTensor, tfl_tensor);
SAME(TfLiteTensor, type, tfl_tensor, type);
SAME(TfLiteTensor, data, tfl_tensor, data);
SAME(TfLiteTensor, dims, tfl_tensor, dims);
SAME(TfLiteTensor, params, tfl_tensor, params);
SAME(TfLiteTensor, allocation_type, tfl_tensor, allocation_type);
SAME(TfLiteTensor, bytes, tfl_tensor, bytes);
SAME(TfLiteTensor, name, tfl_tensor, name);
SAME(TfLiteTensor, delegate, tfl_tensor, delegate);
SAME(TfLiteTensor, is_variable, tfl_tensor, is_variable);
SAME(TfLiteTensor, quantization, tfl_tensor, quantization);
SAME(TfLiteTensor, sparsity, tfl_tensor, sparsity);
SAME(TfLiteTensor, dims_signature, tfl_tensor, dims_signature);

SIZE(TfLiteAffineQuantization, tfl_affine);
SAME(TfLiteAffineQuantization, zero_point, tfl_affine, zero_point);
SAME(TfLiteAffineQuantization, quantized_dimension, tfl_affine, quantized_dimension);

SIZE(TfLiteNode, tfl_node);
SAME(TfLiteNode, inputs, tfl_node, inputs);
SAME(TfLiteNode, outputs, tfl_node, outputs);
SAME(TfLiteNode, user_data, tfl_node, user_data);
SAME(TfLiteNode, builtin_data, tfl_node, builtin_data);
SAME(TfLiteNode, delegate, tfl_node, delegate);

/* 2.14.1 has all members but the last. */
_Static_assert(sizeof(TfLiteRegistration) <= sizeof(struct tfl_registration), "registration");
SAME(TfLiteRegistration, init, tfl_registration, init);
SAME(TfLiteRegistration, free, tfl_registration, free);
SAME(TfLiteRegistration, prepare, tfl_registration, prepare);
SAME(TfLiteRegistration, invoke, tfl_registration, invoke);
SAME(TfLiteRegistration, profiling_string, tfl_registration, profiling_string);
SAME(TfLiteRegistration, builtin_code, tfl_registration, builtin_code);
SAME(TfLiteRegistration, custom_name, tfl_registration, custom_name);
SAME(TfLiteRegistration, version, tfl_registration, version);
SAME(TfLiteRegistration, registration_external, tfl_registration, registration_external);

SIZE(TfLiteDelegateParams, tfl_delegate_params);
SAME(TfLiteDelegateParams, nodes_to_replace, tfl_delegate_params, nodes_to_replace);
SAME(TfLiteDelegateParams, output_tensors, tfl_delegate_params, output_tensors);

SIZE(TfLiteDelegate, tfl_delegate);
SAME(TfLiteDelegate, data_, tfl_delegate, data);
SAME(TfLiteDelegate, Prepare, tfl_delegate, prepare);
SAME(TfLiteDelegate, flags, tfl_delegate, flags);
SAME(TfLiteDelegate, opaque_delegate_builder, tfl_delegate, opaque_delegate_builder);

SIZE(TfLiteContext, tfl_context);
SAME(TfLiteContext, tensors_size, tfl_context, tensors_size);
SAME(TfLiteContext, GetExecutionPlan, tfl_context, get_execution_plan);
SAME(TfLiteContext, tensors, tfl_context, tensors);
SAME(TfLiteContext, ResizeTensor, tfl_context, resize_tensor);
SAME(TfLiteContext, ReportError, tfl_context, report_error);
SAME(TfLiteContext, GetNodeAndRegistration, tfl_context, get_node);
SAME(TfLiteContext, ReplaceNodeSubsetsWithDelegateKernels, tfl_context, replace_nodes);
SAME(TfLiteContext, PreviewDelegatePartitioning, tfl_context, preview_partitions);
SAME(TfLiteContext, ReleaseSubgraphContext, tfl_context, release_subgraph_context);

SAME(TfLiteConvParams, padding, tfl_conv_params, padding);
SAME(TfLiteConvParams, stride_width, tfl_conv_params, stride_width);
SAME(TfLiteConvParams, stride_height, tfl_conv_params, stride_height);
SAME(TfLiteConvParams, activation, tfl_conv_params, activation);
SAME(TfLiteConvParams, dilation_width_factor, tfl_conv_params, dilation_width_factor);
SAME(TfLiteConvParams, dilation_height_factor, tfl_conv_params, dilation_height_factor);
SAME(TfLiteDepthwiseConvParams, depth_multiplier, tfl_depthwise_conv_params, depth_multiplier);
SAME(TfLiteDepthwiseConvParams, activation, tfl_depthwise_conv_params, activation);
SAME(TfLiteDepthwiseConvParams, dilation_height_factor, tfl_depthwise_conv_params,
     dilation_height_factor);
SAME(TfLiteTransposeConvParams, padding, tfl_transpose_conv_params, padding);
SAME(TfLiteTransposeConvParams, stride_height, tfl_transpose_conv_params, stride_height);
SIZE(TfLitePoolParams, tfl_pool_params);
SAME(TfLitePoolParams, filter_width, tfl_pool_params, filter_width);
SAME(TfLitePoolParams, filter_height, tfl_pool_params, filter_height);
SAME(TfLitePoolParams, activation, tfl_pool_params, activation);
SAME(TfLiteFullyConnectedParams, activation, tfl_fully_connected_params, activation);
SAME(TfLiteFullyConnectedParams, weights_format, tfl_fully_connected_params, weights_format);
SAME(TfLiteAddParams, activation, tfl_activation_params, activation);
SAME(TfLiteSubParams, activation, tfl_activation_params, activation);
SAME(TfLiteMulParams, activation, tfl_activation_params, activation);
SAME(TfLiteDivParams, activation, tfl_activation_params, activation);
SAME(TfLiteL2NormParams, activation, tfl_activation_params, activation);
SAME(TfLiteRNNParams, activation, tfl_activation_params, activation);
SAME(TfLiteConcatenationParams, axis, tfl_concatenation_params, axis);
SAME(TfLiteConcatenationParams, activation, tfl_concatenation_params, activation);
SAME(TfLiteLocalResponseNormParams, radius, tfl_local_response_params, radius);
SAME(TfLiteLocalResponseNormParams, bias, tfl_local_response_params, bias);
SAME(TfLiteLocalResponseNormParams, alpha, tfl_local_response_params, alpha);
SAME(TfLiteLocalResponseNormParams, beta, tfl_local_response_params, beta);
SAME(TfLiteLSTMParams, activation, tfl_lstm_params, activation);
SAME(TfLiteLSTMParams, cell_clip, tfl_lstm_params, cell_clip);
SAME(TfLiteLSTMParams, proj_clip, tfl_lstm_params, proj_clip);
SAME(TfLiteLSTMParams, kernel_type, tfl_lstm_params, kernel_type);
SAME(TfLiteUnidirectionalSequenceLSTMParams, proj_clip, tfl_sequence_lstm_params, proj_clip);
SAME(TfLiteUnidirectionalSequenceLSTMParams, time_major, tfl_sequence_lstm_params, time_major);
SAME(TfLiteBidirectionalSequenceLSTMParams, merge_outputs, tfl_bidirectional_lstm_params,
     merge_outputs);
SAME(TfLiteBidirectionalSequenceLSTMParams, time_major, tfl_bidirectional_lstm_params, time_major);
SAME(TfLiteSequenceRNNParams, time_major, tfl_sequence_rnn_params, time_major);
SAME(TfLiteSequenceRNNParams, activation, tfl_sequence_rnn_params, activation);
SAME(TfLiteBidirectionalSequenceRNNParams, activation, tfl_bidirectional_rnn_params, activation);
SAME(TfLiteBidirectionalSequenceRNNParams, merge_outputs, tfl_bidirectional_rnn_params,
     merge_outputs);
SAME(TfLiteSVDFParams, rank, tfl_svdf_params, rank);
SAME(TfLiteSVDFParams, activation, tfl_svdf_params, activation);
SAME(TfLiteSoftmaxParams, beta, tfl_softmax_params, beta);
SAME(TfLiteLeakyReluParams, alpha, tfl_leaky_relu_params, alpha);
SAME(TfLiteResizeBilinearParams, align_corners, tfl_resize_params, align_corners);
SAME(TfLiteResizeBilinearParams, half_pixel_centers, tfl_resize_params, half_pixel_centers);
SAME(TfLiteResizeNearestNeighborParams, half_pixel_centers, tfl_resize_params, half_pixel_centers);
SAME(TfLiteSpaceToDepthParams, block_size, tfl_block_params, block_size);
SAME(TfLiteDepthToSpaceParams, block_size, tfl_block_params, block_size);
SAME(TfLiteGatherParams, axis, tfl_gather_params, axis);
SAME(TfLiteGatherParams, batch_dims, tfl_gather_params, batch_dims);
SAME(TfLiteReducerParams, keep_dims, tfl_reducer_params, keep_dims);
SAME(TfLiteStridedSliceParams, begin_mask, tfl_strided_slice_params, begin_mask);
SAME(TfLiteStridedSliceParams, end_mask, tfl_strided_slice_params, end_mask);
SAME(TfLiteStridedSliceParams, ellipsis_mask, tfl_strided_slice_params, ellipsis_mask);
SAME(TfLiteStridedSliceParams, new_axis_mask, tfl_strided_slice_params, new_axis_mask);
SAME(TfLiteStridedSliceParams, shrink_axis_mask, tfl_strided_slice_params, shrink_axis_mask);
SAME(TfLitePackParams, axis, tfl_pack_params, axis);
SAME(TfLiteUnpackParams, axis, tfl_unpack_params, axis);
SAME(TfLiteOneHotParams, axis, tfl_one_hot_params, axis);
SAME(TfLiteMirrorPaddingParams, mode, tfl_mirror_pad_params, mode);
SAME(TfLiteReverseSequenceParams, seq_dim, tfl_reverse_sequence_params, seq_dim);
SAME(TfLiteReverseSequenceParams, batch_dim, tfl_reverse_sequence_params, batch_dim);
SAME(TfLiteIfParams, then_subgraph_index, tfl_subgraphs_params, first);
SAME(TfLiteIfParams, else_subgraph_index, tfl_subgraphs_params, second);
SAME(TfLiteWhileParams, cond_subgraph_index, tfl_subgraphs_params, first);
SAME(TfLiteWhileParams, body_subgraph_index, tfl_subgraphs_params, second);
SAME(TfLiteBatchMatMulParams, adj_x, tfl_batch_matmul_params, adj_x);
SAME(TfLiteBatchMatMulParams, adj_y, tfl_batch_matmul_params, adj_y);
SAME(TfLiteCumsumParams, exclusive, tfl_cumsum_params, exclusive);
SAME(TfLiteCumsumParams, reverse, tfl_cumsum_params, reverse);
SAME(TfLiteGeluParams, approximate, tfl_gelu_params, approximate);
