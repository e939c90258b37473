// SPDX-License-Identifier: Apache-2.0
/* Fences: syncobjs and timelines to wait for and to signal, inherited errors, implicit sync, BO_WAIT. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <kselftest_harness.h>
#include <xf86drm.h>

#include "nnaccel_util.h"

FIXTURE(sync) {
	struct nn_rig rig;
	struct nn_queue other;	/* a second queue of the same file */
	uint32_t a, b;		/* syncobjs */
};

FIXTURE_SETUP(sync)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	ASSERT_EQ(0, nn_queue_new(self->rig.fd, DRM_NNACCEL_PRIORITY_MEDIUM, &self->other));
	self->a = nn_syncobj(self->rig.fd);
	self->b = nn_syncobj(self->rig.fd);
	ASSERT_NE(0, self->a);
	ASSERT_NE(0, self->b);
}

FIXTURE_TEARDOWN(sync)
{
	nn_syncobj_free(self->rig.fd, self->a);
	nn_syncobj_free(self->rig.fd, self->b);
	nn_queue_free(&self->other);
	nn_rig_close(&self->rig);
}

/* to = from + 1, without synchronisation. */
static void plus_one(struct nn_rig *rig, struct nn_job *job, const struct nn_bo *from, const struct nn_bo *to)
{
	nn_job_run(job, &rig->add.bo, rig->add.size);
	nn_job_in(job, from, NN_BYTES);
	nn_job_in(job, &rig->b, NN_BYTES);
	nn_job_out(job, to, NN_BYTES);
	job->job.flags |= DRM_NNACCEL_JOB_NO_IMPLICIT;
}

static bool all(const struct nn_bo *bo, float value)
{
	for (uint32_t i = 0; i < NN_VECTOR; i++)
		if (((float *)bo->map)[i] != value)
			return false;
	return true;
}

TEST_F(sync, binary_in_and_out)
{
	struct nn_rig *rig = &self->rig;
	struct nn_job job;

	nn_job_null(&job);
	nn_job_signal(&job, self->a, 0);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	nn_job_null(&job);
	nn_job_wait_for(&job, self->a, 0);
	nn_job_signal(&job, self->b, 0);
	ASSERT_EQ(0, nn_submit(&self->other, &job));
	EXPECT_EQ(0, nn_fence_end(rig->fd, self->b, 0));
	EXPECT_EQ(1, nn_fence_status(rig->fd, self->a, 0));
}

/* The same syncobj waited for and signalled: the wait is for its old fence. */
TEST_F(sync, one_syncobj_in_and_out)
{
	struct nn_rig *rig = &self->rig;
	struct nn_job job;

	nn_job_null(&job);
	nn_job_signal(&job, self->a, 0);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	for (int i = 0; i < 20; i++) {
		nn_job_null(&job);
		nn_job_wait_for(&job, self->a, 0);
		nn_job_signal(&job, self->a, 0);
		ASSERT_EQ(0, nn_submit(i & 1 ? &rig->queue : &self->other, &job));
	}
	EXPECT_EQ(0, nn_fence_end(rig->fd, self->a, 0));
}

/* A job waits for an earlier job of the same SUBMIT. */
TEST_F(sync, within_one_submit)
{
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_job jobs[2];
	struct nn_job parts[2];

	nn_job_null(&parts[0]);
	nn_job_signal(&parts[0], self->a, 5);
	nn_job_null(&parts[1]);
	nn_job_wait_for(&parts[1], self->a, 5);
	nn_job_signal(&parts[1], self->b, 0);
	for (int i = 0; i < 2; i++) {
		nn_job_finish(&parts[i]);
		jobs[i] = parts[i].job;
	}
	ASSERT_EQ(0, nn_submit_raw(rig->fd, rig->queue.id, jobs, sizeof(jobs[0]), 2));
	EXPECT_EQ(0, nn_fence_end(rig->fd, self->b, 0));
	EXPECT_EQ(0, nn_fence_end(rig->fd, self->a, 5));
	/* The earlier job cannot wait for the later one. */
	nn_job_null(&parts[0]);
	nn_job_wait_for(&parts[0], self->a, 9);
	nn_job_null(&parts[1]);
	nn_job_signal(&parts[1], self->a, 9);
	for (int i = 0; i < 2; i++) {
		nn_job_finish(&parts[i]);
		jobs[i] = parts[i].job;
	}
	EXPECT_EQ(-ENOENT, nn_submit_raw(rig->fd, rig->queue.id, jobs, sizeof(jobs[0]), 2));
}

