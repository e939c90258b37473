/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the recurrent operations in floats. */
#ifndef NNFW_RECURRENT_H
#define NNFW_RECURRENT_H

#include "f32_gemm/f32_gemm.h"
#include "kernels/kernel.h"

#define NNFW_RECURRENT_MAX_OPERANDS 30u

#define NNFW_RECURRENT_MAX_GROUPS 4u

/** Vectors of the length of the weights, input @weight, [U,I], in input 0: steps of all batches. */
static inline uint64_t nnfw_recurrent_vectors(const struct nnfw_op_ctx *ctx, uint32_t weight)
{
	const struct nnfw_tensor *w = &ctx->in[weight];

	return w->rank == 2 && w->dims[1] ? ctx->in[0].elements / w->dims[1] : 0;
}

/** Multiply-adds of @vectors that each read the weights of inputs @first to @end - 1 once. */
static inline uint64_t nnfw_recurrent_macs(const struct nnfw_op_ctx *ctx, uint32_t first,
					   uint32_t end, uint64_t vectors)
{
	uint64_t sum = 0;

	for (uint32_t i = first; i < end && i < ctx->num_in; i++)
		if (!ctx->in[i].omitted)
			sum += ctx->in[i].elements;
	return sum * vectors;
}

/** NNAPI's codes: 0 none, 1 relu, 2 relu1, 3 relu6, 4 tanh, 6 sigmoid. 0 or -ECANCELED. */
int nnfw_recurrent_activate(struct nnfw_work *work, float *x, size_t n, uint32_t code);

/**
 * An input or output of a sequence: [batch, time, n], [time, batch, n] with time_major, or [batch,
 * n] for one step. Step t of it begins at element t * step, its rows lie row apart.
 */
struct nnfw_sequence {
	size_t batch, time, n;
	size_t step, row;
};

struct nnfw_sequence nnfw_sequence_of(const struct nnfw_tensor *t, bool time_major);

/**
 * to[step][batch] = the inputs of steps [@first, @first + @steps), last step first when @reverse,
 * times @w, on the threads there are. Results of a step lie to->ld * s->batch floats apart. 0 or
 * -ECANCELED.
 */
int nnfw_recurrent_inputs(const struct nnfw_op_ctx *ctx, const struct nnfw_sequence *s,
			  const float *x, size_t first, size_t steps, bool reverse,
			  const struct nnfw_f32_weights *w, const struct nnfw_f32_result *to);

/** Steps whose inputs are worth one product. */
static inline size_t nnfw_recurrent_steps(const struct nnfw_sequence *s)
{
	size_t steps = 64 / (s->batch + 1) + 1;

	return steps < s->time ? steps : s->time;
}

/** Weights that are packed side by side: operands [units, n] of one n; omitted ones are left out.
 */
struct nnfw_recurrent_group {
	uint32_t count;
	uint32_t operands[4];
};

/** An operation's operands as float32. */
struct nnfw_recurrent_operands {
	const float *op[NNFW_RECURRENT_MAX_OPERANDS]; /* NULL: omitted, or in a group */
	struct nnfw_f32_weights group[NNFW_RECURRENT_MAX_GROUPS]; /* n is 0: all are omitted */
};

/** nnfw_op.load: packs constant weights, makes other constants float32. free() releases it. */
int nnfw_recurrent_load(const struct nnfw_op_ctx *ctx, const struct nnfw_recurrent_group *groups,
			uint32_t num_groups, void **state, size_t *size);
/** Scratch memory of nnfw_recurrent_operands(). */
size_t nnfw_recurrent_operands_size(const struct nnfw_op_ctx *ctx,
				    const struct nnfw_recurrent_group *groups, uint32_t num_groups);
/** Tensors that the state lacks are made at *@next. 0 or -ECANCELED. */
int nnfw_recurrent_operands(const struct nnfw_op_ctx *ctx,
			    const struct nnfw_recurrent_group *groups, uint32_t num_groups,
			    struct nnfw_recurrent_operands *operands, uint8_t **next);

#endif
