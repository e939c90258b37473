/* SPDX-License-Identifier: Apache-2.0 */
/* A graph of ONNX, copied: shapes, operators. */
#ifndef NNACCEL_ONNX_GRAPH_H
#define NNACCEL_ONNX_GRAPH_H

#include "delegate_common.h"
#include "ort_abi.h"

/*
 * onnx_graph.c: a graph of ONNX Runtime, copied: nodes, values, attributes. Constants stay in the
 * host's memory: it is valid as long as the host's graph is, unless onnx_graph_own() has copied
 * them.
 */

#define ONNX_MAX_RANK 8
/** Different names of open dimensions; further ones count as open without a name. */
#define ONNX_MAX_DIM_NAMES 64
/** No value: an omitted input. */
#define ONNX_NONE (-1)

/**
 * Whether the scale of an 8-bit value is known: of the QuantizeLinear and DequantizeLinear at it.
 */
enum onnx_quant { ONNX_QUANT_UNKNOWN, ONNX_QUANT_KNOWN, ONNX_QUANT_CONFLICT };

struct onnx_value {
	char *name;
	int type; /* enum ort_type; ORT_NO_TYPE: no tensor */
	uint32_t rank;
	int64_t dims[ONNX_MAX_RANK]; /* below 0: not known (onnx_shapes.c) */
	int64_t shown[ONNX_MAX_RANK]; /* what the host's graph has; below 0: open */
	uint32_t names[ONNX_MAX_RANK]; /* of open dimensions, from 1; 0: none */
	bool fixed; /* all dimensions are known, and above 0 */
	const void *data; /* of a constant, with all its bytes; NULL: it is none */
	void *owned; /* a copy, that @data refers to; NULL: the host has it */
	uint64_t elements; /* if @fixed */
	int producer; /* a node's place; ONNX_NONE: an input of the graph, or a constant */
	uint32_t consumers;
	int consumer; /* the last one */
	bool output; /* of the graph */
	enum onnx_quant quant;
	float scale;
	int32_t zero_point;
};

struct onnx_attribute {
	char *name;
	int type; /* ORT_ATTR_*; other types have no contents */
	size_t count;
	union {
		int64_t *ints;
		float *floats;
		char *text;
		void *data;
	};
};

struct onnx_node {
	const struct ort_node *handle;
	char *name, *op;
	bool standard; /* of ONNX's own domain */
	bool subgraphs;
	bool taken; /* a provider has it already */
	int version; /* of the operator set that has this form of the operator */
	int *inputs, *outputs; /* values */
	uint32_t num_inputs, num_outputs, num_attributes;
	int *implicit; /* values that its subgraphs read */
	uint32_t num_implicit;
	struct onnx_attribute *attributes;
};

struct onnx_graph {
	struct onnx_node *nodes; /* in an order in which they can run */
	struct onnx_value *values;
	uint32_t num_nodes, num_values;
	bool open; /* a value has open dimensions */
	char *dim_names[ONNX_MAX_DIM_NAMES];
	uint32_t num_dim_names;
	int64_t dim_sizes[ONNX_MAX_DIM_NAMES]; /* 0: not known; below 0: two inputs differ in it */
	bool inner; /* it has no inputs, or reads values of a graph around it: one of If, Loop or
		       Scan */
};

/**
 * Copy @source. @fused: the node that takes the graph's place, whose outputs are those of the
 * graph; NULL: the host says which are. 0, or -errno with the reason; onnx_graph_clear() whatever
 * the outcome.
 */
int onnx_graph_read(const struct ort_api *api, const struct ort_graph *source,
		    const struct ort_node *fused, struct onnx_graph *graph,
		    struct delegate_reason *reason);
void onnx_graph_clear(struct onnx_graph *graph);
/** Copy the host's constants, so that the graph outlives the host's. 0, or -ENOMEM. */
int onnx_graph_own(struct onnx_graph *graph);
/** Find out elements, and whether the shape is fixed, from the dimensions. */
void onnx_value_measure(struct onnx_value *value);
/** The value with this name; ONNX_NONE: there is none. */
int onnx_graph_find(const struct onnx_graph *graph, const char *name);

/** A status of the host as an error: it is released. 0, or -EINVAL with the reason. */
int onnx_check(const struct ort_api *api, struct ort_status *status,
	       struct delegate_reason *reason);

/** Bytes of an element; 0: a type that NNAPI has not. */
size_t onnx_type_size(int type);
const char *onnx_type_name(int type);

