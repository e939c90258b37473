// SPDX-License-Identifier: Apache-2.0
/*
 * BO_MADVISE: contents that are not needed go under pressure, and only then; no job and no map uses
 * them meanwhile. The table is in Documentation/uapi.rst.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kselftest_harness.h>
#include <xf86drm.h>

#include "nnaccel_load.h"

FIXTURE(madvise) {
	struct nn_rig rig;
	struct nn_bo bo;	/* of several pages, filled, not mapped by the process */
};

#define BO_PAGES	600u	/* of the card; more than a block of the page tables */

FIXTURE_SETUP(madvise)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	ASSERT_EQ(0, nn_bo_new(self->rig.fd, BO_PAGES * NN_BYTES, 0, &self->bo));
	for (uint32_t i = 0; i < BO_PAGES * NN_VECTOR; i++)
		((float *)self->bo.map)[i] = i % 4099;
	ASSERT_EQ(0, munmap(self->bo.map, self->bo.size));
	self->bo.map = NULL;
}

FIXTURE_TEARDOWN(madvise)
{
	nn_bo_free(&self->bo);
	nn_rig_close(&self->rig);
}

static uint32_t flags_of(const struct nn_bo *bo)
{
	struct drm_nnaccel_bo_info info = { .handle = bo->handle };

	return nn_ioctl(bo->fd, DRM_IOCTL_NNACCEL_BO_INFO, &info) ? UINT32_MAX : info.flags;
}

/* Have the kernel drop what it can: the shrinkers run in this call. */
static int drop_caches(void)
{
	return nn_write_file("/proc/sys/vm/drop_caches", "2");
}

/* Whether the buffer has what the fixture wrote. */
static bool is_filled(struct __test_metadata *_metadata, struct nn_bo *bo)
{
	bool right = true;
	float *map;

	EXPECT_EQ(0, nn_bo_mmap(bo->fd, bo->handle, bo->size, PROT_READ, MAP_SHARED, (void **)&map));
	for (uint32_t i = 0; right && i < BO_PAGES * NN_VECTOR; i++)
		right = map[i] == i % 4099;
	EXPECT_EQ(0, munmap(map, bo->size));
	return right;
}

/* A job reads the last page of the buffer. */
static int add_last_page(struct nn_rig *rig, const struct nn_bo *bo, bool listed)
{
	struct nn_job job;
	int ret;

	nn_job_run(&job, &rig->add.bo, rig->add.size);
	nn_job_arg(&job, bo->addr + (BO_PAGES - 1) * NN_BYTES, NN_BYTES);
	if (listed)
		nn_job_bo(&job, bo, DRM_NNACCEL_BO_REF_READ);
	nn_job_in(&job, &rig->b, NN_BYTES);
	nn_job_out(&job, &rig->out, NN_BYTES);
	nn_job_signal(&job, rig->done, 0);
	ret = nn_submit(&rig->queue, &job);
	if (!ret)
		ret = nn_fence_end(rig->fd, rig->done, 0);
	for (uint32_t i = 0; !ret && i < NN_VECTOR; i++)
		if (((float *)rig->out.map)[i] != ((BO_PAGES - 1) * NN_VECTOR + i) % 4099 + 1)
			ret = -EBADMSG;
	return ret;
}

TEST_F(madvise, retained)
{
	struct drm_nnaccel_bo_info info = { .handle = self->bo.handle };
	struct nn_rig *rig = &self->rig;

	ASSERT_EQ(0, add_last_page(rig, &self->bo, true));
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(1, nn_bo_advise(&self->bo, DRM_NNACCEL_MADV_DONTNEED));
		EXPECT_EQ(1, nn_bo_advise(&self->bo, DRM_NNACCEL_MADV_DONTNEED));
		EXPECT_EQ(DRM_NNACCEL_BO_DONTNEED, flags_of(&self->bo));
		EXPECT_EQ(-ESTALE, add_last_page(rig, &self->bo, true));
		ASSERT_EQ(1, nn_bo_advise(&self->bo, DRM_NNACCEL_MADV_WILLNEED));
		EXPECT_EQ(1, nn_bo_advise(&self->bo, DRM_NNACCEL_MADV_WILLNEED));
		EXPECT_EQ(0, flags_of(&self->bo));
		ASSERT_EQ(0, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_BO_INFO, &info));
		EXPECT_EQ(self->bo.addr, info.device_addr);
		EXPECT_EQ(0, add_last_page(rig, &self->bo, true));
		EXPECT_TRUE(is_filled(_metadata, &self->bo));
	}
}

