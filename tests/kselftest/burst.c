// SPDX-License-Identifier: Apache-2.0
/*
 * A fault ends all jobs of a queue at once: in parts, most of them outside of the interrupt handler, in order. The trace tells
 * the context.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include "nnaccel_load.h"

#define TRACING		"/sys/kernel/tracing/"
#define EVENT		TRACING "events/nnaccel/nnaccel_job_done/enable"
/* Jobs that one handler may end, with those that it ends for another queue: the driver's NNACCEL_CQ_BUDGET and a batch. */
#define HARD_MAX	128

FIXTURE(burst) {
	struct nn_rig rig;		/* whose job faults */
	struct drm_nnaccel_limits limits;
	struct nn_queue first, second;	/* each with a job that does not end by itself */
	struct nn_program loop;
	struct nn_bo in, out;		/* of the first job; the faulting one reads out */
	struct nn_bo other;
	uint32_t held;			/* signalled by the second job */
};

FIXTURE_VARIANT(burst) {
	bool deadlines;			/* jobs whose fences signal in any order */
};

FIXTURE_VARIANT_ADD(burst, in_order) {
	.deadlines = false,
};

FIXTURE_VARIANT_ADD(burst, with_deadlines) {
	.deadlines = true,
};

static int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : write(fd, text, strlen(text));
	int ret = len < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return ret;
}

FIXTURE_SETUP(burst)
{
	struct nn_rig *rig = &self->rig;
	struct nn_job job;

	ASSERT_EQ(0, nn_rig_open(rig));
	if (access(EVENT, F_OK))
		mount("tracefs", TRACING, "tracefs", 0, NULL);
	if (access(EVENT, F_OK))
		SKIP(return, "no tracefs");
	ASSERT_EQ(0, nn_limits(rig->fd, &self->limits));
	ASSERT_EQ(0, nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &self->first));
	ASSERT_EQ(0, nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &self->second));
	ASSERT_EQ(0, nn_program_loop(rig->fd, &self->loop));
	ASSERT_EQ(0, nn_bo_new(rig->fd, NN_PAGE, 0, &self->in));
	ASSERT_EQ(0, nn_bo_new(rig->fd, NN_PAGE, 0, &self->out));
	ASSERT_EQ(0, nn_bo_new(rig->fd, NN_PAGE, 0, &self->other));
	self->held = nn_syncobj(rig->fd);
	nn_loop_job(&self->loop, &self->in, &self->out, self->limits.max_loop_ns, &job);
	/* Jobs without a limit take no part in implicit sync. */
	job.job.max_ns = self->limits.resv_ns;
	ASSERT_EQ(0, nn_submit(&self->first, &job));
	nn_loop_job(&self->loop, &self->in, &self->other, self->limits.max_loop_ns, &job);
	nn_job_signal(&job, self->held, 0);
	ASSERT_EQ(0, nn_submit(&self->second, &job));
}

FIXTURE_TEARDOWN(burst)
{
	file_write(EVENT, "0");
	nn_queue_free(&self->first);
	nn_queue_free(&self->second);
	nn_syncobj_free(self->rig.fd, self->held);
	nn_program_free(&self->loop);
	nn_bo_free(&self->in);
	nn_bo_free(&self->out);
	nn_bo_free(&self->other);
	nn_rig_close(&self->rig);
}

struct ends {
	unsigned int num, hard, swapped;
};

/* Jobs of queue @id in the trace that ended: all, in the hard interrupt handler, and before one with a smaller number. */
static int trace_count(uint32_t id, struct ends *ends)
{
	unsigned long long seqno, last = 0;
	char line[512], queue[32], *at;
	FILE *file = fopen(TRACING "trace", "re");

	if (!file)
		return -errno;
	memset(ends, 0, sizeof(*ends));
	snprintf(queue, sizeof(queue), " queue=%u ", id);
	while (fgets(line, sizeof(line), file)) {
		if (!strstr(line, "nnaccel_job_done:") || !strstr(line, queue))
			continue;
		at = strstr(line, "seqno=");
		seqno = at ? strtoull(at + strlen("seqno="), NULL, 10) : 0;
		ends->swapped += seqno < last;
		last = seqno;
		ends->num++;
		/* "task-pid [cpu] flags": the third flag is the context. */
		at = strstr(line, "] ");
		ends->hard += at && strlen(at) > 4 && (at[4] == 'h' || at[4] == 'H');
	}
	fclose(file);
	return 0;
}

TEST_F_TIMEOUT(burst, fault_ends_a_full_queue, 2 * NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	uint32_t num = self->limits.max_queued_jobs, last = nn_syncobj(rig->fd);
	struct drm_nnaccel_status_entry e;
	struct nn_job job;
	struct ends ends;

	ASSERT_NE(0, last);
	ASSERT_EQ(0, file_write(TRACING "trace", ""));
	ASSERT_EQ(0, file_write(EVENT, "1"));
	/* It waits for the first queue's job through the buffer alone: its end by force is no error for this one. */
	nn_rig_job(rig, &job);
	nn_job_bo(&job, &self->out, DRM_NNACCEL_BO_REF_READ);
	job.job.max_ns = self->limits.resv_ns;
	job.args[1].addr = self->limits.va_end - (16ull << 20);
	ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	for (uint32_t i = 1; i < num; i++) {
		nn_job_null(&job);
		nn_job_wait_for(&job, self->held, 0);
		if (variant->deadlines)
			job.job.deadline_ns = nn_now() + 10 * NN_LONG_TEST_S * NN_NS_PER_S;
		if (i == num - 1)
			nn_job_signal(&job, last, 0);
		ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	}
	ASSERT_EQ(0, nn_fence_status(rig->fd, rig->done, 0));

	/* Its job ends, the other one runs and faults. */
	ASSERT_EQ(0, nn_queue_free(&self->first));
	EXPECT_EQ(-EFAULT, nn_fence_end(rig->fd, rig->done, 0));
	EXPECT_EQ(-ECANCELED, nn_fence_end(rig->fd, last, 0));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_BANNED_FAULT, nn_health(&rig->queue));
	ASSERT_EQ(0, file_write(EVENT, "0"));
	ASSERT_EQ(0, trace_count(rig->queue.id, &ends));
	TH_LOG("%u jobs ended, %u in the interrupt handler", ends.num, ends.hard);
	EXPECT_EQ(num, ends.num);
	EXPECT_EQ(0, ends.swapped);
	EXPECT_GE(HARD_MAX, ends.hard);
	for (uint64_t seqno = 2; seqno <= num; seqno++) {
		ASSERT_EQ(0, nn_queue_status(&rig->queue, seqno, &e));
		ASSERT_EQ(NNACCEL_STATUS_BANNED, e.status);
	}
	nn_syncobj_free(rig->fd, last);
}

TEST_HARNESS_MAIN
