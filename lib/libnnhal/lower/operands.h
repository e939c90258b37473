/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensors of the program for operands of the model. A family reads its NNAPI operation through
 * these functions and those of params.h, and emits device operations; it does not touch the
 * builder. Functions return as those of lowering.h.
 */
#ifndef NNHAL_LOWER_OPERANDS_H
#define NNHAL_LOWER_OPERANDS_H

#include "emit.h"

/** Input @i, which may have no use, is not omitted. */
int lower_given(struct lower *l, uint32_t i);
/** Tensor of input @i. An omitted operand is refused, or with _opt gives an OMITTED tensor. */
int lower_in(struct lower *l, uint32_t i, uint32_t *tensor);
int lower_in_opt(struct lower *l, uint32_t i, uint32_t *tensor);
/**
 * As lower_in_opt(), with the quantization that the operand declares, whatever it was computed
 * with.
 */
int lower_in_declared(struct lower *l, uint32_t i, uint32_t *tensor);
/** [N,H,W,C] form of input @i. */
int lower_in_image(struct lower *l, uint32_t i, bool nchw, uint32_t *tensor);

/**
 * Tensor of output @i. Its quantization: as declared; the one given; that of tensor @like. What is
 * computed must be what a model output declares, and overrules what a temporary declares.
 */
int lower_out(struct lower *l, uint32_t i, uint32_t *tensor);
int lower_out_quant(struct lower *l, uint32_t i, float scale, int32_t zero_point, uint32_t *tensor);
int lower_out_like(struct lower *l, uint32_t i, uint32_t like, uint32_t *tensor);
/** The same for an image; @like LOWER_NONE: as declared. */
int lower_out_image(struct lower *l, uint32_t i, bool nchw, uint32_t like, uint32_t *tensor);
/** Output @i, coordinates of boxes: as declared for floats, steps of 1/8 from 0 for 16 bits. */
int lower_out_boxes(struct lower *l, uint32_t i, uint32_t *tensor);

/** All inputs of the subgraph, in order; after the operations, its lists. */
int lower_inputs(struct lower *l);
int lower_end_graph(struct lower *l);

#endif
