// SPDX-License-Identifier: GPL-2.0-only
/* What administrators read: debugfs, fdinfo, sensors; and what users may take from each other. */

#include <linux/cred.h>
#include <linux/dma-fence.h>
#include <linux/fs.h>
#include <linux/hwmon.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include <drm/drm_syncobj.h>

#include <nnaccel/nnaccel_status.h>

#include "../nnaccel_report.h"
#include "nnaccel_kunit.h"

#define NNACCEL_REPORT_SIZE	SZ_8K
/* Offset in the user memory of the client. */
#define NNACCEL_REPORT_DATA	SZ_16K

#define NNACCEL_REPORT_USER	1000
#define NNACCEL_REPORT_OTHER	1001

struct nnaccel_report_rig {
	struct nnaccel_mock *mock;
	struct nnaccel_kunit_client *client;
	struct nnaccel_kunit_queue queue;
	char *text;
};

static int nnaccel_report_init(struct kunit *test)
{
	struct nnaccel_report_rig *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	r->text = kunit_kzalloc(test, NNACCEL_REPORT_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, r->text);
	r->mock = nnaccel_mock_create(test, &nnaccel_mock_ops);
	r->mock->telemetry = true;
	nnaccel_mock_boot(r->mock);
	KUNIT_ASSERT_EQ(test, 0, nnaccel_mock_probe(r->mock));
	r->client = nnaccel_kunit_open(test, r->mock);
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_queue(r->client, &r->queue));
	test->priv = r;
	return 0;
}

/* The text of a file, by a read() of user space. Return: its length or a negative errno. */
static ssize_t nnaccel_report_read(struct nnaccel_report_rig *r, const char *path)
{
	char __user *user = (char __user *)r->client->user + NNACCEL_REPORT_DATA;
	struct file *file = filp_open(path, O_RDONLY, 0);
	loff_t at = 0;
	ssize_t ret;

	if (IS_ERR(file))
		return PTR_ERR(file);
	if (file->f_op->read)
		ret = file->f_op->read(file, user, NNACCEL_REPORT_SIZE - 1, &at);
	else
		ret = kernel_read(file, r->text, NNACCEL_REPORT_SIZE - 1, &at);
	if (ret >= 0) {
		if (file->f_op->read && copy_from_user(r->text, user, ret))
			ret = -EFAULT;
		else
			r->text[ret] = '\0';
	}
	fput(file);
	return ret;
}

static ssize_t nnaccel_report_debugfs(struct nnaccel_report_rig *r, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/debug/accel/%s/%s", r->mock->ndev->drm.unique,
		 name);
	return nnaccel_report_read(r, path);
}

static void nnaccel_report_has(struct kunit *test, const char *words)
{
	struct nnaccel_report_rig *r = test->priv;

	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(r->text, words), "no '%s' in: %s", words, r->text);
}

static void debugfs_shows_the_device(struct kunit *test)
{
	struct nnaccel_report_rig *r = test->priv;

	KUNIT_ASSERT_LT(test, 0, nnaccel_report_debugfs(r, "state"));
	nnaccel_report_has(test, "backend: mock\n");
	nnaccel_report_has(test, "memory kept from the card: no\n");
	KUNIT_ASSERT_LT(test, 0, nnaccel_report_debugfs(r, "counters"));
	nnaccel_report_has(test, "jobs_submitted: 0\n");
	nnaccel_report_has(test, "bytes_direct: 0\n");
}

static void debugfs_shows_the_job_that_hangs(struct kunit *test)
{
	struct nnaccel_report_rig *r = test->priv;
	struct nnaccel_kunit_job job = {};
	u64 seqno;

	KUNIT_ASSERT_LT(test, 0, nnaccel_report_debugfs(r, "queues"));
	nnaccel_report_has(test, " jobs 0 ");
	r->mock->hang = 1;
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_submit(r->client, &r->queue, &job, &seqno));
	nnaccel_kunit_begun(r->client, &r->queue, seqno);
	KUNIT_ASSERT_LT(test, 0, nnaccel_report_debugfs(r, "queues"));
	nnaccel_report_has(test, " jobs 1 ");
	nnaccel_report_has(test, "oldest 1 ");
	r->mock->hang = 0;
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_kunit_wait(r->client, &r->queue, seqno));
}

