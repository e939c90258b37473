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
