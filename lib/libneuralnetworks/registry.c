// SPDX-License-Identifier: Apache-2.0
/*
 * The list of devices: those of vendor libraries in the order of the libraries' file names, as each
 * library enumerates them (libnnhal-nnaccel.so: accel nodes, then nnaccel-cpu), chosen and ordered
 * by the configuration; then nnapi-reference. Nothing leaves the list and nothing in it moves: what
 * comes later is appended.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "nnr_config.h"
#include "reference.h"
#include "registry.h"

#define MAX_LIBRARIES 64u
#define MESSAGE_SIZE 256u

static pthread_once_t discover_once = PTHREAD_ONCE_INIT;

/* Libraries stay loaded. Fixed after the discovery. */
static struct {
	void *handle;
	const struct nnhal_driver *driver;
} libraries[MAX_LIBRARIES];
static uint32_t num_libraries;

/*
 * Entries below num_devices never change; whoever appends is in the discovery or holds hotplug.c's
 * lock.
 */
static struct nnr_device *devices[NNR_MAX_DEVICES];
static atomic_uint num_devices;
static struct nnr_device *reference;
static atomic_bool discovering;

/* ---- vendor libraries ---- */

/* dlsym() looks into what a library depends on, too: the entry must be its own. */
static const struct nnhal_driver *own_entry(void *handle)
{
	const void *entry = dlsym(handle, "nnhal_driver");
	struct link_map *map;
	Dl_info info;

	if (!entry || dlinfo(handle, RTLD_DI_LINKMAP, &map) || !dladdr(entry, &info) ||
	    (uintptr_t)info.dli_fbase != map->l_addr)
		return NULL;
	return entry;
}

static void load_library(const char *path)
{
	const struct nnhal_driver *driver;
	void *handle;

	if (num_libraries == MAX_LIBRARIES) {
		nnr_log(NNR_LOG_ERROR, "%s is left out: there are %u vendor libraries already",
			path, num_libraries);
		return;
	}
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!handle) {
		nnr_log(NNR_LOG_ERROR, "vendor library %s: %s", path, dlerror());
		return;
	}
	for (uint32_t i = 0; i < num_libraries; i++)
		if (libraries[i].handle == handle) { /* by another name */
			dlclose(handle);
			return;
		}
	driver = own_entry(handle);
	if (!driver) {
		nnr_log(NNR_LOG_ERROR, "%s is not a vendor library: it has no nnhal_driver", path);
	} else if (driver->abi_version != NNHAL_ABI_VERSION) {
		nnr_log(NNR_LOG_ERROR,
			"vendor library %s has nnhal ABI version %u, this runtime needs %u: "
			"install a matching version",
			path, driver->abi_version, NNHAL_ABI_VERSION);
	} else if (driver->size < sizeof(*driver) || !driver->name || !driver->enumerate ||
		   !driver->open) {
		nnr_log(NNR_LOG_ERROR, "vendor library %s has an incomplete nnhal_driver table",
			path);
	} else {
		libraries[num_libraries].handle = handle;
		libraries[num_libraries++].driver = driver;
		return;
	}
	dlclose(handle);
}

static int is_library(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return entry->d_name[0] != '.' && length > 3 && !strcmp(entry->d_name + length - 3, ".so");
}

static int by_file_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* False: there is no such folder. */
static bool load_folder(const char *folder)
{
	struct dirent **entries;
	char path[PATH_MAX];
	int count = scandir(folder, &entries, is_library, by_file_name);

	if (count < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			nnr_log(NNR_LOG_ERROR, "%s: %s", folder, strerror(errno));
		return false;
	}
	for (int i = 0; i < count; i++) {
		if (snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name) <
		    (int)sizeof(path))
			load_library(path);
		free(entries[i]);
	}
	free(entries);
	return true;
}

/* @name in the folder of this library, or of the program that has it inside. False: not there. */
static bool find_near(const char *name, char *path, size_t size)
{
	const char *slash;
	struct stat st;
	Dl_info info;
	int n;

	/* not by a public symbol: a program may have one of the same name */
	if (!dladdr(&libraries, &info) || !info.dli_fname)
		return false;
	slash = strrchr(info.dli_fname, '/');
	if (!slash)
		return false;
	n = snprintf(path, size, "%.*s/%s", (int)(slash - info.dli_fname), info.dli_fname, name);
	return n > 0 && (size_t)n < size && !stat(path, &st);
}

