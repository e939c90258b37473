// SPDX-License-Identifier: Apache-2.0
/* Guest RAM by bus address, and the walk of the host's page tables. */
#include <errno.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mmu.h"

#define GIB (1ull << 30)
#define HIGH_BASE (4 * GIB)

uint64_t guest_ram_low(uint64_t size)
{
	/* q35: below 2.75 GiB all of it is low, else 2 GiB of it. */
	return size < 0xb0000000ull ? size : 2 * GIB;
}

int guest_ram_map(struct guest_ram *ram, int fd, uint64_t size, uint64_t low)
{
	if (!low)
		low = guest_ram_low(size);
	if (low > size)
		low = size;
	if (!size || size % NNACCEL_PAGE_SIZE || low % NNACCEL_PAGE_SIZE || low > HIGH_BASE ||
	    size > NNACCEL_PTE_ADDR)
		return -EINVAL;
	void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (base == MAP_FAILED)
		return -errno;
	*ram = (struct guest_ram){ .fd = fd, .base = base, .size = size, .low = low };
	return 0;
}

void guest_ram_unmap(struct guest_ram *ram)
{
	if (ram->base)
		munmap(ram->base, ram->size);
	ram->base = NULL;
}

int guest_ram_offset(const struct guest_ram *ram, uint64_t bus, uint64_t len, uint64_t *offset)
{
	uint64_t start = 0, end = ram->low, file = 0;

	if (bus >= HIGH_BASE) {
		start = HIGH_BASE;
		end = HIGH_BASE + (ram->size - ram->low);
		file = ram->low;
	}
	if (bus >= end || len > end - bus)
		return -EFAULT;
	*offset = bus - start + file;
	return 0;
}

void *guest_ram_ptr(const struct guest_ram *ram, uint64_t bus, uint64_t len)
{
	uint64_t offset;

	if (guest_ram_offset(ram, bus, len, &offset))
		return NULL;
	return ram->base + offset;
}

/* The host writes tables while we read them: one load, then only the copy is used. */
static uint64_t read_pte(const uint64_t *table, uint64_t va, unsigned int level)
{
	return le64toh(__atomic_load_n(&table[NNACCEL_PT_INDEX(va, level)], __ATOMIC_ACQUIRE));
}

static const uint64_t *table_at(const struct guest_ram *ram, uint64_t pte)
{
	if (!(pte & NNACCEL_PTE_VALID) || (pte & ~(NNACCEL_PTE_VALID | NNACCEL_PTE_ADDR)))
		return NULL;
	return guest_ram_ptr(ram, pte & NNACCEL_PTE_ADDR, NNACCEL_PAGE_SIZE);
}

static bool leaf_allows(uint64_t pte, bool write)
{
	return (pte & NNACCEL_PTE_VALID) && (!write || (pte & NNACCEL_PTE_WRITE));
}

static int add_run(struct mmu_runs *runs, uint64_t offset, uint64_t pages)
{
	struct mmu_run *last = runs->count ? &runs->runs[runs->count - 1] : NULL;

	if (last && last->offset + last->pages * NNACCEL_PAGE_SIZE == offset) {
		last->pages += pages;
		return 0;
	}
	if (runs->count == runs->room) {
		uint32_t room = runs->room * 4;
		struct mmu_run *more = runs->runs == runs->few ? NULL : runs->runs;

		/* runs->runs keeps the old memory.
		 * NOLINTNEXTLINE(bugprone-suspicious-realloc-usage) */
		more = realloc(more, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		if (runs->runs == runs->few)
			memcpy(more, runs->few, sizeof(runs->few));
		runs->runs = more;
		runs->room = room;
	}
	runs->runs[runs->count++] = (struct mmu_run){ offset, pages };
	return 0;
}

/*
 * One step of the walk: the run that begins at @va. *@l0 is the level 0 table of @va when an
 * earlier step found it, so that a table is looked up once for its 512 pages.
 */
static int walk_step(const struct guest_ram *ram, const uint64_t *l2, uint64_t va, bool write,
		     const uint64_t **l0, uint64_t *offset, uint64_t *pages)
{
	uint64_t pte;

	if (!*l0) {
		const uint64_t *l1 = table_at(ram, read_pte(l2, va, 2));

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
			return guest_ram_offset(ram, bus + inside, NNACCEL_BLOCK_SIZE - inside,
						offset);
		}
		*l0 = table_at(ram, pte);
		if (!*l0)
			return -EFAULT;
	}
	pte = read_pte(*l0, va, 0);
	if (!leaf_allows(pte, write) ||
	    (pte & ~(NNACCEL_PTE_ADDR | NNACCEL_PTE_VALID | NNACCEL_PTE_WRITE)))
		return -EFAULT;
	*pages = 1;
	return guest_ram_offset(ram, pte & NNACCEL_PTE_ADDR, NNACCEL_PAGE_SIZE, offset);
}

int mmu_walk(const struct guest_ram *ram, uint64_t root, uint64_t va, uint64_t pages, bool write,
	     struct mmu_runs *runs, uint64_t *fault)
{
	const uint64_t *l2 = guest_ram_ptr(ram, root, NNACCEL_PAGE_SIZE);
	const uint64_t *l0 = NULL;
	int err = 0;

	runs->runs = runs->few;
	runs->count = 0;
	runs->room = sizeof(runs->few) / sizeof(runs->few[0]);
	while (pages && !err) {
		uint64_t offset = 0, n = 0;

		err = l2 ? walk_step(ram, l2, va, write, &l0, &offset, &n) : -EFAULT;
		if (err)
			break;
		if (n > pages)
			n = pages;
		err = add_run(runs, offset, n);
		va += n << NNACCEL_PAGE_SHIFT;
		pages -= n;
		if (!(va & (NNACCEL_BLOCK_SIZE - 1)))
			l0 = NULL;
	}
	if (err) {
		mmu_runs_free(runs);
		*fault = va;
	}
	return err;
}

void mmu_runs_free(struct mmu_runs *runs)
{
	if (runs->runs != runs->few)
		free(runs->runs);
	runs->runs = NULL;
	runs->count = 0;
}
