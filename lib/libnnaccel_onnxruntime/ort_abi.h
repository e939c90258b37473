/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The binary interface between ONNX Runtime and a plugin execution provider, as far as this one
 * uses it: the function tables of API version 23 (ONNX Runtime 1.23, onnxruntime_c_api.h and
 * onnxruntime_ep_c_api.h). tests/onnxruntime/ort_layouts.c compares them with these headers. The
 * names are ours.
 *
 * ONNX Runtime only adds functions at the end of its tables. Structs that the provider fills begin
 * with the version that it was made for, and the host reads no member that this version lacks.
 *
 * Functions that return a status: NULL is success; release_status() frees the others.
 */
#ifndef ORT_ABI_H
#define ORT_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORT_VERSION 23

/* OrtErrorCode */
enum { ORT_CODE_FAIL = 1, ORT_CODE_INVALID_ARGUMENT = 2, ORT_CODE_EP_FAIL = 11 };

/* ONNXTensorElementDataType; the numbers of TensorProto.DataType, too */
enum ort_type {
	ORT_NO_TYPE = 0,
	ORT_FLOAT32 = 1,
	ORT_UINT8 = 2,
	ORT_INT8 = 3,
	ORT_INT32 = 6,
	ORT_INT64 = 7,
	ORT_BOOL = 9,
	ORT_FLOAT16 = 10,
	ORT_TYPE_COUNT = 23
};

/* OrtOpAttrType */
enum {
	ORT_ATTR_INT = 1,
	ORT_ATTR_INTS = 2,
	ORT_ATTR_FLOAT = 3,
	ORT_ATTR_FLOATS = 4,
	ORT_ATTR_STRING = 5
};

/* OrtHardwareDeviceType */
enum { ORT_HARDWARE_CPU = 0 };

/* Objects of the host */
struct ort_status;
struct ort_graph;
struct ort_node;
struct ort_value;
struct ort_value_info;
struct ort_type_info;
struct ort_tensor_info;
struct ort_attribute;
struct ort_kernel_context;
struct ort_key_values;
struct ort_hardware;
struct ort_ep_device;
struct ort_session_options;
struct ort_logger;
struct ort_graph_support;
struct ort_ep_api;
struct ort_ep;
struct ort_ep_factory;

