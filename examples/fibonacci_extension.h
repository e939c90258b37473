/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header that a vendor publishes for an extension: its name, operand types, operations and the
 * structures of operands. Values are stable; a changed extension gets a new name.
 */
#ifndef EXAMPLE_FIBONACCI_EXTENSION_H
#define EXAMPLE_FIBONACCI_EXTENSION_H

#include <stdint.h>

#define EXAMPLE_FIBONACCI_EXTENSION_NAME "com.example.fibonacci"

enum {
	/* scalar, 8 bytes */
	EXAMPLE_INT64 = 0,
	/*
	 * tensor of uint64_t, with struct ExampleTensorQuant64AsymmParams: real = (q - zeroPoint) *
	 * scale
	 */
	EXAMPLE_TENSOR_QUANT64_ASYMM = 1,
};

enum {
	/*
	 * in 0: n, an EXAMPLE_INT64, or a TENSOR_FLOAT32 of one element (truncated); at least 1
	 * out 0: the first n numbers 1, 1, 2, 3, 5, ..., [n], EXAMPLE_TENSOR_QUANT64_ASYMM or
	 * TENSOR_FLOAT32
	 */
	EXAMPLE_FIBONACCI = 0,
};

typedef struct ExampleTensorQuant64AsymmParams {
	double scale; /* > 0 */
	int64_t zeroPoint;
} ExampleTensorQuant64AsymmParams;

#endif
