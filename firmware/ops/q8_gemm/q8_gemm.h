/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of 8-bit tensors for the operations: weights with everything that depends on constants,
 * and convolutions of an image with them.
 */
#ifndef NNFW_Q8_GEMM_H
#define NNFW_Q8_GEMM_H

#include "isa/isa.h"
#include "kernels/conv_geometry.h"
#include "nnfw_op.h"
#include "q8_gemm/q8_gemm_kernels.h"

/** The kernels for an operation. */
static inline const struct nnfw_q8_gemm_kernels *nnfw_q8_kernels(const struct nnfw_op_ctx *ctx)
{
	return NNFW_KERNELS_OF(ctx->isa ? ctx->isa : nnfw_isa(), q8_gemm);
}

/**
 * The right side of a convolution: its shape, and where its codes lie. Columns in runs are the
 * output channels again and again, and a bias is not added to their terms.
 */
struct nnfw_q8_shape {
	size_t columns; /* of a group */
	size_t groups; /* one after the other in codes and in the output's channels */
	struct nnfw_q8_depth depth;
	size_t column, element, run, run_stride; /* as nnfw_q8_codes */
};

/** Packed weights: made by load() when they are constant, else in scratch by each run. */
struct nnfw_q8_weights {
	struct nnfw_q8_shape shape;
	struct nnfw_requant rule;
	bool is_signed, tame;
	/* the zero points of both sides as their codes are multiplied */
	int32_t left_zero, right_zero;
	uint8_t left_flip; /* what makes the input's codes those of the left side */
	bool with_bias; /* the terms are complete: the bias is constant, or there is none */
	size_t pitch; /* columns of a group, padded */
	size_t piece_size; /* bytes of packed weights of a piece (nnfw_q8_piece) and group */
	const int32_t *column_terms; /* [groups][pitch] */
	const float *multipliers; /* [groups][pitch] */
	const uint8_t *packed; /* [groups][pieces][piece_size] */
};

/** The shape of CONV_2D's filter, [out_c][h][w][depth]. */
struct nnfw_q8_shape nnfw_q8_conv_shape(const struct nnfw_tensor *filter, size_t groups);
/** DEPTHWISE_CONV_2D of one input channel: a convolution whose filter is [1][h][w][out_c]. */
struct nnfw_q8_shape nnfw_q8_single_channel_shape(const struct nnfw_tensor *filter);

/**
 * The product of in[0], [rows][depth], and in[1], [columns][depth] in whatever order its codes lie,
 * into out[0]: a convolution of an image of one row, with a pixel for each row.
 */
struct nnfw_conv_geometry nnfw_q8_matrix_geometry(const struct nnfw_op_ctx *ctx);

/** Bytes of nnfw_q8_weights.column_terms. */
size_t nnfw_q8_terms_size(const struct nnfw_q8_shape *shape);
size_t nnfw_q8_weights_size(const struct nnfw_q8_shape *shape);
/**
 * Pack in[1] of @ctx (in: input, filter, bias or none) into @mem of that size; @activation is the
 * fused one. *@weights points there. 0 or -ECANCELED.
 */
int nnfw_q8_weights_pack(const struct nnfw_op_ctx *ctx, const struct nnfw_q8_shape *shape,
			 uint32_t activation, void *mem, const struct nnfw_q8_weights **weights);

/** What an operation is as a convolution. */
struct nnfw_q8_conv {
	struct nnfw_q8_shape shape;
	uint32_t activation; /* the fused one */
	/** Called only when the shapes of input and output are known. */
	struct nnfw_conv_geometry (*geometry)(const struct nnfw_op_ctx *ctx);
};

/*
 * The operation's load(), with a constant filter, scratch() and run(). ctx->state is what
 * nnfw_q8_conv_load() made, or NULL. The output of run() has elements.
 */
int nnfw_q8_conv_load(const struct nnfw_op_ctx *ctx, const struct nnfw_q8_conv *conv, void **state,
		      size_t *size);
size_t nnfw_q8_conv_scratch(const struct nnfw_op_ctx *ctx, const struct nnfw_q8_conv *conv);
int nnfw_q8_conv_run(struct nnfw_op_ctx *ctx, const struct nnfw_q8_conv *conv);

/* ---- pieces: rows that are too long for one product are cut, so that there are ticks ---- */

struct nnfw_q8_piece {
	size_t segment, offset; /* of its first element */
	struct nnfw_q8_depth depth;
};

size_t nnfw_q8_pieces(struct nnfw_q8_depth depth);
struct nnfw_q8_piece nnfw_q8_piece(struct nnfw_q8_depth depth, size_t i);

#endif
