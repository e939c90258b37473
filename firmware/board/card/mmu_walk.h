/* SPDX-License-Identifier: Apache-2.0 */
/* Walks of the page tables of the host. Any thread. */
#ifndef NNBOARD_MMU_WALK_H
#define NNBOARD_MMU_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "card/guest_ram.h"

/** A stretch of device addresses that is one stretch of the RAM file. */
struct mmu_extent {
	uint64_t offset;
	uint64_t pages;
};

/** What a walk found: the extents of a range, in order. */
struct mmu_extents {
	struct mmu_extent *extents;
	uint32_t count, room;
	struct mmu_extent few[8];
};

/**
 * Walk the tables at bus address @root for @pages pages from @va (page aligned). Each entry is read
 * once; every address in it is checked against RAM. 0 with @extents (free with mmu_extents_free());
 * -EFAULT with *@fault the first page that is not mapped, or not writable when @write; -ENOMEM.
 */
int mmu_walk(const struct guest_ram *ram, uint64_t root, uint64_t va, uint64_t pages, bool write,
	     struct mmu_extents *extents, uint64_t *fault);
void mmu_extents_free(struct mmu_extents *extents);

#endif