static void debugfs_shows_buffers_of_each_kind(struct kunit *test)
{
	struct nnaccel_report_rig *r = test->priv;
	struct drm_nnaccel_bo_create create = { .size = SZ_4K };
	struct drm_nnaccel_bo_madvise advise = { .advice = DRM_NNACCEL_MADV_DONTNEED };

	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_BO_CREATE,
						     &create));
	advise.handle = create.handle;
	create.flags = DRM_NNACCEL_BO_DEVICE_READONLY;
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_BO_CREATE,
						     &create));
	KUNIT_ASSERT_LT(test, 0, nnaccel_report_debugfs(r, "bos"));
	nnaccel_report_has(test, " 4096 read-write ");
	nnaccel_report_has(test, " 4096 read-only ");
	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_BO_MADVISE,
						     &advise));
	KUNIT_ASSERT_LT(test, 0, nnaccel_report_debugfs(r, "bos"));
	nnaccel_report_has(test, " 4096 dontneed ");
}

static void debugfs_pings_the_card(struct kunit *test)
{
	struct nnaccel_report_rig *r = test->priv;
	u32 before = r->mock->served[NNACCEL_ADMIN_PING];

	KUNIT_ASSERT_LT(test, 0, nnaccel_report_debugfs(r, "ping"));
	nnaccel_report_has(test, "median_ns: ");
	KUNIT_ASSERT_LT(test, 0, nnaccel_report_debugfs(r, "ping_paused"));
	nnaccel_report_has(test, "p99_ns: ");
	KUNIT_EXPECT_LT(test, before, r->mock->served[NNACCEL_ADMIN_PING]);
	/* A card that is not there has no time. */
	nnaccel_mock_die(r->mock);
	nnaccel_kunit_state(r->client, DRM_NNACCEL_DEVICE_LINK_LOST);
	KUNIT_EXPECT_GT(test, 0, nnaccel_report_debugfs(r, "ping"));
}

static void fdinfo_shows_the_client(struct kunit *test)
{
	struct nnaccel_report_rig *r = test->priv;
	struct seq_file m = { .buf = r->text, .size = NNACCEL_REPORT_SIZE };
	struct drm_nnaccel_bo_create create = { .size = SZ_4K };
	struct drm_nnaccel_bo_madvise advise = { .advice = DRM_NNACCEL_MADV_DONTNEED };
	struct file *file = r->client->file;
	struct nnaccel_kunit_job job = {};

	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_BO_CREATE,
						     &create));
	advise.handle = create.handle;
	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_BO_MADVISE,
						     &advise));
	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_BO_CREATE,
						     &create));
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_kunit_run(r->client, &r->queue, &job));
	file->f_op->show_fdinfo(&m, file);
	KUNIT_ASSERT_FALSE(test, seq_has_overflowed(&m));
	r->text[m.count] = '\0';
	nnaccel_report_has(test, "drm-driver:\tnnaccel\n");
	nnaccel_report_has(test, "drm-engine-nn:\t");
	nnaccel_report_has(test, "nnaccel-queues:\t1\n");
	nnaccel_report_has(test, "nnaccel-jobs-completed:\t1\n");
}

