/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: loading, the cache and its limits, memory of their tensors. */
#ifndef NNACCEL_CORE_PROGRAM_H
#define NNACCEL_CORE_PROGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "core.h"
#include "nnfw_op.h"
#include "nnprog_format.h"
#include "nnprog_shape.h"
#include "nnprog_verify.h"
#include "nnutil_align.h"

/* arena.c: memory of runs. */

struct nnfw;

/** Bytes that an allocation of @size takes in an arena. */
static inline uint64_t nnfw_arena_align(uint64_t size)
{
	return nnutil_align_up(size, NNPROG_ALIGN);
}

/** A range of bytes of an arena. */
struct span {
	char *ptr;
	size_t size;
};

/**
 * Memory of one run: bookkeeping, the program's static temporaries and what is allocated while it
 * runs. Kept between runs, so that its pages stay warm.
 */
struct arena {
	struct arena *next;
	struct span meta; /* bookkeeping, not counted */
	uint64_t placed; /* number of the program whose operands are in it (fixed_operands.c); or 0
			  */
	struct span *chunks; /* [0] begins with the static temporaries */
	struct span *free; /* by address, none adjacent */
	size_t num_chunks, max_chunks, num_free, max_free;
	uint64_t limit, used, peak;
};

/** An arena from the pool, or a new one. NULL: out of memory. */
struct arena *nnfw_arena_get(struct nnfw *fw);
/** @now: the time, for nnfw_arenas_age(). */
void nnfw_arena_put(struct nnfw *fw, struct arena *arena, uint64_t now);
/**
 * Free the arenas of the pool if none was given back for @idle_ns. Under the lock, which is dropped
 * meanwhile.
 */
void nnfw_arenas_age(struct nnfw *fw, uint64_t idle_ns);
void nnfw_arena_destroy(struct arena *arena);
/** Start a run: @meta bytes of bookkeeping and @fixed bytes at the start of the first chunk. 0, or
 * -ENOMEM, also beyond @limit. */
int nnfw_arena_begin(struct arena *arena, size_t meta, uint64_t fixed, uint64_t limit);
/** 64-byte aligned; NULL: beyond the limit, or no memory. @size 0 gives a valid pointer. */
void *nnfw_arena_alloc(struct arena *arena, uint64_t size);
void nnfw_arena_free(struct arena *arena, void *ptr, uint64_t size);
/** Shrink an allocation from @from to @to bytes. */
void nnfw_arena_shrink(struct arena *arena, void *ptr, uint64_t from, uint64_t to);

/* program.c: a loaded program. */

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

/** An operand of an operation that is an argument: fixed_operands.c. */
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

/*
 * The bytes of programs in the cache, and their references. All functions: under
 * the lock.
 */

/** Count @bytes for a program that is not idle, instead of what it had. */
void nnfw_program_charge_bytes(struct nnfw *fw, struct program *p, uint64_t bytes);
/** @p is about to be freed, which the caller does without the lock. */
void nnfw_program_uncharge(struct nnfw *fw, struct program *p);
/** Take a reference to a program of the cache. */
void nnfw_program_ref(struct nnfw *fw, struct program *p);
/** The last reference to a program of the cache is gone. */
void nnfw_program_idle(struct nnfw *fw, const struct program *p);
/** Out of the list, whatever its references. */
void nnfw_program_unlink(struct nnfw *fw, struct program *p);
/** Remove @p from the cache; it becomes garbage now, or is freed with its last reference. */
void nnfw_program_forget(struct nnfw *fw, struct program *p);

/* tensor_shape.c: shapes and sizes of tensors. */

bool nnfw_tensor_complete(const struct nnfw_tensor *t);
void nnfw_tensor_shape(const struct nnfw_tensor *t, struct nnprog_shape *shape);
void nnfw_tensor_set_shape(struct nnfw_tensor *t, const struct nnprog_shape *shape);
/** Set elements and size of a tensor from its shape. 0 or -EOVERFLOW. */
int nnfw_tensor_sizes(struct nnfw_tensor *t);
/**
 * Give @t the complete @shape, which must be one that @t allows. False: it is not, or is too large.
 */
bool nnfw_tensor_take_shape(struct nnfw_tensor *t, const struct nnprog_shape *shape);

/* program_cache.c: the program cache: loaded programs and their charges. */

/** Minimum charge of an entry, which limits the number of entries. */
#define NNFW_ENTRY_BYTES 65536u

void nnfw_program_put(struct nnfw *fw, struct program *p);
/** The loader of @ctx puts its program, or has none: NULL. */
void nnfw_cache_put_ahead(struct nnfw *fw, struct context *ctx, struct program *p);
/** Charge @bytes in all for a program that is being loaded; evicts idle ones. False: over the
 * quota. */
