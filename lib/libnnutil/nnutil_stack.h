/* SPDX-License-Identifier: Apache-2.0 */
/* How much stack is left. */
#ifndef NNUTIL_STACK_H
#define NNUTIL_STACK_H

#include <stddef.h>

/**
 * Bytes of the calling thread's stack below the caller. 0: not known, also on a stack that the
 * thread was not started with (that of a coroutine).
 */
size_t nnutil_stack_left(void);

#endif
