// SPDX-License-Identifier: Apache-2.0
#include "onnx_graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- rules ---- */

static const struct onnx_value *node_input(const struct onnx_graph *g, const struct onnx_node *n,
					   uint32_t i)
{
	return i < n->num_inputs && n->inputs[i] != ONNX_NONE ? &g->values[n->inputs[i]] : NULL;
}

static int64_t value_dim(const struct onnx_value *v, int64_t i)
{
	return v && i >= 0 && i < v->rank ? v->dims[i] : -1;
}

static void value_set(struct onnx_value *y, int64_t i, int64_t size)
{
	if (i >= 0 && i < y->rank && y->dims[i] < 0 && size > 0)
		y->dims[i] = size;
}

/* Of two dimensions that broadcast; one that is not known is 1, or the other one. */
static int64_t shapes_broadcast(int64_t a, int64_t b)
{
	if (a == 1)
		return b;
	if (b == 1)
		return a;
	return a > b ? a : b;
}

static void rule_same(const struct onnx_graph *g, const struct onnx_node *n, struct onnx_value *y)
{
	const struct onnx_value *x = node_input(g, n, 0);

	for (uint32_t i = 0; x && x->rank == y->rank && i < y->rank; i++)
		value_set(y, i, x->dims[i]);
}

/* Images, of which a batch is open. */
static void rule_first(const struct onnx_graph *g, const struct onnx_node *n, struct onnx_value *y)
{
	value_set(y, 0, value_dim(node_input(g, n, 0), 0));
}

/* Dimensions before the last @last ones. */
static void set_broadcast(const struct onnx_graph *g, const struct onnx_node *n,
			  struct onnx_value *y, uint32_t last)
{
	for (uint32_t i = 0; i + last < y->rank; i++) {
		int64_t size = 1;

		for (uint32_t j = 0; j < n->num_inputs; j++) {
			const struct onnx_value *x = node_input(g, n, j);
			int64_t at = x ? (int64_t)x->rank - y->rank + i : -1;

			if (at >= 0)
				size = shapes_broadcast(size, value_dim(x, at));
		}
		value_set(y, i, size);
	}
}

static void rule_broadcast(const struct onnx_graph *g, const struct onnx_node *n,
			   struct onnx_value *y)
{
	set_broadcast(g, n, y, 0);
}

static void rule_matmul(const struct onnx_graph *g, const struct onnx_node *n, struct onnx_value *y)
{
	const struct onnx_value *a = node_input(g, n, 0), *b = node_input(g, n, 1);

	if (!a || !b || a->rank < 2 || b->rank < 2)
		return;
	set_broadcast(g, n, y, 2);
	value_set(y, (int64_t)y->rank - 2, a->dims[a->rank - 2]);
	value_set(y, (int64_t)y->rank - 1, b->dims[b->rank - 1]);
}

static void rule_gemm(const struct onnx_graph *g, const struct onnx_node *n, struct onnx_value *y)
{
	value_set(y, 0, value_dim(node_input(g, n, 0), onnx_int(n, "transA", 0) != 0));
	value_set(y, 1, value_dim(node_input(g, n, 1), onnx_int(n, "transB", 0) == 0));
}

static void rule_transpose(const struct onnx_graph *g, const struct onnx_node *n,
			   struct onnx_value *y)
{
	const struct onnx_value *x = node_input(g, n, 0);
	int64_t order[2 * ONNX_MAX_RANK];
	int count = onnx_ints(n, "perm", order);

	if (!x || x->rank != y->rank || (count != -1 && count != (int)y->rank))
		return;
	for (uint32_t i = 0; i < y->rank; i++)
		value_set(y, i, value_dim(x, count == -1 ? y->rank - 1 - i : order[i]));
}

static void rule_concat(const struct onnx_graph *g, const struct onnx_node *n, struct onnx_value *y)
{
	int axis = onnx_axis(onnx_int(n, "axis", 0), y->rank);
	int64_t sum = 0;

	for (uint32_t j = 0; j < n->num_inputs; j++) {
		const struct onnx_value *x = node_input(g, n, j);
		int64_t size = value_dim(x, axis);

		sum = size < 0 || sum < 0 || __builtin_add_overflow(sum, size, &sum) ? -1 : sum;
		for (uint32_t i = 0; i < y->rank; i++)
			if ((int)i != axis)
				value_set(y, i, value_dim(x, i));
	}
	value_set(y, axis, sum);
}

