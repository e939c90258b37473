// SPDX-License-Identifier: Apache-2.0
/*
 * The node of the emulated device: who may use it, which memory the card's process reaches, and when that ends. The
 * device is one that the test itself is (nnaccel_emulator.h), so that it can do everything wrong.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kselftest_harness.h>
#include <nnaccel/nnaccel_status.h>

#include "nnaccel_emulator.h"
#include "nnaccel_load.h"

#define GARBAGE_ROUNDS	40u

FIXTURE(emu) {
	struct nn_emulator e;
	struct nn_queue queue;
	struct nn_bo bo;
	int fd;
};

FIXTURE_SETUP(emu)
{
	if (access(NN_EMULATOR_NODE, F_OK))
		SKIP(return, "no " NN_EMULATOR_NODE " (modprobe nnaccel_emu devices=2)");
	ASSERT_EQ(0, nn_emulator_open(&self->e));
}

FIXTURE_TEARDOWN(emu)
{
	nn_params_restore();
	nn_bo_free(&self->bo);
	nn_queue_free(&self->queue);
	if (self->fd > 0)
		close(self->fd);
	nn_emulator_close(&self->e);
}

/* A device, and a client of it with a queue and a buffer. */
static void plug(struct __test_metadata *_metadata, FIXTURE_DATA(emu) *self)
{
	ASSERT_EQ(0, nn_emulator_plug(&self->e));
	self->fd = nn_emulator_client();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, nn_wait_state(self->fd, DRM_NNACCEL_DEVICE_ONLINE, 0));
	ASSERT_EQ(0, nn_queue_new(self->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &self->queue));
	ASSERT_EQ(0, nn_bo_new(self->fd, 4 * NN_PAGE, 0, &self->bo));
	ASSERT_EQ(0, nn_run_null(&self->queue));
}

static sigjmp_buf on_bus_error;

static void bus_error(int signal)
{
	siglongjmp(on_bus_error, signal);
}

/* Access a byte, to write it if @write. 0, or -EFAULT after a SIGBUS. */
static int touch(volatile uint8_t *at, bool write)
{
	struct sigaction action = { .sa_handler = bus_error }, before;
	int ret = 0;

	sigaction(SIGBUS, &action, &before);
	if (sigsetjmp(on_bus_error, 1))
		ret = -EFAULT;
	else if (write)
		*at = 0x5a;
	else
		(void)*at;
	sigaction(SIGBUS, &before, NULL);
	return ret;
}

static int open_without_admin(void *arg)
{
	int fd;

	(void)arg;
	nn_drop_cap(CAP_SYS_ADMIN);
	fd = open(NN_EMULATOR_NODE, O_RDWR | O_CLOEXEC);
	return fd < 0 ? errno : 0;
}

TEST_F(emu, one_privileged_user)
{
	struct nn_emulator second;

	EXPECT_EQ(-EBUSY, nn_emulator_open(&second));
	nn_emulator_close(&second);
	EXPECT_EQ(EPERM, nn_child_end(nn_child(open_without_admin, NULL)));
	/* It is free again as soon as it is closed. */
	for (int i = 0; i < 10; i++) {
		nn_emulator_close(&self->e);
		ASSERT_EQ(0, nn_emulator_open(&self->e));
		ASSERT_EQ(0, nn_emulator_plug(&self->e));
	}
}

