// SPDX-License-Identifier: Apache-2.0
/*
 * Limits: each is reached and exceeded by one, and objects count as long as any reference keeps them.
 * See Documentation/failure-and-recovery.rst.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kselftest_harness.h>
#include <xf86drm.h>

#include <nnaccel/nnaccel_regs.h>

#include "nnaccel_load.h"

/* Users that no other test uses. */
#define USER		40001u
#define OTHER_USER	40002u

/* An empty file, and what each way of keeping a buffer needs. */
FIXTURE(charge) {
	struct nn_rig rig;	/* a rig of another user, for jobs */
	struct drm_nnaccel_limits limits;
	int fd;
};

FIXTURE_SETUP(charge)
{
	ASSERT_EQ(0, nn_rig_open_as(&self->rig, OTHER_USER));
	self->fd = nn_open_as(USER);
	ASSERT_LT(0, self->fd);
	ASSERT_EQ(0, nn_limits(self->fd, &self->limits));
	ASSERT_LT(0, self->limits.max_bytes);
	ASSERT_LT(0, self->limits.user_max_bytes);
	ASSERT_LT(0, self->limits.max_job_bytes);
}

FIXTURE_TEARDOWN(charge)
{
	if (self->rig.fd > 0)
		nn_card_heal(self->rig.fd);
	if (self->fd > 0)
		close(self->fd);
	nn_rig_close(&self->rig);
}

/* Bytes that the file may still allocate: by its own limit and by its user's. */
static int64_t room(int fd)
{
	struct drm_nnaccel_limits limits;
	struct drm_nnaccel_usage usage;
	int64_t own, users;

	if (nn_limits(fd, &limits) || nn_usage(fd, &usage))
		return -1;
	own = limits.max_bytes - usage.bytes;
	users = limits.user_max_bytes - usage.user_bytes;
	return own < users ? own : users;
}

static int create(int fd, uint64_t size, uint32_t *handle)
{
	struct drm_nnaccel_bo_create args = { .size = size };
	int ret = nn_ioctl(fd, DRM_IOCTL_NNACCEL_BO_CREATE, &args);

	*handle = args.handle;
	return ret;
}

#define MARGIN	(4u << 20)

/*
 * Fill the file with one large buffer, then smaller ones, until not even a page fits: less is left than a page
 * and the tables that it may need.
 */
static void fill(struct __test_metadata *_metadata, int fd, uint32_t *large, uint64_t *size)
{
	uint32_t handle;
	int ret;

	*size = (room(fd) - MARGIN) & ~(uint64_t)(NN_PAGE - 1);
	ASSERT_EQ(0, create(fd, *size, large));
	for (uint64_t piece = MARGIN / 2; piece >= NN_PAGE; piece /= 2) {
		while (!(ret = create(fd, piece, &handle)))
			;
		ASSERT_EQ(-ENOSPC, ret);
	}
	EXPECT_LE(0, room(fd));
	EXPECT_GT(8 * NN_PAGE, room(fd));
}

/* The reference is dropped: there is room again, perhaps after a moment. */
static int room_again(int fd, uint64_t size)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	uint32_t handle;
	int ret;

	while ((ret = create(fd, size, &handle)) == -ENOSPC && nn_now() < end)
		nn_sleep_ms(20);
	return ret ? ret : nn_bo_close(fd, handle);
}

static int one_more_page(int fd)
{
	uint32_t handle;
	int ret = create(fd, NN_PAGE, &handle);

	if (!ret)
		nn_bo_close(fd, handle);
	return ret;
}

TEST_F_TIMEOUT(charge, handle_keeps_charge, NN_LONG_TEST_S)
{
	struct drm_nnaccel_usage usage;
	uint32_t handle;
	uint64_t size;

	fill(_metadata, self->fd, &handle, &size);
	EXPECT_EQ(-ENOSPC, one_more_page(self->fd));
	ASSERT_EQ(0, nn_usage(self->fd, &usage));
	EXPECT_EQ(usage.bos, usage.handles);
	EXPECT_LE(usage.bytes, usage.user_bytes);
	ASSERT_EQ(0, nn_bo_close(self->fd, handle));
	EXPECT_EQ(0, room_again(self->fd, size));
}

