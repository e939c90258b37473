// SPDX-License-Identifier: Apache-2.0
/*
 * Parts of a model as models of their own: steps of a plan, slices for old devices, models without
 * dead operands.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/nnr_base.h"
#include "model/nnr_model.h"
#include "registry/nnr_registry.h"

bool nnr_takes_models(uint32_t operation)
{
	return nnmodel_names_subgraphs(operation) || nnr_is_extension(operation) ||
	       operation == ANEURALNETWORKS_OEM_OPERATION;
}

/* The role of a source operand in the extracted part. */
enum role { UNUSED, INPUT, CONSTANT, WRITTEN, OUTPUT };

struct extraction {
	const struct nnmodel *source;
	const struct nnmodel_subgraph *graph;
	struct nnmodel *model;
	uint8_t *roles; /* enum role, per operand of graph */
	uint32_t *operands; /* numbers in the part, of those in use */
	bool *graph_used; /* per referenced of the source */
	uint32_t *graphs; /* numbers in the part, of those in use */
	uint32_t *pools; /* numbers in the part; NNR_NONE: not in use (yet) */
};

/* ---- copies ---- */

static void *copy_array(const void *src, size_t n, size_t size, bool *ok)
{
	size_t bytes;
	void *dst;

	if (!n)
		return NULL;
	if (__builtin_mul_overflow(n, size, &bytes) || !(dst = malloc(bytes))) {
		*ok = false;
		return NULL;
	}
	return memcpy(dst, src, bytes);
}

static bool copy_operand(struct nnmodel_operand *dst, const struct nnmodel_operand *src)
{
	bool ok = true;

	*dst = *src;
	dst->dims = copy_array(src->dims, src->rank, sizeof(*src->dims), &ok);
	dst->scales = copy_array(src->scales, src->num_scales, sizeof(*src->scales), &ok);
	dst->extension_data = copy_array(src->extension_data, src->extension_size, 1, &ok);
	return ok;
}

static bool copy_operation(struct nnmodel_operation *dst, const struct nnmodel_operation *src)
{
	bool ok = true;

	*dst = *src;
	dst->inputs = copy_array(src->inputs, src->num_inputs, sizeof(*src->inputs), &ok);
	dst->outputs = copy_array(src->outputs, src->num_outputs, sizeof(*src->outputs), &ok);
	return ok;
}

bool nnr_subgraph_copy(struct nnmodel_subgraph *dst, const struct nnmodel_subgraph *src)
{
	bool ok = true;
	uint32_t i;

	dst->inputs = copy_array(src->inputs, src->num_inputs, sizeof(*src->inputs), &ok);
	dst->outputs = copy_array(src->outputs, src->num_outputs, sizeof(*src->outputs), &ok);
	dst->operands = nnr_array(src->num_operands, sizeof(*dst->operands));
	dst->operations = nnr_array(src->num_operations, sizeof(*dst->operations));
	if (!ok || !dst->operands || !dst->operations)
		return false;
	dst->num_inputs = src->num_inputs;
	dst->num_outputs = src->num_outputs;
	/* counted first, so that a failed copy is freed with the others */
	for (i = 0; ok && i < src->num_operands; i++) {
		dst->num_operands++;
		ok = copy_operand(&dst->operands[i], &src->operands[i]);
	}
	for (i = 0; ok && i < src->num_operations; i++) {
		dst->num_operations++;
		ok = copy_operation(&dst->operations[i], &src->operations[i]);
	}
	return ok;
}

void nnr_subgraph_clear(struct nnmodel_subgraph *graph)
{
	uint32_t i;

	for (i = 0; i < graph->num_operands; i++) {
		free(graph->operands[i].dims);
		free(graph->operands[i].scales);
		free(graph->operands[i].extension_data);
	}
	for (i = 0; i < graph->num_operations; i++) {
		free(graph->operations[i].inputs);
		free(graph->operations[i].outputs);
	}
	free(graph->operands);
	free(graph->operations);
	free(graph->inputs);
	free(graph->outputs);
	memset(graph, 0, sizeof(*graph));
}

/* ---- main ---- */

/* One that is not written in the part and is no input of it. */
static bool is_given(const struct nnmodel_operand *o)
{
	return nnr_is_constant(o) || o->lifetime == NNMODEL_NO_VALUE ||
	       o->lifetime == NNMODEL_LIFETIME_SUBGRAPH;
}

