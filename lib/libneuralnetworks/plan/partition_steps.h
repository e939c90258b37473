/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes: operations that one device runs together. */
#ifndef NNR_PARTITION_STEPS_H
#define NNR_PARTITION_STEPS_H

#include "plan/partition_choice.h"

/** Form nodes of ready operations: fills node, node_device and num_nodes. 0 or -ENOMEM. */
int nnr_choice_form_nodes(struct nnr_choice *choice, const struct nnmodel_subgraph *graph);

#endif