/* OrtApi; the numbers count functions */
struct ort_api {
	struct ort_status *(*create_status)(int code, const char *text); /* copies @text */
	void *unused_1[1];
	const char *(*get_error_message)(const struct ort_status *status);
	void *unused_3[48];
	struct ort_status *(*get_tensor_mutable_data)(struct ort_value *value, void **data); /* 51
											      */
	void *unused_52[3];
	/* NULL: no tensor */
	struct ort_status *(*cast_to_tensor_info)(const struct ort_type_info *type,
						  const struct ort_tensor_info **info); /* 55 */
	void *unused_56[4];
	struct ort_status *(*get_element_type)(const struct ort_tensor_info *info, int *type); /* 60
												*/
	struct ort_status *(*get_rank)(const struct ort_tensor_info *info, size_t *rank);
	struct ort_status *(*get_dims)(const struct ort_tensor_info *info, int64_t *dims,
				       size_t rank);
	/* names of open dimensions, valid as long as @info; "": a number, or no name */
	struct ort_status *(*get_dim_names)(const struct ort_tensor_info *info, const char **names,
					    size_t rank);
	void *unused_64[1];
	struct ort_status *(*get_value_tensor_info)(const struct ort_value *value,
						    struct ort_tensor_info **info); /* 65 */
	void *unused_66[24];
	struct ort_status *(*get_kernel_input)(const struct ort_kernel_context *context,
					       size_t index, const struct ort_value **value); /* 90
											       */
	struct ort_status *(*get_kernel_output)(struct ort_kernel_context *context, size_t index,
						const int64_t *dims, size_t rank,
						struct ort_value **value);
	void *unused_92[1];
	void (*release_status)(struct ort_status *status); /* 93 */
	void *unused_94[5];
	void (*release_tensor_info)(struct ort_tensor_info *info); /* 99 */
	void *unused_100[172];
	/* @length: set to the bytes, even when @size is too small, which is an error */
	struct ort_status *(*read_attribute)(const struct ort_attribute *attribute, int type,
					     void *data, size_t size, size_t *length); /* 272 */
	void *unused_273[16];
	struct ort_status *(*get_value_name)(const struct ort_value_info *info,
					     const char **name); /* 289 */
	struct ort_status *(*get_value_type)(const struct ort_value_info *info,
					     const struct ort_type_info **type);
	void *unused_291[7];
	void (*get_key_values)(const struct ort_key_values *pairs, const char *const **keys,
			       const char *const **values, size_t *count); /* 298 */
	void *unused_299[1];
	void (*release_key_values)(struct ort_key_values *pairs); /* 300 */
	void *unused_301[6];
	int (*get_hardware_type)(const struct ort_hardware *device); /* 307 */
	void *unused_308[9];
	const struct ort_ep_api *(*get_ep_api)(void); /* 317 */
	struct ort_status *(*get_tensor_size)(const struct ort_value *value, size_t *bytes);
	void *unused_319[7];
	/* the graph owns @value; NULL: it has none */
	struct ort_status *(*get_initializer)(const struct ort_value_info *info,
					      const struct ort_value **value); /* 326 */
	void *unused_327[3];
	struct ort_status *(*is_graph_output)(const struct ort_value_info *info, bool *is); /* 330
											     */
	struct ort_status *(*is_constant)(const struct ort_value_info *info, bool *is);
	struct ort_status *(*is_from_outer_scope)(const struct ort_value_info *info, bool *is);
	void *unused_333[5];
	struct ort_status *(*get_num_graph_inputs)(const struct ort_graph *graph,
						   size_t *count); /* 338 */
	void *unused_339[5];
	struct ort_status *(*get_num_nodes)(const struct ort_graph *graph, size_t *count); /* 344 */
	struct ort_status *(*get_nodes)(const struct ort_graph *graph,
					const struct ort_node **nodes, size_t count);
	void *unused_346[3];
	struct ort_status *(*get_node_name)(const struct ort_node *node, const char **name); /* 349
											      */
	struct ort_status *(*get_operator)(const struct ort_node *node, const char **name);
	struct ort_status *(*get_domain)(const struct ort_node *node, const char **name);
	struct ort_status *(*get_since_version)(const struct ort_node *node, int *version);
	struct ort_status *(*get_num_inputs)(const struct ort_node *node, size_t *count);
	/* NULL: an omitted one */
	struct ort_status *(*get_inputs)(const struct ort_node *node,
					 const struct ort_value_info **inputs, size_t count);
	struct ort_status *(*get_num_outputs)(const struct ort_node *node, size_t *count);
	struct ort_status *(*get_outputs)(const struct ort_node *node,
					  const struct ort_value_info **outputs, size_t count);
	struct ort_status *(*get_num_implicit_inputs)(const struct ort_node *node, size_t *count);
	struct ort_status *(*get_implicit_inputs)(const struct ort_node *node,
						  const struct ort_value_info **inputs,
						  size_t count);
	struct ort_status *(*get_num_attributes)(const struct ort_node *node, size_t *count);
	struct ort_status *(*get_attributes)(const struct ort_node *node,
					     const struct ort_attribute **attributes, size_t count);
	void *unused_361[2];
	struct ort_status *(*get_attribute_type)(const struct ort_attribute *attribute,
						 int *type); /* 363 */
	struct ort_status *(*get_attribute_name)(const struct ort_attribute *attribute,
						 const char **name);
	struct ort_status *(*get_num_subgraphs)(const struct ort_node *node, size_t *count);
	void *unused_366[2];
	struct ort_status *(*get_node_ep)(const struct ort_node *node, const char **name); /* 368;
											      NULL:
											      none
											      yet */
	void *unused_369[9];
	struct ort_status *(*get_tensor_data)(const struct ort_value *value,
					      const void **data); /* 378 */
	/* the caller releases @pairs */
	struct ort_status *(*get_session_options)(const struct ort_session_options *options,
						  struct ort_key_values **pairs);
};

