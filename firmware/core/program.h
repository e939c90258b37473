/* SPDX-License-Identifier: Apache-2.0 */
/* A loaded program. */
#ifndef NNFW_PROGRAM_H
#define NNFW_PROGRAM_H

#include <sys/queue.h>

#include "nnprog_verify.h"
#include "job_error.h"
#include "nnfw_op.h"

struct queue;

/** One operation, ready to run. */
struct program_op {
	const struct nnfw_op *op;
	const struct nnprog_op_desc *desc;
	const void *attrs;
	const uint32_t *in, *out;
	uint32_t num_in, num_out;
	bool control; /* IF or WHILE */
	uint32_t graphs[2]; /* then and else, or condition and body */
	void *state; /* made by op->load */
	uint32_t unread; /* bits of constant inputs that runs with the state do not read */
	size_t scratch; /* bytes, with fixed_shapes */
	bool fixed_shapes; /* shapes of outputs follow from the program alone */
	uint32_t first_operand; /* in run.placed */
	uint32_t first_dead, num_dead; /* range of dead: temporaries to free after this operation */
};

/** An operand of an operation that is an argument: fixed_operands.h. */
struct operand_use {
	uint32_t operand, tensor;
};

/** A subgraph, ready to run. */
struct program_graph {
	const struct nnprog_subgraph *sg;
	const struct nnprog_tensor *declared;
	const uint32_t *inputs, *outputs; /* tensor numbers */
	struct nnfw_tensor *tensors; /* initial state: only constants have data */
	uint32_t *position; /* index of an OUTPUT in the list of outputs */
	uint8_t *staged; /* per tensor: as an argument it must be in private memory */
	uint32_t *dead;
	struct program_op *ops;
	bool fixed_shapes; /* of every operation */
	uint64_t scratch; /* maximum over operations with fixed shapes */
	uint32_t num_placed, num_uses; /* main, if everything is fixed: its operands */
	struct operand_use *uses;
};

enum program_state { PROGRAM_LOADING, PROGRAM_READY, PROGRAM_BAD };

/** A loaded program: constant after loading, shared by all workers. */
struct program {
	TAILQ_ENTRY(program) entry;
	/* under nnfw.lock */
	uint32_t context;
	uint64_t addr, size, generation;
	enum program_state state;
	uint32_t refs;
	bool cached; /* in nnfw.programs; else freed with its last reference */
	bool kept; /* the client's memory has no longer what was loaded: not evicted */
	struct queue *loader; /* while LOADING: the queue that loads it */
	uint64_t bytes; /* counted against the quota */

	/* written while LOADING by the one queue that loads */
	struct job_error error;
	struct nnfw_map map; /* of the client's memory, if @in_place */
	bool in_place;
	const void *image; /* what was verified: there, or a private copy */
	struct nnprog prog;
	const struct nnprog_subgraph *main;
	uint64_t number; /* of all that were loaded */
	struct program_graph *graphs; /* by number: prog.num_subgraphs */
	uint32_t max_operands; /* maximum of any operation */
	bool far; /* nnfw_op_ctx.far */
	const struct nnfw_isa *isa; /* nnfw_op_ctx.isa */
};

/** A program that a job, or a request to load ahead, needs, and the answer. */
struct program_request {
	uint64_t addr, size, generation;
	struct job_error *error;
	struct program *program; /* with a reference; NULL: see the status, or @parked */
	bool parked; /* the job waits for another queue, and has its next turn then */
};

/** Free an unreferenced program. Not under the lock. */
void nnfw_program_free(struct nnfw *fw, struct program *p);

/** Free the contents of a program; the entry stays. Not under the lock. */
void nnfw_program_release(struct nnfw *fw, struct program *p);

#endif
