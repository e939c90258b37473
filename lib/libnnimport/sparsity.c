// SPDX-License-Identifier: Apache-2.0
/*
 * A sparse tensor is a tree: level l of it walks along the dimension traversal_order[l]. A dense
 * level has all indices; a sparse one lists those that are there, between two segments per parent.
 * Dimensions beyond the rank are inner ones of blocks: block_map[b] names the dimension of the
 * tensor that block dimension b divides. The leaves are the values, in the order of the walk.
 */
#include "tflite.h"

#include <stdlib.h>
#include <string.h>

enum { SPARSITY_ORDER, SPARSITY_BLOCKS, SPARSITY_LEVELS };
enum {
	LEVEL_FORMAT,
	LEVEL_SIZE,
	LEVEL_SEGMENTS_TYPE,
	LEVEL_SEGMENTS,
	LEVEL_INDICES_TYPE,
	LEVEL_INDICES
};
enum { VALUES };
enum { DENSE, SPARSE };

/* What a sparse file may become. */
#define DENSE_BYTES (32u << 20)
#define DENSE_PER_BYTE 100u

#define MAX_LEVELS (2 * NNIMPORT_MAX_RANK)

/* A vector of indices of one of the three widths. */
struct numbers {
	struct fb_vector vec;
	int8_t type; /* of the union SparseIndexVector: 1: int32, 2: uint16, 3: uint8 */
};

struct level {
	bool sparse;
	uint32_t size; /* of a dense level */
	uint32_t dim; /* number of the dimension: of the tensor, then of the blocks */
	struct numbers segments, indices;
	int64_t walked; /* indices so far: segments follow each other */
};

struct walk {
	struct fb *fb;
	const struct fb_vector *data;
	struct tflite_tensor *tensor;
	uint32_t levels, blocks;
	struct level level[MAX_LEVELS];
	uint32_t block_dim[NNIMPORT_MAX_RANK]; /* the dimension that a block dimension divides */
	uint32_t block_size[NNIMPORT_MAX_RANK]; /* of the blocks along a dimension; 1: none */
	uint32_t at[MAX_LEVELS]; /* index along each dimension, then along each block dimension */
	size_t element, leaf;
	uint8_t *out;
};

static bool read_numbers(const struct fb_table *t, unsigned int type, unsigned int field,
			 struct numbers *numbers)
{
	static const size_t sizes[] = { 0, 4, 2, 1 };
	struct fb_table table;

	numbers->type = fb_i8(t, type, 0);
	if (numbers->type < 1 || numbers->type > 3)
		return fb_fail(t->fb, t->pos, "a sparse dimension has index type %d",
			       numbers->type);
	return fb_subtable(t, field, &table) && table.pos &&
	       fb_vec(&table, VALUES, sizes[numbers->type], &numbers->vec);
}

static int64_t sparsity_number(const struct fb *fb, const struct numbers *n, uint32_t i)
{
	return n->type == 1   ? fb_vec_i32(fb, &n->vec, i)
	       : n->type == 2 ? fb_vec_u16(fb, &n->vec, i)
			      : fb_vec_u8(fb, &n->vec, i);
}

static bool read_level(struct walk *w, const struct fb_table *t, int32_t dim, uint32_t l)
{
	struct level *level = &w->level[l];

	if (dim < 0 || (uint32_t)dim >= w->levels)
		return fb_fail(w->fb, t->pos, "tensor %s: its order of dimensions names %d of %u",
			       w->tensor->name, dim, w->levels);
	for (uint32_t k = 0; k < l; k++)
		if (w->level[k].dim == (uint32_t)dim)
			return fb_fail(w->fb, t->pos,
				       "tensor %s: its order of dimensions names %d twice",
				       w->tensor->name, dim);
	level->dim = (uint32_t)dim;
	level->sparse = fb_i8(t, LEVEL_FORMAT, DENSE) == SPARSE;
	level->size = (uint32_t)fb_i32(t, LEVEL_SIZE, 0);
	return !level->sparse ||
	       (read_numbers(t, LEVEL_SEGMENTS_TYPE, LEVEL_SEGMENTS, &level->segments) &&
		read_numbers(t, LEVEL_INDICES_TYPE, LEVEL_INDICES, &level->indices));
}

/* Extents of dense levels, which the shape gives as well. */
static bool check_sizes(struct walk *w, const struct fb_table *sparsity)
{
	const struct tflite_tensor *t = w->tensor;

	for (uint32_t l = 0; l < w->levels; l++)
		if (w->level[l].dim >= t->rank) {
			uint32_t b = w->level[l].dim - t->rank;

			if (w->level[l].sparse || !w->level[l].size)
				return fb_fail(w->fb, sparsity->pos,
					       "tensor %s: block dimension %u is not dense",
					       t->name, b);
			w->block_size[w->block_dim[b]] = w->level[l].size;
		}
	for (uint32_t l = 0; l < w->levels; l++) {
		uint32_t d = w->level[l].dim;

		if (d >= t->rank || w->level[l].sparse)
			continue;
		if ((uint64_t)w->level[l].size * w->block_size[d] != (uint32_t)t->dims[d])
			return fb_fail(
				w->fb, sparsity->pos,
				"tensor %s: dimension %u has %u entries in blocks of %u, its shape %d",
				t->name, d, w->level[l].size, w->block_size[d], t->dims[d]);
	}
	return true;
}

