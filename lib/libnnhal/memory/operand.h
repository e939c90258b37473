/* SPDX-License-Identifier: Apache-2.0 */
/* The known part of an input or output of main. Private to libnnhal. */
#ifndef NNHAL_OPERAND_H
#define NNHAL_OPERAND_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "nnprog_shape.h"

struct nnhal_io {
	uint32_t type;
	bool scalar;
	bool complete; /* rank and dims are known; scalars always */
	uint32_t rank; /* tensors: 0 is unknown */
	uint32_t dims[NNPROG_MAX_RANK];
	uint32_t element; /* bytes */
	float scale;
	int32_t zero_point;
	uint64_t channel_quant; /* digest of the scales of channels; 0: none */
};

/** Set io->complete from what is known of its shape. */
static inline bool nnhal_io_complete(struct nnhal_io *io)
{
	io->complete = io->scalar || io->rank > 0;
	for (uint32_t i = 0; i < io->rank; i++)
		io->complete = io->complete && io->dims[i] > 0;
	return io->complete;
}

/** Bytes of a complete shape; -EOVERFLOW. */
static inline int nnhal_shape_bytes(uint32_t element, uint32_t rank, const uint32_t *dims,
				    uint64_t *bytes)
{
	uint64_t n = element;

	for (uint32_t i = 0; i < rank; i++)
		if (__builtin_mul_overflow(n, (uint64_t)dims[i], &n))
			return -EOVERFLOW;
	if (n > UINT32_MAX)
		return -EOVERFLOW;
	*bytes = n;
	return 0;
}

#endif
