// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "nnprog_desc.h"
#include "verify.h"

int nnprog_refuse(struct nnprog_error *err, const char *fmt, ...)
{
	va_list args;

	if (!err)
		return -EINVAL;
	err->offset = 0;
	err->subgraph = UINT32_MAX;
	err->operation = UINT32_MAX;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return -EINVAL;
}

int nnprog_too_large(struct nnprog_error *err)
{
	nnprog_refuse(err, "shape is too large");
	return -EOVERFLOW;
}

int nnprog_refuse_at(struct nnprog_error *err, uint64_t offset, uint32_t subgraph,
		     uint32_t operation, const char *format, ...)
{
	va_list args;

	if (!err)
		return -EINVAL;
	err->offset = offset;
	err->subgraph = subgraph;
	err->operation = operation;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return -EINVAL;
}
