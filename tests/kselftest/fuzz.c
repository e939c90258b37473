// SPDX-License-Identifier: Apache-2.0
/*
 * Random arguments to every ioctl, half of them nearly valid, while the card is let to sleep and woken. Nothing
 * has to succeed; the kernel must log no fault (the suite checks its log) and the device must serve the next
 * client. NN_FUZZ_SEED and NN_FUZZ_ROUNDS select what is tried; the test prints both.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kselftest_harness.h>
#include <xf86drm.h>

#include "nnaccel_load.h"
#include "nnaccel_power.h"

#define CONTROL		"power/control"
#define DELAY		"power/autosuspend_delay_ms"
#define HANDLES		8
/* Of them those for memory of the process: debugging of the DMA API counts eight mappings of a page. */
#define USERPTRS	4
/* Pages of the memory for BO_USERPTR: anonymous ones, then those of a file at two addresses. */
#define PAGES		4u
/* Rounds from one change of the power settings to the next. */
#define ROUNDS_OF_POWER	40

/* A thread that lets the card sleep, or keeps it awake, each time that it is woken. */
struct power {
	pthread_t thread;
	bool runs;
	sem_t next;
	atomic_bool stop;
	uint64_t state;
	char address[64];
	char control[64], delay[64];		/* values from before */
	unsigned int changes;
};

FIXTURE(fuzz) {
	struct nn_rig rig;
	struct power power;
	uint8_t *pages;		/* 3 * PAGES, then an unmapped one */
	uint64_t state, seed;
	uint32_t rounds;
	bool gentle;		/* this round makes valid arguments only */
	uint32_t handles[HANDLES], queues[HANDLES], syncobjs[HANDLES];
	uint8_t *memory;	/* target of pointers: two pages, then an unmapped one */
};

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

