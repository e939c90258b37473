// SPDX-License-Identifier: Apache-2.0
/* The device is removed while clients use it: sysfs unbind and remove, module unload; then it comes back. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include "nnaccel_load.h"

FIXTURE(unplug) {
	struct nn_rig rig;
	char address[64];
};

FIXTURE_SETUP(unplug)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	ASSERT_EQ(0, nn_pci_address(self->rig.fd, self->address, sizeof(self->address)));
}

FIXTURE_TEARDOWN(unplug)
{
	nn_rig_close(&self->rig);
	/* Bind the device again for the next test. */
	if (access("/sys/module/nnaccel", F_OK))
		nn_modprobe("");
	nn_rescan();
	nn_bind(self->address);
	nn_works_again();
}

/* The state of a client whose device is gone. */
static void check_gone(struct __test_metadata *_metadata, struct nn_rig *rig)
{
	struct drm_nnaccel_device_info info;
	struct drm_nnaccel_queue_create queue = { .priority = DRM_NNACCEL_PRIORITY_MEDIUM };
	struct drm_nnaccel_bo_create bo = { .size = NN_PAGE };
	struct drm_nnaccel_queue_state state;
	struct drm_nnaccel_status_entry e;
	struct nn_job job;

	nn_job_null(&job);
	EXPECT_EQ(-ENODEV, nn_submit(&rig->queue, &job));
	EXPECT_EQ(-ENODEV, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_QUEUE_CREATE, &queue));
	EXPECT_EQ(-ENODEV, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_BO_CREATE, &bo));
	EXPECT_EQ(-ENODEV, nn_device_info(rig->fd, &info));
	EXPECT_EQ(-ENODEV, nn_queue_state(&rig->queue, &state));
	/* Its memory and the last status entries stay readable. */
	for (uint32_t i = 0; i < NN_VECTOR; i++)
		ASSERT_EQ(i, ((float *)rig->a.map)[i]);
	((float *)rig->a.map)[0] = 7;
	EXPECT_EQ(7, ((float *)rig->a.map)[0]);
	EXPECT_EQ(0, nn_queue_status(&rig->queue, 1, &e));
}

/* Fill the card: one slow job, others on the card and waiting. @fences: syncobjs of their fences. */
static int load(struct nn_rig *rig, uint32_t *fences, int n)
{
	struct nn_job job;
	int ret;

	for (int i = 0; i < n; i++) {
		fences[i] = nn_syncobj(rig->fd);
		nn_rig_job(rig, &job);
		nn_job_signal(&job, fences[i], 0);
		if (i && i >= n / 2)
			nn_job_wait_for(&job, fences[0], 0);
		ret = nn_submit(&rig->queue, &job);
		if (ret)
			return ret;
	}
	return 0;
}

#define LOAD	10

static void check_unplug(struct __test_metadata *_metadata, struct nn_rig *rig, const char *address,
			 int (*away)(const char *address))
{
	struct drm_nnaccel_counters counters;
	uint32_t fences[LOAD];
	int files[LOAD];

	/* Without a control port the jobs may end before the device is removed. */
	if (nn_has_control())
		ASSERT_EQ(0, nn_card_fault(rig->fd, "slow-job=1,60000"));
	ASSERT_EQ(0, nn_counters(rig->fd, &counters));
	ASSERT_EQ(0, load(rig, fences, LOAD));
	ASSERT_EQ(0, nn_wait_begun(&rig->queue, &counters));
	for (int i = 0; i < LOAD; i++)
		ASSERT_EQ(0, nn_export_sync_file(rig->fd, fences[i], &files[i]));
	ASSERT_EQ(0, away(address));
	for (int i = 0; i < LOAD; i++) {
		int status = nn_sync_file_end(files[i]);

		EXPECT_TRUE(status == -ENODEV || (status == 0 && !nn_has_control())) {
			TH_LOG("job %d: %d", i, status);
		}
		close(files[i]);
	}
	check_gone(_metadata, rig);
	nn_rig_close(rig);
}

TEST_F_TIMEOUT(unplug, unbind_under_load, NN_LONG_TEST_S)
{
	check_unplug(_metadata, &self->rig, self->address, nn_unbind);
	EXPECT_EQ(0, nn_bind(self->address));
	EXPECT_EQ(0, nn_works_again());
}

TEST_F_TIMEOUT(unplug, pci_remove_under_load, NN_LONG_TEST_S)
{
	check_unplug(_metadata, &self->rig, self->address, nn_pci_remove);
	EXPECT_EQ(0, nn_rescan());
	EXPECT_EQ(0, nn_works_again());
}

/* The old file is open while the new device is in use, and is closed later. */
TEST_F_TIMEOUT(unplug, old_file_beside_new_device, NN_LONG_TEST_S)
{
	ASSERT_EQ(0, nn_rig_run(&self->rig));
	ASSERT_EQ(0, nn_unbind(self->address));
	ASSERT_EQ(0, nn_bind(self->address));
	EXPECT_EQ(0, nn_works_again());
	check_gone(_metadata, &self->rig);
	EXPECT_EQ(0, nn_works_again());
	nn_rig_close(&self->rig);
	EXPECT_EQ(0, nn_works_again());
}