/* OrtNodeFusionOptions */
struct ort_fusion_options {
	uint32_t version;
	bool drop_constants; /* they are no inputs of the fused node */
};

/* OrtEpApi */
struct ort_ep_api {
	struct ort_status *(*create_ep_device)(struct ort_ep_factory *factory,
					       const struct ort_hardware *hardware,
					       const struct ort_key_values *metadata,
					       const struct ort_key_values *options,
					       struct ort_ep_device **device);
	void *unused_1[1];
	struct ort_status *(*add_nodes_to_fuse)(struct ort_graph_support *support,
						const struct ort_node *const *nodes, size_t count,
						const struct ort_fusion_options *options);
};

/* OrtApiBase; get_api() is NULL for a version that the host does not have */
struct ort_api_base {
	const struct ort_api *(*get_api)(uint32_t version);
	const char *(*get_version)(void);
};

/* OrtNodeComputeInfo */
struct ort_compute_info {
	uint32_t version;
	struct ort_status *(*create_state)(struct ort_compute_info *info, void *context,
					   void **state);
	struct ort_status *(*compute)(struct ort_compute_info *info, void *state,
				      struct ort_kernel_context *context);
	void (*release_state)(struct ort_compute_info *info, void *state);
};

/* OrtEp */
struct ort_ep {
	uint32_t version;
	const char *(*get_name)(const struct ort_ep *ep);
	struct ort_status *(*get_capability)(struct ort_ep *ep, const struct ort_graph *graph,
					     struct ort_graph_support *support);
	struct ort_status *(*compile)(struct ort_ep *ep, const struct ort_graph **graphs,
				      const struct ort_node **fused, size_t count,
				      struct ort_compute_info **infos,
				      struct ort_node **context_nodes);
	void (*release_compute_infos)(struct ort_ep *ep, struct ort_compute_info **infos,
				      size_t count);
	void *optional[8]; /* from GetPreferredDataLayout on; NULL: the host's default */
};

/* OrtEpFactory */
struct ort_ep_factory {
	uint32_t version;
	const char *(*get_name)(const struct ort_ep_factory *factory);
	const char *(*get_vendor)(const struct ort_ep_factory *factory);
	struct ort_status *(*get_supported_devices)(struct ort_ep_factory *factory,
						    const struct ort_hardware *const *hardware,
						    size_t num_hardware,
						    struct ort_ep_device **devices,
						    size_t max_devices, size_t *num_devices);
	struct ort_status *(*create_ep)(struct ort_ep_factory *factory,
					const struct ort_hardware *const *hardware,
					const struct ort_key_values *const *metadata, size_t count,
					const struct ort_session_options *options,
					const struct ort_logger *logger, struct ort_ep **ep);
	void (*release_ep)(struct ort_ep_factory *factory, struct ort_ep *ep);
	uint32_t (*get_vendor_id)(const struct ort_ep_factory *factory);
	const char *(*get_version)(const struct ort_ep_factory *factory);
	void *validate_compatibility; /* NULL */
	struct ort_status *(*create_allocator)(struct ort_ep_factory *factory, const void *memory,
					       const struct ort_key_values *options,
					       void **allocator);
	void (*release_allocator)(struct ort_ep_factory *factory, void *allocator);
	struct ort_status *(*create_data_transfer)(struct ort_ep_factory *factory, void **transfer);
	bool (*is_stream_aware)(const struct ort_ep_factory *factory);
	struct ort_status *(*create_sync_stream)(struct ort_ep_factory *factory, const void *memory,
						 const struct ort_key_values *options,
						 void **stream);
};

/* The symbols that the host looks for */
struct ort_status *CreateEpFactories(const char *name, const struct ort_api_base *base,
				     const struct ort_logger *logger,
				     struct ort_ep_factory **factories, size_t max_factories,
				     size_t *num_factories);
struct ort_status *ReleaseEpFactory(struct ort_ep_factory *factory);

#endif
