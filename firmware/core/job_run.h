/* SPDX-License-Identifier: Apache-2.0 */
/* The run of a job: the state of its program. */
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
	bool staged; /* the tensor is in private memory, not in the map */
	bool insufficient; /* output: its buffer is too small */
	struct nnprog_shape given; /* output: shape in the argument */
};

struct loop;
struct op_time;

/**
 * A running subgraph. Frames nest like IF and WHILE: the operation at the pc of the parent runs
 * this frame. A frame is in the arena, in the block of its IF or WHILE; that of main is in struct
 * run.
 */
struct frame {
	const struct program_graph *graph;
	struct frame *parent; /* NULL: main */
	struct loop *loop; /* loop of which this is condition or body */
	struct nnfw_tensor *tensors;
	uint8_t *resolved; /* main: per operation whether its shapes are inferred; otherwise NULL */
	char *fixed; /* static temporaries */
	void *scratch; /* for operations with fixed shapes */
	uint64_t block; /* IF: bytes of its block in the arena */
	uint32_t pc; /* next operation */
	bool omitted; /* some input is omitted */
};

/** A job whose program is loaded. It is in the bookkeeping of its arena. */
struct run {
	struct nnfw *fw;
	struct queue *queue;
	struct job *job;
	struct program *program;
	struct arena *arena;
	struct run_arg *args; /* inputs, then outputs */
	struct frame main;
	struct frame *frame; /* the innermost */
	struct nnfw_tensor *operands; /* of the running operation */
	struct nnfw_tensor *placed; /* of all operations, if they are fixed; otherwise NULL */
	struct nnprog_operand *shapes; /* the same, as shape rules see them */
	uint64_t bounds[32]; /* bytes of private memory of its outputs whose shapes only run() knows
			      */
	bool insufficient; /* an output buffer is too small: continue to learn the shapes */
	bool stepped; /* an operation has run in this turn */
	uint64_t bytes_direct, bytes_bounced;
	struct op_time *times; /* of the program's first operations: op_times.h */
	uint32_t num_times;
};

/** Describe why operation @operation of @frame failed; returns @status. */
uint32_t nnfw_fail_at(struct run *run, const struct frame *frame, uint32_t operation,
		      uint32_t status, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/** The status of a job when @size bytes cannot be allocated. */
uint32_t nnfw_no_memory(struct run *run, uint64_t size);
/**
 * Copy @n bytes that do not overlap, with ticks. OK, or the status of a job that was cancelled.
 */
uint32_t nnfw_run_copy(struct run *run, void *to, const void *from, size_t n);

#endif
