// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "rules.h"
#include "nnprog_desc.h"

void nnprog_extents_init(struct nnprog_extents *e)
{
	for (uint32_t i = 0; i < 26; i++)
		e->of[i] = NNPROG_DIM_UNKNOWN;
}

int nnprog_learn(struct nnprog_extents *e, char letter, uint32_t dim, const char *what,
		 struct nnprog_error *err)
{
	uint32_t *extent = nnprog_extent(e, letter);

	if (nnprog_dims_differ(dim, *extent))
		return nnprog_refuse(err, "%s: extent %u where %u is needed", what, dim, *extent);
	if (nnprog_dim_known(dim))
		*extent = dim;
	return 0;
}

int nnprog_match(const struct nnprog_operand *op, const char *pattern, struct nnprog_extents *e,
		 const char *what, struct nnprog_error *err)
{
	uint32_t rank = (uint32_t)strlen(pattern);
	int ret = nnprog_need_rank(op, rank, what, err);

	if (ret || !nnprog_rank_known(op))
		return ret;
	for (uint32_t i = 0; i < rank && !ret; i++) {
		uint32_t dim = op->shape.dims[i], digit = (uint32_t)(pattern[i] - '0');

		if (digit > 9)
			ret = nnprog_learn(e, pattern[i], dim, what, err);
		else if (nnprog_dims_differ(dim, digit))
			ret = nnprog_refuse(err, "%s: extent %u where %u is needed", what, dim,
					    digit);
	}
	return ret;
}

int nnprog_match_type(const struct nnprog_operand *op, uint32_t dtype, const char *pattern,
		      struct nnprog_extents *e, const char *what, struct nnprog_error *err)
{
	int ret = nnprog_need_type(op, dtype, what, err);

	return ret ? ret : nnprog_match(op, pattern, e, what, err);
}

int nnprog_nonzero(const struct nnprog_extents *e, const char *letters, struct nnprog_error *err)
{
	for (; *letters; letters++) {
		if (!e->of[*letters - 'A'])
			return nnprog_refuse(err, "an extent is 0");
	}
	return 0;
}

int nnprog_product(uint32_t a, uint32_t b, uint32_t *product, struct nnprog_error *err)
{
	*product = NNPROG_DIM_UNKNOWN;
	if (!nnprog_dim_known(a) || !nnprog_dim_known(b))
		return 0;
	if (__builtin_mul_overflow(a, b, product) || *product == NNPROG_DIM_UNKNOWN)
		return nnprog_too_large(err);
	return 0;
}

struct nnprog_shape nnprog_pattern(struct nnprog_extents *e, const char *pattern)
{
	struct nnprog_shape shape = { .rank = (uint32_t)strlen(pattern) };

	for (uint32_t i = 0; i < shape.rank; i++)
		shape.dims[i] = pattern[i] <= '9' ? (uint32_t)(pattern[i] - '0')
						  : *nnprog_extent(e, pattern[i]);
	return shape;
}

static enum nnprog_presence presence_of(const struct nnprog_operand *op)
{
	return op->omitted ? NNPROG_ABSENT : op->omittable ? NNPROG_OPEN : NNPROG_GIVEN;
}

int nnprog_group(struct nnprog_operand *in, uint32_t mask, const char *what,
		 enum nnprog_presence *presence, struct nnprog_error *err)
{
	*presence = NNPROG_OPEN;
	for (uint32_t i = 0; i < 32; i++) {
		enum nnprog_presence p = mask >> i & 1 ? presence_of(&in[i]) : NNPROG_OPEN;

		if (p == NNPROG_OPEN || p == *presence)
			continue;
		if (*presence != NNPROG_OPEN)
			return nnprog_refuse(err, "%s must be given or omitted together", what);
		*presence = p;
	}
	for (uint32_t i = 0; i < 32 && *presence == NNPROG_ABSENT; i++)
		if (mask >> i & 1)
			in[i].omitted = true;
	return 0;
}

int nnprog_need_both(struct nnprog_operand *in, uint32_t i, enum nnprog_presence a,
		     enum nnprog_presence b, const char *what, struct nnprog_error *err)
{
	const enum nnprog_presence p = presence_of(&in[i]);

	if (p == NNPROG_ABSENT && a == NNPROG_GIVEN && b == NNPROG_GIVEN)
		return nnprog_refuse(err, "%s are missing", what);
	if (a != NNPROG_ABSENT && b != NNPROG_ABSENT)
		return 0;
	if (p == NNPROG_GIVEN)
		return nnprog_refuse(err, "%s must be omitted", what);
	in[i].omitted = true;
	return 0;
}

int nnprog_need_with(struct nnprog_operand *in, uint32_t i, enum nnprog_presence other,
		     const char *what, struct nnprog_error *err)
{
	if (other != NNPROG_ABSENT)
		return 0;
	if (presence_of(&in[i]) == NNPROG_GIVEN)
		return nnprog_refuse(err, "%s", what);
	in[i].omitted = true;
	return 0;
}

void nnprog_settle(struct nnprog_operand *settled, const struct nnprog_operand *in, uint32_t count,
		   uint32_t optional, const char *const *patterns)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t rank = *patterns[i] ? (uint32_t)strlen(patterns[i]) : in[0].shape.rank;

		settled[i] = in[i];
		if (in[i].omittable && optional >> i & 1 && nnprog_rank_known(&in[i]) &&
		    rank != NNPROG_RANK_UNKNOWN && in[i].shape.rank != rank)
			settled[i].omitted = true;
	}
}

struct nnprog_link nnprog_link_aux(const struct nnprog_operand *aux, enum nnprog_presence weights,
				   bool reverse)
{
	if (aux->omitted || !reverse || weights == NNPROG_GIVEN)
		return (struct nnprog_link){ 'I', 'A' };
	if (aux->omittable || weights == NNPROG_OPEN)
		return (struct nnprog_link){ 'X', 'Y' };
	/* in place of the input */
	return (struct nnprog_link){ 'A', 'I' };
}

int nnprog_need_coordinates(const struct nnprog_operand *op, uint32_t type, const char *what,
			    struct nnprog_error *err)
{
	if (!nnprog_is_quant8(type))
		return nnprog_need_type(op, type, what, err);
	if (op->dtype != NNPROG_UINT16 || op->scale != 0.125f || op->zero_point || op->num_scales)
		return nnprog_refuse(err, "%s: needs UINT16 in steps of 1/8 from 0", what);
	return 0;
}
