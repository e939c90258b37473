/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The NNAPI model as data: types, operands, operations, subgraphs, with one table row per NNAPI
 * operation (signature by feature level, constraints between operands, shape rule). Used by the
 * HAL, the runtime and the tools; never by the firmware.
 *
 * Ownership: a struct nnmodel and everything that hangs off it belongs to its creator and is freed
 * by nnmodel_free(). Callees that keep a model copy it with nnmodel_clone(). Pools are file
 * descriptors: owned by the model once added (dup first to keep yours).
 *
 * Threads: a model that nobody changes may be read by any number of threads.
 * Sources of the rules: NNAPI HAL 1.0-1.3 and AIDL V1-V4, NeuralNetworksTypes.h.
 */
#ifndef NNMODEL_H
#define NNMODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Operand types; the numbers are NNAPI's. */
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

/** Operand lifetimes; numbers of HAL 1.3 and AIDL. */
enum nnmodel_lifetime {
	NNMODEL_TEMPORARY_VARIABLE = 0,
	NNMODEL_SUBGRAPH_INPUT = 1,
	NNMODEL_SUBGRAPH_OUTPUT = 2,
	NNMODEL_CONSTANT_COPY = 3, /* location in nnmodel.values */
	NNMODEL_CONSTANT_REFERENCE = 4, /* location in a pool */
	NNMODEL_NO_VALUE = 5,
	NNMODEL_LIFETIME_SUBGRAPH = 6, /* location.offset: index of the referenced subgraph */
};

/** Operation codes; the numbers are NNAPI's, 0 to 105. */
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
	/* experimental, in no feature level */
	NNMODEL_DENSIFY = 20000
};

/** Fused activation codes. */
enum nnmodel_fuse {
	NNMODEL_FUSED_NONE = 0,
	NNMODEL_FUSED_RELU = 1,
	NNMODEL_FUSED_RELU1 = 2,
	NNMODEL_FUSED_RELU6 = 3
};
/** Implicit padding codes. */
enum nnmodel_padding { NNMODEL_PADDING_SAME = 1, NNMODEL_PADDING_VALID = 2 };

/** Types and operations above are an extension's: prefix << 16 | number. */
#define NNMODEL_TYPE_BASE_MAX 0xffffu

struct nnmodel_location {
	uint32_t pool; /* CONSTANT_REFERENCE: index in nnmodel.pools; else 0 */
	uint64_t offset; /* bytes; LIFETIME_SUBGRAPH: index in nnmodel.referenced */
	uint64_t length; /* bytes */
};

struct nnmodel_operand {
	uint32_t type; /* enum nnmodel_type or an extension's */
	uint32_t lifetime; /* enum nnmodel_lifetime */
	uint32_t rank; /* tensors: 0 is an unknown rank */
	uint32_t *dims; /* rank of them; 0 is unknown */
	float scale;
	int32_t zero_point;
	struct nnmodel_location location;
	/* TENSOR_QUANT8_SYMM_PER_CHANNEL only: */
	uint32_t channel_dim;
	uint32_t num_scales;
	float *scales;
	/* extension types only: */
	void *extension_data;
	size_t extension_size;
};

struct nnmodel_operation {
	uint32_t type; /* enum nnmodel_opcode or an extension's */
	uint32_t num_inputs, num_outputs;
	uint32_t *inputs, *outputs; /* operand numbers in the subgraph */
};

struct nnmodel_subgraph {
	uint32_t num_operands, num_operations, num_inputs, num_outputs;
	struct nnmodel_operand *operands;
	struct nnmodel_operation *operations; /* in an order that can be executed */
	uint32_t *inputs, *outputs;
};

struct nnmodel_pool {
	int fd; /* owned by the model */
	int prot; /* PROT_READ, perhaps PROT_WRITE */
	uint64_t offset, size; /* of the pool in the file */
};

struct nnmodel_extension {
	char *name;
	uint16_t prefix; /* 1 .. 0x7fff */
};

struct nnmodel {
	uint32_t size; /* of this struct: nnmodel_new() sets it */
	uint32_t num_referenced;
	struct nnmodel_subgraph main;
	struct nnmodel_subgraph *referenced;
	uint8_t *values; /* CONSTANT_COPY data */
	size_t values_size;
	struct nnmodel_pool *pools;
	uint32_t num_pools;
	uint32_t num_extensions;
	struct nnmodel_extension *extensions;
	bool relaxed; /* relaxComputationFloat32toFloat16 */
	uint8_t reserved[7]; /* 0 */
};

