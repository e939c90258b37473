// SPDX-License-Identifier: Apache-2.0
/* SUBMIT: each misused field gives its errno and has no effect. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include "nnaccel_util.h"

FIXTURE(fields) {
	struct nn_rig rig;
	struct drm_nnaccel_limits limits;
	uint32_t fresh;		/* syncobj without a fence */
	uint32_t timeline;
	struct nn_bo ro;
};

FIXTURE_SETUP(fields)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	ASSERT_EQ(0, nn_limits(self->rig.fd, &self->limits));
	self->fresh = nn_syncobj(self->rig.fd);
	self->timeline = nn_syncobj(self->rig.fd);
	ASSERT_NE(0, self->fresh);
	ASSERT_NE(0, self->timeline);
	ASSERT_EQ(0, nn_bo_new(self->rig.fd, NN_BYTES, DRM_NNACCEL_BO_DEVICE_READONLY, &self->ro));
}

FIXTURE_TEARDOWN(fields)
{
	nn_syncobj_free(self->rig.fd, self->fresh);
	nn_syncobj_free(self->rig.fd, self->timeline);
	nn_bo_free(&self->ro);
	nn_rig_close(&self->rig);
}

/* State that a failed SUBMIT must not have changed. */
static bool untouched(struct nn_rig *rig)
{
	struct drm_nnaccel_queue_state state;

	return nn_queue_state(&rig->queue, &state) == 0 && state.last_seqno == 0 && state.queued == 0 &&
	       state.health == DRM_NNACCEL_QUEUE_OK && rig->queue.status[1].seqno == 0 &&
	       nn_bo_wait(&rig->out, DRM_NNACCEL_BO_WAIT_WRITE, 0) == 0 &&
	       nn_fence_status(rig->fd, rig->done, 0) == -EINVAL;
}

/* One field of the job or of one of its arrays. */
enum where { JOB, ARG, BO, SYNC };

struct misuse {
	const char *name;
	enum where where;
	uint32_t index, offset, size;
	uint64_t value;
	int error;
};

#define OF(place, index, type, field, value, error) \
	{ #field " = " #value, place, index, offsetof(struct type, field), \
	  sizeof(((struct type *)0)->field), value, error }

