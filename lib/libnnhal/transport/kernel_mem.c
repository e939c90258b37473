// SPDX-License-Identifier: Apache-2.0
/*
 * Memory of the kernel transport: buffer objects, imported dma-bufs, and memfds through udmabuf. A
 * udmabuf costs pinning and page tables, so it is used for large memory, which the HAL's import
 * cache keeps.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#include "nnutil_process.h"
#include "transport/kernel_device.h"

#define UDMABUF_MIN_SIZE (256ull << 10)
/* The first minor version of the driver with BO_LABEL. */
#define DRIVER_MINOR_LABEL 3u

/* ---- handles, all under bos_lock ---- */

static void bo_close(struct kernel *k, uint32_t handle)
{
	struct drm_gem_close c = { .handle = handle };

	nnhal_kernel_ioctl(k, DRM_IOCTL_GEM_CLOSE, &c);
}

/* The one struct kbo of a handle, counted. */
static int bo_get(struct kernel *k, uint32_t handle, struct kbo **out)
{
	struct drm_nnaccel_bo_info info = { .handle = handle };
	struct kbo *bo;
	int ret;

	for (bo = k->bos; bo; bo = bo->next) {
		if (bo->handle == handle) {
			bo->refs++;
			*out = bo;
			return 0;
		}
	}
	ret = nnhal_kernel_ioctl(k, DRM_IOCTL_NNACCEL_BO_INFO, &info);
	bo = ret ? NULL : calloc(1, sizeof(*bo));
	if (!bo) {
		bo_close(k, handle);
		return ret ? ret : -ENOMEM;
	}
	*bo = (struct kbo){
		.next = k->bos,
		.handle = handle,
		.refs = 1,
		.addr = info.device_addr,
		.size = info.size,
		.readonly = info.flags & DRM_NNACCEL_BO_DEVICE_READONLY,
	};
	k->bos = bo;
	*out = bo;
	return 0;
}

static void bo_put(struct kernel *k, struct kbo *bo)
{
	struct kbo **pos;

	if (--bo->refs)
		return;
	for (pos = &k->bos; *pos != bo; pos = &(*pos)->next)
		;
	*pos = bo->next;
	bo_close(k, bo->handle);
	free(bo);
}

static void bo_unref(struct kernel *k, struct kbo *bo)
{
	pthread_mutex_lock(&k->bos_lock);
	bo_put(k, bo);
	pthread_mutex_unlock(&k->bos_lock);
}

/* Name a buffer for those who look at the driver's debugfs; nothing depends on it. */
static void bo_label(struct kernel *k, const struct kbo *bo, const char *label)
{
	struct drm_nnaccel_bo_label l = {
		.handle = bo->handle,
		.size = (uint32_t)strlen(label),
		.label = (uintptr_t)label,
	};

	if (k->driver_minor >= DRIVER_MINOR_LABEL)
		nnhal_kernel_ioctl(k, DRM_IOCTL_NNACCEL_BO_LABEL, &l);
}

static int bo_create(struct kernel *k, uint64_t size, uint32_t flags, struct kbo **bo)
{
	struct drm_nnaccel_bo_create c = { .size = size, .flags = flags };
	int ret;

	pthread_mutex_lock(&k->bos_lock);
	ret = nnhal_kernel_ioctl(k, DRM_IOCTL_NNACCEL_BO_CREATE, &c);
	if (!ret)
		ret = bo_get(k, c.handle, bo);
	if (!ret)
		bo_label(k, *bo,
			 flags & DRM_NNACCEL_BO_DEVICE_READONLY ? "nnhal: program"
								: "nnhal: memory");
	pthread_mutex_unlock(&k->bos_lock);
	return ret;
}

static int bo_import(struct kernel *k, int fd, struct kbo **bo)
{
	uint32_t handle;
	int ret;

	/* one lock for both steps: otherwise the handle could be closed between them */
	pthread_mutex_lock(&k->bos_lock);
	ret = drmPrimeFDToHandle(k->fd, fd, &handle) ? -errno : 0;
	if (!ret)
		ret = bo_get(k, handle, bo);
	pthread_mutex_unlock(&k->bos_lock);
	return ret;
}

/* ---- memory ---- */

static struct kmem *mem_new(struct kbo *bo, uint64_t offset, uint64_t size, bool write)
{
	struct kmem *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->base.addr = bo->addr + offset;
	m->base.size = size;
	m->base.write = write;
	m->bo = bo;
	m->memfd = -1;
	return m;
}

static int mem_map(struct kernel *k, struct kmem *m)
{
	struct drm_nnaccel_bo_mmap_offset o = { .handle = m->bo->handle };
	int ret = nnhal_kernel_ioctl(k, DRM_IOCTL_NNACCEL_BO_MMAP_OFFSET, &o);
	void *map;

	if (ret)
		return ret;
	map = nnutil_map_kept(m->bo->size, PROT_READ | PROT_WRITE, MAP_SHARED, k->fd,
			      (off_t)o.offset);
	if (map == MAP_FAILED)
		return -errno;
	m->map = map;
	m->map_size = m->bo->size;
	m->base.cpu = map;
	return 0;
}

