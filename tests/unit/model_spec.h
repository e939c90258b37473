/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models of one operation from text, for the tests of libnnmodel and of lowering. Operands are
 * separated by spaces:
 *
 *	F32:1x4x4x2	tensor of that type; dims joined by x, 0 unknown; without ":": unknown rank
 *	Q8:4@0.25,3	with scale and zero point (defaults 0.5 and 0 where the type needs one)
 *	QPC:2x3/1	per channel along dimension 1, every scale 0.5
 *	i b f h	scalar INT32, BOOL, FLOAT32, FLOAT16; "i=5": a constant
 *	I:2=3,4	constant INT32 tensor
 *	~F32	an omitted operand
 *
 * Inputs without a value are model inputs, outputs model outputs.
 */
#ifndef MODEL_SPEC_H
#define MODEL_SPEC_H

#include "nnmodel.h"

/** Number of the operand that was added. Fails the test when the text is wrong. */
uint32_t spec_operand(struct nnmodel *model, const char *text);
/**
 * One operation on new operands; its numbers are in order: inputs, then outputs. Sets the io lists.
 */
struct nnmodel *spec_model(uint32_t opcode, const char *in, const char *out);
/** Make an operand consistent in itself with another type: rank, quantization, channel scales. */
void spec_retype(struct nnmodel *model, uint32_t operand, uint32_t type);
/** Lists of operands by lifetime, as main's io lists. */
void spec_set_io(struct nnmodel *model);

#endif
