/* SPDX-License-Identifier: Apache-2.0 */
/* Planes turned over: rows become columns. */
#ifndef NNFW_TURN_H
#define NNFW_TURN_H

#include <stddef.h>
#include <stdint.h>

/** Bytes of a row that nnfw_turn() does best at a time: a cache line. */
#define NNFW_TURN_LINE 64u

/**
 * to[j][i] = from[i][j] for @i below @rows and @j below @columns, elements of @size 1, 2 or 4
 * bytes; rows of @from are @from_stride bytes apart, those of @to @to_stride.
 */
void nnfw_turn(uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride, size_t rows,
	       size_t columns, size_t size);

#endif
