// SPDX-License-Identifier: GPL-2.0-only
/* What clients and administrators ask for: queries, labels, memory, fences, attributes. */

#include <linux/delay.h>
#include <linux/fdtable.h>
#include <linux/ktime.h>
#include <linux/mman.h>
#include <linux/shrinker.h>
#include <linux/sizes.h>
#include <linux/sysfs.h>
#include <linux/uaccess.h>

#include <nnaccel/nnaccel_opset.h>
#include <nnaccel/nnaccel_status.h>

#include "../nnaccel_report.h"
#include "nnaccel_kunit.h"

/* Offset of data in the user memory of the client. */
#define NNACCEL_CLIENT_DATA	SZ_4K

struct nnaccel_client_rig {
	struct nnaccel_mock *mock;
	struct nnaccel_kunit_client *client, *other;
	struct nnaccel_kunit_queue queue, other_queue;
};

static int nnaccel_client_init(struct kunit *test)
{
	struct nnaccel_client_rig *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	r->mock = nnaccel_mock_create(test, &nnaccel_mock_ops);
	nnaccel_mock_boot(r->mock);
	KUNIT_ASSERT_EQ(test, 0, nnaccel_mock_probe(r->mock));
	r->client = nnaccel_kunit_open(test, r->mock);
	r->other = nnaccel_kunit_open(test, r->mock);
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_queue(r->client, &r->queue));
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_queue(r->other, &r->other_queue));
	test->priv = r;
	return 0;
}

struct nnaccel_query {
	const char *name;
	u32 type, size;
};

static const struct nnaccel_query nnaccel_queries[] = {
	{ "device", DRM_NNACCEL_QUERY_DEVICE, sizeof(struct drm_nnaccel_device_info) },
	{ "limits", DRM_NNACCEL_QUERY_LIMITS, sizeof(struct drm_nnaccel_limits) },
	{ "priorities", DRM_NNACCEL_QUERY_PRIORITIES, sizeof(struct drm_nnaccel_priorities) },
	{ "operation set", DRM_NNACCEL_QUERY_OPSET, sizeof(struct nnaccel_opset_header) },
	{ "counters", DRM_NNACCEL_QUERY_COUNTERS, sizeof(struct drm_nnaccel_counters) },
	{ "clock", DRM_NNACCEL_QUERY_CLOCK, sizeof(struct drm_nnaccel_clock) },
	{ "usage", DRM_NNACCEL_QUERY_USAGE, sizeof(struct drm_nnaccel_usage) },
};

static void nnaccel_query_name(const struct nnaccel_query *query, char *name)
{
	strscpy(name, query->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(nnaccel_query, nnaccel_queries, nnaccel_query_name);

static void a_query_answers_its_size_and_as_much_as_fits(struct kunit *test)
{
	const struct nnaccel_query *query = test->param_value;
	struct nnaccel_client_rig *r = test->priv;
	unsigned long at = r->client->user + NNACCEL_CLIENT_DATA;
	struct drm_nnaccel_dev_query args = { .type = query->type };
	u64 word = 0;

	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_DEV_QUERY,
						     &args));
	KUNIT_EXPECT_EQ(test, query->size, args.size);
	/* A client that knows the first four bytes. */
	KUNIT_ASSERT_EQ(test, 0, copy_to_user((void __user *)at, &(u64){ U64_MAX }, 8));
	args.pointer = at;
	args.size = 4;
	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_DEV_QUERY,
						     &args));
	KUNIT_EXPECT_EQ(test, 4, args.size);
	KUNIT_ASSERT_EQ(test, 0, copy_from_user(&word, (void __user *)at, 8));
	KUNIT_EXPECT_EQ(test, U32_MAX, upper_32_bits(word));
	args.size = 4096;
	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_DEV_QUERY,
						     &args));
	KUNIT_EXPECT_EQ(test, query->size, args.size);
	args.pointer = TASK_SIZE;
	KUNIT_EXPECT_EQ(test, -EFAULT, nnaccel_kunit_ioctl(r->client,
							   DRM_IOCTL_NNACCEL_DEV_QUERY, &args));
}

