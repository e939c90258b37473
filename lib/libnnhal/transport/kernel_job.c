// SPDX-License-Identifier: Apache-2.0
/*
 * Jobs of the kernel transport. A job's out-fence goes into a binary syncobj. Ended jobs are kept
 * with their syncobj and lists: in the steady state a job allocates nothing and is one ioctl. Its
 * status comes from the queue's status page, which the kernel fills before the fence signals. If
 * the entry was reused before it was read, the errno of the fence has the outcome, in less detail.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#include "nnutil_process.h"
#include "base/nnhal_base.h"
#include "nnutil_fence.h"
#include "transport/kernel_device.h"

/* ---- queues ---- */

int nnhal_kernel_queue_create(struct nnhal_transport *t, uint32_t priority,
			      struct nnhal_tqueue **queue)
{
	static const uint32_t priorities[] = {
		[NNHAL_PRIORITY_LOW] = DRM_NNACCEL_PRIORITY_LOW,
		[NNHAL_PRIORITY_MEDIUM] = DRM_NNACCEL_PRIORITY_MEDIUM,
		[NNHAL_PRIORITY_HIGH] = DRM_NNACCEL_PRIORITY_HIGH,
	};
	struct kernel *k = (struct kernel *)t;
	struct drm_nnaccel_queue_create c = { .priority = priorities[priority] };
	struct drm_nnaccel_queue_destroy d = { 0 };
	struct kqueue *q = calloc(1, sizeof(*q));
	void *map;
	int ret;

	if (!q)
		return -ENOMEM;
	ret = nnhal_kernel_ioctl(k, DRM_IOCTL_NNACCEL_QUEUE_CREATE, &c);
	if (ret)
		goto err_free;
	ret = -EPROTO;
	if (c.status_size / sizeof(struct drm_nnaccel_status_entry) < k->limits.status_entries)
		goto err_destroy;
	map = nnutil_map_kept(c.status_size, PROT_READ, MAP_SHARED, k->fd, (off_t)c.status_offset);
	ret = -errno;
	if (map == MAP_FAILED)
		goto err_destroy;
	q->base.priority = priority;
	q->id = c.queue_id;
	q->status = map;
	q->status_size = c.status_size;
	*queue = &q->base;
	return 0;

err_destroy:
	d.queue_id = c.queue_id;
	nnhal_kernel_ioctl(k, DRM_IOCTL_NNACCEL_QUEUE_DESTROY, &d);
err_free:
	free(q);
	return ret;
}

void nnhal_kernel_queue_destroy(struct nnhal_transport *t, struct nnhal_tqueue *queue)
{
	struct kqueue *q = (struct kqueue *)queue;
	struct drm_nnaccel_queue_destroy d = { .queue_id = q->id };

	munmap((void *)q->status, q->status_size);
	nnhal_kernel_ioctl((struct kernel *)t, DRM_IOCTL_NNACCEL_QUEUE_DESTROY, &d);
	free(q);
}

/* ---- idle jobs ---- */

static void job_release(struct kernel *k, struct kjob *job)
{
	if (job->syncobj)
		drmSyncobjDestroy(k->fd, job->syncobj);
	free(job->bos);
	free(job->syncs);
	free(job);
}

static struct kjob *job_get(struct kernel *k)
{
	struct kjob *job;

	pthread_mutex_lock(&k->jobs_lock);
	job = k->jobs;
	if (job) {
		k->jobs = job->next;
		k->num_jobs--;
	}
	pthread_mutex_unlock(&k->jobs_lock);
	return job ? job : calloc(1, sizeof(*job));
}

void nnhal_kernel_jobs_fini(struct kernel *k)
{
	struct kjob *job;

	while ((job = k->jobs)) {
		k->jobs = job->next;
		job_release(k, job);
	}
}

/* ---- submitting ---- */

/* Allocate what a SUBMIT points to, and the syncobj of the out-fence. */
static int job_reserve(struct kernel *k, struct kjob *job, const struct nnhal_tsubmit *s)
{
	if (!job->syncobj && drmSyncobjCreate(k->fd, 0, &job->syncobj)) {
		job->syncobj = 0;
		return -errno;
	}
	if (job->max_bos < s->num_mems + 1) {
		free(job->bos);
		job->bos = calloc((size_t)s->num_mems + 1, sizeof(*job->bos));
		job->max_bos = job->bos ? s->num_mems + 1 : 0;
	}
	if (job->max_syncs < s->num_wait_fds + 1) {
		free(job->syncs);
		job->syncs = calloc((size_t)s->num_wait_fds + 1, sizeof(*job->syncs));
		job->max_syncs = job->syncs ? s->num_wait_fds + 1 : 0;
	}
	job->num_bos = job->num_syncs = 0;
	return job->bos && job->syncs ? 0 : -ENOMEM;
}

