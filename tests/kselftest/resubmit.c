// SPDX-License-Identifier: Apache-2.0
/*
 * Resets and innocent clients: jobs that had not begun run afterwards, in order, once. See
 * Documentation/failure-and-recovery.rst.
 */
#include <errno.h>
#include <linux/sync_file.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include "nnaccel_load.h"

FIXTURE(resubmit) {
	struct nn_rig rig;	/* its job hangs */
	struct nn_rig other;
	struct drm_nnaccel_counters before;
};

FIXTURE_SETUP(resubmit)
{
	ASSERT_EQ(0, nn_rig_open_as(&self->rig, NN_NOBODY));
	ASSERT_EQ(0, nn_rig_open_as(&self->other, NN_NOBODY - 1));
	ASSERT_EQ(0, nn_counters(self->rig.fd, &self->before));
}

FIXTURE_TEARDOWN(resubmit)
{
	if (self->rig.fd > 0)
		nn_card_heal(self->rig.fd);
	nn_rig_close(&self->other);
	nn_rig_close(&self->rig);
}

/* The first job hangs on an engine; the card is reset after @ms and abort_ms. */
static int hang(struct nn_rig *rig, unsigned int ms)
{
	struct drm_nnaccel_counters before;
	struct nn_job job;
	int ret = nn_card_fault(rig->fd, "hang-at-job=1");

	/* Short limits, whichever detects the hang. */
	if (!ret)
		ret = nn_param_set("no_progress_ms", 1500 * nn_slow());
	if (!ret)
		ret = nn_counters(rig->fd, &before);
	if (ret)
		return ret;
	nn_rig_job(rig, &job);
	job.job.max_ns = ms * NN_NS_PER_MS;
	ret = nn_submit(&rig->queue, &job);
	return ret ? ret : nn_wait_begun(&rig->queue, &before);
}

static int resets_since(int fd, const struct drm_nnaccel_counters *before)
{
	struct drm_nnaccel_counters after;
	int ret = nn_counters(fd, &after);

	return ret ? ret : (int)(after.resets - before->resets);
}

#define INNOCENT	900

/* Nine hundred jobs wait while another client's job hangs: none of them is lost. */
TEST_F_TIMEOUT(resubmit, resubmitted_after_reset, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig, *other = &self->other;
	struct drm_nnaccel_queue_state state;
	unsigned int lost = 0, never = 0;
	uint64_t last_end = 0, last_done = 0;
	struct nn_job job;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_param_set("abort_ms", 1000 * nn_slow()));
	ASSERT_EQ(0, hang(rig, 500));
	for (int i = 1; i <= INNOCENT; i++) {
		nn_rig_job(other, &job);
		job.num_syncs = 0;
		nn_job_signal(&job, other->done, i);
		ASSERT_EQ(0, nn_submit(&other->queue, &job));
	}
	EXPECT_EQ(-ETIME, nn_fence_end(rig->fd, rig->done, 0));
	nn_fence_end(other->fd, other->done, INNOCENT);
	EXPECT_EQ(DRM_NNACCEL_QUEUE_BANNED_TIMEOUT, nn_health(&rig->queue));
	for (int i = 1; i <= INNOCENT; i++) {
		struct drm_nnaccel_status_entry e;

		ASSERT_EQ(0, nn_queue_status(&other->queue, i, &e));
		lost += e.status != NNACCEL_STATUS_OK;
		never += e.status != NNACCEL_STATUS_OK && e.status != NNACCEL_STATUS_INNOCENT;
		if (e.status != NNACCEL_STATUS_OK)
			continue;
		/* The order is kept, on the device and in the kernel. */
		EXPECT_LE(last_end, e.start_ns);
		EXPECT_LE(last_done, e.done_ns);
		last_end = e.end_ns;
		last_done = e.done_ns;
	}
	EXPECT_EQ(0, lost) {
		TH_LOG("%u jobs lost, %u of them neither OK nor innocent", lost, never);
	}
	EXPECT_TRUE(nn_rig_right(other));
	ASSERT_EQ(0, nn_queue_state(&other->queue, &state));
	EXPECT_EQ(0, state.innocent);
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, state.health);
	EXPECT_EQ(1, resets_since(rig->fd, &self->before));
}

#define CHAIN	300

