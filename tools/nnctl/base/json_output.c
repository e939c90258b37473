// SPDX-License-Identifier: Apache-2.0
#include "base/nnctl_base.h"

#include <stdio.h>

void json_print(cJSON *json)
{
	char *text = cJSON_Print(json);

	puts(text ? text : "");
	cJSON_free(text);
	cJSON_Delete(json);
}

const char *json_text(const cJSON *object, const char *name)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));

	return text ? text : "";
}

double json_number(const cJSON *object, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	return cJSON_IsNumber(item) ? item->valuedouble : 0;
}
