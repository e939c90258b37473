// SPDX-License-Identifier: Apache-2.0
/*
 * A plan for a compilation, and what becomes of failures on the way: user errors are returned,
 * others lead to the whole model on nnapi-reference where that is permitted (client_api.md section
 * 12, finish()).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"

/*
 * Explicit lists are kept to: no fallback. nnapi-reference has no operations of extensions, nor of
 * OEMs.
 */
static bool may_fall_back(const ANeuralNetworksCompilation *c, enum nnr_partitioning mode)
{
	return mode == NNR_PARTITION_WITH_FALLBACK && !c->explicit_devices &&
	       !c->data->has_extensions && !c->data->has_oem && nnr_reference_device();
}

static bool lists_reference(const ANeuralNetworksCompilation *c)
{
	uint32_t i;

	for (i = 0; i < c->num_devices; i++)
		if (c->devices[i]->is_reference)
			return c->explicit_devices && !c->data->has_extensions && !c->data->has_oem;
	return false;
}

static int on_reference(struct nnr_plan *plan, const ANeuralNetworksCompilation *c,
			int64_t deadline_ns, struct nnr_report *report)
{
	ANeuralNetworksDevice *reference = nnr_reference_device();
	int result;

	report->on_reference = true;
	if (!reference) {
		nnr_report_reason(report, "there is no nnapi-reference");
		return ANEURALNETWORKS_OP_FAILED;
	}
	result = nnr_plan_single(plan, reference);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = nnr_plan_prepare(plan, c, deadline_ns, report);
	return result;
}

static bool is_user_error(int result)
{
	return result == ANEURALNETWORKS_UNEXPECTED_NULL || result == ANEURALNETWORKS_BAD_DATA;
}

static int build(struct nnr_plan *plan, const ANeuralNetworksCompilation *c, int64_t deadline_ns,
		 enum nnr_partitioning mode, struct nnr_report *report)
{
	int result;

	if (mode == NNR_PARTITION_NO)
		return on_reference(plan, c, deadline_ns, report);
	result = nnr_plan_partition(plan, report);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = nnr_plan_prepare(plan, c, deadline_ns, report);
	report->partition_result = result;
	if (result == ANEURALNETWORKS_NO_ERROR || is_user_error(result) || !plan->fallback)
		return result;
	nnutil_log(NNUTIL_LOG_WARNING, "the whole model is compiled for nnapi-reference: %s",
		report->reason);
	return on_reference(plan, c, deadline_ns, report);
}

int nnr_plan_build(ANeuralNetworksCompilation *compilation, int64_t deadline_ns,
		   struct nnr_plan **plan)
{
	enum nnr_partitioning mode = nnr_config()->partitioning;
	struct nnr_plan *made;
	int result;

	*plan = NULL;
	if (compilation->explicit_devices)
		mode = NNR_PARTITION_WITHOUT_FALLBACK;
	made = nnr_plan_new(compilation->data);
	if (!made)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	if (!compilation->report)
		compilation->report = nnr_report_new(compilation);
	if (!compilation->report) {
		nnr_plan_put(made);
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	compilation->report->partitioning = mode;
	made->priority = compilation->priority;
	made->fallback = may_fall_back(compilation, mode);
	made->reference_listed = lists_reference(compilation);
	result = build(made, compilation, deadline_ns, mode, compilation->report);
	compilation->report->result = result;
	if (result != ANEURALNETWORKS_NO_ERROR) {
		nnr_plan_put(made);
		return result;
	}
	*plan = made;
	return ANEURALNETWORKS_NO_ERROR;
}