/* 40 additions on alternating queues, ordered only by timeline points. */
TEST_F_TIMEOUT(sync, timeline_chain_across_queues, NN_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	uint64_t seen = 0;
	struct nn_job job;
	struct nn_bo bo[2];

	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, nn_bo_new(rig->fd, NN_BYTES, 0, &bo[i]));
	for (int i = 0; i < 40; i++) {
		plus_one(rig, &job, &bo[i & 1], &bo[~i & 1]);
		if (i)
			nn_job_wait_for(&job, self->a, i);
		nn_job_signal(&job, self->a, i + 1);
		ASSERT_EQ(0, nn_submit(i % 3 ? &rig->queue : &self->other, &job));
	}
	EXPECT_EQ(0, nn_fence_end(rig->fd, self->a, 40));
	EXPECT_TRUE(all(&bo[0], 40));
	ASSERT_EQ(0, drmSyncobjQuery(rig->fd, &self->a, &seen, 1));
	EXPECT_EQ(40, seen);
	EXPECT_EQ(0, nn_syncobj_wait(rig->fd, self->a, 17, NN_WAIT_S));
	for (int i = 0; i < 2; i++)
		nn_bo_free(&bo[i]);
}

/* As above with binary syncobjs, and a fence passed as a sync_file. */
TEST_F(sync, sync_file_in)
{
	struct nn_rig *rig = &self->rig;
	struct nn_bo bo[2];
	struct nn_job job;
	int file;

	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, nn_bo_new(rig->fd, NN_BYTES, 0, &bo[i]));
	plus_one(rig, &job, &bo[0], &bo[1]);
	nn_job_signal(&job, self->a, 0);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	ASSERT_EQ(0, drmSyncobjExportSyncFile(rig->fd, self->a, &file));
	ASSERT_EQ(0, drmSyncobjImportSyncFile(rig->fd, self->b, file));
	close(file);
	plus_one(rig, &job, &bo[1], &bo[0]);
	nn_job_wait_for(&job, self->b, 0);
	nn_job_signal(&job, rig->done, 0);
	ASSERT_EQ(0, nn_submit(&self->other, &job));
	EXPECT_EQ(0, nn_fence_end(rig->fd, rig->done, 0));
	EXPECT_TRUE(all(&bo[0], 2));
	for (int i = 0; i < 2; i++)
		nn_bo_free(&bo[i]);
}

/* Submit a job that ends with -EINVAL and signals @syncobj. */
static int submit_failing(struct nn_rig *rig, uint32_t syncobj, uint64_t point)
{
	struct nn_job job;

	nn_rig_job(rig, &job);
	nn_job_signal(&job, syncobj, point);
	job.args[0].size--;
	return nn_submit(&rig->queue, &job);
}

static void check_inherited(struct __test_metadata *_metadata, struct nn_rig *rig, struct nn_queue *other,
			    uint32_t in, uint64_t point, uint32_t out)
{
	struct drm_nnaccel_status_entry e;
	struct nn_job job;

	nn_job_null(&job);
	nn_job_wait_for(&job, in, point);
	nn_job_signal(&job, out, 0);
	ASSERT_EQ(0, nn_submit(other, &job));
	EXPECT_EQ(-EINVAL, nn_fence_end(rig->fd, out, 0));
	ASSERT_EQ(0, nn_queue_status(other, job.job.seqno, &e));
	EXPECT_EQ(NNACCEL_STATUS_INPUT_FAILED, e.status);
	EXPECT_EQ(-EINVAL, e.error);
	EXPECT_EQ(0, e.start_ns);
	/* The in-fence failed: the queue is not banned. */
	EXPECT_EQ(0, nn_run_null(other));
}

