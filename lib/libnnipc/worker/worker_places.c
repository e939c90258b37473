// SPDX-License-Identifier: Apache-2.0
#include "worker/nnipc_worker.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_library.h"

/* Vendor libraries may stand on libnnhal. Relative to this program: installed, in the build tree.
 */
static const char *const libraries[] = { "../libnnhal.so.2", "../../libnnhal/libnnhal.so.2", NULL };

/* Of launch/worker_environment.c: those that name files. */
static const struct nnipc_place named[] = {
	{ "$NNACCEL_FIRMWARE", NNIPC_USE_READ },
	{ "$NNACCEL_CALIBRATION", NNIPC_USE_READ },
};
/* Where NNTRACE may lead, without a path of its own. */
static const struct nnipc_place markers[] = {
	{ "/sys/kernel/tracing/trace_marker", NNIPC_USE_WRITE },
	{ "/sys/kernel/debug/tracing/trace_marker", NNIPC_USE_WRITE },
};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct nnipc_place places[COUNT(named) + COUNT(markers) + 2];

/* "marker", "marker:PATH", "file:PATH", "auto:PATH": Documentation/tracing.rst. */
static size_t add_trace(size_t count)
{
	const char *target = getenv("NNTRACE");
	const char *path = target ? strchr(target, ':') : NULL;

	if (!target)
		return count;
	memcpy(&places[count], markers, sizeof(markers));
	count += COUNT(markers);
	if (path && path[1] == '/')
		places[count++] = (struct nnipc_place){ path + 1, NNIPC_USE_WRITE };
	return count;
}

void nnipc_worker_places(struct nnipc_sandbox *sandbox)
{
	static char folder[PATH_MAX];
	size_t count = COUNT(named);
	char file[PATH_MAX];

	memcpy(places, named, sizeof(named));
	if (nnutil_library_beside(libraries, file, sizeof(file)) && realpath(file, folder)) {
		*strrchr(folder, '/') = '\0';
		places[count++] = (struct nnipc_place){ folder, NNIPC_USE_READ };
	}
	sandbox->num_places = add_trace(count);
	sandbox->places = places;
}
