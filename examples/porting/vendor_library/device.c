// SPDX-License-Identifier: Apache-2.0
/* IDevice: name, figures, which operations, and preparation. */
#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "conv8.h"

/*
 * Beside one CPU, which is 1.0: what the silicon takes, by the type of an operation's first input.
 * Measure: nnctl bench on the device and on nnapi-reference. These are of the unit that this
 * example stands for; the function that computes here is slower.
 */
#define TIME 0.2f
#define POWER 0.05f

static void device_destroy(struct nnhal_device *dev)
{
	free(dev);
}

static const char *device_name(struct nnhal_device *dev)
{
	(void)dev;
	return "example-conv8";
}

static const char *device_version(struct nnhal_device *dev)
{
	(void)dev;
	return "1.0";
}

static enum nnhal_device_type device_type(struct nnhal_device *dev)
{
	(void)dev;
	return NNHAL_DEVICE_ACCELERATOR;
}

static uint32_t device_feature_level(struct nnhal_device *dev)
{
	(void)dev;
	return 8;
}

static enum nnhal_status device_capabilities(struct nnhal_device *dev,
					     struct nnhal_capabilities *caps)
{
	const struct nnhal_performance none = { FLT_MAX, FLT_MAX };
	struct nnhal_capabilities known = { .relaxed_scalar = none,
					    .relaxed_tensor = none,
					    .if_performance = none,
					    .while_performance = none };
	const uint32_t size = caps->size;

	(void)dev;
	for (uint32_t i = 0; i < NNMODEL_TYPE_COUNT; i++)
		known.operand[i] = none;
	known.operand[NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED] =
		(struct nnhal_performance){ TIME, POWER };
	known.size = size;
	memcpy(caps, &known, size < sizeof(known) ? size : sizeof(known));
	return NNHAL_NONE;
}

static enum nnhal_status device_cache_files(struct nnhal_device *dev, uint32_t *num_model,
					    uint32_t *num_data)
{
	(void)dev;
	*num_model = *num_data = 0;
	return NNHAL_NONE;
}

static enum nnhal_status device_operations(struct nnhal_device *dev, const struct nnmodel *model,
					   bool *supported, char **reasons,
					   struct nnmodel_error *err)
{
	struct conv8_convolution conv;
	char why[CONV8_MESSAGE];

	(void)dev;
	if (nnmodel_validate(model, NULL, err))
		return NNHAL_INVALID_ARGUMENT;
	for (uint32_t i = 0; i < model->main.num_operations; i++) {
		supported[i] = conv8_convolution_read(model, &model->main.operations[i], &conv, why,
						      sizeof(why));
		if (reasons)
			reasons[i] = supported[i] ? NULL : strdup(why);
	}
	return NNHAL_NONE;
}

/* ---- preparation ---- */

static enum nnhal_status model_prepare(const struct nnmodel *model,
				       const struct nnhal_prepare_config *config,
				       struct nnhal_prepared_model **prepared, char *message,
				       size_t size)
{
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	struct conv8_program *program;
	enum nnhal_status status;

	*prepared = NULL;
	if (config->num_model_cache || config->num_data_cache)
		return conv8_refuse(message, size, NNHAL_INVALID_ARGUMENT,
				    "this device takes no cache files");
	if (nnmodel_validate(model, NULL, &err))
		return conv8_refuse(message, size, NNHAL_INVALID_ARGUMENT, "%s", err.text);
	status = conv8_compile(model, &program, message, size);
	if (status != NNHAL_NONE)
		return status;
	*prepared = conv8_prepared_create(program);
	if (*prepared)
		return NNHAL_NONE;
	conv8_program_free(program);
	return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
}

/* In the call. A compiler that takes seconds calls back from a thread of its own. */
static enum nnhal_status device_prepare(struct nnhal_device *dev, const struct nnmodel *model,
					const struct nnhal_prepare_config *config,
					nnhal_prepared_cb callback, void *cookie)
{
	struct nnhal_prepared_model *prepared;
	char message[CONV8_MESSAGE] = "";
	enum nnhal_status status =
		model_prepare(model, config, &prepared, message, sizeof(message));

	(void)dev;
	callback(cookie, status, prepared, status == NNHAL_NONE ? NULL : message);
	return status == NNHAL_INVALID_ARGUMENT ? status : NNHAL_NONE;
}

static enum nnhal_status device_from_cache(struct nnhal_device *dev, int64_t deadline_ns,
					   const int *model_cache, uint32_t num_model,
					   const int *data_cache, uint32_t num_data,
					   const uint8_t token[NNHAL_CACHE_TOKEN_SIZE],
					   nnhal_prepared_cb callback, void *cookie)
{
	(void)dev;
	(void)deadline_ns;
	(void)model_cache;
	(void)num_model;
	(void)data_cache;
	(void)num_data;
	(void)token;
	callback(cookie, NNHAL_GENERAL_FAILURE, NULL, "this device takes no cache files");
	return NNHAL_NONE;
}

/* ---- the rest ---- */

static enum nnhal_device_status device_status(struct nnhal_device *dev)
{
	(void)dev;
	return NNHAL_AVAILABLE;
}

static enum nnhal_status
device_extensions(struct nnhal_device *dev,
		  int (*found)(void *cookie, const struct nnhal_extension *ext), void *cookie)
{
	(void)dev;
	(void)found;
	(void)cookie;
	return NNHAL_NONE;
}

static enum nnhal_status
device_allocate(struct nnhal_device *dev, const struct nnhal_buffer_desc *desc,
		struct nnhal_prepared_model *const *models, uint32_t num_models,
		const struct nnhal_buffer_role *inputs, uint32_t num_inputs,
		const struct nnhal_buffer_role *outputs, uint32_t num_outputs,
		struct nnhal_buffer **buffer, uint32_t *token)
{
	(void)dev;
	(void)desc;
	(void)models;
	(void)num_models;
	(void)inputs;
	(void)num_inputs;
	(void)outputs;
	(void)num_outputs;
	*buffer = NULL;
	*token = 0;
	return NNHAL_GENERAL_FAILURE;
}

/* For tools; "nnctl list" shows the worker process beside it. */
static int device_info(struct nnhal_device *dev, struct nnhal_device_info *info)
{
	struct nnhal_device_info known = { .state = NNHAL_STATE_ONLINE };
	const uint32_t size = info->size;

	(void)dev;
	known.size = size;
	memcpy(info, &known, size < sizeof(known) ? size : sizeof(known));
	return 0;
}

static const struct nnhal_device_ops device_ops = {
	.size = sizeof(device_ops),
	.destroy = device_destroy,
	.name = device_name,
	.version = device_version,
	.type = device_type,
	.feature_level = device_feature_level,
	.get_capabilities = device_capabilities,
	.get_number_of_cache_files = device_cache_files,
	.get_supported_operations = device_operations,
	.prepare_model = device_prepare,
	.get_status = device_status,
	.get_supported_extensions = device_extensions,
	.prepare_model_from_cache = device_from_cache,
	.allocate = device_allocate,
	.get_info = device_info,
};

int conv8_device_create(struct nnhal_device **out)
{
	struct nnhal_device *dev = malloc(sizeof(*dev));

	if (!dev)
		return -ENOMEM;
	dev->ops = &device_ops;
	*out = dev;
	return 0;
}