static const struct misuse misuses[] = {
	OF(JOB, 0, drm_nnaccel_job, flags, 1u << 2, -EINVAL),
	OF(JOB, 0, drm_nnaccel_job, flags, 1u << 31, -EINVAL),
	OF(JOB, 0, drm_nnaccel_job, pad, 1, -EINVAL),
	OF(JOB, 0, drm_nnaccel_job, program_addr, 0, -EINVAL),
	OF(JOB, 0, drm_nnaccel_job, program_size, 0, -EINVAL),
	OF(JOB, 0, drm_nnaccel_job, result_addr, 0, -EINVAL),
	OF(JOB, 0, drm_nnaccel_job, result_size, 0, -EINVAL),
	OF(JOB, 0, drm_nnaccel_job, result_size, 1ull << 32, -EINVAL),
	OF(JOB, 0, drm_nnaccel_job, loop_ns, NNACCEL_LOOP_NS_MAX + 1, -EINVAL),
	OF(JOB, 0, drm_nnaccel_job, loop_ns, UINT64_MAX, -EINVAL),
	/* A NULL job has no program. */
	OF(JOB, 0, drm_nnaccel_job, flags, DRM_NNACCEL_JOB_NULL, -EINVAL),
	OF(JOB, 0, drm_nnaccel_job, args.stride, sizeof(struct nnaccel_arg) - 1, -EINVAL),
	OF(JOB, 0, drm_nnaccel_job, args.stride, 0, -EINVAL),
	OF(JOB, 0, drm_nnaccel_job, args.count, 0, -EINVAL),
	OF(JOB, 0, drm_nnaccel_job, args.count, NNACCEL_MAX_ARGS + 1, -E2BIG),
	OF(JOB, 0, drm_nnaccel_job, args.count, UINT32_MAX, -E2BIG),
	OF(JOB, 0, drm_nnaccel_job, args.array, 8, -EFAULT),
	OF(JOB, 0, drm_nnaccel_job, args.array, UINT64_MAX - 7, -EFAULT),
	OF(JOB, 0, drm_nnaccel_job, bos.stride, 4, -EINVAL),
	OF(JOB, 0, drm_nnaccel_job, bos.count, 0, -EINVAL),
	OF(JOB, 0, drm_nnaccel_job, bos.count, UINT32_MAX, -E2BIG),
	OF(JOB, 0, drm_nnaccel_job, bos.array, 8, -EFAULT),
	OF(JOB, 0, drm_nnaccel_job, syncs.stride, 8, -EINVAL),
	OF(JOB, 0, drm_nnaccel_job, syncs.count, 0, -EINVAL),
	OF(JOB, 0, drm_nnaccel_job, syncs.count, UINT32_MAX, -E2BIG),
	OF(JOB, 0, drm_nnaccel_job, syncs.array, 8, -EFAULT),
	OF(ARG, 2, nnaccel_arg, flags, 1u << 1, -EINVAL),
	OF(ARG, 2, nnaccel_arg, flags, 1u << 31, -EINVAL),
	OF(ARG, 2, nnaccel_arg, rank, NNACCEL_MAX_RANK + 1, -EINVAL),
	OF(ARG, 2, nnaccel_arg, rank, UINT32_MAX, -EINVAL),
	OF(ARG, 2, nnaccel_arg, dims[0], 1, -EINVAL),
	OF(ARG, 2, nnaccel_arg, dims[9], 1, -EINVAL),
	OF(BO, 1, drm_nnaccel_bo_ref, flags, 0, -EINVAL),
	OF(BO, 1, drm_nnaccel_bo_ref, flags, 1u << 2, -EINVAL),
	OF(BO, 1, drm_nnaccel_bo_ref, handle, 0, -ENOENT),
	OF(BO, 1, drm_nnaccel_bo_ref, handle, 0xdead, -ENOENT),
	OF(SYNC, 0, drm_nnaccel_sync, flags, DRM_NNACCEL_SYNC_SIGNAL | 2, -EINVAL),
	OF(SYNC, 0, drm_nnaccel_sync, flags, DRM_NNACCEL_SYNC_SIGNAL | 0xff, -EINVAL),
	OF(SYNC, 0, drm_nnaccel_sync, flags, DRM_NNACCEL_SYNC_SIGNAL | 1u << 8, -EINVAL),
	OF(SYNC, 0, drm_nnaccel_sync, flags, DRM_NNACCEL_SYNC_SIGNAL | DRM_NNACCEL_SYNC_TIMELINE, -EINVAL),
	OF(SYNC, 0, drm_nnaccel_sync, point, 1, -EINVAL),
	OF(SYNC, 0, drm_nnaccel_sync, handle, 0, -ENOENT),
	OF(SYNC, 0, drm_nnaccel_sync, handle, 0xdead, -ENOENT),
};

static void put(void *at, uint32_t size, uint64_t value)
{
	if (size == 4) {
		uint32_t v = value;

		memcpy(at, &v, 4);
	} else {
		memcpy(at, &value, 8);
	}
}

static void misuse(struct nn_job *job, const struct misuse *m)
{
	void *places[] = { &job->job, job->args, job->bos, job->syncs };
	static const size_t sizes[] = {
		sizeof(job->job), sizeof(job->args[0]), sizeof(job->bos[0]), sizeof(job->syncs[0]),
	};

	put((char *)places[m->where] + m->index * sizes[m->where] + m->offset, m->size, m->value);
}

static int submit_finished(struct nn_rig *rig, struct nn_job *job)
{
	return nn_submit_raw(rig->fd, rig->queue.id, &job->job, sizeof(job->job), 1);
}

TEST_F(fields, each_misused)
{
	struct nn_rig *rig = &self->rig;
	struct nn_job job;

	for (size_t i = 0; i < NN_COUNT(misuses); i++) {
		nn_rig_job(rig, &job);
		nn_job_finish(&job);
		misuse(&job, &misuses[i]);
		EXPECT_EQ(misuses[i].error, submit_finished(rig, &job)) {
			TH_LOG("%s", misuses[i].name);
		}
		ASSERT_TRUE(untouched(rig)) {
			TH_LOG("changed something: %s", misuses[i].name);
		}
	}
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
}

/* The same in the last of three jobs: the first two, which are valid, must not be queued. */
TEST_F(fields, in_the_last_of_several_jobs)
{
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_job jobs[3];
	struct nn_job good, bad;

	for (size_t i = 0; i < NN_COUNT(misuses); i++) {
		nn_rig_job(rig, &good);
		nn_job_finish(&good);
		nn_rig_job(rig, &bad);
		nn_job_finish(&bad);
		misuse(&bad, &misuses[i]);
		jobs[0] = jobs[1] = good.job;
		jobs[2] = bad.job;
		EXPECT_EQ(misuses[i].error, nn_submit_raw(rig->fd, rig->queue.id, jobs, sizeof(jobs[0]), 3)) {
			TH_LOG("%s", misuses[i].name);
		}
		ASSERT_TRUE(untouched(rig)) {
			TH_LOG("changed something: %s", misuses[i].name);
		}
	}
}

