/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocations of the process, in all threads and libraries, while they are counted. In one source
 * file of a program. A sanitizer brings an allocator of its own: with one nothing is counted, and
 * COUNTS_ALLOCATIONS is 0.
 */
#ifndef TESTS_LIB_ALLOCATIONS_H
#define TESTS_LIB_ALLOCATIONS_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static atomic_bool allocations_counting;
static atomic_uint allocations;

static inline void allocations_begin(void)
{
	allocations = 0;
	allocations_counting = true;
}

/** How many there were since then. */
static inline unsigned int allocations_end(void)
{
	allocations_counting = false;
	return allocations;
}

/** Whether one is seen. */
static inline bool allocations_are_seen(void)
{
	void *volatile one;

	allocations_begin();
	one = malloc(16);
	free(one);
	return allocations_end() == 1;
}

static inline void allocations_count(void)
{
	if (allocations_counting)
		allocations++;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS_ALLOCATIONS 0
#else
#define COUNTS_ALLOCATIONS 1

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);

/* Ours takes the place of libc's in the libraries, too, only if it is to be seen there. */
#pragma GCC visibility push(default)

void *malloc(size_t size)
{
	allocations_count();
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	allocations_count();
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	allocations_count();
	return __libc_realloc(p, size);
}

void *aligned_alloc(size_t align, size_t size)
{
	allocations_count();
	return __libc_memalign(align, size);
}

int posix_memalign(void **p, size_t align, size_t size)
{
	allocations_count();
	*p = __libc_memalign(align, size);
	return *p ? 0 : ENOMEM;
}

#pragma GCC visibility pop
#endif

#endif