static void an_unknown_query_is_refused(struct kunit *test)
{
	struct nnaccel_client_rig *r = test->priv;
	struct drm_nnaccel_dev_query args = { .type = DRM_NNACCEL_QUERY_USAGE + 1 };

	KUNIT_EXPECT_EQ(test, -EINVAL, nnaccel_kunit_ioctl(r->client,
							   DRM_IOCTL_NNACCEL_DEV_QUERY, &args));
}

static int nnaccel_client_label(struct nnaccel_client_rig *r, u32 handle, const char *text)
{
	unsigned long at = r->client->user + NNACCEL_CLIENT_DATA;
	struct drm_nnaccel_bo_label label = { .handle = handle, .size = strlen(text) };

	if (label.size) {
		label.label = at;
		if (copy_to_user((void __user *)at, text, label.size))
			return -EFAULT;
	}
	return nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_BO_LABEL, &label);
}

static void a_label_is_kept_and_removed(struct kunit *test)
{
	struct nnaccel_client_rig *r = test->priv;
	struct drm_nnaccel_bo_label get = { .flags = DRM_NNACCEL_BO_LABEL_GET };
	char long_text[DRM_NNACCEL_BO_LABEL_MAX + 2] = {}, got[8] = {};
	struct nnaccel_kunit_bo bo;

	memset(long_text, 'x', sizeof(long_text) - 1);
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_bo(r->client, SZ_4K, &bo));
	KUNIT_EXPECT_EQ(test, 0, nnaccel_client_label(r, bo.handle, "weights"));
	get.handle = bo.handle;
	get.label = r->client->user + NNACCEL_CLIENT_DATA;
	get.size = 8;
	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_BO_LABEL, &get));
	KUNIT_EXPECT_EQ(test, 7, get.size);
	KUNIT_ASSERT_EQ(test, 0, copy_from_user(got, (void __user *)(unsigned long)get.label, 7));
	KUNIT_EXPECT_STREQ(test, "weights", got);
	KUNIT_EXPECT_EQ(test, -E2BIG, nnaccel_client_label(r, bo.handle, long_text));
	KUNIT_EXPECT_EQ(test, -EINVAL, nnaccel_client_label(r, bo.handle, "a\nb"));
	KUNIT_EXPECT_EQ(test, -ENOENT, nnaccel_client_label(r, bo.handle + 77, "a"));
	KUNIT_EXPECT_EQ(test, 0, nnaccel_client_label(r, bo.handle, ""));
	get.label = 0;
	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_BO_LABEL, &get));
	KUNIT_EXPECT_EQ(test, 0, get.size);
}

static void memory_of_a_process_is_a_buffer(struct kunit *test)
{
	struct nnaccel_client_rig *r = test->priv;
	struct drm_nnaccel_bo_userptr userptr = { .size = SZ_16K };
	struct drm_nnaccel_bo_mmap_offset offset = {};
	struct drm_nnaccel_bo_info info = {};
	struct nnaccel_kunit_bo from, to;
	struct nnaccel_kunit_job job = { .from = &from, .to = &to, .size = 16 };
	u8 text[16] = "from the heap", got[16] = {};

	userptr.addr = kunit_vm_mmap(test, NULL, 0, SZ_16K, PROT_READ | PROT_WRITE,
				     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, 0, userptr.addr);
	KUNIT_ASSERT_EQ(test, 0, copy_to_user((void __user *)(unsigned long)userptr.addr, text,
					      sizeof(text)));
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_BO_USERPTR,
						     &userptr));
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_bo(r->client, SZ_4K, &to));
	from = (struct nnaccel_kunit_bo) {
		.handle = userptr.handle, .addr = userptr.device_addr,
	};
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_kunit_run(r->client, &r->queue, &job));
	KUNIT_ASSERT_EQ(test, 0, copy_from_user(got, (void __user *)to.map, sizeof(got)));
	KUNIT_EXPECT_STREQ(test, (char *)text, (char *)got);

	info.handle = userptr.handle;
	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_BO_INFO, &info));
	KUNIT_EXPECT_TRUE(test, info.flags & DRM_NNACCEL_BO_IS_USERPTR);
	KUNIT_EXPECT_EQ(test, userptr.device_addr, info.device_addr);
	offset.handle = userptr.handle;
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_BO_MMAP_OFFSET, &offset));
	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_bo_close(r->client, &from));

	userptr.addr += 8;
	KUNIT_EXPECT_EQ(test, -EINVAL, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_BO_USERPTR,
							   &userptr));
	userptr.addr = SZ_4K;
	KUNIT_EXPECT_EQ(test, -EFAULT, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_BO_USERPTR,
							   &userptr));
}

