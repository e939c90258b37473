// SPDX-License-Identifier: Apache-2.0
/* Devices: what is queried of one before it is listed. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nnr_config.h"
#include "nntrace.h"

#include "registry/nnr_registry.h"

#define MESSAGE_SIZE 256u

/* ---- making ---- */

static bool ops_complete(const struct nnhal_device *hal)
{
	const struct nnhal_device_ops *ops = hal->ops;

	return ops &&
	       ops->size >= offsetof(struct nnhal_device_ops, allocate) + sizeof(ops->allocate) &&
	       ops->destroy && ops->name && ops->version && ops->type && ops->feature_level &&
	       ops->get_capabilities && ops->get_number_of_cache_files &&
	       ops->get_supported_operations && ops->prepare_model && ops->get_status &&
	       ops->get_supported_extensions && ops->prepare_model_from_cache && ops->allocate;
}

static bool performance_valid(const struct nnhal_performance *p)
{
	/* false for NAN, too */
	return p->exec_time > 0 && p->power_usage > 0;
}

static bool capabilities_valid(const struct nnhal_capabilities *caps)
{
	for (uint32_t i = 0; i < NNMODEL_TYPE_COUNT; i++)
		if (i != NNMODEL_SUBGRAPH && !performance_valid(&caps->operand[i]))
			return false;
	return performance_valid(&caps->relaxed_scalar) &&
	       performance_valid(&caps->relaxed_tensor) &&
	       performance_valid(&caps->if_performance) &&
	       performance_valid(&caps->while_performance);
}

struct reports {
	struct nnr_device *device;
	int error;
};

static bool reported(const struct nnr_device *device, const char *name)
{
	for (uint32_t i = 0; i < device->base.num_extensions; i++)
		if (!strcmp(device->base.extensions[i], name))
			return true;
	return false;
}

static int take_extension(void *cookie, const struct nnhal_extension *ext)
{
	struct nnr_extension_report report, *list;
	struct reports *r = cookie;
	struct ANeuralNetworksDevice *base = &r->device->base;
	char **names;

	r->error = nnr_extension_report_copy(ext, &report);
	if (r->error)
		return 1;
	if (reported(r->device, report.name)) {
		nnr_extension_report_clear(&report);
		r->error = -EINVAL;
		return 1;
	}
	list = realloc(r->device->reports, (base->num_extensions + 1) * sizeof(*list));
	if (list)
		r->device->reports = list;
	names = list ? realloc(base->extensions, (base->num_extensions + 1) * sizeof(*names))
		     : NULL;
	if (!names) {
		nnr_extension_report_clear(&report);
		r->error = -ENOMEM;
		return 1;
	}
	base->extensions = names;
	names[base->num_extensions] = report.name;
	list[base->num_extensions++] = report;
	return 0;
}

static bool ask_extensions(struct nnr_device *device, struct nnhal_device *hal)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_INITIALIZATION, "getSupportedExtensions");
	struct reports reports = { .device = device };

	return hal->ops->get_supported_extensions(hal, take_extension, &reports) == NNHAL_NONE &&
	       !reports.error;
}

static bool ask_capabilities(struct nnhal_device *hal, struct nnhal_capabilities *caps)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_INITIALIZATION, "getCapabilities");

	caps->size = sizeof(*caps);
	return hal->ops->get_capabilities(hal, caps) == NNHAL_NONE && capabilities_valid(caps);
}

static bool ask_cache_files(struct nnhal_device *hal, uint32_t *num_model, uint32_t *num_data)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_INITIALIZATION,
		     "getNumberOfCacheFilesNeeded");

	return hal->ops->get_number_of_cache_files(hal, num_model, num_data) == NNHAL_NONE &&
	       *num_model <= NNHAL_MAX_CACHE_FILES && *num_data <= NNHAL_MAX_CACHE_FILES;
}

/* NULL: the device is valid; else the reason why not. */
static const char *listed_device_ask(struct nnr_device *device, struct nnhal_device *hal)
{
	struct ANeuralNetworksDevice *base = &device->base;
	const char *name, *version;

	if (!ops_complete(hal))
		return "its operations table is incomplete";
	name = hal->ops->name(hal);
	version = hal->ops->version(hal);
	base->name = name && *name ? strdup(name) : NULL;
	base->version = version ? strdup(version) : NULL;
	if (!base->name || !base->version)
		return "it has no name or version";
	base->type = (int32_t)hal->ops->type(hal);
	if (base->type < ANEURALNETWORKS_DEVICE_OTHER ||
	    base->type > ANEURALNETWORKS_DEVICE_ACCELERATOR)
		return "unknown device type";
	base->feature_level = hal->ops->feature_level(hal);
	if (!base->feature_level)
		return "it has no feature level";
	if (base->feature_level > NNR_RUNTIME_LEVEL)
		base->feature_level = NNR_RUNTIME_LEVEL;
	if (!ask_extensions(device, hal))
		return "cannot query its extensions, or they are invalid";
	if (!ask_capabilities(hal, &base->capabilities))
		return "cannot query its capabilities, or they are invalid";
	if (!ask_cache_files(hal, &base->num_model_cache, &base->num_data_cache))
		return "cannot query its number of cache files, or it is above 32";
	return NULL;
}

