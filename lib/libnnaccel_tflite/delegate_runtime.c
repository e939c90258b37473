// SPDX-License-Identifier: Apache-2.0
#include "delegate_common.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnclient.h"
#include "nnaccel_runtime.h"
#include "nnmodel_digest.h"
#include "nnutil_log.h"

static const char *devices_text(const struct delegate_settings *settings)
{
	return settings->devices ? settings->devices : "the runtime's devices";
}

/* It is one for the process, so another part of it may have come before. */
static bool set_isolation(const struct delegate_settings *settings, char *message, size_t size)
{
	if (!settings->isolation ||
	    nnaccelRuntime_setIsolation(settings->isolation) == ANEURALNETWORKS_NO_ERROR)
		return true;
	nnutil_refuse(
		message, size, 0,
		"nnaccel: option \"isolation\" is \"%s\": this process uses NNAPI with another "
		"isolation already; create this delegate first, or set NNAPI_ISOLATION",
		settings->isolation);
	return false;
}

bool delegate_settings_apply(const struct delegate_settings *settings, char *message, size_t size)
{
	const ANeuralNetworksDevice *devices[RUNTIME_MAX_DEVICES];
	uint32_t count;

	return set_isolation(settings, message, size) &&
	       runtime_devices_find(settings->devices, devices, &count, message, size) ==
		       ANEURALNETWORKS_NO_ERROR &&
	       (!settings->compare ||
		runtime_devices_find(settings->compare, devices, &count, message, size) ==
			ANEURALNETWORKS_NO_ERROR);
}

int delegate_ask_devices(const struct nnmodel *source, const struct delegate_settings *settings,
			 uint32_t *operation, struct delegate_reason *reason)
{
	const ANeuralNetworksDevice *devices[RUNTIME_MAX_DEVICES];
	const struct nnmodel_subgraph *g = &source->main;
	bool *supported = calloc((size_t)g->num_operations + 1, sizeof(*supported));
	struct runtime_model model;
	uint32_t count, i = 0;
	char message[256];
	int result, ret = 0;

	*operation = UINT32_MAX;
	if (!supported)
		return DELEGATE_REFUSE(reason, -ENOMEM, "out of memory");
	result = runtime_devices_find(settings->devices, devices, &count, message, sizeof(message));
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = runtime_model_create(source, &model, message, sizeof(message));
	if (result == ANEURALNETWORKS_NO_ERROR) {
		result = ANeuralNetworksModel_getSupportedOperationsForDevices(model.model, devices,
									       count, supported);
		if (result != ANEURALNETWORKS_NO_ERROR)
			snprintf(message, sizeof(message), "getSupportedOperations: %s",
				 nnutil_result_name(result));
		runtime_model_free(&model);
	}
	while (i < g->num_operations && supported[i])
		i++;
	if (result != ANEURALNETWORKS_NO_ERROR) {
		ret = DELEGATE_REFUSE(reason, -EINVAL, "the runtime refuses it: %s", message);
	} else if (i < g->num_operations) {
		*operation = i;
		ret = DELEGATE_REFUSE(
			reason, -EOPNOTSUPP,
			"none of %s supports %s as it is here; add a device that does (\"nnctl ops\")",
			devices_text(settings), nnmodel_operation_name(g->operations[i].type));
	}
	free(supported);
	return ret;
}

/* Entries are of the same model, compiled in the same way. The runtime adds the devices' versions.
 */
static int set_caching(ANeuralNetworksCompilation *compilation, const struct nnmodel *model,
		       const struct delegate_settings *settings)
{
	uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN];
	const uint8_t preference = (uint8_t)settings->preference;
	struct sha256_ctx ctx;

	_Static_assert(sizeof(token) == SHA256_DIGEST_SIZE, "a token is a digest");
	sha256_init(&ctx);
	sha256_update(&ctx, 1, &preference);
	if (settings->devices)
		sha256_update(&ctx, strlen(settings->devices), (const uint8_t *)settings->devices);
	if (nnmodel_serialize(model, nnmodel_digest_put, &ctx))
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	sha256_digest(&ctx, sizeof(token), token);
	return ANeuralNetworksCompilation_setCaching(compilation, settings->cache_dir, token);
}

int delegate_compilation_create(struct nnmodel *model, const struct delegate_settings *settings,
				struct runtime_model *runtime,
				ANeuralNetworksCompilation **compilation,
				struct delegate_reason *reason)
{
	char message[256];
	int result;

	model->relaxed = settings->fp16;
	result = runtime_model_create(model, runtime, message, sizeof(message));
	if (result != ANEURALNETWORKS_NO_ERROR)
		return DELEGATE_REFUSE(reason, -EINVAL, "the runtime refuses the model: %s",
				       message);
	result = runtime_compilation_create(runtime->model, settings->devices, compilation, message,
					    sizeof(message));
	if (result != ANEURALNETWORKS_NO_ERROR)
		return DELEGATE_REFUSE(reason, -EINVAL, "%s", message);
	if (settings->preference >= 0)
		result = ANeuralNetworksCompilation_setPreference(*compilation,
								  settings->preference);
	if (result == ANEURALNETWORKS_NO_ERROR && settings->cache_dir)
		result = set_caching(*compilation, model, settings);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return DELEGATE_REFUSE(reason, -EINVAL,
				       "the runtime refuses an option of the compilation: %s",
				       nnutil_result_name(result));
	return 0;
}

int delegate_compilation_finish(ANeuralNetworksCompilation *compilation,
				const struct delegate_settings *settings,
				struct delegate_reason *reason)
{
	int result = ANeuralNetworksCompilation_finish(compilation);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return DELEGATE_REFUSE(
			reason, -EIO,
			"the runtime cannot compile it for %s: %s (NNAPI_LOG=info has the reason)",
			devices_text(settings), nnutil_result_name(result));
	return 0;
}

void delegate_log_graph(const struct delegate_settings *settings, uint32_t nodes,
			uint32_t delegated, int partitions)
{
	if (settings->log >= DELEGATE_LOG_SUMMARY)
		fprintf(stderr,
			"nnaccel: %u of %u nodes are delegated, in %d partitions, to %s; %u stay\n",
			delegated, nodes, partitions,
			settings->devices ? settings->devices : "all devices", nodes - delegated);
}
