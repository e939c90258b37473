/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers in text from outside. The whole text must be the number: no leading space, no sign where
 * none can be, nothing behind it. All return 0, -EINVAL (not a number) or -ERANGE (outside the
 * limits); the value is only written with 0. The locale has no influence. Any thread.
 */
#ifndef NNUTIL_NUMBER_H
#define NNUTIL_NUMBER_H

#include <stdint.h>

/** @base 10, 16 (with or without 0x), or 0: decimal, or hexadecimal with 0x. Limits are inclusive.
 */
int nnutil_parse_u64(const char *text, int base, uint64_t min, uint64_t max, uint64_t *value);
int nnutil_parse_i64(const char *text, int base, int64_t min, int64_t max, int64_t *value);
/** A finite number. */
int nnutil_parse_double(const char *text, double min, double max, double *value);

/**
 * For parsers that go through a longer text: parse the digits at *@text and advance it behind them.
 * As nnutil_parse_u64() otherwise.
 */
int nnutil_scan_u64(const char **text, int base, uint64_t min, uint64_t max, uint64_t *value);

#endif
