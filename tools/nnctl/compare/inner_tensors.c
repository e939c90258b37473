// SPDX-License-Identifier: Apache-2.0
#include "compare/nnctl_compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nnctl_base.h"
#include "capture/nnctl_capture.h"

/* False: it cannot be an output. */
static bool tensor_describe(const struct nnmodel_operand *operand, struct nnimport_tensor *tensor)
{
	return operand->rank && operand_tensor(operand, tensor) && tensor->size <= INNER_BYTES;
}

/* UINT32_MAX: the operand is no output of the file. */
static uint32_t file_output(const struct session *s, uint32_t operand)
{
	const struct nnmodel_subgraph *main = &s->import.model->main;

	for (uint32_t i = 0; i < s->import.num_outputs && i < main->num_outputs; i++)
		if (main->outputs[i] == operand)
			return i;
	return UINT32_MAX;
}

static void window_add(const struct session *s, uint32_t operation, uint32_t output,
		       struct inner_window *window)
{
	struct inner_tensor *t = &window->tensors[window->count++];

	*t = (struct inner_tensor){ .operation = operation,
				    .origin = { NNIMPORT_NO_OPERATOR, "" },
				    .output = output };
	snprintf(t->operation_name, sizeof(t->operation_name), "%s",
		 nnmodel_operation_name(s->import.model->main.operations[operation].type));
	if (operation < s->import.num_origins)
		t->origin = s->import.origins[operation];
}

/* The tensor becomes the last output of the file; the states' outputs follow it. */
static uint32_t output_add(struct session *s, uint32_t operand,
			   const struct nnimport_tensor *tensor)
{
	struct nnmodel_subgraph *main = &s->import.model->main;
	const uint32_t place = s->import.num_outputs;

	main->operands[operand].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	memmove(main->outputs + place + 1, main->outputs + place,
		(main->num_outputs - place) * sizeof(*main->outputs));
	main->outputs[place] = operand;
	main->num_outputs++;
	s->import.outputs[place] = *tensor;
	snprintf(s->import.outputs[place].name, sizeof(s->import.outputs[place].name), "operand %u",
		 operand);
	s->import.num_outputs++;
	for (uint32_t i = 0; i < s->import.num_states; i++)
		if (s->import.states[i].output != NNIMPORT_NO_OUTPUT)
			s->import.states[i].output++;
	return place;
}

static int outputs_reserve(struct session *s, uint32_t more)
{
	struct nnmodel_subgraph *main = &s->import.model->main;
	uint32_t *numbers =
		realloc(main->outputs, (main->num_outputs + more) * sizeof(*main->outputs));
	struct nnimport_tensor *tensors;

	if (numbers)
		main->outputs = numbers;
	tensors = realloc(s->import.outputs,
			  (s->import.num_outputs + more) * sizeof(*s->import.outputs));
	if (tensors)
		s->import.outputs = tensors;
	if (numbers && tensors)
		return 0;
	complain("out of memory");
	return -1;
}

int inner_output(struct session *s, uint32_t operand, uint32_t *output)
{
	struct nnimport_tensor tensor;

	*output = file_output(s, operand);
	if (*output != UINT32_MAX)
		return 0;
	if (s->import.model->main.operands[operand].lifetime != NNMODEL_TEMPORARY_VARIABLE ||
	    !tensor_describe(&s->import.model->main.operands[operand], &tensor)) {
		complain("operand %u of the model can be no output of it", operand);
		return -1;
	}
	if (outputs_reserve(s, 1))
		return -1;
	*output = output_add(s, operand, &tensor);
	return 0;
}

int inner_window_open(struct session *s, uint32_t first, struct inner_window *window)
{
	const struct nnmodel_subgraph *main = &s->import.model->main;
	struct nnimport_tensor tensor;
	size_t bytes = 0;

	*window = (struct inner_window){ .next = first };
	if (outputs_reserve(s, INNER_TENSORS))
		return -1;
	for (uint32_t k = first; k < main->num_operations; k++) {
		const struct nnmodel_operation *op = &main->operations[k];

		if (window->count + op->num_outputs > INNER_TENSORS && window->count)
			return 0;
		for (uint32_t i = 0; i < op->num_outputs && window->count < INNER_TENSORS; i++) {
			const struct nnmodel_operand *operand = &main->operands[op->outputs[i]];
			const uint32_t known = file_output(s, op->outputs[i]);

			if (known != UINT32_MAX) {
				window_add(s, k, known, window);
				continue;
			}
			if (operand->lifetime != NNMODEL_TEMPORARY_VARIABLE ||
			    !tensor_describe(operand, &tensor))
				continue;
			bytes += tensor.size;
			/* one operation may exceed it: each window has one at least */
			if (bytes > INNER_BYTES && k > first)
				return 0;
			window_add(s, k, output_add(s, op->outputs[i], &tensor), window);
		}
		window->next = k + 1;
	}
	return 0;
}
