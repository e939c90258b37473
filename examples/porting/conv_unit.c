// SPDX-License-Identifier: Apache-2.0
/*
 * The unit. Sums are exact in 32 bits and wrap; a sum becomes a result in one float multiplication,
 * rounded to even. "cpu" has the same rule, so results agree to the bit (nnctl compare).
 */
#include "conv_unit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- the forms it has ---- */

__attribute__((format(printf, 3, 4))) static bool form_refuse(char *why, size_t size,
							      const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, size, fmt, args);
	va_end(args);
	return true;
}

static bool channels_refused(const char *which, uint32_t channels, char *why, size_t size)
{
	const uint32_t padded =
		(channels + CONV_UNIT_LANES - 1) / CONV_UNIT_LANES * CONV_UNIT_LANES;

	if (channels > CONV_UNIT_MAX_CHANNELS)
		return form_refuse(why, size,
				   "%u %s channels, the unit takes at most %u: split the "
				   "convolution",
				   channels, which, CONV_UNIT_MAX_CHANNELS);
	if (!channels || channels != padded)
		return form_refuse(why, size,
				   "%u %s channels, the unit takes multiples of %u: pad with "
				   "zeros to %u",
				   channels, which, CONV_UNIT_LANES, padded);
	return false;
}

static bool stride_refused(uint32_t stride, const char *axis, char *why, size_t size)
{
	if (stride >= 1 && stride <= CONV_UNIT_MAX_STRIDE)
		return false;
	return form_refuse(why, size,
			   "stride %u along the %s, the unit takes 1 or %u: use stride 1 and drop "
			   "results",
			   stride, axis, CONV_UNIT_MAX_STRIDE);
}

bool conv_unit_refuses(const struct conv_unit_form *form, char *why, size_t size)
{
	if (channels_refused("input", form->in_channels, why, size) ||
	    channels_refused("output", form->out_channels, why, size) ||
	    stride_refused(form->stride_height, "height", why, size) ||
	    stride_refused(form->stride_width, "width", why, size))
		return true;
	if (form->dilation_height != 1 || form->dilation_width != 1)
		return form_refuse(why, size,
				   "dilation %u x %u, the unit takes 1 x 1: write the filter out "
				   "with zeros",
				   form->dilation_height, form->dilation_width);
	if (form->filter_height > CONV_UNIT_MAX_FILTER || form->filter_width > CONV_UNIT_MAX_FILTER)
		return form_refuse(why, size,
				   "filter of %u x %u, the unit takes at most %u x %u: use several "
				   "smaller ones",
				   form->filter_height, form->filter_width, CONV_UNIT_MAX_FILTER,
				   CONV_UNIT_MAX_FILTER);
	if (form->filter_zero_point)
		return form_refuse(why, size,
				   "filter with zero point %d, the unit takes 0: quantize weights "
				   "symmetrically",
				   form->filter_zero_point);
	return false;
}

/* ---- what its compiler computes ---- */

float conv_unit_multiplier(float in_scale, float filter_scale, float out_scale)
{
	return (float)((double)in_scale * (double)filter_scale / (double)out_scale);
}

/* A real number in steps of the output. */
static int32_t bound(float real, float scale, int32_t zero_point)
{
	const float steps = roundf(real / scale) + (float)zero_point;

	return steps < INT8_MIN ? INT8_MIN : steps > INT8_MAX ? INT8_MAX : (int32_t)steps;
}

void conv_unit_bounds(uint32_t code, float out_scale, int32_t out_zero_point, int32_t *lowest,
		      int32_t *highest)
{
	static const float least[] = { 0, 0, -1, 0 }, most[] = { 0, 0, 1, 6 };

	*lowest = code ? bound(least[code], out_scale, out_zero_point) : INT8_MIN;
	*highest = code > 1 ? bound(most[code], out_scale, out_zero_point) : INT8_MAX;
}

/* ---- computing ---- */

/* One tap of the filter: products of all input channels. */
static uint32_t tap(const struct conv_unit_job *job, const int8_t *in, const int8_t *filter)
{
	uint32_t sum = 0;

	for (uint32_t c = 0; c < job->form.in_channels; c++)
		sum += (uint32_t)((in[c] - job->in_zero_point) * filter[c]);
	return sum;
}

/* The sum of an output: taps outside of the image are 0. */
static int32_t output_sum(const struct conv_unit_job *job, size_t image, int64_t y, int64_t x,
			  uint32_t channel)
{
	const struct conv_unit_form *form = &job->form;
	const size_t depth = form->in_channels;
	const int8_t *filter =
		job->filter + channel * form->filter_height * form->filter_width * depth;
	uint32_t sum = (uint32_t)job->bias[channel];

	for (uint32_t fy = 0; fy < form->filter_height; fy++) {
		for (uint32_t fx = 0; fx < form->filter_width; fx++, filter += depth) {
			const int64_t row = y + fy, column = x + fx;

			if (row < 0 || row >= job->in_height || column < 0 ||
			    column >= job->in_width)
				continue;
			sum += tap(job,
				   job->in +
					   ((image * job->in_height + (size_t)row) * job->in_width +
					    (size_t)column) *
						   depth,
				   filter);
		}
	}
	return (int32_t)sum;
}

static int8_t requantize(const struct conv_unit_job *job, int32_t sum, float multiplier)
{
	const float lowest = (float)(job->lowest - job->out_zero_point);
	const float highest = (float)(job->highest - job->out_zero_point);
	float steps = (float)sum * multiplier;

	/* before the rounding, so that it stays in the range of an integer */
	steps = steps > lowest ? steps : lowest;
	steps = steps < highest ? steps : highest;
	return (int8_t)(lrintf(steps) + job->out_zero_point);
}

void conv_unit_run(const struct conv_unit_job *job, size_t first, size_t end)
{
	const struct conv_unit_form *form = &job->form;

	for (size_t row = first; row < end; row++) {
		const size_t image = row / job->out_height;
		const int64_t y = (int64_t)(row % job->out_height) * form->stride_height - job->top;
		int8_t *out = job->out + row * job->out_width * form->out_channels;

		for (uint32_t column = 0; column < job->out_width; column++) {
			const int64_t x = (int64_t)column * form->stride_width - job->left;

			for (uint32_t c = 0; c < form->out_channels; c++)
				*out++ = requantize(job, output_sum(job, image, y, x, c),
						    job->multipliers[c]);
		}
	}
}
