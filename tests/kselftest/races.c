// SPDX-License-Identifier: Apache-2.0
/* Races: one thread removes what another uses. See Documentation/failure-and-recovery.rst. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/udmabuf.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kselftest_harness.h>
#include <xf86drm.h>

#include "nnaccel_load.h"

#define UNBINDS		25
#define HAMMERS		4
#define BURST		32

FIXTURE(races) {
	struct nn_rig rig;
	char address[64];
};

FIXTURE_SETUP(races)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	ASSERT_EQ(0, nn_dev_address(self->rig.fd, self->address, sizeof(self->address)));
}

FIXTURE_TEARDOWN(races)
{
	nn_rig_close(&self->rig);
	nn_bind(self->address);
	nn_works_again();
}

struct hammer {
	pthread_t thread;
	atomic_bool *stop;
	atomic_ullong done;	/* calls that succeeded */
	uint64_t gone;
	atomic_int error;	/* an unexpected error */
};

/* A file that was opened while its device is unbound may find it gone. */
static bool is_expected(int error)
{
	return !error || error == -ENODEV || error == -EBUSY || error == -EIO || error == -ENOSPC ||
	       error == -ENOENT || error == -ECANCELED || error == -ENXIO || error == -ENOMEM;
}

/* The result of the last call with a file. */
static void hammer_result(struct hammer *h, int ret)
{
	h->gone += ret == -ENODEV;
	if (!is_expected(ret))
		h->error = ret;
}

/* Newer than libdrm's headers. */
struct syncobj_eventfd {
	uint32_t handle, flags;
	uint64_t point;
	int32_t fd;
	uint32_t pad;
};

static void eventfd_of(int fd, uint32_t syncobj, int event)
{
	struct syncobj_eventfd args = { .handle = syncobj, .fd = event };

	nn_ioctl(fd, DRM_IOWR(0xcf, struct syncobj_eventfd), &args);
}

/* Submit without a pause, on whatever device is bound. */
static void *hammer_submit(void *arg)
{
	struct hammer *h = arg;
	struct drm_nnaccel_job jobs[BURST];
	struct nn_job parts[BURST];
	struct nn_queue queue;

	while (!atomic_load(h->stop)) {
		int event, fd = nn_open(), ret;
		uint32_t done;

		if (fd < 0)
			continue;
		ret = nn_queue_new(fd, DRM_NNACCEL_PRIORITY_MEDIUM, &queue);
		done = nn_syncobj(fd);
		event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		for (int i = 0; i < BURST; i++) {
			nn_job_null(&parts[i]);
			nn_job_signal(&parts[i], done, 0);
			nn_job_finish(&parts[i]);
			jobs[i] = parts[i].job;
		}
		while (!ret && !atomic_load(h->stop)) {
			/* SUBMIT itself notifies the waiter's eventfd. */
			for (int i = 0; i < 8; i++)
				eventfd_of(fd, done, event);
			ret = nn_submit_raw(fd, queue.id, jobs, sizeof(jobs[0]), BURST);
			h->done += ret == 0;
			if (ret == -EBUSY)
				ret = 0;
		}
		hammer_result(h, ret);
		nn_queue_free(&queue);
		nn_syncobj_free(fd, done);
		close(event);
		close(fd);
	}
	return NULL;
}

/* @call without a pause, on whatever device is bound, which is opened again when a call has failed. */
static void *hammer_call(struct hammer *h, int (*call)(int fd))
{
	while (!atomic_load(h->stop)) {
		int fd = nn_open(), ret = 0;

		if (fd < 0)
			continue;
		while (!ret && !atomic_load(h->stop)) {
			ret = call(fd);
			h->done += ret == 0;
		}
		hammer_result(h, ret);
		close(fd);
	}
	return NULL;
}

