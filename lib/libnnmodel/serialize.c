// SPDX-License-Identifier: Apache-2.0
/*
 * Models as bytes: little-endian, every list preceded by its length. The whole model goes one way only, for
 * digests: constants are written by value, so it does not matter where they live. The signature of main
 * (its inputs and outputs) comes back from bytes that nobody vouches for.
 */
#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct sink {
	int (*put)(void *cookie, const void *data, size_t size);
	void *cookie;
	int error;
};

static void put(struct sink *s, const void *data, size_t size)
{
	if (!s->error && size)
		s->error = s->put(s->cookie, data, size);
}

static void put_u32(struct sink *s, uint32_t n)
{
	n = htole32(n);
	put(s, &n, sizeof(n));
}

static void put_u64(struct sink *s, uint64_t n)
{
	n = htole64(n);
	put(s, &n, sizeof(n));
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

/* What an operand is, without its value. */
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

static int put_operand(struct sink *s, const struct nnmodel *model, const struct nnmodel_maps *maps,
		       const struct nnmodel_operand *o)
{
	const void *data = NULL;
	size_t size = 0;
	int ret;

	put_type(s, o);
	/* by value, wherever it is */
	put_u32(s, nnmodel_is_constant(o) ? NNMODEL_CONSTANT_COPY : o->lifetime);
	put_u64(s, o->lifetime == NNMODEL_LIFETIME_SUBGRAPH ? o->location.offset : 0);
	put_u64(s, o->extension_size);
	put(s, o->extension_data, o->extension_size);
	if (nnmodel_is_constant(o)) {
		ret = nnmodel_constant(model, maps, o, &data, &size);
		if (ret)
			return ret;
	}
	put_u64(s, size);
	put(s, data, size);
	return s->error;
}

static int put_subgraph(struct sink *s, const struct nnmodel *model, const struct nnmodel_maps *maps,
			const struct nnmodel_subgraph *g)
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

int nnmodel_serialize(const struct nnmodel *model,
		      int (*put_bytes)(void *cookie, const void *data, size_t size), void *cookie)
{
	struct sink s = { put_bytes, cookie, 0 };
	struct nnmodel_maps *maps;
	int ret;

	ret = nnmodel_map_pools(model, &maps);
	if (ret)
		return ret;
	put_u32(&s, model->relaxed);
	put_u32(&s, model->num_extensions);
	for (uint32_t i = 0; i < model->num_extensions; i++) {
		size_t length = strlen(model->extensions[i].name);

		put_u32(&s, model->extensions[i].prefix);
		put_u64(&s, length);
		put(&s, model->extensions[i].name, length);
	}
	put_u32(&s, model->num_referenced);
	ret = put_subgraph(&s, model, maps, &model->main);
	for (uint32_t i = 0; i < model->num_referenced && !ret; i++)
		ret = put_subgraph(&s, model, maps, &model->referenced[i]);
	nnmodel_unmap_pools(maps);
	return ret ? ret : s.error;
}

/* ---- signature ----------------------------------------------------------------------------------- */

static int put_signature(struct sink *s, const struct nnmodel_subgraph *g, const uint32_t *list,
			 uint32_t count)
{
	put_u32(s, count);
	for (uint32_t i = 0; i < count; i++) {
		/* what an extension's type is, only the model's own table of names could say */
		if (!nnmodel_type_info(g->operands[list[i]].type))
			return -EOPNOTSUPP;
		put_type(s, &g->operands[list[i]]);
	}
	return s->error;
}

int nnmodel_serialize_signature(const struct nnmodel *model,
				int (*put_bytes)(void *cookie, const void *data, size_t size),
				void *cookie)
{
	const struct nnmodel_subgraph *g = &model->main;
	struct sink s = { put_bytes, cookie, 0 };
	int ret = put_signature(&s, g, g->inputs, g->num_inputs);

	return ret ? ret : put_signature(&s, g, g->outputs, g->num_outputs);
}

struct source {
	const uint8_t *at;
	size_t left;
	bool failed;
};

static uint32_t get_u32(struct source *s)
{
	uint32_t n;

	if (s->left < sizeof(n)) {
		s->failed = true;
		s->left = 0;
		return 0;
	}
	memcpy(&n, s->at, sizeof(n));
	s->at += sizeof(n);
	s->left -= sizeof(n);
	return le32toh(n);
}

static float get_float(struct source *s)
{
	uint32_t bits = get_u32(s);
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* A length of a list of words: no longer than what is left, so that nothing is allocated for a lie. */
static uint32_t get_count(struct source *s)
{
	uint32_t count = get_u32(s);

	if (count > s->left / sizeof(uint32_t)) {
		s->failed = true;
		count = 0;
	}
	return count;
}

static bool positive(float scale)
{
	return scale > 0 && isfinite(scale);
}

/* As nnmodel_validate() would have it. */
static bool type_is_sound(const struct nnmodel_operand *o)
{
	const struct nnmodel_type_info *info = nnmodel_type_info(o->type);

	if (!info || o->type == NNMODEL_SUBGRAPH || (info->scalar && o->rank))
		return false;
	if (info->quant != NNMODEL_QUANT_CHANNEL && (o->num_scales || o->channel_dim))
		return false;
	switch (info->quant) {
	case NNMODEL_QUANT_OPTIONAL:
		return (o->scale == 0 || positive(o->scale)) && o->zero_point == 0;
	case NNMODEL_QUANT_REQUIRED:
		return positive(o->scale) && o->zero_point >= info->zero_point_min &&
		       o->zero_point <= info->zero_point_max;
	case NNMODEL_QUANT_CHANNEL:
		if (o->channel_dim >= o->rank || !o->num_scales ||
		    o->num_scales != o->dims[o->channel_dim])
			return false;
		for (uint32_t i = 0; i < o->num_scales; i++)
			if (!positive(o->scales[i]))
				return false;
		/* fall through */
	default:
		return o->scale == 0 && o->zero_point == 0;
	}
}

/* -EINVAL; -ENOMEM. What was allocated is the model's on error as well. */
static int get_operand(struct source *s, struct nnmodel *model, uint32_t lifetime)
{
	struct nnmodel_operand *o;
	uint32_t type, count;
	int n;

	type = get_u32(s);
	n = nnmodel_add_operand(model, type, lifetime, NULL, 0, 0, 0);
	if (n < 0)
		return n;
	o = &model->main.operands[n];
	count = get_count(s);
	o->dims = calloc(count + 1ul, sizeof(*o->dims));
	if (!o->dims)
		return -ENOMEM;
	o->rank = count;
	for (uint32_t i = 0; i < count; i++)
		o->dims[i] = get_u32(s);
	o->scale = get_float(s);
	o->zero_point = (int32_t)get_u32(s);
	o->channel_dim = get_u32(s);
	count = get_count(s);
	o->scales = count ? calloc(count, sizeof(*o->scales)) : NULL;
	if (count && !o->scales)
		return -ENOMEM;
	o->num_scales = count;
	for (uint32_t i = 0; i < count; i++)
		o->scales[i] = get_float(s);
	return s->failed || !type_is_sound(o) ? -EINVAL : 0;
}

static int get_operands(struct source *s, struct nnmodel *model, uint32_t lifetime, uint32_t *count)
{
	int ret = 0;

	*count = get_count(s);
	for (uint32_t i = 0; i < *count && !ret; i++)
		ret = get_operand(s, model, lifetime);
	return s->failed ? -EINVAL : ret;
}

int nnmodel_parse_signature(const void *bytes, size_t size, struct nnmodel **out)
{
	struct source s = { bytes, size, false };
	struct nnmodel *model = nnmodel_new();
	uint32_t num_in = 0, num_out = 0, i, *list = NULL;
	int ret;

	*out = NULL;
	if (!model)
		return -ENOMEM;
	ret = get_operands(&s, model, NNMODEL_SUBGRAPH_INPUT, &num_in);
	if (!ret)
		ret = get_operands(&s, model, NNMODEL_SUBGRAPH_OUTPUT, &num_out);
	if (!ret && s.left)
		ret = -EINVAL;
	if (!ret) {
		list = calloc((size_t)num_in + num_out + 1, sizeof(*list));
		ret = list ? 0 : -ENOMEM;
	}
	if (!ret) {
		for (i = 0; i < num_in + num_out; i++)
			list[i] = i;
		ret = nnmodel_set_io(model, list, num_in, list + num_in, num_out);
	}
	free(list);
	if (ret)
		nnmodel_free(model);
	else
		*out = model;
	return ret;
}
