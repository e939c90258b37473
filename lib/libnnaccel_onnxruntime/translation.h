/* SPDX-License-Identifier: Apache-2.0 */
/* The result of onnx_translate(). */
#ifndef TRANSLATION_H
#define TRANSLATION_H

#include "delegate_reason.h"
#include "nnmodel.h"
#include "onnx_graph.h"
#include "value_file.h"

struct translation {
	struct nnmodel *model;
	struct nnmodel_value_file file; /* of @model */
	int *inputs, *outputs; /* of each argument of @model: a value of the graph */
	uint32_t num_inputs, num_outputs;
	uint32_t *origins; /* of each operation: a node's place */
};

#endif
