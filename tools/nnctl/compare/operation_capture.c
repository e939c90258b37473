// SPDX-License-Identifier: Apache-2.0
#include "compare/operation_capture.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "capture/capture_write.h"
#include "compare/inner_tensors.h"

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

int operation_capture_prepare(struct session *s, uint32_t number, const char *title,
			      struct operation_capture *c)
{
	const struct nnmodel_operation *op = &s->import.model->main.operations[number];
	struct one_operation *one = &c->one;
	int ret;

	*c = (struct operation_capture){ 0 };
	snprintf(c->name, sizeof(c->name), "%s, operation %u of %s",
		 nnmodel_operation_name(op->type), number, title);
	ret = one_operation_take(s->import.model, number, one);
	if (ret)
		return ret;
	c->places = calloc((size_t)one->num_inputs + one->num_outputs + 1, sizeof(*c->places));
	if (!c->places) {
		complain("out of memory");
		return -1;
	}
	for (uint32_t i = 0; i < one->num_inputs && !ret; i++)
		ret = place_find(s, one->inputs[i], &c->places[i]);
	for (uint32_t i = 0; i < one->num_outputs && !ret; i++)
		ret = inner_output(s, one->outputs[i], &c->places[one->num_inputs + i]);
	return ret;
}

/* INT64 is INT32 in the model. */
static struct capture_value value_of(const struct session *s, uint32_t place)
{
	const struct session_tensor *t = place & IS_INPUT ? &s->inputs[place & ~IS_INPUT]
							  : &s->outputs[place];

	return (struct capture_value){ .name = t->info.name,
				       .data = t->operand ? t->operand : t->data,
				       .size = t->info.operand_size };
}

int operation_capture_write(const struct session *s, const struct operation_capture *c,
			    const char *origin, const char *path)
{
	const uint32_t count = c->one.num_inputs + c->one.num_outputs;
	struct capture_value *values = calloc((size_t)count + 1, sizeof(*values));
	int ret;

	if (!values) {
		complain("out of memory");
		return -1;
	}
	for (uint32_t i = 0; i < count; i++)
		values[i] = value_of(s, c->places[i]);
	ret = capture_write(&(struct capture){ .name = c->name,
					       .origin = origin,
					       .model = c->one.model,
					       .inputs = values,
					       .outputs = values + c->one.num_inputs },
			    path);
	free(values);
	return ret;
}

void operation_capture_free(struct operation_capture *c)
{
	one_operation_free(&c->one);
	free(c->places);
	c->places = NULL;
}
