/* SPDX-License-Identifier: Apache-2.0 */
/* Computations that begin when others have ended. */
#ifndef NNR_FENCED_COMPUTATION_H
#define NNR_FENCED_COMPUTATION_H

#include "run/execution_object.h"

/** ANeuralNetworksExecution_startComputeWithDependencies() with valid pointers. Result code. */
int nnr_execution_start_fenced(ANeuralNetworksExecution *execution,
			       const ANeuralNetworksEvent *const *dependencies, uint32_t num,
			       uint64_t duration, ANeuralNetworksEvent **event);

#endif
