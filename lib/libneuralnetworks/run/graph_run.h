/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of plans of several steps. */
#ifndef NNR_GRAPH_RUN_H
#define NNR_GRAPH_RUN_H

#include "run/invocation.h"

/** Result code. */
int nnr_compound_run(struct nnr_invocation *invocation, struct nnr_run *run);

#endif
