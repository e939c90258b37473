// SPDX-License-Identifier: Apache-2.0
/*
 * Loading libnnipc: from NNACCEL_IPC if it is set and the process is not privileged; else from a
 * place relative to this library; else by its name.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_library.h"
#include "nnutil_log.h"

#include "base/settings.h"
#include "registry/load_driver.h"
#include "registry/proxies.h"

#define NAME "libnnipc.so.1"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct nnr_proxies proxies;

static void load(void)
{
	/* installed, and in the build tree */
	static const char *const places[] = { NAME, "../libnnipc/host/" NAME, NULL };
	const char *path = secure_getenv("NNACCEL_IPC");
	char near[PATH_MAX];
	void *handle;

	if (!path || !*path)
		path = nnutil_library_beside(places, near, sizeof(near)) ? near : NAME;
	proxies.driver = nnr_driver_load(path, &handle);
	if (proxies.driver)
		*(void **)&proxies.enumerate = nnutil_library_own(handle, "nnipc_enumerate");
	if (proxies.enumerate)
		return;
	nnutil_log(NNUTIL_LOG_ERROR,
		   "isolation is \"%s\", which needs libnnipc, and %s is not usable as such: no "
		   "vendor device is listed. Install it, name it in NNACCEL_IPC, or set isolation "
		   "to none",
		   nnr_settings()->isolation == NNR_ISOLATION_WORKER ? "worker" : "service", path);
}

const struct nnr_proxies *nnr_proxies(void)
{
	pthread_once(&once, load);
	return proxies.enumerate ? &proxies : NULL;
}

char *nnr_worker_target(const char *path)
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
