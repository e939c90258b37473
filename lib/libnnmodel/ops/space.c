// SPDX-License-Identifier: Apache-2.0
/* Blocks of pixels to depth or batch and back, and CHANNEL_SHUFFLE. */
#include "nnmodel_rows.h"

static const struct nnmodel_sig_form depth_forms[] = {
	{ 1, "0i", "0" }, /* x, block; NCHW */
	{ 3, "0ib", "0" },
};
static const struct nnmodel_sig_form from_batch_forms[] = {
	{ 2, "0I", "0" }, /* x, block; NCHW */
	{ 3, "0Ib", "0" },
};
static const struct nnmodel_sig_form to_batch_forms[] = {
	{ 2, "0II", "0" }, /* x, block, paddings; NCHW */
	{ 3, "0IIb", "0" },
};
static const struct nnmodel_sig_form shuffle_forms[] = {
	{ 3, "0ii", "0" }, /* x, groups, axis */
};

static const struct nnmodel_sig_combo depth[] = {
	{ 1, { F32 } },
	{ 1, { Q8 } },
	{ 3, { F16 } },
	{ 4, { Q8S } },
};
static const struct nnmodel_sig_combo batch[] = {
	{ 2, { F32 } },
	{ 2, { Q8 } },
	{ 3, { F16 } },
	{ 4, { Q8S } },
};
static const struct nnmodel_sig_combo shuffle[] = {
	{ 3, { F32 } },
	{ 3, { F16 } },
	{ 3, { Q8 } },
	{ 4, { Q8S } },
};

static int check_to_batch(const struct nnmodel_sig_context *c)
{
	const struct nnmodel_operand *in = nnmodel_sig_in(c, 0);

	/* padding with a zero point other than 0 came with feature level 3 */
	if (in->type == Q8 && in->zero_point)
		nnmodel_raise_level(c->feature_level, 3);
	return 0;
}

static const struct nnmodel_sig sigs[] = {
	NNMODEL_SIG(DEPTH_TO_SPACE, 1, depth, depth_forms, "4", NULL),
	NNMODEL_SIG(SPACE_TO_DEPTH, 1, depth, depth_forms, "4", NULL),
	NNMODEL_SIG(BATCH_TO_SPACE_ND, 2, batch, from_batch_forms, "4", NULL),
	NNMODEL_SIG(SPACE_TO_BATCH_ND, 2, batch, to_batch_forms, "4", check_to_batch),
	NNMODEL_SIG(CHANNEL_SHUFFLE, 3, shuffle, shuffle_forms, "<", NULL),
};
NNMODEL_FAMILY(space, sigs);
