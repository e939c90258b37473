/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A convolution unit, as silicon has them: it takes int8 alone, in a few forms. Its functions stand
 * for hardware and its compiler; a vendor library (vendor_library/) and a firmware
 * (unit_operation.c) use the same unit.
 */
#ifndef CONV_UNIT_H
#define CONV_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONV_UNIT_LANES 8 /* channels that it reads, and writes, at once */
#define CONV_UNIT_MAX_CHANNELS 1024
#define CONV_UNIT_MAX_FILTER 7
#define CONV_UNIT_MAX_STRIDE 2

/** What the unit's registers have besides addresses; the filter's zero point has none. */
struct conv_unit_form {
	uint32_t in_channels, out_channels;
	uint32_t filter_height, filter_width;
	uint32_t stride_height, stride_width;
	uint32_t dilation_height, dilation_width;
	int32_t filter_zero_point;
};

/** A convolution. Tensors are [batch, height, width, channel], the filter [out, y, x, in]. */
struct conv_unit_job {
	struct conv_unit_form form;
	uint32_t batch, in_height, in_width, out_height, out_width;
	uint32_t top, left; /* rows and columns of padding */
	int32_t in_zero_point, out_zero_point;
	int32_t lowest, highest; /* results are between them: int8, or a fused activation */
	const float *multipliers; /* by output channel: conv_unit_multiplier() */
	const int32_t *bias;
	const int8_t *filter, *in;
	int8_t *out;
};

/** True: the unit does not compute this form; @why has the parameter, and what to change. */
bool conv_unit_refuses(const struct conv_unit_form *form, char *why, size_t size);

/** From steps of the sum to steps of the output. */
float conv_unit_multiplier(float in_scale, float filter_scale, float out_scale);

/** The bounds of NNAPI's fused activation @code: 0 none, 1 RELU, 2 RELU1, 3 RELU6. */
void conv_unit_bounds(uint32_t code, float out_scale, int32_t out_zero_point, int32_t *lowest,
		      int32_t *highest);

/** Compute output rows [@first, @end) of all images: batch * out_height. Any thread. */
void conv_unit_run(const struct conv_unit_job *job, size_t first, size_t end);

#endif