bool nnfw_program_charge(struct nnfw *fw, struct program *p, uint64_t bytes);
/** Free programs that were dropped under the lock. Without the lock. */
void nnfw_program_reap(struct nnfw *fw);
/** Drop the programs of a context; unless NULL, only that at *@addr. Under the lock. */
void nnfw_program_drop(struct nnfw *fw, uint32_t context, const uint64_t *addr);
/** The entry of the program at @addr, or NULL. Under the lock. */
struct program *nnfw_cache_find(struct nnfw *fw, uint32_t context, uint64_t addr);
/**
 * Before a job of @q takes @bytes: end a loading ahead if they do not fit beside it, and wait for
 * that. True: it waited, without the lock, and there may be another one. Under the lock.
 */
bool nnfw_cache_wait_ahead(struct nnfw *fw, const struct queue *q, uint64_t bytes);
/**
 * Add an entry of @bytes, which fit; the caller loads it, and has a reference. NULL: out of memory.
 * Under the lock.
 */
struct program *nnfw_cache_add(struct nnfw *fw, struct queue *q, const struct program_request *r,
			       uint64_t bytes);
/**
 * The loader of @p, which is READY, gives @bytes of its image back. False: it has to keep them,
 * because it would have to stay loaded, and such programs have half of the quota.
 */
bool nnfw_cache_discard(struct nnfw *fw, struct program *p, uint64_t bytes);

/** End loading: keep the program, its error, or nothing. @bytes: memory of the loaded program.
 * Returns the status; on OK the caller keeps the reference. */
uint32_t nnfw_cache_settle(struct nnfw *fw, struct program *p, uint32_t status, uint64_t bytes,
			   struct job_error *error);

/*
 * program_room.c: jobs whose program does not fit beside those in use wait for room, without an
 * engine. The rules are a table in Documentation/firmware.rst. All functions: under the lock.
 */

/** Whether @bytes more fit into the quota; drops idle programs for them, or none. */
bool nnfw_room_make(struct nnfw *fw, uint64_t bytes);
/** Whether a job of @q must not use or load a program now: an earlier job waits for its room. */
bool nnfw_room_yields(struct nnfw *fw, const struct queue *q);
/**
 * Let the first job of @q wait for @bytes; its turn must end. False: it may not, and ends without
 * its program. The caller frees what is dropped afterwards.
 */
bool nnfw_room_wait(struct nnfw *fw, struct queue *q, uint64_t bytes);
/**
 * @q has its turn: the room that it got is free again, for what the caller does under the lock. Its
 * bytes; 0: it had none.
 */
uint64_t nnfw_room_take(struct nnfw *fw, struct queue *q);
/** @q neither waits any more nor needs what it got. The caller frees what is dropped afterwards. */
void nnfw_room_leave(struct nnfw *fw, struct queue *q);
/** Room may be free: give it to jobs that wait. The caller frees what is dropped afterwards. */
void nnfw_room_changed(struct nnfw *fw);
/** End the waits that are over, and set when to look again. */
void nnfw_room_expire(struct nnfw *fw);

/* tensor_shape.c: how much an operation has to do, for profiles: what no kernel can avoid. */

struct op_work {
	uint64_t macs; /* multiply-adds; 0: it has none, or none are counted */
	uint64_t elements; /* of its outputs */
	uint64_t bytes; /* of inputs, weights and outputs, each once */
};

/** Of an operation that has run. */
struct op_work nnfw_op_work(const struct nnfw_op_ctx *ctx);

/* loader.c: programs for jobs that are due, and loading ahead of the first job. */

/**
 * Get a program with a reference, and load it if needed. Without the lock. OK, or the status that
 * the job ends with.
 */
uint32_t nnfw_program_get(struct nnfw *fw, struct queue *q, struct program_request *r);
/**
 * Serve one request of a context. The caller holds the context's loader. Called and returns with
 * the lock held, which is dropped meanwhile.
 */
void nnfw_load_ahead(struct nnfw *fw, struct context *ctx);
/** Drop the load requests of a context; unless NULL, those for *@addr only. Under the lock. */
void nnfw_loads_drop(struct context *ctx, const uint64_t *addr);

/* load.c: loading: turns bytes of a client into a program that can run. */

/**
 * Copy, verify and prepare @p. Without the lock. Status of a job; *@bytes: memory of the program.
 * *@wanted: of its entry, if NO_MEMORY is the quota's; else 0.
 */
uint32_t nnfw_load(struct nnfw *fw, struct program *p, struct queue_progress *progress,
		   uint64_t *bytes, uint64_t *wanted);

#endif
