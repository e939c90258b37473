// SPDX-License-Identifier: Apache-2.0
/*
 * The firmware in this process: one instance and one context per device object. Its address space
 * is the identity, but an address is valid only inside memory that was registered here, and only
 * with the access it was registered for: a program that computes a bad address gets a fault, as on
 * the card.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/nnhal_base.h"
#include "nnutil_process.h"
#include "nnfw.h"
#include "nnutil_clock.h"
#include "transport/inproc.h"
#include "transport/transport.h"

#define CONTEXT 0u
#define MAX_INFLIGHT 256u
#define MAX_IDLE_JOBS 64u
#define MAX_OPSET NNACCEL_OPSET_MAX_SIZE
/* Stack that this library's frames and a signal handler of the application may take beside a job.
 */
#define STACK_RESERVE ((size_t)64 << 10)

struct mem {
	struct nnhal_tmem base;
	void *map;
	size_t map_size;
	int dmabuf; /* own descriptor, -1: not a dma-buf */
	bool own; /* memory of this library: no client can write it */
	atomic_uint maps; /* held by the firmware; none is added once the memory is unregistered */
};

struct job {
	struct nnhal_tjob base;
	struct inproc *t;
	uint32_t queue;
	struct job *next; /* of the running ones; under jobs_lock */
	bool here; /* the submitting thread waits, and may run it */
	bool ended, late; /* under jobs_lock; late: aborted because its deadline passed */
	struct nnaccel_completion completion;
	uint64_t done_ns;
	pthread_cond_t cond;
	uint64_t deadline_ns;
	uint32_t num_dmabufs, max_dmabufs;
	struct {
		int fd;
		bool write;
	} dmabufs[];
};

struct queue {
	struct nnhal_tqueue base;
	uint32_t id;
	pthread_mutex_t lock; /* so that jobs reach the firmware in the order of seqno */
	uint64_t seqno;
};

struct inproc {
	struct nnhal_transport base;
	const struct nnfw_plugin *plugin;
	struct nnfw *fw;
	struct nnfw_config config;
	pthread_rwlock_t mems_lock; /* of mems (sorted by address) and num_mems, max_mems */
	struct mem **mems;
	size_t num_mems, max_mems;
	/*
	 * Freeing a memory waits for its maps: the firmware may still be loading a program from it.
	 */
	pthread_mutex_t unmap_lock;
	pthread_cond_t unmapped;
	atomic_uint unmap_waiters;
	pthread_mutex_t jobs_lock; /* of jobs, the jobs' end, and the idle ones */
	struct job *jobs, *idle;
	uint32_t num_idle;
	pthread_mutex_t ids_lock; /* of ids */
	uint64_t ids[NNACCEL_MAX_QUEUES / 64];
};

/* ---- platform of the firmware ---- */

