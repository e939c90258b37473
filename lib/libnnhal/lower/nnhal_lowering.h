/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From NNAPI operations to device operations: the shared part of ops/<family>.c. nnhal_lower.h is
 * what other rooms include.
 */
#ifndef NNHAL_LOWERING_H
#define NNHAL_LOWERING_H

#include "nnhal_lower.h"
#include "nnmodel.h"
#include "nnprog_builder.h"
#include "nnprog_desc.h"

/*
 * lowering.c: lowering of one model: the state that the families (ops/<family>.c) work with.
 *
 * All functions return 0; -EOPNOTSUPP (this device cannot) or -EINVAL (shapes that contradict),
 * both with l->err; -ENOMEM.
 */

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

/* emit.c: tensors and operations of the program. Functions return as those of lowering.c. */

/** A tensor as nnprog_builder_tensor() takes it. */
int lower_add_tensor(struct lower *l, const struct nnprog_operand *op, uint32_t kind,
		     const void *data, size_t size, uint32_t *tensor);

/**
 * A constant without a copy: @data stays until the lowering ends, and no parameter is in it, since
 * a client's memory may change meanwhile.
 */
int lower_keep_constant(struct lower *l, const struct nnprog_operand *op, const void *data,
			size_t size, uint32_t *tensor);

/** A temporary as @op describes it, between the device operations of one NNAPI operation. */
int lower_temp(struct lower *l, const struct nnprog_operand *op, uint32_t *tensor);

/** The tensor as far as known; its contents are valid until the next tensor is made. */
struct nnprog_operand lower_get(struct lower *l, uint32_t tensor);
/** A vector of INT32; a constant of any type and shape; the shared OMITTED tensor. */
int lower_const_ints(struct lower *l, const int32_t *values, uint32_t n, uint32_t *tensor);
int lower_const(struct lower *l, const struct nnprog_operand *op, const void *data, size_t size,
		uint32_t *tensor);
int lower_omitted(struct lower *l, uint32_t *tensor);

/** A device operation; the device must have it for these types and ranks. */
int lower_emit(struct lower *l, uint32_t opcode, const void *attrs, size_t attrs_size,
	       const uint32_t *in, uint32_t num_in, const uint32_t *out, uint32_t num_out);
/**
 * As lower_emit(): operation of an extension, whose attributes begin with struct
 * nnprog_attr_extension.
 */
int lower_emit_extension(struct lower *l, const char *name, const void *attrs, size_t attrs_size,
			 const uint32_t *in, uint32_t num_in, const uint32_t *out,
			 uint32_t num_out);

/** The whole program, when all subgraphs are lowered. */
int lower_finish(struct lower *l, struct nnhal_lowered *out);

/*
 * NNAPI operations whose inputs are tensors, and which become one device operation on
 * the same tensors.
 */

/**
 * Inputs 0 .. @n - 1 (at most 4) to output 0 with the quantization of input 0. @optional: input @n
 * - 1 may be omitted.
 */
int lower_move(struct lower *l, uint32_t opcode, const void *attrs, size_t attrs_size, uint32_t n,
	       bool optional);
/** All inputs (at most 4) to output 0 as declared. */
int lower_all_inputs(struct lower *l, uint32_t opcode, const void *attrs, size_t attrs_size);

/* Functions that bidirectional operations share. */

/**
 * Outputs of a bidirectional operation: tensors of both sequences (temporaries for lower_merge()
 * with
 * @merge), and in *@states the number of the first of @num_states state outputs, or LOWER_NONE.
 */
int lower_two_outputs(struct lower *l, bool merge, uint32_t num_states, uint32_t *forward,
		      uint32_t *backward, uint32_t *states);
int lower_merge(struct lower *l, uint32_t forward, uint32_t backward);

/*
 * operands.c: tensors of the program for operands of the model. A family reads its NNAPI operation
 * through these functions and those of params.c, and emits device operations; it does not touch the
 * builder. Functions return as those of lowering.c.
 */

/** Check that input @i is not omitted, even if it is not used. */
int lower_given(struct lower *l, uint32_t i);
/** Tensor of input @i. An omitted operand is refused, or with _opt gives an OMITTED tensor. */
int lower_in(struct lower *l, uint32_t i, uint32_t *tensor);
int lower_in_opt(struct lower *l, uint32_t i, uint32_t *tensor);
/**
 * As lower_in_opt(), with the quantization that the operand declares, which may differ from the
 * computed one.
 */
int lower_in_declared(struct lower *l, uint32_t i, uint32_t *tensor);
/** [N,H,W,C] form of input @i. */
int lower_in_image(struct lower *l, uint32_t i, bool nchw, uint32_t *tensor);

/**
 * Tensor of output @i. Its quantization: as declared; the one given; that of tensor @like. A
 * computed quantization must be that of a model output, and replaces that of a temporary.
 */
