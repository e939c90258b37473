/* SPDX-License-Identifier: Apache-2.0 */
/* One execution of a program: arguments, frames, shapes, control flow, times, the result. */
#ifndef NNACCEL_CORE_RUN_H
#define NNACCEL_CORE_RUN_H

#include <fenv.h>

#include "core.h"
#include "core_program.h"
#include "nnprog_desc.h"
#include "nnprog_format.h"
#include "nntrace.h"

/* The run of a job: the state of its program; and why it failed: job_error.c. */

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
	struct op_time *times; /* of the program's first operations: op_times.c */
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

/* frame.c: frames: the subgraphs that run. */

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

/*
 * op_times.c: times of the operations of a run, for a client whose result memory has room for them.
 */

/** Sums over all times that an operation ran, but for the work, which is that of the last time. */
struct op_time {
	uint64_t times, ns; /* 0 times: it did not run */
	uint64_t macs, elements, bytes;
	uint32_t subgraph, operation, opcode, dtype;
};

/** Entries for a run of @program: as many as the result memory of @job has room for. */
uint32_t nnfw_op_times_room(const struct job *job, const struct program *program);
/** The operation at the frame's pc has run, in @ns. */
void nnfw_op_times_add(struct run *run, const struct frame *frame, const struct nnfw_op_ctx *ctx,
		       uint64_t ns);
/** Number of operations that ran. */
uint32_t nnfw_op_times_count(const struct run *run);
/** Write the entry of each to @to, which the client can change. */
void nnfw_op_times_write(const struct run *run, struct nnaccel_op_time *to);

/* bind.c: arguments of a run. */

/**
 * Check shapes and sizes of the arguments against the program. Accesses no client memory.
 */
uint32_t nnfw_bind_check(struct run *run);
uint32_t nnfw_bind_inputs(struct run *run);
/** Called when all shapes that can be known before the run are inferred. */
uint32_t nnfw_bind_outputs(struct run *run);
/** Memory for an output tensor whose shape is complete. */
uint32_t nnfw_bind_output(struct run *run, uint32_t tensor);
/** Copy staged outputs to client memory. */
uint32_t nnfw_bind_write(struct run *run);
void nnfw_bind_release(struct run *run, bool commit);

/*
 * fixed_operands.c: programs whose shapes and memory are all fixed: the operands of every operation
 * are laid out once and stay in the bookkeeping of an arena. The next run of the program on that
 * arena only puts the addresses of its arguments in.
 */

/** Operands of such a program, of all its operations; 0: @program is none. */
uint32_t nnfw_operands_count(const struct program *program);
/** Number the operands, when the program is loaded. 0 or -ENOMEM. */
int nnfw_operands_plan(struct program *program);
/** Bytes that nnfw_operands_plan() allocates. */
uint64_t nnfw_operands_bytes(const struct program *program);
/** Whether the job's arguments allow it: none is omitted. */
bool nnfw_operands_fit(const struct program *program, const struct job *job);
/** Lay them out in run->placed; the tensors of the run's main are in place. */
void nnfw_operands_place(struct run *run);
/** The arguments are bound: put their addresses in. */
void nnfw_operands_bind(struct run *run);

/* shapes.c: shapes that are known only in a run. */

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

/* discard.c: giving back the memory of weights that operations have packed, and no run reads. */

/**
 * nnfw_program_discard() - after a program was loaded
 * @p: READY, with a reference of the caller
 *
 * A program that lies in the client's memory cannot be loaded again afterwards, so it is kept: it
 * is dropped when the client unloads it, and not for another program. Such programs have at most
 * half of the quota; others keep their weights, and can be dropped.
 */
void nnfw_program_discard(struct nnfw *fw, struct program *p);

/*
 * The floating-point state of a thread. Operations compute with the default one: rounding to
 * nearest, subnormal numbers as they are, no traps. An application's threads may have another, and
 * threads inherit it from their creators.
 */

struct nnfw_float_state {
#ifdef __SSE2__
	unsigned int mxcsr;
#else
	fenv_t env;
#endif
};

static inline void nnfw_float_save(struct nnfw_float_state *state)
{
#ifdef __SSE2__
	state->mxcsr = __builtin_ia32_stmxcsr();
#else
	fegetenv(&state->env);
#endif
}

static inline void nnfw_float_restore(const struct nnfw_float_state *state)
{
#ifdef __SSE2__
	__builtin_ia32_ldmxcsr(state->mxcsr);
#else
	fesetenv(&state->env);
#endif
}

static inline void nnfw_float_default(void)
{
#ifdef __SSE2__
	/* all exceptions masked, the rest 0; fesetenv() leaves flush-to-zero as it is in some
	 * libraries */
	__builtin_ia32_ldmxcsr(0x1f80);
#else
	fesetenv(FE_DFL_ENV);
#endif
}

/* interp.c: the interpreter. */

enum run_step { RUN_DONE, RUN_YIELD };

/** Run until the end, or until others should go first. */
enum run_step nnfw_run_step(struct run *run, uint32_t *status);

/* interp_control_flow.c: IF and WHILE. */

/** Begin the IF or WHILE that is next in the innermost frame. */
uint32_t nnfw_control_enter(struct run *run);
/** The innermost frame, which is not main, has come to its end: go on in the loop, or after it. */
uint32_t nnfw_control_leave(struct run *run);

#endif
