/* SPDX-License-Identifier: Apache-2.0 */
/* The run of a job: its program at work. */
#ifndef NNFW_JOB_RUN_H
#define NNFW_JOB_RUN_H

#include "nnprog_desc.h"
#include "core.h"
#include "program.h"

/** An argument of a run. */
struct run_arg {
	struct nnfw_map map;
	uint32_t tensor;
	bool mapped;
	bool staged; /* the tensor lies in private memory, not in the map */
	bool insufficient; /* output: its buffer is too small */
	struct nnprog_shape given; /* output: what the argument says of its shape */
};

struct loop;

/**
 * A subgraph that runs. Frames nest as IF and WHILE do: the operation at the pc of the parent is
 * the one that runs this frame. A frame lies in the arena, in the block of its IF or WHILE; main's
 * in its run.
 */
struct frame {
	const struct program_graph *graph;
	struct frame *parent; /* NULL: main */
	struct loop *loop; /* condition or body of this one */
	struct nnfw_tensor *tensors;
	uint8_t *resolved; /* main: by operation: its shapes have been inferred; else NULL */
	char *fixed; /* static temporaries */
	void *scratch; /* for operations with fixed shapes */
	uint64_t block; /* bytes in the arena that an IF's frame lies in */
	uint32_t pc; /* next operation */
	bool omitted; /* some input is not given */
};

/** A job that has its program. Lies in the bookkeeping of its arena. */
struct run {
	struct nnfw *fw;
	struct queue *queue;
	struct job *job;
	struct program *program;
	struct arena *arena;
	struct run_arg *args; /* inputs, then outputs */
	struct frame main;
	struct frame *frame; /* the innermost */
	struct nnfw_tensor *operands; /* of the operation that runs */
	struct nnprog_operand *shapes; /* the same, as shape rules see them */
	uint64_t bounds[32]; /* of it: private bytes of outputs whose shapes only run() knows */
	bool insufficient; /* some output is too small: run on for the shapes only */
	bool stepped; /* an operation has run since the queue got its turn */
	uint64_t bytes_direct, bytes_bounced;
};

/** Describe why operation @operation of @frame failed; returns @status. */
uint32_t nnfw_fail_at(struct run *run, const struct frame *frame, uint32_t operation,
		      uint32_t status, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/** No room for @size bytes of a run. Status of the job. */
uint32_t nnfw_no_memory(struct run *run, uint64_t size);
/**
 * Copy @n bytes that do not overlap, with ticks. OK, or the status of a job that was told to
 * end.
 */
uint32_t nnfw_run_copy(struct run *run, void *to, const void *from, size_t n);

#endif