struct nnr_device *nnr_device_create(struct nnhal_device *hal, const struct nnhal_driver *driver,
				     const char *spec)
{
	struct nnr_device *device = calloc(1, sizeof(*device));
	const char *wrong;

	if (!device)
		return NULL;
	device->driver = driver;
	device->spec = strdup(spec);
	wrong = device->spec ? listed_device_ask(device, hal) : "out of memory";
	if (wrong) {
		nnutil_log(NNUTIL_LOG_ERROR, "device \"%s\" of %s ignored: %s",
			   device->base.name ? device->base.name : spec, driver->name, wrong);
		nnr_device_free(device);
		return NULL;
	}
	device->place = nnr_device_find_place(hal);
	atomic_init(&device->base.hal, hal);
	return device;
}

struct nnr_device *nnr_device_open(const struct nnhal_driver *driver, const char *spec)
{
	char message[MESSAGE_SIZE] = "";
	struct nnhal_device *hal = NULL;
	struct nnr_device *device;
	int ret = driver->open(spec, &hal, message, sizeof(message));

	if (ret || !hal) {
		nnutil_log(NNUTIL_LOG_ERROR, "cannot open device \"%s\" of %s: %s", spec,
			   driver->name,
			   message[0] ? message
			   : ret < 0  ? strerror(-ret)
				      : "no device was returned");
		return NULL;
	}
	device = nnr_device_create(hal, driver, spec);
	if (!device && hal->ops && hal->ops->destroy)
		hal->ops->destroy(hal);
	return device;
}

struct nnr_device *nnr_device_create_reference(struct nnhal_device *hal)
{
	struct nnr_device *device = calloc(1, sizeof(*device));
	struct nnhal_performance one = { 1.0f, 1.0f };
	struct nnhal_capabilities *caps;

	if (!device)
		return NULL;
	caps = &device->base.capabilities;
	device->base.name = strdup("nnapi-reference");
	device->base.version = strdup(NNR_PROJECT_VERSION);
	device->spec = strdup("cpu");
	if (!device->base.name || !device->base.version || !device->spec) {
		nnr_device_free(device);
		return NULL;
	}
	device->base.type = ANEURALNETWORKS_DEVICE_CPU;
	device->base.feature_level = NNR_RUNTIME_LEVEL;
	device->base.is_reference = true;
	for (uint32_t i = 0; i < NNMODEL_TYPE_COUNT; i++)
		caps->operand[i] = one;
	caps->relaxed_scalar = caps->relaxed_tensor = caps->if_performance =
		caps->while_performance = one;
	atomic_init(&device->base.hal, hal);
	return device;
}

void nnr_device_free(struct nnr_device *device)
{
	struct nnhal_device *hal = device->base.hal;

	for (uint32_t i = 0; i < device->base.num_extensions; i++)
		nnr_extension_report_clear(&device->reports[i]);
	free(device->reports);
	free(device->base.extensions);
	free(device->base.name);
	free(device->base.version);
	free(device->spec);
	free(device->place);
	if (hal)
		hal->ops->destroy(hal);
	free(device);
}

bool nnr_device_same(const struct nnr_device *device, const struct nnr_device *other)
{
	const struct ANeuralNetworksDevice *a = &device->base, *b = &other->base;

	if (device->driver != other->driver || strcmp(a->version, b->version) ||
	    a->type != b->type || a->feature_level != b->feature_level ||
	    a->num_model_cache != b->num_model_cache || a->num_data_cache != b->num_data_cache ||
	    a->num_extensions != b->num_extensions)
		return false;
	for (uint32_t i = 0; i < a->num_extensions; i++)
		if (!nnr_extension_report_same(&device->reports[i], &other->reports[i]))
			return false;
	return true;
}

void nnr_log_status(enum nnutil_log_level level, const ANeuralNetworksDevice *device,
		    const char *method, enum nnhal_status status, const char *reason)
{
	nnutil_log(level, "%s: %s: %s: %s", device->name, method, nnhal_status_name(status),
		   reason && reason[0] ? reason : "no reason given");
}
