// SPDX-License-Identifier: Apache-2.0
/*
 * Memory of runs. An arena belongs to one run at a time; between runs it stays in a pool, last used
 * first, with its memory. First use of fresh pages costs more than the run of a small model, so a
 * run of the same size as an earlier one reuses its memory and allocates nothing. Idle memory is
 * freed after a while: in process it is the application's.
 *
 * Chunks never move during a run. After a run that needed several chunks the next run gets one
 * chunk of their total size.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "nnprog_format.h"
#include "core_program.h"
#include "core.h"

/** Minimum size of a chunk that is added during a run. */
#define CHUNK_MIN ((size_t)1 << 20)
/**
 * Beyond KEEP_BYTES an arena keeps at most this many times the need of its last and next run.
 */
#define KEEP_FACTOR 16u
#define KEEP_BYTES ((size_t)64 << 20)
/** Chunks of at least this size are mappings: free() may keep memory in the process. */
#define MAP_BYTES ((size_t)1 << 20)

struct arena *nnfw_arena_get(struct nnfw *fw)
{
	struct arena *arena;

	pthread_mutex_lock(&fw->lock);
	arena = fw->arenas;
	if (arena) {
		fw->arenas = arena->next;
		fw->num_arenas--;
	}
	pthread_mutex_unlock(&fw->lock);
	return arena ? arena : calloc(1, sizeof(*arena));
}

void nnfw_arena_put(struct nnfw *fw, struct arena *arena, uint64_t now)
{
	pthread_mutex_lock(&fw->lock);
	fw->arenas_ns = now;
	if (fw->num_arenas < fw->config.threads) {
		arena->next = fw->arenas;
		fw->arenas = arena;
		fw->num_arenas++;
		arena = NULL;
	}
	pthread_mutex_unlock(&fw->lock);
	nnfw_arena_destroy(arena);
}

void nnfw_arenas_age(struct nnfw *fw, uint64_t idle_ns)
{
	struct arena *arena;

	/* drop the lock for each arena, so that new work need not wait for all of them */
	while ((arena = fw->arenas) &&
	       fw->platform.clock_ns(fw->platform.priv) - fw->arenas_ns >= idle_ns) {
		fw->arenas = arena->next;
		fw->num_arenas--;
		pthread_mutex_unlock(&fw->lock);
		nnfw_arena_destroy(arena);
		pthread_mutex_lock(&fw->lock);
	}
}

static char *chunk_new(size_t size)
{
	void *ptr;

	if (size < MAP_BYTES)
		return aligned_alloc(NNPROG_ALIGN, size);
	ptr = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return ptr == MAP_FAILED ? NULL : ptr;
}

static void chunk_free(const struct span *chunk)
{
	if (chunk->size < MAP_BYTES)
		free(chunk->ptr);
	else
		munmap(chunk->ptr, chunk->size);
}

static void free_chunks(struct arena *arena)
{
	for (size_t i = 0; i < arena->num_chunks; i++)
		chunk_free(&arena->chunks[i]);
	arena->num_chunks = 0;
	arena->num_free = 0;
}

void nnfw_arena_destroy(struct arena *arena)
{
	if (!arena)
		return;
	free_chunks(arena);
	free(arena->chunks);
	free(arena->free);
	free(arena->meta.ptr);
	free(arena);
}

/** Make room in a table of spans for one more. */
static int arena_grow(struct span **table, size_t count, size_t *max)
{
	size_t next = *max ? 2 * *max : 16;
	struct span *p;

	if (count < *max)
		return 0;
	p = reallocarray(*table, next, sizeof(*p));
	if (!p)
		return -ENOMEM;
	*table = p;
	*max = next;
	return 0;
}

/** Add [ptr, ptr + size) to the free spans, joined with its neighbours. If the table cannot grow
 * the span is lost until the run ends. */
