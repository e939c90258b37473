// SPDX-License-Identifier: Apache-2.0
/*
 * Light weights stay in the second-level cache whatever the order: a block has all columns, and as
 * many pixels as make its work.
 *
 * Heavy ones are read again for each block of pixels, and the input for each block of columns. A
 * block has as many pixels as its strip may have; what comes from beyond the second level is then
 * the least of
 *
 *   input + weights * blocks of pixels     one block of pixels after the other
 *   input * blocks of columns + weights    columns that stay in the second level, with all pixels
 */
#include "q8_gemm/q8_blocks.h"

#include "nnutil_align.h"
#include "q8_gemm/q8_gemm_kernels.h"

/* Of a block's work, what a thread takes at least: blocks of a small image are less. */
#define GRAINS 5u
/* Blocks of each thread at least, if they are worth that: the last ones end at about one time. */
#define SHARE 4u
/* The work of a call, and of one for the fewest columns, in blocks: less than NNFW_Q8_TICK. */
#define CALL 4u
#define LONG_CALL 8u

bool nnfw_q8_light(const struct nnfw_q8_extent *e)
{
	return e->depth * e->columns <= e->block / NNFW_Q8_ROWS;
}

/* Multiply-adds of a unit: at most @most, and less where threads would have too few units. */
static size_t unit_work(const struct nnfw_q8_extent *e, size_t most)
{
	size_t least = e->block / GRAINS, share;

	if (e->threads == 1)
		return most;
	share = e->pixels * e->columns * e->groups * e->depth / (SHARE * e->threads);
	return share > most ? most : share > least ? share : least;
}

/* What @bytes have room for, in whole panels, and at least one. */
static size_t panel_columns(size_t bytes, size_t column)
{
	size_t columns = bytes / column & ~(size_t)(NNFW_Q8_PANEL - 1);

	return columns < NNFW_Q8_PANEL ? NNFW_Q8_PANEL : columns;
}

static size_t size_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

struct nnfw_q8_pixels nnfw_q8_block_pixels(const struct nnfw_q8_extent *e)
{
	struct nnfw_q8_pixels p = { .strip = e->caches.first / 2 };
	size_t panel = e->depth * NNFW_Q8_PANEL;

	if (nnfw_q8_light(e)) {
		p.most = unit_work(e, e->block) / (e->depth * e->columns);
		/* with fewer rows, tiles are small, and rows of the image are copied again */
		p.most = p.most < NNFW_Q8_ROWS ? NNFW_Q8_ROWS : p.most;
	} else {
		/* a panel that is larger comes from there for each few rows anyway */
		if (panel > e->caches.first / 2)
			p.strip = e->caches.second / 8;
		p.most = LONG_CALL * e->block / panel;
		p.even = true;
	}
	p.most = p.most ? p.most : 1;
	return p;
}

struct nnfw_q8_columns nnfw_q8_block_columns(const struct nnfw_q8_extent *e, size_t rows,
					     size_t blocks)
{
	struct nnfw_q8_columns c = { .unit = e->columns, .call = e->columns };
	size_t weights = e->depth * e->columns * e->groups;
	size_t stay = panel_columns(e->caches.second / 2, e->depth), again, n;

	if (nnfw_q8_light(e))
		return c;
	if (e->threads > 1)
		c.unit = size_min(c.unit,
				  panel_columns(unit_work(e, CALL * e->block), rows * e->depth));
	if (blocks > 1 && weights > e->caches.second / 2) {
		again = e->groups * ((e->columns + stay - 1) / stay);
		c.weights_first = e->input * again + weights < e->input + weights * blocks;
	}
	if (c.weights_first)
		c.unit = size_min(c.unit, stay);
	/* of one size, as far as they can */
	n = (e->columns + c.unit - 1) / c.unit;
	c.unit = size_min(e->columns, nnutil_align_up((e->columns + n - 1) / n, NNFW_Q8_PANEL));
	c.call = size_min(c.unit, size_min(stay, panel_columns(CALL * e->block, rows * e->depth)));
	return c;
}

size_t nnfw_q8_grain(const struct nnfw_q8_extent *e, size_t rows, size_t columns)
{
	size_t grain = e->block / GRAINS / (rows * columns * e->depth + 1);

	return grain ? grain : 1;
}
