/* SPDX-License-Identifier: Apache-2.0 */
/* What prepareModel does with a valid model, for a device that has every operation. */
#ifndef FUZZ_COMPILE_MODEL_H
#define FUZZ_COMPILE_MODEL_H

#include <stdbool.h>

#include "nnmodel.h"

/**
 * Compile a valid model: the program verifies, or the refusal in *@err has a reason; aborts
 * otherwise. True: it compiled.
 */
bool fuzz_compile(const struct nnmodel *model, struct nnmodel_error *err);

#endif
