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

#include "cache/digest.h"

#define LANES 8u
#define BLOCK (LANES * sizeof(uint64_t))

/* Odd, with mixed bits: from the fractional parts of square roots of primes. */
static const uint64_t factor[LANES] = {
	0x6a09e667f3bcc909ull, 0xbb67ae8584caa73bull, 0x3c6ef372fe94f82bull, 0xa54ff53a5f1d36f1ull,
	0x510e527fade682d1ull, 0x9b05688c2b3e6c1full, 0x1f83d9abfb41bd6bull, 0x5be0cd19137e2179ull,
};

static void take_blocks(uint64_t lane[LANES], const uint8_t *bytes, size_t blocks)
{
	uint64_t local[LANES], word;

	memcpy(local, lane, sizeof(local));
	for (; blocks; blocks--, bytes += BLOCK) {
		for (uint32_t i = 0; i < LANES; i++) {
			memcpy(&word, bytes + i * sizeof(word), sizeof(word));
			local[i] = (local[i] ^ le64toh(word)) * factor[i];
			local[i] ^= local[i] >> 32;
		}
	}
	memcpy(lane, local, sizeof(local));
}

void nnhal_cache_digest(const void *file, size_t size, uint8_t digest[NNHAL_CACHE_DIGEST])
{
	const uint8_t *rest = (const uint8_t *)file + sizeof(struct nnhal_cache_header);
	size_t left = size - sizeof(struct nnhal_cache_header);
	struct nnhal_cache_header header;
	uint8_t last[BLOCK] = { 0 };
	uint64_t lane[LANES + 1];
	struct sha256_ctx ctx;

	memcpy(lane, factor, sizeof(factor));
	take_blocks(lane, rest, left / BLOCK);
	memcpy(last, rest + left / BLOCK * BLOCK, left % BLOCK);
	take_blocks(lane, last, 1);
	lane[LANES] = left;
	for (uint32_t i = 0; i <= LANES; i++)
		lane[i] = htole64(lane[i]);
	memcpy(&header, file, sizeof(header));
	memset(header.digest, 0, sizeof(header.digest));
	sha256_init(&ctx);
	sha256_update(&ctx, sizeof(header), (const uint8_t *)&header);
	sha256_update(&ctx, sizeof(lane), (const uint8_t *)lane);
	sha256_digest(&ctx, NNHAL_CACHE_DIGEST, digest);
}
