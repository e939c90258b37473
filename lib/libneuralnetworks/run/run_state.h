/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a plan. */
#ifndef NNR_RUN_STATE_H
#define NNR_RUN_STATE_H

#include "plan/step.h"
#include "registry/attributes.h"

/** Arguments are the caller's and do not change during the run. */
struct nnr_run {
	struct nnr_plan *plan;
	const struct nnr_argument *inputs, *outputs; /* as main's lists */
	const struct nnr_attribute *attributes;
	uint32_t num_attributes;
	bool measure;
	uint64_t loop_timeout_ns;
	int64_t deadline_ns;
	struct nnr_workspace_set *set; /* of a burst, or NULL */
	/* results; the caller's array, one per output, dims with room for NNR_MAX_RANK */
	struct nnhal_output_shape *shapes;
	const ANeuralNetworksDevice *failed_device; /* nnapi-reference computed in its place */
	int failed_result; /* of that device */
	bool shapes_known; /* shapes were filled (NO_ERROR, OUTPUT_INSUFFICIENT_SIZE) */
	struct nnhal_timing timing;
	/* of a fenced run, until nnr_run_release(): values between steps, staged inputs */
	struct nnr_invocation *held;
	struct nnr_workspace *held_workspaces;
};

/** The result of an execution is an error that another device may not have. */
static inline bool nnr_run_failed(int result)
{
	return result != ANEURALNETWORKS_NO_ERROR &&
	       result != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
}
/** A failed step in a log line: whether the device's process died or the device failed. */
static inline const char *nnr_run_failure(int result)
{
	return result == ANEURALNETWORKS_DEAD_OBJECT ? "died" : "failed to execute";
}
/** A device failed, and nnapi-reference computes in its place (logged). */
void nnr_run_device_failed(struct nnr_run *run, const ANeuralNetworksDevice *device, int result,
			   const char *instead);
/** Before the run: results become the declared shapes, and no times. */
void nnr_run_reset(struct nnr_run *run);
/** Inputs in memory from descriptors must be initialized. Result code (logged). */
int nnr_run_check_inputs(const struct nnr_run *run);
/** The shape of main's output number @index is known. */
void nnr_run_shape(struct nnr_run *run, uint32_t index, const struct nnhal_output_shape *shape);
/** After the run: memory from descriptors gets its state. */
void nnr_run_written(const struct nnr_run *run, int result);

#endif
