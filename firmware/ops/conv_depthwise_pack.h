/* SPDX-License-Identifier: Apache-2.0 */
/* 8-bit depthwise convolutions: how they are computed, and what is computed before. */
#ifndef NNFW_CONV_DEPTHWISE_PACK_H
#define NNFW_CONV_DEPTHWISE_PACK_H

#include "nnfw_op.h"
#include "q8_depthwise/q8_depthwise.h"

/** Channels of a block where they are many and do not make whole vectors. */
#define NNFW_DEPTHWISE_BLOCK 1024u

/**
 * Taps of a filter that are not too many, and terms of four: a filter of two rows has most, and
 * three parts.
 */
#define NNFW_DEPTHWISE_MAX_TAPS 256u
#define NNFW_DEPTHWISE_MAX_TERMS (NNFW_DEPTHWISE_MAX_TAPS / 2 * NNFW_Q8DW_PARTS)

/** What follows from the filter and the attributes, at load() as in runs. */
struct nnfw_depthwise_layout {
	bool is_long; /* nothing of this: nnfw_depthwise_q8_long() */
	bool wide; /* weights of 16 bits */
	bool on_side; /* image and filter are of one column, and taken as one row */
	bool across; /* the lanes of a strip are columns: the filter has one row */
	bool pairs; /* two rows of the output share a strip */
	bool staged; /* rows of the image are copied: pads, channels repeated or added */
	size_t channels; /* of a pixel in strips: those of the output, or more */
	size_t units; /* packed, until the channels of the first come again */
	size_t phases; /* vectors until then */
	size_t groups, places; /* of four taps */
	size_t unit_size;
	uint32_t parts; /* most of a unit */
};

struct nnfw_depthwise_pack {
	struct nnfw_depthwise_layout layout;
	struct nnfw_q8dw_finish finish;
	const uint8_t *units; /* layout.units struct nnfw_q8dw_unit */
	const uint8_t *parts; /* of each unit */
	uint8_t fill[NNFW_Q8DW_VECTOR]; /* the image's zero point */
};

struct nnfw_depthwise_layout nnfw_depthwise_layout(const struct nnfw_op_ctx *ctx, bool wide);
/** Makes the layout as small as the weights allow. 0 or -ECANCELED. */
int nnfw_depthwise_parts(const struct nnfw_op_ctx *ctx, struct nnfw_depthwise_layout *l);
size_t nnfw_depthwise_pack_size(const struct nnfw_depthwise_layout *l);
/** *@pack = in @mem, 64-byte aligned. 0 or -ECANCELED. */
int nnfw_depthwise_pack(const struct nnfw_op_ctx *ctx, const struct nnfw_depthwise_layout *l,
			void *mem, const struct nnfw_depthwise_pack **pack);

#endif