int lower_out(struct lower *l, uint32_t i, uint32_t *tensor);
int lower_out_quant(struct lower *l, uint32_t i, float scale, int32_t zero_point, uint32_t *tensor);
int lower_out_like(struct lower *l, uint32_t i, uint32_t like, uint32_t *tensor);
/** The same for an image; @like LOWER_NONE: as declared. */
int lower_out_image(struct lower *l, uint32_t i, bool nchw, uint32_t like, uint32_t *tensor);
/** Output @i, coordinates of boxes: as declared for floats, steps of 1/8 from 0 for 16 bits. */
int lower_out_boxes(struct lower *l, uint32_t i, uint32_t *tensor);

/** All inputs of the subgraph, in order; after the operations, its lists. */
int lower_inputs(struct lower *l);
int lower_end_graph(struct lower *l);

/* The rows of ops/. */

/** The rows of ops/FAMILY/FAMILY_lower.c. */
struct lower_family {
	const struct lower_row *rows;
	uint32_t num;
};

#define LOWER_FAMILY(name, table)                                                           \
	const struct lower_family lower_family_##name = { table, (uint32_t)(sizeof(table) / \
									    sizeof((table)[0])) }

/** Made by ops/generate.py; ends with NULL. */
extern const struct lower_family *const lower_families[];

/** NULL: not lowered. */
const struct lower_row *lower_find(uint32_t opcode);

/* params.c: scalar parameters of an NNAPI operation. Functions return as those of lowering.c. */

/** Scalar parameters: must be constants. FLOAT16 is widened. */
int lower_int32(struct lower *l, uint32_t i, int32_t *value);
int lower_bool(struct lower *l, uint32_t i, bool *value);
int lower_float(struct lower *l, uint32_t i, float *value);
/** The same, >= @least. */
int lower_uint(struct lower *l, uint32_t i, int32_t least, uint32_t *value);
/** Fused activation: the parameter, or what fusion added to NONE. */
int lower_activation(struct lower *l, uint32_t i, uint32_t *activation);
/** Inputs @first .. @first + @n - 1 as floats. */
int lower_floats(struct lower *l, uint32_t first, uint32_t n, float *const *values);
/** Whether input @i is a scalar INT32: forms of equal length differ by it. */
bool lower_input_is_int32(const struct nnmodel_subgraph *g, const struct nnmodel_operation *op,
			  uint32_t i);

/**
 * Padding parameters that begin at input @i, with their number in *@num: one by one with @explicit,
 * else a code.
 */
struct lower_padding {
	uint32_t mode; /* enum nnprog_padding */
	uint32_t left, right, top, bottom;
};
int lower_paddings(struct lower *l, bool explicit, uint32_t i, struct lower_padding *padding,
		   uint32_t *num);

/* graphs.c: the subgraphs that a model uses. */

/** Subgraphs of the model that main uses, through others too. A program holds them in an order in
 * which each comes after those that use it. */
struct lower_graphs {
	uint32_t num;
	uint32_t *order; /* indices in nnmodel.referenced; [i] is subgraph 1 + i of the program */
	uint32_t *number; /* by that index: of the program; UINT32_MAX: not used */
	char **refused; /* by that index, when only checking what is supported: the reason of a
			   refusal, or NULL */
};

/**
 * 0; -EOPNOTSUPP (nested too deep) with @err, -ENOMEM. Free with lower_graphs_fini() in any case.
 */
int lower_graphs_init(struct lower_graphs *graphs, const struct nnmodel *model,
		      struct nnmodel_error *err);
void lower_graphs_fini(struct lower_graphs *graphs, const struct nnmodel *model);

/*
 * extension_table.c: vendor extensions on the host's side: extension_<name>_lower.c in
 * ops/extension_<name> has the operand types, and for each operation the parts that the framework
 * does not know: signature, shape rule, lowering. It is a line in the table.
 * Documentation/extensions.rst goes through one.
 */

struct lower_extension_op {
	uint16_t code; /* within the extension */
	const char *name;
	/** Check the operands and emit the device operations; as lower_row.lower. */
	int (*lower)(struct lower *l);
};

struct lower_extension {
	const char *name; /* as the firmware reports it */
	const struct nnhal_lower_type *types; /* ascending codes */
	uint32_t num_types;
	const struct lower_extension_op *ops;
	uint32_t num_ops;
};

/** Whether operand type @type is type @code of extension @ext in this model. */
bool lower_is_extension_type(const struct lower *l, uint32_t type,
			     const struct lower_extension *ext, uint16_t code);
/** l->op, an extension's. */
int lower_extension_operation(struct lower *l);

extern const struct lower_extension lower_extension_fibonacci;

/* fuse.c: fusion on the NNAPI graph. */

/** Fill l->plans, when a subgraph has begun. */
void lower_fuse(struct lower *l);

#endif
