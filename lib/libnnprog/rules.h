/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of operations: descriptors, forms of operands, multiply-adds. */
#ifndef NNACCEL_RULES_H
#define NNACCEL_RULES_H

#include "nnprog_opcode.h"
#include "nnprog_desc.h"
#include "verify.h"

/*
 * rules.c: checks that the descriptors (in ops/) share. The caller of a descriptor has checked the
 * number of operands, which ones may be omitted, the size of the attributes, the type of input 0
 * and that none is INT64; check_attrs() has passed before infer() is called.
 */

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

/** By opcode; made by ops/generate.py. */
extern const struct nnprog_op_desc *const nnprog_descriptors[NNPROG_OP_COUNT];

/*
 * Operations of multiply-adds: input, filter (or weights) and bias are their inputs 0 to 2.
 */

/** Types of their input 0. */
#define TYPES_MAC (TYPES_FLOAT | TYPES_QUANT8)

/**
 * Types and quantization of a convolution's input, filter, bias and output. 0 or
 * -EINVAL.
 */
int nnprog_check_mac(const struct nnprog_operand *in, const struct nnprog_operand *out,
		     uint32_t channel_dim, struct nnprog_error *err);
/** Ranks 4, 4 and 1 of those. 0 or -EINVAL. */
int nnprog_check_mac_ranks(const struct nnprog_operand *in, struct nnprog_error *err);
/** Output channels from filter and bias, which may not differ. 0 or -EINVAL. */
int nnprog_mac_channels(uint32_t from_filter, const struct nnprog_operand *bias, uint32_t *channels,
			struct nnprog_error *err);

/*
 * match.c: operations whose operands share extents: a pattern has one character a dimension, a
 * letter for an extent that is the same at each place of the letter, a digit for that extent.
 */

/** What is known of the extents A..Z; NNPROG_DIM_UNKNOWN: nothing yet. */
struct nnprog_extents {
	uint32_t of[26];
};

void nnprog_extents_init(struct nnprog_extents *e);

static inline uint32_t *nnprog_extent(struct nnprog_extents *e, char letter)
{
	return &e->of[letter - 'A'];
}

/** Learn that extent @letter is @dim (which may be unknown). 0 or -EINVAL. */
int nnprog_learn(struct nnprog_extents *e, char letter, uint32_t dim, const char *what,
		 struct nnprog_error *err);

/** Rank and extents of @op, which is not omitted, match @pattern. 0 or -EINVAL. */
int nnprog_match(const struct nnprog_operand *op, const char *pattern, struct nnprog_extents *e,
		 const char *what, struct nnprog_error *err);

/** The same, and the type. */
int nnprog_match_type(const struct nnprog_operand *op, uint32_t dtype, const char *pattern,
		      struct nnprog_extents *e, const char *what, struct nnprog_error *err);

/** None of the extents named in @letters is known to be 0. 0 or -EINVAL. */
int nnprog_nonzero(const struct nnprog_extents *e, const char *letters, struct nnprog_error *err);

/** @a * @b where both are known. 0 or -EOVERFLOW. */
int nnprog_product(uint32_t a, uint32_t b, uint32_t *product, struct nnprog_error *err);

/** The shape that @pattern gives. */
struct nnprog_shape nnprog_pattern(struct nnprog_extents *e, const char *pattern);

/**
 * Pattern of a sequence: B batch, T time (not with @rank 2), and @letter. Into @text, which it
 * returns.
 */
static inline const char *nnprog_sequence_pattern(char text[4], uint32_t rank, uint32_t time_major,
						  char letter)
{
	const bool step = rank == 2;

	text[0] = step || !time_major ? 'B' : 'T';
	text[1] = step ? letter : time_major ? 'B' : 'T';
	text[2] = step ? 0 : letter;
	text[3] = 0;
	return text;
}

/**
 * Presence of inputs that are given or omitted together. A run may give or omit a model input: its
 * rule is checked again in each run, and here only as far as the other operands decide it.
 */
enum nnprog_presence {
	NNPROG_ABSENT,
	NNPROG_GIVEN,
	NNPROG_OPEN, /* decided by each run */
};
/**
 * Presence of the inputs in @mask. When one is omitted, the open ones are too. 0, or -EINVAL when
 * another one is given in any case.
 */
int nnprog_group(struct nnprog_operand *in, uint32_t mask, const char *what,
		 enum nnprog_presence *presence, struct nnprog_error *err);
/**
 * Input @i is given exactly when both groups are; when it is open it counts as omitted. 0 or
 * -EINVAL.
 */
int nnprog_need_both(struct nnprog_operand *in, uint32_t i, enum nnprog_presence a,
		     enum nnprog_presence b, const char *what, struct nnprog_error *err);
/** Input @i is given only with those of a group. 0 or -EINVAL. */
int nnprog_need_with(struct nnprog_operand *in, uint32_t i, enum nnprog_presence other,
		     const char *what, struct nnprog_error *err);

/**
 * @settled gets the @count operands of @in. A model input that a run may omit, and whose declared
 * rank is not that of its pattern, is omitted there: [0] is a usual declaration of an input that is
 * never given. A run that gives it is refused. @optional: bit i for input i. An empty pattern
 * stands for a sequence, with the rank of input 0.
 */
void nnprog_settle(struct nnprog_operand *settled, const struct nnprog_operand *in, uint32_t count,
		   uint32_t optional, const char *const *patterns);

/**
 * Input and auxiliary input of a recurrent cell: the letters of their last extents, where I is that
 * of the weights and A that of the auxiliary weights. While a run may omit one of the deciding
 * operands, a letter may stand for an extent of its own. See NNPROG_OP_SEQUENCE_LSTM for the rule.
 */
struct nnprog_link {
	char input, aux;
};
struct nnprog_link nnprog_link_aux(const struct nnprog_operand *aux, enum nnprog_presence weights,
				   bool reverse);

/**
 * Coordinates of boxes: the float type, or UINT16 in steps of 1/8 from 0 beside 8 bits. 0 or
 * -EINVAL.
 */
int nnprog_need_coordinates(const struct nnprog_operand *op, uint32_t type, const char *what,
			    struct nnprog_error *err);

#endif