static bool read_levels(struct walk *w, const struct fb_table *sparsity)
{
	struct fb_vector order, map, levels;
	struct fb_table t;

	if (!fb_vec(sparsity, SPARSITY_ORDER, 4, &order) ||
	    !fb_vec(sparsity, SPARSITY_BLOCKS, 4, &map) ||
	    !fb_vec(sparsity, SPARSITY_LEVELS, 4, &levels))
		return false;
	w->levels = order.count;
	w->blocks = map.count;
	if (levels.count != order.count || w->blocks > w->tensor->rank ||
	    w->levels != w->tensor->rank + w->blocks)
		return fb_fail(w->fb, sparsity->pos,
			       "tensor %s of rank %u has %u sparse levels, %u in order, %u blocks",
			       w->tensor->name, w->tensor->rank, levels.count, order.count,
			       w->blocks);
	for (uint32_t b = 0; b < NNIMPORT_MAX_RANK; b++)
		w->block_size[b] = 1;
	for (uint32_t b = 0; b < w->blocks; b++) {
		w->block_dim[b] = (uint32_t)fb_vec_i32(w->fb, &map, b);
		if (w->block_dim[b] >= w->tensor->rank)
			return fb_fail(w->fb, map.pos,
				       "tensor %s: block %u is of dimension %u of %u",
				       w->tensor->name, b, w->block_dim[b], w->tensor->rank);
	}
	for (uint32_t l = 0; l < w->levels; l++)
		if (!fb_vec_table(w->fb, &levels, l, &t) ||
		    !read_level(w, &t, fb_vec_i32(w->fb, &order, l), l))
			return false;
	return check_sizes(w, sparsity);
}

static bool put_leaf(struct walk *w)
{
	const struct tflite_tensor *t = w->tensor;
	size_t place = 0;

	for (uint32_t d = 0; d < t->rank; d++) {
		uint64_t index = w->at[d];

		for (uint32_t b = 0; b < w->blocks; b++)
			if (w->block_dim[b] == d)
				index = index * w->block_size[d] + w->at[t->rank + b];
		if (index >= (uint32_t)t->dims[d])
			return fb_fail(w->fb, w->data->pos,
				       "tensor %s: a sparse index is %llu of %d along dimension %u",
				       t->name, (unsigned long long)index, t->dims[d], d);
		place = place * (size_t)t->dims[d] + (size_t)index;
	}
	if ((w->leaf + 1) * w->element > w->data->count)
		return fb_fail(
			w->fb, w->data->pos,
			"tensor %s: its buffer has %u bytes, fewer than its sparse indices need",
			t->name, w->data->count);
	memcpy(w->out + place * w->element, w->fb->base + w->data->pos + w->leaf * w->element,
	       w->element);
	w->leaf++;
	return true;
}

/* @parent: number of the entry of the level above, among all of that level. */
static bool walk_level(struct walk *w, uint32_t l, uint64_t parent)
{
	struct level *level = &w->level[l];
	int64_t begin, end;

	if (l == w->levels)
		return put_leaf(w);
	if (!level->sparse) {
		for (uint32_t i = 0; i < level->size; i++) {
			w->at[level->dim] = i;
			if (!walk_level(w, l + 1, parent * level->size + i))
				return false;
		}
		return true;
	}
	if (parent + 1 >= level->segments.vec.count)
		return fb_fail(w->fb, level->segments.vec.pos,
			       "tensor %s: level %u has no segment %llu", w->tensor->name, l,
			       (unsigned long long)parent);
	begin = sparsity_number(w->fb, &level->segments, (uint32_t)parent);
	end = sparsity_number(w->fb, &level->segments, (uint32_t)parent + 1);
	if (begin != level->walked || end < begin || end > level->indices.vec.count)
		return fb_fail(w->fb, level->segments.vec.pos,
			       "tensor %s: a segment of level %u is %lld to %lld of %u",
			       w->tensor->name, l, (long long)begin, (long long)end,
			       level->indices.vec.count);
	level->walked = end;
	for (int64_t i = begin; i < end; i++) {
		w->at[level->dim] = (uint32_t)sparsity_number(w->fb, &level->indices, (uint32_t)i);
		if (!walk_level(w, l + 1, (uint64_t)i))
			return false;
	}
	return true;
}

bool tflite_densify(struct fb *fb, const struct fb_table *sparsity, const struct fb_vector *data,
		    struct tflite_tensor *tensor)
{
	struct walk w = { .fb = fb, .data = data, .tensor = tensor };

	w.element = nnimport_type_size(tensor->type);
	if (!w.element || !tensor->size)
		return fb_fail(fb, sparsity->pos, "sparse tensor %s is %s of %zu bytes",
			       tensor->name, nnimport_type_name(tensor->type), tensor->size);
	if (tensor->size > DENSE_BYTES + DENSE_PER_BYTE * fb->size)
		return fb_fail(fb, sparsity->pos,
			       "sparse tensor %s of %zu bytes is too large for a file of %zu",
			       tensor->name, tensor->size, fb->size);
	if (!read_levels(&w, sparsity))
		return false;
	w.out = calloc(1, tensor->size + 1);
	if (!w.out)
		return false;
	tflite_set_constant(tensor, w.out);
	if (!walk_level(&w, 0, 0))
		return false;
	if (w.leaf * w.element != data->count)
		return fb_fail(fb, data->pos,
			       "tensor %s: its buffer has %u bytes, its sparse indices need %zu",
			       tensor->name, data->count, w.leaf * w.element);
	return true;
}
