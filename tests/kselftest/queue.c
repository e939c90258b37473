// SPDX-License-Identifier: Apache-2.0
/* Queues: create, destroy, priorities, limits, status pages. */
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include "nnaccel_load.h"

/* More than a device has queues and address spaces. */
#define MANY_FILES	300

FIXTURE(queue) {
	int fd;
	struct drm_nnaccel_limits limits;
};

FIXTURE_SETUP(queue)
{
	self->fd = nn_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, nn_card_heal(self->fd));
	ASSERT_EQ(0, nn_limits(self->fd, &self->limits));
}

FIXTURE_TEARDOWN(queue)
{
	close(self->fd);
}

static int create(int fd, uint32_t priority, uint32_t flags, uint32_t pad)
{
	struct drm_nnaccel_queue_create args = { .priority = priority, .flags = flags, .pad = pad };
	int ret = nn_ioctl(fd, DRM_IOCTL_NNACCEL_QUEUE_CREATE, &args);

	return ret ? ret : (int)args.queue_id;
}

static int destroy(int fd, uint32_t id)
{
	struct drm_nnaccel_queue_destroy args = { .queue_id = id };

	return nn_ioctl(fd, DRM_IOCTL_NNACCEL_QUEUE_DESTROY, &args);
}

TEST_F(queue, create)
{
	struct drm_nnaccel_queue_state state;
	struct nn_queue a, b;

	ASSERT_EQ(0, nn_queue_new(self->fd, DRM_NNACCEL_PRIORITY_LOW, &a));
	ASSERT_EQ(0, nn_queue_new(self->fd, DRM_NNACCEL_PRIORITY_HIGH, &b));
	EXPECT_NE(a.id, b.id);
	EXPECT_LE(self->limits.status_entries * sizeof(struct drm_nnaccel_status_entry), a.status_size);
	ASSERT_EQ(0, nn_queue_state(&a, &state));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, state.health);
	EXPECT_EQ(0, state.innocent);
	EXPECT_EQ(0, state.queued);
	EXPECT_EQ(0, state.last_seqno);
	EXPECT_EQ(0, state.fault_addr);
	for (uint32_t i = 0; i < self->limits.status_entries; i++)
		EXPECT_EQ(0, a.status[i].seqno);
	EXPECT_EQ(0, nn_run_null(&a));
	EXPECT_EQ(0, nn_run_null(&b));
	ASSERT_EQ(0, nn_queue_state(&a, &state));
	EXPECT_EQ(1, state.last_seqno);
	EXPECT_EQ(0, nn_queue_free(&a));
	EXPECT_EQ(0, nn_run_null(&b));
	EXPECT_EQ(0, nn_queue_free(&b));
}

TEST_F(queue, create_fields)
{
	EXPECT_EQ(-EINVAL, create(self->fd, DRM_NNACCEL_PRIORITY_REALTIME + 1, 0, 0));
	EXPECT_EQ(-EINVAL, create(self->fd, UINT32_MAX, 0, 0));
	EXPECT_EQ(-EINVAL, create(self->fd, DRM_NNACCEL_PRIORITY_MEDIUM, 1, 0));
	EXPECT_EQ(-EINVAL, create(self->fd, DRM_NNACCEL_PRIORITY_MEDIUM, 1u << 31, 0));
	EXPECT_EQ(-EINVAL, create(self->fd, DRM_NNACCEL_PRIORITY_MEDIUM, 0, 1));
}

TEST_F(queue, destroy_fields)
{
	struct drm_nnaccel_queue_destroy args = { .pad = 1 };
	int id = create(self->fd, DRM_NNACCEL_PRIORITY_MEDIUM, 0, 0);

	ASSERT_LE(0, id);
	args.queue_id = id;
	EXPECT_EQ(-EINVAL, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_QUEUE_DESTROY, &args));
	EXPECT_EQ(-ENOENT, destroy(self->fd, id + 1000));
	EXPECT_EQ(-ENOENT, destroy(self->fd, UINT32_MAX));
	EXPECT_EQ(0, destroy(self->fd, id));
	EXPECT_EQ(-ENOENT, destroy(self->fd, id));
}

TEST_F(queue, priorities)
{
	for (uint32_t p = DRM_NNACCEL_PRIORITY_LOW; p <= DRM_NNACCEL_PRIORITY_REALTIME; p++) {
		struct nn_queue queue;

		ASSERT_EQ(0, nn_queue_new(self->fd, p, &queue));
		EXPECT_EQ(0, nn_run_null(&queue));
		EXPECT_EQ(0, nn_queue_free(&queue));
	}
	ASSERT_EQ(0, nn_drop_cap(CAP_SYS_NICE));
	EXPECT_LE(0, create(self->fd, DRM_NNACCEL_PRIORITY_LOW, 0, 0));
	EXPECT_LE(0, create(self->fd, DRM_NNACCEL_PRIORITY_MEDIUM, 0, 0));
	EXPECT_LE(0, create(self->fd, DRM_NNACCEL_PRIORITY_HIGH, 0, 0));
	EXPECT_EQ(-EACCES, create(self->fd, DRM_NNACCEL_PRIORITY_REALTIME, 0, 0));
}

