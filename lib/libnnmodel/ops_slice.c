// SPDX-License-Identifier: Apache-2.0
/* Operations that take parts of a tensor, look up in it or repeat it. */
#include "signature.h"

static const struct nnmodel_sig_form slice_forms[] = {
	{ 3, "0II", "0" }, /* x, begin, size */
};
static const struct nnmodel_sig_form strided_slice_forms[] = {
	{ 2, "0IIIiii", "0" }, /* x, begin, end, strides; masks of begin, end, shrink */
};
static const struct nnmodel_sig_form split_forms[] = {
	{ 3, "0ii", "0*" }, /* x, axis, number of outputs */
};
static const struct nnmodel_sig_form gather_forms[] = {
	{ 3, "0iI", "0" }, /* x, axis, indices */
};
static const struct nnmodel_sig_form tile_forms[] = {
	{ 3, "0I", "0" }, /* x, multiples */
};
static const struct nnmodel_sig_form topk_forms[] = {
	{ 3, "0i", "0I" }, /* x, k; values, indices */
};
static const struct nnmodel_sig_form mirror_pad_forms[] = {
	{ 7, "0Ii", "0" }, /* x, paddings, mode */
};
static const struct nnmodel_sig_form reverse_forms[] = {
	{ 7, "0I", "0" }, /* x, axis */
};
static const struct nnmodel_sig_form embedding_forms[] = {
	{ 1, "I0", "0" }, /* lookups, values */
};
static const struct nnmodel_sig_form hashtable_forms[] = {
	{ 1, "II0", "01" }, /* lookups, keys, values; values, hits */
};

static const struct nnmodel_sig_combo level2[] = {
	{ 2, { F32 } },
	{ 2, { Q8 } },
	{ 3, { F16 } },
	{ 4, { Q8S } },
};
static const struct nnmodel_sig_combo level3[] = {
	{ 3, { F32 } }, { 3, { F16 } }, { 3, { I32 } }, { 3, { Q8 } }, { 4, { Q8S } },
};
static const struct nnmodel_sig_combo level7[] = {
	{ 7, { F32 } }, { 7, { F16 } }, { 7, { I32 } }, { 7, { Q8 } }, { 7, { Q8S } },
};
static const struct nnmodel_sig_combo embedding[] = {
	{ 1, { F32 } }, { 3, { I32 } }, { 3, { Q8 } }, { 4, { F16 } }, { 4, { Q8S } },
};
static const struct nnmodel_sig_combo hashtable[] = {
	{ 1, { F32, Q8 } },
	{ 1, { I32, Q8 } },
	{ 1, { Q8, Q8 } },
};

/* The output has the input's quantization and rank. */
static int check_alike(const struct nnmodel_sig_context *c)
{
	const struct nnmodel_operand *in = nnmodel_sig_in(c, 0), *out = nnmodel_sig_out(c, 0);

	if (in->scale != out->scale || in->zero_point != out->zero_point)
		return nnmodel_sig_refuse(c, c->op->outputs[0],
					  "output (operand %u) and input differ in quantization",
					  c->op->outputs[0]);
	if (in->rank && out->rank && in->rank != out->rank)
		return nnmodel_sig_refuse(c, c->op->outputs[0],
					  "output (operand %u) has rank %u, the input %u",
					  c->op->outputs[0], out->rank, in->rank);
	return 0;
}

static int check_mirror_pad(const struct nnmodel_sig_context *c)
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
	return check_alike(c);
}

static int check_reverse(const struct nnmodel_sig_context *c)
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
	return check_alike(c);
}

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(SLICE, 3, level3, slice_forms, NULL, NULL),
	NNMODEL_SIG(STRIDED_SLICE, 2, level2, strided_slice_forms, "<", NULL),
	NNMODEL_SIG(SPLIT, 3, level3, split_forms, NULL, NULL),
	NNMODEL_SIG(GATHER, 3, level3, gather_forms, NULL, NULL),
	NNMODEL_SIG(TILE, 3, level3, tile_forms, NULL, NULL),
	NNMODEL_SIG(TOPK_V2, 3, level3, topk_forms, NULL, NULL),
	NNMODEL_SIG(MIRROR_PAD, 7, level7, mirror_pad_forms, ".2", check_mirror_pad),
	NNMODEL_SIG(REVERSE, 7, level7, reverse_forms, ".1", check_reverse),
	NNMODEL_SIG(EMBEDDING_LOOKUP, 1, embedding, embedding_forms, NULL, NULL),
	NNMODEL_SIG(HASHTABLE_LOOKUP, 1, hashtable, hashtable_forms, NULL, NULL),
};
NNMODEL_FAMILY(slice, sigs);