TEST_F(fields, submit_struct)
{
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_submit args, good;
	struct nn_job job;

	nn_rig_job(rig, &job);
	nn_job_finish(&job);
	good = (struct drm_nnaccel_submit){
		.queue_id = rig->queue.id,
		.jobs = { .stride = sizeof(job.job), .count = 1, .array = (uintptr_t)&job.job },
	};
#define REFUSED(err, field, bad) do { \
		args = good; \
		args.field = bad; \
		EXPECT_EQ(err, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_SUBMIT, &args)) { \
			TH_LOG(#field " = " #bad); \
		} \
		EXPECT_TRUE(untouched(rig)); \
	} while (0)

	REFUSED(-EINVAL, flags, 1);
	REFUSED(-ENOENT, queue_id, 0xdead);
	REFUSED(-ENOENT, queue_id, UINT32_MAX);
	REFUSED(-EINVAL, jobs.stride, 0);
	REFUSED(-EINVAL, jobs.stride, sizeof(struct drm_nnaccel_job) - 8);
	REFUSED(-EINVAL, jobs.count, 0);
	REFUSED(-E2BIG, jobs.count, self->limits.max_jobs + 1);
	REFUSED(-E2BIG, jobs.count, UINT32_MAX);
	REFUSED(-EFAULT, jobs.array, 0);
	REFUSED(-EFAULT, jobs.array, 16);
	REFUSED(-EFAULT, jobs.array, UINT64_MAX - 7);
#undef REFUSED
	args = (struct drm_nnaccel_submit){ .queue_id = rig->queue.id };
	EXPECT_EQ(-EINVAL, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_SUBMIT, &args));
}

TEST_F(fields, null_job_has_no_program)
{
	struct nn_rig *rig = &self->rig;
	struct nn_job job;

	for (int i = 0; i < 6; i++) {
		nn_job_null(&job);
		if (i == 0)
			job.job.program_addr = rig->add.bo.addr;
		else if (i == 1)
			job.job.program_size = 64;
		else if (i == 2)
			job.job.program_generation = 1;
		else if (i == 3)
			nn_job_result(&job, &rig->result);
		else if (i == 4)
			nn_job_in(&job, &rig->a, NN_BYTES);
		else
			job.job.flags |= 1u << 5;
		EXPECT_EQ(-EINVAL, nn_submit(&rig->queue, &job)) {
			TH_LOG("case %d", i);
		}
	}
	EXPECT_TRUE(untouched(rig));
}

TEST_F(fields, buffer_list)
{
	struct nn_rig *rig = &self->rig;
	struct nn_job job;

	/* The same buffer listed twice. */
	nn_rig_job(rig, &job);
	job.bos[job.num_bos++] = job.bos[0];
	EXPECT_EQ(-EINVAL, nn_submit(&rig->queue, &job));
	/* Written, but read-only for the device. */
	nn_rig_job(rig, &job);
	nn_job_bo(&job, &self->ro, DRM_NNACCEL_BO_REF_READ | DRM_NNACCEL_BO_REF_WRITE);
	EXPECT_EQ(-EACCES, nn_submit(&rig->queue, &job));
	EXPECT_TRUE(untouched(rig));
	nn_rig_job(rig, &job);
	nn_job_bo(&job, &self->ro, DRM_NNACCEL_BO_REF_READ);
	EXPECT_EQ(0, nn_submit(&rig->queue, &job));
	EXPECT_EQ(0, nn_fence_end(rig->fd, rig->done, 0));
}

