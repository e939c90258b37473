// SPDX-License-Identifier: Apache-2.0
/* What operations share at run time. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/kernel.h"

int nnfw_refuse(struct nnfw_op_ctx *ctx, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(ctx->error, sizeof(ctx->error), fmt, args);
	va_end(args);
	return -EINVAL;
}

void *nnfw_alloc_state(const struct nnfw_op_ctx *ctx, size_t size)
{
	if (ctx->reserve && ctx->reserve(ctx->loading, nnfw_align(size)))
		return NULL;
	return aligned_alloc(NNFW_ALIGN, nnfw_align(size));
}
