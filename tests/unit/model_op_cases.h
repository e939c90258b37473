/* SPDX-License-Identifier: Apache-2.0 */
/* Valid operations of NNAPI, a row each, from which test_model_ops.c makes invalid ones. */
#ifndef MODEL_OP_CASES_H
#define MODEL_OP_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model_spec.h"

struct op_case {
	uint32_t opcode;
	const char *in, *out;
	uint32_t level;
	/*
	 * operands that may have other types: "3:Q8,QPC 4:F16"; numbers run from inputs to outputs
	 */
	const char *types;
	/* operands that may be left out, each alone: "7 8"; numbered as in types */
	const char *drop;
	/* a scalar INT32 may follow */
	bool more;
	/* inputs whose rank is judged: "01" */
	const char *ranks;
};

struct op_cases {
	const struct op_case *cases;
	size_t num;
};
/** Of the cases in ops/. */
extern const struct op_cases op_cases;

/** Of all of them; NULL beyond the last. */
const struct op_case *op_case_at(size_t i);
/** Whether operand @n may have this type instead. */
bool op_case_allows(const struct op_case *c, uint32_t n, uint32_t type);
/** Whether operand @n may be left out, alone. */
bool op_case_drops(const struct op_case *c, uint32_t n);

#define IMAGE "1x4x4x2"

/** Inputs of UNIDIRECTIONAL_SEQUENCE_LSTM of tensor type @t and scalar type @s. */
#define LSTM_INPUTS(t, s)                                                                        \
	t ":3x2x5 ~" t " " t ":4x5 " t ":4x5 " t ":4x5 ~" t " " t ":4x4 " t ":4x4 " t ":4x4 ~" t \
	  " ~" t " ~" t " ~" t " " t ":4 " t ":4 " t ":4 ~" t " ~" t " " t ":2x4 " t ":2x4 i " s \
	  " " s " b ~" t " ~" t " ~" t " ~" t

#endif
