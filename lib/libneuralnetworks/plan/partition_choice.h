/* SPDX-License-Identifier: Apache-2.0 */
/* Which device takes which operation of a graph. */
#ifndef NNR_PARTITION_CHOICE_H
#define NNR_PARTITION_CHOICE_H

#include "plan/cost.h"

/** Producers and readers of the operands of a graph. */
struct nnr_flow {
	uint32_t *producer; /* per operand the operation that writes it, or NNR_NONE */
	/* operand o is read by readers[first[o]] .. readers[first[o + 1] - 1] */
	uint32_t *first, *readers;
};
/** 0 or -ENOMEM. Readers are ascending; one that reads an operand twice is listed twice. */
int nnr_flow_init(struct nnr_flow *flow, const struct nnmodel_subgraph *graph);
void nnr_flow_fini(struct nnr_flow *flow);

/** The decision about the operations of one graph, and its reasons. */
struct nnr_choice {
	uint32_t subgraph, num_operations, num_devices;
	struct nnr_flow flow;
	bool *supported; /* [device * num_operations + operation], as are the next three */
	double *rating, *time;
	char **reasons; /* as of nnr_supported_operations() */
	bool *unknown_size; /* per operation: IF or WHILE that one device must take as it is */
	/* per operation its device; num_devices: interpreted; NNR_NONE: no device can */
	uint32_t *device;
	uint32_t *base; /* the same by rating alone, before transfers were counted */
	uint32_t *node; /* per operation its node in the graph's order */
	uint32_t *node_device; /* per node */
	uint32_t num_nodes;
};
/**
 * Ask the devices and choose by rating. Result code; BAD_DATA: no device can run some operation
 * (@choice is complete for the report). nnr_choice_fini() follows in any case.
 */
int nnr_choice_init(struct nnr_choice *choice, struct nnr_costs *costs, uint32_t subgraph);
void nnr_choice_fini(struct nnr_choice *choice);
/** The device can run it, and does not have to decide that at execution. */
bool nnr_choice_sure(const struct nnr_choice *choice, uint32_t device, uint32_t operation);

#endif
