// SPDX-License-Identifier: Apache-2.0
/*
 * Tensors and operations of the program: of one operation, of whole rows of inputs, of
 * bidirectional operations.
 */
#include <errno.h>

#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_builder.h"
#include "nnprog_desc.h"
#include "nnprog_format.h"
#include "nnprog_opcode.h"

/* A refusal of the builder, with its text. */
static int from_builder(struct lower *l, int ret, const struct nnprog_error *err)
{
	if (ret == -ENOMEM || ret == -ETIME)
		return ret;
	if (ret == -EINVAL)
		return lower_contradict(l, LOWER_NONE, "%s", err->text);
	return lower_refuse(l, LOWER_NONE, "%s", err->text);
}

static int added(struct lower *l, const struct nnprog_operand *d, int ret, uint32_t *tensor)
{
	if (ret == -ENOMEM)
		return ret;
	if (ret < 0)
		return lower_refuse(l, LOWER_NONE, "the device cannot hold a tensor of type %s",
				    nnprog_dtype_name(d->dtype));
	*tensor = (uint32_t)ret;
	return 0;
}

int lower_add_tensor(struct lower *l, const struct nnprog_operand *d, uint32_t kind,
		     const void *data, size_t size, uint32_t *tensor)
{
	return added(l, d, nnprog_builder_tensor(l->builder, d, kind, data, size), tensor);
}

int lower_keep_constant(struct lower *l, const struct nnprog_operand *d, const void *data,
			size_t size, uint32_t *tensor)
{
	return added(l, d, nnprog_builder_constant(l->builder, d, data, size), tensor);
}

struct nnprog_operand lower_get(struct lower *l, uint32_t tensor)
{
	struct nnprog_operand op = { 0 };
	uint32_t kind;

	nnprog_builder_get(l->builder, tensor, &op, &kind);
	return op;
}

int lower_const(struct lower *l, const struct nnprog_operand *op, const void *data, size_t size,
		uint32_t *tensor)
{
	return lower_add_tensor(l, op, NNPROG_CONST, data, size, tensor);
}

int lower_temp(struct lower *l, const struct nnprog_operand *op, uint32_t *tensor)
{
	return lower_add_tensor(l, op, NNPROG_TEMP, NULL, 0, tensor);
}

int lower_const_ints(struct lower *l, const int32_t *values, uint32_t n, uint32_t *tensor)
{
	const struct nnprog_operand op = {
		.dtype = NNPROG_INT32,
		.shape = { .rank = 1, .dims = { n } },
	};

	return lower_const(l, &op, values, n * sizeof(*values), tensor);
}

int lower_omitted(struct lower *l, uint32_t *tensor)
{
	const struct nnprog_operand op = { .dtype = NNPROG_FLOAT32, .omitted = true };
	int ret = 0;

	if (l->omitted == LOWER_NONE)
		ret = lower_add_tensor(l, &op, NNPROG_OMITTED, NULL, 0, &l->omitted);
	*tensor = l->omitted;
	return ret;
}

int lower_emit(struct lower *l, uint32_t opcode, const void *attrs, size_t attrs_size,
	       const uint32_t *in, uint32_t num_in, const uint32_t *out, uint32_t num_out)
{
	const struct nnprog_op_desc *desc = nnprog_op_find(opcode);
	const char *name = desc ? desc->name : "operation";
	struct nnprog_error err = { 0 };
	uint32_t i, max_rank;
	int ret;

	if (opcode >= NNPROG_OP_COUNT || !l->opset->ops[opcode].present)
		return lower_refuse(l, LOWER_NONE, "the device has no %s", name);
	max_rank = l->opset->ops[opcode].max_rank;
	if (num_in) {
		const struct nnprog_operand first = lower_get(l, in[0]);

		if (!(l->opset->ops[opcode].types & 1u << first.dtype))
			return lower_refuse(l, LOWER_NONE, "the device's %s does not take %s", name,
					    nnprog_dtype_name(first.dtype));
	}
	ret = nnprog_builder_operation(l->builder, opcode, attrs, attrs_size, in, num_in, out,
				       num_out, NULL, &err);
	if (ret)
		return from_builder(l, ret, &err);
	for (i = 0; i < num_in + num_out; i++) {
		const struct nnprog_operand op = lower_get(l, i < num_in ? in[i] : out[i - num_in]);

		if (!op.omitted && op.shape.rank != NNPROG_RANK_UNKNOWN && op.shape.rank > max_rank)
			return lower_refuse(l, LOWER_NONE, "the device's %s takes rank %u at most",
					    name, max_rank);
	}
	return 0;
}

