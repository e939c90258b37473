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

FIXTURE(two_cards) {
	int exporter;
	struct nn_rig rig;	/* of the importer */
	char address[64];	/* of the importer */
	struct nn_bo bo, import;
	int dmabuf;
};

FIXTURE_SETUP(two_cards)
{
	char first[64];
	int fd;

	self->dmabuf = -1;
	self->exporter = nn_open();
	ASSERT_LE(0, self->exporter);
	ASSERT_EQ(0, nn_pci_address(self->exporter, first, sizeof(first)));
	fd = nn_open_next(first);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, nn_rig_setup(&self->rig, fd));
	ASSERT_EQ(0, nn_pci_address(self->rig.fd, self->address, sizeof(self->address)));
	ASSERT_EQ(0, nn_bo_new(self->exporter, NN_BYTES, 0, &self->bo));
	ASSERT_EQ(0, drmPrimeHandleToFD(self->exporter, self->bo.handle, DRM_CLOEXEC | DRM_RDWR, &self->dmabuf));
	ASSERT_EQ(0, nn_bo_import(self->rig.fd, self->dmabuf, &self->import));
}

FIXTURE_TEARDOWN(two_cards)
{
	nn_bo_free(&self->import);
	nn_bo_free(&self->bo);
	if (self->dmabuf >= 0)
		close(self->dmabuf);
	nn_rig_close(&self->rig);
	close(self->exporter);
	if (self->address[0])
		nn_bind(self->address);
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

TEST_F(two_cards, job_reads_memory_of_the_other)
{
	struct nn_bo own = self->rig.a;

	for (uint32_t i = 0; i < NN_VECTOR; i++)
		((float *)self->bo.map)[i] = (float)(3 * i);
	EXPECT_EQ(0, memcmp(self->bo.map, self->import.map, NN_BYTES));
	self->rig.a = self->import;
	EXPECT_EQ(0, nn_rig_run(&self->rig));
	EXPECT_TRUE(nn_rig_right(&self->rig));
	self->rig.a = own;
}

/* A device that is unbound leaves the memory of others, though clients keep their files open. */
TEST_F_TIMEOUT(two_cards, unbind_detaches_imports, NN_LONG_TEST_S)
{
	int num = num_attached(self->address);

	if (num == -ENOENT)
		SKIP(return, "no " BUFINFO);
	ASSERT_EQ(1, num);
	strcpy(self->bo.map, "of the first device");
	ASSERT_EQ(0, nn_unbind(self->address));
	EXPECT_EQ(0, num_attached(self->address));
	/* Both mappings are of the exporter's pages, which stay. */
	EXPECT_STREQ("of the first device", (char *)self->import.map);
	strcpy(self->import.map, "after the second has left");
	EXPECT_STREQ("after the second has left", (char *)self->bo.map);
	EXPECT_EQ(-ENODEV, nn_bo_wait(&self->import, 0, 0));
}

/* The exporter goes first: what the importer has mapped stays valid, and its jobs run on. */
TEST_F_TIMEOUT(two_cards, exporter_is_unbound, NN_LONG_TEST_S)
{
	struct nn_bo own = self->rig.a;
	char address[64];

	ASSERT_EQ(0, nn_pci_address(self->exporter, address, sizeof(address)));
	for (uint32_t i = 0; i < NN_VECTOR; i++)
		((float *)self->bo.map)[i] = (float)i;
	ASSERT_EQ(0, nn_unbind(address));
	self->rig.a = self->import;
	EXPECT_EQ(0, nn_rig_run(&self->rig));
	EXPECT_TRUE(nn_rig_right(&self->rig));
	self->rig.a = own;
	EXPECT_EQ(0, nn_bind(address));
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
	ASSERT_EQ(0, nn_pci_address(self->silent.fd, first, sizeof(first)));
	fd = nn_open_next(first);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, nn_rig_setup_as_is(&self->rig, fd));
	ASSERT_EQ(0, nn_pci_address(self->rig.fd, self->address, sizeof(self->address)));
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
