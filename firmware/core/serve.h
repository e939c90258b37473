/* SPDX-License-Identifier: Apache-2.0 */
/* A turn of a queue. */
#ifndef NNFW_SERVE_H
#define NNFW_SERVE_H

#include "core.h"

/** One turn of @q, for nnfw_engine_start(). Called and returns with the lock held. */
void nnfw_serve(struct nnfw *fw, struct queue *q);
/** Write outputs (if OK) and the result, release the run, complete and free the job. */
void nnfw_run_end(struct nnfw *fw, struct queue *q, struct job *job, uint32_t status);

#endif
