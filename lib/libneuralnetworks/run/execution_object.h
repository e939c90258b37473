/* SPDX-License-Identifier: Apache-2.0 */
/* Executions: the object of the API, and its states. */
#ifndef NNR_EXECUTION_OBJECT_H
#define NNR_EXECUTION_OBJECT_H

#include "diagnostics/diagnostics.h"
#include "plan/compilation.h"
#include "run/run_state.h"

enum nnr_execution_state { NNR_PREPARATION, NNR_COMPUTATION, NNR_COMPLETED };
enum nnr_completion {
	NNR_COMPLETION_NONE,
	NNR_COMPLETION_NO_ERROR,
	NNR_COMPLETION_INSUFFICIENT,
	NNR_COMPLETION_OTHER
};

struct ANeuralNetworksExecution {
	atomic_uint refs; /* the application's, and that of a computation in flight */
	const ANeuralNetworksCompilation *compilation;
	struct nnr_plan *plan;
	bool explicit_one;
	pthread_mutex_t lock; /* of state and completion */
	enum nnr_execution_state state;
	enum nnr_completion completion;
	bool reusable, padding_enabled, measure, arguments_set;
	uint64_t timeout_ns, loop_timeout_ns;
	struct nnr_argument *inputs, *outputs;
	uint32_t num_inputs, num_outputs;
	uint32_t *dims; /* room for all dims of arguments and shapes */
	struct nnr_attribute *attributes;
	uint32_t num_attributes;
	struct nnhal_output_shape *shapes;
	bool shapes_known;
	struct nnhal_timing launched, fenced;
	/* owned by the computation in flight: */
	struct nnr_run run;
	enum nnr_diagnostic_mode mode;
	int64_t start_ns; /* 0: no diagnostics */
	ANeuralNetworksEvent *event; /* startCompute's */
	struct nnhal_fenced_callback *callback;
};

/** For a finished, valid compilation. Result code. */
int nnr_execution_new(ANeuralNetworksCompilation *compilation,
		      ANeuralNetworksExecution **execution);
/** Drop a reference. */
void nnr_execution_put(ANeuralNetworksExecution *execution);
/** DEAD_OBJECT (logged): it was made before a fork, and not even its lock can be used. */
int nnr_execution_check_alive(const ANeuralNetworksExecution *execution);
/** The same; BAD_STATE (logged): a computation was started. */
int nnr_execution_check_open(ANeuralNetworksExecution *execution);

#endif