TEST_F(emu, plug_is_checked)
{
	struct nn_emulator *e = &self->e;

	EXPECT_EQ(-EINVAL, nn_emulator_plug_as(e, 2, 0, -2));
	EXPECT_EQ(-EINVAL, nn_emulator_plug_as(e, 0, 0, -2));
	EXPECT_EQ(-EINVAL, nn_emulator_plug_as(e, NNACCEL_EMU_VERSION, 1, -2));
	EXPECT_EQ(-EINVAL, nn_emulator_plug_as(e, NNACCEL_EMU_VERSION, 0, -1));
	EXPECT_EQ(-EINVAL, nn_emulator_plug_as(e, NNACCEL_EMU_VERSION, 0, e->node));
	/* No magic, then another layout. */
	EXPECT_EQ(-ENXIO, nn_emulator_plug_as(e, NNACCEL_EMU_VERSION, 0, -2));
	e->regs->magic = NNACCEL_MAGIC;
	e->regs->layout_version = (NNACCEL_CONTRACT_MAJOR + 1) << 16;
	EXPECT_EQ(-ENXIO, nn_emulator_plug_as(e, NNACCEL_EMU_VERSION, 0, -2));
	ASSERT_EQ(0, nn_emulator_plug(e));
	EXPECT_EQ(-EBUSY, nn_emulator_plug_as(e, NNACCEL_EMU_VERSION, 0, -2));
	EXPECT_EQ(-1, ioctl(e->node, _IO(NNACCEL_EMU_IOC, 99)));
	EXPECT_EQ(ENOTTY, errno);
	EXPECT_EQ(-1, ioctl(e->node, NNACCEL_EMU_IOC_RAISE, NNACCEL_NUM_IRQS));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(emu, only_the_card_maps_memory)
{
	struct nn_emulator *e = &self->e;
	struct nn_window window;
	uint64_t fault;

	EXPECT_EQ(-1, ioctl(e->node, NNACCEL_EMU_IOC_CLAIM));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-EACCES, nn_emulator_map(e, 1 << 24, NN_PAGE, PROT_READ, &window));
	ASSERT_EQ(0, ioctl(e->node, NNACCEL_EMU_IOC_START));
	EXPECT_EQ(-EACCES, nn_emulator_map(e, 1 << 24, NN_PAGE, PROT_READ, &window));
	ASSERT_EQ(0, ioctl(e->node, NNACCEL_EMU_IOC_CLAIM));
	EXPECT_EQ(-1, ioctl(e->node, NNACCEL_EMU_IOC_CLAIM));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-EACCES, nn_emulator_map(e, 1 << 24, NN_PAGE, PROT_READ | PROT_EXEC, &window));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, NN_PAGE, PROT_READ, MAP_PRIVATE, e->node, 1 << 24));
	EXPECT_EQ(EINVAL, errno);
	ASSERT_EQ(0, nn_emulator_map(e, 1 << 24, NN_PAGE, PROT_READ, &window));
	/* Nothing is there. */
	EXPECT_EQ(-EFAULT, touch(window.at, false));
	EXPECT_EQ(-1, mprotect(window.at, NN_PAGE, PROT_READ | PROT_WRITE));
	nn_emulator_unmap(&window);

	EXPECT_EQ(-EINVAL, nn_emulator_check(e, 0, 0, false, &fault));
	EXPECT_EQ(-EINVAL, nn_emulator_check(e, UINT64_MAX, 2, false, &fault));
	EXPECT_EQ(-EINVAL, nn_emulator_check(e, 1ull << 63, 1, false, &fault));
	EXPECT_EQ(-EFAULT, nn_emulator_check(e, 77, 1, false, &fault));
	EXPECT_EQ(77, fault);
}

