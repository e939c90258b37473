// SPDX-License-Identifier: Apache-2.0
/*
 * Bursts: executions of one compilation in quick succession. The bursts of devices, one per step,
 * are in the run cache (staging.c); this is the object that applications hold.
 */
#include <stdlib.h>

#include "runtime.h"

int ANeuralNetworksBurst_create(ANeuralNetworksCompilation *compilation,
				ANeuralNetworksBurst **burst)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksBurst_create");
	ANeuralNetworksBurst *made;
	int result;

	if (burst)
		*burst = NULL;
	if (!compilation || !burst) {
		nnutil_log(NNUTIL_LOG_WARNING,
			"ANeuralNetworksBurst_create: no compilation, or nowhere to put the burst");
		return ANEURALNETWORKS_UNEXPECTED_NULL;
	}
	if (!compilation->finished || !compilation->plan) {
		nnutil_log(NNUTIL_LOG_WARNING, "ANeuralNetworksBurst_create: the compilation %s",
			compilation->finished ? "failed" : "is not finished");
		return ANEURALNETWORKS_BAD_STATE;
	}
	result = nnr_compilation_renew(compilation);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	made = calloc(1, sizeof(*made));
	if (!made)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	atomic_flag_clear(&made->busy);
	made->plan = nnr_plan_get(compilation->plan);
	made->cache = nnr_run_cache_new(made->plan);
	if (!made->cache) {
		nnr_plan_put(made->plan);
		free(made);
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	*burst = made;
	return ANEURALNETWORKS_NO_ERROR;
}

void ANeuralNetworksBurst_free(ANeuralNetworksBurst *burst)
{
	NNTRACE_RT(NNTRACE_PHASE_TERMINATION, "ANeuralNetworksBurst_free");

	if (!burst || nnr_inherited(burst->plan))
		return;
	nnr_run_cache_free(burst->cache);
	nnr_plan_put(burst->plan);
	free(burst);
}
