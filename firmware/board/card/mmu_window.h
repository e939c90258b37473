/* SPDX-License-Identifier: Apache-2.0 */
/* How a range of extents becomes one pointer: in place, through a window, or as a copy. */
#ifndef NNBOARD_MMU_WINDOW_H
#define NNBOARD_MMU_WINDOW_H

#include "card/mmu_walk.h"

/**
 * A window: @pages pages of address space, stitched from mappings of the RAM file in the order of
 * @extents; read-only unless @write. NULL when none can be had.
 */
uint8_t *mmu_window_create(const struct guest_ram *ram, const struct mmu_extents *extents,
			   uint64_t pages, bool write);
void mmu_window_destroy(uint8_t *window, uint64_t pages);

/** Copy @len bytes between a buffer and the extents, from @skip bytes into the first extent on. */
void mmu_copy_in(const struct guest_ram *ram, const struct mmu_extents *extents, uint64_t skip,
		 void *into, uint64_t len);
void mmu_copy_out(const struct guest_ram *ram, const struct mmu_extents *extents, uint64_t skip,
		  const void *from, uint64_t len);

#endif
