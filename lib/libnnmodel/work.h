/* SPDX-License-Identifier: Apache-2.0 */
/* Multiply-adds of operations, for the rows' columns. Private to libnnmodel. */
#ifndef NNMODEL_WORK_H
#define NNMODEL_WORK_H

#include "nnmodel.h"

double nnmodel_work_conv(const struct nnmodel_subgraph *graph, const struct nnmodel_operation *op);
double nnmodel_work_depthwise(const struct nnmodel_subgraph *graph,
			      const struct nnmodel_operation *op);
double nnmodel_work_transpose_conv(const struct nnmodel_subgraph *graph,
				   const struct nnmodel_operation *op);
double nnmodel_work_fully_connected(const struct nnmodel_subgraph *graph,
				    const struct nnmodel_operation *op);
double nnmodel_work_matmul(const struct nnmodel_subgraph *graph,
			   const struct nnmodel_operation *op);
double nnmodel_work_recurrent(const struct nnmodel_subgraph *graph,
			      const struct nnmodel_operation *op);

#endif
