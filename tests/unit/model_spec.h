/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models of one operation from text, for the tests of libnnmodel and of lowering: operands as in
 * tools/nnctl/probes/nnctl_probes.h, without columns.
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
