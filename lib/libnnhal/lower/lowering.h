/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lowering of one model: the state that the families (ops/<family>.c) work with.
 *
 * All functions return 0; -EOPNOTSUPP (this device cannot) or -EINVAL (shapes that contradict),
 * both with l->err; -ENOMEM.
 */
#ifndef NNHAL_LOWER_LOWERING_H
#define NNHAL_LOWER_LOWERING_H

#include "nnhal_lower.h"
#include "nnprog_builder.h"

#define LOWER_NONE UINT32_MAX

/** State of an operand of the model. */
struct lower_operand {
	uint32_t tensor; /* of the program, or LOWER_NONE: not made yet */
	/*
	 * [N,H,W,C] form of an [N,C,H,W] operand, or LOWER_NONE. An image operation in NCHW leaves
	 * only this; the NCHW tensor is made when an operation reads it, so that a chain of image
	 * operations transposes at its ends only.
	 */
	uint32_t nhwc;
	uint32_t readers; /* appearances as an operation's input */
};

/** The result of fusion for an operation: fuse.c. */
struct lower_plan {
	bool skip; /* another operation includes it */
	uint32_t activation; /* enum nnprog_activation to apply, where its own is NONE */
	uint32_t input; /* operand read instead of input 0, or LOWER_NONE */
	uint32_t output; /* operand written instead of output 0, or LOWER_NONE */
	uint32_t also; /* operand fused away whose dimensions hold for the output, or NONE */
};

struct lower_graphs;
struct lower_row;

struct lower {
	const struct nnmodel *model;
	const struct nnmodel_subgraph *graph; /* the one being lowered */
	const struct lower_graphs *graphs;
	const struct nnmodel_maps *maps;
	const struct nnhal_opset *opset;
	struct nnprog_builder *builder;
	struct nnmodel_error *err;
	/*
	 * Only checking what is supported: nothing is written, large constants are not copied, and
	 * outputs of unsupported operations count as inputs.
	 */
	bool dry;
	bool (*stop)(void *cookie); /* called before each operation; NULL: never */
	void *stop_cookie;
	const struct nnhal_lower_client *client; /* with a share(), or NULL */
	struct lower_operand *operands; /* graph->num_operands */
	struct lower_plan *plans; /* graph->num_operations */
	/** The extension type of an operand type, or NULL. */
	const struct nnhal_lower_type *(*extension_type)(const struct nnmodel *model,
							 uint32_t type);
	uint32_t to_nhwc, to_nchw, omitted; /* shared tensors, or LOWER_NONE */
	/* the operation being lowered */
	const struct nnmodel_operation *op;
	const struct lower_plan *plan;
	const struct lower_row *row;
};

/** The halves of a requantization: to real values and back. */
enum lower_requantize { LOWER_NO_REQUANTIZE, LOWER_TO_REAL, LOWER_FROM_REAL };

/** One NNAPI operation. @kind is the family's own. */
struct lower_row {
	uint32_t opcode; /* of NNAPI */
	int (*lower)(struct lower *l);
	uint32_t kind;
	/**
	 * The input with the fused activation, as the form of @op has it. NULL: the operation has
	 * none.
	 */
	uint32_t (*activation_input)(const struct nnmodel_subgraph *g,
				     const struct nnmodel_operation *op);
	uint32_t activation; /* enum nnprog_activation: this operation as a fused activation */
	enum lower_requantize requantize;
};

/** Set up and free; @dry as above. */
int lower_init(struct lower *l, const struct nnmodel *model, const struct nnmodel_maps *maps,
	       const struct lower_graphs *graphs, const struct nnhal_opset *opset, bool dry,
	       struct nnmodel_error *err);
void lower_fini(struct lower *l);
/** Begin the next subgraph of the program: main, then graphs->order. */
int lower_begin_graph(struct lower *l, const struct nnmodel_subgraph *graph, const char *name);

/** l->err = "operation N NAME: ..." for the current operation. Returns -EOPNOTSUPP. */
int lower_refuse(struct lower *l, uint32_t operand, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** The same with -EINVAL, for a model that contradicts itself. */
int lower_contradict(struct lower *l, uint32_t operand, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static inline const struct nnmodel_operand *lower_operand(const struct lower *l, uint32_t i)
{
	return &l->graph->operands[l->op->inputs[i]];
}

static inline bool lower_is_quant8(uint32_t type)
{
	return type == NNMODEL_TENSOR_QUANT8_ASYMM || type == NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED;
}

#endif
