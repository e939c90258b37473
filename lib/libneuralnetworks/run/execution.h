/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of executions share. */
#ifndef NNR_EXECUTION_H
#define NNR_EXECUTION_H

#include "runtime.h"

/** DEAD_OBJECT (logged) if it is from before a fork: not even its lock can be used. Result code. */
int nnr_execution_check_alive(const char *function, const ANeuralNetworksExecution *execution);
/** BAD_STATE once a computation was started. Result code. */
int nnr_execution_check_open(const char *function, ANeuralNetworksExecution *execution);
/** One reference less. */
void nnr_execution_put(ANeuralNetworksExecution *execution);

/* ---- execution_compute.c ---- */

/**
 * Begin a computation: NO_ERROR, and nobody else can until nnr_execution_end(); BAD_STATE;
 * BAD_DATA: an argument is not set, and the execution has completed.
 */
int nnr_execution_begin(const char *function, ANeuralNetworksExecution *execution,
			enum nnr_diagnostic_mode mode, struct nnr_run_cache *cache);
/** The computation ended; gives @result back. */
int nnr_execution_end(ANeuralNetworksExecution *execution, int result);
/** Run it on a thread, after nnr_execution_begin(). Result code; *@event on NO_ERROR. */
int nnr_execution_launch(ANeuralNetworksExecution *execution, ANeuralNetworksEvent **event);

#endif
