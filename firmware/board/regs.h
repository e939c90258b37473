/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Access to the register page and to rings. They are shared with the processors of the guest, so
 * every access is one atomic load or store of little-endian data. Loads acquire, stores release.
 */
#ifndef NNBOARD_REGS_H
#define NNBOARD_REGS_H

#include <endian.h>
#include <stdint.h>

#include "nnaccel/nnaccel_ring.h"

/** BAR2 of the emulated card, bytes: a power of two, at least NNACCEL_REGS_SIZE. */
#define NNBOARD_BAR2_SIZE (1ull << 20)

static inline uint32_t reg_get32(const __le32 *reg)
{
	return le32toh(__atomic_load_n(reg, __ATOMIC_ACQUIRE));
}

static inline uint64_t reg_get64(const __le64 *reg)
{
	return le64toh(__atomic_load_n(reg, __ATOMIC_ACQUIRE));
}

static inline void reg_set32(__le32 *reg, uint32_t value)
{
	__atomic_store_n(reg, htole32(value), __ATOMIC_RELEASE);
}

static inline void reg_set64(__le64 *reg, uint64_t value)
{
	__atomic_store_n(reg, htole64(value), __ATOMIC_RELEASE);
}

#endif
