/* SPDX-License-Identifier: Apache-2.0 */
/* ANeuralNetworksBurst. */
#ifndef NNR_BURST_H
#define NNR_BURST_H

#include "plan/nnr_plan.h"

/** One thread at a time is in burstCompute(). A thread that finds @busy set gets BAD_STATE. */
struct ANeuralNetworksBurst {
	struct nnr_plan *plan;
	atomic_flag busy;
	struct nnr_workspace_set *set; /* whose workspaces have the devices' burst objects */
};

#endif
