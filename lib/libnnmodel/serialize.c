// SPDX-License-Identifier: Apache-2.0
/*
 * Models as bytes: little-endian, every list preceded by its length. Two forms of the whole model,
 * which the first word distinguishes: canonical, with constants by value, so that it does not
 * matter where they live; and with the values and a table of pools ahead and constants by their
 * place in them. parse_model.c reads both.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "nnmodel_common.h"
#include "nnmodel_rows.h"

struct sink {
	int (*put)(void *cookie, const void *data, size_t size);
	void *cookie;
	int error;
};

static void serialize_put(struct sink *s, const void *data, size_t size)
{
	if (!s->error && size)
		s->error = s->put(s->cookie, data, size);
}

static void put_u32(struct sink *s, uint32_t n)
{
	n = htole32(n);
	serialize_put(s, &n, sizeof(n));
}

static void put_u64(struct sink *s, uint64_t n)
{
	n = htole64(n);
	serialize_put(s, &n, sizeof(n));
}

static void put_float(struct sink *s, float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	put_u32(s, bits);
}

static void put_list(struct sink *s, const uint32_t *list, uint32_t count)
{
	put_u32(s, count);
	for (uint32_t i = 0; i < count; i++)
		put_u32(s, list[i]);
}

/* The description of an operand, without its value. */
static void put_type(struct sink *s, const struct nnmodel_operand *o)
{
	put_u32(s, o->type);
	put_list(s, o->dims, o->rank);
	put_float(s, o->scale);
	put_u32(s, (uint32_t)o->zero_point);
	put_u32(s, o->channel_dim);
	put_u32(s, o->num_scales);
	for (uint32_t i = 0; i < o->num_scales; i++)
		put_float(s, o->scales[i]);
}

/* By its place in values and pools. */
static int put_placed_operand(struct sink *s, const struct nnmodel_operand *o)
{
	put_type(s, o);
	put_u32(s, o->lifetime);
	put_u32(s, o->location.pool);
	put_u64(s, o->location.offset);
	put_u64(s, o->location.length);
	put_u64(s, o->extension_size);
	serialize_put(s, o->extension_data, o->extension_size);
	return s->error;
}

/* @maps NULL: the form with places. */
static int put_operand(struct sink *s, const struct nnmodel *model, const struct nnmodel_maps *maps,
		       const struct nnmodel_operand *o)
{
	const void *data = NULL;
	size_t size = 0;
	int ret;

	if (!maps)
		return put_placed_operand(s, o);
	put_type(s, o);
	/* by value, wherever it is */
	put_u32(s, nnmodel_is_constant(o) ? NNMODEL_CONSTANT_COPY : o->lifetime);
	put_u64(s, o->lifetime == NNMODEL_LIFETIME_SUBGRAPH ? o->location.offset : 0);
	put_u64(s, o->extension_size);
	serialize_put(s, o->extension_data, o->extension_size);
	if (nnmodel_is_constant(o)) {
		ret = nnmodel_constant(model, maps, o, &data, &size);
		if (ret)
			return ret;
	}
	put_u64(s, size);
	serialize_put(s, data, size);
	return s->error;
}

static int put_subgraph(struct sink *s, const struct nnmodel *model,
			const struct nnmodel_maps *maps, const struct nnmodel_subgraph *g)
{
	int ret = 0;

	put_u32(s, g->num_operands);
	for (uint32_t i = 0; i < g->num_operands && !ret; i++)
		ret = put_operand(s, model, maps, &g->operands[i]);
	if (ret)
		return ret;
	put_u32(s, g->num_operations);
	for (uint32_t i = 0; i < g->num_operations; i++) {
		const struct nnmodel_operation *op = &g->operations[i];

		put_u32(s, op->type);
		put_list(s, op->inputs, op->num_inputs);
		put_list(s, op->outputs, op->num_outputs);
	}
	put_list(s, g->inputs, g->num_inputs);
	put_list(s, g->outputs, g->num_outputs);
	return s->error;
}

