// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of Documentation/failure-and-recovery.rst, row by row: who is blamed, what happens to
 * the job, and what to a second client. Limits are those that users have.
 */

#include <linux/delay.h>
#include <linux/ktime.h>

#include <nnaccel/nnaccel_status.h>

#include "nnaccel_kunit.h"

/* Two clients with a queue each. The ids of the queues on the card are 0 and 1. */
struct nnaccel_policy {
	struct nnaccel_mock *mock;
	struct nnaccel_kunit_client *client, *other;
	struct nnaccel_kunit_queue queue, other_queue;
};

static const struct nnaccel_kunit_job nnaccel_policy_job = {};

static int nnaccel_policy_init(struct kunit *test)
{
	struct nnaccel_policy *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	p->mock = nnaccel_mock_create(test, &nnaccel_mock_ops);
	nnaccel_mock_boot(p->mock);
	KUNIT_ASSERT_EQ(test, 0, nnaccel_mock_probe(p->mock));
	p->client = nnaccel_kunit_open(test, p->mock);
	p->other = nnaccel_kunit_open(test, p->mock);
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_queue(p->client, &p->queue));
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_queue(p->other, &p->other_queue));
	test->priv = p;
	return 0;
}

/* The other client is served, and its queue accepts jobs. */
static void nnaccel_policy_expect_peace(struct kunit *test)
{
	struct nnaccel_policy *p = test->priv;

	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK,
			nnaccel_kunit_run(p->other, &p->other_queue, &nnaccel_policy_job));
	KUNIT_EXPECT_EQ(test, DRM_NNACCEL_QUEUE_OK,
			nnaccel_kunit_health(p->other, &p->other_queue));
}

static u64 nnaccel_policy_resets(struct nnaccel_policy *p)
{
	return atomic64_read(&p->mock->ndev->counters.resets);
}

/* Submit a job that does not end, and wait until it has begun. Return: its number. */
static u64 nnaccel_policy_begin(struct kunit *test, const struct nnaccel_kunit_job *job)
{
	struct nnaccel_policy *p = test->priv;
	u64 seqno;

	p->mock->hang |= 1;
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_submit(p->client, &p->queue, job, &seqno));
	nnaccel_kunit_begun(p->client, &p->queue, seqno);
	return seqno;
}

static void jobs_end_in_order(struct kunit *test)
{
	struct nnaccel_policy *p = test->priv;
	const struct nnaccel_kunit_job null = { .null = true };
	u64 first, second;

	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_submit(p->client, &p->queue, &nnaccel_policy_job,
						      &first));
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_submit(p->client, &p->queue, &null, &second));
	KUNIT_EXPECT_EQ(test, first + 1, second);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_kunit_wait(p->client, &p->queue, second));
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_kunit_wait(p->client, &p->queue, first));
	nnaccel_policy_expect_peace(test);
}

static void a_deadline_ends_a_job_that_waits(struct kunit *test)
{
	struct nnaccel_policy *p = test->priv;
	struct nnaccel_kunit_job job = {};
	u64 hanging, seqno;

	hanging = nnaccel_policy_begin(test, &job);
	job.deadline_ns = ktime_get_ns() + NSEC_PER_SEC;
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_submit(p->client, &p->queue, &job, &seqno));
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_DEADLINE,
			nnaccel_kunit_wait(p->client, &p->queue, seqno));
	KUNIT_EXPECT_EQ(test, DRM_NNACCEL_QUEUE_OK, nnaccel_kunit_health(p->client, &p->queue));
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_NO_PROGRESS,
			nnaccel_kunit_wait(p->client, &p->queue, hanging));
	KUNIT_EXPECT_EQ(test, 0, nnaccel_policy_resets(p));
}

static void a_deadline_aborts_a_job_that_runs(struct kunit *test)
{
	struct nnaccel_policy *p = test->priv;
	struct nnaccel_kunit_job job = { .deadline_ns = ktime_get_ns() + NSEC_PER_SEC };
	u64 seqno = nnaccel_policy_begin(test, &job);

	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_DEADLINE,
			nnaccel_kunit_wait(p->client, &p->queue, seqno));
	KUNIT_EXPECT_EQ(test, DRM_NNACCEL_QUEUE_OK, nnaccel_kunit_health(p->client, &p->queue));
	KUNIT_EXPECT_EQ(test, 0, nnaccel_policy_resets(p));
	nnaccel_policy_expect_peace(test);
}

