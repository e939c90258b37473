// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "nnprog_builder.h"
#include "nnprog_format.h"
#include "nnprog_opcode.h"
#include "control_flow.h"
#include "verify.h"
#include "rules.h"

/** Room for one more entry of @size bytes; @max doubles. */
static int build_grow(void **array, size_t count, size_t *max, size_t size)
{
	size_t next = *max ? *max * 2 : 16;
	void *p;

	if (count < *max)
		return 0;
	p = reallocarray(*array, next, size);
	if (!p)
		return -ENOMEM;
	*array = p;
	*max = next;
	return 0;
}

/** A copy; not NULL for 0 bytes. */
static void *duplicate(const void *p, size_t size)
{
	void *copy = malloc(size ? size : 1);

	if (copy && size)
		memcpy(copy, p, size);
	return copy;
}

static struct build_subgraph *current(struct nnprog_builder *b)
{
	return b->num_subgraphs ? &b->subgraphs[b->num_subgraphs - 1] : NULL;
}

struct nnprog_builder *nnprog_builder_create(void)
{
	return calloc(1, sizeof(struct nnprog_builder));
}

static void free_tensor(struct build_tensor *t)
{
	free((void *)t->op.scales);
	if (!t->kept)
		free((void *)t->op.data);
}

static void free_operation(struct build_operation *op)
{
	free(op->attrs);
	free(op->list);
	free(op->ext_name);
}

void nnprog_builder_destroy(struct nnprog_builder *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->num_subgraphs; i++) {
		struct build_subgraph *sg = &b->subgraphs[i];

		for (size_t n = 0; n < sg->num_tensors; n++)
			free_tensor(&sg->tensors[n]);
		for (size_t n = 0; n < sg->num_operations; n++)
			free_operation(&sg->operations[n]);
		free(sg->tensors);
		free(sg->operations);
		free(sg->io);
		free(sg->name);
	}
	free(b->subgraphs);
	free(b);
}

void nnprog_builder_flags(struct nnprog_builder *b, uint32_t flags)
{
	b->flags = flags;
}

void nnprog_builder_unsummed(struct nnprog_builder *b)
{
	b->flags |= NNPROG_FLAG_UNSUMMED;
}

int nnprog_builder_subgraph(struct nnprog_builder *b, const char *name)
{
	struct build_subgraph sg = { .name = strdup(name ? name : "") };

	if (!sg.name)
		return -ENOMEM;
	if (build_grow((void **)&b->subgraphs, b->num_subgraphs, &b->max_subgraphs, sizeof(sg))) {
		free(sg.name);
		return -ENOMEM;
	}
	b->subgraphs[b->num_subgraphs] = sg;
	return (int)b->num_subgraphs++;
}

/** Check the rank; dims beyond it become 0, so that shapes compare as bytes. */
static int clean_shape(struct nnprog_shape *to, const struct nnprog_shape *from)
{
	*to = (struct nnprog_shape){ .rank = from->rank };
	if (from->rank == NNPROG_RANK_UNKNOWN)
		return 0;
	if (from->rank > NNPROG_MAX_RANK)
		return -EINVAL;
	memcpy(to->dims, from->dims, from->rank * sizeof(to->dims[0]));
	return 0;
}

static int check_shape(const struct build_tensor *t)
{
	uint64_t bytes;
	int ret;

	if (!nnprog_shape_complete(&t->op.shape))
		return t->kind == NNPROG_CONST ? -EINVAL : 0;
	ret = nnprog_shape_bytes(&t->op.shape, t->op.dtype, &bytes);
	if (ret)
		return ret;
	return t->kind == NNPROG_CONST && t->size != bytes ? -EINVAL : 0;
}