TEST_F(queue, limit_of_file)
{
	int ids[256];
	uint32_t n = self->limits.max_queues;

	ASSERT_GE(256, n);
	for (uint32_t i = 0; i < n; i++) {
		ids[i] = create(self->fd, DRM_NNACCEL_PRIORITY_MEDIUM, 0, 0);
		ASSERT_LE(0, ids[i]);
		for (uint32_t j = 0; j < i; j++)
			EXPECT_NE(ids[j], ids[i]);
	}
	EXPECT_EQ(-ENOSPC, create(self->fd, DRM_NNACCEL_PRIORITY_MEDIUM, 0, 0));
	ASSERT_EQ(0, destroy(self->fd, ids[n / 2]));
	EXPECT_LE(0, create(self->fd, DRM_NNACCEL_PRIORITY_MEDIUM, 0, 0));
	EXPECT_EQ(-ENOSPC, create(self->fd, DRM_NNACCEL_PRIORITY_MEDIUM, 0, 0));
}

/* Queue ids of the device run out, and are free again when files are closed. */
TEST_F_TIMEOUT(queue, limit_of_device, NN_TEST_S)
{
	int fds[MANY_FILES], n, ret = 0;
	struct nn_queue queue;

	for (n = 0; n < MANY_FILES && !ret; n++) {
		fds[n] = nn_open();
		if (fds[n] < 0) {
			ret = fds[n];
			break;
		}
		for (uint32_t i = 0; i < self->limits.max_queues && ret >= 0; i++)
			ret = create(fds[n], DRM_NNACCEL_PRIORITY_MEDIUM, 0, 0);
		if (ret > 0)
			ret = 0;
	}
	EXPECT_EQ(-ENOSPC, ret);
	while (n--)
		close(fds[n]);
	/* Ids of closed files are freed in the background. */
	for (int i = 0; i < NN_WAIT_S * 10; i++) {
		ret = nn_queue_new(self->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &queue);
		if (ret != -ENOSPC)
			break;
		nn_sleep_ms(100);
	}
	ASSERT_EQ(0, ret);
	EXPECT_EQ(0, nn_run_null(&queue));
	EXPECT_EQ(0, nn_queue_free(&queue));
}

TEST_F(queue, of_another_file)
{
	struct drm_nnaccel_queue_state state = { 0 };
	int other = nn_open(), id = 0;
	struct nn_job job;

	ASSERT_LE(0, other);
	for (int i = 0; i < 4; i++) {
		id = create(self->fd, DRM_NNACCEL_PRIORITY_MEDIUM, 0, 0);
		ASSERT_LE(0, id);
	}
	state.queue_id = id;
	EXPECT_EQ(0, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_QUEUE_STATE, &state));
	EXPECT_EQ(-ENOENT, nn_ioctl(other, DRM_IOCTL_NNACCEL_QUEUE_STATE, &state));
	EXPECT_EQ(-ENOENT, destroy(other, id));
	nn_job_null(&job);
	EXPECT_EQ(-ENOENT, nn_submit_raw(other, id, &job.job, sizeof(job.job), 1));
	close(other);
}

TEST_F(queue, state_of_bad_id)
{
	static const uint32_t ids[] = { 0xdead, UINT32_MAX };

	for (int i = 0; i < 2; i++) {
		struct drm_nnaccel_queue_state state = { .queue_id = ids[i] };

		EXPECT_EQ(-ENOENT, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_QUEUE_STATE, &state));
	}
}

