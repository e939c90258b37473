// SPDX-License-Identifier: Apache-2.0
/*
 * One client does its worst on the way of commands to the card, and the others do not notice. Its weapon is a job that runs for
 * long and uses memory that it does not list: an invalidation of that memory is answered when the job ends, or when the driver
 * blames it (admin_ms). No test measures a limit: a bystander gets through while the attack still goes on.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kselftest_harness.h>
#include <xf86drm.h>

#include "nnaccel_load.h"

/* More than the commands that can be on their way to the card at once. */
#define PAGES	300
/* INT32 [N][N] is as large as these pages. */
#define N	554
/*
 * Each has an operand; a program has 4096 at most. Never fewer by a measured speed: a speed that was measured beside
 * other load makes the job too short.
 */
#define OPS	4000
/* Operations of a bystander that are timed. */
#define ROUNDS	20

/* A thread that is in BO_MADVISE. */
struct advice {
	pthread_t thread;
	struct nn_bo *bo;
	int ret;
	bool done;
};

FIXTURE(isolation) {
	struct nn_rig rig;	/* the bystander */
	struct nn_rig big;	/* the attacker */
	struct nn_long work;
	struct nn_bo page[PAGES];	/* of the attacker, adjacent, not mapped by the process */
	struct advice advice[PAGES];
	struct drm_nnaccel_counters before;
};

FIXTURE_SETUP(isolation)
{
	NEED_CONTROL();
	ASSERT_EQ(0, nn_rig_open_as(&self->rig, NN_NOBODY));
	ASSERT_EQ(0, nn_rig_open_as(&self->big, NN_NOBODY - 1));
	/* Their output fills the pages. At 10^10 products in a second they take a minute. */
	ASSERT_EQ(0, nn_long_open_size(self->big.fd, N, OPS, &self->work));
	for (int i = 0; i < PAGES; i++) {
		struct nn_bo *bo = &self->page[i];

		ASSERT_EQ(0, nn_bo_new(self->big.fd, NN_PAGE, 0, bo));
		ASSERT_EQ(0, munmap(bo->map, bo->size));
		bo->map = NULL;
		ASSERT_EQ(self->page[0].addr + i * NN_PAGE, bo->addr);
	}
	ASSERT_EQ(0, nn_rig_run(&self->rig));
	ASSERT_EQ(0, nn_counters(self->rig.fd, &self->before));
}

FIXTURE_TEARDOWN(isolation)
{
	if (self->rig.fd > 0)
		nn_card_heal(self->rig.fd);
	for (int i = 0; i < PAGES; i++)
		nn_bo_free(&self->page[i]);
	nn_long_close(&self->work);
	nn_rig_close(&self->big);
	nn_rig_close(&self->rig);
}

