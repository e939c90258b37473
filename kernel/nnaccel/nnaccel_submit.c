// SPDX-License-Identifier: GPL-2.0-only

#include <linux/dma-resv.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_exec.h>
#include <drm/drm_gem.h>

#include "nnaccel_bo.h"
#include "nnaccel_device.h"
#include "nnaccel_fence.h"
#include "nnaccel_fw.h"
#include "nnaccel_job.h"
#include "nnaccel_mmu.h"
#include "nnaccel_pm.h"
#include "nnaccel_queue.h"
#include "nnaccel_queue_jobs.h"
#include "nnaccel_submit.h"
#include "nnaccel_trace.h"
#include "nnaccel_watch.h"

/**
 * struct nnaccel_submit_job - a job that is being submitted
 */
struct nnaccel_submit_job {
	/**
	 * @job: the job, with a reference: if it ends while its BOs are locked, their last
	 * reference must not be dropped
	 */
	struct nnaccel_sched_job *job;
	/** @pushed: drm_sched has the job, with its own reference */
	bool pushed;
	/** @outs: syncobjs to signal; @out if one at most */
	struct nnaccel_sync_out *outs;
	/** @out: saves an allocation */
	struct nnaccel_sync_out out;
	/** @num_outs: entries of @outs */
	u32 num_outs;
	/** @flags: DRM_NNACCEL_JOB_ bits */
	u32 flags;
	/** @after: bitmap of earlier jobs of the submission that it waits for */
	u64 after;
};

static_assert(NNACCEL_LIMIT_JOBS <= 64);

/**
 * struct nnaccel_submit - one SUBMIT
 */
struct nnaccel_submit {
	/** @queue: with a reference */
	struct nnaccel_queue *queue;
	/** @file: file of the handles */
	struct drm_file *file;
	/** @array: struct drm_nnaccel_job in userspace */
	struct drm_nnaccel_array array;
	/** @jobs: the jobs made of them; @job if there is one */
	struct nnaccel_submit_job *jobs;
	/** @job: saves an allocation */
	struct nnaccel_submit_job job;
	/** @count: entries of @jobs */
	u32 count;
	/** @num_bos: BOs of all of them */
	u32 num_bos;
};

static int nnaccel_array_check(const struct drm_nnaccel_array *array, u32 min_stride, u32 max)
{
	u64 end;

	if (!array->count)
		return array->stride || array->array ? -EINVAL : 0;
	if (array->stride < min_stride)
		return -EINVAL;
	if (array->count > max || array->stride > PAGE_SIZE)
		return -E2BIG;
	if (check_add_overflow(array->array, (u64)array->stride * array->count, &end))
		return -EFAULT;
	return 0;
}

static void __user *nnaccel_array_at(const struct drm_nnaccel_array *array, u32 index)
{
	return u64_to_user_ptr(array->array + (u64)index * array->stride);
}

/* Copy an element of userspace's size into one of this kernel's. */
static int nnaccel_array_get(const struct drm_nnaccel_array *array, u32 index, void *element,
			     size_t size)
{
	return copy_struct_from_user(element, size, nnaccel_array_at(array, index), array->stride);
}

static int nnaccel_submit_get_args(struct nnaccel_sched_job *job,
				   const struct drm_nnaccel_array *array)
{
	u32 i, d, rank;
	int ret;

	ret = nnaccel_array_check(array, sizeof(*job->args),
				  array->count ? nnaccel_fw_max_args(job->queue->ndev) : 0);
	if (ret || !array->count)
		return ret;

	ret = nnaccel_job_charge(job, array_size(array->count, sizeof(*job->args)));
	if (ret)
		return ret;
	job->args = kvzalloc_objs(*job->args, array->count, GFP_KERNEL_ACCOUNT);
	if (!job->args)
		return -ENOMEM;
	job->num_args = array->count;

	for (i = 0; i < array->count; i++) {
		struct nnaccel_arg *arg = &job->args[i];

		ret = nnaccel_array_get(array, i, arg, sizeof(*arg));
		if (ret)
			return ret;
		rank = le32_to_cpu(arg->rank);
		if (le32_to_cpu(arg->flags) & ~NNACCEL_ARG_FLAGS || rank > NNACCEL_MAX_RANK)
			return -EINVAL;
		for (d = rank; d < NNACCEL_MAX_RANK; d++)
			if (arg->dims[d])
				return -EINVAL;
	}
	return 0;
}

