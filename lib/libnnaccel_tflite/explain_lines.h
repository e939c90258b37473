/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of the file of the option "explain", without the members that describe a node of the host.
 * Functions do nothing without the option, but release what they get.
 */
#ifndef EXPLAIN_LINES_H
#define EXPLAIN_LINES_H

#include <stdint.h>

#include <cjson/cJSON.h>

#include "android/NeuralNetworks.h"
#include "delegate_settings.h"

/** A graph of @nodes nodes. @stay: an array of an object for each that is not delegated; released.
 */
void explain_graph(const struct delegate_settings *settings, uint32_t nodes, int partitions,
		   cJSON *stay);

/** A partition after its compilation, whatever the outcome. @nodes: an array; released. */
void explain_partition(const struct delegate_settings *settings, cJSON *nodes,
		       const ANeuralNetworksCompilation *compilation);

/** The comparisons of a partition (delegate_compare.h), @settings being those of the other device.
 * @widest: an array, of each output; released. */
void explain_comparison(const struct delegate_settings *settings, const char *where,
			uint64_t computations, uint64_t compared, uint64_t differ, cJSON *widest);

#endif
