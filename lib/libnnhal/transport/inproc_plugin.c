// SPDX-License-Identifier: Apache-2.0
/*
 * Loading the firmware plugin: from NNACCEL_FIRMWARE if it is set and the process is not
 * privileged; else from a place relative to this library; else from the configured path.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_library.h"
#include "nnhal_config.h"
#include "nnutil_process.h"
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

/* ---- limits: memory, and stack ---- */

#define MOST_ARENA ((uint64_t)1 << 30)
/* A limit below this is no limit for programs, but the end of the process. */
#define LEAST ((uint64_t)16 << 20)

static uint64_t half(void)
{
	const uint64_t bytes = nnutil_memory_limit() / 2;

	return bytes < LEAST ? LEAST : bytes;
}

uint64_t nnhal_inproc_quota(unsigned int mib)
{
	return mib ? (uint64_t)mib << 20 : half();
}

uint64_t nnhal_inproc_arena(void)
{
	return half() < MOST_ARENA ? half() : MOST_ARENA;
}

/*
 * The bounds of the thread's own stack; both 0: not known. That of the first thread grows, and its
 * bounds come from /proc: they are read once per thread.
 */
static __thread struct {
	bool measured;
	uintptr_t low, high;
} stack;

static void stack_measure(void)
{
	pthread_attr_t attr;
	size_t size;
	void *low;

	stack.measured = true;
	if (pthread_getattr_np(pthread_self(), &attr))
		return;
	if (!pthread_attr_getstack(&attr, &low, &size)) {
		stack.low = (uintptr_t)low;
		stack.high = stack.low + size;
	}
	pthread_attr_destroy(&attr);
}

size_t nnhal_inproc_stack_left(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (!stack.measured)
		stack_measure();
	return here > stack.low && here < stack.high ? here - stack.low : 0;
}
