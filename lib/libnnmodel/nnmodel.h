/* SPDX-License-Identifier: Apache-2.0 */
/**
 * DOC: nnmodel.h
 *
 * NNAPI models as data: types, operands, operations, subgraphs. One table row per NNAPI operation
 * says its signatures by feature level, the constraints between its operands and its shape rule.
 * The sources of the rules are NeuralNetworksTypes.h and the NNAPI HAL (1.0 to 1.3, AIDL V1 to V4).
 *
 * Ownership: a model owns everything that it refers to, descriptors of pools included. The library
 * that made it frees it: nnmodel_free(). A callee that keeps a model copies it: nnmodel_clone().
 *
 * Sized structs: struct nnmodel and struct nnmodel_error begin with their size and grow at their
 * end, as nnhal.h describes. Operands, operations, subgraphs, pools and extensions do not grow
 * within one NNHAL_ABI_VERSION. Functions that change or free a model take models of this library
 * only.
 *
 * Threads: any number of threads may read a model while no thread changes it.
 */
#ifndef NNMODEL_H
#define NNMODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* enum nnmodel_type - operand types; the numbers and meanings are NNAPI's (OperandCode) */
enum nnmodel_type {
	NNMODEL_FLOAT32 = 0,
	NNMODEL_INT32 = 1,
	NNMODEL_UINT32 = 2,
	NNMODEL_TENSOR_FLOAT32 = 3,
	NNMODEL_TENSOR_INT32 = 4,
	NNMODEL_TENSOR_QUANT8_ASYMM = 5,
	NNMODEL_BOOL = 6,
	NNMODEL_TENSOR_QUANT16_SYMM = 7,
	NNMODEL_TENSOR_FLOAT16 = 8,
	NNMODEL_TENSOR_BOOL8 = 9,
	NNMODEL_FLOAT16 = 10,
	NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL = 11,
	NNMODEL_TENSOR_QUANT16_ASYMM = 12,
	NNMODEL_TENSOR_QUANT8_SYMM = 13,
	NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED = 14,
	NNMODEL_SUBGRAPH = 15,
	NNMODEL_TYPE_COUNT = 16
};

/**
 * enum nnmodel_lifetime - OperandLifeTime of HAL 1.3 and AIDL
 * @NNMODEL_TEMPORARY_VARIABLE: written and read by operations
 * @NNMODEL_SUBGRAPH_INPUT: an input of the subgraph
 * @NNMODEL_SUBGRAPH_OUTPUT: an output of the subgraph
 * @NNMODEL_CONSTANT_COPY: constant; the location is in nnmodel.values
 * @NNMODEL_CONSTANT_REFERENCE: constant; the location is in a pool
 * @NNMODEL_NO_VALUE: an omitted optional operand
 * @NNMODEL_LIFETIME_SUBGRAPH: a subgraph; location.offset is its number in nnmodel.referenced
 */
enum nnmodel_lifetime {
	NNMODEL_TEMPORARY_VARIABLE = 0,
	NNMODEL_SUBGRAPH_INPUT = 1,
	NNMODEL_SUBGRAPH_OUTPUT = 2,
	NNMODEL_CONSTANT_COPY = 3,
	NNMODEL_CONSTANT_REFERENCE = 4,
	NNMODEL_NO_VALUE = 5,
	NNMODEL_LIFETIME_SUBGRAPH = 6,
};

/* enum nnmodel_opcode - operations; the numbers and meanings are NNAPI's (OperationCode), 0 to 105
 */