/* Of one dimension that is not known, by the number of elements. */
static void rule_elements(const struct onnx_graph *g, const struct onnx_node *n,
			  struct onnx_value *y)
{
	const struct onnx_value *x = node_input(g, n, 0);
	uint64_t known = 1;
	int64_t open = -1;

	for (uint32_t i = 0; i < y->rank; i++) {
		if (y->dims[i] < 0 && open >= 0)
			return;
		if (y->dims[i] < 0)
			open = i;
		else if (__builtin_mul_overflow(known, (uint64_t)y->dims[i], &known))
			return;
	}
	if (x && x->fixed && known && x->elements % known == 0)
		value_set(y, open, (int64_t)(x->elements / known));
}

static void rule_gather(const struct onnx_graph *g, const struct onnx_node *n, struct onnx_value *y)
{
	const struct onnx_value *x = node_input(g, n, 0), *places = node_input(g, n, 1);
	int axis = x ? onnx_axis(onnx_int(n, "axis", 0), x->rank) : -1;

	if (axis < 0 || !places || y->rank != x->rank - 1 + places->rank)
		return;
	for (uint32_t i = 0; i < x->rank; i++)
		value_set(y, i < (uint32_t)axis ? i : i + places->rank - 1,
			  i == (uint32_t)axis ? -1 : x->dims[i]);
	for (uint32_t i = 0; i < places->rank; i++)
		value_set(y, (int64_t)axis + i, places->dims[i]);
}

/* All but the axis. */
static void rule_split(const struct onnx_graph *g, const struct onnx_node *n, struct onnx_value *y)
{
	const struct onnx_value *x = node_input(g, n, 0);
	int axis = onnx_axis(onnx_int(n, "axis", 0), y->rank);

	for (uint32_t i = 0; x && x->rank == y->rank && i < y->rank; i++)
		if ((int)i != axis)
			value_set(y, i, x->dims[i]);
}

static void (*const rules[])(const struct onnx_graph *g, const struct onnx_node *n,
			     struct onnx_value *y) = {
	[ONNX_SHAPE_SAME] = rule_same,		 [ONNX_SHAPE_FIRST] = rule_first,
	[ONNX_SHAPE_BROADCAST] = rule_broadcast, [ONNX_SHAPE_MATMUL] = rule_matmul,
	[ONNX_SHAPE_GEMM] = rule_gemm,		 [ONNX_SHAPE_TRANSPOSE] = rule_transpose,
	[ONNX_SHAPE_CONCAT] = rule_concat,	 [ONNX_SHAPE_ELEMENTS] = rule_elements,
	[ONNX_SHAPE_GATHER] = rule_gather,	 [ONNX_SHAPE_SPLIT] = rule_split,
};

static void node_apply_rule(const struct onnx_graph *g, const struct onnx_node *n,
			    struct onnx_value *y)
{
	const struct onnx_operator *row = onnx_operator_find(n);
	enum onnx_shape shape = row			? row->shape
				: onnx_is_conversion(n) ? ONNX_SHAPE_SAME
							: ONNX_SHAPE_NONE;

	if (shape)
		rules[shape](g, n, y);
}

/* ---- names ---- */

/* Two inputs of one name and different sizes: the name says nothing about others. */
static void names_bind(struct onnx_graph *g, const struct onnx_value *v, const int64_t *dims)
{
	for (uint32_t i = 0; i < v->rank; i++) {
		int64_t *size = v->names[i] ? &g->dim_sizes[v->names[i] - 1] : NULL;

		if (size && dims[i] > 0)
			*size = !*size || *size == dims[i] ? dims[i] : -1;
	}
}

static void names_complete(const struct onnx_graph *g, struct onnx_value *v)
{
	for (uint32_t i = 0; i < v->rank; i++)
		if (v->names[i])
			value_set(v, i, g->dim_sizes[v->names[i] - 1]);
}

/* ---- graphs ---- */

static void value_reset(struct onnx_value *v)
{
	memcpy(v->dims, v->shown, sizeof(v->dims));
	onnx_value_measure(v);
}