/* Each job adds one to the same buffer; two queues alternate by a timeline. The sum 300 proves once each, in order. */
TEST_F_TIMEOUT(resubmit, order_kept_after_reset, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig, *other = &self->other;
	uint32_t steps = nn_syncobj(other->fd);
	struct nn_queue second;
	struct nn_job job;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_queue_new(other->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &second));
	ASSERT_EQ(0, nn_param_set("abort_ms", 1000 * nn_slow()));
	memset(other->out.map, 0, NN_BYTES);
	ASSERT_EQ(0, hang(rig, 500));
	for (int i = 1; i <= CHAIN; i++) {
		nn_job_run(&job, &other->add.bo, other->add.size);
		nn_job_in(&job, &other->out, NN_BYTES);
		nn_job_in(&job, &other->b, NN_BYTES);
		nn_job_out(&job, &other->out, NN_BYTES);
		job.job.flags |= DRM_NNACCEL_JOB_NO_IMPLICIT;
		if (i > 1)
			nn_job_wait_for(&job, steps, i - 1);
		nn_job_signal(&job, steps, i);
		/* Ten jobs in one queue, ten in the other: pipelined within a queue, waiting between queues. */
		ASSERT_EQ(0, nn_submit(i / 10 % 2 ? &second : &other->queue, &job));
	}
	EXPECT_EQ(-ETIME, nn_fence_end(rig->fd, rig->done, 0));
	EXPECT_EQ(0, nn_fence_end(other->fd, steps, CHAIN));
	EXPECT_EQ(CHAIN, ((float *)other->out.map)[0]);
	EXPECT_EQ(CHAIN, ((float *)other->out.map)[NN_VECTOR - 1]);
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, nn_health(&second));
	EXPECT_EQ(1, resets_since(rig->fd, &self->before));
	EXPECT_EQ(0, nn_queue_free(&second));
}

/* The same if the card dies, several times. */
TEST_F_TIMEOUT(resubmit, resubmitted_after_deaths, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig, *other = &self->other;
	struct drm_nnaccel_queue_state state;
	uint32_t lost = 0;
	char answer[256];
	struct nn_job job;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_rig_run(rig));
	ASSERT_EQ(0, nn_card_hold(rig->fd));
	for (int i = 1; i <= INNOCENT; i++) {
		nn_job_null(&job);
		nn_job_signal(&job, other->done, i);
		ASSERT_EQ(0, nn_submit(&other->queue, &job));
	}
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "start"));
	for (int i = 0; i < 3; i++) {
		/* Some jobs run between two deaths. */
		nn_sleep_ms(30);
		ASSERT_EQ(0, nn_card_do("kill"));
	}
	EXPECT_NE(-EBUSY, nn_fence_end(other->fd, other->done, INNOCENT));
	for (int i = 1; i <= INNOCENT; i++) {
		uint32_t status = nn_status(&other->queue, i);

		EXPECT_TRUE(status == NNACCEL_STATUS_OK || status == NNACCEL_STATUS_LINK_LOST);
		lost += status == NNACCEL_STATUS_LINK_LOST;
	}
	/* Each death loses at most the job that had begun. */
	EXPECT_GE(4, lost);
	ASSERT_EQ(0, nn_queue_state(&other->queue, &state));
	EXPECT_EQ(lost, state.innocent);
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, state.health);
	EXPECT_EQ(0, nn_rig_run(rig));
}

/* A card that acknowledges an abort at once and frees the slots seconds later is slow, not broken. */
TEST_F_TIMEOUT(resubmit, credits_and_slots, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig, *other = &self->other;
	uint32_t failed = 0, ended = 0;
	struct nn_long work;
	struct nn_job job;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_long_open(rig->fd, 1000, 2, 0, &work));
	ASSERT_EQ(0, nn_card_fault(rig->fd, "ack-early=1"));
	ASSERT_EQ(0, nn_counters(rig->fd, &self->before));
	/* More jobs than fit into a ring, with deadlines that pass meanwhile, then some without. */
	nn_long_job(&work, &job);
	nn_job_signal(&job, rig->done, 1);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	for (int i = 2; i <= INNOCENT; i++) {
		nn_job_null(&job);
		if (i < INNOCENT / 2)
			job.job.deadline_ns = nn_now() + 300 * NN_NS_PER_MS;
		nn_job_signal(&job, rig->done, i);
		ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	}
	EXPECT_EQ(0, nn_rig_run(other));
	EXPECT_EQ(0, nn_fence_end(rig->fd, rig->done, 1));
	for (int i = 2; i <= INNOCENT; i++) {
		EXPECT_NE(-EBUSY, nn_syncobj_wait(rig->fd, rig->done, i, NN_WAIT_S));
		ended += nn_status(&rig->queue, i) == NNACCEL_STATUS_DEADLINE;
		failed += i >= INNOCENT / 2 && nn_status(&rig->queue, i) != NNACCEL_STATUS_OK;
	}
	TH_LOG("%u ended by their deadline", ended);
	EXPECT_EQ(0, failed);
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, nn_health(&rig->queue));
	EXPECT_EQ(0, nn_rig_run(other));
	EXPECT_EQ(0, resets_since(rig->fd, &self->before));
	nn_long_close(&work);
}

