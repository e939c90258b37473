// SPDX-License-Identifier: Apache-2.0
/* SUBMIT: jobs run in order and compute right results; failures report their cause. */
#include <errno.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kselftest_harness.h>
#include <nnprog_attrs.h>
#include <nnprog_format.h>

#include "nnaccel_util.h"

FIXTURE(submit) {
	struct nn_rig rig;
	struct drm_nnaccel_limits limits;
};

FIXTURE_SETUP(submit)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	ASSERT_EQ(0, nn_limits(self->rig.fd, &self->limits));
}

FIXTURE_TEARDOWN(submit)
{
	nn_rig_close(&self->rig);
}

TEST_F(submit, null_job)
{
	struct drm_nnaccel_status_entry e;
	struct nn_rig *rig = &self->rig;
	struct nn_job job;
	int64_t before;

	nn_job_null(&job);
	nn_job_signal(&job, rig->done, 0);
	/* An output: its old contents do not matter. */
	job.job.seqno = 77;
	before = nn_now();
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	EXPECT_EQ(1, job.job.seqno);
	ASSERT_EQ(0, nn_fence_end(rig->fd, rig->done, 0));
	ASSERT_EQ(0, nn_queue_status(&rig->queue, 1, &e));
	EXPECT_EQ(NNACCEL_STATUS_OK, e.status);
	EXPECT_EQ(0, e.error);
	EXPECT_LE(e.start_ns, e.end_ns);
	EXPECT_EQ(0, e.fault_addr);
	EXPECT_LT(0, e.generation);
	EXPECT_EQ(0, e.pad);
	EXPECT_LE(before, (int64_t)e.submit_ns);
	EXPECT_LE(e.submit_ns, e.done_ns);
	EXPECT_LE((int64_t)e.done_ns, nn_now());
	EXPECT_EQ(-ENOENT, nn_queue_status(&rig->queue, 2, &e));
}

TEST_F(submit, add)
{
	const struct nnaccel_result *result = self->rig.result.map;
	const struct nnaccel_output_shape *shape = (const void *)(result + 1);
	struct drm_nnaccel_status_entry e;

	ASSERT_EQ(0, nn_rig_run(&self->rig));
	EXPECT_TRUE(nn_rig_right(&self->rig));
	ASSERT_EQ(0, nn_queue_status(&self->rig.queue, 1, &e));
	EXPECT_EQ(NNACCEL_STATUS_OK, e.status);
	EXPECT_LT(0, e.start_ns);
	EXPECT_EQ(1, result->seqno);
	EXPECT_EQ(NNACCEL_STATUS_OK, result->status);
	EXPECT_EQ(0, result->text[0]);
	ASSERT_EQ(1, result->num_outputs);
	EXPECT_EQ(NNACCEL_OUTPUT_SUFFICIENT | NNACCEL_OUTPUT_KNOWN, shape->flags);
	EXPECT_EQ(1, shape->rank);
	EXPECT_EQ(NN_VECTOR, shape->dims[0]);
	EXPECT_EQ(NN_BYTES, shape->size);
}

TEST_F(submit, reshape)
{
	struct nn_rig *rig = &self->rig;
	const struct nnaccel_output_shape *shape = (const void *)((struct nnaccel_result *)rig->result.map + 1);
	struct nn_program reshape;
	struct nn_job job;

	ASSERT_EQ(0, nn_program_reshape(rig->fd, NN_VECTOR, &reshape));
	nn_job_run(&job, &reshape.bo, reshape.size);
	nn_job_in(&job, &rig->a, NN_BYTES);
	nn_job_out(&job, &rig->out, NN_BYTES);
	nn_job_result(&job, &rig->result);
	nn_job_signal(&job, rig->done, 0);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	ASSERT_EQ(0, nn_fence_end(rig->fd, rig->done, 0));
	EXPECT_EQ(0, memcmp(rig->a.map, rig->out.map, NN_BYTES));
	EXPECT_EQ(2, shape->rank);
	EXPECT_EQ(2, shape->dims[0]);
	EXPECT_EQ(NN_VECTOR / 2, shape->dims[1]);
	nn_program_free(&reshape);
}

