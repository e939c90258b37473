// SPDX-License-Identifier: Apache-2.0
/* Many jobs, many threads, and files that are closed meanwhile. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include "nnaccel_util.h"

#define PIPELINED	10000u
#define THREADS		4

FIXTURE(stress) {
	struct nn_rig rig;
	struct drm_nnaccel_limits limits;
	struct drm_nnaccel_counters before;
};

FIXTURE_SETUP(stress)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	ASSERT_EQ(0, nn_limits(self->rig.fd, &self->limits));
	ASSERT_EQ(0, nn_counters(self->rig.fd, &self->before));
}

FIXTURE_TEARDOWN(stress)
{
	nn_rig_close(&self->rig);
}

/* The clients have caused no reset, and the card serves the next one. */
static void check_unharmed(struct __test_metadata *_metadata, struct nn_rig *rig,
			   const struct drm_nnaccel_counters *before)
{
	struct drm_nnaccel_counters after;

	EXPECT_EQ(0, nn_rig_run(rig));
	EXPECT_TRUE(nn_rig_right(rig));
	ASSERT_EQ(0, nn_counters(rig->fd, &after));
	EXPECT_EQ(before->resets, after.resets);
	EXPECT_EQ(before->links_lost, after.links_lost);
}

/* As many jobs as possible are queued at any time; all succeed, in order. */
TEST_F_TIMEOUT(stress, ten_thousand_pipelined, NN_LONG_TEST_S)
{
	const struct drm_nnaccel_counters *before = &self->before;
	struct drm_nnaccel_counters after;
	struct drm_nnaccel_queue_state state;
	struct nn_rig *rig = &self->rig;
	uint64_t seen = 0, checked = 0;
	struct nn_job job;

	ASSERT_GE(self->limits.status_entries, 2 * self->limits.max_queued_jobs);
	for (uint32_t i = 1; i <= PIPELINED;) {
		int ret;

		nn_job_null(&job);
		nn_job_signal(&job, rig->done, i);
		ret = nn_submit(&rig->queue, &job);
		if (ret == 0) {
			ASSERT_EQ(i, job.job.seqno);
			i++;
			if (i % 256)
				continue;
		} else {
			ASSERT_EQ(-EBUSY, ret);
			/* Full: wait for the first half. */
			ASSERT_EQ(0, nn_syncobj_wait(rig->fd, rig->done, i - self->limits.max_queued_jobs / 2,
						     NN_WAIT_S));
		}
		ASSERT_EQ(0, nn_queue_state(&rig->queue, &state));
		seen = state.last_seqno - state.queued;
		for (; checked < seen; checked++) {
			struct drm_nnaccel_status_entry e;

			ASSERT_EQ(0, nn_queue_status(&rig->queue, checked + 1, &e));
			ASSERT_EQ(NNACCEL_STATUS_OK, e.status);
		}
	}
	ASSERT_EQ(0, nn_fence_end(rig->fd, rig->done, PIPELINED));
	ASSERT_EQ(0, nn_queue_state(&rig->queue, &state));
	EXPECT_EQ(PIPELINED, state.last_seqno);
	EXPECT_EQ(0, state.queued);
	ASSERT_EQ(0, nn_counters(rig->fd, &after));
	EXPECT_EQ(before->jobs_submitted + PIPELINED, after.jobs_submitted);
	EXPECT_EQ(before->jobs_completed + PIPELINED, after.jobs_completed);
	EXPECT_EQ(before->jobs_failed, after.jobs_failed);
	EXPECT_EQ(before->resets, after.resets);
}

struct client {
	pthread_t thread;
	unsigned int seed;
	int rounds;
	int error;		/* first unexpected error */
	const char *what;
	uint64_t right, canceled;
	struct nn_rig *shared;
};

static void fail(struct client *c, const char *what, int error)
{
	if (!c->error) {
		c->error = error ? error : -EBADMSG;
		c->what = what;
	}
}

