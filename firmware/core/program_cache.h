/* SPDX-License-Identifier: Apache-2.0 */
/* The program cache: loaded programs and their charges. */
#ifndef NNFW_PROGRAM_CACHE_H
#define NNFW_PROGRAM_CACHE_H

#include "core.h"
#include "program.h"

/** Minimum charge of an entry, which limits the number of entries. */
#define NNFW_ENTRY_BYTES 65536u

void nnfw_program_put(struct nnfw *fw, struct program *p);
/** The loader of @ctx puts its program, or has none: NULL. */
void nnfw_cache_put_ahead(struct nnfw *fw, struct context *ctx, struct program *p);
/** Charge @bytes in all for a program that is being loaded; evicts idle ones. False: over the
 * quota. */
bool nnfw_program_charge(struct nnfw *fw, struct program *p, uint64_t bytes);
/** Free programs that were dropped under the lock. Without the lock. */
void nnfw_program_reap(struct nnfw *fw);
/** Drop the programs of a context; unless NULL, only that at *@addr. Under the lock. */
void nnfw_program_drop(struct nnfw *fw, uint32_t context, const uint64_t *addr);
/** The entry of the program at @addr, or NULL. Under the lock. */
struct program *nnfw_cache_find(struct nnfw *fw, uint32_t context, uint64_t addr);
/**
 * Before a job of @q takes @bytes: end a loading ahead if they do not fit beside it, and wait for
 * that. True: it waited, without the lock, and there may be another one. Under the lock.
 */
bool nnfw_cache_wait_ahead(struct nnfw *fw, const struct queue *q, uint64_t bytes);
/**
 * Add an entry of @bytes, which fit; the caller loads it, and has a reference. NULL: out of memory.
 * Under the lock.
 */
struct program *nnfw_cache_add(struct nnfw *fw, struct queue *q, const struct program_request *r,
			       uint64_t bytes);
/**
 * The loader of @p, which is READY, gives @bytes of its image back. False: it has to keep them,
 * because it would have to stay loaded, and such programs have half of the quota.
 */
bool nnfw_cache_discard(struct nnfw *fw, struct program *p, uint64_t bytes);

/** End loading: keep the program, its error, or nothing. @bytes: memory of the loaded program.
 * Returns the status; on OK the caller keeps the reference. */
uint32_t nnfw_cache_settle(struct nnfw *fw, struct program *p, uint32_t status, uint64_t bytes,
			   struct job_error *error);

#endif
