// SPDX-License-Identifier: Apache-2.0
/*
 * Every fence signals: without a card, with a card that cannot be reset, with a job that never ends, and for
 * waiters of a dma-buf. See Documentation/failure-and-recovery.rst.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <kselftest_harness.h>
#include <xf86drm.h>

#include "nnaccel_load.h"

FIXTURE(fence_end) {
	struct nn_rig rig;	/* its job hangs */
	struct nn_rig other;
	struct drm_nnaccel_counters before;
};

FIXTURE_SETUP(fence_end)
{
	ASSERT_EQ(0, nn_rig_open_as(&self->rig, NN_NOBODY));
	ASSERT_EQ(0, nn_rig_open_as(&self->other, NN_NOBODY - 1));
	ASSERT_EQ(0, nn_counters(self->rig.fd, &self->before));
}

FIXTURE_TEARDOWN(fence_end)
{
	if (self->rig.fd > 0)
		nn_card_heal(self->rig.fd);
	nn_rig_close(&self->other);
	nn_rig_close(&self->rig);
}

static int submit_null(const struct nn_queue *queue, uint32_t signal, int64_t deadline)
{
	struct nn_job job;

	nn_job_null(&job);
	nn_job_signal(&job, signal, 0);
	job.job.deadline_ns = deadline;
	return nn_submit(queue, &job);
}

static int control(const char *line)
{
	char answer[256];

	return nn_control(answer, sizeof(answer), "%s", line);
}

/* Make the card hang with @rig's job, and disconnect the reset line. */
static int hang_and_silence(struct nn_rig *rig)
{
	struct drm_nnaccel_counters before;
	struct nn_job job;
	int ret;

	ret = nn_param_set("abort_ms", 500 * nn_slow());
	if (!ret)
		ret = nn_param_set("reset_ms", 1000 * nn_slow());
	if (!ret)
		ret = nn_card_fault(rig->fd, "hang-at-job=1");
	if (!ret)
		ret = control("reset-line off");
	if (!ret)
		ret = nn_counters(rig->fd, &before);
	if (ret)
		return ret;
	nn_rig_job(rig, &job);
	job.job.max_ns = 300 * NN_NS_PER_MS;
	ret = nn_submit(&rig->queue, &job);
	return ret ? ret : nn_wait_begun(&rig->queue, &before);
}

/* The reset line does not answer: all fences signal in time, also those of later jobs. */
TEST_F_TIMEOUT(fence_end, silent_reset_line_ends_fences, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig, *other = &self->other;
	uint32_t behind = nn_syncobj(rig->fd), bystander = nn_syncobj(other->fd), late = nn_syncobj(other->fd);

	NEED_CONTROL();
	ASSERT_EQ(0, hang_and_silence(rig));
	ASSERT_EQ(0, submit_null(&rig->queue, behind, 0));
	ASSERT_EQ(0, submit_null(&other->queue, bystander, 0));
	ASSERT_EQ(0, submit_null(&other->queue, late, nn_now() + NN_NS_PER_S));

	EXPECT_EQ(-ETIME, nn_fence_end(rig->fd, rig->done, 0));
	EXPECT_EQ(-ECANCELED, nn_fence_end(rig->fd, behind, 0));
	EXPECT_EQ(-ETIME, nn_fence_end(other->fd, late, 0));
	EXPECT_EQ(-EIO, nn_fence_end(other->fd, bystander, 0));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_BANNED_TIMEOUT, nn_health(&rig->queue));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, nn_health(&other->queue));
	EXPECT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_FAILED, 0));

	/* From now on jobs are accepted and fail at once, and ioctls do not block. */
	for (int i = 0; i < 5; i++) {
		int64_t start = nn_now();

		ASSERT_EQ(0, submit_null(&other->queue, late, 0));
		ASSERT_EQ(-EIO, nn_fence_end(other->fd, late, 0));
		EXPECT_GT(2 * nn_slow() * NN_NS_PER_S, nn_now() - start);
	}
	EXPECT_EQ(-EIO, nn_rig_run(other));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, nn_health(&other->queue));
	EXPECT_EQ(0, nn_bo_wait(&rig->out, DRM_NNACCEL_BO_WAIT_WRITE, NN_WAIT_S * NN_NS_PER_S));
}

