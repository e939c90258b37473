// SPDX-License-Identifier: Apache-2.0
/*
 * The pools and finished models that a model under construction refers to, with everything that
 * these refer to. Each is stored once, however many operands refer to it.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "nnutil_align.h"

#include "base/nnr_base.h"
#include "model/nnr_model.h"

uint64_t nnr_model_id(void)
{
	static atomic_uint_fast64_t last;

	return atomic_fetch_add(&last, 1) + 1;
}

/* From the end: what was last used is used next. */
static uint32_t import_model_find(const uint64_t *ids, uint32_t count, uint64_t id)
{
	uint32_t i;

	for (i = count; i; i--)
		if (ids[i - 1] == id)
			return i - 1;
	return NNR_NONE;
}

int nnr_builder_values(struct nnr_model_builder *b, size_t size, size_t *offset)
{
	struct nnmodel *m = b->model;
	size_t start, end, room;
	uint8_t *moved;

	if (m->values_size > SIZE_MAX / 2)
		return -ENOMEM;
	start = nnutil_align_up(m->values_size, NNR_VALUE_ALIGN);
	if (__builtin_add_overflow(start, size, &end) || end > SIZE_MAX / 2)
		return -ENOMEM;
	if (end > b->values_room) {
		room = 2 * end + 1024;
		moved = realloc(m->values, room);
		if (!moved)
			return -ENOMEM;
		m->values = moved;
		b->values_room = room;
	}
	if (end > m->values_size)
		memset(m->values + m->values_size, 0, end - m->values_size);
	m->values_size = end;
	*offset = start;
	return 0;
}

int nnr_builder_pool(struct nnr_model_builder *b, uint64_t id, const struct nnmodel_pool *pool,
		     uint32_t *number)
{
	struct nnmodel *m = b->model;
	struct nnmodel_pool copy = *pool;

	*number = import_model_find(b->pool_ids, m->num_pools, id);
	if (*number != NNR_NONE)
		return 0;
	if (nnr_grow(&m->pools, &b->pool_room, (size_t)m->num_pools + 1, sizeof(*m->pools)) ||
	    nnr_grow(&b->pool_ids, &b->pool_id_room, (size_t)m->num_pools + 1,
		     sizeof(*b->pool_ids)))
		return -ENOMEM;
	copy.fd = fcntl(pool->fd, F_DUPFD_CLOEXEC, 0);
	if (copy.fd < 0)
		return -errno;
	m->pools[m->num_pools] = copy;
	b->pool_ids[m->num_pools] = id;
	*number = m->num_pools++;
	return 0;
}

/* Where things of a finished model are in the one under construction. */
struct import {
	struct nnr_model_builder *builder;
	const struct nnr_model_data *data;
	uint32_t *graphs; /* per subgraph: 0 main, 1 + i referenced[i] */
	uint32_t *pools;
	size_t values; /* offset */
};

static void import_model_relocate(const struct import *im, struct nnmodel_subgraph *g)
{
	uint32_t i;

	for (i = 0; i < g->num_operands; i++) {
		struct nnmodel_operand *o = &g->operands[i];

		if (o->lifetime == NNMODEL_CONSTANT_COPY)
			o->location.offset += im->values;
		else if (o->lifetime == NNMODEL_CONSTANT_REFERENCE)
			o->location.pool = im->pools[o->location.pool];
		else if (o->lifetime == NNMODEL_LIFETIME_SUBGRAPH)
			o->location.offset = im->graphs[1 + o->location.offset];
	}
}

static uint64_t graph_id(const struct nnr_model_data *data, uint32_t subgraph)
{
	return subgraph ? data->referenced_ids[subgraph - 1] : data->id;
}

/*
 * Number all subgraphs; new ones follow those that are there. The value is the number of new ones.
 */
static uint32_t number_graphs(const struct import *im)
{
	const struct nnr_model_builder *b = im->builder;
	uint32_t i, added = 0;

	for (i = 0; i <= im->data->model->num_referenced; i++) {
		im->graphs[i] = import_model_find(b->referenced_ids, b->model->num_referenced,
						  graph_id(im->data, i));
		if (im->graphs[i] == NNR_NONE)
			im->graphs[i] = b->model->num_referenced + added++;
	}
	return added;
}

static int take_places(struct import *im)
{
	const struct nnmodel *from = im->data->model;
	uint32_t i;
	int ret;

	for (i = 0; i < from->num_pools; i++) {
		ret = nnr_builder_pool(im->builder, im->data->pool_ids[i], &from->pools[i],
				       &im->pools[i]);
		if (ret)
			return ret;
	}
	ret = nnr_builder_values(im->builder, from->values_size, &im->values);
	if (!ret && from->values_size)
		memcpy(im->builder->model->values + im->values, from->values, from->values_size);
	return ret;
}

static int take_graphs(struct import *im, uint32_t added)
{
	struct nnr_model_builder *b = im->builder;
	struct nnmodel *m = b->model;
	uint32_t first = m->num_referenced, i;

	if (added > UINT32_MAX - 2 - first ||
	    nnr_grow(&m->referenced, &b->referenced_room, (size_t)first + added,
		     sizeof(*m->referenced)) ||
	    nnr_grow(&b->referenced_ids, &b->id_room, (size_t)first + added,
		     sizeof(*b->referenced_ids)))
		return -ENOMEM;
	for (i = 0; i <= im->data->model->num_referenced; i++) {
		uint32_t to = im->graphs[i];

		if (to < first)
			continue;
		if (!nnr_subgraph_copy(&m->referenced[to], nnr_subgraph(im->data->model, i))) {
			while (to >= first && to != NNR_NONE)
				nnr_subgraph_clear(&m->referenced[to--]);
			return -ENOMEM;
		}
		import_model_relocate(im, &m->referenced[to]);
		b->referenced_ids[to] = graph_id(im->data, i);
	}
	m->num_referenced = first + added;
	return 0;
}

uint32_t nnr_builder_import(struct nnr_model_builder *b, const struct nnr_model_data *data,
			    int *result)
{
	struct import im = { .builder = b, .data = data };
	uint32_t number = import_model_find(b->referenced_ids, b->model->num_referenced, data->id),
		 added;
	int ret = -ENOMEM;

	*result = ANEURALNETWORKS_NO_ERROR;
	if (number != NNR_NONE)
		return number;
	im.graphs = nnr_array((size_t)data->model->num_referenced + 1, sizeof(*im.graphs));
	im.pools = nnr_array(data->model->num_pools, sizeof(*im.pools));
	if (im.graphs && im.pools) {
		added = number_graphs(&im);
		ret = take_places(&im);
		if (!ret)
			ret = take_graphs(&im, added);
		number = im.graphs[0];
	}
	free(im.graphs);
	free(im.pools);
	if (!ret)
		return number;
	*result = ret == -ENOMEM ? ANEURALNETWORKS_OUT_OF_MEMORY : ANEURALNETWORKS_OP_FAILED;
	return NNR_NONE;
}