static int file_status(int file)
{
	struct sync_file_info info = { 0 };

	return ioctl(file, SYNC_IOC_FILE_INFO, &info) ? -errno : info.status;
}

static int merge(int a, int b)
{
	struct sync_merge_data data = { .name = "pair", .fd2 = b };

	return ioctl(a, SYNC_IOC_MERGE, &data) ? -errno : data.fence;
}

#define ROW	40

/*
 * Fences of one context signal in order, so a merged fence may leave out the earlier one: when it has signalled,
 * both have. Jobs that are skipped, that wait and that run keep this order, also across a reset.
 */
TEST_F_TIMEOUT(resubmit, skipped_and_running_end_in_order, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig, *other = &self->other;
	int files[ROW], pairs[ROW - 1];
	int open = 0, wrong = 0;
	int64_t end;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_param_set("abort_ms", 1000 * nn_slow()));
	ASSERT_EQ(0, hang(rig, 500));
	for (int i = 0; i < ROW; i++) {
		struct nn_job job;

		nn_rig_job(other, &job);
		job.num_syncs = 0;
		nn_job_signal(&job, other->done, 0);
		/* Every third job ends before its turn; some at once, some about the time of the reset. */
		if (i % 3 == 1)
			job.job.deadline_ns = nn_now() + i * 100 * NN_NS_PER_MS;
		ASSERT_EQ(0, nn_submit(&other->queue, &job));
		ASSERT_EQ(0, nn_export_sync_file(other->fd, other->done, &files[i]));
	}
	for (int i = 0; i + 1 < ROW; i++) {
		pairs[i] = merge(files[i], files[i + 1]);
		ASSERT_LE(0, pairs[i]);
	}
	end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	do {
		open = 0;
		for (int i = 0; i + 1 < ROW; i++) {
			/* Read the pair first, then its parts. */
			if (!file_status(pairs[i])) {
				open++;
				continue;
			}
			ASSERT_NE(0, file_status(files[i])) {
				TH_LOG("jobs %d and %d", i + 1, i + 2);
			}
			ASSERT_NE(0, file_status(files[i + 1]));
		}
		nn_sleep_ms(1);
	} while (open && nn_now() < end);
	EXPECT_EQ(0, open);
	/* Every job without a deadline ran; those with one may have. */
	for (int i = 0; i < ROW; i++) {
		uint32_t status = nn_status(&other->queue, i + 1);

		wrong += status != NNACCEL_STATUS_OK && !(i % 3 == 1 && status == NNACCEL_STATUS_DEADLINE);
		close(files[i]);
		if (i + 1 < ROW)
			close(pairs[i]);
	}
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, nn_health(&other->queue));
}

/* The firmware refuses one queue: its health is REFUSED, and the card serves the others. */
TEST_F_TIMEOUT(resubmit, refused_queue_is_the_only_one, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig, *other = &self->other;
	uint32_t waiting = nn_syncobj(rig->fd);
	struct drm_nnaccel_device_info info;
	struct nn_queue second;
	struct nn_job job;
	char answer[256];

	NEED_CONTROL();
	ASSERT_EQ(0, nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &second));
	ASSERT_EQ(0, nn_run_null(&second));
	/* Its job waits while the card is away, and the next firmware refuses the queue. */
	ASSERT_EQ(0, nn_card_hold(rig->fd));
	nn_job_null(&job);
	nn_job_signal(&job, waiting, 0);
	ASSERT_EQ(0, nn_submit(&second, &job));
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "fault refuse-queues"));
	ASSERT_EQ(0, nn_device_info(rig->fd, &info));
	nn_control(answer, sizeof(answer), "start");
	ASSERT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_ONLINE, info.generation + 1));
	EXPECT_EQ(-EIO, nn_fence_end(rig->fd, waiting, 0));
	EXPECT_EQ(NNACCEL_STATUS_INTERNAL, nn_status(&second, 2));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_REFUSED, nn_health(&second));
	EXPECT_EQ(-ECANCELED, nn_submit(&second, &job));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_EQ(0, nn_rig_run(other));
	EXPECT_TRUE(nn_rig_right(rig));
	EXPECT_EQ(0, nn_queue_free(&second));
	EXPECT_EQ(0, resets_since(rig->fd, &self->before));
	/* A healthy card accepts a new queue. */
	ASSERT_EQ(0, nn_card_heal(rig->fd));
	ASSERT_EQ(0, nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &second));
	EXPECT_EQ(0, nn_run_null(&second));
	EXPECT_EQ(0, nn_queue_free(&second));
}

