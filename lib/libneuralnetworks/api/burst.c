// SPDX-License-Identifier: Apache-2.0
/* ANeuralNetworksBurst: executions of one compilation in quick succession. */
#include <stdlib.h>

#include "api/burst.h"
#include "base/nnr_base.h"
#include "plan/nnr_plan.h"

int ANeuralNetworksBurst_create(ANeuralNetworksCompilation *compilation,
				ANeuralNetworksBurst **burst)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksBurst_create");
	ANeuralNetworksBurst *made;
	int result;

	if (burst)
		*burst = NULL;
	if (!compilation || !burst)
		return nnr_refuse(UNEXPECTED_NULL, "compilation or burst is NULL");
	if (!compilation->finished || !compilation->plan)
		return nnr_refuse(BAD_STATE, "the compilation %s",
				  compilation->finished ? "failed" : "is not finished");
	result = nnr_compilation_renew(compilation);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	made = calloc(1, sizeof(*made));
	if (!made)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	atomic_flag_clear(&made->busy);
	made->set = nnr_workspace_set_new();
	if (!made->set) {
		free(made);
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	made->plan = nnr_plan_get(compilation->plan);
	*burst = made;
	return ANEURALNETWORKS_NO_ERROR;
}

void ANeuralNetworksBurst_free(ANeuralNetworksBurst *burst)
{
	NNTRACE_RT(NNTRACE_PHASE_TERMINATION, "ANeuralNetworksBurst_free");

	if (!burst || nnr_inherited(burst->plan))
		return;
	nnr_workspace_set_free(burst->set);
	nnr_plan_put(burst->plan);
	free(burst);
}
