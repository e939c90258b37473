// SPDX-License-Identifier: Apache-2.0
/* Buffer objects: create, map, share, query; every field misused. */
#include <errno.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kselftest_harness.h>
#include <xf86drm.h>

#include "nnaccel_util.h"

FIXTURE(bo) {
	int fd;
	struct drm_nnaccel_limits limits;
};

FIXTURE_SETUP(bo)
{
	self->fd = nn_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, nn_card_heal(self->fd));
	ASSERT_EQ(0, nn_limits(self->fd, &self->limits));
}

FIXTURE_TEARDOWN(bo)
{
	close(self->fd);
}

static int create(int fd, struct drm_nnaccel_bo_create *args)
{
	return nn_ioctl(fd, DRM_IOCTL_NNACCEL_BO_CREATE, args);
}

TEST_F(bo, create)
{
	const uint64_t sizes[] = { 1, NN_PAGE, NN_PAGE + 1, 3 << 20, 2 << 20 };
	struct nn_bo bos[5];

	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(0, nn_bo_new(self->fd, sizes[i], 0, &bos[i]));
		EXPECT_EQ((sizes[i] + NN_PAGE - 1) / NN_PAGE * NN_PAGE, bos[i].size);
		EXPECT_NE(0, bos[i].handle);
		EXPECT_EQ(0, bos[i].addr % NN_PAGE);
		EXPECT_LE(self->limits.va_start, bos[i].addr);
		EXPECT_LE(bos[i].addr + bos[i].size, self->limits.va_end);
		for (int j = 0; j < i; j++) {
			EXPECT_NE(bos[j].handle, bos[i].handle);
			EXPECT_TRUE(bos[j].addr + bos[j].size <= bos[i].addr ||
				    bos[i].addr + bos[i].size <= bos[j].addr);
		}
	}
	for (int i = 0; i < 5; i++)
		nn_bo_free(&bos[i]);
}

TEST_F(bo, create_fields)
{
	const struct {
		struct drm_nnaccel_bo_create args;
		int error;
	} cases[] = {
		{ { .size = 0 }, -EINVAL },
		{ { .size = NN_PAGE, .flags = ~DRM_NNACCEL_BO_FLAGS }, -EINVAL },
		{ { .size = NN_PAGE, .flags = DRM_NNACCEL_BO_IMPORTED }, -EINVAL },
		{ { .size = NN_PAGE, .flags = 1u << 1 }, -EINVAL },
		{ { .size = NN_PAGE, .pad = 1 }, -EINVAL },
		{ { .size = NN_PAGE, .pad = 1ull << 63 }, -EINVAL },
		{ { .size = self->limits.max_bo_size + 1 }, -EFBIG },
		{ { .size = 1ull << 63 }, -EFBIG },
		{ { .size = UINT64_MAX }, -EFBIG },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct drm_nnaccel_bo_create args = cases[i].args;

		EXPECT_EQ(cases[i].error, create(self->fd, &args)) {
			TH_LOG("case %zu", i);
		}
	}
}

TEST_F_TIMEOUT(bo, limit_of_handles, NN_TEST_S)
{
	struct drm_nnaccel_bo_create args;
	uint32_t *handles = calloc(self->limits.max_bos, sizeof(*handles));
	uint32_t i;

	ASSERT_NE(NULL, handles);
	for (i = 0; i < self->limits.max_bos; i++) {
		args = (struct drm_nnaccel_bo_create){ .size = NN_PAGE };
		ASSERT_EQ(0, create(self->fd, &args)) {
			TH_LOG("buffer %u of %u", i, self->limits.max_bos);
		}
		handles[i] = args.handle;
	}
	args = (struct drm_nnaccel_bo_create){ .size = NN_PAGE };
	EXPECT_EQ(-ENOSPC, create(self->fd, &args));
	ASSERT_EQ(0, nn_bo_close(self->fd, handles[17]));
	args = (struct drm_nnaccel_bo_create){ .size = NN_PAGE };
	EXPECT_EQ(0, create(self->fd, &args));
	free(handles);
}

