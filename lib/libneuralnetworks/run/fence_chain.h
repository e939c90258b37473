/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fenced runs: each step begins when the fence of the step before it signals, without the host. If
 * a device has no fences the host waits, and the next step begins without any.
 */
#ifndef NNR_FENCE_CHAIN_H
#define NNR_FENCE_CHAIN_H

#include "run/run_state.h"

/**
 * Launch a run. Outputs are fully specified and in memory objects (else the caller waits and uses
 * nnr_run()). Inputs by pointer make it wait for @wait_for, which stay the caller's. *@sync_fence
 * -1: the run has ended. *@callback (NULL: none) is the caller's. Result code.
 */
int nnr_run_fenced(struct nnr_run *run, const int *wait_for, uint32_t num_wait_for,
		   uint64_t duration_ns, int *sync_fence, struct nnhal_fenced_callback **callback);
/**
 * Whether nnr_run_fenced() can return before the run has ended: the plan has only steps, and no
 * dynamic temporaries, and the run is not captured.
 */
bool nnr_run_can_be_fenced(const struct nnr_plan *plan);
/** When a fenced run has ended. */
void nnr_run_release(struct nnr_run *run);

#endif
