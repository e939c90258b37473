/* SPDX-License-Identifier: Apache-2.0 */
/* Memory from a descriptor. */
#ifndef NNR_ROLE_MEMORY_H
#define NNR_ROLE_MEMORY_H

#include "plan/memory_roles.h"

/**
 * Allocate for the roles of a finished descriptor: in the device if all roles belong to one device,
 * else in shared memory of the host if the roles allow that. Result code (logged).
 */
int nnr_memory_create_from_desc(const ANeuralNetworksMemoryDesc *desc,
				ANeuralNetworksMemory **memory);

#endif
