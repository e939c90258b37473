/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of the option "explain": a line of JSON for each graph, and one for each compiled
 * partition. Documentation/onnxruntime.rst has the members.
 */
#ifndef EP_EXPLAIN_H
#define EP_EXPLAIN_H

#include "android/NeuralNetworks.h"
#include "delegate_reason.h"
#include "delegate_settings.h"
#include "onnx_graph.h"

/** One graph: @reasons of the nodes that are @left. Does nothing without the option. */
void ep_explain_choice(const struct delegate_settings *settings, const struct onnx_graph *graph,
		       const bool *left, const struct delegate_reason *reasons, int partitions);

/** One partition, @graph, after its compilation, whatever the outcome. */
void ep_explain_partition(const struct delegate_settings *settings, const struct onnx_graph *graph,
			  const ANeuralNetworksCompilation *compilation);

#endif
