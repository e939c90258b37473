// SPDX-License-Identifier: Apache-2.0
/*
 * A core for tests of the board: contexts, queues and jobs by nnfw_core.h, one worker, no programs.
 * A RUN copies its first argument into its second and writes a result; with program_addr 1 it goes
 * on making progress until it is aborted; with program_addr 2 it maps its second argument for
 * writing and fails.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nnfw_core.h"

struct job {
	struct job *next;
	uint32_t queue;
	struct nnaccel_job job;
	struct nnaccel_arg args[2];
	bool aborted;
	bool closed; /* by its queue's end */
};

struct nnfw {
	struct nnfw_platform p;
	struct nnfw_config config;
	pthread_t worker;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct job *first, *running;
	bool stop;
	bool ctx_open[NNACCEL_MAX_CONTEXTS];
	uint32_t queue_ctx[NNACCEL_MAX_QUEUES]; /* context + 1; 0: no queue */
	uint64_t progress[NNACCEL_MAX_QUEUES];
	struct nnfw_stats stats;
};

static void finish(struct nnfw *fw, struct job *job, uint32_t status, uint64_t start,
		   uint64_t fault)
{
	struct nnaccel_completion c = {
		.kind = NNACCEL_COMPLETION_JOB,
		.queue = job->queue,
		.seqno = job->job.seqno,
		.status = status,
		.generation = fw->config.generation,
		.start_ns = start,
		.end_ns = fw->p.clock_ns(fw->p.priv),
		.fault_addr = fault,
	};

	fw->p.complete(fw->p.priv, &c);
}

static uint32_t copy(struct nnfw *fw, uint32_t context, struct job *job, uint64_t *fault)
{
	struct nnaccel_arg *in = &job->args[0], *out = &job->args[1];
	struct nnfw_map from, to, result;
	uint64_t n = in->size < out->size ? in->size : out->size;
	bool fail = job->job.program_addr == 2;

	if (fw->p.dma_map(fw->p.priv, context, in->addr, n, false, &from, fault))
		return NNACCEL_STATUS_FAULT;
	if (fw->p.dma_map(fw->p.priv, context, out->addr, n, true, &to, fault)) {
		fw->p.dma_unmap(fw->p.priv, context, &from, false);
		return NNACCEL_STATUS_FAULT;
	}
	memcpy(to.ptr, from.ptr, n);
	pthread_mutex_lock(&fw->lock);
	fw->stats.bytes_direct += (from.bounced ? 0 : n) + (to.bounced ? 0 : n);
	fw->stats.bytes_bounced += (from.bounced ? n : 0) + (to.bounced ? n : 0);
	pthread_mutex_unlock(&fw->lock);
	fw->p.dma_unmap(fw->p.priv, context, &from, true);
	fw->p.dma_unmap(fw->p.priv, context, &to, !fail);
	if (job->job.result_addr &&
	    !fw->p.dma_map(fw->p.priv, context, job->job.result_addr, sizeof(struct nnaccel_result),
			   true, &result, fault)) {
		struct nnaccel_result r = { .seqno = job->job.seqno };

		memcpy(result.ptr, &r, sizeof(r));
		fw->p.dma_unmap(fw->p.priv, context, &result, true);
	}
	return fail ? NNACCEL_STATUS_EXEC_FAILED : NNACCEL_STATUS_OK;
}

/* Hold the second argument mapped and make progress until aborted. */
static uint32_t spin(struct nnfw *fw, uint32_t context, struct job *job, uint64_t *fault)
{
	struct nnfw_map map;
	bool aborted = false;

	if (fw->p.dma_map(fw->p.priv, context, job->args[1].addr, job->args[1].size, true, &map,
			  fault))
		return NNACCEL_STATUS_FAULT;
	while (!aborted) {
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		fw->p.progress(fw->p.priv, job->queue, ++fw->progress[job->queue], job->job.seqno);
		pthread_mutex_lock(&fw->lock);
		aborted = job->aborted;
		pthread_mutex_unlock(&fw->lock);
	}
	fw->p.dma_unmap(fw->p.priv, context, &map, false);
	return NNACCEL_STATUS_ABORTED;
}

