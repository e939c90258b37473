// SPDX-License-Identifier: Apache-2.0
/*
 * Sixteen clients with different work, while the card is killed, stopped, held and made to hang, and clients are
 * killed: every fence signals, none late, no client is banned for another's job, nothing leaks. It runs for
 * NN_STRESS seconds (30).
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include "nnaccel_load.h"

#define CLIENTS		16
#define FIRST_USER	50000u

enum kind {
	SMALL, SMALL_TOO, DEADLINES, MORE_DEADLINES, PIPELINE, MORE_PIPELINE, LONG, LONGER, LOOP, LOOPS, TIGHT, CHURN,
	/* frees memory that its own job uses */
	CLOSER,
	/* killed by the test, at any time */
	MORTAL, MORTAL_TOO, MORTAL_LONG
};

/* Written by one client, read by the test. */
struct tally {
	uint64_t submitted, ended, right;
	uint64_t wrong;		/* status OK, but a wrong result */
	uint64_t unended;	/* fences that did not signal in time */
	uint64_t late;
	uint64_t banned;	/* queues */
	uint64_t lost;		/* jobs lost without own fault */
	uint64_t odd;		/* unexpected errors, */
	int error;		/* the last of these, */
	uint32_t status;	/* and its status */
	int64_t latest;		/* ns after its limit */
};

struct shared {
	struct tally tally[CLIENTS];
	int stop;
	double speed;
	int64_t abort_ns, fence_max_ns;
};

static struct shared *shared;

static int run_seconds(void)
{
	const char *text = getenv("NN_STRESS");

	return text && atoi(text) > 0 ? atoi(text) : 30;
}

static bool stopped(void)
{
	return __atomic_load_n(&shared->stop, __ATOMIC_RELAXED);
}

struct client {
	struct nn_rig rig;
	struct tally *tally;
	unsigned int seed;
	enum kind kind;
	struct nn_long work;
	struct nn_program loop;
	int64_t slack;
};

static void odd(struct client *c, int error, uint32_t status)
{
	c->tally->odd++;
	c->tally->error = error;
	c->tally->status = status;
}

/* Whether @error is allowed for a job of this client, given what is done to the card. */
static bool is_expected(const struct client *c, const struct nn_job *job, uint32_t status)
{
	switch (status) {
	case NNACCEL_STATUS_OK:
	case NNACCEL_STATUS_INNOCENT:
	case NNACCEL_STATUS_LINK_LOST:
	/* The card was made to hang. */
	case NNACCEL_STATUS_NO_PROGRESS:
	case NNACCEL_STATUS_BANNED:
		return true;
	case NNACCEL_STATUS_DEADLINE:
		return job->job.deadline_ns;
	case NNACCEL_STATUS_MAX_TIME:
		return job->job.max_ns;
	case NNACCEL_STATUS_LOOP_TIMEOUT:
		return job->job.loop_ns;
	case NNACCEL_STATUS_FAULT:
		return c->kind == CLOSER;
	case NNACCEL_STATUS_EXPIRED:
		return true;
	default:
		return false;
	}
}

/* The client's queue was banned: count it and create a new one. */
static int renew(struct client *c)
{
	struct drm_nnaccel_queue_state state;
	int ret = nn_queue_state(&c->rig.queue, &state);

	if (ret)
		return ret;
	c->tally->lost += state.innocent;
	c->tally->banned += state.health != DRM_NNACCEL_QUEUE_OK;
	nn_queue_free(&c->rig.queue);
	return nn_queue_new(c->rig.fd, DRM_NNACCEL_PRIORITY_MEDIUM, &c->rig.queue);
}

/* Wait for the last fence submitted, and check its error and time. */
static void reap(struct client *c, const struct nn_job *job, int64_t submitted)
{
	int64_t limit = submitted + shared->fence_max_ns, end, late;
	uint32_t status;
	int ret;

	if (job->job.deadline_ns && (int64_t)job->job.deadline_ns + shared->abort_ns < limit)
		limit = job->job.deadline_ns + shared->abort_ns;
	ret = nn_syncobj_wait(c->rig.fd, c->rig.done, 0,
			      (limit + c->slack - nn_now()) / NN_NS_PER_S + NN_WAIT_S);
	end = nn_now();
	if (ret) {
		c->tally->unended++;
		return;
	}
	c->tally->ended++;
	status = nn_status(&c->rig.queue, job->job.seqno);
	late = end - limit;
	/* A job that succeeded is not late if its waiter wakes late. */
	if (late > c->tally->latest && status != NNACCEL_STATUS_OK)
		c->tally->latest = late;
	c->tally->late += late > c->slack;
	if (!is_expected(c, job, status))
		odd(c, nn_fence_status(c->rig.fd, c->rig.done, 0), status);
	c->tally->right += status == NNACCEL_STATUS_OK;
}

