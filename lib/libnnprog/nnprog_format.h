/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program format: what a prepared model is on the device. Position independent, little-endian,
 * 64-byte aligned sections. Compiled into the compiler (libnnhal) and the firmware, so that both
 * agree on what a valid program is. See Documentation/program-format.rst.
 *
 * Layout: struct nnprog_header, then the sections named in its table, in the table's order, each at
 * a multiple of 64 without a gap beyond that, gaps zero, the last one ending at total_size. From
 * version 1.1 on a constant may leave a larger gap before it, below NNPROG_MAX_GAP. Lists in INDEX
 * (a subgraph's inputs, outputs, then those of its operations in turn), attributes, scales and
 * constants have one owner each, in whose order they are stored; positions of empty parts are 0,
 * but for lists in INDEX.
 *
 * Versioning: major << 16 | minor of the format, and the opset version for operations and
 * attributes. A reader refuses another major and a greater opset version.
 */
#ifndef NNPROG_FORMAT_H
#define NNPROG_FORMAT_H

#include "nnprog_shape.h"

#define NNPROG_MAGIC 0x52504e4eu /* "NNPR" */
#define NNPROG_VERSION 0x00010001u
/* Of a program whose constants leave no gaps but for their alignment. */
#define NNPROG_VERSION_DENSE 0x00010000u

#define NNPROG_ALIGN 64u
#define NNPROG_NO_OFFSET UINT64_MAX
/* The bytes between two constants are fewer: a constant can have any place in a page. */
#define NNPROG_MAX_GAP (64u << 10)
/* Largest program that is verified, bytes. */
#define NNPROG_MAX_SIZE (1ull << 31)
/* Most inputs, and most outputs, of an operation; most elements of an input whose contents a shape
 * rule reads; most bytes of a subgraph's static temporaries. */
#define NNPROG_MAX_OPERANDS 4096u
#define NNPROG_MAX_VALUES 1024u
#define NNPROG_MAX_ARENA (1ull << 40)
/* Most subgraphs that run inside each other, main included. */
#define NNPROG_MAX_DEPTH 16u

/**
 * enum nnprog_section_id - sections of a program
 * @NNPROG_SUBGRAPHS: struct nnprog_subgraph; [0] is main
 * @NNPROG_TENSORS: struct nnprog_tensor, subgraph by subgraph
 * @NNPROG_OPERATIONS: struct nnprog_operation, subgraph by subgraph, in order of execution
 * @NNPROG_INDEX: uint32_t: lists of tensor numbers
 * @NNPROG_ATTRS: attribute structs, each at a multiple of 8; stride 1
 * @NNPROG_SCALES: float: per-channel scales
 * @NNPROG_STRINGS: NUL-terminated names; begins with an empty string; stride 1
 * @NNPROG_DATA: constants, each at a multiple of 64; stride 1
 * @NNPROG_SECTION_COUNT: number of sections
 */
enum nnprog_section_id {
	NNPROG_SUBGRAPHS,
	NNPROG_TENSORS,
	NNPROG_OPERATIONS,
	NNPROG_INDEX,
	NNPROG_ATTRS,
	NNPROG_SCALES,
	NNPROG_STRINGS,
	NNPROG_DATA,
	NNPROG_SECTION_COUNT
};

/**
 * struct nnprog_section - place of a section
 * @offset: from the start of the program
 * @count: entries
 * @stride: bytes of an entry
 */
struct nnprog_section {
	uint64_t offset;
	uint32_t count;
	uint32_t stride;
};

/**
 * struct nnprog_header - start of a program
 * @magic: %NNPROG_MAGIC
 * @version: %NNPROG_VERSION if there are such gaps, else %NNPROG_VERSION_DENSE
 * @header_size: bytes of this struct
 * @opset_version: %NNPROG_OPSET_VERSION of the writer
 * @total_size: bytes of header and sections
 * @crc32: zlib's crc32 of the bytes from @header_size to @total_size; 0 with %NNPROG_FLAG_UNSUMMED
 * @flags: NNPROG_FLAG_*
 * @arena_size: bytes of main's static temporaries, see nnprog_tensor.offset
 * @reserved: 0
 * @sections: by enum nnprog_section_id
 * @reserved1: 0
 */
struct nnprog_header {
	uint32_t magic;
	uint32_t version;
	uint32_t header_size;
	uint32_t opset_version;
	uint64_t total_size;
	uint32_t crc32;
	uint32_t flags;
	uint64_t arena_size;
	uint64_t reserved;
	struct nnprog_section sections[NNPROG_SECTION_COUNT];
	uint8_t reserved1[16];
};
_Static_assert(sizeof(struct nnprog_header) == 192, "header");

/* The model allows float16 range and precision for float32 arithmetic. */
#define NNPROG_FLAG_RELAXED (1u << 0)
/* There is no checksum: the program is read in the process that made it. */
#define NNPROG_FLAG_UNSUMMED (1u << 1)
#define NNPROG_FLAGS (NNPROG_FLAG_RELAXED | NNPROG_FLAG_UNSUMMED)

/**
 * struct nnprog_subgraph - main, or a subgraph of control flow
 * @first_tensor: its first entry of TENSORS; tensor numbers count from here
 * @num_tensors: number of tensors
 * @first_operation: its first entry of OPERATIONS
 * @num_operations: number of operations
 * @inputs: position of the list in INDEX
 * @num_inputs: entries of the list
 * @outputs: position of the list in INDEX
 * @num_outputs: entries of the list
 * @arena_size: bytes of the static temporaries of this subgraph
 * @name: offset in STRINGS
 * @reserved: 0
 */
struct nnprog_subgraph {
	uint32_t first_tensor, num_tensors;
	uint32_t first_operation, num_operations;
	uint32_t inputs, num_inputs;
	uint32_t outputs, num_outputs;
	uint64_t arena_size;
	uint32_t name;
	uint32_t reserved[5];
};
_Static_assert(sizeof(struct nnprog_subgraph) == 64, "subgraph");

/**
 * enum nnprog_kind - kinds of tensors
 * @NNPROG_TEMP: written by one operation
 * @NNPROG_INPUT: an argument; never written
 * @NNPROG_OUTPUT: an argument; written by one operation
 * @NNPROG_CONST: in DATA
 * @NNPROG_OMITTED: an optional operand that is omitted
 * @NNPROG_KIND_COUNT: number of kinds
 */
enum nnprog_kind {
	NNPROG_TEMP = 0,
	NNPROG_INPUT = 1,
	NNPROG_OUTPUT = 2,
	NNPROG_CONST = 3,
	NNPROG_OMITTED = 4,
	NNPROG_KIND_COUNT
};

/**
 * struct nnprog_tensor - a tensor of a subgraph
 * @dtype: enum nnprog_dtype
 * @kind: enum nnprog_kind
 * @rank: 0 for scalars, or %NNPROG_RANK_UNKNOWN
 * @flags: 0
 * @dims: extents; 0 from @rank on
 * @scale: above 0 and finite when quantized per tensor, else 0
 * @zero_point: within the range of the type
 * @scales: first per-channel scale in SCALES
 * @num_scales: 0: not per channel; else dims[channel_dim]
 * @channel_dim: dimension of the channels
 * @reserved: 0
 * @offset: CONST: offset in DATA. TEMP: offset in the arena planned at compile time (tensors may
 * share bytes when their lives do not overlap), or %NNPROG_NO_OFFSET: allocated by the run. Else
 * 	%NNPROG_NO_OFFSET
 * @size: bytes when the shape is complete, else 0
 */
struct nnprog_tensor {
	uint32_t dtype;
	uint32_t kind;
	uint32_t rank;
	uint32_t flags;
	uint32_t dims[NNPROG_MAX_RANK];
	float scale;
	int32_t zero_point;
	uint32_t scales;
	uint32_t num_scales;
	uint32_t channel_dim;
	uint32_t reserved;
	uint64_t offset;
	uint64_t size;
};
_Static_assert(sizeof(struct nnprog_tensor) == 96, "tensor");

/**
 * struct nnprog_operation - an operation of a subgraph
 * @opcode: enum nnprog_opcode
 * @inputs: position in INDEX of the list of tensor numbers
 * @num_inputs: entries of the list
 * @outputs: position in INDEX of the list of tensor numbers
 * @num_outputs: entries of the list
 * @attrs: position in ATTRS
 * @attrs_size: bytes of the attributes
 * @name: EXTENSION: offset of the extension's name in STRINGS; else 0
 */
struct nnprog_operation {
	uint32_t opcode;
	uint32_t inputs, num_inputs;
	uint32_t outputs, num_outputs;
	uint32_t attrs, attrs_size;
	uint32_t name;
};
_Static_assert(sizeof(struct nnprog_operation) == 32, "operation");

#endif