TEST_F_TIMEOUT(charge, mmap_keeps_charge, NN_LONG_TEST_S)
{
	uint32_t handle;
	uint64_t size;
	void *map;

	fill(_metadata, self->fd, &handle, &size);
	ASSERT_EQ(0, nn_bo_mmap(self->fd, handle, size, PROT_READ, MAP_SHARED, &map));
	ASSERT_EQ(0, nn_bo_close(self->fd, handle));
	EXPECT_EQ(-ENOSPC, create(self->fd, size / 2, &handle));
	/* Unmap half of it: the buffer stays as long as one page is mapped. */
	ASSERT_EQ(0, munmap(map, size / 2 & ~(uint64_t)(NN_PAGE - 1)));
	EXPECT_EQ(-ENOSPC, create(self->fd, size / 2, &handle));
	ASSERT_EQ(0, munmap((char *)map + (size / 2 & ~(uint64_t)(NN_PAGE - 1)),
			    size - (size / 2 & ~(uint64_t)(NN_PAGE - 1))));
	EXPECT_EQ(0, room_again(self->fd, size));
}

TEST_F_TIMEOUT(charge, dmabuf_keeps_charge, NN_LONG_TEST_S)
{
	uint32_t handle, imported;
	struct drm_nnaccel_usage usage;
	uint64_t size;
	int dmabuf;

	fill(_metadata, self->fd, &handle, &size);
	ASSERT_EQ(0, drmPrimeHandleToFD(self->fd, handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	ASSERT_EQ(0, nn_bo_close(self->fd, handle));
	EXPECT_EQ(-ENOSPC, create(self->fd, size / 2, &handle));
	/* Another file's handle counts as a handle there; the bytes still count here. */
	ASSERT_EQ(0, drmPrimeFDToHandle(self->rig.fd, dmabuf, &imported));
	close(dmabuf);
	EXPECT_EQ(-ENOSPC, create(self->fd, size / 2, &handle));
	ASSERT_EQ(0, nn_usage(self->rig.fd, &usage));
	EXPECT_GT(size, usage.bytes);
	ASSERT_EQ(0, nn_bo_close(self->rig.fd, imported));
	EXPECT_EQ(0, room_again(self->fd, size));
}

/* A waiting job keeps its buffers, which stay charged to their file. */
TEST_F_TIMEOUT(charge, job_keeps_charge, NN_LONG_TEST_S)
{
	struct nn_bo large = { .fd = self->fd };
	struct nn_queue queue;
	struct nn_job job;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_param_set("link_ms", 60000 * nn_slow()));
	ASSERT_EQ(0, nn_queue_new(self->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &queue));
	fill(_metadata, self->fd, &large.handle, &large.size);
	ASSERT_EQ(0, nn_card_hold(self->fd));
	nn_job_null(&job);
	nn_job_bo(&job, &large, DRM_NNACCEL_BO_REF_READ);
	ASSERT_EQ(0, nn_submit(&queue, &job));
	ASSERT_EQ(0, nn_bo_close(self->fd, large.handle));
	EXPECT_EQ(-ENOSPC, create(self->fd, large.size / 2, &large.handle));
	ASSERT_EQ(0, nn_card_start(self->fd));
	EXPECT_EQ(0, room_again(self->fd, large.size));
	EXPECT_EQ(0, nn_queue_free(&queue));
}

struct inherited {
	int fd;
	int sockets[2];
};

/* A process that inherited the file, and another user that received it by a socket, both find it full. */
static int find_it_full(void *arg)
{
	const struct inherited *in = arg;
	uint32_t handle;
	int fd = in->fd;

	if (fd < 0) {
		fd = nn_recv_fd(in->sockets[0]);
		if (fd < 0 || setresuid(OTHER_USER, OTHER_USER, OTHER_USER))
			return 10;
	}
	return create(fd, MARGIN, &handle) == -ENOSPC ? 0 : 1;
}

static int find_room(void *arg)
{
	const struct inherited *in = arg;
	uint32_t handle;

	return create(in->fd, MARGIN, &handle) ? 1 : 0;
}

TEST_F_TIMEOUT(charge, fork_and_fd_passing_share_charge, NN_LONG_TEST_S)
{
	struct inherited in = { .fd = self->fd };
	struct drm_nnaccel_usage usage;
	uint32_t handle;
	uint64_t size;

	ASSERT_EQ(0, nn_socketpair(in.sockets));
	fill(_metadata, self->fd, &handle, &size);
	EXPECT_EQ(0, nn_child_end(nn_child(find_it_full, &in)));
	ASSERT_EQ(0, nn_send_fd(in.sockets[1], self->fd));
	in.fd = -1;
	EXPECT_EQ(0, nn_child_end(nn_child(find_it_full, &in)));
	/* What a child allocates stays when the child has exited. */
	ASSERT_EQ(0, nn_bo_close(self->fd, handle));
	EXPECT_EQ(0, room_again(self->fd, size));
	for (int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S; nn_now() < end; nn_sleep_ms(20)) {
		ASSERT_EQ(0, nn_usage(self->fd, &usage));
		if (usage.bytes < size)
			break;
	}
	in.fd = self->fd;
	EXPECT_EQ(0, nn_child_end(nn_child(find_room, &in)));
	size = usage.bytes;
	ASSERT_EQ(0, nn_usage(self->fd, &usage));
	EXPECT_LE(size + MARGIN, usage.bytes);
}

/* The files of a user have a common limit, which does not affect another user. */
TEST_F_TIMEOUT(charge, user_bytes_are_of_all_files, NN_LONG_TEST_S)
{
	int others, second = nn_open_as(USER);
	struct drm_nnaccel_usage usage;
	uint32_t handle;
	uint64_t size;

	ASSERT_LT(0, second);
	ASSERT_EQ(0, create(second, 64 << 20, &handle));
	ASSERT_EQ(0, nn_usage(self->fd, &usage));
	EXPECT_EQ(0, usage.bos);
	EXPECT_LE(64u << 20, usage.user_bytes);
	if (self->limits.user_max_bytes < 2 * self->limits.max_bytes) {
		uint32_t large;

		fill(_metadata, self->fd, &large, &size);
		if (room(second) < (int64_t)MARGIN) {
			EXPECT_EQ(-ENOSPC, create(second, MARGIN, &handle));
		}
	}
	others = nn_open_as(OTHER_USER);
	ASSERT_LT(0, others);
	EXPECT_EQ(0, create(others, MARGIN, &handle));
	close(others);
	close(second);
}

/* Page tables count: many small buffers at distant addresses are charged for theirs. */
TEST_F_TIMEOUT(charge, page_tables_count, NN_LONG_TEST_S)
{
	struct drm_nnaccel_usage before, after;
	uint32_t handle;

	ASSERT_EQ(0, nn_usage(self->fd, &before));
	for (int i = 0; i < 32; i++)
		ASSERT_EQ(0, create(self->fd, 1 << 20, &handle));
	ASSERT_EQ(0, nn_usage(self->fd, &after));
	/* Too small for 2 MiB blocks: 8192 pages need at least 16 tables. */
	EXPECT_LE(before.bytes + (32 << 20) + 16 * NN_PAGE, after.bytes);
}

/* Sixteen files of one user create all queues they can; another user still gets one. */
TEST_F_TIMEOUT(charge, user_queue_limit, NN_LONG_TEST_S)
{
	struct drm_nnaccel_queue_create args = { .priority = DRM_NNACCEL_PRIORITY_MEDIUM };
	struct drm_nnaccel_usage usage;
	uint32_t queues = 0;
	int files[16], other, root, ret;

	for (size_t i = 0; i < NN_COUNT(files); i++) {
		files[i] = nn_open_as(USER);
		ASSERT_LT(0, files[i]);
		while (!(ret = nn_ioctl(files[i], DRM_IOCTL_NNACCEL_QUEUE_CREATE, &args)))
			queues++;
		EXPECT_EQ(-ENOSPC, ret);
	}
	/* Contexts of earlier tests may leave the card only now. */
	for (int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S; queues < self->limits.user_max_queues && nn_now() < end; nn_sleep_ms(20))
		queues += !nn_ioctl(files[NN_COUNT(files) - 1], DRM_IOCTL_NNACCEL_QUEUE_CREATE, &args);
	EXPECT_EQ(-ENOSPC, nn_ioctl(files[NN_COUNT(files) - 1], DRM_IOCTL_NNACCEL_QUEUE_CREATE, &args));
	TH_LOG("%u queues", queues);
	EXPECT_EQ(self->limits.user_max_queues, queues);
	ASSERT_EQ(0, nn_usage(files[0], &usage));
	EXPECT_EQ(queues, usage.user_queues);
	EXPECT_GE(self->limits.max_queues, usage.queues);
	other = nn_open_as(OTHER_USER + 1);
	ASSERT_LT(0, other);
	EXPECT_EQ(0, nn_ioctl(other, DRM_IOCTL_NNACCEL_QUEUE_CREATE, &args));
	root = nn_open();
	ASSERT_LT(0, root);
	EXPECT_EQ(0, nn_ioctl(root, DRM_IOCTL_NNACCEL_QUEUE_CREATE, &args));
	/* After one was destroyed the same user gets exactly one. */
	close(files[0]);
	for (int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S; nn_now() < end; nn_sleep_ms(20)) {
		ret = nn_ioctl(files[15], DRM_IOCTL_NNACCEL_QUEUE_CREATE, &args);
		if (!ret)
			break;
	}
	files[0] = nn_open_as(USER);
	ASSERT_LT(0, files[0]);
	EXPECT_EQ(0, nn_ioctl(files[0], DRM_IOCTL_NNACCEL_QUEUE_CREATE, &args));
	close(other);
	close(root);
	for (size_t i = 0; i < NN_COUNT(files); i++)
		close(files[i]);
}

/* Open @num files of @uid, with as many queues as it gets. Return: their number, or -errno. */
static int user_fill(uint32_t uid, int *files, size_t num)
{
	struct drm_nnaccel_queue_create args = { .priority = DRM_NNACCEL_PRIORITY_MEDIUM };
	int queues = 0, ret = 0;

	for (size_t i = 0; i < num; i++) {
		files[i] = nn_open_as(uid);
		if (files[i] < 0)
			return files[i];
		while (!(ret = nn_ioctl(files[i], DRM_IOCTL_NNACCEL_QUEUE_CREATE, &args)))
			queues++;
		if (ret != -ENOSPC)
			return ret;
	}
	return queues;
}

/* Users that take all queues that they get leave some for one more. */
TEST_F_TIMEOUT(charge, few_users_leave_queues, NN_LONG_TEST_S)
{
	int files[3][16], queues[3], last;

	for (uint32_t i = 0; i < NN_COUNT(files); i++) {
		queues[i] = user_fill(OTHER_USER + i, files[i], NN_COUNT(files[i]));
		EXPECT_LT(0, queues[i]);
	}
	TH_LOG("%d, %d and %d queues", queues[0], queues[1], queues[2]);
	EXPECT_LT(0, user_fill(OTHER_USER + NN_COUNT(files), &last, 1));
	close(last);
	for (size_t i = 0; i < NN_COUNT(files); i++)
		for (size_t k = 0; k < NN_COUNT(files[i]); k++)
			close(files[i][k]);
}

/* A file keeps its context when its queue is destroyed: one user's files leave contexts for another. */
TEST_F_TIMEOUT(charge, files_leave_contexts, NN_LONG_TEST_S)
{
	static int files[NNACCEL_MAX_CONTEXTS];
	struct nn_queue queue;
	unsigned int contexts = 0;
	int other, ret = 0;

	for (size_t i = 0; i < NN_COUNT(files); i++) {
		files[i] = nn_open_as(OTHER_USER);
		ASSERT_LT(0, files[i]);
		ret = nn_queue_new(files[i], DRM_NNACCEL_PRIORITY_MEDIUM, &queue);
		if (ret)
			continue;
		contexts++;
		EXPECT_EQ(0, nn_queue_free(&queue));
	}
	TH_LOG("%u contexts", contexts);
	EXPECT_EQ(-ENOSPC, ret);
	other = nn_open_as(OTHER_USER + 1);
	ASSERT_LT(0, other);
	ASSERT_EQ(0, nn_queue_new(other, DRM_NNACCEL_PRIORITY_MEDIUM, &queue));
	EXPECT_EQ(0, nn_run_null(&queue));
	EXPECT_EQ(0, nn_queue_free(&queue));
	close(other);
	for (size_t i = 0; i < NN_COUNT(files); i++)
		close(files[i]);
}

/* A job with the maximum number of arguments. */
static void *fat_job(struct nn_rig *rig, uint32_t max_args, struct nn_job *job)
{
	struct nnaccel_arg *args = calloc(max_args, sizeof(*args));

	for (uint32_t i = 0; args && i < max_args; i++)
		args[i] = (struct nnaccel_arg){ .addr = rig->a.addr, .size = NN_BYTES };
	nn_job_run(job, &rig->add.bo, rig->add.size);
	nn_job_bo(job, &rig->a, DRM_NNACCEL_BO_REF_READ);
	nn_job_finish(job);
	job->job.args = (struct drm_nnaccel_array){
		.stride = sizeof(*args), .count = max_args, .array = (uintptr_t)args,
	};
	return args;
}

static int64_t mem_available(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	char line[128];
	long kib = 0;

	while (f && !kib && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %ld kB", &kib) != 1)
			kib = 0;
	if (f)
		fclose(f);
	return (int64_t)kib << 10;
}

static int wait_no_jobs(int fd)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	struct drm_nnaccel_usage usage = { 0 };

	do {
		int ret = nn_usage(fd, &usage);

		if (ret || (!usage.jobs && !usage.job_bytes))
			return ret;
		nn_sleep_ms(20);
	} while (nn_now() < end);
	return -EBUSY;
}

/*
 * Jobs whose deadline passes while they wait for a fence have ended for their client, but are still
 * in memory: they count until they are freed.
 */
TEST_F_TIMEOUT(charge, ended_queued_jobs_stay_charged, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_usage usage;
	uint32_t gate, jobs = 0, end = nn_syncobj(rig->fd);
	struct nn_queue queues[4];
	struct nn_job job;
	int64_t memory;
	void *args;
	int ret;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_param_set("link_ms", 90000 * nn_slow()));
	gate = nn_syncobj(rig->fd);
	for (size_t i = 0; i < NN_COUNT(queues); i++)
		ASSERT_EQ(0, nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &queues[i]));
	ASSERT_EQ(0, wait_no_jobs(rig->fd));
	ASSERT_EQ(0, nn_card_hold(rig->fd));
	/* The gate: a job that waits for the absent card. */
	nn_job_null(&job);
	nn_job_signal(&job, gate, 0);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));

	args = fat_job(rig, self->limits.max_args, &job);
	ASSERT_NE(NULL, args);
	nn_job_wait_for(&job, gate, 0);
	nn_job_signal(&job, end, 0);
	job.job.syncs = (struct drm_nnaccel_array){
		.stride = sizeof(job.syncs[0]), .count = job.num_syncs, .array = (uintptr_t)job.syncs,
	};
	memory = mem_available();
	for (size_t i = 0; i < NN_COUNT(queues); i++) {
		for (;;) {
			job.job.deadline_ns = nn_now() + NN_NS_PER_MS;
			ret = nn_submit_raw(rig->fd, queues[i].id, &job.job, sizeof(job.job), 1);
			if (ret)
				break;
			jobs++;
			ASSERT_GT(100000u, jobs);
		}
		EXPECT_EQ(-EBUSY, ret);
		EXPECT_EQ(-ETIME, nn_fence_end(rig->fd, end, 0));
	}
	memory -= mem_available();
	ASSERT_EQ(0, nn_usage(rig->fd, &usage));
	TH_LOG("%u jobs, %llu KiB charged of %llu, %lld KiB less memory", jobs,
	       (unsigned long long)usage.job_bytes >> 10, (unsigned long long)self->limits.max_job_bytes >> 10,
	       (long long)memory >> 10);
	EXPECT_LE(usage.job_bytes, self->limits.max_job_bytes);
	EXPECT_LE(usage.user_job_bytes, self->limits.user_max_job_bytes);
	/* The first jobs of a queue are freed if they end before the scheduler takes them: few, more on a busy machine. */
	EXPECT_GE(jobs + 1, usage.jobs);
	EXPECT_LE(jobs - jobs / 8, usage.jobs);
	EXPECT_LE((uint64_t)(usage.jobs - 1) * self->limits.max_args * 64, usage.job_bytes);
	EXPECT_GT((int64_t)self->limits.max_job_bytes * 2 + (64 << 20), memory);

	ASSERT_EQ(0, nn_card_start(rig->fd));
	EXPECT_EQ(0, nn_fence_end(rig->fd, gate, 0));
	EXPECT_EQ(0, wait_no_jobs(rig->fd));
	EXPECT_EQ(0, nn_rig_run(rig));
	for (size_t i = 0; i < NN_COUNT(queues); i++)
		EXPECT_EQ(0, nn_queue_free(&queues[i]));
	free(args);
}