/* A job that hangs, and in a second queue one that waits for its fence. */
static void nnaccel_client_chain(struct kunit *test, struct nnaccel_kunit_queue *second,
				 u64 *seqno, u64 *waits)
{
	struct nnaccel_client_rig *r = test->priv;
	struct nnaccel_kunit_job first = {}, then = {};

	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_queue(r->client, second));
	first.out = nnaccel_kunit_syncobj(r->client);
	then.in = first.out;
	/* No fence is in the syncobj yet. */
	KUNIT_EXPECT_EQ(test, -ENOENT, nnaccel_kunit_submit(r->client, second, &then, NULL));
	r->mock->hang = 1;
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_submit(r->client, &r->queue, &first, seqno));
	nnaccel_kunit_begun(r->client, &r->queue, *seqno);
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_submit(r->client, second, &then, waits));
}

static void a_job_waits_for_its_fence(struct kunit *test)
{
	struct nnaccel_client_rig *r = test->priv;
	struct nnaccel_kunit_queue second;
	u64 seqno, waits;

	nnaccel_client_chain(test, &second, &seqno, &waits);
	msleep(1000);
	r->mock->hang = 0;
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_kunit_wait(r->client, &second, waits));
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_kunit_wait(r->client, &r->queue, seqno));
}

static void a_failed_fence_fails_the_job(struct kunit *test)
{
	struct nnaccel_client_rig *r = test->priv;
	struct nnaccel_kunit_queue second;
	u64 seqno, waits;

	nnaccel_client_chain(test, &second, &seqno, &waits);
	nnaccel_mock_die(r->mock);
	nnaccel_mock_boot(r->mock);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_INPUT_FAILED,
			nnaccel_kunit_wait(r->client, &second, waits));
	KUNIT_EXPECT_EQ(test, DRM_NNACCEL_QUEUE_OK, nnaccel_kunit_health(r->client, &second));
}

/* Two jobs in one call: the second waits for the point that the first one signals. */
static void a_job_waits_for_another_of_its_call(struct kunit *test)
{
	struct nnaccel_client_rig *r = test->priv;
	unsigned long at = r->client->user + NNACCEL_CLIENT_DATA, syncs_at = at + SZ_1K;
	u32 syncobj = nnaccel_kunit_syncobj(r->client);
	struct drm_nnaccel_sync syncs[2] = { {
		.flags = DRM_NNACCEL_SYNC_TIMELINE | DRM_NNACCEL_SYNC_SIGNAL,
		.handle = syncobj, .point = 2,
	}, {
		.flags = DRM_NNACCEL_SYNC_TIMELINE, .handle = syncobj, .point = 1,
	} };
	struct drm_nnaccel_job jobs[2] = {};
	struct drm_nnaccel_submit submit = {
		.queue_id = r->queue.id,
		.jobs = { .stride = sizeof(jobs[0]), .count = 2, .array = at },
	};

	for (u32 i = 0; i < 2; i++) {
		jobs[i].flags = DRM_NNACCEL_JOB_NULL;
		jobs[i].syncs = (struct drm_nnaccel_array) {
			.stride = sizeof(syncs[0]), .count = 1,
			.array = syncs_at + i * sizeof(syncs[0]),
		};
	}
	KUNIT_ASSERT_EQ(test, 0, copy_to_user((void __user *)at, jobs, sizeof(jobs)));
	KUNIT_ASSERT_EQ(test, 0, copy_to_user((void __user *)syncs_at, syncs, sizeof(syncs)));
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_SUBMIT, &submit));
	KUNIT_ASSERT_EQ(test, 0, copy_from_user(jobs, (void __user *)at, sizeof(jobs)));
	KUNIT_EXPECT_EQ(test, 2, jobs[1].seqno);
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_kunit_wait(r->client, &r->queue, 2));

	/* A point that no job signals. */
	syncs[1].point = 7;
	KUNIT_ASSERT_EQ(test, 0, copy_to_user((void __user *)syncs_at, syncs, sizeof(syncs)));
	KUNIT_EXPECT_NE(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_SUBMIT, &submit));
}

