// SPDX-License-Identifier: Apache-2.0
#include "onnx_ep.h"

#include "delegate_common.h"

void ep_explain_choice(const struct delegate_settings *settings, const struct onnx_graph *graph,
		       const bool *left, const struct delegate_reason *reasons, int partitions)
{
	cJSON *stay = cJSON_CreateArray(), *node;

	for (uint32_t i = 0; i < graph->num_nodes; i++) {
		if (!left[i])
			continue;
		node = cJSON_CreateObject();
		cJSON_AddNumberToObject(node, "node", i);
		cJSON_AddStringToObject(node, "name", graph->nodes[i].name);
		cJSON_AddStringToObject(node, "operator", graph->nodes[i].op);
		cJSON_AddStringToObject(node, "reason", reasons[i].text);
		cJSON_AddItemToArray(stay, node);
	}
	explain_graph(settings, graph->num_nodes, partitions, stay);
}

void ep_explain_partition(const struct delegate_settings *settings, const struct onnx_graph *graph,
			  const ANeuralNetworksCompilation *compilation)
{
	cJSON *names = cJSON_CreateArray();

	for (uint32_t i = 0; i < graph->num_nodes; i++)
		cJSON_AddItemToArray(names, cJSON_CreateString(graph->nodes[i].name));
	explain_partition(settings, names, compilation);
}