TEST_F(fields, waits)
{
	static const struct {
		uint32_t flags;
		uint64_t point;
		int which;	/* 0: none, 1: without a fence, 2: timeline without points */
		int error;
	} cases[] = {
		{ DRM_NNACCEL_SYNC_SYNCOBJ, 0, 1, -ENOENT },
		{ DRM_NNACCEL_SYNC_SYNCOBJ, 0, 0, -ENOENT },
		{ DRM_NNACCEL_SYNC_SYNCOBJ, 7, 1, -EINVAL },
		{ DRM_NNACCEL_SYNC_TIMELINE, 0, 2, -EINVAL },
		{ DRM_NNACCEL_SYNC_TIMELINE, 7, 2, -ENOENT },
		{ DRM_NNACCEL_SYNC_TIMELINE, UINT64_MAX, 2, -ENOENT },
		{ 2, 0, 1, -EINVAL },
		{ 1u << 30, 0, 1, -EINVAL },
	};
	const uint32_t handles[] = { 0, self->fresh, self->timeline };
	struct nn_rig *rig = &self->rig;
	struct nn_job job;

	for (size_t i = 0; i < NN_COUNT(cases); i++) {
		nn_rig_job(rig, &job);
		job.syncs[job.num_syncs++] = (struct drm_nnaccel_sync){
			.flags = cases[i].flags,
			.handle = handles[cases[i].which],
			.point = cases[i].point,
		};
		EXPECT_EQ(cases[i].error, nn_submit(&rig->queue, &job)) {
			TH_LOG("case %zu", i);
		}
		EXPECT_TRUE(untouched(rig));
	}
}

/* Elements may be larger than the kernel's if the extra bytes are zero. */
struct large_job { struct drm_nnaccel_job job; uint64_t more[2]; };
struct large_arg { struct nnaccel_arg arg; uint64_t more[3]; };
struct large_bo { struct drm_nnaccel_bo_ref ref; uint64_t more; };
struct large_sync { struct drm_nnaccel_sync sync; uint64_t more; };

TEST_F(fields, elements_grow)
{
	struct nn_rig *rig = &self->rig;
	struct large_sync syncs[1] = { 0 };
	struct large_arg args[3] = { 0 };
	struct large_job jobs[2] = { 0 };
	struct large_bo bos[6] = { 0 };
	uint64_t *tails[] = {
		&jobs[1].more[1], &jobs[0].more[0], &args[2].more[2], &args[0].more[0], &bos[1].more, &syncs[0].more,
	};
	struct nn_job job;

	nn_rig_job(rig, &job);
	for (uint32_t i = 0; i < job.num_args; i++)
		args[i].arg = job.args[i];
	for (uint32_t i = 0; i < job.num_bos; i++)
		bos[i].ref = job.bos[i];
	syncs[0].sync = job.syncs[0];
	job.job.args = (struct drm_nnaccel_array){ sizeof(args[0]), job.num_args, (uintptr_t)args };
	job.job.bos = (struct drm_nnaccel_array){ sizeof(bos[0]), job.num_bos, (uintptr_t)bos };
	job.job.syncs = (struct drm_nnaccel_array){ sizeof(syncs[0]), 1, (uintptr_t)syncs };
	jobs[0].job = jobs[1].job = job.job;

	for (size_t i = 0; i < NN_COUNT(tails); i++) {
		*tails[i] = 1ull << 63;
		EXPECT_EQ(-E2BIG, nn_submit_raw(rig->fd, rig->queue.id, jobs, sizeof(jobs[0]), 2)) {
			TH_LOG("tail %zu", i);
		}
		EXPECT_TRUE(untouched(rig));
		*tails[i] = 0;
	}
	ASSERT_EQ(0, nn_submit_raw(rig->fd, rig->queue.id, jobs, sizeof(jobs[0]), 2));
	EXPECT_EQ(1, jobs[0].job.seqno);
	EXPECT_EQ(2, jobs[1].job.seqno);
	EXPECT_EQ(0, nn_fence_end(rig->fd, rig->done, 0));
	EXPECT_TRUE(nn_rig_right(rig));
}

/* The seqno cannot be written: all jobs are refused, or none. */
TEST_F(fields, jobs_in_read_only_memory)
{
	struct drm_nnaccel_queue_state state;
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_job *jobs;
	struct nn_job job;
	int ret;

	jobs = mmap(NULL, NN_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, jobs);
	nn_rig_job(rig, &job);
	nn_job_finish(&job);
	jobs[0] = jobs[1] = job.job;
	ASSERT_EQ(0, mprotect(jobs, NN_PAGE, PROT_READ));
	ret = nn_submit_raw(rig->fd, rig->queue.id, jobs, sizeof(jobs[0]), 2);
	EXPECT_TRUE(ret == 0 || ret == -EFAULT);
	ASSERT_EQ(0, nn_queue_state(&rig->queue, &state));
	EXPECT_EQ(ret ? 0 : 2, state.last_seqno);
	if (ret) {
		EXPECT_TRUE(untouched(rig));
	} else {
		EXPECT_EQ(0, nn_fence_end(rig->fd, rig->done, 0));
	}
	munmap(jobs, NN_PAGE);
}

