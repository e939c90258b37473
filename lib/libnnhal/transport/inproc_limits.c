// SPDX-License-Identifier: Apache-2.0
/* Limits of the firmware in this process: memory, and stack. */
#include "transport/inproc.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "nnutil_process.h"

#define MOST_ARENA ((uint64_t)1 << 30)
/* A limit below this is no limit for programs, but the end of the process. */
#define LEAST ((uint64_t)16 << 20)

static uint64_t half(void)
{
	const uint64_t bytes = nnutil_memory_limit() / 2;

	return bytes < LEAST ? LEAST : bytes;
}

uint64_t nnhal_inproc_quota(unsigned int mib)
{
	return mib ? (uint64_t)mib << 20 : half();
}

uint64_t nnhal_inproc_arena(void)
{
	return half() < MOST_ARENA ? half() : MOST_ARENA;
}

/*
 * The bounds of the thread's own stack; both 0: not known. That of the first thread grows, and its
 * bounds come from /proc: they are read once per thread.
 */
static __thread struct {
	bool measured;
	uintptr_t low, high;
} stack;

static void stack_measure(void)
{
	pthread_attr_t attr;
	size_t size;
	void *low;

	stack.measured = true;
	if (pthread_getattr_np(pthread_self(), &attr))
		return;
	if (!pthread_attr_getstack(&attr, &low, &size)) {
		stack.low = (uintptr_t)low;
		stack.high = stack.low + size;
	}
	pthread_attr_destroy(&attr);
}

size_t nnhal_inproc_stack_left(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (!stack.measured)
		stack_measure();
	return here > stack.low && here < stack.high ? here - stack.low : 0;
}
