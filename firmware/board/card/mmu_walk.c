// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "card/card.h"
#include "nnaccel/nnaccel_mmu.h"

/* The host may write the table meanwhile: load the entry once and use the copy only. */
static uint64_t read_pte(const uint64_t *table, uint64_t va, unsigned int level)
{
	return le64toh(__atomic_load_n(&table[NNACCEL_PT_INDEX(va, level)], __ATOMIC_ACQUIRE));
}

static const uint64_t *table_at(const struct host_memory *memory, uint64_t pte)
{
	if (!(pte & NNACCEL_PTE_VALID) || (pte & ~(NNACCEL_PTE_VALID | NNACCEL_PTE_ADDR)))
		return NULL;
	return host_memory_ram_ptr(memory, pte & NNACCEL_PTE_ADDR, NNACCEL_PAGE_SIZE);
}

static bool leaf_allows(uint64_t pte, bool write)
{
	return (pte & NNACCEL_PTE_VALID) && (!write || (pte & NNACCEL_PTE_WRITE));
}

static int add_extent(struct mmu_extents *extents, uint64_t offset, uint64_t pages)
{
	struct mmu_extent *last = extents->count ? &extents->extents[extents->count - 1] : NULL;

	if (last && last->offset + last->pages * NNACCEL_PAGE_SIZE == offset) {
		last->pages += pages;
		return 0;
	}
	if (extents->count == extents->room) {
		uint32_t room = extents->room * 4;
		struct mmu_extent *more = extents->extents == extents->few ? NULL
									   : extents->extents;

		/* runs->runs keeps the old memory.
		 * NOLINTNEXTLINE(bugprone-suspicious-realloc-usage) */
		more = realloc(more, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		if (extents->extents == extents->few)
			memcpy(more, extents->few, sizeof(extents->few));
		extents->extents = more;
		extents->room = room;
	}
	extents->extents[extents->count++] = (struct mmu_extent){ offset, pages };
	return 0;
}

/*
 * One step of the walk: find the extent at @va. *@l0 caches the level 0 table of @va, so that it is
 * looked up once for its 512 pages.
 */
static int walk_step(const struct host_memory *memory, const uint64_t *l2, uint64_t va, bool write,
		     const uint64_t **l0, uint64_t *offset, uint64_t *pages)
{
	uint64_t pte;

	if (!*l0) {
		const uint64_t *l1 = table_at(memory, read_pte(l2, va, 2));

		if (!l1)
			return -EFAULT;
		pte = read_pte(l1, va, 1);
		if (pte & NNACCEL_PTE_BLOCK) {
			uint64_t inside = va & (NNACCEL_BLOCK_SIZE - 1);
			uint64_t bus = pte & NNACCEL_PTE_ADDR;

			if (!leaf_allows(pte, write) || (bus & (NNACCEL_BLOCK_SIZE - 1)) ||
			    (pte & ~(NNACCEL_PTE_ADDR | NNACCEL_PTE_VALID | NNACCEL_PTE_WRITE |
				     NNACCEL_PTE_BLOCK)))
				return -EFAULT;
			*pages = (NNACCEL_BLOCK_SIZE - inside) >> NNACCEL_PAGE_SHIFT;
			return host_memory_ram_offset(memory, bus + inside,
						      NNACCEL_BLOCK_SIZE - inside, offset);
		}
		*l0 = table_at(memory, pte);
		if (!*l0)
			return -EFAULT;
	}
	pte = read_pte(*l0, va, 0);
	if (!leaf_allows(pte, write) ||
	    (pte & ~(NNACCEL_PTE_ADDR | NNACCEL_PTE_VALID | NNACCEL_PTE_WRITE)))
		return -EFAULT;
	*pages = 1;
	return host_memory_ram_offset(memory, pte & NNACCEL_PTE_ADDR, NNACCEL_PAGE_SIZE, offset);
}

int mmu_walk(const struct host_memory *memory, uint64_t root, uint64_t va, uint64_t pages,
	     bool write, struct mmu_extents *extents, uint64_t *fault)
{
	const uint64_t *l2, *l0 = NULL;
	int err = 0;

	extents->extents = extents->few;
	extents->count = 0;
	extents->room = sizeof(extents->few) / sizeof(extents->few[0]);
	/* The kernel has windows instead of tables, and knows them. */
	if (!memory->base) {
		err = host_memory_check(memory, root + va, pages << NNACCEL_PAGE_SHIFT, write,
					fault);
		*fault -= root;
		return err ? err : add_extent(extents, root + va, pages);
	}
	l2 = host_memory_ram_ptr(memory, root, NNACCEL_PAGE_SIZE);
	while (pages && !err) {
		uint64_t offset = 0, n = 0;

		err = l2 ? walk_step(memory, l2, va, write, &l0, &offset, &n) : -EFAULT;
		if (err)
			break;
		if (n > pages)
			n = pages;
		err = add_extent(extents, offset, n);
		va += n << NNACCEL_PAGE_SHIFT;
		pages -= n;
		if (!(va & (NNACCEL_BLOCK_SIZE - 1)))
			l0 = NULL;
	}
	if (err) {
		mmu_extents_free(extents);
		*fault = va;
	}
	return err;
}

void mmu_extents_free(struct mmu_extents *extents)
{
	if (extents->extents != extents->few)
		free(extents->extents);
	extents->extents = NULL;
	extents->count = 0;
}
