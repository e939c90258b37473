// SPDX-License-Identifier: Apache-2.0
#include "fake_transport.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nnaccel/nnaccel_opset.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"

struct fmem {
	struct nnhal_tmem base;
	bool mapped;
};

struct fjob {
	struct nnhal_tjob base;
	struct fake *fake;
	struct fake_job how;
	struct nnhal_tsubmit submit; /* @args points to the copy below */
	struct nnaccel_arg args[3];
	int fence; /* eventfd, -1: none */
	bool ended;
	struct fjob *next; /* of the held ones */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of submitting, held, the jobs' ended */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct fjob *held;

static void drop_waits(struct fake *fake)
{
	while (fake->num_waits)
		close(fake->waits[--fake->num_waits]);
}

static void fake_destroy(struct nnhal_transport *t)
{
	drop_waits((struct fake *)t);
	((struct fake *)t)->destroyed = true; /* the test looks at it afterwards, and frees it */
}

static int fake_info(struct nnhal_transport *t, struct nnhal_device_info *info)
{
	*info = (struct nnhal_device_info){
		.size = sizeof(struct nnhal_device_info),
		.fw_version = 1,
		.opset_version = NNPROG_OPSET_VERSION,
		.state = NNHAL_STATE_ONLINE,
		.arena_size = ((struct fake *)t)->arena_size,
		.program_quota = ((struct fake *)t)->program_quota,
	};
	return 0;
}

static int fake_opset(struct nnhal_transport *t, void **bytes, size_t *size)
{
	struct nnaccel_opset_header *h;
	struct nnaccel_opset_entry *e;

	(void)t;
	*size = sizeof(*h) + (NNPROG_OP_COUNT - 1) * sizeof(*e);
	h = calloc(1, *size);
	*h = (struct nnaccel_opset_header){ NNACCEL_OPSET_MAGIC, NNPROG_OPSET_VERSION,
					    NNPROG_OP_COUNT - 1, sizeof(*e) };
	e = (void *)(h + 1);
	for (uint32_t i = 1; i < NNPROG_OP_COUNT; i++)
		e[i - 1] = (struct nnaccel_opset_entry){
			.opcode = i, .version = 1, .types = 0xffff, .max_rank = NNPROG_MAX_RANK
		};
	*bytes = h;
	return 0;
}

/* Takes @map over. */
static int mem_new(struct nnhal_transport *t, void *map, uint64_t size, bool write, bool mapped,
		   struct nnhal_tmem **mem)
{
	struct fmem *m = calloc(1, sizeof(*m));

	m->base = (struct nnhal_tmem){ (uintptr_t)map, size, map, write };
	m->mapped = mapped;
	((struct fake *)t)->mems++;
	*mem = &m->base;
	return 0;
}

static int fake_alloc(struct nnhal_transport *t, uint64_t size, bool device_readonly,
		      struct nnhal_tmem **mem)
{
	void *p = aligned_alloc(64, (size + 63) / 64 * 64);

	memset(p, 0, size);
	return mem_new(t, p, size, !device_readonly, false, mem);
}

static int fake_import(struct nnhal_transport *t, const struct nnhal_memory *memory, bool write,
		       struct nnhal_tmem **mem)
{
	void *map;

