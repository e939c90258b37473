/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the kernel transport: kernel_device.c, kernel_mem.c, kernel_job.c. Private to libnnhal.
 */
#ifndef NNHAL_KERNEL_DEVICE_H
#define NNHAL_KERNEL_DEVICE_H

#include <errno.h>
#include <pthread.h>
#include <xf86drm.h>

#include "nnaccel_accel.h"
#include "transport/transport.h"

/*
 * A GEM handle. Importing one dma-buf twice gives the same handle, which must be closed once and be
 * named once in a job: so each handle has one struct kbo with a count.
 */
struct kbo {
	struct kbo *next;
	uint32_t handle;
	uint32_t refs; /* under bos_lock */
	uint64_t addr, size;
	bool readonly;
};

struct kmem {
	struct nnhal_tmem base;
	struct kbo *bo;
	void *map; /* NULL: no CPU mapping */
	size_t map_size;
	int memfd; /* the file of a udmabuf, which holds only its pages: kept so that its inode
		      number is not reused; -1: none */
};

struct kqueue {
	struct nnhal_tqueue base;
	uint32_t id;
	/* written by the kernel, only read here */
	const volatile struct drm_nnaccel_status_entry *status;
	size_t status_size;
};

/* A job, in flight or idle: the next job reuses its syncobj and lists. */
struct kjob {
	struct nnhal_tjob base;
	struct kjob *next; /* of the idle ones */
	struct kqueue *queue;
	uint32_t syncobj;
	struct drm_nnaccel_bo_ref *bos;
	struct drm_nnaccel_sync *syncs;
	uint32_t num_bos, max_bos, num_syncs, max_syncs;
};

#define MAX_IDLE_JOBS 64u

struct kernel {
	struct nnhal_transport base;
	int fd;
	int udmabuf; /* opened with the device: later a sandbox may forbid it; -1: none */
	char node[64];
	uint32_t driver_major, driver_minor;
	struct drm_nnaccel_limits limits;
	/* of bos and their counts; held over import and close of handles */
	pthread_mutex_t bos_lock;
	struct kbo *bos;
	pthread_mutex_t jobs_lock; /* of the idle jobs */
	struct kjob *jobs;
	uint32_t num_jobs;
};

/** ioctl, restarted. 0 or -errno. */
static inline int nnhal_kernel_ioctl(const struct kernel *k, unsigned long request, void *arg)
{
	return drmIoctl(k->fd, request, arg) ? -errno : 0;
}

/* kernel_mem.c */
int nnhal_kernel_mem_alloc(struct nnhal_transport *t, uint64_t size, bool device_readonly,
			   struct nnhal_tmem **mem);
int nnhal_kernel_mem_import(struct nnhal_transport *t, const struct nnhal_memory *memory,
			    bool write, struct nnhal_tmem **mem);
void nnhal_kernel_mem_free(struct nnhal_transport *t, struct nnhal_tmem *mem);
int nnhal_kernel_mem_share(struct nnhal_transport *t, uint64_t size, int *fd);
void nnhal_kernel_program_hint(struct nnhal_transport *t, struct nnhal_tmem *mem, uint64_t offset,
			       uint64_t size, uint64_t generation, bool load);

/* kernel_job.c */
int nnhal_kernel_queue_create(struct nnhal_transport *t, uint32_t priority,
			      struct nnhal_tqueue **queue);
void nnhal_kernel_queue_destroy(struct nnhal_transport *t, struct nnhal_tqueue *queue);
int nnhal_kernel_submit(struct nnhal_transport *t, struct nnhal_tqueue *queue,
			const struct nnhal_tsubmit *submit, struct nnhal_tjob **job);
int nnhal_kernel_wait(struct nnhal_transport *t, struct nnhal_tjob *job, bool block,
		      struct nnhal_tend *end);
int nnhal_kernel_export_fence(struct nnhal_transport *t, struct nnhal_tjob *job, int *fd);
void nnhal_kernel_job_free(struct nnhal_transport *t, struct nnhal_tjob *job);
void nnhal_kernel_jobs_fini(struct kernel *k);

#endif