enum nnmodel_opcode {
	NNMODEL_ADD = 0,
	NNMODEL_AVERAGE_POOL_2D = 1,
	NNMODEL_CONCATENATION = 2,
	NNMODEL_CONV_2D = 3,
	NNMODEL_DEPTHWISE_CONV_2D = 4,
	NNMODEL_DEPTH_TO_SPACE = 5,
	NNMODEL_DEQUANTIZE = 6,
	NNMODEL_EMBEDDING_LOOKUP = 7,
	NNMODEL_FLOOR = 8,
	NNMODEL_FULLY_CONNECTED = 9,
	NNMODEL_HASHTABLE_LOOKUP = 10,
	NNMODEL_L2_NORMALIZATION = 11,
	NNMODEL_L2_POOL_2D = 12,
	NNMODEL_LOCAL_RESPONSE_NORMALIZATION = 13,
	NNMODEL_LOGISTIC = 14,
	NNMODEL_LSH_PROJECTION = 15,
	NNMODEL_LSTM = 16,
	NNMODEL_MAX_POOL_2D = 17,
	NNMODEL_MUL = 18,
	NNMODEL_RELU = 19,
	NNMODEL_RELU1 = 20,
	NNMODEL_RELU6 = 21,
	NNMODEL_RESHAPE = 22,
	NNMODEL_RESIZE_BILINEAR = 23,
	NNMODEL_RNN = 24,
	NNMODEL_SOFTMAX = 25,
	NNMODEL_SPACE_TO_DEPTH = 26,
	NNMODEL_SVDF = 27,
	NNMODEL_TANH = 28,
	NNMODEL_BATCH_TO_SPACE_ND = 29,
	NNMODEL_DIV = 30,
	NNMODEL_MEAN = 31,
	NNMODEL_PAD = 32,
	NNMODEL_SPACE_TO_BATCH_ND = 33,
	NNMODEL_SQUEEZE = 34,
	NNMODEL_STRIDED_SLICE = 35,
	NNMODEL_SUB = 36,
	NNMODEL_TRANSPOSE = 37,
	NNMODEL_ABS = 38,
	NNMODEL_ARGMAX = 39,
	NNMODEL_ARGMIN = 40,
	NNMODEL_AXIS_ALIGNED_BBOX_TRANSFORM = 41,
	NNMODEL_BIDIRECTIONAL_SEQUENCE_LSTM = 42,
	NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN = 43,
	NNMODEL_BOX_WITH_NMS_LIMIT = 44,
	NNMODEL_CAST = 45,
	NNMODEL_CHANNEL_SHUFFLE = 46,
	NNMODEL_DETECTION_POSTPROCESSING = 47,
	NNMODEL_EQUAL = 48,
	NNMODEL_EXP = 49,
	NNMODEL_EXPAND_DIMS = 50,
	NNMODEL_GATHER = 51,
	NNMODEL_GENERATE_PROPOSALS = 52,
	NNMODEL_GREATER = 53,
	NNMODEL_GREATER_EQUAL = 54,
	NNMODEL_GROUPED_CONV_2D = 55,
	NNMODEL_HEATMAP_MAX_KEYPOINT = 56,
	NNMODEL_INSTANCE_NORMALIZATION = 57,
	NNMODEL_LESS = 58,
	NNMODEL_LESS_EQUAL = 59,
	NNMODEL_LOG = 60,
	NNMODEL_LOGICAL_AND = 61,
	NNMODEL_LOGICAL_NOT = 62,
	NNMODEL_LOGICAL_OR = 63,
	NNMODEL_LOG_SOFTMAX = 64,
	NNMODEL_MAXIMUM = 65,
	NNMODEL_MINIMUM = 66,
	NNMODEL_NEG = 67,
	NNMODEL_NOT_EQUAL = 68,
	NNMODEL_PAD_V2 = 69,
	NNMODEL_POW = 70,
	NNMODEL_PRELU = 71,
	NNMODEL_QUANTIZE = 72,
	NNMODEL_QUANTIZED_16BIT_LSTM = 73,
	NNMODEL_RANDOM_MULTINOMIAL = 74,
	NNMODEL_REDUCE_ALL = 75,
	NNMODEL_REDUCE_ANY = 76,
	NNMODEL_REDUCE_MAX = 77,
	NNMODEL_REDUCE_MIN = 78,
	NNMODEL_REDUCE_PROD = 79,
	NNMODEL_REDUCE_SUM = 80,
	NNMODEL_ROI_ALIGN = 81,
	NNMODEL_ROI_POOLING = 82,
	NNMODEL_RSQRT = 83,
	NNMODEL_SELECT = 84,
	NNMODEL_SIN = 85,
	NNMODEL_SLICE = 86,
	NNMODEL_SPLIT = 87,
	NNMODEL_SQRT = 88,
	NNMODEL_TILE = 89,
	NNMODEL_TOPK_V2 = 90,
	NNMODEL_TRANSPOSE_CONV_2D = 91,
	NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM = 92,
	NNMODEL_UNIDIRECTIONAL_SEQUENCE_RNN = 93,
	NNMODEL_RESIZE_NEAREST_NEIGHBOR = 94,
	NNMODEL_QUANTIZED_LSTM = 95,
	NNMODEL_IF = 96,
	NNMODEL_WHILE = 97,
	NNMODEL_ELU = 98,
	NNMODEL_HARD_SWISH = 99,
	NNMODEL_FILL = 100,
	NNMODEL_RANK = 101,
	NNMODEL_BATCH_MATMUL = 102,
	NNMODEL_PACK = 103,
	NNMODEL_MIRROR_PAD = 104,
	NNMODEL_REVERSE = 105,
	NNMODEL_OPCODE_COUNT,
	/* experimental: in no feature level */
	NNMODEL_DENSIFY = 20000
};