/* Eight jobs of one SUBMIT, each on the output of the previous one: the result 8 proves the order. */
TEST_F(submit, jobs_run_in_order)
{
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_job jobs[8];
	struct nn_job parts[8];
	struct nn_bo bo[2];

	ASSERT_EQ(0, nn_bo_new(rig->fd, NN_BYTES, 0, &bo[0]));
	ASSERT_EQ(0, nn_bo_new(rig->fd, NN_BYTES, 0, &bo[1]));
	for (int i = 0; i < 8; i++) {
		nn_job_run(&parts[i], &rig->add.bo, rig->add.size);
		nn_job_in(&parts[i], &bo[i & 1], NN_BYTES);
		nn_job_in(&parts[i], &rig->b, NN_BYTES);
		nn_job_out(&parts[i], &bo[~i & 1], NN_BYTES);
		if (i == 7)
			nn_job_signal(&parts[i], rig->done, 0);
		nn_job_finish(&parts[i]);
		jobs[i] = parts[i].job;
	}
	ASSERT_EQ(0, nn_submit_raw(rig->fd, rig->queue.id, jobs, sizeof(jobs[0]), 8));
	for (int i = 0; i < 8; i++)
		EXPECT_EQ(i + 1, jobs[i].seqno);
	ASSERT_EQ(0, nn_fence_end(rig->fd, rig->done, 0));
	for (uint32_t i = 0; i < NN_VECTOR; i++)
		ASSERT_EQ(8.0f, ((float *)bo[0].map)[i]);
	nn_bo_free(&bo[0]);
	nn_bo_free(&bo[1]);
}

/* Arguments of SUBMIT may change as soon as it returns, although the jobs wait for the card. */
TEST_F_TIMEOUT(submit, arguments_are_copied, NN_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	struct nn_job job;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_card_hold(rig->fd));
	nn_rig_job(rig, &job);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	memset(&job, 0xff, sizeof(job));
	EXPECT_EQ(0, nn_fence_status(rig->fd, rig->done, 0));
	ASSERT_EQ(0, nn_card_start(rig->fd));
	ASSERT_EQ(0, nn_fence_end(rig->fd, rig->done, 0));
	EXPECT_TRUE(nn_rig_right(rig));
}

TEST_F_TIMEOUT(submit, too_many_jobs, NN_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_queue_state state;
	struct nn_job job;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_card_hold(rig->fd));
	for (uint32_t i = 0; i < self->limits.max_queued_jobs; i++) {
		nn_job_null(&job);
		nn_job_signal(&job, rig->done, 0);
		ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	}
	EXPECT_EQ(-EBUSY, nn_submit(&rig->queue, &job));
	ASSERT_EQ(0, nn_queue_state(&rig->queue, &state));
	EXPECT_EQ(self->limits.max_queued_jobs, state.queued);
	EXPECT_EQ(self->limits.max_queued_jobs, state.last_seqno);
	ASSERT_EQ(0, nn_card_start(rig->fd));
	ASSERT_EQ(0, nn_fence_end(rig->fd, rig->done, 0));
	EXPECT_EQ(0, nn_run_null(&rig->queue));
	ASSERT_EQ(0, nn_queue_state(&rig->queue, &state));
	EXPECT_EQ(0, state.queued);
	EXPECT_EQ(0, state.innocent);
}

static int run_generation(struct nn_rig *rig, uint64_t generation)
{
	struct nn_job job;
	int ret;

	nn_rig_job(rig, &job);
	job.job.program_generation = generation;
	ret = nn_submit(&rig->queue, &job);
	return ret ? ret : nn_fence_end(rig->fd, rig->done, 0);
}

TEST_F(submit, bad_program)
{
	struct nn_rig *rig = &self->rig;
	const struct nnaccel_result *result = rig->result.map;
	struct nnprog_header *header = rig->add.bo.map;
	struct drm_nnaccel_status_entry e;

	header->magic ^= 1;
	EXPECT_EQ(-EINVAL, run_generation(rig, 1));
	ASSERT_EQ(0, nn_queue_status(&rig->queue, 1, &e));
	EXPECT_EQ(NNACCEL_STATUS_BAD_PROGRAM, e.status);
	EXPECT_EQ(-EINVAL, e.error);
	EXPECT_EQ(1, result->seqno);
	EXPECT_EQ(NNACCEL_STATUS_BAD_PROGRAM, result->status);
	EXPECT_EQ(offsetof(struct nnprog_header, magic), result->offset);
	EXPECT_NE(0, result->text[0]);
	EXPECT_NE(NULL, memchr(result->text, 0, sizeof(result->text)));

	/* Change a byte of the body: the checksum is wrong. */
	header->magic ^= 1;
	((uint8_t *)rig->add.bo.map)[rig->add.size - 1] ^= 0x40;
	EXPECT_EQ(-EINVAL, run_generation(rig, 2));
	EXPECT_EQ(2, result->seqno);
	EXPECT_EQ(NNACCEL_STATUS_BAD_PROGRAM, result->status);

	/* The queue still works. */
	((uint8_t *)rig->add.bo.map)[rig->add.size - 1] ^= 0x40;
	EXPECT_EQ(0, run_generation(rig, 3));
	EXPECT_TRUE(nn_rig_right(rig));
}

