// SPDX-License-Identifier: Apache-2.0
/* Rules of operations that types and ranks do not express: "check" in ops/. */
#include "nnmodel_rows.h"

int nnmodel_check_mul(const struct nnmodel_sig_context *c)
{
	const struct nnmodel_operand *out = nnmodel_sig_out(c, 0);
	const float product = nnmodel_sig_in(c, 0)->scale * nnmodel_sig_in(c, 1)->scale;

	if ((out->type == Q8 || out->type == Q8S) && !(out->scale > product))
		return nnmodel_sig_refuse(
			c, c->op->outputs[0],
			"output scale %g is not above the product %g of the inputs'",
			(double)out->scale, (double)product);
	return 0;
}

static bool same_quantization(const struct nnmodel_operand *a, const struct nnmodel_operand *b)
{
	return a->scale == b->scale && a->zero_point == b->zero_point;
}

int nnmodel_check_concatenation(const struct nnmodel_sig_context *c)
{
	const uint32_t n = c->op->num_inputs - 1;
	uint32_t i;

	for (i = 0; i < n; i++) {
		const struct nnmodel_operand *in = nnmodel_sig_in(c, i);

		if (in->rank > 4)
			return nnmodel_sig_refuse(
				c, c->op->inputs[i],
				"input %u (operand %u) has rank %u, must be at most 4", i,
				c->op->inputs[i], in->rank);
		/* differing quantization came with feature level 3 */
		if (in->type == Q8 && !same_quantization(in, nnmodel_sig_out(c, 0)))
			nnmodel_raise_level(c->feature_level, 3);
	}
	return 0;
}

int nnmodel_check_pack(const struct nnmodel_sig_context *c)
{
	const struct nnmodel_operand *out = nnmodel_sig_out(c, 0);
	uint32_t i;

	for (i = 1; i < c->op->num_inputs; i++) {
		const struct nnmodel_operand *in = nnmodel_sig_in(c, i);

		if (!same_quantization(in, out))
			return nnmodel_sig_refuse(
				c, c->op->inputs[i],
				"input %u (operand %u) and the output differ in quantization", i,
				c->op->inputs[i]);
		if (in->rank && out->rank && out->rank - 1 != in->rank)
			return nnmodel_sig_refuse(
				c, c->op->inputs[i],
				"input %u (operand %u) has rank %u, the output %u", i,
				c->op->inputs[i], in->rank, out->rank);
	}
	return 0;
}

static int check_filter(const struct nnmodel_sig_context *c, uint32_t channel_dim)
{
	const struct nnmodel_operand *in = nnmodel_sig_in(c, 0), *filter = nnmodel_sig_in(c, 1);
	const struct nnmodel_operand *out = nnmodel_sig_out(c, 0);

	if (filter->type == QPC && filter->channel_dim != channel_dim)
		return nnmodel_sig_refuse(
			c, c->op->inputs[1],
			"filter (operand %u) has channel dimension %u, must be %u",
			c->op->inputs[1], filter->channel_dim, channel_dim);
	/* the ratio of scales was limited before feature level 3 */
	if (filter->type == Q8 && !(out->scale > in->scale * filter->scale))
		nnmodel_raise_level(c->feature_level, 3);
	return 0;
}

int nnmodel_check_conv(const struct nnmodel_sig_context *c)
{
	return check_filter(c, 0);
}

int nnmodel_check_depthwise(const struct nnmodel_sig_context *c)
{
	return check_filter(c, 3);
}

/* The dimensions agree unless a rank, or an extent of the output, is unknown. */
int nnmodel_check_cast(const struct nnmodel_sig_context *c)
{
	const struct nnmodel_operand *in = nnmodel_sig_in(c, 0), *out = nnmodel_sig_out(c, 0);
	bool same = in->rank == out->rank;
	uint32_t i;

	if (!in->rank || !out->rank)
		return 0;
	for (i = 0; i < out->rank; i++) {
		if (!out->dims[i])
			return 0;
		same = same && in->dims[i] == out->dims[i];
	}
	if (!same)
		return nnmodel_sig_refuse(c, c->op->outputs[0],
					  "output (operand %u) and input differ in dimensions",
					  c->op->outputs[0]);
	return 0;
}

int nnmodel_check_densify(const struct nnmodel_sig_context *c)
{
	const struct nnmodel_operand *traversal = nnmodel_sig_in(c, 1);
	const uint32_t n = c->op->num_inputs;
	uint32_t i;

	for (i = 0; i < n; i++) {
		const uint32_t rank = nnmodel_sig_in(c, i)->rank;

		if (rank && rank != 1)
			return nnmodel_sig_refuse(c, c->op->inputs[i],
						  "input %u (operand %u) has rank %u, must be 1", i,
						  c->op->inputs[i], rank);
	}
	/* the pairs determine an unknown number of levels */
	if ((n - 5) % 2 ||
	    (traversal->rank && traversal->dims[0] && traversal->dims[0] != (n - 5) / 2))
		return nnmodel_sig_refuse(
			c, c->op->inputs[1],
			"%u inputs for %u levels (operand %u), must be 5 and a pair each", n,
			traversal->rank ? traversal->dims[0] : 0, c->op->inputs[1]);
	return 0;
}