/* Each handle once, with the sum of its accesses. */
static void list_bo(struct kjob *l, const struct nnhal_tref *ref)
{
	uint32_t handle = ((struct kmem *)ref->mem)->bo->handle;
	uint32_t flags = DRM_NNACCEL_BO_REF_READ | (ref->write ? DRM_NNACCEL_BO_REF_WRITE : 0);

	for (uint32_t i = 0; i < l->num_bos; i++) {
		if (l->bos[i].handle == handle) {
			l->bos[i].flags |= flags;
			return;
		}
	}
	l->bos[l->num_bos++] = (struct drm_nnaccel_bo_ref){ .handle = handle, .flags = flags };
}

/* Destroy the in-fences' syncobjs, which were for the SUBMIT only. */
static void drop_waits(struct kernel *k, struct kjob *job)
{
	for (uint32_t i = 0; i < job->num_syncs; i++)
		if (!(job->syncs[i].flags & DRM_NNACCEL_SYNC_SIGNAL))
			drmSyncobjDestroy(k->fd, job->syncs[i].handle);
	job->num_syncs = 0;
}

/*
 * The in-fences come first in syncs, the out-fence last. The caller calls drop_waits() in any case.
 */
static int fill_lists(struct kernel *k, struct kjob *job, const struct nnhal_tsubmit *s)
{
	uint32_t handle;

	for (uint32_t i = 0; i < s->num_mems; i++)
		list_bo(job, &s->mems[i]);
	for (uint32_t i = 0; i < s->num_wait_fds; i++) {
		if (drmSyncobjCreate(k->fd, 0, &handle))
			return -errno;
		job->syncs[job->num_syncs++] = (struct drm_nnaccel_sync){
			.flags = DRM_NNACCEL_SYNC_SYNCOBJ,
			.handle = handle,
		};
		if (drmSyncobjImportSyncFile(k->fd, handle, s->wait_fds[i]))
			return -errno;
	}
	job->syncs[job->num_syncs++] = (struct drm_nnaccel_sync){
		.flags = DRM_NNACCEL_SYNC_SYNCOBJ | DRM_NNACCEL_SYNC_SIGNAL,
		.handle = job->syncobj,
	};
	return 0;
}

static struct drm_nnaccel_array array_of(const void *first, uint32_t count, uint32_t stride)
{
	struct drm_nnaccel_array a = { 0 };

	if (count)
		a = (struct drm_nnaccel_array){ .stride = stride,
						.count = count,
						.array = (uintptr_t)first };
	return a;
}

static int do_submit(struct kernel *k, struct kqueue *q, const struct nnhal_tsubmit *s,
		     const struct kjob *l, uint64_t *seqno)
{
	struct drm_nnaccel_job job = {
		.program_addr = s->program_addr,
		.program_size = s->program_size,
		.program_generation = s->program_generation,
		.result_addr = s->result_addr,
		.result_size = s->result_size,
		.deadline_ns = s->deadline_ns,
		.max_ns = s->max_ns,
		.loop_ns = s->loop_ns < k->limits.max_loop_ns ? s->loop_ns : k->limits.max_loop_ns,
		.args = array_of(s->args, s->num_args, sizeof(*s->args)),
		.bos = array_of(l->bos, l->num_bos, sizeof(*l->bos)),
		.syncs = array_of(l->syncs, l->num_syncs, sizeof(*l->syncs)),
	};
	struct drm_nnaccel_submit submit = {
		.queue_id = q->id,
		.jobs = array_of(&job, 1, sizeof(job)),
	};
	int ret = nnhal_kernel_ioctl(k, DRM_IOCTL_NNACCEL_SUBMIT, &submit);

	*seqno = job.seqno;
	return ret;
}

int nnhal_kernel_submit(struct nnhal_transport *t, struct nnhal_tqueue *queue,
			const struct nnhal_tsubmit *s, struct nnhal_tjob **out)
{
	NNHAL_TRACE_PE("submit");
	struct kernel *k = (struct kernel *)t;
	struct kjob *job;
	int ret;

	if (s->num_wait_fds >= k->limits.max_syncs)
		return -E2BIG;
	job = job_get(k);
	if (!job)
		return -ENOMEM;
	job->queue = (struct kqueue *)queue;
	ret = job_reserve(k, job, s);
	if (!ret) {
		ret = fill_lists(k, job, s);
		if (!ret)
			ret = do_submit(k, job->queue, s, job, &job->base.seqno);
		drop_waits(k, job);
	}
	if (ret) {
		nnhal_kernel_job_free(t, &job->base);
		return ret;
	}
	*out = &job->base;
	return 0;
}

