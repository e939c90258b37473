// SPDX-License-Identifier: Apache-2.0
/* The card dies, hangs, freezes and violates the contract: every job ends, the right queue is banned, work goes on. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <kselftest_harness.h>

#include "nnaccel_load.h"
#include "nnaccel_power.h"


FIXTURE(recover) {
	struct nn_rig rig;
	struct nn_queue other;
	uint32_t a, b;
};

FIXTURE_SETUP(recover)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	ASSERT_EQ(0, nn_queue_new(self->rig.fd, DRM_NNACCEL_PRIORITY_MEDIUM, &self->other));
	self->a = nn_syncobj(self->rig.fd);
	self->b = nn_syncobj(self->rig.fd);
	ASSERT_NE(0, self->a);
	ASSERT_NE(0, self->b);
}

FIXTURE_TEARDOWN(recover)
{
	if (self->rig.fd > 0)
		nn_card_heal(self->rig.fd);
	nn_syncobj_free(self->rig.fd, self->a);
	nn_syncobj_free(self->rig.fd, self->b);
	nn_queue_free(&self->other);
	nn_rig_close(&self->rig);
}

static uint32_t status_of(const struct nn_queue *queue, uint64_t seqno)
{
	struct drm_nnaccel_status_entry e;

	return nn_queue_status(queue, seqno, &e) ? UINT32_MAX : e.status;
}

static int submit_null(const struct nn_queue *queue, uint32_t wait_for, uint32_t signal)
{
	struct nn_job job;

	nn_job_null(&job);
	if (wait_for)
		nn_job_wait_for(&job, wait_for, 0);
	nn_job_signal(&job, signal, 0);
	return nn_submit(queue, &job);
}

/* Wait until a counter, the member at @offset, is @least or more. */
static int wait_counter(int fd, size_t offset, uint64_t least)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	struct drm_nnaccel_counters counters;
	uint64_t value;

	for (;;) {
		int ret = nn_counters(fd, &counters);

		if (ret)
			return ret;
		memcpy(&value, (char *)&counters + offset, sizeof(value));
		if (value >= least)
			return 0;
		if (nn_now() > end)
			return -ETIMEDOUT;
		nn_sleep_ms(1);
	}
}

/*
 * Submit a job and wait until it was given to the card, whose fault modes count jobs as it takes them: queues with
 * a lower number, created earlier, first.
 */
static int submit_to_card(struct nn_rig *rig, struct nn_job *job)
{
	struct drm_nnaccel_counters before;
	int ret = nn_counters(rig->fd, &before);

	if (!ret)
		ret = nn_submit(&rig->queue, job);
	return ret ? ret : wait_counter(rig->fd, offsetof(struct drm_nnaccel_counters, doorbells), before.doorbells + 1);
}

/* The job that was running when the card died is lost; one that had not begun runs on the next firmware. */
TEST_F_TIMEOUT(recover, card_dies_at_job, NN_TEST_S)
{
	struct drm_nnaccel_counters before, after;
	struct drm_nnaccel_queue_state state;
	struct nn_rig *rig = &self->rig;
	struct nn_job job;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_counters(rig->fd, &before));
	ASSERT_EQ(0, nn_card_fault(rig->fd, "die-at-job=1"));
	nn_rig_job(rig, &job);
	nn_job_signal(&job, self->a, 0);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	/* A queue of its own: given to the card after the first job has ended, without inheriting its error. */
	EXPECT_EQ(-EIO, nn_fence_end(rig->fd, self->a, 0));
	ASSERT_EQ(0, submit_null(&self->other, 0, self->b));
	EXPECT_EQ(NNACCEL_STATUS_LINK_LOST, status_of(&rig->queue, 1));
	EXPECT_EQ(0, nn_fence_end(rig->fd, self->b, 0));
	ASSERT_EQ(0, nn_queue_state(&rig->queue, &state));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, state.health);
	EXPECT_EQ(1, state.innocent);
	EXPECT_EQ(DRM_NNACCEL_VERDICT_INNOCENT, state.verdict);
	EXPECT_EQ(0, state.guilty_seqno);
	/* The restart into the fault mode, and this one. */
	EXPECT_EQ(2, state.resets);
	EXPECT_EQ(1, state.ended_seqno);
	ASSERT_EQ(0, nn_queue_state(&self->other, &state));
	EXPECT_EQ(DRM_NNACCEL_VERDICT_NONE, state.verdict);
	EXPECT_EQ(2, state.resets);
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
	ASSERT_EQ(0, nn_counters(rig->fd, &after));
	/* The restart into the fault mode was the first. */
	EXPECT_EQ(before.links_lost + 2, after.links_lost);
	EXPECT_EQ(before.resets, after.resets);
}