static int add_tensor(struct nnprog_builder *b, const struct nnprog_operand *op, uint32_t kind,
		      const void *data, size_t size, bool kept)
{
	struct build_subgraph *sg = current(b);
	struct build_tensor t = {
		.kind = kind, .size = size, .offset = NNPROG_NO_OFFSET, .kept = kept
	};
	int ret;

	if (!sg || kind >= NNPROG_KIND_COUNT || op->dtype >= NNPROG_DTYPE_END ||
	    op->omitted != (kind == NNPROG_OMITTED) || sg->num_tensors >= INT32_MAX)
		return -EINVAL;
	if (kind == NNPROG_CONST ? !data && size : data || size)
		return -EINVAL;
	if (op->num_scales && (!op->scales || kind == NNPROG_OMITTED))
		return -EINVAL;
	t.op = *op;
	t.op.scales = NULL;
	t.op.data = NULL;
	if (kind == NNPROG_OMITTED)
		t.op = (struct nnprog_operand){ .dtype = op->dtype, .omitted = true };
	else if (clean_shape(&t.op.shape, &op->shape))
		return -EINVAL;
	ret = check_shape(&t);
	if (ret)
		return ret;
	t.op.scales = op->scales;
	if (nnprog_check_quantization(&t.op))
		return -EINVAL;
	t.op.scales = NULL;
	if (build_grow((void **)&sg->tensors, sg->num_tensors, &sg->max_tensors, sizeof(t)))
		return -ENOMEM;
	if (op->num_scales)
		t.op.scales = duplicate(op->scales, op->num_scales * sizeof(float));
	if (kind == NNPROG_CONST)
		t.op.data = kept ? data : duplicate(data, size);
	if ((op->num_scales && !t.op.scales) || (kind == NNPROG_CONST && !t.op.data)) {
		free_tensor(&t);
		return -ENOMEM;
	}
	sg->tensors[sg->num_tensors] = t;
	return (int)sg->num_tensors++;
}

int nnprog_builder_tensor(struct nnprog_builder *b, const struct nnprog_operand *op, uint32_t kind,
			  const void *data, size_t size)
{
	return add_tensor(b, op, kind, data, size, false);
}

int nnprog_builder_constant(struct nnprog_builder *b, const struct nnprog_operand *op,
			    const void *data, size_t size)
{
	return add_tensor(b, op, NNPROG_CONST, data, size, data != NULL);
}

int nnprog_builder_set_shape(struct nnprog_builder *b, uint32_t tensor,
			     const struct nnprog_shape *shape)
{
	struct build_subgraph *sg = current(b);
	struct build_tensor t;
	int ret;

	if (!sg || tensor >= sg->num_tensors)
		return -EINVAL;
	t = sg->tensors[tensor];
	if (t.kind == NNPROG_OMITTED || clean_shape(&t.op.shape, shape))
		return -EINVAL;
	ret = check_shape(&t);
	if (ret)
		return ret;
	if (nnprog_check_quantization(&t.op))
		return -EINVAL;
	sg->tensors[tensor].op.shape = t.op.shape;
	return 0;
}

int nnprog_builder_get(struct nnprog_builder *b, uint32_t tensor, struct nnprog_operand *op,
		       uint32_t *kind)
{
	struct build_subgraph *sg = current(b);

	if (!sg || tensor >= sg->num_tensors)
		return -EINVAL;
	*op = sg->tensors[tensor].op;
	*kind = sg->tensors[tensor].kind;
	return 0;
}

/** Merge what was inferred into the outputs, all of them or none. */
static int merge_outputs(struct build_subgraph *sg, const struct build_operation *op,
			 struct nnprog_operand *results, const char *name, struct nnprog_error *err)
{
	const uint32_t *out = op->list + op->num_in;

	for (uint32_t i = 0; i < op->num_out; i++) {
		struct build_tensor t = sg->tensors[out[i]];

		if (nnprog_shape_merge(&t.op.shape, &results[i].shape))
			return nnprog_refuse_at(
				err, 0, NNPROG_NONE, NNPROG_NONE,
				"%s: output %u: shape differs from the declared one", name, i);
		if (clean_shape(&results[i].shape, &t.op.shape) || check_shape(&t))
			return nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE,
						"%s: output %u is too large", name, i);
	}
	for (uint32_t i = 0; i < op->num_out; i++)
		sg->tensors[out[i]].op.shape = results[i].shape;
	return 0;
}

int nnprog_build_infer(struct build_subgraph *sg, uint32_t number, const struct build_operation *op,
		       const struct nnprog_graphs *graphs, struct nnprog_error *err)
{
	uint32_t unused[2];
	bool control = graphs && nnprog_control_graphs(op->opcode, op->attrs, unused);
	const struct nnprog_op_desc *desc = nnprog_op_find(op->opcode);
	struct nnprog_operand *operands, *results;
	int ret = 0;

	if (!desc)
		return 0;
	operands = malloc((op->num_in + op->num_out + 1) * sizeof(*operands));
	if (!operands) {
		nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE, "out of memory");
		return -ENOMEM;
	}
	results = operands + op->num_in;
	for (uint32_t i = 0; i < op->num_in + op->num_out; i++) {
		operands[i] = sg->tensors[op->list[i]].op;
		operands[i].omittable = sg->tensors[op->list[i]].kind == NNPROG_INPUT;
	}
	ret = nnprog_check_operation(desc, operands, op->num_in, results, op->num_out, err);
	if (!ret && desc->check_attrs)
		ret = desc->check_attrs(op->attrs, err);
	if (!ret && control)
		ret = nnprog_control_infer(graphs, number, op->opcode, op->attrs, operands,
					   op->num_in, results, op->num_out, err);
	else if (!ret)
		ret = desc->infer(op->attrs, operands, op->num_in, results, op->num_out, err);
	if (!ret)
		ret = merge_outputs(sg, op, results, desc->name, err);
	free(operands);
	return ret;
}

