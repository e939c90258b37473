/* SPDX-License-Identifier: Apache-2.0 */
/* Patches of an NHWC image as rows of a matrix: the left side of a convolution's GEMM. */
#ifndef NNFW_IM2COL_H
#define NNFW_IM2COL_H

#include "kernels/conv_geometry.h"
#include "kernels/kernel.h"

/** The image, of floats or halves. */
struct nnfw_im2col {
	const struct nnfw_conv_geometry *g;
	const uint8_t *in;
	uint32_t dtype;
	/* of patches of NNFW_WORK_TICK elements or more; others count as the caller says */
	struct nnfw_work *work;
};

/**
 * 0 or -ECANCELED. Rows for output pixels [first, first + count), counted over the batch, of input
 * channels of @group; row r at dst + r * stride, as floats. Taps outside the image are 0, and so
 * are the elements from g->k up to @stride.
 */
int nnfw_im2col_f32(const struct nnfw_im2col *s, size_t group, size_t first, size_t count,
		    float *dst, size_t stride);

#endif
