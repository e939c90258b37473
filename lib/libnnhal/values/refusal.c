// SPDX-License-Identifier: Apache-2.0
/* Messages of failures, and refusals with them. */
#include <stdarg.h>
#include <stdio.h>

#include "values/nnhal_values.h"

void nnhal_message(char *message, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(message, NNHAL_MESSAGE, format, ap);
	va_end(ap);
}

enum nnhal_status nnhal_refuse(char *message, enum nnhal_status status, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(message, NNHAL_MESSAGE, format, ap);
	va_end(ap);
	return status;
}

enum nnhal_status nnhal_dead(char *message)
{
	if (message)
		nnhal_message(message,
			      "this object was made before fork(), in another process: make a new "
			      "one in this process");
	return NNHAL_DEAD_OBJECT;
}