TEST_F(submit, bad_arguments)
{
	struct nn_rig *rig = &self->rig;
	const struct nnaccel_result *result = rig->result.map;
	struct drm_nnaccel_status_entry e;
	struct nn_job job;

	for (int i = 0; i < 3; i++) {
		nn_rig_job(rig, &job);
		if (i == 0) {
			job.args[1].size -= 4;
		} else if (i == 1) {
			job.num_args--;
		} else {
			job.args[0].rank = 2;
			job.args[0].dims[0] = 2;
			job.args[0].dims[1] = NN_VECTOR / 2;
		}
		ASSERT_EQ(0, nn_submit(&rig->queue, &job));
		EXPECT_EQ(-EINVAL, nn_fence_end(rig->fd, rig->done, 0));
		ASSERT_EQ(0, nn_queue_status(&rig->queue, job.job.seqno, &e));
		EXPECT_EQ(NNACCEL_STATUS_BAD_ARGUMENT, e.status);
		EXPECT_EQ(NNACCEL_STATUS_BAD_ARGUMENT, result->status);
		EXPECT_NE(0, result->text[0]);
	}
	EXPECT_EQ(0, nn_rig_run(rig));
}

TEST_F(submit, output_too_small)
{
	struct nn_rig *rig = &self->rig;
	const struct nnaccel_result *result = rig->result.map;
	const struct nnaccel_output_shape *shape = (const void *)(result + 1);
	struct drm_nnaccel_status_entry e;
	struct nn_job job;

	nn_rig_job(rig, &job);
	job.args[2].size = NN_BYTES / 2;
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	EXPECT_EQ(-ENOBUFS, nn_fence_end(rig->fd, rig->done, 0));
	ASSERT_EQ(0, nn_queue_status(&rig->queue, 1, &e));
	EXPECT_EQ(NNACCEL_STATUS_OUTPUT_INSUFFICIENT, e.status);
	EXPECT_EQ(-ENOBUFS, e.error);
	ASSERT_EQ(1, result->num_outputs);
	EXPECT_EQ(NNACCEL_OUTPUT_KNOWN, shape->flags);
	EXPECT_EQ(NN_BYTES, shape->size);
	EXPECT_EQ(NN_VECTOR, shape->dims[0]);
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
}

/* The fault bans its own queue only, and its address is reported. */
TEST_F(submit, bad_address)
{
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_queue_state state;
	struct drm_nnaccel_status_entry e;
	uint64_t nowhere = self->limits.va_end - (16ull << 20);
	struct nn_queue other;
	struct nn_job job;

	ASSERT_EQ(0, nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &other));
	nn_rig_job(rig, &job);
	job.args[1].addr = nowhere;
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	EXPECT_EQ(-EFAULT, nn_fence_end(rig->fd, rig->done, 0));
	ASSERT_EQ(0, nn_queue_status(&rig->queue, 1, &e));
	EXPECT_EQ(NNACCEL_STATUS_FAULT, e.status);
	EXPECT_EQ(-EFAULT, e.error);
	EXPECT_LE(nowhere, e.fault_addr);
	EXPECT_LT(e.fault_addr, nowhere + NN_BYTES);
	ASSERT_EQ(0, nn_queue_state(&rig->queue, &state));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_BANNED_FAULT, state.health);
	EXPECT_EQ(e.fault_addr, state.fault_addr);
	EXPECT_EQ(-ECANCELED, nn_submit(&rig->queue, &job));
	EXPECT_EQ(-ECANCELED, nn_run_null(&rig->queue));

	EXPECT_EQ(0, nn_run_null(&other));
	ASSERT_EQ(0, nn_queue_state(&other, &state));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, state.health);
	EXPECT_EQ(0, nn_queue_free(&rig->queue));
	ASSERT_EQ(0, nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &rig->queue));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
	EXPECT_EQ(0, nn_queue_free(&other));
}

