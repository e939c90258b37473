// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_shape.h"
#include "oracle.h"
#include "test_case.h"

static double half_value(uint16_t h)
{
	int sign = h >> 15, exponent = h >> 10 & 31, mantissa = h & 1023;
	double v;

	if (exponent == 31)
		v = mantissa ? NAN : INFINITY;
	else if (exponent)
		v = ldexp(1024 + mantissa, exponent - 25);
	else
		v = ldexp(mantissa, -24);
	return sign ? -v : v;
}

/* The nearest half, found by bisection over the ordered codes; ties to the even code. */
static uint16_t half_code(double x)
{
	double a = fabs(x);
	uint16_t lo = 0, hi = 0x7c00, sign = signbit(x) ? 0x8000 : 0;

	if (isnan(x))
		return 0x7e00;
	if (a >= 65520)
		return sign | 0x7c00;
	while (hi - lo > 1) {
		uint16_t middle = (uint16_t)((lo + hi) / 2);

		if (half_value(middle) <= a)
			lo = middle;
		else
			hi = middle;
	}
	if (hi == 0x7c00)
		return sign | lo;
	if (a - half_value(lo) > half_value(hi) - a ||
	    (a - half_value(lo) == half_value(hi) - a && (lo & 1)))
		lo = hi;
	return sign | lo;
}

bool oracle_is_float(const struct nnfw_tensor *t)
{
	return t->dtype == NNPROG_FLOAT32 || t->dtype == NNPROG_FLOAT16;
}

double oracle_number(const struct nnfw_tensor *t, uint64_t i)
{
	switch (t->dtype) {
	case NNPROG_FLOAT32:
		return ((const float *)t->data)[i];
	case NNPROG_FLOAT16:
		return half_value(((const uint16_t *)t->data)[i]);
	case NNPROG_INT32:
		return ((const int32_t *)t->data)[i];
	case NNPROG_UINT32:
		return ((const uint32_t *)t->data)[i];
	case NNPROG_INT8:
		return ((const int8_t *)t->data)[i];
	case NNPROG_INT16:
		return ((const int16_t *)t->data)[i];
	case NNPROG_UINT16:
		return ((const uint16_t *)t->data)[i];
	default:
		return ((const uint8_t *)t->data)[i];
	}
}

void oracle_set_number(const struct nnfw_tensor *t, uint64_t i, double v)
{
	switch (t->dtype) {
	case NNPROG_FLOAT32:
		((float *)t->data)[i] = (float)v;
		break;
	case NNPROG_FLOAT16:
		((uint16_t *)t->data)[i] = half_code(v);
		break;
	case NNPROG_INT32:
		((int32_t *)t->data)[i] = (int32_t)v;
		break;
	case NNPROG_UINT32:
		((uint32_t *)t->data)[i] = (uint32_t)v;
		break;
	case NNPROG_INT8:
		((int8_t *)t->data)[i] = (int8_t)v;
		break;
	case NNPROG_INT16:
		((int16_t *)t->data)[i] = (int16_t)v;
		break;
	case NNPROG_UINT16:
		((uint16_t *)t->data)[i] = (uint16_t)v;
		break;
	default:
		((uint8_t *)t->data)[i] = (uint8_t)v;
		break;
	}
}

double oracle_real(const struct nnfw_tensor *t, uint64_t i)
{
	if (oracle_is_float(t))
		return oracle_number(t, i);
	return (oracle_number(t, i) - t->zero_point) * t->scale;
}

uint64_t oracle_flat(uint32_t rank, const uint32_t *dims, const uint32_t *at)
{
	uint64_t i = 0;

	for (uint32_t d = 0; d < rank; d++)
		i = i * dims[d] + at[d];
	return i;
}

void oracle_unflat(uint32_t rank, const uint32_t *dims, uint64_t i, uint32_t *at)
{
	for (uint32_t d = rank; d-- > 0;) {
		at[d] = (uint32_t)(i % dims[d]);
		i /= dims[d];
	}
}

double oracle_round_even(double x)
{
	double below = floor(x), rest = x - below;

	if (rest > 0.5 || (rest == 0.5 && fmod(below, 2) != 0))
		below += 1;
	return below;
}

