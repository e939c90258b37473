// SPDX-License-Identifier: Apache-2.0
/*
 * Every allocation and every copy from or to user space below the driver fails once, by the kernel's fault
 * injection (Documentation/fault-injection/fault-injection.rst, fail-nth): each operation is called again
 * and again, and its first, its second, its third such step fails, until it has no further one. A call that
 * fails must leave nothing behind, and one that does not must have its full effect. Needs a kernel with
 * FAULT_INJECTION: tests/vm/debug.config.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kselftest_harness.h>
#include <xf86drm.h>

#include "nnaccel_load.h"

#define NTH		"/proc/thread-self/fail-nth"
#define MAX_STEPS	400

FIXTURE(fail) {
	struct nn_rig rig;
	int other;		/* another file, with an exported buffer */
	struct nn_bo theirs;
	int dmabuf;
	char node[64];
	void *page;		/* memory for BO_USERPTR */
	int nth;
	/* what the last call made */
	struct nn_bo bo;
	uint32_t handle;
	uint32_t queue_id;
	int fd;
	void *map;
	uint64_t seqno;		/* of the rig's queue before the call */
};

typedef FIXTURE_DATA(fail) data_t;

/* ---- the kernel's settings ----------------------------------------------------------------- */

static int setting(const char *attribute, const char *name, const char *format, unsigned long value)
{
	char path[128], text[32];
	int fd, n, ret = 0;

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", attribute, name);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return -errno;
	n = snprintf(text, sizeof(text), format, value);
	if (write(fd, text, n) != n)
		ret = -errno;
	close(fd);
	return ret;
}

/* Only steps below the driver's functions count, and none is logged. */
static int settings(void)
{
	static const char *const attributes[] = { "failslab", "fail_page_alloc", "fail_usercopy" };
	unsigned long size = 0, start = 0;
	char line[256];
	FILE *f = fopen("/proc/modules", "r");
	int ret = 0;

	if (!f)
		return -errno;
	while (!start && fgets(line, sizeof(line), f))
		if (sscanf(line, "nnaccel %lu %*s %*s %*s %lx", &size, &start) != 2)
			start = 0;
	fclose(f);
	if (!start)
		return -ENOENT;
	for (size_t i = 0; i < NN_COUNT(attributes) && !ret; i++) {
		ret = setting(attributes[i], "verbose", "%lu", 0);
		if (!ret)
			ret = setting(attributes[i], "require-start", "0x%lx", start);
		if (!ret)
			ret = setting(attributes[i], "require-end", "0x%lx", start + size);
	}
	if (!ret)
		ret = setting("failslab", "ignore-gfp-wait", "%lu", 0);
	if (!ret)
		ret = setting("fail_page_alloc", "ignore-gfp-wait", "%lu", 0);
	if (!ret)
		ret = setting("fail_page_alloc", "ignore-gfp-highmem", "%lu", 0);
	return ret ? ret : setting("fail_page_alloc", "min-order", "%lu", 0);
}

