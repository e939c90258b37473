/* SPDX-License-Identifier: Apache-2.0 */
/* Results of executions as nnhal.h has them. Private to libnnhal. */
#ifndef NNHAL_EXECUTION_RESULT_H
#define NNHAL_EXECUTION_RESULT_H

#include "nnhal.h"

/** Empty: no shapes, no message, no timing. */
void nnhal_result_init(struct nnhal_execution_result *result);

#endif