static void a_queue_ends_with_its_jobs(struct kunit *test)
{
	struct nnaccel_client_rig *r = test->priv;
	struct drm_nnaccel_queue_destroy destroy = { .queue_id = r->queue.id, .pad = 1 };
	struct nnaccel_kunit_job job = {};
	u64 seqno;

	r->mock->hang = 1;
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_submit(r->client, &r->queue, &job, &seqno));
	nnaccel_kunit_begun(r->client, &r->queue, seqno);
	KUNIT_EXPECT_EQ(test, -EINVAL, nnaccel_kunit_ioctl(r->client,
							   DRM_IOCTL_NNACCEL_QUEUE_DESTROY,
							   &destroy));
	destroy.pad = 0;
	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_QUEUE_DESTROY,
						     &destroy));
	/* Its status page stays as long as it is mapped. */
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_CANCELED,
			nnaccel_kunit_wait(r->client, &r->queue, seqno));
	KUNIT_EXPECT_EQ(test, -ENOENT, nnaccel_kunit_ioctl(r->client,
							   DRM_IOCTL_NNACCEL_QUEUE_DESTROY,
							   &destroy));
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK,
			nnaccel_kunit_run(r->other, &r->other_queue, &job));
}

/* A buffer goes to another client of the device by its dma-buf. */
static void a_buffer_is_shared(struct kunit *test)
{
	struct nnaccel_client_rig *r = test->priv;
	struct drm_nnaccel_bo_info info = {};
	struct drm_prime_handle prime = { .flags = DRM_CLOEXEC | DRM_RDWR };
	struct drm_nnaccel_bo_madvise advise = { .advice = DRM_NNACCEL_MADV_DONTNEED };
	struct nnaccel_kunit_bo bo;

	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_bo(r->client, SZ_4K, &bo));
	prime.handle = bo.handle;
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_PRIME_HANDLE_TO_FD,
						     &prime));
	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_ioctl(r->other, DRM_IOCTL_PRIME_FD_TO_HANDLE,
						     &prime));
	close_fd(prime.fd);
	info.handle = prime.handle;
	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_ioctl(r->other, DRM_IOCTL_NNACCEL_BO_INFO, &info));
	KUNIT_EXPECT_EQ(test, SZ_4K, info.size);
	/* Others may need its contents. */
	advise.handle = bo.handle;
	KUNIT_EXPECT_EQ(test, -EBUSY, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_BO_MADVISE,
							  &advise));
}