/* The card dies a few times before it comes up: jobs wait until it stays up. */
TEST_F_TIMEOUT(recover, card_dies_early, NN_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	char answer[256];

	NEED_CONTROL();
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "fault early-death=3"));
	EXPECT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_LINK_LOST, 0));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
}

/*
 * The firmware hangs while it starts: the card is reset after start_ms, and jobs run on the next one. If each start
 * hangs, the device is FAILED after five, and jobs end; a card that starts later is used.
 */
TEST_F_TIMEOUT(recover, firmware_does_not_start, NN_LONG_TEST_S)
{
	struct drm_nnaccel_counters before, after;
	struct nn_rig *rig = &self->rig;
	char answer[256];

	NEED_CONTROL();
	ASSERT_EQ(0, nn_param_set("start_ms", 100));
	ASSERT_EQ(0, nn_counters(rig->fd, &before));
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "fault slow-start=600000"));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
	ASSERT_EQ(0, nn_counters(rig->fd, &after));
	EXPECT_EQ(before.resets + 1, after.resets);

	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "fault slow-start=600000,always"));
	EXPECT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_FAILED, 0));
	EXPECT_EQ(-EIO, nn_rig_run(rig));
	ASSERT_EQ(0, nn_counters(rig->fd, &before));
	EXPECT_EQ(after.resets + 5, before.resets);
	nn_params_restore();
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "fault none"));
	/* A board: 1, and the file is of a device that is gone. */
	if (nn_board_repair(rig->fd))
		return;
	EXPECT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_ONLINE, 0));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
}

/* The last reset takes the card away for a while: that is no restart, after which the device would be tried again. */
TEST_F_TIMEOUT(recover, last_reset_is_no_restart, NN_LONG_TEST_S)
{
	struct drm_nnaccel_counters before, after;
	struct nn_rig *rig = &self->rig;
	char answer[256], address[64];

	NEED_CONTROL();
	ASSERT_EQ(0, nn_dev_address(rig->fd, address, sizeof(address)));
	if (nn_is_board(address))
		SKIP(return, "not on this device: it does not start by itself");
	ASSERT_EQ(0, nn_param_set("start_ms", 100));
	ASSERT_EQ(0, nn_counters(rig->fd, &before));
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "fault slow-start=600000,always"));
	ASSERT_EQ(0, wait_counter(rig->fd, offsetof(struct drm_nnaccel_counters, resets), before.resets + 4));
	ASSERT_EQ(0, nn_card_do("hold-next"));
	EXPECT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_FAILED, 0));
	for (int i = 0; i < 50; i++)
		EXPECT_EQ(-EIO, nn_rig_run(rig));
	EXPECT_EQ(0, nn_card_do("start"));
	for (int i = 0; i < 50; i++)
		EXPECT_EQ(-EIO, nn_rig_run(rig));
	nn_params_restore();
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "fault none"));
	EXPECT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_ONLINE, 0));
	EXPECT_EQ(0, nn_rig_run(rig));
	ASSERT_EQ(0, nn_counters(rig->fd, &after));
	EXPECT_EQ(before.resets + 5, after.resets);
}

