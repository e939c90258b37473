// SPDX-License-Identifier: Apache-2.0
/*
 * Failures: names and result codes of ErrorStatus (Documentation/status-codes.rst), messages, and
 * refusals with them.
 */
#include "nnhal.h"

#include <stdarg.h>
#include <stdio.h>

#include "values/nnhal_values.h"

NNHAL_EXPORT const char *nnhal_status_name(enum nnhal_status status)
{
	switch (status) {
	case NNHAL_NONE:
		return "NONE";
	case NNHAL_DEVICE_UNAVAILABLE:
		return "DEVICE_UNAVAILABLE";
	case NNHAL_GENERAL_FAILURE:
		return "GENERAL_FAILURE";
	case NNHAL_OUTPUT_INSUFFICIENT_SIZE:
		return "OUTPUT_INSUFFICIENT_SIZE";
	case NNHAL_INVALID_ARGUMENT:
		return "INVALID_ARGUMENT";
	case NNHAL_MISSED_DEADLINE_TRANSIENT:
		return "MISSED_DEADLINE_TRANSIENT";
	case NNHAL_MISSED_DEADLINE_PERSISTENT:
		return "MISSED_DEADLINE_PERSISTENT";
	case NNHAL_RESOURCE_EXHAUSTED_TRANSIENT:
		return "RESOURCE_EXHAUSTED_TRANSIENT";
	case NNHAL_RESOURCE_EXHAUSTED_PERSISTENT:
		return "RESOURCE_EXHAUSTED_PERSISTENT";
	case NNHAL_DEAD_OBJECT:
		return "DEAD_OBJECT";
	}
	return "unknown status";
}

NNHAL_EXPORT int nnhal_status_result_code(enum nnhal_status status)
{
	switch (status) {
	case NNHAL_NONE:
		return 0;
	case NNHAL_INVALID_ARGUMENT:
		return 4; /* BAD_DATA */
	case NNHAL_GENERAL_FAILURE:
		return 5; /* OP_FAILED */
	case NNHAL_OUTPUT_INSUFFICIENT_SIZE:
		return 8;
	case NNHAL_DEVICE_UNAVAILABLE:
		return 9; /* UNAVAILABLE_DEVICE */
	case NNHAL_MISSED_DEADLINE_TRANSIENT:
		return 10;
	case NNHAL_MISSED_DEADLINE_PERSISTENT:
		return 11;
	case NNHAL_RESOURCE_EXHAUSTED_TRANSIENT:
		return 12;
	case NNHAL_RESOURCE_EXHAUSTED_PERSISTENT:
		return 13;
	case NNHAL_DEAD_OBJECT:
		return 14;
	}
	return 5;
}

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
