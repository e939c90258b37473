/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, vendor libraries, hot plug, extensions, the allowlist. */
#ifndef NNR_REGISTRY_H
#define NNR_REGISTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/nnr_base.h"
#include "nnhal.h"
#include "nnmodel.h"
#include "nnutil_log.h"

/*
 * extension_registry.c: vendor extensions of the process: what devices report, and the prefixes
 * that names get at their first use. Nothing is ever removed, so what a lookup returns stays valid.
 * Any thread.
 */

/** An extension as a device reports it; types sorted by number. */
struct nnr_extension_report {
	char *name;
	struct nnhal_extension_type *types;
	uint32_t num_types;
};
/** Copy @ext, sorted. 0; -EINVAL: invalid name, or a type number twice; -ENOMEM. */
int nnr_extension_report_copy(const struct nnhal_extension *ext,
			      struct nnr_extension_report *report);
void nnr_extension_report_clear(struct nnr_extension_report *report);
bool nnr_extension_report_same(const struct nnr_extension_report *a,
			       const struct nnr_extension_report *b);
/**
 * A listed device reports it. A report that differs from an earlier one disables the extension.
 */
int nnr_extension_register(const struct nnr_extension_report *report);

struct nnr_extension_type_info {
	bool is_tensor;
	uint32_t byte_size;
};
/** The prefix of @name, assigned at the first use. Result code. */
int nnr_extension_prefix(const char *name, uint16_t *prefix);
/** The name of an assigned prefix. NULL: not assigned (0 never is). */
const char *nnr_extension_name(uint16_t prefix);
/** nnr_extension_registered() and nnr_extension_type() of registry.c, of devices listed so far. */
bool nnr_extension_known(const char *name);
bool nnr_extension_type_known(uint32_t type, struct nnr_extension_type_info *info);

static inline bool nnr_is_extension(uint32_t type)
{
	return type > NNMODEL_TYPE_BASE_MAX;
}

/* listed_device.c: devices as the runtime knows them. */

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

/*
 * registry.c: the devices of the process: those of vendor libraries in the order of the libraries'
 * file names, as each library enumerates them, selected and ordered by the configuration; then
 * nnapi-reference; then those that came later. Any thread.
 */

/**
 * The number of devices, without looking for new ones. The first call discovers the devices; so do
 * those of the other functions here.
 */
uint32_t nnr_devices_listed(void);
/** NULL: there is no device @index. */
struct nnr_device *nnr_device_listed(uint32_t index);
ANeuralNetworksDevice *nnr_device(uint32_t index);
/** NULL: the in-process device cannot be opened (logged). */
ANeuralNetworksDevice *nnr_reference_device(void);
/** In a child: open the device behind nnapi-reference anew. */
void nnr_reference_renew(void);
/** In a child: whether there are devices, which are lost to it. */
bool nnr_discovery_forked(void);

/** Whether a device reports the extension, and none reports it differently. */
bool nnr_extension_registered(const char *name);
/** The type prefix << 16 | code of a registered extension. False: unknown. @info may be NULL. */
bool nnr_extension_type(uint32_t type, struct nnr_extension_type_info *info);

/*
 * hotplug.c: devices that come and go. A caller that is about to use devices looks for news of
 * udev, so there is no thread. A new device is appended to the list, behind nnapi-reference. A lost
 * device stays, and its calls answer DEVICE_UNAVAILABLE. When its library finds it again, in the
 * same place and with the same constant properties, it is opened behind its old handle. What was
 * prepared on it stays lost: the application compiles again.
 */

/** The number of devices, after nnr_devices_refresh(). */
uint32_t nnr_num_devices(void);
/**
 * Notice new devices and reopen lost ones that are back. Cheap if nothing happened. Compilations
 * and queries for supported operations call it first.
 */
void nnr_devices_refresh(void);
/** The same without waiting for news of udev. */
void nnr_devices_rescan(void);
/** Wait until a lost device is back. Result code: NO_ERROR, UNAVAILABLE_DEVICE. */
int nnr_device_wait(ANeuralNetworksDevice *device);

/*
 * attributes.c: extension attributes of compilations and executions, and the hints for devices made
 * of them.
 */

struct nnr_attribute {
	char *extension;
	uint16_t code;
	void *data;
	size_t size;
};
/**
 * Append a copy. Result code: NO_ERROR, BAD_DATA (extension and code are set already; logged),
 * OUT_OF_MEMORY.
 */
int nnr_attribute_add(struct nnr_attribute **list, uint32_t *num, const char *extension,
		      uint16_t code, const void *data, size_t size);
