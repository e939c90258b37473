/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations of multiply-adds: input, filter (or weights) and bias are their inputs 0 to 2. Private
 * to libnnprog.
 */
#ifndef NNPROG_MAC_H
#define NNPROG_MAC_H

#include "nnprog_desc.h"
#include "rules.h"

/** Types of their input 0. */
#define TYPES_MAC (TYPES_FLOAT | TYPES_QUANT8)

/**
 * Types and quantization of a convolution's input, filter, bias and output. 0 or
 * -EINVAL.
 */
int nnprog_check_mac(const struct nnprog_operand *in, const struct nnprog_operand *out,
		     uint32_t channel_dim, struct nnprog_error *err);
/** Ranks 4, 4 and 1 of those. 0 or -EINVAL. */
int nnprog_check_mac_ranks(const struct nnprog_operand *in, struct nnprog_error *err);
/** Output channels from filter and bias, which may not differ. 0 or -EINVAL. */
int nnprog_mac_channels(uint32_t from_filter, const struct nnprog_operand *bias, uint32_t *channels,
			struct nnprog_error *err);

#endif