TEST_F_TIMEOUT(emu, card_sees_what_is_mapped, NN_TEST_S)
{
	struct nn_emulator *e = &self->e;
	struct nn_window window;
	struct nn_bo read_only;
	uint64_t fault, bus;

	plug(_metadata, self);
	memset(self->bo.map, 7, self->bo.size);
	bus = nn_emulator_bus(e, self->bo.addr);
	EXPECT_EQ(0, nn_emulator_check(e, bus, self->bo.size, true, &fault));
	ASSERT_EQ(0, nn_emulator_map(e, bus, self->bo.size + NN_PAGE, PROT_READ | PROT_WRITE, &window));
	for (uint64_t i = 0; i < self->bo.size; i += NN_PAGE)
		EXPECT_EQ(7, ((uint8_t *)window.at)[i]);
	((uint8_t *)window.at)[NN_PAGE] = 9;
	EXPECT_EQ(9, ((uint8_t *)self->bo.map)[NN_PAGE]);
	/* It ends where the buffer ends, and no other device address has anything. */
	EXPECT_EQ(-EFAULT, touch((uint8_t *)window.at + self->bo.size, false));
	EXPECT_EQ(-EFAULT, nn_emulator_check(e, bus + NN_PAGE, self->bo.size, false, &fault));
	EXPECT_EQ(bus + self->bo.size, fault);
	nn_emulator_unmap(&window);

	ASSERT_EQ(0, nn_bo_new(self->fd, NN_PAGE, DRM_NNACCEL_BO_DEVICE_READONLY, &read_only));
	bus = nn_emulator_bus(e, read_only.addr);
	EXPECT_EQ(0, nn_emulator_check(e, bus, NN_PAGE, false, &fault));
	EXPECT_EQ(-EFAULT, nn_emulator_check(e, bus, NN_PAGE, true, &fault));
	ASSERT_EQ(0, nn_emulator_map(e, bus, NN_PAGE, PROT_READ | PROT_WRITE, &window));
	EXPECT_EQ(-EFAULT, touch(window.at, true));
	nn_emulator_unmap(&window);
	ASSERT_EQ(0, nn_emulator_map(e, bus, NN_PAGE, PROT_READ, &window));
	EXPECT_EQ(0, touch(window.at, false));
	nn_emulator_unmap(&window);
	nn_bo_free(&read_only);
}

/* A card that acknowledges an invalidation and goes on all the same gets nothing of what was there. */
TEST_F_TIMEOUT(emu, unmapped_is_out_of_reach, NN_TEST_S)
{
	struct nn_emulator *e = &self->e;
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	struct nn_window window;

	plug(_metadata, self);
	ASSERT_EQ(0, nn_emulator_map(e, nn_emulator_bus(e, self->bo.addr), NN_PAGE, PROT_READ | PROT_WRITE, &window));
	ASSERT_EQ(0, touch(window.at, true));
	nn_bo_free(&self->bo);
	memset(&self->bo, 0, sizeof(self->bo));
	/* Buffers go in the background. */
	while (!touch(window.at, true) && nn_now() < end)
		nn_sleep_ms(1);
	EXPECT_EQ(-EFAULT, touch(window.at, true));
	EXPECT_EQ(-EFAULT, touch(window.at, false));
	EXPECT_EQ(0, nn_run_null(&self->queue));
	nn_emulator_unmap(&window);
}

/* Neither card nor slot answers: the kernel takes the memory itself, jobs end, and the device comes back with its slot. */
TEST_F_TIMEOUT(emu, silent_device_loses_memory, NN_LONG_TEST_S)
{
	struct nn_emulator *e = &self->e;
	struct drm_nnaccel_device_info info;
	struct nn_window window;
	struct nn_job job;
	uint32_t done;

	plug(_metadata, self);
	ASSERT_EQ(0, nn_param_set("no_progress_ms", 200));
	ASSERT_EQ(0, nn_param_set("abort_ms", 200));
	ASSERT_EQ(0, nn_param_set("reset_ms", 300));
	ASSERT_EQ(0, nn_param_set("link_ms", 1000 * nn_slow()));
	ASSERT_EQ(0, nn_emulator_map(e, nn_emulator_bus(e, self->bo.addr), NN_PAGE, PROT_READ | PROT_WRITE, &window));
	ASSERT_EQ(0, touch(window.at, true));
	atomic_store(&e->silent, true);
	atomic_store(&e->deaf, true);
	done = nn_syncobj(self->fd);
	nn_job_null(&job);
	nn_job_signal(&job, done, 0);
	ASSERT_EQ(0, nn_submit(&self->queue, &job));
	EXPECT_GT(0, nn_fence_end(self->fd, done, 0));
	EXPECT_EQ(0, nn_wait_state(self->fd, DRM_NNACCEL_DEVICE_LINK_LOST, 0));
	EXPECT_EQ(-EFAULT, touch(window.at, false));
	nn_emulator_unmap(&window);
	/* Nothing is kept: the client closes its buffer, and is charged for nothing. */
	nn_bo_free(&self->bo);
	memset(&self->bo, 0, sizeof(self->bo));
	EXPECT_EQ(0, nn_queue_free(&self->queue));
	memset(&self->queue, 0, sizeof(self->queue));
	EXPECT_EQ(0, nn_usage_empty(self->fd));

	ASSERT_EQ(0, nn_device_info(self->fd, &info));
	atomic_store(&e->deaf, false);
	atomic_store(&e->silent, false);
	EXPECT_EQ(0, nn_wait_state(self->fd, DRM_NNACCEL_DEVICE_ONLINE, info.generation + 1));
	nn_params_restore();
	ASSERT_EQ(0, nn_queue_new(self->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &self->queue));
	EXPECT_EQ(0, nn_run_null(&self->queue));
	nn_syncobj_free(self->fd, done);
}