/* A file of its own: create and destroy buffers, queues and jobs in varying order. */
static void *own_file(void *arg)
{
	struct client *c = arg;

	for (int i = 0; i < c->rounds && !c->error; i++) {
		struct nn_rig rig;
		struct nn_job job;
		int ret = nn_rig_open(&rig);

		if (ret) {
			fail(c, "open", ret);
			break;
		}
		for (int k = rand_r(&c->seed) % 6; k >= 0; k--) {
			ret = nn_rig_run(&rig);
			if (ret || !nn_rig_right(&rig))
				fail(c, "run", ret);
			else
				c->right++;
		}
		/* Close the file while many jobs run. */
		for (int k = rand_r(&c->seed) % 30; k > 0; k--) {
			nn_rig_job(&rig, &job);
			ret = nn_submit(&rig.queue, &job);
			if (ret)
				fail(c, "submit", ret);
		}
		if (rand_r(&c->seed) & 1)
			nn_rig_close(&rig);
		else
			close(rig.fd);
		if (rig.fd > 0) {
			/* The file is closed: only mappings are left. */
			munmap(rig.add.bo.map, rig.add.bo.size);
			munmap(rig.a.map, rig.a.size);
			munmap(rig.b.map, rig.b.size);
			munmap(rig.out.map, rig.out.size);
			munmap(rig.result.map, rig.result.size);
			munmap((void *)(uintptr_t)rig.queue.status, rig.queue.status_size);
		}
	}
	return NULL;
}

TEST_F_TIMEOUT(stress, files_with_jobs_come_and_go, NN_LONG_TEST_S)
{
	struct client clients[THREADS] = { 0 };

	for (int i = 0; i < THREADS; i++) {
		clients[i].seed = 1000 + i;
		clients[i].rounds = 25;
		ASSERT_EQ(0, pthread_create(&clients[i].thread, NULL, own_file, &clients[i]));
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(clients[i].thread, NULL);
		EXPECT_EQ(0, clients[i].error) {
			TH_LOG("thread %d: %s", i, clients[i].what);
		}
		EXPECT_LT(0, clients[i].right);
	}
	check_unharmed(_metadata, &self->rig, &self->before);
}

/* One file for all threads: queues are created and destroyed, with jobs in them, side by side. */
static void *own_queue(void *arg)
{
	struct client *c = arg;
	struct nn_rig *rig = c->shared;

	for (int i = 0; i < c->rounds && !c->error; i++) {
		uint32_t done = nn_syncobj(rig->fd);
		struct nn_queue queue;
		struct nn_job job;
		int n = 1 + rand_r(&c->seed) % 40, ret;

		ret = nn_queue_new(rig->fd, rand_r(&c->seed) % 3, &queue);
		if (ret) {
			fail(c, "queue", ret);
			break;
		}
		for (int k = 0; k < n; k++) {
			nn_job_null(&job);
			nn_job_signal(&job, done, 0);
			ret = nn_submit(&queue, &job);
			if (ret)
				fail(c, "submit", ret);
		}
		if (rand_r(&c->seed) & 1) {
			ret = nn_fence_end(rig->fd, done, 0);
			if (ret)
				fail(c, "wait", ret);
			else
				c->right++;
		}
		ret = nn_queue_free(&queue);
		if (ret)
			fail(c, "destroy", ret);
		/* By now all jobs have ended, with any result. */
		ret = nn_fence_status(rig->fd, done, 0);
		if (ret != 1 && ret != -ECANCELED)
			fail(c, "left behind", ret);
		else if (ret != 1)
			c->canceled++;
		nn_syncobj_free(rig->fd, done);
	}
	return NULL;
}

TEST_F_TIMEOUT(stress, queues_with_jobs_come_and_go, NN_LONG_TEST_S)
{
	struct client clients[THREADS] = { 0 };

	for (int i = 0; i < THREADS; i++) {
		clients[i].seed = 77 + i;
		clients[i].rounds = 60;
		clients[i].shared = &self->rig;
		ASSERT_EQ(0, pthread_create(&clients[i].thread, NULL, own_queue, &clients[i]));
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(clients[i].thread, NULL);
		EXPECT_EQ(0, clients[i].error) {
			TH_LOG("thread %d: %s", i, clients[i].what);
		}
	}
	check_unharmed(_metadata, &self->rig, &self->before);
}

