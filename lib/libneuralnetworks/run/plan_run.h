/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run of a plan becomes executions of prepared models: step_execution.c does one, graph_run.c
 * leads values from step to step, if_while.c interprets IF and WHILE, run.c decides what happens
 * when something fails, fence_chain.c lets devices wait for each other.
 *
 * Lock order: ANeuralNetworksExecution.lock, then ANeuralNetworksMemory.lock (two of them by
 * address), then the lock of the workspaces, then the registry's. No lock is held while a device is
 * called, but for the burst of a workspace, which belongs to the workspace's owner.
 */
#ifndef NNR_PLAN_RUN_H
#define NNR_PLAN_RUN_H

#include "run/run_state.h"

/** Run and wait. Result code. */
int nnr_run(struct nnr_run *run);
/** The whole model on nnapi-reference; device memory is copied there and back. Result code. */
int nnr_run_full(struct nnr_run *run);

#endif