/* Firmware of another contract is not given the rings, and not reset: a card that speaks this one is used again. */
TEST_F_TIMEOUT(recover, firmware_of_another_contract, NN_TEST_S)
{
	struct drm_nnaccel_counters before, after;
	struct nn_rig *rig = &self->rig;
	char answer[256];

	NEED_CONTROL();
	ASSERT_EQ(0, nn_counters(rig->fd, &before));
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "fault other-contract"));
	EXPECT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_FAILED, 0));
	EXPECT_EQ(-EIO, nn_rig_run(rig));
	ASSERT_EQ(0, nn_counters(rig->fd, &after));
	EXPECT_EQ(before.resets, after.resets);
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "fault none"));
	EXPECT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_ONLINE, 0));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
}

/*
 * A job hangs and ignores its abort. Its queue is banned and its fence is -ETIME; the other queue loses its job on
 * the card, as innocent, and its waiting job runs afterwards.
 */
TEST_F_TIMEOUT(recover, hang, NN_TEST_S)
{
	struct drm_nnaccel_counters before, after;
	struct drm_nnaccel_queue_state state;
	struct nn_rig *rig = &self->rig;
	struct nn_job job;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_card_fault(rig->fd, "hang-at-job=1"));
	ASSERT_EQ(0, nn_counters(rig->fd, &before));
	nn_rig_job(rig, &job);
	/* A short limit, instead of waiting for no_progress_ms. */
	job.job.max_ns = 500 * NN_NS_PER_MS;
	ASSERT_EQ(0, submit_to_card(rig, &job));
	/* One job on the card beside it, one that waits for a fence. */
	ASSERT_EQ(0, submit_null(&self->other, 0, self->a));
	nn_job_null(&job);
	nn_job_signal(&job, self->b, 0);
	job.job.flags |= DRM_NNACCEL_JOB_NO_IMPLICIT;
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));

	EXPECT_EQ(-ETIME, nn_fence_end(rig->fd, rig->done, 0));
	EXPECT_EQ(-ECANCELED, nn_fence_end(rig->fd, self->b, 0));
	ASSERT_EQ(0, nn_queue_state(&rig->queue, &state));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_BANNED_TIMEOUT, state.health);
	EXPECT_EQ(DRM_NNACCEL_VERDICT_GUILTY, state.verdict);
	EXPECT_EQ(1, state.guilty_seqno);
	EXPECT_EQ(2, state.ended_seqno);
	EXPECT_EQ(-ECANCELED, nn_submit(&rig->queue, &job));

	/* The card may have run it beside the one that hangs. */
	if (nn_fence_end(rig->fd, self->a, 0)) {
		EXPECT_EQ(-ECANCELED, nn_fence_status(rig->fd, self->a, 0));
		EXPECT_EQ(NNACCEL_STATUS_INNOCENT, status_of(&self->other, 1));
	}
	ASSERT_EQ(0, nn_queue_state(&self->other, &state));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, state.health);
	EXPECT_EQ(status_of(&self->other, 1) == NNACCEL_STATUS_INNOCENT ? 1 : 0, state.innocent);
	EXPECT_EQ(state.innocent ? DRM_NNACCEL_VERDICT_INNOCENT : DRM_NNACCEL_VERDICT_NONE, state.verdict);
	EXPECT_EQ(0, state.guilty_seqno);
	EXPECT_EQ(0, nn_run_null(&self->other));
	ASSERT_EQ(0, nn_queue_state(&self->other, &state));
	EXPECT_EQ(2, state.resets);
	EXPECT_EQ(2, state.ended_seqno);
	ASSERT_EQ(0, nn_queue_state(&rig->queue, &state));
	EXPECT_EQ(2, state.resets);
	EXPECT_EQ(0, state.running_seqno);
	ASSERT_EQ(0, nn_counters(rig->fd, &after));
	EXPECT_EQ(before.resets + 1, after.resets);

	/* A new queue of the same file works. */
	ASSERT_EQ(0, nn_queue_free(&rig->queue));
	ASSERT_EQ(0, nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &rig->queue));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
}

