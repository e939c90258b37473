// SPDX-License-Identifier: Apache-2.0
/*
 * The program cache, keyed by (context, address, generation). What is here is a convenience: a job names
 * its program and gets it loaded when it is absent. One worker loads a program; jobs of other queues that
 * need it wait outside the workers. Errors of verification are kept, so that a bad program is read once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

/** What an entry counts at least: bounds how many there can be. */
#define ENTRY_BYTES	65536u

static void unlink_program(struct nnfw *fw, struct program *p)
{
	TAILQ_REMOVE(&fw->programs, p, entry);
	p->cached = false;
	fw->program_bytes -= p->bytes;
	fw->num_programs--;
}

void nnfw_program_put(struct nnfw *fw, struct program *p)
{
	bool last;

	pthread_mutex_lock(&fw->lock);
	last = !--p->refs && !p->cached;
	pthread_mutex_unlock(&fw->lock);
	if (last)
		nnfw_program_free(p);
}

/** Not found by jobs any more; freed now, or with the last reference. */
static void drop(struct nnfw *fw, struct program *p)
{
	unlink_program(fw, p);
	if (!p->refs)
		nnfw_program_free(p);
}

void nnfw_program_drop(struct nnfw *fw, uint32_t context, const uint64_t *addr)
{
	struct program *p, *next;

	for (p = TAILQ_FIRST(&fw->programs); p; p = next) {
		next = TAILQ_NEXT(p, entry);
		if (p->context == context && (!addr || p->addr == *addr))
			drop(fw, p);
	}
}

/** Make room for @bytes more by dropping idle programs, least recently used first. */
static bool evict(struct nnfw *fw, uint64_t bytes)
{
	struct program *p, *next;

	for (p = TAILQ_FIRST(&fw->programs); p; p = next) {
		if (bytes <= fw->config.program_quota &&
		    fw->program_bytes <= fw->config.program_quota - bytes)
			return true;
		next = TAILQ_NEXT(p, entry);
		if (!p->refs)
			drop(fw, p);
	}
	return bytes <= fw->config.program_quota &&
	       fw->program_bytes <= fw->config.program_quota - bytes;
}

/** Change what a program counts; idle ones make room. False: over the quota. */
static bool charge(struct nnfw *fw, struct program *p, uint64_t bytes)
{
	bool fits = bytes <= p->bytes || !p->cached || evict(fw, bytes - p->bytes);

	if (!fits)
		return false;
	if (p->cached)
		fw->program_bytes += bytes - p->bytes;
	p->bytes = bytes;
	return true;
}

static struct program *find(struct nnfw *fw, uint32_t context, uint64_t addr)
{
	struct program *p;

	TAILQ_FOREACH_REVERSE(p, &fw->programs, program_list, entry)
		if (p->context == context && p->addr == addr)
			return p;
	return NULL;
}

/** A new entry that the caller loads; holds the loader's reference. Under the lock. */
static uint32_t add(struct nnfw *fw, uint32_t context, uint64_t addr, uint64_t size,
		    uint64_t generation, struct program **program, struct job_error *error)
{
	struct program *p;

	/* verification would refuse it, but only after a copy */
	if (size > NNPROG_MAX_SIZE)
		return nnfw_fail(error, NNACCEL_STATUS_BAD_PROGRAM, "program of %llu bytes is too large",
				 (unsigned long long)size);
	if (!evict(fw, size + ENTRY_BYTES))
		return nnfw_fail(error, NNACCEL_STATUS_NO_MEMORY,
				 "program of %llu bytes does not fit into the quota",
				 (unsigned long long)size);
	p = calloc(1, sizeof(*p));
	if (!p)
		return nnfw_fail(error, NNACCEL_STATUS_NO_MEMORY, "out of memory");
	p->context = context;
	p->addr = addr;
	p->size = size;
	p->generation = generation;
	p->state = PROGRAM_LOADING;
	p->refs = 1;
	p->cached = true;
	p->bytes = size + ENTRY_BYTES;
	nnfw_error_clear(&p->error);
	fw->program_bytes += p->bytes;
	fw->num_programs++;
	TAILQ_INSERT_TAIL(&fw->programs, p, entry);
	*program = p;
	return NNACCEL_STATUS_OK;
}

/** The queues that wait for @p look again. Under the lock. */
static void unpark(struct nnfw *fw, const struct program *p)
{
	for (uint32_t i = 0; i < NNACCEL_MAX_QUEUES; i++) {
		struct queue *q = fw->queues[i];

		if (q && q->parked == p) {
			q->parked = NULL;
			nnfw_sched_ready(fw, q);
		}
	}
}

/** The end of loading: keep the program, its error or nothing. @bytes: what it needs. Returns the status;
 * on OK the caller keeps the reference. */
static uint32_t settle(struct nnfw *fw, struct program *p, uint32_t status, uint64_t bytes,
		       struct job_error *error)
{
	struct program *gone = NULL;