double oracle_round_away(double x)
{
	return x < 0 ? -floor(-x + 0.5) : floor(x + 0.5);
}

void oracle_code_range(const struct nnfw_tensor *out, uint32_t activation, double *lo, double *hi)
{
	static const double bounds[][2] = {
		{ -INFINITY, INFINITY }, { 0, INFINITY }, { -1, 1 }, { 0, 6 }
	};
	double type_lo = out->dtype == NNPROG_INT8 ? -128 : 0, type_hi = type_lo + 255;
	double from = bounds[activation][0], to = bounds[activation][1];

	*lo = type_lo;
	*hi = type_hi;
	if (isfinite(from))
		*lo = fmax(*lo, out->zero_point + oracle_round_away((float)(from / out->scale)));
	if (isfinite(to))
		*hi = fmin(*hi, out->zero_point + oracle_round_away((float)(to / out->scale)));
}

double oracle_activate(double x, uint32_t activation)
{
	switch (activation) {
	case NNPROG_ACT_RELU:
		return fmax(x, 0);
	case NNPROG_ACT_RELU1:
		return fmin(fmax(x, -1), 1);
	case NNPROG_ACT_RELU6:
		return fmin(fmax(x, 0), 6);
	default:
		return x;
	}
}

double oracle_requantize(int64_t acc, double s_in, double s_w, const struct nnfw_tensor *out,
			 uint32_t activation)
{
	/* the product of two floats is exact in double: one rounding gives the float product */
	double multiplier = (float)(s_in * s_w / out->scale);
	float rounded = (float)(int32_t)(uint32_t)(uint64_t)acc;
	double r = (float)(rounded * multiplier), lo, hi, code;

	oracle_code_range(out, activation, &lo, &hi);
	code = oracle_round_even(r) + out->zero_point;
	return code < lo ? lo : code > hi ? hi : code;
}

/* ---- windows ---- */

/* Padding before the image, by the definition of SAME. */
static int64_t head_padding(uint32_t padding, uint32_t explicit_head, int64_t in, int64_t filter,
			    int64_t stride, int64_t dilation)
{
	int64_t effective = (filter - 1) * dilation + 1, out, needed;

	if (padding == NNPROG_PAD_EXPLICIT)
		return explicit_head;
	if (padding == NNPROG_PAD_VALID)
		return 0;
	out = (in + stride - 1) / stride;
	needed = (out - 1) * stride + effective - in;
	return needed > 0 ? needed / 2 : 0;
}

static uint64_t at4(const struct nnfw_tensor *t, int64_t a, int64_t b, int64_t c, int64_t d)
{
	uint32_t at[4] = { (uint32_t)a, (uint32_t)b, (uint32_t)c, (uint32_t)d };

	return oracle_flat(4, t->dims, at);
}

/* (x - zx) * (w - zw) of codes, or the product of floats. */
static double term(const struct nnfw_tensor *x, uint64_t i, const struct nnfw_tensor *w, uint64_t j)
{
	double a = oracle_number(x, i), b = oracle_number(w, j);

	return oracle_is_float(x) ? a * b : (a - x->zero_point) * (b - w->zero_point);
}

static double finish(double sum, const struct nnfw_tensor *in, uint32_t channel,
		     const struct nnfw_tensor *out, uint32_t activation)
{
	const struct nnfw_tensor *w = &in[1];

	sum += oracle_number(&in[2], channel);
	if (oracle_is_float(&in[0]))
		return oracle_activate(sum, activation);
	return oracle_requantize((int64_t)sum, in[0].scale,
				 w->num_scales ? w->scales[channel] : w->scale, out, activation);
}

