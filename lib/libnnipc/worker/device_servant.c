// SPDX-License-Identifier: Apache-2.0
/* IDevice: getters, allocation and what tools ask. */
#include <errno.h>
#include <stdlib.h>

#include "worker/nnipc_worker.h"

static int get_capabilities(void *object, struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct nnhal_capabilities caps = { .size = sizeof(caps) };
	struct nnhal_device *dev = object;
	enum nnhal_status status;
	int ret = nnipc_arguments_end(in, &status);

	if (ret)
		return ret;
	nnipc_put_status(out, dev->ops->get_capabilities(dev, &caps));
	nnipc_put_capabilities(out, &caps);
	return 0;
}

static int get_number_of_cache_files(void *object, struct nnipc_reader *in,
				     struct nnipc_writer *out)
{
	uint32_t num_model = 0, num_data = 0;
	struct nnhal_device *dev = object;
	enum nnhal_status status;
	int ret = nnipc_arguments_end(in, &status);

	if (ret)
		return ret;
	nnipc_put_status(out, dev->ops->get_number_of_cache_files(dev, &num_model, &num_data));
	nnipc_put_u32(out, num_model);
	nnipc_put_u32(out, num_data);
	return 0;
}

static void ask_supported(struct nnhal_device *dev, const struct nnmodel *model, bool with_reasons,
			  struct nnipc_writer *out)
{
	/* without a model the vendor refuses, but must get a place to write */
	uint32_t count = model ? model->main.num_operations : 0;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	enum nnhal_status status = NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	bool *supported = calloc(count + 1ul, sizeof(*supported));
	char **reasons = calloc(count + 1ul, sizeof(char *));

	if (supported && reasons)
		status = dev->ops->get_supported_operations(dev, model, supported,
							    with_reasons ? reasons : NULL, &err);
	nnipc_put_status(out, status);
	nnipc_put_model_error(out, &err);
	nnipc_put_u32(out, status ? 0 : count);
	for (uint32_t i = 0; i < count && !status; i++)
		nnipc_put_bool(out, supported[i]);
	for (uint32_t i = 0; i < count && !status && with_reasons; i++)
		nnipc_put_text(out, reasons[i]);
	for (uint32_t i = 0; i < count && reasons; i++)
		free(reasons[i]);
	free(reasons);
	free(supported);
}

static int get_supported_operations(void *object, struct nnipc_reader *in, struct nnipc_writer *out)
{
	bool with_reasons = nnipc_get_bool(in);
	struct nnmodel *model = nnipc_get_model(in);
	enum nnhal_status status;
	int ret = nnipc_arguments_end(in, &status);

	if (!ret && !status) {
		ask_supported(object, model, with_reasons, out);
	} else if (!ret) {
		const struct nnmodel_error err = NNMODEL_ERROR_INIT;

		nnipc_put_status(out, status);
		nnipc_put_model_error(out, &err);
		nnipc_put_u32(out, 0);
	}
	nnmodel_free(model);
	return ret;
}

static int get_status(void *object, struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct nnhal_device *dev = object;
	enum nnhal_status status;
	int ret = nnipc_arguments_end(in, &status);

	if (!ret)
		nnipc_put_u32(out, (uint32_t)dev->ops->get_status(dev));
	return ret;
}

static int get_supported_extensions(void *object, struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct nnipc_description d = { 0 };
	enum nnhal_status status;
	int ret = nnipc_arguments_end(in, &status);

	if (ret)
		return ret;
	if (nnipc_describe_extensions(object, &d))
		d.extensions_status = NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	nnipc_put_extensions(out, &d);
	nnipc_description_free(&d);
	return 0;
}

/* ---- allocate ---- */

struct allocation {
	bool has_desc;
	struct nnhal_buffer_desc desc;
	uint32_t num_models, num_inputs, num_outputs;
	uint64_t *oids;
	struct nnipc_object **objects;
	struct nnhal_prepared_model **models;
	struct nnhal_buffer_role *inputs, *outputs;
};

static void get_models(struct nnipc_reader *in, struct allocation *a)
{
	a->num_models = nnipc_get_count(in, sizeof(uint64_t), UINT32_MAX);
	a->oids = calloc(a->num_models + 1ul, sizeof(*a->oids));
	a->objects = calloc(a->num_models + 1ul, sizeof(struct nnipc_object *));
	a->models = calloc(a->num_models + 1ul, sizeof(struct nnhal_prepared_model *));
	if (!a->oids || !a->objects || !a->models)
		nnipc_reader_no_memory(in);
	for (uint32_t i = 0; i < a->num_models && !in->error; i++)
		a->oids[i] = nnipc_get_u64(in);
}