static void add_free(struct arena *arena, char *ptr, size_t size, bool join)
{
	size_t i = 0;

	if (!size)
		return;
	while (i < arena->num_free && arena->free[i].ptr < ptr)
		i++;
	if (join && i && arena->free[i - 1].ptr + arena->free[i - 1].size == ptr) {
		arena->free[--i].size += size;
	} else {
		if (arena_grow(&arena->free, arena->num_free, &arena->max_free))
			return;
		memmove(&arena->free[i + 1], &arena->free[i],
			(arena->num_free - i) * sizeof(*arena->free));
		arena->free[i] = (struct span){ ptr, size };
		arena->num_free++;
	}
	if (join && i + 1 < arena->num_free &&
	    arena->free[i].ptr + arena->free[i].size == arena->free[i + 1].ptr) {
		arena->free[i].size += arena->free[i + 1].size;
		arena->num_free--;
		memmove(&arena->free[i + 1], &arena->free[i + 2],
			(arena->num_free - i - 1) * sizeof(*arena->free));
	}
}

static char *add_chunk(struct arena *arena, size_t size)
{
	char *ptr;

	if (arena_grow(&arena->chunks, arena->num_chunks, &arena->max_chunks))
		return NULL;
	ptr = chunk_new(size);
	if (ptr)
		arena->chunks[arena->num_chunks++] = (struct span){ ptr, size };
	return ptr;
}

int nnfw_arena_begin(struct arena *arena, size_t meta, uint64_t fixed, uint64_t limit)
{
	size_t total = 0, room, need;

	if (fixed > limit || limit > SIZE_MAX / 2)
		return -ENOMEM;
	if (arena->meta.size < meta) {
		free(arena->meta.ptr);
		arena->meta.size = 0;
		arena->placed = 0;
		arena->meta.ptr = aligned_alloc(NNPROG_ALIGN, nnfw_arena_align(meta));
		if (!arena->meta.ptr)
			return -ENOMEM;
		arena->meta.size = nnfw_arena_align(meta);
	}
	for (size_t i = 0; i < arena->num_chunks; i++)
		total += arena->chunks[i].size;
	room = nnfw_arena_align(fixed) + NNPROG_ALIGN;
	/* one large run in the past does not keep its memory for ever */
	need = room > arena->peak ? room : arena->peak;
	if (total > KEEP_BYTES && total / KEEP_FACTOR > need)
		total = 0;
	if (total < room || arena->num_chunks > 1) {
		free_chunks(arena);
		arena->placed = 0;
		if (!add_chunk(arena, room > total ? room : nnfw_arena_align(total)))
			return -ENOMEM;
	}
	arena->limit = limit;
	arena->used = arena->peak = fixed;
	arena->num_free = 0;
	add_free(arena, arena->chunks[0].ptr + nnfw_arena_align(fixed),
		 arena->chunks[0].size - nnfw_arena_align(fixed), false);
	return 0;
}

/* Address of empty allocations: it overlaps no other, so that overlap checks stay right. */
static _Alignas(64) char nowhere[64];

void *nnfw_arena_alloc(struct arena *arena, uint64_t size)
{
	size_t need;
	char *ptr;
	size_t i;

	if (!size)
		return nowhere;
	if (size > arena->limit - arena->used)
		return NULL;
	need = nnfw_arena_align(size);
	for (i = 0; i < arena->num_free; i++)
		if (arena->free[i].size >= need)
			break;
	if (i < arena->num_free) {
		ptr = arena->free[i].ptr;
		arena->free[i].ptr += need;
		arena->free[i].size -= need;
		if (!arena->free[i].size) {
			arena->num_free--;
			memmove(&arena->free[i], &arena->free[i + 1],
				(arena->num_free - i) * sizeof(*arena->free));
		}
	} else {
		size_t chunk = need > CHUNK_MIN ? need : CHUNK_MIN;

		ptr = add_chunk(arena, chunk);
		if (!ptr)
			return NULL;
		add_free(arena, ptr + need, chunk - need, false);
	}
	arena->used += size;
	if (arena->used > arena->peak)
		arena->peak = arena->used;
	return ptr;
}

void nnfw_arena_free(struct arena *arena, void *ptr, uint64_t size)
{
	if (!size)
		return;
	arena->used -= size;
	add_free(arena, ptr, nnfw_arena_align(size), true);
}

void nnfw_arena_shrink(struct arena *arena, void *ptr, uint64_t from, uint64_t to)
{
	arena->used -= from - to;
	add_free(arena, (char *)ptr + nnfw_arena_align(to),
		 nnfw_arena_align(from) - nnfw_arena_align(to), true);
}
