// SPDX-License-Identifier: Apache-2.0
/* The name of a vendor library that a worker loads. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_log.h"

#include "registry/nnr_registry.h"

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
