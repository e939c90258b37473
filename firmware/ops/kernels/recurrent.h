/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the recurrent operations in floats. */
#ifndef NNFW_RECURRENT_H
#define NNFW_RECURRENT_H

#include "kernels/kernel.h"

#define NNFW_RECURRENT_MAX_OPERANDS 30u

float nnfw_sigmoid(float x);

/** NNAPI's codes: 0 none, 1 relu, 2 relu1, 3 relu6, 4 tanh, 6 sigmoid. 0 or -ECANCELED. */
int nnfw_recurrent_activate(struct nnfw_progress *progress, float *x, size_t n, uint32_t code);

/** c[batch, n] = keep * c + a[batch, k] * w[n, k]^T; rows of @a lie @lda apart. 0 or -ECANCELED. */
int nnfw_recurrent_product(struct nnfw_progress *progress, size_t batch, size_t n, size_t k,
			   const float *a, size_t lda, const float *w, float *c, float keep);

/** x[batch, n] += row[n]. 0 or -ECANCELED. */
int nnfw_recurrent_add_row(struct nnfw_work *work, float *x, size_t batch, size_t n,
			   const float *row);

/**
 * An input or output of a sequence: [batch, time, n], [time, batch, n] with time_major, or [batch,
 * n] for one step. Step t of it begins at element t * step, its rows lie row apart.
 */
struct nnfw_sequence {
	size_t batch, time, n;
	size_t step, row;
};

struct nnfw_sequence nnfw_sequence_of(const struct nnfw_tensor *t, bool time_major);

/** nnfw_op.load: float16 constants as float32. free() releases the state. */
int nnfw_recurrent_load(const struct nnfw_op_ctx *ctx, void **state, size_t *size);
/** Scratch memory of nnfw_recurrent_operands(). */
size_t nnfw_recurrent_operands_size(const struct nnfw_op_ctx *ctx);
/**
 * op[i] = input i as float32, NULL when omitted; from the state, or converted at *@next. 0 or
 * -ECANCELED.
 */
int nnfw_recurrent_operands(const struct nnfw_op_ctx *ctx, const float **op, uint8_t **next);

#endif
