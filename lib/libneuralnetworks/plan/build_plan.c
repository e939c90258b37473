// SPDX-License-Identifier: Apache-2.0
/*
 * A plan for a compilation. User errors are returned. After other failures the whole model goes to
 * nnapi-reference, if the configuration permits that.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_log.h"

#include "base/nnr_base.h"
#include "plan/nnr_plan.h"
#include "registry/nnr_registry.h"

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
	ANeuralNetworksDevice *reference = nnr_reference_device(), *died;
	int result;

	report->on_reference = true;
	if (!reference) {
		nnr_report_reason(report, "nnapi-reference is not available");
		return ANEURALNETWORKS_OP_FAILED;
	}
	result = nnr_plan_single(plan, reference);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = nnr_plan_prepare(plan, c, deadline_ns, report, &died);
	return result;
}

static bool is_user_error(int result)
{
	return result == ANEURALNETWORKS_UNEXPECTED_NULL || result == ANEURALNETWORKS_BAD_DATA;
}

static int partition(struct nnr_plan *plan, const ANeuralNetworksCompilation *c,
		     int64_t deadline_ns, struct nnr_report *report, ANeuralNetworksDevice **died)
{
	int result = nnr_plan_partition(plan, report);

	*died = NULL;
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = nnr_plan_prepare(plan, c, deadline_ns, report, died);
	return result;
}

/*
 * A process that died takes its device along, not the others: they divide the model among
 * themselves. Without one that can have an operation, the death is the result.
 */
static int partition_among_living(struct nnr_plan *plan, const ANeuralNetworksCompilation *c,
				  int64_t deadline_ns, struct nnr_report *report)
{
	ANeuralNetworksDevice *died;
	int result = partition(plan, c, deadline_ns, report, &died), again;

	while (died && !is_user_error(result) && nnr_report_leave_out(report, died)) {
		nnutil_log(NNUTIL_LOG_WARNING, "device %s died: trying the other devices",
			   died->name);
		nnr_plan_clear(plan);
		again = partition(plan, c, deadline_ns, report, &died);
		if (is_user_error(again))
			break;
		result = again;
	}
	return result;
}

static int build(struct nnr_plan *plan, const ANeuralNetworksCompilation *c, int64_t deadline_ns,
		 enum nnr_partitioning mode, struct nnr_report *report)
{
	ANeuralNetworksDevice *died;
	int result;

	if (mode == NNR_PARTITION_NO)
		return on_reference(plan, c, deadline_ns, report);
	result = mode == NNR_PARTITION_WITH_FALLBACK && !c->explicit_devices
			 ? partition_among_living(plan, c, deadline_ns, report)
			 : partition(plan, c, deadline_ns, report, &died);
	report->partition_result = result;
	if (result == ANEURALNETWORKS_NO_ERROR || is_user_error(result) || !plan->fallback)
		return result;
	nnutil_log(NNUTIL_LOG_WARNING, "falling back to nnapi-reference for the whole model: %s",
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

/* ---- after a fork ---- */

static pthread_mutex_t renew_lock = PTHREAD_MUTEX_INITIALIZER;

static void after_fork(void)
{
	pthread_mutex_init(&renew_lock, NULL);
}

NNR_FORK_HANDLERS(.child = after_fork);

int nnr_compilation_renew(const ANeuralNetworksCompilation *compilation)
{
	/* const as in the API function that adds a role; the application's settings do not change
	 */
	ANeuralNetworksCompilation *c = (ANeuralNetworksCompilation *)compilation;
	int result = ANEURALNETWORKS_NO_ERROR;
	struct nnr_report *report;
	struct nnr_plan *plan;

	if (!nnr_inherited(c->plan))
		return result;
	nnr_devices_refresh();
	pthread_mutex_lock(&renew_lock);
	if (nnr_inherited(c->plan)) {
		/* the parent's plan and report are not freed: another thread may use them */
		report = c->report;
		c->report = NULL;
		result = nnr_plan_build(c, nnr_deadline(c->timeout_ns), &plan);
		if (result == ANEURALNETWORKS_NO_ERROR)
			c->plan = plan;
		if (!c->report)
			c->report = report;
	}
	pthread_mutex_unlock(&renew_lock);
	if (result != ANEURALNETWORKS_NO_ERROR)
		nnutil_log(NNUTIL_LOG_ERROR,
			   "cannot prepare a compilation from before fork() in this process: "
			   "result %d",
			   result);
	return result;
}
