// SPDX-License-Identifier: Apache-2.0
/* Reading untrusted bytes. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nnmodel_common.h"

/* Bytes of the smallest extension. */
#define MIN_EXTENSION 12u

const void *nnmodel_get_bytes(struct source *s, uint64_t size)
{
	const uint8_t *at = s->at;

	if (size > s->left) {
		s->failed = true;
		s->left = 0;
		return NULL;
	}
	s->at += size;
	s->left -= size;
	return at;
}

uint32_t nnmodel_get_u32(struct source *s)
{
	const void *bytes = nnmodel_get_bytes(s, sizeof(uint32_t));
	uint32_t n = 0;

	if (bytes)
		memcpy(&n, bytes, sizeof(n));
	return le32toh(n);
}

uint64_t nnmodel_get_u64(struct source *s)
{
	const void *bytes = nnmodel_get_bytes(s, sizeof(uint64_t));
	uint64_t n = 0;

	if (bytes)
		memcpy(&n, bytes, sizeof(n));
	return le64toh(n);
}

float nnmodel_get_float(struct source *s)
{
	uint32_t bits = nnmodel_get_u32(s);
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

uint32_t nnmodel_get_count(struct source *s, size_t size)
{
	uint32_t count = nnmodel_get_u32(s);

	if (count > s->left / size) {
		s->failed = true;
		count = 0;
	}
	return count;
}

/* A list of words; NULL when it is empty. */
int nnmodel_get_list(struct source *s, uint32_t **list, uint32_t *count)
{
	uint32_t n = nnmodel_get_count(s, sizeof(**list));

	*list = n ? calloc(n, sizeof(**list)) : NULL;
	if (n && !*list)
		return -ENOMEM;
	*count = n;
	for (uint32_t i = 0; i < n; i++)
		(*list)[i] = nnmodel_get_u32(s);
	return s->failed ? -EINVAL : 0;
}

int nnmodel_get_type(struct source *s, struct nnmodel_operand *o)
{
	int ret;

	o->type = nnmodel_get_u32(s);
	ret = nnmodel_get_list(s, &o->dims, &o->rank);
	if (ret)
		return ret;
	o->scale = nnmodel_get_float(s);
	o->zero_point = (int32_t)nnmodel_get_u32(s);
	o->channel_dim = nnmodel_get_u32(s);
	o->num_scales = nnmodel_get_count(s, sizeof(*o->scales));
	if (o->num_scales) {
		o->scales = calloc(o->num_scales, sizeof(*o->scales));
		if (!o->scales) {
			o->num_scales = 0;
			return -ENOMEM;
		}
	}
	for (uint32_t i = 0; i < o->num_scales; i++)
		o->scales[i] = nnmodel_get_float(s);
	return s->failed ? -EINVAL : 0;
}

int nnmodel_get_copy(struct source *s, uint64_t size, void **copy)
{
	const void *bytes = nnmodel_get_bytes(s, size);

	*copy = NULL;
	if (!bytes)
		return -EINVAL;
	if (!size)
		return 0;
	*copy = malloc(size);
	if (!*copy)
		return -ENOMEM;
	memcpy(*copy, bytes, size);
	return 0;
}

static int get_extension(struct source *s, struct nnmodel_extension *e)
{
	uint32_t prefix = nnmodel_get_u32(s);
	uint64_t length = nnmodel_get_u64(s);
	const char *name = nnmodel_get_bytes(s, length);

	/* a name that ends before its length would be written shorter */
	if (!name || prefix > UINT16_MAX || memchr(name, '\0', length))
		return -EINVAL;
	e->prefix = (uint16_t)prefix;
	e->name = strndup(name, length);
	return e->name ? 0 : -ENOMEM;
}

int nnmodel_get_extensions(struct source *s, struct nnmodel *m)
{
	uint32_t count = nnmodel_get_count(s, MIN_EXTENSION);
	int ret = 0;

	m->extensions = count ? calloc(count, sizeof(*m->extensions)) : NULL;
	if (count && !m->extensions)
		return -ENOMEM;
	m->num_extensions = count;
	for (uint32_t i = 0; i < count && !ret; i++)
		ret = get_extension(s, &m->extensions[i]);
	return s->failed ? -EINVAL : ret;
}
