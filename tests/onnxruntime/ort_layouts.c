// SPDX-License-Identifier: Apache-2.0
/*
 * Our function tables beside those of ONNX Runtime's headers: it compiles if they agree
 * (scripts/check/doors.sh). Not a part of the build, which has no such headers.
 */
#include <onnxruntime_c_api.h>

#include "ort_abi.h"

/* The member of theirs is at the place of ours, and of its size. */
#define SAME(theirs, member, ours, our_member)                                          \
	_Static_assert(offsetof(theirs, member) == offsetof(struct ours, our_member) && \
			       sizeof(((theirs *)0)->member) ==                         \
				       sizeof(((struct ours *)0)->our_member),          \
		       #theirs "." #member)
#define VALUE(theirs, ours) _Static_assert((int)(theirs) == (int)(ours), #theirs)
#define API(member, our_member) SAME(OrtApi, member, ort_api, our_member)

VALUE(ORT_FAIL, ORT_CODE_FAIL);
VALUE(ORT_INVALID_ARGUMENT, ORT_CODE_INVALID_ARGUMENT);
VALUE(ORT_EP_FAIL, ORT_CODE_EP_FAIL);
VALUE(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, ORT_FLOAT32);
VALUE(ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, ORT_UINT8);
VALUE(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8, ORT_INT8);
VALUE(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, ORT_INT32);
VALUE(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, ORT_INT64);
VALUE(ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, ORT_BOOL);
VALUE(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16, ORT_FLOAT16);
VALUE(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4 + 1, ORT_TYPE_COUNT);
VALUE(ORT_OP_ATTR_INT, ORT_ATTR_INT);
VALUE(ORT_OP_ATTR_INTS, ORT_ATTR_INTS);
VALUE(ORT_OP_ATTR_FLOAT, ORT_ATTR_FLOAT);
VALUE(ORT_OP_ATTR_FLOATS, ORT_ATTR_FLOATS);
VALUE(ORT_OP_ATTR_STRING, ORT_ATTR_STRING);
VALUE(OrtHardwareDeviceType_CPU, ORT_HARDWARE_CPU);
_Static_assert(ORT_API_VERSION >= ORT_VERSION, "version");

API(CreateStatus, create_status);
API(GetErrorMessage, get_error_message);
API(GetTensorMutableData, get_tensor_mutable_data);
API(CastTypeInfoToTensorInfo, cast_to_tensor_info);
API(GetTensorElementType, get_element_type);
API(GetDimensionsCount, get_rank);
API(GetDimensions, get_dims);
API(GetSymbolicDimensions, get_dim_names);
API(GetTensorTypeAndShape, get_value_tensor_info);
API(KernelContext_GetInput, get_kernel_input);
API(KernelContext_GetOutput, get_kernel_output);
API(ReleaseStatus, release_status);
API(ReleaseTensorTypeAndShapeInfo, release_tensor_info);
API(ReadOpAttr, read_attribute);
API(GetValueInfoName, get_value_name);
API(GetValueInfoTypeInfo, get_value_type);
API(GetKeyValuePairs, get_key_values);
API(ReleaseKeyValuePairs, release_key_values);
API(HardwareDevice_Type, get_hardware_type);
API(GetEpApi, get_ep_api);
API(GetTensorSizeInBytes, get_tensor_size);
API(ValueInfo_GetInitializerValue, get_initializer);
API(ValueInfo_IsGraphOutput, is_graph_output);
API(ValueInfo_IsConstantInitializer, is_constant);
API(ValueInfo_IsFromOuterScope, is_from_outer_scope);
API(Graph_GetNumInputs, get_num_graph_inputs);
API(Graph_GetNumNodes, get_num_nodes);
API(Graph_GetNodes, get_nodes);
API(Node_GetName, get_node_name);
API(Node_GetOperatorType, get_operator);
API(Node_GetDomain, get_domain);
API(Node_GetSinceVersion, get_since_version);
API(Node_GetNumInputs, get_num_inputs);
API(Node_GetInputs, get_inputs);
API(Node_GetNumOutputs, get_num_outputs);
API(Node_GetOutputs, get_outputs);
API(Node_GetNumImplicitInputs, get_num_implicit_inputs);
API(Node_GetImplicitInputs, get_implicit_inputs);
API(Node_GetNumAttributes, get_num_attributes);
API(Node_GetAttributes, get_attributes);
API(OpAttr_GetType, get_attribute_type);
API(OpAttr_GetName, get_attribute_name);
API(Node_GetNumSubgraphs, get_num_subgraphs);
API(Node_GetEpName, get_node_ep);
API(GetTensorData, get_tensor_data);
API(GetSessionOptionsConfigEntries, get_session_options);

SAME(OrtApiBase, GetApi, ort_api_base, get_api);
SAME(OrtApiBase, GetVersionString, ort_api_base, get_version);
SAME(OrtEpApi, CreateEpDevice, ort_ep_api, create_ep_device);
SAME(OrtEpApi, EpGraphSupportInfo_AddNodesToFuse, ort_ep_api, add_nodes_to_fuse);
SAME(OrtNodeFusionOptions, ort_version_supported, ort_fusion_options, version);
SAME(OrtNodeFusionOptions, drop_constant_initializers, ort_fusion_options, drop_constants);

SAME(OrtNodeComputeInfo, ort_version_supported, ort_compute_info, version);
SAME(OrtNodeComputeInfo, CreateState, ort_compute_info, create_state);
SAME(OrtNodeComputeInfo, Compute, ort_compute_info, compute);
SAME(OrtNodeComputeInfo, ReleaseState, ort_compute_info, release_state);

SAME(OrtEp, ort_version_supported, ort_ep, version);
SAME(OrtEp, GetName, ort_ep, get_name);
SAME(OrtEp, GetCapability, ort_ep, get_capability);
SAME(OrtEp, Compile, ort_ep, compile);
SAME(OrtEp, ReleaseNodeComputeInfos, ort_ep, release_compute_infos);
SAME(OrtEp, GetPreferredDataLayout, ort_ep, optional[0]);
SAME(OrtEp, GetCompiledModelCompatibilityInfo, ort_ep, optional[7]);

SAME(OrtEpFactory, ort_version_supported, ort_ep_factory, version);
SAME(OrtEpFactory, GetName, ort_ep_factory, get_name);
SAME(OrtEpFactory, GetVendor, ort_ep_factory, get_vendor);
SAME(OrtEpFactory, GetSupportedDevices, ort_ep_factory, get_supported_devices);
SAME(OrtEpFactory, CreateEp, ort_ep_factory, create_ep);
SAME(OrtEpFactory, ReleaseEp, ort_ep_factory, release_ep);
SAME(OrtEpFactory, GetVendorId, ort_ep_factory, get_vendor_id);
SAME(OrtEpFactory, GetVersion, ort_ep_factory, get_version);
SAME(OrtEpFactory, ValidateCompiledModelCompatibilityInfo, ort_ep_factory, validate_compatibility);
SAME(OrtEpFactory, CreateAllocator, ort_ep_factory, create_allocator);
SAME(OrtEpFactory, ReleaseAllocator, ort_ep_factory, release_allocator);
SAME(OrtEpFactory, CreateDataTransfer, ort_ep_factory, create_data_transfer);
SAME(OrtEpFactory, IsStreamAware, ort_ep_factory, is_stream_aware);
SAME(OrtEpFactory, CreateSyncStreamForDevice, ort_ep_factory, create_sync_stream);
