/* SPDX-License-Identifier: Apache-2.0 */
/* How jobs ended. Private to libnnhal. */
#ifndef NNHAL_EXECUTION_RESULT_H
#define NNHAL_EXECUTION_RESULT_H

#include "execute/binding.h"

/**
 * Judge how a job ended: read and check its struct nnaccel_result, copy staged outputs back, fill
 * @result (empty before) but for timing.
 */
enum nnhal_status nnhal_result_read(struct nnhal_binding *binding, uint64_t seqno,
				    const struct nnhal_tend *end,
				    struct nnhal_execution_result *result);
/** Timing of a successful, measured execution: on_device <= in_driver. */
struct nnhal_timing nnhal_timing_of(const struct nnhal_tend *end, int64_t in_driver_ns);
/** Whether the job's queue is banned now. */
bool nnhal_end_bans(const struct nnhal_tend *end);

#endif
