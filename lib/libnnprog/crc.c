// SPDX-License-Identifier: Apache-2.0
/*
 * The checksum of programs: CRC-32 as in zlib, which takes a table for each byte. Programs are
 * megabytes of constants, so that processors that multiply without carries, or have the sum as an
 * instruction, use that.
 */
#include <zlib.h>

#include "verify.h"

#if defined(__x86_64__)
#include <immintrin.h>

/* Powers of x modulo the polynomial, bits reflected: what a block is multiplied with when it is
 * moved over the four blocks or the one block after it, then from 96 to 64 bits. */
static const uint64_t over_four[2] = { 0x154442bd4, 0x1c6e41596 };
static const uint64_t over_one[2] = { 0x1751997d0, 0x0ccaa009e };
static const uint64_t to_64[2] = { 0x163cd6124, 0 };
/* the polynomial, and its reciprocal for the remainder */
static const uint64_t polynomial[2] = { 0x1db710641, 0x1f7011641 };

#define TARGET __attribute__((target("pclmul,sse4.1")))

TARGET static inline __m128i load(const void *p)
{
	return _mm_loadu_si128(p);
}

/** @x moved by @powers, onto @onto. */
TARGET static inline __m128i fold(__m128i x, __m128i powers, __m128i onto)
{
	return _mm_xor_si128(_mm_xor_si128(_mm_clmulepi64_si128(x, powers, 0x00), onto),
			     _mm_clmulepi64_si128(x, powers, 0x11));
}

/** The remainder of 128 bits. */
TARGET static inline uint32_t reduce(__m128i x)
{
	const __m128i low = _mm_setr_epi32(-1, 0, -1, 0);
	__m128i y;

	x = _mm_xor_si128(_mm_srli_si128(x, 8), _mm_clmulepi64_si128(x, load(over_one), 0x10));
	y = _mm_srli_si128(x, 4);
	x = _mm_xor_si128(_mm_clmulepi64_si128(_mm_and_si128(x, low), load(to_64), 0x00), y);
	y = _mm_clmulepi64_si128(_mm_and_si128(x, low), load(polynomial), 0x10);
	y = _mm_clmulepi64_si128(_mm_and_si128(y, low), load(polynomial), 0x00);
	return (uint32_t)_mm_extract_epi32(_mm_xor_si128(x, y), 1);
}

/** Of whole blocks of 16 bytes, at least four. */
TARGET static uint32_t blocks(uint32_t crc, const uint8_t *p, size_t size)
{
	const __m128i four = load(over_four), one = load(over_one);
	__m128i a = load(p), b = load(p + 16), c = load(p + 32), d = load(p + 48);

	a = _mm_xor_si128(a, _mm_cvtsi32_si128((int)~crc));
	for (p += 64, size -= 64; size >= 64; p += 64, size -= 64) {
		a = fold(a, four, load(p));
		b = fold(b, four, load(p + 16));
		c = fold(c, four, load(p + 32));
		d = fold(d, four, load(p + 48));
	}
	a = fold(fold(fold(a, one, b), one, c), one, d);
	for (; size; p += 16, size -= 16)
		a = fold(a, one, load(p));
	return ~reduce(a);
}

static size_t fast_part(size_t size)
{
	return size >= 64 && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1")
		       ? size & ~(size_t)15
		       : 0;
}

#elif defined(__aarch64__)
#include <string.h>
#include <sys/auxv.h>
#include <asm/hwcap.h>

/** Of whole words. */
__attribute__((target("+crc"))) static uint32_t blocks(uint32_t crc, const uint8_t *p, size_t size)
{
	uint64_t word;

	for (crc = ~crc; size; p += 8, size -= 8) {
		memcpy(&word, p, sizeof(word));
		__asm__("crc32x %w0, %w0, %x1" : "+r"(crc) : "r"(word));
	}
	return ~crc;
}

static size_t fast_part(size_t size)
{
	return getauxval(AT_HWCAP) & HWCAP_CRC32 ? size & ~(size_t)7 : 0;
}

#else
static uint32_t blocks(uint32_t crc, const uint8_t *p, size_t size)
{
	return (uint32_t)crc32_z(crc, p, size);
}

static size_t fast_part(size_t size)
{
	return size;
}
#endif

uint32_t nnprog_crc32(uint32_t crc, const void *bytes, size_t size)
{
	const uint8_t *p = bytes;
	size_t fast = fast_part(size);

	if (fast)
		crc = blocks(crc, p, fast);
	return (uint32_t)crc32_z(crc, p + fast, size - fast);
}