static void run(struct nnfw *fw, struct job *job, uint32_t context)
{
	uint64_t start = fw->p.clock_ns(fw->p.priv), fault = 0;
	uint32_t status = NNACCEL_STATUS_OK;

	fw->p.turn(fw->p.priv, job->queue, job->job.seqno, true);
	fw->p.progress(fw->p.priv, job->queue, ++fw->progress[job->queue], job->job.seqno);
	if (job->job.op == NNACCEL_JOB_RUN && job->job.num_args == 2) {
		status = job->job.program_addr == 1 ? spin(fw, context, job, &fault)
						    : copy(fw, context, job, &fault);
	} else if (job->job.op != NNACCEL_JOB_NULL || job->job.num_args) {
		status = NNACCEL_STATUS_BAD_ARGUMENT;
	}
	pthread_mutex_lock(&fw->lock);
	if (job->aborted && status == NNACCEL_STATUS_OK)
		status = job->closed ? NNACCEL_STATUS_CANCELED : NNACCEL_STATUS_ABORTED;
	fw->stats.jobs_done++;
	pthread_mutex_unlock(&fw->lock);
	fw->p.turn(fw->p.priv, job->queue, job->job.seqno, false);
	finish(fw, job, status, start, status == NNACCEL_STATUS_FAULT ? fault : 0);
}

static void *work(void *arg)
{
	struct nnfw *fw = arg;

	pthread_mutex_lock(&fw->lock);
	for (;;) {
		while (!fw->first && !fw->stop)
			pthread_cond_wait(&fw->changed, &fw->lock);
		if (!fw->first)
			break;
		struct job *job = fw->first;
		uint32_t context = fw->queue_ctx[job->queue] - 1;

		fw->first = job->next;
		fw->running = job;
		pthread_mutex_unlock(&fw->lock);
		run(fw, job, context);
		pthread_mutex_lock(&fw->lock);
		fw->running = NULL;
		free(job);
		pthread_cond_broadcast(&fw->changed);
	}
	pthread_mutex_unlock(&fw->lock);
	return NULL;
}

int nnfw_create(const struct nnfw_platform *platform, const struct nnfw_config *config,
		struct nnfw **made)
{
	struct nnfw *fw = calloc(1, sizeof(*fw));

	if (!fw)
		return -ENOMEM;
	fw->p = *platform;
	fw->config = *config;
	pthread_mutex_init(&fw->lock, NULL);
	pthread_cond_init(&fw->changed, NULL);
	pthread_create(&fw->worker, NULL, work, fw);
	*made = fw;
	return 0;
}

void nnfw_destroy(struct nnfw *fw)
{
	for (uint32_t i = 0; i < NNACCEL_MAX_CONTEXTS; i++)
		if (fw->ctx_open[i])
			nnfw_context_close(fw, i);
	pthread_mutex_lock(&fw->lock);
	fw->stop = true;
	pthread_cond_broadcast(&fw->changed);
	pthread_mutex_unlock(&fw->lock);
	pthread_join(fw->worker, NULL);
	free(fw);
}

size_t nnfw_opset(void *buffer, size_t size)
{
	struct nnaccel_opset_header h = { .magic = htole32(NNACCEL_OPSET_MAGIC),
					  .version = htole32(1),
					  .stride = htole32(64) };

	memcpy(buffer, &h, size < sizeof(h) ? size : sizeof(h));
	return sizeof(h);
}

uint32_t nnfw_version(void)
{
	return 0x010203;
}

uint32_t nnfw_caps(void)
{
	return 0;
}

int nnfw_context_open(struct nnfw *fw, uint32_t context)
{
	if (fw->ctx_open[context])
		return -EEXIST;
	fw->ctx_open[context] = true;
	return 0;
}

int nnfw_context_close(struct nnfw *fw, uint32_t context)
{
	if (!fw->ctx_open[context])
		return -ENOENT;
	for (uint32_t i = 0; i < NNACCEL_MAX_QUEUES; i++)
		if (fw->queue_ctx[i] == context + 1)
			nnfw_queue_destroy(fw, i);
	fw->ctx_open[context] = false;
	return 0;
}

