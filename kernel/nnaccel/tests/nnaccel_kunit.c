// SPDX-License-Identifier: GPL-2.0-only

#include <linux/delay.h>
#include <linux/file.h>
#include <linux/mman.h>
#include <linux/uaccess.h>

#include <drm/drm_file.h>

#include "../nnaccel_shared.h"
#include "nnaccel_kunit.h"

#define NNACCEL_KUNIT_USER	SZ_64K
/* Offsets in it. */
#define NNACCEL_KUNIT_JOB	SZ_4K
#define NNACCEL_KUNIT_ARG	SZ_8K
#define NNACCEL_KUNIT_BO	SZ_16K
#define NNACCEL_KUNIT_SYNC	SZ_32K
/* Longer than any limit of the driver; virtual time where the kernel has that. */
#define NNACCEL_KUNIT_WAIT_MS	400000

static void nnaccel_kunit_end(void *client)
{
	nnaccel_kunit_close(client);
}

/* Open the node of a device that is probed. */
struct nnaccel_kunit_client *nnaccel_kunit_open(struct kunit *test, struct nnaccel_mock *mock)
{
	struct nnaccel_kunit_client *client = kunit_kzalloc(test, sizeof(*client), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, client);
	client->test = test;
	client->mock = mock;
	client->user = kunit_vm_mmap(test, NULL, 0, NNACCEL_KUNIT_USER, PROT_READ | PROT_WRITE,
				     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, 0, client->user);
	client->file = mock_drm_getfile(mock->ndev->drm.accel, O_RDWR);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, client->file);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, nnaccel_kunit_end, client));
	return client;
}

/*
 * Close it, and wait until what it had is freed, as far as the device lets go of it. After the test
 * its address space is gone, and the mappings with it.
 */
void nnaccel_kunit_close(struct nnaccel_kunit_client *client)
{
	if (!client->file)
		return;
	for (u32 i = 0; current->mm && i < client->num_maps; i++)
		vm_munmap(client->maps[i].addr, client->maps[i].size);
	fput(client->file);
	client->file = NULL;
	/* Both, the mappings' references and ours. */
	flush_delayed_fput();
	flush_workqueue(nnaccel_unmap_wq);
	flush_workqueue(nnaccel_free_wq);
}

static unsigned long nnaccel_kunit_map(struct nnaccel_kunit_client *client, u64 size,
				       unsigned long prot, u64 offset)
{
	unsigned long addr = kunit_vm_mmap(client->test, client->file, 0, size, prot, MAP_SHARED,
					   offset);

	if (IS_ERR_VALUE(addr))
		return addr;
	KUNIT_ASSERT_LT(client->test, client->num_maps, NNACCEL_KUNIT_MAPS);
	client->maps[client->num_maps].addr = addr;
	client->maps[client->num_maps++].size = size;
	return addr;
}

/* As the system call: @arg is copied in and out. */
int nnaccel_kunit_ioctl(struct nnaccel_kunit_client *client, unsigned int cmd, void *arg)
{
	void __user *user = (void __user *)client->user;
	struct kunit *test = client->test;
	long ret;

	KUNIT_ASSERT_EQ(test, 0, copy_to_user(user, arg, _IOC_SIZE(cmd)));
	ret = client->file->f_op->unlocked_ioctl(client->file, cmd, client->user);
	KUNIT_ASSERT_EQ(test, 0, copy_from_user(arg, user, _IOC_SIZE(cmd)));
	return ret;
}

int nnaccel_kunit_bo(struct nnaccel_kunit_client *client, u64 size, struct nnaccel_kunit_bo *bo)
{
	struct drm_nnaccel_bo_create create = { .size = size };
	struct drm_nnaccel_bo_mmap_offset offset = {};
	int ret;

	ret = nnaccel_kunit_ioctl(client, DRM_IOCTL_NNACCEL_BO_CREATE, &create);
	if (ret)
		return ret;
	bo->handle = create.handle;
	bo->addr = create.device_addr;
	offset.handle = create.handle;
	ret = nnaccel_kunit_ioctl(client, DRM_IOCTL_NNACCEL_BO_MMAP_OFFSET, &offset);
	if (ret)
		return ret;
	bo->map = nnaccel_kunit_map(client, create.size, PROT_READ | PROT_WRITE, offset.offset);
	return IS_ERR_VALUE(bo->map) ? (int)bo->map : 0;
}

