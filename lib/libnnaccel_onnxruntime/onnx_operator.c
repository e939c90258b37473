// SPDX-License-Identifier: Apache-2.0
#include "onnx_graph.h"

#include <string.h>

const struct onnx_operator *onnx_operator_find(const struct onnx_node *n)
{
	static const struct onnx_operator *const tables[] = {
		onnx_window_operators, onnx_matrix_operators, onnx_element_operators,
		onnx_formula_operators, onnx_shape_operators
	};

	for (size_t i = 0; n->standard && i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct onnx_operator *o = tables[i]; o->name; o++)
			if (!strcmp(o->name, n->op))
				return o;
	return NULL;
}