TEST_F(sync, error_of_in_fence_is_inherited)
{
	ASSERT_EQ(0, submit_failing(&self->rig, self->a, 0));
	check_inherited(_metadata, &self->rig, &self->other, self->a, 0, self->b);
}

TEST_F(sync, error_of_signalled_in_fence_is_inherited)
{
	ASSERT_EQ(0, submit_failing(&self->rig, self->a, 0));
	ASSERT_EQ(-EINVAL, nn_fence_end(self->rig.fd, self->a, 0));
	check_inherited(_metadata, &self->rig, &self->other, self->a, 0, self->b);
}

TEST_F(sync, error_of_timeline_point_is_inherited)
{
	ASSERT_EQ(0, submit_failing(&self->rig, self->a, 3));
	check_inherited(_metadata, &self->rig, &self->other, self->a, 3, self->b);
}

/* A deadline does not change the inherited error. */
TEST_F(sync, error_reaches_the_end_of_a_chain)
{
	struct nn_rig *rig = &self->rig;
	uint32_t links[6];

	for (int i = 0; i < 6; i++)
		links[i] = nn_syncobj(rig->fd);
	ASSERT_EQ(0, submit_failing(rig, links[0], 0));
	for (int i = 1; i < 6; i++) {
		struct nn_job job;

		nn_job_null(&job);
		nn_job_wait_for(&job, links[i - 1], 0);
		nn_job_signal(&job, links[i], 0);
		job.job.deadline_ns = nn_now() + 600 * NN_NS_PER_S;
		ASSERT_EQ(0, nn_submit(i & 1 ? &self->other : &rig->queue, &job));
	}
	EXPECT_EQ(-EINVAL, nn_fence_end(rig->fd, links[5], 0));
	for (int i = 0; i < 6; i++)
		nn_syncobj_free(rig->fd, links[i]);
}

/*
 * Two clients share a buffer, but no fence. The first submits many jobs before the one that writes it; the second,
 * on a queue of its own, must wait all the same.
 */
TEST_F_TIMEOUT(sync, implicit_between_files, NN_TEST_S)
{
	struct nn_rig *rig = &self->rig, peer;
	struct nn_bo chain[2], shared, theirs;
	struct nn_job job;
	int dmabuf;

	ASSERT_EQ(0, nn_rig_open(&peer));
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, nn_bo_new(rig->fd, NN_BYTES, 0, &chain[i]));
	ASSERT_EQ(0, nn_bo_new(rig->fd, NN_BYTES, 0, &shared));
	ASSERT_EQ(0, drmPrimeHandleToFD(rig->fd, shared.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	ASSERT_EQ(0, nn_bo_import(peer.fd, dmabuf, &theirs));
	close(dmabuf);

	/* Only jobs with max_ns, after others with max_ns, take part in implicit sync. */
	for (int i = 0; i < 200; i++) {
		plus_one(rig, &job, &chain[i & 1], &chain[~i & 1]);
		job.job.max_ns = 10 * NN_NS_PER_S;
		ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	}
	plus_one(rig, &job, &chain[0], &shared);
	job.job.flags = 0;
	job.job.max_ns = 10 * NN_NS_PER_S;
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));

	plus_one(&peer, &job, &theirs, &peer.out);
	job.job.flags = 0;
	job.job.max_ns = 10 * NN_NS_PER_S;
	nn_job_signal(&job, peer.done, 0);
	ASSERT_EQ(0, nn_submit(&peer.queue, &job));
	EXPECT_EQ(0, nn_fence_end(peer.fd, peer.done, 0));
	EXPECT_TRUE(all(&peer.out, 202));

	/* A later writer waits for that reader. */
	EXPECT_EQ(0, nn_bo_wait(&shared, DRM_NNACCEL_BO_WAIT_WRITE, NN_WAIT_S * NN_NS_PER_S));
	nn_bo_free(&theirs);
	nn_bo_free(&shared);
	for (int i = 0; i < 2; i++)
		nn_bo_free(&chain[i]);
	nn_rig_close(&peer);
}

