/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the table of operations: their signatures, and the rules of their operands. */
#ifndef NNMODEL_ROWS_H
#define NNMODEL_ROWS_H

#include <stdint.h>

#include "nnmodel.h"
#include "nnmodel_common.h"

/* types.c: operand types. */

enum nnmodel_quant_rule {
	NNMODEL_QUANT_NONE, /* scale 0, zero point 0 */
	NNMODEL_QUANT_OPTIONAL, /* scale >= 0, zero point 0 */
	NNMODEL_QUANT_REQUIRED, /* scale > 0, zero point in the range of the type */
	NNMODEL_QUANT_CHANNEL, /* scale 0, zero point 0, a scale per channel */
};

struct nnmodel_type_info {
	const char *name;
	uint8_t size; /* bytes of an element */
	uint8_t feature_level;
	bool scalar;
	uint8_t quant; /* enum nnmodel_quant_rule */
	int32_t zero_point_min, zero_point_max;
};
/** The sizes of a model and of an error in this library. */
extern const struct nnmodel_sized nnmodel_sized_model, nnmodel_sized_error;

/** A model as this library knows it, @model or @older; NULL: its size is invalid. */
static inline const struct nnmodel *nnmodel_known(const struct nnmodel *model,
						  struct nnmodel *older)
{
	return nnmodel_sized_get(&nnmodel_sized_model, model, older);
}

/** NULL for OEM, extension and unknown types. */
const struct nnmodel_type_info *nnmodel_type_info(uint32_t type);

static inline bool nnmodel_is_extension(uint32_t type)
{
	return type > NNMODEL_TYPE_BASE_MAX;
}

static inline bool nnmodel_is_constant(const struct nnmodel_operand *operand)
{
	return operand->lifetime == NNMODEL_CONSTANT_COPY ||
	       operand->lifetime == NNMODEL_CONSTANT_REFERENCE;
}

static inline void nnmodel_raise_level(uint32_t *feature_level, uint32_t level)
{
	if (*feature_level < level)
		*feature_level = level;
}

/*
 * signature.c: signatures as data. An operation has type combinations (types that are valid
 * together, since which feature level), forms (operand lists that differ by count or by the kind of
 * one operand), rank rules and perhaps a check of its own: tables that ops/generate.py makes of
 * ops/. Operand lists are strings, a letter an operand: the kinds that generate.py explains, and *
 * for the letter before it, once or more often, at most one in a list.
 *
 * Ranks run along the inputs: a digit is that rank exactly, '<' at most 4, '.' any; only known
 * ranks are judged, and inputs beyond the string may have any.
 */

#define NNMODEL_SIG_COLUMNS 4

struct nnmodel_sig_combo {
	uint8_t feature_level;
	uint8_t types[NNMODEL_SIG_COLUMNS];
};

struct nnmodel_sig_form {
	uint8_t feature_level;
	const char *in, *out;
};

/** Input of an operation's check: the form and combination that matched. */
struct nnmodel_sig_context {
	const struct nnmodel *model;
	const struct nnmodel_subgraph *graph;
	const struct nnmodel_operation *op;
	const struct nnmodel_sig_form *form;
	const struct nnmodel_sig_combo *combo;
	uint32_t *feature_level;
	struct nnmodel_error *err;
};

struct nnmodel_sig {
	struct nnmodel_op_row row; /* .validate = nnmodel_sig_validate */
	const struct nnmodel_sig_combo *combos;
	uint32_t num_combos;
	const struct nnmodel_sig_form *forms;
	uint32_t num_forms;
	const char *ranks; /* or NULL */
	/* constraints beyond types and ranks, or NULL; 0 or what nnmodel_sig_refuse() returns */
	int (*check)(const struct nnmodel_sig_context *c);
};

/** Short names for the tables. */
#define F32 NNMODEL_TENSOR_FLOAT32
#define F16 NNMODEL_TENSOR_FLOAT16
#define I32 NNMODEL_TENSOR_INT32
#define Q8 NNMODEL_TENSOR_QUANT8_ASYMM
#define Q8S NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED
#define Q8Y NNMODEL_TENSOR_QUANT8_SYMM
#define QPC NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL
#define Q16S NNMODEL_TENSOR_QUANT16_SYMM
#define Q16A NNMODEL_TENSOR_QUANT16_ASYMM
#define B8 NNMODEL_TENSOR_BOOL8

