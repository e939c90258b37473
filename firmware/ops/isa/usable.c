// SPDX-License-Identifier: Apache-2.0
#include "isa/usable.h"

bool nnfw_usable_always(void)
{
	return true;
}

#if defined(__x86_64__)
#include <cpuid.h>

#include "nnutil_tiles.h"

struct leaf {
	unsigned int a, b, c, d;
};

/* All 0 where the processor has no such leaf. */
static struct leaf leaf(unsigned int number, unsigned int sub)
{
	struct leaf l = { 0 };

	__get_cpuid_count(number, sub, &l.a, &l.b, &l.c, &l.d);
	return l;
}

#define HAS(reg, bit) ((reg) >> (bit)&1u)

/* The kernel saves the registers of @mask (XCR0) when it switches threads. */
static bool saved(unsigned int mask)
{
	unsigned int lo, hi;

	if (!HAS(leaf(1, 0).c, 27))
		return false;
	__asm__("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
	return (lo & mask) == mask;
}

#define SAVED_YMM 0x6u
#define SAVED_ZMM 0xe6u
#define SAVED_TILES 0x60000u

bool nnfw_usable_avx2(void)
{
	struct leaf one = leaf(1, 0), seven = leaf(7, 0);

	return saved(SAVED_YMM) && HAS(one.c, 12) && HAS(one.c, 29) && HAS(seven.b, 5);
}

bool nnfw_usable_vnni(void)
{
	struct leaf seven = leaf(7, 0);

	return nnfw_usable_avx2() && saved(SAVED_ZMM) && HAS(seven.b, 16) && HAS(seven.b, 17) &&
	       HAS(seven.b, 30) && HAS(seven.b, 31) && HAS(seven.c, 11);
}

bool nnfw_usable_amx(void)
{
	struct leaf seven = leaf(7, 0), one = leaf(7, 1);

	return nnfw_usable_vnni() && saved(SAVED_TILES) && HAS(seven.c, 1) && HAS(seven.d, 22) &&
	       HAS(seven.d, 23) && HAS(seven.d, 24) && HAS(seven.d, 25) && HAS(one.a, 5) &&
	       nnutil_tiles_exist();
}

#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>

bool nnfw_usable_dotprod(void)
{
	return getauxval(AT_HWCAP) & HWCAP_ASIMDDP;
}

bool nnfw_usable_i8mm(void)
{
	return nnfw_usable_dotprod() && getauxval(AT_HWCAP2) & HWCAP2_I8MM;
}
#endif