int nnmodel_check_fully_connected(const struct nnmodel_sig_context *c)
{
	const struct nnmodel_operand *in = nnmodel_sig_in(c, 0), *weights = nnmodel_sig_in(c, 1);
	const struct nnmodel_operand *bias = nnmodel_sig_in(c, 2), *out = nnmodel_sig_out(c, 0);
	uint64_t elements = 1;
	uint32_t i;

	if (in->rank && (in->rank < 2 || in->rank > 4))
		return nnmodel_sig_refuse(c, c->op->inputs[0],
					  "input 0 (operand %u) has rank %u, must be 2 to 4",
					  c->op->inputs[0], in->rank);
	if (weights->rank && bias->rank && weights->dims[0] && bias->dims[0] &&
	    weights->dims[0] != bias->dims[0])
		return nnmodel_sig_refuse(c, c->op->inputs[2],
					  "bias (operand %u) has %u elements for %u units",
					  c->op->inputs[2], bias->dims[0], weights->dims[0]);
	/* operands of 4 GiB and more were refused before: no overflow */
	for (i = 0; i < in->rank; i++)
		elements *= in->dims[i];
	if (in->rank && weights->rank && elements && weights->dims[1] &&
	    elements % weights->dims[1])
		return nnmodel_sig_refuse(c, c->op->inputs[0],
					  "input (operand %u) cannot be divided into rows of %u",
					  c->op->inputs[0], weights->dims[1]);
	/* the ratio of scales was limited before feature level 3 */
	if (in->type == Q8 && !(out->scale > in->scale * weights->scale))
		nnmodel_raise_level(c->feature_level, 3);
	return 0;
}

int nnmodel_check_normalization(const struct nnmodel_sig_context *c)
{
	const uint32_t rank = nnmodel_sig_in(c, 0)->rank;

	/* other ranks than 4 came with feature level 3 */
	if (rank && rank != 4)
		nnmodel_raise_level(c->feature_level, 3);
	return 0;
}

int nnmodel_check_pad(const struct nnmodel_sig_context *c)
{
	const struct nnmodel_operand *in = nnmodel_sig_in(c, 0);

	/* padding with a zero point other than 0 came with feature level 3 */
	if (in->type == Q8 && in->zero_point)
		nnmodel_raise_level(c->feature_level, 3);
	return 0;
}

int nnmodel_check_mirror_pad(const struct nnmodel_sig_context *c)
{
	const struct nnmodel_operand *in = nnmodel_sig_in(c, 0), *pads = nnmodel_sig_in(c, 1);
	const uint32_t n = c->op->inputs[1];

	if (pads->rank) {
		if (pads->dims[1] && pads->dims[1] != 2)
			return nnmodel_sig_refuse(
				c, n, "paddings (operand %u) have %u columns, must be 2", n,
				pads->dims[1]);
		if (in->rank && pads->dims[0] && pads->dims[0] != in->rank)
			return nnmodel_sig_refuse(c, n,
						  "paddings (operand %u) have %u rows for rank %u",
						  n, pads->dims[0], in->rank);
	}
	return nnmodel_sig_check_alike(c);
}

int nnmodel_check_softmax(const struct nnmodel_sig_context *c)
{
	const uint32_t rank = nnmodel_sig_in(c, 0)->rank;

	/* other ranks than 2 and 4 came with feature level 3 */
	if (rank && rank != 2 && rank != 4)
		nnmodel_raise_level(c->feature_level, 3);
	return 0;
}

int nnmodel_check_to_batch(const struct nnmodel_sig_context *c)
{
	const struct nnmodel_operand *in = nnmodel_sig_in(c, 0);

	/* padding with a zero point other than 0 came with feature level 3 */
	if (in->type == Q8 && in->zero_point)
		nnmodel_raise_level(c->feature_level, 3);
	return 0;
}

int nnmodel_check_reverse(const struct nnmodel_sig_context *c)
{
	const struct nnmodel_operand *in = nnmodel_sig_in(c, 0), *axis = nnmodel_sig_in(c, 1);

	if (in->rank > 8)
		return nnmodel_sig_refuse(c, c->op->inputs[0],
					  "input 0 (operand %u) has rank %u, must be at most 8",
					  c->op->inputs[0], in->rank);
	if (axis->rank && axis->dims[0] && axis->dims[0] != 1)
		return nnmodel_sig_refuse(c, c->op->inputs[1],
					  "axis (operand %u) has %u elements, must have 1",
					  c->op->inputs[1], axis->dims[0]);
	return nnmodel_sig_check_alike(c);
}
