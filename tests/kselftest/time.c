// SPDX-License-Identifier: Apache-2.0
/* Time limits: deadlines of queued and running jobs, max_ns, progress. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kselftest_harness.h>

#include "nnaccel_load.h"

FIXTURE(time) {
	struct nn_rig rig;
	struct drm_nnaccel_counters before;
};

FIXTURE_SETUP(time)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	ASSERT_EQ(0, nn_counters(self->rig.fd, &self->before));
}

FIXTURE_TEARDOWN(time)
{
	if (self->rig.fd > 0)
		nn_card_heal(self->rig.fd);
	nn_rig_close(&self->rig);
}

/* Check the result of job @seqno in the status page and in its fence. */
static void check_end(struct __test_metadata *_metadata, struct nn_rig *rig, uint64_t seqno, uint32_t syncobj,
		      uint32_t status, int error)
{
	struct drm_nnaccel_status_entry e;

	EXPECT_EQ(error, nn_fence_end(rig->fd, syncobj, 0));
	ASSERT_EQ(0, nn_queue_status(&rig->queue, seqno, &e));
	EXPECT_EQ(status, e.status);
	EXPECT_EQ(error, e.error);
}

/* The queue is not banned and the card was not reset. */
static void check_alive(struct __test_metadata *_metadata, struct nn_rig *rig,
			const struct drm_nnaccel_counters *before)
{
	struct drm_nnaccel_counters after;
	struct drm_nnaccel_queue_state state;

	ASSERT_EQ(0, nn_queue_state(&rig->queue, &state));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, state.health);
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
	ASSERT_EQ(0, nn_counters(rig->fd, &after));
	EXPECT_EQ(before->resets, after.resets);
}

static int heal_often(void *rounds)
{
	for (int i = 0; i < *(int *)rounds; i++)
		nn_params_heal();
	return 0;
}

/* Processes of a test that heal at the same time do not take each other's limits for the module's. */
TEST(parameters_are_restored)
{
	const char *slow = getenv("NN_SLOW");
	char *mine = slow ? strdup(slow) : NULL;
	unsigned int before, after;
	pid_t children[4];
	/* a round writes each parameter; the kernel with all detectors has to be done in the 30 s of a case */
	int rounds = nn_slow() > 1 ? 10 : 100;

	setenv("NN_SLOW", "1", 1);
	nn_params_heal();
	ASSERT_EQ(0, nn_param_get("no_progress_ms", &before));
	setenv("NN_SLOW", "3", 1);
	for (size_t i = 0; i < NN_COUNT(children); i++)
		children[i] = nn_child(heal_often, &rounds);
	for (size_t i = 0; i < NN_COUNT(children); i++)
		EXPECT_EQ(0, nn_child_end(children[i]));
	setenv("NN_SLOW", "1", 1);
	nn_params_heal();
	ASSERT_EQ(0, nn_param_get("no_progress_ms", &after));
	EXPECT_EQ(before, after);
	if (mine)
		setenv("NN_SLOW", mine, 1);
	else
		unsetenv("NN_SLOW");
	free(mine);
}

TEST_F(time, far_limits_have_no_effect)
{
	struct nn_rig *rig = &self->rig;
	static const uint64_t limits[] = { 3600ull * NN_NS_PER_S, INT64_MAX, UINT64_MAX };
	struct nn_job job;

	for (size_t i = 0; i < NN_COUNT(limits); i++) {
		nn_rig_job(rig, &job);
		job.job.deadline_ns = limits[i] == 3600ull * NN_NS_PER_S ? nn_now() + limits[i] : limits[i];
		job.job.max_ns = limits[i];
		ASSERT_EQ(0, nn_submit(&rig->queue, &job));
		check_end(_metadata, rig, i + 1, rig->done, NNACCEL_STATUS_OK, 0);
	}
}

TEST_F(time, deadline_in_the_past)
{
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_status_entry e;
	struct nn_job job;

	nn_rig_job(rig, &job);
	job.job.deadline_ns = 1;
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	check_end(_metadata, rig, 1, rig->done, NNACCEL_STATUS_DEADLINE, -ETIME);
	ASSERT_EQ(0, nn_queue_status(&rig->queue, 1, &e));
	EXPECT_EQ(0, e.fault_addr);
	check_alive(_metadata, rig, &self->before);
}

/* The card is away: the job with a deadline ends by it, the others wait and then run. */
TEST_F_TIMEOUT(time, deadline_while_queued, NN_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_status_entry e;
	struct nn_job job;
	uint32_t first = nn_syncobj(rig->fd), second = nn_syncobj(rig->fd);

	NEED_CONTROL();
	ASSERT_EQ(0, nn_card_hold(rig->fd));
	nn_job_null(&job);
	nn_job_signal(&job, first, 0);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	nn_job_null(&job);
	nn_job_signal(&job, second, 0);
	job.job.deadline_ns = nn_now() + 300 * NN_NS_PER_MS;
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	nn_rig_job(rig, &job);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));

	check_end(_metadata, rig, 2, second, NNACCEL_STATUS_DEADLINE, -ETIME);
	ASSERT_EQ(0, nn_queue_status(&rig->queue, 2, &e));
	EXPECT_EQ(0, e.start_ns);
	EXPECT_EQ(0, e.submit_ns);
	EXPECT_EQ(0, nn_fence_status(rig->fd, first, 0));
	EXPECT_EQ(0, nn_fence_status(rig->fd, rig->done, 0));

	ASSERT_EQ(0, nn_card_start(rig->fd));
	check_end(_metadata, rig, 1, first, NNACCEL_STATUS_OK, 0);
	check_end(_metadata, rig, 3, rig->done, NNACCEL_STATUS_OK, 0);
	EXPECT_TRUE(nn_rig_right(rig));
	nn_syncobj_free(rig->fd, first);
	nn_syncobj_free(rig->fd, second);
}

