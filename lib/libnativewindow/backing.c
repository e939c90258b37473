// SPDX-License-Identifier: Apache-2.0
/*
 * The memory behind a buffer: a dma-buf from the system's heap, else one over a memfd by udmabuf,
 * else the memfd as it is, sealed against shrinking. Each is tried when memory is wanted: devices
 * and permissions come and go. A buffer from another process is one of these three, or is refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-heap.h>
#include <linux/magic.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "nativewindow.h"

#ifndef DMA_BUF_MAGIC
#define DMA_BUF_MAGIC 0x444d4142
#endif

/* Descriptor or -1. */
static int from_heap(uint64_t size)
{
	struct dma_heap_allocation_data wanted = { .len = size, .fd_flags = O_RDWR | O_CLOEXEC };
	int heap = open("/dev/dma_heap/system", O_RDONLY | O_CLOEXEC), ret;

	if (heap < 0)
		return -1;
	ret = ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &wanted);
	close(heap);
	return ret ? -1 : (int)wanted.fd;
}

/* Descriptor or -1. */
static int over_memfd(int memfd, uint64_t size)
{
	struct udmabuf_create wanted = { .memfd = (uint32_t)memfd,
					 .flags = UDMABUF_FLAGS_CLOEXEC,
					 .size = size };
	int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC), fd;

	if (device < 0)
		return -1;
	fd = ioctl(device, UDMABUF_CREATE, &wanted);
	close(device);
	return fd;
}

int nw_backing_create(uint64_t size, bool *dmabuf)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE),
		       whole = (size + page - 1) & ~(page - 1);
	int fd = from_heap(whole), memfd, ret;

	*dmabuf = true;
	if (fd >= 0)
		return fd;
	memfd = memfd_create("AHardwareBuffer", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (memfd < 0)
		return -errno;
	/*
	 * its size is sealed: no process that has it can cause SIGBUS in another one that maps it
	 */
	if (ftruncate(memfd, (off_t)whole) ||
	    fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
		ret = -errno;
		close(memfd);
		return ret;
	}
	fd = over_memfd(memfd, whole);
	if (fd >= 0) {
		close(memfd);
		return fd;
	}
	*dmabuf = false;
	return memfd;
}

/*
 * A hugetlbfs file may be without pages when they are touched, a plain file may shrink: both would
 * kill the reader.
 */
static const char *kind_obstacle(int fd, bool *dmabuf)
{
	struct statfs fs;
	int seals;

	if (fstatfs(fd, &fs))
		return "it is no file";
	*dmabuf = fs.f_type == DMA_BUF_MAGIC;
	if (*dmabuf)
		return NULL;
	if (fs.f_type != TMPFS_MAGIC)
		return "its memory is neither a dma-buf nor a memfd";
	seals = fcntl(fd, F_GET_SEALS);
	if (seals < 0 || !(seals & F_SEAL_SHRINK))
		return "its memfd is not sealed against shrinking";
	return NULL;
}

bool nw_backing_check(int fd, uint64_t size, bool *dmabuf, bool *writable, const char **why)
{
	struct stat st;
	int flags, seals;

	*why = kind_obstacle(fd, dmabuf);
	if (*why)
		return false;
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || flags & O_PATH || (flags & O_ACCMODE) == O_WRONLY)
		*why = "its memory cannot be read";
	else if (fstat(fd, &st) || st.st_size < 0 || (uint64_t)st.st_size < size)
		*why = "its memory is smaller than it says";
	if (*why)
		return false;
	seals = *dmabuf ? 0 : fcntl(fd, F_GET_SEALS);
	*writable = (flags & O_ACCMODE) == O_RDWR && seals >= 0 &&
		    !(seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE));
	return true;
}
