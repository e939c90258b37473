/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of runs. */
#ifndef NNFW_ARENA_H
#define NNFW_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct nnfw;

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
	struct span *chunks; /* [0] begins with the static temporaries */
	struct span *free; /* by address, none adjacent */
	size_t num_chunks, max_chunks, num_free, max_free;
	uint64_t limit, used, peak;
};

/** An arena from the pool, or a new one. NULL: out of memory. */
struct arena *nnfw_arena_get(struct nnfw *fw);
void nnfw_arena_put(struct nnfw *fw, struct arena *arena);
/**
 * Under the lock, which is let go for a moment: free what waits in the pool if no run gave one back
 * for @idle_ns.
 */
void nnfw_arenas_age(struct nnfw *fw, uint64_t idle_ns);
void nnfw_arena_destroy(struct arena *arena);
/** Start a run: @meta bytes of bookkeeping and @fixed bytes at the start of the first chunk. 0 or
 * -ENOMEM (over the limit, too). */
int nnfw_arena_begin(struct arena *arena, size_t meta, uint64_t fixed, uint64_t limit);
/** 64-byte aligned; NULL: limit or memory. @size 0 gives a valid pointer. */
void *nnfw_arena_alloc(struct arena *arena, uint64_t size);
void nnfw_arena_free(struct arena *arena, void *ptr, uint64_t size);
/** Give back the end of an allocation of @from bytes; @to are left. */
void nnfw_arena_shrink(struct arena *arena, void *ptr, uint64_t from, uint64_t to);

#endif
