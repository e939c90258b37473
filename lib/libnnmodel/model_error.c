// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "nnmodel_common.h"

uint32_t nnmodel_subgraph_number(const struct nnmodel *model, const struct nnmodel_subgraph *graph)
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
	err->subgraph = nnmodel_subgraph_number(model, graph);
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
