/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of the option "explain": a line of JSON for each graph, and one for each compiled
 * partition. Documentation/tflite-delegate.rst has the members.
 */
#ifndef DELEGATE_EXPLAIN_H
#define DELEGATE_EXPLAIN_H

#include "android/NeuralNetworks.h"
#include "delegate_nodes.h"
#include "delegate_reason.h"
#include "delegate_settings.h"

/** One graph: @reasons of the nodes that are @left. Does nothing without the option. */
void delegate_explain_choice(const struct delegate_settings *settings,
			     const struct delegate_nodes *nodes, const bool *left,
			     const struct delegate_reason *reasons, int partitions);

/** One partition, after its compilation, whatever the outcome. */
void delegate_explain_partition(const struct delegate_settings *settings,
				const struct delegate_nodes *nodes,
				const ANeuralNetworksCompilation *compilation);

#endif
