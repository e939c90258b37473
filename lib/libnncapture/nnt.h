/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conformance files (.nnt): NNAPI test models with their inputs and expected outputs. The
 * structures are those of the file, little-endian and naturally aligned. nnt_take() checks every
 * index and offset; the functions below rely on it.
 */
#ifndef NNT_H
#define NNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnmodel.h"

#define NNT_NONE UINT32_MAX
/** Bytes of a file at most. */
#define NNT_MAX_FILE (1u << 30)

enum {
	NNT_EXAMPLES,
	NNT_SUBGRAPHS,
	NNT_OPERANDS,
	NNT_OPERATIONS,
	NNT_U32POOL,
	NNT_BLOBS,
	NNT_STRINGS,
	NNT_BLOBDATA,
	NNT_NSECTIONS
};

/** Of an example. NNT_LIMITS is this project's: the corpora do not have it. */
enum {
	NNT_RELAXED = 1,
	NNT_EXPECT_FAILURE = 2,
	NNT_INFINITE_LOOP = 16,
	NNT_HAS_FLOAT16 = 64,
	NNT_LIMITS = 1 << 16, /* struct nnt_example has the limits of the execution */
};
enum { NNT_OPERAND_IGNORED = 1, NNT_OPERAND_CHANNEL_QUANT = 2 };

/** The first bytes of a file, and the bytes of an entry of each section. */
extern const char nnt_magic[8];
extern const uint32_t nnt_entry_sizes[NNT_NSECTIONS];

struct nnt_section {
	uint64_t off;
	uint32_t count, entsize;
};

struct nnt_header {
	char magic[8];
	uint32_t version, header_size;
	uint64_t file_size;
	uint32_t crc32, flags;
	uint32_t spec_name, folder, source_sha256, source_rev;
	uint32_t reserved0[4];
	struct nnt_section sec[NNT_NSECTIONS];
	uint32_t reserved1[16];
};

struct nnt_example {
	uint32_t name, cpp_name, min_version, min_feature_level;
	float multinomial_tolerance;
	uint32_t flags, first_subgraph, subgraph_count;
	uint32_t limits[4]; /* with NNT_LIMITS: nncapture_limits, each as its low and high half */
	uint32_t reserved[4];
};

struct nnt_subgraph {
	uint32_t name, first_operand, operand_count, first_operation, operation_count;
	uint32_t input_count, inputs, output_count, outputs;
	uint32_t reserved[3];
};

struct nnt_operand {
	uint32_t type, lifetime, rank, dims, consumers;
	float scale;
	int32_t zero_point;
	uint32_t flags, channel_dim, scale_count, scales, blob;
	uint64_t data_size;
	uint32_t name, reserved;
};

struct nnt_operation {
	uint32_t type, input_count, inputs, output_count, outputs, reserved;
};

struct nnt_blob {
	uint64_t off, size;
	uint32_t refs, crc32, reserved[2];
};

struct nnt {
	uint8_t *bytes;
	size_t size;
	const struct nnt_header *header;
	const struct nnt_example *examples;
	const struct nnt_subgraph *subgraphs;
	const struct nnt_operand *operands;
	const struct nnt_operation *operations;
	const uint32_t *pool;
	const struct nnt_blob *blobs;
	const char *strings;
	uint32_t num_examples;
};

/** Whether a file begins as these files do. */
bool nnt_is(const void *bytes, size_t size);
/**
 * Check the @size bytes of a file, which are malloc'ed: nnt_close() frees them. 0, or -1 with the
 * reason in @error, and the bytes are freed.
 */
int nnt_take(struct nnt *nnt, void *bytes, size_t size, char *error, size_t error_size);
void nnt_close(struct nnt *nnt);

const char *nnt_string(const struct nnt *nnt, uint32_t offset);
/** Main input or output number @i of an example. */
const struct nnt_operand *nnt_input(const struct nnt *nnt, const struct nnt_example *ex,
				    uint32_t i);
const struct nnt_operand *nnt_output(const struct nnt *nnt, const struct nnt_example *ex,
				     uint32_t i);
/** Data of an operand; NULL: it has none. */
const void *nnt_data(const struct nnt *nnt, const struct nnt_operand *operand);

/**
 * The example's model: constants by copy in one block, those by reference in one pool. NULL: out of
 * memory.
 */
struct nnmodel *nnt_model(const struct nnt *nnt, const struct nnt_example *ex);

#endif