/* Submit @n copies of a job and wait for the fence of the last one. */
static void run_jobs(struct client *c, struct nn_job *job, int n)
{
	int64_t start = nn_now();
	int ret = 0;

	nn_job_signal(job, c->rig.done, 0);
	for (int i = 0; i < n; i++) {
		while ((ret = nn_submit(&c->rig.queue, job)) == -EBUSY && !stopped())
			nn_sleep_ms(1);
		if (ret)
			break;
		c->tally->submitted++;
	}
	if (ret == -ECANCELED) {
		ret = renew(c);
		if (ret)
			odd(c, ret, 0);
		return;
	}
	if (ret && ret != -EBUSY) {
		odd(c, ret, 0);
		return;
	}
	if (!ret)
		reap(c, job, start);
}

static unsigned int some(struct client *c, unsigned int below)
{
	return rand_r(&c->seed) % below;
}

static void small_round(struct client *c)
{
	uint64_t right = c->tally->right;
	struct nn_job job;

	memset(c->rig.out.map, 0, NN_BYTES);
	nn_rig_job(&c->rig, &job);
	job.num_syncs = 0;
	if (c->kind == DEADLINES || c->kind == MORE_DEADLINES)
		job.job.deadline_ns = nn_now() + some(c, 100) * NN_NS_PER_MS;
	if (c->kind == TIGHT)
		job.job.max_ns = 1 + some(c, 1000);
	run_jobs(c, &job, 1);
	if (c->tally->right > right && !nn_rig_right(&c->rig))
		c->tally->wrong++;
}

static void long_round(struct client *c)
{
	struct nn_job job;

	nn_long_job(&c->work, &job);
	if (some(c, 4) == 0)
		job.job.deadline_ns = nn_now() + some(c, 2000) * NN_NS_PER_MS;
	run_jobs(c, &job, 1);
}

static void loop_round(struct client *c)
{
	struct nn_job job;

	memset(c->rig.a.map, 0, NN_PAGE);
	nn_loop_job(&c->loop, &c->rig.a, &c->rig.out, (50 + some(c, 500)) * NN_NS_PER_MS, &job);
	run_jobs(c, &job, 1);
}

/* Free its output while it is in use. */
static void closer_round(struct client *c)
{
	struct nn_long work;
	struct nn_job job;

	if (nn_long_open(c->rig.fd, 300 + some(c, 3000), 1, shared->speed, &work))
		return;
	nn_long_job_bare(&work, &job);
	nn_job_signal(&job, c->rig.done, 0);
	if (!nn_submit(&c->rig.queue, &job)) {
		c->tally->submitted++;
		nn_sleep_ms(some(c, 200));
		nn_bo_free(&work.out);
		reap(c, &job, nn_now());
	}
	nn_long_close(&work);
	if (renew(c))
		odd(c, -EIO, 0);
}

static void churn_round(struct client *c)
{
	struct nn_bo bos[8] = { 0 };
	struct nn_queue queue;
	struct nn_job job;

	if (nn_queue_new(c->rig.fd, some(c, 3), &queue))
		return;
	for (size_t i = 0; i < NN_COUNT(bos); i++)
		nn_bo_new(c->rig.fd, NN_PAGE << some(c, 6), 0, &bos[i]);
	nn_job_null(&job);
	for (size_t i = 0; i < NN_COUNT(bos); i++)
		if (bos[i].handle)
			nn_job_bo(&job, &bos[i], DRM_NNACCEL_BO_REF_WRITE);
	for (int i = some(c, 40); i > 0; i--)
		nn_submit(&queue, &job);
	for (size_t i = 0; i < NN_COUNT(bos); i++)
		nn_bo_free(&bos[i]);
	nn_queue_free(&queue);
}

static void one_round(struct client *c)
{
	struct nn_job job;

	switch (c->kind) {
	case PIPELINE:
	case MORE_PIPELINE:
		nn_job_null(&job);
		run_jobs(c, &job, 1 + some(c, 200));
		break;
	case LONG:
	case LONGER:
	case MORTAL_LONG:
		long_round(c);
		break;
	case LOOP:
	case LOOPS:
		loop_round(c);
		break;
	case CLOSER:
		closer_round(c);
		break;
	case CHURN:
	case MORTAL_TOO:
		churn_round(c);
		break;
	default:
		small_round(c);
	}
}

