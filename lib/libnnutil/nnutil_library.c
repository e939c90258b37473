// SPDX-License-Identifier: Apache-2.0
/* Shared libraries that are loaded at run time. */
#include "nnutil_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "nnutil_process.h"

/* The file that this code is a part of. */
static bool own_file(char *path, size_t size)
{
	/* Not the address of a public symbol: the linker may have copied it into the program. */
	static const char here;
	struct link_map *map;
	ssize_t length;
	Dl_info info;
	int n;

	if (!dladdr1(&here, &info, (void **)&map, RTLD_DL_LINKMAP))
		return false;
	/* of a program the linker knows argv[0] only */
	if (!map->l_name || !map->l_name[0]) {
		length = readlink("/proc/self/exe", path, size);
		if (length < 0 || (size_t)length >= size)
			return false;
		path[length] = '\0';
		return true;
	}
	n = snprintf(path, size, "%s", map->l_name);
	return n > 0 && (size_t)n < size;
}

bool nnutil_library_beside(const char *const *places, char *path, size_t size)
{
	char self[PATH_MAX];
	char *slash = own_file(self, sizeof(self)) ? strrchr(self, '/') : NULL;

	if (!slash)
		return false;
	*slash = '\0';
	for (; *places; places++) {
		const bool whole = **places == '/';
		int n = snprintf(path, size, "%s%s%s", whole ? "" : self, whole ? "" : "/",
				 *places);

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

static void library_hold(void)
{
	pthread_mutex_lock(&lock);
}

static void library_release(bool child)
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
	static struct nnutil_fork_handler handler = { .before = library_hold,
						      .after = library_release };

	nnutil_process_watch(&handler);
	pthread_mutex_lock(&lock);
}

void nnutil_library_unlock(void)
{
	pthread_mutex_unlock(&lock);
}