int nnfw_queue_create(struct nnfw *fw, uint32_t queue, uint32_t context, uint32_t priority)
{
	(void)priority;
	if (!fw->ctx_open[context])
		return -ENOENT;
	pthread_mutex_lock(&fw->lock);
	fw->queue_ctx[queue] = context + 1;
	fw->progress[queue] = 0;
	pthread_mutex_unlock(&fw->lock);
	return 0;
}

int nnfw_queue_destroy(struct nnfw *fw, uint32_t queue)
{
	struct job *left = NULL, **left_tail = &left, **at;

	pthread_mutex_lock(&fw->lock);
	if (fw->running && fw->running->queue == queue)
		fw->running->aborted = fw->running->closed = true;
	for (at = &fw->first; *at;) {
		struct job *job = *at;

		if (job->queue != queue) {
			at = &job->next;
			continue;
		}
		*at = job->next;
		job->next = NULL;
		*left_tail = job;
		left_tail = &job->next;
	}
	while (fw->running && fw->running->queue == queue)
		pthread_cond_wait(&fw->changed, &fw->lock);
	fw->queue_ctx[queue] = 0;
	pthread_mutex_unlock(&fw->lock);
	while (left) {
		struct job *next = left->next;

		finish(fw, left, NNACCEL_STATUS_CANCELED, fw->p.clock_ns(fw->p.priv), 0);
		free(left);
		left = next;
	}
	return 0;
}

int nnfw_submit(struct nnfw *fw, uint32_t queue, const struct nnaccel_job *job,
		const struct nnaccel_arg *args)
{
	struct job *j = calloc(1, sizeof(*j)), **at;

	if (!j)
		return -ENOMEM;
	j->queue = queue;
	j->job = *job;
	for (uint32_t i = 0; i < job->num_args && i < 2; i++)
		j->args[i] = args[i];
	pthread_mutex_lock(&fw->lock);
	for (at = &fw->first; *at; at = &(*at)->next)
		;
	*at = j;
	pthread_cond_broadcast(&fw->changed);
	pthread_mutex_unlock(&fw->lock);
	return 0;
}

/* Jobs run on the worker only. */
int nnfw_submit_here(struct nnfw *fw, uint32_t queue, const struct nnaccel_job *job,
		     const struct nnaccel_arg *args)
{
	return nnfw_submit(fw, queue, job, args);
}

void nnfw_work_begin(struct nnfw *fw)
{
	(void)fw;
}

void nnfw_work(struct nnfw *fw)
{
	(void)fw;
}

int nnfw_abort(struct nnfw *fw, uint32_t queue, uint64_t seqno)
{
	int err = -ENOENT;

	pthread_mutex_lock(&fw->lock);
	for (struct job *j = fw->first; j; j = j->next) {
		if (j->queue == queue && j->job.seqno == seqno) {
			j->aborted = true;
			err = 0;
		}
	}
	if (fw->running && fw->running->queue == queue && fw->running->job.seqno == seqno) {
		fw->running->aborted = true;
		err = 0;
	}
	pthread_mutex_unlock(&fw->lock);
	return err;
}

int nnfw_program_load(struct nnfw *fw, uint32_t context, uint64_t addr, uint64_t size,
		      uint64_t generation)
{
	struct nnfw_map map;
	uint64_t fault;
	int err;

	(void)generation;
	if (!fw->ctx_open[context] || !size)
		return -EINVAL;
	err = fw->p.dma_map(fw->p.priv, context, addr, size, false, &map, &fault);
	if (err)
		return err;
	pthread_mutex_lock(&fw->lock);
	fw->stats.bytes_loaded += size;
	pthread_mutex_unlock(&fw->lock);
	fw->p.dma_unmap(fw->p.priv, context, &map, false);
	return 0;
}

int nnfw_program_unload(struct nnfw *fw, uint32_t context, uint64_t addr)
{
	(void)addr;
	return fw->ctx_open[context] ? 0 : -ENOENT;
}

void nnfw_stats(struct nnfw *fw, struct nnfw_stats *stats)
{
	pthread_mutex_lock(&fw->lock);
	*stats = fw->stats;
	pthread_mutex_unlock(&fw->lock);
}
