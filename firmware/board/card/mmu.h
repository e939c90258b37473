/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of device address ranges, by context. Any thread. */
#ifndef NNBOARD_MMU_H
#define NNBOARD_MMU_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "card/guest_ram.h"
#include "nnaccel/nnaccel_mmu.h"
#include "nnaccel/nnaccel_regs.h"
#include "nnfw.h"

struct dma_entry;
struct dma_wait;

#define MMU_HASH 64u
/** Most cached ranges of one context. */
#define MMU_CACHE_MAX 1024u

/** One address space. */
struct mmu_ctx {
	pthread_mutex_t lock;
	bool open;
	uint64_t root;
	/** Ranges that new maps may use, by first page. */
	struct dma_entry *hash[MMU_HASH];
	uint32_t cached;
	/**
	 * Ranges that are in use but must not be found any more (invalidated, or a bounce copy).
	 */
	struct dma_entry *leaving;
	/** Invalidations that wait for ranges in leaving, oldest first. */
	struct dma_wait *waits;
	uint64_t epoch;
	uint64_t uses;
};

struct mmu {
	const struct guest_ram *ram;
	struct mmu_ctx ctx[NNACCEL_MAX_CONTEXTS];
	/**
	 * Most mmap pieces over all windows (the kernel limits maps per process), and those in use.
	 */
	uint32_t piece_limit;
	uint32_t pieces;
	/** A pending invalidation is complete; no lock is held. */
	void (*invalidated)(void *priv, uint32_t id);
	void *priv;
};

#define MMU_PIECES_DEFAULT 24576u

void mmu_init(struct mmu *mmu, const struct guest_ram *ram, uint32_t piece_limit,
	      void (*invalidated)(void *priv, uint32_t id), void *priv);
void mmu_destroy(struct mmu *mmu);

/** -EEXIST, -EINVAL (root is no page of RAM). */
int mmu_open(struct mmu *mmu, uint32_t context, uint64_t root);
/** No map of the context may be held. -ENOENT. */
int mmu_close(struct mmu *mmu, uint32_t context);

/**
 * Forget translations of [@va, @va + @size). 0: done, nothing of the old translation is in use. 1:
 * maps are still held; invalidated(@id) follows. -ENOENT, -EINVAL (range), -ENOMEM.
 */
int mmu_invalidate(struct mmu *mmu, uint32_t context, uint64_t va, uint64_t size, uint32_t id);

/** The platform's dma_map and dma_unmap (nnfw.h). -EFAULT also when the context is not open. */
int mmu_map(struct mmu *mmu, uint32_t context, uint64_t addr, uint64_t len, bool write,
	    struct nnfw_map *map, uint64_t *fault);
void mmu_unmap(struct mmu *mmu, uint32_t context, struct nnfw_map *map, bool commit);

#endif