static bool set_roles(struct extraction *x, const uint32_t *ops, uint32_t num_ops,
		      const uint32_t *inputs, uint32_t num_inputs, const uint32_t *outputs,
		      uint32_t num_outputs)
{
	const struct nnmodel_subgraph *g = x->graph;
	uint32_t i, k;

	for (i = 0; i < num_inputs; i++) {
		if (inputs[i] >= g->num_operands || x->roles[inputs[i]] != UNUSED)
			return false;
		x->roles[inputs[i]] = INPUT;
	}
	for (i = 0; i < num_ops; i++) {
		const struct nnmodel_operation *op;

		if (ops[i] >= g->num_operations || (i && ops[i] <= ops[i - 1]))
			return false;
		op = &g->operations[ops[i]];
		for (k = 0; k < op->num_inputs; k++) {
			uint8_t *role = &x->roles[op->inputs[k]];

			if (*role == UNUSED && !is_given(&g->operands[op->inputs[k]]))
				return false;
			if (*role == UNUSED)
				*role = CONSTANT;
		}
		for (k = 0; k < op->num_outputs; k++) {
			if (x->roles[op->outputs[k]] != UNUSED)
				return false;
			x->roles[op->outputs[k]] = WRITTEN;
		}
	}
	for (i = 0; i < num_outputs; i++) {
		if (outputs[i] >= g->num_operands || x->roles[outputs[i]] != WRITTEN)
			return false;
		x->roles[outputs[i]] = OUTPUT;
	}
	return true;
}

static bool copy_operands(struct extraction *x)
{
	struct nnmodel_subgraph *main = &x->model->main;
	uint32_t i, n = 0;
	bool ok = true;

	for (i = 0; i < x->graph->num_operands; i++)
		if (x->roles[i] != UNUSED)
			x->operands[i] = n++;
	main->operands = nnr_array(n, sizeof(*main->operands));
	if (!main->operands)
		return false;
	for (i = 0; ok && i < x->graph->num_operands; i++) {
		struct nnmodel_operand *o = &main->operands[x->operands[i]];

		if (x->roles[i] == UNUSED)
			continue;
		main->num_operands++;
		ok = copy_operand(o, &x->graph->operands[i]);
		if (x->roles[i] == CONSTANT)
			continue;
		o->lifetime = x->roles[i] == INPUT    ? NNMODEL_SUBGRAPH_INPUT
			      : x->roles[i] == OUTPUT ? NNMODEL_SUBGRAPH_OUTPUT
						      : NNMODEL_TEMPORARY_VARIABLE;
		o->location = (struct nnmodel_location){ 0 };
	}
	return ok;
}

static void renumber(const struct extraction *x, uint32_t *list, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		list[i] = x->operands[list[i]];
}

static bool copy_lists(struct extraction *x, const uint32_t *ops, uint32_t num_ops,
		       const uint32_t *inputs, uint32_t num_inputs, const uint32_t *outputs,
		       uint32_t num_outputs)
{
	struct nnmodel_subgraph *main = &x->model->main;
	bool ok = true;
	uint32_t i;

	main->inputs = copy_array(inputs, num_inputs, sizeof(*inputs), &ok);
	main->outputs = copy_array(outputs, num_outputs, sizeof(*outputs), &ok);
	main->operations = nnr_array(num_ops, sizeof(*main->operations));
	if (!ok || !main->operations)
		return false;
	main->num_inputs = num_inputs;
	main->num_outputs = num_outputs;
	renumber(x, main->inputs, num_inputs);
	renumber(x, main->outputs, num_outputs);
	for (i = 0; ok && i < num_ops; i++) {
		struct nnmodel_operation *op = &main->operations[main->num_operations++];

		ok = copy_operation(op, &x->graph->operations[ops[i]]);
		if (ok) {
			renumber(x, op->inputs, op->num_inputs);
			renumber(x, op->outputs, op->num_outputs);
		}
	}
	return ok;
}

/* ---- what main refers to ---- */

int nnr_reach(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
	      const struct nnmodel_operation *op, bool *seen)
{
	uint32_t *stack, depth = 0, i;

	/* each is pushed at most once */
	stack = nnr_array(model->num_referenced, sizeof(*stack));
	if (!stack)
		return -ENOMEM;
	for (i = 0; i < op->num_inputs; i++) {
		const struct nnmodel_operand *o = &graph->operands[op->inputs[i]];

		if (o->lifetime == NNMODEL_LIFETIME_SUBGRAPH && !seen[o->location.offset]) {
			seen[o->location.offset] = true;
			stack[depth++] = (uint32_t)o->location.offset;
		}
	}
	while (depth) {
		const struct nnmodel_subgraph *g = &model->referenced[stack[--depth]];

		for (i = 0; i < g->num_operands; i++) {
			const struct nnmodel_operand *o = &g->operands[i];

			if (o->lifetime == NNMODEL_LIFETIME_SUBGRAPH && !seen[o->location.offset]) {
				seen[o->location.offset] = true;
				stack[depth++] = (uint32_t)o->location.offset;
			}
		}
	}
	free(stack);
	return 0;
}

