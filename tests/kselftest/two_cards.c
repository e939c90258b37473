// SPDX-License-Identifier: Apache-2.0
/* Two cards: buffers of one that the other imports, and one that is removed beside the other. Only for boots with both. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <xf86drm.h>

#include <kselftest_harness.h>

#include "nnaccel_load.h"

/* Of the kernel: all dma-bufs, and the devices that are attached to each. */
#define BUFINFO	"/sys/kernel/debug/dma_buf/bufinfo"

/* A buffer of the first card, which exports it; the second has imported it. The process has mapped it by both. */
FIXTURE(two_cards) {
	struct nn_rig first, second;
	char address[2][64];
	struct nn_bo bo, import;
};

FIXTURE_SETUP(two_cards)
{
	int fd, dmabuf;

	ASSERT_EQ(0, nn_rig_open(&self->first));
	ASSERT_EQ(0, nn_dev_address(self->first.fd, self->address[0], sizeof(self->address[0])));
	fd = nn_open_next(self->address[0]);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, nn_rig_setup_as_is(&self->second, fd));
	ASSERT_EQ(0, nn_dev_address(self->second.fd, self->address[1], sizeof(self->address[1])));
	ASSERT_EQ(0, nn_bo_new(self->first.fd, 2 * NN_PAGE, 0, &self->bo));
	ASSERT_EQ(0, drmPrimeHandleToFD(self->first.fd, self->bo.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	ASSERT_EQ(0, nn_bo_import(self->second.fd, dmabuf, &self->import));
	close(dmabuf);
}

FIXTURE_TEARDOWN(two_cards)
{
	nn_bo_free(&self->import);
	nn_bo_free(&self->bo);
	nn_rig_close(&self->second);
	nn_rig_close(&self->first);
	for (int i = 0; i < 2; i++)
		if (self->address[i][0])
			nn_bind(self->address[i]);
	nn_works_again();
}

/* Dma-bufs that the device at @address is attached to, or -errno. */
static int num_attached(const char *address)
{
	char line[256];
	FILE *file = fopen(BUFINFO, "re");
	int num = 0;

	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		num += line[0] == '\t' && strcmp(line + 1, address) == 0;
	}
	fclose(file);
	return num;
}

/* out = a + 1: the error of SUBMIT. The limit has it wait for other jobs with these buffers, and those for it. */
static int submit_add(struct nn_rig *rig, const struct nn_bo *a, const struct nn_bo *out)
{
	struct drm_nnaccel_limits limits;
	struct nn_job job;
	int ret = nn_limits(rig->fd, &limits);

	if (ret)
		return ret;
	nn_job_run(&job, &rig->add.bo, rig->add.size);
	nn_job_in(&job, a, NN_BYTES);
	nn_job_in(&job, &rig->b, NN_BYTES);
	nn_job_out(&job, out, NN_BYTES);
	nn_job_signal(&job, rig->done, 0);
	job.job.max_ns = limits.resv_ns;
	return nn_submit(&rig->queue, &job);
}

static int add(struct nn_rig *rig, const struct nn_bo *a, const struct nn_bo *out)
{
	int ret = submit_add(rig, a, out);

	return ret ? ret : nn_fence_end(rig->fd, rig->done, 0);
}

/* Whether the elements are 0 + @more, 1 + @more, .. */
static bool counts_from(const struct nn_bo *bo, float more)
{
	for (uint32_t i = 0; i < NN_VECTOR; i++)
		if (((volatile float *)bo->map)[i] != i + more)
			return false;
	return true;
}

/* Both mappings and both cards see the same memory. */
TEST_F_TIMEOUT(two_cards, both_use_it, NN_TEST_S)
{
	((float *)self->import.map)[NN_VECTOR] = 5.0f;
	EXPECT_EQ(5.0f, ((float *)self->bo.map)[NN_VECTOR]);
	ASSERT_EQ(0, add(&self->second, &self->second.a, &self->import));
	EXPECT_TRUE(counts_from(&self->bo, 1));
	ASSERT_EQ(0, add(&self->first, &self->bo, &self->first.out));
	EXPECT_TRUE(counts_from(&self->first.out, 2));
	ASSERT_EQ(0, add(&self->first, &self->first.out, &self->bo));
	EXPECT_TRUE(counts_from(&self->import, 3));
	ASSERT_EQ(0, add(&self->second, &self->import, &self->second.out));
	EXPECT_TRUE(counts_from(&self->second.out, 4));
}

