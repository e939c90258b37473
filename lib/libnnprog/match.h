/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations whose operands share extents: a pattern has one character a dimension, a letter for an
 * extent that is the same at each place of the letter, a digit for that extent. Private to
 * libnnprog.
 */
#ifndef NNPROG_MATCH_H
#define NNPROG_MATCH_H

#include "nnprog_desc.h"
#include "rules.h"

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