/* Completions that are no completions: each job is answered, and the next card is used. */
TEST_F_TIMEOUT(emu, invented_completions, NN_LONG_TEST_S)
{
	struct nn_emulator *e = &self->e;
	int lost = 0;

	plug(_metadata, self);
	/* A command whose answer is one of them has none. */
	ASSERT_EQ(0, nn_param_set("admin_ms", 300 * nn_slow()));
	for (uint32_t i = 1; i <= GARBAGE_ROUNDS; i++) {
		int ret;

		/* One in each recovery: more than it has attempts, and the card is given up. */
		ASSERT_EQ(0, nn_wait_state(self->fd, DRM_NNACCEL_DEVICE_ONLINE, 0));
		atomic_store(&e->garbage, i);
		ret = nn_run_null(&self->queue);
		EXPECT_NE(-EBUSY, ret);
		lost += ret != 0;
		if (nn_health(&self->queue) == DRM_NNACCEL_QUEUE_OK)
			continue;
		EXPECT_EQ(0, nn_queue_free(&self->queue));
		ASSERT_EQ(0, nn_queue_new(self->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &self->queue));
	}
	atomic_store(&e->garbage, 0);
	TH_LOG("%d of %u jobs were lost", lost, GARBAGE_ROUNDS);
	EXPECT_EQ(0, nn_wait_state(self->fd, DRM_NNACCEL_DEVICE_ONLINE, 0));
	EXPECT_EQ(0, nn_run_null(&self->queue));
}

/* The process goes with a job on the card: as a card that is pulled out. */
TEST_F_TIMEOUT(emu, closing_unplugs, NN_TEST_S)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	struct nn_job job;
	struct nn_bo bo;
	uint32_t done;
	int file, fd;

	plug(_metadata, self);
	atomic_store(&self->e.deaf, true);
	done = nn_syncobj(self->fd);
	nn_job_null(&job);
	nn_job_signal(&job, done, 0);
	ASSERT_EQ(0, nn_submit(&self->queue, &job));
	ASSERT_EQ(0, nn_export_sync_file(self->fd, done, &file));
	nn_emulator_close(&self->e);
	EXPECT_GT(0, nn_sync_file_end(file));
	close(file);
	while ((fd = nn_emulator_client()) >= 0 && nn_now() < end) {
		close(fd);
		nn_sleep_ms(5);
	}
	EXPECT_EQ(-ENODEV, fd);
	EXPECT_EQ(-ENODEV, nn_bo_new(self->fd, NN_PAGE, 0, &bo));
	/* The client keeps its memory. */
	memset(self->bo.map, 3, self->bo.size);

	ASSERT_EQ(0, nn_emulator_open(&self->e));
	ASSERT_EQ(0, nn_emulator_plug(&self->e));
	fd = nn_emulator_client();
	EXPECT_LE(0, fd);
	close(fd);
}

TEST_HARNESS_MAIN
