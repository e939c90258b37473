// SPDX-License-Identifier: Apache-2.0
#include "probes/nnctl_probes.h"

#include <stdlib.h>
#include <string.h>

const char probes_control_flow_types[] = "F32 F16 I32 Q8 Q8S Q8Y QPC Q16S Q16A B8";

#define SIDE 4u

static int add_tensor(struct nnmodel *m, uint32_t type, uint32_t lifetime)
{
	const float channels[SIDE] = { 0.5f, 0.5f, 0.5f, 0.5f };
	const uint32_t dims[1] = { SIDE };
	const bool plain = type == NNMODEL_TENSOR_FLOAT32 || type == NNMODEL_TENSOR_FLOAT16 ||
			   type == NNMODEL_TENSOR_INT32 || type == NNMODEL_TENSOR_BOOL8;
	const bool per_channel = type == NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL;
	int n = nnmodel_add_operand(m, type, lifetime, dims, 1, plain || per_channel ? 0 : 0.5f, 0);

	if (n >= 0 && per_channel && nnmodel_set_channel_quant(m, (uint32_t)n, 0, channels, SIDE))
		return -1;
	return n;
}

static int add_flag(struct nnmodel *m, uint32_t lifetime)
{
	const uint32_t dims[1] = { 1 };

	return nnmodel_add_operand(m, NNMODEL_TENSOR_BOOL8, lifetime, dims, 1, 0, 0);
}

static int add_graph(struct nnmodel *m, uint64_t number)
{
	int n = nnmodel_add_operand(m, NNMODEL_SUBGRAPH, NNMODEL_LIFETIME_SUBGRAPH, NULL, 0, 0, 0);

	if (n >= 0)
		m->main.operands[n].location.offset = number;
	return n;
}

/* Add an operation. @in and @out are operand numbers, or the error of adding that operand. */
static bool add_operation(struct nnmodel *m, uint32_t opcode, const int *in, uint32_t num_in,
			  const int *out, uint32_t num_out)
{
	for (uint32_t i = 0; i < num_in; i++)
		if (in[i] < 0)
			return false;
	for (uint32_t i = 0; i < num_out; i++)
		if (out[i] < 0)
			return false;
	return nnmodel_add_operation(m, opcode, (const uint32_t *)in, num_in, (const uint32_t *)out,
				     num_out) >= 0;
}

static bool set_io(struct nnmodel *m, const int *in, uint32_t num_in, const int *out,
		   uint32_t num_out)
{
	return !nnmodel_set_io(m, (const uint32_t *)in, num_in, (const uint32_t *)out, num_out);
}

/* No operation writes per-channel tensors: the result is dequantized. */
static uint32_t result_type(uint32_t type)
{
	return type == NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL ? NNMODEL_TENSOR_FLOAT32 : type;
}

static uint32_t result_opcode(uint32_t type)
{
	return type == NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL ? NNMODEL_DEQUANTIZE : NNMODEL_CAST;
}

/* x -> x */
static bool make_branch(struct nnmodel *m, uint32_t type)
{
	const int x = add_tensor(m, type, NNMODEL_SUBGRAPH_INPUT);
	const int y = add_tensor(m, result_type(type), NNMODEL_SUBGRAPH_OUTPUT);

	return add_operation(m, result_opcode(type), &x, 1, &y, 1) && set_io(m, &x, 1, &y, 1);
}

/* stop, x -> not stop */
static bool make_condition(struct nnmodel *m, uint32_t type)
{
	const int in[] = { add_flag(m, NNMODEL_SUBGRAPH_INPUT),
			   add_tensor(m, type, NNMODEL_SUBGRAPH_INPUT) };
	const int go = add_flag(m, NNMODEL_SUBGRAPH_OUTPUT);

	return add_operation(m, NNMODEL_LOGICAL_NOT, in, 1, &go, 1) && in[1] >= 0 &&
	       set_io(m, in, 2, &go, 1);
}

/* stop, x -> true, x; a type that no operation writes is an input only */
static bool make_body(struct nnmodel *m, uint32_t type)
{
	const uint32_t num = result_type(type) == type ? 2 : 1;
	const int in[] = { add_flag(m, NNMODEL_SUBGRAPH_INPUT),
			   add_tensor(m, type, NNMODEL_SUBGRAPH_INPUT) };
	const int out[] = { add_flag(m, NNMODEL_SUBGRAPH_OUTPUT),
			    num == 2 ? add_tensor(m, type, NNMODEL_SUBGRAPH_OUTPUT) : 0 };

	return add_operation(m, NNMODEL_LOGICAL_NOT, in, 1, out, 1) && in[1] >= 0 &&
	       (num == 1 || add_operation(m, NNMODEL_CAST, &in[1], 1, &out[1], 1)) &&
	       set_io(m, in, 2, out, num);
}

/* Build a subgraph of @model as a separate model. It has no constants. */
static bool flow_models_take(struct nnmodel *model, uint32_t i, uint32_t type,
			     bool (*make)(struct nnmodel *m, uint32_t type))
{
	struct nnmodel *part = nnmodel_new();
	const bool ok = part && make(part, type);

	if (ok) {
		model->referenced[i] = part->main;
		memset(&part->main, 0, sizeof(part->main));
	}
	nnmodel_free(part);
	return ok;
}

static bool make_if(struct nnmodel *m, uint32_t type)
{
	const int condition = add_flag(m, NNMODEL_SUBGRAPH_INPUT);
	const int graphs[] = { add_graph(m, 0), add_graph(m, 1) };
	const int x = add_tensor(m, type, NNMODEL_SUBGRAPH_INPUT);
	const int y = add_tensor(m, result_type(type), NNMODEL_SUBGRAPH_OUTPUT);

	return flow_models_take(m, 0, type, make_branch) &&
	       flow_models_take(m, 1, type, make_branch) &&
	       add_operation(m, NNMODEL_IF, (const int[]){ condition, graphs[0], graphs[1], x }, 4,
			     &y, 1) &&
	       set_io(m, (const int[]){ condition, x }, 2, &y, 1);
}

static bool make_while(struct nnmodel *m, uint32_t type)
{
	const int graphs[] = { add_graph(m, 0), add_graph(m, 1) };
	const uint32_t num = result_type(type) == type ? 2 : 1;
	const int in[] = { add_flag(m, NNMODEL_SUBGRAPH_INPUT),
			   add_tensor(m, type, NNMODEL_SUBGRAPH_INPUT) };
	const int out[] = { add_flag(m, NNMODEL_SUBGRAPH_OUTPUT),
			    num == 2 ? add_tensor(m, type, NNMODEL_SUBGRAPH_OUTPUT) : 0 };

	return flow_models_take(m, 0, type, make_condition) &&
	       flow_models_take(m, 1, type, make_body) &&
	       add_operation(m, NNMODEL_WHILE, (const int[]){ graphs[0], graphs[1], in[0], in[1] },
			     4, out, num) &&
	       set_io(m, in, 2, out, num);
}

struct nnmodel *probe_control_flow_model(uint32_t opcode, uint32_t type)
{
	struct nnmodel *m = nnmodel_new();

	if (!m)
		return NULL;
	m->referenced = calloc(2, sizeof(*m->referenced));
	m->num_referenced = m->referenced ? 2 : 0;
	if (m->referenced && (opcode == NNMODEL_IF ? make_if(m, type) : make_while(m, type)))
		return m;
	nnmodel_free(m);
	return NULL;
}
