/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the registry share. */
#ifndef NNR_REGISTRY_H
#define NNR_REGISTRY_H

#include "runtime.h"

/** The Support Library's table: none is defined below this level. */
#define NNR_MIN_TABLE_LEVEL 5u
#define NNR_MAX_DEVICES 256u

/* ---- config.c ---- */

/** All that nnapi.conf and the environment say. Strings are never NULL; "" is none. */
struct nnr_settings {
	struct nnr_config config;
	const char *devices; /* patterns, separated by blanks; "": all */
	const char *exclude_devices;
	const char *hal_dirs; /* folders, separated by ':'; "": the default */
	const char *allowlist; /* files, separated by ':'; "": none */
	const char *partitions; /* folders, separated by blanks */
	uint32_t device_wait_ms;
	uint32_t feature_level; /* what the runtime says it has: 1 .. NNR_RUNTIME_LEVEL */
};
/** Fixed at the first use; any thread. */
const struct nnr_settings *nnr_settings(void);
/** What a file's text says goes into the settings, at their first use (and in tests); @text is
 * NUL-terminated behind @size and written to. Lines that are none are logged as @path's and
 * ignored. */
void nnr_settings_parse(const char *path, char *text, size_t size);
/** Whether all of @name matches the pattern (an extended regular expression). */
bool nnr_pattern_matches(const char *pattern, size_t length, const char *name);
/**
 * The next of a list separated by one of @separators: its length, 0 at the end; *@item is moved to
 * it.
 */
size_t nnr_list_next(const char **item, size_t previous, const char *separators);

/**
 * A whole file of at most @max bytes: malloc'ed, NUL-terminated. NULL: errno says why. EFBIG: it is
 * larger.
 */
char *nnr_read_file(const char *path, size_t max, size_t *size);
/**
 * The next line of such a text, its end made NUL; NULL: there is none. *@zero: it has a zero byte
 * inside.
 */
char *nnr_next_line(char **position, const char *end, bool *zero);

/* ---- extensions.c ---- */

/** An extension as a device reports it; types sorted by number. */
struct nnr_extension_report {
	char *name;
	struct nnhal_extension_type *types;
	uint32_t num_types;
};
/** A valid name and types whose numbers are unique: a sorted copy. 0, -EINVAL, -ENOMEM. */
int nnr_extension_report_copy(const struct nnhal_extension *ext,
			      struct nnr_extension_report *report);
void nnr_extension_report_clear(struct nnr_extension_report *report);
/**
 * A device that reports it is in the list. A report that differs from an earlier one disables the
 * extension.
 */
int nnr_extension_register(const struct nnr_extension_report *report);

/* ---- device.c ---- */

/** A device in the list, and where it comes from. */
struct nnr_device {
	struct ANeuralNetworksDevice base; /* first */
	const struct nnhal_driver *driver; /* NULL: nnapi-reference */
	char *spec; /* hotplug.c's lock, once it is listed */
	char *place; /* where in the system its node hangs; NULL: it has no node */
	atomic_bool replaced; /* lost, and another device is in its place */
	struct nnr_extension_report *reports; /* as base.extensions */
};
static inline struct nnr_device *nnr_device_of(const ANeuralNetworksDevice *device)
{
	return (struct nnr_device *)device;
}
/**
 * Ask @hal all that is fixed of a device. Takes @hal over on success. NULL: what it says is
 * invalid, or out of memory (logged).
 */
struct nnr_device *nnr_device_create(struct nnhal_device *hal, const struct nnhal_driver *driver,
				     const char *spec);
/** "nnapi-reference" over the in-process device. */
struct nnr_device *nnr_device_create_reference(struct nnhal_device *hal);
/** Destroys its @hal as well. */
void nnr_device_free(struct nnr_device *device);
/** Whether @other is the same device again: all that is fixed is the same. */
bool nnr_device_same(const struct nnr_device *device, const struct nnr_device *other);

/* ---- registry.c ---- */

/** In a child: open anew what is behind nnapi-reference. */
void nnr_reference_renew(void);
/** What is in the list, without looking for news. Discovers on the first call. */
uint32_t nnr_devices_listed(void);
struct nnr_device *nnr_device_listed(uint32_t index);
/** Calls @found for all that vendor libraries could open now, until it returns false. */
void nnr_libraries_enumerate(bool (*found)(void *cookie, const struct nnhal_driver *driver,
					   const char *spec),
			     void *cookie);
/** Open and ask a device of a vendor library, without listing it. NULL: not possible (logged). */
struct nnr_device *nnr_library_open(const struct nnhal_driver *driver, const char *spec);
/** Whether the configuration has it in the list. */
bool nnr_device_enabled(const struct nnr_device *device);
/**
 * Append; its name is made unique. False: the list is full (logged), @device stays the caller's.
 */
bool nnr_device_append(struct nnr_device *device);

/* ---- hotplug.c ---- */

/** Called once, before the first discovery, so that nothing is missed in between. */
void nnr_hotplug_start(void);
/**
 * The sysfs path of what a device's node hangs on (its PCI device); malloc'ed. NULL: it has no
 * node, or unknown.
 */
char *nnr_device_find_place(struct nnhal_device *hal);
/** Free a device that the configuration does not want, and remember that. In the discovery. */
void nnr_device_leave_out(struct nnr_device *device);
/** Look for new and returned devices whatever was noticed. */
void nnr_devices_rescan(void);
/** Until a lost device is back. Result code: NO_ERROR, UNAVAILABLE_DEVICE. */
int nnr_device_wait(ANeuralNetworksDevice *device);

/* ---- allowlist.c ---- */

/**
 * Who asks. Applications have the binary of their launcher: NNR_APP_PROCESS64 or NNR_APP_PROCESS32.
 */
#define NNR_APP_PROCESS64 "/system/bin/app_process64"
#define NNR_APP_PROCESS32 "/system/bin/app_process32"
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
	/* who may be listed need not be (Android from API level 31 on, hosts) */
	bool unlisted_allowed;
	bool debuggable; /* tests of the system may run, listed or not */
};

/**
 * The decision of extensions.md section 5: no state, no files. *@why (may be NULL): static text.
 */
bool nnr_allowlist_decide(const struct nnr_identity *who, const struct nnr_allowlist *list,
			  const char **why);

/**
 * Whether a folder may be a partition of binaries that use extensions: absolute, not "/", not the
 * system's.
 */
bool nnr_partition_permitted(const char *folder, size_t length);

/** Entries of one file's text, appended; other lines are logged and ignored. 0 or -ENOMEM. */
int nnr_allowlist_parse(const char *file, char *text, size_t size, const char ***entries,
			uint32_t *num_entries);

#endif
