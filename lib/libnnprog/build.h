/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside libnnprog: what a builder holds, shared by build.c (collecting) and write.c (finishing).
 */
#ifndef NNPROG_BUILD_H
#define NNPROG_BUILD_H

#include "nnprog_builder.h"

struct build_tensor {
	struct nnprog_operand op; /* scales and data are the builder's copies */
	bool kept; /* but for the data, which the caller keeps */
	uint32_t kind;
	uint64_t size; /* bytes of data */
	uint64_t offset; /* filled by finish: of a TEMP in the arena, of a CONST in DATA */
	bool shared; /* filled by finish: its bytes are there */
};

struct build_operation {
	uint32_t opcode;
	void *attrs;
	size_t attrs_size;
	uint32_t *list; /* inputs, then outputs */
	uint32_t num_in, num_out;
	char *ext_name;
};

struct build_subgraph {
	char *name;
	struct build_tensor *tensors;
	size_t num_tensors, max_tensors;
	struct build_operation *operations;
	size_t num_operations, max_operations;
	uint32_t *io; /* inputs, then outputs */
	uint32_t num_inputs, num_outputs;
	uint64_t arena_size; /* filled by finish */
};

struct nnprog_builder {
	struct build_subgraph *subgraphs;
	size_t num_subgraphs, max_subgraphs;
	uint32_t flags;
	bool (*stop)(void *cookie); /* called while it is finished; NULL: never */
	void *stop_cookie;
	/* of the program; NULL: malloc() */
	void *(*memory)(void *cookie, size_t size, size_t shared);
	void *memory_cookie;
	/* NULL: constants are copied */
	int (*share)(void *cookie, void *to, const void *from, size_t size);
	void *share_cookie;
	size_t page;
};

struct nnprog_graphs;

/** Run the rules of an operation and merge the shapes that follow into its outputs. @graphs: every
 * subgraph, NULL while some may be missing: then outputs of control flow stay as they are. */
int nnprog_build_infer(struct build_subgraph *sg, uint32_t number, const struct build_operation *op,
		       const struct nnprog_graphs *graphs, struct nnprog_error *err);

#endif
