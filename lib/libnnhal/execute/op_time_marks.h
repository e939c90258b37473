/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of the operations of a job on a card, as marks in the trace (nntrace_op.h). The firmware of
 * a device in the process writes them itself. Private to libnnhal.
 */
#ifndef NNHAL_OP_TIME_MARKS_H
#define NNHAL_OP_TIME_MARKS_H

#include "device/prepared_model.h"

/** Entries that results of the model shall have room for: 0 if the trace has no such marks. */
uint32_t nnhal_op_times_wanted(const struct nnhal_pm *pm);
/** Write the marks. @entries: a copy of what the device wrote, @count at most. */
void nnhal_op_times_mark(const struct nnaccel_result *result, const struct nnaccel_op_time *entries,
			 uint32_t count);

#endif
