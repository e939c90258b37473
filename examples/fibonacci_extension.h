/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a vendor publishes of an extension: its name, its operand types and operations, and the
 * structures that go with operands. Values are stable for ever; what changes gets another name.
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
