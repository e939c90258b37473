// SPDX-License-Identifier: Apache-2.0
/*
 * The slice of a model that a device's interface can express. Operations that the interface is too
 * old for, and operations of other devices' extensions, are left out; the rest becomes a model.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/nnr_base.h"
#include "model/nnr_model.h"

enum obstacle { NONE, TOO_NEW, NO_EXTENSION, OEM, UNKNOWN_SIZE };

struct verdict {
	bool known;
	enum obstacle obstacle;
	uint32_t detail; /* feature level; prefix */
};

struct slicer {
	const struct nnmodel *model;
	const ANeuralNetworksDevice *device;
	bool unknown_flow; /* such control flow is offered */
	uint32_t num_unknown_flow;
	bool *has_extension; /* per extension of the model: the device has it */
	struct verdict *graphs; /* per referenced model: the first obstacle in it */
	bool *seen; /* likewise, for nnr_reach() */
};

/* ---- what stands in the way ---- */

static uint32_t type_level(uint32_t type)
{
	if (nnr_is_extension(type))
		return 3;
	return type <= NNMODEL_TENSOR_QUANT8_ASYMM ? 1 : type <= NNMODEL_TENSOR_QUANT8_SYMM ? 3 : 4;
}

static uint32_t operand_level(const struct nnmodel_operand *o)
{
	uint32_t level = type_level(o->type);

	/* an unknown rank; and before feature level 3, inner tensors have known dimensions */
	if (level < 3 && nnr_operand_unknown(o) &&
	    (!o->rank || o->lifetime == NNMODEL_TEMPORARY_VARIABLE))
		level = 3;
	return level;
}

static uint32_t operation_level(const struct slicer *s, const struct nnmodel_subgraph *g,
				const struct nnmodel_operation *op)
{
	const struct nnmodel_op_row *row = nnmodel_op_find(op->type);
	uint32_t level = row ? row->feature_level : 3, i, needed;

	if (row)
		row->validate(row, s->model, g, op, &level, NULL);
	for (i = 0; i < op->num_inputs + op->num_outputs; i++) {
		needed = operand_level(
			&g->operands[i < op->num_inputs ? op->inputs[i]
							: op->outputs[i - op->num_inputs]]);
		if (needed > level)
			level = needed;
	}
	return level;
}

static bool extension_missing(const struct slicer *s, uint32_t type)
{
	uint32_t i;

	if (!nnr_is_extension(type))
		return false;
	for (i = 0; i < s->model->num_extensions; i++)
		if (s->model->extensions[i].prefix == type >> 16)
			return !s->has_extension[i];
	return true;
}

/* In the operation itself. */
static struct verdict judge_one(struct slicer *s, const struct nnmodel_subgraph *g,
				const struct nnmodel_operation *op)
{
	uint32_t level, i;

	if (op->type == ANEURALNETWORKS_OEM_OPERATION)
		return (struct verdict){ true, OEM, 0 };
	if (extension_missing(s, op->type))
		return (struct verdict){ true, NO_EXTENSION, op->type >> 16 };
	for (i = 0; i < op->num_inputs + op->num_outputs; i++) {
		const uint32_t type =
			g->operands[i < op->num_inputs ? op->inputs[i]
						       : op->outputs[i - op->num_inputs]]
				.type;

		if (nnr_is_oem(type))
			return (struct verdict){ true, OEM, 0 };
		if (extension_missing(s, type))
			return (struct verdict){ true, NO_EXTENSION, type >> 16 };
	}
	level = operation_level(s, g, op);
	if (level > s->device->feature_level)
		return (struct verdict){ true, TOO_NEW, level };
	if (nnmodel_names_subgraphs(op->type) && !s->device->is_reference &&
	    nnr_flow_unknown(s->model, g, op)) {
		if (!s->unknown_flow)
			return (struct verdict){ true, UNKNOWN_SIZE, 0 };
		s->num_unknown_flow++;
	}
	return (struct verdict){ true, NONE, 0 };
}