static void time_on_the_engine_ends_at_max_ns(struct kunit *test)
{
	struct nnaccel_policy *p = test->priv;
	struct nnaccel_kunit_job job = { .max_ns = NSEC_PER_SEC };
	u64 seqno;

	p->mock->busy = 1;
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_submit(p->client, &p->queue, &job, &seqno));
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_MAX_TIME,
			nnaccel_kunit_wait(p->client, &p->queue, seqno));
	KUNIT_EXPECT_EQ(test, DRM_NNACCEL_QUEUE_OK, nnaccel_kunit_health(p->client, &p->queue));
	nnaccel_policy_expect_peace(test);
}

static void a_job_without_progress_is_aborted(struct kunit *test)
{
	struct nnaccel_policy *p = test->priv;
	u64 start = ktime_get_ns(), seqno = nnaccel_policy_begin(test, &nnaccel_policy_job);

	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_NO_PROGRESS,
			nnaccel_kunit_wait(p->client, &p->queue, seqno));
	KUNIT_EXPECT_GE(test, ktime_get_ns() - start, nnaccel_no_progress_ms * (u64)NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, DRM_NNACCEL_QUEUE_OK, nnaccel_kunit_health(p->client, &p->queue));
	KUNIT_EXPECT_EQ(test, 0, nnaccel_policy_resets(p));
	nnaccel_policy_expect_peace(test);
}

static void a_job_with_progress_runs_until_its_fence_ends(struct kunit *test)
{
	struct nnaccel_policy *p = test->priv;
	u64 start = ktime_get_ns(), seqno;

	p->mock->busy = 1;
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_submit(p->client, &p->queue, &nnaccel_policy_job,
						      &seqno));
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_EXPIRED,
			nnaccel_kunit_wait(p->client, &p->queue, seqno));
	/* A job that has begun is aborted abort_ms before. */
	KUNIT_EXPECT_GE(test, ktime_get_ns() - start + nnaccel_abort_ms * (u64)NSEC_PER_MSEC,
			nnaccel_fence_max_ms * (u64)NSEC_PER_MSEC);
	nnaccel_policy_expect_peace(test);
}

static void a_job_that_defies_its_abort_costs_a_reset(struct kunit *test)
{
	struct nnaccel_policy *p = test->priv;
	u64 seqno, behind, other;

	p->mock->deaf_abort = true;
	seqno = nnaccel_policy_begin(test, &nnaccel_policy_job);
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_submit(p->client, &p->queue, &nnaccel_policy_job,
						      &behind));
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_submit(p->other, &p->other_queue,
						      &nnaccel_policy_job, &other));
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_NO_PROGRESS,
			nnaccel_kunit_wait(p->client, &p->queue, seqno));
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_BANNED,
			nnaccel_kunit_wait(p->client, &p->queue, behind));
	KUNIT_EXPECT_EQ(test, DRM_NNACCEL_QUEUE_BANNED_TIMEOUT,
			nnaccel_kunit_health(p->client, &p->queue));
	KUNIT_EXPECT_EQ(test, -ECANCELED, nnaccel_kunit_submit(p->client, &p->queue,
							       &nnaccel_policy_job, NULL));
	/* It had not begun, so it runs after the reset. */
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK,
			nnaccel_kunit_wait(p->other, &p->other_queue, other));
	KUNIT_EXPECT_EQ(test, 1, nnaccel_policy_resets(p));
	nnaccel_policy_expect_peace(test);
}

