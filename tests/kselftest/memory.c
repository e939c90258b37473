// SPDX-License-Identifier: Apache-2.0
/* Labels of buffers, and buffers of memory of the process. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kselftest_harness.h>
#include <xf86drm.h>

#include "nnaccel_load.h"

FIXTURE(label) {
	int fd;
	struct nn_bo bo;
};

FIXTURE_SETUP(label)
{
	self->fd = nn_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, nn_card_heal(self->fd));
	ASSERT_EQ(0, nn_bo_new(self->fd, 3 * NN_PAGE, 0, &self->bo));
}

FIXTURE_TEARDOWN(label)
{
	nn_bo_free(&self->bo);
	close(self->fd);
}

static int label(int fd, uint32_t handle, const char *text)
{
	struct drm_nnaccel_bo_label args = {
		.handle = handle,
		.size = text ? strlen(text) : 0,
		.label = (uintptr_t)text,
	};

	return nn_ioctl(fd, DRM_IOCTL_NNACCEL_BO_LABEL, &args);
}

/* The label, NUL-terminated: its length or -errno. */
static int label_of(int fd, uint32_t handle, char text[DRM_NNACCEL_BO_LABEL_MAX + 1])
{
	struct drm_nnaccel_bo_label args = {
		.handle = handle,
		.flags = DRM_NNACCEL_BO_LABEL_GET,
		.size = DRM_NNACCEL_BO_LABEL_MAX,
		.label = (uintptr_t)text,
	};
	int ret = nn_ioctl(fd, DRM_IOCTL_NNACCEL_BO_LABEL, &args);

	if (ret)
		return ret;
	text[args.size] = '\0';
	return args.size;
}

TEST_F(label, set_get_remove)
{
	char text[DRM_NNACCEL_BO_LABEL_MAX + 1], longest[DRM_NNACCEL_BO_LABEL_MAX + 2];

	EXPECT_EQ(0, label_of(self->fd, self->bo.handle, text));
	ASSERT_EQ(0, label(self->fd, self->bo.handle, "weights ~ layer 7"));
	EXPECT_EQ(17, label_of(self->fd, self->bo.handle, text));
	EXPECT_STREQ("weights ~ layer 7", text);
	memset(longest, 'x', sizeof(longest));
	longest[DRM_NNACCEL_BO_LABEL_MAX + 1] = '\0';
	EXPECT_EQ(-E2BIG, label(self->fd, self->bo.handle, longest));
	longest[DRM_NNACCEL_BO_LABEL_MAX] = '\0';
	EXPECT_EQ(0, label(self->fd, self->bo.handle, longest));
	EXPECT_EQ(DRM_NNACCEL_BO_LABEL_MAX, (uint32_t)label_of(self->fd, self->bo.handle, text));
	EXPECT_STREQ(longest, text);
	EXPECT_EQ(0, label(self->fd, self->bo.handle, NULL));
	EXPECT_EQ(0, label_of(self->fd, self->bo.handle, text));
}

TEST_F(label, get_in_parts)
{
	struct drm_nnaccel_bo_label args = { .handle = self->bo.handle, .flags = DRM_NNACCEL_BO_LABEL_GET };
	char text[8] = "........";

	ASSERT_EQ(0, label(self->fd, self->bo.handle, "activations"));
	ASSERT_EQ(0, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_BO_LABEL, &args));
	EXPECT_EQ(11, args.size);
	args.size = 3;
	args.label = (uintptr_t)text;
	ASSERT_EQ(0, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_BO_LABEL, &args));
	EXPECT_EQ(3, args.size);
	EXPECT_EQ(0, memcmp(text, "act.....", 8));
	args.size = 0;
	EXPECT_EQ(-EINVAL, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_BO_LABEL, &args));
	args.size = 8;
	args.label = 8;
	EXPECT_EQ(-EFAULT, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_BO_LABEL, &args));
}