int nnaccel_kunit_bo_close(struct nnaccel_kunit_client *client, struct nnaccel_kunit_bo *bo)
{
	struct drm_gem_close close = { .handle = bo->handle };

	return nnaccel_kunit_ioctl(client, DRM_IOCTL_GEM_CLOSE, &close);
}

int nnaccel_kunit_queue(struct nnaccel_kunit_client *client, struct nnaccel_kunit_queue *queue)
{
	struct drm_nnaccel_queue_create create = { .priority = DRM_NNACCEL_PRIORITY_MEDIUM };
	int ret;

	ret = nnaccel_kunit_ioctl(client, DRM_IOCTL_NNACCEL_QUEUE_CREATE, &create);
	if (ret)
		return ret;
	queue->id = create.queue_id;
	queue->status = nnaccel_kunit_map(client, create.status_size, PROT_READ,
					  create.status_offset);
	return IS_ERR_VALUE(queue->status) ? (int)queue->status : 0;
}

/* Submit one job. */
int nnaccel_kunit_submit(struct nnaccel_kunit_client *client,
			 const struct nnaccel_kunit_queue *queue,
			 const struct nnaccel_kunit_job *job, u64 *seqno)
{
	unsigned long user_job = client->user + NNACCEL_KUNIT_JOB;
	unsigned long user_args = client->user + NNACCEL_KUNIT_ARG;
	unsigned long user_bos = client->user + NNACCEL_KUNIT_BO;
	unsigned long user_syncs = client->user + NNACCEL_KUNIT_SYNC;
	struct drm_nnaccel_sync syncs[2] = {};
	struct kunit *test = client->test;
	struct drm_nnaccel_job to = {
		.flags = job->null ? DRM_NNACCEL_JOB_NULL : 0,
		.program_addr = job->null ? 0 : NNACCEL_VA_START,
		.program_size = job->null ? 0 : 64,
		.deadline_ns = job->deadline_ns,
		.max_ns = job->max_ns,
	};
	struct drm_nnaccel_submit submit = {
		.queue_id = queue->id,
		.jobs = { .stride = sizeof(to), .count = 1, .array = user_job },
	};
	int ret;

	if (job->from) {
		struct nnaccel_arg args[NNACCEL_KUNIT_ARGS] = {
			{
				.addr = cpu_to_le64(job->from->addr),
				.size = cpu_to_le64(job->size),
			}, {
				.addr = cpu_to_le64(job->to->addr),
				.size = cpu_to_le64(job->size),
			},
		};
		struct drm_nnaccel_bo_ref bos[NNACCEL_KUNIT_ARGS] = {
			{ .handle = job->from->handle, .flags = DRM_NNACCEL_BO_REF_READ },
			{ .handle = job->to->handle, .flags = DRM_NNACCEL_BO_REF_WRITE },
		};

		to.args = (struct drm_nnaccel_array) {
			.stride = sizeof(args[0]), .count = NNACCEL_KUNIT_ARGS, .array = user_args,
		};
		to.bos = (struct drm_nnaccel_array) {
			.stride = sizeof(bos[0]), .count = NNACCEL_KUNIT_ARGS, .array = user_bos,
		};
		KUNIT_ASSERT_EQ(test, 0, copy_to_user((void __user *)user_args, args,
						      sizeof(args)));
		KUNIT_ASSERT_EQ(test, 0, copy_to_user((void __user *)user_bos, bos, sizeof(bos)));
	}
	if (job->in)
		syncs[to.syncs.count++].handle = job->in;
	if (job->out)
		syncs[to.syncs.count++] = (struct drm_nnaccel_sync) {
			.flags = DRM_NNACCEL_SYNC_SIGNAL, .handle = job->out,
		};
	if (to.syncs.count) {
		to.syncs.stride = sizeof(syncs[0]);
		to.syncs.array = user_syncs;
		KUNIT_ASSERT_EQ(test, 0, copy_to_user((void __user *)user_syncs, syncs,
						      sizeof(syncs)));
	}
	KUNIT_ASSERT_EQ(test, 0, copy_to_user((void __user *)user_job, &to, sizeof(to)));
	ret = nnaccel_kunit_ioctl(client, DRM_IOCTL_NNACCEL_SUBMIT, &submit);
	KUNIT_ASSERT_EQ(test, 0, copy_from_user(&to, (void __user *)user_job, sizeof(to)));
	if (seqno)
		*seqno = to.seqno;
	return ret;
}