static int nnaccel_submit_get_bos(struct nnaccel_submit *submit, struct nnaccel_sched_job *job,
				  const struct drm_nnaccel_array *array)
{
	struct drm_nnaccel_bo_ref ref;
	struct nnaccel_mapping *mapping;
	struct drm_gem_object *obj;
	u32 i, k;
	int ret;

	ret = nnaccel_array_check(array, sizeof(ref), NNACCEL_LIMIT_JOB_BOS);
	if (ret || !array->count)
		return ret;

	ret = nnaccel_job_charge(job, array_size(array->count, sizeof(*job->bos)));
	if (ret)
		return ret;
	job->bos = kvzalloc_objs(*job->bos, array->count, GFP_KERNEL_ACCOUNT);
	if (!job->bos)
		return -ENOMEM;

	for (i = 0; i < array->count; i++) {
		ret = nnaccel_array_get(array, i, &ref, sizeof(ref));
		if (ret)
			return ret;
		if (!ref.flags || ref.flags & ~DRM_NNACCEL_BO_REF_FLAGS)
			return -EINVAL;

		obj = drm_gem_object_lookup(submit->file, ref.handle);
		if (!obj)
			return -ENOENT;
		mapping = nnaccel_bo_use_mapping(to_nnaccel_bo(obj), job->queue->vm);
		drm_gem_object_put(obj);
		if (IS_ERR(mapping))
			return PTR_ERR(mapping);

		job->bos[i].mapping = mapping;
		job->bos[i].write = ref.flags & DRM_NNACCEL_BO_REF_WRITE;
		job->num_bos++;
		submit->num_bos++;
		if (mapping->bo->sync_bytes)
			job->sync_bos = true;

		if (job->bos[i].write && mapping->bo->flags & DRM_NNACCEL_BO_DEVICE_READONLY)
			return -EACCES;
		for (k = 0; k < i; k++)
			if (job->bos[k].mapping == mapping)
				return -EINVAL;
	}
	return 0;
}

/* Room for @count entries of nnaccel_sched_job.deps. */
static int nnaccel_job_grow_deps(struct nnaccel_sched_job *job, u32 count)
{
	struct dma_fence **deps;
	int ret;

	ret = nnaccel_job_charge(job, array_size(count, sizeof(*deps)));
	if (ret)
		return ret;
	deps = kvmalloc_objs(*deps, count, GFP_KERNEL_ACCOUNT);
	if (!deps)
		return -ENOMEM;
	if (job->num_deps)
		memcpy(deps, job->deps, job->num_deps * sizeof(*deps));
	kvfree(job->deps);
	job->deps = deps;
	return 0;
}

/* Consumes the reference of @fence. */
static int nnaccel_job_add_dep(struct nnaccel_sched_job *job, struct dma_fence *fence)
{
	int ret = 0;

	/* Room for a power of two, from 8. */
	if (!job->num_deps || (job->num_deps >= 8 && is_power_of_2(job->num_deps)))
		ret = nnaccel_job_grow_deps(job, max(8u, job->num_deps * 2));
	if (ret) {
		dma_fence_put(fence);
		return ret;
	}
	job->deps[job->num_deps++] = fence;
	return 0;
}

/* A wait for a syncobj that an earlier job of the same submission signals. */
static bool nnaccel_submit_find_signal(struct nnaccel_submit *submit, u32 index,
				       const struct drm_nnaccel_sync *sync)
{
	u32 i = index, k;

	while (i--) {
		for (k = 0; k < submit->jobs[i].num_outs; k++) {
			if (!nnaccel_sync_covers(&submit->jobs[i].outs[k], sync))
				continue;
			submit->jobs[index].after |= BIT_ULL(i);
			return true;
		}
	}
	return false;
}

