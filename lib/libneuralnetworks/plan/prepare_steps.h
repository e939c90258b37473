/* SPDX-License-Identifier: Apache-2.0 */
/* Preparation of models by their devices. */
#ifndef NNR_PREPARE_STEPS_H
#define NNR_PREPARE_STEPS_H

#include "plan/report.h"

/**
 * Prepare all steps of a plan at the same time, from cache files if there are any. Result code.
 * *@died: a device whose process died, NULL: none.
 */
int nnr_plan_prepare(struct nnr_plan *plan, const ANeuralNetworksCompilation *compilation,
		     int64_t deadline_ns, struct nnr_report *report, ANeuralNetworksDevice **died);
/** What the interface of @device can express: HAL configuration without cache files and hints. */
struct nnhal_prepare_config nnr_prepare_config(const ANeuralNetworksDevice *device,
					       int32_t preference, int32_t priority,
					       int64_t deadline_ns);

#endif
