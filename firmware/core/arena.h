/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of runs. */
#ifndef NNFW_ARENA_H
#define NNFW_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "nnprog_format.h"
#include "nnutil_align.h"

struct nnfw;

/** Bytes that an allocation of @size takes in an arena. */
static inline uint64_t nnfw_arena_align(uint64_t size)
{
	return nnutil_align_up(size, NNPROG_ALIGN);
}

/** A range of bytes of an arena. */
struct span {
	char *ptr;
	size_t size;
};

/**
 * Memory of one run: bookkeeping, the program's static temporaries and what is allocated while it
 * runs. Kept between runs, so that its pages stay warm.
 */
struct arena {
	struct arena *next;
	struct span meta; /* bookkeeping, not counted */
	uint64_t placed; /* number of the program whose operands are in it (fixed_operands.h); or 0
			  */
	struct span *chunks; /* [0] begins with the static temporaries */
	struct span *free; /* by address, none adjacent */
	size_t num_chunks, max_chunks, num_free, max_free;
	uint64_t limit, used, peak;
};

/** An arena from the pool, or a new one. NULL: out of memory. */
struct arena *nnfw_arena_get(struct nnfw *fw);
/** @now: the time, for nnfw_arenas_age(). */
void nnfw_arena_put(struct nnfw *fw, struct arena *arena, uint64_t now);
/**
 * Free the arenas of the pool if none was given back for @idle_ns. Under the lock, which is dropped
 * meanwhile.
 */
void nnfw_arenas_age(struct nnfw *fw, uint64_t idle_ns);
void nnfw_arena_destroy(struct arena *arena);
/** Start a run: @meta bytes of bookkeeping and @fixed bytes at the start of the first chunk. 0, or
 * -ENOMEM, also beyond @limit. */
int nnfw_arena_begin(struct arena *arena, size_t meta, uint64_t fixed, uint64_t limit);
/** 64-byte aligned; NULL: beyond the limit, or no memory. @size 0 gives a valid pointer. */
void *nnfw_arena_alloc(struct arena *arena, uint64_t size);
void nnfw_arena_free(struct arena *arena, void *ptr, uint64_t size);
/** Shrink an allocation from @from to @to bytes. */
void nnfw_arena_shrink(struct arena *arena, void *ptr, uint64_t from, uint64_t to);

#endif