/* NN_SEED: another run than the one of all other days. */
static unsigned int run_seed(void)
{
	const char *text = getenv("NN_SEED");

	return text ? strtoul(text, NULL, 0) : 1;
}

/* A client that takes the place of a killed one goes another way: @start counts them. */
static void *client_arg(uintptr_t kind, unsigned int start)
{
	return (void *)(kind + (uintptr_t)start * CLIENTS);
}

static int client_main(void *arg)
{
	struct client c = { .kind = (uintptr_t)arg % CLIENTS };
	int fd = nn_open_as(FIRST_USER + c.kind), ret;
	struct drm_nnaccel_queue_state state;

	c.tally = &shared->tally[c.kind];
	c.seed = run_seed() * 1000003 + 77 + (unsigned int)(uintptr_t)arg;
	c.slack = 3 * nn_slow() * NN_NS_PER_S;
	if (fd < 0)
		return 1;
	ret = nn_rig_setup_as_is(&c.rig, fd);
	if (!ret)
		ret = nn_program_loop(fd, &c.loop);
	if (!ret)
		ret = nn_long_open(fd, 100 + 200 * (c.kind % 3), 1 + c.kind % 2, shared->speed, &c.work);
	if (ret) {
		odd(&c, ret, 0);
		return 2;
	}
	while (!stopped()) {
		one_round(&c);
		nn_sleep_ms(some(&c, 10));
	}
	if (!nn_queue_state(&c.rig.queue, &state)) {
		c.tally->lost += state.innocent;
		c.tally->banned += state.health != DRM_NNACCEL_QUEUE_OK;
	}
	return 0;
}

static int64_t meminfo(const char *name)
{
	FILE *f = fopen("/proc/meminfo", "r");
	char line[128];
	long kib = -1;

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, name, strlen(name)) == 0)
			kib = strtol(line + strlen(name) + 1, NULL, 10);
	if (f)
		fclose(f);
	return kib;
}

FIXTURE(policy_stress) {
	struct nn_rig rig;
};

FIXTURE_SETUP(policy_stress)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, shared);
	ASSERT_EQ(0, nn_speed(self->rig.fd, &shared->speed));
}

FIXTURE_TEARDOWN(policy_stress)
{
	if (self->rig.fd > 0)
		nn_card_heal(self->rig.fd);
	nn_rig_close(&self->rig);
}

/* Disturb the card; returns the number of clients that may be banned for it. */
static int disturb(struct __test_metadata *_metadata, int fd, unsigned int what)
{
	struct drm_nnaccel_device_info info;
	char answer[256];

	ASSERT_EQ(0, nn_device_info(fd, &info));
	switch (what) {
	case 0:
		EXPECT_EQ(0, nn_card_do("kill"));
		break;
	case 1:
		/* Frozen for a moment. */
		EXPECT_EQ(0, nn_card_do("stop"));
		nn_sleep_ms(200);
		EXPECT_EQ(0, nn_control(answer, sizeof(answer), "cont"));
		return 0;
	case 2:
		/* Frozen until the driver resets it. */
		EXPECT_EQ(0, nn_card_do("stop"));
		break;
	case 3:
		EXPECT_EQ(0, nn_card_hold(fd));
		nn_sleep_ms(500);
		EXPECT_EQ(0, nn_control(answer, sizeof(answer), "start"));
		break;
	case 4:
		EXPECT_EQ(0, nn_control(answer, sizeof(answer), "fault hang-at-job=%d", 1 + (int)(nn_now() % 50)));
		EXPECT_EQ(0, nn_wait_state(fd, DRM_NNACCEL_DEVICE_ONLINE, info.generation + 1));
		return 1;
	default:
		return 0;
	}
	EXPECT_EQ(0, nn_wait_state(fd, DRM_NNACCEL_DEVICE_ONLINE, info.generation + 1));
	return 0;
}

/* Nothing is charged to a user whose clients have exited. */
static void check_nothing_left(struct __test_metadata *_metadata, unsigned int uid)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	struct drm_nnaccel_usage usage;
	int fd = nn_open_as(uid);

	ASSERT_LT(0, fd);
	do {
		ASSERT_EQ(0, nn_usage(fd, &usage));
		if (usage.user_bytes == usage.bytes && !usage.user_queues && !usage.user_job_bytes)
			break;
		nn_sleep_ms(50);
	} while (nn_now() < end);
	EXPECT_EQ(usage.bytes, usage.user_bytes);
	EXPECT_EQ(0, usage.user_queues);
	EXPECT_EQ(0, usage.user_job_bytes);
	close(fd);
}

