/* SPDX-License-Identifier: Apache-2.0 */
/* IF and WHILE. */
#ifndef NNFW_INTERP_CONTROL_FLOW_H
#define NNFW_INTERP_CONTROL_FLOW_H

#include "job_run.h"

/** Begin the IF or WHILE that is next in the innermost frame. */
uint32_t nnfw_control_enter(struct run *run);
/** The innermost frame, which is not main, has come to its end: go on in the loop, or after it. */
uint32_t nnfw_control_leave(struct run *run);

#endif
