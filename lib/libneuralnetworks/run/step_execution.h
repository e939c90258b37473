/* SPDX-License-Identifier: Apache-2.0 */
/* One execution of a prepared model. Result codes. */
#ifndef NNR_STEP_EXECUTION_H
#define NNR_STEP_EXECUTION_H

#include "run/run_state.h"

/** Make the request of the workspace's arguments; data at pointers is staged. */
int nnr_workspace_bind(struct nnr_workspace *workspace);
/** The run's configuration, as far as the device's interface can express it. */
int nnr_workspace_config(struct nnr_workspace *workspace, const struct nnr_run *run,
			 struct nnhal_execution_config *config);
/**
 * Execute and wait. Checks the device's answer: with NO_ERROR and OUTPUT_INSUFFICIENT_SIZE the
 * workspace has the shape of each output; a contradiction is OP_FAILED.
 */
int nnr_workspace_execute(struct nnr_workspace *workspace, const struct nnr_run *run,
			  int64_t deadline_ns);

#endif
