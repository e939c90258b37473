// SPDX-License-Identifier: Apache-2.0
/*
 * Buffers of this process. They are found by their address in a tree, so that an address that is
 * none of ours - another library's buffer, one that is freed - is refused instead of followed.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nativewindow.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *tree;

void nw_lock(void)
{
	pthread_mutex_lock(&lock);
}

void nw_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

/* A child must not inherit the lock from a thread that it does not have. */
static void buffer_init(void)
{
	pthread_atfork(nw_lock, nw_unlock, nw_unlock);
}

static int by_address(const void *a, const void *b)
{
	return (uintptr_t)a < (uintptr_t)b ? -1 : (uintptr_t)a > (uintptr_t)b;
}

/* Under the lock. */
static AHardwareBuffer *buffer_find(const AHardwareBuffer *buffer)
{
	AHardwareBuffer **node = buffer ? tfind(buffer, &tree, by_address) : NULL;

	return node ? *node : NULL;
}

AHardwareBuffer *nw_buffer_new(const AHardwareBuffer_Desc *desc, uint64_t size, int fd, bool dmabuf,
			       bool writable)
{
	AHardwareBuffer *buffer = calloc(1, sizeof(*buffer));
	void *node;

	if (!buffer)
		return NULL;
	*buffer = (AHardwareBuffer){ .desc = *desc,
				     .size = size,
				     .fd = fd,
				     .dmabuf = dmabuf,
				     .writable = writable,
				     .refs = 1 };
	buffer->desc.stride = desc->width;
	pthread_once(&once, buffer_init);
	nw_lock();
	node = tsearch(buffer, &tree, by_address);
	nw_unlock();
	if (!node) {
		free(buffer);
		return NULL;
	}
	return buffer;
}

AHardwareBuffer *nw_buffer_get(const AHardwareBuffer *buffer)
{
	AHardwareBuffer *found;

	nw_lock();
	found = buffer_find(buffer);
	if (found)
		found->refs++;
	nw_unlock();
	return found;
}

bool nw_buffer_put(const AHardwareBuffer *buffer)
{
	AHardwareBuffer *found;
	bool last;

	nw_lock();
	found = buffer_find(buffer);
	last = found && !--found->refs;
	if (last)
		tdelete(found, &tree, by_address);
	nw_unlock();
	if (last) {
		if (found->map)
			munmap(found->map, found->size);
		close(found->fd);
		free(found);
	}
	return found;
}

/* ---- the API ---- */

int AHardwareBuffer_allocate(const AHardwareBuffer_Desc *desc, AHardwareBuffer **outBuffer)
{
	const char *why;
	uint64_t size;
	bool dmabuf;
	int fd;

	if (outBuffer)
		*outBuffer = NULL;
	if (!desc || !outBuffer)
		return nw_refuse(EINVAL, "a pointer is missing");
	if (!nw_desc_check(desc, &size, &why))
		return nw_refuse(EINVAL, "%u x %u x %u of format %#x, usage %#llx: %s", desc->width,
				 desc->height, desc->layers, desc->format,
				 (unsigned long long)desc->usage, why);
	fd = nw_backing_create(size, &dmabuf);
	if (fd < 0)
		return nw_refuse(-fd, "%llu bytes: %s", (unsigned long long)size, strerror(-fd));
	*outBuffer = nw_buffer_new(desc, size, fd, dmabuf, true);
	if (!*outBuffer) {
		close(fd);
		return nw_refuse(ENOMEM, "out of memory");
	}
	nnutil_log(NNUTIL_LOG_DEBUG, "AHardwareBuffer_allocate: %p: %llu bytes in a %s",
		   (void *)*outBuffer, (unsigned long long)size, dmabuf ? "dma-buf" : "memfd");
	return 0;
}

void AHardwareBuffer_acquire(AHardwareBuffer *buffer)
{
	if (!nw_buffer_get(buffer))
		nnutil_log_refusal(__func__, "%p is not a buffer", (void *)buffer);
}

void AHardwareBuffer_release(AHardwareBuffer *buffer)
{
	if (!nw_buffer_put(buffer))
		nnutil_log_refusal(__func__, "%p is not a buffer", (void *)buffer);
}

void AHardwareBuffer_describe(const AHardwareBuffer *buffer, AHardwareBuffer_Desc *outDesc)
{
	AHardwareBuffer *found = nw_buffer_get(buffer);

	if (outDesc)
		*outDesc = found ? found->desc : (AHardwareBuffer_Desc){ 0 };
	if (!found || !outDesc)
		nnutil_log_refusal(__func__, "%p is not a buffer, or outDesc is NULL",
				   (const void *)buffer);
	if (found)
		nw_buffer_put(found);
}

/* Of the file, which is the same in every process that has the buffer: no peer can choose it. */
int AHardwareBuffer_getId(const AHardwareBuffer *buffer, uint64_t *outId)
{
	AHardwareBuffer *found = outId ? nw_buffer_get(buffer) : NULL;
	struct stat st;
	int ret;

	if (!found)
		return nw_refuse(EINVAL, "%p is not a buffer, or outId is NULL",
				 (const void *)buffer);
	ret = fstat(found->fd, &st) ? -errno : 0;
	nw_buffer_put(found);
	if (!ret)
		*outId = (uint64_t)st.st_dev << 48 ^ (uint64_t)st.st_ino;
	return ret;
}

int nnaccelHardwareBuffer_open(const AHardwareBuffer *buffer, AHardwareBuffer_Desc *desc, int *prot,
			       uint64_t *size)
{
	AHardwareBuffer *found = nw_buffer_get(buffer);
	int fd;

	if (!found)
		return -EINVAL;
	*desc = found->desc;
	*prot = PROT_READ | (found->writable ? PROT_WRITE : 0);
	*size = found->size;
	fd = fcntl(found->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		fd = -errno;
	nw_buffer_put(found);
	return fd;
}