FIXTURE_SETUP(fail)
{
	char link[64];
	ssize_t n;

	self->nth = -1;
	if (access(NTH, F_OK) != 0)
		SKIP(return, "no FAULT_INJECTION in this kernel");
	ASSERT_EQ(0, settings());
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	snprintf(link, sizeof(link), "/proc/self/fd/%d", self->rig.fd);
	n = readlink(link, self->node, sizeof(self->node) - 1);
	ASSERT_LT(0, n);
	self->other = open(self->node, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->other);
	ASSERT_EQ(0, nn_bo_new(self->other, NN_PAGE, 0, &self->theirs));
	ASSERT_EQ(0, drmPrimeHandleToFD(self->other, self->theirs.handle, DRM_CLOEXEC | DRM_RDWR, &self->dmabuf));
	self->page = mmap(NULL, NN_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	ASSERT_NE(MAP_FAILED, self->page);
	self->nth = open(NTH, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->nth);
}

FIXTURE_TEARDOWN(fail)
{
	if (self->nth < 0)
		return;
	close(self->nth);
	close(self->dmabuf);
	nn_bo_free(&self->theirs);
	close(self->other);
	munmap(self->page, NN_PAGE);
	nn_rig_close(&self->rig);
}

/* ---- operations ---------------------------------------------------------------------------- */

static int create_bo(data_t *d)
{
	struct drm_nnaccel_bo_create args = { .size = 3 * NN_PAGE };
	int ret = nn_ioctl(d->rig.fd, DRM_IOCTL_NNACCEL_BO_CREATE, &args);

	d->handle = args.handle;
	return ret;
}

static int close_handle(data_t *d)
{
	return nn_bo_close(d->rig.fd, d->handle);
}

static int info(data_t *d)
{
	struct drm_nnaccel_bo_info args = { .handle = d->rig.a.handle };

	return nn_ioctl(d->rig.fd, DRM_IOCTL_NNACCEL_BO_INFO, &args);
}

static int map_bo(data_t *d)
{
	return nn_bo_mmap(d->rig.fd, d->bo.handle, NN_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, &d->map);
}

static int unmap_bo(data_t *d)
{
	return munmap(d->map, NN_PAGE);
}

static int new_bo(data_t *d)
{
	return nn_bo_new(d->rig.fd, NN_PAGE, 0, &d->bo);
}

static int free_bo(data_t *d)
{
	nn_bo_free(&d->bo);
	return 0;
}

static int export_bo(data_t *d)
{
	return drmPrimeHandleToFD(d->rig.fd, d->bo.handle, DRM_CLOEXEC | DRM_RDWR, &d->fd) ? -errno : 0;
}

static int close_fd(data_t *d)
{
	return close(d->fd);
}

static int import_bo(data_t *d)
{
	return drmPrimeFDToHandle(d->rig.fd, d->dmabuf, &d->handle) ? -errno : 0;
}

static int userptr(data_t *d)
{
	struct drm_nnaccel_bo_userptr args = { .addr = (uintptr_t)d->page, .size = NN_PAGE };
	int ret = nn_ioctl(d->rig.fd, DRM_IOCTL_NNACCEL_BO_USERPTR, &args);

	d->handle = args.handle;
	return ret;
}

static int label(data_t *d)
{
	struct drm_nnaccel_bo_label args = { .handle = d->bo.handle, .size = 5, .label = (uintptr_t)"label" };

	return nn_ioctl(d->rig.fd, DRM_IOCTL_NNACCEL_BO_LABEL, &args);
}

static int advise(data_t *d, uint32_t advice)
{
	struct drm_nnaccel_bo_madvise args = { .handle = d->handle, .advice = advice };

	return nn_ioctl(d->rig.fd, DRM_IOCTL_NNACCEL_BO_MADVISE, &args);
}

static int dontneed(data_t *d)
{
	return advise(d, DRM_NNACCEL_MADV_DONTNEED);
}

static int willneed(data_t *d)
{
	return advise(d, DRM_NNACCEL_MADV_WILLNEED);
}

static int create_unneeded(data_t *d)
{
	int ret = create_bo(d);

	return ret ? ret : dontneed(d);
}

static int create_queue(data_t *d)
{
	struct drm_nnaccel_queue_create args = { .priority = DRM_NNACCEL_PRIORITY_MEDIUM };
	int ret = nn_ioctl(d->rig.fd, DRM_IOCTL_NNACCEL_QUEUE_CREATE, &args);

	d->queue_id = args.queue_id;
	return ret;
}

static int destroy_queue(data_t *d)
{
	struct drm_nnaccel_queue_destroy args = { .queue_id = d->queue_id };

	return nn_ioctl(d->rig.fd, DRM_IOCTL_NNACCEL_QUEUE_DESTROY, &args);
}

/* Whether it was destroyed or not. */
static int destroy_queue_again(data_t *d)
{
	int ret = destroy_queue(d);

	return ret == -ENOENT ? 0 : ret;
}

static int state(data_t *d)
{
	struct drm_nnaccel_queue_state args;

	return nn_queue_state(&d->rig.queue, &args);
}

static int limits(data_t *d)
{
	struct drm_nnaccel_limits args;

	return nn_limits(d->rig.fd, &args);
}

static int usage(data_t *d)
{
	struct drm_nnaccel_usage args;

	return nn_usage(d->rig.fd, &args);
}

static int wait_bo(data_t *d)
{
	return nn_bo_wait(&d->rig.out, DRM_NNACCEL_BO_WAIT_WRITE, NN_NS_PER_S);
}

static int remember_seqno(data_t *d)
{
	struct drm_nnaccel_queue_state args;
	int ret = nn_queue_state(&d->rig.queue, &args);

	d->seqno = args.last_seqno;
	return ret;
}

static int submit(data_t *d)
{
	struct nn_job job;

	nn_rig_job(&d->rig, &job);
	return nn_submit(&d->rig.queue, &job);
}

static int wait_done(data_t *d)
{
	return nn_fence_end(d->rig.fd, d->rig.done, 0);
}

/* On error no job was queued. */
static int same_seqno(data_t *d)
{
	uint64_t before = d->seqno;
	int ret = remember_seqno(d);

	return ret ? ret : d->seqno == before ? 0 : -EUCLEAN;
}

static int hint(data_t *d)
{
	struct drm_nnaccel_program_hint args = { .handle = d->rig.add.bo.handle, .size = d->rig.add.size };

	return nn_ioctl(d->rig.fd, DRM_IOCTL_NNACCEL_PROGRAM_HINT, &args);
}

static int open_node(data_t *d)
{
	d->fd = open(d->node, O_RDWR | O_CLOEXEC);
	return d->fd < 0 ? -errno : 0;
}

/*
 * DRM's core copies results to the caller after the driver has made them. If that fails they stay, and the
 * caller does not learn their numbers: search them.
 */
static int close_unknown(data_t *d)
{
	const uint32_t known[] = { d->rig.a.handle, d->rig.b.handle, d->rig.out.handle, d->rig.result.handle,
				   d->rig.add.bo.handle };

	for (uint32_t handle = 1; handle < 64; handle++) {
		bool is_known = false;

		for (size_t i = 0; i < NN_COUNT(known); i++)
			is_known |= handle == known[i];
		if (!is_known)
			nn_bo_close(d->rig.fd, handle);
	}
	return 0;
}

static int destroy_unknown(data_t *d)
{
	for (d->queue_id = 0; d->queue_id < 64; d->queue_id++)
		if (d->queue_id != d->rig.queue.id)
			destroy_queue(d);
	return 0;
}

/* The number that the next descriptor gets. */
static int new_bo_to_export(data_t *d)
{
	d->fd = dup(d->rig.fd);
	close(d->fd);
	return new_bo(d);
}

static int close_unknown_fd(data_t *d)
{
	close(d->fd);
	return 0;
}

static const struct op {
	const char *name;
	int (*before)(data_t *d);	/* without faults */
	int (*call)(data_t *d);		/* with a fault */
	int (*undo)(data_t *d);		/* what a call without an error made */
	int (*failed)(data_t *d);	/* after an error */
	int (*after)(data_t *d);	/* in both cases */
} ops[] = {
	{ "BO_CREATE", NULL, create_bo, close_handle, close_unknown, NULL },
	{ "BO_INFO", NULL, info, NULL, NULL, NULL },
	{ "mmap", new_bo, map_bo, unmap_bo, NULL, free_bo },
	{ "PRIME export", new_bo_to_export, export_bo, close_fd, close_unknown_fd, free_bo },
	{ "PRIME import", NULL, import_bo, close_handle, close_unknown, NULL },
	{ "BO_USERPTR", NULL, userptr, close_handle, close_unknown, NULL },
	{ "BO_LABEL", new_bo, label, NULL, NULL, free_bo },
	{ "BO_MADVISE, DONTNEED", create_bo, dontneed, willneed, NULL, close_handle },
	{ "BO_MADVISE, WILLNEED", create_unneeded, willneed, NULL, willneed, close_handle },
	{ "QUEUE_CREATE", NULL, create_queue, destroy_queue, destroy_unknown, NULL },
	{ "QUEUE_DESTROY", create_queue, destroy_queue, NULL, destroy_queue_again, NULL },
	{ "QUEUE_STATE", NULL, state, NULL, NULL, NULL },
	{ "DEV_QUERY, limits", NULL, limits, NULL, NULL, NULL },
	{ "DEV_QUERY, usage", NULL, usage, NULL, NULL, NULL },
	{ "BO_WAIT", NULL, wait_bo, NULL, NULL, NULL },
	{ "SUBMIT", remember_seqno, submit, wait_done, same_seqno, NULL },
	{ "PROGRAM_HINT", NULL, hint, NULL, NULL, NULL },
	{ "open", NULL, open_node, close_fd, NULL, NULL },
};

/* ---- the steps ----------------------------------------------------------------------------- */

/* Call with the @n-th step failing. @hit: there was such a step. */
static int call_failing(data_t *d, const struct op *op, unsigned int n, bool *hit)
{
	char text[16] = "";
	int ret, length = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(d->nth, text, length, 0) != length)
		return -EUCLEAN;
	ret = op->call(d);
	*hit = pread(d->nth, text, sizeof(text) - 1, 0) > 0 && text[0] == '0';
	if (pwrite(d->nth, "0", 1, 0) != 1)
		return -EUCLEAN;
	return ret;
}