/* Beyond max_bytes nothing is allocated, so the test does not need that much memory. */
TEST_F(bo, limit_of_bytes)
{
	uint64_t chunk = self->limits.max_bytes < self->limits.max_bo_size ? self->limits.max_bytes :
										self->limits.max_bo_size;
	struct drm_nnaccel_bo_create args = { .size = NN_PAGE };
	uint64_t held = NN_PAGE;
	int ret;

	ASSERT_EQ(0, create(self->fd, &args));
	/* With one page allocated the limit cannot fit; -ENOMEM: the machine has less memory. */
	while (held + chunk <= self->limits.max_bytes) {
		args = (struct drm_nnaccel_bo_create){ .size = chunk };
		ret = create(self->fd, &args);
		if (ret == -ENOMEM && chunk > NN_PAGE) {
			SKIP(return, "max_bytes exceeds the memory of this machine");
		}
		ASSERT_EQ(0, ret);
		held += chunk;
	}
	args = (struct drm_nnaccel_bo_create){ .size = self->limits.max_bytes - held + NN_PAGE };
	EXPECT_EQ(-ENOSPC, create(self->fd, &args));
	args = (struct drm_nnaccel_bo_create){ .size = NN_PAGE };
	EXPECT_EQ(held + NN_PAGE <= self->limits.max_bytes ? 0 : -ENOSPC, create(self->fd, &args));
}

TEST_F(bo, handle_misuse)
{
	struct drm_nnaccel_bo_mmap_offset offset = { 0 };
	struct drm_nnaccel_bo_info info = { 0 };
	struct drm_nnaccel_bo_wait wait = { 0 };
	struct nn_bo bo;
	uint32_t handles[3] = { 0, 0xdead };

	ASSERT_EQ(0, nn_bo_new(self->fd, NN_PAGE, 0, &bo));
	handles[2] = bo.handle;
	nn_bo_free(&bo);
	for (int i = 0; i < 3; i++) {
		offset.handle = info.handle = wait.handle = handles[i];
		EXPECT_EQ(-ENOENT, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_BO_MMAP_OFFSET, &offset));
		EXPECT_EQ(-ENOENT, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_BO_INFO, &info));
		EXPECT_EQ(-ENOENT, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_BO_WAIT, &wait));
		EXPECT_EQ(-EINVAL, nn_bo_close(self->fd, handles[i]));
	}
}

TEST_F(bo, other_fields)
{
	struct drm_nnaccel_bo_mmap_offset offset = { .pad = 1 };
	struct drm_nnaccel_bo_info info = { .pad = 1 };
	struct drm_nnaccel_bo_wait wait = { .flags = ~DRM_NNACCEL_BO_WAIT_FLAGS };
	struct nn_bo bo;

	ASSERT_EQ(0, nn_bo_new(self->fd, NN_PAGE, 0, &bo));
	offset.handle = info.handle = wait.handle = bo.handle;
	EXPECT_EQ(-EINVAL, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_BO_MMAP_OFFSET, &offset));
	EXPECT_EQ(-EINVAL, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_BO_INFO, &info));
	EXPECT_EQ(-EINVAL, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_BO_WAIT, &wait));
	nn_bo_free(&bo);
}

TEST_F(bo, info)
{
	struct drm_nnaccel_bo_info info = { 0 };
	struct nn_bo rw, ro;

	ASSERT_EQ(0, nn_bo_new(self->fd, 5 * NN_PAGE, 0, &rw));
	ASSERT_EQ(0, nn_bo_new(self->fd, NN_PAGE, DRM_NNACCEL_BO_DEVICE_READONLY, &ro));
	info.handle = rw.handle;
	ASSERT_EQ(0, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_BO_INFO, &info));
	EXPECT_EQ(0, info.flags);
	EXPECT_EQ(rw.size, info.size);
	EXPECT_EQ(rw.addr, info.device_addr);
	info.handle = ro.handle;
	ASSERT_EQ(0, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_BO_INFO, &info));
	EXPECT_EQ(DRM_NNACCEL_BO_DEVICE_READONLY, info.flags);
	EXPECT_EQ(ro.size, info.size);
	EXPECT_EQ(ro.addr, info.device_addr);
	nn_bo_free(&rw);
	nn_bo_free(&ro);
}

