/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures (nncapture.h) of executions, in the folder that the settings name: of those on which a
 * device failed, and of the first ones of the process. Documentation/runtime.rst has the rules.
 */
#ifndef NNR_RUN_CAPTURE_H
#define NNR_RUN_CAPTURE_H

#include "run/run_state.h"

struct nnr_run_capture;

/** Whether an execution may be captured: the host has to wait for each. */
bool nnr_run_capture_on(void);
/**
 * Before the run: copies of its inputs, which a run may overwrite. NULL: it is not captured (a
 * reason that the user can mend is logged).
 */
struct nnr_run_capture *nnr_run_capture_begin(const struct nnr_run *run);
/** After the run: write the file if there is a reason. Frees @capture, which may be NULL. */
void nnr_run_capture_end(struct nnr_run_capture *capture, const struct nnr_run *run, int result);

#endif