static void a_bad_address_bans_its_queue(struct kunit *test)
{
	struct nnaccel_policy *p = test->priv;
	struct drm_nnaccel_queue_state state = { .queue_id = p->queue.id };
	struct nnaccel_kunit_bo from, to, wrong;
	struct nnaccel_kunit_job job = { .from = &from, .to = &wrong, .size = 64 };

	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_bo(p->client, SZ_4K, &from));
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_bo(p->client, SZ_4K, &to));
	wrong = to;
	wrong.addr += SZ_1G;
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_FAULT,
			nnaccel_kunit_run(p->client, &p->queue, &job));
	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_ioctl(p->client, DRM_IOCTL_NNACCEL_QUEUE_STATE,
						     &state));
	KUNIT_EXPECT_EQ(test, DRM_NNACCEL_QUEUE_BANNED_FAULT, state.health);
	KUNIT_EXPECT_EQ(test, wrong.addr, state.fault_addr);
	KUNIT_EXPECT_EQ(test, DRM_NNACCEL_VERDICT_GUILTY, state.verdict);
	KUNIT_EXPECT_EQ(test, 0, nnaccel_policy_resets(p));
	nnaccel_policy_expect_peace(test);
}

static void an_unanswered_command_costs_a_reset(struct kunit *test)
{
	struct nnaccel_policy *p = test->priv;
	struct nnaccel_kunit_queue third;
	u64 seqno;

	p->mock->job_ns = 3600 * NSEC_PER_SEC;
	p->mock->busy = 1;
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_submit(p->client, &p->queue, &nnaccel_policy_job,
						      &seqno));
	nnaccel_kunit_begun(p->client, &p->queue, seqno);
	p->mock->ignored_ops = BIT(NNACCEL_ADMIN_QUEUE_CREATE);
	/* The queue is there once the card is up again: the client does not notice. */
	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_queue(p->other, &third));
	p->mock->ignored_ops = 0;
	p->mock->busy = 0;
	p->mock->job_ns = NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_INNOCENT,
			nnaccel_kunit_wait(p->client, &p->queue, seqno));
	KUNIT_EXPECT_LE(test, 1, nnaccel_policy_resets(p));
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK,
			nnaccel_kunit_run(p->other, &third, &nnaccel_policy_job));
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK,
			nnaccel_kunit_run(p->client, &p->queue, &nnaccel_policy_job));
}

static void a_heartbeat_that_stands_still_costs_a_reset(struct kunit *test)
{
	struct nnaccel_policy *p = test->priv;
	u64 seqno = nnaccel_policy_begin(test, &nnaccel_policy_job);

	p->mock->mute = true;
	p->mock->hang = 0;
	msleep(nnaccel_heartbeat_ms + 2000);
	p->mock->mute = false;
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_INNOCENT,
			nnaccel_kunit_wait(p->client, &p->queue, seqno));
	KUNIT_EXPECT_LE(test, 1, nnaccel_policy_resets(p));
	KUNIT_EXPECT_EQ(test, DRM_NNACCEL_QUEUE_OK, nnaccel_kunit_health(p->client, &p->queue));
	nnaccel_policy_expect_peace(test);
}

static void a_failed_firmware_costs_a_reset(struct kunit *test)
{
	struct nnaccel_policy *p = test->priv;
	u64 seqno = nnaccel_policy_begin(test, &nnaccel_policy_job);

	nnaccel_mock_fail(p->mock);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_INNOCENT,
			nnaccel_kunit_wait(p->client, &p->queue, seqno));
	p->mock->hang = 0;
	KUNIT_EXPECT_EQ(test, 1, nnaccel_policy_resets(p));
	nnaccel_policy_expect_peace(test);
}

static void a_protocol_error_costs_a_reset(struct kunit *test)
{
	struct nnaccel_policy *p = test->priv;
	u64 seqno = nnaccel_policy_begin(test, &nnaccel_policy_job);
	const struct nnaccel_completion unknown = {
		.kind = cpu_to_le32(NNACCEL_COMPLETION_JOB), .queue = cpu_to_le32(7),
		.seqno = cpu_to_le64(99), .generation = p->mock->regs->generation,
	};

	nnaccel_mock_push(p->mock, &unknown);
	nnaccel_mock_kick(p->mock);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_INNOCENT,
			nnaccel_kunit_wait(p->client, &p->queue, seqno));
	p->mock->hang = 0;
	KUNIT_EXPECT_EQ(test, 1, nnaccel_policy_resets(p));
	nnaccel_policy_expect_peace(test);
}