TEST_F(bo, mmap)
{
	uint64_t size = 64 * NN_PAGE;
	uint32_t *again;
	struct nn_bo bo;
	void *map;

	ASSERT_EQ(0, nn_bo_new(self->fd, size, 0, &bo));
	for (uint64_t i = 0; i < size / 4; i++)
		ASSERT_EQ(0, ((uint32_t *)bo.map)[i]);
	ASSERT_EQ(0, nn_bo_mmap(self->fd, bo.handle, size, PROT_READ, MAP_SHARED, &map));
	again = map;
	for (uint32_t i = 0; i < size / 4; i++)
		((uint32_t *)bo.map)[i] = i * 2654435761u;
	for (uint32_t i = 0; i < size / 4; i++)
		ASSERT_EQ(i * 2654435761u, again[i]);

	/* A mapping larger than the buffer, or a private one, is refused. */
	EXPECT_GT(0, nn_bo_mmap(self->fd, bo.handle, size + NN_PAGE, PROT_READ, MAP_SHARED, &map));
	EXPECT_GT(0, nn_bo_mmap(self->fd, bo.handle, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, &map));

	/* A mapping outlives its handle. */
	ASSERT_EQ(0, nn_bo_close(self->fd, bo.handle));
	EXPECT_EQ(7 * 2654435761u, again[7]);
	((uint32_t *)bo.map)[7] = 1;
	EXPECT_EQ(1, again[7]);
	munmap(again, size);
	munmap(bo.map, size);
}

TEST_F(bo, mmap_of_another_file)
{
	struct drm_nnaccel_bo_mmap_offset args = { 0 };
	int other = nn_open();
	struct nn_bo bo;
	void *map;

	ASSERT_LE(0, other);
	ASSERT_EQ(0, nn_bo_new(self->fd, NN_PAGE, 0, &bo));
	args.handle = bo.handle;
	ASSERT_EQ(0, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_BO_MMAP_OFFSET, &args));
	map = mmap(NULL, NN_PAGE, PROT_READ, MAP_SHARED, other, args.offset);
	EXPECT_EQ(MAP_FAILED, map);
	EXPECT_EQ(EACCES, errno);
	nn_bo_free(&bo);
	close(other);
}

TEST_F(bo, wait_idle)
{
	struct nn_bo bo;

	ASSERT_EQ(0, nn_bo_new(self->fd, NN_PAGE, 0, &bo));
	EXPECT_EQ(0, nn_bo_wait(&bo, 0, 0));
	EXPECT_EQ(0, nn_bo_wait(&bo, DRM_NNACCEL_BO_WAIT_WRITE, 0));
	EXPECT_EQ(0, nn_bo_wait(&bo, DRM_NNACCEL_BO_WAIT_WRITE, NN_NS_PER_S));
	nn_bo_free(&bo);
}

