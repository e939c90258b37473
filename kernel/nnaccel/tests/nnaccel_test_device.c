// SPDX-License-Identifier: GPL-2.0-only
/* States of the device: handshake, power, errors of the bus, and what a backend may answer. */

#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/pm_runtime.h>

#include <nnaccel/nnaccel_status.h>

#include "../nnaccel_pm.h"
#include "../nnaccel_reset.h"
#include "nnaccel_kunit.h"

static const struct nnaccel_kunit_job nnaccel_device_job = {};

/* A device whose firmware has started, with a client and a queue. */
struct nnaccel_device_rig {
	struct nnaccel_mock *mock;
	struct nnaccel_kunit_client *client;
	struct nnaccel_kunit_queue queue;
};

static struct nnaccel_device_rig nnaccel_device_rig(struct kunit *test,
						    const struct nnaccel_hw_ops *ops)
{
	struct nnaccel_device_rig rig = { .mock = nnaccel_mock_create(test, ops) };

	if (!ops->start)
		nnaccel_mock_boot(rig.mock);
	KUNIT_ASSERT_EQ(test, 0, nnaccel_mock_probe(rig.mock));
	rig.client = nnaccel_kunit_open(test, rig.mock);
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_queue(rig.client, &rig.queue));
	return rig;
}

static u32 nnaccel_device_run(struct nnaccel_device_rig *rig)
{
	return nnaccel_kunit_run(rig->client, &rig->queue, &nnaccel_device_job);
}

/* Wait for a state of runtime PM. */
static bool nnaccel_device_suspended(struct nnaccel_device_rig *rig)
{
	for (u32 waited = 0; waited < 30000; waited += 20) {
		if (pm_runtime_status_suspended(rig->mock->dev))
			return true;
		msleep(20);
	}
	return false;
}

static void a_device_without_a_card_waits_for_one(struct kunit *test)
{
	struct nnaccel_mock *mock = nnaccel_mock_create(test, &nnaccel_mock_ops);
	struct nnaccel_device_rig rig = { .mock = mock };
	u64 start = ktime_get_ns();

	KUNIT_ASSERT_EQ(test, 0, nnaccel_mock_probe(mock));
	KUNIT_EXPECT_GE(test, ktime_get_ns() - start, nnaccel_boot_ms * (u64)NSEC_PER_MSEC);
	rig.client = nnaccel_kunit_open(test, mock);
	nnaccel_kunit_state(rig.client, DRM_NNACCEL_DEVICE_LINK_LOST);
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_queue(rig.client, &rig.queue));
	nnaccel_mock_boot(mock);
	nnaccel_kunit_state(rig.client, DRM_NNACCEL_DEVICE_ONLINE);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_device_run(&rig));
}

static void another_contract_is_refused(struct kunit *test)
{
	struct nnaccel_mock *mock = nnaccel_mock_create(test, &nnaccel_mock_ops);
	struct nnaccel_device_rig rig = { .mock = mock };

	mock->contract_version = (NNACCEL_CONTRACT_MAJOR + 1) << 16;
	nnaccel_mock_boot(mock);
	KUNIT_ASSERT_EQ(test, 0, nnaccel_mock_probe(mock));
	rig.client = nnaccel_kunit_open(test, mock);
	nnaccel_kunit_state(rig.client, DRM_NNACCEL_DEVICE_FAILED);
	mock->contract_version = NNACCEL_CONTRACT_VERSION;
	nnaccel_mock_boot(mock);
	nnaccel_kunit_state(rig.client, DRM_NNACCEL_DEVICE_ONLINE);
}

static void a_firmware_that_does_not_take_its_rings_is_reset(struct kunit *test)
{
	struct nnaccel_device_rig rig = nnaccel_device_rig(test, &nnaccel_mock_ops);

	rig.mock->mute = true;
	nnaccel_mock_die(rig.mock);
	nnaccel_mock_boot(rig.mock);
	nnaccel_kunit_state(rig.client, DRM_NNACCEL_DEVICE_FAILED);
	KUNIT_EXPECT_LE(test, 1, atomic64_read(&rig.mock->ndev->counters.resets));
	rig.mock->mute = false;
	nnaccel_mock_boot(rig.mock);
	nnaccel_kunit_state(rig.client, DRM_NNACCEL_DEVICE_ONLINE);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_device_run(&rig));
}

static void a_board_is_started_by_its_backend(struct kunit *test)
{
	struct nnaccel_device_rig rig = nnaccel_device_rig(test, &nnaccel_mock_board_ops);

	KUNIT_EXPECT_EQ(test, 1, rig.mock->starts);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_device_run(&rig));
	/* A reset stops it, and it does not start by itself. */
	nnaccel_mock_fail(rig.mock);
	msleep(100);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_device_run(&rig));
	KUNIT_EXPECT_EQ(test, 2, rig.mock->starts);
}

