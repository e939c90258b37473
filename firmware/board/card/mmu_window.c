// SPDX-License-Identifier: Apache-2.0
#include <string.h>
#include <sys/mman.h>

#include "card/card.h"
#include "nnaccel/nnaccel_mmu.h"

uint8_t *mmu_window_create(const struct guest_ram *ram, const struct mmu_extents *extents,
			   uint64_t pages, bool write)
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

		if (mmap(at, len, prot, MAP_SHARED | MAP_FIXED, ram->fd, (off_t)extent->offset) ==
		    MAP_FAILED) {
			munmap(window, size);
			return NULL;
		}
		at += len;
	}
	return window;
}

void mmu_window_destroy(uint8_t *window, uint64_t pages)
{
	munmap(window, pages << NNACCEL_PAGE_SHIFT);
}

static void copy(const struct guest_ram *ram, const struct mmu_extents *extents, uint64_t skip,
		 uint8_t *inside, uint64_t len, bool out)
{
	for (uint32_t i = 0; i < extents->count && len; i++) {
		uint8_t *ram_at = ram->base + extents->extents[i].offset + skip;
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

void mmu_copy_in(const struct guest_ram *ram, const struct mmu_extents *extents, uint64_t skip,
		 void *into, uint64_t len)
{
	copy(ram, extents, skip, into, len, false);
}

void mmu_copy_out(const struct guest_ram *ram, const struct mmu_extents *extents, uint64_t skip,
		  const void *from, uint64_t len)
{
	/* Only read through: copy() writes its buffer in the other direction alone. */
	copy(ram, extents, skip, (uint8_t *)from, len, true);
}
