// SPDX-License-Identifier: Apache-2.0
/*
 * A vendor library that breaks the rules of nnhal.h, each specification another one. Its models
 * count: get_counters() tells as executions how many there are.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "failing_device.h"
#include "nnhal.h"

static char spec[64];
static atomic_int models;

static bool is(const char *what)
{
	return !strcmp(spec, what);
}

/* ---- prepared models ---- */

static void model_destroy(struct nnhal_prepared_model *model)
{
	atomic_fetch_sub(&models, 1);
	free(model);
}

static enum nnhal_status model_execute(struct nnhal_prepared_model *model,
				       const struct nnhal_request *request,
				       const struct nnhal_execution_config *config,
				       int64_t deadline_ns, nnhal_execution_cb callback,
				       void *cookie)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;

	(void)model;
	(void)request;
	(void)config;
	(void)deadline_ns;
	if (is("execute-silent"))
		return NNHAL_DEVICE_UNAVAILABLE;
	if (is("execute-null"))
		callback(cookie, NNHAL_NONE, NULL);
	else if (is("execute-size")) {
		result.size = 3;
		callback(cookie, NNHAL_NONE, &result);
	} else {
		callback(cookie, NNHAL_NONE, &result);
	}
	if (is("execute-twice"))
		callback(cookie, NNHAL_NONE, &result);
	return NNHAL_NONE;
}

static enum nnhal_status model_execute_sync(struct nnhal_prepared_model *model,
					    const struct nnhal_request *request,
					    const struct nnhal_execution_config *config,
					    int64_t deadline_ns,
					    struct nnhal_execution_result *result)
{
	(void)model;
	(void)request;
	(void)config;
	(void)deadline_ns;
	(void)result;
	if (is("crash"))
		*(volatile int *)(uintptr_t)spec[sizeof(spec) - 1] = 1; /* NULL */
	if (is("abort"))
		abort();
	if (is("exit"))
		exit(3);
	return (enum nnhal_status)77;
}

static enum nnhal_status
model_execute_fenced(struct nnhal_prepared_model *model, const struct nnhal_request *request,
		     const int *wait_for, uint32_t num_wait_for,
		     const struct nnhal_execution_config *config, int64_t deadline_ns,
		     int64_t duration_ns, int *sync_fence, struct nnhal_fenced_callback **callback)
{
	(void)model;
	(void)request;
	(void)wait_for;
	(void)num_wait_for;
	(void)config;
	(void)deadline_ns;
	(void)duration_ns;
	*sync_fence = -1;
	*callback = NULL;
	return NNHAL_NONE;
}

static enum nnhal_status model_configure_burst(struct nnhal_prepared_model *model,
					       struct nnhal_burst **burst)
{
	(void)model;
	*burst = NULL;
	return NNHAL_NONE;
}

static enum nnhal_status model_create_reusable(struct nnhal_prepared_model *model,
					       const struct nnhal_request *request,
					       const struct nnhal_execution_config *config,
					       struct nnhal_execution **execution)
{
	(void)model;
	(void)request;
	(void)config;
	*execution = NULL;
	return NNHAL_NONE;
}

static const struct nnhal_prepared_model_ops model_ops = {
	.size = sizeof(model_ops),
	.destroy = model_destroy,
	.execute = model_execute,
	.execute_synchronously = model_execute_sync,
	.execute_fenced = model_execute_fenced,
	.configure_burst = model_configure_burst,
	.create_reusable_execution = model_create_reusable,
};
static const struct nnhal_prepared_model_ops short_ops = {
	.size = offsetof(struct nnhal_prepared_model_ops, configure_burst),
	.destroy = model_destroy,
	.execute = model_execute,
	.execute_synchronously = model_execute_sync,
	.execute_fenced = model_execute_fenced,
};

static struct nnhal_prepared_model *model_new(const struct nnhal_prepared_model_ops *ops)
{
	struct nnhal_prepared_model *model = malloc(sizeof(*model));

	if (!model)
		abort();
	model->ops = ops;
	atomic_fetch_add(&models, 1);
	return model;
}

/* ---- the device ---- */

static void dev_destroy(struct nnhal_device *dev)
{
	(void)dev;
}

static const char *dev_name(struct nnhal_device *dev)
{
	(void)dev;
	return is("no-name") ? NULL : "bad-accel";
}

static const char *dev_version(struct nnhal_device *dev)
{
	(void)dev;
	return "1";
}

static enum nnhal_device_type dev_type(struct nnhal_device *dev)
{
	(void)dev;
	return NNHAL_DEVICE_OTHER;
}

static uint32_t dev_level(struct nnhal_device *dev)
{
	(void)dev;
	return 8;
}

static enum nnhal_status dev_cache_files(struct nnhal_device *dev, uint32_t *num_model,
					 uint32_t *num_data)
{
	(void)dev;
	*num_model = *num_data = 0;
	return NNHAL_NONE;
}

