/* SPDX-License-Identifier: Apache-2.0 */
/* The program cache: which programs are loaded, and what they count. */
#ifndef NNFW_PROGRAM_CACHE_H
#define NNFW_PROGRAM_CACHE_H

#include "core.h"
#include "program.h"

void nnfw_program_put(struct nnfw *fw, struct program *p);
/** A program that loads will have @bytes; idle ones make room. False: over the quota. */
bool nnfw_program_charge(struct nnfw *fw, struct program *p, uint64_t bytes);
/** Free what was dropped under the lock. Without the lock. */
void nnfw_program_reap(struct nnfw *fw);
/** Drop the programs of a context. Under the lock. @addr: of that address only, unless NULL. */
void nnfw_program_drop(struct nnfw *fw, uint32_t context, const uint64_t *addr);
/** The entry of the program at @addr, or NULL. Under the lock. */
struct program *nnfw_cache_find(struct nnfw *fw, uint32_t context, uint64_t addr);
/** Jobs do not find @p any more; it is freed now, or with its last reference. Under the lock. */
void nnfw_cache_drop(struct nnfw *fw, struct program *p);
/** A new entry that the caller loads; holds the loader's reference. Under the lock. */
uint32_t nnfw_cache_add(struct nnfw *fw, struct queue *q, uint64_t addr, uint64_t size,
			uint64_t generation, struct program **program, struct job_error *error);
/** The end of loading: keep the program, its error or nothing. @bytes: what the loaded program
 * holds. Returns the status; on OK the caller keeps the reference. */
uint32_t nnfw_cache_settle(struct nnfw *fw, struct program *p, uint32_t status, uint64_t bytes,
			   struct job_error *error);

#endif