TEST_F(bo, prime_same_file)
{
	struct drm_nnaccel_bo_info info = { 0 };
	uint32_t handle;
	struct nn_bo bo;
	int dmabuf;

	ASSERT_EQ(0, nn_bo_new(self->fd, NN_PAGE, 0, &bo));
	ASSERT_EQ(0, drmPrimeHandleToFD(self->fd, bo.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	ASSERT_EQ(0, drmPrimeFDToHandle(self->fd, dmabuf, &handle));
	EXPECT_EQ(bo.handle, handle);
	info.handle = handle;
	ASSERT_EQ(0, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_BO_INFO, &info));
	EXPECT_EQ(bo.addr, info.device_addr);
	close(dmabuf);
	nn_bo_free(&bo);
}

TEST_F(bo, prime_other_file)
{
	struct drm_nnaccel_bo_info info = { 0 };
	struct nn_bo bo, decoy, twin;
	int other = nn_open(), dmabuf;

	ASSERT_LE(0, other);
	/* Make equal addresses in both files unlikely. */
	ASSERT_EQ(0, nn_bo_new(other, 16 * NN_PAGE, 0, &decoy));
	ASSERT_EQ(0, nn_bo_new(self->fd, 4 * NN_PAGE, DRM_NNACCEL_BO_DEVICE_READONLY, &bo));
	ASSERT_EQ(0, drmPrimeHandleToFD(self->fd, bo.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	ASSERT_EQ(0, nn_bo_import(other, dmabuf, &twin));
	EXPECT_EQ(bo.size, twin.size);
	EXPECT_TRUE(twin.addr + twin.size <= decoy.addr || decoy.addr + decoy.size <= twin.addr);
	info.handle = twin.handle;
	ASSERT_EQ(0, nn_ioctl(other, DRM_IOCTL_NNACCEL_BO_INFO, &info));
	EXPECT_EQ(DRM_NNACCEL_BO_DEVICE_READONLY, info.flags);
	strcpy(bo.map, "written by one file");
	EXPECT_STREQ("written by one file", (char *)twin.map);

	/* It lives as long as any file has a handle. */
	nn_bo_free(&bo);
	close(dmabuf);
	EXPECT_STREQ("written by one file", (char *)twin.map);
	EXPECT_EQ(0, nn_ioctl(other, DRM_IOCTL_NNACCEL_BO_INFO, &info));
	nn_bo_free(&twin);
	nn_bo_free(&decoy);
	close(other);
}

TEST_F(bo, prime_of_no_dmabuf)
{
	uint32_t handle;
	int file = memfd_create("not a dma-buf", MFD_CLOEXEC);

	ASSERT_LE(0, file);
	EXPECT_NE(0, drmPrimeFDToHandle(self->fd, file, &handle));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_NE(0, drmPrimeFDToHandle(self->fd, -1, &handle));
	close(file);
}

/* Memory of an application, imported by udmabuf; submit.c has a job that reads it. */
TEST_F(bo, import_of_foreign_memory)
{
	struct udmabuf_create udmabuf = { .size = 4 * NN_PAGE };
	struct drm_nnaccel_bo_info info = { 0 };
	int dev, file, dmabuf;
	char *memory, address[64];

	dev = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	if (dev < 0)
		SKIP(return, "no /dev/udmabuf");
	file = memfd_create("application", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	ASSERT_LE(0, file);
	ASSERT_EQ(0, ftruncate(file, 4 * NN_PAGE));
	ASSERT_EQ(0, fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK));
	memory = mmap(NULL, 4 * NN_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	ASSERT_NE(MAP_FAILED, memory);
	udmabuf.memfd = file;
	dmabuf = ioctl(dev, UDMABUF_CREATE, &udmabuf);
	ASSERT_LE(0, dmabuf);

	ASSERT_EQ(0, nn_dev_address(self->fd, address, sizeof(address)));
	if (nn_is_emulated(address)) {
		/* Its pages are another driver's, which a process must not get. */
		EXPECT_EQ(-1, drmPrimeFDToHandle(self->fd, dmabuf, &info.handle));
		EXPECT_EQ(EOPNOTSUPP, errno);
		return;
	}
	ASSERT_EQ(0, drmPrimeFDToHandle(self->fd, dmabuf, &info.handle));
	ASSERT_EQ(0, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_BO_INFO, &info));
	EXPECT_EQ(DRM_NNACCEL_BO_IMPORTED, info.flags);
	EXPECT_EQ(4 * NN_PAGE, info.size);
	EXPECT_LE(self->limits.va_start, info.device_addr);
	EXPECT_EQ(0, nn_bo_close(self->fd, info.handle));
	munmap(memory, 4 * NN_PAGE);
	close(dmabuf);
	close(file);
	close(dev);
}

/* Address space and page tables of closed files are reused. */
TEST_F_TIMEOUT(bo, files_come_and_go, NN_TEST_S)
{
	for (int i = 0; i < 50; i++) {
		int fd = nn_open();
		struct nn_bo a, b;

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, nn_bo_new(fd, (1 + i) * NN_PAGE, 0, &a));
		ASSERT_EQ(0, nn_bo_new(fd, 2 << 20, 0, &b));
		((char *)a.map)[0] = 1;
		/* Closing the file frees its objects; only the mappings are left to unmap. */
		close(fd);
		EXPECT_EQ(1, ((char *)a.map)[0]);
		munmap(a.map, a.size);
		munmap(b.map, b.size);
	}
}

TEST_HARNESS_MAIN