TEST_F(madvise, purged_under_pressure)
{
	struct drm_nnaccel_usage before, after;
	struct nn_rig *rig = &self->rig;
	struct nn_bo other;

	ASSERT_EQ(0, nn_bo_new(rig->fd, 4 * NN_PAGE, 0, &other));
	munmap(other.map, other.size);
	other.map = NULL;
	/* What is needed stays, whatever the pressure. */
	ASSERT_EQ(0, drop_caches());
	EXPECT_EQ(0, add_last_page(rig, &self->bo, true));
	ASSERT_EQ(1, nn_bo_advise(&self->bo, DRM_NNACCEL_MADV_DONTNEED));
	ASSERT_EQ(0, nn_usage(rig->fd, &before));
	ASSERT_EQ(0, drop_caches());
	EXPECT_EQ(DRM_NNACCEL_BO_DONTNEED | DRM_NNACCEL_BO_PURGED, flags_of(&self->bo));
	ASSERT_EQ(0, nn_usage(rig->fd, &after));
	EXPECT_EQ(before.bytes - self->bo.size, after.bytes);
	EXPECT_EQ(before.bos, after.bos);
	EXPECT_EQ(0, nn_bo_advise(&self->bo, DRM_NNACCEL_MADV_DONTNEED));
	EXPECT_EQ(0, nn_bo_advise(&self->bo, DRM_NNACCEL_MADV_WILLNEED));
	EXPECT_EQ(-ESTALE, add_last_page(rig, &self->bo, true));
	EXPECT_EQ(0, flags_of(&other));
	/* The queue is as before: a refusal bans no queue. */
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_EQ(0, nn_bo_close(rig->fd, self->bo.handle));
	self->bo.handle = 0;
	nn_bo_free(&other);
}

TEST_F(madvise, discarded_contents_are_not_used)
{
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_program_hint hint = { .handle = self->bo.handle, .size = NN_PAGE };
	int dmabuf;
	void *map;

	ASSERT_EQ(1, nn_bo_advise(&self->bo, DRM_NNACCEL_MADV_DONTNEED));
	EXPECT_EQ(-ESTALE, nn_bo_mmap(rig->fd, self->bo.handle, self->bo.size, PROT_READ, MAP_SHARED, &map));
	EXPECT_NE(0, drmPrimeHandleToFD(rig->fd, self->bo.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	EXPECT_EQ(ESTALE, errno);
	EXPECT_EQ(-ESTALE, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_PROGRAM_HINT, &hint));
	/* The device does not reach it either: a job that does not list it faults. */
	EXPECT_EQ(-EFAULT, add_last_page(rig, &self->bo, false));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_BANNED_FAULT, nn_health(&rig->queue));
	ASSERT_EQ(1, nn_bo_advise(&self->bo, DRM_NNACCEL_MADV_WILLNEED));
	EXPECT_TRUE(is_filled(_metadata, &self->bo));
}

/* A refused advice changes nothing: the buffer can be used as before. */
TEST_F(madvise, refused)
{
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_bo_madvise args[] = {
		{ .handle = self->bo.handle, .advice = 2 },
		{ .handle = self->bo.handle, .advice = UINT32_MAX },
		{ .handle = self->bo.handle, .advice = DRM_NNACCEL_MADV_DONTNEED, .pad = 1 },
	};
	struct drm_nnaccel_bo_madvise none = { .handle = 0xdead };
	int other = nn_open(), dmabuf;
	struct drm_nnaccel_bo_userptr mine = { .size = NN_PAGE };
	struct nn_bo twin;
	void *memory, *map;

	ASSERT_LE(0, other);
	for (size_t i = 0; i < NN_COUNT(args); i++)
		EXPECT_EQ(-EINVAL, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_BO_MADVISE, &args[i]));
	EXPECT_EQ(-ENOENT, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_BO_MADVISE, &none));

	/* Mapped by the process. */
	ASSERT_EQ(0, nn_bo_mmap(rig->fd, self->bo.handle, NN_PAGE, PROT_READ, MAP_SHARED, &map));
	EXPECT_EQ(-EBUSY, nn_bo_advise(&self->bo, DRM_NNACCEL_MADV_DONTNEED));
	ASSERT_EQ(0, munmap(map, NN_PAGE));
	EXPECT_EQ(1, nn_bo_advise(&self->bo, DRM_NNACCEL_MADV_DONTNEED));
	EXPECT_EQ(1, nn_bo_advise(&self->bo, DRM_NNACCEL_MADV_WILLNEED));

	/* Memory of the process. */
	memory = mmap(NULL, NN_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, memory);
	mine.addr = (uintptr_t)memory;
	ASSERT_EQ(0, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_BO_USERPTR, &mine));
	args[0] = (struct drm_nnaccel_bo_madvise){ .handle = mine.handle, .advice = DRM_NNACCEL_MADV_DONTNEED };
	EXPECT_EQ(-EOPNOTSUPP, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_BO_MADVISE, &args[0]));
	EXPECT_EQ(0, nn_bo_close(rig->fd, mine.handle));
	munmap(memory, NN_PAGE);

	/* Exported, also when the dma-buf is gone; another file's handle. */
	ASSERT_EQ(0, drmPrimeHandleToFD(rig->fd, self->bo.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	EXPECT_EQ(-EBUSY, nn_bo_advise(&self->bo, DRM_NNACCEL_MADV_DONTNEED));
	ASSERT_EQ(0, nn_bo_import(other, dmabuf, &twin));
	close(dmabuf);
	EXPECT_EQ(-EBUSY, nn_bo_advise(&twin, DRM_NNACCEL_MADV_DONTNEED));
	nn_bo_free(&twin);
	EXPECT_EQ(-EBUSY, nn_bo_advise(&self->bo, DRM_NNACCEL_MADV_DONTNEED));
	close(other);
	ASSERT_EQ(0, drop_caches());
	EXPECT_EQ(0, add_last_page(rig, &self->bo, true));
	EXPECT_TRUE(is_filled(_metadata, &self->bo));
}

/* A job that waits for an absent card needs its buffers. */
TEST_F_TIMEOUT(madvise, busy, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	struct nn_job job;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_param_set("link_ms", 60000 * nn_slow()));
	ASSERT_EQ(0, nn_card_hold(rig->fd));
	nn_job_null(&job);
	nn_job_bo(&job, &self->bo, DRM_NNACCEL_BO_REF_READ);
	nn_job_signal(&job, rig->done, 0);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	EXPECT_EQ(-EBUSY, nn_bo_advise(&self->bo, DRM_NNACCEL_MADV_DONTNEED));
	ASSERT_EQ(0, nn_card_start(rig->fd));
	ASSERT_EQ(0, nn_fence_end(rig->fd, rig->done, 0));
	EXPECT_EQ(1, nn_bo_advise(&self->bo, DRM_NNACCEL_MADV_DONTNEED));
	EXPECT_EQ(1, nn_bo_advise(&self->bo, DRM_NNACCEL_MADV_WILLNEED));
	EXPECT_EQ(0, add_last_page(rig, &self->bo, true));
	nn_card_heal(rig->fd);
}

