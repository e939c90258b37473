// SPDX-License-Identifier: Apache-2.0
/*
 * A whole model from untrusted bytes, in either form of serialize.c. The result is complete as a
 * structure: every list is present and as long as it says. nnmodel_validate() decides whether NNAPI
 * allows the model, indexes and places of constants included.
 *
 * Each form has one way to write a model, and everything else is refused: a model that was read
 * serializes to the same bytes.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nnmodel_common.h"

/* Alignment of constants by value, as nnmodel_set_value()'s. */
#define VALUE_ALIGN 64u

/* Bytes of the smallest entry of a list. */
#define MIN_POOL 20u
#define MIN_OPERAND 52u
#define MIN_OPERATION 12u
#define MIN_SUBGRAPH 16u

struct reader {
	struct source s;
	struct nnmodel *model;
	bool places; /* which form */
	size_t values_max; /* bytes allocated for model->values, by value */
};

/* The pools get their descriptors when everything else is read. */
static int get_places(struct reader *r, uint32_t num_fds)
{
	struct nnmodel *m = r->model;
	uint32_t count = nnmodel_get_count(&r->s, MIN_POOL);
	void *values;
	int ret;

	if (r->s.failed || count != num_fds)
		return -EINVAL;
	m->pools = count ? calloc(count, sizeof(*m->pools)) : NULL;
	if (count && !m->pools)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		m->pools[i].fd = -1;
		m->pools[i].prot = (int)nnmodel_get_u32(&r->s);
		m->pools[i].offset = nnmodel_get_u64(&r->s);
		m->pools[i].size = nnmodel_get_u64(&r->s);
	}
	m->num_pools = count;
	m->values_size = nnmodel_get_u64(&r->s);
	ret = nnmodel_get_copy(&r->s, m->values_size, &values);
	m->values = values;
	return ret;
}

/* A constant by value, behind the others. */
static int get_value(struct reader *r, struct nnmodel_operand *o, uint64_t size)
{
	struct nnmodel *m = r->model;
	const void *bytes = nnmodel_get_bytes(&r->s, size);
	size_t start, end;

	if (!bytes)
		return -EINVAL;
	if (__builtin_add_overflow(m->values_size, VALUE_ALIGN - 1, &start))
		return -ENOMEM;
	start &= ~(size_t)(VALUE_ALIGN - 1);
	if (__builtin_add_overflow(start, size, &end))
		return -ENOMEM;
	if (!m->values || end > r->values_max) {
		/* by half more: a model may have very many small ones */
		size_t max = end + end / 2 + VALUE_ALIGN;
		uint8_t *values = max > end ? realloc(m->values, max) : NULL;

		if (!values)
			return -ENOMEM;
		m->values = values;
		r->values_max = max;
	}
	memset(m->values + m->values_size, 0, start - m->values_size);
	memcpy(m->values + start, bytes, size);
	m->values_size = end;
	o->location.offset = start;
	o->location.length = size;
	return 0;
}

/* After the type: the place of the value, or the value; then the extension data. */
static int get_operand(struct reader *r, struct nnmodel_operand *o)
{
	uint64_t size;
	int ret = nnmodel_get_type(&r->s, o);

	if (ret)
		return ret;
	o->lifetime = nnmodel_get_u32(&r->s);
	if (r->places)
		o->location.pool = nnmodel_get_u32(&r->s);
	o->location.offset = nnmodel_get_u64(&r->s);
	if (r->places)
		o->location.length = nnmodel_get_u64(&r->s);
	o->extension_size = nnmodel_get_u64(&r->s);
	ret = nnmodel_get_copy(&r->s, o->extension_size, &o->extension_data);
	if (ret || r->places)
		return ret;

	size = nnmodel_get_u64(&r->s);
	if (o->lifetime == NNMODEL_CONSTANT_REFERENCE ||
	    (o->location.offset && o->lifetime != NNMODEL_LIFETIME_SUBGRAPH) ||
	    (size && o->lifetime != NNMODEL_CONSTANT_COPY))
		return -EINVAL;
	return o->lifetime == NNMODEL_CONSTANT_COPY ? get_value(r, o, size) : 0;
}

static int get_subgraph(struct reader *r, struct nnmodel_subgraph *g)
{
	struct source *s = &r->s;
	uint32_t count = nnmodel_get_count(s, MIN_OPERAND);
	int ret = 0;

	g->operands = count ? calloc(count, sizeof(*g->operands)) : NULL;
	if (count && !g->operands)
		return -ENOMEM;
	g->num_operands = count;
	for (uint32_t i = 0; i < count && !ret; i++)
		ret = get_operand(r, &g->operands[i]);
	if (ret)
		return ret;

	count = nnmodel_get_count(s, MIN_OPERATION);
	g->operations = count ? calloc(count, sizeof(*g->operations)) : NULL;
	if (count && !g->operations)
		return -ENOMEM;
	g->num_operations = count;
	for (uint32_t i = 0; i < count && !ret; i++) {
		struct nnmodel_operation *op = &g->operations[i];

		op->type = nnmodel_get_u32(s);
		ret = nnmodel_get_list(s, &op->inputs, &op->num_inputs);
		if (!ret)
			ret = nnmodel_get_list(s, &op->outputs, &op->num_outputs);
	}
	if (!ret)
		ret = nnmodel_get_list(s, &g->inputs, &g->num_inputs);
	if (!ret)
		ret = nnmodel_get_list(s, &g->outputs, &g->num_outputs);
	return s->failed ? -EINVAL : ret;
}

static int get_graphs(struct reader *r)
{
	struct nnmodel *m = r->model;
	uint32_t count = nnmodel_get_count(&r->s, MIN_SUBGRAPH);
	int ret;

	m->referenced = count ? calloc(count, sizeof(*m->referenced)) : NULL;
	if (count && !m->referenced)
		return -ENOMEM;
	m->num_referenced = count;
	ret = get_subgraph(r, &m->main);
	for (uint32_t i = 0; i < count && !ret; i++)
		ret = get_subgraph(r, &m->referenced[i]);
	return r->s.failed ? -EINVAL : ret;
}

static int get_model(struct reader *r, uint32_t num_fds)
{
	uint32_t flags = nnmodel_get_u32(&r->s);
	int ret;

	if (r->s.failed || flags & ~(uint32_t)(NNMODEL_BYTES_RELAXED | NNMODEL_BYTES_PLACES))
		return -EINVAL;
	r->model->relaxed = flags & NNMODEL_BYTES_RELAXED;
	r->places = flags & NNMODEL_BYTES_PLACES;
	ret = nnmodel_get_extensions(&r->s, r->model);
	if (!ret && r->places)
		ret = get_places(r, num_fds);
	else if (!ret && num_fds)
		ret = -EINVAL;
	if (!ret)
		ret = get_graphs(r);
	return !ret && r->s.left ? -EINVAL : ret;
}

int nnmodel_parse(const void *bytes, size_t size, const int *fds, uint32_t num_fds,
		  struct nnmodel **out)
{
	struct reader r = { .s = { bytes, size, false }, .model = nnmodel_new() };
	int ret;

	*out = NULL;
	if (!r.model)
		return -ENOMEM;
	ret = num_fds && !fds ? -EINVAL : get_model(&r, num_fds);
	for (uint32_t i = 0; i < num_fds && !ret; i++)
		if (fds[i] < 0)
			ret = -EINVAL;
	if (ret) {
		nnmodel_free(r.model);
		return ret;
	}
	for (uint32_t i = 0; i < num_fds; i++)
		r.model->pools[i].fd = fds[i];
	*out = r.model;
	return 0;
}