/* Waiting jobs are kernel memory, which is limited per file; other files are not affected. */
TEST_F_TIMEOUT(charge, job_bytes_limit, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig, other;
	struct drm_nnaccel_usage usage;
	struct nn_queue queue;
	uint32_t jobs = 0;
	struct nn_job job;
	void *args;
	int ret = 0;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_rig_open_as(&other, USER));
	ASSERT_EQ(0, nn_param_set("link_ms", 90000 * nn_slow()));
	ASSERT_EQ(0, nn_card_hold(rig->fd));
	args = fat_job(rig, self->limits.max_args, &job);
	ASSERT_NE(NULL, args);
	/* Use several queues: jobs of one queue have another limit. */
	for (uint32_t i = 0; i < self->limits.max_queues / 2; i++) {
		ASSERT_EQ(0, nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &queue));
		for (uint32_t k = 0; k < self->limits.max_queued_jobs; k++) {
			ret = nn_submit_raw(rig->fd, queue.id, &job.job, sizeof(job.job), 1);
			if (ret)
				break;
			jobs++;
		}
		if (ret)
			break;
	}
	EXPECT_EQ(-EBUSY, ret);
	ASSERT_EQ(0, nn_usage(rig->fd, &usage));
	TH_LOG("%u jobs, %llu KiB of %llu", jobs, (unsigned long long)usage.job_bytes >> 10,
	       (unsigned long long)self->limits.max_job_bytes >> 10);
	EXPECT_EQ(jobs, usage.jobs);
	EXPECT_LE(usage.job_bytes, self->limits.max_job_bytes);
	/* The limit was reached: the next job would exceed it. */
	EXPECT_GT(usage.job_bytes + 2 * usage.job_bytes / (jobs ? jobs : 1), self->limits.max_job_bytes);
	nn_job_null(&job);
	EXPECT_EQ(0, nn_submit(&other.queue, &job));
	ASSERT_EQ(0, nn_card_start(rig->fd));
	EXPECT_EQ(0, wait_no_jobs(rig->fd));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_EQ(0, nn_rig_run(&other));
	free(args);
	nn_rig_close(&other);
}

