/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a parsed file to an NNAPI model: the importer, and the translation of each group of
 * operators.
 */
#ifndef NNACCEL_IMPORTER_H
#define NNACCEL_IMPORTER_H

#include "nnimport.h"
#include "tflite.h"
#include "value_file.h"

/*
 * importer.c: parts that the translations of operations share: operands of tensors, options,
 * refusals.
 *
 * NNAPI has no scalars among its tensors: a tensor of rank 0 is an operand of shape [1]. NNAPI's
 * result of an operation may differ from the tensor of the file in shape, or in the quantization
 * that the operation demands. import_output_as() then gives an operand of NNAPI's form, and
 * import_emit() adds what makes the tensor of it: DEQUANTIZE and QUANTIZE, RESHAPE.
 */

struct import_row;

/** What NNAPI makes of a tensor. */
struct import_form {
	uint32_t type; /* enum nnmodel_type */
	uint32_t rank;
	int32_t dims[NNIMPORT_MAX_RANK];
	float scale;
	int32_t zero_point;
};

struct import_tensor {
	int32_t operand; /* the NNAPI operand that has its value now; -1: none yet */
	int32_t real; /* an operand of its value in FLOAT32; -1: none yet */
	int32_t first; /* of a state: the operand of the value before the model runs; -1 */
	bool written; /* an input of the model, or written by an operation */
	bool narrow; /* INT64 whose values are 32 bits */
	bool filled; /* of a resource variable: each byte of its first value is @fill */
	uint8_t fill;
};

struct import_fix {
	int operand; /* written by the operation */
	uint32_t output; /* the output of the operation that is made of it */
};

struct import {
	struct tflite_model *tfl;
	struct nnmodel *nn;
	struct nnimport *result;
	struct import_tensor *tensors;
	const struct import_row *row;
	const struct tflite_operator *op;
	uint32_t position; /* of op */
	bool real; /* op works on FLOAT32 values of its quantized tensors */
	int32_t fuse; /* activation that the NNAPI operation takes: enum nnmodel_fuse */
	int32_t after; /* activation of its own behind it: as the file numbers them, 0: none */
	/* of an operation that broadcasts more dimensions than NNAPI has: merged_dims.c */
	uint32_t num_groups, groups_rank;
	uint32_t groups[NNIMPORT_MAX_RANK]; /* of each dimension of the output: its group */
	struct import_fix *fixes; /* of the operation under construction */
	uint32_t num_fixes;
	struct nnmodel_value_file file; /* of the first subgraph */
	uint32_t depth; /* 0: the first subgraph; else one that IF and WHILE name */
	uint32_t *graphs_left; /* how many of those may be translated yet */
	/**
	 * Translate subgraph number @graph of the file into a model of its own, for the current
	 * operation of @im.
	 */
	int (*import_graph)(struct import *im, uint32_t graph, struct nnmodel **nn);
	uint32_t *positions; /* of each NNAPI operation: its operator in the file */
	uint32_t num_positions;
};

