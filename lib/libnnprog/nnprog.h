/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program format: what a prepared model is on the device. Position independent, little-endian,
 * 64-byte aligned sections. Compiled into the compiler (libnnhal) and the firmware, so that both
 * hold one idea of what a valid program is. Documentation/program-format.rst is the prose.
 *
 * Layout: struct nnprog_header, then the sections named in its table, in the table's order, each at
 * a multiple of 64 without a gap beyond that, gaps zero, the last one ending at total_size. Lists
 * in INDEX (a subgraph's inputs, outputs, then those of its operations in turn), attributes, scales
 * and constants have one owner each and lie in the order of their owners; positions of what is
 * empty are 0, but for lists in INDEX.
 *
 * Shapes: dims are counts of elements, outermost first. NNPROG_DIM_UNKNOWN and NNPROG_RANK_UNKNOWN
 * mark what only the run knows; 0 is a zero-sized dimension. Image tensors are NHWC; filters as
 * each operation says.
 *
 * Versioning: major << 16 | minor of the format, and the opset version for operations and
 * attributes. A reader refuses another major and a greater opset version.
 */
#ifndef NNPROG_H
#define NNPROG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NNPROG_MAGIC 0x52504e4eu /* "NNPR" */
#define NNPROG_VERSION 0x00010000u
#define NNPROG_OPSET_VERSION 3u

#define NNPROG_MAX_RANK 10u
#define NNPROG_RANK_UNKNOWN 0xffffffffu
#define NNPROG_DIM_UNKNOWN 0xffffffffu
#define NNPROG_ALIGN 64u
#define NNPROG_NO_OFFSET UINT64_MAX
/** Largest program that is looked at, and largest static tensor, bytes. */
#define NNPROG_MAX_SIZE (1ull << 31)
#define NNPROG_MAX_TENSOR_SIZE (1ull << 31)
/** Most inputs, and most outputs, of an operation; most elements of an input whose contents a shape
 * rule reads; most bytes of a subgraph's static temporaries. */
#define NNPROG_MAX_OPERANDS 4096u
#define NNPROG_MAX_VALUES 1024u
#define NNPROG_MAX_ARENA (1ull << 40)
/** Most subgraphs that run inside each other, main included. */
#define NNPROG_MAX_DEPTH 16u

/**
 * Data types. Quantization is a property of the tensor, not of the type. Bits of masks are 1 <<
 * type.
 */
enum nnprog_dtype {
	NNPROG_FLOAT32 = 0,
	NNPROG_FLOAT16 = 1,
	NNPROG_INT32 = 2,
	NNPROG_UINT32 = 3,
	NNPROG_BOOL8 = 4, /* 0 false, else true; written as 0 or 1 */
	NNPROG_UINT8 = 5, /* real = (q - zero_point) * scale */
	NNPROG_INT8 = 6, /* as UINT8, or per channel: real = q * scales[c] */
	NNPROG_INT16 = 7,
	NNPROG_UINT16 = 8,
	NNPROG_DTYPE_COUNT,
	/* beyond: for operations of extensions alone, which say themselves what the bits mean */
	NNPROG_INT64 = NNPROG_DTYPE_COUNT,
	NNPROG_DTYPE_END
};

enum nnprog_section_id {
	NNPROG_SUBGRAPHS, /* struct nnprog_subgraph; [0] is main */
	NNPROG_TENSORS, /* struct nnprog_tensor, subgraph by subgraph */
	NNPROG_OPERATIONS, /* struct nnprog_operation, subgraph by subgraph, in order of execution
			    */
	NNPROG_INDEX, /* uint32_t: lists of tensor numbers */
	NNPROG_ATTRS, /* attribute structs, each at a multiple of 8; stride 1 */
	NNPROG_SCALES, /* float: per-channel scales */
	NNPROG_STRINGS, /* NUL-terminated; begins with an empty string; stride 1 */
	NNPROG_DATA, /* constants, each at a multiple of 64; stride 1 */
	NNPROG_SECTION_COUNT
};

struct nnprog_section {
	uint64_t offset; /* from the start of the program */
	uint32_t count; /* entries */
	uint32_t stride; /* bytes of an entry */
};

struct nnprog_header {
	uint32_t magic;
	uint32_t version;
	uint32_t header_size; /* sizeof(struct nnprog_header) */
	uint32_t opset_version;
	uint64_t total_size; /* bytes, header and sections */
	uint32_t crc32; /* zlib crc32 of bytes [header_size, total_size) */
	uint32_t flags; /* NNPROG_FLAG_ */
	uint64_t arena_size; /* bytes of main's static temporaries, see nnprog_tensor.offset */
	uint64_t reserved; /* 0 */
	struct nnprog_section sections[NNPROG_SECTION_COUNT];
	uint8_t reserved1[16]; /* 0 */
};
_Static_assert(sizeof(struct nnprog_header) == 192, "header");

/** The model allows float16 range and precision for float32 arithmetic. */
#define NNPROG_FLAG_RELAXED (1u << 0)
#define NNPROG_FLAGS (NNPROG_FLAG_RELAXED)

struct nnprog_subgraph {
	uint32_t first_tensor, num_tensors; /* tensor numbers below count from first_tensor */
	uint32_t first_operation, num_operations;
	uint32_t inputs, num_inputs; /* position in INDEX */
	uint32_t outputs, num_outputs;
	uint64_t arena_size; /* bytes of static temporaries of this subgraph */
	uint32_t name; /* offset in STRINGS */
	uint32_t reserved[5];
};
_Static_assert(sizeof(struct nnprog_subgraph) == 64, "subgraph");

enum nnprog_kind {
	NNPROG_TEMP = 0, /* written by one operation */
	NNPROG_INPUT = 1, /* argument; never written */
	NNPROG_OUTPUT = 2, /* argument; written by one operation */
	NNPROG_CONST = 3, /* in DATA */
	NNPROG_OMITTED = 4, /* an optional operand that is not there */
	NNPROG_KIND_COUNT
};

struct nnprog_tensor {
	uint32_t dtype; /* enum nnprog_dtype */
	uint32_t kind; /* enum nnprog_kind */
	uint32_t rank; /* 0 for scalars, or NNPROG_RANK_UNKNOWN */
	uint32_t flags; /* 0 */
	uint32_t dims[NNPROG_MAX_RANK]; /* beyond rank: 0 */
	float scale; /* > 0 and finite when quantized per tensor, else 0 */
	int32_t zero_point; /* within the type's range */
	uint32_t scales; /* first per-channel scale in SCALES */
	uint32_t num_scales; /* 0: not per channel; else dims[channel_dim] */
	uint32_t channel_dim;
	uint32_t reserved; /* 0 */
	/*
	 * CONST: offset in DATA. TEMP: offset in the arena planned at compile time (the planner
	 * lets tensors share bytes when their lives do not overlap), or NNPROG_NO_OFFSET: allocated
	 * by the run. Else NNPROG_NO_OFFSET.
	 */
	uint64_t offset;
	uint64_t size; /* bytes when the shape is complete, else 0 */
};
_Static_assert(sizeof(struct nnprog_tensor) == 96, "tensor");

struct nnprog_operation {
	uint32_t opcode; /* enum nnprog_opcode, or NNPROG_OP_EXTENSION */
	uint32_t inputs, num_inputs; /* position in INDEX; tensor numbers in the subgraph */
	uint32_t outputs, num_outputs;
	uint32_t attrs, attrs_size; /* position in ATTRS */
	uint32_t name; /* EXTENSION: extension name in STRINGS; else 0 */
};
_Static_assert(sizeof(struct nnprog_operation) == 32, "operation");

/**
 * Device operations, own numbering; new ones at the end. Operands and attribute struct are named in
 * the comment; "opt" operands may be OMITTED tensors. Their descriptors: nnprog_op_find().
 */
enum nnprog_opcode {
	NNPROG_OP_NONE = 0,
	/*
	 * in: input [N,H,W,Cin], filter [Cout,Hf,Wf,Cin], bias [Cout]; out [N,Ho,Wo,Cout]; attr
	 * conv2d
	 */
	NNPROG_OP_CONV_2D = 1,
	/* in: input [N,H,W,Cin], filter [1,Hf,Wf,Cin*m], bias [Cin*m]; attr conv2d, multiplier m */
	NNPROG_OP_DEPTHWISE_CONV_2D = 2,
	/*
	 * in: input (rank >= 1, read as [batch,in]), weights [units,in], bias [units]; out
	 * [batch,units]; attr act
	 */
	NNPROG_OP_FULLY_CONNECTED = 3,
	/* in: input [N,H,W,C]; attr pool2d */
	NNPROG_OP_POOL_2D = 4,
	/* in: a, b broadcast; attr binary */
	NNPROG_OP_BINARY = 5,
	/* in: x; attr unary */
	NNPROG_OP_UNARY = 6,
	/* in: x; attr softmax */
	NNPROG_OP_SOFTMAX = 7,
	/* in: x, shape INT32 [n] (one -1 allowed); attr none */
	NNPROG_OP_RESHAPE = 8,
	/* in: 1..n tensors; attr axis */
	NNPROG_OP_CONCATENATION = 9,
	/*
	 * in: x, paddings INT32 [rank,2], value (scalar of x's type, opt: zero / zero point); attr
	 * none
	 */
	NNPROG_OP_PAD = 10,
	/* in: x, axes INT32 [n] (negative and repeated allowed); attr reduce */
	NNPROG_OP_REDUCE = 11,
	/* in: x [N,H,W,C], size INT32 [2] height, width (opt); attr resize */
	NNPROG_OP_RESIZE = 12,
	/* in: x; out any shape-equal tensor: by the types and quantization of both; attr convert */
	NNPROG_OP_CONVERT = 13,
	/* in: x, permutation INT32 [rank] (opt: reversal); attr none */
	NNPROG_OP_TRANSPOSE = 14,
	/* in: x; out INT32, axis removed ([1] for a vector); attr arg_minmax */
	NNPROG_OP_ARG_MINMAX = 15,
	/*
	 * Sequence LSTM, float. in, in NNAPI's order of UNIDIRECTIONAL_SEQUENCE_LSTM: 0 input
	 * [B,T,I] or [T,B,I]; 1..4 input weights i(opt) f c o; 5..8 recurrent weights i(opt) f c
	 * o; 9..11 peephole i f o (opt); 12..15 bias i(opt) f c o; 16 projection weights (opt); 17
	 * projection bias (opt); 18 output state in [B,O]; 19 cell state in [B,U]; 20..23 layer
	 * norm i f c o (opt); 24 aux input (opt); 25..28 aux weights i f c o (opt); 29, which may
	 * be left out with or without those before it: aux weights f of the other direction's cell
	 * (opt). Input of rank 2 [B,I]: one step. Linking: with its weights the aux input is added;
	 * without them it is read in place of the input by a cell with reverse, and not at all by
	 * one without. 29 is there just when 26 is. out: 0 output; opt 1 output state, 2 cell
	 * state, 3 scratch (zeros, NNAPI's LSTM); attr lstm
	 */
	NNPROG_OP_SEQUENCE_LSTM = 16,
	/* in: a, b broadcast; out BOOL8; attr compare */
	NNPROG_OP_COMPARE = 17,
	/*
	 * in: condition BOOL8, x, y, all of one shape; x and y requantized to the output; attr none
	 */
	NNPROG_OP_SELECT = 18,
	/* in: x, axes INT32 [n] (opt: every extent of 1); all removed leaves [1]; attr none */
	NNPROG_OP_SQUEEZE = 19,
	/* in: x; attr axis, in [-(rank + 1), rank + 1) */
	NNPROG_OP_EXPAND_DIMS = 20,
	/* in: x, begin INT32 [rank], size INT32 [rank] (-1: to the end); attr none */
	NNPROG_OP_SLICE = 21,
	/* in: x, begin, end, strides INT32 [rank]; attr strided_slice */
	NNPROG_OP_STRIDED_SLICE = 22,
	/* in: x; out: equal parts along the axis, as many as there are outputs; attr axis */
	NNPROG_OP_SPLIT = 23,
	/* in: x, indices INT32 (any rank); out x[:axis] + indices + x[axis + 1:]; attr axis */
	NNPROG_OP_GATHER = 24,
	/*
	 * in: lookups INT32 [k], keys INT32 [n] ascending, values [n, ...]; out values [k, ...],
	 * hits UINT8 [k]
	 */
	NNPROG_OP_HASHTABLE_LOOKUP = 25,
	/* in: x, multiples INT32 [rank]; attr none */
	NNPROG_OP_TILE = 26,
	/* in: x, paddings INT32 [rank,2]; attr mirror_pad */
	NNPROG_OP_MIRROR_PAD = 27,
	/* in: x, axis INT32 [1]; attr none */
	NNPROG_OP_REVERSE = 28,
	/* in: x [N,H,W,C]; attr space_depth */
	NNPROG_OP_SPACE_DEPTH = 29,
	/*
	 * in: x [N,H,W,C], block INT32 [2] (height, width), paddings INT32 [2,2] (opt; to batch
	 * only); attr space_batch
	 */
	NNPROG_OP_SPACE_BATCH = 30,
	/* in: x; attr channel_shuffle */
	NNPROG_OP_CHANNEL_SHUFFLE = 31,
	/*
	 * in: x; out values, indices INT32, [..., k]; descending, of equal ones the larger index
	 * first; attr topk
	 */
	NNPROG_OP_TOPK = 32,
	/* in: dims INT32 [rank], value (one element); attr none */
	NNPROG_OP_FILL = 33,
	/* in: x; out INT32 scalar; attr none */
	NNPROG_OP_RANK = 34,
	/* in: x; attr axis */
	NNPROG_OP_L2_NORMALIZATION = 35,
	/* in: x; attr lrn */
	NNPROG_OP_LOCAL_RESPONSE_NORMALIZATION = 36,
	/* in: x [N,H,W,C]; attr instance_normalization */
	NNPROG_OP_INSTANCE_NORMALIZATION = 37,
	/* in: x, y of equal rank 2..4 and equal batch dims; attr batch_matmul */
	NNPROG_OP_BATCH_MATMUL = 38,
	/* in: input [N,H,W,Cin], filter [Cout,Hf,Wf,Cin], bias [Cout], output shape INT32 [4] NHWC
	 * (opt: implicit SAME only, its H and W are read); attr transpose_conv */
	NNPROG_OP_TRANSPOSE_CONV_2D = 39,
	/* in: 0 x [B,T,I], [T,B,I] or [B,I] (one step), 1 weights [U,I], 2 recurrent [U,U], 3 bias
	 * [U], 4 state [B,U], 5 aux x (opt), 6 aux weights [U,A] (opt), 7 those of the other
	 * direction's cell (opt), linked as in SEQUENCE_LSTM; out: 0 output, opt 1 state [B,U];
	 * attr rnn */
	NNPROG_OP_SEQUENCE_RNN = 40,
	/*
	 * in: x [B,I], feature weights [F,I], time weights [F,M], bias [U] (opt), state [B,M*F];
	 * out state, [B,U]; attr svdf
	 */
	NNPROG_OP_SVDF = 41,
	/*
	 * in: NNAPI's inputs 0..23 of QUANTIZED_LSTM; out: state, cell state, output; attr
	 * quantized_lstm
	 */
	NNPROG_OP_QUANTIZED_LSTM = 42,
	/* in: NNAPI's 15 inputs of QUANTIZED_16BIT_LSTM; out: cell state, output; attr none */
	NNPROG_OP_QUANTIZED_16BIT_LSTM = 43,
	/* in: x [N,H,W,C], rois [R,4], batch INT32 [R]; out [R,h,w,C]; attr roi */
	NNPROG_OP_ROI_ALIGN = 44,
	NNPROG_OP_ROI_POOLING = 45,
	/* in: heatmap [B,S,S,K], boxes [B,4]; out scores [B,K], keypoints [B,K,2]; attr none */
	NNPROG_OP_HEATMAP_MAX_KEYPOINT = 46,
	/*
	 * in: rois [R,4], deltas [R,4K], batch INT32 [R], image info [N,2]; out [R,4K]; attr none
	 */
	NNPROG_OP_AXIS_ALIGNED_BBOX_TRANSFORM = 47,
	/* in: scores [R,K], rois [R,4K], batch INT32 [R]; out (run decides n): scores [n], rois
	 * [n,4], class INT32 [n], batch INT32 [n]; attr box_nms */
	NNPROG_OP_BOX_WITH_NMS_LIMIT = 48,
	/* in: scores [N,H,W,A], deltas [N,H,W,4A], anchors [A,4], image info [N,2]; out (run
	 * decides n): scores [n], rois [n,4], batch INT32 [n]; attr proposals */
	NNPROG_OP_GENERATE_PROPOSALS = 49,
	/* in: scores [N,A,K], deltas [N,A,4..], anchors [A,4]; out scores [N,D], boxes [N,D,4],
	 * classes INT32 [N,D], count INT32 [N]; attr detection */
	NNPROG_OP_DETECTION_POSTPROCESSING = 50,
	/*
	 * in: hash [n,bits], input [i, ...], weight [i] (opt); out INT32 [n] or [n*bits]; attr lsh
	 */
	NNPROG_OP_LSH_PROJECTION = 51,
	/* in: logits [B,C], seeds INT32 [2]; out INT32 [B,samples]; attr multinomial */
	NNPROG_OP_RANDOM_MULTINOMIAL = 52,
	/* in: values [n], traversal INT32 [L], block map INT32 [B] (opt), formats INT32 [L], sizes
	 * INT32 [L], then per level segments and indices INT32 (opt); attr none */
	NNPROG_OP_DENSIFY = 53,
	/* in: condition BOOL8 [1], then the branches' inputs; out the branches' outputs; attr if */
	NNPROG_OP_IF = 54,
	/* in: the bodies' inputs; out: the first outputs of the body; attr while */
	NNPROG_OP_WHILE = 55,
	NNPROG_OP_COUNT,
	/*
	 * an extension's operation, found by the extension's name: operands are its own; attr
	 * extension, then its own
	 */
	NNPROG_OP_EXTENSION = 0x10000,
};

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

/* ---- tables and helpers ---- */

/** Shape of a tensor; rank or dims may be unknown. */
struct nnprog_shape {
	uint32_t rank;
	uint32_t dims[NNPROG_MAX_RANK];
};

/** An operand as shape rules see it. */
struct nnprog_operand {
	uint32_t dtype;
	bool omitted;
	bool omittable; /* here, but an argument: a run may come without it */
	struct nnprog_shape shape;
	float scale;
	int32_t zero_point;
	const float *scales; /* per channel, or NULL */
	uint32_t num_scales, channel_dim;
	/* contents if known now (constants; at run time: private copy), else NULL */
	const void *data;
};

/** Why something was refused; always filled when a function fails that takes one. */
struct nnprog_error {
	uint64_t offset; /* byte offset in the program; shape rules leave 0 */
	uint32_t subgraph, operation; /* UINT32_MAX: none */
	char text[128];
};

/** How an operation ends that runs with an input without elements. */
enum nnprog_empty {
	NNPROG_EMPTY_FAILS, /* EXEC_FAILED */
	NNPROG_EMPTY_BAD_DATA, /* BAD_ARGUMENT */
	NNPROG_EMPTY_RUNS, /* as infer() and run() say */
};

/**
 * Descriptor of one device operation: the one table row that the compiler, the verifier and the
 * interpreter use.
 */
struct nnprog_op_desc {
	uint32_t opcode;
	const char *name;
	uint32_t min_inputs, max_inputs; /* max UINT32_MAX: any number */
	uint32_t min_outputs, max_outputs;
	uint32_t attrs_size;
	uint32_t optional_inputs; /* bit i: input i may be OMITTED; bit 31: those behind it too */
	uint32_t program_omits; /* bit i: an optional input that a program omits, but no run */
	/* bit i: shape rule reads the contents of input i (INT32, but for extensions) */
	uint32_t value_inputs;
	uint32_t types; /* mask of data types of input 0 */
	/** Attributes alone: ranges, reserved fields zero. 0 or -EINVAL. */
	int (*check_attrs)(const void *attrs, struct nnprog_error *err);
	/**
	 * Types and quantization of the operands against each other, and shapes as far as known.
	 * Sets out[i].shape to what follows from the inputs: complete when the inputs are complete
	 * and the contents of value inputs are there; unknown parts stay unknown. Does not touch
	 * the other fields of @out. 0, -EINVAL (refused), -EOVERFLOW (too large).
	 */
	int (*infer)(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
		     struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err);
	/** Bit i: only run() knows the extents of output i; infer() leaves them unknown. */
	uint32_t run_shapes;
	/**
	 * With run_shapes: sets the shapes of those outputs to the largest that run() can give
	 * them.
	 */
	int (*bound)(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
		     struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err);
	/** What nnprog_empty_rule() gives where the attributes do not matter. */
	enum nnprog_empty empty;
	/** Optional, in place of @empty: @rank is that of input 0, @input the one without elements.
	 */
	enum nnprog_empty (*empty_rule)(const void *attrs, uint32_t rank, uint32_t input);
};

/** NULL when there is no such operation. */
const struct nnprog_op_desc *nnprog_op_find(uint32_t opcode);

/** Whether input number @i may be OMITTED. */
static inline bool nnprog_input_optional(const struct nnprog_op_desc *desc, uint32_t i)
{
	return desc->optional_inputs >> (i < 31 ? i : 31) & 1;
}

/**
 * NNAPI's rule for input number @input that is given and has no elements; @rank is that of input 0.
 * The rule holds when the operation runs and not before, since a branch with it may never be taken:
 * infer() ignores it.
 */
static inline enum nnprog_empty nnprog_empty_rule(const struct nnprog_op_desc *desc,
						  const void *attrs, uint32_t rank, uint32_t input)
{
	return desc->empty_rule ? desc->empty_rule(attrs, rank, input) : desc->empty;
}

/** Bytes of an element; 0 for an unknown type. */
size_t nnprog_dtype_size(uint32_t dtype);
const char *nnprog_dtype_name(uint32_t dtype);

/** Whether rank and every dim are known. */
bool nnprog_shape_complete(const struct nnprog_shape *shape);

/**
 * Elements and bytes of a complete shape. 0, -EINVAL (incomplete), -EOVERFLOW (>
 * NNPROG_MAX_TENSOR_SIZE).
 */
int nnprog_shape_elements(const struct nnprog_shape *shape, uint64_t *elements);
int nnprog_shape_bytes(const struct nnprog_shape *shape, uint32_t dtype, uint64_t *bytes);

/** Merge what two shapes know of the same tensor into @into. 0, or -EINVAL when they contradict. */
int nnprog_shape_merge(struct nnprog_shape *into, const struct nnprog_shape *other);

/**
 * Output extent and padding of a sliding window, shared by shape rules and kernels: SAME, VALID and
 * EXPLICIT as operations.md 0.1. 0, or -EINVAL when no output element exists (in 0 gives out 0).
 */
int nnprog_window(uint32_t in, uint32_t filter, uint32_t stride, uint32_t dilation,
		  uint32_t padding, uint32_t pad_head, uint32_t pad_tail, uint32_t *out,
		  uint32_t *head, uint32_t *tail);

/**
 * TRANSPOSE_CONV_2D along one dimension: the output's extent, and the head padding that is cut off
 * it. SAME derives it from @wanted, the extent asked for (above 0), as operations.md 0.1; EXPLICIT
 * takes the paddings. 0, or -EINVAL when no output element exists or the extent is too large.
 */
int nnprog_transpose_window(uint32_t in, uint32_t filter, uint32_t stride, uint32_t padding,
			    uint32_t wanted, int32_t pad_head, int32_t pad_tail, uint32_t *out,
			    int64_t *head);

/**
 * STRIDED_SLICE along one dimension: the first element and how many follow at @stride. Masked ends
 * are those of the dimension. 0, or -EINVAL when the stride is 0.
 */
int nnprog_strided_range(uint32_t dim, int32_t begin, int32_t end, int32_t stride,
			 bool begin_masked, bool end_masked, int64_t *start, uint32_t *count);

/** Broadcast two shapes (trailing alignment). 0 or -EINVAL; unknown parts stay unknown. */
int nnprog_broadcast(const struct nnprog_shape *a, const struct nnprog_shape *b,
		     struct nnprog_shape *out);

/* ---- reading ---- */

/**
 * A verified program: pointers into the verified bytes, which must stay and must not change.
 */
struct nnprog {
	const struct nnprog_header *header;
	const struct nnprog_subgraph *subgraphs;
	const struct nnprog_tensor *tensors;
	const struct nnprog_operation *operations;
	const uint32_t *index;
	const uint8_t *attrs;
	const float *scales;
	const char *strings;
	const uint8_t *data;
	uint32_t num_subgraphs;
	struct nnprog_pace *pace; /* while it is verified, else NULL */
	bool summed; /* the same: somebody else has looked whether a byte was changed */
};

/**
 * Verify @size bytes at @bytes (64-byte aligned, private to the caller: nobody else may write them)
 * and set up @prog. Checks every index, type, attribute, offset, quantization, execution order (no
 * read before write, one write each), arena overlap of tensors that live together, and that static
 * shapes are what infer() gives. Linear in the program but for sorting. 0, -EINVAL or -ENOMEM with
 * @err.
 */
int nnprog_verify(const void *bytes, size_t size, struct nnprog *prog, struct nnprog_error *err);

/** The same of bytes under a digest that was looked at: their own checksum is not. */
int nnprog_verify_summed(const void *bytes, size_t size, struct nnprog *prog,
			 struct nnprog_error *err);

/**
 * The same with @tick(@cookie) called at least every millisecond. What it returns, if not 0, ends
 * the verification and is its result; @err then says nothing.
 */
int nnprog_verify_paced(const void *bytes, size_t size, struct nnprog *prog,
			int (*tick)(void *cookie), void *cookie, struct nnprog_error *err);

/**
 * The rest of the verification for operation @n of a subgraph, an extension's, by the descriptor
 * that whoever has the extension keeps: nnprog_verify() knows none. 0, -EINVAL or -ENOMEM with
 * @err.
 */
int nnprog_verify_extension(const struct nnprog *prog, uint32_t subgraph, uint32_t n,
			    const struct nnprog_op_desc *desc, struct nnprog_error *err);

/** Fill an operand from a tensor of a verified program; data only for constants. */
void nnprog_tensor_operand(const struct nnprog *prog, const struct nnprog_tensor *t,
			   struct nnprog_operand *op);

/* ---- writing ---- */

struct nnprog_builder;

/** NULL: out of memory. One thread at a time. */
struct nnprog_builder *nnprog_builder_create(void);
void nnprog_builder_destroy(struct nnprog_builder *b);

/**
 * Start the next subgraph (the first call starts main); what follows goes into it. Number or
 * -errno.
 */
int nnprog_builder_subgraph(struct nnprog_builder *b, const char *name);

/**
 * Add a tensor: dtype, kind, shape, quantization (@op.scales is copied). @data with @size bytes
 * only for CONST; it is copied. Returns the tensor's number in the subgraph, or -errno.
 */
int nnprog_builder_tensor(struct nnprog_builder *b, const struct nnprog_operand *op, uint32_t kind,
			  const void *data, size_t size);

/** Change the shape of a tensor that was added (as inference learns it). 0 or -errno. */
int nnprog_builder_set_shape(struct nnprog_builder *b, uint32_t tensor,
			     const struct nnprog_shape *shape);

/** The tensor as the builder holds it; data is valid until the builder changes. 0 or -errno. */
int nnprog_builder_get(struct nnprog_builder *b, uint32_t tensor, struct nnprog_operand *op,
		       uint32_t *kind);

/**
 * Add an operation: runs check_attrs and infer, and merges the inferred shapes into the outputs.
 * @ext_name only for NNPROG_OP_EXTENSION. 0 or -errno with @err.
 */
int nnprog_builder_operation(struct nnprog_builder *b, uint32_t opcode, const void *attrs,
			     size_t attrs_size, const uint32_t *in, uint32_t num_in,
			     const uint32_t *out, uint32_t num_out, const char *ext_name,
			     struct nnprog_error *err);

/** Name the subgraph's inputs and outputs, in order. 0 or -errno. */
int nnprog_builder_io(struct nnprog_builder *b, const uint32_t *inputs, uint32_t num_inputs,
		      const uint32_t *outputs, uint32_t num_outputs);

void nnprog_builder_flags(struct nnprog_builder *b, uint32_t flags);

/**
 * Let nnprog_builder_finish() give up with -ETIME when @stop(@cookie) says so: it is asked before
 * every operation, temporary and constant, and once more before the program is verified.
 */
void nnprog_builder_stop(struct nnprog_builder *b, bool (*stop)(void *cookie), void *cookie);
/**
 * Plan the static arena (greedy by size over lifetimes), write the program, and verify it. On
 * success
 * *@bytes is malloc'ed (aligned to 64; free with free()) and *@size its size. 0 or -errno with
 * @err.
 */
int nnprog_builder_finish(struct nnprog_builder *b, void **bytes, size_t *size,
			  struct nnprog_error *err);

/** Write @prog as text, a line an operation (nnctl, debugging). 0 or -errno. */
int nnprog_dump(const struct nnprog *prog, char **text);

#endif
