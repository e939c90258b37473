/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of moving tensors between devices. */
#ifndef NNR_PARTITION_TRANSFER_H
#define NNR_PARTITION_TRANSFER_H

#include "base/settings.h"
#include "plan/partition_choice.h"

/**
 * Move steps to a neighbour's device where moving their tensors, and launching them, costs more
 * than their own device gains. Forms the nodes. Equal ratings are no reason to move. 0 or -ENOMEM.
 */
int nnr_choice_count_transfers(struct nnr_choice *choice, const struct nnr_costs *costs,
			       const struct nnr_config *config);

#endif