static int nnaccel_submit_get_syncs(struct nnaccel_submit *submit, u32 index,
				    const struct drm_nnaccel_array *array)
{
	struct nnaccel_submit_job *sjob = &submit->jobs[index];
	struct nnaccel_sync_out *out;
	struct drm_nnaccel_sync sync;
	struct dma_fence *fence;
	u32 i;
	int ret;

	ret = nnaccel_array_check(array, sizeof(sync), NNACCEL_LIMIT_SYNCS);
	if (ret || !array->count)
		return ret;

	sjob->outs = &sjob->out;
	if (array->count > 1)
		sjob->outs = kzalloc_objs(*sjob->outs, array->count, GFP_KERNEL_ACCOUNT);
	if (!sjob->outs)
		return -ENOMEM;

	for (i = 0; i < array->count; i++) {
		ret = nnaccel_array_get(array, i, &sync, sizeof(sync));
		if (ret)
			return ret;
		ret = nnaccel_sync_check(&sync);
		if (ret)
			return ret;

		if (sync.flags & DRM_NNACCEL_SYNC_SIGNAL) {
			out = &sjob->outs[sjob->num_outs];
			ret = nnaccel_sync_get_out(submit->file, &sync, out);
			if (ret)
				return ret;
			sjob->num_outs++;
			continue;
		}
		if (nnaccel_submit_find_signal(submit, index, &sync))
			continue;
		ret = nnaccel_sync_get_in(submit->file, &sync, &fence);
		if (ret)
			return ret;
		ret = nnaccel_job_add_dep(sjob->job, fence);
		if (ret)
			return ret;
	}
	return 0;
}

static int nnaccel_submit_check_job(const struct drm_nnaccel_job *args)
{
	if (args->flags & ~DRM_NNACCEL_JOB_FLAGS || args->pad ||
	    args->loop_ns > NNACCEL_LOOP_NS_MAX || args->result_size > U32_MAX ||
	    !args->result_addr != !args->result_size)
		return -EINVAL;
	if (args->flags & DRM_NNACCEL_JOB_NULL)
		return args->program_addr || args->program_size || args->program_generation ||
		       args->result_addr || args->args.count ? -EINVAL : 0;
	return args->program_addr && args->program_size ? 0 : -EINVAL;
}

static int nnaccel_submit_get_job(struct nnaccel_submit *submit, u32 index)
{
	struct drm_nnaccel_job __user *user = nnaccel_array_at(&submit->array, index);
	struct nnaccel_submit_job *sjob = &submit->jobs[index];
	struct nnaccel_sched_job *job;
	struct drm_nnaccel_job args;
	int ret;

	ret = nnaccel_array_get(&submit->array, index, &args, sizeof(args));
	if (ret)
		return ret;
	ret = nnaccel_submit_check_job(&args);
	if (ret)
		return ret;
	/* The seqno is written when it is too late for an error: check writability now. */
	if (put_user(args.seqno, &user->seqno))
		return -EFAULT;

	job = nnaccel_job_alloc(submit->queue);
	if (IS_ERR(job))
		return PTR_ERR(job);
	sjob->job = job;
	sjob->flags = args.flags;

	job->deadline_ns = args.deadline_ns;
	job->max_ns = args.max_ns;

	ret = nnaccel_submit_get_args(job, &args.args);
	if (ret)
		return ret;
	ret = nnaccel_submit_get_bos(submit, job, &args.bos);
	if (ret)
		return ret;
	ret = nnaccel_submit_get_syncs(submit, index, &args.syncs);
	if (ret)
		return ret;

	job->wire.op = cpu_to_le16(args.flags & DRM_NNACCEL_JOB_NULL ? NNACCEL_JOB_NULL :
								       NNACCEL_JOB_RUN);
	job->wire.num_args = cpu_to_le32(job->num_args);
	job->wire.program_addr = cpu_to_le64(args.program_addr);
	job->wire.program_size = cpu_to_le64(args.program_size);
	job->wire.program_generation = cpu_to_le64(args.program_generation);
	job->wire.result_addr = cpu_to_le64(args.result_addr);
	job->wire.result_size = cpu_to_le32(args.result_size);
	job->wire.loop_ns = cpu_to_le64(args.loop_ns);
	return 0;
}

/*
 * Whether the limits of a job, and of all that it waits for, bound its end: only then may it take
 * part in implicit sync. @before: whether the end of the jobs before it is bounded.
 */
static bool nnaccel_submit_is_bounded(struct nnaccel_sched_job *job, bool before)
{
	u32 i;

	if (!before || !job->max_ns || job->max_ns > NNACCEL_RESV_NS)
		return false;
	for (i = 0; i < job->num_deps; i++)
		if (!nnaccel_fence_is_bounded(job->deps[i]))
			return false;
	return true;
}