/* A job of one card waits for that of the other, which takes long. */
TEST_F_TIMEOUT(two_cards, in_order, NN_LONG_TEST_S)
{
	NEED_CONTROL();
	ASSERT_EQ(0, nn_card_fault(self->first.fd, "slow-job=1,500"));
	ASSERT_EQ(0, submit_add(&self->first, &self->first.a, &self->bo));
	ASSERT_EQ(0, submit_add(&self->second, &self->import, &self->second.out));
	EXPECT_EQ(0, nn_fence_end(self->second.fd, self->second.done, 0));
	EXPECT_TRUE(counts_from(&self->second.out, 2));
	EXPECT_EQ(0, nn_fence_end(self->first.fd, self->first.done, 0));
	nn_card_heal(self->first.fd);
}

/* A device that is unbound leaves the memory of others, though clients keep their files open. */
TEST_F_TIMEOUT(two_cards, unbind_detaches_imports, NN_LONG_TEST_S)
{
	int num = num_attached(self->address[1]);

	if (num == -ENOENT)
		SKIP(return, "no " BUFINFO);
	ASSERT_EQ(1, num);
	ASSERT_EQ(0, add(&self->second, &self->second.a, &self->import));
	ASSERT_EQ(0, nn_unbind(self->address[1]));
	EXPECT_EQ(0, num_attached(self->address[1]));
	/* Both mappings are of the exporter's pages, which stay. */
	EXPECT_TRUE(counts_from(&self->import, 1));
	((float *)self->import.map)[NN_VECTOR] = 5.0f;
	EXPECT_EQ(5.0f, ((float *)self->bo.map)[NN_VECTOR]);
	EXPECT_EQ(-ENODEV, nn_bo_wait(&self->import, 0, 0));
	EXPECT_EQ(-ENODEV, submit_add(&self->second, &self->import, &self->second.out));
	/* The exporter goes on with it. */
	ASSERT_EQ(0, add(&self->first, &self->bo, &self->first.out));
	EXPECT_TRUE(counts_from(&self->first.out, 2));
}

/* The exporter goes first, and its client: what the importer has mapped stays valid, and its jobs run on. */
TEST_F_TIMEOUT(two_cards, exporter_is_unbound, NN_LONG_TEST_S)
{
	ASSERT_EQ(0, add(&self->first, &self->first.a, &self->bo));
	ASSERT_EQ(0, nn_unbind(self->address[0]));
	ASSERT_EQ(0, add(&self->second, &self->import, &self->second.out));
	EXPECT_TRUE(counts_from(&self->second.out, 2));
	nn_bo_free(&self->bo);
	nn_rig_close(&self->first);
	ASSERT_EQ(0, add(&self->second, &self->second.out, &self->import));
	EXPECT_TRUE(counts_from(&self->import, 3));
}

/* One card is silent, and a client waits for its answer; the other card is removed. */
FIXTURE(beside_silent_card) {
	struct nn_rig silent, rig;
	struct nn_long work;	/* of rig */
	char address[64];	/* of rig's device */
};

FIXTURE_SETUP(beside_silent_card)
{
	char first[64];
	int fd;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_rig_open(&self->silent));
	ASSERT_EQ(0, nn_dev_address(self->silent.fd, first, sizeof(first)));
	fd = nn_open_next(first);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, nn_rig_setup_as_is(&self->rig, fd));
	ASSERT_EQ(0, nn_dev_address(self->rig.fd, self->address, sizeof(self->address)));
	ASSERT_EQ(0, nn_long_open(self->rig.fd, 500, 120, 0, &self->work));
	/* Longer than any wait of this test: the card answers when it goes on. */
	ASSERT_EQ(0, nn_param_set("admin_ms", 5000 * NN_WAIT_S));
	ASSERT_EQ(0, nn_param_set("heartbeat_ms", 5000 * NN_WAIT_S));
}

FIXTURE_TEARDOWN(beside_silent_card)
{
	if (self->silent.fd > 0)
		nn_card_heal(self->silent.fd);
	nn_long_close(&self->work);
	nn_rig_close(&self->rig);
	nn_rig_close(&self->silent);
	if (self->address[0])
		nn_bind(self->address);
	nn_works_again();
}

