/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of a run. */
#ifndef NNFW_BIND_H
#define NNFW_BIND_H

#include "job_run.h"

/**
 * Check shapes and sizes of the arguments against the program. Accesses no client memory.
 */
uint32_t nnfw_bind_check(struct run *run);
uint32_t nnfw_bind_inputs(struct run *run);
/** Called when all shapes that can be known before the run are inferred. */
uint32_t nnfw_bind_outputs(struct run *run);
/** Memory for an output tensor whose shape is complete. */
uint32_t nnfw_bind_output(struct run *run, uint32_t tensor);
/** Copy staged outputs to client memory. */
uint32_t nnfw_bind_write(struct run *run);
void nnfw_bind_release(struct run *run, bool commit);

#endif
