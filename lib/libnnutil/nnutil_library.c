// SPDX-License-Identifier: Apache-2.0
/* Shared libraries that are loaded at run time. */
#include "nnutil_library.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "nnutil_process.h"

bool nnutil_library_beside(const char *const *places, char *path, size_t size)
{
	/* Not the address of a public symbol: the linker may have copied it into the program. */
	static const char here;
	const char *slash;
	Dl_info info;

	if (!dladdr(&here, &info) || !info.dli_fname)
		return false;
	slash = strrchr(info.dli_fname, '/');
	if (!slash)
		return false;
	for (; *places; places++) {
		int n = snprintf(path, size, "%.*s/%s", (int)(slash - info.dli_fname),
				 info.dli_fname, *places);

		if (n > 0 && (size_t)n < size && !access(path, R_OK))
			return true;
	}
	return false;
}

void *nnutil_library_own(void *handle, const char *symbol)
{
	void *address = dlsym(handle, symbol);
	struct link_map *map;
	Dl_info info;

	if (!address || dlinfo(handle, RTLD_DI_LINKMAP, &map) || !dladdr(address, &info) ||
	    (uintptr_t)info.dli_fbase != map->l_addr)
		return NULL;
	return address;
}

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void hold(void)
{
	pthread_mutex_lock(&lock);
}

static void release(bool child)
{
	/* a recursive mutex records its thread, whose number is another in the child */
	static const pthread_mutex_t new = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

	if (child)
		memcpy(&lock, &new, sizeof(lock));
	else
		pthread_mutex_unlock(&lock);
}

void nnutil_library_lock(void)
{
	static struct nnutil_fork_handler handler = { .before = hold, .after = release };

	nnutil_process_watch(&handler);
	pthread_mutex_lock(&lock);
}

void nnutil_library_unlock(void)
{
	pthread_mutex_unlock(&lock);
}
