/* SPDX-License-Identifier: Apache-2.0 */
/* A small valid model for tests that break it, and checks of the validator's answer. */
#ifndef MODEL_CHAIN_H
#define MODEL_CHAIN_H

#include "nnmodel.h"

/** For model_refused(): no operation, or no operand, in particular. */
#define MODEL_NONE UINT32_MAX

/** Operands: 0, 1 inputs; 2 constant activation; 3 ADD's result; 4 RELU's, the output. */
struct nnmodel *model_chain(void);
/** The model is valid; its feature level. */
uint32_t model_valid(const struct nnmodel *model);
/** The model is refused, naming @operation and @operand, with @text in the message. */
void model_refused(const struct nnmodel *model, uint32_t operation, uint32_t operand,
		   const char *text);

#endif
