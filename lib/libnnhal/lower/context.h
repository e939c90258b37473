/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lowering of one model: what the families (lower_<family>.c) work with. A family reads its NNAPI
 * operation through the functions below and emits device operations; it never touches the builder
 * itself.
 *
 * All functions return 0; -EOPNOTSUPP (this device cannot) or -EINVAL (shapes that contradict),
 * both with l->err; -ENOMEM.
 */
#ifndef NNHAL_LOWER_CONTEXT_H
#define NNHAL_LOWER_CONTEXT_H

#include "lower.h"

#define LOWER_NONE UINT32_MAX

/** What became of an operand of the model. */
struct lower_operand {
	uint32_t tensor; /* of the program, or LOWER_NONE: not made yet */
	/*
	 * [N,H,W,C] form of an [N,C,H,W] operand, or LOWER_NONE. An image operation in NCHW leaves
	 * only this; the NCHW tensor is made when somebody asks for it, so that a chain of such
	 * operations transposes at its ends only.
	 */
	uint32_t nhwc;
	uint32_t readers; /* appearances as an operation's input */
};

/** What fusion decided for an operation; see fuse.c. */
struct lower_plan {
	bool skip; /* another operation does its work */
	uint32_t activation; /* enum nnprog_activation to apply, where its own is NONE */
	uint32_t input; /* operand read instead of input 0, or LOWER_NONE */
	uint32_t output; /* operand written instead of output 0, or LOWER_NONE */
	uint32_t also; /* operand fused away whose dimensions hold for the output, or NONE */
};

struct lower_row;

/** Subgraphs of the model that main uses, through others too. A program holds them in an order in
 * which each comes after those that use it. */
struct lower_graphs {
	uint32_t num;
	uint32_t *order; /* indices in nnmodel.referenced; [i] is subgraph 1 + i of the program */
	uint32_t *number; /* by that index: of the program; LOWER_NONE: not used */
	char **refused; /* by that index, when only asking what is supported: why not, or NULL */
};

/**
 * 0; -EOPNOTSUPP (nested too deep) with @err, -ENOMEM. Free with lower_graphs_fini() in any case.
 */
int lower_graphs_init(struct lower_graphs *graphs, const struct nnmodel *model,
		      struct nnmodel_error *err);
void lower_graphs_fini(struct lower_graphs *graphs, const struct nnmodel *model);

struct lower {
	const struct nnmodel *model;
	const struct nnmodel_subgraph *graph; /* the one being lowered */
	const struct lower_graphs *graphs;
	const struct nnmodel_maps *maps;
	const struct nnhal_opset *opset;
	struct nnprog_builder *builder;
	struct nnmodel_error *err;
	/*
	 * Only asking what is supported: nothing is written, large constants are not copied, and
	 * what an unsupported operation would have written counts as an input.
	 */
	bool dry;
	bool (*stop)(void *cookie); /* asked before each operation; NULL: never */
	void *stop_cookie;
	struct lower_operand *operands; /* graph->num_operands */
	struct lower_plan *plans; /* graph->num_operations */
	uint32_t to_nhwc, to_nchw, omitted; /* shared tensors, or LOWER_NONE */
	/* the operation being lowered */
	const struct nnmodel_operation *op;
	const struct lower_plan *plan;
	const struct lower_row *row;
};

/** One NNAPI operation. @kind is the family's own. */
struct lower_row {
	int (*lower)(struct lower *l);
	uint32_t kind;
};
/** NULL: nobody lowers it. */
const struct lower_row *lower_find(uint32_t opcode);

/** Set up and free; @dry as above. With @dry no fusion. */
int lower_init(struct lower *l, const struct nnmodel *model, const struct nnmodel_maps *maps,
	       const struct lower_graphs *graphs, const struct nnhal_opset *opset, bool dry,
	       struct nnmodel_error *err);
void lower_fini(struct lower *l);
/** Begin the next subgraph of the program: main, then graphs->order. */
int lower_begin_graph(struct lower *l, const struct nnmodel_subgraph *graph, const char *name);
/** Fill l->plans. */
void lower_fuse(struct lower *l);

