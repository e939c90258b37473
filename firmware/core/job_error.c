// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdio.h>

#include "core.h"

void nnfw_error_clear(struct job_error *error)
{
	error->offset = 0;
	error->operation = error->subgraph = NNFW_NONE;
	error->fault = 0;
	error->text[0] = 0;
}

uint32_t nnfw_fail(struct job_error *error, uint32_t status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	return status;
}
