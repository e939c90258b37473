/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How an 8-bit product is divided into blocks of pixels (rows of the left side) by columns. Blocks
 * decide what comes from which memory and when there is a tick; the bits of the result are the same
 * in any division.
 */
#ifndef NNFW_Q8_BLOCKS_H
#define NNFW_Q8_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "nnutil_process.h"

/** Blocks of work between two ticks. */
#define NNFW_Q8_TICK 12u

/** Rows of a block are a multiple of what kernels take at a time. */
#define NNFW_Q8_ROWS 24u

/** What is divided, and by which measures. */
struct nnfw_q8_extent {
	size_t pixels; /* of all images */
	size_t input; /* bytes of all images */
	size_t depth; /* elements of a row */
	size_t columns, groups; /* columns: of a group */
	size_t block; /* multiply-adds of some 15 us: nnfw_q8_gemm_kernels.block */
	size_t threads;
	struct nnutil_caches caches;
};

/** Limits of a block of pixels. */
struct nnfw_q8_pixels {
	size_t most; /* pixels, at least 1 */
	size_t strip; /* bytes of the left side that they need */
	bool even; /* blocks are of one size, as far as they can */
};

/** The columns of blocks. */
struct nnfw_q8_columns {
	size_t unit; /* of a unit of work */
	size_t call; /* of one call of a kernel, with a tick between two */
	bool weights_first; /* all pixels of some columns, then the next columns */
};

/** Whether all weights of a group are worth the time of a few rows only. */
bool nnfw_q8_light(const struct nnfw_q8_extent *e);

struct nnfw_q8_pixels nnfw_q8_block_pixels(const struct nnfw_q8_extent *e);

/** For @blocks blocks of up to @rows pixels. */
struct nnfw_q8_columns nnfw_q8_block_columns(const struct nnfw_q8_extent *e, size_t rows,
					     size_t blocks);

/** Units of at least this work are worth a thread: a grain of nnfw_split(), @rows by @columns. */
size_t nnfw_q8_grain(const struct nnfw_q8_extent *e, size_t rows, size_t columns);

#endif