/* A queue is destroyed while jobs are submitted to it. */
static void *short_lives(void *arg)
{
	struct client *c = arg;
	struct nn_rig *rig = c->shared;
	uint32_t gate = nn_syncobj(rig->fd);
	struct drm_nnaccel_sync sync = { .handle = gate };

	for (int i = 0; i < c->rounds && !c->error; i++) {
		struct drm_nnaccel_job jobs[16] = { 0 };
		struct nn_queue queue;
		struct nn_job opener;
		int n = 2 + rand_r(&c->seed) % 15, ret;

		/* Some jobs wait for a job of another queue, which ends about now. */
		nn_job_null(&opener);
		nn_job_signal(&opener, gate, 0);

		ret = nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &queue);
		if (ret) {
			fail(c, "queue", ret);
			break;
		}
		for (int k = 0; k < n; k++) {
			jobs[k].flags = DRM_NNACCEL_JOB_NULL;
			if (i & 1)
				jobs[k].syncs = (struct drm_nnaccel_array){ sizeof(sync), 1, (uintptr_t)&sync };
		}
		ret = i & 1 ? nn_submit(&rig->queue, &opener) : 0;
		if (!ret)
			ret = nn_submit_raw(rig->fd, queue.id, jobs, sizeof(jobs[0]), n);
		if (ret)
			fail(c, "submit", ret);
		for (int spin = rand_r(&c->seed) % 2000; spin; spin--)
			__asm__ volatile("");
		ret = nn_queue_free(&queue);
		if (ret)
			fail(c, "destroy", ret);
		c->right++;
	}
	nn_syncobj_free(rig->fd, gate);
	return NULL;
}

TEST_F_TIMEOUT(stress, queues_destroyed_at_once, NN_LONG_TEST_S)
{
	struct client clients[2] = { 0 };

	for (size_t i = 0; i < NN_COUNT(clients); i++) {
		clients[i].seed = 9 + i;
		clients[i].rounds = 1500;
		clients[i].shared = &self->rig;
		ASSERT_EQ(0, pthread_create(&clients[i].thread, NULL, short_lives, &clients[i]));
	}
	for (size_t i = 0; i < NN_COUNT(clients); i++) {
		pthread_join(clients[i].thread, NULL);
		EXPECT_EQ(0, clients[i].error) {
			TH_LOG("thread %zu: %s", i, clients[i].what);
		}
		EXPECT_EQ(1500, clients[i].right);
	}
	check_unharmed(_metadata, &self->rig, &self->before);
}

/* All threads on one queue: every sequence number is assigned once, and no job is lost. */
struct numbers {
	struct client client;
	uint8_t *seen;
	uint32_t count;
};

static void *same_queue(void *arg)
{
	struct numbers *n = arg;
	struct nn_rig *rig = n->client.shared;

	for (uint32_t i = 0; i < n->count;) {
		struct nn_job job;
		int ret;

		nn_job_null(&job);
		ret = nn_submit(&rig->queue, &job);
		if (ret == -EBUSY) {
			nn_sleep_ms(1);
			continue;
		}
		if (ret) {
			fail(&n->client, "submit", ret);
			break;
		}
		__atomic_fetch_add(&n->seen[job.job.seqno], 1, __ATOMIC_RELAXED);
		i++;
	}
	return NULL;
}

TEST_F_TIMEOUT(stress, threads_share_a_queue, NN_LONG_TEST_S)
{
	uint32_t each = 1000, total = each * THREADS;
	struct numbers threads[THREADS] = { 0 };
	uint8_t *seen = calloc(total + 1, 1);

	ASSERT_NE(NULL, seen);
	for (int i = 0; i < THREADS; i++) {
		threads[i].client.shared = &self->rig;
		threads[i].seen = seen;
		threads[i].count = each;
		ASSERT_EQ(0, pthread_create(&threads[i].client.thread, NULL, same_queue, &threads[i]));
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i].client.thread, NULL);
		EXPECT_EQ(0, threads[i].client.error);
	}
	for (uint32_t i = 1; i <= total; i++)
		ASSERT_EQ(1, seen[i]);
	EXPECT_EQ(0, nn_run_null(&self->rig.queue));
	free(seen);
}