/*
 * Steps that can fail and need the seqno of the job. @bounded: whether the end of the jobs before
 * it is bounded.
 */
static int nnaccel_submit_prepare(struct nnaccel_submit *submit, bool bounded)
{
	struct nnaccel_queue *queue = submit->queue;
	u32 i, k;
	int ret;

	lockdep_assert_held(&queue->submit_lock);

	for (i = 0; i < submit->count; i++) {
		struct nnaccel_submit_job *sjob = &submit->jobs[i];
		struct nnaccel_sched_job *job = sjob->job;

		job->seqno = queue->last_seqno + 1 + i;
		job->wire.seqno = cpu_to_le64(job->seqno);
		nnaccel_fence_init(job->fence, job->deadline_ns ? dma_fence_context_alloc(1) :
								  queue->fence_context, job->seqno);
		nnaccel_fence_init(job->retired, queue->retire_context, job->seqno);

		for (k = 0; k < i; k++) {
			if (!(sjob->after & BIT_ULL(k)))
				continue;
			ret = nnaccel_job_add_dep(job,
						  dma_fence_get(&submit->jobs[k].job->fence->base));
			if (ret)
				return ret;
		}
		job->num_in = job->num_deps;
		bounded = nnaccel_submit_is_bounded(job, bounded);
		job->fence->bounded = bounded;
		job->resv = bounded && !(sjob->flags & DRM_NNACCEL_JOB_NO_IMPLICIT);

		ret = drm_sched_job_init(&job->base, &queue->entity, 1 + job->num_args,
					 submit->file, queue->client_id);
		if (ret)
			return ret;
		job->scheduled = true;
	}
	return 0;
}

static int nnaccel_submit_add_implicit(struct nnaccel_sched_job *job, struct nnaccel_job_bo *bo)
{
	struct dma_resv *resv = bo->mapping->bo->base.base.resv;
	struct dma_resv_iter cursor;
	struct dma_fence *fence;
	int ret;

	/* Always wait for the kernel's own work on the memory. */
	dma_resv_for_each_fence(&cursor, resv,
				job->resv ? dma_resv_usage_rw(bo->write) : DMA_RESV_USAGE_KERNEL,
				fence) {
		/* The device runs the jobs of a queue in order. */
		if (nnaccel_fence_is_queue(fence, job->queue) || dma_fence_is_signaled(fence))
			continue;
		ret = nnaccel_job_add_dep(job, dma_fence_get(fence));
		if (ret)
			return ret;
	}
	return 0;
}

