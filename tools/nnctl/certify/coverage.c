// SPDX-License-Identifier: Apache-2.0
#include "certify/nnctl_certify.h"

#include <string.h>

#include "base/nnctl_base.h"
#include "probes/nnctl_probes.h"

static cJSON *list_find(cJSON *list, const char *name, const char *value)
{
	cJSON *item;

	cJSON_ArrayForEach(item, list)
	{
		if (!strcmp(json_text(item, name), value))
			return item;
	}
	return NULL;
}

static cJSON *list_find_or_add(cJSON *list, const char *name, const char *value)
{
	cJSON *item = list_find(list, name, value);

	if (item)
		return item;
	item = cJSON_CreateObject();
	cJSON_AddStringToObject(item, name, value);
	cJSON_AddItemToArray(list, item);
	return item;
}

static void number_add(cJSON *object, const char *name, double value)
{
	const double sum = json_number(object, name) + value;

	cJSON_DeleteItemFromObjectCaseSensitive(object, name);
	cJSON_AddNumberToObject(object, name, sum);
}

void coverage_add(cJSON *coverage, const cJSON *operations, const char *route)
{
	static const char *const counts[] = { "examples", "passed", "failed", "unsupported" };
	const cJSON *from, *type;

	cJSON_ArrayForEach(from, operations)
	{
		const cJSON *types = cJSON_GetObjectItemCaseSensitive(from, "types");
		cJSON *operation, *list, *to;

		/* used by others only */
		if (!cJSON_GetArraySize(types))
			continue;
		operation = list_find_or_add(coverage, "operation", json_text(from, "operation"));
		list = cJSON_GetObjectItemCaseSensitive(operation, "types");
		if (!list)
			list = cJSON_AddArrayToObject(operation, "types");
		cJSON_ArrayForEach(type, types)
		{
			to = list_find_or_add(list, "type", json_text(type, "type"));
			if (!cJSON_GetObjectItemCaseSensitive(to, "routes"))
				cJSON_AddArrayToObject(to, "routes");
			to = list_find_or_add(cJSON_GetObjectItemCaseSensitive(to, "routes"),
					      "route", route);
			for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
				number_add(to, counts[i], json_number(type, counts[i]));
		}
	}
}

/*
 * The runtime computes on the CPU what the device does not support: a combination counts as
 * supported where the device itself ran an example.
 */
static enum coverage_cell type_judge(const cJSON *type, double *passed, double *failed)
{
	const cJSON *route;
	double alone = 0;

	*passed = *failed = 0;
	cJSON_ArrayForEach(route, cJSON_GetObjectItemCaseSensitive(type, "routes"))
	{
		const char *name = json_text(route, "route");
		const double good = json_number(route, "passed"),
			     bad = json_number(route, "failed");

		*passed += good;
		*failed += bad;
		if (!strcmp(name, "device"))
			alone += good + bad;
	}
	if (*failed > 0)
		return CELL_FAILED;
	return alone > 0 ? CELL_PASSED : CELL_UNSUPPORTED;
}

enum coverage_cell coverage_cell(const cJSON *operation, uint32_t type, char *text, size_t size)
{
	const cJSON *found = list_find(cJSON_GetObjectItemCaseSensitive(operation, "types"), "type",
				       nnmodel_type_name(type));
	enum coverage_cell cell;
	double passed, failed;

	if (!found) {
		snprintf(text, size, "-");
		return CELL_NONE;
	}
	cell = type_judge(found, &passed, &failed);
	if (cell == CELL_FAILED)
		snprintf(text, size, "%.0f of %.0f failed", failed, passed + failed);
	else if (cell == CELL_UNSUPPORTED)
		snprintf(text, size, "no");
	else
		snprintf(text, size, "%.0f", passed);
	return cell;
}

unsigned int coverage_count(const cJSON *coverage, unsigned int *supported, unsigned int *failed)
{
	const cJSON *operation, *type;
	unsigned int all = 0;
	double good, bad;

	*supported = *failed = 0;
	cJSON_ArrayForEach(operation, coverage)
	{
		cJSON_ArrayForEach(type, cJSON_GetObjectItemCaseSensitive(operation, "types"))
		{
			const enum coverage_cell cell = type_judge(type, &good, &bad);

			all++;
			*supported += cell != CELL_UNSUPPORTED;
			*failed += cell == CELL_FAILED;
		}
	}
	return all;
}

void coverage_print(const cJSON *coverage)
{
	const cJSON *operation;
	char text[48];

	printf("\n%-32s", "passed examples, all routes");
	for (size_t i = 0; i < PROBE_LISTED; i++)
		printf(" %5s", probe_type_name(probe_listed[i]));
	putchar('\n');
	cJSON_ArrayForEach(operation, coverage)
	{
		printf("%-32s", json_text(operation, "operation"));
		for (size_t i = 0; i < PROBE_LISTED; i++)
			printf(" %5s", coverage_cell(operation, probe_listed[i], text,
						     sizeof(text)) == CELL_FAILED
					       ? "FAIL"
					       : text);
		putchar('\n');
	}
}