/* Index of the first memory that begins after @addr. */
static size_t upper_bound(const struct inproc *t, uint64_t addr)
{
	size_t lo = 0, hi = t->num_mems;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->mems[mid]->base.addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int dma_map(void *priv, uint32_t context, uint64_t addr, uint64_t len, bool write,
		   struct nnfw_map *map, uint64_t *fault)
{
	struct inproc *t = priv;
	struct mem *m = NULL;
	uint64_t into = 0;
	size_t i;
	int ret = -EFAULT;

	*fault = addr;
	if (context != CONTEXT)
		return -EFAULT;
	pthread_rwlock_rdlock(&t->mems_lock);
	i = upper_bound(t, addr);
	if (i > 0) {
		m = t->mems[i - 1];
		into = addr - m->base.addr;
	}
	if (m && into < m->base.size && (m->base.write || !write)) {
		if (len <= m->base.size - into)
			ret = 0;
		else
			*fault = m->base.addr + m->base.size;
	}
	if (!ret) {
		atomic_fetch_add_explicit(&m->maps, 1, memory_order_relaxed);
		*map = (struct nnfw_map){
			.ptr = (uint8_t *)m->base.cpu + into,
			.addr = addr,
			.len = len,
			.write = write,
			.constant = m->own && !m->base.write,
			.priv = m,
		};
	}
	pthread_rwlock_unlock(&t->mems_lock);
	return ret;
}

static void dma_unmap(void *priv, uint32_t context, struct nnfw_map *map, bool commit)
{
	struct inproc *t = priv;
	struct mem *m = map->priv;

	(void)context;
	(void)commit;
	/*
	 * @m may be freed after this; either this thread sees the waiter, or the waiter sees the
	 * count
	 */
	atomic_fetch_sub(&m->maps, 1);
	if (!atomic_load(&t->unmap_waiters))
		return;
	pthread_mutex_lock(&t->unmap_lock);
	pthread_cond_broadcast(&t->unmapped);
	pthread_mutex_unlock(&t->unmap_lock);
}

/* What is there reads as zeros from now on. */
static void dma_discard(void *priv, const struct nnfw_map *map, void *from, size_t size)
{
	(void)priv;
	if (((const struct mem *)map->priv)->own)
		(void)madvise(from, size, MADV_DONTNEED);
}

static void wait_unmapped(struct inproc *t, struct mem *m)
{
	atomic_fetch_add(&t->unmap_waiters, 1);
	pthread_mutex_lock(&t->unmap_lock);
	while (atomic_load(&m->maps))
		pthread_cond_wait(&t->unmapped, &t->unmap_lock);
	pthread_mutex_unlock(&t->unmap_lock);
	atomic_fetch_sub(&t->unmap_waiters, 1);
}

static uint64_t clock_now(void *priv)
{
	(void)priv;
	return (uint64_t)nnutil_monotonic_ns();
}

static void complete(void *priv, const struct nnaccel_completion *c)
{
	struct inproc *t = priv;
	struct job **pos, *job;

	pthread_mutex_lock(&t->jobs_lock);
	for (pos = &t->jobs; (job = *pos); pos = &job->next)
		if (job->queue == c->queue && job->base.seqno == c->seqno)
			break;
	if (job) {
		*pos = job->next;
		job->completion = *c;
		job->done_ns = c->end_ns; /* by the same clock, just now */
		job->ended = true;
		pthread_cond_broadcast(&job->cond);
	}
	pthread_mutex_unlock(&t->jobs_lock);
}

/* ---- memory ---- */

static int register_mem(struct inproc *t, struct mem *m)
{
	int ret = 0;
	size_t i;

	pthread_rwlock_wrlock(&t->mems_lock);
	if (t->num_mems == t->max_mems) {
		size_t max = t->max_mems ? 2 * t->max_mems : 64;
		struct mem **mems = reallocarray(t->mems, max, sizeof(struct mem *));

		if (mems) {
			t->mems = mems;
			t->max_mems = max;
		} else {
			ret = -ENOMEM;
		}
	}
	if (!ret) {
		i = upper_bound(t, m->base.addr);
		memmove(t->mems + i + 1, t->mems + i, (t->num_mems - i) * sizeof(struct mem *));
		t->mems[i] = m;
		t->num_mems++;
	}
	pthread_rwlock_unlock(&t->mems_lock);
	return ret;
}

static void unregister_mem(struct inproc *t, struct mem *m)
{
	size_t i;

	pthread_rwlock_wrlock(&t->mems_lock);
	i = upper_bound(t, m->base.addr) - 1;
	t->num_mems--;
	memmove(t->mems + i, t->mems + i + 1, (t->num_mems - i) * sizeof(struct mem *));
	pthread_rwlock_unlock(&t->mems_lock);
}

static void mem_release(struct mem *m)
{
	nnutil_fd_close(m->dmabuf);
	munmap(m->map, m->map_size);
	free(m);
}

/* @map is released on error as well. */
static int mem_new(struct inproc *t, void *map, size_t map_size, uint64_t skip, uint64_t size,
		   bool write, int dmabuf, struct nnhal_tmem **out)
{
	struct mem *m = calloc(1, sizeof(*m));
	int ret;

	if (!m) {
		munmap(map, map_size);
		nnutil_fd_close(dmabuf);
		return -ENOMEM;
	}
	m->base.cpu = (uint8_t *)map + skip;
	m->base.addr = (uintptr_t)m->base.cpu;
	m->base.size = size;
	m->base.write = write;
	m->map = map;
	m->map_size = map_size;
	m->dmabuf = dmabuf;
	ret = register_mem(t, m);
	if (ret)
		mem_release(m);
	else
		*out = &m->base;
	return ret;
}

static int inproc_mem_alloc(struct nnhal_transport *base, uint64_t size, bool device_readonly,
			    struct nnhal_tmem **mem)
{
	void *map;
	int ret;

	if (size == 0 || size > INT64_MAX)
		return -EINVAL;
	map = nnutil_map_kept(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return -errno;
	ret = mem_new((struct inproc *)base, map, size, 0, size, !device_readonly, -1, mem);
	if (!ret)
		((struct mem *)*mem)->own = true;
	return ret;
}

/* An own descriptor if @fd is a dma-buf, for its CPU access brackets; else -1. */
static int dup_dmabuf(int fd)
{
	struct dma_buf_sync sync = { .flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ };

	if (ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync))
		return -1;
	sync.flags = DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ;
	ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync);
	return nnutil_fd_keep(fcntl(fd, F_DUPFD_CLOEXEC, 0));
}

