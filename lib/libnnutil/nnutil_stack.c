// SPDX-License-Identifier: Apache-2.0
#include "nnutil_process.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

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

size_t nnutil_stack_left(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (!stack.measured)
		stack_measure();
	return here > stack.low && here < stack.high ? here - stack.low : 0;
}
