/* SPDX-License-Identifier: Apache-2.0 */
/* The digest of a cache file. Private to libnnhal. */
#ifndef NNHAL_CACHE_DIGEST_H
#define NNHAL_CACHE_DIGEST_H

#include <stddef.h>

#include "cache/format.h"

/** The digest that a file of these bytes must carry. @size: at least a header. */
void nnhal_cache_digest(const void *file, size_t size, uint8_t digest[NNHAL_CACHE_DIGEST]);

#endif
