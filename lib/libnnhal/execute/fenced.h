/* SPDX-License-Identifier: Apache-2.0 */
/* Fenced executions. Private to libnnhal. */
#ifndef NNHAL_FENCED_H
#define NNHAL_FENCED_H

#include "execute/binding.h"
#include "execute/ifenced_callback.h"

/** What an execution waits for and until when. */
struct nnhal_fenced_launch {
	const int *wait_for;
	uint32_t num_wait_for;
	int64_t deadline_ns, duration_ns;
	int64_t call_ns; /* CLOCK_MONOTONIC */
	bool pending; /* out: a fence has not signalled yet */
};
/** NONE or INVALID_ARGUMENT. */
enum nnhal_status nnhal_fenced_check(struct nnhal_fenced_launch *launch);
/** Launch a checked execution of @binding, whose reference is taken over in any case. */
enum nnhal_status nnhal_fenced_run(struct nnhal_binding *binding,
				   struct nnhal_fenced_launch *launch, int *sync_fence,
				   struct nnhal_fenced **fenced,
				   struct nnhal_fenced_callback **callback);
/** IPreparedModel::executeFenced. */
enum nnhal_status nnhal_execute_fenced(struct nnhal_prepared_model *model,
				       const struct nnhal_request *request, const int *wait_for,
				       uint32_t num_wait_for,
				       const struct nnhal_execution_config *config,
				       int64_t deadline_ns, int64_t duration_ns, int *sync_fence,
				       struct nnhal_fenced_callback **callback);

#endif