static int inproc_mem_import(struct nnhal_transport *base, const struct nnhal_memory *memory,
			     bool write, struct nnhal_tmem **mem)
{
	uint64_t skip = memory->offset & ((uint64_t)sysconf(_SC_PAGESIZE) - 1);
	void *map;

	map = nnutil_map_kept(memory->size + skip, PROT_READ | (write ? PROT_WRITE : 0), MAP_SHARED,
			      memory->fd, (off_t)(memory->offset - skip));
	if (map == MAP_FAILED)
		return errno == EACCES || errno == EPERM ? -EACCES : -errno;
	return mem_new((struct inproc *)base, map, memory->size + skip, skip, memory->size, write,
		       dup_dmabuf(memory->fd), mem);
}

static void inproc_mem_free(struct nnhal_transport *base, struct nnhal_tmem *mem)
{
	unregister_mem((struct inproc *)base, (struct mem *)mem);
	wait_unmapped((struct inproc *)base, (struct mem *)mem);
	mem_release((struct mem *)mem);
}

/* Its size is sealed: no access to a mapping can fault. */
static int inproc_mem_share(struct nnhal_transport *base, uint64_t size, int *out)
{
	int fd = memfd_create("nnaccel", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	(void)base;
	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)size) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
		int ret = -errno;

		close(fd);
		return ret;
	}
	*out = fd;
	return 0;
}

static void inproc_program_hint(struct nnhal_transport *base, struct nnhal_tmem *mem,
				uint64_t offset, uint64_t size, uint64_t generation, bool load)
{
	struct inproc *t = (struct inproc *)base;

	/* errors in the program are reported to its first job */
	if (load)
		t->plugin->program_load(t->fw, CONTEXT, mem->addr + offset, size, generation);
	else
		t->plugin->program_unload(t->fw, CONTEXT, mem->addr + offset);
}

/* ---- queues and jobs ---- */

static int id_alloc(struct inproc *t, uint32_t *id)
{
	int ret = -ENOSPC;

	pthread_mutex_lock(&t->ids_lock);
	for (uint32_t i = 0; i < NNACCEL_MAX_QUEUES && ret; i++) {
		if (t->ids[i / 64] & 1ull << i % 64)
			continue;
		t->ids[i / 64] |= 1ull << i % 64;
		*id = i;
		ret = 0;
	}
	pthread_mutex_unlock(&t->ids_lock);
	return ret;
}

static void id_free(struct inproc *t, uint32_t id)
{
	pthread_mutex_lock(&t->ids_lock);
	t->ids[id / 64] &= ~(1ull << id % 64);
	pthread_mutex_unlock(&t->ids_lock);
}

static int inproc_queue_create(struct nnhal_transport *base, uint32_t priority,
			       struct nnhal_tqueue **queue)
{
	struct inproc *t = (struct inproc *)base;
	struct queue *q = calloc(1, sizeof(*q));
	int ret;

	if (!q)
		return -ENOMEM;
	ret = id_alloc(t, &q->id);
	if (!ret) {
		ret = t->plugin->queue_create(t->fw, q->id, CONTEXT, priority);
		if (ret)
			id_free(t, q->id);
	}
	if (ret) {
		free(q);
		return ret;
	}
	q->base.priority = priority;
	pthread_mutex_init(&q->lock, NULL);
	*queue = &q->base;
	return 0;
}

