/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes of a graph the provider takes, in which partitions, and why it leaves the others. */
#ifndef EP_CHOICE_H
#define EP_CHOICE_H

#include "delegate_settings.h"
#include "onnx_graph.h"

struct ep_choice {
	const struct onnx_graph *graph;
	bool *left; /* of each node */
	struct delegate_reason *reasons; /* of those that are left */
	int *groups; /* of the others: the partition */
	int num_groups;
	uint32_t taken; /* nodes in partitions */
};

/**
 * Choose. No path leads from a node of a partition through others back into it. Writes the log.
 * 0, or -ENOMEM; ep_choice_clear() whatever the outcome.
 */
int ep_choose(const struct onnx_graph *graph, const struct delegate_settings *settings,
	      struct ep_choice *choice);
void ep_choice_clear(struct ep_choice *choice);

#endif
