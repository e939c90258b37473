// SPDX-License-Identifier: Apache-2.0
#include "nnutil_log.h"

#include <stddef.h>

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