/* In the operations of a referenced model, but not in what these refer to. */
static const struct verdict *judge_graph(struct slicer *s, uint32_t number)
{
	struct verdict *v = &s->graphs[number];
	uint32_t i;

	if (v->known)
		return v;
	*v = (struct verdict){ true, NONE, 0 };
	for (i = 0; i < s->model->referenced[number].num_operations && v->obstacle == NONE; i++)
		*v = judge_one(s, &s->model->referenced[number],
			       &s->model->referenced[number].operations[i]);
	return v;
}

static int slice_judge(struct slicer *s, const struct nnmodel_subgraph *g,
		       const struct nnmodel_operation *op, struct verdict *verdict)
{
	uint32_t i;

	*verdict = judge_one(s, g, op);
	if (verdict->obstacle != NONE || !nnr_takes_models(op->type))
		return 0;
	memset(s->seen, 0, s->model->num_referenced * sizeof(*s->seen));
	if (nnr_reach(s->model, g, op, s->seen))
		return -ENOMEM;
	for (i = 0; i < s->model->num_referenced && verdict->obstacle == NONE; i++)
		if (s->seen[i])
			*verdict = *judge_graph(s, i);
	return 0;
}

static char *slice_describe(const struct slicer *s, const struct verdict *v)
{
	const char *name = "?";
	char *text = NULL;
	uint32_t i;
	int n = -1;

	switch (v->obstacle) {
	case NONE:
		return NULL;
	case TOO_NEW:
		n = asprintf(&text, "needs feature level %u, the device has %u", v->detail,
			     s->device->feature_level);
		break;
	case NO_EXTENSION:
		for (i = 0; i < s->model->num_extensions; i++)
			if (s->model->extensions[i].prefix == v->detail)
				name = s->model->extensions[i].name;
		n = asprintf(&text, "the device does not have the extension %s", name);
		break;
	case OEM:
		n = asprintf(&text, "no device has OEM operations and types");
		break;
	case UNKNOWN_SIZE:
		n = asprintf(&text,
			     "the device does not take control flow over tensors of unknown size");
		break;
	}
	return n < 0 ? NULL : text;
}

static void find_extensions(struct slicer *s)
{
	uint32_t i, k;

	for (i = 0; i < s->model->num_extensions; i++)
		for (k = 0; k < s->device->num_extensions && !s->has_extension[i]; k++)
			s->has_extension[i] =
				!strcmp(s->model->extensions[i].name, s->device->extensions[k]);
}

static int slice_choose(struct slicer *s, const struct nnmodel_subgraph *g, bool *kept,
			uint32_t *num_kept, char **reasons)
{
	struct verdict v;
	uint32_t i;

	for (i = 0; i < g->num_operations; i++) {
		if (s->model->relaxed && s->device->feature_level < 2)
			v = (struct verdict){ true, TOO_NEW, 2 }; /* relaxed arithmetic, of all */
		else if (slice_judge(s, g, &g->operations[i], &v))
			return -ENOMEM;
		kept[i] = v.obstacle == NONE;
		*num_kept += kept[i];
		if (reasons)
			reasons[i] = slice_describe(s, &v);
	}
	return 0;
}

int nnr_slice_choose(const struct nnmodel *model, uint32_t subgraph,
		     const ANeuralNetworksDevice *device, bool unknown_flow, bool *kept,
		     uint32_t *num_kept, uint32_t *num_unknown_flow, char **reasons)
{
	struct slicer s = {
		.model = model,
		.device = device,
		.unknown_flow = unknown_flow,
		.has_extension = nnr_array(model->num_extensions, sizeof(*s.has_extension)),
		.graphs = nnr_array(model->num_referenced, sizeof(*s.graphs)),
		.seen = nnr_array(model->num_referenced, sizeof(*s.seen)),
	};
	int ret = -ENOMEM;

	*num_kept = 0;
	if (s.has_extension && s.graphs && s.seen) {
		find_extensions(&s);
		ret = slice_choose(&s, nnr_subgraph(model, subgraph), kept, num_kept, reasons);
	}
	*num_unknown_flow = s.num_unknown_flow;
	free(s.has_extension);
	free(s.graphs);
	free(s.seen);
	return ret;
}