static int optional(int (*part)(data_t *d), data_t *d)
{
	return part ? part(d) : 0;
}

/* Wait until what the file has is what it had: some of it is freed in the background. */
static bool has_again(data_t *d, const struct drm_nnaccel_usage *before, struct drm_nnaccel_usage *now)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;

	do {
		if (nn_usage(d->rig.fd, now))
			return false;
		if (now->bos == before->bos && now->handles == before->handles && now->queues == before->queues &&
		    now->jobs == before->jobs && now->job_bytes == before->job_bytes && now->bytes <= before->bytes)
			return true;
		nn_sleep_ms(1);
	} while (nn_now() < end);
	return false;
}

/* -ENOSPC: the kernel's shmem has no memory for an inode. */
static bool is_fault(int ret)
{
	return ret == -ENOMEM || ret == -EFAULT || ret == -ENOSPC;
}

TEST_F_TIMEOUT(fail, each_step_once, 4 * NN_LONG_TEST_S)
{
	struct drm_nnaccel_usage start;

	ASSERT_EQ(0, nn_usage(self->rig.fd, &start));
	for (size_t i = 0; i < NN_COUNT(ops); i++) {
		const struct op *op = &ops[i];
		struct drm_nnaccel_usage before, now;
		unsigned int n = 1, errors = 0;
		bool hit = true;

		/* once without a fault: page tables stay */
		ASSERT_EQ(0, optional(op->before, self));
		ASSERT_EQ(0, op->call(self));
		ASSERT_EQ(0, optional(op->undo, self));
		ASSERT_EQ(0, optional(op->after, self));
		before = start;
		before.bytes = UINT64_MAX;
		ASSERT_TRUE(has_again(self, &before, &now));
		before.bytes = now.bytes;
		for (; hit && n < MAX_STEPS; n++) {
			int ret;

			ASSERT_EQ(0, optional(op->before, self));
			ret = call_failing(self, op, n, &hit);
			EXPECT_TRUE(!ret || (hit && is_fault(ret))) {
				TH_LOG("%s, step %u: %d", op->name, n, ret);
			}
			errors += ret != 0;
			EXPECT_EQ(0, optional(ret ? op->failed : op->undo, self)) {
				TH_LOG("%s after step %u: %d", op->name, n, ret);
			}
			EXPECT_EQ(0, optional(op->after, self));
			ASSERT_TRUE(has_again(self, &before, &now)) {
				TH_LOG("%s, step %u: %u buffers, %u handles, %u queues, %u jobs, %llu bytes; before: %u, %u, %u, %u, %llu",
				       op->name, n, now.bos, now.handles, now.queues, now.jobs, (unsigned long long)now.bytes,
				       before.bos, before.handles, before.queues, before.jobs,
				       (unsigned long long)before.bytes);
			}
		}
		EXPECT_FALSE(hit);
		TH_LOG("%s: %u steps, %u errors", op->name, n - 2, errors);
		EXPECT_EQ(0, nn_rig_run(&self->rig));
		EXPECT_TRUE(nn_rig_right(&self->rig));
	}
}

TEST_HARNESS_MAIN