static void sensors_show_an_awake_card(struct kunit *test)
{
	struct nnaccel_report_rig *r = test->priv;
	struct nnaccel_device *ndev = r->mock->ndev;
	char path[96];

	r->mock->regs->temperature_mc = cpu_to_le32(41500);
	r->mock->regs->power_mw = cpu_to_le32(2500);
	nnaccel_hwmon_register(ndev);
	KUNIT_ASSERT_NOT_NULL(test, ndev->hwmon);
	snprintf(path, sizeof(path), "/sys/class/hwmon/%s/temp1_input", dev_name(ndev->hwmon));
	KUNIT_EXPECT_LT(test, 0, nnaccel_report_read(r, path));
	KUNIT_EXPECT_STREQ(test, "41500\n", r->text);
	snprintf(path, sizeof(path), "/sys/class/hwmon/%s/power1_input", dev_name(ndev->hwmon));
	KUNIT_EXPECT_LT(test, 0, nnaccel_report_read(r, path));
	KUNIT_EXPECT_STREQ(test, "2500000\n", r->text);
	snprintf(path, sizeof(path), "/sys/class/hwmon/%s/temp1_label", dev_name(ndev->hwmon));
	KUNIT_EXPECT_LT(test, 0, nnaccel_report_read(r, path));
	KUNIT_EXPECT_STREQ(test, "npu\n", r->text);
	nnaccel_hwmon_unregister(ndev);
	KUNIT_EXPECT_NULL(test, ndev->hwmon);
}

static void a_fence_names_its_driver(struct kunit *test)
{
	struct nnaccel_report_rig *r = test->priv;
	struct nnaccel_kunit_job job = { .out = nnaccel_kunit_syncobj(r->client) };
	struct drm_syncobj *syncobj;
	struct dma_fence *fence;

	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_kunit_run(r->client, &r->queue, &job));
	syncobj = drm_syncobj_find(r->client->file->private_data, job.out);
	KUNIT_ASSERT_NOT_NULL(test, syncobj);
	fence = drm_syncobj_fence_get(syncobj);
	drm_syncobj_put(syncobj);
	KUNIT_ASSERT_NOT_NULL(test, fence);
	KUNIT_EXPECT_STREQ(test, "nnaccel", fence->ops->get_driver_name(fence));
	KUNIT_EXPECT_STREQ(test, "nnaccel-queue", fence->ops->get_timeline_name(fence));
	dma_fence_put(fence);
}

static void a_hint_reaches_the_firmware(struct kunit *test)
{
	struct nnaccel_report_rig *r = test->priv;
	struct drm_nnaccel_bo_create create = { .size = SZ_8K };
	struct drm_nnaccel_program_hint hint = { .size = SZ_4K, .offset = SZ_4K };
	struct nnaccel_kunit_job job = {};

	KUNIT_ASSERT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_BO_CREATE,
						     &create));
	KUNIT_EXPECT_EQ(test, -ENOENT, nnaccel_kunit_ioctl(r->client,
							   DRM_IOCTL_NNACCEL_PROGRAM_HINT, &hint));
	hint.handle = create.handle;
	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_PROGRAM_HINT,
						     &hint));
	hint.flags = DRM_NNACCEL_PROGRAM_UNLOAD;
	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_ioctl(r->client, DRM_IOCTL_NNACCEL_PROGRAM_HINT,
						     &hint));
	/* Commands are served before a job that comes after them. */
	KUNIT_EXPECT_EQ(test, NNACCEL_STATUS_OK, nnaccel_kunit_run(r->client, &r->queue, &job));
	KUNIT_EXPECT_EQ(test, 1, r->mock->served[NNACCEL_ADMIN_PROGRAM_LOAD]);
	KUNIT_EXPECT_EQ(test, 1, r->mock->served[NNACCEL_ADMIN_PROGRAM_UNLOAD]);
	hint.flags = 1u << 31;
	KUNIT_EXPECT_EQ(test, -EINVAL, nnaccel_kunit_ioctl(r->client,
							   DRM_IOCTL_NNACCEL_PROGRAM_HINT, &hint));
	hint.flags = 0;
	hint.size = SZ_8K;
	KUNIT_EXPECT_EQ(test, -EINVAL, nnaccel_kunit_ioctl(r->client,
							   DRM_IOCTL_NNACCEL_PROGRAM_HINT, &hint));
}

