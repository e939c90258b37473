/* SPDX-License-Identifier: Apache-2.0 */
/* From choices to the graphs of a plan. */
#ifndef NNR_PARTITION_GRAPH_H
#define NNR_PARTITION_GRAPH_H

#include "plan/report.h"

/** Make the steps of the whole model, not prepared yet. Result code; @plan may be incomplete. */
int nnr_plan_partition(struct nnr_plan *plan, struct nnr_report *report);

#endif