/**
 * enum nnmodel_fuse - fused activations
 * @NNMODEL_FUSED_NONE: none
 * @NNMODEL_FUSED_RELU: at least 0
 * @NNMODEL_FUSED_RELU1: between -1 and 1
 * @NNMODEL_FUSED_RELU6: between 0 and 6
 */
enum nnmodel_fuse {
	NNMODEL_FUSED_NONE = 0,
	NNMODEL_FUSED_RELU = 1,
	NNMODEL_FUSED_RELU1 = 2,
	NNMODEL_FUSED_RELU6 = 3
};
/**
 * enum nnmodel_padding - implicit padding schemes
 * @NNMODEL_PADDING_SAME: as much as makes the output as large as input / stride
 * @NNMODEL_PADDING_VALID: none
 */
enum nnmodel_padding { NNMODEL_PADDING_SAME = 1, NNMODEL_PADDING_VALID = 2 };

/** NNMODEL_TYPE_BASE_MAX - types and operations above are of extensions: prefix << 16 | number */
#define NNMODEL_TYPE_BASE_MAX 0xffffu

/**
 * struct nnmodel_location - place of a constant
 * @pool: number in nnmodel.pools of a CONSTANT_REFERENCE, else 0
 * @offset: bytes; of a LIFETIME_SUBGRAPH the number in nnmodel.referenced
 * @length: bytes
 */
struct nnmodel_location {
	uint32_t pool;
	uint64_t offset;
	uint64_t length;
};

/**
 * struct nnmodel_operand - operand of a subgraph
 * @type: enum nnmodel_type, or of an extension
 * @lifetime: enum nnmodel_lifetime
 * @rank: number of @dims; of a tensor, 0: unknown rank
 * @dims: dimensions; 0: unknown
 * @scale: quantization; 0 for types without
 * @zero_point: quantization; 0 for types without
 * @location: of constants and subgraphs
 * @channel_dim: of TENSOR_QUANT8_SYMM_PER_CHANNEL: the dimension of the channels
 * @num_scales: length of @scales
 * @scales: of TENSOR_QUANT8_SYMM_PER_CHANNEL: one scale per channel
 * @extension_data: parameters of an extension's type
 * @extension_size: bytes of @extension_data
 */
struct nnmodel_operand {
	uint32_t type;
	uint32_t lifetime;
	uint32_t rank;
	uint32_t *dims;
	float scale;
	int32_t zero_point;
	struct nnmodel_location location;
	uint32_t channel_dim;
	uint32_t num_scales;
	float *scales;
	void *extension_data;
	size_t extension_size;
};

/**
 * struct nnmodel_operation - operation of a subgraph
 * @type: enum nnmodel_opcode, or of an extension
 * @num_inputs: length of @inputs
 * @num_outputs: length of @outputs
 * @inputs: operand numbers in the subgraph
 * @outputs: operand numbers in the subgraph
 */
struct nnmodel_operation {
	uint32_t type;
	uint32_t num_inputs, num_outputs;
	uint32_t *inputs, *outputs;
};

