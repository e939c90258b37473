// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "card/card.h"
#include "nnaccel/nnaccel_mmu.h"

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
