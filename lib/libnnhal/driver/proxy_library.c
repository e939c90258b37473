// SPDX-License-Identifier: Apache-2.0
/*
 * Loading libnnipc: from NNACCEL_IPC if it is set and the process is not privileged; else from a
 * place relative to this library; else by its name.
 */
#include "driver/nnhal_driver.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnhal.h"
#include "nnutil_library.h"

#define NAME "libnnipc.so.1"

/* Written once, under the lock of libraries. */
static struct proxies {
	const struct nnhal_driver *driver; /* NULL: not loaded yet */
	/* nnipc_enumerate() of nnipc.h */
	int (*enumerate)(const char *target, int (*found)(void *cookie, const char *spec),
			 void *cookie, char *message, size_t size);
} loaded;

bool nnhal_proxy_spec(const char *spec)
{
	static const char *const kinds[] = { "worker", "service" };

	for (size_t i = 0; spec && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(kinds[i]);

		if (!strncmp(spec, kinds[i], length) && strchr(":=", spec[length]))
			return true; /* strchr() finds the end of the text as well */
	}
	return false;
}

static int proxy_library_load(const char *path, const char *spec, char *message, size_t size)
{
	struct proxies p;
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	if (!library) {
		snprintf(message, size,
			 "%s needs " NAME " of nnaccel, which cannot be loaded: %s. Install it, or "
			 "set NNACCEL_IPC to its path",
			 spec, dlerror());
		return -ENOENT;
	}
	p.driver = nnutil_library_own(library, "nnhal_driver");
	*(void **)&p.enumerate = nnutil_library_own(library, "nnipc_enumerate");
	/* other vendor libraries have no proxies: this one would even ask itself, without an end */
	if (!p.driver || !p.enumerate) {
		snprintf(message, size,
			 "%s is not libnnipc: it does not define nnhal_driver and nnipc_enumerate",
			 path);
		return -ELIBBAD;
	}
	if (p.driver->abi_version != NNHAL_ABI_VERSION || p.driver->size < sizeof(*p.driver) ||
	    !p.driver->open) {
		snprintf(message, size,
			 "%s has nnhal ABI version %u, libnnhal has %u: install both of the same "
			 "version",
			 path, p.driver->abi_version, NNHAL_ABI_VERSION);
		return -ELIBBAD;
	}
	loaded = p;
	return 0;
}

/* @spec: for messages. */
static int proxy_library_get(struct proxies *p, const char *spec, char *message, size_t size)
{
	/* installed, through the link in nnhal/, and in the build tree */
	static const char *const places[] = { NAME, "../" NAME, "../libnnipc/host/" NAME, NULL };
	const char *path = secure_getenv("NNACCEL_IPC");
	char near[PATH_MAX];
	int ret = 0;

	nnutil_library_lock();
	if (!loaded.driver) {
		if (!path || !*path)
			path = nnutil_library_beside(places, near, sizeof(near)) ? near : NAME;
		ret = proxy_library_load(path, spec, message, size);
	}
	*p = loaded;
	nnutil_library_unlock();
	return ret;
}

int nnhal_proxy_enumerate(const char *target, int (*found)(void *cookie, const char *spec),
			  void *cookie, char *message, size_t size)
{
	struct proxies p;
	int ret = proxy_library_get(&p, target, message, size);

	return ret ? ret : p.enumerate(target, found, cookie, message, size);
}

int nnhal_proxy_open(const char *spec, struct nnhal_device **dev, char *message, size_t size)
{
	struct proxies p;
	int ret = proxy_library_get(&p, spec, message, size);

	return ret ? ret : p.driver->open(spec, dev, message, size);
}