/* A client of a user without privileges. */
static struct nnaccel_kunit_client *nnaccel_report_open_as(struct kunit *test,
							   struct nnaccel_mock *mock, uid_t uid)
{
	struct nnaccel_kunit_client *client;
	struct cred *cred = prepare_creds();
	const struct cred *old;

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cred->euid = KUIDT_INIT(uid);
	cap_clear(cred->cap_effective);
	old = override_creds(cred);
	client = nnaccel_kunit_open(test, mock);
	revert_creds(old);
	put_cred(cred);
	return client;
}

/* Memory of a process is charged to its user as locked memory. */
static void a_user_pays_for_locked_memory(struct kunit *test)
{
	struct nnaccel_report_rig *r = test->priv;
	struct nnaccel_kunit_client *client =
		nnaccel_report_open_as(test, r->mock, NNACCEL_REPORT_USER);
	struct drm_nnaccel_bo_userptr userptr = { .size = SZ_16K };
	struct nnaccel_kunit_bo bo;
	const struct cred *old;
	struct cred *cred;

	userptr.addr = client->user + NNACCEL_REPORT_DATA;
	cred = prepare_creds();
	KUNIT_ASSERT_NOT_NULL(test, cred);
	cap_clear(cred->cap_effective);
	old = override_creds(cred);
	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_ioctl(client, DRM_IOCTL_NNACCEL_BO_USERPTR,
						     &userptr));
	revert_creds(old);
	put_cred(cred);
	bo.handle = userptr.handle;
	KUNIT_EXPECT_EQ(test, 0, nnaccel_kunit_bo_close(client, &bo));
	nnaccel_kunit_close(client);
}

static int nnaccel_report_add_queue(struct nnaccel_kunit_client *client)
{
	struct drm_nnaccel_queue_create create = { .priority = DRM_NNACCEL_PRIORITY_MEDIUM };

	return nnaccel_kunit_ioctl(client, DRM_IOCTL_NNACCEL_QUEUE_CREATE, &create);
}

/* However many files a user opens: half of the queues are left, and half of the rest then. */
static void a_user_leaves_queues_to_others(struct kunit *test)
{
	struct nnaccel_report_rig *r = test->priv;
	struct nnaccel_kunit_client *client;
	u32 queues = 0, of_client;

	do {
		client = nnaccel_report_open_as(test, r->mock, NNACCEL_REPORT_USER);
		for (of_client = 0; !nnaccel_report_add_queue(client); of_client++)
			queues++;
		KUNIT_ASSERT_LE(test, queues, NNACCEL_MAX_QUEUES);
	} while (of_client);
	KUNIT_EXPECT_LE(test, queues, NNACCEL_MAX_QUEUES / 2);
	KUNIT_EXPECT_LT(test, NNACCEL_MAX_QUEUES / 4, queues);

	client = nnaccel_report_open_as(test, r->mock, NNACCEL_REPORT_OTHER);
	for (of_client = 0; !nnaccel_report_add_queue(client); of_client++)
		;
	KUNIT_EXPECT_EQ(test, NNACCEL_LIMIT_QUEUES, of_client);
}

static struct kunit_case nnaccel_report_cases[] = {
	KUNIT_CASE(debugfs_shows_the_device),
	KUNIT_CASE(debugfs_shows_the_job_that_hangs),
	KUNIT_CASE(debugfs_shows_buffers_of_each_kind),
	KUNIT_CASE(debugfs_pings_the_card),
	KUNIT_CASE(fdinfo_shows_the_client),
	KUNIT_CASE(sensors_show_an_awake_card),
	KUNIT_CASE(a_fence_names_its_driver),
	KUNIT_CASE(a_hint_reaches_the_firmware),
	KUNIT_CASE(a_user_pays_for_locked_memory),
	KUNIT_CASE(a_user_leaves_queues_to_others),
	{}
};

static struct kunit_suite nnaccel_report_suite = {
	.name = "nnaccel_report",
	.init = nnaccel_report_init,
	.test_cases = nnaccel_report_cases,
};

kunit_test_suite(nnaccel_report_suite);