/* All queries, whether answered from registers or not. */
static int query_all(int fd)
{
	struct drm_nnaccel_counters counters;
	struct drm_nnaccel_device_info info;
	struct drm_nnaccel_usage usage;
	struct drm_nnaccel_clock clock;
	int ret = nn_counters(fd, &counters);
	int64_t ns;

	if (!ret)
		ret = nn_device_info(fd, &info);
	if (!ret)
		ret = nn_usage(fd, &usage);
	if (!ret)
		nn_clock(fd, &clock);
	nn_engine_ns(fd, &ns);
	return ret;
}

static void *hammer_queries(void *arg)
{
	return hammer_call(arg, query_all);
}

/* Read every debugfs file to its end. */
static unsigned int read_debugfs(void)
{
	unsigned int bytes = 0;
	glob_t found;
	char text[4096];

	if (glob("/sys/kernel/debug/{accel,dri}/*/*", GLOB_BRACE, NULL, &found))
		return 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		int fd = open(found.gl_pathv[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		ssize_t len;

		if (fd < 0)
			continue;
		while ((len = read(fd, text, sizeof(text))) > 0)
			bytes += len;
		close(fd);
	}
	globfree(&found);
	return bytes;
}

static void *hammer_debugfs(void *arg)
{
	struct hammer *h = arg;

	while (!atomic_load(h->stop))
		h->done += read_debugfs() > 0;
	return NULL;
}

static int udmabuf_new(size_t size);

/*
 * Import memory that is mapped only once: a buffer that was closed is unmapped when the card has let go, and
 * debugging of the DMA API allows 7 mappings of the same page.
 */
static int import_and_close(int fd)
{
	int dmabuf = udmabuf_new(16 * NN_PAGE), ret;
	uint32_t handle;

	if (dmabuf < 0)
		return dmabuf;
	ret = drmPrimeFDToHandle(fd, dmabuf, &handle) ? -errno : nn_bo_close(fd, handle);
	close(dmabuf);
	return ret;
}

/* An import maps memory for DMA, which the device must not have when it is unbound: debugging of the DMA API reports it. */
static void *hammer_imports(void *arg)
{
	return hammer_call(arg, import_and_close);
}

/*
 * Until the first @runs hammers, which are one of each kind, have got a call through since then. The limit of the
 * test is the only one.
 */
static void wait_done(struct hammer *hammers, size_t runs)
{
	unsigned long long before[HAMMERS];

	for (size_t i = 0; i < runs; i++)
		before[i] = atomic_load(&hammers[i].done);
	for (size_t i = 0; i < runs; i++)
		while (atomic_load(&hammers[i].done) == before[i] && !atomic_load(&hammers[i].error))
			nn_sleep_ms(1);
}

/*
 * The device goes when calls have got through, so that there is something to interrupt; in every fifth round it goes
 * while the clients still open it.
 */
static void unbind_under(struct __test_metadata *_metadata, const char *address, int times,
			 void *(*const run[])(void *arg), size_t runs)
{
	struct hammer hammers[HAMMERS] = { 0 };
	uint64_t done = 0, gone = 0;
	atomic_bool stop = false;

	for (size_t i = 0; i < NN_COUNT(hammers); i++) {
		hammers[i].stop = &stop;
		ASSERT_EQ(0, pthread_create(&hammers[i].thread, NULL, run[i % runs], &hammers[i]));
	}
	for (int i = 0; i < times; i++) {
		if (i % 5 != 4)
			wait_done(hammers, runs);
		EXPECT_EQ(0, nn_unbind(address));
		EXPECT_EQ(0, nn_bind(address));
	}
	atomic_store(&stop, true);
	for (size_t i = 0; i < NN_COUNT(hammers); i++) {
		pthread_join(hammers[i].thread, NULL);
		EXPECT_EQ(0, atomic_load(&hammers[i].error));
		done += atomic_load(&hammers[i].done);
		gone += hammers[i].gone;
	}
	TH_LOG("%llu calls succeeded, %llu found the device gone", (unsigned long long)done, (unsigned long long)gone);
	EXPECT_EQ(0, nn_works_again());
}

TEST_F_TIMEOUT(races, submit_against_unbind, 2 * NN_LONG_TEST_S)
{
	static void *(*const run[])(void *arg) = { hammer_submit };

	nn_rig_close(&self->rig);
	unbind_under(_metadata, self->address, UNBINDS, run, NN_COUNT(run));
}

TEST_F_TIMEOUT(races, counters_against_unbind, 2 * NN_LONG_TEST_S)
{
	static void *(*const run[])(void *arg) = { hammer_queries };

	nn_rig_close(&self->rig);
	unbind_under(_metadata, self->address, UNBINDS, run, NN_COUNT(run));
}

TEST_F_TIMEOUT(races, imports_against_unbind, 2 * NN_LONG_TEST_S)
{
	static void *(*const run[])(void *arg) = { hammer_imports };

	if (nn_is_emulated(self->address))
		SKIP(return, "not on this device: it imports nothing (bo.c)");
	nn_rig_close(&self->rig);
	unbind_under(_metadata, self->address, UNBINDS, run, NN_COUNT(run));
}

TEST_F_TIMEOUT(races, everything_against_unbind, 2 * NN_LONG_TEST_S)
{
	static void *(*const run[])(void *arg) = { hammer_submit, hammer_queries, hammer_debugfs };

	nn_rig_close(&self->rig);
	unbind_under(_metadata, self->address, UNBINDS, run, NN_COUNT(run));
}

/* The card dies while its driver is unbound, and while it is bound. */
TEST_F_TIMEOUT(races, deaths_against_unbind, 2 * NN_LONG_TEST_S)
{
	/* Without its driver an accelerator of a board has no power: there is no process to continue. */
	bool board = nn_is_board(self->address);
	char answer[256];

	NEED_CONTROL();
	for (int i = 0; i < 10; i++) {
		struct nn_rig rig;

		ASSERT_EQ(0, nn_rig_open(&rig));
		EXPECT_EQ(0, nn_rig_run(&rig));
		ASSERT_EQ(0, nn_card_do(i & 1 ? "kill" : "stop"));
		nn_sleep_ms(i * 7 % 30);
		EXPECT_EQ(0, nn_unbind(self->address));
		nn_rig_close(&rig);
		nn_rig_close(&self->rig);
		ASSERT_EQ(0, nn_control(answer, sizeof(answer), i & 1 || board ? "status" : "cont"));
		EXPECT_EQ(0, nn_bind(self->address));
		EXPECT_EQ(0, nn_works_again());
	}
}

/* debugfs can be read in every state of the card, and is not empty. */
TEST_F_TIMEOUT(races, debugfs_readable_throughout, NN_LONG_TEST_S)
{
	struct hammer h = { 0 };
	atomic_bool stop = false;

	NEED_CONTROL();
	h.stop = &stop;
	ASSERT_LT(0, read_debugfs());
	ASSERT_EQ(0, pthread_create(&h.thread, NULL, hammer_debugfs, &h));
	for (int i = 0; i < 5; i++) {
		struct nn_queue queue;

		ASSERT_EQ(0, nn_queue_new(self->rig.fd, DRM_NNACCEL_PRIORITY_LOW, &queue));
		ASSERT_EQ(0, nn_card_do("kill"));
		nn_rig_run(&self->rig);
		EXPECT_EQ(0, nn_queue_free(&queue));
	}
	ASSERT_EQ(0, nn_card_hold(self->rig.fd));
	EXPECT_LT(0, read_debugfs());
	ASSERT_EQ(0, nn_card_start(self->rig.fd));
	atomic_store(&stop, true);
	pthread_join(h.thread, NULL);
	EXPECT_LT(0, atomic_load(&h.done));
}

struct submitter {
	pthread_t thread;
	struct nn_queue *queue;
	struct drm_nnaccel_job *jobs;
	uint32_t count;
	atomic_int result;	/* 1: not yet */
};

static void *submit_there(void *arg)
{
	struct submitter *s = arg;

	atomic_store(&s->result, nn_submit_raw(s->queue->fd, s->queue->id, s->jobs, sizeof(s->jobs[0]), s->count));
	return NULL;
}

static void *destroy_queue(void *arg)
{
	struct submitter *s = arg;
	struct drm_nnaccel_queue_destroy args = { .queue_id = s->queue->id };

	atomic_store(&s->result, nn_ioctl(s->queue->fd, DRM_IOCTL_NNACCEL_QUEUE_DESTROY, &args));
	return NULL;
}

static int wait_result(struct submitter *s)
{
	int64_t end = nn_now() + NN_WAIT_S / 2 * NN_NS_PER_S;

	while (atomic_load(&s->result) == 1 && nn_now() < end)
		nn_sleep_ms(10);
	return atomic_load(&s->result);
}

static int write_protect(int uffd, void *page, bool protect)
{
	struct uffdio_writeprotect args = {
		.range = { .start = (uintptr_t)page, .len = NN_PAGE },
		.mode = protect ? UFFDIO_WRITEPROTECT_MODE_WP : 0,
	};

	return ioctl(uffd, UFFDIO_WRITEPROTECT, &args) ? -errno : 0;
}

/* A page whose writers block until it is unprotected. */
static int slow_page(void **page)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_WP };
	int uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK), ret;

	if (uffd < 0)
		return -errno;
	*page = mmap(NULL, NN_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	reg.range.start = (uintptr_t)*page;
	reg.range.len = NN_PAGE;
	if (*page == MAP_FAILED || ioctl(uffd, UFFDIO_API, &api) || ioctl(uffd, UFFDIO_REGISTER, &reg)) {
		ret = -errno;
		close(uffd);
		return ret;
	}
	return uffd;
}

