// SPDX-License-Identifier: Apache-2.0
/* Steps and plans on nnapi-reference, prepared at the first need. */
#include "base/nnr_base.h"
#include "plan/nnr_plan.h"
#include "registry/nnr_registry.h"

static int fallback_prepare(ANeuralNetworksDevice *reference, const struct nnmodel *model,
			    int32_t priority, struct nnhal_prepared_model **prepared)
{
	const struct nnhal_prepare_config config = nnr_prepare_config(
		reference, ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER, priority, NNHAL_NO_TIME);
	char message[sizeof(((struct nnr_prepare_answer *)0)->message)];
	enum nnhal_status status =
		nnr_prepare_on(reference->hal, model, &config, prepared, message, sizeof(message));

	if (status != NNHAL_NONE)
		nnr_log_status(NNUTIL_LOG_WARNING, reference, "prepareModel", status, message);
	return nnhal_status_result_code(status);
}

int nnr_step_fallback(struct nnr_plan *plan, struct nnr_step *step,
		      struct nnr_workspaces **workspaces)
{
	ANeuralNetworksDevice *reference = nnr_reference_device();
	int result = ANEURALNETWORKS_NO_ERROR;

	*workspaces = NULL;
	/* what failed on nnapi-reference would fail on it again */
	if (!reference || step->device->is_reference)
		return ANEURALNETWORKS_OP_FAILED;
	pthread_mutex_lock(&step->fallback_lock);
	if (!step->fallback)
		result = fallback_prepare(reference, step->model, plan->priority, &step->fallback);
	if (step->fallback && !step->fallback_workspaces) {
		step->fallback_workspaces = nnr_workspaces_new(step->fallback, reference);
		if (!step->fallback_workspaces)
			result = ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	if (result == ANEURALNETWORKS_NO_ERROR)
		*workspaces = step->fallback_workspaces;
	pthread_mutex_unlock(&step->fallback_lock);
	return result;
}

/* Under full_lock. */
static int prepare_full(struct nnr_plan *plan, ANeuralNetworksDevice *reference)
{
	struct nnr_step *full = nnr_step_whole_model(plan, reference);
	int result;

	if (!full)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	result = fallback_prepare(reference, full->model, plan->priority, &full->prepared);
	if (result == ANEURALNETWORKS_NO_ERROR) {
		full->workspaces = nnr_workspaces_new(full->prepared, reference);
		if (!full->workspaces)
			result = ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	if (result == ANEURALNETWORKS_NO_ERROR)
		plan->full = full;
	else
		nnr_step_free(full);
	return result;
}

int nnr_plan_full(struct nnr_plan *plan, struct nnr_step **step)
{
	ANeuralNetworksDevice *reference = nnr_reference_device();
	int result = ANEURALNETWORKS_NO_ERROR;

	*step = NULL;
	if (!reference)
		return ANEURALNETWORKS_OP_FAILED;
	pthread_mutex_lock(&plan->full_lock);
	if (!plan->full)
		result = prepare_full(plan, reference);
	*step = plan->full;
	pthread_mutex_unlock(&plan->full_lock);
	return result;
}
