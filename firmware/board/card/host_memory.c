// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "card/card.h"
#include "nnaccel/nnaccel_emu.h"
#include "nnaccel/nnaccel_mmu.h"

#define GIB (1ull << 30)
#define HIGH_BASE (4 * GIB)

uint64_t host_memory_ram_low(uint64_t size)
{
	/* q35: below 2.75 GiB all of it is low, else 2 GiB of it. */
	return size < 0xb0000000ull ? size : 2 * GIB;
}

int host_memory_map_ram(struct host_memory *memory, int fd, uint64_t size, uint64_t start,
			uint64_t low)
{
	if (!low)
		low = host_memory_ram_low(size);
	if (low > size)
		low = size;
	if (!size || size % NNACCEL_PAGE_SIZE || low % NNACCEL_PAGE_SIZE || low > HIGH_BASE ||
	    start % NNACCEL_PAGE_SIZE || start > NNACCEL_PTE_ADDR ||
	    size > NNACCEL_PTE_ADDR - start)
		return -EINVAL;
	void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (base == MAP_FAILED)
		return -errno;
	*memory = (struct host_memory){
		.fd = fd,
		.base = base,
		.size = size,
		.start = start,
		.low = low,
	};
	return 0;
}

void host_memory_unmap(struct host_memory *memory)
{
	if (memory->base)
		munmap(memory->base, memory->size);
	memory->base = NULL;
}

int host_memory_ram_offset(const struct host_memory *memory, uint64_t bus, uint64_t len,
			   uint64_t *offset)
{
	uint64_t start = 0, end = memory->low, file = 0;

	if (memory->start) {
		start = memory->start;
		end = start + memory->size;
	} else if (bus >= HIGH_BASE) {
		start = HIGH_BASE;
		end = HIGH_BASE + (memory->size - memory->low);
		file = memory->low;
	}
	if (bus < start || bus >= end || len > end - bus)
		return -EFAULT;
	*offset = bus - start + file;
	return 0;
}

void *host_memory_ram_ptr(const struct host_memory *memory, uint64_t bus, uint64_t len)
{
	uint64_t offset;

	if (host_memory_ram_offset(memory, bus, len, &offset))
		return NULL;
	return memory->base + offset;
}

int host_memory_claim(struct host_memory *memory, int node)
{
	*memory = (struct host_memory){ .fd = node };
	return ioctl(node, NNACCEL_EMU_IOC_CLAIM) ? -errno : 0;
}

int host_memory_check(const struct host_memory *memory, uint64_t bus, uint64_t len, bool write,
		      uint64_t *fault)
{
	struct nnaccel_emu_range range = { .addr = bus, .size = len, .write = write };
	int err = ioctl(memory->fd, NNACCEL_EMU_IOC_CHECK, &range) ? -errno : 0;

	*fault = err == -EFAULT ? range.fault : bus;
	return err;
}

static uint64_t page_of(uint64_t bus)
{
	return bus & ~(NNACCEL_PAGE_SIZE - 1);
}

/* Bytes of the pages that [@bus, @bus + @len) is in. */
static uint64_t pages_size(uint64_t bus, uint64_t len)
{
	return page_of(bus + len + NNACCEL_PAGE_SIZE - 1) - page_of(bus);
}

void *host_memory_get(const struct host_memory *memory, uint64_t bus, uint64_t len)
{
	uint64_t fault;
	uint8_t *pages;

	if (memory->base)
		return host_memory_ram_ptr(memory, bus, len);
	if (host_memory_check(memory, bus, len, true, &fault))
		return NULL;
	pages = mmap(NULL, pages_size(bus, len), PROT_READ | PROT_WRITE, MAP_SHARED, memory->fd,
		     (off_t)page_of(bus));
	return pages == MAP_FAILED ? NULL : pages + (bus - page_of(bus));
}

void host_memory_put(const struct host_memory *memory, void *ptr, uint64_t bus, uint64_t len)
{
	if (!memory->base)
		munmap((uint8_t *)ptr - (bus - page_of(bus)), pages_size(bus, len));
}

bool host_memory_has_root(const struct host_memory *memory, uint64_t root)
{
	if (!memory->base)
		return root && !(root % NNACCEL_EMU_SPACE);
	return host_memory_ram_ptr(memory, root, NNACCEL_PAGE_SIZE);
}