/* Each refusal leaves the label as it was. */
TEST_F(label, misuse)
{
	static const char *const bad[] = { "tab\there", "new\nline", "\x1b[31mred", "caf\xc3\xa9", "\x7f" };
	const struct {
		struct drm_nnaccel_bo_label args;
		int error;
	} cases[] = {
		{ { .flags = 1u << 1, .size = 1, .label = (uintptr_t)"a" }, -EINVAL },
		{ { .flags = UINT32_MAX, .size = 1, .label = (uintptr_t)"a" }, -EINVAL },
		{ { .pad = 1, .size = 1, .label = (uintptr_t)"a" }, -EINVAL },
		{ { .size = 0, .label = (uintptr_t)"a" }, -EINVAL },
		{ { .size = 1, .label = 0 }, -EFAULT },
		{ { .size = 5, .label = 8 }, -EFAULT },
		{ { .size = 5, .label = UINT64_MAX - 1 }, -EFAULT },
		{ { .size = UINT32_MAX, .label = (uintptr_t)"a" }, -E2BIG },
		/* A NUL in the middle. */
		{ { .size = 3, .label = (uintptr_t)"a\0b" }, -EINVAL },
	};
	char text[DRM_NNACCEL_BO_LABEL_MAX + 1];

	ASSERT_EQ(0, label(self->fd, self->bo.handle, "kept"));
	for (size_t i = 0; i < NN_COUNT(bad); i++)
		EXPECT_EQ(-EINVAL, label(self->fd, self->bo.handle, bad[i]));
	for (size_t i = 0; i < NN_COUNT(cases); i++) {
		struct drm_nnaccel_bo_label args = cases[i].args;

		args.handle = self->bo.handle;
		EXPECT_EQ(cases[i].error, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_BO_LABEL, &args)) {
			TH_LOG("case %zu", i);
		}
	}
	EXPECT_EQ(4, label_of(self->fd, self->bo.handle, text));
	EXPECT_STREQ("kept", text);
	EXPECT_EQ(-ENOENT, label(self->fd, 0, "a"));
	EXPECT_EQ(-ENOENT, label(self->fd, 0xdead, "a"));
	EXPECT_EQ(-ENOENT, label_of(self->fd, 0xdead, text));
}

