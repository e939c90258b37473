/* SPDX-License-Identifier: Apache-2.0 */
/* For benchmarks of one thread that call operations themselves. */
#ifndef BENCH_THREAD_H
#define BENCH_THREAD_H

#include <error.h>
#include <stdlib.h>
#include <time.h>

#include "nnfw_op.h"
#include "nnprog_desc.h"

/* Time of this thread, so that other load does not show. */
static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline _Noreturn void die(const char *what)
{
	error(1, 0, "%s", what);
	abort();
}

static inline void *memory(size_t size)
{
	void *p = aligned_alloc(64, (size + 63) & ~(size_t)63);

	if (!p)
		die("out of memory");
	return p;
}

/* A tensor whose contents and quantization are the caller's to fill. */
static inline struct nnfw_tensor empty_tensor(uint32_t dtype, uint32_t rank, const uint32_t *dims)
{
	struct nnfw_tensor t = { .dtype = dtype, .rank = rank, .elements = 1 };

	for (uint32_t i = 0; i < rank; i++) {
		t.dims[i] = dims[i];
		t.elements *= dims[i];
	}
	t.size = t.elements * nnprog_dtype_size(dtype);
	t.data = memory(t.size);
	return t;
}

#endif