static void inproc_queue_destroy(struct nnhal_transport *base, struct nnhal_tqueue *queue)
{
	struct inproc *t = (struct inproc *)base;
	struct queue *q = (struct queue *)queue;

	t->plugin->queue_destroy(t->fw, q->id);
	id_free(t, q->id);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

static void cpu_access(const struct job *job, uint64_t edge)
{
	for (uint32_t i = 0; i < job->num_dmabufs; i++) {
		struct dma_buf_sync sync = {
			.flags = edge | DMA_BUF_SYNC_READ |
				 (job->dmabufs[i].write ? DMA_BUF_SYNC_WRITE : 0),
		};

		while (ioctl(job->dmabufs[i].fd, DMA_BUF_IOCTL_SYNC, &sync) &&
		       (errno == EINTR || errno == EAGAIN))
			;
	}
}

/* Reuse an ended job: in the steady state none is allocated. */
static struct job *job_reuse(struct inproc *t, uint32_t num_mems)
{
	struct job *job, **pos;

	pthread_mutex_lock(&t->jobs_lock);
	for (pos = &t->idle; *pos && (*pos)->max_dmabufs < num_mems; pos = &(*pos)->next)
		;
	job = *pos;
	if (job) {
		*pos = job->next;
		t->num_idle--;
	}
	pthread_mutex_unlock(&t->jobs_lock);
	return job;
}

static struct job *job_alloc(struct inproc *t, uint32_t num_mems)
{
	struct job *job = calloc(1, sizeof(*job) + num_mems * sizeof(job->dmabufs[0]));
	pthread_condattr_t attr;

	if (!job)
		return NULL;
	job->t = t;
	job->max_dmabufs = num_mems;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&job->cond, &attr);
	pthread_condattr_destroy(&attr);
	return job;
}

static struct job *job_new(struct inproc *t, uint32_t queue, const struct nnhal_tsubmit *s)
{
	struct job *job = job_reuse(t, s->num_mems);

	if (!job)
		job = job_alloc(t, s->num_mems);
	if (!job)
		return NULL;
	job->queue = queue;
	job->deadline_ns = s->deadline_ns;
	job->ended = job->late = false;
	/* a thread that computes enforces no deadline */
	job->here = s->waits && !s->deadline_ns &&
		    nnhal_inproc_stack_left() >= NNFW_STACK_BYTES + STACK_RESERVE;
	job->num_dmabufs = 0;
	for (uint32_t i = 0; i < s->num_mems; i++) {
		int fd = ((struct mem *)s->mems[i].mem)->dmabuf;

		if (fd < 0)
			continue;
		job->dmabufs[job->num_dmabufs].fd = fd;
		job->dmabufs[job->num_dmabufs++].write = s->mems[i].write;
	}
	return job;
}

static void job_release(struct job *job)
{
	pthread_cond_destroy(&job->cond);
	free(job);
}

static void inproc_job_free(struct nnhal_transport *base, struct nnhal_tjob *tjob)
{
	struct inproc *t = (struct inproc *)base;
	struct job *job = (struct job *)tjob;
	bool kept;

	pthread_mutex_lock(&t->jobs_lock);
	kept = t->num_idle < MAX_IDLE_JOBS;
	if (kept) {
		job->next = t->idle;
		t->idle = job;
		t->num_idle++;
	}
	pthread_mutex_unlock(&t->jobs_lock);
	if (!kept)
		job_release(job);
}

static void job_unlink(struct inproc *t, struct job *job)
{
	struct job **pos;

	pthread_mutex_lock(&t->jobs_lock);
	for (pos = &t->jobs; *pos && *pos != job; pos = &(*pos)->next)
		;
	if (*pos)
		*pos = job->next;
	pthread_mutex_unlock(&t->jobs_lock);
}

