// SPDX-License-Identifier: Apache-2.0
/*
 * Maps of device address ranges. Translated ranges are cached by context until an invalidation, a
 * close or eviction: the TLB. A range is used in place if its pages are contiguous in the RAM file,
 * else through a window. If no window is available the range is copied; copies are not cached.
 *
 * An entry is in exactly one list of its context: the hash (found by new maps) or leaving (in use,
 * not found). It is freed when it is leaving and has no users.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "card/card.h"
#include "nnaccel/nnaccel_mmu.h"

/*
 * A window: @pages pages of address space, stitched from mappings of the RAM file in the order of
 * @extents; read-only unless @write. NULL: not available.
 */
static uint8_t *mmu_window_create(const struct host_memory *memory,
				  const struct mmu_extents *extents, uint64_t pages, bool write)
{
	int prot = write ? PROT_READ | PROT_WRITE : PROT_READ;
	uint64_t size = pages << NNACCEL_PAGE_SHIFT;
	/* Reserve the whole window first: a piece that fails leaves nothing of others in it. */
	uint8_t *window =
		mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint8_t *at = window;

	if (window == MAP_FAILED)
		return NULL;
	for (uint32_t i = 0; i < extents->count; i++) {
		const struct mmu_extent *extent = &extents->extents[i];
		uint64_t len = extent->pages << NNACCEL_PAGE_SHIFT;

		if (mmap(at, len, prot, MAP_SHARED | MAP_FIXED, memory->fd,
			 (off_t)extent->offset) == MAP_FAILED) {
			munmap(window, size);
			return NULL;
		}
		at += len;
	}
	return window;
}

static void mmu_window_destroy(uint8_t *window, uint64_t pages)
{
	munmap(window, pages << NNACCEL_PAGE_SHIFT);
}

static void copy(const struct host_memory *memory, const struct mmu_extents *extents, uint64_t skip,
		 uint8_t *inside, uint64_t len, bool out)
{
	for (uint32_t i = 0; i < extents->count && len; i++) {
		uint8_t *ram_at = memory->base + extents->extents[i].offset + skip;
		uint64_t n = (extents->extents[i].pages << NNACCEL_PAGE_SHIFT) - skip;

		if (n > len)
			n = len;
		if (out)
			memcpy(ram_at, inside, n);
		else
			memcpy(inside, ram_at, n);
		inside += n;
		len -= n;
		skip = 0;
	}
}

/* Copy @len bytes between a buffer and the extents, from @skip bytes into the first extent on. */
static void mmu_copy_in(const struct host_memory *memory, const struct mmu_extents *extents,
			uint64_t skip, void *into, uint64_t len)
{
	copy(memory, extents, skip, into, len, false);
}

static void mmu_copy_out(const struct host_memory *memory, const struct mmu_extents *extents,
			 uint64_t skip, const void *from, uint64_t len)
{
	/* Only read through: copy() writes its buffer in the other direction alone. */
	copy(memory, extents, skip, (uint8_t *)from, len, true);
}

enum dma_kind { DMA_DIRECT, DMA_WINDOW, DMA_BOUNCE };

struct dma_entry {
	struct dma_entry *next;
	uint64_t page, pages; /* device addresses >> NNACCEL_PAGE_SHIFT */
	enum dma_kind kind;
	bool write;
	uint32_t refs;
	uint32_t pieces; /* WINDOW: mmap pieces it counts for */
	uint64_t used; /* ctx->uses at the last use, for eviction */
	uint64_t epoch; /* epoch of its invalidation; 0: none */
	uint8_t *ptr; /* first page; BOUNCE: the copy */
	struct mmu_extents extents; /* BOUNCE: where the copy goes back to */
};

/** An invalidation whose range was in use. It does not wait for entries that left later. */
struct dma_wait {
	struct dma_wait *next;
	uint64_t page, pages, epoch;
	uint32_t id;
};

void mmu_init(struct mmu *mmu, const struct host_memory *memory, uint32_t piece_limit,
	      void (*invalidated)(void *priv, uint32_t id), void *priv)
{
	memset(mmu, 0, sizeof(*mmu));
	for (uint32_t i = 0; i < NNACCEL_MAX_CONTEXTS; i++)
		pthread_mutex_init(&mmu->ctx[i].lock, NULL);
	mmu->memory = memory;
	mmu->piece_limit = piece_limit;
	mmu->invalidated = invalidated;
	mmu->priv = priv;
}

