/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes of an ONNX graph as a model of NNAPI.
 *
 * A DequantizeLinear makes no operation by itself: it is a view of its 8-bit input. An operator
 * whose inputs are such views, and whose result goes to a QuantizeLinear only, becomes one
 * quantized operation. Everywhere else the views are dequantized, and the operator computes in
 * float32.
 */
#ifndef TRANSLATE_H
#define TRANSLATE_H

#include "translation.h"

/**
 * Translate the nodes of @graph with @in. The outputs are all values that others need. 0, or -errno
 * with the reason, and *@refused, the place of the node that is refused; UINT32_MAX: none in
 * particular. translation_clear() whatever the outcome.
 */
int onnx_translate(const struct onnx_graph *graph, const bool *in, struct translation *result,
		   uint32_t *refused, struct delegate_reason *reason);
void translation_clear(struct translation *translation);

#endif