/** Attributes; @fallback where the node has none of that name and type. */
int64_t onnx_int(const struct onnx_node *node, const char *name, int64_t fallback);
float onnx_float(const struct onnx_node *node, const char *name, float fallback);
const char *onnx_text(const struct onnx_node *node, const char *name, const char *fallback);
/**
 * Its integers in @list, of ONNX_MAX_RANK * 2. Their number; -1: no such attribute; -2: too many.
 */
int onnx_ints(const struct onnx_node *node, const char *name, int64_t *list);

/** Whether @node is this operator of ONNX's own domain. */
bool onnx_is(const struct onnx_node *node, const char *op);
/** Whether @node only converts between float32 and 8 bits. */
bool onnx_is_conversion(const struct onnx_node *node);
/** The activation that @node is, enum nnmodel_fuse; NNMODEL_FUSED_NONE: another operator. */
uint32_t onnx_activation(const struct onnx_graph *graph, const struct onnx_node *node);
/** Dimensions for an operand; rank 0 becomes a dimension of 1. Returns the rank. */
uint32_t onnx_dims(const struct onnx_value *value, uint32_t *dims);
/** An axis of @rank dimensions, negative ones from the end; -1: there is no such dimension. */
int onnx_axis(int64_t axis, uint32_t rank);

/*
 * onnx_shapes.c: open dimensions: the graph has no size for them, at most a name. A graph is judged
 * with sizes that are chosen here; a partition is compiled with those of a run's inputs. The other
 * sizes follow: by the operators' rules, else by names.
 */

/** Choose sizes for the open dimensions of the graph's inputs, one for each name, and complete. */
void onnx_shapes_choose(struct onnx_graph *graph);
/** Forget all sizes that the host has not shown. */
void onnx_shapes_reset(struct onnx_graph *graph);
/** Value @number has @dims. */
void onnx_shapes_set(struct onnx_graph *graph, int number, const int64_t *dims);
/** Complete the shapes of the nodes' outputs, as far as they follow. */
void onnx_shapes_complete(struct onnx_graph *graph);
/**
 * Whether the shapes of the nodes @in follow from those of the inputs of these nodes: 0; 1: those
 * of
 * *@node do not; -ENOMEM.
 */
int onnx_shapes_follow(const struct onnx_graph *graph, const bool *in, uint32_t *node);

/* translate.c: the operators of ONNX that are translated. */

struct translator;

/**
 * The rule by which dimensions of an output follow; the host shows 1 for those that are reduced.
 */
enum onnx_shape {
	ONNX_SHAPE_NONE,
	ONNX_SHAPE_SAME, /* as of input 0 */
	ONNX_SHAPE_FIRST, /* the first one: images, of which a batch is open */
	ONNX_SHAPE_BROADCAST,
	ONNX_SHAPE_MATMUL,
	ONNX_SHAPE_GEMM,
	ONNX_SHAPE_TRANSPOSE,
	ONNX_SHAPE_CONCAT,
	ONNX_SHAPE_ELEMENTS, /* one of them, by the number of elements */
	ONNX_SHAPE_GATHER,
	ONNX_SHAPE_SPLIT, /* all but the axis */
};

/** A row of the tables of operators. */
struct onnx_operator {
	const char *name;
	void (*translate)(struct translator *t);
	uint32_t opcode; /* of translations that several operators have */
	unsigned int min_inputs;
	bool many; /* outputs; else one */
	enum onnx_shape shape; /* of its outputs */
	bool int64; /* what it does with int64 is the same with int32 if all numbers fit */
	unsigned int flags; /* RESULT_* */
	float scale; /* that the quantized form prescribes; 0: none */
	int32_t zero_unsigned, zero_signed; /* with it, of uint8 and int8 */
};

/** A row; what follows the number of inputs are further members. */
#define ONNX_ROW(name_, function, opcode_, inputs_, ...)                                        \
	{                                                                                       \
		.name = name_, .translate = function, .opcode = opcode_, .min_inputs = inputs_, \
		__VA_ARGS__                                                                     \
	}

extern const struct onnx_operator onnx_window_operators[], onnx_matrix_operators[],
	onnx_element_operators[], onnx_formula_operators[], onnx_shape_operators[];
/** The row of a node; NULL: NNAPI has no such operation. */
const struct onnx_operator *onnx_operator_find(const struct onnx_node *node);

#endif
