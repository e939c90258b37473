/* SPDX-License-Identifier: Apache-2.0 */
/* Loading: from the bytes of a client to a program that runs. */
#ifndef NNFW_LOAD_H
#define NNFW_LOAD_H

#include "core.h"
#include "program.h"

/**
 * Copy, verify, prepare. Without the lock. Status of a job; *@bytes: what the loaded program holds.
 */
uint32_t nnfw_load(struct nnfw *fw, struct program *p, struct queue_progress *progress,
		   uint64_t *bytes);

#endif
