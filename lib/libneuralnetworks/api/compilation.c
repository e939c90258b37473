// SPDX-License-Identifier: Apache-2.0
/* ANeuralNetworksCompilation. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnutil_clock.h"

#include "base/nnr_base.h"
#include "diagnostics/diagnostics.h"
#include "plan/nnr_plan.h"
#include "registry/nnr_registry.h"

/* Preferences of the runtime itself, and where a device takes part. */
#define BASE_ALIGNMENT (uint32_t) _Alignof(max_align_t)
#define BASE_PADDING 1u
#define DEVICE_ALIGNMENT 64u
#define DEVICE_PADDING 64u

/* ---- making ---- */

static int compilation_make(const ANeuralNetworksModel *model,
			    ANeuralNetworksDevice *const *devices, uint32_t num_devices,
			    bool explicit_devices, ANeuralNetworksCompilation **compilation)
{
	ANeuralNetworksCompilation *c = calloc(1, sizeof(*c));

	if (!c)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	c->devices = calloc((size_t)num_devices + 1, sizeof(*c->devices));
	if (!c->devices) {
		free(c);
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	memcpy(c->devices, devices, num_devices * sizeof(*devices));
	c->num_devices = num_devices;
	c->explicit_devices = explicit_devices;
	c->preference = ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER;
	c->priority = ANEURALNETWORKS_PRIORITY_DEFAULT;
	c->data = nnr_model_data_get(model->data);
	*compilation = c;
	return ANEURALNETWORKS_NO_ERROR;
}

static int check_model(const ANeuralNetworksModel *model)
{
	if (model->finished && !model->invalid && model->data)
		return ANEURALNETWORKS_NO_ERROR;
	return nnr_refuse(BAD_STATE, "the model is %s",
			  model->finished ? "invalid" : "not finished");
}

int ANeuralNetworksCompilation_create(ANeuralNetworksModel *model,
				      ANeuralNetworksCompilation **compilation)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "ANeuralNetworksCompilation_create");
	ANeuralNetworksDevice **devices;
	uint32_t num, i;
	int result;

	if (compilation)
		*compilation = NULL;
	if (!model || !compilation) {
		return nnr_refuse(UNEXPECTED_NULL, "an argument is NULL");
	}
	result = check_model(model);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	num = nnr_num_devices();
	devices = calloc((size_t)num + 1, sizeof(*devices));
	if (!devices)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	for (i = 0; i < num; i++)
		devices[i] = nnr_device(i);
	result = compilation_make(model, devices, num, false, compilation);
	free(devices);
	return result;
}

static bool is_registered(const ANeuralNetworksDevice *device)
{
	uint32_t num = nnr_num_devices(), i;

	for (i = 0; i < num; i++)
		if (nnr_device(i) == device)
			return true;
	return false;
}

static int check_devices(const ANeuralNetworksDevice *const *devices, uint32_t num)
{
	uint32_t i, j;

	if (!num) {
		return nnr_refuse(BAD_DATA, "the list of devices is empty");
	}
	for (i = 0; i < num; i++)
		if (!devices[i]) {
			return nnr_refuse(UNEXPECTED_NULL, "device %u of %u is NULL", i, num);
		}
	for (i = 0; i < num; i++) {
		for (j = 0; j < i; j++)
			if (devices[j] == devices[i]) {
				return nnr_refuse(BAD_DATA,
						  "devices %u and %u of the list are the same", i,
						  j);
			}
		if (!is_registered(devices[i])) {
			return nnr_refuse(BAD_DATA, "device %u of the list is unknown", i);
		}
	}
	return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel *model,
						const ANeuralNetworksDevice *const *devices,
						uint32_t numDevices,
						ANeuralNetworksCompilation **compilation)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "ANeuralNetworksCompilation_createForDevices");
	int result;

	if (compilation)
		*compilation = NULL;
	if (!model || !devices || !compilation) {
		return nnr_refuse(UNEXPECTED_NULL, "an argument is NULL");
	}
	result = check_devices(devices, numDevices);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = check_model(model);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	/* handles are the registry's own objects: the application only has them as const */
	return compilation_make(model, (ANeuralNetworksDevice *const *)devices, numDevices, true,
				compilation);
}