static int inproc_submit(struct nnhal_transport *base, struct nnhal_tqueue *queue,
			 const struct nnhal_tsubmit *s, struct nnhal_tjob **out)
{
	NNHAL_TRACE_PE("submit");
	struct inproc *t = (struct inproc *)base;
	struct queue *q = (struct queue *)queue;
	struct nnaccel_job run = {
		.op = NNACCEL_JOB_RUN,
		.num_args = s->num_args,
		.program_addr = s->program_addr,
		.program_size = s->program_size,
		.program_generation = s->program_generation,
		.result_addr = s->result_addr,
		.result_size = (uint32_t)s->result_size,
		.loop_ns = s->loop_ns,
	};
	struct job *job;
	int ret;

	if (s->num_wait_fds || s->result_size > UINT32_MAX)
		return -EINVAL;
	job = job_new(t, q->id, s);
	if (!job)
		return -ENOMEM;
	cpu_access(job, DMA_BUF_SYNC_START);

	pthread_mutex_lock(&q->lock);
	run.seqno = job->base.seqno = q->seqno + 1;
	pthread_mutex_lock(&t->jobs_lock);
	job->next = t->jobs;
	t->jobs = job;
	pthread_mutex_unlock(&t->jobs_lock);
	ret = job->here ? t->plugin->submit_here(t->fw, q->id, &run, s->args)
			: t->plugin->submit(t->fw, q->id, &run, s->args);
	if (!ret)
		q->seqno++;
	pthread_mutex_unlock(&q->lock);

	if (ret) {
		job_unlink(t, job);
		cpu_access(job, DMA_BUF_SYNC_END);
		inproc_job_free(base, &job->base);
		return ret;
	}
	*out = &job->base;
	return 0;
}

/* Under jobs_lock: wait until the job ended. Its deadline aborts it, which ends it soon. */
static void wait_end(struct inproc *t, struct job *job)
{
	/* the firmware marks the computation itself */
	NNHAL_TRACE_PE("wait");
	struct timespec until = {
		.tv_sec = (time_t)(job->deadline_ns / 1000000000),
		.tv_nsec = (long)(job->deadline_ns % 1000000000),
	};

	while (!job->ended) {
		if (!job->deadline_ns || job->late) {
			pthread_cond_wait(&job->cond, &t->jobs_lock);
		} else if (pthread_cond_timedwait(&job->cond, &t->jobs_lock, &until) == ETIMEDOUT &&
			   !job->ended) {
			job->late = true;
			pthread_mutex_unlock(&t->jobs_lock);
			t->plugin->abort(t->fw, job->queue, job->base.seqno);
			pthread_mutex_lock(&t->jobs_lock);
		}
	}
}

static int inproc_wait(struct nnhal_transport *base, struct nnhal_tjob *tjob, bool block,
		       struct nnhal_tend *end)
{
	struct inproc *t = (struct inproc *)base;
	struct job *job = (struct job *)tjob;
	const struct nnaccel_completion *c = &job->completion;
	bool ended;

	if (job->here)
		t->plugin->run_here(t->fw, job->queue, job->base.seqno);
	pthread_mutex_lock(&t->jobs_lock);
	if (block)
		wait_end(t, job);
	ended = job->ended;
	pthread_mutex_unlock(&t->jobs_lock);
	if (!ended)
		return -EAGAIN;

	cpu_access(job, DMA_BUF_SYNC_END);
	*end = (struct nnhal_tend){
		.status = c->status,
		.start_ns = c->start_ns,
		.end_ns = c->end_ns,
		.fault_addr = c->fault_addr,
		.done_ns = job->done_ns,
	};
	if (c->status == NNACCEL_STATUS_ABORTED && job->late)
		end->status = NNACCEL_STATUS_DEADLINE;
	end->error = nnaccel_status_errno(end->status);
	return 0;
}

static int inproc_export_fence(struct nnhal_transport *base, struct nnhal_tjob *job, int *fd)
{
	(void)base;
	(void)job;
	(void)fd;
	return -EOPNOTSUPP;
}

/* ---- the device ---- */

static int inproc_info(struct nnhal_transport *base, struct nnhal_device_info *info)
{
	struct inproc *t = (struct inproc *)base;
	struct nnaccel_opset_header opset = { 0 };

	t->plugin->opset(&opset, sizeof(opset));
	*info = (struct nnhal_device_info){
		.contract_version = NNACCEL_CONTRACT_VERSION,
		.fw_version = t->plugin->version(),
		.opset_version = opset.version,
		.generation = t->config.generation,
		.state = NNHAL_STATE_ONLINE,
		.arena_size = t->config.arena_limit,
		.program_quota = t->config.program_quota,
	};
	return 0;
}

static void inproc_instructions(struct nnhal_transport *base, struct nnhal_device_info *info)
{
	nnhal_plugin_instructions(((struct inproc *)base)->plugin, info);
}