static volatile bool pressing;

static void *press(void *arg)
{
	(void)arg;
	while (pressing)
		if (drop_caches())
			break;
	return NULL;
}

/* Pressure at every moment: what is retained is right, what is not is refused. */
TEST_F_TIMEOUT(madvise, pressure_at_any_time, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	uint32_t kept = 0, lost = 0;
	pthread_t thread;

	pressing = true;
	ASSERT_EQ(0, pthread_create(&thread, NULL, press, NULL));
	for (int i = 0; i < 100; i++) {
		int ret = nn_bo_advise(&self->bo, DRM_NNACCEL_MADV_DONTNEED);

		EXPECT_LE(0, ret);
		/* Every other time at once, else when the pressure had its chance. */
		if (i % 2)
			nn_sleep_ms(20);
		ret = nn_bo_advise(&self->bo, DRM_NNACCEL_MADV_WILLNEED);
		EXPECT_LE(0, ret);
		EXPECT_EQ(ret ? 0 : -ESTALE, add_last_page(rig, &self->bo, true));
		if (ret) {
			kept++;
			continue;
		}
		lost++;
		nn_bo_free(&self->bo);
		ASSERT_EQ(0, nn_bo_new(rig->fd, BO_PAGES * NN_BYTES, 0, &self->bo));
		for (uint32_t k = 0; k < BO_PAGES * NN_VECTOR; k++)
			((float *)self->bo.map)[k] = k % 4099;
		ASSERT_EQ(0, munmap(self->bo.map, self->bo.size));
		self->bo.map = NULL;
	}
	pressing = false;
	pthread_join(thread, NULL);
	TH_LOG("kept %u, lost %u", kept, lost);
	EXPECT_LT(0, lost);
}

/* A buffer that is not needed when the device goes away. */
TEST_F_TIMEOUT(madvise, unbind, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	char address[64];

	ASSERT_EQ(0, nn_dev_address(rig->fd, address, sizeof(address)));
	ASSERT_EQ(1, nn_bo_advise(&self->bo, DRM_NNACCEL_MADV_DONTNEED));
	ASSERT_EQ(0, nn_unbind(address));
	EXPECT_EQ(-ENODEV, nn_bo_advise(&self->bo, DRM_NNACCEL_MADV_WILLNEED));
	EXPECT_EQ(0, drop_caches());
	memset(&self->bo, 0, sizeof(self->bo));
	nn_rig_close(rig);
	rig->fd = 0;
	EXPECT_EQ(0, drop_caches());
	ASSERT_EQ(0, nn_bind(address));
	EXPECT_EQ(0, nn_works_again());
	ASSERT_EQ(0, nn_rig_open(rig));
}

TEST_HARNESS_MAIN
