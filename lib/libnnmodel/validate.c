// SPDX-License-Identifier: Apache-2.0
/*
 * The canonical validation of a model, in the order of the NNAPI HAL's own: pools, extension names,
 * cycles among subgraphs, then every referenced subgraph and main: operands, operations, lists,
 * order of execution.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "nnmodel_common.h"
#include "nnmodel_rows.h"

/* The number of @graph in messages: 0 is main. */
static uint32_t subgraph_number(const struct nnmodel *model, const struct nnmodel_subgraph *graph)
{
	return graph == &model->main ? 0 : 1 + (uint32_t)(graph - model->referenced);
}

int nnmodel_refuse(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
		   const struct nnmodel_operation *op, uint32_t operand, struct nnmodel_error *err,
		   const char *fmt, ...)
{
	va_list ap;
	int n;

	if (!err)
		return -EINVAL;
	err->subgraph = subgraph_number(model, graph);
	err->operation = (uint32_t)(op - graph->operations);
	err->operand = operand;
	n = snprintf(err->text, sizeof(err->text), "operation %u %s: ", err->operation,
		     nnmodel_operation_name(op->type));
	if (n < 0 || (size_t)n >= sizeof(err->text))
		return -EINVAL;
	va_start(ap, fmt);
	vsnprintf(err->text + n, sizeof(err->text) - (size_t)n, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

#define NONE UINT32_MAX

struct validation {
	const struct nnmodel *model;
	uint32_t feature_level;
	struct nnmodel_error *err;
	bool prefix[0x8000]; /* declared by an extension */
};

static void __attribute__((format(printf, 5, 6)))
set_error(struct nnmodel_error *err, uint32_t subgraph, uint32_t operation, uint32_t operand,
	  const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return;
	err->subgraph = subgraph;
	err->operation = operation;
	err->operand = operand;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
}

/* Expressions, so that "return refuse(...)" reads as what it does. */
#define refuse(v, subgraph, operation, operand, ...) \
	(set_error((v)->err, subgraph, operation, operand, __VA_ARGS__), -EINVAL)
#define out_of_memory(v) (set_error((v)->err, 0, NONE, NONE, "out of memory"), -ENOMEM)

static int validate_pools(struct validation *v)
{
	const struct nnmodel *m = v->model;
	uint32_t i;

	for (i = 0; i < sizeof(m->reserved); i++)
		if (m->reserved[i])
			return refuse(v, 0, NONE, NONE, "reserved bytes of the model are not 0");
	if (m->num_pools && !m->pools)
		return refuse(v, 0, NONE, NONE, "the list of %u pools is missing", m->num_pools);
	for (i = 0; i < m->num_pools; i++) {
		const struct nnmodel_pool *p = &m->pools[i];
		uint64_t end;

		if (p->fd < 0)
			return refuse(v, 0, NONE, NONE, "pool %u: no file descriptor", i);
		if (p->prot & ~(PROT_READ | PROT_WRITE))
			return refuse(v, 0, NONE, NONE, "pool %u: protection %#x", i, p->prot);
		if (!p->size)
			return refuse(v, 0, NONE, NONE, "pool %u: empty", i);
		if (__builtin_add_overflow(p->offset, p->size, &end))
			return refuse(v, 0, NONE, NONE, "pool %u: offset and size overflow", i);
	}
	if (m->values_size && !m->values)
		return refuse(v, 0, NONE, NONE, "the constant values are missing");
	return 0;
}

static bool valid_extension_name(const char *name)
{
	bool dot = false;
	const char *c;

	if (!name || !*name)
		return false;
	for (c = name; *c; c++) {
		if (*c == '.')
			dot = true;
		else if (!(*c >= 'a' && *c <= 'z') && !(*c >= '0' && *c <= '9') && *c != '_')
			return false;
	}
	return dot;
}

static int compare_extension_names(const void *a, const void *b)
{
	return strcmp((*(const struct nnmodel_extension *const *)a)->name,
		      (*(const struct nnmodel_extension *const *)b)->name);
}

static int validate_extensions(struct validation *v)
{
	const struct nnmodel *m = v->model;
	const struct nnmodel_extension **sorted;
	uint32_t i;
	int ret = 0;

	if (!m->num_extensions)
		return 0;
	if (!m->extensions)
		return refuse(v, 0, NONE, NONE, "the list of %u extensions is missing",
			      m->num_extensions);
	/* unique prefixes bound the list before anything is allocated by its length */
	if (m->num_extensions > 0x7fff)
		return refuse(v, 0, NONE, NONE, "%u extensions, more than there are prefixes",
			      m->num_extensions);
	sorted = calloc(m->num_extensions, sizeof(*sorted));
	if (!sorted)
		return out_of_memory(v);
	for (i = 0; i < m->num_extensions; i++) {
		const struct nnmodel_extension *e = &m->extensions[i];

		if (!valid_extension_name(e->name)) {
			ret = refuse(v, 0, NONE, NONE, "extension %u: invalid name \"%.64s\"", i,
				     e->name ? e->name : "");
			goto out;
		}
		if (!e->prefix || e->prefix > 0x7fff || v->prefix[e->prefix]) {
			ret = refuse(v, 0, NONE, NONE, "extension %.64s: prefix %u is %s", e->name,
				     e->prefix,
				     e->prefix && e->prefix <= 0x7fff ? "used by another extension"
								      : "out of range");
			goto out;
		}
		v->prefix[e->prefix] = true;
		sorted[i] = e;
	}
	qsort(sorted, m->num_extensions, sizeof(*sorted), compare_extension_names);
	for (i = 1; i < m->num_extensions; i++)
		if (!strcmp(sorted[i - 1]->name, sorted[i]->name)) {
			ret = refuse(v, 0, NONE, NONE, "extension %.64s appears twice",
				     sorted[i]->name);
			goto out;
		}
	nnmodel_raise_level(&v->feature_level, 3);
out:
	free(sorted);
	return ret;
}

static bool extension_known(const struct validation *v, uint32_t type)
{
	return type >> 16 <= 0x7fff && v->prefix[type >> 16];
}

/* Depth first over SUBGRAPH operands, with its own stack: the client determines the depth. */
static int validate_no_cycles(struct validation *v)
{
	enum { WHITE, GREY, BLACK };
	const struct nnmodel *m = v->model;
	struct frame {
		uint32_t graph, operand;
	} * stack;
	uint32_t depth = 0;
	uint8_t *colour;
	int ret = 0;

	if (!m->num_referenced)
		return 0;
	if (!m->referenced)
		return refuse(v, 0, NONE, NONE, "the list of %u subgraphs is missing",
			      m->num_referenced);
	stack = calloc((size_t)m->num_referenced + 1, sizeof(*stack));
	colour = calloc((size_t)m->num_referenced + 1, 1);
	if (!stack || !colour) {
		ret = out_of_memory(v);
		goto out;
	}
	stack[depth++] = (struct frame){ 0, 0 };
	colour[0] = GREY;
	while (depth) {
		struct frame *f = &stack[depth - 1];
		const struct nnmodel_subgraph *g = f->graph ? &m->referenced[f->graph - 1]
							    : &m->main;
		const struct nnmodel_operand *o;
		uint64_t target;

		if (!g->operands || f->operand >= g->num_operands) {
			colour[f->graph] = BLACK;
			depth--;
			continue;
		}
		o = &g->operands[f->operand++];
		if (o->lifetime != NNMODEL_LIFETIME_SUBGRAPH)
			continue;
		target = o->location.offset;
		if (target >= m->num_referenced) {
			ret = refuse(v, f->graph, NONE, f->operand - 1,
				     "operand %u: subgraph %llu of %u", f->operand - 1,
				     (unsigned long long)target, m->num_referenced);
			goto out;
		}
		target++;
		if (colour[target] == GREY) {
			ret = refuse(v, f->graph, NONE, f->operand - 1,
				     "operand %u: subgraph %llu contains itself", f->operand - 1,
				     (unsigned long long)target - 1);
			goto out;
		}
		if (colour[target] == WHITE) {
			colour[target] = GREY;
			stack[depth++] = (struct frame){ (uint32_t)target, 0 };
		}
	}
out:
	free(stack);
	free(colour);
	return ret;
}

static int validate_quantization(struct validation *v, uint32_t graph, uint32_t n,
				 const struct nnmodel_operand *o,
				 const struct nnmodel_type_info *info)
{
	const enum nnmodel_quant_rule rule = info ? info->quant : NNMODEL_QUANT_NONE;
	bool scale_ok;

	switch (rule) {
	case NNMODEL_QUANT_REQUIRED:
		scale_ok = isfinite(o->scale) && o->scale > 0;
		break;
	case NNMODEL_QUANT_OPTIONAL:
		scale_ok = isfinite(o->scale) && o->scale >= 0;
		break;
	default:
		scale_ok = o->scale == 0;
	}
	if (!scale_ok)
		return refuse(v, graph, NONE, n, "operand %u: scale %g is invalid for %s", n,
			      (double)o->scale, nnmodel_type_name(o->type));
	if (o->zero_point < (info ? info->zero_point_min : 0) ||
	    o->zero_point > (info ? info->zero_point_max : 0))
		return refuse(v, graph, NONE, n, "operand %u: zero point %d is invalid for %s", n,
			      o->zero_point, nnmodel_type_name(o->type));
	return 0;
}

static int validate_extra(struct validation *v, uint32_t graph, uint32_t n,
			  const struct nnmodel_operand *o)
{
	uint32_t i;

	if (!nnmodel_is_extension(o->type) && (o->extension_data || o->extension_size))
		return refuse(v, graph, NONE, n, "operand %u: extension data on %s", n,
			      nnmodel_type_name(o->type));
	if (o->extension_size && !o->extension_data)
		return refuse(v, graph, NONE, n, "operand %u: the extension data is missing", n);
	if (o->type != NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL) {
		if (o->num_scales || o->scales || o->channel_dim)
			return refuse(v, graph, NONE, n, "operand %u: channel scales on %s", n,
				      nnmodel_type_name(o->type));
		return 0;
	}
	if (o->channel_dim >= o->rank)
		return refuse(v, graph, NONE, n, "operand %u: channel dimension %u of rank %u", n,
			      o->channel_dim, o->rank);
	if (!o->num_scales || !o->scales || o->num_scales != o->dims[o->channel_dim])
		return refuse(v, graph, NONE, n, "operand %u: %u channel scales for %u channels", n,
			      o->num_scales, o->dims[o->channel_dim]);
	for (i = 0; i < o->num_scales; i++)
		if (!isfinite(o->scales[i]) || o->scales[i] <= 0)
			return refuse(v, graph, NONE, n, "operand %u: channel %u: scale %g", n, i,
				      (double)o->scales[i]);
	return 0;
}

static int validate_location(struct validation *v, uint32_t graph, uint32_t n,
			     const struct nnmodel_operand *o)
{
	const struct nnmodel *m = v->model;
	const struct nnmodel_location *loc = &o->location;
	uint64_t end, limit;

	switch (o->lifetime) {
	case NNMODEL_TEMPORARY_VARIABLE:
	case NNMODEL_SUBGRAPH_INPUT:
	case NNMODEL_SUBGRAPH_OUTPUT:
	case NNMODEL_NO_VALUE:
		if (loc->pool || loc->offset || loc->length)
			return refuse(v, graph, NONE, n, "operand %u: a location, but no constant",
				      n);
		return 0;
	case NNMODEL_LIFETIME_SUBGRAPH:
		if (loc->pool || loc->length || loc->offset >= m->num_referenced)
			return refuse(v, graph, NONE, n, "operand %u: subgraph %llu of %u", n,
				      (unsigned long long)loc->offset, m->num_referenced);
		return 0;
	case NNMODEL_CONSTANT_COPY:
		if (loc->pool)
			return refuse(v, graph, NONE, n,
				      "operand %u: a pool, but a copied constant", n);
		limit = m->values_size;
		break;
	case NNMODEL_CONSTANT_REFERENCE:
		if (loc->pool >= m->num_pools)
			return refuse(v, graph, NONE, n, "operand %u: pool %u of %u", n, loc->pool,
				      m->num_pools);
		limit = m->pools[loc->pool].size;
		break;
	default:
		return refuse(v, graph, NONE, n, "operand %u: lifetime %u", n, o->lifetime);
	}
	if (__builtin_add_overflow(loc->offset, loc->length, &end) || end > limit)
		return refuse(v, graph, NONE, n,
			      "operand %u: constant at %llu, %llu bytes, of %llu", n,
			      (unsigned long long)loc->offset, (unsigned long long)loc->length,
			      (unsigned long long)limit);
	return 0;
}

static int validate_operand(struct validation *v, uint32_t graph, uint32_t n,
			    const struct nnmodel_operand *o)
{
	const struct nnmodel_type_info *info = nnmodel_type_info(o->type);
	uint64_t bytes;
	int ret;

	if (!info && !(nnmodel_is_extension(o->type) && extension_known(v, o->type)))
		return refuse(v, graph, NONE, n, "operand %u: unknown %s", n,
			      nnmodel_type_name(o->type));
	if ((o->type == NNMODEL_SUBGRAPH) != (o->lifetime == NNMODEL_LIFETIME_SUBGRAPH))
		return refuse(v, graph, NONE, n, "operand %u: %s with lifetime %u", n,
			      nnmodel_type_name(o->type), o->lifetime);

	if (o->rank && !o->dims)
		return refuse(v, graph, NONE, n, "operand %u: the dimensions are missing", n);
	if (info && info->scalar && o->rank)
		return refuse(v, graph, NONE, n, "operand %u: scalar %s of rank %u", n, info->name,
			      o->rank);
	if (info && o->type != NNMODEL_SUBGRAPH) {
		ret = nnmodel_operand_bytes(o, &bytes);
		if (ret == -EOVERFLOW)
			return refuse(v, graph, NONE, n, "operand %u: 4 GiB or more", n);
		if (ret && nnmodel_is_constant(o))
			return refuse(v, graph, NONE, n, "operand %u: constant of unknown shape",
				      n);
		if (!info->scalar && !o->rank && o->lifetime != NNMODEL_NO_VALUE)
			nnmodel_raise_level(&v->feature_level, 3);
	}
	ret = validate_quantization(v, graph, n, o, info);
	if (!ret)
		ret = validate_extra(v, graph, n, o);
	if (!ret)
		ret = validate_location(v, graph, n, o);
	if (ret)
		return ret;
	if (info && nnmodel_is_constant(o) && o->location.length != bytes)
		return refuse(v, graph, NONE, n, "operand %u: constant of %llu bytes, needs %llu",
			      n, (unsigned long long)o->location.length, (unsigned long long)bytes);
	nnmodel_raise_level(&v->feature_level, info ? info->feature_level : 3);
	return 0;
}

static int validate_operation(struct validation *v, const struct nnmodel_subgraph *g, uint32_t n)
{
	const struct nnmodel_operation *op = &g->operations[n];
	const struct nnmodel_op_row *row;
	uint32_t i;

	if ((op->num_inputs && !op->inputs) || (op->num_outputs && !op->outputs))
		return nnmodel_refuse(v->model, g, op, NONE, v->err, "the operand list is missing");
	for (i = 0; i < op->num_inputs; i++)
		if (op->inputs[i] >= g->num_operands)
			return nnmodel_refuse(v->model, g, op, op->inputs[i], v->err,
					      "input %u: operand %u of %u", i, op->inputs[i],
					      g->num_operands);
	for (i = 0; i < op->num_outputs; i++)
		if (op->outputs[i] >= g->num_operands)
			return nnmodel_refuse(v->model, g, op, op->outputs[i], v->err,
					      "output %u: operand %u of %u", i, op->outputs[i],
					      g->num_operands);
	if (nnmodel_is_extension(op->type)) {
		if (!extension_known(v, op->type))
			return nnmodel_refuse(v->model, g, op, NONE, v->err,
					      "extension prefix %u is not declared",
					      op->type >> 16);
		nnmodel_raise_level(&v->feature_level, 3);
		return 0;
	}
	row = nnmodel_op_find(op->type);
	if (!row)
		return nnmodel_refuse(v->model, g, op, NONE, v->err, "NNAPI has no such operation");
	nnmodel_raise_level(&v->feature_level, row->feature_level);
	return row->validate(row, v->model, g, op, &v->feature_level, v->err);
}

/* One of the lists of a subgraph: in range, right lifetime, no repetition, complete. */
static int validate_list(struct validation *v, const struct nnmodel_subgraph *g,
			 const uint32_t *list, uint32_t count, uint32_t lifetime, const char *what,
			 uint8_t *seen)
{
	const uint32_t graph = subgraph_number(v->model, g);
	uint32_t i;

	if (count && !list)
		return refuse(v, graph, NONE, NONE, "the list of %ss is missing", what);
	memset(seen, 0, g->num_operands);
	for (i = 0; i < count; i++) {
		const uint32_t n = list[i];

		if (n >= g->num_operands)
			return refuse(v, graph, NONE, n, "%s %u: operand %u of %u", what, i, n,
				      g->num_operands);
		if (g->operands[n].lifetime != lifetime)
			return refuse(v, graph, NONE, n, "%s %u: operand %u has lifetime %u", what,
				      i, n, g->operands[n].lifetime);
		if (seen[n])
			return refuse(v, graph, NONE, n, "%s %u: operand %u is listed twice", what,
				      i, n);
		seen[n] = 1;
	}
	for (i = 0; i < g->num_operands; i++)
		if (g->operands[i].lifetime == lifetime && !seen[i])
			return refuse(v, graph, NONE, i, "operand %u is not listed as %s", i, what);
	return 0;
}

/* No read before write, one write each, every variable written. */
static int validate_order(struct validation *v, const struct nnmodel_subgraph *g, uint8_t *known)
{
	const uint32_t graph = subgraph_number(v->model, g);
	uint32_t i, k;

	for (i = 0; i < g->num_operands; i++)
		known[i] = g->operands[i].lifetime != NNMODEL_TEMPORARY_VARIABLE &&
			   g->operands[i].lifetime != NNMODEL_SUBGRAPH_OUTPUT;
	for (i = 0; i < g->num_operations; i++) {
		const struct nnmodel_operation *op = &g->operations[i];

		for (k = 0; k < op->num_inputs; k++)
			if (!known[op->inputs[k]])
				return nnmodel_refuse(
					v->model, g, op, op->inputs[k], v->err,
					"input %u: operand %u is read before it is written", k,
					op->inputs[k]);
		for (k = 0; k < op->num_outputs; k++) {
			const uint32_t n = op->outputs[k];

			if (known[n])
				return nnmodel_refuse(
					v->model, g, op, n, v->err, "output %u: operand %u %s", k,
					n,
					g->operands[n].lifetime == NNMODEL_TEMPORARY_VARIABLE ||
							g->operands[n].lifetime ==
								NNMODEL_SUBGRAPH_OUTPUT
						? "is written twice"
						: "cannot be written");
			known[n] = 1;
		}
	}
	for (i = 0; i < g->num_operands; i++)
		if (!known[i])
			return refuse(v, graph, NONE, i, "operand %u is never written", i);
	return 0;
}

static int validate_subgraph(struct validation *v, const struct nnmodel_subgraph *g)
{
	const uint32_t graph = subgraph_number(v->model, g);
	uint8_t *flags;
	uint32_t i;
	int ret = 0;

	if (!g->num_operands || !g->operands)
		return refuse(v, graph, NONE, NONE, "subgraph %u has no operands", graph);
	if (!g->num_operations || !g->operations)
		return refuse(v, graph, NONE, NONE, "subgraph %u has no operations", graph);
	for (i = 0; !ret && i < g->num_operands; i++)
		ret = validate_operand(v, graph, i, &g->operands[i]);
	for (i = 0; !ret && i < g->num_operations; i++)
		ret = validate_operation(v, g, i);
	if (ret)
		return ret;
	flags = malloc(g->num_operands);
	if (!flags)
		return out_of_memory(v);
	ret = validate_list(v, g, g->inputs, g->num_inputs, NNMODEL_SUBGRAPH_INPUT, "input", flags);
	if (!ret)
		ret = validate_list(v, g, g->outputs, g->num_outputs, NNMODEL_SUBGRAPH_OUTPUT,
				    "output", flags);
	if (!ret)
		ret = validate_order(v, g, flags);
	free(flags);
	return ret;
}

int nnmodel_validate_extensions(const struct nnmodel *model)
{
	struct validation v = { .model = model };

	return validate_extensions(&v);
}

static int model_validate(const struct nnmodel *model, uint32_t *feature_level,
			  struct nnmodel_error *err)
{
	struct validation v = { .model = model, .feature_level = 1, .err = err };
	uint32_t i;
	int ret;

	ret = validate_pools(&v);
	if (!ret)
		ret = validate_extensions(&v);
	if (!ret)
		ret = validate_no_cycles(&v);
	for (i = 0; !ret && i < model->num_referenced; i++)
		ret = validate_subgraph(&v, &model->referenced[i]);
	if (!ret)
		ret = validate_subgraph(&v, &model->main);
	if (!ret && feature_level)
		*feature_level = v.feature_level;
	return ret;
}

int nnmodel_validate(const struct nnmodel *model, uint32_t *feature_level,
		     struct nnmodel_error *err)
{
	struct nnmodel_error own = NNMODEL_ERROR_INIT;
	const struct nnmodel *known;
	struct nnmodel older;
	int ret;

	known = nnmodel_known(model, &older);
	if (known) {
		ret = model_validate(known, feature_level, err ? &own : NULL);
	} else {
		own.operation = own.operand = NONE;
		nnmodel_sized_explain(&nnmodel_sized_model, model, own.text, sizeof(own.text));
		ret = -EINVAL;
	}
	if (err && !nnmodel_sized_put(&nnmodel_sized_error, err, &own))
		ret = -EINVAL;
	return ret;
}