static void *advise_thread(void *arg)
{
	struct advice *advice = arg;

	advice->ret = nn_bo_advise(advice->bo, DRM_NNACCEL_MADV_DONTNEED);
	__atomic_store_n(&advice->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static bool is_done(const struct advice *advice)
{
	return __atomic_load_n(&advice->done, __ATOMIC_ACQUIRE);
}

static int advise_begin(struct advice *advice, struct nn_bo *bo)
{
	pthread_attr_t attr;
	int ret;

	advice->bo = bo;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	ret = pthread_create(&advice->thread, &attr, advise_thread, advice);
	pthread_attr_destroy(&attr);
	return -ret;
}

/* Until the card, which counts what it maps, has mapped a buffer of @size bytes since @before. */
static int wait_mapped(int fd, const struct drm_nnaccel_counters *before, uint64_t size)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	struct drm_nnaccel_counters now;
	int ret;

	while (!(ret = nn_counters(fd, &now)) && now.bytes_direct + now.bytes_bounced <
	       before->bytes_direct + before->bytes_bounced + size) {
		if (nn_now() > end)
			return -ETIMEDOUT;
		nn_sleep_ms(1);
	}
	return ret;
}

/* The attacker's job has its pages as output, which it does not list, for longer than any test waits. */
static int job_begin(struct nn_rig *big, const struct nn_long *work, const struct nn_bo *pages)
{
	struct drm_nnaccel_counters before;
	struct nn_job job;
	int ret;

	ret = nn_counters(big->fd, &before);
	if (ret)
		return ret;
	nn_long_job_bare(work, &job);
	job.args[1].addr = pages->addr;
	nn_job_signal(&job, big->done, 0);
	ret = nn_submit(&big->queue, &job);
	return ret ? ret : wait_mapped(big->fd, &before, job.args[1].size);
}

static int create_and_close(int fd)
{
	struct drm_nnaccel_bo_create args = { .size = NN_PAGE };
	int ret = nn_ioctl(fd, DRM_IOCTL_NNACCEL_BO_CREATE, &args);

	return ret ? ret : nn_bo_close(fd, args.handle);
}

static int queue_and_destroy(int fd)
{
	struct nn_queue queue;
	int ret = nn_queue_new(fd, DRM_NNACCEL_PRIORITY_MEDIUM, &queue);

	return ret ? ret : nn_queue_free(&queue);
}

/* Everything that a client does, several times. */
static void check_bystander(struct __test_metadata *_metadata, struct nn_rig *rig)
{
	static const char *const names[] = { "BO_CREATE and GEM_CLOSE", "QUEUE_CREATE and QUEUE_DESTROY", "a job" };
	int64_t ns[NN_COUNT(names)][ROUNDS], start;

	for (int i = 0; i < ROUNDS; i++) {
		start = nn_now();
		EXPECT_EQ(0, create_and_close(rig->fd));
		ns[0][i] = nn_now() - start;
		start = nn_now();
		EXPECT_EQ(0, queue_and_destroy(rig->fd));
		ns[1][i] = nn_now() - start;
		start = nn_now();
		EXPECT_EQ(0, nn_rig_run(rig));
		ns[2][i] = nn_now() - start;
	}
	for (size_t k = 0; k < NN_COUNT(names); k++) {
		nn_sort_ns(ns[k], ROUNDS);
		TH_LOG("%s: median %lld us, worst %lld us", names[k], (long long)(ns[k][ROUNDS / 2] / 1000),
		       (long long)(ns[k][ROUNDS - 1] / 1000));
	}
}

/* More invalidations than the admin table had room for: the job that holds them up can still be aborted. */
TEST_F_TIMEOUT(isolation, invalidations_leave_room_for_the_abort, 2 * NN_LONG_TEST_S)
{
	struct drm_nnaccel_counters after;
	int revoked = 0;

	ASSERT_EQ(0, nn_param_set("admin_ms", 3000 * nn_slow()));
	ASSERT_EQ(0, job_begin(&self->big, &self->work, self->page));
	for (int i = 0; i < PAGES; i++)
		ASSERT_EQ(0, advise_begin(&self->advice[i], &self->page[i]));
	check_bystander(_metadata, &self->rig);
	for (int i = 0; i < PAGES; i++) {
		ASSERT_EQ(0, pthread_join(self->advice[i].thread, NULL));
		revoked += self->advice[i].ret == 1;
	}
	EXPECT_EQ(PAGES, revoked);
	EXPECT_EQ(-EFAULT, nn_fence_end(self->big.fd, self->big.done, 0));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_BANNED_FAULT, nn_health(&self->big.queue));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, nn_health(&self->rig.queue));
	ASSERT_EQ(0, nn_counters(self->rig.fd, &after));
	EXPECT_EQ(self->before.resets, after.resets);
	EXPECT_EQ(self->before.links_lost, after.links_lost);
	EXPECT_EQ(self->before.aborts + 1, after.aborts);
}

/* BO_MADVISE waits for the job for longer than any test may take. */
static void madvise_begin(struct __test_metadata *_metadata, FIXTURE_DATA(isolation) *self)
{
	struct drm_nnaccel_counters before;

	ASSERT_EQ(0, nn_param_set("admin_ms", 60000 * nn_slow()));
	ASSERT_EQ(0, job_begin(&self->big, &self->work, self->page));
	ASSERT_EQ(0, nn_counters(self->big.fd, &before));
	ASSERT_EQ(0, advise_begin(&self->advice[0], &self->page[0]));
	/* The invalidation was sent. */
	ASSERT_EQ(0, nn_wait_begun(&self->big.queue, &before));
}

/* The attacker's job ends: BO_MADVISE succeeds. */
static void madvise_end(struct __test_metadata *_metadata, FIXTURE_DATA(isolation) *self)
{
	EXPECT_FALSE(is_done(&self->advice[0]));
	EXPECT_EQ(0, nn_queue_free(&self->big.queue));
	ASSERT_EQ(0, pthread_join(self->advice[0].thread, NULL));
	EXPECT_EQ(1, self->advice[0].ret);
	EXPECT_EQ(1, nn_bo_advise(&self->page[0], DRM_NNACCEL_MADV_WILLNEED));
}