/* Jobs after the one that faults do not run. */
TEST_F(submit, ban_ends_queued_jobs)
{
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_job jobs[3];
	struct nn_job bad, null[2];
	uint32_t done[2];

	nn_rig_job(rig, &bad);
	bad.args[0].addr = self->limits.va_end - NN_PAGE;
	nn_job_finish(&bad);
	jobs[0] = bad.job;
	for (int i = 0; i < 2; i++) {
		done[i] = nn_syncobj(rig->fd);
		nn_job_null(&null[i]);
		/* Keep them off the card until the ban. */
		nn_job_wait_for(&null[i], rig->done, 0);
		nn_job_signal(&null[i], done[i], 0);
		nn_job_finish(&null[i]);
		jobs[1 + i] = null[i].job;
	}
	ASSERT_EQ(0, nn_submit_raw(rig->fd, rig->queue.id, jobs, sizeof(jobs[0]), 3));
	EXPECT_EQ(-EFAULT, nn_fence_end(rig->fd, rig->done, 0));
	for (int i = 0; i < 2; i++) {
		struct drm_nnaccel_status_entry e;
		int error = nn_fence_end(rig->fd, done[i], 0);

		/* -ECANCELED by the ban, or the error of its in-fence: never 0. */
		EXPECT_TRUE(error == -ECANCELED || error == -EFAULT);
		ASSERT_EQ(0, nn_queue_status(&rig->queue, 2 + i, &e));
		EXPECT_EQ(error, e.error);
		EXPECT_EQ(0, e.start_ns);
		EXPECT_TRUE(e.status == NNACCEL_STATUS_BANNED || e.status == NNACCEL_STATUS_INPUT_FAILED);
		nn_syncobj_free(rig->fd, done[i]);
	}
}

/* Memory of a closed BO is unmapped from the device. */
TEST_F(submit, closed_buffer_faults)
{
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_queue_state state;
	uint64_t addr = rig->a.addr;
	struct nn_job job;

	ASSERT_EQ(0, nn_rig_run(rig));
	nn_job_run(&job, &rig->add.bo, rig->add.size);
	nn_job_arg(&job, addr, NN_BYTES);
	nn_job_in(&job, &rig->b, NN_BYTES);
	nn_job_out(&job, &rig->out, NN_BYTES);
	nn_job_signal(&job, rig->done, 0);
	nn_bo_free(&rig->a);
	/* Closing does not wait for the unmapping: it may take the device a moment. */
	for (int i = 0; i < NN_WAIT_S * 10; i++) {
		ASSERT_EQ(0, nn_submit(&rig->queue, &job));
		if (nn_fence_end(rig->fd, rig->done, 0) == -EFAULT)
			break;
		nn_sleep_ms(100);
	}
	ASSERT_EQ(0, nn_queue_state(&rig->queue, &state));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_BANNED_FAULT, state.health);
	EXPECT_EQ(addr, state.fault_addr);
}

TEST_F(submit, write_to_device_readonly)
{
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_queue_state state;
	struct nn_bo ro;
	struct nn_job job;

	ASSERT_EQ(0, nn_bo_new(rig->fd, NN_BYTES, DRM_NNACCEL_BO_DEVICE_READONLY, &ro));
	memset(ro.map, 0x5a, NN_BYTES);
	/* Declared as a write: refused. */
	nn_rig_job(rig, &job);
	nn_job_bo(&job, &ro, DRM_NNACCEL_BO_REF_WRITE);
	EXPECT_EQ(-EACCES, nn_submit(&rig->queue, &job));
	/* Declared as a read: the page tables prevent the write. */
	nn_rig_job(rig, &job);
	nn_job_bo(&job, &ro, DRM_NNACCEL_BO_REF_READ);
	job.args[2].addr = ro.addr;
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	EXPECT_EQ(-EFAULT, nn_fence_end(rig->fd, rig->done, 0));
	ASSERT_EQ(0, nn_queue_state(&rig->queue, &state));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_BANNED_FAULT, state.health);
	EXPECT_EQ(ro.addr, state.fault_addr);
	for (uint32_t i = 0; i < NN_BYTES; i++)
		ASSERT_EQ(0x5a, ((uint8_t *)ro.map)[i]);
	nn_bo_free(&ro);
}

