/* SPDX-License-Identifier: Apache-2.0 */
/* What a turn of a queue is for. */
#ifndef NNFW_SERVE_H
#define NNFW_SERVE_H

#include "core.h"

/** One turn of @q, for nnfw_engine_start(). Called and returns with the lock held. */
void nnfw_serve(struct nnfw *fw, struct queue *q);
/** Write outputs (when OK) and the result, give everything back, complete, free the job. */
void nnfw_run_end(struct nnfw *fw, struct queue *q, struct job *job, uint32_t status);

#endif
