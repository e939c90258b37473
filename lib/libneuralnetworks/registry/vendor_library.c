// SPDX-License-Identifier: Apache-2.0
/* Vendor libraries: in the process, or behind other processes. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "nnr_config.h"
#include "nnutil_library.h"
#include "nnutil_log.h"

#include "base/nnr_base.h"
#include "registry/nnr_registry.h"

/* The name of a vendor library that a worker loads. */

/* For nnhal_enumerate(), malloc'ed. NULL: a worker cannot have it (logged). */
static char *worker_target(const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX], real[PATH_MAX];
	char *target;

	/* absolute, as the worker may be elsewhere; the name stays, its profile is found by it */
	if (!slash ||
	    (size_t)snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path) >=
		    sizeof(folder) ||
	    !realpath(*folder ? folder : "/", real)) {
		nnutil_log(NNUTIL_LOG_ERROR, "vendor library %s ignored: %s", path,
			   slash ? strerror(errno) : "it has no folder");
		return NULL;
	}
	if (strchr(real, ':') || strchr(slash, ':')) {
		nnutil_log(NNUTIL_LOG_ERROR,
			   "vendor library %s ignored: a worker cannot load a path with a colon",
			   path);
		return NULL;
	}
	return asprintf(&target, "worker=%s%s", strcmp(real, "/") ? real : "", slash) < 0 ? NULL
											  : target;
}

/* Loading one vendor library into the process. */

/* If the settings do: for libraries that have the function of nnhal.h. */
static void forbid_amx(void *handle)
{
	void (*use_amx)(bool use);

	if (nnr_settings()->amx)
		return;
	*(void **)&use_amx = nnutil_library_own(handle, "nnhal_use_amx");
	if (use_amx)
		use_amx(false);
}

/* *@handle: of dlopen(); the library stays loaded. NULL: it cannot be used (logged). */
static const struct nnhal_driver *driver_load(const char *path, void **handle)
{
	const struct nnhal_driver *driver;

	*handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!*handle) {
		nnutil_log(NNUTIL_LOG_ERROR, "cannot load vendor library %s: %s", path, dlerror());
		return NULL;
	}
	driver = nnutil_library_own(*handle, "nnhal_driver");
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
		forbid_amx(*handle);
		return driver;
	}
	dlclose(*handle);
	*handle = NULL;
	return NULL;
}

#define MAX_LIBRARIES 64u
#define MESSAGE_SIZE 512u

/* Constant after nnr_libraries_load(). */
static struct {
	const struct nnhal_driver *driver; /* the library's; elsewhere: libnnhal's */
	void *handle; /* NULL: elsewhere */
	const char *target; /* elsewhere: of nnhal_enumerate() */
	dev_t device; /* of the library's file */
	ino_t inode;
} libraries[MAX_LIBRARIES];
static uint32_t num_libraries;

static bool room_for(const char *path)
{
	if (num_libraries < MAX_LIBRARIES)
		return true;
	nnutil_log(NNUTIL_LOG_ERROR, "vendor library %s ignored: %u are loaded already", path,
		   num_libraries);
	return false;
}

static void load_library(const char *path)
{
	const struct nnhal_driver *driver;
	void *handle;

	if (!room_for(path))
		return;
	driver = driver_load(path, &handle);
	if (!driver)
		return;
	for (uint32_t i = 0; i < num_libraries; i++)
		if (libraries[i].handle == handle) { /* loaded already by another name */
			dlclose(handle);
			return;
		}
	libraries[num_libraries].handle = handle;
	libraries[num_libraries++].driver = driver;
}

/* Its code never runs in this process: a worker loads it. */
static void list_library(const char *path)
{
	struct stat st;
	char *target;

	if (!room_for(path))
		return;
	if (stat(path, &st)) {
		nnutil_log(NNUTIL_LOG_ERROR, "vendor library %s ignored: %s", path,
			   strerror(errno));
		return;
	}
	for (uint32_t i = 0; i < num_libraries; i++)
		if (libraries[i].device == st.st_dev && libraries[i].inode == st.st_ino)
			return; /* another name of it */
	target = worker_target(path);
	if (!target)
		return;
	libraries[num_libraries].driver = &nnhal_driver;
	libraries[num_libraries].target = target;
	libraries[num_libraries].device = st.st_dev;
	libraries[num_libraries++].inode = st.st_ino;
}

/* Whether the file is the libnnhal that this process has anyway. */
static bool is_own(const char *path)
{
	struct stat st, own;
	Dl_info info;

	return dladdr((void *)nnhal_driver.open, &info) && info.dli_fname &&
	       !stat(info.dli_fname, &own) && !stat(path, &st) && st.st_dev == own.st_dev &&
	       st.st_ino == own.st_ino;
}

static void take_library(const char *path)
{
	enum nnr_isolation isolation = nnr_settings()->isolation;

	if (isolation == NNR_ISOLATION_NONE || (isolation == NNR_ISOLATION_AUTO && is_own(path)))
		load_library(path);
	else
		list_library(path);
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
			take_library(path);
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

/* It has libraries of its own. */
static void list_service(void)
{
	libraries[num_libraries].driver = &nnhal_driver;
	libraries[num_libraries++].target = "service";
}

void nnr_libraries_load(void)
{
	static const char *const places[] = { "nnhal", NULL };
	const char *configured = nnr_settings()->hal_dirs;
	char path[PATH_MAX];

	if (nnr_settings()->isolation == NNR_ISOLATION_SERVICE) {
		list_service();
		return;
	}
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
		char message[MESSAGE_SIZE] = "";
		int ret = libraries[i].target ? nnhal_enumerate(libraries[i].target, found_spec, &e,
								message, sizeof(message))
					      : e.driver->enumerate(found_spec, &e);

		if (ret > 0)
			return;
		if (ret < 0)
			nnutil_log(NNUTIL_LOG_ERROR,
				   "vendor library %s: cannot enumerate devices: %s",
				   libraries[i].target ? libraries[i].target : e.driver->name,
				   message[0] ? message : strerror(-ret));
	}
}
