// SPDX-License-Identifier: Apache-2.0
#include "compare/nnctl_compare.h"

#include <stdio.h>

void difference_json(cJSON *entry, const struct session_tensor *a, const struct session_tensor *b,
		     const struct difference *d)
{
	cJSON *values = cJSON_AddArrayToObject(entry, "values");

	cJSON_AddStringToObject(entry, "type", nnimport_type_name(a->info.type));
	cJSON_AddNumberToObject(entry, "elements", (double)d->elements);
	cJSON_AddNumberToObject(entry, "unequal", (double)d->unequal);
	cJSON_AddBoolToObject(entry, "within_bounds", !d->beyond);
	/* JSON has no infinity: null */
	cJSON_AddNumberToObject(entry, d->floats ? "max_difference" : "max_steps", d->max);
	cJSON_AddNumberToObject(entry, "index", (double)d->at);
	cJSON_AddItemToArray(values, cJSON_CreateNumber(session_real(a, d->at)));
	cJSON_AddItemToArray(values, cJSON_CreateNumber(session_real(b, d->at)));
}

void difference_text(const struct session_tensor *a, const struct session_tensor *b,
		     const struct difference *d)
{
	char place[128];

	if (!d->unequal) {
		printf("all %zu elements are equal\n", d->elements);
		return;
	}
	printf("%zu of %zu elements differ, at most by %g%s, at %s: %g and %g%s\n", d->unequal,
	       d->elements, d->max,
	       d->floats     ? ""
	       : d->max == 1 ? " step"
			     : " steps",
	       difference_place(a, d->at, place, sizeof(place)), session_real(a, d->at),
	       session_real(b, d->at), d->beyond ? "" : " (within the bounds)");
}