/* Addresses of another file are not mapped in this one. */
TEST_F(submit, files_are_isolated)
{
	struct nn_rig *rig = &self->rig;
	int other = nn_open();
	struct nn_bo theirs;
	struct nn_job job;

	ASSERT_LE(0, other);
	/* The middle of a large buffer, an address that no buffer of ours has. */
	ASSERT_EQ(0, nn_bo_new(other, 32 << 20, 0, &theirs));
	nn_job_run(&job, &rig->add.bo, rig->add.size);
	nn_job_arg(&job, theirs.addr + theirs.size / 2, NN_BYTES);
	nn_job_in(&job, &rig->b, NN_BYTES);
	nn_job_out(&job, &rig->out, NN_BYTES);
	nn_job_signal(&job, rig->done, 0);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	EXPECT_EQ(-EFAULT, nn_fence_end(rig->fd, rig->done, 0));
	nn_bo_free(&theirs);
	close(other);
}

/* New bytes at the same address with a new generation: the firmware does not use its old copy. */
TEST_F(submit, program_generation)
{
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_program_hint hint = { .handle = rig->add.bo.handle, .size = rig->add.size };
	struct nn_job job;
	void *bytes;
	size_t size;

	ASSERT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
	ASSERT_EQ(0, nn_program_bytes(NNPROG_BINARY_SUB, NN_VECTOR, &bytes, &size));
	ASSERT_LE(size, rig->add.bo.size);
	memcpy(rig->add.bo.map, bytes, size);
	free(bytes);
	for (int i = 0; i < 3; i++) {
		nn_rig_job(rig, &job);
		job.job.program_size = size;
		job.job.program_generation = 2;
		memset(rig->out.map, 0, NN_BYTES);
		ASSERT_EQ(0, nn_submit(&rig->queue, &job));
		ASSERT_EQ(0, nn_fence_end(rig->fd, rig->done, 0));
		for (uint32_t k = 0; k < NN_VECTOR; k++)
			ASSERT_EQ((float)k - 1, ((float *)rig->out.map)[k]);
		hint.size = size;
		hint.generation = 2;
		hint.flags = i ? 0 : DRM_NNACCEL_PROGRAM_UNLOAD;
		EXPECT_EQ(0, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_PROGRAM_HINT, &hint));
	}
}

TEST_F(submit, program_hint_fields)
{
	struct nn_rig *rig = &self->rig;
	const struct drm_nnaccel_program_hint good = { .handle = rig->add.bo.handle, .size = rig->add.size };
	struct drm_nnaccel_program_hint hint = good;

	EXPECT_EQ(0, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_PROGRAM_HINT, &hint));
	hint.flags = ~DRM_NNACCEL_PROGRAM_FLAGS;
	EXPECT_EQ(-EINVAL, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_PROGRAM_HINT, &hint));
	hint = good;
	hint.handle = 0;
	EXPECT_EQ(-ENOENT, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_PROGRAM_HINT, &hint));
	hint = good;
	hint.size = rig->add.bo.size + 1;
	EXPECT_EQ(-EINVAL, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_PROGRAM_HINT, &hint));
	hint = good;
	hint.offset = UINT64_MAX - 63;
	EXPECT_EQ(-EINVAL, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_PROGRAM_HINT, &hint));
	/* A hint about an invalid program succeeds and has no effect. */
	hint = good;
	hint.handle = rig->a.handle;
	hint.size = NN_BYTES;
	EXPECT_EQ(0, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_PROGRAM_HINT, &hint));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
}