/* When a file is closed its usage is gone. */
TEST_F_TIMEOUT(charge, usage_drops_to_zero, NN_TEST_S)
{
	struct drm_nnaccel_usage usage;
	struct nn_rig rig;

	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, nn_rig_open_as(&rig, USER));
		ASSERT_EQ(0, nn_rig_run(&rig));
		ASSERT_EQ(0, nn_usage(rig.fd, &usage));
		EXPECT_LT(0, usage.bytes);
		EXPECT_EQ(1, usage.queues);
		EXPECT_LE(5, usage.bos);
		nn_queue_free(&rig.queue);
		nn_program_free(&rig.add);
		nn_bo_free(&rig.a);
		nn_bo_free(&rig.b);
		nn_bo_free(&rig.out);
		nn_bo_free(&rig.result);
		EXPECT_EQ(0, nn_usage_empty(rig.fd));
		nn_rig_close(&rig);
	}
	/* Also from the user's sums, including page tables, except for the fixture's file. */
	for (int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S; nn_now() < end; nn_sleep_ms(20)) {
		struct drm_nnaccel_usage own;

		ASSERT_EQ(0, nn_usage(self->fd, &own));
		usage = own;
		if (own.user_bytes == own.bytes && !own.user_queues && !own.user_job_bytes)
			break;
	}
	EXPECT_EQ(usage.bytes, usage.user_bytes);
	EXPECT_EQ(0, usage.user_queues);
	EXPECT_EQ(0, usage.user_job_bytes);
}

