// SPDX-License-Identifier: Apache-2.0
#include "kernels/requant.h"
#include "q8_binary/q8_binary.h"

static struct nnfw_requant rule_of(const struct nnfw_q8_binary *p)
{
	return (struct nnfw_requant){ p->zero, (float)(p->lo - p->zero), (float)(p->hi - p->zero) };
}

static void q8_binary_add(const void *params, const void *va, const void *vb, void *vout, size_t n,
			  size_t step_a, size_t step_b)
{
	const struct nnfw_q8_binary *p = params;
	const struct nnfw_requant q = rule_of(p);
	const uint8_t *a = va, *b = vb;
	uint8_t *out = vout;

	for (size_t i = 0; i < n; i++, a += step_a, b += step_b) {
		float x = (float)((*a ^ p->flip) - p->zero_a) * p->scale_a;
		float y = (float)((*b ^ p->flip) - p->zero_b) * p->scale_b;

		out[i] = (uint8_t)nnfw_requant_real(x + y, &q) ^ p->flip;
	}
}

static void mul(const void *params, const void *va, const void *vb, void *vout, size_t n,
		size_t step_a, size_t step_b)
{
	const struct nnfw_q8_binary *p = params;
	const struct nnfw_requant q = rule_of(p);
	const uint8_t *a = va, *b = vb;
	uint8_t *out = vout;

	for (size_t i = 0; i < n; i++, a += step_a, b += step_b) {
		int32_t product = ((*a ^ p->flip) - p->zero_a) * ((*b ^ p->flip) - p->zero_b);

		out[i] = (uint8_t)nnfw_requantize(product, p->scale_a, &q) ^ p->flip;
	}
}

static void prelu(const void *params, const void *va, const void *vb, void *vout, size_t n,
		  size_t step_a, size_t step_b)
{
	const struct nnfw_q8_binary *p = params;
	const struct nnfw_requant q = rule_of(p);
	const uint8_t *a = va, *b = vb;
	uint8_t *out = vout;

	for (size_t i = 0; i < n; i++, a += step_a, b += step_b) {
		int32_t x = (*a ^ p->flip) - p->zero_a, y = (*b ^ p->flip) - p->zero_b;

		out[i] = (uint8_t)nnfw_requantize(x >= 0 ? x : x * y,
						  x >= 0 ? p->scale_a : p->scale_b, &q) ^
			 p->flip;
	}
}

const struct nnfw_q8_binary_kernels nnfw_q8_binary_scalar = { .add = q8_binary_add,
							      .mul = mul,
							      .prelu = prelu };
