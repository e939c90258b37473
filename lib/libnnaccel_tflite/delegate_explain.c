// SPDX-License-Identifier: Apache-2.0
#include "delegate.h"

#include "delegate_common.h"

void delegate_explain_choice(const struct delegate_settings *settings,
			     const struct delegate_nodes *nodes, const bool *left,
			     const struct delegate_reason *reasons, int partitions)
{
	cJSON *stay = cJSON_CreateArray(), *node;

	for (uint32_t i = 0; i < nodes->count; i++) {
		if (!left[i])
			continue;
		node = cJSON_CreateObject();
		cJSON_AddNumberToObject(node, "node", nodes->list[i].number);
		cJSON_AddStringToObject(node, "operator", nodes->list[i].name);
		cJSON_AddStringToObject(node, "reason", reasons[i].text);
		cJSON_AddItemToArray(stay, node);
	}
	explain_graph(settings, nodes->count, partitions, stay);
}

void delegate_explain_partition(const struct delegate_settings *settings,
				const struct delegate_nodes *nodes,
				const ANeuralNetworksCompilation *compilation)
{
	cJSON *numbers = cJSON_CreateArray();

	for (uint32_t i = 0; i < nodes->count; i++)
		cJSON_AddItemToArray(numbers, cJSON_CreateNumber(nodes->list[i].number));
	explain_partition(settings, numbers, compilation);
}
