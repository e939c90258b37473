/* SPDX-License-Identifier: Apache-2.0 */
/* IExecution. Private to libnnhal. */
#ifndef NNHAL_IEXECUTION_H
#define NNHAL_IEXECUTION_H

#include "nnhal.h"

/** IPreparedModel::createReusableExecution. */
enum nnhal_status nnhal_create_reusable_execution(struct nnhal_prepared_model *model,
						  const struct nnhal_request *request,
						  const struct nnhal_execution_config *config,
						  struct nnhal_execution **execution);

#endif