void nnr_attributes_free(struct nnr_attribute *list, uint32_t num);

/** Attributes as the HAL takes them. They refer to the attributes' names and data. */
struct nnr_hints {
	struct nnhal_token_value *values;
	struct nnmodel_extension *extensions;
	uint32_t num_values, num_extensions, room;
};
/** Replace what is in @hints (zeroed at first), whose memory is reused. Result code. */
int nnr_hints_set(struct nnr_hints *hints, const struct nnr_attribute *list, uint32_t num);
void nnr_hints_clear(struct nnr_hints *hints);

/*
 * device_monitor.c: what udev knows of accel nodes. Calls with state are serialized by their
 * callers.
 */

/**
 * Listen for accel nodes that come and go. Failures are logged. Without it, devices are found at
 * the start, and lost ones by nnr_devices_refresh().
 */
void nnr_device_monitor_start(void);
void nnr_device_monitor_stop(void);
bool nnr_device_monitor_runs(void);
/** Whether a node came or went since the last call. */
bool nnr_device_monitor_news(void);

/**
 * The sysfs path of the device that the node of @hal belongs to (its PCI device), malloc'ed. NULL:
 * no node, or unknown. Names of nodes do not identify a device: a node's number stays in use as
 * long as the node is open, so a card that returns gets another one.
 */
char *nnr_device_find_place(struct nnhal_device *hal);

/*
 * device_list.c: the list of devices, and the devices that the configuration leaves out. Devices
 * are appended, and never move or leave. Appending is serialized: in the discovery, then by the
 * lock of hotplug.c.
 */

#define NNR_MAX_DEVICES 256u

/** What is in the list now. Any thread. */
uint32_t nnr_device_list_size(void);
/** NULL: @index is not below the size. */
struct nnr_device *nnr_device_list_get(uint32_t index);
/**
 * In a child: discard a discovery that another thread of the parent had begun; it has given out no
 * handle.
 */
void nnr_device_list_forget(void);
/** Append; the name is made unique. False: the list is full (logged), and the caller keeps it. */
bool nnr_device_list_append(struct nnr_device *device);

/** The number of the first pattern in @patterns that matches @name. NNR_NONE: none. */
uint32_t nnr_matching_pattern(const char *patterns, const char *name);
/** Whether the configuration has it in the list. */
bool nnr_device_enabled(const struct nnr_device *device);
/** Free a device that the configuration leaves out, and remember that. */
void nnr_device_leave_out(struct nnr_device *device);
/** Left out before: opening it again would be in vain. */
bool nnr_device_is_left_out(const struct nnhal_driver *driver, const char *spec);

/* vendor_library.c: vendor libraries: shared objects with an nnhal_driver. */

/** Load them from where the configuration says. Once, before the calls below. They stay loaded. */
void nnr_libraries_load(void);
/** Call @found for every device that a library could open now, until it returns false. */
void nnr_libraries_enumerate(bool (*found)(void *cookie, const struct nnhal_driver *driver,
					   const char *spec),
			     void *cookie);

/*
 * allowlist.c: which processes may use vendor extensions (Documentation/allowlist.rst). It guards
 * against accidents, not against malice: a library inside the process decides about that process.
 */

/** Binaries of processes that are Android applications. */
#define NNR_APP_PROCESS64 "/system/bin/app_process64"
#define NNR_APP_PROCESS32 "/system/bin/app_process32"

/** A process. */
struct nnr_identity {
	const char *binary; /* absolute path; "": unknown */
	const char *application; /* name, of applications only; else NULL */
	bool system_app, on_vendor_image, on_product_image;
};

struct nnr_allowlist {
	const char *const *entries; /* valid ones: paths and application names */
	uint32_t num_entries;
	const char *partitions; /* folders where binaries may be, separated by blanks; "/product"
				 * counts only with @product_enabled */
	bool product_enabled;
	/* processes that may be listed need no entry (Android from API level 31 on, hosts) */
	bool unlisted_allowed;
	bool debuggable; /* tests of the system may run without an entry */
};

/** Decide without state and files. *@why (may be NULL): static text. */
bool nnr_allowlist_decide(const struct nnr_identity *who, const struct nnr_allowlist *list,
			  const char **why);
/** Append the entries of a file's text. Malformed lines are logged and ignored. 0 or -ENOMEM. */
int nnr_allowlist_parse(const char *file, char *text, size_t size, const char ***entries,
			uint32_t *num_entries);
/** Whether this process may use extensions; decided once. For models: nnr_model_may_extend(). */
bool nnr_extensions_allowed(void);

#endif
