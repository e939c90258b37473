/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open dimensions: the graph has no size for them, at most a name. A graph is judged with sizes
 * that are chosen here; a partition is compiled with those of a run's inputs. The other sizes
 * follow: by the operators' rules, else by names.
 */
#ifndef ONNX_SHAPES_H
#define ONNX_SHAPES_H

#include "onnx_graph.h"

/** Choose sizes for the open dimensions of the graph's inputs, one for each name, and complete. */
void onnx_shapes_choose(struct onnx_graph *graph);
/** Forget all sizes that the host has not shown. */
void onnx_shapes_reset(struct onnx_graph *graph);
/** Value @number has @dims. */
void onnx_shapes_set(struct onnx_graph *graph, int number, const int64_t *dims);
/** Complete the shapes of the nodes' outputs, as far as they follow. */
void onnx_shapes_complete(struct onnx_graph *graph);
/**
 * Whether the shapes of the nodes @in follow from those of the inputs of these nodes: 0; 1: those
 * of
 * *@node do not; -ENOMEM.
 */
int onnx_shapes_follow(const struct onnx_graph *graph, const bool *in, uint32_t *node);

#endif