static struct drm_nnaccel_queue_state
nnaccel_kunit_queue_state(struct nnaccel_kunit_client *client,
			  const struct nnaccel_kunit_queue *queue)
{
	struct drm_nnaccel_queue_state state = { .queue_id = queue->id };

	KUNIT_ASSERT_EQ(client->test, 0,
			nnaccel_kunit_ioctl(client, DRM_IOCTL_NNACCEL_QUEUE_STATE, &state));
	return state;
}

/* Wait until a job has ended. Return: enum nnaccel_status. */
u32 nnaccel_kunit_wait(struct nnaccel_kunit_client *client,
		       const struct nnaccel_kunit_queue *queue, u64 seqno)
{
	void __user *at = (void __user *)(queue->status + seqno % NNACCEL_STATUS_ENTRIES *
					  sizeof(struct drm_nnaccel_status_entry));
	struct drm_nnaccel_status_entry entry = {};

	for (u32 waited = 0; waited < NNACCEL_KUNIT_WAIT_MS; waited += 20) {
		KUNIT_ASSERT_EQ(client->test, 0, copy_from_user(&entry, at, sizeof(entry)));
		if (entry.seqno == seqno)
			return entry.status;
		msleep(20);
	}
	KUNIT_FAIL_AND_ABORT(client->test, "job %llu has not ended\n", seqno);
	return NNACCEL_STATUS_HOST_END;
}

/* Submit a job, which must be accepted, and wait for it. */
u32 nnaccel_kunit_run(struct nnaccel_kunit_client *client,
		      const struct nnaccel_kunit_queue *queue, const struct nnaccel_kunit_job *job)
{
	u64 seqno;

	KUNIT_ASSERT_EQ(client->test, 0, nnaccel_kunit_submit(client, queue, job, &seqno));
	return nnaccel_kunit_wait(client, queue, seqno);
}

/* Return: enum drm_nnaccel_queue_health. */
u32 nnaccel_kunit_health(struct nnaccel_kunit_client *client,
			 const struct nnaccel_kunit_queue *queue)
{
	return nnaccel_kunit_queue_state(client, queue).health;
}

/* Wait until the card has begun a job. */
void nnaccel_kunit_begun(struct nnaccel_kunit_client *client,
			 const struct nnaccel_kunit_queue *queue, u64 seqno)
{
	for (u32 waited = 0; waited < NNACCEL_KUNIT_WAIT_MS; waited += 20) {
		if (nnaccel_kunit_queue_state(client, queue).running_seqno == seqno)
			return;
		msleep(20);
	}
	KUNIT_FAIL_AND_ABORT(client->test, "job %llu has not begun\n", seqno);
}

u32 nnaccel_kunit_syncobj(struct nnaccel_kunit_client *client)
{
	struct drm_syncobj_create create = {};

	KUNIT_ASSERT_EQ(client->test, 0,
			nnaccel_kunit_ioctl(client, DRM_IOCTL_SYNCOBJ_CREATE, &create));
	return create.handle;
}

/* Wait until the device has a state: enum drm_nnaccel_device_state. */
void nnaccel_kunit_state(struct nnaccel_kunit_client *client, u32 state)
{
	struct drm_nnaccel_device_info info = {};
	unsigned long user_info = client->user + NNACCEL_KUNIT_JOB;
	struct drm_nnaccel_dev_query query;

	for (u32 waited = 0; waited < NNACCEL_KUNIT_WAIT_MS; waited += 20) {
		query = (struct drm_nnaccel_dev_query) {
			.type = DRM_NNACCEL_QUERY_DEVICE, .size = sizeof(info),
			.pointer = user_info,
		};
		KUNIT_ASSERT_EQ(client->test, 0,
				nnaccel_kunit_ioctl(client, DRM_IOCTL_NNACCEL_DEV_QUERY, &query));
		KUNIT_ASSERT_EQ(client->test, 0, copy_from_user(&info, (void __user *)user_info,
								sizeof(info)));
		if (info.state == state)
			return;
		msleep(20);
	}
	KUNIT_FAIL_AND_ABORT(client->test, "the device is in state %u, not %u\n", info.state,
			     state);
}

/* kunit_vm_mmap() */
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
