// SPDX-License-Identifier: GPL-2.0-only
/* Buffers and address spaces: what the device reaches, and until when. */

#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include <nnaccel/nnaccel_mmu.h>
#include <nnaccel/nnaccel_status.h>

#include "../nnaccel_shared.h"
#include "nnaccel_kunit.h"

struct nnaccel_memory {
	struct nnaccel_mock *mock;
	struct nnaccel_kunit_client *client;
	struct nnaccel_kunit_queue queue;
	struct nnaccel_kunit_bo from, to;
};

static int nnaccel_memory_init(struct kunit *test)
{
	struct nnaccel_memory *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->mock = nnaccel_mock_create(test, &nnaccel_mock_ops);
	nnaccel_mock_boot(m->mock);
	KUNIT_ASSERT_EQ(test, 0, nnaccel_mock_probe(m->mock));
	m->client = nnaccel_kunit_open(test, m->mock);
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_queue(m->client, &m->queue));
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_bo(m->client, SZ_16K, &m->from));
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_bo(m->client, SZ_16K, &m->to));
	test->priv = m;
	return 0;
}

static u32 nnaccel_memory_copy(struct nnaccel_memory *m, const struct nnaccel_kunit_bo *from,
			       const struct nnaccel_kunit_bo *to, u64 size)
{
	const struct nnaccel_kunit_job job = { .from = from, .to = to, .size = size };

	return nnaccel_kunit_run(m->client, &m->queue, &job);
}

/* Wait until the worker of the address space has nothing to unmap. */
static void nnaccel_memory_settle(struct nnaccel_memory *m)
{
	flush_workqueue(nnaccel_unmap_wq);
}

static void a_job_reads_and_writes_pages_of_its_buffers(struct kunit *test)
{
	struct nnaccel_memory *m = test->priv;
	u8 text[] = "across two pages", got[sizeof(text)] = {};
	struct nnaccel_kunit_bo from = m->from, to = m->to;
	unsigned long offset = SZ_4K - 7;

	KUNIT_ASSERT_EQ(test, 0, copy_to_user((void __user *)(from.map + offset), text,
					      sizeof(text)));
	from.addr += offset;
	to.addr += offset;
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_memory_copy(m, &from, &to, sizeof(text)));
	KUNIT_ASSERT_EQ(test, 0, copy_from_user(got, (void __user *)(to.map + offset),
						sizeof(got)));
	KUNIT_EXPECT_STREQ(test, (char *)text, (char *)got);
}

static void nothing_beyond_a_buffer_is_reached(struct kunit *test)
{
	struct nnaccel_memory *m = test->priv;
	struct nnaccel_kunit_bo to = m->to;

	/* The last buffer: nothing follows it. */
	to.addr += SZ_16K - 8;
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_FAULT, nnaccel_memory_copy(m, &m->from, &to, 16));
}

static void a_read_only_buffer_is_not_written(struct kunit *test)
{
	struct nnaccel_memory *m = test->priv;
	struct drm_nnaccel_bo_create create = {
		.size = SZ_4K, .flags = DRM_NNACCEL_BO_DEVICE_READONLY,
	};
	struct nnaccel_kunit_bo to = m->to;
	struct nnaccel_kunit_job job = { .from = &m->from, .to = &to, .size = 16 };

	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_ioctl(m->client, DRM_IOCTL_NNACCEL_BO_CREATE,
						     &create));
	to.handle = create.handle;
	KUNIT_EXPECT_EQ(test, -EACCES, nnaccel_kunit_submit(m->client, &m->queue, &job, NULL));
	/* A job that lists another buffer and writes this one. */
	to = m->to;
	to.addr = create.device_addr;
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_FAULT, nnaccel_memory_copy(m, &m->from, &to, 16));
}

static void a_closed_buffer_is_not_reached(struct kunit *test)
{
	struct nnaccel_memory *m = test->priv;
	struct nnaccel_kunit_bo gone, to = m->to;
	u32 before = m->mock->served[NNACCEL_ADMIN_TLB_INVALIDATE];

	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_bo(m->client, SZ_4K, &gone));
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_bo_close(m->client, &gone));
	nnaccel_memory_settle(m);
	KUNIT_EXPECT_EQ(test, before + 1, m->mock->served[NNACCEL_ADMIN_TLB_INVALIDATE]);
	to.addr = gone.addr;
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_FAULT, nnaccel_memory_copy(m, &m->from, &to, 16));
}

static void adjacent_buffers_share_an_invalidation(struct kunit *test)
{
	struct nnaccel_memory *m = test->priv;
	struct nnaccel_kunit_bo bos[8];
	u32 before;

	for (u32 i = 0; i < ARRAY_SIZE(bos); i++)
		KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_bo(m->client, SZ_4K, &bos[i]));
	before = m->mock->served[NNACCEL_ADMIN_TLB_INVALIDATE];
	/* The first occupies the worker until the others are in its list. */
	m->mock->mute = true;
	for (u32 i = 0; i < ARRAY_SIZE(bos); i++) {
		KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_bo_close(m->client, &bos[i]));
		if (!i)
			msleep(20);
	}
	m->mock->mute = false;
	nnaccel_memory_settle(m);
	KUNIT_EXPECT_EQ(test, before + 2, m->mock->served[NNACCEL_ADMIN_TLB_INVALIDATE]);
}