/* The struct of versions before 1.3: its fields are answered, and nothing is written behind it. */
TEST_F(queue, state_of_old_callers)
{
	struct {
		uint32_t queue_id, health, innocent, queued;
		uint64_t last_seqno, fault_addr, guard[8];
	} old = { 0 };
	struct drm_nnaccel_queue_state state = { 0 };
	struct nn_queue queue;

	ASSERT_EQ(0, nn_queue_new(self->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &queue));
	ASSERT_EQ(0, nn_run_null(&queue));
	old.queue_id = queue.id;
	for (size_t i = 0; i < NN_COUNT(old.guard); i++)
		old.guard[i] = ~0ull;
	ASSERT_EQ(0, nn_ioctl(self->fd, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE,
					     DRM_COMMAND_BASE + DRM_NNACCEL_QUEUE_STATE, 32), &old));
	EXPECT_EQ(1, old.last_seqno);
	for (size_t i = 0; i < NN_COUNT(old.guard); i++)
		EXPECT_EQ(~0ull, old.guard[i]);
	state.queue_id = queue.id;
	state.flags = 1;
	EXPECT_EQ(-EINVAL, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_QUEUE_STATE, &state));
	state.flags = 0;
	state.pad = 1;
	EXPECT_EQ(-EINVAL, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_QUEUE_STATE, &state));
	EXPECT_EQ(0, nn_queue_free(&queue));
}

/* The driver tells that a job runs, and that it makes progress. */
TEST_F_TIMEOUT(queue, state_of_a_running_job, 2 * NN_LONG_TEST_S)
{
	struct drm_nnaccel_queue_state state, first = { 0 };
	uint32_t done = nn_syncobj(self->fd);
	struct nn_queue queue;
	struct nn_long work;
	struct nn_job job;
	int64_t begin, end;

	ASSERT_EQ(0, nn_queue_new(self->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &queue));
	ASSERT_EQ(0, nn_run_null(&queue));
	ASSERT_EQ(0, nn_queue_state(&queue, &state));
	EXPECT_EQ(0, state.running_seqno);
	EXPECT_EQ(1, state.ended_seqno);
	EXPECT_EQ(DRM_NNACCEL_VERDICT_NONE, state.verdict);
	EXPECT_LT(0, state.progress_ns);
	ASSERT_EQ(0, nn_long_open(self->fd, 100, 20, 0, &work));
	nn_long_job(&work, &job);
	nn_job_signal(&job, done, 0);
	begin = nn_now();
	ASSERT_EQ(0, nn_submit(&queue, &job));
	for (end = begin + NN_WAIT_S * NN_NS_PER_S; nn_now() < end; nn_sleep_ms(2)) {
		ASSERT_EQ(0, nn_queue_state(&queue, &state));
		if (!state.running_seqno)
			continue;
		if (!first.running_seqno)
			first = state;
		if (state.progress > first.progress)
			break;
	}
	EXPECT_EQ(2, state.running_seqno);
	EXPECT_EQ(1, state.ended_seqno);
	EXPECT_LT(first.progress, state.progress);
	EXPECT_LE(begin, (int64_t)first.progress_ns);
	EXPECT_LT(first.progress_ns, state.progress_ns);
	ASSERT_EQ(0, nn_fence_end(self->fd, done, 0));
	first = state;
	ASSERT_EQ(0, nn_queue_state(&queue, &state));
	EXPECT_EQ(0, state.running_seqno);
	EXPECT_EQ(2, state.ended_seqno);
	EXPECT_LE(first.progress_ns, state.progress_ns);
	EXPECT_GE(nn_now(), (int64_t)state.progress_ns);
	nn_long_close(&work);
	EXPECT_EQ(0, nn_queue_free(&queue));
}