/* The driver can be unbound and bound while the card is away. */
TEST_F_TIMEOUT(unplug, without_a_card, NN_LONG_TEST_S)
{
	char answer[256];
	uint32_t fence;
	int file;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_card_hold(self->rig.fd));
	ASSERT_EQ(0, load(&self->rig, &fence, 1));
	ASSERT_EQ(0, nn_export_sync_file(self->rig.fd, fence, &file));
	ASSERT_EQ(0, nn_unbind(self->address));
	EXPECT_EQ(-ENODEV, nn_sync_file_end(file));
	close(file);
	nn_rig_close(&self->rig);
	ASSERT_EQ(0, nn_bind(self->address));
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "start"));
	EXPECT_EQ(0, nn_works_again());
}

TEST_F_TIMEOUT(unplug, again_and_again, NN_LONG_TEST_S)
{
	nn_rig_close(&self->rig);
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(0, nn_unbind(self->address));
		ASSERT_EQ(0, nn_bind(self->address));
		ASSERT_EQ(0, nn_works_again()) {
			TH_LOG("bind %d", i);
		}
		ASSERT_EQ(0, nn_pci_remove(self->address));
		ASSERT_EQ(0, nn_rescan());
		ASSERT_EQ(0, nn_works_again()) {
			TH_LOG("rescan %d", i);
		}
	}
}

TEST_F_TIMEOUT(unplug, module_cycles, NN_LONG_TEST_S)
{
	/* The module is in use and cannot be unloaded. */
	EXPECT_NE(0, nn_modprobe("-q -r"));
	EXPECT_EQ(0, nn_rig_run(&self->rig));
	nn_rig_close(&self->rig);
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(0, nn_module_unload()) {
			TH_LOG("unload %d", i);
		}
		ASSERT_NE(0, access("/sys/module/nnaccel", F_OK));
		ASSERT_EQ(0, nn_modprobe(""));
		ASSERT_EQ(0, nn_works_again()) {
			TH_LOG("load %d", i);
		}
	}
}

#define COPIERS		8
#define COPIES		8
#define COPY_SIZE	(16u << 20)

/* Buffers of COPY_SIZE that fill half of the memory that the device reaches, where that is a part only. */
static size_t num_copied(void)
{
	FILE *f = fopen("/sys/kernel/debug/swiotlb/io_tlb_nslabs", "r");
	unsigned long slabs = 0;
	size_t n;

	if (f && fscanf(f, "%lu", &slabs) != 1)
		slabs = 0;
	if (f)
		fclose(f);
	n = slabs * 2048 / 2 / COPY_SIZE;
	return n < 1 ? 1 : n > NN_JOB_BOS ? NN_JOB_BOS : n;
}

/*
 * Jobs whose buffers are copied to where the device reaches them, by a worker for each queue, while the device goes. If the
 * driver unmaps them meanwhile, the log has it with KASAN, and perhaps without.
 */
TEST_F_TIMEOUT(unplug, unbind_while_buffers_are_copied, NN_LONG_TEST_S)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	struct drm_nnaccel_counters before, after;
	struct nn_queue queue[COPIERS];
	uint32_t done[COPIERS];
	int files[COPIERS];
	size_t num = num_copied();
	struct nn_bo bo[NN_JOB_BOS];
	struct nn_job job;

	ASSERT_EQ(0, nn_rig_run(&self->rig));
	ASSERT_EQ(0, nn_counters(self->rig.fd, &before));
	if (!before.bytes_synced)
		SKIP(return, "the device reaches all memory");
	for (size_t i = 0; i < num; i++)
		ASSERT_EQ(0, nn_bo_new(self->rig.fd, COPY_SIZE, 0, &bo[i]));
	for (int i = 0; i < COPIERS; i++) {
		ASSERT_EQ(0, nn_queue_new(self->rig.fd, DRM_NNACCEL_PRIORITY_MEDIUM, &queue[i]));
		done[i] = nn_syncobj(self->rig.fd);
		for (int k = 0; k < COPIES; k++) {
			nn_job_null(&job);
			for (size_t b = 0; b < num; b++)
				nn_job_bo(&job, &bo[b], DRM_NNACCEL_BO_REF_READ);
			nn_job_signal(&job, done[i], 0);
			ASSERT_EQ(0, nn_submit(&queue[i], &job));
		}
		ASSERT_EQ(0, nn_export_sync_file(self->rig.fd, done[i], &files[i]));
	}
	do {
		ASSERT_EQ(0, nn_counters(self->rig.fd, &after));
	} while (after.bytes_synced < before.bytes_synced + COPY_SIZE && nn_now() < end);
	EXPECT_LT(before.bytes_synced, after.bytes_synced);
	TH_LOG("%zu buffers of %u MiB; %llu MiB were copied when the device went", num, COPY_SIZE >> 20,
	       (unsigned long long)(after.bytes_synced - before.bytes_synced) >> 20);
	ASSERT_EQ(0, nn_unbind(self->address));
	for (int i = 0; i < COPIERS; i++) {
		int status = nn_sync_file_end(files[i]);

		EXPECT_TRUE(status == -ENODEV || status == 0) {
			TH_LOG("queue %d: %d", i, status);
		}
		close(files[i]);
		nn_queue_free(&queue[i]);
	}
	for (size_t i = 0; i < num; i++)
		nn_bo_free(&bo[i]);
	EXPECT_EQ(0, nn_bind(self->address));
	EXPECT_EQ(0, nn_works_again());
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
	if (fd == -ENODEV)
		SKIP(return, "one card only");
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
