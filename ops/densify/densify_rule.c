// SPDX-License-Identifier: Apache-2.0
/* Descriptor of DENSIFY. */
#include <string.h>

#include "rules.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

enum { VALUES = 0, TRAVERSAL, BLOCK_MAP, FORMATS, SIZES, LEVELS };
#define MAX_LEVELS 32u
#define MIN_INPUTS (LEVELS + 2)
#define MAX_INPUTS (LEVELS + 2 * MAX_LEVELS)

/** Levels of the walk that the inputs describe. */
static uint32_t num_levels(uint32_t num_in)
{
	return (num_in - LEVELS) / 2;
}

/** Contents of an INT32 vector of as many elements as @n. NULL: not known now. */
static const int32_t *vector(const struct nnprog_operand *op, uint32_t n)
{
	bool usable = !op->omitted && op->data && op->shape.rank == 1 && op->shape.dims[0] == n;

	return usable ? op->data : NULL;
}

/** Every operand on its own. */
static int check_operands(const struct nnprog_operand *in, uint32_t num_in,
			  struct nnprog_extents *e, struct nnprog_error *err)
{
	int ret = nnprog_match(&in[VALUES], "V", e, "values", err);

	for (uint32_t i = TRAVERSAL; i < LEVELS && !ret; i++) {
		if (in[i].omitted)
			continue;
		ret = nnprog_need_type(&in[i], NNPROG_INT32, "structure", err);
		/* a block map that a run may omit does not determine the rank of the result */
		if (!ret && (i != BLOCK_MAP || !in[i].omittable))
			ret = nnprog_match(&in[i], i == BLOCK_MAP ? "B" : "L", e, "structure", err);
	}
	for (uint32_t i = LEVELS; i < num_in && !ret; i++) {
		if (in[i].omitted)
			continue;
		ret = nnprog_need_type(&in[i], NNPROG_INT32, "segments or indices", err);
		if (!ret && !in[i].omittable)
			ret = nnprog_need_rank(&in[i], 1, "segments or indices", err);
	}
	if (!ret)
		ret = nnprog_learn(e, 'L', num_levels(num_in), "levels", err);
	if (!ret && in[BLOCK_MAP].omitted)
		ret = nnprog_learn(e, 'B', 0, "block map", err);
	return ret;
}

/** A level of compressed rows has its segments and indices. */
static int check_formats(const struct nnprog_operand *in, uint32_t levels, struct nnprog_error *err)
{
	const int32_t *format = vector(&in[FORMATS], levels);

	for (uint32_t l = 0; format && l < levels; l++) {
		if (format[l] != 0 && format[l] != 1)
			return nnprog_refuse(err, "level %u: format %d is neither 0 nor 1", l,
					     format[l]);
		if (format[l] == 1 &&
		    (in[LEVELS + 2 * l].omitted || in[LEVELS + 2 * l + 1].omitted))
			return nnprog_refuse(err, "level %u: segments or indices are missing", l);
	}
	return 0;
}

/**
 * The first @rank levels walk each dimension once; each further one a block, which splits a
 * dimension.
 */
static int result_shape(const struct nnprog_operand *in, uint32_t rank, uint32_t blocks,
			struct nnprog_shape *shape, struct nnprog_error *err)
{
	uint32_t levels = rank + blocks;
	uint64_t seen = 0;
	const int32_t *traversal = vector(&in[TRAVERSAL], levels),
		      *sizes = vector(&in[SIZES], levels);
	const int32_t *map = blocks ? vector(&in[BLOCK_MAP], blocks) : NULL;
	int ret = 0;

	*shape = nnprog_unknown_shape(rank);
	if (!traversal || !sizes || (blocks && !map))
		return 0;
	for (uint32_t l = 0; l < levels; l++) {
		uint32_t at = (uint32_t)traversal[l], d;

		if (sizes[l] < 1)
			return nnprog_refuse(err, "level %u: size %d", l, sizes[l]);
		if (at >= levels || (at < rank) != (l < rank) || (seen >> at & 1))
			return nnprog_refuse(err, "traversal: level %u is %d", l, traversal[l]);
		seen |= 1ull << at;
		if (l < rank) {
			shape->dims[at] = (uint32_t)sizes[l];
			continue;
		}
		d = (uint32_t)map[at - rank];
		if (d >= rank)
			return nnprog_refuse(err, "block map: dimension %d", map[at - rank]);
		ret = nnprog_product(shape->dims[d], (uint32_t)sizes[l], &shape->dims[d], err);
		if (ret)
			return ret;
	}
	return 0;
}

static int infer_densify(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			 struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	uint32_t levels = num_levels(num_in), blocks;
	struct nnprog_extents e;
	int ret;

	(void)attrs;
	(void)num_out;
	if (num_in != LEVELS + 2 * levels || !levels)
		return nnprog_refuse(err, "%u inputs", num_in);
	nnprog_extents_init(&e);
	ret = check_operands(in, num_in, &e, err);
	if (!ret)
		ret = check_formats(in, levels, err);
	if (!ret)
		ret = nnprog_need_type(&out[0], in[VALUES].dtype, "output", err);
	if (!ret && !nnprog_same_quant(&in[VALUES], &out[0]))
		ret = nnprog_refuse(err, "output: quantization differs from the input's");
	if (ret)
		return ret;
	blocks = *nnprog_extent(&e, 'B');
	out[0].shape = nnprog_unknown_shape(NNPROG_RANK_UNKNOWN);
	if (!nnprog_dim_known(blocks))
		return 0;
	if (blocks >= levels || levels - blocks > NNPROG_MAX_RANK)
		return nnprog_refuse(err, "%u levels, %u of them blocks", levels, blocks);
	ret = result_shape(in, levels - blocks, blocks, &out[0].shape, err);
	return ret ? ret : nnprog_check_size(&out[0].shape, in[VALUES].dtype, err);
}

#define NNPROG_FAMILY_DENSIFY
#include "nnprog_described.h"
