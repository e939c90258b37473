// SPDX-License-Identifier: Apache-2.0
/* Descriptors of LSH_PROJECTION and RANDOM_MULTINOMIAL. */
#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

static int check_lsh(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_lsh *a = attrs;

	if (a->type < 1 || a->type > 3 || a->reserved)
		return nnprog_refuse(err, "type %u is not 1 to 3, or reserved %u is not 0", a->type,
				     a->reserved);
	return 0;
}

static int infer_lsh(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
		     struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_lsh *a = attrs;
	bool dense = a->type == 2;
	struct nnprog_extents e;
	uint32_t *rows;
	int ret;

	(void)num_in;
	(void)num_out;
	nnprog_extents_init(&e);
	if (dense ? in[2].omitted : !in[2].omitted && !in[2].omittable)
		return nnprog_refuse(err, "weights %s",
				     dense ? "are missing" : "must be omitted with sparse types");
	ret = nnprog_match(&in[0], "NK", &e, "hash", err);
	rows = nnprog_extent(&e, 'I');
	if (!ret && nnprog_rank_known(&in[1])) {
		if (!in[1].shape.rank)
			return nnprog_refuse(err, "input: rank 0");
		*rows = in[1].shape.dims[0];
	}
	if (!ret && dense)
		ret = nnprog_match_type(&in[2], in[0].dtype, "I", &e, "weights", err);
	if (!ret)
		ret = nnprog_need_type(&out[0], NNPROG_INT32, "output", err);
	if (!ret)
		ret = nnprog_nonzero(&e, "NKI", err);
	if (ret)
		return ret;
	if (nnprog_dim_known(*nnprog_extent(&e, 'K')) && *nnprog_extent(&e, 'K') > 32)
		return nnprog_refuse(err, "hash: %u bits", *nnprog_extent(&e, 'K'));
	if (dense)
		ret = nnprog_product(*nnprog_extent(&e, 'N'), *nnprog_extent(&e, 'K'),
				     nnprog_extent(&e, 'O'), err);
	out[0].shape = nnprog_pattern(&e, dense ? "O" : "N");
	return ret ? ret : nnprog_check_size(&out[0].shape, NNPROG_INT32, err);
}

static int check_multinomial(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_multinomial *a = attrs;

	if (!a->samples || a->samples > INT32_MAX || a->reserved)
		return nnprog_refuse(err, "samples %u, reserved %u", a->samples, a->reserved);
	return 0;
}

static int infer_multinomial(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			     struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	const struct nnprog_attr_multinomial *a = attrs;
	struct nnprog_extents e;
	int ret;

	(void)num_in;
	(void)num_out;
	nnprog_extents_init(&e);
	ret = nnprog_match(&in[0], "BC", &e, "logits", err);
	if (!ret)
		ret = nnprog_match_type(&in[1], NNPROG_INT32, "2", &e, "seeds", err);
	if (!ret)
		ret = nnprog_need_type(&out[0], NNPROG_INT32, "output", err);
	if (!ret)
		ret = nnprog_nonzero(&e, "BC", err);
	*nnprog_extent(&e, 'S') = a->samples;
	out[0].shape = nnprog_pattern(&e, "BS");
	return ret ? ret : nnprog_check_size(&out[0].shape, NNPROG_INT32, err);
}

#define NNPROG_FAMILY_RANDOM
#include "nnprog_described.h"