/* The card comes back: old jobs do not run, and no other client is affected. */
TEST_F_TIMEOUT(fence_end, stale_job_does_not_come_back, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig, *other = &self->other;
	uint32_t bystander = nn_syncobj(other->fd);
	struct drm_nnaccel_device_info info;
	struct drm_nnaccel_counters before, after;

	NEED_CONTROL();
	ASSERT_EQ(0, hang_and_silence(rig));
	for (int i = 0; i < 50; i++)
		ASSERT_EQ(0, submit_null(&other->queue, bystander, 0));
	ASSERT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_FAILED, 0));
	EXPECT_EQ(-EIO, nn_fence_end(other->fd, bystander, 0));
	ASSERT_EQ(0, submit_null(&other->queue, bystander, 0));
	ASSERT_EQ(0, nn_counters(other->fd, &before));
	ASSERT_EQ(0, nn_device_info(other->fd, &info));

	ASSERT_EQ(0, control("reset-line on"));
	/* Restarted without the fault: a healthy card with old rings. */
	ASSERT_EQ(0, control("fault none"));
	ASSERT_EQ(0, nn_wait_state(other->fd, DRM_NNACCEL_DEVICE_ONLINE, info.generation + 1));
	for (int i = 0; i < 20; i++) {
		ASSERT_EQ(0, nn_rig_run(other));
		/* Two seconds in all, in which an old job could do harm. */
		nn_sleep_ms(100);
	}
	EXPECT_TRUE(nn_rig_right(other));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, nn_health(&other->queue));
	ASSERT_EQ(0, nn_counters(other->fd, &after));
	EXPECT_EQ(before.resets, after.resets);
	/* Also a new queue of the client that was banned. */
	ASSERT_EQ(0, nn_queue_free(&rig->queue));
	ASSERT_EQ(0, nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &rig->queue));
	EXPECT_EQ(0, nn_rig_run(rig));
}

struct victim {
	int socket[2];
};

/* A client with many jobs; it passes the last one's fence to its parent and waits to be killed. */
static int hold_jobs(void *arg)
{
	struct victim *victim = arg;
	struct nn_rig rig;
	int file, ret;
	int fd = nn_open_as(NN_NOBODY - 2);

	/* Do not heal the card: its fault is the subject. */
	if (fd < 0)
		return 1;
	ret = nn_rig_setup_as_is(&rig, fd);
	for (int i = 0; i < 40 && !ret; i++)
		ret = submit_null(&rig.queue, rig.done, 0);
	if (!ret)
		ret = nn_export_sync_file(rig.fd, rig.done, &file);
	if (!ret)
		ret = nn_send_fd(victim->socket[1], file);
	if (ret)
		return 2;
	for (;;)
		pause();
}

/* In state FAILED queues and clients can still be destroyed, and their fences signal. */
TEST_F_TIMEOUT(fence_end, destroy_and_kill_in_failed_state, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig, *other = &self->other;
	struct victim victim;
	int files[2], file;
	pid_t pid;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_socketpair(victim.socket));
	ASSERT_EQ(0, hang_and_silence(rig));
	for (int i = 0; i < 50; i++)
		ASSERT_EQ(0, submit_null(&other->queue, other->done, 0));
	ASSERT_EQ(0, nn_export_sync_file(rig->fd, rig->done, &files[0]));
	ASSERT_EQ(0, nn_export_sync_file(other->fd, other->done, &files[1]));
	pid = nn_child(hold_jobs, &victim);
	ASSERT_LT(0, pid);
	file = nn_recv_fd(victim.socket[0]);
	ASSERT_LE(0, file);
	/* Destroy one queue while the reset line is pulled, one after it did not answer. */
	ASSERT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_RESETTING, 0));
	EXPECT_EQ(0, nn_queue_free(&other->queue));
	EXPECT_NE(-EBUSY, nn_sync_file_end(files[1]));
	ASSERT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_FAILED, 0));
	EXPECT_EQ(0, nn_queue_free(&rig->queue));
	EXPECT_EQ(-ETIME, nn_sync_file_end(files[0]));
	EXPECT_EQ(0, kill(pid, SIGKILL));
	EXPECT_EQ(-SIGKILL, nn_child_end(pid));
	EXPECT_NE(-EBUSY, nn_sync_file_end(file));
	close(files[0]);
	close(files[1]);
	close(file);
	ASSERT_EQ(0, nn_card_heal(rig->fd));
	ASSERT_EQ(0, nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &rig->queue));
	EXPECT_EQ(0, nn_rig_run(rig));
}