/* The vendor gets NULL for a foreign object, and refuses it. */
static int find_models(struct allocation *a)
{
	for (uint32_t i = 0; i < a->num_models; i++) {
		if (!a->oids[i])
			continue;
		a->objects[i] = nnipc_object_get(NNIPC_KIND_PREPARED_MODEL, a->oids[i]);
		if (!a->objects[i])
			return -ESTALE;
		a->models[i] = a->objects[i]->object;
	}
	return 0;
}

static void allocation_free(struct allocation *a)
{
	for (uint32_t i = 0; i < a->num_models && a->objects; i++)
		if (a->objects[i])
			nnipc_object_put(a->objects[i]);
	free(a->objects);
	free(a->models);
	free(a->oids);
	free(a->inputs);
	free(a->outputs);
	free((void *)a->desc.dims);
}

static int allocate(void *object, struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct nnhal_device *dev = object;
	struct nnhal_buffer *buffer = NULL;
	struct allocation a = { 0 };
	enum nnhal_status status;
	uint32_t token = 0;
	uint64_t oid = 0;
	int ret;

	a.has_desc = nnipc_get_bool(in);
	nnipc_get_buffer_desc(in, &a.desc);
	get_models(in, &a);
	a.inputs = nnipc_get_roles(in, &a.num_inputs);
	a.outputs = nnipc_get_roles(in, &a.num_outputs);
	ret = nnipc_arguments_end(in, &status);
	if (!ret && !status)
		ret = find_models(&a);
	if (!ret) {
		if (!status)
			status = dev->ops->allocate(dev, a.has_desc ? &a.desc : NULL, a.models,
						    a.num_models, a.inputs, a.num_inputs, a.outputs,
						    a.num_outputs, &buffer, &token);
		if (!status)
			status = nnipc_buffer_add(buffer, &oid);
		nnipc_put_status(out, status);
		nnipc_put_u64(out, oid);
		nnipc_put_u32(out, status ? 0 : token);
	}
	allocation_free(&a);
	return ret;
}

/* ---- beyond IDevice ---- */

static int create_memory(void *object, struct nnipc_reader *in, struct nnipc_writer *out)
{
	uint64_t size = nnipc_get_u64(in);
	struct nnhal_device *dev = object;
	enum nnhal_status status;
	int fd = -1, error, ret = nnipc_arguments_end(in, &status);

	if (ret)
		return ret;
	error = NNIPC_HAS(nnhal_device_ops, dev->ops, create_memory)
			? dev->ops->create_memory(dev, size, &fd)
			: -EOPNOTSUPP;
	nnipc_put_i64(out, error);
	nnipc_put_fd_owned(out, error ? -1 : fd);
	return 0;
}

static int get_info(void *object, struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct nnhal_device_info info = { .size = sizeof(info) };
	struct nnhal_device *dev = object;
	enum nnhal_status status;
	int error, ret = nnipc_arguments_end(in, &status);

	if (ret)
		return ret;
	error = NNIPC_HAS(nnhal_device_ops, dev->ops, get_info) ? dev->ops->get_info(dev, &info)
								: -EOPNOTSUPP;
	if (error)
		info = (struct nnhal_device_info){ .size = sizeof(info) };
	nnipc_put_i64(out, error);
	nnipc_put_info(out, &info);
	return 0;
}

static int get_counters(void *object, struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct nnhal_counters counters = { .size = sizeof(counters) };
	struct nnhal_device *dev = object;
	enum nnhal_status status;
	int error, ret = nnipc_arguments_end(in, &status);

	if (ret)
		return ret;
	error = NNIPC_HAS(nnhal_device_ops, dev->ops, get_counters)
			? dev->ops->get_counters(dev, &counters)
			: -EOPNOTSUPP;
	if (error)
		counters = (struct nnhal_counters){ .size = sizeof(counters) };
	nnipc_put_i64(out, error);
	nnipc_put_counters(out, &counters);
	return 0;
}

static const nnipc_servant_call calls[] = {
	get_capabilities,
	get_number_of_cache_files,
	get_supported_operations,
	nnipc_prepare_model,
	get_status,
	get_supported_extensions,
	nnipc_prepare_model_from_cache,
	allocate,
	create_memory,
	get_info,
	get_counters,
};

const struct nnipc_servant nnipc_device_servant = { calls, sizeof(calls) / sizeof(calls[0]) };
