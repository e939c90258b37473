/* SPDX-License-Identifier: Apache-2.0 */
/* Mutations of texts: bytes, lines, and words that a target knows. */
#ifndef FUZZ_TEXT_MUTATIONS_H
#define FUZZ_TEXT_MUTATIONS_H

#include <stddef.h>
#include <stdint.h>

/**
 * Change the text of @size bytes at @data, which has room for @max, a few times, and return its new
 * size. @words: NULL-terminated.
 */
size_t fuzz_mutate_text(uint8_t *data, size_t size, size_t max, const char *const *words,
			uint64_t *random);

#endif
