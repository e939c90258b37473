/* SPDX-License-Identifier: Apache-2.0 */
/* A small model of every operation in every type. */
#ifndef NNCTL_PROBES_H
#define NNCTL_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnmodel.h"

/* control_flow_models.c: models of IF and WHILE over a tensor of a type. */

/** Lists of columns as in a probe_row. */
extern const char probes_control_flow_types[];

/** The caller frees it with nnmodel_free(). NULL: out of memory. */
struct nnmodel *probe_control_flow_model(uint32_t opcode, uint32_t type);

/* probes.c: NNAPI's operations in families, in the order of NNAPI's documentation. */

enum op_family {
	FAMILY_BINARY,
	FAMILY_CONVOLUTION,
	FAMILY_POOLING,
	FAMILY_UNARY,
	FAMILY_CONVERSION,
	FAMILY_COMPARISON,
	FAMILY_MOVEMENT,
	FAMILY_REDUCTION,
	FAMILY_NORMALIZATION,
	FAMILY_RESIZE,
	FAMILY_REGION,
	FAMILY_BOX,
	FAMILY_RECURRENT,
	FAMILY_SAMPLING,
	FAMILY_CONTROL,
	FAMILY_NONE, /* not an operation of NNAPI */
};

enum op_family op_family(uint32_t opcode);
const char *op_family_name(enum op_family family);

/* rows.c: the models of all operations but control flow, as text. */

/** The combinations of types that share one text. */
struct probe_row {
	uint32_t opcode;
	const char *types; /* lists of columns, separated by spaces */
	const char *in, *out; /* probes/spec.c */
};

struct probe_table {
	const struct probe_row *rows;
	size_t num;
};

extern const struct probe_table probe_rows;

/*
 * spec.c: models of one operation from text. Operands are separated by spaces:
 *
 *	F32:1x4x4x2	tensor of that type; dims joined by x, 0 unknown; without ":": unknown rank
 *	0:2x3		tensor (or scalar) of the type in that column of the probe, 0 to 3
 *	0:4@0.25,3	with scale and zero point, else 0.5 and 0 where the type needs them; ignored
 *			where it has none (floats, BOOL8, per channel; I32 in column 0, which is a
 *			bias in other columns)
 *	1:3x2/1		per channel along dimension 1 (default 0), every scale 0.5; ignored for
 *			other types
 *	i b		scalar INT32, BOOL
 *	f		scalar FLOAT16 if column 0 is TENSOR_FLOAT16, else FLOAT32
 *	f16 u32		scalar of that type
 *	p		scalar pad value: FLOAT16, FLOAT32, or INT32 where column 0 is neither
 *	I		TENSOR_INT32
 *	i=5 I:2=3,4	constant of these values
 *	0:4^positive	what an example has there (enum probe_values); numbers of all kinds without
 *it ~0		an omitted operand
 *
 * Inputs without a value are inputs of the model, outputs its outputs.
 */

#define PROBE_COLUMNS 4

/** Values of an input that an operation computes with; of an output, whether they are known. */
enum probe_values {
	PROBE_VALUES_ANY,
	PROBE_VALUES_POSITIVE,
	PROBE_VALUES_NONZERO,
	PROBE_VALUES_SMALL, /* from -1 to 1, also where numbers are quantized */
	PROBE_VALUES_ZERO,
	PROBE_VALUES_ASCENDING, /* 0, 1, 2: rows, sorted keys */
	PROBE_VALUES_BOXES, /* corners inside of the probes' pictures of 4x4 */
	PROBE_VALUES_PICTURE, /* the height and width that boxes are in */
	PROBE_VALUES_RANDOM, /* of an output: each device draws others */
};

/** Types in columns: enum nnmodel_type; beyond num, NNMODEL_TYPE_COUNT. */
struct probe_types {
	uint32_t num;
	uint32_t type[PROBE_COLUMNS];
};

/** "F32", "Q8S" and so on; "?" for a type without a name here. */
const char *probe_type_name(uint32_t type);

/** The types that have a column in tables of operations; probe_type_name() is its title. */
#define PROBE_LISTED 10
extern const uint32_t probe_listed[PROBE_LISTED];

/**
 * Parse one list of columns, "Q8,QPC,I32,Q8", at *@text, and advance *@text behind it and the space
 * that follows. 0 or -EINVAL.
 */
int probe_parse_types(const char **text, struct probe_types *types);

/** Whether operands of the type have a scale. */
bool probe_takes_scale(uint32_t type);

/**
 * Append the operand at the front of @text, with this lifetime if it has no value and is not
 * omitted. Its number, or -errno.
 */
int probe_add_operand(struct nnmodel *model, const struct probe_types *types, const char *text,
		      uint32_t lifetime);

/** Values of the operand at the front of @text, which is part of a valid row. */
enum probe_values probe_operand_values(const char *text);

/**
 * A model of one operation. The caller frees it with nnmodel_free(). NULL: the text is malformed or
 * memory is short, with the reason in @error.
 */
struct nnmodel *probe_parse_model(uint32_t opcode, const struct probe_types *types, const char *in,
				  const char *out, char *error, size_t error_size);

/*
 * probes.c: a small model of every NNAPI operation in every combination of data types that NNAPI
 * allows for it: what "nnctl ops" asks devices about.
 */

struct probe {
	uint32_t opcode;
	struct probe_types types; /* column 0: the type that "nnctl ops" lists the operation under
				   */
	const struct probe_row *row; /* NULL: control flow */
};

/**
 * Call @found with every probe, in order of operation codes (the experimental DENSIFY last), until
 * it returns nonzero, and return that value. -EINVAL: a table is malformed.
 */
int probes_each(int (*found)(void *cookie, const struct probe *probe), void *cookie);

/** Values of input number @input of the probe's model. */
enum probe_values probe_input_values(const struct probe *probe, uint32_t input);
/** Whether each device computes other outputs. */
bool probe_is_random(const struct probe *probe);

/** An operand of an operation. */
struct probe_place {
	bool output;
	uint32_t index; /* UINT32_MAX: the last input */
};

/** The operand whose type is column 0, under which "nnctl ops" lists the operation. */
struct probe_place probe_typed_operand(uint32_t opcode);

/** The probe's model. The caller frees it with nnmodel_free(). NULL with the reason in @error. */
struct nnmodel *probe_model(const struct probe *probe, char *error, size_t error_size);

#endif
