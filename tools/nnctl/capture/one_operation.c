// SPDX-License-Identifier: Apache-2.0
#include "capture/one_operation.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

/* From the numbers of operands in the whole model to those in the new one. */
struct taking {
	const struct nnmodel *from;
	const struct nnmodel_maps *maps;
	struct one_operation *one;
	uint32_t *numbers; /* UINT32_MAX: not taken yet */
};

static bool is_constant(const struct nnmodel_operand *operand)
{
	return operand->lifetime == NNMODEL_CONSTANT_COPY ||
	       operand->lifetime == NNMODEL_CONSTANT_REFERENCE;
}

static int constant_take(struct taking *t, const struct nnmodel_operand *operand, uint32_t number)
{
	const void *data;
	size_t size;
	int ret = nnmodel_constant(t->from, t->maps, operand, &data, &size);

	return ret ? ret : nnmodel_set_value(t->one->model, number, data, size);
}

/* @list: where an operand with a value that changes belongs to. 0 or -errno. */
static int operand_take(struct taking *t, uint32_t operand, uint32_t *list, uint32_t *count)
{
	const struct nnmodel_operand *o = &t->from->main.operands[operand];
	int number, ret = 0;

	if (t->numbers[operand] != UINT32_MAX)
		return 0;
	number = nnmodel_add_operand(t->one->model, o->type,
				     o->lifetime == NNMODEL_NO_VALUE ? NNMODEL_NO_VALUE
								     : NNMODEL_TEMPORARY_VARIABLE,
				     o->dims, o->rank, o->scale, o->zero_point);
	if (number < 0)
		return number;
	t->numbers[operand] = (uint32_t)number;
	if (o->num_scales)
		ret = nnmodel_set_channel_quant(t->one->model, (uint32_t)number, o->channel_dim,
						o->scales, o->num_scales);
	if (!ret && is_constant(o))
		ret = constant_take(t, o, (uint32_t)number);
	else if (o->lifetime != NNMODEL_NO_VALUE)
		list[(*count)++] = operand;
	return ret;
}

static int list_take(struct taking *t, const uint32_t *operands, uint32_t num, uint32_t *list,
		     uint32_t *count)
{
	int ret = 0;

	for (uint32_t i = 0; i < num && !ret; i++)
		ret = operand_take(t, operands[i], list, count);
	return ret;
}

/* The numbers in the new model, or NULL. */
static uint32_t *numbers_map(const struct taking *t, const uint32_t *operands, uint32_t count)
{
	uint32_t *numbers = calloc((size_t)count + 1, sizeof(*numbers));

	for (uint32_t i = 0; numbers && i < count; i++)
		numbers[i] = t->numbers[operands[i]];
	return numbers;
}

static int model_finish(struct taking *t, const struct nnmodel_operation *op)
{
	struct one_operation *one = t->one;
	uint32_t *in = numbers_map(t, op->inputs, op->num_inputs);
	uint32_t *out = numbers_map(t, op->outputs, op->num_outputs);
	uint32_t *model_in = numbers_map(t, one->inputs, one->num_inputs);
	int ret = -ENOMEM;

	if (in && out && model_in)
		ret = nnmodel_add_operation(one->model, op->type, in, op->num_inputs, out,
					    op->num_outputs);
	if (ret >= 0)
		ret = nnmodel_set_io(one->model, model_in, one->num_inputs, out, op->num_outputs);
	free(in);
	free(out);
	free(model_in);
	return ret;
}

static int operation_take(struct taking *t, const struct nnmodel_operation *op)
{
	struct one_operation *one = t->one;
	const uint32_t num = t->from->main.num_operands;
	int ret;

	one->model = nnmodel_new();
	one->inputs = calloc((size_t)op->num_inputs + 1, sizeof(*one->inputs));
	one->outputs = calloc((size_t)op->num_outputs + 1, sizeof(*one->outputs));
	t->numbers = malloc(((size_t)num + 1) * sizeof(*t->numbers));
	if (!one->model || !one->inputs || !one->outputs || !t->numbers)
		return -ENOMEM;
	memset(t->numbers, 0xff, (size_t)num * sizeof(*t->numbers));
	one->model->relaxed = t->from->relaxed;
	ret = list_take(t, op->inputs, op->num_inputs, one->inputs, &one->num_inputs);
	if (!ret)
		ret = list_take(t, op->outputs, op->num_outputs, one->outputs, &one->num_outputs);
	return ret ? ret : model_finish(t, op);
}

int one_operation_take(const struct nnmodel *from, uint32_t number, struct one_operation *one)
{
	const struct nnmodel_operation *op = &from->main.operations[number];
	struct taking t = { .from = from, .one = one };
	struct nnmodel_maps *maps;
	int ret;

	*one = (struct one_operation){ 0 };
	if (nnmodel_names_subgraphs(op->type) || op->type > NNMODEL_TYPE_BASE_MAX) {
		complain("%s cannot be captured alone", nnmodel_operation_name(op->type));
		return -1;
	}
	ret = nnmodel_map_pools(from, &maps);
	if (!ret) {
		t.maps = maps;
		ret = operation_take(&t, op);
		nnmodel_unmap_pools(maps);
	}
	free(t.numbers);
	if (ret)
		complain("%s cannot be captured alone: %s", nnmodel_operation_name(op->type),
			 strerror(-ret));
	return ret ? -1 : 0;
}

void one_operation_free(struct one_operation *one)
{
	nnmodel_free(one->model);
	free(one->inputs);
	free(one->outputs);
	*one = (struct one_operation){ 0 };
}