static enum nnhal_status dev_prepare(struct nnhal_device *dev, const struct nnmodel *model,
				     const struct nnhal_prepare_config *config,
				     nnhal_prepared_cb callback, void *cookie)
{
	(void)dev;
	(void)model;
	(void)config;
	if (is("prepare-silent"))
		return NNHAL_RESOURCE_EXHAUSTED_PERSISTENT;
	if (is("prepare-null"))
		callback(cookie, NNHAL_NONE, NULL, NULL);
	else if (is("prepare-short"))
		callback(cookie, NNHAL_NONE, model_new(&short_ops), NULL);
	else if (is("prepare-error"))
		callback(cookie, NNHAL_GENERAL_FAILURE, model_new(&model_ops), "with a model");
	else
		callback(cookie, NNHAL_NONE, model_new(&model_ops), NULL);
	if (is("prepare-twice"))
		callback(cookie, NNHAL_NONE, model_new(&model_ops), "again");
	return NNHAL_NONE;
}

static enum nnhal_device_status dev_status(struct nnhal_device *dev)
{
	(void)dev;
	return NNHAL_AVAILABLE;
}

static enum nnhal_status
dev_extensions(struct nnhal_device *dev,
	       int (*found)(void *cookie, const struct nnhal_extension *ext), void *cookie)
{
	(void)dev;
	(void)found;
	(void)cookie;
	return NNHAL_NONE;
}

static enum nnhal_status dev_from_cache(struct nnhal_device *dev, int64_t deadline_ns,
					const int *model_cache, uint32_t num_model_cache,
					const int *data_cache, uint32_t num_data_cache,
					const uint8_t token[NNHAL_CACHE_TOKEN_SIZE],
					nnhal_prepared_cb callback, void *cookie)
{
	(void)dev;
	(void)deadline_ns;
	(void)model_cache;
	(void)num_model_cache;
	(void)data_cache;
	(void)num_data_cache;
	(void)token;
	callback(cookie, NNHAL_GENERAL_FAILURE, NULL, "no cache");
	return NNHAL_GENERAL_FAILURE;
}

static enum nnhal_status dev_allocate(struct nnhal_device *dev,
				      const struct nnhal_buffer_desc *desc,
				      struct nnhal_prepared_model *const *list, uint32_t num_models,
				      const struct nnhal_buffer_role *inputs, uint32_t num_inputs,
				      const struct nnhal_buffer_role *outputs, uint32_t num_outputs,
				      struct nnhal_buffer **buffer, uint32_t *token)
{
	(void)dev;
	(void)desc;
	(void)list;
	(void)num_models;
	(void)inputs;
	(void)num_inputs;
	(void)outputs;
	(void)num_outputs;
	*buffer = NULL;
	*token = 7;
	return NNHAL_NONE;
}

static int dev_counters(struct nnhal_device *dev, struct nnhal_counters *counters)
{
	(void)dev;
	counters->executions = (uint64_t)atomic_load(&models);
	return 0;
}

static struct nnhal_device_ops dev_ops = {
	.size = sizeof(dev_ops),
	.destroy = dev_destroy,
	.name = dev_name,
	.version = dev_version,
	.type = dev_type,
	.feature_level = dev_level,
	.get_capabilities = failing_capabilities,
	.get_number_of_cache_files = dev_cache_files,
	.get_supported_operations = failing_supported,
	.prepare_model = dev_prepare,
	.get_status = dev_status,
	.get_supported_extensions = dev_extensions,
	.prepare_model_from_cache = dev_from_cache,
	.allocate = dev_allocate,
	.get_counters = dev_counters,
};
static struct nnhal_device device = { &dev_ops };

static int enumerate(int (*found)(void *cookie, const char *spec), void *cookie)
{
	(void)found;
	(void)cookie;
	return -EIO;
}

static int open_device(const char *wanted, struct nnhal_device **dev, char *message, size_t size)
{
	(void)message;
	(void)size;
	strncpy(spec, wanted ? wanted : "", sizeof(spec) - 1);
	if (is("open-fails"))
		return -EBUSY;
	if (is("short-device"))
		dev_ops.size = offsetof(struct nnhal_device_ops, allocate);
	if (is("old-device"))
		dev_ops.size = offsetof(struct nnhal_device_ops, create_memory);
	*dev = is("no-device") ? NULL : &device;
	return 0;
}

__attribute__((visibility("default"))) const struct nnhal_driver nnhal_driver = {
#ifdef BAD_ABI
	.abi_version = NNHAL_ABI_VERSION + 1,
#else
	.abi_version = NNHAL_ABI_VERSION,
#endif
	.size = sizeof(nnhal_driver),
	.name = "bad-vendor",
	.enumerate = enumerate,
	.open = open_device,
};