static void node_complete(struct onnx_graph *g, const struct onnx_node *n)
{
	for (uint32_t i = 0; i < n->num_outputs; i++) {
		struct onnx_value *y = n->outputs[i] == ONNX_NONE ? NULL
								  : &g->values[n->outputs[i]];

		if (!y || y->fixed)
			continue;
		node_apply_rule(g, n, y);
		names_complete(g, y);
		onnx_value_measure(y);
	}
}

void onnx_shapes_reset(struct onnx_graph *g)
{
	for (uint32_t i = 0; i < g->num_values; i++)
		value_reset(&g->values[i]);
	memset(g->dim_sizes, 0, sizeof(g->dim_sizes));
}

void onnx_shapes_set(struct onnx_graph *g, int number, const int64_t *dims)
{
	struct onnx_value *v = &g->values[number];

	memcpy(v->dims, dims, v->rank * sizeof(*dims));
	onnx_value_measure(v);
	names_bind(g, v, dims);
}

void onnx_shapes_complete(struct onnx_graph *g)
{
	for (uint32_t i = 0; i < g->num_nodes; i++)
		node_complete(g, &g->nodes[i]);
}

/* Small, and different: two dimensions that must be one are not taken for it by chance. */
static int64_t chosen_size(uint32_t number)
{
	static const int64_t primes[] = { 2, 3, 5, 7, 11, 13, 17, 19, 23, 29 };
	const uint32_t count = sizeof(primes) / sizeof(primes[0]);

	return number < count ? primes[number] : 31 + 2 * (int64_t)(number - count);
}

void onnx_shapes_choose(struct onnx_graph *g)
{
	uint32_t chosen = 0;

	for (uint32_t i = 0; i < g->num_values; i++) {
		struct onnx_value *v = &g->values[i];

		if (v->producer != ONNX_NONE || v->data)
			continue;
		for (uint32_t j = 0; j < v->rank; j++) {
			int64_t *size = v->names[j] ? &g->dim_sizes[v->names[j] - 1] : NULL;

			if (v->dims[j] >= 0)
				continue;
			v->dims[j] = size && *size ? *size : chosen_size(chosen++);
			if (size)
				*size = v->dims[j];
		}
		onnx_value_measure(v);
	}
	onnx_shapes_complete(g);
}

/* Inputs of @n that other nodes than those @in make. */
static void bind_inputs(struct onnx_graph *g, const struct onnx_node *n, const bool *in)
{
	for (uint32_t i = 0; i < n->num_inputs; i++) {
		const struct onnx_value *x = node_input(g, n, i);

		if (x && (x->producer == ONNX_NONE || !in[x->producer]))
			names_bind(g, x, x->dims);
	}
}

int onnx_shapes_follow(const struct onnx_graph *graph, const bool *in, uint32_t *node)
{
	struct onnx_graph g = *graph;

	g.values = malloc((g.num_values + 1) * sizeof(*g.values));
	if (!g.values)
		return -ENOMEM;
	memcpy(g.values, graph->values, g.num_values * sizeof(*g.values));
	memset(g.dim_sizes, 0, sizeof(g.dim_sizes));
	for (uint32_t i = 0; i < g.num_nodes; i++)
		for (uint32_t j = 0; in[i] && j < g.nodes[i].num_outputs; j++)
			if (g.nodes[i].outputs[j] != ONNX_NONE)
				value_reset(&g.values[g.nodes[i].outputs[j]]);
	for (uint32_t i = 0; i < g.num_nodes; i++)
		if (in[i])
			bind_inputs(&g, &g.nodes[i], in);
	for (*node = 0; *node < g.num_nodes; ++*node) {
		const struct onnx_node *n = &g.nodes[*node];
		bool same = true;

		if (!in[*node])
			continue;
		node_complete(&g, n);
		for (uint32_t j = 0; j < n->num_outputs; j++)
			same &= n->outputs[j] == ONNX_NONE ||
				!memcmp(g.values[n->outputs[j]].dims,
					graph->values[n->outputs[j]].dims, sizeof(g.values->dims));
		if (!same)
			break;
	}
	free(g.values);
	return *node < g.num_nodes;
}
