/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of a run. */
#ifndef NNFW_BIND_H
#define NNFW_BIND_H

#include "job_run.h"

/**
 * Shapes and sizes that the arguments give, against the program. Touches no client memory.
 */
uint32_t nnfw_bind_check(struct run *run);
uint32_t nnfw_bind_inputs(struct run *run);
/** After shapes are inferred as far as they can be. */
uint32_t nnfw_bind_outputs(struct run *run);
/** Memory for an output tensor whose shape is complete. */
uint32_t nnfw_bind_output(struct run *run, uint32_t tensor);
/** Copy staged outputs to where they belong. */
uint32_t nnfw_bind_write(struct run *run);
void nnfw_bind_release(struct run *run, bool commit);

#endif
