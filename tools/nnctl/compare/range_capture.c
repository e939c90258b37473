// SPDX-License-Identifier: Apache-2.0
#include "compare/nnctl_compare.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/nnctl_base.h"
#include "capture/nnctl_capture.h"
#include "nncapture.h"

/* A place is the number of an output, or of an input with this bit. */
#define IS_INPUT (1u << 31)

/* 0, or -1 after a complaint. */
static int place_find(struct session *s, uint32_t operand, uint32_t *place)
{
	const struct nnmodel_subgraph *main = &s->import.model->main;

	for (uint32_t i = 0; i < main->num_inputs; i++) {
		if (main->inputs[i] != operand)
			continue;
		if (i >= s->import.num_inputs) {
			complain("the operation reads a state of the model");
			return -1;
		}
		*place = IS_INPUT | i;
		return 0;
	}
	return inner_output(s, operand, place);
}

/* A loaded session and a part of its model. */
struct capturing {
	struct session session;
	struct operation_range range;
	char name[64]; /* "CONV_2D, operation 7 of mobilenet" */
	uint32_t *places; /* where the session has the values of inputs, then outputs */
};

static void name_print(struct capturing *c, const char *path, uint32_t first, uint32_t count)
{
	const uint32_t type = c->session.import.model->main.operations[first].type;
	size_t length;
	const char *title = session_title(path, &length);

	if (count == 1)
		snprintf(c->name, sizeof(c->name), "%s, operation %u of %.*s",
			 nnmodel_operation_name(type), first, (int)length, title);
	else
		snprintf(c->name, sizeof(c->name), "operations %u to %u of %.*s", first,
			 first + count - 1, (int)length, title);
}

/* What the operations read and write become outputs of the model. 0, or -1 after a complaint. */
static int range_prepare(struct capturing *c, uint32_t first, uint32_t count)
{
	struct operation_range *range = &c->range;
	char why[160];
	int ret;

	ret = operation_range_take(c->session.import.model, first, count, range, why, sizeof(why));
	if (ret) {
		complain("%s", why);
		return ret;
	}
	c->places = calloc((size_t)range->num_inputs + range->num_outputs + 1, sizeof(*c->places));
	if (!c->places) {
		complain("out of memory");
		return -1;
	}
	for (uint32_t i = 0; i < range->num_inputs && !ret; i++)
		ret = place_find(&c->session, range->inputs[i], &c->places[i]);
	for (uint32_t i = 0; i < range->num_outputs && !ret; i++)
		ret = inner_output(&c->session, range->outputs[i],
				   &c->places[range->num_inputs + i]);
	return ret;
}

/* INT64 is INT32 in the model. */
static struct nncapture_value value_of(const struct session *s, uint32_t place)
{
	const struct session_tensor *t = place & IS_INPUT ? &s->inputs[place & ~IS_INPUT]
							  : &s->outputs[place];

	return (struct nncapture_value){ .name = t->info.name,
					 .data = t->operand ? t->operand : t->data,
					 .size = t->info.operand_size };
}

/* After the first execution of the session: one of a later one would have other states. */
static int range_write(const struct capturing *c, const char *path)
{
	const uint32_t count = c->range.num_inputs + c->range.num_outputs;
	struct nncapture_value *values = calloc((size_t)count + 1, sizeof(*values));
	struct nncapture_error error;
	char origin[256];
	int ret;

	if (!values) {
		complain("out of memory");
		return -1;
	}
	for (uint32_t i = 0; i < count; i++)
		values[i] = value_of(&c->session, c->places[i]);
	session_origin(&c->session, origin, sizeof(origin));
	ret = nncapture_write(&(struct nncapture){ .name = c->name,
						   .origin = origin,
						   .model = c->range.model,
						   .inputs = values,
						   .outputs = values + c->range.num_inputs },
			      path, &error);
	if (ret)
		complain("%s", error.text);
	free(values);
	return ret;
}

int range_capture(const struct options *o, const char *spec, uint32_t first, uint32_t count,
		  const char *path)
{
	struct capturing c = { .session = { .memory_fd = -1 } };
	int ret = session_load(&c.session, o->model, false);

	if (!ret) {
		name_print(&c, o->model, first, count);
		ret = range_prepare(&c, first, count);
	}
	if (!ret)
		ret = device_run(&c.session, o, spec);
	if (!ret)
		ret = range_write(&c, path);
	operation_range_free(&c.range);
	free(c.places);
	session_close(&c.session);
	return ret;
}