	if (!t->fences || memory->offset)
		return -EOPNOTSUPP;
	map = mmap(NULL, memory->size, PROT_READ | (write ? PROT_WRITE : 0), MAP_SHARED, memory->fd,
		   0);
	return map == MAP_FAILED ? -EACCES : mem_new(t, map, memory->size, write, true, mem);
}

static void fake_free(struct nnhal_transport *t, struct nnhal_tmem *mem)
{
	((struct fake *)t)->mems--;
	if (((struct fmem *)mem)->mapped)
		munmap(mem->cpu, mem->size);
	else
		free(mem->cpu);
	free(mem);
}

static int fake_share(struct nnhal_transport *t, uint64_t size, int *fd)
{
	(void)t;
	(void)size;
	(void)fd;
	return -EOPNOTSUPP;
}

static void fake_hint(struct nnhal_transport *t, struct nnhal_tmem *mem, uint64_t offset,
		      uint64_t size, uint64_t generation, bool load)
{
	(void)t;
	(void)mem;
	(void)offset;
	(void)size;
	(void)generation;
	(void)load;
}

static int fake_queue_create(struct nnhal_transport *t, uint32_t priority,
			     struct nnhal_tqueue **queue)
{
	*queue = calloc(1, sizeof(**queue));
	(*queue)->priority = priority;
	((struct fake *)t)->queues_created++;
	return 0;
}

static void fake_queue_destroy(struct nnhal_transport *t, struct nnhal_tqueue *queue)
{
	((struct fake *)t)->queues_destroyed++;
	free(queue);
}

/* The outputs of hal_model_add(), and the result block as a firmware writes it. */
static void run_add(const struct nnhal_tsubmit *s, const struct fake_job *how, uint64_t seqno)
{
	struct nnaccel_result *r = (void *)(uintptr_t)s->result_addr;
	struct nnaccel_output_shape *shape = (void *)(r + 1);
	const float *a = (void *)(uintptr_t)s->args[0].addr,
		    *b = (void *)(uintptr_t)s->args[1].addr;
	float *out = (void *)(uintptr_t)s->args[2].addr;

	*r = (struct nnaccel_result){
		.seqno = seqno,
		.status = how->status,
		.num_outputs = 1,
		.offset = 77,
		.operation = 3,
		.subgraph = 0,
	};
	if (how->text)
		snprintf((char *)r->text, sizeof(r->text), "%s", how->text);
	*shape = (struct nnaccel_output_shape){
		.flags = NNACCEL_OUTPUT_KNOWN | (how->status ? 0 : NNACCEL_OUTPUT_SUFFICIENT),
		.rank = 2,
		.dims = { 2, 2 },
		.size = 16,
	};
	for (int i = 0; i < 4 && !how->status; i++)
		out[i] = a[i] + b[i % 2];
	if (how->spoil)
		how->spoil(r);
}

/* Under lock. Statuses of the host leave no result: the firmware never came to it. */
static void end_job(struct fjob *job)
{
	if (job->how.status < NNACCEL_STATUS_HOST_FIRST)
		run_add(&job->submit, &job->how, job->base.seqno);
	job->ended = true;
	if (job->fence >= 0)
		eventfd_write(job->fence, 1);
}

/* Under lock. */
static int submit_locked(struct nnhal_transport *t, struct nnhal_tqueue *queue,
			 const struct nnhal_tsubmit *s, struct nnhal_tjob **out)
{
	struct fake *fake = (struct fake *)t;
	struct fake_job good = { 0 }, *how = &good;
	struct fjob *job;

	fake->last_priority = queue->priority;
	if (fake->num_jobs < FAKE_MAX_JOBS)
		how = &fake->jobs[fake->num_jobs];
	fake->num_jobs++;
	fake->last = *s;
	drop_waits(fake);
	for (uint32_t i = 0; i < s->num_wait_fds && i < FAKE_MAX_WAITS; i++)
		fake->waits[fake->num_waits++] = dup(s->wait_fds[i]);
	if (how->submit)
		return how->submit;
	job = calloc(1, sizeof(*job));
	job->fake = fake;
	job->base.seqno = fake->num_jobs;
	job->how = *how;
	job->submit = *s;
	memcpy(job->args, s->args, sizeof(job->args));
	job->submit.args = job->args;
	job->fence = t->fences ? eventfd(0, EFD_CLOEXEC) : -1;
	fake->jobs_alive++;
	*out = &job->base;
	if (how->hold) {
		job->next = held;
		held = job;
	} else {
		end_job(job);
	}
	return 0;
}

static int fake_submit(struct nnhal_transport *t, struct nnhal_tqueue *queue,
		       const struct nnhal_tsubmit *s, struct nnhal_tjob **out)
{
	int ret;

	pthread_mutex_lock(&lock);
	ret = submit_locked(t, queue, s, out);
	pthread_mutex_unlock(&lock);
	return ret;
}

/* @number 0: all */
static void release(uint64_t number)
{
	struct fjob **pos = &held, *job;

	pthread_mutex_lock(&lock);
	while ((job = *pos)) {
		if (number && job->base.seqno != number) {
			pos = &job->next;
			continue;
		}
		*pos = job->next;
		end_job(job);
	}
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

void fake_release(void)
{
	release(0);
}

void fake_release_job(uint64_t number)
{
	release(number);
}

static int fake_wait(struct nnhal_transport *t, struct nnhal_tjob *tjob, bool block,
		     struct nnhal_tend *end)
{
	struct fjob *job = (struct fjob *)tjob;
	bool ended;

	(void)t;
	usleep(job->how.delay_us); /* clock: a job that lasts */
	pthread_mutex_lock(&lock);
	while (block && !job->ended)
		pthread_cond_wait(&changed, &lock);
	ended = job->ended;
	pthread_mutex_unlock(&lock);
	if (!ended)
		return -EAGAIN;
	*end = (struct nnhal_tend){
		.status = job->how.status,
		.error = job->how.error ? job->how.error : nnaccel_status_errno(job->how.status),
		.start_ns = job->how.start_ns,
		.end_ns = job->how.end_ns,
		.fault_addr = job->how.fault_addr,
	};
	return job->how.wait;
}

static int fake_export(struct nnhal_transport *t, struct nnhal_tjob *job, int *fd)
{
	(void)t;
	*fd = dup(((struct fjob *)job)->fence);
	return *fd < 0 ? -errno : 0;
}

static void fake_job_free(struct nnhal_transport *t, struct nnhal_tjob *tjob)
{
	struct fjob *job = (struct fjob *)tjob;

	((struct fake *)t)->jobs_alive--;
	if (job->fence >= 0)
		close(job->fence);
	free(job);
}

static const struct nnhal_transport_ops fake_ops = {
	.destroy = fake_destroy,
	.info = fake_info,
	.opset = fake_opset,
	.mem_alloc = fake_alloc,
	.mem_import = fake_import,
	.mem_free = fake_free,
	.mem_share = fake_share,
	.program_hint = fake_hint,
	.queue_create = fake_queue_create,
	.queue_destroy = fake_queue_destroy,
	.submit = fake_submit,
	.wait = fake_wait,
	.export_fence = fake_export,
	.job_free = fake_job_free,
};

struct fake *fake_create(void)
{
	struct fake *fake = calloc(1, sizeof(*fake));

	fake->base = (struct nnhal_transport){
		.ops = &fake_ops,
		.type = NNHAL_DEVICE_OTHER,
		.name = "nnaccel-fake",
		.max_inflight = 4,
		.max_queues = 8,
		.max_args = 16,
	};
	return fake;
}
