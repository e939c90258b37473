// SPDX-License-Identifier: Apache-2.0
/*
 * Loading the firmware plugin: from NNACCEL_FIRMWARE if that is set and the process is not privileged, else
 * relative to where this library is (in a build tree), else from where it was installed.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hal.h"
#include "nnhal_config.h"
#include "plugin.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* of loaded */
static const struct nnfw_plugin *loaded;

/* The build tree's plugin, next to the directory of this library; empty: not found. */
static void build_path(char *path, size_t size)
{
	Dl_info info;
	const char *slash;

	path[0] = '\0';
	/* Not an exported symbol: a program that refers to it has a copy of its own. */
	if (!dladdr(&lock, &info) || !info.dli_fname)
		return;
	slash = strrchr(info.dli_fname, '/');
	if (!slash)
		return;
	snprintf(path, size, "%.*s/" NNHAL_FIRMWARE_RELATIVE, (int)(slash - info.dli_fname),
		 info.dli_fname);
	if (access(path, R_OK))
		path[0] = '\0';
}

static int load(const char *path, char *message, size_t size)
{
	const struct nnfw_plugin *(*entry)(uint32_t);
	void *lib;

	lib = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!lib) {
		snprintf(message, size, "no firmware for the in-process device: %s", dlerror());
		return -ENOENT;
	}
	*(void **)&entry = dlsym(lib, "nnfw_plugin");
	if (!entry) {
		snprintf(message, size, "%s is not an nnaccel firmware", path);
		return -ELIBBAD;
	}
	loaded = entry(NNFW_ABI_VERSION);
	if (!loaded || loaded->abi_version != NNFW_ABI_VERSION) {
		loaded = NULL;
		snprintf(message, size, "%s is of another version than this library (%u)", path,
			 NNFW_ABI_VERSION);
		return -ELIBBAD;
	}
	return 0;
}

int nnhal_plugin_load(const struct nnfw_plugin **plugin, char *message, size_t size)
{
	const char *path = secure_getenv("NNACCEL_FIRMWARE");
	char near[PATH_MAX];
	int ret = 0;

	pthread_mutex_lock(&lock);
	if (!loaded) {
		if (!path || !*path) {
			build_path(near, sizeof(near));
			path = near[0] ? near : NNHAL_FIRMWARE_PATH;
		}
		ret = load(path, message, size);
	}
	*plugin = loaded;
	pthread_mutex_unlock(&lock);
	return ret;
}