/*
 * A client with a full pipeline beside the one that hangs. Jobs that had begun are lost to the reset, all others
 * run: before it, or after it on the new firmware. No other outcome is allowed.
 */
#define BYSTANDERS	400
#define LARGE		(1u << 18)

TEST_F_TIMEOUT(recover, bystanders, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig, peer;
	uint32_t fences[BYSTANDERS], lost = 0, right = 0;
	struct drm_nnaccel_queue_state state;
	struct nn_program add;
	struct nn_bo bo[2];
	struct nn_job job;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_rig_open(&peer));
	ASSERT_EQ(0, nn_program_binary(peer.fd, 0, LARGE, &add));
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, nn_bo_new(peer.fd, LARGE * sizeof(float), 0, &bo[i]));
	ASSERT_EQ(0, nn_card_fault(rig->fd, "hang-at-job=1"));

	nn_rig_job(rig, &job);
	job.job.max_ns = 500 * NN_NS_PER_MS;
	ASSERT_EQ(0, submit_to_card(rig, &job));
	for (int i = 0; i < BYSTANDERS; i++) {
		fences[i] = nn_syncobj(peer.fd);
		ASSERT_NE(0, fences[i]);
		nn_job_run(&job, &add.bo, add.size);
		nn_job_in(&job, &bo[0], LARGE * sizeof(float));
		nn_job_in(&job, &bo[0], LARGE * sizeof(float));
		nn_job_out(&job, &bo[1], LARGE * sizeof(float));
		nn_job_signal(&job, fences[i], 0);
		ASSERT_EQ(0, nn_submit(&peer.queue, &job));
		/* Spread the jobs over the time until the reset. */
		nn_sleep_ms(10);
	}
	EXPECT_EQ(-ETIME, nn_fence_end(rig->fd, rig->done, 0));
	for (int i = 0; i < BYSTANDERS; i++) {
		int error = nn_fence_end(peer.fd, fences[i], 0);

		EXPECT_TRUE(error == 0 || error == -ECANCELED);
		EXPECT_EQ(error ? NNACCEL_STATUS_INNOCENT : NNACCEL_STATUS_OK, status_of(&peer.queue, i + 1));
		lost += error != 0;
		right += error == 0;
		nn_syncobj_free(peer.fd, fences[i]);
	}
	TH_LOG("%u ran, %u lost to the reset", right, lost);
	EXPECT_LT(0, right);
	ASSERT_EQ(0, nn_queue_state(&peer.queue, &state));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, state.health);
	EXPECT_EQ(lost, state.innocent);
	ASSERT_EQ(0, nn_queue_state(&rig->queue, &state));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_BANNED_TIMEOUT, state.health);
	EXPECT_EQ(0, nn_rig_run(&peer));
	EXPECT_TRUE(nn_rig_right(&peer));
	for (int i = 0; i < 2; i++)
		nn_bo_free(&bo[i]);
	nn_program_free(&add);
	nn_rig_close(&peer);
}

/* Another client's job hangs: a file whose jobs are queued, not running, loses none. */
TEST_F_TIMEOUT(recover, queued_jobs_survive_a_reset, NN_TEST_S)
{
	struct nn_rig *rig = &self->rig, victim;
	struct nn_job job;
	uint32_t gate;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_rig_open(&victim));
	gate = nn_syncobj(victim.fd);
	/* Job 1 is slow and opens the gate; job 2 hangs. */
	ASSERT_EQ(0, nn_card_fault(rig->fd, "hang-at-job=2"));
	nn_job_null(&job);
	nn_job_signal(&job, gate, 0);
	ASSERT_EQ(0, nn_submit(&victim.queue, &job));
	ASSERT_EQ(0, nn_fence_end(victim.fd, gate, 0));

	nn_rig_job(rig, &job);
	job.job.max_ns = 500 * NN_NS_PER_MS;
	nn_job_signal(&job, self->a, 0);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	EXPECT_EQ(-ETIME, nn_fence_end(rig->fd, self->a, 0));
	/* Submitted during the reset or right after it: it waits for the new firmware. */
	for (int i = 0; i < 10; i++)
		EXPECT_EQ(0, nn_rig_run(&victim));
	EXPECT_TRUE(nn_rig_right(&victim));
	nn_syncobj_free(victim.fd, gate);
	nn_rig_close(&victim);
}

