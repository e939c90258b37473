/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an operation is to the interpreter (firmware/core): one struct nnfw_op per device operation,
 * found by opcode in nnfw_op_table[] (nnfw_ops.h). Operations do not allocate in a run, keep no
 * global state, and may be run by several threads at once on different jobs.
 */
#ifndef NNFW_OP_H
#define NNFW_OP_H

#include "nnprog_desc.h"

/** A tensor with its memory. Shapes are complete. Data is 64-byte aligned except arguments, which
 * may be aligned to their element only. */
struct nnfw_tensor {
	uint32_t dtype;
	bool omitted; /* nothing else is valid */
	bool constant; /* the contents are the program's: what load() made of them stays valid */
	uint32_t rank;
	uint32_t dims[NNPROG_MAX_RANK];
	uint64_t elements;
	size_t size; /* bytes */
	float scale;
	int32_t zero_point;
	const float *scales;
	uint32_t num_scales, channel_dim;
	void *data;
};

/** The progress of an operation. */
struct nnfw_progress {
	/** 0, or -ECANCELED: the operation ends at once and returns it. */
	int (*tick)(struct nnfw_progress *progress);
};

/**
 * Called by long operations at least every millisecond (after each output row, or several if rows
 * are short): progress for the host's watchdog, the moment at which other jobs may run, and whether
 * this one should stop. 0, or -ECANCELED: return it at once. @progress NULL: 0.
 */
static inline __attribute__((warn_unused_result)) int
nnfw_progress_tick(struct nnfw_progress *progress)
{
	return progress ? progress->tick(progress) : 0;
}

/** Units [@first, @end) of an operation's work. 0 or what run() may return. */
typedef int nnfw_units_fn(void *arg, uint32_t slot, size_t first, size_t end,
			  struct nnfw_progress *progress);

/** Threads that an operation may share its work with. */
struct nnfw_crew {
	/**
	 * Call @fn for pieces of [0, @units), of at least @grain units each but for the last, on
	 * any of the threads; a @slot below nnfw_op_ctx.slots is one thread's during a call.
	 * Returns when all have returned: 0 or the first error, after which no more pieces begin.
	 */
	int (*split)(struct nnfw_crew *crew, size_t units, size_t grain, nnfw_units_fn *fn,
		     void *arg);
};

/** One operation about to run, or to be loaded. */
struct nnfw_op_ctx {
	const struct nnprog_op_desc *desc;
	const void *attrs;
	const struct nnfw_tensor *in;
	uint32_t num_in;
	struct nnfw_tensor *out; /* shapes set, memory there */
	uint32_t num_out;
	bool relaxed;
	/** Data that load() prepared for this operation, or NULL, also of constant inputs. */
	const void *state;
	/** The states of the program do not stay in the second-level cache from run to run. */
	bool far;
	/** The instruction set of 8-bit products; NULL: the process's. The same in load() and
	 * run(). */
	const struct nnfw_isa *isa;
	/** As many bytes as scratch() returned, 64-byte aligned, contents undefined. */
	void *scratch;
	struct nnfw_progress *progress;
	/** Threads for nnfw_split(); NULL: this one alone. */
	struct nnfw_crew *crew;
	/** Pieces of work that may run at once, also in scratch(); 0 counts as 1. */
	uint32_t slots;
	/**
	 * In load(): whether @bytes of state may be allocated; called once, before the allocation.
	 * NULL: yes. 0 or -ENOMEM, which load() returns: then runs have no state.
	 */
	int (*reserve)(void *loading, size_t bytes);
	void *loading;
	/**
	 * In load(): where to set the bits of inputs that are constant, and whose contents no run
	 * with this state reads (nnfw_leave_unread()): their memory is given back. NULL: it is not.
	 */
	uint32_t *unread;
	/** Filled when run() fails with -EINVAL. */
	char error[96];
};

/**
 * Do @units of work, which do not depend on each other and give the same bits in any division, on
 * the threads there are. @grain: units that are worth handing to a thread that is awake (some 2
 * us); more units in a call may cost less, but no call of more is promised. There is a tick before
 * each, if there are several. @fn does not split, and does not write to ctx->error.
 */
static inline int nnfw_split(const struct nnfw_op_ctx *ctx, size_t units, size_t grain,
			     nnfw_units_fn *fn, void *arg)
{
	if (!ctx->crew || units <= grain)
		return fn(arg, 0, 0, units, ctx->progress);
	return ctx->crew->split(ctx->crew, units, grain, fn, arg);
}

/** In load(), with a state: no run reads the constant input @i. */
static inline void nnfw_leave_unread(const struct nnfw_op_ctx *ctx, uint32_t i)
{
	if (ctx->unread)
		*ctx->unread |= 1u << i;
}

/** Number of slots: memory that each thread needs for itself is for so many. */
static inline uint32_t nnfw_slots(const struct nnfw_op_ctx *ctx)
{
	return ctx->slots ? ctx->slots : 1;
}

struct nnfw_op {
	uint32_t opcode;
	/** Data types of input 0 that run() takes; a subset of the descriptor's. */
	uint32_t types;
	/** Its products of 8 bits are worth another instruction set (nnfw_op_ctx.isa). */
	bool products;
	/** Optional: multiply-adds that no kernel can avoid; shapes are complete. */
	uint64_t (*macs)(const struct nnfw_op_ctx *ctx);
	/**
	 * Optional. Once per loaded program, when shapes that matter are static: precompute (packed
	 * weights, requantization tables). in[i].data is NULL for what is not constant; shapes may
	 * be incomplete (rank NNPROG_RANK_UNKNOWN or dims NNPROG_DIM_UNKNOWN). *@state is
	 * malloc'ed, *@size its bytes, which ctx->reserve() has allowed; nnfw_split() may fill it.
	 * 0, -ENOMEM, -ECANCELED; no state (NULL, 0) is fine.
	 */
	int (*load)(const struct nnfw_op_ctx *ctx, void **state, size_t *size);
	void (*unload)(void *state);
	/** Optional: bytes of scratch for these shapes; without a state, for what it has as well.
	 */
	size_t (*scratch)(const struct nnfw_op_ctx *ctx);
	/**
	 * Run. Shapes, types and attributes have passed the descriptor's infer(), and inputs have
	 * elements but where nnprog_empty_rule() says RUNS; contents of inputs are not checked:
	 * run() checks indices and the like. 0, -EINVAL with ctx->error, -ECANCELED, -ENOMEM. An
	 * output of the descriptor's run_shapes comes with the shape and memory of bound(); run()
	 * sets its dims to what it has written, contiguous from the start of that memory. NULL: IF
	 * and WHILE, which are the interpreter's.
	 */
	int (*run)(struct nnfw_op_ctx *ctx);
};

/**
 * An operation of a vendor extension, with its descriptor: libnnprog knows no extensions.
 * desc.opcode and op.opcode are NNPROG_OP_EXTENSION, attributes begin with struct
 * nnprog_attr_extension.
 */
struct nnfw_extension_op {
	uint32_t operation; /* the number within the extension */
	struct nnprog_op_desc desc;
	struct nnfw_op op;
};

/** A file each, ops/extension_<name>/extension_<name>_kernel.c, and a line in nnfw_ops.c. */
struct nnfw_extension {
	const char *name; /* at most 31 characters: it is an entry of the operation set */
	const struct nnfw_extension_op *ops;
	uint32_t num_ops;
};
#endif
