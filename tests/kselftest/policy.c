// SPDX-License-Identifier: Apache-2.0
/* Clients side by side: long operations, loops, deadlines, accounting. No client misbehaves here. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include "nnaccel_load.h"

/* Limit for long work beside that of other clients, on a busy machine. */
#define LONG_S	(4 * NN_WAIT_S)

FIXTURE(policy) {
	struct nn_rig rig;	/* a client with small jobs */
	struct nn_rig big;	/* one with long ones */
	double speed;
	struct drm_nnaccel_counters before;
};

FIXTURE_VARIANT(policy) {
	const char *fault;
};

/* Two cards: with preemption inside operations and reported engine time, and without both. */
FIXTURE_VARIANT_ADD(policy, preemption) { .fault = NULL };
FIXTURE_VARIANT_ADD(policy, silicon_without_preemption) { .fault = "no-preempt,always" };

FIXTURE_SETUP(policy)
{
	ASSERT_EQ(0, nn_rig_open_as(&self->rig, NN_NOBODY));
	ASSERT_EQ(0, nn_rig_open_as(&self->big, NN_NOBODY - 1));
	if (variant->fault)
		ASSERT_EQ(0, nn_card_fault(self->rig.fd, variant->fault));
	ASSERT_EQ(0, nn_speed(self->rig.fd, &self->speed));
	ASSERT_EQ(0, nn_counters(self->rig.fd, &self->before));
}

FIXTURE_TEARDOWN(policy)
{
	if (self->rig.fd > 0)
		nn_card_heal(self->rig.fd);
	nn_rig_close(&self->big);
	nn_rig_close(&self->rig);
}

/* No queue was banned, the card was not reset, and it works. */
static void check_peace(struct __test_metadata *_metadata, struct nn_rig *rig,
			const struct drm_nnaccel_counters *before)
{
	struct drm_nnaccel_counters after;

	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, nn_health(&rig->queue));
	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
	ASSERT_EQ(0, nn_counters(rig->fd, &after));
	EXPECT_EQ(before->resets, after.resets);
	EXPECT_EQ(before->links_lost, after.links_lost);
}

static int submit_long(struct nn_rig *rig, const struct nn_long *work, uint64_t max_ns)
{
	struct nn_job job;

	nn_long_job(work, &job);
	nn_job_signal(&job, rig->done, 0);
	job.job.max_ns = max_ns;
	return nn_submit(&rig->queue, &job);
}

static int submit_begun(struct nn_rig *rig, const struct nn_long *work)
{
	struct drm_nnaccel_counters before;
	int ret = nn_counters(rig->fd, &before);

	if (!ret)
		ret = submit_long(rig, work, 0);
	return ret ? ret : nn_wait_begun(&rig->queue, &before);
}

/*
 * One client computes for seconds in one operation; the other's deadlines end its own jobs in time,
 * and have no other effect.
 */
TEST_F_TIMEOUT(policy, deadline_beside_long_operation, 2 * NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig, *big = &self->big;
	int64_t late, latest = 0;
	struct nn_long work;
	struct nn_job job;
	int error;

	ASSERT_EQ(0, nn_long_open(big->fd, 8000, 1, self->speed, &work));
	ASSERT_EQ(0, submit_begun(big, &work));
	for (int i = 0; i < 5; i++) {
		int64_t deadline = nn_now() + 100 * NN_NS_PER_MS;

		nn_rig_job(rig, &job);
		job.job.deadline_ns = deadline;
		ASSERT_EQ(0, nn_submit(&rig->queue, &job));
		error = nn_fence_end(rig->fd, rig->done, 0);
		late = nn_now() - deadline;
		latest = late > latest ? late : latest;
		/* A card with preemption may have run it. */
		EXPECT_TRUE(error == 0 || error == -ETIME);
		EXPECT_EQ(error ? NNACCEL_STATUS_DEADLINE : NNACCEL_STATUS_OK, nn_status(&rig->queue, job.job.seqno));
	}
	TH_LOG("at most %lld ms late", (long long)(latest / NN_NS_PER_MS));
	EXPECT_GT(NN_NS_PER_S * nn_slow(), latest);
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, nn_health(&rig->queue));
	EXPECT_EQ(0, nn_fence_end_in(big->fd, big->done, 0, LONG_S));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, nn_health(&big->queue));
	check_peace(_metadata, rig, &self->before);
	nn_long_close(&work);
}