/* A client whose memory blocks the write of the seqno delays no other client, nor its own job. */
TEST_F_TIMEOUT(races, put_user_does_not_block_destroy, NN_LONG_TEST_S)
{
	struct submitter s = { .queue = &self->rig.queue, .result = 1, .count = 1 }, d = s;
	struct pollfd p = { .events = POLLIN };
	struct nn_queue other;
	struct nn_job job;
	void *page;

	p.fd = slow_page(&page);
	ASSERT_LE(0, p.fd) {
		TH_LOG("userfaultfd: %d", p.fd);
	}
	ASSERT_EQ(0, nn_queue_new(self->rig.fd, DRM_NNACCEL_PRIORITY_MEDIUM, &other));
	nn_job_null(&job);
	memcpy(page, &job.job, sizeof(job.job));
	s.jobs = page;
	ASSERT_EQ(0, write_protect(p.fd, page, true));
	ASSERT_EQ(0, pthread_create(&s.thread, NULL, submit_there, &s));
	/* The job has run. */
	EXPECT_EQ(1, poll(&p, 1, NN_WAIT_S * 1000));
	EXPECT_EQ(0, nn_run_null(&other));
	EXPECT_EQ(0, nn_queue_free(&other));
	ASSERT_EQ(0, pthread_create(&d.thread, NULL, destroy_queue, &d));
	EXPECT_EQ(0, wait_result(&d));
	EXPECT_EQ(0, write_protect(p.fd, page, false));
	/* SUBMIT succeeds with the seqno, or the queue was destroyed before. */
	EXPECT_TRUE(wait_result(&s) == 0 || wait_result(&s) == -ENOENT);
	pthread_join(s.thread, NULL);
	pthread_join(d.thread, NULL);
	EXPECT_EQ(wait_result(&s) == 0, ((struct drm_nnaccel_job *)page)->seqno);
	close(p.fd);
	munmap(page, NN_PAGE);
}