static bool copy_graphs(struct extraction *x, const uint32_t *ops, uint32_t num_ops, uint32_t *from)
{
	const struct nnmodel *source = x->source;
	uint32_t i, n = 0;
	bool ok = true;

	if (!source->num_referenced)
		return true;
	for (i = 0; i < num_ops; i++) {
		const struct nnmodel_operation *op = &x->graph->operations[ops[i]];

		if (nnr_takes_models(op->type) && nnr_reach(source, x->graph, op, x->graph_used))
			return false;
	}
	for (i = 0; i < source->num_referenced; i++)
		if (x->graph_used[i]) {
			if (from)
				from[n] = i;
			x->graphs[i] = n++;
		}
	if (!n)
		return true;
	x->model->referenced = nnr_array(n, sizeof(*x->model->referenced));
	if (!x->model->referenced)
		return false;
	for (i = 0; ok && i < source->num_referenced; i++)
		if (x->graph_used[i])
			ok = nnr_subgraph_copy(&x->model->referenced[x->model->num_referenced++],
					       &source->referenced[i]);
	return ok;
}

static int use_pool(struct extraction *x, uint32_t number, uint32_t *from)
{
	const struct nnmodel_pool *pool = &x->source->pools[number];
	struct nnmodel *model = x->model;

	if (x->pools[number] != NNR_NONE)
		return 0;
	if (!model->pools)
		model->pools = nnr_array(x->source->num_pools, sizeof(*model->pools));
	if (!model->pools)
		return -ENOMEM;
	model->pools[model->num_pools] = *pool;
	model->pools[model->num_pools].fd = fcntl(pool->fd, F_DUPFD_CLOEXEC, 0);
	if (model->pools[model->num_pools].fd < 0)
		return -errno;
	if (from)
		from[model->num_pools] = number;
	x->pools[number] = model->num_pools++;
	return 0;
}

/* Operands of @g still have the locations of the source. */
static int measure_values(const struct extraction *x, const struct nnmodel_subgraph *g,
			  size_t *size)
{
	uint32_t i;

	for (i = 0; i < g->num_operands; i++) {
		const struct nnmodel_operand *o = &g->operands[i];
		uint64_t end;

		if (o->lifetime != NNMODEL_CONSTANT_COPY)
			continue;
		if (__builtin_add_overflow(o->location.offset, o->location.length, &end) ||
		    end > x->source->values_size)
			return -EINVAL;
		if (__builtin_add_overflow(*size, o->location.length + NNR_VALUE_ALIGN - 1, size))
			return -ENOMEM;
		*size &= ~(size_t)(NNR_VALUE_ALIGN - 1);
	}
	return 0;
}

static int extract_relocate(struct extraction *x, struct nnmodel_subgraph *g, uint32_t *pools_from)
{
	struct nnmodel *model = x->model;
	uint32_t i;
	int ret;

	for (i = 0; i < g->num_operands; i++) {
		struct nnmodel_operand *o = &g->operands[i];
		struct nnmodel_location *location = &o->location;

		switch (o->lifetime) {
		case NNMODEL_CONSTANT_COPY:
			memcpy(model->values + model->values_size,
			       x->source->values + location->offset, location->length);
			location->offset = model->values_size;
			model->values_size += location->length + NNR_VALUE_ALIGN - 1;
			model->values_size &= ~(size_t)(NNR_VALUE_ALIGN - 1);
			break;
		case NNMODEL_CONSTANT_REFERENCE:
			if (location->pool >= x->source->num_pools)
				return -EINVAL;
			ret = use_pool(x, location->pool, pools_from);
			if (ret)
				return ret;
			location->pool = x->pools[location->pool];
			break;
		case NNMODEL_LIFETIME_SUBGRAPH:
			location->offset = x->graphs[location->offset];
			break;
		}
	}
	return 0;
}

static int copy_constants(struct extraction *x, uint32_t *pools_from)
{
	struct nnmodel *model = x->model;
	size_t size = 0;
	uint32_t i;
	int ret = measure_values(x, &model->main, &size);

	for (i = 0; !ret && i < model->num_referenced; i++)
		ret = measure_values(x, &model->referenced[i], &size);
	if (ret)
		return ret;
	if (size) {
		model->values = calloc(1, size);
		if (!model->values)
			return -ENOMEM;
	}
	ret = extract_relocate(x, &model->main, pools_from);
	for (i = 0; !ret && i < model->num_referenced; i++)
		ret = extract_relocate(x, &model->referenced[i], pools_from);
	return ret;
}

/* ---- extension names ---- */

static void mark_prefixes(const struct nnmodel_subgraph *g, bool *used)
{
	uint32_t i;

	for (i = 0; i < g->num_operands; i++)
		used[g->operands[i].type >> 16] = true;
	for (i = 0; i < g->num_operations; i++)
		used[g->operations[i].type >> 16] = true;
}

