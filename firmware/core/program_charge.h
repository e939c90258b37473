/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of programs in the cache, and their references. All functions: under the lock. */
#ifndef NNFW_PROGRAM_CHARGE_H
#define NNFW_PROGRAM_CHARGE_H

#include "core.h"
#include "program.h"

/** Count @bytes for a program that is not idle, instead of what it had. */
void nnfw_program_charge_bytes(struct nnfw *fw, struct program *p, uint64_t bytes);
/** @p is about to be freed, which the caller does without the lock. */
void nnfw_program_uncharge(struct nnfw *fw, struct program *p);
/** Take a reference to a program of the cache. */
void nnfw_program_ref(struct nnfw *fw, struct program *p);
/** The last reference to a program of the cache is gone. */
void nnfw_program_idle(struct nnfw *fw, const struct program *p);
/** Out of the list, whatever its references. */
void nnfw_program_unlink(struct nnfw *fw, struct program *p);
/** Remove @p from the cache; it becomes garbage now, or is freed with its last reference. */
void nnfw_program_forget(struct nnfw *fw, struct program *p);

#endif