/* A number of the file's fdinfo; KiB become bytes. -ENOENT: there is no such key. */
static int64_t fdinfo(int fd, const char *key)
{
	char path[64], line[256];
	size_t len = strlen(key);
	long long value;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "r");
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, len) || line[len] != ':' || sscanf(line + len + 1, "%lld", &value) != 1)
			continue;
		fclose(f);
		return strstr(line, "KiB") ? value << 10 : value;
	}
	fclose(f);
	return -ENOENT;
}

/* A file's use and limits can be read; its counters are its own. */
TEST_F_TIMEOUT(charge, fdinfo_of_each_file, NN_LONG_TEST_S)
{
	struct drm_nnaccel_bo_create args = { .size = NN_PAGE };
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_usage usage;
	struct nn_bo bo;
	struct nn_job job;

	EXPECT_EQ((int64_t)(self->limits.max_bytes & ~1023ull), fdinfo(self->fd, "nnaccel-charged-limit"));
	EXPECT_EQ(self->limits.max_bos, fdinfo(self->fd, "nnaccel-bos-limit"));
	EXPECT_EQ(self->limits.max_queues, fdinfo(self->fd, "nnaccel-queues-limit"));
	EXPECT_EQ((int64_t)self->limits.max_job_bytes, fdinfo(self->fd, "nnaccel-job-memory-limit"));
	ASSERT_EQ(0, nn_bo_new(self->fd, 5 * NN_PAGE, 0, &bo));
	ASSERT_EQ(0, nn_usage(self->fd, &usage));
	EXPECT_EQ((int64_t)(usage.bytes & ~1023ull), fdinfo(self->fd, "nnaccel-charged"));
	EXPECT_EQ(1, fdinfo(self->fd, "nnaccel-bos"));
	EXPECT_EQ(1, fdinfo(self->fd, "nnaccel-handles"));
	EXPECT_EQ(0, fdinfo(self->fd, "nnaccel-queues"));
	EXPECT_EQ(1, fdinfo(rig->fd, "nnaccel-queues"));
	nn_bo_free(&bo);

	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, nn_rig_run(rig));
	/* One that fails: the program is not one. */
	nn_job_run(&job, &rig->a, NN_PAGE);
	nn_job_signal(&job, rig->done, 0);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	EXPECT_EQ(-EINVAL, nn_fence_end(rig->fd, rig->done, 0));
	EXPECT_EQ(4, fdinfo(rig->fd, "nnaccel-jobs-submitted"));
	EXPECT_EQ(4, fdinfo(rig->fd, "nnaccel-jobs-completed"));
	EXPECT_EQ(1, fdinfo(rig->fd, "nnaccel-jobs-failed"));
	EXPECT_EQ(0, fdinfo(rig->fd, "nnaccel-jobs-innocent"));
	EXPECT_EQ(0, fdinfo(rig->fd, "nnaccel-refused"));
	EXPECT_EQ(0, fdinfo(self->fd, "nnaccel-jobs-submitted"));
	EXPECT_EQ(0, fdinfo(self->fd, "nnaccel-jobs-failed"));

	/* A refusal is counted for the file that was refused. */
	for (int ret = 0; !ret;) {
		args.size = self->limits.max_bo_size;
		ret = nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_BO_CREATE, &args);
		ASSERT_TRUE(ret == 0 || ret == -ENOSPC);
	}
	EXPECT_EQ(1, fdinfo(self->fd, "nnaccel-refused"));
	EXPECT_EQ(0, fdinfo(rig->fd, "nnaccel-refused"));
}

TEST_HARNESS_MAIN
