// SPDX-License-Identifier: Apache-2.0
#include "runtime/late_refusal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "nnaccel_runtime.h"

void late_refusal_operator(const struct nnimport *import, unsigned int number, char *text,
			   size_t size)
{
	text[0] = '\0';
	if (number < import->num_origins && import->origins[number].number != NNIMPORT_NO_OPERATOR)
		snprintf(text, size, " (operation %u (%s) of the file)",
			 import->origins[number].number, import->origins[number].name);
}

/* The first operation of the main model with a remark; NULL: none. */
static const cJSON *refused_operation(const cJSON *root)
{
	const cJSON *graph =
		cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(root, "graphs"), 0);
	const cJSON *op;

	cJSON_ArrayForEach(op, cJSON_GetObjectItemCaseSensitive(graph, "operations")) if (
		cJSON_IsString(cJSON_GetObjectItemCaseSensitive(op, "remark"))) return op;
	return NULL;
}

void late_refusal_reason(const ANeuralNetworksCompilation *compilation,
			 const struct nnimport *import, char *message, size_t size)
{
	const cJSON *op, *added;
	char *json = NULL, origin[128] = "";
	size_t length = strlen(message);
	cJSON *root;

	if (nnaccelCompilation_explain(compilation, &json) != ANEURALNETWORKS_NO_ERROR)
		return;
	root = cJSON_Parse(json);
	op = refused_operation(root);
	added = cJSON_GetObjectItemCaseSensitive(op, "added");
	if (cJSON_IsNumber(added) && added->valuedouble >= 0)
		late_refusal_operator(import, (unsigned int)added->valuedouble, origin,
				      sizeof(origin));
	if (op)
		snprintf(message + length, size - length, ": %s%s",
			 cJSON_GetObjectItemCaseSensitive(op, "remark")->valuestring, origin);
	cJSON_Delete(root);
	free(json);
}