void nnhal_kernel_mem_free(struct nnhal_transport *t, struct nnhal_tmem *mem)
{
	struct kmem *m = (struct kmem *)mem;

	if (m->map)
		munmap(m->map, m->map_size);
	nnutil_fd_close(m->memfd);
	bo_unref((struct kernel *)t, m->bo);
	free(m);
}

int nnhal_kernel_mem_alloc(struct nnhal_transport *t, uint64_t size, bool device_readonly,
			   struct nnhal_tmem **mem)
{
	struct kernel *k = (struct kernel *)t;
	struct kmem *m;
	struct kbo *bo;
	int ret;

	ret = bo_create(k, size, device_readonly ? DRM_NNACCEL_BO_DEVICE_READONLY : 0, &bo);
	if (ret)
		return ret;
	if (bo->size < size) {
		bo_unref(k, bo);
		return -EPROTO;
	}
	m = mem_new(bo, 0, bo->size, !device_readonly);
	if (!m) {
		bo_unref(k, bo);
		return -ENOMEM;
	}
	ret = mem_map(k, m);
	if (ret) {
		nnhal_kernel_mem_free(t, &m->base);
		return ret;
	}
	*mem = &m->base;
	return 0;
}

/* A dma-buf of the pages of a memfd that is large, aligned and cannot shrink; else -EOPNOTSUPP. */
static int udmabuf_open(const struct kernel *k, const struct nnhal_memory *memory)
{
	struct udmabuf_create create = {
		.memfd = (uint32_t)memory->fd,
		.flags = UDMABUF_FLAGS_CLOEXEC,
		.offset = memory->offset,
		.size = memory->size,
	};
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	int seals, fd;

	if (k->udmabuf < 0 || memory->size < UDMABUF_MIN_SIZE ||
	    (memory->offset | memory->size) & (page - 1))
		return -EOPNOTSUPP;
	seals = fcntl(memory->fd, F_GET_SEALS);
	if (seals < 0 || !(seals & F_SEAL_SHRINK) || seals & F_SEAL_WRITE)
		return -EOPNOTSUPP;
	fd = ioctl(k->udmabuf, UDMABUF_CREATE, &create);
	return fd < 0 ? -EOPNOTSUPP : fd;
}

int nnhal_kernel_mem_import(struct nnhal_transport *t, const struct nnhal_memory *memory,
			    bool write, struct nnhal_tmem **mem)
{
	struct kernel *k = (struct kernel *)t;
	uint64_t offset = memory->offset;
	struct kmem *m;
	struct kbo *bo;
	int ret, fd, memfd = -1;

	ret = bo_import(k, memory->fd, &bo);
	if (ret == -ENODEV)
		return ret;
	if (ret) {
		/*
		 * not a dma-buf, or one that the device cannot reach: udmabuf fails for the latter
		 * as well
		 */
		fd = udmabuf_open(k, memory);
		if (fd < 0)
			return -EOPNOTSUPP;
		ret = bo_import(k, fd, &bo);
		close(fd);
		if (ret)
			return ret == -ENODEV ? ret : -EOPNOTSUPP;
		offset = 0;
		memfd = nnutil_fd_keep(fcntl(memory->fd, F_DUPFD_CLOEXEC, 0));
		if (memfd < 0) {
			bo_unref(k, bo);
			return -EMFILE;
		}
	}
	if (offset > bo->size || memory->size > bo->size - offset || (write && bo->readonly)) {
		ret = write && bo->readonly ? -EACCES : -EINVAL;
		bo_unref(k, bo);
		nnutil_fd_close(memfd);
		return ret;
	}
	m = mem_new(bo, offset, memory->size, write);
	if (!m) {
		bo_unref(k, bo);
		nnutil_fd_close(memfd);
		return -ENOMEM;
	}
	m->memfd = memfd;
	*mem = &m->base;
	return 0;
}

int nnhal_kernel_mem_share(struct nnhal_transport *t, uint64_t size, int *fd)
{
	struct kernel *k = (struct kernel *)t;
	struct kbo *bo;
	int ret;

	ret = bo_create(k, size, 0, &bo);
	if (ret)
		return ret;
	ret = drmPrimeHandleToFD(k->fd, bo->handle, DRM_CLOEXEC | DRM_RDWR, fd) ? -errno : 0;
	bo_unref(k, bo);
	return ret;
}

void nnhal_kernel_program_hint(struct nnhal_transport *t, struct nnhal_tmem *mem, uint64_t offset,
			       uint64_t size, uint64_t generation, bool load)
{
	struct drm_nnaccel_program_hint h = {
		.flags = load ? 0 : DRM_NNACCEL_PROGRAM_UNLOAD,
		.handle = ((struct kmem *)mem)->bo->handle,
		.size = size,
		.generation = generation,
	};

	(void)offset;
	nnhal_kernel_ioctl((struct kernel *)t, DRM_IOCTL_NNACCEL_PROGRAM_HINT, &h);
}