TEST_F(queue, status_page_is_read_only)
{
	struct drm_nnaccel_queue_create args = { .priority = DRM_NNACCEL_PRIORITY_MEDIUM };
	int other = nn_open();
	void *map;

	ASSERT_LE(0, other);
	ASSERT_EQ(0, nn_ioctl(self->fd, DRM_IOCTL_NNACCEL_QUEUE_CREATE, &args));
	map = mmap(NULL, args.status_size, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, args.status_offset);
	EXPECT_EQ(MAP_FAILED, map);
	EXPECT_TRUE(errno == EACCES || errno == EPERM);
	map = mmap(NULL, args.status_size, PROT_WRITE, MAP_SHARED, self->fd, args.status_offset);
	EXPECT_EQ(MAP_FAILED, map);
	/* Refused: larger than the page, before it, or by a file without such a queue. */
	map = mmap(NULL, args.status_size + NN_PAGE, PROT_READ, MAP_SHARED, self->fd, args.status_offset);
	EXPECT_EQ(MAP_FAILED, map);
	map = mmap(NULL, args.status_size, PROT_READ, MAP_SHARED, other, args.status_offset);
	EXPECT_EQ(MAP_FAILED, map);

	map = mmap(NULL, args.status_size, PROT_READ, MAP_SHARED, self->fd, args.status_offset);
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(-1, mprotect(map, args.status_size, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	/* A mapping stays readable after its queue was destroyed. */
	ASSERT_EQ(0, destroy(self->fd, args.queue_id));
	EXPECT_EQ(0, ((const volatile struct drm_nnaccel_status_entry *)map)->seqno);
	munmap(map, args.status_size);
	map = mmap(NULL, args.status_size, PROT_READ, MAP_SHARED, self->fd, args.status_offset);
	EXPECT_EQ(MAP_FAILED, map);
	close(other);
}

/* Its entries stay as long as they are mapped: the last status can be read later. */
TEST_F(queue, status_outlives_queue)
{
	struct drm_nnaccel_status_entry entry;
	struct nn_queue queue;

	ASSERT_EQ(0, nn_queue_new(self->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &queue));
	ASSERT_EQ(0, nn_run_null(&queue));
	ASSERT_EQ(0, destroy(self->fd, queue.id));
	ASSERT_EQ(0, nn_queue_status(&queue, 1, &entry));
	EXPECT_EQ(NNACCEL_STATUS_OK, entry.status);
	munmap((void *)(uintptr_t)queue.status, queue.status_size);
}

/*
 * Priorities. Many large jobs are put on the card, then one job of higher priority; the device's clock tells that
 * it did not wait for all of them.
 */
#define ROW	100
#define LARGE	(1u << 20)

FIXTURE(order) {
	struct nn_rig rig, other;
	struct nn_program add;
	struct nn_bo in, out;
};

FIXTURE_VARIANT(order) {
	bool other_file;
	uint32_t row, late;
};

FIXTURE_VARIANT_ADD(order, high_before_low_of_the_same_file) {
	.row = DRM_NNACCEL_PRIORITY_LOW,
	.late = DRM_NNACCEL_PRIORITY_HIGH,
};

FIXTURE_VARIANT_ADD(order, realtime_before_every_other_file) {
	.other_file = true,
	.row = DRM_NNACCEL_PRIORITY_HIGH,
	.late = DRM_NNACCEL_PRIORITY_REALTIME,
};

FIXTURE_VARIANT_ADD(order, files_take_turns) {
	.other_file = true,
	.row = DRM_NNACCEL_PRIORITY_HIGH,
	.late = DRM_NNACCEL_PRIORITY_LOW,
};

FIXTURE_SETUP(order)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	ASSERT_EQ(0, nn_rig_open(&self->other));
	ASSERT_EQ(0, nn_program_binary(self->rig.fd, 0, LARGE, &self->add));
	ASSERT_EQ(0, nn_bo_new(self->rig.fd, LARGE * sizeof(float), 0, &self->in));
	ASSERT_EQ(0, nn_bo_new(self->rig.fd, LARGE * sizeof(float), 0, &self->out));
}

FIXTURE_TEARDOWN(order)
{
	if (self->rig.fd > 0)
		nn_card_heal(self->rig.fd);
	nn_bo_free(&self->in);
	nn_bo_free(&self->out);
	nn_program_free(&self->add);
	nn_rig_close(&self->other);
	nn_rig_close(&self->rig);
}

TEST_F_TIMEOUT(order, late_job_is_not_last, NN_TEST_S)
{
	struct nn_rig *late_rig = variant->other_file ? &self->other : &self->rig;
	struct drm_nnaccel_status_entry e, last;
	struct nn_queue row, late;
	struct nn_job job;

	ASSERT_EQ(0, nn_queue_new(self->rig.fd, variant->row, &row));
	ASSERT_EQ(0, nn_queue_new(late_rig->fd, variant->late, &late));
	/* Slow the card down: if it were faster than submission it would never have a choice. */
	if (nn_has_control()) {
		char spec[64];

		snprintf(spec, sizeof(spec), "slow-job=1,%d", 1000 * nn_slow());
		ASSERT_EQ(0, nn_card_fault(self->rig.fd, spec));
	}
	for (int i = 0; i < ROW; i++) {
		nn_job_run(&job, &self->add.bo, self->add.size);
		nn_job_in(&job, &self->in, LARGE * sizeof(float));
		nn_job_in(&job, &self->in, LARGE * sizeof(float));
		nn_job_out(&job, &self->out, LARGE * sizeof(float));
		if (i == ROW - 1)
			nn_job_signal(&job, self->rig.done, 0);
		ASSERT_EQ(0, nn_submit(&row, &job));
	}
	ASSERT_EQ(0, nn_run_null(&late));
	ASSERT_EQ(0, nn_fence_end(self->rig.fd, self->rig.done, 0));
	ASSERT_EQ(0, nn_queue_status(&late, 1, &e));
	ASSERT_EQ(0, nn_queue_status(&row, ROW, &last));
	EXPECT_LT(e.end_ns, last.end_ns);
	EXPECT_EQ(0, nn_queue_free(&late));
	EXPECT_EQ(0, nn_queue_free(&row));
}

TEST_HARNESS_MAIN