FIXTURE(invalid_completion) {
	struct nn_rig rig;
};

FIXTURE_VARIANT(invalid_completion) {
	const char *kind;
};

#define INVALID_COMPLETION(id, text) FIXTURE_VARIANT_ADD(invalid_completion, id) { .kind = text }
INVALID_COMPLETION(bad_queue, "bad-queue");
INVALID_COMPLETION(bad_seqno, "bad-seqno");
INVALID_COMPLETION(bad_status, "bad-status");
INVALID_COMPLETION(bad_kind, "bad-kind");
INVALID_COMPLETION(duplicate, "duplicate");
INVALID_COMPLETION(bad_tail, "bad-tail");
INVALID_COMPLETION(bad_generation, "bad-generation");
INVALID_COMPLETION(time_backwards, "time-backwards");

FIXTURE_SETUP(invalid_completion)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
}

FIXTURE_TEARDOWN(invalid_completion)
{
	if (self->rig.fd > 0)
		nn_card_heal(self->rig.fd);
	nn_rig_close(&self->rig);
}

/* An invalid completion: the card is reset, no queue is banned, the next job is right. */
TEST_F_TIMEOUT(invalid_completion, resets, NN_TEST_S)
{
	struct drm_nnaccel_counters before, after;
	struct drm_nnaccel_queue_state state;
	struct drm_nnaccel_status_entry e;
	struct nn_rig *rig = &self->rig;
	char spec[64];
	int error;

	NEED_CONTROL();
	snprintf(spec, sizeof(spec), "nonsense=%s@2", variant->kind);
	ASSERT_EQ(0, nn_card_fault(rig->fd, spec));
	ASSERT_EQ(0, nn_counters(rig->fd, &before));
	ASSERT_EQ(0, nn_rig_run(rig));
	/* The first copy of the duplicate is a valid completion. */
	error = nn_rig_run(rig);
	if (strcmp(variant->kind, "duplicate") == 0) {
		EXPECT_TRUE(error == 0 || error == -ECANCELED);
	} else {
		EXPECT_EQ(-ECANCELED, error);
	}
	ASSERT_EQ(0, nn_queue_status(&rig->queue, 2, &e));
	EXPECT_EQ(error, e.error);
	EXPECT_EQ(error ? NNACCEL_STATUS_INNOCENT : NNACCEL_STATUS_OK, e.status);

	memset(rig->out.map, 0, NN_BYTES);
	/* After a duplicate the third job may be on the card that is reset. */
	error = nn_rig_run(rig);
	if (error == -ECANCELED && strcmp(variant->kind, "duplicate") == 0)
		error = nn_rig_run(rig);
	EXPECT_EQ(0, error);
	EXPECT_TRUE(nn_rig_right(rig));
	ASSERT_EQ(0, nn_queue_state(&rig->queue, &state));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, state.health);
	ASSERT_EQ(0, nn_counters(rig->fd, &after));
	EXPECT_EQ(before.resets + 1, after.resets);
}

/* The heartbeat stops, jobs go on. The watchdog pulls the reset line. */
TEST_F_TIMEOUT(recover, heartbeat_stops, NN_LONG_TEST_S)
{
	struct drm_nnaccel_counters before, after;
	struct drm_nnaccel_device_info info;
	struct nn_rig *rig = &self->rig;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_card_fault(rig->fd, "stop-heartbeat=1"));
	ASSERT_EQ(0, nn_counters(rig->fd, &before));
	ASSERT_EQ(0, nn_device_info(rig->fd, &info));
	EXPECT_EQ(0, nn_run_null(&rig->queue));
	EXPECT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_ONLINE, info.generation + 1));
	ASSERT_EQ(0, nn_counters(rig->fd, &after));
	EXPECT_EQ(before.resets + 1, after.resets);
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
}