/* Kill it while the reset is under way. */
TEST_F_TIMEOUT(fence_end, kill_before_failed_state, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	struct victim victim;
	pid_t pid;
	int file;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_socketpair(victim.socket));
	ASSERT_EQ(0, hang_and_silence(rig));
	pid = nn_child(hold_jobs, &victim);
	ASSERT_LT(0, pid);
	file = nn_recv_fd(victim.socket[0]);
	ASSERT_LE(0, file);
	EXPECT_EQ(0, kill(pid, SIGKILL));
	EXPECT_EQ(-SIGKILL, nn_child_end(pid));
	EXPECT_NE(-EBUSY, nn_sync_file_end(file));
	close(file);
	EXPECT_EQ(-ETIME, nn_fence_end(rig->fd, rig->done, 0));
}

/* Whether a writer of @dmabuf would have to wait: 0 or 1. */
static int must_wait(int dmabuf)
{
	struct pollfd p = { .fd = dmabuf, .events = POLLOUT };

	return poll(&p, 1, 0) == 0;
}

/* The card does not come back. Fences signal all the same, also for waiters of a dma-buf. */
TEST_F_TIMEOUT(fence_end, held_card_ends_fences, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig, *other = &self->other;
	uint32_t unbounded = nn_syncobj(other->fd);
	int64_t start, link_ns = 2000 * nn_slow() * NN_NS_PER_MS;
	struct pollfd p = { .events = POLLOUT };
	struct nn_job job;
	int dmabuf;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_param_set("link_ms", link_ns / NN_NS_PER_MS));
	ASSERT_EQ(0, drmPrimeHandleToFD(rig->fd, rig->out.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	ASSERT_EQ(0, nn_card_hold(rig->fd));
	start = nn_now();
	nn_rig_job(rig, &job);
	job.job.max_ns = NN_NS_PER_S;
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	/* The same after a job without a limit. */
	ASSERT_EQ(0, submit_null(&other->queue, unbounded, 0));
	nn_rig_job(other, &job);
	job.job.max_ns = NN_NS_PER_S;
	ASSERT_EQ(0, nn_submit(&other->queue, &job));

	p.fd = dmabuf;
	EXPECT_EQ(1, must_wait(dmabuf));
	EXPECT_EQ(1, poll(&p, 1, NN_WAIT_S * 1000));
	EXPECT_EQ(-EIO, nn_fence_end(rig->fd, rig->done, 0));
	EXPECT_EQ(NNACCEL_STATUS_LINK_LOST, nn_status(&rig->queue, 1));
	EXPECT_EQ(-EIO, nn_fence_end(other->fd, unbounded, 0));
	EXPECT_EQ(-EIO, nn_fence_end(other->fd, other->done, 0));
	EXPECT_LT(link_ns / 2, nn_now() - start);
	EXPECT_EQ(0, must_wait(dmabuf));
	/* Later jobs get the full time. */
	start = nn_now();
	EXPECT_EQ(-EIO, nn_rig_run(other));
	EXPECT_LT(link_ns / 2, nn_now() - start);

	ASSERT_EQ(0, nn_card_start(rig->fd));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, nn_health(&rig->queue));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
	EXPECT_EQ(0, nn_rig_run(other));
	close(dmabuf);
}

/* A job without a limit takes no part in implicit sync: other drivers do not wait for it. */
TEST_F_TIMEOUT(fence_end, unbounded_job_leaves_only_bookkeep, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig, *other = &self->other;
	uint32_t unbounded = nn_syncobj(rig->fd), bounded = nn_syncobj(rig->fd), bridge;
	struct dma_buf_export_sync_file export = { .flags = DMA_BUF_SYNC_RW };
	int dmabufs[2], shared;
	struct nn_long work;
	struct nn_bo out;
	struct nn_job job;

	ASSERT_EQ(0, nn_long_open(rig->fd, 4000, 1, 0, &work));
	ASSERT_EQ(0, nn_bo_new(rig->fd, NN_BYTES, 0, &out));
	ASSERT_EQ(0, drmPrimeHandleToFD(rig->fd, work.out.handle, DRM_CLOEXEC | DRM_RDWR, &dmabufs[0]));
	ASSERT_EQ(0, drmPrimeHandleToFD(rig->fd, rig->out.handle, DRM_CLOEXEC | DRM_RDWR, &dmabufs[1]));
	nn_long_job(&work, &job);
	nn_job_signal(&job, unbounded, 0);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	/* After it in its queue: the job's own limit does not bound what it waits for. */
	nn_rig_job(rig, &job);
	job.job.max_ns = NN_NS_PER_S;
	nn_job_signal(&job, bounded, 0);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	/* The same in another file, by an in-fence. */
	ASSERT_EQ(0, drmSyncobjHandleToFD(rig->fd, unbounded, &shared));
	ASSERT_EQ(0, drmSyncobjFDToHandle(other->fd, shared, &bridge));
	close(shared);
	ASSERT_EQ(0, drmPrimeHandleToFD(other->fd, other->out.handle, DRM_CLOEXEC | DRM_RDWR, &shared));
	nn_rig_job(other, &job);
	job.job.max_ns = NN_NS_PER_S;
	nn_job_wait_for(&job, bridge, 0);
	ASSERT_EQ(0, nn_submit(&other->queue, &job));

	EXPECT_EQ(0, must_wait(dmabufs[0]));
	EXPECT_EQ(0, must_wait(dmabufs[1]));
	EXPECT_EQ(0, must_wait(shared));
	ASSERT_EQ(0, ioctl(dmabufs[1], DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &export));
	EXPECT_EQ(0, nn_sync_file_end(export.fd));
	/* All of these were submitted before the first has ended. */
	EXPECT_EQ(0, nn_fence_status(rig->fd, unbounded, 0));
	EXPECT_EQ(-EBUSY, nn_bo_wait(&work.out, 0, 0));
	EXPECT_EQ(-EBUSY, nn_bo_wait(&rig->out, 0, 0));

	EXPECT_EQ(0, nn_fence_end(rig->fd, bounded, 0));
	EXPECT_EQ(0, nn_fence_end(other->fd, other->done, 0));
	EXPECT_EQ(0, nn_bo_wait(&rig->out, 0, NN_WAIT_S * NN_NS_PER_S));
	close(export.fd);
	close(dmabufs[0]);
	close(dmabufs[1]);
	close(shared);
	nn_bo_free(&out);
	nn_long_close(&work);
}

