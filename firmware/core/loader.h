/* SPDX-License-Identifier: Apache-2.0 */
/* Programs for jobs that are due, and loading ahead of the first job. */
#ifndef NNFW_LOADER_H
#define NNFW_LOADER_H

#include "core.h"
#include "program.h"

/**
 * Get a program with a reference, and load it if needed. Without the lock. OK, or the status that
 * the job ends with.
 */
uint32_t nnfw_program_get(struct nnfw *fw, struct queue *q, struct program_request *r);
/**
 * Serve one request of a context. The caller holds the context's loader. Called and returns with
 * the lock held, which is dropped meanwhile.
 */
void nnfw_load_ahead(struct nnfw *fw, struct context *ctx);
/** Drop the load requests of a context; unless NULL, those for *@addr only. Under the lock. */
void nnfw_loads_drop(struct context *ctx, const uint64_t *addr);

#endif