static void load_configured(const char *folders)
{
	const char *item = folders;
	size_t length;
	char path[PATH_MAX];

	for (length = nnr_list_next(&item, 0, ":"); length;
	     length = nnr_list_next(&item, length, ":")) {
		if (snprintf(path, sizeof(path), "%.*s", (int)length, item) >= (int)sizeof(path))
			continue;
		if (!load_folder(path))
			nnr_log(NNR_LOG_ERROR, "%s: there is no such folder of vendor libraries",
				path);
	}
}

static void load_libraries(void)
{
	const char *configured = nnr_settings()->hal_dirs;
	char path[PATH_MAX];

	if (*configured)
		load_configured(configured);
	else if (find_near("nnhal", path, sizeof(path)) && load_folder(path))
		return;
	else if (find_near(NNR_PLUGIN_RELATIVE, path, sizeof(path)))
		load_library(path);
	else
		load_folder(NNR_PLUGINDIR);
}

struct enumeration {
	bool (*found)(void *cookie, const struct nnhal_driver *driver, const char *spec);
	void *cookie;
	const struct nnhal_driver *driver;
};

static int found_spec(void *cookie, const char *spec)
{
	struct enumeration *e = cookie;

	return !spec || e->found(e->cookie, e->driver, spec) ? 0 : 1;
}

void nnr_libraries_enumerate(bool (*found)(void *cookie, const struct nnhal_driver *driver,
					   const char *spec),
			     void *cookie)
{
	for (uint32_t i = 0; i < num_libraries; i++) {
		struct enumeration e = { found, cookie, libraries[i].driver };
		int ret = e.driver->enumerate(found_spec, &e);

		if (ret > 0)
			return;
		if (ret < 0)
			nnr_log(NNR_LOG_ERROR, "vendor library %s cannot say what is there: %s",
				e.driver->name, strerror(-ret));
	}
}

struct nnr_device *nnr_library_open(const struct nnhal_driver *driver, const char *spec)
{
	char message[MESSAGE_SIZE] = "";
	struct nnhal_device *hal = NULL;
	struct nnr_device *device;
	int ret = driver->open(spec, &hal, message, sizeof(message));

	if (ret || !hal) {
		nnr_log(NNR_LOG_ERROR, "device \"%s\" of %s cannot be opened: %s", spec,
			driver->name,
			message[0] ? message
			: ret < 0  ? strerror(-ret)
				   : "the library gives none");
		return NULL;
	}
	device = nnr_device_create(hal, driver, spec);
	if (!device && hal->ops && hal->ops->destroy)
		hal->ops->destroy(hal);
	return device;
}

/* ---- the list ---- */

/* Number of the first pattern of a list that matches; NNR_NONE: none does. */
static uint32_t matching(const char *patterns, const char *name)
{
	const char *item = patterns;
	uint32_t number = 0;
	size_t length;

	for (length = nnr_list_next(&item, 0, " \t"); length;
	     length = nnr_list_next(&item, length, " \t")) {
		if (nnr_pattern_matches(item, length, name))
			return number;
		number++;
	}
	return NNR_NONE;
}

bool nnr_device_enabled(const struct nnr_device *device)
{
	const struct nnr_settings *s = nnr_settings();

	if (s->config.cpu_only)
		return false;
	if (matching(s->exclude_devices, device->base.name) != NNR_NONE)
		return false;
	return !*s->devices || matching(s->devices, device->base.name) != NNR_NONE;
}

static bool name_taken(const char *name)
{
	uint32_t count = atomic_load_explicit(&num_devices, memory_order_acquire);

	if (!strcmp(name, "nnapi-reference"))
		return true;
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(devices[i]->base.name, name))
			return true;
	return false;
}

static bool make_name_unique(struct nnr_device *device)
{
	char *name;

	if (device->base.is_reference || !name_taken(device->base.name))
		return true;
	for (unsigned int n = 2; n <= NNR_MAX_DEVICES + 1; n++) {
		if (asprintf(&name, "%s-%u", device->base.name, n) < 0)
			return false;
		if (!name_taken(name)) {
			nnr_log(NNR_LOG_WARNING,
				"there is a device %s already: another one is called %s",
				device->base.name, name);
			free(device->base.name);
			device->base.name = name;
			return true;
		}
		free(name);
	}
	return false;
}