static void entry_free(struct mmu *mmu, struct dma_entry *e)
{
	if (e->kind == DMA_WINDOW) {
		mmu_window_destroy(e->ptr, e->pages);
		__atomic_sub_fetch(&mmu->pieces, e->pieces, __ATOMIC_RELAXED);
	} else if (e->kind == DMA_BOUNCE) {
		free(e->ptr);
		mmu_extents_free(&e->extents);
	}
	free(e);
}

static uint32_t hash_of(uint64_t page)
{
	return (uint32_t)((page * 0x9e3779b97f4a7c15ull) >> 58) % MMU_HASH;
}

/* Remove the entry at *@at from the hash; it is freed at once, or with its last user. */
static void entry_drop(struct mmu *mmu, struct mmu_ctx *ctx, struct dma_entry **at)
{
	struct dma_entry *e = *at;

	*at = e->next;
	ctx->cached--;
	if (!e->refs) {
		entry_free(mmu, e);
		return;
	}
	e->next = ctx->leaving;
	ctx->leaving = e;
}

static bool overlaps(const struct dma_entry *e, uint64_t page, uint64_t pages)
{
	return e->page < page + pages && page < e->page + e->pages;
}

static bool waits_for(const struct mmu_ctx *ctx, const struct dma_wait *wait)
{
	for (const struct dma_entry *e = ctx->leaving; e; e = e->next)
		if (e->epoch && e->epoch <= wait->epoch && overlaps(e, wait->page, wait->pages))
			return true;
	return false;
}

int mmu_open(struct mmu *mmu, uint32_t context, uint64_t root)
{
	struct mmu_ctx *ctx;
	int err = 0;

	if (context >= NNACCEL_MAX_CONTEXTS || !root || (root & (NNACCEL_PAGE_SIZE - 1)) ||
	    !host_memory_has_root(mmu->memory, root))
		return -EINVAL;
	ctx = &mmu->ctx[context];
	pthread_mutex_lock(&ctx->lock);
	if (ctx->open) {
		err = -EEXIST;
	} else {
		ctx->open = true;
		ctx->root = root;
	}
	pthread_mutex_unlock(&ctx->lock);
	return err;
}

int mmu_close(struct mmu *mmu, uint32_t context)
{
	struct mmu_ctx *ctx;
	int err = 0;

	if (context >= NNACCEL_MAX_CONTEXTS)
		return -ENOENT;
	ctx = &mmu->ctx[context];
	pthread_mutex_lock(&ctx->lock);
	if (!ctx->open)
		err = -ENOENT;
	ctx->open = false;
	ctx->root = 0;
	for (uint32_t i = 0; i < MMU_HASH; i++)
		while (ctx->hash[i])
			entry_drop(mmu, ctx, &ctx->hash[i]);
	pthread_mutex_unlock(&ctx->lock);
	return err;
}

void mmu_destroy(struct mmu *mmu)
{
	for (uint32_t i = 0; i < NNACCEL_MAX_CONTEXTS; i++) {
		struct mmu_ctx *ctx = &mmu->ctx[i];

		mmu_close(mmu, i);
		while (ctx->waits) {
			struct dma_wait *wait = ctx->waits;

			ctx->waits = wait->next;
			free(wait);
		}
		pthread_mutex_destroy(&ctx->lock);
	}
}

static int invalidate_locked(struct mmu *mmu, struct mmu_ctx *ctx, uint64_t va, uint64_t size,
			     uint32_t id)
{
	uint64_t page = va >> NNACCEL_PAGE_SHIFT;
	uint64_t end = (va + size + NNACCEL_PAGE_SIZE - 1) >> NNACCEL_PAGE_SHIFT;
	struct dma_wait wait = {
		.page = page,
		.pages = end - page,
		.epoch = ++ctx->epoch,
		.id = id,
	};
	struct dma_wait *kept, **tail;

	if (!ctx->open)
		return -ENOENT;
	if (!size)
		return 0;
	for (uint32_t i = 0; i < MMU_HASH; i++) {
		struct dma_entry **at = &ctx->hash[i];

		while (*at) {
			if (overlaps(*at, wait.page, wait.pages))
				entry_drop(mmu, ctx, at);
			else
				at = &(*at)->next;
		}
	}
	for (struct dma_entry *e = ctx->leaving; e; e = e->next)
		if (!e->epoch && overlaps(e, wait.page, wait.pages))
			e->epoch = wait.epoch;
	if (!waits_for(ctx, &wait))
		return 0;
	kept = malloc(sizeof(*kept));
	if (!kept)
		return -ENOMEM;
	*kept = wait;
	for (tail = &ctx->waits; *tail; tail = &(*tail)->next)
		;
	*tail = kept;
	return 1;
}

