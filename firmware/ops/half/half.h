/* SPDX-License-Identifier: Apache-2.0 */
/* float16: load to float32, compute, store with rounding to nearest even. */
#ifndef NNFW_HALF_H
#define NNFW_HALF_H

#include "kernels/kernel.h"

static inline float nnfw_half_to_float(uint16_t h)
{
	const uint32_t magic = 113u << 23;
	uint32_t bits = (uint32_t)(h & 0x7fff) << 13, exp = bits & 0x0f800000u;
	union {
		uint32_t u;
		float f;
	} v, m = { .u = magic };

	bits += (127u - 15u) << 23;
	v.u = bits + (exp == 0x0f800000u ? (128u - 16u) << 23 : 0);
	if (!exp) {
		/* subnormal: let the float unit normalize it */
		v.u = bits + (1u << 23);
		v.f -= m.f;
	}
	v.u |= (uint32_t)(h & 0x8000) << 16;
	return v.f;
}

static inline uint16_t nnfw_float_to_half(float f)
{
	union {
		float f;
		uint32_t u;
	} v = { .f = f }, denormal = { .u = ((127u - 15u) + (23u - 10u) + 1u) << 23 };
	uint32_t sign = v.u & 0x80000000u;
	uint16_t out;

	v.u ^= sign;
	if (v.u >= (127u + 16u) << 23) {
		out = v.u > 0x7f800000u ? 0x7e00 : 0x7c00;
	} else if (v.u < 113u << 23) {
		/* subnormal or zero: adding aligns the mantissa, rounding to nearest even */
		v.f += denormal.f;
		out = (uint16_t)(v.u - denormal.u);
	} else {
		uint32_t odd = (v.u >> 13) & 1;

		v.u += ((uint32_t)(15 - 127) << 23) + 0xfff + odd;
		out = (uint16_t)(v.u >> 13);
	}
	return (uint16_t)(out | sign >> 16);
}

/** In bulk, as the instruction set of this process does it. */
void nnfw_half_load(float *dst, const uint16_t *src, size_t n);
void nnfw_half_store(uint16_t *dst, const float *src, size_t n);
/** The same of any length: with ticks. 0 or -ECANCELED. */
int nnfw_half_load_long(struct nnfw_work *work, float *dst, const uint16_t *src, size_t n);
int nnfw_half_store_long(struct nnfw_work *work, uint16_t *dst, const float *src, size_t n);

/** Elements that float16 kernels convert at a time, on the stack. */
#define NNFW_CHUNK 256u

#endif
