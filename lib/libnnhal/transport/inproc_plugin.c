// SPDX-License-Identifier: Apache-2.0
/*
 * Loading the firmware plugin: from NNACCEL_FIRMWARE if it is set and the process is not
 * privileged; else from a place relative to this library; else from the configured path.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_library.h"
#include "nnhal_config.h"
#include "transport/inproc.h"

/* Under the lock of libraries. */
static const struct nnfw_plugin *loaded;

/* Installed, and through the link in nnhal/. */
static const char *const places[] = { "nnaccel/libnnaccel-fw.so", "../nnaccel/libnnaccel-fw.so",
				      NULL };

static int inproc_plugin_load(const char *path, char *message, size_t size)
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
		snprintf(message, size, "%s is no nnaccel firmware: it has no nnfw_plugin()", path);
		return -ELIBBAD;
	}
	loaded = entry(NNFW_ABI_VERSION);
	if (!loaded || loaded->abi_version != NNFW_ABI_VERSION) {
		loaded = NULL;
		snprintf(message, size,
			 "%s has another plugin interface than version %u of this library", path,
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

	nnutil_library_lock();
	if (!loaded) {
		if (!path || !*path)
			path = nnutil_library_beside(places, near, sizeof(near))
				       ? near
				       : NNHAL_FIRMWARE_PATH;
		ret = inproc_plugin_load(path, message, size);
	}
	*plugin = loaded;
	nnutil_library_unlock();
	return ret;
}

/* Add a name to names separated by blanks; one that does not fit is left out. */
static void add_name(char *names, size_t size, const char *name)
{
	size_t have = strlen(names);

	if (have + 1 + strlen(name) < size)
		snprintf(names + have, size - have, "%s%s", have ? " " : "", name);
}

void nnhal_plugin_instructions(const struct nnfw_plugin *plugin, struct nnhal_device_info *info)
{
	struct nnfw_instructions set;

	for (size_t i = 0; plugin->instructions(i, &set); i++) {
		if (set.usable)
			add_name(info->isa_usable, sizeof(info->isa_usable), set.name);
		else
			add_name(info->isa_missing, sizeof(info->isa_missing), set.name);
		if (set.used)
			add_name(info->isa, sizeof(info->isa), set.name);
	}
}