static int copy_extensions(struct extraction *x)
{
	struct nnmodel *model = x->model;
	uint32_t i;
	bool *used;

	if (!x->source->num_extensions)
		return 0;
	used = nnr_array(0x10000, sizeof(*used));
	model->extensions = nnr_array(x->source->num_extensions, sizeof(*model->extensions));
	if (!used || !model->extensions) {
		free(used);
		return -ENOMEM;
	}
	mark_prefixes(&model->main, used);
	for (i = 0; i < model->num_referenced; i++)
		mark_prefixes(&model->referenced[i], used);
	for (i = 0; i < x->source->num_extensions; i++) {
		const struct nnmodel_extension *from = &x->source->extensions[i];
		struct nnmodel_extension *to = &model->extensions[model->num_extensions];

		if (!used[from->prefix])
			continue;
		*to = (struct nnmodel_extension){ strdup(from->name), from->prefix };
		if (!to->name)
			break;
		model->num_extensions++;
	}
	free(used);
	return i < x->source->num_extensions ? -ENOMEM : 0;
}

/*
 * -------------------------------------------------------------------------------------------------
 */

static int extract_fill(struct extraction *x, const uint32_t *ops, uint32_t num_ops,
			const uint32_t *inputs, uint32_t num_inputs, const uint32_t *outputs,
			uint32_t num_outputs, uint32_t *referenced_from, uint32_t *pools_from)
{
	uint32_t i;
	int ret;

	if (!x->model || !x->roles || !x->operands || !x->graph_used || !x->graphs || !x->pools)
		return -ENOMEM;
	for (i = 0; i < x->source->num_pools; i++)
		x->pools[i] = NNR_NONE;
	x->model->relaxed = x->source->relaxed;
	if (!set_roles(x, ops, num_ops, inputs, num_inputs, outputs, num_outputs))
		return -EINVAL;
	if (!copy_operands(x) ||
	    !copy_lists(x, ops, num_ops, inputs, num_inputs, outputs, num_outputs) ||
	    !copy_graphs(x, ops, num_ops, referenced_from))
		return -ENOMEM;
	ret = copy_constants(x, pools_from);
	return ret ? ret : copy_extensions(x);
}

int nnr_extract_from(const struct nnmodel *source, uint32_t subgraph, const uint32_t *ops,
		     uint32_t num_ops, const uint32_t *inputs, uint32_t num_inputs,
		     const uint32_t *outputs, uint32_t num_outputs, struct nnmodel **model,
		     uint32_t *referenced_from, uint32_t *pools_from)
{
	struct extraction x = { .source = source };
	int ret;

	*model = NULL;
	if (subgraph > source->num_referenced)
		return -EINVAL;
	x.graph = nnr_subgraph(source, subgraph);
	x.model = nnmodel_new();
	x.roles = nnr_array(x.graph->num_operands, sizeof(*x.roles));
	x.operands = nnr_array(x.graph->num_operands, sizeof(*x.operands));
	x.graph_used = nnr_array(source->num_referenced, sizeof(*x.graph_used));
	x.graphs = nnr_array(source->num_referenced, sizeof(*x.graphs));
	x.pools = nnr_array(source->num_pools, sizeof(*x.pools));
	ret = extract_fill(&x, ops, num_ops, inputs, num_inputs, outputs, num_outputs,
			   referenced_from, pools_from);
	free(x.roles);
	free(x.operands);
	free(x.graph_used);
	free(x.graphs);
	free(x.pools);
	if (ret) {
		nnmodel_free(x.model);
		return ret;
	}
	*model = x.model;
	return 0;
}

int nnr_extract(const struct nnmodel *source, uint32_t subgraph, const uint32_t *ops,
		uint32_t num_ops, const uint32_t *inputs, uint32_t num_inputs,
		const uint32_t *outputs, uint32_t num_outputs, struct nnmodel **model)
{
	return nnr_extract_from(source, subgraph, ops, num_ops, inputs, num_inputs, outputs,
				num_outputs, model, NULL, NULL);
}

int nnr_extract_whole(const struct nnmodel *source, uint32_t subgraph, struct nnmodel **model,
		      uint32_t *referenced_from, uint32_t *pools_from)
{
	const struct nnmodel_subgraph *g;
	uint32_t *ops, i;
	int ret;

	*model = NULL;
	if (subgraph > source->num_referenced)
		return -EINVAL;
	g = nnr_subgraph(source, subgraph);
	ops = nnr_array(g->num_operations, sizeof(*ops));
	if (!ops)
		return -ENOMEM;
	for (i = 0; i < g->num_operations; i++)
		ops[i] = i;
	ret = nnr_extract_from(source, subgraph, ops, g->num_operations, g->inputs, g->num_inputs,
			       g->outputs, g->num_outputs, model, referenced_from, pools_from);
	free(ops);
	return ret;
}
