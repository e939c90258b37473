// SPDX-License-Identifier: Apache-2.0
/* One way to refuse an argument, and the names of result codes. */
#include <stddef.h>
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

const char *nnutil_result_name(int result)
{
	static const char *const names[] = {
		"NO_ERROR",
		"OUT_OF_MEMORY",
		"INCOMPLETE",
		"UNEXPECTED_NULL",
		"BAD_DATA",
		"OP_FAILED",
		"BAD_STATE",
		"UNMAPPABLE",
		"OUTPUT_INSUFFICIENT_SIZE",
		"UNAVAILABLE_DEVICE",
		"MISSED_DEADLINE_TRANSIENT",
		"MISSED_DEADLINE_PERSISTENT",
		"RESOURCE_EXHAUSTED_TRANSIENT",
		"RESOURCE_EXHAUSTED_PERSISTENT",
		"DEAD_OBJECT",
	};

	return result >= 0 && (size_t)result < sizeof(names) / sizeof(names[0]) ? names[result]
										: "unknown result";
}