	pthread_mutex_lock(&fw->lock);
	if (status == NNACCEL_STATUS_OK && !charge(fw, p, bytes))
		status = nnfw_fail(&p->error, NNACCEL_STATUS_NO_MEMORY,
				   "loaded program of %llu bytes does not fit into the quota",
				   (unsigned long long)bytes);
	*error = p->error;
	if (status == NNACCEL_STATUS_OK) {
		p->state = PROGRAM_READY;
	} else {
		p->refs--;
		p->state = PROGRAM_BAD;
		if (status != NNACCEL_STATUS_BAD_PROGRAM && p->cached)
			unlink_program(fw, p);
		if (p->cached)
			charge(fw, p, ENTRY_BYTES);
		else
			gone = p;
	}
	unpark(fw, p);
	pthread_mutex_unlock(&fw->lock);
	if (gone)
		nnfw_program_free(gone);
	return status;
}

uint32_t nnfw_program_get(struct nnfw *fw, struct queue *q, uint32_t context, uint64_t addr,
			  uint64_t size, uint64_t generation, struct nnfw_progress *progress,
			  struct program **program, struct job_error *error, bool *park)
{
	uint32_t status = NNACCEL_STATUS_OK;
	struct program *p;
	uint64_t bytes = 0;

	*program = NULL;
	*park = false;
	pthread_mutex_lock(&fw->lock);
	p = find(fw, context, addr);
	if (p && (p->generation != generation || p->size != size)) {
		drop(fw, p);
		p = NULL;
	}
	if (p) {
		TAILQ_REMOVE(&fw->programs, p, entry);
		TAILQ_INSERT_TAIL(&fw->programs, p, entry);
		if (p->state == PROGRAM_LOADING) {
			*park = true;
			if (q)
				q->parked = p;
		} else if (p->state == PROGRAM_BAD) {
			status = NNACCEL_STATUS_BAD_PROGRAM;
			*error = p->error;
		} else {
			p->refs++;
			*program = p;
		}
		pthread_mutex_unlock(&fw->lock);
		return status;
	}
	status = add(fw, context, addr, size, generation, &p, error);
	pthread_mutex_unlock(&fw->lock);
	if (status)
		return status;
	status = nnfw_load(fw, p, progress, &bytes);
	status = settle(fw, p, status, bytes + ENTRY_BYTES, error);
	if (status == NNACCEL_STATUS_OK)
		*program = p;
	return status;
}

void nnfw_load_ahead(struct nnfw *fw)
{
	struct load_request *r = STAILQ_FIRST(&fw->loads);
	struct nnfw_progress progress = { .fw = fw };
	struct program *p = NULL;
	struct job_error error;
	struct context *ctx;
	bool park;

	STAILQ_REMOVE_HEAD(&fw->loads, next);
	ctx = fw->contexts[r->context];
	if (ctx && !ctx->closing) {
		ctx->pending_loads--;
		ctx->loads++;
		pthread_mutex_unlock(&fw->lock);
		nnfw_error_clear(&error);
		nnfw_program_get(fw, NULL, r->context, r->addr, r->size, r->generation, &progress, &p,
				 &error, &park);
		if (p)
			nnfw_program_put(fw, p);
		pthread_mutex_lock(&fw->lock);
		ctx->loads--;
		pthread_cond_broadcast(&fw->idle);
	}
	free(r);
}

int nnfw_program_load(struct nnfw *fw, uint32_t context, uint64_t addr, uint64_t size,
		      uint64_t generation)
{
	struct load_request *r;

	if (context >= NNACCEL_MAX_CONTEXTS || !size)
		return -EINVAL;
	r = malloc(sizeof(*r));
	if (!r)
		return -ENOMEM;
	*r = (struct load_request){ .context = context, .addr = addr, .size = size,
				    .generation = generation };
	pthread_mutex_lock(&fw->lock);
	if (!fw->contexts[context] || fw->contexts[context]->closing || fw->stopping) {
		pthread_mutex_unlock(&fw->lock);
		free(r);
		return -ENOENT;
	}
	if (fw->contexts[context]->pending_loads >= NNFW_MAX_LOADS) {
		pthread_mutex_unlock(&fw->lock);
		free(r);
		return -EAGAIN;
	}
	fw->contexts[context]->pending_loads++;
	STAILQ_INSERT_TAIL(&fw->loads, r, next);
	if (fw->sleeping)
		pthread_cond_signal(&fw->work);
	pthread_mutex_unlock(&fw->lock);
	return 0;
}

int nnfw_program_unload(struct nnfw *fw, uint32_t context, uint64_t addr)
{
	struct load_request *r, *next;
	int ret = -ENOENT;

	if (context >= NNACCEL_MAX_CONTEXTS)
		return -EINVAL;
	pthread_mutex_lock(&fw->lock);
	if (fw->contexts[context]) {
		for (r = STAILQ_FIRST(&fw->loads); r; r = next) {
			next = STAILQ_NEXT(r, next);
			if (r->context != context || r->addr != addr)
				continue;
			STAILQ_REMOVE(&fw->loads, r, load_request, next);
			fw->contexts[context]->pending_loads--;
			free(r);
		}
		nnfw_program_drop(fw, context, &addr);
		ret = 0;
	}
	pthread_mutex_unlock(&fw->lock);
	return ret;
}