/** Why a model or request was refused. */
struct nnmodel_error {
	uint32_t size; /* of this struct: set by the caller */
	uint32_t subgraph; /* 0 main, 1 + i referenced[i] */
	uint32_t operation; /* UINT32_MAX: none in particular */
	uint32_t operand; /* UINT32_MAX: none in particular */
	char text[160]; /* English, names the operation and operand */
};
#define NNMODEL_ERROR_INIT                           \
	{                                            \
		.size = sizeof(struct nnmodel_error) \
	}

/* libnnhal exports these functions: who links it builds the models that it prepares. */
#pragma GCC visibility push(default)

/* ---- types ---- */

/** Bytes of an element; 0 for SUBGRAPH, OEM and extension types. */
size_t nnmodel_type_size(uint32_t type);
bool nnmodel_type_is_scalar(uint32_t type);
/** "TENSOR_FLOAT32", or "type 99" (static or thread-local buffer). */
const char *nnmodel_type_name(uint32_t type);
const char *nnmodel_operation_name(uint32_t opcode);
/**
 * Bytes of an operand with complete dims. 0, -EINVAL (incomplete), -EOVERFLOW (does not fit 32
 * bits).
 */
int nnmodel_operand_bytes(const struct nnmodel_operand *operand, uint64_t *bytes);

/* ---- building ---- */

struct nnmodel *nnmodel_new(void);
void nnmodel_free(struct nnmodel *model);
/** Deep copy; pool descriptors are dup'ed. NULL: out of memory or descriptors. */
struct nnmodel *nnmodel_clone(const struct nnmodel *model);

/**
 * Append to main. All copy their arguments; all return a number (operand, operation, pool) or
 * -errno.
 */
int nnmodel_add_operand(struct nnmodel *model, uint32_t type, uint32_t lifetime,
			const uint32_t *dims, uint32_t rank, float scale, int32_t zero_point);
int nnmodel_set_channel_quant(struct nnmodel *model, uint32_t operand, uint32_t channel_dim,
			      const float *scales, uint32_t num_scales);
/**
 * Append to model->values: *@location is what a CONSTANT_COPY of any subgraph says. 0 or -ENOMEM.
 */
int nnmodel_add_value(struct nnmodel *model, const void *value, size_t size,
		      struct nnmodel_location *location);
/** Make it a CONSTANT_COPY with this value. */
int nnmodel_set_value(struct nnmodel *model, uint32_t operand, const void *value, size_t size);
/** Make it a CONSTANT_REFERENCE into a pool. */
int nnmodel_set_value_from_pool(struct nnmodel *model, uint32_t operand, uint32_t pool,
				uint64_t offset, uint64_t length);
/** Scalar constants. */
int nnmodel_add_int32(struct nnmodel *model, int32_t value);
int nnmodel_add_float32(struct nnmodel *model, float value);
int nnmodel_add_bool(struct nnmodel *model, bool value);
int nnmodel_add_operation(struct nnmodel *model, uint32_t type, const uint32_t *inputs,
			  uint32_t num_inputs, const uint32_t *outputs, uint32_t num_outputs);
/** Sets the lists and the operands' lifetimes. */
int nnmodel_set_io(struct nnmodel *model, const uint32_t *inputs, uint32_t num_inputs,
		   const uint32_t *outputs, uint32_t num_outputs);
/** Append a copy of referenced[@subgraph]: its number. */
int nnmodel_copy_referenced(struct nnmodel *model, uint32_t subgraph);
/** Takes ownership of fd on success. */
int nnmodel_add_pool(struct nnmodel *model, int fd, int prot, uint64_t offset, uint64_t size);

/* ---- rules ---- */

/**
 * The canonical validation of a whole model (hal.md section 9), operation signatures included, in
 * its order. Does not map pools. 0; -EINVAL with @err; -ENOMEM with @err. *@feature_level (may be
 * NULL): least NNAPI feature level, 1 to 8, that has all of it.
 */
int nnmodel_validate(const struct nnmodel *model, uint32_t *feature_level,
		     struct nnmodel_error *err);