static void a_refused_queue_is_the_only_one_affected(struct kunit *test)
{
	struct nnaccel_policy *p = test->priv;
	struct nnaccel_kunit_queue third;

	p->mock->refused_ops = BIT(NNACCEL_ADMIN_QUEUE_CREATE);
	KUNIT_EXPECT_NE(test, 0, nnaccel_kunit_queue(p->client, &third));
	/* After a reset it is opened again, and refused. */
	nnaccel_mock_die(p->mock);
	nnaccel_mock_boot(p->mock);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_INTERNAL,
			nnaccel_kunit_run(p->client, &p->queue, &nnaccel_policy_job));
	KUNIT_EXPECT_EQ(test, DRM_NNACCEL_QUEUE_REFUSED,
			nnaccel_kunit_health(p->client, &p->queue));
}

static void a_dead_card_loses_what_had_begun(struct kunit *test)
{
	struct nnaccel_policy *p = test->priv;
	u64 seqno = nnaccel_policy_begin(test, &nnaccel_policy_job), waits;

	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_submit(p->client, &p->queue, &nnaccel_policy_job,
						      &waits));
	nnaccel_mock_die(p->mock);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_LINK_LOST,
			nnaccel_kunit_wait(p->client, &p->queue, seqno));
	p->mock->hang = 0;
	nnaccel_mock_boot(p->mock);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_kunit_wait(p->client, &p->queue, waits));
	KUNIT_EXPECT_EQ(test, DRM_NNACCEL_QUEUE_OK, nnaccel_kunit_health(p->client, &p->queue));
	KUNIT_EXPECT_EQ(test, 0, nnaccel_policy_resets(p));
	nnaccel_policy_expect_peace(test);
}

static void jobs_wait_link_ms_for_a_card(struct kunit *test)
{
	struct nnaccel_policy *p = test->priv;
	u64 seqno, start;

	nnaccel_mock_die(p->mock);
	nnaccel_kunit_state(p->client, DRM_NNACCEL_DEVICE_LINK_LOST);
	start = ktime_get_ns();
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_submit(p->client, &p->queue, &nnaccel_policy_job,
						      &seqno));
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_LINK_LOST,
			nnaccel_kunit_wait(p->client, &p->queue, seqno));
	KUNIT_EXPECT_GE(test, ktime_get_ns() - start, nnaccel_link_ms * (u64)NSEC_PER_MSEC);
	nnaccel_mock_boot(p->mock);
	nnaccel_policy_expect_peace(test);
}

static void unreadable_registers_prove_nothing(struct kunit *test)
{
	struct nnaccel_policy *p = test->priv;
	u64 seqno = nnaccel_policy_begin(test, &nnaccel_policy_job);

	nnaccel_mock_unreadable(p->mock, true);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_INNOCENT,
			nnaccel_kunit_wait(p->client, &p->queue, seqno));
	KUNIT_EXPECT_TRUE(test, p->mock->ndev->card_unsafe);
	p->mock->hang = 0;
	nnaccel_mock_unreadable(p->mock, false);
	nnaccel_policy_expect_peace(test);
	KUNIT_EXPECT_FALSE(test, p->mock->ndev->card_unsafe);
	KUNIT_EXPECT_EQ(test, 1, nnaccel_policy_resets(p));
}

static void a_silent_reset_line_keeps_memory(struct kunit *test)
{
	struct nnaccel_policy *p = test->priv;
	u64 seqno = nnaccel_policy_begin(test, &nnaccel_policy_job);

	p->mock->deaf_slot = true;
	nnaccel_mock_fail(p->mock);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_INNOCENT,
			nnaccel_kunit_wait(p->client, &p->queue, seqno));
	nnaccel_kunit_state(p->client, DRM_NNACCEL_DEVICE_FAILED);
	KUNIT_EXPECT_TRUE(test, p->mock->ndev->card_unsafe);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_LINK_LOST,
			nnaccel_kunit_run(p->client, &p->queue, &nnaccel_policy_job));
	/* A new generation proves that the old card is gone. */
	p->mock->deaf_slot = false;
	p->mock->hang = 0;
	nnaccel_mock_boot(p->mock);
	nnaccel_kunit_state(p->client, DRM_NNACCEL_DEVICE_ONLINE);
	KUNIT_EXPECT_FALSE(test, p->mock->ndev->card_unsafe);
	nnaccel_policy_expect_peace(test);
}