/**
 * struct nnmodel_subgraph - operands and operations
 * @num_operands: length of @operands
 * @num_operations: length of @operations
 * @num_inputs: length of @inputs
 * @num_outputs: length of @outputs
 * @operands: operands
 * @operations: operations, in an order in which they can be executed
 * @inputs: operand numbers
 * @outputs: operand numbers
 */
struct nnmodel_subgraph {
	uint32_t num_operands, num_operations, num_inputs, num_outputs;
	struct nnmodel_operand *operands;
	struct nnmodel_operation *operations;
	uint32_t *inputs, *outputs;
};

/**
 * struct nnmodel_pool - part of a file that has constants
 * @fd: descriptor; the model owns it
 * @prot: PROT_READ, or PROT_READ | PROT_WRITE
 * @offset: of the pool in the file, bytes
 * @size: of the pool, bytes; > 0
 */
struct nnmodel_pool {
	int fd;
	int prot;
	uint64_t offset, size;
};

/**
 * struct nnmodel_extension - name of the extension behind a prefix
 * @name: "vendor.name"
 * @prefix: 1 to 0x7fff
 */
struct nnmodel_extension {
	char *name;
	uint16_t prefix;
};

/**
 * struct nnmodel - a model
 * @size: of this struct; nnmodel_new() sets it; at least through @extensions
 * @num_referenced: length of @referenced
 * @main: the subgraph whose inputs and outputs are those of the model
 * @referenced: subgraphs of IF and WHILE
 * @values: contents of CONSTANT_COPY operands
 * @values_size: bytes of @values
 * @pools: contents of CONSTANT_REFERENCE operands
 * @num_pools: length of @pools
 * @num_extensions: length of @extensions
 * @extensions: names of the prefixes of extension types and operations
 * @relaxed: relaxComputationFloat32toFloat16
 * @reserved: 0
 */
struct nnmodel {
	uint32_t size;
	uint32_t num_referenced;
	struct nnmodel_subgraph main;
	struct nnmodel_subgraph *referenced;
	uint8_t *values;
	size_t values_size;
	struct nnmodel_pool *pools;
	uint32_t num_pools;
	uint32_t num_extensions;
	struct nnmodel_extension *extensions;
	bool relaxed;
	uint8_t reserved[7];
};

/**
 * struct nnmodel_error - why a model was refused
 * @size: of this struct; at least through @operand
 * @subgraph: 0: main, 1 + i: referenced[i]
 * @operation: number of the operation; UINT32_MAX: none in particular
 * @operand: number of the operand; UINT32_MAX: none in particular
 * @text: English; names the operation and operand
 */
struct nnmodel_error {
	uint32_t size;
	uint32_t subgraph;
	uint32_t operation;
	uint32_t operand;
	char text[160];
};

/** NNMODEL_ERROR_INIT - an empty error */
#define NNMODEL_ERROR_INIT                           \
	{                                            \
		.size = sizeof(struct nnmodel_error) \
	}

/* libnnhal exports these functions: its clients build the models that they prepare. */
#pragma GCC visibility push(default)

/* ---- types ---- */

/**
 * nnmodel_type_size() - bytes of an element or scalar
 * @type: any number
 *
 * Return: bytes; 0 for SUBGRAPH, OEM and extension types, and unknown ones.
 */
size_t nnmodel_type_size(uint32_t type);

/**
 * nnmodel_type_is_scalar() - whether a type is one of NNAPI's scalars
 * @type: any number
 *
 * Return: true for FLOAT32, INT32, UINT32, BOOL and FLOAT16.
 */
bool nnmodel_type_is_scalar(uint32_t type);

/**
 * nnmodel_type_name() - name of a type
 * @type: any number
 *
 * Return: "TENSOR_FLOAT32", or "type 99" in a buffer of the thread.
 */
const char *nnmodel_type_name(uint32_t type);

/**
 * nnmodel_operation_name() - name of an operation
 * @opcode: any number
 *
 * Return: "CONV_2D", or "operation 999" in a buffer of the thread.
 */
const char *nnmodel_operation_name(uint32_t opcode);

/**
 * nnmodel_operand_bytes() - size of an operand's contents
 * @operand: an operand
 * @bytes: set to the size
 *
 * Return: 0; -EINVAL: the dimensions are incomplete; -EOVERFLOW: 4 GiB or more.
 */
