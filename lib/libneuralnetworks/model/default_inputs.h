/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that have their default value. */
#ifndef NNR_DEFAULT_INPUTS_H
#define NNR_DEFAULT_INPUTS_H

#include "nnmodel.h"

/** Remove trailing inputs of main's operations that have their default value. */
void nnr_remove_defaults(struct nnmodel *model);

#endif
