// SPDX-License-Identifier: Apache-2.0
/*
 * FarmHash Fingerprint64, from the public description of the algorithm. Debian's libfarmhash is
 * C++, and would load its runtime into every process with the firmware.
 */
#include <endian.h>
#include <string.h>

#include "kernels/kernel.h"

static const uint64_t k0 = 0xc3a5c85c97cb3127u, k1 = 0xb492b66fbe98f273u, k2 = 0x9ae16a3b2f90404fu;

struct pair {
	uint64_t first, second;
};

static uint64_t fetch64(const uint8_t *s)
{
	uint64_t v;

	memcpy(&v, s, sizeof(v));
	return le64toh(v);
}

static uint64_t fetch32(const uint8_t *s)
{
	uint32_t v;

	memcpy(&v, s, sizeof(v));
	return le32toh(v);
}

/* @by in [1, 63] */
static uint64_t fingerprint_rotate(uint64_t v, int by)
{
	return v >> by | v << (64 - by);
}

static uint64_t shift_mix(uint64_t v)
{
	return v ^ v >> 47;
}

static uint64_t mix(uint64_t u, uint64_t v, uint64_t mul)
{
	uint64_t a = shift_mix((u ^ v) * mul), b = shift_mix((v ^ a) * mul);

	return b * mul;
}

static uint64_t up_to_16(const uint8_t *s, size_t len)
{
	uint64_t mul = k2 + len * 2;

	if (len >= 8) {
		uint64_t a = fetch64(s) + k2, b = fetch64(s + len - 8);

		return mix(fingerprint_rotate(b, 37) * mul + a,
			   (fingerprint_rotate(a, 25) + b) * mul, mul);
	}
	if (len >= 4)
		return mix(len + (fetch32(s) << 3), fetch32(s + len - 4), mul);
	if (len) {
		uint32_t y = s[0] + ((uint32_t)s[len >> 1] << 8),
			 z = (uint32_t)len + ((uint32_t)s[len - 1] << 2);

		return shift_mix(y * k2 ^ z * k0) * k2;
	}
	return k2;
}

static uint64_t up_to_32(const uint8_t *s, size_t len)
{
	uint64_t mul = k2 + len * 2, a = fetch64(s) * k1, b = fetch64(s + 8);
	uint64_t c = fetch64(s + len - 8) * mul, d = fetch64(s + len - 16) * k2;

	return mix(fingerprint_rotate(a + b, 43) + fingerprint_rotate(c, 30) + d,
		   a + fingerprint_rotate(b + k2, 18) + c, mul);
}

static uint64_t up_to_64(const uint8_t *s, size_t len)
{
	uint64_t mul = k2 + len * 2, a = fetch64(s) * k2, b = fetch64(s + 8);
	uint64_t c = fetch64(s + len - 8) * mul, d = fetch64(s + len - 16) * k2;
	uint64_t y = fingerprint_rotate(a + b, 43) + fingerprint_rotate(c, 30) + d,
		 z = mix(y, a + fingerprint_rotate(b + k2, 18) + c, mul);
	uint64_t e = fetch64(s + 16) * mul, f = fetch64(s + 24);
	uint64_t g = (y + fetch64(s + len - 32)) * mul, h = (z + fetch64(s + len - 24)) * mul;

	return mix(fingerprint_rotate(e + f, 43) + fingerprint_rotate(g, 30) + h,
		   e + fingerprint_rotate(f + a, 18) + g, mul);
}

/* 32 bytes under two seeds. */
static struct pair weak(const uint8_t *s, uint64_t a, uint64_t b)
{
	uint64_t w = fetch64(s), x = fetch64(s + 8), y = fetch64(s + 16), z = fetch64(s + 24), c;

	a += w;
	b = fingerprint_rotate(b + a + z, 21);
	c = a;
	a += x + y;
	b += fingerprint_rotate(a, 44);
	return (struct pair){ a + z, b + c };
}

struct state {
	uint64_t x, y, z;
	struct pair v, w;
};

/* Take in 64 bytes; the last block multiplies by what it has itself. */
static void fingerprint_block(struct state *t, const uint8_t *s, uint64_t mul, uint64_t weight)
{
	uint64_t swap;

	t->x = fingerprint_rotate(t->x + t->y + t->v.first + fetch64(s + 8), 37) * mul;
	t->y = fingerprint_rotate(t->y + t->v.second + fetch64(s + 48), 42) * mul;
	t->x ^= t->w.second * weight;
	t->y += t->v.first * weight + fetch64(s + 40);
	t->z = fingerprint_rotate(t->z + t->w.first, 33) * mul;
	t->v = weak(s, t->v.second * mul, t->x + t->w.first);
	t->w = weak(s + 32, t->z + t->w.second, t->y + fetch64(s + 16));
	swap = t->z;
	t->z = t->x;
	t->x = swap;
}

uint64_t nnfw_fingerprint64(const uint8_t *s, size_t len)
{
	const uint64_t seed = 81;
	struct state t;
	size_t rest;
	uint64_t mul;

	if (len <= 16)
		return up_to_16(s, len);
	if (len <= 32)
		return up_to_32(s, len);
	if (len <= 64)
		return up_to_64(s, len);
	t = (struct state){ .x = seed * k2 + fetch64(s), .y = seed * k1 + 113 };
	t.z = shift_mix(t.y * k2 + 113) * k2;
	/* all blocks but the last 64 bytes, which may overlap */
	rest = (len - 1) & 63;
	for (const uint8_t *end = s + (len - 1 - rest); s != end; s += 64)
		fingerprint_block(&t, s, k1, 1);
	s = s + rest + 1 - 64;
	mul = k1 + ((t.z & 0xff) << 1);
	t.w.first += rest;
	t.v.first += t.w.first;
	t.w.first += t.v.first;
	fingerprint_block(&t, s, mul, 9);
	return mix(mix(t.v.first, t.w.first, mul) + shift_mix(t.y) * k0 + t.z,
		   mix(t.v.second, t.w.second, mul) + t.x, mul);
}