void oracle_conv(const struct nnprog_attr_conv2d *a, bool depthwise, const struct nnfw_tensor *in,
		 const struct nnfw_tensor *out, double *want)
{
	const struct nnfw_tensor *x = &in[0], *w = &in[1];
	int64_t fh = w->dims[1], fw = w->dims[2], depth = depthwise ? 1 : w->dims[3];
	int64_t top =
		head_padding(a->padding, a->pad_top, x->dims[1], fh, a->stride_h, a->dilation_h);
	int64_t left =
		head_padding(a->padding, a->pad_left, x->dims[2], fw, a->stride_w, a->dilation_w);

	for (uint64_t i = 0; i < out->elements; i++) {
		uint32_t at[4];
		double sum = 0;
		int64_t first;

		oracle_unflat(4, out->dims, i, at);
		first = depthwise ? at[3] / a->multiplier
				  : at[3] / (out->dims[3] / a->groups) * depth;
		for (int64_t ky = 0; ky < fh; ky++) {
			for (int64_t kx = 0; kx < fw; kx++) {
				int64_t y = (int64_t)at[1] * a->stride_h + ky * a->dilation_h - top;
				int64_t xx =
					(int64_t)at[2] * a->stride_w + kx * a->dilation_w - left;

				if (y < 0 || y >= x->dims[1] || xx < 0 || xx >= x->dims[2])
					continue;
				for (int64_t k = 0; k < depth; k++) {
					uint64_t j = depthwise ? at4(w, 0, ky, kx, at[3])
							       : at4(w, at[3], ky, kx, k);

					sum += term(x, at4(x, at[0], y, xx, first + k), w, j);
				}
			}
		}
		want[i] = finish(sum, in, at[3], out, a->activation);
	}
}

void oracle_fully_connected(const struct nnprog_attr_act *a, const struct nnfw_tensor *in,
			    const struct nnfw_tensor *out, double *want)
{
	uint32_t units = out->dims[1], n = in[1].dims[1];

	for (uint32_t b = 0; b < out->dims[0]; b++) {
		for (uint32_t u = 0; u < units; u++) {
			double sum = 0;

			for (uint32_t k = 0; k < n; k++)
				sum += term(&in[0], (uint64_t)b * n + k, &in[1],
					    (uint64_t)u * n + k);
			want[(uint64_t)b * units + u] = finish(sum, in, u, out, a->activation);
		}
	}
}

void oracle_pool(const struct nnprog_attr_pool2d *a, const struct nnfw_tensor *in,
		 const struct nnfw_tensor *out, double *want)
{
	int64_t top =
		head_padding(a->padding, a->pad_top, in->dims[1], a->filter_h, a->stride_h, 1);
	int64_t left =
		head_padding(a->padding, a->pad_left, in->dims[2], a->filter_w, a->stride_w, 1);

	for (uint64_t i = 0; i < out->elements; i++) {
		double sum = 0, squares = 0, max = -INFINITY, r, lo, hi;
		uint32_t at[4];
		int64_t n = 0;

		oracle_unflat(4, out->dims, i, at);
		for (int64_t ky = 0; ky < a->filter_h; ky++) {
			for (int64_t kx = 0; kx < a->filter_w; kx++) {
				int64_t y = (int64_t)at[1] * a->stride_h + ky - top;
				int64_t x = (int64_t)at[2] * a->stride_w + kx - left;
				double v;

				if (y < 0 || y >= in->dims[1] || x < 0 || x >= in->dims[2])
					continue;
				v = oracle_number(in, at4(in, at[0], y, x, at[3]));
				sum += v;
				squares += v * v;
				max = fmax(max, v);
				n++;
			}
		}
		assert_true(n > 0);
		if (oracle_is_float(in)) {
			r = a->kind == NNPROG_POOL_MAX	     ? max
			    : a->kind == NNPROG_POOL_AVERAGE ? sum / (double)n
							     : sqrt(squares / (double)n);
			want[i] = oracle_activate(r, a->activation);
			continue;
		}
		/* (acc + n / 2) / n, n / 2 of integers, and its mirror image */
		r = a->kind == NNPROG_POOL_MAX ? max
		    : sum > 0		       ? floor((sum + floor((double)n / 2)) / (double)n)
					       : ceil((sum - floor((double)n / 2)) / (double)n);
		oracle_code_range(out, a->activation, &lo, &hi);
		want[i] = r < lo ? lo : r > hi ? hi : r;
	}
}

