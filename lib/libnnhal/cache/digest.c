// SPDX-License-Identifier: Apache-2.0
/*
 * The digest of a cache file. It detects files that are damaged, partly written or mixed. It has no
 * key and stops no attacker, so a fast sum is enough for megabytes of weights: eight lanes of 64
 * bits, whose every step is a bijection in the word and in the lane. A change of one word always
 * changes its lane; any other change is missed once in 2^64. SHA-256 covers header and lanes.
 */
#include <endian.h>
#include <string.h>

#include <nettle/sha2.h>

#include "cache/nnhal_cache.h"

#define LANES 8u
#define BLOCK (LANES * sizeof(uint64_t))

/* Odd, with mixed bits: from the fractional parts of square roots of primes. */
static const uint64_t factor[LANES] = {
	0x6a09e667f3bcc909ull, 0xbb67ae8584caa73bull, 0x3c6ef372fe94f82bull, 0xa54ff53a5f1d36f1ull,
	0x510e527fade682d1ull, 0x9b05688c2b3e6c1full, 0x1f83d9abfb41bd6bull, 0x5be0cd19137e2179ull,
};

static inline uint64_t digest_step(uint64_t lane, const uint8_t *bytes, uint32_t i)
{
	uint64_t word;

	memcpy(&word, bytes + i * sizeof(word), sizeof(word));
	lane = (lane ^ le64toh(word)) * factor[i];
	return lane ^ lane >> 32;
}

/* The lanes are variables of their own: an array would stay in memory between two blocks. */
static void take_blocks(uint64_t lane[LANES], const uint8_t *bytes, size_t blocks)
{
	uint64_t a = lane[0], b = lane[1], c = lane[2], d = lane[3];
	uint64_t e = lane[4], f = lane[5], g = lane[6], h = lane[7];

	for (; blocks; blocks--, bytes += BLOCK) {
		a = digest_step(a, bytes, 0);
		b = digest_step(b, bytes, 1);
		c = digest_step(c, bytes, 2);
		d = digest_step(d, bytes, 3);
		e = digest_step(e, bytes, 4);
		f = digest_step(f, bytes, 5);
		g = digest_step(g, bytes, 6);
		h = digest_step(h, bytes, 7);
	}
	memcpy(lane, (const uint64_t[LANES]){ a, b, c, d, e, f, g, h }, LANES * sizeof(*lane));
}

void nnhal_cache_sum_begin(struct nnhal_cache_sum *sum)
{
	*sum = (struct nnhal_cache_sum){ .size = 0 };
	memcpy(sum->lane, factor, sizeof(factor));
}

void nnhal_cache_sum_add(struct nnhal_cache_sum *sum, const void *bytes, size_t size)
{
	take_blocks(sum->lane, bytes, size / BLOCK);
	/* only the last part has a rest */
	memcpy(sum->rest, (const uint8_t *)bytes + size / BLOCK * BLOCK, size % BLOCK);
	sum->size += size;
}

void nnhal_cache_sum_end(struct nnhal_cache_sum *sum, const struct nnhal_cache_header *header,
			 uint8_t digest[NNHAL_CACHE_DIGEST])
{
	struct nnhal_cache_header h = *header;
	uint64_t lane[LANES + 1];
	struct sha256_ctx ctx;

	take_blocks(sum->lane, sum->rest, 1);
	memcpy(lane, sum->lane, sizeof(sum->lane));
	lane[LANES] = sum->size;
	for (uint32_t i = 0; i <= LANES; i++)
		lane[i] = htole64(lane[i]);
	memset(h.digest, 0, sizeof(h.digest));
	sha256_init(&ctx);
	sha256_update(&ctx, sizeof(h), (const uint8_t *)&h);
	sha256_update(&ctx, sizeof(lane), (const uint8_t *)lane);
	sha256_digest(&ctx, NNHAL_CACHE_DIGEST, digest);
}

void nnhal_cache_digest(const void *file, size_t size, uint8_t digest[NNHAL_CACHE_DIGEST])
{
	const struct nnhal_cache_header *header = file;
	struct nnhal_cache_sum sum;

	nnhal_cache_sum_begin(&sum);
	nnhal_cache_sum_add(&sum, header + 1, size - sizeof(*header));
	nnhal_cache_sum_end(&sum, header, digest);
}