#define CLIENTS		10
#define ROUNDS		4

/*
 * Ten clients with four long operations each. The wait for the next turn exceeds the limit on
 * progress, which has no effect: all jobs finish.
 */
TEST_F_TIMEOUT(policy, fair_load_finishes, 2 * NN_LONG_TEST_S)
{
	static struct nn_rig clients[CLIENTS];
	static struct nn_long works[CLIENTS];
	struct drm_nnaccel_counters after;
	int64_t start, first = 0, last = 0;

	ASSERT_EQ(0, nn_param_set("no_progress_ms", 2500));
	for (int i = 0; i < CLIENTS; i++) {
		int fd = nn_open_as(NN_NOBODY - i % 3);

		ASSERT_LT(0, fd);
		memset(&clients[i], 0, sizeof(clients[i]));
		clients[i].fd = fd;
		ASSERT_EQ(0, nn_queue_new(fd, DRM_NNACCEL_PRIORITY_MEDIUM, &clients[i].queue));
		clients[i].done = nn_syncobj(fd);
		ASSERT_EQ(0, nn_long_open(fd, 350, ROUNDS, self->speed, &works[i]));
	}
	start = nn_now();
	for (int i = 0; i < CLIENTS; i++)
		ASSERT_EQ(0, submit_long(&clients[i], &works[i], 0));
	for (int i = 0; i < CLIENTS; i++) {
		struct drm_nnaccel_status_entry e;

		EXPECT_EQ(0, nn_fence_end_in(clients[i].fd, clients[i].done, 0, LONG_S)) {
			TH_LOG("client %d: status %#x", i, nn_status(&clients[i].queue, 1));
		}
		EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, nn_health(&clients[i].queue));
		if (nn_queue_status(&clients[i].queue, 1, &e))
			continue;
		if (!first || (int64_t)e.done_ns < first)
			first = e.done_ns;
		if ((int64_t)e.done_ns > last)
			last = e.done_ns;
	}
	TH_LOG("first after %lld ms, last after %lld ms", (long long)((first - start) / NN_NS_PER_MS),
	       (long long)((last - start) / NN_NS_PER_MS));
	ASSERT_EQ(0, nn_counters(self->rig.fd, &after));
	EXPECT_EQ(self->before.aborts, after.aborts);
	check_peace(_metadata, &self->rig, &self->before);
	for (int i = 0; i < CLIENTS; i++) {
		nn_long_close(&works[i]);
		nn_rig_close(&clients[i]);
	}
}

/* Beside three others a job takes four times as long; max_ns limits its own time only. */
TEST_F_TIMEOUT(policy, max_ns_counts_own_time_only, 2 * NN_LONG_TEST_S)
{
	struct drm_nnaccel_status_entry e;
	struct nn_rig clients[4];
	struct nn_long works[4];
	uint64_t alone;

	for (size_t i = 0; i < NN_COUNT(clients); i++) {
		ASSERT_EQ(0, nn_rig_open_as(&clients[i], NN_NOBODY));
		ASSERT_EQ(0, nn_long_open(clients[i].fd, 300, 4, self->speed, &works[i]));
	}
	/* nn_rig_open() heals the card, which removes the fault mode. */
	if (variant->fault)
		ASSERT_EQ(0, nn_card_fault(self->rig.fd, variant->fault));
	ASSERT_EQ(0, nn_counters(self->rig.fd, &self->before));
	ASSERT_EQ(0, submit_long(&clients[0], &works[0], 0));
	ASSERT_EQ(0, nn_fence_end_in(clients[0].fd, clients[0].done, 0, LONG_S));
	ASSERT_EQ(0, nn_queue_status(&clients[0].queue, 1, &e));
	alone = e.end_ns - e.start_ns;
	for (size_t i = 0; i < NN_COUNT(clients); i++)
		ASSERT_EQ(0, submit_long(&clients[i], &works[i], alone * 5 / 2));
	for (size_t i = 0; i < NN_COUNT(clients); i++) {
		EXPECT_EQ(0, nn_fence_end_in(clients[i].fd, clients[i].done, 0, LONG_S)) {
			TH_LOG("client %zu, alone %llu ms: status %#x", i, (unsigned long long)(alone / NN_NS_PER_MS),
			       nn_status(&clients[i].queue, i ? 1 : 2));
		}
	}
	check_peace(_metadata, &self->rig, &self->before);
	/* Exceeding the limit still ends the job. */
	ASSERT_EQ(0, submit_long(&clients[0], &works[0], alone / 8));
	EXPECT_EQ(-ETIME, nn_fence_end_in(clients[0].fd, clients[0].done, 0, LONG_S));
	EXPECT_EQ(NNACCEL_STATUS_MAX_TIME, nn_status(&clients[0].queue, 3));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, nn_health(&clients[0].queue));
	for (size_t i = 0; i < NN_COUNT(clients); i++) {
		nn_long_close(&works[i]);
		nn_rig_close(&clients[i]);
	}
}

