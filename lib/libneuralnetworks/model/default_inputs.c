// SPDX-License-Identifier: Apache-2.0
/*
 * Trailing inputs that have their default value go, so that devices of feature levels that do not
 * know them can have the operation.
 */
#include <string.h>

#include "model/nnr_model.h"

/*
 * An operation of more than @first inputs may lack those from there on that are, a letter each: F
 * false, 1, - minus one. Of two rules with inputs in common the kind of input @first decides.
 */
struct rule {
	uint32_t opcode, first;
	const char *tail;
	bool tied; /* the last two come together */
};

/* rules[], of the defaults in ops/ */
#include "nnr_default_inputs.h"

static uint32_t letter_type(char letter)
{
	return letter == 'F' ? NNMODEL_BOOL : NNMODEL_INT32;
}

static bool is_default(const struct nnmodel *model, const struct nnmodel_operand *o, char letter)
{
	const void *data;
	int32_t value;
	size_t size;

	if (o->lifetime != NNMODEL_CONSTANT_COPY || o->type != letter_type(letter) ||
	    nnmodel_constant(model, NULL, o, &data, &size))
		return false;
	if (letter == 'F')
		return size == 1 && !*(const uint8_t *)data;
	if (size != sizeof(value))
		return false;
	memcpy(&value, data, sizeof(value));
	return value == (letter == '1' ? 1 : -1);
}

static uint32_t inputs_left(const struct nnmodel *model, const struct nnmodel_operation *op,
			    const struct rule *rule)
{
	const struct nnmodel_operand *operands = model->main.operands;
	uint32_t n = op->num_inputs;

	if (n <= rule->first || n > rule->first + strlen(rule->tail) ||
	    operands[op->inputs[rule->first]].type != letter_type(rule->tail[0]))
		return n;
	while (n > rule->first &&
	       is_default(model, &operands[op->inputs[n - 1]], rule->tail[n - 1 - rule->first]))
		n--;
	return rule->tied && n + 1 == rule->first + strlen(rule->tail) ? op->num_inputs : n;
}

void nnr_remove_defaults(struct nnmodel *model)
{
	uint32_t i, k;

	for (i = 0; i < model->main.num_operations; i++) {
		struct nnmodel_operation *op = &model->main.operations[i];

		for (k = 0; k < sizeof(rules) / sizeof(rules[0]); k++)
			if (rules[k].opcode == op->type)
				op->num_inputs = inputs_left(model, op, &rules[k]);
	}
}