/** Refuse the current operation: NNAPI cannot express it. Returns -EOPNOTSUPP. */
int import_lacks(struct import *im, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** Fail: the file is inconsistent (-EINVAL) or memory ran out. Returns @err. */
int import_failed(struct import *im, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/** What is not wrong but worth a word; the first of a file is kept. */
void import_note(struct import *im, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/**
 * Option @field of the current operation, by its number in the schema's table of the operator; @def
 * where the operation does not have it. Flags and codes are bytes; a code of a graph that is none
 * becomes INT8_MAX. These are the only readers of options.
 */
int8_t import_option_byte(const struct import *im, unsigned int field, int8_t def);
int32_t import_option_int(const struct import *im, unsigned int field, int32_t def);
float import_option_float(const struct import *im, unsigned int field, float def);

/** Tensor behind input or output number @i of the operation; NULL: it is omitted. */
struct tflite_tensor *import_input_tensor(const struct import *im, uint32_t i);
struct tflite_tensor *import_output_tensor(const struct import *im, uint32_t i);
/** Whether the operation has @min to @max inputs and @outputs outputs; else fails. */
int import_check_counts(struct import *im, uint32_t min, uint32_t max, uint32_t outputs);
/** Whether it has a list of inputs, none omitted, and one output; else fails. */
int import_check_list(struct import *im);
/** Whether the type of a tensor is UINT8 or INT8. */
bool import_is_quant8(const struct tflite_tensor *t);

/**
 * NNAPI operand of a tensor, or of input number @i; made when first needed. Of quantized inputs of
 * an operation that works on real values: import_real(). Negative: failed.
 */
int import_operand(struct import *im, int32_t tensor);
int import_input(struct import *im, uint32_t i);
/** As import_input(), but an operand of @type without value for an omitted input. */
int import_optional(struct import *im, uint32_t i, uint32_t type);
/** FLOAT32 operand of the values of input @i: folded for a constant, else by an operation. */
int import_real(struct import *im, uint32_t i);
/** Operand of input @i in a quantization, requantized if it has another. */
int import_input_in(struct import *im, uint32_t i, float scale, int32_t zero_point);
/**
 * Decide whether the operation works on real values: where the output has another quantization than
 * NNAPI demands of a computed value. Of a moved value, import_emit() changes the quantization.
 */
int import_choose_real(struct import *im);
/** Operand of output number @i, in the form that the row of the operation demands. */
int import_output(struct import *im, uint32_t i);
/** Operand of output number @i, which NNAPI gives in the form @form. */
int import_output_as(struct import *im, uint32_t i, const struct import_form *form);
/**
 * The form of output number @i by the row of the operation; its shape is that of the file, of at
 * most 4 dimensions.
 */
int import_output_form(struct import *im, uint32_t i, struct import_form *form);
/** The shape of a tensor that the file does not know. */
int import_set_shape(struct import *im, struct tflite_tensor *t, const int32_t *dims,
		     uint32_t rank);
/** The form of an operand that exists. */
struct import_form import_form_of(const struct import *im, int operand);
/** A temporary of a form. */
int import_temporary(struct import *im, const struct import_form *form);
/** Count bytes of a constant that is not in the file. Of a small file, few are made. */
int import_may_make(struct import *im, size_t bytes);
/**
 * A constant of a form; the contents are copied. Of a small file, few bytes of constants are made.
 */
int import_constant(struct import *im, const struct import_form *form, const void *data,
		    size_t size);
bool import_is_constant(const struct import *im, int operand);
/** @size bytes of the contents of a constant, from @offset on. */
int import_read_constant(struct import *im, int operand, size_t offset, void *data, size_t size);
/** A constant INT32 tensor of one dimension. */
int import_int32_tensor(struct import *im, const int32_t *values, uint32_t count);
/** A constant tensor of rank 1 with one element, of the type FLOAT32, FLOAT16 or INT32. */
int import_one(struct import *im, uint32_t type, float value);
/** NNAPI operand type of a tensor in the current operation, or UINT32_MAX. */
uint32_t import_type(const struct import *im, const struct tflite_tensor *t);
/** Make output @i a constant. The tensor then owns @data. */
int import_fold(struct import *im, uint32_t i, void *data);

/** Scalar of the float type that goes with tensor @t: FLOAT16 for FLOAT16 tensors, else FLOAT32. */
int import_float_for(struct import *im, const struct tflite_tensor *t, float value);
/** The values of a constant INT32 or INT64 input; at most @max. Count, or negative: refused. */
int import_constant_ints(struct import *im, uint32_t i, int32_t *values, uint32_t max);
/** im->fuse as an INT32 scalar. */
int import_activation(struct import *im);
/** Implicit padding code in option @field. */
int import_padding(struct import *im, unsigned int field);
/** Option @field, of 4 bytes, as an INT32 scalar. */
int import_option_operand(struct import *im, unsigned int field, int32_t def);

/**
 * Add an NNAPI operation and what its outputs need behind it. Fails when a number in @inputs is
 * negative: the helper that gave it has set the message.
 */
int import_emit(struct import *im, uint32_t opcode, const int *inputs, uint32_t num_inputs,
		const int *outputs, uint32_t num_outputs);
/** RESHAPE of one operand to another, by other operations where NNAPI's RESHAPE lacks the type. */
int import_reshape(struct import *im, int from, int to);
/** An operand of the same value in another shape. */
int import_reshaped(struct import *im, int from, const int32_t *dims, uint32_t rank);
/** From BOOL8 to INT32, 1 and 0, or back. NNAPI moves elements of INT32 only. */
int import_convert_bool(struct import *im, int from, int to);
/** An operand repeated until it has the shape of @to, which it broadcasts to. */
int import_repeated(struct import *im, int operand, const struct import_form *to);
/** Copy one operand to another of the same form. */
int import_copy(struct import *im, int from, int to);

/** Axis in [-rank, rank) made non-negative; out of that range as it is. */
int32_t import_axis(int32_t axis, uint32_t rank);

/*
 * Tensors of more dimensions than most of NNAPI's operations take. The operand of such a tensor has
 * its leading dimensions in one. An operation takes dimensions that it treats alike as one:
 * import_reshaped() gives an operand that shape, and the output gets its own behind the operation.
 */

/** NNAPI's dimensions. */
#define MERGED_RANK 4

/** Of a shape, that of the operand. */
void merged_form(struct import_form *form);
/** Choose im->groups for an operation that broadcasts tensors of more dimensions. */
int merged_choose_groups(struct import *im);
/** The shape of a tensor by im->groups. */
void merged_by_groups(const struct import *im, const struct tflite_tensor *t,
		      struct import_form *form);
/** Extents in front of dimension @axis, along it, and behind it. */
void merged_around(const struct tflite_tensor *t, int32_t axis, int32_t view[3]);
/** Refuse an operation that works along @count kinds of dimensions. */
int merged_refuse(struct import *im, uint32_t count);

/** Types that an NNAPI operation takes beside FLOAT32 and FLOAT16. */
enum {
	IMPORT_Q8 = 1, /* QUANT8_ASYMM */
	IMPORT_Q8S = 2, /* QUANT8_ASYMM_SIGNED */
	IMPORT_I32 = 4,
	IMPORT_B8 = 8,
	IMPORT_ANY = 16, /* the translation decides */
	IMPORT_QUANT8 = IMPORT_Q8 | IMPORT_Q8S,
	IMPORT_DATA = IMPORT_QUANT8 | IMPORT_I32,
};

/** The quantization of the output that NNAPI demands. */
enum import_quant {
	IMPORT_OWN, /* any */
	IMPORT_SAME, /* that of the data input; its values are moved or clamped */
	IMPORT_SAME_REAL, /* the same; the values are computed */
	IMPORT_OF_256, /* scale 1/256, from 0 on */
	IMPORT_OF_128, /* scale 1/128, around 0 */
};

/** The shape of the output. */
enum import_shape {
	IMPORT_IN_FILE, /* the translation computes it if the file lacks it */
	IMPORT_AS_DATA, /* that of the data input */
	IMPORT_BROADCAST, /* that of all inputs, broadcast */
};

struct import_row {
	int opcode; /* BuiltinOperator */
	uint32_t nn_opcode;
	/** 0, or negative after import_lacks() or import_failed(). */
	int (*import)(struct import *im, const struct import_row *row);
	uint8_t types;
	uint8_t quant; /* enum import_quant */
	uint8_t data; /* the input with the data */
	uint8_t shape; /* enum import_shape: where the file does not know it */
	uint8_t activation; /* 1 + option field of the fused activation; 0: none */
	bool fuses; /* the NNAPI operation takes an activation */
	bool by_place; /* it names dimensions by their place: at most 4 of them */
	uint32_t unread; /* inputs, bit by bit, that the translation does not need */
};

#define IMPORT_EMIT(im, opcode, output, ...)                                                     \
	import_emit(im, opcode, (const int[]){ __VA_ARGS__ },                                    \
		    sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int), (const int[]){ output }, \
		    1)

/*
 * map_ops.c: operations whose output has elements of an input in an order that the file knows: a
 * GATHER by a constant list, and a SELECT where other values stand between them. Of any type and
 * rank.
 */

/**
 * Rows of an operand in another order.
 * @from: the operand, read as rows of @inner elements
 * @rows: of the output
 * @map: of import_new_map(); the row of @from for each; -1: the row of @other, which is read in the
 * same way
 * @other: -1: there is no other row
 */
struct import_map {
	int from, other;
	int32_t rows, inner;
	int32_t *map;
};

/** Emit a map as output 0; the form is that of its row. Frees @m->map, also when it fails; if it is
 * NULL, -EOPNOTSUPP. */
int import_emit_map(struct import *im, struct import_map *m);
/** @count numbers for a map; NULL: import_failed() has the message. import_emit_map() or free() */
int32_t *import_new_map(struct import *im, int64_t count);

/** INT32 inputs behind each other along @axis; @view: the extents of the result before, along and
 * behind it. */
int import_join(struct import *im, const int32_t view[3], int32_t axis);

int import_transpose(struct import *im, const struct import_row *row);
int import_pad(struct import *im, const struct import_row *row);
int import_scatter_nd(struct import *im, const struct import_row *row);
int import_update_slice(struct import *im, const struct import_row *row);
int import_reverse_sequence(struct import *im, const struct import_row *row);
int import_matrix_diag(struct import *im, const struct import_row *row);

/*
 * shape_ops.c: translation of operations that move elements, choose some of them, or reduce them.
 */

/** RESHAPE, SQUEEZE, EXPAND_DIMS: the shape is that of the output. */
int import_reshape_op(struct import *im, const struct import_row *row);
int import_unpack(struct import *im, const struct import_row *row);
/** A tensor and an INT32 tensor of parameters. */
int import_with_ints(struct import *im, const struct import_row *row);
int import_tile(struct import *im, const struct import_row *row);
int import_pad_with(struct import *im, const struct import_row *row);
int import_mirror_pad(struct import *im, const struct import_row *row);
/** MEAN takes its flag as INT32, the others as BOOL. */
int import_mean(struct import *im, const struct import_row *row);
int import_reduce(struct import *im, const struct import_row *row);
int import_arg_minmax(struct import *im, const struct import_row *row);
int import_topk(struct import *im, const struct import_row *row);
/** The options of RESIZE_BILINEAR begin with two unused fields. */
int import_resize_bilinear(struct import *im, const struct import_row *row);
int import_resize_nearest(struct import *im, const struct import_row *row);
int import_gather(struct import *im, const struct import_row *row);
int import_embedding(struct import *im, const struct import_row *row);
int import_hashtable(struct import *im, const struct import_row *row);
int import_slice(struct import *im, const struct import_row *row);
int import_strided_slice(struct import *im, const struct import_row *row);
int import_split(struct import *im, const struct import_row *row);
int import_split_v(struct import *im, const struct import_row *row);
int import_depth(struct import *im, const struct import_row *row);
int import_space_to_batch(struct import *im, const struct import_row *row);
int import_batch_to_space(struct import *im, const struct import_row *row);
int import_reverse(struct import *im, const struct import_row *row);
int import_zeros(struct import *im, const struct import_row *row);

/*
 * graph_checks.c: checks of tensors and lists, wherever they come from. Each returns false after a
 * failure in the struct fb of the model, at the offset @pos of a file; of a graph it means nothing.
 */

/** tensor->type is one of the schema. */
bool tflite_check_type(struct fb *fb, size_t pos, const struct tflite_tensor *tensor);
/**
 * tensor->rank and ->dims, of which no more than NNIMPORT_MAX_RANK are set. Sets size and ranked.
 * @has_rank: a rank of 0 is that of a scalar, not of an unknown shape.
 */
bool tflite_check_shape(struct fb *fb, size_t pos, bool has_rank, struct tflite_tensor *tensor);
/** Scales, zero points and dimension, at least one scale, after the shape. Sets num_scales. */
bool tflite_check_quantization(struct tflite_model *model, struct tflite_tensor *tensor);
/**
 * Make a tensor, after its shape, a constant of @size > 0 bytes at @bytes, which must outlive it.
 * Values of INT4 become INT8.
 */
bool tflite_set_contents(struct tflite_model *model, size_t pos, const uint8_t *bytes, size_t size,
			 struct tflite_tensor *tensor);
/** Numbers of tensors; @optional: -1 is none. */
bool tflite_check_list(struct fb *fb, size_t pos, const int32_t *list, uint32_t count,
		       uint32_t num_tensors, bool optional, const char *what);

/* math_ops.c: functions that NNAPI lacks and a few of its operations compute. */

int import_cos(struct import *im, const struct import_row *row);
int import_round(struct import *im, const struct import_row *row);
int import_sign(struct import *im, const struct import_row *row);
int import_gelu(struct import *im, const struct import_row *row);
int import_cumsum(struct import *im, const struct import_row *row);
/** A reduction of INT32, which NNAPI's do not take. */
int import_reduce_int32(struct import *im, const struct import_row *row);

/*
 * resource_variables.c: resource variables: VAR_HANDLE names one, CALL_ONCE gives the first value,
 * READ_VARIABLE and ASSIGN_VARIABLE are its use. Each becomes a variable tensor, and so a state of
 * the model.
 */

/**
 * Before the operations of the file's first subgraph are translated: the first handle of each
 * variable becomes a variable tensor of the form of its values, and all uses name that one. 0, or
 * negative with the message.
 */
int variables_find(struct import *im);
/** Whether an operation works by what it changes, so that it is needed though nothing reads it. */
bool variables_needs(const struct tflite_operator *op);

int import_variable_handle(struct import *im, const struct import_row *row);
int import_read_variable(struct import *im, const struct import_row *row);
int import_assign_variable(struct import *im, const struct import_row *row);

/* control_ops.c: translation of IF and WHILE. */

int import_if(struct import *im, const struct import_row *row);
int import_while(struct import *im, const struct import_row *row);

/* element_ops.c: translation of operations on the elements of tensors. */

/** All inputs as they are, one output. */
int import_plain(struct import *im, const struct import_row *row);
/** Two inputs and an activation. */
int import_arithmetic(struct import *im, const struct import_row *row);
int import_mul(struct import *im, const struct import_row *row);
int import_div(struct import *im, const struct import_row *row);
int import_floor_div(struct import *im, const struct import_row *row);
int import_floor_mod(struct import *im, const struct import_row *row);
int import_add_n(struct import *im, const struct import_row *row);
int import_elu(struct import *im, const struct import_row *row);
int import_leaky_relu(struct import *im, const struct import_row *row);
int import_relu_0_to_1(struct import *im, const struct import_row *row);
int import_ceil(struct import *im, const struct import_row *row);
int import_square(struct import *im, const struct import_row *row);
int import_squared_difference(struct import *im, const struct import_row *row);
int import_softmax(struct import *im, const struct import_row *row);
int import_log_softmax(struct import *im, const struct import_row *row);
int import_response_normalization(struct import *im, const struct import_row *row);
int import_select(struct import *im, const struct import_row *row);
/** BROADCAST_TO: the shape is that of the file. */
int import_broadcast_to(struct import *im, const struct import_row *row);
/** FILL with a value that is no constant, or is one. */
int import_fill(struct import *im, const struct import_row *row);
int import_cast(struct import *im, const struct import_row *row);
int import_dequantize(struct import *im, const struct import_row *row);
/** The contents of a sparse constant, which are dense already. */
int import_densify(struct import *im, const struct import_row *row);
int import_quantize(struct import *im, const struct import_row *row);
int import_batch_matmul(struct import *im, const struct import_row *row);

/*
 * fold_ops.c: operations whose result the file knows: it becomes a constant, and no operation is
 * left of them.
 */

int import_shape_of(struct import *im, const struct import_row *row);
int import_rank(struct import *im, const struct import_row *row);
/** Of constants; another one is refused. */
int import_range(struct import *im, const struct import_row *row);
int import_where(struct import *im, const struct import_row *row);
int import_broadcast_args(struct import *im, const struct import_row *row);

/*
 * Constants computed from constants of the file. Results are malloc'ed; NULL: no
 * memory.
 */

/** Whether every value of a constant INT32 or INT64 tensor is one of 32 bits. */
bool fold_is_narrow(const struct tflite_tensor *t);
/** The values of a narrow one. */
int32_t *fold_narrow(const struct tflite_tensor *t);
/** Whether fold_real() knows the type of a constant. */
bool fold_has_real(const struct tflite_tensor *t);
/** The real values of a constant of FLOAT32, FLOAT16, or a quantized type. */
float *fold_real(const struct tflite_model *model, const struct tflite_tensor *t);

/* import.c: from a parsed file to an NNAPI model. */

/**
 * Translate subgraph 0 into result->model. Operations that no model output needs are left out.
 * Shapes and constants that follow from the file are added to its tensors. 0, or a negative error
 * with verdict and message.
 */
int tflite_import(struct tflite_model *tflite, struct nnimport *result);

/* index_ops.c: translation of operations on indices that NNAPI has in a simpler form. */

int import_gather_nd(struct import *im, const struct import_row *row);
int import_one_hot(struct import *im, const struct import_row *row);

/* joint_ops.c: operations that put all inputs beside each other along an axis. */

int import_concatenation(struct import *im, const struct import_row *row);
int import_pack(struct import *im, const struct import_row *row);

/* layers.c: translation of operations with weights or windows. */

int import_conv2d(struct import *im, const struct import_row *row);
int import_depthwise(struct import *im, const struct import_row *row);
int import_transpose_conv(struct import *im, const struct import_row *row);
int import_fully_connected(struct import *im, const struct import_row *row);
int import_pool(struct import *im, const struct import_row *row);

/* recurrent_layers.c: translation of operations that keep a state. */

int import_lstm(struct import *im, const struct import_row *row);
int import_sequence_lstm(struct import *im, const struct import_row *row);
int import_both_ways_lstm(struct import *im, const struct import_row *row);
int import_rnn(struct import *im, const struct import_row *row);
int import_sequence_rnn(struct import *im, const struct import_row *row);
int import_both_ways_rnn(struct import *im, const struct import_row *row);
int import_svdf(struct import *im, const struct import_row *row);

#endif
