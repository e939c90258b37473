/* SPDX-License-Identifier: Apache-2.0 */
/* The digest of a cache file. Private to libnnhal. */
#ifndef NNHAL_CACHE_DIGEST_H
#define NNHAL_CACHE_DIGEST_H

#include <stddef.h>

#include "cache/format.h"

/** The digest that a file of these bytes must carry. @size: at least a header. */
void nnhal_cache_digest(const void *file, size_t size, uint8_t digest[NNHAL_CACHE_DIGEST]);

/** The same in parts: the bytes after the header are summed, in order, the header comes last. */
struct nnhal_cache_sum {
	uint64_t lane[8];
	uint8_t rest[64];
	uint64_t size;
};
void nnhal_cache_sum_begin(struct nnhal_cache_sum *sum);
/** @size: a multiple of 64, but for the last part. */
void nnhal_cache_sum_add(struct nnhal_cache_sum *sum, const void *bytes, size_t size);
void nnhal_cache_sum_end(struct nnhal_cache_sum *sum, const struct nnhal_cache_header *header,
			 uint8_t digest[NNHAL_CACHE_DIGEST]);

#endif
