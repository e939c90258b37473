// SPDX-License-Identifier: Apache-2.0
/* IDevice: supported operations and extensions, status, allocation. */
#include <errno.h>
#include <stdlib.h>

#include "worker/nnipc_worker.h"

static void put_supported(struct nnipc_writer *out, enum nnhal_status status,
			  struct nnmodel_error *err)
{
	const struct nnipc_device_get_supported_operations_results results = { status, err };

	nnipc_put_device_get_supported_operations_results(out, &results);
}

static void find_supported(struct nnhal_device *dev,
			   const struct nnipc_device_get_supported_operations *args,
			   struct nnipc_writer *out)
{
	/* without a model the vendor refuses, but must get a place to write */
	uint32_t count = args->model ? args->model->main.num_operations : 0;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	enum nnhal_status status = NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	bool *supported = calloc(count + 1ul, sizeof(*supported));
	char **reasons = calloc(count + 1ul, sizeof(char *));

	if (supported && reasons)
		status = dev->ops->get_supported_operations(
			dev, args->model, supported, args->with_reasons ? reasons : NULL, &err);
	put_supported(out, status, &err);
	nnipc_put_u32(out, status ? 0 : count);
	for (uint32_t i = 0; i < count && !status; i++)
		nnipc_put_bool(out, supported[i]);
	for (uint32_t i = 0; i < count && !status && args->with_reasons; i++)
		nnipc_put_text(out, reasons[i]);
	for (uint32_t i = 0; i < count && reasons; i++)
		free(reasons[i]);
	free(reasons);
	free(supported);
}

int nnipc_serve_device_get_supported_operations(void *object, struct nnipc_reader *in,
						struct nnipc_writer *out)
{
	struct nnipc_device_get_supported_operations args;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	enum nnhal_status status;
	int ret;

	nnipc_get_device_get_supported_operations(in, &args);
	ret = nnipc_arguments_end(in, &status);
	if (!ret && !status) {
		find_supported(object, &args, out);
	} else if (!ret) {
		put_supported(out, status, &err);
		nnipc_put_u32(out, 0);
	}
	nnipc_device_get_supported_operations_free(&args);
	return ret;
}

int nnipc_serve_device_get_status(void *object, struct nnipc_device_get_status_results *results)
{
	struct nnhal_device *dev = object;

	results->status = (uint32_t)dev->ops->get_status(dev);
	return 0;
}

int nnipc_serve_device_get_supported_extensions(
	void *object, struct nnipc_device_get_supported_extensions_results *results)
{
	if (nnipc_describe_extensions(object, results->extensions))
		results->extensions->status = NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	return 0;
}

/* ---- allocate ---- */

/* Prepared models in use. */
struct models {
	uint32_t count;
	struct nnipc_object **objects;
	struct nnhal_prepared_model **vendor;
};

/* The vendor gets NULL for a foreign object, and refuses it. */
static int models_get(struct models *m, const uint64_t *oids)
{
	m->objects = calloc(m->count + 1ul, sizeof(struct nnipc_object *));
	m->vendor = calloc(m->count + 1ul, sizeof(struct nnhal_prepared_model *));
	if (!m->objects || !m->vendor)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->count; i++) {
		if (!oids[i])
			continue;
		m->objects[i] = nnipc_object_get(NNIPC_KIND_PREPARED_MODEL, oids[i]);
		if (!m->objects[i])
			return -ESTALE;
		m->vendor[i] = m->objects[i]->object;
	}
	return 0;
}

static void models_put(struct models *m)
{
	for (uint32_t i = 0; i < m->count && m->objects; i++)
		if (m->objects[i])
			nnipc_object_put(m->objects[i]);
	free(m->objects);
	free(m->vendor);
}

int nnipc_serve_device_allocate(void *object, struct nnipc_device_allocate *args,
				struct nnipc_device_allocate_results *results)
{
	struct models models = { .count = args->num_models };
	struct nnhal_device *dev = object;
	struct nnhal_buffer *buffer = NULL;
	int ret = models_get(&models, args->models);

	if (ret == -ENOMEM)
		results->status = NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	else if (!ret)
		results->status = dev->ops->allocate(dev, args->desc, models.vendor, models.count,
						     args->inputs, args->num_inputs, args->outputs,
						     args->num_outputs, &buffer, &results->token);
	if (!ret && !results->status)
		results->status = nnipc_buffer_add(buffer, &results->buffer);
	if (results->status)
		results->token = 0;
	models_put(&models);
	return ret == -ENOMEM ? 0 : ret;
}