static void a_board_that_does_not_start_fails(struct kunit *test)
{
	struct nnaccel_device_rig rig = nnaccel_device_rig(test, &nnaccel_mock_board_ops);

	rig.mock->start_error = -EIO;
	nnaccel_mock_fail(rig.mock);
	nnaccel_kunit_state(rig.client, DRM_NNACCEL_DEVICE_FAILED);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_LINK_LOST, nnaccel_device_run(&rig));
	KUNIT_EXPECT_FALSE(test, rig.mock->ndev->card_unsafe);
}

static void an_idle_board_is_powered_off(struct kunit *test)
{
	struct nnaccel_device_rig rig = nnaccel_device_rig(test, &nnaccel_mock_board_ops);

	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_device_run(&rig));
	KUNIT_ASSERT_TRUE(test, nnaccel_device_suspended(&rig));
	KUNIT_EXPECT_EQ(test, 0, rig.mock->power);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_device_run(&rig));
	KUNIT_EXPECT_EQ(test, 1, rig.mock->power);
	KUNIT_EXPECT_EQ(test, 2, rig.mock->starts);
}

/* With a power domain the device counts as suspended until its next user. */
static void a_board_that_sleeps_stays_asleep_with_the_system(struct kunit *test)
{
	struct nnaccel_device_rig rig = nnaccel_device_rig(test, &nnaccel_mock_board_ops);

	KUNIT_ASSERT_TRUE(test, nnaccel_device_suspended(&rig));
	KUNIT_EXPECT_EQ(test, 0, nnaccel_pm_ops.suspend(rig.mock->dev));
	KUNIT_EXPECT_EQ(test, 0, nnaccel_pm_ops.resume(rig.mock->dev));
	KUNIT_EXPECT_EQ(test, 0, rig.mock->power);
	KUNIT_EXPECT_EQ(test, 1, rig.mock->starts);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_device_run(&rig));
	KUNIT_EXPECT_EQ(test, 1, rig.mock->power);
	KUNIT_EXPECT_EQ(test, 2, rig.mock->starts);
}

/* Without a firmware there was nothing to stop, but its power was off. */
static void a_board_whose_firmware_died_is_started_after_sleep(struct kunit *test)
{
	struct nnaccel_device_rig rig = nnaccel_device_rig(test, &nnaccel_mock_board_ops);

	nnaccel_mock_die(rig.mock);
	nnaccel_kunit_state(rig.client, DRM_NNACCEL_DEVICE_LINK_LOST);
	KUNIT_EXPECT_EQ(test, 0, nnaccel_pm_ops.suspend(rig.mock->dev));
	KUNIT_EXPECT_EQ(test, 0, rig.mock->power);
	KUNIT_EXPECT_EQ(test, 0, nnaccel_pm_ops.resume(rig.mock->dev));
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_device_run(&rig));
	KUNIT_EXPECT_EQ(test, 2, rig.mock->starts);
}

static void a_board_without_power_ends_jobs(struct kunit *test)
{
	struct nnaccel_device_rig rig = nnaccel_device_rig(test, &nnaccel_mock_board_ops);

	KUNIT_ASSERT_TRUE(test, nnaccel_device_suspended(&rig));
	rig.mock->start_error = -ETIMEDOUT;
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_LINK_LOST, nnaccel_device_run(&rig));
	nnaccel_kunit_state(rig.client, DRM_NNACCEL_DEVICE_FAILED);
	KUNIT_EXPECT_EQ(test, 0, rig.mock->power);
	/* Removal does not use its registers, and frees all of its memory. */
	nnaccel_mock_remove(rig.mock);
	KUNIT_EXPECT_EQ(test, 0, atomic_long_read(&rig.mock->allocated));
}

static void a_device_that_does_not_stop_fails_instead_of_sleeping(struct kunit *test)
{
	struct nnaccel_device_rig rig = nnaccel_device_rig(test, &nnaccel_mock_board_ops);

	rig.mock->deaf_slot = true;
	msleep(5000);
	KUNIT_EXPECT_FALSE(test, pm_runtime_status_suspended(rig.mock->dev));
	KUNIT_EXPECT_EQ(test, 1, rig.mock->power);
	KUNIT_EXPECT_EQ(test, -EBUSY, nnaccel_pm_ops.suspend(rig.mock->dev));
	nnaccel_kunit_state(rig.client, DRM_NNACCEL_DEVICE_FAILED);
	KUNIT_EXPECT_TRUE(test, rig.mock->ndev->card_unsafe);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_LINK_LOST, nnaccel_device_run(&rig));
	rig.mock->deaf_slot = false;
	nnaccel_mock_remove(rig.mock);
	KUNIT_EXPECT_EQ(test, 0, atomic_long_read(&rig.mock->allocated));
}

