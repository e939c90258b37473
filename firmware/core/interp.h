/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter. */
#ifndef NNFW_INTERP_H
#define NNFW_INTERP_H

#include "job_run.h"

enum run_step { RUN_DONE, RUN_YIELD };

/** Run until the end, or until others should go first. */
enum run_step nnfw_run_step(struct run *run, uint32_t *status);

#endif