/* The label is the buffer's: another file with a handle to it sees it, one without does not. */
TEST_F(label, of_the_buffer)
{
	char text[DRM_NNACCEL_BO_LABEL_MAX + 1];
	int other = nn_open(), dmabuf;
	struct nn_bo twin;

	ASSERT_LE(0, other);
	ASSERT_EQ(0, label(self->fd, self->bo.handle, "shared"));
	EXPECT_EQ(-ENOENT, label_of(other, self->bo.handle, text));
	ASSERT_EQ(0, drmPrimeHandleToFD(self->fd, self->bo.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	ASSERT_EQ(0, nn_bo_import(other, dmabuf, &twin));
	EXPECT_EQ(6, label_of(other, twin.handle, text));
	EXPECT_STREQ("shared", text);
	nn_bo_free(&twin);
	close(dmabuf);
	close(other);
}

/* The line of debugfs that ends in @text: its length, 0: none, or -errno. */
static int debugfs_line(int fd, const char *text, char *line, size_t size)
{
	static char bos[1 << 20];
	int ret = nn_debugfs_read(fd, "bos", bos, sizeof(bos));
	size_t n, len = strlen(text);

	if (ret < 0)
		return ret;
	for (const char *at = bos; *at; at += n + (at[n] == '\n')) {
		n = strcspn(at, "\n");
		if (n <= len || n >= size || strncmp(at + n - len, text, len) != 0)
			continue;
		memcpy(line, at, n);
		line[n] = '\0';
		return n;
	}
	return 0;
}

TEST_F(label, shown_in_debugfs)
{
	unsigned long long client, bytes;
	char line[512], kind[32];
	unsigned int handles;
	int pid, ret;

	ASSERT_EQ(0, label(self->fd, self->bo.handle, "a label of the test"));
	ret = debugfs_line(self->fd, "a label of the test", line, sizeof(line));
	if (ret == -ENOENT || ret == -EACCES)
		SKIP(return, "no debugfs");
	ASSERT_LT(0, ret);
	TH_LOG("%s", line);
	ASSERT_EQ(5, sscanf(line, "%llu %d %*s %llu %31s %u", &client, &pid, &bytes, kind, &handles));
	EXPECT_EQ(getpid(), pid);
	EXPECT_EQ(3 * NN_PAGE, bytes);
	EXPECT_STREQ("read-write", kind);
	EXPECT_EQ(1, handles);
	/* The handle is closed, but the mapping keeps the buffer. */
	ASSERT_EQ(0, nn_bo_close(self->fd, self->bo.handle));
	self->bo.handle = 0;
	ASSERT_LT(0, debugfs_line(self->fd, "a label of the test", line, sizeof(line)));
	ASSERT_EQ(5, sscanf(line, "%llu %d %*s %llu %31s %u", &client, &pid, &bytes, kind, &handles));
	EXPECT_EQ(0, handles);
	nn_bo_free(&self->bo);
	for (int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S; nn_now() < end; nn_sleep_ms(20)) {
		ret = debugfs_line(self->fd, "a label of the test", line, sizeof(line));
		if (ret <= 0)
			break;
	}
	EXPECT_EQ(0, ret);
}

/* ---- memory of the process ----------------------------------------------------------------- */

/* Users that no other test uses: what they lock is counted by user. */
#define LOCKER	40011u

FIXTURE(userptr) {
	struct nn_rig rig;
	void *memory;	/* PAGES pages, zeroed */
};

#define PAGES	64u

FIXTURE_SETUP(userptr)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	self->memory = mmap(NULL, PAGES * NN_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->memory);
}

FIXTURE_TEARDOWN(userptr)
{
	munmap(self->memory, PAGES * NN_PAGE);
	nn_rig_close(&self->rig);
}

static int userptr(int fd, void *memory, uint64_t size, uint32_t flags, struct nn_bo *bo)
{
	struct drm_nnaccel_bo_userptr args = { .addr = (uintptr_t)memory, .size = size, .flags = flags };
	int ret = nn_ioctl(fd, DRM_IOCTL_NNACCEL_BO_USERPTR, &args);

	*bo = (struct nn_bo){ .fd = fd, .handle = args.handle, .size = size, .addr = args.device_addr };
	return ret;
}

/* out = a + b in buffers of the test's choice: the error of the job. */
static int add(struct nn_rig *rig, const struct nn_bo *a, const struct nn_bo *b, const struct nn_bo *out)
{
	struct nn_job job;
	int ret;

	nn_job_run(&job, &rig->add.bo, rig->add.size);
	nn_job_in(&job, a, NN_BYTES);
	nn_job_in(&job, b, NN_BYTES);
	nn_job_out(&job, out, NN_BYTES);
	nn_job_signal(&job, rig->done, 0);
	ret = nn_submit(&rig->queue, &job);
	return ret ? ret : nn_fence_end(rig->fd, rig->done, 0);
}

/* Locked pages of this process, from /proc/self/status: pinned_vm. */
static int64_t vm_pin(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[128];
	long kib = -1;

	while (f && kib < 0 && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmPin: %ld kB", &kib) != 1)
			kib = -1;
	if (f)
		fclose(f);
	return kib * 1024 / NN_PAGE;
}

static int wait_vm_pin(int64_t pages)
{
	for (int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S; nn_now() < end; nn_sleep_ms(5))
		if (vm_pin() == pages)
			return 0;
	return -EBUSY;
}

TEST_F(userptr, job_reads_and_writes)
{
	struct drm_nnaccel_bo_info info = { 0 };
	struct nn_rig *rig = &self->rig;
	float *in = self->memory, *out = in + 4 * NN_VECTOR;
	struct nn_bo a, o;

	ASSERT_EQ(0, userptr(rig->fd, in, 4 * NN_PAGE, DRM_NNACCEL_BO_DEVICE_READONLY, &a));
	ASSERT_EQ(0, userptr(rig->fd, out, 2 * NN_PAGE, 0, &o));
	info.handle = o.handle;
	ASSERT_EQ(0, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_BO_INFO, &info));
	EXPECT_EQ(DRM_NNACCEL_BO_IS_USERPTR, info.flags);
	EXPECT_EQ(2 * NN_PAGE, info.size);
	for (uint32_t round = 1; round <= 3; round++) {
		for (uint32_t i = 0; i < NN_VECTOR; i++)
			in[i] = round * i;
		ASSERT_EQ(0, add(rig, &a, &rig->b, &o));
		for (uint32_t i = 0; i < NN_VECTOR; i++)
			ASSERT_EQ(round * i + 1.0f, out[i]);
	}
	/* The device may not write it. */
	EXPECT_EQ(-EACCES, add(rig, &rig->a, &rig->b, &a));
	EXPECT_EQ(0, nn_bo_close(rig->fd, a.handle));
	EXPECT_EQ(0, nn_bo_close(rig->fd, o.handle));
	/* What was written last, by either side, is there when the buffers are gone: also where DMA is bounced. */
	in[0] = 5.0f;
	out[0] = 6.0f;
	EXPECT_EQ(0, wait_vm_pin(0));
	EXPECT_EQ(5.0f, in[0]);
	EXPECT_EQ(6.0f, out[0]);
	EXPECT_EQ(4.0f, out[1]);
}

/* One piece of physical memory, larger than what can be copied at once where DMA is bounced. */
TEST_F(userptr, huge_page)
{
	const size_t huge = 2u << 20;
	struct nn_rig *rig = &self->rig;
	float *in;
	struct nn_bo a;
	void *memory;

	memory = mmap(NULL, 2 * huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, memory);
	in = (float *)(((uintptr_t)memory + huge - 1) & ~(huge - 1));
	ASSERT_EQ(0, madvise(in, huge, MADV_HUGEPAGE));
	for (uint32_t i = 0; i < NN_VECTOR; i++)
		in[i] = i;
	ASSERT_EQ(0, userptr(rig->fd, in, huge, DRM_NNACCEL_BO_DEVICE_READONLY, &a));
	ASSERT_EQ(0, add(rig, &a, &rig->b, &rig->out));
	for (uint32_t i = 0; i < NN_VECTOR; i++)
		ASSERT_EQ(i + 1.0f, ((float *)rig->out.map)[i]);
	EXPECT_EQ(0, nn_bo_close(rig->fd, a.handle));
	munmap(memory, 2 * huge);
}

/* The pages are the buffer, whatever happens to the addresses. */
TEST_F(userptr, addresses_change)
{
	struct nn_rig *rig = &self->rig;
	float *in = self->memory;
	struct nn_bo a;
	pid_t child;
	int status;

	for (uint32_t i = 0; i < NN_VECTOR; i++)
		in[i] = 2.0f * i;
	ASSERT_EQ(0, userptr(rig->fd, in, NN_PAGE, 0, &a));
	/* After a fork the parent keeps the pinned pages. */
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		in[1] = -1.0f;
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	in[1] = 7.0f;
	ASSERT_EQ(0, add(rig, &a, &rig->b, &rig->out));
	EXPECT_EQ(8.0f, ((float *)rig->out.map)[1]);
	ASSERT_EQ(0, munmap(in, NN_PAGE));
	ASSERT_EQ(in, mmap(in, NN_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	ASSERT_EQ(0, add(rig, &a, &rig->b, &rig->out));
	EXPECT_EQ(8.0f, ((float *)rig->out.map)[1]);
	EXPECT_EQ(0, nn_bo_close(rig->fd, a.handle));
}

/* Errors that the kernel's debugging of the DMA API has counted; 0 in a kernel without it. */
static long dma_errors(void)
{
	FILE *f = fopen("/sys/kernel/debug/dma-api/error_count", "r");
	long count = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%ld", &count) != 1)
		count = -1;
	fclose(f);
	return count;
}

/* @first and @second, buffers of the same page, which starts at @page: a job for each, and what the CPU writes between. */
static void use_twice(struct __test_metadata *_metadata, struct nn_rig *rig, float *page, const struct nn_bo *first,
		      const struct nn_bo *second)
{
	/* The other job reads what the first wrote, and what the CPU wrote since. */
	ASSERT_EQ(0, add(rig, &rig->a, &rig->b, first));
	EXPECT_EQ(8.0f, page[7]);
	page[8] = 100.0f;
	ASSERT_EQ(0, add(rig, second, &rig->b, &rig->out));
	EXPECT_EQ(9.0f, ((float *)rig->out.map)[7]);
	EXPECT_EQ(101.0f, ((float *)rig->out.map)[8]);
	/* And the other way round. */
	ASSERT_EQ(0, add(rig, &rig->out, &rig->b, second));
	EXPECT_EQ(102.0f, page[8]);
	ASSERT_EQ(0, add(rig, first, &rig->b, &rig->out));
	EXPECT_EQ(11.0f, ((float *)rig->out.map)[7]);
	EXPECT_EQ(103.0f, ((float *)rig->out.map)[8]);
	/* One of them in both places. */
	ASSERT_EQ(0, add(rig, first, &rig->b, first));
	EXPECT_EQ(103.0f, page[8]);
}

/* A page may be in several buffers, of one client or of two, whole or in part. */
TEST_F_TIMEOUT(userptr, same_pages_twice, NN_TEST_S)
{
	struct nn_rig *rig = &self->rig, other;
	int file = memfd_create("nnaccel", MFD_CLOEXEC);
	long errors = dma_errors();
	struct nn_bo a, b, c, d;
	float *page;

	ASSERT_LE(0, errors);
	ASSERT_LE(0, file);
	ASSERT_EQ(0, ftruncate(file, 4 * NN_PAGE));

	/* Anonymous memory: twice the same range, and a larger one. */
	ASSERT_EQ(0, userptr(rig->fd, self->memory, 2 * NN_PAGE, 0, &a));
	ASSERT_EQ(0, userptr(rig->fd, self->memory, 2 * NN_PAGE, 0, &b));
	ASSERT_EQ(0, userptr(rig->fd, self->memory, 4 * NN_PAGE, 0, &c));
	use_twice(_metadata, rig, self->memory, &a, &b);
	use_twice(_metadata, rig, self->memory, &c, &a);
	/* When one is gone the other is as it was. */
	EXPECT_EQ(0, nn_bo_close(rig->fd, a.handle));
	EXPECT_EQ(0, wait_vm_pin(6));
	use_twice(_metadata, rig, self->memory, &b, &c);
	EXPECT_EQ(0, nn_bo_close(rig->fd, b.handle));
	EXPECT_EQ(0, nn_bo_close(rig->fd, c.handle));

	/* Pages of a file at two addresses, by two clients, one of which may only read. */
	page = mmap(NULL, 4 * NN_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, nn_rig_open(&other));
	ASSERT_EQ(0, userptr(rig->fd, page, NN_PAGE, 0, &a));
	ASSERT_EQ(0, userptr(rig->fd, page, NN_PAGE, DRM_NNACCEL_BO_DEVICE_READONLY, &b));
	ASSERT_EQ(0, userptr(other.fd, page, NN_PAGE, 0, &c));
	ASSERT_EQ(0, userptr(other.fd, page, 4 * NN_PAGE, DRM_NNACCEL_BO_DEVICE_READONLY, &d));
	ASSERT_EQ(0, add(rig, &rig->a, &rig->b, &a));
	EXPECT_EQ(8.0f, page[7]);
	ASSERT_EQ(0, add(&other, &d, &other.b, &c));
	EXPECT_EQ(9.0f, page[7]);
	ASSERT_EQ(0, add(rig, &b, &rig->b, &rig->out));
	EXPECT_EQ(10.0f, ((float *)rig->out.map)[7]);
	nn_rig_close(&other);
	EXPECT_EQ(0, nn_bo_close(rig->fd, a.handle));
	EXPECT_EQ(0, nn_bo_close(rig->fd, b.handle));
	munmap(page, 4 * NN_PAGE);
	close(file);

	/* The zero page, in every place. */
	page = mmap(NULL, 4 * NN_PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, page);
	EXPECT_EQ(0.0f, page[0]);
	ASSERT_EQ(0, userptr(rig->fd, page, 4 * NN_PAGE, DRM_NNACCEL_BO_DEVICE_READONLY, &a));
	ASSERT_EQ(0, add(rig, &a, &rig->b, &rig->out));
	EXPECT_EQ(1.0f, ((float *)rig->out.map)[7]);
	EXPECT_EQ(0, nn_bo_close(rig->fd, a.handle));
	munmap(page, 4 * NN_PAGE);

	EXPECT_EQ(0, wait_vm_pin(0));
	EXPECT_EQ(errors, dma_errors());
}

TEST_F(userptr, misuse)
{
	uint64_t memory = (uintptr_t)self->memory;
	struct drm_nnaccel_bo_mmap_offset offset = { 0 };
	struct nn_rig *rig = &self->rig;
	const struct {
		struct drm_nnaccel_bo_userptr args;
		int error;
	} cases[] = {
		{ { .addr = memory, .size = 0 }, -EINVAL },
		{ { .addr = memory, .size = NN_PAGE - 1 }, -EINVAL },
		{ { .addr = memory + 64, .size = NN_PAGE }, -EINVAL },
		{ { .addr = memory, .size = NN_PAGE, .flags = 1u << 1 }, -EINVAL },
		{ { .addr = memory, .size = NN_PAGE, .flags = DRM_NNACCEL_BO_IS_USERPTR }, -EINVAL },
		{ { .addr = memory, .size = NN_PAGE, .pad = 1 }, -EINVAL },
		{ { .addr = memory, .size = 1ull << 62 }, -EFBIG },
		{ { .addr = 0, .size = NN_PAGE }, -EFAULT },
		{ { .addr = UINT64_MAX - NN_PAGE + 1, .size = NN_PAGE }, -EFAULT },
		{ { .addr = 1ull << 63, .size = NN_PAGE }, -EFAULT },
		/* It ends behind the memory. */
		{ { .addr = memory + (PAGES - 2) * NN_PAGE, .size = 2 * NN_PAGE }, -EFAULT },
		/* A buffer of the device is not memory of the process. */
		{ { .addr = (uintptr_t)rig->a.map, .size = NN_PAGE }, -EFAULT },
	};
	struct drm_nnaccel_usage before, after;
	struct nn_bo bo;
	int dmabuf;

	/* So that nothing follows the memory. */
	ASSERT_EQ(0, munmap((char *)self->memory + (PAGES - 1) * NN_PAGE, NN_PAGE));
	ASSERT_EQ(0, nn_usage(rig->fd, &before));
	for (size_t i = 0; i < NN_COUNT(cases); i++) {
		struct drm_nnaccel_bo_userptr args = cases[i].args;

		EXPECT_EQ(cases[i].error, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_BO_USERPTR, &args)) {
			TH_LOG("case %zu", i);
		}
	}
	ASSERT_EQ(0, mprotect(self->memory, NN_PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, userptr(rig->fd, self->memory, NN_PAGE, 0, &bo));
	ASSERT_EQ(0, nn_usage(rig->fd, &after));
	EXPECT_EQ(before.bytes, after.bytes);
	EXPECT_EQ(before.bos, after.bos);
	ASSERT_EQ(0, userptr(rig->fd, self->memory, NN_PAGE, DRM_NNACCEL_BO_DEVICE_READONLY, &bo));
	offset.handle = bo.handle;
	EXPECT_EQ(-EOPNOTSUPP, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_BO_MMAP_OFFSET, &offset));
	EXPECT_NE(0, drmPrimeHandleToFD(rig->fd, bo.handle, DRM_CLOEXEC, &dmabuf));
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_EQ(0, nn_bo_close(rig->fd, bo.handle));
}

static int become_locker(rlim_t pages)
{
	const struct rlimit limit = { pages * NN_PAGE, pages * NN_PAGE };

	return setrlimit(RLIMIT_MEMLOCK, &limit) || setresuid(LOCKER, LOCKER, LOCKER);
}

/* Pin once what an earlier process may not have given back yet: its buffers are freed after it. */
static int userptr_soon(int fd, void *memory, uint64_t size, struct nn_bo *bo)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	int ret;

	while ((ret = userptr(fd, memory, size, 0, bo)) == -EDQUOT && nn_now() < end)
		nn_sleep_ms(5);
	return ret;
}

struct locker {
	int fd;
	void *memory;
	const char *exec;	/* execute this when the memory is pinned */
	int report;		/* tell here that it is */
};

/* The limit of a user: reached and exceeded by a page, also by a process that it forks. */
static int lock_all(void *arg)
{
	const struct locker *l = arg;
	struct locker child = *l;
	struct nn_bo bo, more;

	if (become_locker(PAGES / 2))
		return 1;
	if (userptr_soon(l->fd, l->memory, PAGES / 2 * NN_PAGE, &bo) || vm_pin() != PAGES / 2)
		return 2;
	if (userptr(l->fd, (char *)l->memory + PAGES / 2 * NN_PAGE, NN_PAGE, 0, &more) != -EDQUOT ||
	    vm_pin() != PAGES / 2)
		return 3;
	child.report = -1;
	switch (fork()) {
	case -1:
		return 4;
	case 0:
		_exit(vm_pin() || userptr(l->fd, l->memory, NN_PAGE, 0, &more) != -EDQUOT);
	default:
		if (wait(&child.report) < 0 || child.report)
			return 5;
	}
	if (nn_bo_close(l->fd, bo.handle) || wait_vm_pin(0))
		return 6;
	/* All of it is there again; part of it leaves room for the rest. */
	if (userptr(l->fd, l->memory, PAGES / 4 * NN_PAGE, 0, &bo) ||
	    userptr(l->fd, l->memory, PAGES / 4 * NN_PAGE, DRM_NNACCEL_BO_DEVICE_READONLY, &more) ||
	    vm_pin() != PAGES / 2)
		return 7;
	/* A failure gives back what it had counted. */
	if (nn_bo_close(l->fd, bo.handle) || wait_vm_pin(PAGES / 4) ||
	    userptr(l->fd, NULL, PAGES / 4 * NN_PAGE, 0, &bo) != -EFAULT || vm_pin() != PAGES / 4 ||
	    userptr(l->fd, l->memory, PAGES / 4 * NN_PAGE, 0, &bo))
		return 8;
	return 0;
}

/* Pin everything that the user may lock, say so, and stay, as this program or as another. */
static int lock_and_stay(void *arg)
{
	const struct locker *l = arg;
	struct nn_bo bo;

	if (become_locker(PAGES / 2) || userptr_soon(l->fd, l->memory, PAGES / 2 * NN_PAGE, &bo) ||
	    write(l->report, "p", 1) != 1)
		return 1;
	close(l->report);
	if (l->exec)
		execl(l->exec, l->exec, "1000", NULL);
	pause();
	return 2;
}

static int lock_nothing(void *arg)
{
	const struct locker *l = arg;
	struct nn_bo bo;

	return become_locker(PAGES / 2) || userptr(l->fd, l->memory, NN_PAGE, 0, &bo) != -EDQUOT;
}

TEST_F_TIMEOUT(userptr, memlock_limit, NN_TEST_S)
{
	struct locker l = { .memory = self->memory };

	l.fd = nn_open_as(LOCKER);
	ASSERT_LT(0, l.fd);
	EXPECT_EQ(0, nn_child_end(nn_child(lock_all, &l)));
	close(l.fd);
	/* Not for CAP_IPC_LOCK; it is shown all the same. */
	{
		const struct rlimit none = { 0, 0 };
		struct rlimit old;
		struct nn_bo bo;

		ASSERT_EQ(0, getrlimit(RLIMIT_MEMLOCK, &old));
		ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &none));
		EXPECT_EQ(0, userptr(self->rig.fd, self->memory, PAGES * NN_PAGE, 0, &bo));
		EXPECT_EQ(PAGES, vm_pin());
		EXPECT_EQ(0, nn_bo_close(self->rig.fd, bo.handle));
		EXPECT_EQ(0, wait_vm_pin(0));
		ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &old));
	}
}

