// SPDX-License-Identifier: Apache-2.0
/*
 * Memory over an AHardwareBuffer. The runtime neither links nor loads libnativewindow.so: it is the
 * application's choice, and another library may define functions of these names. A buffer of
 * nnaccel exists only while its libnativewindow.so is loaded. That library describes the buffer,
 * and recognizes addresses that are not its buffers.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nativewindow.h"
#include "nnutil_log.h"

#include "memory/nnr_memory.h"

/* NULL: the process has not loaded nnaccel's libnativewindow.so. It may do so later. */
static nnaccel_hardware_buffer_open_fn *find_library(void)
{
	static _Atomic(nnaccel_hardware_buffer_open_fn *) known;
	nnaccel_hardware_buffer_open_fn *found = atomic_load_explicit(&known, memory_order_acquire);
	void *library;

	if (found)
		return found;
	library = dlopen("libnativewindow.so", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
	if (!library)
		return NULL;
	found = (nnaccel_hardware_buffer_open_fn *)dlsym(library, "nnaccelHardwareBuffer_open");
	if (found)
		atomic_store_explicit(&known, found, memory_order_release);
	/* it is never unloaded (nodelete) */
	dlclose(library);
	return found;
}

/* Descriptor, or -1 and *@result. */
static int open_buffer(const AHardwareBuffer *ahwb, AHardwareBuffer_Desc *desc, int *prot,
		       uint64_t *size, int *result)
{
	nnaccel_hardware_buffer_open_fn *open_fn = find_library();
	int fd = open_fn ? open_fn(ahwb, desc, prot, size) : -EINVAL;

	if (fd >= 0)
		return fd;
	if (fd == -EINVAL) {
		nnutil_log(
			NNUTIL_LOG_WARNING,
			"%p is not a buffer of nnaccel's libnativewindow.so%s: for a buffer of another "
			"library, use its dma-buf with ANeuralNetworksMemory_createFromFd()",
			(const void *)ahwb, open_fn ? " (or was freed)" : " (which is not loaded)");
		*result = ANEURALNETWORKS_BAD_DATA;
	} else {
		nnutil_log(NNUTIL_LOG_ERROR, "cannot open the AHardwareBuffer: %s", strerror(-fd));
		*result = ANEURALNETWORKS_OP_FAILED;
	}
	return -1;
}

int nnr_memory_create_from_hardware_buffer(const AHardwareBuffer *buffer,
					   ANeuralNetworksMemory **memory)
{
	ANeuralNetworksMemory *made;
	AHardwareBuffer_Desc desc;
	uint64_t size;
	int fd, prot, result;

	fd = open_buffer(buffer, &desc, &prot, &size, &result);
	if (fd < 0)
		return result;
	made = nnr_memory_alloc();
	if (!made) {
		close(fd);
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	made->image = desc.format != AHARDWAREBUFFER_FORMAT_BLOB;
	made->shared =
		(struct nnhal_memory){ .fd = fd, .prot = prot, .size = made->image ? 0 : size };
	*memory = made;
	return ANEURALNETWORKS_NO_ERROR;
}