int mmu_invalidate(struct mmu *mmu, uint32_t context, uint64_t va, uint64_t size, uint32_t id)
{
	struct mmu_ctx *ctx;
	int err;

	if (context >= NNACCEL_MAX_CONTEXTS)
		return -ENOENT;
	if (va > NNACCEL_VA_END || size > NNACCEL_VA_END - va)
		return -EINVAL;
	ctx = &mmu->ctx[context];
	pthread_mutex_lock(&ctx->lock);
	err = invalidate_locked(mmu, ctx, va, size, id);
	pthread_mutex_unlock(&ctx->lock);
	return err;
}

/* Drop the least recently used entry without users; false: there is none. */
static bool mmu_evict(struct mmu *mmu, struct mmu_ctx *ctx, bool windows_only)
{
	struct dma_entry **victim = NULL;

	for (uint32_t i = 0; i < MMU_HASH; i++)
		for (struct dma_entry **at = &ctx->hash[i]; *at; at = &(*at)->next)
			if (!(*at)->refs && (!windows_only || (*at)->kind == DMA_WINDOW) &&
			    (!victim || (*at)->used < (*victim)->used))
				victim = at;
	if (!victim)
		return false;
	entry_drop(mmu, ctx, victim);
	return true;
}

static bool window_make(struct mmu *mmu, struct mmu_ctx *ctx, struct dma_entry *e,
			const struct mmu_extents *extents)
{
	/*
	 * A mapping in the middle of another one splits it: a window needs one piece more than its
	 * extents.
	 */
	uint32_t pieces = extents->count + 1;

	if (pieces > mmu->piece_limit / 2)
		return false;
	while (__atomic_add_fetch(&mmu->pieces, pieces, __ATOMIC_RELAXED) > mmu->piece_limit) {
		__atomic_sub_fetch(&mmu->pieces, pieces, __ATOMIC_RELAXED);
		if (!mmu_evict(mmu, ctx, true))
			return false;
	}
	e->ptr = mmu_window_create(mmu->memory, extents, e->pages, e->write);
	if (!e->ptr) {
		__atomic_sub_fetch(&mmu->pieces, pieces, __ATOMIC_RELAXED);
		return false;
	}
	e->kind = DMA_WINDOW;
	e->pieces = pieces;
	return true;
}

/*
 * A private copy of the range. Also filled for writing, so that a partial write keeps the other
 * bytes.
 */
static int bounce_make(struct mmu *mmu, struct mmu_ctx *ctx, struct dma_entry *e,
		       struct mmu_extents *extents, uint64_t skip, uint64_t len)
{
	void *copy = NULL;

	if (posix_memalign(&copy, 64, len))
		return -ENOMEM;
	mmu_copy_in(mmu->memory, extents, skip, copy, len);
	e->kind = DMA_BOUNCE;
	e->ptr = copy;
	e->extents = *extents;
	if (extents->extents == extents->few)
		e->extents.extents = e->extents.few;
	extents->extents = extents->few;
	e->next = ctx->leaving;
	ctx->leaving = e;
	return 0;
}

/* Translate and map a range that is not cached. */
static int entry_make(struct mmu *mmu, struct mmu_ctx *ctx, uint64_t page, uint64_t pages,
		      bool write, uint64_t skip, uint64_t len, struct dma_entry **made,
		      uint64_t *fault)
{
	struct dma_entry *e = calloc(1, sizeof(*e));
	struct mmu_extents extents;
	int err;

	if (!e)
		return -ENOMEM;
	e->page = page;
	e->pages = pages;
	e->write = write;
	err = mmu_walk(mmu->memory, ctx->root, page << NNACCEL_PAGE_SHIFT, pages, write, &extents,
		       fault);
	if (err) {
		free(e);
		return err;
	}
	if (extents.count == 1 && mmu->memory->base) {
		e->kind = DMA_DIRECT;
		e->ptr = mmu->memory->base + extents.extents[0].offset;
	} else if (!window_make(mmu, ctx, e, &extents)) {
		err = mmu->memory->base ? bounce_make(mmu, ctx, e, &extents, skip, len) : -ENOMEM;
	}
	mmu_extents_free(&extents);
	if (err) {
		free(e);
		return err;
	}
	if (e->kind != DMA_BOUNCE) {
		if (ctx->cached >= MMU_CACHE_MAX)
			mmu_evict(mmu, ctx, false);
		e->next = ctx->hash[hash_of(page)];
		ctx->hash[hash_of(page)] = e;
		ctx->cached++;
	}
	*made = e;
	return 0;
}