/* ---- the rest as a model ---- */

/* Of an operand, in the operations that are kept. */
enum use { READ = 1, WRITTEN = 2, LISTED = 4 };

struct slice_lists {
	uint8_t *uses;
	uint32_t *ops, *inputs, *outputs, num_inputs, num_outputs;
};

static void list_uses(struct slice_lists *l, const struct nnmodel_subgraph *g, const bool *kept)
{
	uint32_t i, k, n = 0;

	for (i = 0; i < g->num_operations; i++) {
		if (!kept[i])
			continue;
		l->ops[n++] = i;
		for (k = 0; k < g->operations[i].num_inputs; k++)
			l->uses[g->operations[i].inputs[k]] |= READ;
		for (k = 0; k < g->operations[i].num_outputs; k++)
			l->uses[g->operations[i].outputs[k]] |= WRITTEN;
	}
}

static void slice_list(struct slice_lists *l, uint32_t operand, uint32_t *to, uint32_t *num)
{
	if (!(l->uses[operand] & LISTED))
		to[(*num)++] = operand;
	l->uses[operand] |= LISTED;
}

/*
 * Inputs and outputs of the part, in this order: the subgraph's own; operands that removed
 * operations wrote; operands that are no longer read.
 */
static void list_border(struct slice_lists *l, const struct nnmodel_subgraph *g)
{
	uint32_t i;

	for (i = 0; i < g->num_inputs; i++)
		if (l->uses[g->inputs[i]] & READ)
			slice_list(l, g->inputs[i], l->inputs, &l->num_inputs);
	for (i = 0; i < g->num_outputs; i++)
		if (l->uses[g->outputs[i]] & WRITTEN)
			slice_list(l, g->outputs[i], l->outputs, &l->num_outputs);
	for (i = 0; i < g->num_operands; i++) {
		const uint32_t lifetime = g->operands[i].lifetime;

		if (lifetime != NNMODEL_TEMPORARY_VARIABLE && lifetime != NNMODEL_SUBGRAPH_OUTPUT)
			continue;
		if ((l->uses[i] & (READ | WRITTEN)) == READ)
			slice_list(l, i, l->inputs, &l->num_inputs);
		else if ((l->uses[i] & (READ | WRITTEN)) == WRITTEN)
			slice_list(l, i, l->outputs, &l->num_outputs);
	}
}

int nnr_slice_make(const struct nnmodel *model, uint32_t subgraph, const bool *kept,
		   uint32_t num_kept, struct nnmodel **slice)
{
	const struct nnmodel_subgraph *g = nnr_subgraph(model, subgraph);
	struct slice_lists l = {
		.uses = nnr_array(g->num_operands, sizeof(*l.uses)),
		.ops = nnr_array(num_kept, sizeof(*l.ops)),
		.inputs = nnr_array(g->num_operands, sizeof(*l.inputs)),
		.outputs = nnr_array(g->num_operands, sizeof(*l.outputs)),
	};
	int ret = -ENOMEM;

	*slice = NULL;
	if (l.uses && l.ops && l.inputs && l.outputs) {
		list_uses(&l, g, kept);
		list_border(&l, g);
		ret = nnr_extract(model, subgraph, l.ops, num_kept, l.inputs, l.num_inputs,
				  l.outputs, l.num_outputs, slice);
	}
	free(l.uses);
	free(l.ops);
	free(l.inputs);
	free(l.outputs);
	return ret;
}