/* splitmix64 */
static uint64_t next_of(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static void *change_power(void *arg)
{
	static const char *const delays[] = { "0", "1", "5", "20", "100", "-1" };
	struct power *p = arg;

	for (;;) {
		while (sem_wait(&p->next))
			;
		if (atomic_load(&p->stop))
			return NULL;
		if (next_of(&p->state) & 1)
			nn_dev_set(p->address, DELAY, delays[next_of(&p->state) % NN_COUNT(delays)]);
		else
			nn_dev_set(p->address, CONTROL, next_of(&p->state) % 4 ? "auto" : "on");
		p->changes++;
	}
}

/* The device is @fd's. -ENOENT: the kernel has no power management of devices. */
static int power_start(struct power *p, int fd, uint64_t seed)
{
	int ret = nn_dev_address(fd, p->address, sizeof(p->address));

	if (!ret)
		ret = nn_dev_get(p->address, CONTROL, p->control, sizeof(p->control));
	if (!ret)
		ret = nn_dev_get(p->address, DELAY, p->delay, sizeof(p->delay));
	if (ret)
		return ret;
	p->state = ~seed;
	sem_init(&p->next, 0, 0);
	ret = -pthread_create(&p->thread, NULL, change_power, p);
	p->runs = !ret;
	return ret;
}

/* The settings are again those from before. */
static int power_stop(struct power *p)
{
	int ret;

	if (!p->runs)
		return 0;
	p->runs = false;
	atomic_store(&p->stop, true);
	sem_post(&p->next);
	pthread_join(p->thread, NULL);
	ret = nn_dev_set(p->address, DELAY, p->delay);
	return ret ? ret : nn_dev_set(p->address, CONTROL, p->control);
}

/* Memory for BO_USERPTR: PAGES of it twice, so that the same page has two addresses. */
static uint8_t *pages_new(void)
{
	uint8_t *pages = mmap(NULL, (3 * PAGES + 1) * NN_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int file = memfd_create("nnaccel", MFD_CLOEXEC);

	if (pages == MAP_FAILED || file < 0 || ftruncate(file, PAGES * NN_PAGE))
		return NULL;
	for (int i = 1; i < 3; i++)
		if (mmap(pages + i * PAGES * NN_PAGE, PAGES * NN_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			 file, 0) == MAP_FAILED)
			return NULL;
	close(file);
	/* The first page can only be read: the zero page. */
	if (mprotect(pages, NN_PAGE, PROT_READ) || mprotect(pages + 3 * PAGES * NN_PAGE, NN_PAGE, PROT_NONE))
		return NULL;
	return pages;
}

FIXTURE_SETUP(fuzz)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	self->seed = number("NN_FUZZ_SEED", 1);
	self->state = self->seed;
	self->rounds = number("NN_FUZZ_ROUNDS", 20000);
	self->pages = pages_new();
	ASSERT_NE(NULL, self->pages);
	self->memory = mmap(NULL, 3 * NN_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->memory);
	ASSERT_EQ(0, mprotect(self->memory + 2 * NN_PAGE, NN_PAGE, PROT_NONE));
}

FIXTURE_TEARDOWN(fuzz)
{
	EXPECT_EQ(0, power_stop(&self->power));
	munmap(self->memory, 3 * NN_PAGE);
	munmap(self->pages, (3 * PAGES + 1) * NN_PAGE);
	nn_rig_close(&self->rig);
}

typedef FIXTURE_DATA(fuzz) fuzz_state;

static uint64_t next(fuzz_state *f)
{
	return next_of(&f->state);
}

static uint32_t below(fuzz_state *f, uint32_t n)
{
	return next(f) % n;
}

/* Boundary values: near 0, near powers of two, near the limits, sometimes any. */
static uint64_t value(fuzz_state *f)
{
	switch (below(f, 6)) {
	case 0:
		return below(f, 4);
	case 1:
		return (1ull << below(f, 64)) + below(f, 3) - 1;
	case 2:
		return UINT64_MAX - below(f, 16);
	case 3:
		return below(f, 1 << 16);
	case 4:
		return f->rig.a.addr + below(f, 3) * NN_PAGE;
	default:
		return next(f);
	}
}

static uint32_t handle(fuzz_state *f)
{
	return f->gentle || below(f, 8) ? f->handles[below(f, HANDLES)] : value(f);
}

static uint32_t queue(fuzz_state *f)
{
	return f->gentle || below(f, 8) ? f->queues[below(f, HANDLES)] : value(f);
}

static uint64_t pointer(fuzz_state *f, const void *good)
{
	switch (f->gentle ? 9 : below(f, 10)) {
	case 0:
		return value(f);
	case 1:
		/* Reach into the unmapped page. */
		return (uintptr_t)f->memory + 2 * NN_PAGE - below(f, 256);
	default:
		return (uintptr_t)good;
	}
}

static struct drm_nnaccel_array array(fuzz_state *f, const void *good, uint32_t stride, uint32_t count)
{
	struct drm_nnaccel_array a = { stride, count, pointer(f, good) };

	if (!count)
		a.stride = a.array = 0;
	if (!f->gentle && !below(f, 12))
		a.stride = value(f);
	if (!f->gentle && !below(f, 12))
		a.count = value(f);
	return a;
}

/* Change a few words of a valid struct. */
static void spoil(fuzz_state *f, void *data, size_t size)
{
	uint32_t words = size / 4;

	while (!f->gentle && !below(f, 3)) {
		uint32_t v = value(f);

		memcpy((char *)data + 4 * below(f, words), &v, 4);
	}
}

static void fuzz_bo(fuzz_state *f)
{
	struct drm_nnaccel_bo_create create = { .size = 1 + below(f, 20 * NN_PAGE), .flags = below(f, 2) };
	struct drm_nnaccel_bo_mmap_offset offset = { .handle = handle(f) };
	struct drm_nnaccel_bo_info info = { .handle = handle(f) };
	struct drm_nnaccel_bo_wait wait = { .handle = handle(f), .flags = below(f, 2) };
	uint32_t slot = below(f, HANDLES);

	switch (below(f, 4)) {
	case 0:
		nn_bo_close(f->rig.fd, f->handles[slot]);
		f->handles[slot] = 0;
		spoil(f, &create, sizeof(create));
		/* Large buffers would only test the memory of the machine. */
		if (create.size > 1 << 20 && create.size <= 4ull << 30)
			create.size = 1 << 20;
		if (nn_ioctl(f->rig.fd, DRM_IOCTL_NNACCEL_BO_CREATE, &create) == 0)
			f->handles[slot] = create.handle;
		break;
	case 1:
		spoil(f, &offset, sizeof(offset));
		nn_ioctl(f->rig.fd, DRM_IOCTL_NNACCEL_BO_MMAP_OFFSET, &offset);
		break;
	case 2:
		spoil(f, &info, sizeof(info));
		nn_ioctl(f->rig.fd, DRM_IOCTL_NNACCEL_BO_INFO, &info);
		break;
	default:
		spoil(f, &wait, sizeof(wait));
		/* Keep waits short. */
		wait.timeout_ns = nn_now() + below(f, 1000000);
		nn_ioctl(f->rig.fd, DRM_IOCTL_NNACCEL_BO_WAIT, &wait);
	}
}

static void fuzz_label(fuzz_state *f)
{
	struct drm_nnaccel_bo_label label = {
		.handle = handle(f),
		.flags = below(f, 2),
		.size = below(f, DRM_NNACCEL_BO_LABEL_MAX + 2),
		.label = (uintptr_t)f->memory,
	};

	spoil(f, &label, sizeof(label));
	/* The kernel writes through this pointer: let it point into the fuzz area only. */
	if (label.label < (uintptr_t)f->memory || label.label >= (uintptr_t)f->memory + 3 * NN_PAGE)
		label.label = below(f, 2) ? 8 : 0;
	nn_ioctl(f->rig.fd, DRM_IOCTL_NNACCEL_BO_LABEL, &label);
}

static void fuzz_madvise(fuzz_state *f)
{
	/* Twice as often DONTNEED as WILLNEED, so that jobs meet buffers in both states. */
	struct drm_nnaccel_bo_madvise advice = { .handle = handle(f), .advice = !!below(f, 3) };

	spoil(f, &advice, sizeof(advice));
	nn_ioctl(f->rig.fd, DRM_IOCTL_NNACCEL_BO_MADVISE, &advice);
}

/* Memory of the process: often pages that a buffer has already, sometimes beyond the end. */
static void fuzz_userptr(fuzz_state *f)
{
	struct drm_nnaccel_bo_userptr userptr = {
		.addr = (uintptr_t)f->pages + below(f, 3 * PAGES + 1) * NN_PAGE,
		.size = below(f, PAGES + 1) * NN_PAGE,
		.flags = below(f, 2),
	};
	uint32_t slot = below(f, USERPTRS);

	nn_bo_close(f->rig.fd, f->handles[slot]);
	f->handles[slot] = 0;
	spoil(f, &userptr, sizeof(userptr));
	/* Other memory would be written by jobs. */
	if (userptr.addr < (uintptr_t)f->pages || userptr.addr >= (uintptr_t)f->pages + (3 * PAGES + 1) * NN_PAGE)
		userptr.addr = below(f, 2) ? NN_PAGE : UINT64_MAX - NN_PAGE + 1;
	if (nn_ioctl(f->rig.fd, DRM_IOCTL_NNACCEL_BO_USERPTR, &userptr) == 0)
		f->handles[slot] = userptr.handle;
}

static void fuzz_memory(fuzz_state *f)
{
	switch (below(f, 3)) {
	case 0:
		fuzz_label(f);
		break;
	case 1:
		fuzz_madvise(f);
		break;
	default:
		fuzz_userptr(f);
	}
}

static void renew_queue(fuzz_state *f, uint32_t slot, struct drm_nnaccel_queue_create *create)
{
	struct drm_nnaccel_queue_destroy destroy = { .queue_id = f->queues[slot] };

	nn_ioctl(f->rig.fd, DRM_IOCTL_NNACCEL_QUEUE_DESTROY, &destroy);
	f->queues[slot] = 0;
	if (nn_ioctl(f->rig.fd, DRM_IOCTL_NNACCEL_QUEUE_CREATE, create) == 0)
		f->queues[slot] = create->queue_id;
}

/* A job that faults bans its queue: replace the queue. */
static void renew_if_banned(fuzz_state *f, uint32_t id, int error)
{
	struct drm_nnaccel_queue_create create = { .priority = DRM_NNACCEL_PRIORITY_MEDIUM };

	if (error != -ECANCELED && error != -ENOENT)
		return;
	for (uint32_t i = 0; i < HANDLES; i++)
		if (f->queues[i] == id)
			renew_queue(f, i, &create);
}

static void fuzz_queue(fuzz_state *f)
{
	struct drm_nnaccel_queue_create create = { .priority = below(f, 4) };
	struct drm_nnaccel_queue_destroy destroy = { .queue_id = queue(f) };
	struct drm_nnaccel_queue_state state = { .queue_id = queue(f) };
	uint32_t slot = below(f, HANDLES);

	switch (below(f, 3)) {
	case 0:
		spoil(f, &create, sizeof(create));
		renew_queue(f, slot, &create);
		break;
	case 1:
		spoil(f, &destroy, sizeof(destroy));
		nn_ioctl(f->rig.fd, DRM_IOCTL_NNACCEL_QUEUE_DESTROY, &destroy);
		break;
	default:
		spoil(f, &state, sizeof(state));
		nn_ioctl(f->rig.fd, DRM_IOCTL_NNACCEL_QUEUE_STATE, &state);
	}
}

static void fuzz_query(fuzz_state *f)
{
	struct drm_nnaccel_dev_query q = {
		.type = below(f, 6),
		.size = below(f, 2 * NN_PAGE),
		.pointer = pointer(f, f->memory),
	};

	spoil(f, &q, sizeof(q));
	/* The kernel writes through this pointer: let it point into the fuzz area only. */
	if (q.pointer < (uintptr_t)f->memory || q.pointer >= (uintptr_t)f->memory + 3 * NN_PAGE)
		q.pointer = below(f, 2) ? 8 : 0;
	nn_ioctl(f->rig.fd, DRM_IOCTL_NNACCEL_DEV_QUERY, &q);
}

static void fuzz_hint(fuzz_state *f)
{
	struct drm_nnaccel_program_hint hint = {
		.flags = below(f, 2),
		.handle = below(f, 2) ? f->rig.add.bo.handle : handle(f),
		.size = f->rig.add.size,
		.generation = below(f, 4),
	};

	spoil(f, &hint, sizeof(hint));
	nn_ioctl(f->rig.fd, DRM_IOCTL_NNACCEL_PROGRAM_HINT, &hint);
}

static void fuzz_job(fuzz_state *f, struct nn_job *job)
{
	if (!below(f, 3)) {
		nn_job_null(job);
	} else {
		nn_rig_job(&f->rig, job);
		/* Set limits, so that no job runs for long. */
		job->job.max_ns = NN_NS_PER_S;
	}
	if (!below(f, 4))
		job->job.flags |= DRM_NNACCEL_JOB_NO_IMPLICIT;
	if (!below(f, 8))
		job->job.deadline_ns = nn_now() + below(f, 3000000);
	while (job->num_bos < NN_JOB_BOS - 1 && !below(f, 4))
		job->bos[job->num_bos++] = (struct drm_nnaccel_bo_ref){ handle(f), 1 + below(f, 3) };
	while (job->num_syncs < NN_JOB_SYNCS - 1 && !below(f, 3)) {
		uint32_t kind = below(f, 2);

		job->syncs[job->num_syncs++] = (struct drm_nnaccel_sync){
			.flags = kind | (below(f, 4) ? DRM_NNACCEL_SYNC_SIGNAL : 0),
			.handle = f->syncobjs[kind * HANDLES / 2 + below(f, HANDLES / 2)],
			.point = kind ? 1 + below(f, 100) : 0,
		};
	}
	spoil(f, job->args, sizeof(job->args[0]) * (job->num_args ? job->num_args : 1));
	spoil(f, job->bos, sizeof(job->bos[0]) * (job->num_bos ? job->num_bos : 1));
	spoil(f, job->syncs, sizeof(job->syncs[0]) * (job->num_syncs ? job->num_syncs : 1));
	job->job.args = array(f, job->args, sizeof(job->args[0]), job->num_args);
	job->job.bos = array(f, job->bos, sizeof(job->bos[0]), job->num_bos);
	job->job.syncs = array(f, job->syncs, sizeof(job->syncs[0]), job->num_syncs);
	if (!below(f, 4))
		spoil(f, &job->job, sizeof(job->job));
	/* Results of every alignment, and beyond the end of the buffer. */
	if (job->job.result_addr && !below(f, 4))
		job->job.result_addr = f->rig.result.addr + below(f, NN_PAGE);
}

static void fuzz_submit(fuzz_state *f)
{
	struct nn_job parts[4];
	struct drm_nnaccel_job *jobs = (void *)f->memory;
	uint32_t count = 1 + below(f, 4);
	struct drm_nnaccel_submit args;
	uint32_t id = queue(f);

	f->gentle = below(f, 2);
	for (uint32_t i = 0; i < count; i++) {
		fuzz_job(f, &parts[i]);
		jobs[i] = parts[i].job;
	}
	args = (struct drm_nnaccel_submit){
		.queue_id = id,
		.jobs = array(f, jobs, sizeof(jobs[0]), count),
	};
	if (!below(f, 10))
		spoil(f, &args, sizeof(args));
	/* The kernel writes each job's sequence number: again into the fuzz area only. */
	if (args.jobs.array < (uintptr_t)f->memory || args.jobs.array >= (uintptr_t)f->memory + 3 * NN_PAGE)
		args.jobs.array = 8;
	renew_if_banned(f, id, nn_ioctl(f->rig.fd, DRM_IOCTL_NNACCEL_SUBMIT, &args));
	f->gentle = false;
}

TEST_F_TIMEOUT(fuzz, random_arguments, NN_LONG_TEST_S)
{
	struct drm_nnaccel_counters before, after;
	unsigned int changes;
	struct nn_rig check;
	int ret;

	TH_LOG("NN_FUZZ_SEED=%llu NN_FUZZ_ROUNDS=%u", (unsigned long long)self->seed, self->rounds);
	ret = power_start(&self->power, self->rig.fd, self->seed);
	ASSERT_TRUE(ret == 0 || ret == -ENOENT);
	ASSERT_EQ(0, nn_counters(self->rig.fd, &before));
	for (int i = 0; i < HANDLES; i++) {
		self->syncobjs[i] = nn_syncobj(self->rig.fd);
		ASSERT_NE(0, self->syncobjs[i]);
	}
	/* Jobs use addresses of these buffers, which may be closed at any time. */
	self->handles[0] = self->rig.a.handle;
	for (int i = 1; i < HANDLES; i++) {
		struct drm_nnaccel_bo_create bo = { .size = i * NN_PAGE, .flags = i & 1 };
		struct drm_nnaccel_queue_create queue_args = { .priority = i & 3 };

		ASSERT_EQ(0, nn_ioctl(self->rig.fd, DRM_IOCTL_NNACCEL_BO_CREATE, &bo));
		ASSERT_EQ(0, nn_ioctl(self->rig.fd, DRM_IOCTL_NNACCEL_QUEUE_CREATE, &queue_args));
		self->handles[i] = bo.handle;
		self->queues[i] = queue_args.queue_id;
	}
	for (uint32_t i = 0; i < self->rounds; i++) {
		switch (below(self, 10)) {
		case 0:
		case 1:
			fuzz_bo(self);
			break;
		case 2:
			fuzz_queue(self);
			break;
		case 3:
			fuzz_query(self);
			break;
		case 4:
			if (below(self, 2))
				fuzz_hint(self);
			else
				fuzz_memory(self);
			break;
		case 5:
			fuzz_memory(self);
			break;
		default:
			fuzz_submit(self);
		}
		if (self->power.runs && i % ROUNDS_OF_POWER == 0)
			sem_post(&self->power.next);
	}
	changes = self->power.changes;
	ASSERT_EQ(0, power_stop(&self->power));
	ASSERT_EQ(0, nn_rig_open(&check));
	EXPECT_EQ(0, nn_rig_run(&check));
	EXPECT_TRUE(nn_rig_right(&check));
	nn_rig_close(&check);
	ASSERT_EQ(0, nn_counters(self->rig.fd, &after));
	/* Otherwise only argument checks would be tested. */
	EXPECT_LT(before.jobs_submitted + self->rounds / 50, after.jobs_submitted);
	/* No request of a client may cause a reset of the card. */
	EXPECT_EQ(before.resets, after.resets);
	TH_LOG("%llu jobs accepted, %llu of them failed; power was changed %u times",
	       (unsigned long long)(after.jobs_submitted - before.jobs_submitted),
	       (unsigned long long)(after.jobs_failed - before.jobs_failed), changes);
}

TEST_HARNESS_MAIN
