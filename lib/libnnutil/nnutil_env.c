// SPDX-License-Identifier: Apache-2.0
#include "nnutil_text.h"

#include <stdlib.h>

#include "nnutil_log.h"

const char *nnutil_env_text(const char *name)
{
	const char *text = secure_getenv(name);

	return text && *text ? text : NULL;
}

uint64_t nnutil_env_number(const char *name, uint64_t max, uint64_t otherwise)
{
	const char *text = nnutil_env_text(name);
	uint64_t value;

	if (!text)
		return otherwise;
	if (!nnutil_parse_u64(text, 10, 1, max, &value))
		return value;
	nnutil_log(NNUTIL_LOG_ERROR, "%s=\"%.32s\" ignored: use a number from 1 to %llu", name,
		   text, (unsigned long long)max);
	return otherwise;
}

bool nnutil_env_bool(const char *name, bool otherwise)
{
	const char *text = nnutil_env_text(name);
	bool value;

	if (!text)
		return otherwise;
	if (!nnutil_parse_bool(text, &value))
		return value;
	nnutil_log(NNUTIL_LOG_ERROR,
		   "%s=\"%.32s\" ignored: use 0, no, false, off, or 1, yes, true, on", name, text);
	return otherwise;
}
