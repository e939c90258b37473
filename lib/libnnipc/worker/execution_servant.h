/* SPDX-License-Identifier: Apache-2.0 */
/* IExecution. */
#ifndef NNIPC_EXECUTION_SERVANT_H
#define NNIPC_EXECUTION_SERVANT_H

#include "nnhal.h"

/** Give an execution of the vendor's a number. On an error it is destroyed, and *@oid is 0. */
enum nnhal_status nnipc_execution_add(struct nnhal_execution *execution, uint64_t *oid);

#endif