void nnhal_kernel_job_free(struct nnhal_transport *t, struct nnhal_tjob *tjob)
{
	struct kernel *k = (struct kernel *)t;
	struct kjob *job = (struct kjob *)tjob;
	bool kept;

	pthread_mutex_lock(&k->jobs_lock);
	kept = k->num_jobs < MAX_IDLE_JOBS;
	if (kept) {
		job->next = k->jobs;
		k->jobs = job;
		k->num_jobs++;
	}
	pthread_mutex_unlock(&k->jobs_lock);
	if (!kept)
		job_release(k, job);
}

int nnhal_kernel_export_fence(struct nnhal_transport *t, struct nnhal_tjob *tjob, int *fd)
{
	struct kjob *job = (struct kjob *)tjob;

	return drmSyncobjExportSyncFile(((struct kernel *)t)->fd, job->syncobj, fd) ? -errno : 0;
}

/* ---- how it ended ---- */

/*
 * Read job @seqno's entry. The kernel zeroes seqno while it changes the rest. False: the entry is
 * another job's now.
 */
static bool read_entry(const struct kernel *k, const struct kjob *job,
		       struct drm_nnaccel_status_entry *copy)
{
	const volatile struct drm_nnaccel_status_entry *e =
		&job->queue->status[job->base.seqno % k->limits.status_entries];
	uint64_t before, after;

	before = __atomic_load_n(&e->seqno, __ATOMIC_ACQUIRE);
	*copy = *e;
	/* complete the copy before seqno is read again */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	after = __atomic_load_n(&e->seqno, __ATOMIC_RELAXED);
	return before == job->base.seqno && after == before;
}

static void end_from_entry(const struct drm_nnaccel_status_entry *e, struct nnhal_tend *end)
{
	*end = (struct nnhal_tend){
		.status = e->status,
		.error = e->error,
		.start_ns = e->start_ns,
		.end_ns = e->end_ns,
		.done_ns = e->done_ns,
		.fault_addr = e->fault_addr,
	};
}

/* Without an entry: from the fence itself. */
static int end_from_fence(struct nnhal_transport *t, struct kjob *job, struct nnhal_tend *end)
{
	int fd, state, ret = nnhal_kernel_export_fence(t, &job->base, &fd);
	int64_t at;

	if (ret)
		return ret;
	state = nnutil_fence_status(fd, &at);
	close(fd);
	*end = (struct nnhal_tend){ .done_ns = (uint64_t)at };
	end->error = state < 0 ? state : 0;
	switch (end->error) {
	case 0:
		end->status = NNACCEL_STATUS_OK;
		break;
	case -ETIME:
		end->status = NNACCEL_STATUS_DEADLINE;
		break;
	case -EINVAL:
		end->status = NNACCEL_STATUS_EXEC_FAILED;
		break;
	case -ENOBUFS:
		end->status = NNACCEL_STATUS_OUTPUT_INSUFFICIENT;
		break;
	case -ENOMEM:
		end->status = NNACCEL_STATUS_NO_MEMORY;
		break;
	case -EFAULT:
		end->status = NNACCEL_STATUS_FAULT;
		break;
	case -ECANCELED:
		end->status = NNACCEL_STATUS_INNOCENT;
		break;
	case -ENODEV:
		end->status = NNACCEL_STATUS_UNPLUGGED;
		break;
	default:
		end->status = NNACCEL_STATUS_LINK_LOST;
		break;
	}
	return 0;
}

int nnhal_kernel_wait(struct nnhal_transport *t, struct nnhal_tjob *tjob, bool block,
		      struct nnhal_tend *end)
{
	struct kernel *k = (struct kernel *)t;
	struct kjob *job = (struct kjob *)tjob;
	struct drm_nnaccel_status_entry entry;
	int ret;

	if (block) {
		NNHAL_TRACE_PCO("wait");

		ret = drmSyncobjWait(k->fd, &job->syncobj, 1, INT64_MAX, 0, NULL);
	} else {
		ret = drmSyncobjWait(k->fd, &job->syncobj, 1, 0, 0, NULL);
	}
	if (ret == -ETIME)
		return -EAGAIN;
	/* an unplugged device refuses the wait, but the page stays readable */
	if (read_entry(k, job, &entry)) {
		end_from_entry(&entry, end);
		return 0;
	}
	return ret ? ret : end_from_fence(t, job, end);
}
