/* SPDX-License-Identifier: Apache-2.0 */
/* Getting a program: for a job that is due, or ahead of the first one. */
#ifndef NNFW_LOADER_H
#define NNFW_LOADER_H

#include "core.h"
#include "program.h"

/**
 * A program for @q, with a reference; loaded if need be. Called without the lock. OK, or the status
 * that the job ends with; *@park is set when another queue loads it: the job must wait.
 */
uint32_t nnfw_program_get(struct nnfw *fw, struct queue *q, uint64_t addr, uint64_t size,
			  uint64_t generation, struct program **program, struct job_error *error,
			  bool *park);
/**
 * Serve one request of a context, whose loader the caller holds. Called and returns with the lock
 * held.
 */
void nnfw_load_ahead(struct nnfw *fw, struct context *ctx);
/** Forget the requests of a context. @addr: for that address only, unless NULL. Under the lock. */
void nnfw_loads_drop(struct context *ctx, const uint64_t *addr);

#endif
