// SPDX-License-Identifier: Apache-2.0
/*
 * What operations share at run time: refusals, pieces, memory of what load() packs, operands as
 * floats.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernels/kernel.h"
#include "nnutil_file.h"
#include "nnutil_log.h"
#include "half/half.h"

int nnfw_refuse(struct nnfw_op_ctx *ctx, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	nnutil_vrefuse(ctx->error, sizeof(ctx->error), -EINVAL, fmt, args);
	va_end(args);
	return -EINVAL;
}

/* Pieces between two ticks: some 30 us. */
#define PIECES 16u

struct ranges {
	size_t elements, piece;
	void (*fn)(void *arg, size_t from, size_t n);
	void *arg;
};

static int run_ranges(void *arg, uint32_t slot, size_t first, size_t end,
		      struct nnfw_progress *progress)
{
	const struct ranges *r = arg;
	size_t last = end * r->piece < r->elements ? end * r->piece : r->elements;

	(void)slot;
	for (size_t from = first * r->piece, n; from < last; from += n) {
		n = last - from < PIECES * r->piece ? last - from : PIECES * r->piece;
		if (nnfw_progress_tick(progress))
			return -ECANCELED;
		r->fn(r->arg, from, n);
	}
	return 0;
}

int nnfw_each_range(struct nnfw_op_ctx *ctx, size_t elements, size_t piece,
		    void (*fn)(void *arg, size_t from, size_t n), void *arg)
{
	struct ranges r = { .elements = elements, .piece = piece, .fn = fn, .arg = arg };

	return nnfw_split(ctx, elements / piece + (elements % piece != 0), 1, run_ranges, &r);
}

/*
 * Memory of what load() packs. To fault its pages in one by one, as they are written, takes longer
 * than the packing: large blocks get them at once, from threads, and as huge pages where they fit.
 */

#define HUGE_PAGE ((size_t)2 << 20)
/* Blocks of fewer bytes have few pages. */
#define LARGE ((size_t)64 << 10)
/* Bytes that get their pages between two ticks: some 30 us. A huge page is one piece. */
#define SLICE ((size_t)128 << 10)

void *nnfw_alloc_state(const struct nnfw_op_ctx *ctx, size_t size)
{
	const size_t bytes = nnfw_align(size);
	void *state;

	if (ctx->reserve && ctx->reserve(ctx->loading, bytes))
		return NULL;
	if (posix_memalign(&state, bytes < HUGE_PAGE ? NNFW_ALIGN : HUGE_PAGE, bytes))
		return NULL;
	/* no more than the block */
	if (bytes >= HUGE_PAGE)
		(void)madvise(state, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
	return state;
}

struct pages {
	uint8_t *from, *end;
	size_t slice;
};

static int make_slices(void *arg, uint32_t slot, size_t first, size_t end,
		       struct nnfw_progress *progress)
{
	const struct pages *p = arg;

	(void)slot;
	for (size_t i = first; i < end; i++) {
		uint8_t *from = p->from + i * p->slice;
		size_t n = (size_t)(p->end - from);

		if (nnfw_progress_tick(progress))
			return -ECANCELED;
		/* where the kernel does not know it, pages come when they are written */
		if (!nnutil_make_pages(from, n < p->slice ? n : p->slice))
			return 0;
	}
	return 0;
}

int nnfw_state_pages(const struct nnfw_op_ctx *ctx, void *state, size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct pages p = {
		/* the first and the last page are the block's in part: it is written there, too */
		.from = (uint8_t *)nnutil_align_down((uintptr_t)state, page),
		.end = (uint8_t *)nnutil_align_up((uintptr_t)state + size, page),
		.slice = size < HUGE_PAGE ? SLICE : HUGE_PAGE,
	};

	if (size < LARGE)
		return 0;
	return nnfw_split(ctx, ((size_t)(p.end - p.from) + p.slice - 1) / p.slice, 1, make_slices,
			  &p);
}

/* ---- operands as floats ---- */

int nnfw_float_view(struct nnfw_work *work, const struct nnfw_tensor *t, float *mem,
		    const float **out)
{
	*out = t->dtype == NNPROG_FLOAT32 ? t->data : mem;
	return t->dtype == NNPROG_FLOAT32 ? 0
					  : nnfw_half_load_long(work, mem, t->data, t->elements);
}

int nnfw_load_half(const struct nnfw_op_ctx *ctx, const struct nnfw_tensor *t, void **state,
		   size_t *size)
{
	struct nnfw_work work = { .progress = ctx->progress };

	if (t->dtype != NNPROG_FLOAT16 || !t->constant || !t->data)
		return 0;
	*size = nnfw_align(t->elements * sizeof(float));
	*state = nnfw_alloc_state(ctx, *size);
	if (!*state)
		return -ENOMEM;
	return nnfw_half_load_long(&work, *state, t->data, t->elements);
}