static int inproc_opset(struct nnhal_transport *base, void **bytes, size_t *size)
{
	struct inproc *t = (struct inproc *)base;
	size_t need = t->plugin->opset(NULL, 0);

	if (need == 0 || need > MAX_OPSET)
		return -EPROTO;
	*bytes = malloc(need);
	if (!*bytes)
		return -ENOMEM;
	*size = need;
	t->plugin->opset(*bytes, need);
	return 0;
}

static int inproc_measure(struct nnhal_transport *base, const void *program, size_t size,
			  struct nnhal_need *need)
{
	struct inproc *t = (struct inproc *)base;
	struct nnfw_need found;
	int ret = t->plugin->program_measure(t->fw, program, size, &found);

	if (!ret)
		*need = (struct nnhal_need){ .loaded = found.loaded, .arena = found.arena };
	return ret;
}

static void inproc_destroy(struct nnhal_transport *base)
{
	struct inproc *t = (struct inproc *)base;
	struct job *job;

	if (t->fw) {
		t->plugin->context_close(t->fw, CONTEXT);
		t->plugin->destroy(t->fw);
	}
	while ((job = t->idle)) {
		t->idle = job->next;
		job_release(job);
	}
	pthread_rwlock_destroy(&t->mems_lock);
	pthread_mutex_destroy(&t->unmap_lock);
	pthread_cond_destroy(&t->unmapped);
	pthread_mutex_destroy(&t->jobs_lock);
	pthread_mutex_destroy(&t->ids_lock);
	free(t->mems);
	free(t);
}

static const struct nnhal_transport_ops inproc_ops = {
	.destroy = inproc_destroy,
	.info = inproc_info,
	.instructions = inproc_instructions,
	.opset = inproc_opset,
	.mem_alloc = inproc_mem_alloc,
	.mem_import = inproc_mem_import,
	.mem_free = inproc_mem_free,
	.mem_share = inproc_mem_share,
	.program_hint = inproc_program_hint,
	.measure = inproc_measure,
	.queue_create = inproc_queue_create,
	.queue_destroy = inproc_queue_destroy,
	.submit = inproc_submit,
	.wait = inproc_wait,
	.export_fence = inproc_export_fence,
	.job_free = inproc_job_free,
};

int nnhal_transport_inproc_open(const struct nnhal_inproc_config *config,
				struct nnhal_transport **out, char *message, size_t size)
{
	struct nnfw_platform platform = {
		.dma_map = dma_map,
		.dma_unmap = dma_unmap,
		.clock_ns = clock_now,
		.complete = complete,
		.dma_discard = dma_discard,
	};
	struct inproc *t = calloc(1, sizeof(*t));
	int ret;

	if (!t) {
		snprintf(message, size, "out of memory");
		return -ENOMEM;
	}
	t->base = (struct nnhal_transport){
		.ops = &inproc_ops,
		.type = NNHAL_DEVICE_CPU,
		.name = "nnaccel-cpu",
		.max_inflight = MAX_INFLIGHT,
		.max_queues = NNACCEL_MAX_QUEUES,
		.max_args = NNACCEL_MAX_ARGS,
		.threads = config->engines,
		.private_memory = true,
	};
	t->config = (struct nnfw_config){
		.abi_version = NNFW_ABI_VERSION,
		.threads = config->engines,
		.job_threads = config->job,
		.program_quota = nnhal_inproc_quota(config->quota),
		.arena_limit = nnhal_inproc_arena(),
		.quantum_ns = 2000000,
		.generation = 1,
		.flags = config->amx ? 0 : NNFW_CONFIG_NO_AMX,
	};
	pthread_rwlock_init(&t->mems_lock, NULL);
	pthread_mutex_init(&t->unmap_lock, NULL);
	pthread_cond_init(&t->unmapped, NULL);
	pthread_mutex_init(&t->jobs_lock, NULL);
	pthread_mutex_init(&t->ids_lock, NULL);
	platform.priv = t;

	ret = nnhal_plugin_load(&t->plugin, message, size);
	if (!ret) {
		ret = t->plugin->create(&platform, &t->config, &t->fw);
		if (!ret)
			ret = t->plugin->context_open(t->fw, CONTEXT);
		if (ret)
			snprintf(message, size, "cannot start the firmware: %s", strerror(-ret));
	}
	if (ret) {
		inproc_destroy(&t->base);
		return ret;
	}
	*out = &t->base;
	return 0;
}
