// SPDX-License-Identifier: Apache-2.0
/* Shared by the operations at run time. */
#include <errno.h>
#include <stdarg.h>

#include "kernels/kernel.h"
#include "nnutil_log.h"

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
