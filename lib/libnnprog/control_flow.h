/* SPDX-License-Identifier: Apache-2.0 */
/* IF and WHILE: operations that name subgraphs. Private to libnnprog. */
#ifndef NNPROG_CONTROL_FLOW_H
#define NNPROG_CONTROL_FLOW_H

#include "nnprog_desc.h"

/** Whether an operation names subgraphs, and which: then and else, or condition and body. */
bool nnprog_control_graphs(uint32_t opcode, const void *attrs, uint32_t graphs[2]);

/** Inputs and outputs of subgraphs, as a builder or a program holds them. */
struct nnprog_graphs {
	const void *priv;
	uint32_t num;
	uint32_t (*count)(const void *priv, uint32_t graph, bool output);
	void (*get)(const void *priv, uint32_t graph, bool output, uint32_t i,
		    struct nnprog_operand *op);
};

/**
 * In place of a descriptor's infer(), for IF and WHILE in subgraph @from: its operands against
 * those of the subgraphs that it names, which come after @from. @out are the declared outputs;
 * their shapes become what follows.
 */
int nnprog_control_infer(const struct nnprog_graphs *g, uint32_t from, uint32_t opcode,
			 const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			 struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err);

#endif
