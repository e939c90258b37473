// SPDX-License-Identifier: Apache-2.0
/* The subgraphs that a model uses, in the order of the program. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "nnhal_lowering.h"
#include "nnprog_format.h"

#define NONE UINT32_MAX

/* One walk over the SUBGRAPH operands that the operations of @g read. */
struct walk {
	const struct nnmodel *model;
	const struct nnmodel_subgraph *graph;
	uint32_t operation, input;
};

/* The next subgraph that is used, or NONE. */
static uint32_t next(struct walk *w)
{
	for (; w->operation < w->graph->num_operations; w->operation++, w->input = 0) {
		const struct nnmodel_operation *op = &w->graph->operations[w->operation];

		while (w->input < op->num_inputs) {
			const struct nnmodel_operand *o =
				&w->graph->operands[op->inputs[w->input++]];

			if (o->lifetime == NNMODEL_LIFETIME_SUBGRAPH &&
			    o->location.offset < w->model->num_referenced)
				return (uint32_t)o->location.offset;
		}
	}
	return NONE;
}

/* List the used subgraphs and count their users; @list has room for all. Returns their number. */
static uint32_t find_used(const struct nnmodel *m, uint32_t *list, uint32_t *users)
{
	uint32_t found = 0, done = 0, i;

	for (;;) {
		struct walk w = { .model = m,
				  .graph = done ? &m->referenced[list[done - 1]] : &m->main };

		while ((i = next(&w)) != NONE)
			if (!users[i]++)
				list[found++] = i;
		if (done == found)
			return found;
		done++;
	}
}

static int too_deep(struct nnmodel_error *err, uint32_t graph)
{
	if (err) {
		*err = (struct nnmodel_error){ .size = sizeof(*err),
					       .subgraph = graph,
					       .operation = UINT32_MAX,
					       .operand = UINT32_MAX };
		snprintf(err->text, sizeof(err->text), "subgraphs nest deeper than %u",
			 NNPROG_MAX_DEPTH);
	}
	return -EOPNOTSUPP;
}

/* Place each subgraph after all its users; the model has no cycles. */
static int graphs_place(struct lower_graphs *gs, const struct nnmodel *m, uint32_t *users,
			uint32_t *depth, struct nnmodel_error *err)
{
	uint32_t done, i;

	for (done = 0; done <= gs->num; done++) {
		const uint32_t from = done ? depth[gs->order[done - 1]] : 1;
		struct walk w = { .model = m,
				  .graph = done ? &m->referenced[gs->order[done - 1]] : &m->main };

		while ((i = next(&w)) != NONE) {
			if (depth[i] <= from)
				depth[i] = from + 1;
			if (depth[i] > NNPROG_MAX_DEPTH)
				return too_deep(err, 1 + i);
			if (--users[i])
				continue;
			gs->order[gs->num++] = i;
			gs->number[i] = gs->num;
		}
	}
	return 0;
}

int lower_graphs_init(struct lower_graphs *gs, const struct nnmodel *model,
		      struct nnmodel_error *err)
{
	const uint32_t n = model->num_referenced;
	uint32_t *list = calloc(n + 1ul, sizeof(*list)), *users = calloc(n + 1ul, sizeof(*users));
	uint32_t *depth = calloc(n + 1ul, sizeof(*depth)), found, i;
	int ret = -ENOMEM;

	*gs = (struct lower_graphs){ 0 };
	gs->order = calloc(n + 1ul, sizeof(*gs->order));
	gs->number = calloc(n + 1ul, sizeof(*gs->number));
	gs->refused = calloc(n + 1ul, sizeof(*gs->refused));
	if (list && users && depth && gs->order && gs->number && gs->refused) {
		for (i = 0; i < n; i++)
			gs->number[i] = NONE;
		found = find_used(model, list, users);
		ret = graphs_place(gs, model, users, depth, err);
		/* the rest has a cycle, which validation refuses */
		if (!ret && gs->num != found)
			ret = -EINVAL;
	}
	free(list);
	free(users);
	free(depth);
	return ret;
}

void lower_graphs_fini(struct lower_graphs *gs, const struct nnmodel *model)
{
	uint32_t i;

	for (i = 0; gs->refused && i < model->num_referenced; i++)
		free(gs->refused[i]);
	free(gs->refused);
	free(gs->number);
	free(gs->order);
	*gs = (struct lower_graphs){ 0 };
}