static int udmabuf_new(size_t size)
{
	struct udmabuf_create args = { .memfd = memfd_create("nnaccel", MFD_ALLOW_SEALING | MFD_CLOEXEC), .size = size };
	int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC), ret;

	if (device < 0)
		return -errno;
	if (ftruncate(args.memfd, size) || fcntl(args.memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		return -errno;
	ret = ioctl(device, UDMABUF_CREATE, &args);
	if (ret < 0)
		ret = -errno;
	close(args.memfd);
	close(device);
	return ret;
}

/* A job on a queue of its own that waits for the card: no fence of it has signalled. */
static int submit_waiting(struct nn_rig *rig, const struct nn_bo *written, const struct nn_bo *read)
{
	struct nn_queue queue;
	struct nn_job job;
	int ret = nn_queue_new(rig->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &queue);

	if (ret)
		return ret;
	nn_job_null(&job);
	nn_job_bo(&job, written, DRM_NNACCEL_BO_REF_WRITE);
	if (read)
		nn_job_bo(&job, read, DRM_NNACCEL_BO_REF_READ);
	/* With a limit they take part in implicit sync as readers and writers. */
	job.job.max_ns = NN_NS_PER_S;
	nn_job_signal(&job, rig->done, 0);
	return nn_submit(&queue, &job);
}

/*
 * One job uses two GEM objects of one memory: one imported here, one imported by another file and passed by name.
 * They share one dma_resv, which gets two fences.
 */
#define OPENINGS	200
#define MAPPINGS	24

struct opening {
	int fd;
	struct nn_queue queue;
	pthread_barrier_t start;
	int ret;
};

/* The first queue of a file makes its address space known to the card. */
static void *open_queue(void *arg)
{
	struct opening *o = arg;

	pthread_barrier_wait(&o->start);
	o->ret = nn_queue_new(o->fd, DRM_NNACCEL_PRIORITY_MEDIUM, &o->queue);
	return NULL;
}

/* Mappings go while the card learns of their address space: it may hear of the mappings first. */
TEST_F_TIMEOUT(races, unmap_while_opening, NN_LONG_TEST_S)
{
	struct drm_nnaccel_counters before, after;
	struct nn_bo bo[MAPPINGS];
	struct opening o;
	pthread_t thread;

	ASSERT_EQ(0, nn_counters(self->rig.fd, &before));
	for (int i = 0; i < OPENINGS; i++) {
		o.fd = nn_open();
		ASSERT_LE(0, o.fd);
		for (int k = 0; k < MAPPINGS; k++)
			ASSERT_EQ(0, nn_bo_new(o.fd, NN_PAGE, 0, &bo[k]));
		ASSERT_EQ(0, pthread_barrier_init(&o.start, NULL, 2));
		ASSERT_EQ(0, pthread_create(&thread, NULL, open_queue, &o));
		pthread_barrier_wait(&o.start);
		/* not neighbours, so that each is a command of its own */
		for (int k = 0; k < MAPPINGS; k += 2)
			nn_bo_free(&bo[k]);
		for (int k = 1; k < MAPPINGS; k += 2)
			nn_bo_free(&bo[k]);
		pthread_join(thread, NULL);
		EXPECT_EQ(0, o.ret);
		pthread_barrier_destroy(&o.start);
		close(o.fd);
	}
	ASSERT_EQ(0, nn_counters(self->rig.fd, &after));
	EXPECT_EQ(before.resets, after.resets);
	EXPECT_EQ(0, nn_rig_run(&self->rig));
}

TEST_F_TIMEOUT(races, two_handles_one_resv, NN_TEST_S)
{
	struct nn_rig *rig = &self->rig;
	int dmabuf = udmabuf_new(16 * NN_PAGE), fd = nn_open(), ret;
	struct drm_gem_open open_args;
	struct nn_bo mine, theirs;
	struct drm_gem_flink flink;

	if (nn_is_emulated(self->address))
		SKIP(return, "not on this device: it imports nothing (bo.c)");
	NEED_CONTROL();
	ASSERT_LE(0, dmabuf);
	ASSERT_LT(0, fd);
	ASSERT_EQ(0, nn_bo_import(rig->fd, dmabuf, &mine));
	ASSERT_EQ(0, nn_bo_import(fd, dmabuf, &theirs));
	flink = (struct drm_gem_flink){ .handle = theirs.handle };
	ret = nn_ioctl(fd, DRM_IOCTL_GEM_FLINK, &flink);
	TH_LOG("by name: %d", ret);
	/* Without GEM names two objects cannot meet in one file. */
	if (!ret) {
		struct nn_bo second = { .fd = rig->fd, .size = theirs.size };

		open_args = (struct drm_gem_open){ .name = flink.name };
		ASSERT_EQ(0, nn_ioctl(rig->fd, DRM_IOCTL_GEM_OPEN, &open_args));
		second.handle = open_args.handle;
		ASSERT_EQ(0, nn_card_hold(rig->fd));
		/* An odd number of fences, so that once there is room for one more but not for two. */
		ASSERT_EQ(0, submit_waiting(rig, &mine, NULL));
		for (int i = 0; i < 12; i++) {
			ret = submit_waiting(rig, i & 1 ? &mine : &second, i & 1 ? &second : &mine);
			ASSERT_TRUE(ret == 0 || ret == -EINVAL);
		}
		ASSERT_EQ(0, nn_card_start(rig->fd));
		if (!ret)
			EXPECT_EQ(0, nn_fence_end(rig->fd, rig->done, 0));
		nn_bo_close(rig->fd, second.handle);
	}
	nn_bo_free(&mine);
	nn_bo_free(&theirs);
	close(fd);
	close(dmabuf);
	EXPECT_EQ(0, nn_rig_run(rig));
}

/* One thread closes handles while another submits with them; either may win. */
struct closer {
	struct nn_rig *rig;
	_Atomic uint32_t handle;
	atomic_bool stop;
};

static void *close_handles(void *arg)
{
	struct closer *c = arg;

	while (!atomic_load(&c->stop)) {
		uint32_t handle = atomic_exchange(&c->handle, 0);

		if (handle)
			nn_bo_close(c->rig->fd, handle);
	}
	return NULL;
}

TEST_F_TIMEOUT(races, close_against_submit, NN_LONG_TEST_S)
{
	struct closer c = { .rig = &self->rig };
	unsigned int won = 0, lost = 0;
	pthread_t thread;
	struct nn_job job;

	ASSERT_EQ(0, pthread_create(&thread, NULL, close_handles, &c));
	for (int i = 0; i < 2000; i++) {
		struct drm_nnaccel_bo_create args = { .size = NN_PAGE };
		struct nn_bo bo;
		int ret;

		ASSERT_EQ(0, nn_ioctl(self->rig.fd, DRM_IOCTL_NNACCEL_BO_CREATE, &args));
		bo = (struct nn_bo){ .fd = self->rig.fd, .handle = args.handle, .size = args.size };
		nn_job_null(&job);
		nn_job_bo(&job, &bo, DRM_NNACCEL_BO_REF_WRITE);
		nn_job_signal(&job, self->rig.done, 0);
		job.job.max_ns = i & 1 ? NN_NS_PER_S : 0;
		atomic_store(&c.handle, args.handle);
		do {
			ret = nn_submit(&self->rig.queue, &job);
		} while (ret == -EBUSY);
		ASSERT_TRUE(ret == 0 || ret == -ENOENT);
		won += ret == 0;
		lost += ret != 0;
		while (atomic_load(&c.handle))
			;
	}
	atomic_store(&c.stop, true);
	pthread_join(thread, NULL);
	TH_LOG("%u submitted, %u too late", won, lost);
	EXPECT_EQ(0, nn_rig_run(&self->rig));
	EXPECT_TRUE(nn_rig_right(&self->rig));
}

TEST_HARNESS_MAIN
