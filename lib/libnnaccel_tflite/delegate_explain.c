// SPDX-License-Identifier: Apache-2.0
#include "delegate_explain.h"

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

void delegate_explain_choice(const struct delegate_settings *settings,
			     const struct delegate_nodes *nodes, const bool *left,
			     const struct delegate_reason *reasons, int partitions)
{
	cJSON *line, *stay, *node;
	uint32_t delegated = 0;

	if (!settings->explain)
		return;
	line = cJSON_CreateObject();
	stay = cJSON_CreateArray();
	for (uint32_t i = 0; i < nodes->count; i++) {
		delegated += !left[i];
		if (!left[i])
			continue;
		node = cJSON_CreateObject();
		cJSON_AddNumberToObject(node, "node", nodes->list[i].number);
		cJSON_AddStringToObject(node, "operator", nodes->list[i].name);
		cJSON_AddStringToObject(node, "reason", reasons[i].text);
		cJSON_AddItemToArray(stay, node);
	}
	cJSON_AddNumberToObject(line, "nodes", nodes->count);
	cJSON_AddNumberToObject(line, "delegated", delegated);
	cJSON_AddNumberToObject(line, "partitions", partitions);
	if (settings->devices)
		cJSON_AddStringToObject(line, "devices", settings->devices);
	else
		cJSON_AddNullToObject(line, "devices");
	cJSON_AddItemToObject(line, "stay", stay);
	explain_write(settings->explain, line);
}

void delegate_explain_partition(const struct delegate_settings *settings,
				const struct delegate_nodes *nodes,
				const ANeuralNetworksCompilation *compilation)
{
	cJSON *line, *numbers;
	char *json;

	if (!settings->explain ||
	    nnaccelCompilation_explain(compilation, &json) != ANEURALNETWORKS_NO_ERROR)
		return;
	line = cJSON_CreateObject();
	numbers = cJSON_AddArrayToObject(line, "partition");
	for (uint32_t i = 0; i < nodes->count; i++)
		cJSON_AddItemToArray(numbers, cJSON_CreateNumber(nodes->list[i].number));
	cJSON_AddItemToObject(line, "explanation", cJSON_Parse(json));
	free(json);
	explain_write(settings->explain, line);
}