/* ---- resize ---- */

/* Source coordinate in float32, which the definition of the operation fixes. */
static float source(const struct nnprog_attr_resize *a, uint32_t i, uint32_t in, uint32_t out,
		    bool nearest)
{
	float scale = (float)in / (float)out;

	if (a->align_corners && out > 1)
		scale = (float)(in - 1) / (float)(out - 1);
	if (!a->half_pixel_centers)
		return (float)i * scale;
	return nearest ? ((float)i + 0.5f) * scale : ((float)i + 0.5f) * scale - 0.5f;
}

static uint32_t clamp_u(double x, uint32_t in)
{
	return x < 0 ? 0 : x > in - 1 ? in - 1 : (uint32_t)x;
}

void oracle_resize(const struct nnprog_attr_resize *a, const struct nnfw_tensor *in,
		   const struct nnfw_tensor *out, double *want)
{
	bool nearest = a->kind == NNPROG_RESIZE_NEAREST;

	for (uint64_t i = 0; i < out->elements; i++) {
		uint32_t at[4], y0, y1, x0, x1;
		double dy, dx, v[4];
		float y, x;

		oracle_unflat(4, out->dims, i, at);
		y = source(a, at[1], in->dims[1], out->dims[1], nearest);
		x = source(a, at[2], in->dims[2], out->dims[2], nearest);
		if (nearest) {
			y0 = clamp_u(a->align_corners ? oracle_round_away(y) : floor(y),
				     in->dims[1]);
			x0 = clamp_u(a->align_corners ? oracle_round_away(x) : floor(x),
				     in->dims[2]);
			want[i] = oracle_number(in, at4(in, at[0], y0, x0, at[3]));
			continue;
		}
		y0 = clamp_u(floor(y), in->dims[1]);
		y1 = clamp_u(ceil(y), in->dims[1]);
		x0 = clamp_u(floor(x), in->dims[2]);
		x1 = clamp_u(ceil(x), in->dims[2]);
		dy = (double)y - y0;
		dx = (double)x - x0;
		v[0] = oracle_number(in, at4(in, at[0], y0, x0, at[3]));
		v[1] = oracle_number(in, at4(in, at[0], y0, x1, at[3]));
		v[2] = oracle_number(in, at4(in, at[0], y1, x0, at[3]));
		v[3] = oracle_number(in, at4(in, at[0], y1, x1, at[3]));
		if (oracle_is_float(in)) {
			want[i] = (v[0] * (1 - dx) + v[1] * dx) * (1 - dy) +
				  (v[2] * (1 - dx) + v[3] * dx) * dy;
		} else {
			/* the stated float32 expression, an operation at a time */
			float fx = (float)dx, fy = (float)dy, gx = 1 - fx, gy = 1 - fy;
			float p0 = (float)(v[0] * gx), p1 = (float)(v[1] * fx);
			float p2 = (float)(v[2] * gx), p3 = (float)(v[3] * fx);
			float upper = (float)((double)p0 + p1), lower = (float)((double)p2 + p3);
			float q0 = (float)((double)upper * gy), q1 = (float)((double)lower * fy);
			double lo, hi, r = oracle_round_even((float)((double)q0 + q1));

			oracle_code_range(out, NNPROG_ACT_NONE, &lo, &hi);
			want[i] = r < lo ? lo : r > hi ? hi : r;
		}
	}
}

void oracle_compare(const struct nnfw_tensor *out, const double *want, const char *what)
{
	for (uint64_t i = 0; i < out->elements; i++) {
		double got = oracle_number(out, i), allowed = 0;

		if (out->dtype == NNPROG_FLOAT32)
			allowed = 1e-5 + 1e-5 * fabs(want[i]);
		else if (out->dtype == NNPROG_FLOAT16)
			allowed = 5.0 / 1024 * (1 + fabs(want[i]));
		if (got == want[i] || (isnan(got) && isnan(want[i])) ||
		    fabs(got - want[i]) <= allowed)
			continue;
		fail_msg("%s: element %llu is %.9g instead of %.9g", what, (unsigned long long)i,
			 got, want[i]);
	}
}
