// SPDX-License-Identifier: Apache-2.0
#include "nnutil_process.h"

#if defined(__x86_64__)
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* linux: arch/x86/include/uapi/asm/prctl.h */
#define ARCH_GET_XCOMP_SUPP 0x1021
#define ARCH_GET_XCOMP_PERM 0x1022
#define ARCH_REQ_XCOMP_PERM 0x1023
#define XFEATURE_XTILEDATA 18

static bool among(int question)
{
	uint64_t features = 0;

	return !syscall(SYS_arch_prctl, question, &features) && features >> XFEATURE_XTILEDATA & 1;
}

bool nnutil_tiles_exist(void)
{
	return among(ARCH_GET_XCOMP_SUPP);
}

bool nnutil_tiles_allowed(void)
{
	return among(ARCH_GET_XCOMP_PERM);
}

bool nnutil_tiles_ask(void)
{
	return !syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA);
}

#else

bool nnutil_tiles_exist(void)
{
	return false;
}

bool nnutil_tiles_allowed(void)
{
	return false;
}

bool nnutil_tiles_ask(void)
{
	return false;
}
#endif
