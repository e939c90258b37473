/* SPDX-License-Identifier: Apache-2.0 */
/* How libnnmodel refuses: the reason in the caller's struct nnmodel_error. Private to libnnmodel.
 */
#ifndef NNMODEL_MODEL_ERROR_H
#define NNMODEL_MODEL_ERROR_H

#include "nnmodel.h"

/** The number of @graph in messages: 0 is main. */
uint32_t nnmodel_subgraph_number(const struct nnmodel *model, const struct nnmodel_subgraph *graph);

/**
 * Fill @err for an operation of @graph: the text begins with the operation's number and name.
 * @operand UINT32_MAX: none in particular. Returns -EINVAL.
 */
int nnmodel_refuse(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
		   const struct nnmodel_operation *op, uint32_t operand, struct nnmodel_error *err,
		   const char *fmt, ...) __attribute__((format(printf, 6, 7)));

#endif
