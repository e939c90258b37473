/* SPDX-License-Identifier: Apache-2.0 */
/* Small programs for tests of the firmware's core. Each is malloc'ed and valid. */
#ifndef CORE_PROGRAMS_H
#define CORE_PROGRAMS_H

#include <stddef.h>
#include <stdint.h>

struct core_program {
	void *bytes;
	size_t size;
};

/**
 * out[n] = in[n] * (steps + 1): float, @steps additions one after the other. n 0: rank 1, unknown.
 */
struct core_program program_adds(uint32_t n, uint32_t steps);
/** out = in [n elements of float], reshaped to the int32 input [2]; unknown output dims. */
struct core_program program_reshape(uint32_t n);
/** The same, but the shape is the sum of two int32 [2] inputs: known only when the addition has
 * run; and a first output [n] = in + in whose shape is known at once. in, a, b -> sum, reshaped. */
struct core_program program_computed_shape(uint32_t n);
/**
 * out = pad(x [2,2] float, paddings int32 [2,2] input, value: a scalar input that may be omitted).
 */
struct core_program program_pad(void);
/** out [m,n] = x [m,k] * y [k,n], int32: one operation of any duration. */
struct core_program program_matmul(uint32_t m, uint32_t n, uint32_t k);
/**
 * out [1,n] = in [1,n] times @layers matrices [n,n] of the program, one after the other, float.
 * Their elements are small: in [1,n] of small integers has exact results.
 */
struct core_program program_layers(uint32_t n, uint32_t layers);
/** out [rows,n] = in [rows,n] times a matrix [n,n] of the program, int8: rows * n * n products. */
struct core_program program_products(uint32_t rows, uint32_t n);
/** An operation of an unknown extension. */
struct core_program program_extension(void);

#endif
