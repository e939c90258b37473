// SPDX-License-Identifier: Apache-2.0
/* Descriptors of SEQUENCE_RNN and SVDF. */
#include "rules.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

static int check_rnn(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_rnn *a = attrs;

	if (a->activation > 4 && a->activation != 6)
		return nnprog_refuse(err, "activation %u is not 0 to 4, or 6", a->activation);
	if (a->time_major > 1 || a->reverse > 1 || a->reserved)
		return nnprog_refuse(err, "time_major %u, reverse %u, reserved %u", a->time_major,
				     a->reverse, a->reserved);
	return 0;
}

#define MAX_INPUTS 8
#define OPTIONAL (7u << 5)

static int infer_rnn(const void *attrs, const struct nnprog_operand *inputs, uint32_t num_in,
		     struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	static const char *const patterns[] = { "", "UI", "UU", "U", "BU", "", "UA", "VA" };
	static const char *const names[] = { "input",
					     "weights",
					     "recurrent weights",
					     "bias",
					     "state",
					     "auxiliary input",
					     "auxiliary weights",
					     "the other cell's auxiliary weights" };
	const struct nnprog_attr_rnn *a = attrs;
	uint32_t type = inputs[0].dtype, rank = inputs[0].shape.rank;
	enum nnprog_presence aux, weights = NNPROG_ABSENT;
	struct nnprog_link link = { 'I', 'A' };
	struct nnprog_operand in[MAX_INPUTS];
	struct nnprog_extents e;
	char text[4];
	int ret = 0;

	if (num_in == 6)
		return nnprog_refuse(err, "auxiliary input without operands for its weights");
	if (nnprog_rank_known(&inputs[0]) && rank != 2 && rank != 3)
		return nnprog_refuse(err, "input: rank %u is neither 2 nor 3", rank);
	nnprog_settle(in, inputs, num_in, OPTIONAL, patterns);
	if (num_in > 6)
		ret = nnprog_group(in, num_in > 7 ? 3u << 6 : 1u << 6,
				   "auxiliary weights of both cells", &weights, err);
	if (!ret && num_in > 6)
		ret = nnprog_group(in, 1u << 5, "", &aux, err);
	if (!ret && num_in > 6 && aux == NNPROG_ABSENT && weights == NNPROG_GIVEN)
		ret = nnprog_refuse(err, "auxiliary weights without an auxiliary input");
	if (!ret && num_in > 6)
		link = nnprog_link_aux(&in[5], weights, a->reverse);
	nnprog_extents_init(&e);
	for (uint32_t k = 0; k < num_in && !ret; k++) {
		bool sequence = k == 0 || k == 5;

		if (in[k].omitted)
			continue;
		ret = nnprog_need_type(&in[k], type, names[k], err);
		if (ret || (sequence && !nnprog_rank_known(&in[0])))
			continue;
		ret = nnprog_match(&in[k],
				   sequence ? nnprog_sequence_pattern(text, rank, a->time_major,
								      k ? link.aux : link.input)
					    : patterns[k],
				   &e, names[k], err);
	}
	if (!ret)
		ret = nnprog_nonzero(&e, "BTIUAXY", err);
	for (uint32_t i = 0; i < num_out && !ret; i++) {
		if (!out[i].omitted)
			ret = nnprog_need_type(&out[i], type, "output", err);
	}
	if (ret)
		return ret;
	out[0].shape = nnprog_unknown_shape(NNPROG_RANK_UNKNOWN);
	if (nnprog_rank_known(&in[0]))
		out[0].shape = nnprog_pattern(&e, rank == 2 ? "BU" : a->time_major ? "TBU" : "BTU");
	if (num_out > 1)
		out[1].shape = nnprog_pattern(&e, "BU");
	return nnprog_check_size(&out[0].shape, type, err);
}

static int check_svdf(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_svdf *a = attrs;

	if (!a->rank)
		return nnprog_refuse(err, "rank 0");
	return nnprog_check_activation(a->activation, err);
}

#define SVDF_INPUTS 5
#define SVDF_OPTIONAL (1u << 3)

static int infer_svdf(const void *attrs, const struct nnprog_operand *inputs, uint32_t num_in,
		      struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	static const char *const patterns[] = { "BI", "FI", "FM", "U", "BS" };
	static const char *const names[] = { "input", "feature weights", "time weights", "bias",
					     "state" };
	const struct nnprog_attr_svdf *a = attrs;
	uint32_t type = inputs[0].dtype, filters, product;
	struct nnprog_operand in[SVDF_INPUTS];
	struct nnprog_extents e;
	int ret = 0;

	nnprog_settle(in, inputs, num_in, SVDF_OPTIONAL, patterns);
	nnprog_extents_init(&e);
	for (uint32_t k = 0; k < num_in && !ret; k++) {
		if (!in[k].omitted)
			ret = nnprog_match_type(&in[k], type, patterns[k], &e, names[k], err);
	}
	for (uint32_t i = 0; i < num_out && !ret; i++)
		ret = nnprog_need_type(&out[i], type, "output", err);
	filters = *nnprog_extent(&e, 'F');
	if (!ret && nnprog_dim_known(filters)) {
		if (filters % a->rank)
			return nnprog_refuse(err, "%u filters of rank %u", filters, a->rank);
		ret = nnprog_learn(&e, 'U', filters / a->rank, "units", err);
	}
	if (!ret)
		ret = nnprog_product(filters, *nnprog_extent(&e, 'M'), &product, err);
	if (!ret)
		ret = nnprog_learn(&e, 'S', product, "state", err);
	if (!ret)
		ret = nnprog_nonzero(&e, "BIFMUS", err);
	if (ret)
		return ret;
	out[0].shape = nnprog_pattern(&e, "BS");
	out[1].shape = nnprog_pattern(&e, "BU");
	ret = nnprog_check_size(&out[0].shape, type, err);
	return ret ? ret : nnprog_check_size(&out[1].shape, type, err);
}

/* One step is NNAPI's RNN. */
static enum nnprog_empty rnn_empty(const void *attrs, uint32_t rank, uint32_t input)
{
	(void)attrs;
	(void)input;
	return rank == 2 ? NNPROG_EMPTY_BAD_DATA : NNPROG_EMPTY_FAILS;
}

#define NNPROG_FAMILY_RNN
#include "nnprog_described.h"