/* Memory of the application as input and output, without a copy in userspace. */
TEST_F(submit, foreign_memory)
{
	struct udmabuf_create udmabuf = { .size = 4 * NN_PAGE };
	struct nn_rig *rig = &self->rig;
	int dev, file, dmabuf;
	struct nn_job job;
	struct nn_bo bo = { 0 };
	char address[64];
	float *memory;

	dev = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	if (dev < 0)
		SKIP(return, "no /dev/udmabuf");
	file = memfd_create("application", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	ASSERT_LE(0, file);
	ASSERT_EQ(0, ftruncate(file, 4 * NN_PAGE));
	ASSERT_EQ(0, fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK));
	memory = mmap(NULL, 4 * NN_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	ASSERT_NE(MAP_FAILED, memory);
	for (uint32_t i = 0; i < NN_VECTOR; i++)
		memory[i] = 3 * i;
	udmabuf.memfd = file;
	dmabuf = ioctl(dev, UDMABUF_CREATE, &udmabuf);
	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, nn_dev_address(rig->fd, address, sizeof(address)));
	if (nn_is_emulated(address))
		SKIP(return, "not on this device: it imports nothing (bo.c)");
	ASSERT_EQ(0, nn_bo_import(rig->fd, dmabuf, &bo));

	nn_job_run(&job, &rig->add.bo, rig->add.size);
	nn_job_in(&job, &bo, NN_BYTES);
	nn_job_in(&job, &rig->b, NN_BYTES);
	nn_job_arg(&job, bo.addr + 2 * NN_BYTES, NN_BYTES);
	nn_job_bo(&job, &bo, DRM_NNACCEL_BO_REF_WRITE);
	nn_job_signal(&job, rig->done, 0);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	ASSERT_EQ(0, nn_fence_end(rig->fd, rig->done, 0));
	for (uint32_t i = 0; i < NN_VECTOR; i++)
		ASSERT_EQ(3.0f * i + 1, memory[2 * NN_VECTOR + i]);
	nn_bo_free(&bo);
	munmap(memory, 4 * NN_PAGE);
	close(dmabuf);
	close(file);
	close(dev);
}

/* Four MiB in and out: the results are the same with huge pages, windows or copies. */
TEST_F_TIMEOUT(submit, large_tensors, NN_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	uint32_t n = 1u << 20;
	struct nn_program add;
	struct nn_bo bo[3];
	struct nn_job job;

	ASSERT_EQ(0, nn_program_binary(rig->fd, NNPROG_BINARY_ADD, n, &add));
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, nn_bo_new(rig->fd, n * sizeof(float) + NN_PAGE, 0, &bo[i]));
	for (uint32_t i = 0; i < n; i++) {
		((float *)bo[0].map)[i + 1] = i;
		((float *)bo[1].map)[i + 16] = 2 * i;
	}
	nn_job_run(&job, &add.bo, add.size);
	/* Addresses aligned to the element only. */
	nn_job_arg(&job, bo[0].addr + 4, n * sizeof(float));
	nn_job_arg(&job, bo[1].addr + 64, n * sizeof(float));
	nn_job_arg(&job, bo[2].addr + 8, n * sizeof(float));
	nn_job_bo(&job, &bo[0], DRM_NNACCEL_BO_REF_READ);
	nn_job_bo(&job, &bo[1], DRM_NNACCEL_BO_REF_READ);
	nn_job_bo(&job, &bo[2], DRM_NNACCEL_BO_REF_WRITE);
	nn_job_signal(&job, rig->done, 0);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	ASSERT_EQ(0, nn_fence_end(rig->fd, rig->done, 0));
	for (uint32_t i = 0; i < n; i++)
		ASSERT_EQ(3.0f * i, ((float *)bo[2].map)[i + 2]);
	EXPECT_EQ(0, ((float *)bo[2].map)[1]);
	EXPECT_EQ(0, ((float *)bo[2].map)[n + 2]);
	for (int i = 0; i < 3; i++)
		nn_bo_free(&bo[i]);
	nn_program_free(&add);
}

/* If bounce buffers are forced (a boot of the suite), copies are made and counted. */
TEST_F(submit, bounce_buffers)
{
	struct drm_nnaccel_counters before, after;
	char line[1024] = "", *option;
	FILE *f = fopen("/proc/cmdline", "re");

	ASSERT_NE(NULL, f);
	ASSERT_NE(NULL, fgets(line, sizeof(line), f));
	fclose(f);
	ASSERT_EQ(0, nn_counters(self->rig.fd, &before));
	ASSERT_EQ(0, nn_rig_run(&self->rig));
	EXPECT_TRUE(nn_rig_right(&self->rig));
	ASSERT_EQ(0, nn_counters(self->rig.fd, &after));
	/* Two inputs and one output are copied; without forced bounce buffers none may be needed. */
	option = strstr(line, "swiotlb=");
	if (option && strstr(option, "force")) {
		EXPECT_LE(before.bytes_synced + 3 * NN_BYTES, after.bytes_synced);
	} else if (nn_has_control()) {
		EXPECT_EQ(before.bytes_synced, after.bytes_synced);
	}
}

TEST_HARNESS_MAIN
