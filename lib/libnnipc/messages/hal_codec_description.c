// SPDX-License-Identifier: Apache-2.0
/* What a device is: all that is constant while it is open, in one value. */
#include "messages/nnipc_messages.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Far more than any device has: a worker must not make its client allocate without end. */
#define TEXT_MAX_BYTES 4096u
#define MAX_EXTENSIONS 1024u
#define MAX_TYPES 65536u
#define LEAST_TYPE (4 + 1 + 4)
#define LEAST_EXTENSION (1 + 4)

/* ---- asking ---- */

struct asking {
	struct nnipc_description *d;
	int error;
};

static int add_extension(void *cookie, const struct nnhal_extension *ext)
{
	struct asking *asking = cookie;
	struct nnipc_description *d = asking->d;
	size_t size = ext->num_types * sizeof(*ext->types);
	struct nnipc_extension *list, e = { 0 };

	list = realloc(d->extensions, (d->num_extensions + 1) * sizeof(*list));
	if (list)
		d->extensions = list;
	e.name = ext->name ? strdup(ext->name) : NULL;
	e.types = size && ext->types ? malloc(size) : NULL;
	if (!list || (ext->name && !e.name) || (size && ext->types && !e.types)) {
		free(e.name);
		free(e.types);
		asking->error = -ENOMEM;
		return 1;
	}
	if (e.types) {
		memcpy(e.types, ext->types, size);
		e.num_types = ext->num_types;
	}
	list[d->num_extensions++] = e;
	return 0;
}

int nnipc_describe_extensions(struct nnhal_device *dev, struct nnipc_description *d)
{
	struct asking asking = { .d = d };

	d->extensions_status = dev->ops->get_supported_extensions(dev, add_extension, &asking);
	return asking.error;
}

int nnipc_describe(struct nnhal_device *dev, struct nnipc_description *d)
{
	const struct nnhal_device_ops *ops = dev->ops;
	const char *name = ops->name(dev), *version = ops->version(dev);
	int ret = 0;

	*d = (struct nnipc_description){ .capabilities.size = sizeof(d->capabilities) };
	if (!name || !version)
		return -EINVAL;
	d->name = strdup(name);
	d->version = strdup(version);
	if (!d->name || !d->version)
		ret = -ENOMEM;
	d->type = (uint32_t)ops->type(dev);
	d->feature_level = ops->feature_level(dev);
	d->capabilities_status = ops->get_capabilities(dev, &d->capabilities);
	d->cache_files_status =
		ops->get_number_of_cache_files(dev, &d->num_model_cache, &d->num_data_cache);
	if (!ret)
		ret = nnipc_describe_extensions(dev, d);
	if (ret)
		nnipc_description_free(d);
	return ret;
}

void nnipc_description_free(struct nnipc_description *d)
{
	for (uint32_t i = 0; i < d->num_extensions; i++) {
		free(d->extensions[i].name);
		free(d->extensions[i].types);
	}
	free(d->extensions);
	free(d->name);
	free(d->version);
	*d = (struct nnipc_description){ 0 };
}

/* ---- as bytes ---- */

static void put_extension(struct nnipc_writer *w, const struct nnipc_extension *e)
{
	nnipc_put_text(w, e->name);
	nnipc_put_u32(w, e->num_types);
	for (uint32_t i = 0; i < e->num_types; i++) {
		nnipc_put_u32(w, e->types[i].type);
		nnipc_put_bool(w, e->types[i].is_tensor);
		nnipc_put_u32(w, e->types[i].byte_size);
	}
}

static void get_extension(struct nnipc_reader *r, struct nnipc_extension *e)
{
	uint32_t type;

	e->name = nnipc_get_text(r, TEXT_MAX_BYTES);
	e->num_types = nnipc_get_count(r, LEAST_TYPE, MAX_TYPES);
	e->types = nnipc_list_alloc(r, &e->num_types, sizeof(*e->types));
	for (uint32_t i = 0; i < e->num_types; i++) {
		type = nnipc_get_u32(r);
		if (type > UINT16_MAX)
			nnipc_reader_refuse(r);
		e->types[i].type = (uint16_t)type;
		e->types[i].is_tensor = nnipc_get_bool(r);
		e->types[i].byte_size = nnipc_get_u32(r);
	}
}

void nnipc_put_extensions(struct nnipc_writer *w, const struct nnipc_description *d)
{
	nnipc_put_status(w, d->extensions_status);
	nnipc_put_u32(w, d->num_extensions);
	for (uint32_t i = 0; i < d->num_extensions; i++)
		put_extension(w, &d->extensions[i]);
}