/** l->err = "operation N NAME: ..." for the current operation. Returns -EOPNOTSUPP. */
int lower_refuse(struct lower *l, uint32_t operand, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- reading the operation ---- */

static inline const struct nnmodel_operand *lower_operand(const struct lower *l, uint32_t i)
{
	return &l->graph->operands[l->op->inputs[i]];
}

static inline bool lower_is_quant8(uint32_t type)
{
	return type == NNMODEL_TENSOR_QUANT8_ASYMM || type == NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED;
}

/** Scalar parameters: must be constants. FLOAT16 is widened. */
int lower_int32(struct lower *l, uint32_t i, int32_t *value);
int lower_bool(struct lower *l, uint32_t i, bool *value);
int lower_float(struct lower *l, uint32_t i, float *value);
/** The same, >= @least. */
int lower_uint(struct lower *l, uint32_t i, int32_t least, uint32_t *value);
/** Fused activation: the parameter, or what fusion added to NONE. */
int lower_activation(struct lower *l, uint32_t i, uint32_t *activation);

/**
 * The forms of convolutions and pooling: whether paddings are given one by one, and where the
 * activation is; LOWER_NONE: the operation has none. Also for operations other than the current
 * one.
 */
bool lower_explicit_padding(const struct nnmodel_subgraph *g, const struct nnmodel_operation *op);
uint32_t lower_activation_input(const struct nnmodel_subgraph *g,
				const struct nnmodel_operation *op);

/** Padding parameters that begin at input @i, with their number in *@num. */
struct lower_padding {
	uint32_t mode; /* enum nnprog_padding */
	uint32_t left, right, top, bottom;
};
int lower_paddings(struct lower *l, uint32_t i, struct lower_padding *padding, uint32_t *num);

/* ---- tensors ---- */

/** Input @i, which may have no use, is not omitted. */
int lower_given(struct lower *l, uint32_t i);
/** Tensor of input @i. An omitted operand is refused, or with _opt gives an OMITTED tensor. */
int lower_in(struct lower *l, uint32_t i, uint32_t *tensor);
int lower_in_opt(struct lower *l, uint32_t i, uint32_t *tensor);
/**
 * As lower_in_opt(), with the quantization that the operand declares, whatever it was computed
 * with.
 */
int lower_in_declared(struct lower *l, uint32_t i, uint32_t *tensor);
/** [N,H,W,C] form of input @i. */
int lower_in_image(struct lower *l, uint32_t i, bool nchw, uint32_t *tensor);

/**
 * Tensor of output @i. Its quantization: as declared; the one given; that of tensor @like. What is
 * computed must be what a model output declares, and overrules what a temporary declares.
 */
int lower_out(struct lower *l, uint32_t i, uint32_t *tensor);
int lower_out_quant(struct lower *l, uint32_t i, float scale, int32_t zero_point, uint32_t *tensor);
int lower_out_like(struct lower *l, uint32_t i, uint32_t like, uint32_t *tensor);
/** The same for an image; @like LOWER_NONE: as declared. */
int lower_out_image(struct lower *l, uint32_t i, bool nchw, uint32_t like, uint32_t *tensor);

/** A temporary of what @op describes, for the operations that an NNAPI operation becomes. */
int lower_temp(struct lower *l, const struct nnprog_operand *op, uint32_t *tensor);

/** What is known of a tensor; contents valid until the next tensor is made. */
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
 * All inputs of the subgraph, in order; then, after the operations, its outputs; at last the
 * program.
 */
int lower_inputs(struct lower *l);
int lower_end_graph(struct lower *l);
int lower_finish(struct lower *l, struct nnhal_lowered *out);

/**
 * Outputs of a bidirectional operation: tensors of both sequences (temporaries for lower_merge()
 * with
 * @merge), and in *@states the number of the first of @num_states state outputs, or LOWER_NONE.
 */
int lower_two_outputs(struct lower *l, bool merge, uint32_t num_states, uint32_t *forward,
		      uint32_t *backward, uint32_t *states);
int lower_merge(struct lower *l, uint32_t forward, uint32_t backward);

/* ---- families ---- */

int lower_conv2d(struct lower *l);
int lower_depthwise(struct lower *l);
int lower_grouped(struct lower *l);
int lower_transpose_conv(struct lower *l);
int lower_pool(struct lower *l); /* kind: enum nnprog_pool */
int lower_binary(struct lower *l); /* kind: enum nnprog_binary, with an activation */
int lower_pair(struct lower *l); /* kind: enum nnprog_binary, without */
int lower_compare(struct lower *l); /* kind: enum nnprog_compare */
int lower_select(struct lower *l);
int lower_unary(struct lower *l); /* kind: enum nnprog_unary */
int lower_reshape(struct lower *l);
int lower_squeeze(struct lower *l);
int lower_expand_dims(struct lower *l);
int lower_transpose(struct lower *l);
int lower_concatenation(struct lower *l);
int lower_pack(struct lower *l);
int lower_pad(struct lower *l); /* PAD and PAD_V2 */
int lower_slice(struct lower *l);
int lower_strided_slice(struct lower *l);
int lower_split(struct lower *l);
int lower_gather(struct lower *l);
int lower_tile(struct lower *l);
int lower_reverse(struct lower *l);
int lower_mirror_pad(struct lower *l);
int lower_topk(struct lower *l);
int lower_embedding_lookup(struct lower *l);
int lower_hashtable_lookup(struct lower *l);
int lower_space_depth(struct lower *l); /* kind: to depth */
int lower_space_batch(struct lower *l); /* kind: to batch */
int lower_channel_shuffle(struct lower *l);
int lower_reduce(struct lower *l); /* kind: enum nnprog_reduce */
int lower_arg_minmax(struct lower *l); /* kind: is_min */
int lower_resize(struct lower *l); /* kind: enum nnprog_resize */
int lower_convert(struct lower *l); /* kind: enum nnprog_convert */
int lower_softmax(struct lower *l); /* kind: log */
int lower_l2_normalization(struct lower *l);
int lower_lrn(struct lower *l);
int lower_instance_normalization(struct lower *l);
int lower_batch_matmul(struct lower *l);
int lower_fully_connected(struct lower *l);
int lower_lstm(struct lower *l);
int lower_sequence_lstm(struct lower *l);
int lower_if(struct lower *l);
int lower_while(struct lower *l);
int lower_bidirectional_lstm(struct lower *l);
int lower_quantized_lstm(struct lower *l);
int lower_quantized_16bit_lstm(struct lower *l);
int lower_rnn(struct lower *l);
int lower_sequence_rnn(struct lower *l);
int lower_bidirectional_rnn(struct lower *l);
int lower_svdf(struct lower *l);
int lower_roi(struct lower *l); /* ROI_ALIGN and ROI_POOLING */
int lower_heatmap(struct lower *l);
int lower_bbox_transform(struct lower *l);
int lower_box_nms(struct lower *l);
int lower_proposals(struct lower *l);
int lower_detection(struct lower *l);
int lower_fill(struct lower *l);
int lower_rank(struct lower *l);
int lower_lsh_projection(struct lower *l);
int lower_multinomial(struct lower *l);
int lower_densify(struct lower *l);

#endif