static int check_lists(const struct build_subgraph *sg, const struct build_operation *op,
		       struct nnprog_error *err)
{
	for (uint32_t i = 0; i < op->num_in + op->num_out; i++) {
		bool output = i >= op->num_in;

		if (op->list[i] >= sg->num_tensors)
			return nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE,
						"%s %u: no tensor %u", output ? "output" : "input",
						output ? i - op->num_in : i, op->list[i]);
		if (output && sg->tensors[op->list[i]].kind != NNPROG_TEMP &&
		    sg->tensors[op->list[i]].kind != NNPROG_OUTPUT)
			return nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE,
						"output %u: tensor %u is not writable",
						i - op->num_in, op->list[i]);
	}
	return 0;
}

int nnprog_builder_operation(struct nnprog_builder *b, uint32_t opcode, const void *attrs,
			     size_t attrs_size, const uint32_t *in, uint32_t num_in,
			     const uint32_t *out, uint32_t num_out, const char *ext_name,
			     struct nnprog_error *err)
{
	const struct nnprog_op_desc *desc = nnprog_op_find(opcode);
	struct build_operation op = { opcode, NULL, attrs_size, NULL, num_in, num_out, NULL };
	struct build_subgraph *sg = current(b);
	int ret = -ENOMEM;

	if (!sg)
		return nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE, "no subgraph is open");
	if (opcode == NNPROG_OP_EXTENSION ? !ext_name || !*ext_name : !desc || ext_name)
		return nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE,
					"operation %u is not known", opcode);
	if (desc ? attrs_size != desc->attrs_size : attrs_size > UINT32_MAX)
		return nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE, "attributes of %zu bytes",
					attrs_size);
	if (num_in > NNPROG_MAX_OPERANDS || num_out > NNPROG_MAX_OPERANDS)
		return nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE, "too many operands");
	op.attrs = duplicate(attrs, attrs_size);
	op.list = malloc((num_in + num_out + 1) * sizeof(*op.list));
	if (ext_name)
		op.ext_name = strdup(ext_name);
	if (!op.attrs || !op.list || (ext_name && !op.ext_name) ||
	    build_grow((void **)&sg->operations, sg->num_operations, &sg->max_operations,
		       sizeof(op))) {
		nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE, "out of memory");
		goto fail;
	}
	if (num_in)
		memcpy(op.list, in, num_in * sizeof(*in));
	if (num_out)
		memcpy(op.list + num_in, out, num_out * sizeof(*out));
	ret = check_lists(sg, &op, err);
	if (!ret)
		ret = nnprog_build_infer(sg, 0, &op, NULL, err);
	if (ret)
		goto fail;
	sg->operations[sg->num_operations++] = op;
	return 0;
fail:
	free_operation(&op);
	return ret;
}

int nnprog_builder_io(struct nnprog_builder *b, const uint32_t *inputs, uint32_t num_inputs,
		      const uint32_t *outputs, uint32_t num_outputs)
{
	struct build_subgraph *sg = current(b);
	uint32_t *io;

	if (!sg || num_inputs > NNPROG_MAX_OPERANDS || num_outputs > NNPROG_MAX_OPERANDS)
		return -EINVAL;
	for (uint32_t i = 0; i < num_inputs; i++)
		if (inputs[i] >= sg->num_tensors || sg->tensors[inputs[i]].kind != NNPROG_INPUT)
			return -EINVAL;
	for (uint32_t i = 0; i < num_outputs; i++)
		if (outputs[i] >= sg->num_tensors || sg->tensors[outputs[i]].kind != NNPROG_OUTPUT)
			return -EINVAL;
	io = malloc((num_inputs + num_outputs + 1) * sizeof(*io));
	if (!io)
		return -ENOMEM;
	if (num_inputs)
		memcpy(io, inputs, num_inputs * sizeof(*io));
	if (num_outputs)
		memcpy(io + num_inputs, outputs, num_outputs * sizeof(*io));
	free(sg->io);
	sg->io = io;
	sg->num_inputs = num_inputs;
	sg->num_outputs = num_outputs;
	return 0;
}
