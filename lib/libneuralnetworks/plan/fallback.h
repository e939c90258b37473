/* SPDX-License-Identifier: Apache-2.0 */
/* Steps and plans on nnapi-reference, prepared at the first need. Result codes. */
#ifndef NNR_FALLBACK_H
#define NNR_FALLBACK_H

#include "plan/step.h"

/** OP_FAILED: nnapi-reference has run the step already. Valid as long as the plan. */
int nnr_step_fallback(struct nnr_plan *plan, struct nnr_step *step,
		      struct nnr_workspaces **workspaces);
/** The whole model. */
int nnr_plan_full(struct nnr_plan *plan, struct nnr_step **step);

#endif
