// SPDX-License-Identifier: Apache-2.0
#include "ep_explain.h"

#include <stdio.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "nnaccel_runtime.h"

/* One call for one line: lines of several threads do not mix. Frees @line; NULL: no memory. */
static void explain_write(FILE *file, cJSON *line)
{
	char *text = cJSON_PrintUnformatted(line);

	if (text)
		fprintf(file, "%s\n", text);
	else
		fprintf(file, "{\"error\":\"out of memory\"}\n");
	fflush(file);
	cJSON_free(text);
	cJSON_Delete(line);
}

void ep_explain_choice(const struct delegate_settings *settings, const struct onnx_graph *graph,
		       const bool *left, const struct delegate_reason *reasons, int partitions)
{
	cJSON *line, *stay, *node;
	uint32_t stays = 0;

	if (!settings->explain)
		return;
	line = cJSON_CreateObject();
	cJSON_AddNumberToObject(line, "nodes", graph->num_nodes);
	for (uint32_t i = 0; i < graph->num_nodes; i++)
		stays += left[i];
	cJSON_AddNumberToObject(line, "delegated", graph->num_nodes - stays);
	cJSON_AddNumberToObject(line, "partitions", partitions);
	if (settings->devices)
		cJSON_AddStringToObject(line, "devices", settings->devices);
	else
		cJSON_AddNullToObject(line, "devices");
	stay = cJSON_AddArrayToObject(line, "stay");
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
	explain_write(settings->explain, line);
}

void ep_explain_partition(const struct delegate_settings *settings, const struct onnx_graph *graph,
			  const ANeuralNetworksCompilation *compilation)
{
	cJSON *line, *names;
	char *json;

	if (!settings->explain ||
	    nnaccelCompilation_explain(compilation, &json) != ANEURALNETWORKS_NO_ERROR)
		return;
	line = cJSON_CreateObject();
	names = cJSON_AddArrayToObject(line, "partition");
	for (uint32_t i = 0; i < graph->num_nodes; i++)
		cJSON_AddItemToArray(names, cJSON_CreateString(graph->nodes[i].name));
	cJSON_AddItemToObject(line, "explanation", cJSON_Parse(json));
	free(json);
	explain_write(settings->explain, line);
}
