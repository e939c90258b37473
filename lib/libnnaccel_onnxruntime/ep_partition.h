/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A partition of a graph. If its inputs have open dimensions, it is compiled when a run has new
 * sizes, and the models of the last ones are kept.
 */
#ifndef EP_PARTITION_H
#define EP_PARTITION_H

#include "delegate_reason.h"
#include "delegate_settings.h"
#include "ort_abi.h"

struct ep_partition;

/**
 * Read the graph @source, whose place @fused takes, and compile it if its shapes are fixed.
 * @settings must outlive the partition. @shapes: models that are kept, from 1. 0, or -errno with
 * the reason.
 */
int ep_partition_open(struct ep_partition **partition, const struct ort_api *api,
		      const struct ort_graph *source, const struct ort_node *fused,
		      const struct delegate_settings *settings, uint32_t shapes,
		      struct delegate_reason *reason);
/** NULL: nothing. */
void ep_partition_close(struct ep_partition *partition);

/**
 * Compute with the tensors of @context. Any number of threads at once; they wait for each other
 * while a model is compiled. 0, or -errno with the reason.
 */
int ep_partition_compute(struct ep_partition *partition, const struct ort_api *api,
			 struct ort_kernel_context *context, struct delegate_reason *reason);

#endif
