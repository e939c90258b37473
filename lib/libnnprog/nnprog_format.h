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
 * Versioning: major << 16 | minor of the format, and the opset version for operations and
 * attributes. A reader refuses another major and a greater opset version.
 */
#ifndef NNPROG_FORMAT_H
#define NNPROG_FORMAT_H

#include "nnprog_shape.h"

#define NNPROG_MAGIC 0x52504e4eu /* "NNPR" */
#define NNPROG_VERSION 0x00010000u

#define NNPROG_ALIGN 64u
#define NNPROG_NO_OFFSET UINT64_MAX
/** Largest program that is verified, bytes. */
#define NNPROG_MAX_SIZE (1ull << 31)
/** Most inputs, and most outputs, of an operation; most elements of an input whose contents a shape
 * rule reads; most bytes of a subgraph's static temporaries. */
#define NNPROG_MAX_OPERANDS 4096u
#define NNPROG_MAX_VALUES 1024u
#define NNPROG_MAX_ARENA (1ull << 40)
/** Most subgraphs that run inside each other, main included. */
#define NNPROG_MAX_DEPTH 16u

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

#endif