/* The card is away, so that buffers stay busy until it is started. */
TEST_F_TIMEOUT(sync, bo_wait, NN_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	int64_t start, length;
	struct nn_job job;
	int ret;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_card_hold(rig->fd));
	nn_rig_job(rig, &job);
	job.job.max_ns = 10 * NN_NS_PER_S;
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));

	EXPECT_EQ(-EBUSY, nn_bo_wait(&rig->out, 0, 0));
	/* -EBUSY: on a busy machine a time may be over when the call begins. */
	for (length = 200 * NN_NS_PER_MS; length < NN_WAIT_S * NN_NS_PER_S; length *= 2) {
		start = nn_now();
		ret = nn_bo_wait(&rig->out, 0, length);
		if (ret != -EBUSY)
			break;
	}
	EXPECT_EQ(-ETIMEDOUT, ret);
	EXPECT_LE(start + length, nn_now());
	EXPECT_EQ(-EBUSY, nn_bo_wait(&rig->out, 0, -NN_NS_PER_S));
	/* The CPU may read what the job only reads, but not write it. */
	EXPECT_EQ(0, nn_bo_wait(&rig->a, 0, 0));
	EXPECT_EQ(-EBUSY, nn_bo_wait(&rig->a, DRM_NNACCEL_BO_WAIT_WRITE, 0));

	ASSERT_EQ(0, nn_card_start(rig->fd));
	EXPECT_EQ(0, nn_bo_wait(&rig->out, 0, NN_WAIT_S * NN_NS_PER_S));
	EXPECT_TRUE(nn_rig_right(rig));
	EXPECT_EQ(0, nn_bo_wait(&rig->a, DRM_NNACCEL_BO_WAIT_WRITE, 0));
	EXPECT_EQ(1, nn_fence_status(rig->fd, rig->done, 0));
}

/*
 * A deadline is a time of CLOCK_MONOTONIC, and a processor that was kept from its ticks (a busy host)
 * has a count of jiffies that lags behind it: many short waits, so that some begin at such a moment.
 */
TEST_F_TIMEOUT(sync, bo_wait_is_not_early, NN_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	struct nn_job job;
	int waits = 0;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_card_hold(rig->fd));
	nn_rig_job(rig, &job);
	job.job.max_ns = 60 * NN_NS_PER_S;
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	for (int i = 0; i < 200; i++) {
		int64_t length = (i % 40 + 1) * NN_NS_PER_MS / 4;
		int64_t start = nn_now();
		int ret = nn_bo_wait(&rig->out, 0, length);

		/* -EBUSY: this process was kept so long that the time was over when the call began. */
		if (ret != -EBUSY)
			ASSERT_EQ(-ETIMEDOUT, ret);
		ASSERT_LE(start + length, nn_now()) {
			TH_LOG("wait %d of %lld us", i, (long long)length / 1000);
		}
		waits += ret == -ETIMEDOUT;
	}
	EXPECT_LT(0, waits);
	ASSERT_EQ(0, nn_card_start(rig->fd));
	EXPECT_EQ(0, nn_bo_wait(&rig->out, 0, NN_WAIT_S * NN_NS_PER_S));
	EXPECT_TRUE(nn_rig_right(rig));
}

/* BO_WAIT also waits for jobs outside implicit sync. */
TEST_F_TIMEOUT(sync, bo_wait_sees_every_job, NN_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	struct nn_job job;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_card_hold(rig->fd));
	nn_rig_job(rig, &job);
	job.job.flags |= DRM_NNACCEL_JOB_NO_IMPLICIT;
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	EXPECT_EQ(-EBUSY, nn_bo_wait(&rig->out, 0, 0));
	EXPECT_EQ(-EBUSY, nn_bo_wait(&rig->a, DRM_NNACCEL_BO_WAIT_WRITE, 0));
	ASSERT_EQ(0, nn_card_start(rig->fd));
	EXPECT_EQ(0, nn_bo_wait(&rig->out, 0, NN_WAIT_S * NN_NS_PER_S));
	EXPECT_TRUE(nn_rig_right(rig));
}

TEST_HARNESS_MAIN