#define NNMODEL_ARRAY_SIZE(a) ((uint32_t)(sizeof(a) / sizeof((a)[0])))
/** A row of the table, which ops/generate.py writes; the rest are further columns of the row. */
#define NNMODEL_SIG(op, level, combos_, forms_, ranks_, check_, ...)                           \
	{                                                                                      \
		.row = { .opcode = NNMODEL_##op,                                               \
			 .name = #op,                                                          \
			 .feature_level = level,                                               \
			 .validate = nnmodel_sig_validate,                                     \
			 __VA_ARGS__ },                                                        \
		.combos = combos_, .num_combos = NNMODEL_ARRAY_SIZE(combos_), .forms = forms_, \
		.num_forms = NNMODEL_ARRAY_SIZE(forms_), .ranks = ranks_, .check = check_      \
	}

/** nnmodel_op_row.validate of every row that is a struct nnmodel_sig. */
int nnmodel_sig_validate(const struct nnmodel_op_row *row, const struct nnmodel *model,
			 const struct nnmodel_subgraph *graph, const struct nnmodel_operation *op,
			 uint32_t *feature_level, struct nnmodel_error *err);

static inline const struct nnmodel_operand *nnmodel_sig_in(const struct nnmodel_sig_context *c,
							   uint32_t i)
{
	return &c->graph->operands[c->op->inputs[i]];
}

static inline const struct nnmodel_operand *nnmodel_sig_out(const struct nnmodel_sig_context *c,
							    uint32_t i)
{
	return &c->graph->operands[c->op->outputs[i]];
}

/** A check: the output has the quantization and rank of input 0. */
int nnmodel_sig_check_alike(const struct nnmodel_sig_context *c);

#define nnmodel_sig_refuse(c, operand, ...) \
	nnmodel_refuse((c)->model, (c)->graph, (c)->op, operand, (c)->err, __VA_ARGS__)

/* op_checks.c: struct nnmodel_sig.check, "check" in ops/. */

int nnmodel_check_mul(const struct nnmodel_sig_context *c);
int nnmodel_check_concatenation(const struct nnmodel_sig_context *c);
int nnmodel_check_pack(const struct nnmodel_sig_context *c);
int nnmodel_check_conv(const struct nnmodel_sig_context *c);
int nnmodel_check_depthwise(const struct nnmodel_sig_context *c);
int nnmodel_check_cast(const struct nnmodel_sig_context *c);
int nnmodel_check_densify(const struct nnmodel_sig_context *c);
int nnmodel_check_fully_connected(const struct nnmodel_sig_context *c);
int nnmodel_check_normalization(const struct nnmodel_sig_context *c);
int nnmodel_check_pad(const struct nnmodel_sig_context *c);
int nnmodel_check_mirror_pad(const struct nnmodel_sig_context *c);
int nnmodel_check_softmax(const struct nnmodel_sig_context *c);
int nnmodel_check_to_batch(const struct nnmodel_sig_context *c);
int nnmodel_check_reverse(const struct nnmodel_sig_context *c);

/* op_control_flow.c: IF and WHILE, whose signature is that of the subgraphs that they name. */

extern const struct nnmodel_op_row nnmodel_row_if, nnmodel_row_while;

/* work.c: multiply-adds of operations, "work" in ops/. */

double nnmodel_work_conv(const struct nnmodel_subgraph *graph, const struct nnmodel_operation *op);
double nnmodel_work_depthwise(const struct nnmodel_subgraph *graph,
			      const struct nnmodel_operation *op);
double nnmodel_work_transpose_conv(const struct nnmodel_subgraph *graph,
				   const struct nnmodel_operation *op);
double nnmodel_work_fully_connected(const struct nnmodel_subgraph *graph,
				    const struct nnmodel_operation *op);
double nnmodel_work_matmul(const struct nnmodel_subgraph *graph,
			   const struct nnmodel_operation *op);
double nnmodel_work_recurrent(const struct nnmodel_subgraph *graph,
			      const struct nnmodel_operation *op);

#endif