TEST_F_TIMEOUT(policy_stress, clients_of_all_kinds, (run_seconds() + 120) * nn_slow())
{
	int64_t end, available, slab;
	struct drm_nnaccel_counters before, after;
	uint64_t submitted = 0, banned = 0, events;
	unsigned int seed = run_seed(), hangs = 0, killed = 0;
	pid_t pids[CLIENTS];
	bool control = nn_has_control();

	TH_LOG("NN_SEED=%u", seed);
	shared->abort_ns = 500 * nn_slow() * NN_NS_PER_MS;
	shared->fence_max_ns = 20 * nn_slow() * NN_NS_PER_S;
	ASSERT_EQ(0, nn_param_set("abort_ms", shared->abort_ns / NN_NS_PER_MS));
	ASSERT_EQ(0, nn_param_set("fence_max_ms", shared->fence_max_ns / NN_NS_PER_MS));
	ASSERT_EQ(0, nn_param_set("no_progress_ms", 3000 * nn_slow()));
	ASSERT_EQ(0, nn_param_set("heartbeat_ms", 2000 * nn_slow()));
	ASSERT_EQ(0, nn_param_set("admin_ms", 2000 * nn_slow()));
	ASSERT_EQ(0, nn_counters(self->rig.fd, &before));
	available = meminfo("MemAvailable:");
	slab = meminfo("SUnreclaim:");
	for (uintptr_t i = 0; i < CLIENTS; i++) {
		pids[i] = nn_child(client_main, client_arg(i, 0));
		ASSERT_LT(0, pids[i]);
	}
	end = nn_now() + run_seconds() * NN_NS_PER_S;
	while (nn_now() < end) {
		uintptr_t mortal = MORTAL + rand_r(&seed) % 3;

		nn_sleep_ms(200 + rand_r(&seed) % 800);
		if (control)
			hangs += disturb(_metadata, self->rig.fd, rand_r(&seed) % 6);
		EXPECT_EQ(0, kill(pids[mortal], SIGKILL));
		nn_child_end(pids[mortal]);
		pids[mortal] = nn_child(client_main, client_arg(mortal, ++killed));
		ASSERT_LT(0, pids[mortal]);
	}
	/* Heal the card, but keep the parameters, on which the clients' limits depend. */
	if (control) {
		char answer[256];

		EXPECT_EQ(0, nn_control(answer, sizeof(answer), "fault none"));
	}
	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < CLIENTS; i++)
		EXPECT_EQ(0, nn_child_end(pids[i]));
	ASSERT_EQ(0, nn_counters(self->rig.fd, &after));
	events = after.resets - before.resets + after.links_lost - before.links_lost;
	for (int i = 0; i < CLIENTS; i++) {
		const struct tally *t = &shared->tally[i];

		TH_LOG("client %2d: %llu jobs, %llu waits, %llu right, %llu lost, %llu bans, latest %lld ms", i,
		       (unsigned long long)t->submitted, (unsigned long long)t->ended, (unsigned long long)t->right,
		       (unsigned long long)t->lost, (unsigned long long)t->banned,
		       (long long)(t->latest / NN_NS_PER_MS));
		EXPECT_EQ(0, t->unended);
		EXPECT_EQ(0, t->late);
		EXPECT_EQ(0, t->wrong);
		EXPECT_EQ(0, t->odd) {
			TH_LOG("client %d: %d, status %#x", i, t->error, t->status);
		}
		/* At most one job of a queue has begun when the card is disturbed: all others run later. */
		EXPECT_GE(events, t->lost);
		submitted += t->submitted;
		banned += i == CLOSER ? 0 : t->banned;
	}
	TH_LOG("%llu jobs, %llu resets, %llu lost links, %u hangs, %u clients killed",
	       (unsigned long long)submitted, (unsigned long long)(after.resets - before.resets),
	       (unsigned long long)(after.links_lost - before.links_lost), hangs, killed);
	EXPECT_LT(100, submitted);
	/* Only queues whose job was made to hang are banned. */
	EXPECT_GE(hangs, banned);
	for (int i = 0; i < CLIENTS; i++)
		check_nothing_left(_metadata, FIRST_USER + i);
	nn_card_heal(self->rig.fd);
	EXPECT_EQ(0, nn_rig_run(&self->rig));
	EXPECT_TRUE(nn_rig_right(&self->rig));
	available -= meminfo("MemAvailable:");
	slab = meminfo("SUnreclaim:") - slab;
	TH_LOG("%lld KiB less memory, %lld KiB more slab", (long long)available, (long long)slab);
	EXPECT_GT(96 << 10, available);
	EXPECT_GT(32 << 10, slab);
}

TEST_HARNESS_MAIN