/* Lock every BO, reserve room for our fences, collect the fences to wait for. */
static int nnaccel_submit_lock_bos(struct nnaccel_submit *submit, struct drm_exec *exec)
{
	struct nnaccel_sched_job *job;
	struct drm_gem_object *obj;
	u32 i, k;
	int ret;

	drm_exec_until_all_locked(exec) {
		for (i = 0; i < submit->count; i++) {
			job = submit->jobs[i].job;
			for (k = 0; k < job->num_bos; k++) {
				obj = &job->bos[k].mapping->bo->base.base;
				ret = drm_exec_prepare_obj(exec, obj, submit->count);
				drm_exec_retry_on_contention(exec);
				if (ret)
					return ret;
			}
		}
	}

	for (i = 0; i < submit->count; i++) {
		job = submit->jobs[i].job;
		for (k = 0; k < job->num_bos; k++) {
			ret = nnaccel_submit_add_implicit(job, &job->bos[k]);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static int nnaccel_submit_admit_locked(struct nnaccel_submit *submit)
{
	struct nnaccel_queue *queue = submit->queue;

	lockdep_assert_held(&queue->lock);

	if (READ_ONCE(queue->ndev->gone))
		return -ENODEV;
	if (queue->dead)
		return -ENOENT;
	if (queue->health != DRM_NNACCEL_QUEUE_OK)
		return -ECANCELED;
	return queue->num_live + submit->count > NNACCEL_LIMIT_QUEUED ? -EBUSY : 0;
}

/* Add the jobs to the private job table, all or none. From here on they will end. */
static int nnaccel_submit_enter(struct nnaccel_submit *submit)
{
	u64 now = ktime_get_ns(), expire = now + nnaccel_fence_max_ms * (u64)NSEC_PER_MSEC;
	struct nnaccel_queue *queue = submit->queue;
	struct nnaccel_sched_job *job;
	int ret;
	u32 i;

	spin_lock_irq(&queue->lock);
	ret = nnaccel_submit_admit_locked(submit);
	if (ret)
		goto out;
	for (i = 0; i < submit->count; i++) {
		job = submit->jobs[i].job;
		job->queued_ns = now;
		job->expire_ns = expire;
		kref_get(&job->ref);
		/* Until nnaccel_job_retire_locked(). */
		nnaccel_pm_get_awake(queue->ndev);
		list_add_tail(&job->link, &queue->jobs);
		queue->num_live++;
		if (!job->fence->bounded)
			queue->num_unbounded++;
		WRITE_ONCE(queue->last_seqno, job->seqno);
		nnaccel_watch_queued_locked(job);
	}
out:
	spin_unlock_irq(&queue->lock);
	return ret;
}

/*
 * Add a job's fence to the dma_resv of its BOs. Each dma_resv gets it once, and has room for it
 * once: BOs imported from the same dma-buf share a dma_resv.
 */
static void nnaccel_submit_add_fence(struct nnaccel_sched_job *job)
{
	u32 i, k;

	for (i = 0; i < job->num_bos; i++) {
		struct drm_gem_object *obj = &job->bos[i].mapping->bo->base.base;
		enum dma_resv_usage usage = DMA_RESV_USAGE_BOOKKEEP;
		bool write = job->bos[i].write, seen = false;

		for (k = 0; obj->resv != &obj->_resv && k < job->num_bos; k++) {
			if (job->bos[k].mapping->bo->base.base.resv != obj->resv)
				continue;
			write |= job->bos[k].write;
			seen |= k < i;
		}
		if (seen)
			continue;
		if (job->resv)
			usage = write ? DMA_RESV_USAGE_WRITE : DMA_RESV_USAGE_READ;
		dma_resv_add_fence(obj->resv, &job->fence->base, usage);
	}
}

/* Publish the fences. Nothing fails from here on. */
static void nnaccel_submit_push(struct nnaccel_submit *submit)
{
	struct nnaccel_queue *queue = submit->queue;
	bool ring = false, cookie;
	u32 i, k;

	/* From the first fence that others can see to the last job that is given away. */
	cookie = dma_fence_begin_signalling();
	for (i = 0; i < submit->count; i++) {
		struct nnaccel_submit_job *sjob = &submit->jobs[i];
		struct nnaccel_sched_job *job = sjob->job;

		nnaccel_submit_add_fence(job);
		for (k = 0; k < sjob->num_outs; k++)
			nnaccel_sync_attach(&sjob->outs[k], &job->fence->base);

		trace_nnaccel_job_queued(job);
		/* One doorbell for all of them. */
		if (nnaccel_job_run_direct(job, i + 1 == submit->count)) {
			ring = i + 1 < submit->count;
			continue;
		}
		kref_get(&job->ref);
		sjob->pushed = true;
		drm_sched_job_arm(&job->base);
		drm_sched_entity_push_job(&job->base);
	}
	if (ring) {
		spin_lock_irq(&queue->lock);
		nnaccel_queue_ring_locked(queue);
		spin_unlock_irq(&queue->lock);
	}
	dma_fence_end_signalling(cookie);
	atomic64_add(submit->count, &queue->ndev->counters.jobs_submitted);
	atomic64_add(submit->count, &queue->client->stats.submitted);
}

/* Lock the BOs of the jobs, enter the jobs, publish their fences. */
static int nnaccel_submit_with_bos(struct nnaccel_submit *submit)
{
	struct drm_exec exec;
	int ret;

	drm_exec_init(&exec, DRM_EXEC_INTERRUPTIBLE_WAIT | DRM_EXEC_IGNORE_DUPLICATES, 0);
	ret = nnaccel_submit_lock_bos(submit, &exec);
	if (!ret)
		ret = nnaccel_submit_enter(submit);
	if (!ret)
		nnaccel_submit_push(submit);
	drm_exec_fini(&exec);
	return ret;
}

static int nnaccel_submit_commit(struct nnaccel_submit *submit)
{
	struct nnaccel_queue *queue = submit->queue;
	bool bounded;
	int ret;

	/* Jobs that are refused do not wake the card. */
	scoped_guard(spinlock_irq, &queue->lock)
		ret = nnaccel_submit_admit_locked(submit);
	if (ret)
		return ret;
	/* Before any fence is public, and only for jobs that have passed all checks of fields. */
	nnaccel_pm_get(queue->ndev);
	ret = mutex_lock_interruptible(&queue->submit_lock);
	if (ret)
		goto out_put;

	/*
	 * Check early, so that a client at its limit does not lock its BOs for nothing. Only SUBMIT
	 * adds jobs, so a bounded queue stays bounded.
	 */
	scoped_guard(spinlock_irq, &queue->lock) {
		ret = nnaccel_submit_admit_locked(submit);
		bounded = !queue->num_unbounded;
	}
	if (ret)
		goto out_unlock;
	ret = nnaccel_submit_prepare(submit, bounded);
	if (ret)
		goto out_unlock;

	if (submit->num_bos) {
		ret = nnaccel_submit_with_bos(submit);
	} else {
		ret = nnaccel_submit_enter(submit);
		if (!ret)
			nnaccel_submit_push(submit);
	}

out_unlock:
	mutex_unlock(&queue->submit_lock);
out_put:
	nnaccel_pm_put(queue->ndev);
	return ret;
}

/*
 * Write the seqnos to userspace, with no lock held: userspace may delay the page fault. Writability
 * was checked before; a client that unmaps the memory meanwhile loses the seqnos, not the jobs.
 */
static void nnaccel_submit_put_seqnos(struct nnaccel_submit *submit)
{
	u32 i;

	for (i = 0; i < submit->count; i++) {
		struct drm_nnaccel_job __user *user = nnaccel_array_at(&submit->array, i);

		if (put_user(submit->jobs[i].job->seqno, &user->seqno))
			return;
	}
}

static void nnaccel_submit_cleanup(struct nnaccel_submit *submit)
{
	u32 i, k;

	for (i = 0; i < submit->count; i++) {
		struct nnaccel_submit_job *sjob = &submit->jobs[i];

		for (k = 0; k < sjob->num_outs; k++)
			nnaccel_sync_put_out(&sjob->outs[k]);
		if (sjob->outs != &sjob->out)
			kfree(sjob->outs);
		if (!sjob->job)
			continue;
		if (sjob->job->scheduled && !sjob->pushed)
			drm_sched_job_cleanup(&sjob->job->base);
		nnaccel_job_put(sjob->job);
	}
	if (submit->jobs != &submit->job)
		kvfree(submit->jobs);
}

int nnaccel_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_nnaccel_submit *args = data;
	struct nnaccel_submit submit = {
		.file = file,
		.array = args->jobs,
		.count = args->jobs.count,
	};
	int ret;
	u32 i;

	if (args->flags || !args->jobs.count)
		return -EINVAL;
	ret = nnaccel_array_check(&args->jobs, sizeof(struct drm_nnaccel_job), NNACCEL_LIMIT_JOBS);
	if (ret)
		return ret;
	/*
	 * No section: a page fault that userspace delays would block removal.
	 * nnaccel_submit_admit_locked() checks for a device that is gone, and the only register,
	 * the doorbell, is written under the lock of a queue that is ATTACHED.
	 */
	submit.queue = nnaccel_queue_lookup(file->driver_priv, args->queue_id);
	if (!submit.queue)
		return -ENOENT;
	submit.jobs = &submit.job;
	if (submit.count > 1)
		submit.jobs = kvzalloc_objs(*submit.jobs, submit.count, GFP_KERNEL_ACCOUNT);
	if (!submit.jobs) {
		ret = -ENOMEM;
		goto out_put;
	}

	for (i = 0; i < submit.count; i++) {
		ret = nnaccel_submit_get_job(&submit, i);
		if (ret)
			goto out_cleanup;
	}
	ret = nnaccel_submit_commit(&submit);
	if (ret)
		goto out_cleanup;
	nnaccel_submit_put_seqnos(&submit);

out_cleanup:
	nnaccel_submit_cleanup(&submit);
out_put:
	nnaccel_queue_put(submit.queue);
	return ret;
}