static void a_firmware_that_never_starts_makes_the_device_fail(struct kunit *test)
{
	struct nnaccel_policy *p = test->priv;
	u64 seqno;

	p->mock->no_boot = true;
	nnaccel_mock_die(p->mock);
	nnaccel_kunit_state(p->client, DRM_NNACCEL_DEVICE_LINK_LOST);
	nnaccel_mock_boot(p->mock);
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_submit(p->client, &p->queue, &nnaccel_policy_job,
						      &seqno));
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_LINK_LOST,
			nnaccel_kunit_wait(p->client, &p->queue, seqno));
	nnaccel_kunit_state(p->client, DRM_NNACCEL_DEVICE_FAILED);
	p->mock->no_boot = false;
	nnaccel_mock_boot(p->mock);
	nnaccel_kunit_state(p->client, DRM_NNACCEL_DEVICE_ONLINE);
	nnaccel_policy_expect_peace(test);
}

static void a_closed_file_ends_its_jobs(struct kunit *test)
{
	struct nnaccel_policy *p = test->priv;

	nnaccel_policy_begin(test, &nnaccel_policy_job);
	nnaccel_kunit_close(p->client);
	nnaccel_policy_expect_peace(test);
	KUNIT_EXPECT_EQ(test, 0, nnaccel_policy_resets(p));
}

static void removal_ends_jobs_at_once(struct kunit *test)
{
	struct nnaccel_policy *p = test->priv;
	u64 seqno = nnaccel_policy_begin(test, &nnaccel_policy_job), start = ktime_get_ns();

	nnaccel_mock_remove(p->mock);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_UNPLUGGED,
			nnaccel_kunit_wait(p->client, &p->queue, seqno));
	KUNIT_EXPECT_LT(test, ktime_get_ns() - start, NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, -ENODEV, nnaccel_kunit_submit(p->client, &p->queue,
							    &nnaccel_policy_job, NULL));
	KUNIT_EXPECT_EQ(test, 0, atomic_long_read(&p->mock->allocated));
}

static struct kunit_case nnaccel_policy_cases[] = {
	KUNIT_CASE(jobs_end_in_order),
	KUNIT_CASE(a_deadline_ends_a_job_that_waits),
	KUNIT_CASE(a_deadline_aborts_a_job_that_runs),
	KUNIT_CASE(time_on_the_engine_ends_at_max_ns),
	KUNIT_CASE(a_job_without_progress_is_aborted),
	KUNIT_CASE(a_job_with_progress_runs_until_its_fence_ends),
	KUNIT_CASE(a_job_that_defies_its_abort_costs_a_reset),
	KUNIT_CASE(a_bad_address_bans_its_queue),
	KUNIT_CASE(an_unanswered_command_costs_a_reset),
	KUNIT_CASE(a_heartbeat_that_stands_still_costs_a_reset),
	KUNIT_CASE(a_failed_firmware_costs_a_reset),
	KUNIT_CASE(a_protocol_error_costs_a_reset),
	KUNIT_CASE(a_refused_queue_is_the_only_one_affected),
	KUNIT_CASE(a_dead_card_loses_what_had_begun),
	KUNIT_CASE(jobs_wait_link_ms_for_a_card),
	KUNIT_CASE(unreadable_registers_prove_nothing),
	KUNIT_CASE(a_silent_reset_line_keeps_memory),
	KUNIT_CASE(a_firmware_that_never_starts_makes_the_device_fail),
	KUNIT_CASE(a_closed_file_ends_its_jobs),
	KUNIT_CASE(removal_ends_jobs_at_once),
	{}
};

static struct kunit_suite nnaccel_policy_suite = {
	.name = "nnaccel_policy",
	.init = nnaccel_policy_init,
	.test_cases = nnaccel_policy_cases,
};

kunit_test_suite(nnaccel_policy_suite);
