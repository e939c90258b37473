/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that the descriptors (in ops/) share. The caller of a descriptor has checked the number of
 * operands, which ones may be omitted, the size of the attributes, the type of input 0 and that
 * none is INT64; check_attrs() has passed before infer() is called. Private to libnnprog.
 */
#ifndef NNPROG_RULES_H
#define NNPROG_RULES_H

#include "nnprog_desc.h"
#include "refuse.h"

#define TYPE(t) (1u << NNPROG_##t)
#define TYPES_FLOAT (TYPE(FLOAT32) | TYPE(FLOAT16))
#define TYPES_QUANT8 (TYPE(UINT8) | TYPE(INT8))
#define TYPES_ALL ((1u << NNPROG_DTYPE_COUNT) - 1)

/** UINT8, INT8: arithmetic operations take them with a scale only. */
bool nnprog_is_quant8(uint32_t dtype);
bool nnprog_same_quant(const struct nnprog_operand *a, const struct nnprog_operand *b);

/** Quantized per tensor with a usable scale. 0 or -EINVAL. */
int nnprog_need_scale(const struct nnprog_operand *op, const char *what, struct nnprog_error *err);
/** Output type equal to the input's. 0 or -EINVAL. */
int nnprog_need_type(const struct nnprog_operand *op, uint32_t dtype, const char *what,
		     struct nnprog_error *err);
/** Output of the input's type and, for 8 bits, quantization: what moves data. 0 or -EINVAL. */
int nnprog_need_same(const struct nnprog_operand *in, const struct nnprog_operand *out,
		     struct nnprog_error *err);
/** 8-bit @in can be given in steps of @out; other types pass. 0 or -EINVAL. */
int nnprog_need_requant(const struct nnprog_operand *in, const struct nnprog_operand *out,
			const char *what, struct nnprog_error *err);
/** A vector of @n elements when both are known; *@n is filled in when it was not. 0 or -EINVAL. */
int nnprog_need_vector(const struct nnprog_operand *op, uint32_t *n, const char *what,
		       struct nnprog_error *err);
/** A value input is INT32. 0 or -EINVAL. */
int nnprog_need_values(const struct nnprog_operand *op, const char *what, struct nnprog_error *err);
/** Rank known to differ is refused. 0 or -EINVAL. */
int nnprog_need_rank(const struct nnprog_operand *op, uint32_t rank, const char *what,
		     struct nnprog_error *err);

static inline bool nnprog_rank_known(const struct nnprog_operand *op)
{
	return op->shape.rank != NNPROG_RANK_UNKNOWN;
}

static inline bool nnprog_dim_known(uint32_t dim)
{
	return dim != NNPROG_DIM_UNKNOWN;
}

/** Dimension @i, unknown when the rank is. @i is below the rank that nnprog_need_rank() saw. */
static inline uint32_t nnprog_dim(const struct nnprog_operand *op, uint32_t i)
{
	return nnprog_rank_known(op) ? op->shape.dims[i] : NNPROG_DIM_UNKNOWN;
}

/** Both known and different. */
static inline bool nnprog_dims_differ(uint32_t a, uint32_t b)
{
	return nnprog_dim_known(a) && nnprog_dim_known(b) && a != b;
}

/** Unknown rank, or @rank unknown dims. */
struct nnprog_shape nnprog_unknown_shape(uint32_t rank);

/** When @shape is complete: its bytes are within the limits. 0 or -EOVERFLOW. */
int nnprog_check_size(const struct nnprog_shape *shape, uint32_t dtype, struct nnprog_error *err);

/** [-rank, rank) -> [0, rank). 0 or -EINVAL. */
int nnprog_resolve_axis(int32_t axis, uint32_t rank, uint32_t *out, struct nnprog_error *err);

/** The multiplier of the requantization rule is a positive finite float. 0 or -EINVAL. */
int nnprog_check_multiplier(double multiplier, struct nnprog_error *err);

int nnprog_check_activation(uint32_t activation, struct nnprog_error *err);
int nnprog_no_attrs(const void *attrs, struct nnprog_error *err);

/** Checks that do not depend on where an operation is stored; used by builder and verifier. */
int nnprog_check_operation(const struct nnprog_op_desc *desc, const struct nnprog_operand *in,
			   uint32_t num_in, const struct nnprog_operand *out, uint32_t num_out,
			   struct nnprog_error *err);

#endif
