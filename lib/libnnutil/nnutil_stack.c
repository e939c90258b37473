// SPDX-License-Identifier: Apache-2.0
#include "nnutil_stack.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The bounds of the thread's own stack; both 0: not known. That of the first thread grows, and
 * asking for it reads /proc: once per thread.
 */
static __thread struct {
	bool asked;
	uintptr_t low, high;
} stack;

static void ask(void)
{
	pthread_attr_t attr;
	size_t size;
	void *low;

	stack.asked = true;
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

	if (!stack.asked)
		ask();
	return here > stack.low && here < stack.high ? here - stack.low : 0;
}
