// SPDX-License-Identifier: Apache-2.0
/* Feature levels, result codes and deadlines. */
#include "nnhal.h"
#include "nnutil_clock.h"

#include "base/nnr_base.h"

static const int64_t level_codes[NNR_RUNTIME_LEVEL] = {
	ANEURALNETWORKS_FEATURE_LEVEL_1, ANEURALNETWORKS_FEATURE_LEVEL_2,
	ANEURALNETWORKS_FEATURE_LEVEL_3, ANEURALNETWORKS_FEATURE_LEVEL_4,
	ANEURALNETWORKS_FEATURE_LEVEL_5, ANEURALNETWORKS_FEATURE_LEVEL_6,
	ANEURALNETWORKS_FEATURE_LEVEL_7, ANEURALNETWORKS_FEATURE_LEVEL_8,
};

int64_t nnr_level_to_code(uint32_t level)
{
	if (!level)
		return 0;
	return level_codes[level < NNR_RUNTIME_LEVEL ? level - 1 : NNR_RUNTIME_LEVEL - 1];
}

uint32_t nnr_level_from_code(int64_t code)
{
	uint32_t level = 0;

	while (level < NNR_RUNTIME_LEVEL && code >= level_codes[level])
		level++;
	return level;
}

int nnr_event_code(int result)
{
	switch (result) {
	case ANEURALNETWORKS_NO_ERROR:
	case ANEURALNETWORKS_BAD_DATA:
	case ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE:
	case ANEURALNETWORKS_UNAVAILABLE_DEVICE:
	case ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT:
	case ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT:
	case ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT:
	case ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT:
		return result;
	case ANEURALNETWORKS_UNEXPECTED_NULL:
		return ANEURALNETWORKS_BAD_DATA;
	default:
		return ANEURALNETWORKS_OP_FAILED;
	}
}

int64_t nnr_deadline(uint64_t duration_ns)
{
	int64_t deadline;

	if (!duration_ns)
		return NNHAL_NO_TIME;
	if (__builtin_add_overflow(nnutil_boottime_ns(), duration_ns, &deadline))
		return INT64_MAX;
	return deadline;
}

int nnr_deadline_answer(int result, int64_t deadline_ns)
{
	const bool passed = deadline_ns != NNHAL_NO_TIME && nnutil_boottime_ns() >= deadline_ns;

	return passed && result == ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT
		       ? ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT
		       : result;
}