/* The engine times reported to clients add up to no more than the elapsed time. */
TEST_F_TIMEOUT(policy, engine_time_never_exceeds_wall, 2 * NN_LONG_TEST_S)
{
	int64_t from[3], to[3], start, wall, sum = 0;
	struct nn_rig clients[3];
	struct nn_long works[3];

	for (size_t i = 0; i < NN_COUNT(clients); i++) {
		ASSERT_EQ(0, nn_rig_open_as(&clients[i], NN_NOBODY));
		ASSERT_EQ(0, nn_long_open(clients[i].fd, 250, 4, self->speed, &works[i]));
	}
	if (variant->fault)
		ASSERT_EQ(0, nn_card_fault(self->rig.fd, variant->fault));
	start = nn_now();
	for (size_t i = 0; i < NN_COUNT(clients); i++)
		ASSERT_EQ(0, nn_engine_ns(clients[i].fd, &from[i]));
	for (size_t i = 0; i < NN_COUNT(clients); i++)
		ASSERT_EQ(0, submit_long(&clients[i], &works[i], 0));
	for (size_t i = 0; i < NN_COUNT(clients); i++)
		EXPECT_EQ(0, nn_fence_end_in(clients[i].fd, clients[i].done, 0, LONG_S));
	for (size_t i = 0; i < NN_COUNT(clients); i++)
		ASSERT_EQ(0, nn_engine_ns(clients[i].fd, &to[i]));
	wall = nn_now() - start;
	for (size_t i = 0; i < NN_COUNT(clients); i++) {
		EXPECT_LT(from[i], to[i]);
		sum += to[i] - from[i];
	}
	TH_LOG("%lld ms on the engine in %lld ms", (long long)(sum / NN_NS_PER_MS), (long long)(wall / NN_NS_PER_MS));
	EXPECT_GE(wall, sum);
	/* The engine was busy nearly all of that time. */
	EXPECT_LT(wall / 4, sum);
	for (size_t i = 0; i < NN_COUNT(clients); i++) {
		nn_long_close(&works[i]);
		nn_rig_close(&clients[i]);
	}
}

/* Processor time of all kworkers, ns. */
static int64_t kworker_ns(void)
{
	DIR *dir = opendir("/proc");
	unsigned long ticks = 0;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		unsigned long user, system;
		char path[300], comm[64];
		FILE *f;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fscanf(f, "%*d (%63[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", comm, &user,
			   &system) == 3 && strncmp(comm, "kworker", 7) == 0)
			ticks += user + system;
		fclose(f);
	}
	if (dir)
		closedir(dir);
	return ticks * (NN_NS_PER_S / sysconf(_SC_CLK_TCK));
}

