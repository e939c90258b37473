// SPDX-License-Identifier: Apache-2.0
#include "capture/nnctl_capture.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_log.h"

/* From the numbers of operands in the whole model to those in the new one. */
struct taking {
	const struct nnmodel *from;
	const struct nnmodel_maps *maps;
	uint32_t first, end; /* operations */
	struct operation_range *range;
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

	return ret ? ret : nnmodel_set_value(t->range->model, number, data, size);
}

/* An operand that is not taken yet. 0 or -errno. */
static int operand_take(struct taking *t, uint32_t operand)
{
	const struct nnmodel_operand *o = &t->from->main.operands[operand];
	int number, ret = 0;

	number = nnmodel_add_operand(t->range->model, o->type,
				     o->lifetime == NNMODEL_NO_VALUE ? NNMODEL_NO_VALUE
								     : NNMODEL_TEMPORARY_VARIABLE,
				     o->dims, o->rank, o->scale, o->zero_point);
	if (number < 0)
		return number;
	t->numbers[operand] = (uint32_t)number;
	if (o->num_scales)
		ret = nnmodel_set_channel_quant(t->range->model, (uint32_t)number, o->channel_dim,
						o->scales, o->num_scales);
	if (!ret && is_constant(o))
		ret = constant_take(t, o, (uint32_t)number);
	return ret;
}

static bool list_has(const uint32_t *list, uint32_t count, uint32_t number)
{
	for (uint32_t i = 0; i < count; i++)
		if (list[i] == number)
			return true;
	return false;
}

/* An operation outside of the range, or the application, reads it. */
static bool is_needed(const struct taking *t, uint32_t operand)
{
	const struct nnmodel_subgraph *main = &t->from->main;

	for (uint32_t k = 0; k < main->num_operations; k++)
		if ((k < t->first || k >= t->end) &&
		    list_has(main->operations[k].inputs, main->operations[k].num_inputs, operand))
			return true;
	return list_has(main->outputs, main->num_outputs, operand);
}

/* Operations are in an order in which they can run: what is not taken yet comes from outside. */
static int inputs_take(struct taking *t, const struct nnmodel_operation *op)
{
	struct operation_range *range = t->range;
	int ret = 0;

	for (uint32_t i = 0; i < op->num_inputs && !ret; i++) {
		const struct nnmodel_operand *o = &t->from->main.operands[op->inputs[i]];

		if (t->numbers[op->inputs[i]] != UINT32_MAX)
			continue;
		ret = operand_take(t, op->inputs[i]);
		if (!is_constant(o) && o->lifetime != NNMODEL_NO_VALUE)
			range->inputs[range->num_inputs++] = op->inputs[i];
	}
	return ret;
}

static int outputs_take(struct taking *t, const struct nnmodel_operation *op, bool last)
{
	struct operation_range *range = t->range;
	int ret = 0;

	for (uint32_t i = 0; i < op->num_outputs && !ret; i++) {
		/* an operation before this one reads it: not in an order in which they can run */
		if (t->numbers[op->outputs[i]] != UINT32_MAX)
			return -EINVAL;
		ret = operand_take(t, op->outputs[i]);
		if (last || is_needed(t, op->outputs[i]))
			range->outputs[range->num_outputs++] = op->outputs[i];
	}
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

static int operation_take(struct taking *t, uint32_t number)
{
	const struct nnmodel_operation *op = &t->from->main.operations[number];
	uint32_t *in, *out;
	int ret = inputs_take(t, op);

	if (!ret)
		ret = outputs_take(t, op, number + 1 == t->end);
	if (ret)
		return ret;
	in = numbers_map(t, op->inputs, op->num_inputs);
	out = numbers_map(t, op->outputs, op->num_outputs);
	ret = -ENOMEM;
	if (in && out)
		ret = nnmodel_add_operation(t->range->model, op->type, in, op->num_inputs, out,
					    op->num_outputs);
	free(in);
	free(out);
	return ret < 0 ? ret : 0;
}

static int io_set(struct taking *t)
{
	struct operation_range *range = t->range;
	uint32_t *in = numbers_map(t, range->inputs, range->num_inputs);
	uint32_t *out = numbers_map(t, range->outputs, range->num_outputs);
	int ret = -ENOMEM;

	if (in && out)
		ret = nnmodel_set_io(range->model, in, range->num_inputs, out, range->num_outputs);
	free(in);
	free(out);
	return ret;
}

static int operations_take(struct taking *t)
{
	const struct nnmodel_subgraph *main = &t->from->main;
	struct operation_range *range = t->range;
	int ret = 0;

	range->model = nnmodel_new();
	range->inputs = calloc((size_t)main->num_operands + 1, sizeof(*range->inputs));
	range->outputs = calloc((size_t)main->num_operands + 1, sizeof(*range->outputs));
	t->numbers = malloc(((size_t)main->num_operands + 1) * sizeof(*t->numbers));
	if (!range->model || !range->inputs || !range->outputs || !t->numbers)
		return -ENOMEM;
	memset(t->numbers, 0xff, (size_t)main->num_operands * sizeof(*t->numbers));
	range->model->relaxed = t->from->relaxed;
	for (uint32_t k = t->first; k < t->end && !ret; k++)
		ret = operation_take(t, k);
	return ret ? ret : io_set(t);
}

int operation_range_take(const struct nnmodel *from, uint32_t first, uint32_t count,
			 struct operation_range *range, char *why, size_t why_size)
{
	struct taking t = { .from = from, .first = first, .end = first + count, .range = range };
	struct nnmodel_maps *maps;
	int ret;

	*range = (struct operation_range){ 0 };
	for (uint32_t k = first; k < t.end; k++) {
		const uint32_t type = from->main.operations[k].type;

		if (nnmodel_names_subgraphs(type) || type > NNMODEL_TYPE_BASE_MAX)
			return nnutil_refuse(why, why_size, -1, "%s cannot be captured alone",
					     nnmodel_operation_name(type));
	}
	ret = nnmodel_map_pools(from, &maps);
	if (!ret) {
		t.maps = maps;
		ret = operations_take(&t);
		nnmodel_unmap_pools(maps);
	}
	free(t.numbers);
	return ret ? nnutil_refuse(why, why_size, -1, "operation %u cannot be captured alone: %s",
				   first, strerror(-ret))
		   : 0;
}

void operation_range_free(struct operation_range *range)
{
	nnmodel_free(range->model);
	free(range->inputs);
	free(range->outputs);
	*range = (struct operation_range){ 0 };
}
