// SPDX-License-Identifier: Apache-2.0
#include "delegate_common.h"

#include <stdio.h>
#include <stdlib.h>

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

void explain_graph(const struct delegate_settings *settings, uint32_t nodes, int partitions,
		   cJSON *stay)
{
	cJSON *line;

	if (!settings->explain) {
		cJSON_Delete(stay);
		return;
	}
	line = cJSON_CreateObject();
	cJSON_AddNumberToObject(line, "nodes", nodes);
	cJSON_AddNumberToObject(line, "delegated", nodes - (uint32_t)cJSON_GetArraySize(stay));
	cJSON_AddNumberToObject(line, "partitions", partitions);
	if (settings->devices)
		cJSON_AddStringToObject(line, "devices", settings->devices);
	else
		cJSON_AddNullToObject(line, "devices");
	cJSON_AddItemToObject(line, "stay", stay);
	explain_write(settings->explain, line);
}

void explain_partition(const struct delegate_settings *settings, cJSON *nodes,
		       const ANeuralNetworksCompilation *compilation)
{
	cJSON *line;
	char *json;

	if (!settings->explain ||
	    nnaccelCompilation_explain(compilation, &json) != ANEURALNETWORKS_NO_ERROR) {
		cJSON_Delete(nodes);
		return;
	}
	line = cJSON_CreateObject();
	cJSON_AddItemToObject(line, "partition", nodes);
	cJSON_AddItemToObject(line, "explanation", cJSON_Parse(json));
	free(json);
	explain_write(settings->explain, line);
}

void explain_comparison(const struct delegate_settings *settings, const char *where,
			uint64_t computations, uint64_t compared, uint64_t differ, cJSON *widest)
{
	cJSON *line;

	if (!settings->explain) {
		cJSON_Delete(widest);
		return;
	}
	line = cJSON_CreateObject();
	cJSON_AddStringToObject(line, "comparison", where);
	cJSON_AddStringToObject(line, "device", settings->devices);
	cJSON_AddNumberToObject(line, "computations", (double)computations);
	cJSON_AddNumberToObject(line, "compared", (double)compared);
	cJSON_AddNumberToObject(line, "differ", (double)differ);
	cJSON_AddItemToObject(line, "widest", widest);
	explain_write(settings->explain, line);
}