static void put_extensions(struct sink *s, const struct nnmodel *model)
{
	put_u32(s, model->num_extensions);
	for (uint32_t i = 0; i < model->num_extensions; i++) {
		size_t length = strlen(model->extensions[i].name);

		put_u32(s, model->extensions[i].prefix);
		put_u64(s, length);
		serialize_put(s, model->extensions[i].name, length);
	}
}

static void put_places(struct sink *s, const struct nnmodel *model)
{
	put_u32(s, model->num_pools);
	for (uint32_t i = 0; i < model->num_pools; i++) {
		put_u32(s, (uint32_t)model->pools[i].prot);
		put_u64(s, model->pools[i].offset);
		put_u64(s, model->pools[i].size);
	}
	put_u64(s, model->values_size);
	serialize_put(s, model->values, model->values_size);
}

static int put_graphs(struct sink *s, const struct nnmodel *model, const struct nnmodel_maps *maps)
{
	int ret;

	put_u32(s, model->num_referenced);
	ret = put_subgraph(s, model, maps, &model->main);
	for (uint32_t i = 0; i < model->num_referenced && !ret; i++)
		ret = put_subgraph(s, model, maps, &model->referenced[i]);
	return ret ? ret : s->error;
}

int nnmodel_serialize(const struct nnmodel *model,
		      int (*put_bytes)(void *cookie, const void *data, size_t size), void *cookie)
{
	struct sink s = { put_bytes, cookie, 0 };
	struct nnmodel_maps *maps;
	struct nnmodel older;
	int ret;

	model = nnmodel_known(model, &older);
	if (!model)
		return -EINVAL;
	ret = nnmodel_map_pools(model, &maps);
	if (ret)
		return ret;
	put_u32(&s, model->relaxed ? NNMODEL_BYTES_RELAXED : 0);
	put_extensions(&s, model);
	ret = put_graphs(&s, model, maps);
	nnmodel_unmap_pools(maps);
	return ret;
}

int nnmodel_serialize_places(const struct nnmodel *model,
			     int (*put_bytes)(void *cookie, const void *data, size_t size),
			     void *cookie)
{
	struct sink s = { put_bytes, cookie, 0 };
	struct nnmodel older;

	model = nnmodel_known(model, &older);
	if (!model)
		return -EINVAL;
	put_u32(&s, NNMODEL_BYTES_PLACES | (model->relaxed ? NNMODEL_BYTES_RELAXED : 0));
	put_extensions(&s, model);
	put_places(&s, model);
	return put_graphs(&s, model, NULL);
}

/* ---- signature ---- */

static bool has_extension(const struct nnmodel_subgraph *g, const uint32_t *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (nnmodel_is_extension(g->operands[list[i]].type))
			return true;
	return false;
}

static int put_signature(struct sink *s, const struct nnmodel_subgraph *g, const uint32_t *list,
			 uint32_t count)
{
	put_u32(s, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct nnmodel_operand *o = &g->operands[list[i]];

		if (!nnmodel_type_info(o->type) && !nnmodel_is_extension(o->type))
			return -EOPNOTSUPP;
		put_type(s, o);
		put_u64(s, o->extension_size);
		serialize_put(s, o->extension_data, o->extension_size);
	}
	return s->error;
}

int nnmodel_serialize_signature(const struct nnmodel *model,
				int (*put_bytes)(void *cookie, const void *data, size_t size),
				void *cookie)
{
	struct sink s = { put_bytes, cookie, 0 };
	const struct nnmodel_subgraph *g;
	struct nnmodel older;
	int ret;

	model = nnmodel_known(model, &older);
	if (!model)
		return -EINVAL;
	g = &model->main;
	/* only the model's table of names defines the types of extensions */
	if (has_extension(g, g->inputs, g->num_inputs) ||
	    has_extension(g, g->outputs, g->num_outputs))
		put_extensions(&s, model);
	else
		put_u32(&s, 0);
	ret = put_signature(&s, g, g->inputs, g->num_inputs);
	return ret ? ret : put_signature(&s, g, g->outputs, g->num_outputs);
}