int nnmodel_operand_bytes(const struct nnmodel_operand *operand, uint64_t *bytes);

/* ---- building ---- */

/**
 * nnmodel_new() - an empty model
 *
 * Return: the model, or NULL: no memory.
 */
struct nnmodel *nnmodel_new(void);

/**
 * nnmodel_free() - free a model and close its pools
 * @model: a model; may be NULL
 */
void nnmodel_free(struct nnmodel *model);

/**
 * nnmodel_clone() - copy a model, with descriptors of its own
 * @model: a model
 *
 * Return: the copy; NULL: no memory or descriptors, or an invalid size.
 */
struct nnmodel *nnmodel_clone(const struct nnmodel *model);

/**
 * nnmodel_add_operand() - append an operand to the main subgraph
 * @model: the model
 * @type: enum nnmodel_type, or of an extension
 * @lifetime: enum nnmodel_lifetime
 * @dims: dimensions, copied
 * @rank: number of @dims
 * @scale: quantization
 * @zero_point: quantization
 *
 * Return: the number of the operand, or -errno.
 */
int nnmodel_add_operand(struct nnmodel *model, uint32_t type, uint32_t lifetime,
			const uint32_t *dims, uint32_t rank, float scale, int32_t zero_point);

/**
 * nnmodel_set_channel_quant() - set the scales of a TENSOR_QUANT8_SYMM_PER_CHANNEL
 * @model: the model
 * @operand: number of the operand
 * @channel_dim: the dimension of the channels
 * @scales: one scale per channel, copied
 * @num_scales: number of @scales
 *
 * Return: 0 or -errno.
 */
int nnmodel_set_channel_quant(struct nnmodel *model, uint32_t operand, uint32_t channel_dim,
			      const float *scales, uint32_t num_scales);

/**
 * nnmodel_add_value() - append contents to nnmodel.values
 * @model: the model
 * @value: contents, copied
 * @size: bytes
 * @location: set to the place, for a CONSTANT_COPY of any subgraph
 *
 * Return: 0 or -ENOMEM.
 */
int nnmodel_add_value(struct nnmodel *model, const void *value, size_t size,
		      struct nnmodel_location *location);

/**
 * nnmodel_set_value() - make an operand a CONSTANT_COPY
 * @model: the model
 * @operand: number of the operand
 * @value: contents, copied
 * @size: bytes
 *
 * Return: 0 or -errno.
 */
int nnmodel_set_value(struct nnmodel *model, uint32_t operand, const void *value, size_t size);

/**
 * nnmodel_set_value_from_pool() - make an operand a CONSTANT_REFERENCE
 * @model: the model
 * @operand: number of the operand
 * @pool: number of the pool
 * @offset: in the pool, bytes
 * @length: bytes
 *
 * Return: 0 or -errno.
 */
int nnmodel_set_value_from_pool(struct nnmodel *model, uint32_t operand, uint32_t pool,
				uint64_t offset, uint64_t length);

/**
 * nnmodel_add_int32() - append a constant INT32
 * @model: the model
 * @value: its value
 *
 * Return: the number of the operand, or -errno.
 */
int nnmodel_add_int32(struct nnmodel *model, int32_t value);

/**
 * nnmodel_add_float32() - append a constant FLOAT32
 * @model: the model
 * @value: its value
 *
 * Return: the number of the operand, or -errno.
 */
int nnmodel_add_float32(struct nnmodel *model, float value);

/**
 * nnmodel_add_bool() - append a constant BOOL
 * @model: the model
 * @value: its value
 *
 * Return: the number of the operand, or -errno.
 */
int nnmodel_add_bool(struct nnmodel *model, bool value);

/**
 * nnmodel_add_operation() - append an operation to the main subgraph
 * @model: the model
 * @type: enum nnmodel_opcode, or of an extension
 * @inputs: operand numbers, copied
 * @num_inputs: number of @inputs
 * @outputs: operand numbers, copied
 * @num_outputs: number of @outputs
 *
 * Return: the number of the operation, or -errno.
 */