/* A job makes progress for ever: fence_max_ms ends its fence all the same. */
TEST_F_TIMEOUT(fence_end, fence_max_ends_a_progressing_loop, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig, *other = &self->other;
	int64_t start, max_ns = 3 * NN_NS_PER_S, took;
	uint32_t behind = nn_syncobj(rig->fd);
	struct drm_nnaccel_counters after;
	struct drm_nnaccel_limits limits;
	struct nn_program loop;
	struct nn_job job;

	ASSERT_EQ(0, nn_param_set("fence_max_ms", max_ns / NN_NS_PER_MS));
	ASSERT_EQ(0, nn_limits(rig->fd, &limits));
	EXPECT_EQ(max_ns, (int64_t)limits.fence_max_ns);
	ASSERT_EQ(0, nn_program_loop(rig->fd, &loop));
	memset(rig->a.map, 0, NN_PAGE);
	start = nn_now();
	nn_loop_job(&loop, &rig->a, &rig->out, limits.max_loop_ns, &job);
	nn_job_signal(&job, rig->done, 0);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	ASSERT_EQ(0, submit_null(&rig->queue, behind, 0));
	EXPECT_EQ(-ETIME, nn_fence_end(rig->fd, rig->done, 0));
	took = nn_now() - start;
	EXPECT_EQ(NNACCEL_STATUS_EXPIRED, nn_status(&rig->queue, 1));
	/* Not by the loop limit, which is five times as long. */
	EXPECT_GT((int64_t)limits.max_loop_ns / 2, took);
	/* It may be aborted early enough to end in time, but not earlier. */
	EXPECT_LT(max_ns - (int64_t)limits.abort_ns - NN_NS_PER_S / 2, took);
	EXPECT_NE(-EBUSY, nn_fence_end(rig->fd, behind, 0));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, nn_health(&rig->queue));
	EXPECT_EQ(0, nn_run_null(&rig->queue));
	EXPECT_EQ(0, nn_rig_run(other));
	ASSERT_EQ(0, nn_counters(other->fd, &after));
	EXPECT_EQ(self->before.resets, after.resets);
	nn_program_free(&loop);
}

/* The same for jobs that wait for an absent card. */
TEST_F_TIMEOUT(fence_end, fence_max_counts_the_time_without_a_card, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_param_set("fence_max_ms", 1000 * nn_slow()));
	ASSERT_EQ(0, nn_param_set("link_ms", 60000 * nn_slow()));
	ASSERT_EQ(0, nn_card_hold(rig->fd));
	EXPECT_EQ(-ETIME, nn_rig_run(rig));
	EXPECT_EQ(NNACCEL_STATUS_EXPIRED, nn_status(&rig->queue, 1));
	ASSERT_EQ(0, nn_param_set("fence_max_ms", 60000 * nn_slow()));
	ASSERT_EQ(0, nn_card_start(rig->fd));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, nn_health(&rig->queue));
	EXPECT_EQ(0, nn_rig_run(rig)) {
		TH_LOG("status %#x", nn_status(&rig->queue, 2));
	}
}

TEST_HARNESS_MAIN
