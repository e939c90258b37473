/* SPDX-License-Identifier: Apache-2.0 */
/* Feature levels, result codes and deadlines. */
#ifndef NNR_CODES_H
#define NNR_CODES_H

#include <stdint.h>

/** FeatureLevelCode of a level 1 to 8. */
int64_t nnr_level_to_code(uint32_t level);
/** The level of a FeatureLevelCode, rounded down. 0: below level 1. */
uint32_t nnr_level_from_code(int64_t code);
/** The result code that an event reports for @result, a result code. */
int nnr_event_code(int result);

/** CLOCK_BOOTTIME in ns, @duration_ns from now, saturating. 0 ns (no limit): NNHAL_NO_TIME. */
int64_t nnr_deadline(uint64_t duration_ns);
/**
 * The result code for @result, a device's answer under @deadline_ns. The application sets
 * durations, so no deadline has passed when its call begins. A device that is reached after the
 * deadline answers PERSISTENT; the application gets TRANSIENT, because another attempt may be in
 * time.
 */
int nnr_deadline_answer(int result, int64_t deadline_ns);

#endif
