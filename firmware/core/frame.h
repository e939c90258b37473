/* SPDX-License-Identifier: Apache-2.0 */
/* Frames: the subgraphs that run. */
#ifndef NNFW_FRAME_H
#define NNFW_FRAME_H

#include "nnprog_format.h"
#include "job_run.h"

/** One input of a WHILE, from iteration to iteration. */
struct loop_value {
	struct nnfw_tensor tensor;
	/* memory in the arena: of the value, unless it is the operation's input; of the previous
	 * value; of the value that the body writes. NULL if its room is 0 */
	void *data, *spare, *next;
	uint64_t room, spare_room, next_room;
};

struct loop {
	uint64_t block; /* bytes of the block in the arena */
	uint64_t until_ns; /* end of this or an enclosing loop's limit, the earlier one */
	struct loop_value *values;
	uint32_t num_values;
	_Alignas(NNPROG_ALIGN) uint8_t go_on; /* output of the condition */
	struct frame condition, body;
};

/** The IF or WHILE that runs @frame, which is not main. */
static inline const struct program_op *nnfw_frame_caller(const struct frame *frame)
{
	return &frame->parent->graph->ops[frame->parent->pc];
}

/** Tensors as at the start of the subgraph, static temporaries in place. */
uint32_t nnfw_frame_reset(struct run *run, struct frame *frame);
/** Memory for a tensor that an operation writes; its shape is complete. */
uint32_t nnfw_frame_output(struct run *run, struct frame *frame, uint32_t tensor);
/** After operation @o: give back temporaries that nothing reads any more. */
void nnfw_frame_release_dead(struct run *run, struct frame *frame, const struct program_op *o);

#endif
