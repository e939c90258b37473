/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations whose operands share extents: a pattern has one character a dimension, a letter for an
 * extent that is the same wherever the letter stands, a digit for an extent of just that. Private
 * to libnnprog.
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

/** Rank and extents of @op, which is there, as @pattern says. 0 or -EINVAL. */
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
 * Whether inputs are there that come together or not at all. A model input is a run's to give or to
 * omit: its rule is judged again in each run, and here only as far as the other operands decide.
 */
enum nnprog_presence {
	NNPROG_ABSENT,
	NNPROG_GIVEN,
	NNPROG_OPEN, /* a run decides */
};
/**
 * Of the inputs in @mask; with one that is omitted the open ones are. 0, or -EINVAL where another
 * is there in any case.
 */
int nnprog_group(struct nnprog_operand *in, uint32_t mask, const char *what,
		 enum nnprog_presence *presence, struct nnprog_error *err);
/**
 * Input @i is there exactly when all of two groups are, or is omitted when it is open. 0 or
 * -EINVAL.
 */
int nnprog_need_both(struct nnprog_operand *in, uint32_t i, enum nnprog_presence a,
		     enum nnprog_presence b, const char *what, struct nnprog_error *err);
/** Input @i is there only with those of a group. 0 or -EINVAL. */
int nnprog_need_with(struct nnprog_operand *in, uint32_t i, enum nnprog_presence other,
		     const char *what, struct nnprog_error *err);

/**
 * @settled gets the @count operands of @in. A model input that a run may omit, and whose declared
 * rank is not that of its pattern, is omitted there: [0] is a usual way to declare what never
 * comes. A run that gives it is refused. @optional: bit i for input i. An empty pattern stands for
 * a sequence, with the rank of input 0.
 */
void nnprog_settle(struct nnprog_operand *settled, const struct nnprog_operand *in, uint32_t count,
		   uint32_t optional, const char *const *patterns);

/**
 * Input and auxiliary input of a recurrent cell: the letters of their last extents, where I is that
 * of the weights and A that of the auxiliary weights. While a run may still come without one of the
 * operands that decide it, a letter may be one of its own. See NNPROG_OP_SEQUENCE_LSTM for the
 * rule.
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
