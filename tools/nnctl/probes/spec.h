/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models of one operation from text. Operands are separated by spaces:
 *
 *	F32:1x4x4x2	tensor of that type; dims joined by x
 *	0:2x3		tensor (or scalar) of the type in that column of the probe, 0 to 3
 *	0:4@0.25,3	with scale and zero point; ignored where the column's type has neither
 *(floats, BOOL8, per channel; I32 in column 0, elsewhere it is a bias), and 0.5 and 0 where it
 *needs one and none is given
 *	1:3x2/1		per channel along dimension 1 (else 0), every scale 0.5; ignored for other
 *types i b		scalar INT32, BOOL
 *	f		scalar FLOAT16 if column 0 is TENSOR_FLOAT16, else FLOAT32
 *	p		scalar pad value: FLOAT16, FLOAT32, or INT32 where column 0 is neither
 *	I		TENSOR_INT32
 *	i=5 I:2=3,4	constant of these values
 *	~0		an omitted operand
 *
 * Inputs without a value are inputs of the model, outputs its outputs.
 */
#ifndef NNCTL_PROBES_SPEC_H
#define NNCTL_PROBES_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnmodel.h"

#define PROBE_COLUMNS 4

/** Types in columns: enum nnmodel_type; beyond num, NNMODEL_TYPE_COUNT. */
struct probe_types {
	uint32_t num;
	uint32_t type[PROBE_COLUMNS];
};

/** "F32", "Q8S" and so on; "?" for what the language has no name for. */
const char *probe_type_name(uint32_t type);

/**
 * One list of columns, "Q8,QPC,I32,Q8", from the front of *@text, which then points behind it and
 * the space that follows. 0, or -EINVAL.
 */
int probe_parse_types(const char **text, struct probe_types *types);

/**
 * A model of one operation. The caller frees it with nnmodel_free(). NULL with why in @error: the
 * text is wrong, or memory is short.
 */
struct nnmodel *probe_parse_model(uint32_t opcode, const struct probe_types *types, const char *in,
				  const char *out, char *error, size_t error_size);

#endif