static void a_buffer_is_waited_for(struct kunit *test)
{
	struct nnaccel_client_rig *r = test->priv;
	struct drm_nnaccel_bo_wait wait = { .flags = DRM_NNACCEL_BO_WAIT_WRITE };
	struct nnaccel_kunit_bo from, to;
	struct nnaccel_kunit_job job = { .from = &from, .to = &to, .size = 16 };
	u64 seqno;

	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_bo(r->client, SZ_4K, &from));
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_bo(r->client, SZ_4K, &to));
	r->mock->hang = 1;
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_submit(r->client, &r->queue, &job, &seqno));
	nnaccel_kunit_begun(r->client, &r->queue, seqno);
	wait.handle = to.handle;
	KUNIT_EXPECT_EQ(test, -EBUSY, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_BO_WAIT,
							  &wait));
	wait.timeout_ns = ktime_get_ns() + NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, -ETIMEDOUT, nnaccel_kunit_ioctl(r->client,
							      DRM_IOCTL_NNACCEL_BO_WAIT, &wait));
	r->mock->hang = 0;
	wait.timeout_ns = ktime_get_ns() + NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_BO_WAIT, &wait));
}

static void reclaim_drops_what_is_not_needed(struct kunit *test)
{
	struct nnaccel_client_rig *r = test->priv;
	struct shrinker *shrinker = r->mock->ndev->shrink.shrinker;
	struct shrink_control sc = { .gfp_mask = GFP_KERNEL, .nr_to_scan = 128 };
	struct drm_nnaccel_bo_create create = { .size = SZ_64K };
	struct drm_nnaccel_bo_madvise advise = { .advice = DRM_NNACCEL_MADV_DONTNEED };

	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_BO_CREATE,
						     &create));
	advise.handle = create.handle;
	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_BO_MADVISE,
						     &advise));
	KUNIT_EXPECT_EQ(test, SZ_64K / PAGE_SIZE, shrinker->count_objects(shrinker, &sc));
	KUNIT_EXPECT_EQ(test, SZ_64K / PAGE_SIZE, shrinker->scan_objects(shrinker, &sc));
	advise.advice = DRM_NNACCEL_MADV_WILLNEED;
	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_BO_MADVISE,
						     &advise));
	KUNIT_EXPECT_EQ(test, 0, advise.retained);
}

static void attributes_answer_while_the_card_is_away(struct kunit *test)
{
	struct nnaccel_client_rig *r = test->priv;
	char *page = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	u32 count = 0;

	KUNIT_ASSERT_NOT_NULL(test, page);
	nnaccel_mock_die(r->mock);
	for (u32 i = 0; nnaccel_groups[i]; i++) {
		for (u32 k = 0; nnaccel_groups[i]->attrs[k]; k++) {
			struct device_attribute *attr = container_of(nnaccel_groups[i]->attrs[k],
								     struct device_attribute, attr);
			ssize_t ret = attr->show(r->mock->dev, attr, page);

			/* This card has no clock to show. */
			KUNIT_EXPECT_TRUE_MSG(test, ret > 0 || ret == -EOPNOTSUPP, "%s: %zd",
					      attr->attr.name, ret);
			count++;
		}
	}
	KUNIT_EXPECT_EQ(test, 10, count);
}

static struct kunit_case nnaccel_client_cases[] = {
	KUNIT_CASE_PARAM(a_query_answers_its_size_and_as_much_as_fits, nnaccel_query_gen_params),
	KUNIT_CASE(an_unknown_query_is_refused),
	KUNIT_CASE(a_label_is_kept_and_removed),
	KUNIT_CASE(memory_of_a_process_is_a_buffer),
	KUNIT_CASE(a_job_waits_for_its_fence),
	KUNIT_CASE(a_failed_fence_fails_the_job),
	KUNIT_CASE(a_job_waits_for_another_of_its_call),
	KUNIT_CASE(a_queue_ends_with_its_jobs),
	KUNIT_CASE(a_buffer_is_shared),
	KUNIT_CASE(a_buffer_is_waited_for),
	KUNIT_CASE(reclaim_drops_what_is_not_needed),
	KUNIT_CASE(attributes_answer_while_the_card_is_away),
	{}
};

static struct kunit_suite nnaccel_client_suite = {
	.name = "nnaccel_client",
	.init = nnaccel_client_init,
	.test_cases = nnaccel_client_cases,
};

kunit_test_suite(nnaccel_client_suite);