/* What keep_busy() reports: 0, or the error of a step. */
struct progress {
	const char *step;
	int ret;
};

static struct progress keep_busy_start(struct nn_rig *rig, struct nn_queue *second)
{
	int ret, fd = nn_open_as(NN_NOBODY - 2);
	struct nn_job job;

	if (fd < 0)
		return (struct progress){ "open", fd };
	ret = nn_rig_setup_as_is(rig, fd);
	if (ret)
		return (struct progress){ "queue and memory", ret };
	ret = nn_queue_new(fd, 0, second);
	if (ret)
		return (struct progress){ "second queue", ret };
	for (int i = 0; i < 200 && !ret; i++) {
		nn_rig_job(rig, &job);
		ret = nn_submit(i & 1 ? second : &rig->queue, &job);
	}
	return (struct progress){ "submit", ret };
}

/* A client with a full queue, some of it on the card. The parent's texts are at the same addresses. */
static int keep_busy(void *arg)
{
	struct nn_queue second;
	struct nn_rig rig;
	struct progress progress = keep_busy_start(&rig, &second);
	int *ready = arg;

	if (write(ready[1], &progress, sizeof(progress)) != sizeof(progress))
		return 3;
	for (;;)
		pause();
}

/* Clients are killed at various moments of a recovery: all is freed, and the module can be unloaded. */
TEST_F_TIMEOUT(resubmit, kill_during_recovery_leaves_nothing, 2 * NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	char address[64];
	struct progress progress;
	int ready[2];

	NEED_CONTROL();
	ASSERT_EQ(0, pipe(ready));
	for (int i = 0; i < 10; i++) {
		pid_t pids[3];

		ASSERT_EQ(0, nn_param_set("abort_ms", 200 * nn_slow()));
		ASSERT_EQ(0, hang(rig, 100));
		for (size_t k = 0; k < NN_COUNT(pids); k++) {
			pids[k] = nn_child(keep_busy, ready);
			ASSERT_LT(0, pids[k]);
			ASSERT_EQ(sizeof(progress), read(ready[0], &progress, sizeof(progress)));
			EXPECT_EQ(0, progress.ret) {
				TH_LOG("round %d, client %zu: %s", i, k, progress.step);
			}
		}
		/* From before the reset to after it. */
		nn_sleep_ms(i * 60 * nn_slow());
		for (size_t k = 0; k < NN_COUNT(pids); k++) {
			EXPECT_EQ(0, kill(pids[k], SIGKILL));
			EXPECT_EQ(-SIGKILL, nn_child_end(pids[k]));
			nn_sleep_ms(i * 10);
		}
		EXPECT_EQ(-ETIME, nn_fence_end(rig->fd, rig->done, 0));
		ASSERT_EQ(0, nn_queue_free(&rig->queue));
		ASSERT_EQ(0, nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &rig->queue));
	}
	EXPECT_EQ(0, nn_card_heal(rig->fd));
	EXPECT_EQ(0, nn_rig_run(rig));
	ASSERT_EQ(0, nn_dev_address(rig->fd, address, sizeof(address)));
	nn_rig_close(&self->other);
	nn_rig_close(rig);
	/* The process that is the emulated device holds its module. */
	if (nn_is_emulated(address))
		return;
	EXPECT_EQ(0, nn_module_unload());
	EXPECT_EQ(0, nn_modprobe(""));
	EXPECT_EQ(0, nn_works_again());
}

TEST_HARNESS_MAIN
