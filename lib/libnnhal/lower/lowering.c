// SPDX-License-Identifier: Apache-2.0
/* The state of one lowering. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "nnhal_lowering.h"
#include "nnprog_builder.h"
#include "nnprog_format.h"

int lower_init(struct lower *l, const struct nnmodel *model, const struct nnmodel_maps *maps,
	       const struct lower_graphs *graphs, const struct nnhal_opset *opset, bool dry,
	       struct nnmodel_error *err)
{
	*l = (struct lower){
		.model = model,
		.maps = maps,
		.graphs = graphs,
		.opset = opset,
		.err = err,
		.dry = dry,
	};
	l->builder = nnprog_builder_create();
	if (!l->builder)
		return -ENOMEM;
	if (model->relaxed)
		nnprog_builder_flags(l->builder, NNPROG_FLAG_RELAXED);
	return 0;
}

int lower_begin_graph(struct lower *l, const struct nnmodel_subgraph *g, const char *name)
{
	uint32_t i, k;

	free(l->operands);
	free(l->plans);
	l->graph = g;
	l->op = NULL;
	l->to_nhwc = l->to_nchw = l->omitted = LOWER_NONE;
	l->operands = calloc(g->num_operands + 1ul, sizeof(*l->operands));
	l->plans = calloc(g->num_operations + 1ul, sizeof(*l->plans));
	if (!l->operands || !l->plans || nnprog_builder_subgraph(l->builder, name) < 0)
		return -ENOMEM;
	for (i = 0; i < g->num_operands; i++)
		l->operands[i] = (struct lower_operand){ .tensor = LOWER_NONE, .nhwc = LOWER_NONE };
	for (i = 0; i < g->num_operations; i++) {
		l->plans[i] = (struct lower_plan){
			.input = LOWER_NONE,
			.output = LOWER_NONE,
			.also = LOWER_NONE,
		};
		for (k = 0; k < g->operations[i].num_inputs; k++)
			l->operands[g->operations[i].inputs[k]].readers++;
	}
	return 0;
}

void lower_fini(struct lower *l)
{
	nnprog_builder_destroy(l->builder);
	free(l->operands);
	free(l->plans);
	*l = (struct lower){ 0 };
}

static int vrefuse(struct lower *l, int ret, uint32_t operand, const char *fmt, va_list ap)
{
	struct nnmodel_error *err = l->err;
	int n = 0;

	if (!err)
		return ret;
	err->subgraph =
		l->graph == &l->model->main ? 0 : 1 + (uint32_t)(l->graph - l->model->referenced);
	err->operation = l->op ? (uint32_t)(l->op - l->graph->operations) : UINT32_MAX;
	err->operand = operand;
	if (l->op)
		n = snprintf(err->text, sizeof(err->text), "operation %u %s: ", err->operation,
			     nnmodel_operation_name(l->op->type));
	if (n >= 0 && (size_t)n < sizeof(err->text))
		vsnprintf(err->text + n, sizeof(err->text) - (size_t)n, fmt, ap);
	return ret;
}

int lower_refuse(struct lower *l, uint32_t operand, const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = vrefuse(l, -EOPNOTSUPP, operand, fmt, ap);
	va_end(ap);
	return ret;
}

int lower_contradict(struct lower *l, uint32_t operand, const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = vrefuse(l, -EINVAL, operand, fmt, ap);
	va_end(ap);
	return ret;
}