/* SIGSTOP under load: the card's process exists and does nothing. */
TEST_F_TIMEOUT(recover, card_is_frozen, NN_LONG_TEST_S)
{
	struct drm_nnaccel_counters before, after;
	struct nn_rig *rig = &self->rig;
	int error, lost = 0;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_rig_run(rig));
	ASSERT_EQ(0, nn_counters(rig->fd, &before));
	ASSERT_EQ(0, nn_card_do("stop"));
	/* The job that had begun is lost; one that had not begun runs on the next firmware. */
	do {
		error = nn_rig_run(rig);
		EXPECT_TRUE(error == 0 || error == -ECANCELED);
		lost += error != 0;
		ASSERT_EQ(0, nn_counters(rig->fd, &after));
	} while (after.resets == before.resets);
	EXPECT_GE(1, lost);
	ASSERT_EQ(0, nn_wait_state(rig->fd, DRM_NNACCEL_DEVICE_ONLINE, 0));
	ASSERT_EQ(0, nn_counters(rig->fd, &after));
	EXPECT_EQ(before.resets + 1, after.resets);
	EXPECT_EQ(0, nn_run_null(&self->other));
	ASSERT_EQ(0, nn_queue_free(&rig->queue));
	ASSERT_EQ(0, nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &rig->queue));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
}

/* Buffers, queues and queries work while the card is away, and can be destroyed. */
TEST_F_TIMEOUT(recover, ioctls_without_a_card, NN_TEST_S)
{
	struct drm_nnaccel_device_info info;
	struct drm_nnaccel_clock clock;
	struct nn_rig *rig = &self->rig;
	struct nn_queue early, late;
	struct nn_bo bo;
	int64_t start;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_card_hold(rig->fd));
	ASSERT_EQ(0, nn_device_info(rig->fd, &info));
	EXPECT_EQ(DRM_NNACCEL_DEVICE_LINK_LOST, info.state);
	/* The clock cannot be read, and the query does not wait for a card. */
	start = nn_now();
	EXPECT_EQ(-ENOLINK, nn_clock(rig->fd, &clock));
	EXPECT_GT(NN_NS_PER_S, nn_now() - start);
	ASSERT_EQ(0, nn_bo_new(rig->fd, 1 << 20, 0, &bo));
	memset(bo.map, 1, 1 << 20);
	nn_bo_free(&bo);
	ASSERT_EQ(0, nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &early));
	ASSERT_EQ(0, submit_null(&early, 0, self->a));
	ASSERT_EQ(0, nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &late));
	ASSERT_EQ(0, submit_null(&late, self->a, self->b));
	EXPECT_EQ(0, nn_fence_status(rig->fd, self->a, 0));
	/* Destroy the queue before its job ran: the job and its waiter end now. */
	EXPECT_EQ(0, nn_queue_free(&early));
	EXPECT_EQ(-ECANCELED, nn_fence_end(rig->fd, self->a, 0));
	ASSERT_EQ(0, nn_card_start(rig->fd));
	EXPECT_EQ(-ECANCELED, nn_fence_end(rig->fd, self->b, 0));
	EXPECT_EQ(0, nn_run_null(&late));
	EXPECT_EQ(0, nn_queue_free(&late));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
	/* The new firmware has another clock. */
	EXPECT_EQ(0, nn_clock(rig->fd, &clock));
	EXPECT_LT(info.generation, clock.generation);
}

struct load {
	struct nn_rig rig;
	pthread_t thread;
	atomic_bool stop;
	uint64_t right, lost, wrong, unended;
	int error;
};