/* A process that was killed, and one that executes another program and keeps the file, hold it until they end. */
TEST_F_TIMEOUT(userptr, memlock_of_a_process_that_ends, NN_TEST_S)
{
	static const char *const programs[] = { NULL, "/bin/sleep" };

	for (size_t i = 0; i < NN_COUNT(programs); i++) {
		struct locker l = { .memory = self->memory, .exec = programs[i] };
		int pipes[2];
		pid_t child;
		char c;

		ASSERT_EQ(0, pipe2(pipes, O_CLOEXEC));
		l.fd = nn_open_as(LOCKER);
		ASSERT_LT(0, l.fd);
		ASSERT_EQ(0, fcntl(l.fd, F_SETFD, 0));
		l.report = pipes[1];
		child = nn_child(lock_and_stay, &l);
		close(l.fd);
		close(pipes[1]);
		ASSERT_EQ(1, read(pipes[0], &c, 1));
		/* The end of the pipe: the other program runs. */
		EXPECT_EQ(0, read(pipes[0], &c, 1));
		close(pipes[0]);
		l.fd = nn_open_as(LOCKER);
		ASSERT_LT(0, l.fd);
		EXPECT_EQ(0, nn_child_end(nn_child(lock_nothing, &l)));
		EXPECT_EQ(0, kill(child, SIGKILL));
		EXPECT_EQ(-SIGKILL, nn_child_end(child));
		EXPECT_EQ(0, nn_child_end(nn_child(lock_all, &l)));
		close(l.fd);
	}
}

/* The device is lost and comes back: the file can be closed, and everything is given back. */
TEST_F_TIMEOUT(userptr, unbind_gives_back, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	char address[64];
	float *in = self->memory;
	struct nn_bo bo;

	ASSERT_EQ(0, nn_dev_address(rig->fd, address, sizeof(address)));
	ASSERT_EQ(0, userptr(rig->fd, in, PAGES * NN_PAGE, 0, &bo));
	in[0] = 3.0f;
	EXPECT_EQ(PAGES, vm_pin());
	ASSERT_EQ(0, nn_unbind(address));
	EXPECT_EQ(3.0f, in[0]);
	EXPECT_EQ(-ENODEV, userptr(rig->fd, in, NN_PAGE, 0, &bo));
	EXPECT_EQ(PAGES, vm_pin());
	nn_rig_close(rig);
	rig->fd = 0;
	EXPECT_EQ(0, wait_vm_pin(0));
	EXPECT_EQ(3.0f, in[0]);
	ASSERT_EQ(0, nn_bind(address));
	EXPECT_EQ(0, nn_works_again());
	ASSERT_EQ(0, nn_rig_open(rig));
}

TEST_HARNESS_MAIN
