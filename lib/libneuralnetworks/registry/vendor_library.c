// SPDX-License-Identifier: Apache-2.0
/* Loading vendor libraries. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnr_config.h"
#include "nnutil_library.h"
#include "nnutil_log.h"

#include "base/settings.h"
#include "base/text.h"
#include "registry/vendor_library.h"

#define MAX_LIBRARIES 64u

/* Constant after nnr_libraries_load(). */
static struct {
	void *handle;
	const struct nnhal_driver *driver;
} libraries[MAX_LIBRARIES];
static uint32_t num_libraries;

static void load_library(const char *path)
{
	const struct nnhal_driver *driver;
	void *handle;

	if (num_libraries == MAX_LIBRARIES) {
		nnutil_log(NNUTIL_LOG_ERROR, "vendor library %s ignored: %u are loaded already",
			   path, num_libraries);
		return;
	}
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!handle) {
		nnutil_log(NNUTIL_LOG_ERROR, "cannot load vendor library %s: %s", path, dlerror());
		return;
	}
	for (uint32_t i = 0; i < num_libraries; i++)
		if (libraries[i].handle == handle) { /* loaded already by another name */
			dlclose(handle);
			return;
		}
	driver = nnutil_library_own(handle, "nnhal_driver");
	if (!driver) {
		nnutil_log(NNUTIL_LOG_ERROR,
			   "%s is not a vendor library: it does not define nnhal_driver", path);
	} else if (driver->abi_version != NNHAL_ABI_VERSION) {
		nnutil_log(NNUTIL_LOG_ERROR,
			   "vendor library %s has nnhal ABI version %u, this runtime needs %u: "
			   "install a matching version",
			   path, driver->abi_version, NNHAL_ABI_VERSION);
	} else if (driver->size < sizeof(*driver) || !driver->name || !driver->enumerate ||
		   !driver->open) {
		nnutil_log(NNUTIL_LOG_ERROR,
			   "vendor library %s has an incomplete nnhal_driver table", path);
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

/* False: the folder does not exist. */
static bool load_folder(const char *folder)
{
	struct dirent **entries;
	char path[PATH_MAX];
	int count = scandir(folder, &entries, is_library, by_file_name);

	if (count < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			nnutil_log(NNUTIL_LOG_ERROR, "%s: %s", folder, strerror(errno));
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
			nnutil_log(NNUTIL_LOG_ERROR, "folder of vendor libraries %s does not exist",
				   path);
	}
}

void nnr_libraries_load(void)
{
	static const char *const places[] = { "nnhal", NULL };
	const char *configured = nnr_settings()->hal_dirs;
	char path[PATH_MAX];

	if (*configured)
		load_configured(configured);
	else if (nnutil_library_beside(places, path, sizeof(path)) && load_folder(path))
		return;
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
			nnutil_log(NNUTIL_LOG_ERROR,
				   "vendor library %s: cannot enumerate devices: %s",
				   e.driver->name, strerror(-ret));
	}
}
