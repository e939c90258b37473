// SPDX-License-Identifier: Apache-2.0
#include "isa/usable.h"

bool nnfw_usable_always(void)
{
	return true;
}

#if defined(__x86_64__)
#include <cpuid.h>
#include <pthread.h>

#include "nnutil_process.h"

struct leaf {
	unsigned int a, b, c, d;
};

/*
 * Facts about the processor, read once: a virtual machine exits at each CPUID, and a few dozen of
 * them took a tenth of the time until a small model's first result.
 */
static struct {
	pthread_once_t once;
	struct leaf one, seven, seven_one;
	unsigned int saved; /* XCR0: the kernel saves these registers when it switches threads */
} cpu = { .once = PTHREAD_ONCE_INIT };

#define HAS(reg, bit) ((reg) >> (bit)&1u)

/* All 0 where the processor has no such leaf. */
static void cpu_read(void)
{
	const unsigned int most = __get_cpuid_max(0, NULL);
	unsigned int high;

	if (most < 1)
		return;
	__cpuid(1, cpu.one.a, cpu.one.b, cpu.one.c, cpu.one.d);
	if (HAS(cpu.one.c, 27))
		__asm__("xgetbv" : "=a"(cpu.saved), "=d"(high) : "c"(0));
	if (most < 7)
		return;
	__cpuid_count(7, 0, cpu.seven.a, cpu.seven.b, cpu.seven.c, cpu.seven.d);
	if (cpu.seven.a >= 1)
		__cpuid_count(7, 1, cpu.seven_one.a, cpu.seven_one.b, cpu.seven_one.c,
			      cpu.seven_one.d);
}

/* The registers of @mask. */
static bool saved(unsigned int mask)
{
	return (cpu.saved & mask) == mask;
}

#define SAVED_YMM 0x6u
#define SAVED_ZMM 0xe6u
#define SAVED_TILES 0x60000u

bool nnfw_usable_avx2(void)
{
	pthread_once(&cpu.once, cpu_read);
	return saved(SAVED_YMM) && HAS(cpu.one.c, 12) && HAS(cpu.one.c, 29) && HAS(cpu.seven.b, 5);
}

bool nnfw_usable_avxvnni(void)
{
	return nnfw_usable_avx2() && HAS(cpu.seven_one.a, 4);
}

bool nnfw_usable_avx512(void)
{
	const struct leaf *seven = &cpu.seven;

	return nnfw_usable_avx2() && saved(SAVED_ZMM) && HAS(seven->b, 16) && HAS(seven->b, 17) &&
	       HAS(seven->b, 30) && HAS(seven->b, 31);
}

bool nnfw_usable_avx512vnni(void)
{
	return nnfw_usable_avx512() && HAS(cpu.seven.c, 11);
}

bool nnfw_usable_amx(void)
{
	const struct leaf *seven = &cpu.seven;

	return nnfw_usable_avx512vnni() && saved(SAVED_TILES) && HAS(seven->d, 24) &&
	       HAS(seven->d, 25) && nnutil_tiles_exist();
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