/* Buffers are closed while jobs that use them wait and run: the jobs hold references. */
TEST_F_TIMEOUT(stress, buffers_closed_under_jobs, NN_LONG_TEST_S)
{
	struct nn_rig *rig = &self->rig;

	for (int round = 0; round < 40; round++) {
		struct nn_bo bo[2] = { 0 };
		struct nn_job job;
		float *result;

		ASSERT_EQ(0, nn_bo_new(rig->fd, NN_BYTES, 0, &bo[0]));
		ASSERT_EQ(0, nn_bo_new(rig->fd, NN_BYTES, 0, &bo[1]));
		for (int i = 0; i < 20; i++) {
			nn_job_run(&job, &rig->add.bo, rig->add.size);
			nn_job_in(&job, &bo[i & 1], NN_BYTES);
			nn_job_in(&job, &rig->b, NN_BYTES);
			nn_job_out(&job, &bo[~i & 1], NN_BYTES);
			nn_job_signal(&job, rig->done, 0);
			ASSERT_EQ(0, nn_submit(&rig->queue, &job));
		}
		result = bo[0].map;
		ASSERT_EQ(0, nn_bo_close(rig->fd, bo[0].handle));
		ASSERT_EQ(0, nn_bo_close(rig->fd, bo[1].handle));
		ASSERT_EQ(0, nn_fence_end(rig->fd, rig->done, 0)) {
			TH_LOG("round %d", round);
		}
		for (uint32_t i = 0; i < NN_VECTOR; i++)
			ASSERT_EQ(20.0f, result[i]);
		munmap(bo[0].map, bo[0].size);
		munmap(bo[1].map, bo[1].size);
	}
}

/* Clients are killed at any point. */
TEST_F_TIMEOUT(stress, killed_clients, NN_LONG_TEST_S)
{
	for (int i = 0; i < 30; i++) {
		pid_t pid = fork();
		int status;

		ASSERT_LE(0, pid);
		if (!pid) {
			struct client c = { .seed = i, .rounds = 1000 };

			own_file(&c);
			_exit(c.error ? 1 : 0);
		}
		nn_sleep_ms(5 + i * 13 % 60);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
	}
	check_unharmed(_metadata, &self->rig, &self->before);
}

static void on_alarm(int signal)
{
	(void)signal;
}

/* A signal every millisecond, in SUBMIT and in waits: ioctls are restarted and take effect once. */
TEST_F_TIMEOUT(stress, signals, NN_LONG_TEST_S)
{
	const struct itimerval every_ms = { { 0, 1000 }, { 0, 1000 } }, never = { 0 };
	struct sigaction action = { .sa_handler = on_alarm };
	struct nn_rig *rig = &self->rig;
	struct drm_nnaccel_queue_state state;
	struct nn_job job;

	ASSERT_EQ(0, sigaction(SIGPROF, &action, NULL));
	/* The harness uses SIGALRM, so use ITIMER_PROF: CPU time in user and kernel mode. */
	ASSERT_EQ(0, setitimer(ITIMER_PROF, &every_ms, NULL));
	for (int i = 0; i < 300; i++) {
		nn_rig_job(rig, &job);
		job.job.max_ns = 10 * NN_NS_PER_S;
		ASSERT_EQ(0, nn_submit(&rig->queue, &job));
		ASSERT_EQ(0, nn_bo_wait(&rig->out, DRM_NNACCEL_BO_WAIT_WRITE, NN_WAIT_S * NN_NS_PER_S));
		ASSERT_EQ(1, nn_fence_status(rig->fd, rig->done, 0));
	}
	ASSERT_EQ(0, setitimer(ITIMER_PROF, &never, NULL));
	ASSERT_EQ(0, nn_queue_state(&rig->queue, &state));
	EXPECT_EQ(300, state.last_seqno);
	check_unharmed(_metadata, rig, &self->before);
}

TEST_HARNESS_MAIN
