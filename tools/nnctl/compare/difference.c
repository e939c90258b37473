// SPDX-License-Identifier: Apache-2.0
/* How far the same tensor of two sessions differs, and how that is printed. */
#include "compare/nnctl_compare.h"

#include <math.h>
#include <stdio.h>

static bool is_float(const struct session_tensor *t)
{
	return t->info.type == NNIMPORT_FLOAT32 || t->info.type == NNIMPORT_FLOAT16;
}

static double difference_distance(double a, double b)
{
	double delta;

	if (a == b || (isnan(a) && isnan(b)))
		return 0;
	delta = fabs(a - b);
	return isnan(delta) ? (double)INFINITY : delta;
}

struct difference difference_of(const struct session_tensor *a, const struct session_tensor *b,
				const struct difference_bounds *bounds)
{
	struct difference d = { .elements = session_elements(a), .floats = is_float(a) };
	double largest = 0, allowed;

	for (size_t i = 0; i < d.elements; i++) {
		const double x = session_stored(a, i),
			     delta = difference_distance(x, session_stored(b, i));

		if (isfinite(x))
			largest = fmax(largest, fabs(x));
		d.unequal += delta != 0;
		if (delta > d.max) {
			d.max = delta;
			d.at = i;
		}
	}
	allowed = d.floats ? bounds->part * largest : bounds->steps;
	d.beyond = d.max > allowed;
	return d;
}

/* The place of element @i as "[0, 3, 17]". */
static const char *difference_place(const struct session_tensor *t, size_t i, char *text,
				    size_t size)
{
	size_t at[NNIMPORT_MAX_RANK], used = 1;

	for (uint32_t k = t->info.rank; k--;) {
		at[k] = i % (size_t)t->info.dims[k];
		i /= (size_t)t->info.dims[k];
	}
	snprintf(text, size, "[");
	for (uint32_t k = 0; k < t->info.rank && used < size; k++)
		used += (size_t)snprintf(text + used, size - used, "%s%zu", k ? ", " : "", at[k]);
	if (used < size)
		snprintf(text + used, size - used, "]");
	return text;
}

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