bool nnr_device_append(struct nnr_device *device)
{
	uint32_t count = atomic_load_explicit(&num_devices, memory_order_relaxed);

	if (count == NNR_MAX_DEVICES || !make_name_unique(device)) {
		nnr_log(NNR_LOG_ERROR, "device %s is left out: there are too many",
			device->base.name);
		return false;
	}
	for (uint32_t i = 0; i < device->base.num_extensions; i++)
		nnr_extension_register(&device->reports[i]);
	devices[count] = device;
	atomic_store_explicit(&num_devices, count + 1, memory_order_release);
	return true;
}

/* ---- discovery ---- */

struct discovery {
	struct nnr_device *found[NNR_MAX_DEVICES];
	uint32_t count;
};

static bool discovered(void *cookie, const struct nnhal_driver *driver, const char *spec)
{
	struct discovery *d = cookie;
	struct nnr_device *device;

	if (d->count == NNR_MAX_DEVICES - 1)
		return false;
	device = nnr_library_open(driver, spec);
	if (device && nnr_device_enabled(device))
		d->found[d->count++] = device;
	else if (device)
		nnr_device_leave_out(device);
	return true;
}

/* In the order of the patterns that choose them; without patterns, as they came. */
static void list_in_order(struct discovery *d)
{
	const char *patterns = nnr_settings()->devices;
	uint32_t order[NNR_MAX_DEVICES], next;

	for (uint32_t i = 0; i < d->count; i++)
		order[i] = *patterns ? matching(patterns, d->found[i]->base.name) : 0;
	for (;;) {
		next = NNR_NONE;
		for (uint32_t i = 0; i < d->count; i++)
			if (d->found[i] && (next == NNR_NONE || order[i] < order[next]))
				next = i;
		if (next == NNR_NONE)
			return;
		if (!nnr_device_append(d->found[next]))
			nnr_device_free(d->found[next]);
		d->found[next] = NULL;
	}
}

/* What nnapi-reference stands on. NULL: it cannot be opened (logged). */
static struct nnhal_device *open_reference_hal(void)
{
	char message[MESSAGE_SIZE] = "";
	struct nnhal_device *inner, *hal;

	if (nnhal_open("cpu", &inner, message, sizeof(message))) {
		nnr_log(NNR_LOG_ERROR, "there is no nnapi-reference: %s", message);
		return NULL;
	}
	hal = nnr_reference_new(inner);
	if (!hal)
		inner->ops->destroy(inner);
	return hal;
}

static void open_reference(void)
{
	struct nnhal_device *hal = open_reference_hal();

	reference = hal ? nnr_device_create_reference(hal) : NULL;
	if (reference)
		nnr_device_append(reference);
	else if (hal)
		hal->ops->destroy(hal);
}

bool nnr_discovery_forked(void)
{
	/*
	 * the child begins anew what another thread of the parent was at; nobody has a handle yet
	 */
	if (atomic_load_explicit(&discovering, memory_order_relaxed)) {
		atomic_store_explicit(&num_devices, 0, memory_order_relaxed);
		reference = NULL;
	}
	return atomic_load_explicit(&num_devices, memory_order_relaxed) > 0;
}

static void discover(void)
{
	struct discovery d = { .count = 0 };

	atomic_store_explicit(&discovering, true, memory_order_relaxed);
	if (!nnr_config()->cpu_only) {
		nnr_hotplug_start();
		load_libraries();
		nnr_libraries_enumerate(discovered, &d);
		list_in_order(&d);
	}
	open_reference();
	atomic_store_explicit(&discovering, false, memory_order_relaxed);
}

void nnr_reference_renew(void)
{
	struct nnhal_device *hal = reference ? open_reference_hal() : NULL;

	if (hal)
		atomic_store(&reference->base.hal, hal); /* the other one is the parent's */
}

uint32_t nnr_devices_listed(void)
{
	nnr_fork_watch();
	pthread_once(&discover_once, discover);
	return atomic_load_explicit(&num_devices, memory_order_acquire);
}

struct nnr_device *nnr_device_listed(uint32_t index)
{
	return index < nnr_devices_listed() ? devices[index] : NULL;
}

uint32_t nnr_num_devices(void)
{
	nnr_devices_refresh();
	return nnr_devices_listed();
}

ANeuralNetworksDevice *nnr_device(uint32_t index)
{
	struct nnr_device *device = nnr_device_listed(index);

	return device ? &device->base : NULL;
}

ANeuralNetworksDevice *nnr_reference_device(void)
{
	nnr_devices_listed();
	return reference ? &reference->base : NULL;
}