TEST_F_TIMEOUT(time, deadline_while_running, NN_TEST_S)
{
	struct drm_nnaccel_counters after;
	struct nn_rig *rig = &self->rig;
	struct nn_job job;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_card_fault(rig->fd, "hang-abortable=1"));
	nn_rig_job(rig, &job);
	job.job.deadline_ns = nn_now() + NN_NS_PER_S;
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	check_end(_metadata, rig, 1, rig->done, NNACCEL_STATUS_DEADLINE, -ETIME);
	ASSERT_EQ(0, nn_counters(rig->fd, &after));
	EXPECT_EQ(self->before.aborts + 1, after.aborts);
	check_alive(_metadata, rig, &self->before);
}

/* In the ring after a job that keeps running: its fence still signals in time. */
TEST_F_TIMEOUT(time, deadline_behind_a_running_job, NN_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	uint32_t behind = nn_syncobj(rig->fd);
	struct nn_job job;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_card_fault(rig->fd, "slow-job=1,8000"));
	nn_rig_job(rig, &job);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	nn_job_null(&job);
	nn_job_signal(&job, behind, 0);
	job.job.deadline_ns = nn_now() + NN_NS_PER_S;
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	check_end(_metadata, rig, 2, behind, NNACCEL_STATUS_DEADLINE, -ETIME);
	check_end(_metadata, rig, 1, rig->done, NNACCEL_STATUS_OK, 0);
	EXPECT_TRUE(nn_rig_right(rig));
	check_alive(_metadata, rig, &self->before);
	nn_syncobj_free(rig->fd, behind);
}

TEST_F_TIMEOUT(time, running_time, NN_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	struct nn_job job;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_card_fault(rig->fd, "slow-job=1,60000"));
	nn_rig_job(rig, &job);
	job.job.max_ns = 500 * NN_NS_PER_MS;
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	check_end(_metadata, rig, 1, rig->done, NNACCEL_STATUS_MAX_TIME, -ETIME);
	check_alive(_metadata, rig, &self->before);
}

/* A job that makes progress may take longer than no_progress_ms. */
TEST_F_TIMEOUT(time, slow_job_with_progress, NN_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_limits limits;
	struct nn_job job;
	char spec[64];

	NEED_CONTROL();
	ASSERT_EQ(0, nn_limits(rig->fd, &limits));
	snprintf(spec, sizeof(spec), "slow-job=1,%llu",
		 (unsigned long long)(limits.no_progress_ns / NN_NS_PER_MS + 2000));
	ASSERT_EQ(0, nn_card_fault(rig->fd, spec));
	nn_rig_job(rig, &job);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	check_end(_metadata, rig, 1, rig->done, NNACCEL_STATUS_OK, 0);
	EXPECT_TRUE(nn_rig_right(rig));
	check_alive(_metadata, rig, &self->before);
}

/* A stuck job that answers its abort: aborted, no reset. */
TEST_F_TIMEOUT(time, no_progress, NN_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	struct nn_job job;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_card_fault(rig->fd, "hang-abortable=1"));
	nn_rig_job(rig, &job);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	check_end(_metadata, rig, 1, rig->done, NNACCEL_STATUS_NO_PROGRESS, -ETIME);
	check_alive(_metadata, rig, &self->before);
}

/* Destroying a queue ends its jobs, including the running one. */
TEST_F_TIMEOUT(time, queue_destroyed_with_jobs, NN_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	uint32_t behind = nn_syncobj(rig->fd);
	struct drm_nnaccel_counters counters;
	struct nn_job job;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_card_fault(rig->fd, "slow-job=1,60000"));
	ASSERT_EQ(0, nn_counters(rig->fd, &counters));
	nn_rig_job(rig, &job);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	nn_job_null(&job);
	nn_job_wait_for(&job, rig->done, 0);
	nn_job_signal(&job, behind, 0);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	ASSERT_EQ(0, nn_wait_begun(&rig->queue, &counters));
	ASSERT_EQ(0, nn_queue_free(&rig->queue));
	EXPECT_EQ(-ECANCELED, nn_fence_end(rig->fd, rig->done, 0));
	EXPECT_EQ(-ECANCELED, nn_fence_end(rig->fd, behind, 0));
	ASSERT_EQ(0, nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &rig->queue));
	check_alive(_metadata, rig, &self->before);
	nn_syncobj_free(rig->fd, behind);
}

TEST_HARNESS_MAIN