static void an_unanswered_invalidation_keeps_memory_until_the_reset(struct kunit *test)
{
	struct nnaccel_memory *m = test->priv;
	struct nnaccel_kunit_bo bo;
	u64 start = ktime_get_ns();

	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_bo(m->client, SZ_4K, &bo));
	m->mock->ignored_ops = BIT(NNACCEL_ADMIN_TLB_INVALIDATE);
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_bo_close(m->client, &bo));
	nnaccel_memory_settle(m);
	KUNIT_EXPECT_GE(test, ktime_get_ns() - start, nnaccel_admin_ms * (u64)NSEC_PER_MSEC);
	m->mock->ignored_ops = 0;
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_memory_copy(m, &m->from, &m->to, 16));
	KUNIT_EXPECT_EQ(test, 1, atomic64_read(&m->mock->ndev->counters.resets));
	nnaccel_memory_settle(m);
	bo.handle = m->to.handle;
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_FAULT, nnaccel_memory_copy(m, &m->from, &bo, 16));
}

static void addresses_are_used_again(struct kunit *test)
{
	struct nnaccel_memory *m = test->priv;
	struct nnaccel_kunit_bo first, second;

	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_bo(m->client, SZ_64K, &first));
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_bo_close(m->client, &first));
	/* The test's mapping of its memory holds the BO, but not its address. */
	nnaccel_memory_settle(m);
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_bo(m->client, SZ_64K, &second));
	KUNIT_EXPECT_EQ(test, first.addr, second.addr);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_memory_copy(m, &m->from, &second, 16));
}

static void tables_are_charged_and_freed_with_the_file(struct kunit *test)
{
	struct nnaccel_memory *m = test->priv;
	struct nnaccel_kunit_client *other;
	struct nnaccel_kunit_bo bo;
	long before = atomic_long_read(&m->mock->allocated), with;

	other = nnaccel_kunit_open(test, m->mock);
	KUNIT_EXPECT_EQ(test, before + NNACCEL_PAGE_SIZE, atomic_long_read(&m->mock->allocated));
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_bo(other, SZ_4K, &bo));
	with = atomic_long_read(&m->mock->allocated);
	KUNIT_EXPECT_EQ(test, before + NNACCEL_PT_LEVELS * (long)NNACCEL_PAGE_SIZE, with);
	nnaccel_kunit_close(other);
	KUNIT_EXPECT_EQ(test, before, atomic_long_read(&m->mock->allocated));
}

static void contents_that_are_not_needed_leave_the_device(struct kunit *test)
{
	struct nnaccel_memory *m = test->priv;
	struct drm_nnaccel_bo_create create = { .size = SZ_4K };
	struct drm_nnaccel_bo_madvise advise = { .advice = DRM_NNACCEL_MADV_DONTNEED };
	struct nnaccel_kunit_bo to;
	u32 before = m->mock->served[NNACCEL_ADMIN_TLB_INVALIDATE];

	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_ioctl(m->client, DRM_IOCTL_NNACCEL_BO_CREATE,
						     &create));
	to = (struct nnaccel_kunit_bo) { .handle = create.handle, .addr = create.device_addr };
	advise.handle = to.handle;
	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_ioctl(m->client, DRM_IOCTL_NNACCEL_BO_MADVISE,
						     &advise));
	KUNIT_EXPECT_EQ(test, before + 1, m->mock->served[NNACCEL_ADMIN_TLB_INVALIDATE]);
	KUNIT_EXPECT_EQ(test, -ESTALE,
			nnaccel_kunit_submit(m->client, &m->queue, &(struct nnaccel_kunit_job) {
					     .from = &m->from, .to = &to, .size = 16 }, NULL));
	advise.advice = DRM_NNACCEL_MADV_WILLNEED;
	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_ioctl(m->client, DRM_IOCTL_NNACCEL_BO_MADVISE,
						     &advise));
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_memory_copy(m, &m->from, &to, 16));
}

static void buffers_outlive_the_device(struct kunit *test)
{
	struct nnaccel_memory *m = test->priv;
	u8 text[] = "still here", got[sizeof(text)] = {};

	KUNIT_ASSERT_EQ(test, 0, copy_to_user((void __user *)m->from.map, text, sizeof(text)));
	nnaccel_mock_remove(m->mock);
	KUNIT_EXPECT_EQ(test, 0, atomic_long_read(&m->mock->allocated));
	KUNIT_ASSERT_EQ(test, 0, copy_from_user(got, (void __user *)m->from.map, sizeof(got)));
	KUNIT_EXPECT_STREQ(test, (char *)text, (char *)got);
}

static struct kunit_case nnaccel_memory_cases[] = {
	KUNIT_CASE(a_job_reads_and_writes_pages_of_its_buffers),
	KUNIT_CASE(nothing_beyond_a_buffer_is_reached),
	KUNIT_CASE(a_read_only_buffer_is_not_written),
	KUNIT_CASE(a_closed_buffer_is_not_reached),
	KUNIT_CASE(adjacent_buffers_share_an_invalidation),
	KUNIT_CASE(an_unanswered_invalidation_keeps_memory_until_the_reset),
	KUNIT_CASE(addresses_are_used_again),
	KUNIT_CASE(tables_are_charged_and_freed_with_the_file),
	KUNIT_CASE(contents_that_are_not_needed_leave_the_device),
	KUNIT_CASE(buffers_outlive_the_device),
	{}
};

static struct kunit_suite nnaccel_memory_suite = {
	.name = "nnaccel_memory",
	.init = nnaccel_memory_init,
	.test_cases = nnaccel_memory_cases,
};

kunit_test_suite(nnaccel_memory_suite);