int lower_emit_extension(struct lower *l, const char *name, const void *attrs, size_t attrs_size,
			 const uint32_t *in, uint32_t num_in, const uint32_t *out, uint32_t num_out)
{
	struct nnprog_error err = { 0 };
	const int ret = nnprog_builder_operation(l->builder, NNPROG_OP_EXTENSION, attrs, attrs_size,
						 in, num_in, out, num_out, name, &err);

	return ret ? from_builder(l, ret, &err) : 0;
}

int lower_finish(struct lower *l, struct nnhal_lowered *out)
{
	struct nnprog_error err = { 0 };
	const int ret = nnprog_builder_finish(l->builder, &out->bytes, &out->size, &err);

	if (ret && err.subgraph && err.subgraph <= l->graphs->num)
		l->graph = &l->model->referenced[l->graphs->order[err.subgraph - 1]];
	else if (ret)
		l->graph = &l->model->main;
	return ret ? from_builder(l, ret, &err) : 0;
}

/* ---- operations with the inputs of the model's ---- */

#define MAX_INPUTS 4

int lower_move(struct lower *l, uint32_t opcode, const void *attrs, size_t attrs_size, uint32_t n,
	       bool optional)
{
	uint32_t in[MAX_INPUTS], out, i;
	int ret = 0;

	for (i = 0; !ret && i < n; i++)
		ret = optional && i == n - 1 ? lower_in_opt(l, i, &in[i]) : lower_in(l, i, &in[i]);
	if (!ret)
		ret = lower_out_like(l, 0, in[0], &out);
	return ret ? ret : lower_emit(l, opcode, attrs, attrs_size, in, n, &out, 1);
}

int lower_all_inputs(struct lower *l, uint32_t opcode, const void *attrs, size_t attrs_size)
{
	const uint32_t n = l->op->num_inputs;
	uint32_t in[MAX_INPUTS], out, i;
	int ret = 0;

	for (i = 0; !ret && i < n; i++)
		ret = lower_in(l, i, &in[i]);
	if (!ret)
		ret = lower_out(l, 0, &out);
	return ret ? ret : lower_emit(l, opcode, attrs, attrs_size, in, n, &out, 1);
}

/* ---- outputs of bidirectional operations ---- */

int lower_two_outputs(struct lower *l, bool merge, uint32_t num_states, uint32_t *forward,
		      uint32_t *backward, uint32_t *states)
{
	const uint32_t sequences = merge ? 1 : 2, n = l->op->num_outputs;
	uint32_t x;
	int ret;

	if (n != sequences && n != sequences + num_states)
		return lower_refuse(l, LOWER_NONE, "%u outputs, must be %u or %u with %s outputs",
				    n, sequences, sequences + num_states,
				    merge ? "merged" : "separate");
	*states = n > sequences ? sequences : LOWER_NONE;
	if (!merge) {
		ret = lower_out(l, 0, forward);
		return ret ? ret : lower_out(l, 1, backward);
	}
	ret = lower_in(l, 0, &x);
	if (!ret) {
		const struct nnprog_operand op = {
			.dtype = lower_get(l, x).dtype,
			.shape = { .rank = NNPROG_RANK_UNKNOWN },
		};

		ret = lower_temp(l, &op, forward);
		if (!ret)
			ret = lower_temp(l, &op, backward);
	}
	return ret;
}

int lower_merge(struct lower *l, uint32_t forward, uint32_t backward)
{
	const struct nnprog_attr_axis a = { .axis = 2 };
	const uint32_t in[2] = { forward, backward };
	uint32_t out;
	const int ret = lower_out(l, 0, &out);

	return ret ? ret : lower_emit(l, NNPROG_OP_CONCATENATION, &a, sizeof(a), in, 2, &out, 1);
}