int nnmodel_add_operation(struct nnmodel *model, uint32_t type, const uint32_t *inputs,
			  uint32_t num_inputs, const uint32_t *outputs, uint32_t num_outputs);

/**
 * nnmodel_set_io() - set inputs and outputs of the main subgraph, and their lifetimes
 * @model: the model
 * @inputs: operand numbers, copied
 * @num_inputs: number of @inputs
 * @outputs: operand numbers, copied
 * @num_outputs: number of @outputs
 *
 * Return: 0 or -errno.
 */
int nnmodel_set_io(struct nnmodel *model, const uint32_t *inputs, uint32_t num_inputs,
		   const uint32_t *outputs, uint32_t num_outputs);

/**
 * nnmodel_copy_referenced() - append a copy of a referenced subgraph
 * @model: the model
 * @subgraph: number in nnmodel.referenced
 *
 * Return: the number of the copy, or -errno.
 */
int nnmodel_copy_referenced(struct nnmodel *model, uint32_t subgraph);

/**
 * nnmodel_add_pool() - append a pool
 * @model: the model
 * @fd: descriptor; the model owns it after success
 * @prot: PROT_READ, or PROT_READ | PROT_WRITE
 * @offset: of the pool in the file, bytes
 * @size: of the pool, bytes
 *
 * Return: the number of the pool, or -errno.
 */
int nnmodel_add_pool(struct nnmodel *model, int fd, int prot, uint64_t offset, uint64_t size);

/* ---- rules ---- */

/**
 * nnmodel_validate() - check a model against all rules of NNAPI
 * @model: a model
 * @feature_level: set to the least NNAPI feature level, 1 to 8, that has all of it; may be NULL
 * @err: why the model is invalid; may be NULL
 *
 * The order is that of the HAL's own validation: pools, extension names, cycles among subgraphs,
 * then each subgraph: operands, operations with their signatures, lists, order of execution. Pools
 * are not mapped.
 *
 * Return: 0; -EINVAL: invalid, or an invalid size; -ENOMEM.
 */
int nnmodel_validate(const struct nnmodel *model, uint32_t *feature_level,
		     struct nnmodel_error *err);

/**
 * struct nnmodel_op_row - rules of an NNAPI operation
 */
struct nnmodel_op_row {
	/** @opcode: enum nnmodel_opcode */
	uint32_t opcode;
	/** @name: NNAPI's, "CONV_2D" */
	const char *name;
	/** @feature_level: of its first form */
	uint32_t feature_level;
	/**
	 * @validate: check the operands of an operation; raises *@feature_level as types and form
	 * demand. 0, or -EINVAL with @err
	 */
	int (*validate)(const struct nnmodel_op_row *row, const struct nnmodel *model,
			const struct nnmodel_subgraph *graph, const struct nnmodel_operation *op,
			uint32_t *feature_level, struct nnmodel_error *err);
	/**
	 * @multiply_adds: number of multiply-adds of a valid operation; NAN: it depends on an
	 * unknown shape. NULL: the operation has none
	 */
	double (*multiply_adds)(const struct nnmodel_subgraph *graph,
				const struct nnmodel_operation *op);
	/** @names_subgraphs: control flow: IF, WHILE */
	bool names_subgraphs;
	/** @of_rank: the result follows from the rank of input 0: RANK */
	bool of_rank;
};

/**
 * nnmodel_op_find() - rules of an operation
 * @opcode: any number
 *
 * Return: a row of the table; NULL: NNAPI has no such operation.
 */
const struct nnmodel_op_row *nnmodel_op_find(uint32_t opcode);

/**
 * nnmodel_names_subgraphs() - whether operands of an operation name subgraphs
 * @opcode: any number
 *
 * Return: true for control flow.
 */
bool nnmodel_names_subgraphs(uint32_t opcode);

struct nnmodel_maps;

/**
 * nnmodel_map_pools() - make the constants in pools readable
 * @model: a model
 * @maps: set to the mappings, for nnmodel_constant() and nnmodel_unmap_pools()
 *
 * A file that cannot shrink (a memfd sealed against it, a dma-buf) is mapped read-only. Of another
 * file, the parts that constants refer to are copied, so that a client that truncates it cannot
 * cause a fault. The owner of a mapped file can change the contents at any time: read a value
 * once.
 *
 * Return: 0; -EINVAL: a pool or constant ends beyond its file, or an invalid size; -ENOMEM; or the
 * error of mmap(), fstat() or pread().
 */
