/* SPDX-License-Identifier: Apache-2.0 */
/* Devices as the runtime knows them. */
#ifndef NNR_LISTED_DEVICE_H
#define NNR_LISTED_DEVICE_H

#include <stdatomic.h>

#include "nnhal.h"
#include "nnutil_log.h"

#include "base/ndk.h"
#include "registry/extension_registry.h"

/**
 * A device. All but @hal and @callers is constant once the device is listed. hotplug.c replaces
 * @hal when a lost device is back, and destroys the old object after the last call on it. So calls
 * of @hal are between nnr_device_enter() and nnr_device_leave().
 */
struct ANeuralNetworksDevice {
	char *name, *version;
	int32_t type; /* DeviceTypeCode */
	uint32_t feature_level; /* 1 .. NNR_RUNTIME_LEVEL, clamped */
	bool is_reference; /* nnapi-reference */
	_Atomic(struct nnhal_device *) hal;
	atomic_uint callers; /* of @hal, or of one before it */
	struct nnhal_capabilities capabilities;
	uint32_t num_model_cache, num_data_cache;
	char **extensions; /* reported names; nnapi-reference has none */
	uint32_t num_extensions;
};

/** The device object, which lives until nnr_device_leave(). What it makes lives longer. */
static inline struct nnhal_device *nnr_device_enter(ANeuralNetworksDevice *device)
{
	/*
	 * in this order: a thread that replaces @hal and then sees no caller has none on the old
	 * one
	 */
	atomic_fetch_add(&device->callers, 1);
	return atomic_load(&device->hal);
}
static inline void nnr_device_leave(ANeuralNetworksDevice *device)
{
	atomic_fetch_sub(&device->callers, 1);
}

/** The same with its origin. */
struct nnr_device {
	struct ANeuralNetworksDevice base; /* first */
	const struct nnhal_driver *driver; /* NULL: nnapi-reference */
	char *spec; /* under the lock of hotplug.c once the device is listed */
	char *place; /* sysfs path of the parent of its node; NULL: it has no node */
	atomic_bool replaced; /* lost, and another device is in its place */
	struct nnr_extension_report *reports; /* as base.extensions */
};
static inline struct nnr_device *nnr_device_of(const ANeuralNetworksDevice *device)
{
	return (struct nnr_device *)device;
}

/**
 * Query all constant properties of @hal, which the device owns on success. NULL: a property is
 * invalid, or out of memory (logged).
 */
struct nnr_device *nnr_device_create(struct nnhal_device *hal, const struct nnhal_driver *driver,
				     const char *spec);
/** Open @spec of a vendor library and create its device. NULL: it cannot be used (logged). */
struct nnr_device *nnr_device_open(const struct nnhal_driver *driver, const char *spec);
/** nnapi-reference on @hal. NULL: out of memory. */
struct nnr_device *nnr_device_create_reference(struct nnhal_device *hal);
/** Destroys its @hal as well. */
void nnr_device_free(struct nnr_device *device);
/** Whether all constant properties of both are equal. */
bool nnr_device_same(const struct nnr_device *device, const struct nnr_device *other);

/** Log the answer of @device to @method. @reason: the device's own words; may be "" or NULL. */
void nnr_log_status(enum nnutil_log_level level, const ANeuralNetworksDevice *device,
		    const char *method, enum nnhal_status status, const char *reason);

#endif