static struct dma_entry *entry_find(struct mmu_ctx *ctx, uint64_t page, uint64_t pages, bool write)
{
	for (struct dma_entry *e = ctx->hash[hash_of(page)]; e; e = e->next)
		if (e->page == page && e->pages == pages && e->write >= write)
			return e;
	return NULL;
}

/* A range beyond the address space: the fault is its first unmapped address. */
static int beyond_end(struct mmu *mmu, uint32_t context, uint64_t addr, uint64_t *fault)
{
	struct mmu_ctx *ctx = &mmu->ctx[context];
	uint64_t page = addr >> NNACCEL_PAGE_SHIFT;
	struct mmu_extents extents;
	int err = -EFAULT;

	pthread_mutex_lock(&ctx->lock);
	if (ctx->open)
		err = mmu_walk(mmu->memory, ctx->root, page << NNACCEL_PAGE_SHIFT,
			       (NNACCEL_VA_END >> NNACCEL_PAGE_SHIFT) - page, false, &extents,
			       fault);
	pthread_mutex_unlock(&ctx->lock);
	if (!err) {
		mmu_extents_free(&extents);
		*fault = NNACCEL_VA_END;
	} else if (*fault < addr) {
		*fault = addr;
	}
	return err == -ENOMEM ? err : -EFAULT;
}

int mmu_map(struct mmu *mmu, uint32_t context, uint64_t addr, uint64_t len, bool write,
	    struct nnfw_map *map, uint64_t *fault)
{
	uint64_t page = addr >> NNACCEL_PAGE_SHIFT, skip = addr & (NNACCEL_PAGE_SIZE - 1), pages;
	struct dma_entry *e = NULL;
	struct mmu_ctx *ctx;
	int err = 0;

	*fault = addr;
	if (context >= NNACCEL_MAX_CONTEXTS || addr < NNACCEL_VA_START || addr >= NNACCEL_VA_END ||
	    !len)
		return -EFAULT;
	if (len > NNACCEL_VA_END - addr)
		return beyond_end(mmu, context, addr, fault);
	pages = (skip + len + NNACCEL_PAGE_SIZE - 1) >> NNACCEL_PAGE_SHIFT;
	ctx = &mmu->ctx[context];
	pthread_mutex_lock(&ctx->lock);
	if (!ctx->open)
		err = -EFAULT;
	else
		e = entry_find(ctx, page, pages, write);
	if (!err && !e)
		err = entry_make(mmu, ctx, page, pages, write, skip, len, &e, fault);
	if (!err) {
		e->refs++;
		e->used = ++ctx->uses;
		*map = (struct nnfw_map){
			.ptr = e->kind == DMA_BOUNCE ? e->ptr : e->ptr + skip,
			.addr = addr,
			.len = len,
			.write = write,
			.bounced = e->kind == DMA_BOUNCE,
			.priv = e,
		};
	}
	pthread_mutex_unlock(&ctx->lock);
	if (err == -EFAULT && *fault < addr)
		*fault = addr;
	return err;
}

/*
 * Free a leaving entry without users, and return the invalidations that waited for it.
 */
static struct dma_wait *entry_left(struct mmu *mmu, struct mmu_ctx *ctx, struct dma_entry *e)
{
	struct dma_entry **at = &ctx->leaving;
	struct dma_wait **w = &ctx->waits, *done = NULL, **done_tail = &done;

	while (*at && *at != e)
		at = &(*at)->next;
	if (!*at)
		return NULL; /* in the hash: kept for later maps */
	*at = e->next;
	entry_free(mmu, e);
	while (*w) {
		struct dma_wait *wait = *w;

		if (waits_for(ctx, wait)) {
			w = &wait->next;
			continue;
		}
		*w = wait->next;
		wait->next = NULL;
		*done_tail = wait;
		done_tail = &wait->next;
	}
	return done;
}

void mmu_unmap(struct mmu *mmu, uint32_t context, struct nnfw_map *map, bool commit)
{
	struct mmu_ctx *ctx = &mmu->ctx[context];
	struct dma_entry *e = map->priv;
	struct dma_wait *done = NULL;

	if (e->kind == DMA_BOUNCE && map->write && commit)
		mmu_copy_out(mmu->memory, &e->extents, map->addr & (NNACCEL_PAGE_SIZE - 1), e->ptr,
			     map->len);
	pthread_mutex_lock(&ctx->lock);
	if (!--e->refs)
		done = entry_left(mmu, ctx, e);
	pthread_mutex_unlock(&ctx->lock);
	map->priv = NULL;
	while (done) {
		struct dma_wait *next = done->next;

		mmu->invalidated(mmu->priv, done->id);
		free(done);
		done = next;
	}
}