void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation *compilation)
{
	NNTRACE_RT(NNTRACE_PHASE_TERMINATION, "ANeuralNetworksCompilation_free");
	uint32_t i;

	if (!compilation)
		return;
	nnr_plan_put(compilation->plan);
	nnr_report_free(compilation->report);
	nnr_attributes_free(compilation->attributes, compilation->num_attributes);
	for (i = 0; compilation->cache_fds &&
		    i < compilation->num_model_cache_fds + compilation->num_data_cache_fds;
	     i++)
		if (compilation->cache_fds[i] >= 0)
			close(compilation->cache_fds[i]);
	free(compilation->cache_fds);
	free(compilation->cache_dir);
	free(compilation->devices);
	nnr_model_data_put(compilation->data);
	free(compilation);
}

/* ---- settings ---- */

/* The first checks of every setter. */
static int check_open(const ANeuralNetworksCompilation *compilation, bool pointers)
{
	if (!compilation || !pointers) {
		return nnr_refuse(UNEXPECTED_NULL, "an argument is NULL");
	}
	if (compilation->finished) {
		return nnr_refuse(BAD_STATE, "the compilation is finished");
	}
	return ANEURALNETWORKS_NO_ERROR;
}

static int check_explicit_one(const ANeuralNetworksCompilation *compilation)
{
	if (nnr_explicit_one(compilation))
		return ANEURALNETWORKS_NO_ERROR;
	return nnr_refuse(BAD_DATA, "the compilation is not for exactly one chosen device");
}

int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation *compilation,
					     int32_t preference)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "ANeuralNetworksCompilation_setPreference");
	int result = check_open(compilation, true);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	if (preference > ANEURALNETWORKS_PREFER_SUSTAINED_SPEED) {
		return nnr_refuse(BAD_DATA, "preference %d does not exist", preference);
	}
	compilation->preference = preference;
	return ANEURALNETWORKS_NO_ERROR;
}

/* With a '/' at its end, so that names can be appended; an empty one stays as it is. */
static char *directory(const char *dir)
{
	size_t length = strlen(dir);
	char *copy = malloc(length + 2);

	if (!copy)
		return NULL;
	memcpy(copy, dir, length + 1);
	if (length && dir[length - 1] != '/')
		memcpy(copy + length, "/", 2);
	return copy;
}

int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation *compilation,
					  const char *cacheDir, const uint8_t *token)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "ANeuralNetworksCompilation_setCaching");
	int result = check_open(compilation, cacheDir && token);
	char *dir;

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	dir = directory(cacheDir);
	if (!dir)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	free(compilation->cache_dir);
	compilation->cache_dir = dir;
	memcpy(compilation->token, token, sizeof(compilation->token));
	compilation->caching = true;
	return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksCompilation_setPriority(ANeuralNetworksCompilation *compilation, int priority)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "ANeuralNetworksCompilation_setPriority");
	int result = check_open(compilation, true);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	if (priority != ANEURALNETWORKS_PRIORITY_LOW &&
	    priority != ANEURALNETWORKS_PRIORITY_MEDIUM &&
	    priority != ANEURALNETWORKS_PRIORITY_HIGH) {
		return nnr_refuse(BAD_DATA, "priority %d does not exist", priority);
	}
	compilation->priority = priority;
	return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksCompilation_setTimeout(ANeuralNetworksCompilation *compilation,
					  uint64_t duration)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "ANeuralNetworksCompilation_setTimeout");
	int result = check_open(compilation, true);

	if (result == ANEURALNETWORKS_NO_ERROR)
		result = check_explicit_one(compilation);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	compilation->timeout_ns = duration;
	return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksCompilation_addExtensionAttribute(ANeuralNetworksCompilation *compilation,
						     const char *extensionName,
						     uint16_t attributeCodeWithinExtension,
						     const void *data, size_t length)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "ANeuralNetworksCompilation_addExtensionAttribute");
	int result = check_open(compilation, extensionName && (data || !length));

	if (result == ANEURALNETWORKS_NO_ERROR)
		result = check_explicit_one(compilation);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	return nnr_attribute_add(&compilation->attributes, &compilation->num_attributes,
				 extensionName, attributeCodeWithinExtension, data, length);
}

