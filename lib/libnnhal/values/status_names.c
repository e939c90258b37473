// SPDX-License-Identifier: Apache-2.0
/* Names and result codes of ErrorStatus. The table is Documentation/status-codes.rst. */
#include "nnhal.h"
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
