/* SPDX-License-Identifier: Apache-2.0 */
/* Executions in the calling thread. Private to libnnhal. */
#ifndef NNHAL_SYNCHRONOUS_H
#define NNHAL_SYNCHRONOUS_H

#include "execute/binding.h"

/**
 * Submit and wait, once more if the job was lost innocently. @deadline_ns: CLOCK_BOOTTIME. The
 * caller has found the binding ready, and begins and ends its writes.
 */
enum nnhal_status nnhal_execute_begun(struct nnhal_binding *binding, int64_t deadline_ns,
				      struct nnhal_execution_result *result,
				      struct nnhal_tend *end);
/** The same, with all of that and a look at the deadline. */
enum nnhal_status nnhal_execute_binding(struct nnhal_binding *binding, int64_t deadline_ns,
					struct nnhal_execution_result *result,
					struct nnhal_tend *end);
/** As nnhal_execute_binding(), with result->timing. */
enum nnhal_status nnhal_execute_and_time(struct nnhal_binding *binding, int64_t deadline_ns,
					 struct nnhal_execution_result *result);

#endif