/* ---- finish ---- */

int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation *compilation)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "ANeuralNetworksCompilation_finish");
	int result = check_open(compilation, true);
	int64_t start;

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	start = nnutil_monotonic_ns();
	compilation->finished = true;
	nnr_devices_refresh();
	result = nnr_plan_build(compilation, nnr_deadline(compilation->timeout_ns),
				&compilation->plan);
	if (result != ANEURALNETWORKS_NO_ERROR)
		nnutil_log(NNUTIL_LOG_WARNING, "%s",
			   compilation->report ? compilation->report->reason : "out of memory");
	if (nnr_diagnostics_on())
		nnr_diagnostic_compilation(compilation, result,
					   (uint64_t)(nnutil_monotonic_ns() - start));
	return result;
}

/* ---- preferred memory ---- */

struct preferred {
	uint32_t alignment, padding;
};

static int found_role(void *cookie, struct nnr_step *step, bool step_input, uint32_t step_index)
{
	struct preferred *p = cookie;

	(void)step_input;
	(void)step_index;
	if (!step)
		return 0;
	if (p->alignment < DEVICE_ALIGNMENT)
		p->alignment = DEVICE_ALIGNMENT;
	/* interfaces below feature level 5 cannot express padding */
	if (step->device->feature_level >= 5 && p->padding < DEVICE_PADDING)
		p->padding = DEVICE_PADDING;
	return 0;
}

static int find_preferred(const ANeuralNetworksCompilation *compilation, bool input, uint32_t index,
			  const uint32_t *out, struct preferred *p)
{
	const struct nnmodel_subgraph *main;
	uint32_t num;

	if (!compilation || !out) {
		return nnr_refuse(UNEXPECTED_NULL, "an argument is NULL");
	}
	if (!compilation->finished || !compilation->plan) {
		return nnr_refuse(BAD_STATE, "the compilation %s",
				  compilation->finished ? "failed" : "is not finished");
	}
	main = &compilation->data->model->main;
	num = input ? main->num_inputs : main->num_outputs;
	if (index >= num) {
		return nnr_refuse(BAD_DATA, "index %u is not below %u", index, num);
	}
	*p = (struct preferred){ .alignment = BASE_ALIGNMENT, .padding = BASE_PADDING };
	nnr_plan_for_each_role(compilation->plan, input, index, found_role, p);
	return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
	const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *alignment)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION,
		   "ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput");
	struct preferred p;
	int result = find_preferred(compilation, true, index, alignment, &p);

	if (result == ANEURALNETWORKS_NO_ERROR)
		*alignment = p.alignment;
	return result;
}

int ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(
	const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *padding)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION,
		   "ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput");
	struct preferred p;
	int result = find_preferred(compilation, true, index, padding, &p);

	if (result == ANEURALNETWORKS_NO_ERROR)
		*padding = p.padding;
	return result;
}

int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(
	const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *alignment)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION,
		   "ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput");
	struct preferred p;
	int result = find_preferred(compilation, false, index, alignment, &p);

	if (result == ANEURALNETWORKS_NO_ERROR)
		*alignment = p.alignment;
	return result;
}

int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(
	const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *padding)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION,
		   "ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput");
	struct preferred p;
	int result = find_preferred(compilation, false, index, padding, &p);

	if (result == ANEURALNETWORKS_NO_ERROR)
		*padding = p.padding;
	return result;
}

/* ---- nnaccel_runtime.h ---- */

int nnaccelCompilation_explain(const ANeuralNetworksCompilation *compilation, char **json)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "nnaccelCompilation_explain");

	if (json)
		*json = NULL;
	if (!compilation || !json)
		return nnr_refuse(UNEXPECTED_NULL, "compilation or json is NULL");
	if (!compilation->finished)
		return nnr_refuse(BAD_STATE, "the compilation is not finished");
	if (!compilation->report)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	return nnr_report_explain(compilation->report, json);
}
