// SPDX-License-Identifier: Apache-2.0
/*
 * Access of the CPU: mapped at the first lock, bracketed for a dma-buf. Locks of several threads
 * overlap, and an unlock does not say which of them ends: each one ends the bracket of all and
 * opens that of the rest again.
 */
#include <errno.h>
#include <linux/dma-buf.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nativewindow.h"
#include "nnutil_fence.h"

#define CPU_USAGE \
	((uint64_t)(AHARDWAREBUFFER_USAGE_CPU_READ_MASK | AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK))

static int bracket(const AHardwareBuffer *buffer, uint64_t edge, uint64_t access)
{
	struct dma_buf_sync sync = { .flags = edge | access };

	if (!buffer->dmabuf)
		return 0;
	while (ioctl(buffer->fd, DMA_BUF_IOCTL_SYNC, &sync))
		if (errno != EINTR && errno != EAGAIN)
			return -errno;
	return 0;
}

/* Under the lock. */
static int access_map(AHardwareBuffer *buffer)
{
	void *mapped;

	if (buffer->map)
		return 0;
	mapped = mmap(NULL, buffer->size, PROT_READ | (buffer->writable ? PROT_WRITE : 0),
		      MAP_SHARED, buffer->fd, 0);
	if (mapped == MAP_FAILED)
		return -errno;
	buffer->map = mapped;
	return 0;
}

static void access_leave(AHardwareBuffer *buffer, uint64_t *access, bool *rest)
{
	*access = buffer->access;
	*rest = --buffer->locks;
	if (!*rest)
		buffer->access = 0;
}

static int access_enter(AHardwareBuffer *buffer, uint64_t access)
{
	uint64_t all;
	bool rest;
	int ret;

	nw_lock();
	ret = access_map(buffer);
	if (!ret) {
		buffer->locks++;
		buffer->access |= access;
	}
	nw_unlock();
	if (ret)
		return ret;
	ret = bracket(buffer, DMA_BUF_SYNC_START, access);
	if (ret) {
		nw_lock();
		access_leave(buffer, &all, &rest);
		nw_unlock();
	}
	return ret;
}

/* Whether the CPU may: 0 or what to return. */
static int access_check(const char *function, const AHardwareBuffer *buffer, uint64_t usage)
{
	const uint64_t writes = AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK,
		       reads = AHARDWAREBUFFER_USAGE_CPU_READ_MASK;

	if (!usage || usage & ~CPU_USAGE) {
		nnutil_log_refusal(function,
				   "usage %#llx has bits other than CPU_READ_* and CPU_WRITE_*",
				   (unsigned long long)usage);
		return -EINVAL;
	}
	if (buffer->desc.layers != 1) {
		nnutil_log_refusal(function,
				   "the buffer has %u layers: only one layer can be locked",
				   buffer->desc.layers);
		return -EINVAL;
	}
	if ((usage & reads && !(buffer->desc.usage & reads)) ||
	    (usage & writes && !(buffer->desc.usage & writes))) {
		nnutil_log_refusal(
			function,
			"usage %#llx is not part of the usage it was allocated with (%#llx)",
			(unsigned long long)usage, (unsigned long long)buffer->desc.usage);
		return -EINVAL;
	}
	if (usage & writes && !buffer->writable) {
		nnutil_log_refusal(function, "the received buffer is read-only");
		return -EACCES;
	}
	return 0;
}

/* *@desc may be NULL. */
static int lock_buffer(const char *function, AHardwareBuffer *buffer, uint64_t usage, int32_t fence,
		       void **address, AHardwareBuffer_Desc *desc)
{
	const uint64_t access =
		(usage & AHARDWAREBUFFER_USAGE_CPU_READ_MASK ? DMA_BUF_SYNC_READ : 0) |
		(usage & AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK ? DMA_BUF_SYNC_WRITE : 0);
	AHardwareBuffer *found = address ? nw_buffer_get(buffer) : NULL;
	int ret = -EINVAL;

	if (!found)
		nnutil_log_refusal(function, "%p is not a buffer, or outVirtualAddress is NULL",
				   (void *)buffer);
	else
		ret = access_check(function, found, usage);
	if (!ret && fence >= 0) {
		ret = nnutil_fence_wait(fence);
		if (ret)
			nnutil_log_refusal(function, "fence %d: %s", fence, strerror(-ret));
	}
	if (!ret) {
		ret = access_enter(found, access);
		if (ret)
			nnutil_log_refusal(function, "%llu bytes: %s",
					   (unsigned long long)found->size, strerror(-ret));
	}
	/* it is ours, whatever happened */
	if (fence >= 0)
		close(fence);
	if (address)
		*address = ret ? NULL : found->map;
	if (desc && !ret)
		*desc = found->desc;
	if (found)
		nw_buffer_put(found);
	return ret;
}

int AHardwareBuffer_lock(AHardwareBuffer *buffer, uint64_t usage, int32_t fence, const ARect *rect,
			 void **outVirtualAddress)
{
	(void)rect;
	return lock_buffer(__func__, buffer, usage, fence, outVirtualAddress, NULL);
}

int AHardwareBuffer_lockAndGetInfo(AHardwareBuffer *buffer, uint64_t usage, int32_t fence,
				   const ARect *rect, void **outVirtualAddress,
				   int32_t *outBytesPerPixel, int32_t *outBytesPerStride)
{
	AHardwareBuffer_Desc desc = { 0 };
	int ret = lock_buffer(__func__, buffer, usage, fence, outVirtualAddress, &desc);
	const uint64_t row = (uint64_t)desc.stride * nw_pixel_bytes(desc.format);

	(void)rect;
	if (outBytesPerPixel)
		*outBytesPerPixel = ret ? -1 : (int32_t)nw_pixel_bytes(desc.format);
	/* a row of 2 GiB has no number here */
	if (outBytesPerStride)
		*outBytesPerStride = ret || row > INT32_MAX ? -1 : (int32_t)row;
	return ret;
}

int AHardwareBuffer_lockPlanes(AHardwareBuffer *buffer, uint64_t usage, int32_t fence,
			       const ARect *rect, AHardwareBuffer_Planes *outPlanes)
{
	AHardwareBuffer_Desc desc;
	void *address;
	int ret = lock_buffer(__func__, buffer, usage, fence, outPlanes ? &address : NULL, &desc);

	(void)rect;
	if (outPlanes)
		*outPlanes = (AHardwareBuffer_Planes){ 0 };
	if (ret)
		return ret;
	outPlanes->planeCount = 1;
	outPlanes->planes[0] = (AHardwareBuffer_Plane){
		.data = address,
		.pixelStride = nw_pixel_bytes(desc.format),
		.rowStride = desc.stride * nw_pixel_bytes(desc.format),
	};
	return 0;
}

int AHardwareBuffer_unlock(AHardwareBuffer *buffer, int32_t *fence)
{
	AHardwareBuffer *found = nw_buffer_get(buffer);
	bool locked, rest = false;
	uint64_t access = 0;
	int ret;

	if (fence)
		*fence = -1;
	if (!found)
		return nw_refuse(EINVAL, "%p is not a buffer", (void *)buffer);
	nw_lock();
	locked = found->locks;
	if (locked)
		access_leave(found, &access, &rest);
	nw_unlock();
	ret = locked ? bracket(found, DMA_BUF_SYNC_END, access) : -EINVAL;
	if (!ret && rest)
		ret = bracket(found, DMA_BUF_SYNC_START, access);
	nw_buffer_put(found);
	if (ret)
		return nw_refuse(-ret, "%s", locked ? strerror(-ret) : "the buffer is not locked");
	return 0;
}
