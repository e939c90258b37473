/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * Device contract, part 3: page tables.
 *
 * A context has 39 bits of device address, walked in three levels of 512 little-endian 64-bit entries:
 * level 2 (bits 38..30), level 1 (29..21), level 0 (20..12). A level 1 entry may map 2 MiB itself.
 * Tables are 4 KiB pages of DMA memory that only the host writes. The device may cache entries until a
 * TLB_INVALIDATE for the range is acknowledged. Making an invalid entry valid needs no invalidation.
 */
#ifndef _UAPI_NNACCEL_MMU_H_
#define _UAPI_NNACCEL_MMU_H_

#include <linux/types.h>

#define NNACCEL_VA_BITS		39u
#define NNACCEL_VA_END		(1ull << NNACCEL_VA_BITS)
/** NNACCEL_VA_START - lowest address that may be mapped, so that small numbers fault */
#define NNACCEL_VA_START	0x200000ull

#define NNACCEL_PAGE_SHIFT	12u
#define NNACCEL_PAGE_SIZE	(1ull << NNACCEL_PAGE_SHIFT)
#define NNACCEL_BLOCK_SHIFT	21u
#define NNACCEL_BLOCK_SIZE	(1ull << NNACCEL_BLOCK_SHIFT)
#define NNACCEL_PT_ENTRIES	512u
#define NNACCEL_PT_LEVELS	3u

/** NNACCEL_PT_INDEX - index of a device address in the table of a level */
#define NNACCEL_PT_INDEX(va, level) \
	(((va) >> (NNACCEL_PAGE_SHIFT + 9u * (level))) & (NNACCEL_PT_ENTRIES - 1u))

/** NNACCEL_PTE_VALID - the entry is in use */
#define NNACCEL_PTE_VALID	(1ull << 0)
/** NNACCEL_PTE_WRITE - leaf entries: the device may write */
#define NNACCEL_PTE_WRITE	(1ull << 1)
/** NNACCEL_PTE_BLOCK - level 1 only: maps 2 MiB, address 2 MiB aligned */
#define NNACCEL_PTE_BLOCK	(1ull << 2)
/** NNACCEL_PTE_ADDR - bus address of the page, block or next table; other bits are 0 */
#define NNACCEL_PTE_ADDR	0x000ffffffffff000ull

#endif
