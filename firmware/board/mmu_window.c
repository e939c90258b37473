// SPDX-License-Identifier: Apache-2.0
#include <string.h>
#include <sys/mman.h>

#include "mmu_window.h"

uint8_t *mmu_window_create(const struct guest_ram *ram, const struct mmu_runs *runs, uint64_t pages,
			   bool write)
{
	int prot = write ? PROT_READ | PROT_WRITE : PROT_READ;
	uint64_t size = pages << NNACCEL_PAGE_SHIFT;
	/* Reserve the whole window first: a piece that fails leaves nothing of others in it. */
	uint8_t *window =
		mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint8_t *at = window;

	if (window == MAP_FAILED)
		return NULL;
	for (uint32_t i = 0; i < runs->count; i++) {
		const struct mmu_run *run = &runs->runs[i];
		uint64_t len = run->pages << NNACCEL_PAGE_SHIFT;

		if (mmap(at, len, prot, MAP_SHARED | MAP_FIXED, ram->fd, (off_t)run->offset) ==
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

static void copy(const struct guest_ram *ram, const struct mmu_runs *runs, uint64_t skip,
		 uint8_t *inside, uint64_t len, bool out)
{
	for (uint32_t i = 0; i < runs->count && len; i++) {
		uint8_t *ram_at = ram->base + runs->runs[i].offset + skip;
		uint64_t n = (runs->runs[i].pages << NNACCEL_PAGE_SHIFT) - skip;

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

void mmu_copy_in(const struct guest_ram *ram, const struct mmu_runs *runs, uint64_t skip,
		 void *into, uint64_t len)
{
	copy(ram, runs, skip, into, len, false);
}

void mmu_copy_out(const struct guest_ram *ram, const struct mmu_runs *runs, uint64_t skip,
		  const void *from, uint64_t len)
{
	/* Only read through: copy() writes its buffer in the other direction alone. */
	copy(ram, runs, skip, (uint8_t *)from, len, true);
}
