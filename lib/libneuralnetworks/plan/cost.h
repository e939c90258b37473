/* SPDX-License-Identifier: Apache-2.0 */
/* What an operation costs on a device. */
#ifndef NNR_COST_H
#define NNR_COST_H

#include "registry/listed_device.h"

/**
 * Two figures of an operation on a device. The rating is NNAPI's: the device's performance (or
 * power) figure relative to a CPU; the operations of IF and WHILE add up. The time is the rating
 * times an estimate of the work, in ns of a nominal CPU; NAN if a shape that it depends on is
 * unknown.
 */
struct nnr_costs {
	const struct nnmodel *model;
	ANeuralNetworksDevice *const *devices;
	uint32_t num_devices;
	int32_t preference;
	/* sums over a referenced model's operations, [device * num_referenced + i]; < 0: unknown */
	double *ratings, *times;
};
/** 0 or -ENOMEM. The arguments outlive the costs. */
int nnr_costs_init(struct nnr_costs *costs, const struct nnmodel *model,
		   ANeuralNetworksDevice *const *devices, uint32_t num_devices, int32_t preference);
void nnr_costs_fini(struct nnr_costs *costs);
double nnr_cost_rating(struct nnr_costs *costs, uint32_t device,
		       const struct nnmodel_subgraph *graph, const struct nnmodel_operation *op);
double nnr_cost_time(struct nnr_costs *costs, uint32_t device, const struct nnmodel_subgraph *graph,
		     const struct nnmodel_operation *op);
/** Bytes of an operand. NAN: its shape is unknown. */
double nnr_cost_bytes(const struct nnmodel_operand *operand);

#endif
