/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The card's view of host memory: guest RAM by bus address, page-table walks, and maps of device
 * address ranges. All of it may be called from any thread.
 */
#ifndef NNBOARD_MMU_H
#define NNBOARD_MMU_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "nnaccel/nnaccel_mmu.h"
#include "nnaccel/nnaccel_regs.h"
#include "nnfw.h"

/** Guest RAM: the file that QEMU maps too, mapped once and for all. */
struct guest_ram {
	int fd;
	uint8_t *base;
	uint64_t size;
	/** Bytes from bus address 0 up; the rest of the file is at 4 GiB and above (q35). */
	uint64_t low;
};

/** Where q35 splits RAM of @size bytes. */
uint64_t guest_ram_low(uint64_t size);
/** Map @size bytes of @fd; @low 0: q35's own rule. 0 or -errno. */
int guest_ram_map(struct guest_ram *ram, int fd, uint64_t size, uint64_t low);
void guest_ram_unmap(struct guest_ram *ram);
/** File offset of [@bus, @bus + @len), len > 0. 0, or -EFAULT when any byte of it is no RAM. */
int guest_ram_offset(const struct guest_ram *ram, uint64_t bus, uint64_t len, uint64_t *offset);
/** Pointer to [@bus, @bus + @len), or NULL. */
void *guest_ram_ptr(const struct guest_ram *ram, uint64_t bus, uint64_t len);

/** A stretch of device addresses that is one stretch of the RAM file. */
struct mmu_run {
	uint64_t offset;
	uint64_t pages;
};

/** What a walk found: the runs of a range, in order. */
struct mmu_runs {
	struct mmu_run *runs;
	uint32_t count, room;
	struct mmu_run few[8];
};

/**
 * Walk the tables at bus address @root for @pages pages from @va (page aligned). Each entry is read
 * once; every address in it is checked against RAM. 0 with @runs (free with mmu_runs_free());
 * -EFAULT with *@fault the first page that is not mapped, or not writable when @write; -ENOMEM.
 */
int mmu_walk(const struct guest_ram *ram, uint64_t root, uint64_t va, uint64_t pages, bool write,
	     struct mmu_runs *runs, uint64_t *fault);
void mmu_runs_free(struct mmu_runs *runs);

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