int nnmodel_map_pools(const struct nnmodel *model, struct nnmodel_maps **maps);

/**
 * nnmodel_unmap_pools() - release mappings
 * @maps: of nnmodel_map_pools(); may be NULL
 */
void nnmodel_unmap_pools(struct nnmodel_maps *maps);

/**
 * nnmodel_constant() - contents of a constant
 * @model: the model of @operand
 * @maps: of nnmodel_map_pools(); NULL: constants in pools are -EINVAL
 * @operand: an operand
 * @data: set to the contents, in nnmodel.values or in @maps
 * @size: set to their size, bytes
 *
 * Return: 0; -ENODATA: not a constant; -EINVAL: out of bounds.
 */
int nnmodel_constant(const struct nnmodel *model, const struct nnmodel_maps *maps,
		     const struct nnmodel_operand *operand, const void **data, size_t *size);

/**
 * nnmodel_elements() - number of elements, for estimates of work
 * @operand: an operand
 *
 * Return: 0 for scalars and omitted operands; NAN: the shape is unknown.
 */
double nnmodel_elements(const struct nnmodel_operand *operand);

/* ---- models as bytes ---- */

/**
 * nnmodel_serialize() - a model as canonical bytes
 * @model: a model
 * @put: called with consecutive pieces until it returns nonzero, which is then returned
 * @cookie: for @put
 *
 * Models that differ only in where constants are give the same bytes.
 *
 * Return: 0; -EINVAL; an error of nnmodel_map_pools(); or the result of @put.
 */
int nnmodel_serialize(const struct nnmodel *model,
		      int (*put)(void *cookie, const void *data, size_t size), void *cookie);

/**
 * nnmodel_serialize_places() - a model as bytes, constants where they are
 * @model: a model
 * @put: as in nnmodel_serialize()
 * @cookie: for @put
 *
 * The bytes have nnmodel.values once, and of each pool everything but the descriptor. The
 * descriptors travel beside the bytes, in the order of nnmodel.pools.
 *
 * Return: 0; -EINVAL: an invalid size; or the result of @put.
 */
int nnmodel_serialize_places(const struct nnmodel *model,
			     int (*put)(void *cookie, const void *data, size_t size), void *cookie);

/**
 * nnmodel_parse() - a model from bytes that need not be trusted
 * @bytes: of nnmodel_serialize() or nnmodel_serialize_places()
 * @size: bytes
 * @fds: descriptors of the pools; the model owns them after success
 * @num_fds: number of @fds: that of the pools, 0 for nnmodel_serialize()
 * @model: set to the model
 *
 * The lists of the model are complete. Check everything else with nnmodel_validate(). Pools are not
 * accessed. The model gives the same bytes again.
 *
 * Return: 0; -EINVAL; -ENOMEM.
 */
int nnmodel_parse(const void *bytes, size_t size, const int *fds, uint32_t num_fds,
		  struct nnmodel **model);

/**
 * nnmodel_serialize_signature() - inputs and outputs of a model as bytes
 * @model: a model
 * @put: as in nnmodel_serialize()
 * @cookie: for @put
 *
 * The bytes have types, shapes and quantization; of extension types also the names of the
 * extensions and the data.
 *
 * Return: 0; -EOPNOTSUPP: one has an OEM type; -EINVAL: an invalid size; or the result of @put.
 */
int nnmodel_serialize_signature(const struct nnmodel *model,
				int (*put)(void *cookie, const void *data, size_t size),
				void *cookie);

/**
 * nnmodel_parse_signature() - a model without operations from bytes that need not be trusted
 * @bytes: of nnmodel_serialize_signature()
 * @size: bytes
 * @model: set to a model that has the operands, in order, and the extensions
 *
 * Return: 0; -EINVAL; -ENOMEM.
 */
int nnmodel_parse_signature(const void *bytes, size_t size, struct nnmodel **model);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