/* Limits of nanoseconds are enforced without polling at that rate. */
TEST_F_TIMEOUT(policy, tiny_max_ns_costs_nothing, 2 * NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig, *big = &self->big;
	int64_t start, wall, busy;
	struct nn_long work;
	uint32_t fences[7];
	struct nn_job job;

	ASSERT_EQ(0, nn_long_open(big->fd, 4000, 1, self->speed, &work));
	ASSERT_EQ(0, submit_begun(big, &work));
	busy = kworker_ns();
	start = nn_now();
	for (size_t i = 0; i < NN_COUNT(fences); i++) {
		fences[i] = nn_syncobj(rig->fd);
		nn_rig_job(rig, &job);
		job.job.max_ns = i + 1;
		nn_job_signal(&job, fences[i], 0);
		ASSERT_EQ(0, nn_submit(&rig->queue, &job));
	}
	/* The time over which the load of the kworkers is measured. */
	nn_sleep_ms(2000);
	busy = kworker_ns() - busy;
	wall = nn_now() - start;
	TH_LOG("kworkers: %lld ms in %lld ms", (long long)(busy / NN_NS_PER_MS), (long long)(wall / NN_NS_PER_MS));
	EXPECT_GT(wall / 3, busy);
	for (size_t i = 0; i < NN_COUNT(fences); i++) {
		int error = nn_fence_end(rig->fd, fences[i], 0);

		EXPECT_TRUE(error == 0 || error == -ETIME);
		nn_syncobj_free(rig->fd, fences[i]);
	}
	EXPECT_EQ(0, nn_fence_end_in(big->fd, big->done, 0, LONG_S));
	check_peace(_metadata, rig, &self->before);
	nn_long_close(&work);
}

/* Run small jobs of another client until @end returns true: all must succeed. */
static void run_beside(struct __test_metadata *_metadata, struct nn_rig *rig, int fd, uint32_t until)
{
	unsigned int jobs = 0;

	do {
		ASSERT_EQ(0, nn_rig_run(rig)) {
			TH_LOG("after %u jobs", jobs);
		}
		jobs++;
	} while (nn_syncobj_wait(fd, until, 0, 0));
	EXPECT_TRUE(nn_rig_right(rig));
	TH_LOG("%u jobs beside it", jobs);
}

FIXTURE(bystander) {
	struct nn_rig rig, big;
	double speed;
	struct drm_nnaccel_counters before;
};

FIXTURE_SETUP(bystander)
{
	ASSERT_EQ(0, nn_rig_open_as(&self->rig, NN_NOBODY));
	ASSERT_EQ(0, nn_rig_open_as(&self->big, NN_NOBODY - 1));
	ASSERT_EQ(0, nn_speed(self->rig.fd, &self->speed));
	ASSERT_EQ(0, nn_counters(self->rig.fd, &self->before));
}

FIXTURE_TEARDOWN(bystander)
{
	if (self->rig.fd > 0)
		nn_card_heal(self->rig.fd);
	nn_rig_close(&self->big);
	nn_rig_close(&self->rig);
}

/*
 * A client frees memory that its own job uses, which runs for longer than an invalidation may take.
 * That job may end with an error; no other job does, and the card is not reset.
 */
TEST_F_TIMEOUT(bystander, closing_an_output_affects_no_other_client, 2 * NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig, *big = &self->big;
	struct drm_nnaccel_counters before;
	struct nn_long work;
	struct nn_job job;
	int error;

	ASSERT_EQ(0, nn_param_set("admin_ms", 1000 * nn_slow()));
	ASSERT_EQ(0, nn_long_open(big->fd, 8000, 1, self->speed, &work));
	ASSERT_EQ(0, nn_counters(big->fd, &before));
	nn_long_job_bare(&work, &job);
	nn_job_signal(&job, big->done, 0);
	ASSERT_EQ(0, nn_submit(&big->queue, &job));
	ASSERT_EQ(0, nn_wait_begun(&big->queue, &before));
	nn_bo_free(&work.out);
	run_beside(_metadata, rig, big->fd, big->done);
	error = nn_fence_end_in(big->fd, big->done, 0, LONG_S);
	TH_LOG("the job ended with %d", error);
	EXPECT_TRUE(error == 0 || error == -EFAULT);
	if (error) {
		EXPECT_EQ(NNACCEL_STATUS_FAULT, nn_status(&big->queue, 1));
		EXPECT_EQ(DRM_NNACCEL_QUEUE_BANNED_FAULT, nn_health(&big->queue));
	}
	check_peace(_metadata, rig, &self->before);
	nn_long_close(&work);
}

