/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops that are written out. Sums of a tile are an array whose elements stay in registers only if
 * their indices are constants when the compiler decides that, which is before it unrolls loops.
 * The variable is an enumerator in each round.
 */
#ifndef NNFW_Q8_WRITTEN_OUT_H
#define NNFW_Q8_WRITTEN_OUT_H

#define NNFW_Q8_ROUND(v, i, n, ...) \
	if ((n) > (i)) {            \
		enum { v = (i) };   \
		__VA_ARGS__;        \
	}

/** Up to 4. */
#define NNFW_Q8_EACH_VECTOR(z, n, ...)              \
	do {                                        \
		NNFW_Q8_ROUND(z, 0, n, __VA_ARGS__) \
		NNFW_Q8_ROUND(z, 1, n, __VA_ARGS__) \
		NNFW_Q8_ROUND(z, 2, n, __VA_ARGS__) \
		NNFW_Q8_ROUND(z, 3, n, __VA_ARGS__) \
	} while (0)

/** Up to 6; may have the other inside. */
#define NNFW_Q8_EACH_OF_SIX(r, n, ...)              \
	do {                                        \
		NNFW_Q8_ROUND(r, 0, n, __VA_ARGS__) \
		NNFW_Q8_ROUND(r, 1, n, __VA_ARGS__) \
		NNFW_Q8_ROUND(r, 2, n, __VA_ARGS__) \
		NNFW_Q8_ROUND(r, 3, n, __VA_ARGS__) \
		NNFW_Q8_ROUND(r, 4, n, __VA_ARGS__) \
		NNFW_Q8_ROUND(r, 5, n, __VA_ARGS__) \
	} while (0)

/** Up to 12. */
#define NNFW_Q8_EACH_ROW(r, n, ...)                     \
	do {                                            \
		NNFW_Q8_EACH_OF_SIX(r, n, __VA_ARGS__); \
		NNFW_Q8_ROUND(r, 6, n, __VA_ARGS__)     \
		NNFW_Q8_ROUND(r, 7, n, __VA_ARGS__)     \
		NNFW_Q8_ROUND(r, 8, n, __VA_ARGS__)     \
		NNFW_Q8_ROUND(r, 9, n, __VA_ARGS__)     \
		NNFW_Q8_ROUND(r, 10, n, __VA_ARGS__)    \
		NNFW_Q8_ROUND(r, 11, n, __VA_ARGS__)    \
	} while (0)

#endif
