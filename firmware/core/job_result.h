/* SPDX-License-Identifier: Apache-2.0 */
/* What a job tells its client beyond a status. */
#ifndef NNFW_JOB_RESULT_H
#define NNFW_JOB_RESULT_H

#include "core.h"

/** Write the client's result. OK, or FAULT or NO_MEMORY when it cannot be written. */
uint32_t nnfw_result_write(struct nnfw *fw, const struct queue *q, struct job *job,
			   uint32_t status);

#endif
