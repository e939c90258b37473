/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes that are known only in a run. */
#ifndef NNFW_SHAPES_H
#define NNFW_SHAPES_H

#include "nnprog_desc.h"
#include "job_run.h"

/** Infer shapes that are known before any operation runs. */
uint32_t nnfw_shapes_infer_all(struct run *run);
/** Infer the output shapes of operation @n. @running: its inputs are computed, so all shapes must
 * be complete except those that only run() knows. Leaves the operands of the rule in run->shapes.
 */
uint32_t nnfw_shapes_infer(struct run *run, struct frame *frame, uint32_t n, bool running);
/** Check that operation @n may run with its inputs that have no elements. */
uint32_t nnfw_check_empty(struct run *run, const struct frame *frame, uint32_t n);
/** Whether the output shapes of operation @n are already inferred. */
static inline bool nnfw_shapes_resolved(const struct frame *frame, uint32_t n)
{
	return (frame->graph->ops[n].fixed_shapes && !frame->omitted) ||
	       (frame->resolved && frame->resolved[n]);
}
/** Whether only run() knows the extents of output @i. */
static inline bool nnfw_run_shape(const struct nnprog_op_desc *desc, uint32_t i)
{
	return i < 32 && desc->run_shapes & 1u << i;
}

#endif