/* Run one job after another; the only error allowed is a lost link. */
static void *load_run(void *arg)
{
	struct load *load = arg;

	while (!atomic_load(&load->stop)) {
		int error;

		memset(load->rig.out.map, 0, NN_BYTES);
		error = nn_rig_run(&load->rig);
		if (!error && nn_rig_right(&load->rig)) {
			load->right++;
		} else if (!error) {
			load->wrong++;
		} else if (error == -EIO) {
			load->lost++;
		} else if (error == -EBUSY) {
			load->unended++;
		} else {
			load->error = error;
			break;
		}
	}
	return NULL;
}

/* NN_DEATHS: of the long runs. */
static unsigned int deaths(void)
{
	const char *text = getenv("NN_DEATHS");

	return text ? strtoul(text, NULL, 10) : 20;
}

/* Of all clients, bytes. */
static long long device_memory(int fd)
{
	char address[64], text[32];

	if (nn_dev_address(fd, address, sizeof(address)) ||
	    nn_dev_get(address, "nnaccel/memory_bytes", text, sizeof(text)))
		return -1;
	return strtoll(text, NULL, 10);
}

TEST_F_TIMEOUT(recover, deaths_under_load, NN_LONG_TEST_S + deaths() * nn_slow())
{
	static struct load loads[3];
	struct drm_nnaccel_device_info info;
	struct drm_nnaccel_counters before, after;
	int64_t end;
	long long memory;

	NEED_CONTROL();
	memory = device_memory(self->rig.fd);
	ASSERT_LT(0, memory);
	ASSERT_EQ(0, nn_counters(self->rig.fd, &before));
	for (size_t i = 0; i < NN_COUNT(loads); i++) {
		ASSERT_EQ(0, nn_rig_open(&loads[i].rig));
		ASSERT_EQ(0, pthread_create(&loads[i].thread, NULL, load_run, &loads[i]));
	}
	for (unsigned int i = 0; i < deaths(); i++) {
		/* The card dies at another moment each time. */
		nn_sleep_ms(20 + i * 7 % 50);
		ASSERT_EQ(0, nn_device_info(self->rig.fd, &info));
		ASSERT_EQ(0, nn_card_do("kill"));
		ASSERT_EQ(0, nn_wait_state(self->rig.fd, DRM_NNACCEL_DEVICE_ONLINE, info.generation + 1)) {
			TH_LOG("kill %u", i);
		}
	}
	/* Load on the last card, too. */
	nn_sleep_ms(100);
	for (size_t i = 0; i < NN_COUNT(loads); i++)
		atomic_store(&loads[i].stop, true);
	for (size_t i = 0; i < NN_COUNT(loads); i++) {
		struct drm_nnaccel_queue_state state;

		pthread_join(loads[i].thread, NULL);
		TH_LOG("client %zu: %llu right, %llu lost with a card", i, (unsigned long long)loads[i].right,
		       (unsigned long long)loads[i].lost);
		EXPECT_EQ(0, loads[i].error);
		EXPECT_EQ(0, loads[i].wrong);
		EXPECT_EQ(0, loads[i].unended);
		EXPECT_LT(0, loads[i].right);
		ASSERT_EQ(0, nn_queue_state(&loads[i].rig.queue, &state));
		EXPECT_EQ(loads[i].lost, state.innocent);
		EXPECT_EQ(loads[i].lost + loads[i].right, state.last_seqno);
		EXPECT_EQ(0, state.queued);
		EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, state.health);
		EXPECT_EQ(0, nn_rig_run(&loads[i].rig));
		nn_rig_close(&loads[i].rig);
	}
	ASSERT_EQ(0, nn_counters(self->rig.fd, &after));
	EXPECT_EQ(before.links_lost + deaths(), after.links_lost);
	/* What the clients had is freed in the background. */
	for (end = nn_now() + NN_WAIT_S * NN_NS_PER_S; device_memory(self->rig.fd) > memory && nn_now() < end;)
		nn_sleep_ms(10);
	EXPECT_EQ(memory, device_memory(self->rig.fd));
}

TEST_HARNESS_MAIN