static void *export_thread(void *arg)
{
	struct advice *export = arg;
	int dmabuf = -1;

	export->ret = drmPrimeHandleToFD(export->bo->fd, export->bo->handle, O_CLOEXEC, &dmabuf) ? -errno : 0;
	if (dmabuf >= 0)
		close(dmabuf);
	__atomic_store_n(&export->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* DRM holds a lock of all clients while a driver exports a buffer. */
TEST_F_TIMEOUT(isolation, export_beside_madvise, 2 * NN_LONG_TEST_S)
{
	struct advice export = { .bo = &self->page[0] };

	madvise_begin(_metadata, self);
	ASSERT_EQ(0, pthread_create(&export.thread, NULL, export_thread, &export));
	/* Time for the thread to arrive; if it is late the test only sees less. */
	for (int i = 0; i < 100 && !is_done(&export); i++)
		nn_sleep_ms(10);
	check_bystander(_metadata, &self->rig);
	EXPECT_TRUE(is_done(&export));
	EXPECT_EQ(-ESTALE, export.ret);
	madvise_end(_metadata, self);
	ASSERT_EQ(0, pthread_join(export.thread, NULL));
}

/* The attacker itself: no call waits for the other one, and mmap() does not with its mmap_lock held. */
TEST_F_TIMEOUT(isolation, calls_beside_madvise, 2 * NN_LONG_TEST_S)
{
	struct drm_nnaccel_bo_info info = { .handle = self->page[0].handle };
	struct nn_job job;
	void *map;

	madvise_begin(_metadata, self);
	EXPECT_EQ(-ESTALE, nn_bo_mmap(self->big.fd, self->page[0].handle, NN_PAGE, PROT_READ, MAP_SHARED, &map));
	EXPECT_EQ(0, nn_ioctl(self->big.fd, DRM_IOCTL_NNACCEL_BO_INFO, &info));
	EXPECT_EQ(DRM_NNACCEL_BO_DONTNEED, info.flags);
	nn_job_null(&job);
	nn_job_bo(&job, &self->page[0], DRM_NNACCEL_BO_REF_READ);
	EXPECT_EQ(-ESTALE, nn_submit(&self->big.queue, &job));
	madvise_end(_metadata, self);
}

#define ADVICES	16

/*
 * The device goes while the card has yet to confirm: all that waits ends. The card is dead then, so that a buffer may
 * have been revoked after all.
 */
TEST_F_TIMEOUT(isolation, unbind_beside_madvise, 2 * NN_LONG_TEST_S)
{
	char address[64];
	int file;

	ASSERT_EQ(0, nn_dev_address(self->rig.fd, address, sizeof(address)));
	madvise_begin(_metadata, self);
	for (int i = 1; i < ADVICES; i++)
		ASSERT_EQ(0, advise_begin(&self->advice[i], &self->page[i]));
	ASSERT_EQ(0, nn_export_sync_file(self->big.fd, self->big.done, &file));
	EXPECT_FALSE(is_done(&self->advice[0]));
	EXPECT_EQ(0, nn_unbind(address));
	for (int i = 0; i < ADVICES; i++) {
		ASSERT_EQ(0, pthread_join(self->advice[i].thread, NULL));
		EXPECT_TRUE(self->advice[i].ret == -ENODEV || self->advice[i].ret == 1) {
			TH_LOG("buffer %d: %d", i, self->advice[i].ret);
		}
	}
	EXPECT_EQ(-ENODEV, nn_sync_file_end(file));
	close(file);
	EXPECT_EQ(0, nn_bind(address));
	EXPECT_EQ(0, nn_works_again());
}

static int advise_child(void *arg)
{
	return nn_bo_advise(arg, DRM_NNACCEL_MADV_DONTNEED);
}

/* SIGKILL ends the wait of a process; the driver finishes what it has begun. */
TEST_F_TIMEOUT(isolation, killed_in_madvise, 2 * NN_LONG_TEST_S)
{
	struct drm_nnaccel_counters before;
	pid_t child;

	ASSERT_EQ(0, nn_param_set("admin_ms", 60000 * nn_slow()));
	ASSERT_EQ(0, job_begin(&self->big, &self->work, self->page));
	ASSERT_EQ(0, nn_counters(self->big.fd, &before));
	child = nn_child(advise_child, &self->page[0]);
	ASSERT_LT(0, child);
	ASSERT_EQ(0, nn_wait_begun(&self->big.queue, &before));
	ASSERT_EQ(0, kill(child, SIGKILL));
	EXPECT_EQ(-SIGKILL, nn_child_end(child));
	EXPECT_EQ(0, nn_fence_status(self->big.fd, self->big.done, 0));
	EXPECT_EQ(0, nn_queue_free(&self->big.queue));
	/* Waits for the revocation, then undoes it. */
	EXPECT_EQ(1, nn_bo_advise(&self->page[0], DRM_NNACCEL_MADV_WILLNEED));
	ASSERT_EQ(0, nn_queue_new(self->big.fd, DRM_NNACCEL_PRIORITY_MEDIUM, &self->big.queue));
	EXPECT_EQ(0, nn_rig_run(&self->big));
}

TEST_HARNESS_MAIN
