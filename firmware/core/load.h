/* SPDX-License-Identifier: Apache-2.0 */
/* Loading: turns bytes of a client into a program that can run. */
#ifndef NNFW_LOAD_H
#define NNFW_LOAD_H

#include "core.h"
#include "program.h"

/**
 * Copy, verify and prepare @p. Without the lock. Status of a job; *@bytes: memory of the program.
 * *@wanted: of its entry, if NO_MEMORY is the quota's; else 0.
 */
uint32_t nnfw_load(struct nnfw *fw, struct program *p, struct queue_progress *progress,
		   uint64_t *bytes, uint64_t *wanted);

#endif
