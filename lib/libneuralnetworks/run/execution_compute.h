/* SPDX-License-Identifier: Apache-2.0 */
/* Computations of an execution. Result codes; failures are logged. */
#ifndef NNR_EXECUTION_COMPUTE_H
#define NNR_EXECUTION_COMPUTE_H

#include "run/execution_object.h"

/**
 * Begin a computation. NO_ERROR: no other computation can begin until nnr_execution_end().
 * BAD_DATA: an argument is not set, and the execution has completed.
 */
int nnr_execution_begin(ANeuralNetworksExecution *execution, enum nnr_diagnostic_mode mode,
			struct nnr_workspace_set *set);
/** End the computation. The value is @result. */
int nnr_execution_end(ANeuralNetworksExecution *execution, int result);
/** From begin to end on this thread. @set: of a burst, or NULL. */
int nnr_execution_compute(ANeuralNetworksExecution *execution, enum nnr_diagnostic_mode mode,
			  struct nnr_workspace_set *set);
/** After nnr_execution_begin(): the rest on a worker thread. *@event with NO_ERROR. */
int nnr_execution_launch(ANeuralNetworksExecution *execution, ANeuralNetworksEvent **event);

#endif