void nnipc_put_description(struct nnipc_writer *w, const struct nnipc_description *d)
{
	nnipc_put_text(w, d->name);
	nnipc_put_text(w, d->version);
	nnipc_put_u32(w, d->type);
	nnipc_put_u32(w, d->feature_level);
	nnipc_put_status(w, d->capabilities_status);
	nnipc_put_capabilities(w, &d->capabilities);
	nnipc_put_status(w, d->cache_files_status);
	nnipc_put_u32(w, d->num_model_cache);
	nnipc_put_u32(w, d->num_data_cache);
	nnipc_put_extensions(w, d);
}

void nnipc_get_description(struct nnipc_reader *r, struct nnipc_description *d)
{
	*d = (struct nnipc_description){ 0 };
	d->name = nnipc_get_text(r, TEXT_MAX_BYTES);
	d->version = nnipc_get_text(r, TEXT_MAX_BYTES);
	d->type = nnipc_get_u32(r);
	d->feature_level = nnipc_get_u32(r);
	d->capabilities_status = nnipc_get_status(r);
	nnipc_get_capabilities(r, &d->capabilities);
	d->cache_files_status = nnipc_get_status(r);
	d->num_model_cache = nnipc_get_u32(r);
	d->num_data_cache = nnipc_get_u32(r);
	d->extensions_status = nnipc_get_status(r);
	d->num_extensions = nnipc_get_count(r, LEAST_EXTENSION, MAX_EXTENSIONS);
	d->extensions = nnipc_list_alloc(r, &d->num_extensions, sizeof(*d->extensions));
	for (uint32_t i = 0; i < d->num_extensions; i++)
		get_extension(r, &d->extensions[i]);
	if (!d->name || !d->version)
		nnipc_reader_refuse(r);
	if (r->error)
		nnipc_description_free(d);
}

/* ---- comparing ---- */

static bool types_equal(const struct nnhal_extension_type *a, const struct nnhal_extension_type *b)
{
	return a->type == b->type && a->is_tensor == b->is_tensor && a->byte_size == b->byte_size;
}

static bool extensions_equal(const struct nnipc_description *a, const struct nnipc_description *b)
{
	if (a->extensions_status != b->extensions_status || a->num_extensions != b->num_extensions)
		return false;
	for (uint32_t i = 0; i < a->num_extensions; i++) {
		const struct nnipc_extension *x = &a->extensions[i], *y = &b->extensions[i];

		if (!x->name != !y->name || (x->name && strcmp(x->name, y->name)) ||
		    x->num_types != y->num_types)
			return false;
		for (uint32_t k = 0; k < x->num_types; k++)
			if (!types_equal(&x->types[k], &y->types[k]))
				return false;
	}
	return true;
}

/* A NaN is equal to itself: it is the same answer. */
static bool floats_equal(float a, float b)
{
	return a == b || (isnan(a) && isnan(b));
}

static bool performance_equal(const struct nnhal_performance *a, const struct nnhal_performance *b)
{
	return floats_equal(a->exec_time, b->exec_time) &&
	       floats_equal(a->power_usage, b->power_usage);
}

static bool capabilities_equal(const struct nnhal_capabilities *a,
			       const struct nnhal_capabilities *b)
{
	bool equal = performance_equal(&a->relaxed_scalar, &b->relaxed_scalar) &&
		     performance_equal(&a->relaxed_tensor, &b->relaxed_tensor) &&
		     performance_equal(&a->if_performance, &b->if_performance) &&
		     performance_equal(&a->while_performance, &b->while_performance);

	for (uint32_t i = 0; i < NNMODEL_TYPE_COUNT; i++)
		equal = equal && performance_equal(&a->operand[i], &b->operand[i]);
	return equal;
}

const char *nnipc_description_differs(const struct nnipc_description *a,
				      const struct nnipc_description *b)
{
	if (strcmp(a->name, b->name))
		return "name";
	if (strcmp(a->version, b->version))
		return "version";
	if (a->type != b->type)
		return "type";
	if (a->feature_level != b->feature_level)
		return "feature level";
	if (!extensions_equal(a, b))
		return "extensions";
	if (a->capabilities_status != b->capabilities_status ||
	    !capabilities_equal(&a->capabilities, &b->capabilities))
		return "capabilities";
	if (a->cache_files_status != b->cache_files_status ||
	    a->num_model_cache != b->num_model_cache || a->num_data_cache != b->num_data_cache)
		return "cache files";
	return NULL;
}
