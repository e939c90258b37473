// SPDX-License-Identifier: Apache-2.0
#include "runtime/nnctl_runtime.h"

#include <stdio.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "nnaccel_runtime.h"

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

bool late_refusal_find(const ANeuralNetworksCompilation *compilation, char *reason, size_t size,
		       uint32_t *operation)
{
	const cJSON *op, *added;
	char *json = NULL;
	cJSON *root;

	if (nnaccelCompilation_explain(compilation, &json) != ANEURALNETWORKS_NO_ERROR)
		return false;
	root = cJSON_Parse(json);
	op = refused_operation(root);
	added = cJSON_GetObjectItemCaseSensitive(op, "added");
	*operation = cJSON_IsNumber(added) ? (uint32_t)added->valuedouble : UINT32_MAX;
	if (op)
		snprintf(reason, size, "%s",
			 cJSON_GetObjectItemCaseSensitive(op, "remark")->valuestring);
	cJSON_Delete(root);
	free(json);
	return op != NULL;
}
