// SPDX-License-Identifier: Apache-2.0
/* Files beside this library. */
#include "host/nnipc_host.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Relative to the folder of this library: installed, then in the build tree. */
static const char *const workers[] = { "nnaccel/nnaccel-worker", "../worker/nnaccel-worker", NULL };
static const char *const vendors[] = { "nnhal/libnnhal-nnaccel.so", "../../libnnhal/libnnhal.so.2",
				       NULL };
static const char *const profiles[] = { "nnaccel/profiles", "../sandbox/profiles", NULL };

static bool places_find(const char *const *places, int mode, char *path, size_t size)
{
	char self[PATH_MAX];
	const char *slash;
	Dl_info info;

	/* not by a public symbol: the linker may have copied it into the program */
	if (!dladdr(&workers, &info) || !info.dli_fname || !realpath(info.dli_fname, self))
		return false;
	slash = strrchr(self, '/');
	for (; *places; places++) {
		int n = snprintf(path, size, "%.*s/%s", (int)(slash - self), self, *places);

		if (n > 0 && (size_t)n < size && !access(path, mode))
			return true;
	}
	return false;
}

bool nnipc_place_of_worker(char *path, size_t size)
{
	return places_find(workers, X_OK, path, size);
}

bool nnipc_place_of_vendor(char *path, size_t size)
{
	return places_find(vendors, R_OK, path, size);
}

bool nnipc_place_of_profiles(char *path, size_t size)
{
	return places_find(profiles, R_OK | X_OK, path, size);
}