/* Unused buffers are freed while one between them is in use: no job is affected. */
TEST_F_TIMEOUT(bystander, freeing_buffers_around_one_in_use, 2 * NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig, *big = &self->big;
	struct nn_bo around[128];
	struct nn_long work;

	ASSERT_EQ(0, nn_param_set("admin_ms", 1000 * nn_slow()));
	for (int i = 0; i < 64; i++)
		ASSERT_EQ(0, nn_bo_new(big->fd, NN_PAGE, 0, &around[i]));
	ASSERT_EQ(0, nn_long_open(big->fd, 5000, 1, self->speed, &work));
	for (int i = 64; i < 128; i++)
		ASSERT_EQ(0, nn_bo_new(big->fd, NN_PAGE, 0, &around[i]));
	ASSERT_EQ(0, submit_begun(big, &work));
	/* Free from the outside in, so that freed buffers surround the one in use. */
	for (int i = 0; i < 64; i++) {
		nn_bo_free(&around[i]);
		nn_bo_free(&around[127 - i]);
	}
	run_beside(_metadata, rig, big->fd, big->done);
	EXPECT_EQ(0, nn_fence_end_in(big->fd, big->done, 0, LONG_S));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, nn_health(&big->queue));
	check_peace(_metadata, rig, &self->before);
	nn_long_close(&work);
}

/* A small job does not wait for the end of a long operation or of a loop. */
static void check_small_jobs(struct __test_metadata *_metadata, struct nn_rig *rig, struct nn_rig *big, int64_t length)
{
	int64_t delays[50];
	size_t n = 0;

	do {
		int64_t start = nn_now();

		ASSERT_EQ(0, nn_rig_run(rig));
		delays[n++] = nn_now() - start;
		nn_sleep_ms(5);
	} while (n < NN_COUNT(delays) && nn_syncobj_wait(big->fd, big->done, 0, 0));
	nn_sort_ns(delays, n);
	TH_LOG("%zu small jobs: median %lld us, max %lld us", n, (long long)(delays[n / 2] / 1000),
	       (long long)(delays[n - 1] / 1000));
	EXPECT_EQ(NN_COUNT(delays), n);
	/* 10 ms on an idle machine; more on a busy one. */
	EXPECT_GT(length / 50, delays[n / 2]);
}

TEST_F_TIMEOUT(bystander, small_jobs_beside_a_long_operation, 2 * NN_LONG_TEST_S)
{
	struct nn_long work;

	ASSERT_EQ(0, nn_rig_run(&self->rig));
	ASSERT_EQ(0, nn_long_open(self->big.fd, 8000, 1, self->speed, &work));
	ASSERT_EQ(0, submit_begun(&self->big, &work));
	check_small_jobs(_metadata, &self->rig, &self->big, 8 * NN_NS_PER_S);
	EXPECT_EQ(0, nn_fence_end_in(self->big.fd, self->big.done, 0, LONG_S));
	nn_long_close(&work);
}

TEST_F_TIMEOUT(bystander, small_jobs_beside_a_loop, 2 * NN_LONG_TEST_S)
{
	struct drm_nnaccel_counters before;
	struct nn_rig *big = &self->big;
	struct nn_program loop;
	struct nn_job job;

	ASSERT_EQ(0, nn_rig_run(&self->rig));
	ASSERT_EQ(0, nn_program_loop(big->fd, &loop));
	memset(big->a.map, 0, NN_PAGE);
	ASSERT_EQ(0, nn_counters(big->fd, &before));
	nn_loop_job(&loop, &big->a, &big->out, 8 * NN_NS_PER_S, &job);
	nn_job_signal(&job, big->done, 0);
	ASSERT_EQ(0, nn_submit(&big->queue, &job));
	ASSERT_EQ(0, nn_wait_begun(&big->queue, &before));
	check_small_jobs(_metadata, &self->rig, big, 8 * NN_NS_PER_S);
	EXPECT_EQ(-ETIME, nn_fence_end_in(big->fd, big->done, 0, LONG_S));
	EXPECT_EQ(NNACCEL_STATUS_LOOP_TIMEOUT, nn_status(&big->queue, 1));
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, nn_health(&big->queue));
	nn_program_free(&loop);
}

