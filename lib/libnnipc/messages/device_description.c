// SPDX-License-Identifier: Apache-2.0
/* What a device is: all that is constant while it is open, in one value. */
#include "messages/nnipc_messages.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading a device ---- */

struct described {
	struct nnipc_extensions *extensions;
	int error;
};

static int add_extension(void *cookie, const struct nnhal_extension *ext)
{
	struct described *described = cookie;
	struct nnipc_extensions *all = described->extensions;
	size_t size = ext->num_types * sizeof(*ext->types);
	struct nnipc_extension *list, e = { 0 };
	struct nnhal_extension_type *types;

	list = realloc((void *)all->list, (all->count + 1) * sizeof(*list));
	if (list)
		all->list = list;
	e.name = ext->name ? strdup(ext->name) : NULL;
	e.types = types = size && ext->types ? malloc(size) : NULL;
	if (!list || (ext->name && !e.name) || (size && ext->types && !types)) {
		nnipc_extension_free(&e);
		described->error = -ENOMEM;
		return 1;
	}
	if (types) {
		memcpy(types, ext->types, size);
		e.num_types = ext->num_types;
	}
	list[all->count++] = e;
	return 0;
}

int nnipc_describe_extensions(struct nnhal_device *dev, struct nnipc_extensions *extensions)
{
	struct described described = { .extensions = extensions };

	extensions->status = dev->ops->get_supported_extensions(dev, add_extension, &described);
	return described.error;
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
		ret = nnipc_describe_extensions(dev, &d->extensions);
	if (ret)
		nnipc_description_free(d);
	return ret;
}

/* ---- comparing ---- */

static bool types_equal(const struct nnhal_extension_type *a, const struct nnhal_extension_type *b)
{
	return a->type == b->type && a->is_tensor == b->is_tensor && a->byte_size == b->byte_size;
}

static bool extensions_equal(const struct nnipc_extensions *a, const struct nnipc_extensions *b)
{
	if (a->status != b->status || a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++) {
		const struct nnipc_extension *x = &a->list[i], *y = &b->list[i];

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
	if (!extensions_equal(&a->extensions, &b->extensions))
		return "extensions";
	if (a->capabilities_status != b->capabilities_status ||
	    !capabilities_equal(&a->capabilities, &b->capabilities))
		return "capabilities";
	if (a->cache_files_status != b->cache_files_status ||
	    a->num_model_cache != b->num_model_cache || a->num_data_cache != b->num_data_cache)
		return "cache files";
	return NULL;
}