static void a_suspended_system_loses_what_does_not_end(struct kunit *test)
{
	struct nnaccel_device_rig rig = nnaccel_device_rig(test, &nnaccel_mock_board_ops);
	u64 hanging, waits;

	rig.mock->hang = 1;
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_submit(rig.client, &rig.queue, &nnaccel_device_job,
						      &hanging));
	nnaccel_kunit_begun(rig.client, &rig.queue, hanging);
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_submit(rig.client, &rig.queue, &nnaccel_device_job,
						      &waits));
	KUNIT_EXPECT_EQ(test, 0, nnaccel_pm_ops.suspend(rig.mock->dev));
	KUNIT_EXPECT_EQ(test, 0, rig.mock->power);
	rig.mock->hang = 0;
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_INNOCENT,
			nnaccel_kunit_wait(rig.client, &rig.queue, hanging));
	KUNIT_EXPECT_EQ(test, 0, nnaccel_pm_ops.resume(rig.mock->dev));
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK,
			nnaccel_kunit_wait(rig.client, &rig.queue, waits));
	KUNIT_EXPECT_EQ(test, 1, rig.mock->power);
}

static void a_bus_in_error_is_waited_for(struct kunit *test)
{
	struct nnaccel_device_rig rig = nnaccel_device_rig(test, &nnaccel_mock_ops);
	u64 hanging;

	rig.mock->hang = 1;
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_submit(rig.client, &rig.queue, &nnaccel_device_job,
						      &hanging));
	nnaccel_kunit_begun(rig.client, &rig.queue, hanging);
	nnaccel_recovery_block(rig.mock->ndev);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_INNOCENT,
			nnaccel_kunit_wait(rig.client, &rig.queue, hanging));
	KUNIT_EXPECT_TRUE(test, rig.mock->ndev->card_unsafe);
	KUNIT_EXPECT_FALSE(test, rig.mock->irq_on);
	rig.mock->hang = 0;
	nnaccel_recovery_unblock(rig.mock->ndev);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_device_run(&rig));
	KUNIT_EXPECT_FALSE(test, rig.mock->ndev->card_unsafe);
}

static void a_bus_that_stays_in_error_ends_jobs(struct kunit *test)
{
	struct nnaccel_device_rig rig = nnaccel_device_rig(test, &nnaccel_mock_ops);
	u64 start;

	nnaccel_recovery_block(rig.mock->ndev);
	start = ktime_get_ns();
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_LINK_LOST, nnaccel_device_run(&rig));
	KUNIT_EXPECT_GE(test, ktime_get_ns() - start + 20 * NSEC_PER_MSEC,
			nnaccel_link_ms * (u64)NSEC_PER_MSEC);
	nnaccel_kunit_state(rig.client, DRM_NNACCEL_DEVICE_FAILED);
	nnaccel_recovery_unblock(rig.mock->ndev);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_device_run(&rig));
}

static void removal_frees_all_shared_memory(struct kunit *test)
{
	struct nnaccel_device_rig rig = nnaccel_device_rig(test, &nnaccel_mock_ops);

	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_device_run(&rig));
	KUNIT_EXPECT_LT(test, 0, atomic_long_read(&rig.mock->allocated));
	nnaccel_mock_remove(rig.mock);
	KUNIT_EXPECT_EQ(test, 0, atomic_long_read(&rig.mock->allocated));
	KUNIT_EXPECT_PTR_EQ(test, NULL, rig.mock->ndev->hw);
	/* The file is open, and its parts are freed without the backend. */
	nnaccel_kunit_close(rig.client);
}

static struct kunit_case nnaccel_device_cases[] = {
	KUNIT_CASE(a_device_without_a_card_waits_for_one),
	KUNIT_CASE(another_contract_is_refused),
	KUNIT_CASE(a_firmware_that_does_not_take_its_rings_is_reset),
	KUNIT_CASE(a_board_is_started_by_its_backend),
	KUNIT_CASE(a_board_that_does_not_start_fails),
	KUNIT_CASE(an_idle_board_is_powered_off),
	KUNIT_CASE(a_board_that_sleeps_stays_asleep_with_the_system),
	KUNIT_CASE(a_board_whose_firmware_died_is_started_after_sleep),
	KUNIT_CASE(a_board_without_power_ends_jobs),
	KUNIT_CASE(a_device_that_does_not_stop_fails_instead_of_sleeping),
	KUNIT_CASE(a_suspended_system_loses_what_does_not_end),
	KUNIT_CASE(a_bus_in_error_is_waited_for),
	KUNIT_CASE(a_bus_that_stays_in_error_ends_jobs),
	KUNIT_CASE(removal_frees_all_shared_memory),
	{}
};

static struct kunit_suite nnaccel_device_suite = {
	.name = "nnaccel_device",
	.test_cases = nnaccel_device_cases,
};

kunit_test_suite(nnaccel_device_suite);