/* A job that hangs ends by its max_ns, not by the limit on progress, however short max_ns is. */
TEST_F_TIMEOUT(bystander, short_max_ns_ends_a_hang, 2 * NN_LONG_TEST_S)
{
	static const int64_t limits[] = { 1, 1000, NN_NS_PER_MS, 100 * NN_NS_PER_MS };
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_limits device;
	struct nn_job job;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_param_set("abort_ms", 500 * nn_slow()));
	for (size_t i = 0; i < NN_COUNT(limits); i++) {
		int64_t start;

		ASSERT_EQ(0, nn_card_fault(rig->fd, "hang-at-job=1"));
		ASSERT_EQ(0, nn_limits(rig->fd, &device));
		start = nn_now();
		nn_rig_job(rig, &job);
		job.job.max_ns = limits[i];
		ASSERT_EQ(0, nn_submit(&rig->queue, &job));
		EXPECT_EQ(-ETIME, nn_fence_end(rig->fd, rig->done, 0));
		EXPECT_EQ(NNACCEL_STATUS_MAX_TIME, nn_status(&rig->queue, 1));
		TH_LOG("max_ns %lld: %lld ms", (long long)limits[i], (long long)((nn_now() - start) / NN_NS_PER_MS));
		EXPECT_GT((int64_t)device.no_progress_ns / 2, nn_now() - start);
		ASSERT_EQ(0, nn_queue_free(&rig->queue));
		ASSERT_EQ(0, nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &rig->queue));
	}
}

#define BIG_PROGRAM	(400ull << 20)

/* Verifying a large program takes longer than abort_ms: it is interrupted, without a reset. */
TEST_F_TIMEOUT(bystander, interrupted_verification, 2 * NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig, *big = &self->big;
	struct nn_program program;
	struct nn_job job;
	int error;

	ASSERT_EQ(0, nn_param_set("abort_ms", 700 * nn_slow()));
	ASSERT_EQ(0, nn_program_big(big->fd, BIG_PROGRAM, &program));
	memset(big->a.map, 0, NN_PAGE);
	for (int i = 1; i <= 3; i++) {
		nn_job_run(&job, &program.bo, program.size);
		nn_job_in(&job, &big->a, sizeof(int32_t));
		nn_job_out(&job, &big->out, NN_PAGE);
		nn_job_signal(&job, big->done, 0);
		/* A new generation each time, so that it is verified again. */
		job.job.program_generation = i;
		job.job.deadline_ns = nn_now() + 100 * NN_NS_PER_MS;
		ASSERT_EQ(0, nn_submit(&big->queue, &job));
		run_beside(_metadata, rig, big->fd, big->done);
		error = nn_fence_end_in(big->fd, big->done, 0, LONG_S);
		EXPECT_TRUE(error == 0 || error == -ETIME);
		EXPECT_EQ(error ? NNACCEL_STATUS_DEADLINE : NNACCEL_STATUS_OK, nn_status(&big->queue, i));
	}
	EXPECT_EQ(DRM_NNACCEL_QUEUE_OK, nn_health(&big->queue));
	check_peace(_metadata, rig, &self->before);
	/* The program is valid. */
	job.job.deadline_ns = 0;
	ASSERT_EQ(0, nn_submit(&big->queue, &job));
	EXPECT_EQ(0, nn_fence_end_in(big->fd, big->done, 0, LONG_S)) {
		TH_LOG("status %#x", nn_status(&big->queue, 4));
	}
	nn_program_free(&program);
}

TEST_HARNESS_MAIN
