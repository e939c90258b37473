/* SPDX-License-Identifier: Apache-2.0 */
/* IExecutionCallback where the vendor library is: the host's callback behind a message. */
#ifndef NNIPC_EXECUTION_CALLBACK_PROXY_H
#define NNIPC_EXECUTION_CALLBACK_PROXY_H

#include "nnhal.h"

/** nnhal_execution_cb of all executions. @cookie: of nnipc_callback_expect(). */
void nnipc_executed(void *cookie, enum nnhal_status status,
		    const struct nnhal_execution_result *result);
/** Notify the host's @callback of an execution that failed. */
void nnipc_execute_failed(uint64_t callback, enum nnhal_status status, const char *message);

#endif
