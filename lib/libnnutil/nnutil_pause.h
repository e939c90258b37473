/* SPDX-License-Identifier: Apache-2.0 */
/* For loops that look for what another thread writes. */
#ifndef NNUTIL_PAUSE_H
#define NNUTIL_PAUSE_H

/** Let the other thread of this core run for a moment, and save power; not a memory barrier. */
static inline void nnutil_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
	__asm__ volatile("yield" ::: "memory");
#else
	__asm__ volatile("" ::: "memory");
#endif
}

#endif
