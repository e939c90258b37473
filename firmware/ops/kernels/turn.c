// SPDX-License-Identifier: Apache-2.0
/*
 * Tiles of 16 by 16 bytes or as many larger elements, in vectors of the compiler. Tiles of a cache
 * line by a cache line follow each other, so that each line of both sides is used at once.
 */
#include <string.h>

#include "kernels/kernel.h"

#define VECTOR 16u

#define LOW_1(a, b) \
	__builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_1(a, b) \
	__builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOW_2(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_2(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW_4(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH_4(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)

/*
 * A tile: to put row i and row i + N / 2 together element by element turns a square of N rows when
 * it is done log2(N) times. The rest: elements, in the order of the longer side.
 */
#define TURN(T, SIZE)                                                                              \
	static void tile_##SIZE(uint8_t *to, size_t to_stride, const uint8_t *from,                \
				size_t from_stride)                                                \
	{                                                                                          \
		enum { N = VECTOR / SIZE };                                                        \
		typedef T vec __attribute__((vector_size(VECTOR)));                                \
		vec a[N], b[N];                                                                    \
                                                                                                   \
		for (size_t r = 0; r < N; r++)                                                     \
			memcpy(&a[r], from + r * from_stride, VECTOR);                             \
		for (size_t done = 1; done < N; done *= 2) {                                       \
			for (size_t r = 0; r < N / 2; r++) {                                       \
				b[2 * r] = LOW_##SIZE(a[r], a[r + N / 2]);                         \
				b[2 * r + 1] = HIGH_##SIZE(a[r], a[r + N / 2]);                    \
			}                                                                          \
			memcpy(a, b, sizeof(a));                                                   \
		}                                                                                  \
		for (size_t r = 0; r < N; r++)                                                     \
			memcpy(to + r * to_stride, &a[r], VECTOR);                                 \
	}                                                                                          \
                                                                                                   \
	static void rest_##SIZE(uint8_t *to, size_t to_stride, const uint8_t *from,                \
				size_t from_stride, size_t rows, size_t columns)                   \
	{                                                                                          \
		if (rows < columns) {                                                              \
			for (size_t i = 0; i < rows; i++)                                          \
				for (size_t j = 0; j < columns; j++)                               \
					((T *)(to + j * to_stride))[i] =                           \
						((const T *)(from + i * from_stride))[j];          \
			return;                                                                    \
		}                                                                                  \
		for (size_t j = 0; j < columns; j++)                                               \
			for (size_t i = 0; i < rows; i++)                                          \
				((T *)(to + j * to_stride))[i] =                                   \
					((const T *)(from + i * from_stride))[j];                  \
	}                                                                                          \
                                                                                                   \
	static void turn_##SIZE(uint8_t *to, size_t to_stride, const uint8_t *from,                \
				size_t from_stride, size_t rows, size_t columns)                   \
	{                                                                                          \
		enum { N = VECTOR / SIZE };                                                        \
		size_t i, j;                                                                       \
                                                                                                   \
		for (j = 0; j + N <= columns; j += N) {                                            \
			for (i = 0; i + N <= rows; i += N)                                         \
				tile_##SIZE(to + j * to_stride + i * (SIZE), to_stride,            \
					    from + i * from_stride + j * (SIZE), from_stride);     \
			if (i < rows)                                                              \
				rest_##SIZE(to + j * to_stride + i * (SIZE), to_stride,            \
					    from + i * from_stride + j * (SIZE), from_stride,      \
					    rows - i, N);                                          \
		}                                                                                  \
		if (j < columns)                                                                   \
			rest_##SIZE(to + j * to_stride, to_stride, from + j * (SIZE), from_stride, \
				    rows, columns - j);                                            \
	}

TURN(uint8_t, 1)
TURN(uint16_t, 2)
TURN(uint32_t, 4)

void nnfw_turn(uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride, size_t rows,
	       size_t columns, size_t size)
{
	void (*turn)(uint8_t *, size_t, const uint8_t *, size_t, size_t, size_t) =
		size == 1   ? turn_1
		: size == 2 ? turn_2
			    : turn_4;
	/* A plane with few columns or rows has no tiles: its long side is not cut. */
	size_t line = NNFW_TURN_LINE / size;
	size_t high = columns < VECTOR / size ? rows : line,
	       wide = rows < VECTOR / size ? columns : line;

	for (size_t j = 0; j < columns; j += wide) {
		size_t w = columns - j < wide ? columns - j : wide;

		for (size_t i = 0; i < rows; i += high)
			turn(to + j * to_stride + i * size, to_stride,
			     from + i * from_stride + j * size, from_stride,
			     rows - i < high ? rows - i : high, w);
	}
}
