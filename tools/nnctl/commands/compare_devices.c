// SPDX-License-Identifier: Apache-2.0
/* "nnctl compare": the same inputs on two devices, and the first operation whose results differ. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/nnctl_base.h"
#include "commands/nnctl_commands.h"
#include "compare/nnctl_compare.h"
#include "session/nnctl_session.h"

struct comparison {
	const struct options *o;
	char *specs[2];
	struct difference_bounds bounds;
	cJSON *json; /* NULL: text */
};

/* ---- runs ---- */

static void pair_close(struct session pair[2])
{
	session_close(&pair[0]);
	session_close(&pair[1]);
}

/* Run on both; with @window, as inner_window_open() of @first. */
static int pair_run(const struct comparison *c, struct session pair[2], uint32_t first,
		    struct inner_window *window)
{
	for (int i = 0; i < 2; i++) {
		if (session_load(&pair[i], c->o->model, false) ||
		    (window && inner_window_open(&pair[i], first, window)) ||
		    device_run(&pair[i], c->o, c->specs[i]))
			return -1;
	}
	return 0;
}

/* ---- what is printed ---- */

/* Returns whether all outputs are within the bounds. */
static bool outputs_compare(const struct comparison *c, const struct session pair[2])
{
	cJSON *list = c->json ? cJSON_AddArrayToObject(c->json, "outputs") : NULL;
	bool equal = true;

	for (uint32_t i = 0; i < pair[0].num_outputs; i++) {
		const struct session_tensor *t = &pair[0].outputs[i];
		const struct difference d = difference_of(t, &pair[1].outputs[i], &c->bounds);
		cJSON *entry;

		equal = equal && !d.beyond;
		if (list) {
			entry = cJSON_CreateObject();
			cJSON_AddStringToObject(entry, "name", t->info.name);
			difference_json(entry, t, &pair[1].outputs[i], &d);
			cJSON_AddItemToArray(list, entry);
		} else {
			printf("output %u (%s): ", i, t->info.name);
			difference_text(t, &pair[1].outputs[i], &d);
		}
	}
	return equal;
}

static void operation_print(const struct comparison *c, const struct session pair[2],
			    const struct inner_tensor *t, const struct difference *d)
{
	const bool known = t->origin.number != NNIMPORT_NO_OPERATOR;
	cJSON *entry = c->json ? cJSON_AddObjectToObject(c->json, "first_operation") : NULL;

	if (entry) {
		cJSON_AddNumberToObject(entry, "operation", t->operation);
		cJSON_AddStringToObject(entry, "name", t->operation_name);
		if (known) {
			cJSON_AddNumberToObject(entry, "operator_number", t->origin.number);
			cJSON_AddStringToObject(entry, "operator", t->origin.name);
		}
		difference_json(entry, &pair[0].outputs[t->output], &pair[1].outputs[t->output], d);
		return;
	}
	printf("first operation that differs: %u %s", t->operation, t->operation_name);
	if (known)
		printf(" (operator %u of the file, %s)", t->origin.number, t->origin.name);
	printf(": ");
	difference_text(&pair[0].outputs[t->output], &pair[1].outputs[t->output], d);
}

/* ---- the first operation ---- */

/* 1: found and printed, @found is its number; 0: none, -1 after a complaint. */
static int window_compare(const struct comparison *c, uint32_t *next, uint32_t *found)
{
	struct session pair[2] = { { .memory_fd = -1 }, { .memory_fd = -1 } };
	struct inner_window *window = malloc(sizeof(*window));
	int ret = window ? pair_run(c, pair, *next, window) : -1;

	for (uint32_t i = 0; !ret && i < window->count; i++) {
		const struct inner_tensor *t = &window->tensors[i];
		const struct difference d = difference_of(&pair[0].outputs[t->output],
							  &pair[1].outputs[t->output], &c->bounds);

		if (!d.beyond)
			continue;
		operation_print(c, pair, t, &d);
		*found = t->operation;
		ret = 1;
	}
	if (window)
		*next = window->next;
	free(window);
	pair_close(pair);
	return ret;
}

static int operations_compare(const struct comparison *c, uint32_t num_operations, uint32_t *found)
{
	struct progress progress;
	uint32_t next = 0;
	int ret = 0;

	progress_start(&progress, "comparing operations");
	while (!ret && next < num_operations) {
		ret = window_compare(c, &next, found);
		progress_update(&progress, next, num_operations);
	}
	progress_end(&progress);
	if (!ret && !c->json)
		puts("no operation differs by itself: the devices differ where they join operations");
	return ret;
}

static int devices_compare(const struct comparison *c)
{
	struct session pair[2] = { { .memory_fd = -1 }, { .memory_fd = -1 } };
	uint32_t num_operations = 0, found = 0;
	bool equal = false;
	int ret = pair_run(c, pair, 0, NULL);

	if (!ret) {
		num_operations = pair[0].import.num_origins;
		equal = outputs_compare(c, pair);
		if (c->json)
			cJSON_AddBoolToObject(c->json, "equal", equal);
	}
	pair_close(pair);
	if (ret || equal)
		return ret;
	ret = operations_compare(c, num_operations, &found);
	/* as it is on the first device: a replay on the second one shows what is wrong there */
	if (ret > 0 && c->o->output)
		ret = range_capture(c->o, c->specs[0], found, 1, c->o->output);
	return ret < 0 ? -1 : 1;
}

/* ---- the command ---- */

int cmd_compare(int argc, char **argv)
{
	struct comparison c = { 0 };
	struct options o;
	int ret = options_parse(&o, argc, argv,
				"ARGUMENT devices input mean std steps tolerance output json");

	if (ret)
		return ret;
	c.o = &o;
	c.bounds = (struct difference_bounds){ (double)o.steps, o.tolerance };
	ret = device_pair_split(o.devices, c.specs);
	if (!ret) {
		c.json = o.json ? cJSON_CreateObject() : NULL;
		if (c.json) {
			cJSON *names = cJSON_AddArrayToObject(c.json, "devices");

			for (int i = 0; i < 2; i++)
				cJSON_AddItemToArray(names, cJSON_CreateString(c.specs[i]));
		}
		ret = devices_compare(&c);
		if (c.json && ret >= 0)
			json_print(c.json);
		else
			cJSON_Delete(c.json);
		ret = ret ? 1 : 0;
	}
	free(c.specs[0]);
	return ret;
}
