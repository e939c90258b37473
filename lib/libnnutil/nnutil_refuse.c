// SPDX-License-Identifier: Apache-2.0
/* One way to refuse an argument. */
#include <stdio.h>

#include "nnutil_log.h"

int nnutil_vrefuse(char *text, size_t size, int error, const char *format, va_list args)
{
	if (text && size)
		vsnprintf(text, size, format, args);
	return error;
}

int nnutil_refuse(char *text, size_t size, int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	nnutil_vrefuse(text, size, error, format, args);
	va_end(args);
	return error;
}
