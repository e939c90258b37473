// SPDX-License-Identifier: Apache-2.0
/*
 * Small models of every NNAPI operation, and names of groups of operations; ops/ has the group of
 * each.
 */
#include "probes/nnctl_probes.h"

#include <stdio.h>
#include <string.h>

static const char *const names[FAMILY_NONE + 1] = {
	[FAMILY_BINARY] = "element-wise arithmetic",
	[FAMILY_CONVOLUTION] = "convolution",
	[FAMILY_POOLING] = "pooling",
	[FAMILY_UNARY] = "activation and unary",
	[FAMILY_CONVERSION] = "conversion",
	[FAMILY_COMPARISON] = "comparison, logic, selection",
	[FAMILY_MOVEMENT] = "shape and data movement",
	[FAMILY_REDUCTION] = "reduction",
	[FAMILY_NORMALIZATION] = "normalization and products",
	[FAMILY_RESIZE] = "resizing",
	[FAMILY_REGION] = "regions and key points",
	[FAMILY_BOX] = "bounding boxes",
	[FAMILY_RECURRENT] = "recurrent",
	[FAMILY_SAMPLING] = "hashing, sampling, sparsity",
	[FAMILY_CONTROL] = "control flow",
	[FAMILY_NONE] = "none",
};

const uint32_t probe_listed[PROBE_LISTED] = {
	NNMODEL_TENSOR_FLOAT32,
	NNMODEL_TENSOR_FLOAT16,
	NNMODEL_TENSOR_INT32,
	NNMODEL_TENSOR_QUANT8_ASYMM,
	NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED,
	NNMODEL_TENSOR_QUANT8_SYMM,
	NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL,
	NNMODEL_TENSOR_QUANT16_SYMM,
	NNMODEL_TENSOR_QUANT16_ASYMM,
	NNMODEL_TENSOR_BOOL8,
};

const char *op_family_name(enum op_family family)
{
	return names[family <= FAMILY_NONE ? family : FAMILY_NONE];
}

struct walk {
	int (*found)(void *cookie, const struct probe *probe);
	void *cookie;
};

static int each_type(const struct walk *w, uint32_t opcode, const char *types,
		     const struct probe_row *row)
{
	struct probe probe = { .opcode = opcode, .row = row };
	int ret = 0;

	while (!ret && *types) {
		ret = probe_parse_types(&types, &probe.types);
		if (!ret)
			ret = w->found(w->cookie, &probe);
	}
	return ret;
}

static int each_of(const struct walk *w, uint32_t opcode)
{
	int ret = 0;

	if (nnmodel_names_subgraphs(opcode))
		return each_type(w, opcode, probes_control_flow_types, NULL);
	for (size_t i = 0; i < probe_rows.num && !ret; i++)
		if (probe_rows.rows[i].opcode == opcode)
			ret = each_type(w, opcode, probe_rows.rows[i].types, &probe_rows.rows[i]);
	return ret;
}

int probes_each(int (*found)(void *cookie, const struct probe *probe), void *cookie)
{
	const struct walk w = { found, cookie };
	int ret = 0;

	for (uint32_t op = 0; op < NNMODEL_OPCODE_COUNT && !ret; op++)
		ret = each_of(&w, op);
	return ret ? ret : each_of(&w, NNMODEL_DENSIFY);
}

struct nnmodel *probe_model(const struct probe *probe, char *error, size_t error_size)
{
	struct nnmodel *model;

	if (probe->row)
		return probe_parse_model(probe->opcode, &probe->types, probe->row->in,
					 probe->row->out, error, error_size);
	model = probe_control_flow_model(probe->opcode, probe->types.type[0]);
	if (!model)
		snprintf(error, error_size, "out of memory");
	return model;
}

static const char *token_next(const char *text)
{
	text += strcspn(text, " ");
	return text + strspn(text, " ");
}

/* Whether it is an input of the model: no constant, and not omitted. */
static bool token_is_input(const char *text)
{
	return *text != '~' && text[strcspn(text, "= ")] != '=';
}

enum probe_values probe_input_values(const struct probe *probe, uint32_t input)
{
	for (const char *text = probe->row ? probe->row->in : ""; *text; text = token_next(text))
		if (token_is_input(text) && !input--)
			return probe_operand_values(text);
	return PROBE_VALUES_ANY;
}

bool probe_is_random(const struct probe *probe)
{
	for (const char *text = probe->row ? probe->row->out : ""; *text; text = token_next(text))
		if (probe_operand_values(text) == PROBE_VALUES_RANDOM)
			return true;
	return false;
}

/* The number of the operand of a list that has the type in column 0; -1: none. */
static int typed_token(const char *text)
{
	for (int i = 0; *text; i++, text = token_next(text))
		if (text[0] == '0' && strchr(":@/=^ ", text[1]))
			return i;
	return -1;
}

struct probe_place probe_typed_operand(uint32_t opcode)
{
	for (size_t i = 0; i < probe_rows.num; i++) {
		const struct probe_row *row = &probe_rows.rows[i];
		int in, out;

		if (row->opcode != opcode)
			continue;
		in = typed_token(row->in);
		out = typed_token(row->out);
		return in >= 0 ? (struct probe_place){ false, (uint32_t)in }
			       : (struct probe_place){ true, out >= 0 ? (uint32_t)out : 0 };
	}
	/* control flow */
	return (struct probe_place){ false, UINT32_MAX };
}