/* Values equal to the limits are accepted. */
TEST_F(fields, values_at_limits_are_accepted)
{
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_bo_ref *refs = calloc(self->limits.max_job_bos + 1, sizeof(*refs));
	struct drm_nnaccel_sync *syncs = calloc(self->limits.max_syncs + 1, sizeof(*syncs));
	struct drm_nnaccel_job *jobs = calloc(self->limits.max_jobs, sizeof(*jobs));
	struct drm_nnaccel_job *last;

	ASSERT_NE(NULL, refs);
	ASSERT_NE(NULL, syncs);
	ASSERT_NE(NULL, jobs);
	for (uint32_t i = 0; i <= self->limits.max_job_bos; i++) {
		struct drm_nnaccel_bo_create args = { .size = NN_PAGE };

		ASSERT_EQ(0, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_BO_CREATE, &args));
		refs[i].handle = args.handle;
		refs[i].flags = DRM_NNACCEL_BO_REF_WRITE;
	}
	for (uint32_t i = 0; i <= self->limits.max_syncs; i++) {
		syncs[i].flags = DRM_NNACCEL_SYNC_SIGNAL;
		syncs[i].handle = nn_syncobj(rig->fd);
		ASSERT_NE(0, syncs[i].handle);
	}
	for (uint32_t i = 0; i < self->limits.max_jobs; i++)
		jobs[i].flags = DRM_NNACCEL_JOB_NULL;
	last = &jobs[self->limits.max_jobs - 1];

	last->bos = (struct drm_nnaccel_array){ sizeof(*refs), self->limits.max_job_bos + 1, (uintptr_t)refs };
	EXPECT_EQ(-E2BIG, nn_submit_raw(rig->fd, rig->queue.id, jobs, sizeof(*jobs), self->limits.max_jobs));
	last->bos.count--;
	last->syncs = (struct drm_nnaccel_array){ sizeof(*syncs), self->limits.max_syncs + 1, (uintptr_t)syncs };
	EXPECT_EQ(-E2BIG, nn_submit_raw(rig->fd, rig->queue.id, jobs, sizeof(*jobs), self->limits.max_jobs));
	EXPECT_TRUE(untouched(rig));
	last->syncs.count--;
	ASSERT_EQ(0, nn_submit_raw(rig->fd, rig->queue.id, jobs, sizeof(*jobs), self->limits.max_jobs));
	EXPECT_EQ(self->limits.max_jobs, last->seqno);
	for (uint32_t i = 0; i < self->limits.max_syncs; i++)
		ASSERT_EQ(0, nn_fence_end(rig->fd, syncs[i].handle, 0));
	free(refs);
	free(syncs);
	free(jobs);
}

/* SUBMIT has no result of its own: its arguments may be in memory that cannot be written. */
TEST_F(fields, read_only_arguments)
{
	struct drm_nnaccel_submit *args = mmap(NULL, NN_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct drm_nnaccel_queue_state state;
	struct nn_job job;

	ASSERT_NE(MAP_FAILED, args);
	nn_rig_job(&self->rig, &job);
	nn_job_finish(&job);
	*args = (struct drm_nnaccel_submit){
		.queue_id = self->rig.queue.id,
		.jobs = { .array = (uintptr_t)&job.job, .count = 1, .stride = sizeof(job.job) },
	};
	ASSERT_EQ(0, mprotect(args, NN_PAGE, PROT_READ));
	EXPECT_EQ(0, nn_ioctl(self->rig.fd, DRM_IOCTL_NNACCEL_SUBMIT, args));
	ASSERT_EQ(0, nn_queue_state(&self->rig.queue, &state));
	EXPECT_EQ(1, state.last_seqno);
	EXPECT_EQ(1, job.job.seqno);
	EXPECT_EQ(0, nn_fence_end(self->rig.fd, self->rig.done, 0));
	/* the earlier number, a DRM_IOWR, works, too */
	EXPECT_EQ(0, nn_ioctl(self->rig.fd, DRM_IOWR(DRM_COMMAND_BASE + DRM_NNACCEL_SUBMIT, struct drm_nnaccel_submit), args));
	EXPECT_EQ(2, job.job.seqno);
	EXPECT_EQ(0, nn_fence_end(self->rig.fd, self->rig.done, 0));
	munmap(args, NN_PAGE);
}

TEST_HARNESS_MAIN