/** Signature of one NNAPI operation. */
struct nnmodel_op_row {
	uint32_t opcode;
	const char *name;
	uint32_t feature_level; /* of its first form */
	/** 0 or -EINVAL with err->text; raises *@feature_level as the types and form demand. */
	int (*validate)(const struct nnmodel_op_row *row, const struct nnmodel *model,
			const struct nnmodel_subgraph *graph, const struct nnmodel_operation *op,
			uint32_t *feature_level, struct nnmodel_error *err);
	/**
	 * Multiply-adds of a valid operation that consists of them; NAN: a shape that they depend
	 * on is not known. NULL: one that touches its operands' elements.
	 */
	double (*multiply_adds)(const struct nnmodel_subgraph *graph,
				const struct nnmodel_operation *op);
	bool names_subgraphs; /* control flow: IF, WHILE */
	bool of_rank; /* the result follows from the rank of input 0: RANK */
};
/** NULL: NNAPI has no such operation. */
const struct nnmodel_op_row *nnmodel_op_find(uint32_t opcode);

/** Control flow: operations whose operands name subgraphs. */
static inline bool nnmodel_names_subgraphs(uint32_t opcode)
{
	const struct nnmodel_op_row *row = nnmodel_op_find(opcode);

	return row && row->names_subgraphs;
}

/**
 * Constant contents: @data points into nnmodel.values or into what nnmodel_map_pools() made of the
 * pool. 0, -ENODATA (not a constant), -EINVAL (out of bounds).
 *
 * nnmodel_map_pools() makes the part of every pool readable that constants refer to: by a read-only
 * mapping where the file cannot shrink (a memfd sealed against it, a dma-buf), else by a private
 * copy, so that a client that truncates its file cannot make the reader fault. Whoever holds the
 * file may still change a mapped pool's contents: read a value once. 0; -EINVAL (a pool or constant
 * reaches beyond its file); -ENOMEM or what mmap(), fstat() or pread() said.
 */
struct nnmodel_maps;
int nnmodel_map_pools(const struct nnmodel *model, struct nnmodel_maps **maps);
void nnmodel_unmap_pools(struct nnmodel_maps *maps);
int nnmodel_constant(const struct nnmodel *model, const struct nnmodel_maps *maps,
		     const struct nnmodel_operand *operand, const void **data, size_t *size);

/**
 * Elements of an operand: 0 of scalars and omitted ones, NAN when its shape is not known. For
 * estimates of work.
 */
double nnmodel_elements(const struct nnmodel_operand *operand);

/* ---- as bytes ---- */

/**
 * The whole model as canonical bytes, for digests and to be read elsewhere: models that differ only
 * in where constants live give the same. @put is called with consecutive pieces until it returns
 * nonzero, which is then returned. 0, -EINVAL, what nnmodel_map_pools() says.
 */
int nnmodel_serialize(const struct nnmodel *model,
		      int (*put)(void *cookie, const void *data, size_t size), void *cookie);
/**
 * The whole model with constants where they are: values once, and of pools what model->pools says
 * but for the descriptors, which travel beside the bytes in that order. So nothing large is copied.
 * 0 or what @put returned.
 */
int nnmodel_serialize_places(const struct nnmodel *model,
			     int (*put)(void *cookie, const void *data, size_t size), void *cookie);
/**
 * A model of hostile bytes in either form, which gives the same bytes again. @fds: as many as there
 * are pools (by value: none), taken over on success. Neither @bytes nor pools are referred to or
 * looked at. Its lists are whole; everything else about it may be wrong: nnmodel_validate(). 0;
 * -EINVAL; -ENOMEM.
 */
int nnmodel_parse(const void *bytes, size_t size, const int *fds, uint32_t num_fds,
		  struct nnmodel **model);
/**
 * What main's inputs and outputs are: types, shapes, quantization, and for types of extensions what
 * names them and their data. -EOPNOTSUPP: one has an OEM type. nnmodel_parse_signature() makes a
 * model of hostile bytes that has these operands, in order, the extensions, and nothing else: 0,
 * -EINVAL, -ENOMEM.
 */
int nnmodel_serialize_signature(const struct nnmodel *model,
				int (*put)(void *cookie, const void *data, size_t size),
				void *cookie);
int nnmodel_parse_signature(const void *bytes, size_t size, struct nnmodel **model);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