/* A thread in a call that waits. */
struct caller {
	pthread_t thread;
	int (*call)(const struct caller *caller);
	int fd;
	const char *address;
	int ret;
	bool done;
};

static void *call_thread(void *arg)
{
	struct caller *caller = arg;

	caller->ret = caller->call(caller);
	__atomic_store_n(&caller->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static bool is_done(const struct caller *caller)
{
	return __atomic_load_n(&caller->done, __ATOMIC_ACQUIRE);
}

/* Wait for NN_WAIT_S at most. Return: whether it is done. */
static bool wait_done(const struct caller *caller)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;

	while (!is_done(caller) && nn_now() < end)
		nn_sleep_ms(1);
	return is_done(caller);
}

static int call_unbind(const struct caller *caller)
{
	return nn_unbind(caller->address);
}

static int call_clock(const struct caller *caller)
{
	struct drm_nnaccel_clock clock;

	return nn_clock(caller->fd, &clock);
}

static int call_queue_create(const struct caller *caller)
{
	struct nn_queue queue;
	int ret = nn_queue_new(caller->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &queue);

	return ret ? ret : nn_queue_free(&queue);
}

static int call_ping(const struct caller *caller)
{
	char text[256];
	int ret = nn_debugfs_read(caller->fd, "ping", text, sizeof(text));

	return ret > 0 ? 0 : ret ? ret : -EIO;
}

static void check_beside(struct __test_metadata *_metadata, FIXTURE_DATA(beside_silent_card) *self,
			 int (*call)(const struct caller *caller))
{
	struct caller waiter = { .fd = self->silent.fd, .call = call };
	struct caller unbind = { .address = self->address, .call = call_unbind };
	struct drm_nnaccel_counters before;
	char answer[256];
	struct nn_job job;
	int64_t start;
	int file;

	ASSERT_EQ(0, nn_counters(self->rig.fd, &before));
	nn_long_job(&self->work, &job);
	nn_job_signal(&job, self->rig.done, 0);
	ASSERT_EQ(0, nn_submit(&self->rig.queue, &job));
	ASSERT_EQ(0, nn_wait_begun(&self->rig.queue, &before));
	ASSERT_EQ(0, nn_export_sync_file(self->rig.fd, self->rig.done, &file));

	ASSERT_EQ(0, nn_counters(self->silent.fd, &before));
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "stop"));
	ASSERT_EQ(0, pthread_create(&waiter.thread, NULL, call_thread, &waiter));
	/* Its command was sent. */
	ASSERT_EQ(0, nn_wait_begun(&self->silent.queue, &before));

	start = nn_now();
	ASSERT_EQ(0, pthread_create(&unbind.thread, NULL, call_thread, &unbind));
	EXPECT_EQ(-ENODEV, nn_sync_file_end(file));
	TH_LOG("the fence ended after %lld us", (long long)(nn_now() - start) / 1000);
	EXPECT_EQ(NNACCEL_STATUS_UNPLUGGED, nn_status(&self->rig.queue, job.job.seqno));
	EXPECT_TRUE(wait_done(&unbind));
	TH_LOG("the device was gone after %lld us", (long long)(nn_now() - start) / 1000);
	/* All that before the other card has answered. */
	EXPECT_FALSE(is_done(&waiter));

	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "cont"));
	EXPECT_EQ(0, pthread_join(unbind.thread, NULL));
	EXPECT_EQ(0, unbind.ret);
	EXPECT_EQ(0, pthread_join(waiter.thread, NULL));
	EXPECT_EQ(0, waiter.ret);
	EXPECT_EQ(0, nn_rig_run(&self->silent));
	close(file);
}

TEST_F_TIMEOUT(beside_silent_card, query_clock, 2 * NN_LONG_TEST_S)
{
	check_beside(_metadata, self, call_clock);
}

TEST_F_TIMEOUT(beside_silent_card, queue_create, 2 * NN_LONG_TEST_S)
{
	check_beside(_metadata, self, call_queue_create);
}

TEST_F_TIMEOUT(beside_silent_card, debugfs_ping, 2 * NN_LONG_TEST_S)
{
	check_beside(_metadata, self, call_ping);
}

TEST_HARNESS_MAIN
