// SPDX-License-Identifier: Apache-2.0
/*
 * The emulated card behind an IOMMU that translates. It uses addresses of DMA as addresses of the guest's memory, which
 * they are not there: it refuses its rings. See "An IOMMU" in Documentation/testing.rst. Only for the boot iommu
 * (tests/vm/guest.d/15-iommu.sh).
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kselftest_harness.h>
#include <xf86drm.h>

#include "nnaccel_load.h"

FIXTURE(translated) {
	int fd;
};

FIXTURE_SETUP(translated)
{
	/* Such a card cannot be healed. */
	self->fd = nn_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, nn_wait_state(self->fd, DRM_NNACCEL_DEVICE_FAILED, 0));
}

FIXTURE_TEARDOWN(translated)
{
	close(self->fd);
}

static void fill(const struct nn_bo *bo, uint32_t seed)
{
	for (size_t i = 0; i < bo->size / sizeof(uint32_t); i++)
		((uint32_t *)bo->map)[i] = seed + i;
}

static bool is_filled(const struct nn_bo *bo, uint32_t seed)
{
	for (size_t i = 0; i < bo->size / sizeof(uint32_t); i++)
		if (((uint32_t *)bo->map)[i] != seed + i)
			return false;
	return true;
}

/* A client learns it at once, and its queue is not to blame. */
TEST_F_TIMEOUT(translated, jobs_are_refused, NN_TEST_S)
{
	struct nn_queue queue;

	ASSERT_EQ(0, nn_queue_new(self->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &queue));
	EXPECT_EQ(-EIO, nn_run_null(&queue));
	EXPECT_EQ(-EIO, nn_run_null(&queue));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, nn_health(&queue));
	EXPECT_EQ(0, nn_queue_free(&queue));
}

/* Another start of the card is tried, and refused alike. */
TEST_F_TIMEOUT(translated, a_restart_changes_nothing, NN_LONG_TEST_S)
{
	struct drm_nnaccel_device_info info;
	char answer[256];

	NEED_CONTROL();
	ASSERT_EQ(0, nn_device_info(self->fd, &info));
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "fault none"));
	EXPECT_EQ(0, nn_wait_state(self->fd, DRM_NNACCEL_DEVICE_FAILED, info.generation + 1));
}

/* Buffers are mapped by the IOMMU, and unmapped: scattered, large, shared, of the process. No card writes them. */
TEST_F_TIMEOUT(translated, buffers, NN_TEST_S)
{
	const uint64_t sizes[] = { NN_PAGE, 3 * NN_PAGE, 600 * NN_PAGE, 8u << 20 };
	struct drm_nnaccel_bo_userptr mine = { .size = 16 * NN_PAGE };
	struct nn_bo bo[NN_COUNT(sizes)], twin;
	int other = nn_open(), dmabuf;
	void *memory;

	ASSERT_LE(0, other);
	for (size_t i = 0; i < NN_COUNT(sizes); i++) {
		ASSERT_EQ(0, nn_bo_new(self->fd, sizes[i], 0, &bo[i]));
		fill(&bo[i], i << 24);
	}
	ASSERT_EQ(0, drmPrimeHandleToFD(self->fd, bo[2].handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	ASSERT_EQ(0, nn_bo_import(other, dmabuf, &twin));
	close(dmabuf);
	memory = mmap(NULL, mine.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, memory);
	memset(memory, 0x5a, mine.size);
	mine.addr = (uintptr_t)memory;
	ASSERT_EQ(0, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_BO_USERPTR, &mine));
	nn_bo_free(&bo[2]);
	EXPECT_TRUE(is_filled(&twin, 2 << 24));
	nn_bo_free(&twin);
	EXPECT_EQ(0, nn_bo_close(self->fd, mine.handle));
	for (uint64_t i = 0; i < mine.size; i++)
		ASSERT_EQ(0x5a, ((uint8_t *)memory)[i]);
	munmap(memory, mine.size);
	for (size_t i = 0; i < NN_COUNT(sizes); i++) {
		EXPECT_TRUE(i == 2 || is_filled(&bo[i], i << 24));
		nn_bo_free(&bo[i]);
	}
	EXPECT_EQ(0, nn_usage_empty(self->fd));
	close(other);
}

TEST_HARNESS_MAIN
