// SPDX-License-Identifier: Apache-2.0
/* Programs for jobs that are due, and loading ahead of the first job. */
#include <errno.h>
#include <stdlib.h>

#include "core.h"
#include "core_run.h"
#include "core_program.h"
#include "nnprog_format.h"

/**
 * The job of @q waits for another queue: its turn must end. An abort during this turn found nothing
 * to end.
 */
static uint32_t request_park(const struct queue *q, struct program_request *r)
{
	const struct job *job = STAILQ_FIRST(&q->jobs);

	if (!q->loader && atomic_load_explicit(&job->cancel, memory_order_relaxed) != CANCEL_NO)
		return NNACCEL_STATUS_ABORTED;
	r->parked = true;
	return NNACCEL_STATUS_OK;
}

static uint32_t request_wait_loaded(struct nnfw *fw, struct queue *q, struct program_request *r,
				    struct program *p)
{
	uint32_t status = request_park(q, r);

	if (status || q->loader)
		return status;
	q->parked = p;
	if (p->loader->loader)
		nnfw_engine_raise(fw, p->loader, q->priority);
	return NNACCEL_STATUS_OK;
}

/** Wait for room for @bytes, or fail without it. */
static uint32_t request_wait_room(struct nnfw *fw, struct queue *q, struct program_request *r,
				  uint64_t bytes)
{
	uint32_t status = request_park(q, r);

	if (status)
		return status;
	r->parked = nnfw_room_wait(fw, q, bytes);
	if (r->parked)
		return NNACCEL_STATUS_OK;
	return nnfw_fail(r->error, NNACCEL_STATUS_NO_MEMORY,
			 "program of %llu bytes has no room in the quota of %llu",
			 (unsigned long long)bytes, (unsigned long long)fw->config.program_quota);
}

/** Take @p, which is in the cache. */
static uint32_t request_take(struct nnfw *fw, struct queue *q, struct program_request *r,
			     struct program *p)
{
	TAILQ_REMOVE(&fw->programs, p, entry);
	TAILQ_INSERT_TAIL(&fw->programs, p, entry);
	switch (p->state) {
	case PROGRAM_LOADING:
		return request_wait_loaded(fw, q, r, p);
	case PROGRAM_BAD:
		*r->error = p->error;
		return NNACCEL_STATUS_BAD_PROGRAM;
	default:
		nnfw_program_ref(fw, p);
		r->program = p;
		return NNACCEL_STATUS_OK;
	}
}

/** Take the program, wait, or make an entry in *@fresh, which the caller loads. Under the lock. */
static uint32_t request_begin(struct nnfw *fw, struct queue *q, struct program_request *r,
			      struct program **fresh)
{
	const uint64_t least = r->size + NNFW_ENTRY_BYTES, granted = nnfw_room_take(fw, q);
	const uint64_t bytes = granted > least ? granted : least;
	struct program *p;
	bool yields;

	do {
		p = nnfw_cache_find(fw, q->context->id, r->addr);
		if (p && (p->generation != r->generation || p->size != r->size)) {
			nnfw_program_forget(fw, p);
			p = NULL;
		}
	} while (!p && nnfw_cache_wait_ahead(fw, q, bytes));
	yields = !granted && nnfw_room_yields(fw, q);
	if (p && !(yields && p->state == PROGRAM_READY))
		return request_take(fw, q, r, p);
	/* loading ahead is a hint: jobs that wait need the room */
	if (yields || (q->loader && !TAILQ_EMPTY(&fw->room_queue)) || !nnfw_room_make(fw, bytes))
		return request_wait_room(fw, q, r, bytes);
	*fresh = nnfw_cache_add(fw, q, r, bytes);
	return *fresh ? NNACCEL_STATUS_OK
		      : nnfw_fail(r->error, NNACCEL_STATUS_NO_MEMORY, "out of memory");
}

static uint32_t request_load(struct nnfw *fw, struct queue *q, struct program_request *r,
			     struct program *p)
{
	uint64_t bytes = 0, wanted = 0;
	uint32_t status = nnfw_load(fw, p, &q->progress, &bytes, &wanted);

	status = nnfw_cache_settle(fw, p, status, bytes, r->error);
	if (status == NNACCEL_STATUS_OK) {
		nnfw_program_discard(fw, p);
		r->program = p;
	} else if (wanted) {
		pthread_mutex_lock(&fw->lock);
		status = request_wait_room(fw, q, r, wanted);
		pthread_mutex_unlock(&fw->lock);
		nnfw_program_reap(fw);
	}
	return status;
}

uint32_t nnfw_program_get(struct nnfw *fw, struct queue *q, struct program_request *r)
{
	struct program *fresh = NULL;
	uint32_t status;
	bool garbage;

	r->program = NULL;
	r->parked = false;
	/* refuse it before it is copied; verification would refuse it too */
	if (r->size > NNPROG_MAX_SIZE)
		return nnfw_fail(r->error, NNACCEL_STATUS_BAD_PROGRAM,
				 "program of %llu bytes is too large", (unsigned long long)r->size);
	pthread_mutex_lock(&fw->lock);
	status = request_begin(fw, q, r, &fresh);
	if (!fresh)
		/* it got room that it does not use */
		nnfw_room_changed(fw);
	garbage = !TAILQ_EMPTY(&fw->garbage);
	pthread_mutex_unlock(&fw->lock);
	if (garbage)
		nnfw_program_reap(fw);
	return fresh ? request_load(fw, q, r, fresh) : status;
}

void nnfw_load_ahead(struct nnfw *fw, struct context *ctx)
{
	struct load_request *r = STAILQ_FIRST(&ctx->loads);
	struct queue *q = &ctx->loader;
	struct job_error error;
	struct program_request request = {
		.addr = r->addr,
		.size = r->size,
		.generation = r->generation,
		.error = &error,
	};
	int aborted = CANCEL_ABORT;

	STAILQ_REMOVE_HEAD(&ctx->loads, next);
	ctx->pending_loads--;
	ctx->loading = r;
	/* that of the request before this one */
	atomic_compare_exchange_strong(&ctx->cancel, &aborted, CANCEL_NO);
	q->progress.cancel = &ctx->cancel;
	pthread_mutex_unlock(&fw->lock);
	nnfw_error_clear(&error);
	nnfw_program_get(fw, q, &request);
	nnfw_cache_put_ahead(fw, ctx, request.program);
	pthread_mutex_lock(&fw->lock);
	nnfw_crew_rest(&q->crew);
	ctx->loading = NULL;
	free(r);
	/* no job waits for the next request yet */
	atomic_store_explicit(&q->level, NNFW_BACKGROUND, memory_order_relaxed);
}

void nnfw_loads_drop(struct context *ctx, const uint64_t *addr)
{
	struct load_request *r, *next;
	int none = CANCEL_NO;

	if (ctx->loading && (!addr || ctx->loading->addr == *addr)) {
		ctx->loading->dropped = true;
		atomic_compare_exchange_strong(&ctx->cancel, &none, CANCEL_ABORT);
	}
	for (r = STAILQ_FIRST(&ctx->loads); r; r = next) {
		next = STAILQ_NEXT(r, next);
		if (addr && r->addr != *addr)
			continue;
		STAILQ_REMOVE(&ctx->loads, r, load_request, next);
		ctx->pending_loads--;
		free(r);
	}
}

int nnfw_program_load(struct nnfw *fw, uint32_t context, uint64_t addr, uint64_t size,
		      uint64_t generation)
{
	struct load_request *r;
	struct context *ctx;
	int ret = 0;

	if (context >= NNACCEL_MAX_CONTEXTS || !size)
		return -EINVAL;
	r = malloc(sizeof(*r));
	if (!r)
		return -ENOMEM;
	*r = (struct load_request){ .addr = addr, .size = size, .generation = generation };
	pthread_mutex_lock(&fw->lock);
	ctx = fw->contexts[context];
	if (!ctx || ctx->closing || fw->stopping) {
		ret = -ENOENT;
	} else if (ctx->pending_loads >= NNFW_MAX_LOADS) {
		ret = -EAGAIN;
	} else {
		ctx->pending_loads++;
		STAILQ_INSERT_TAIL(&ctx->loads, r, next);
		nnfw_engine_ready(fw, &ctx->loader);
	}
	pthread_mutex_unlock(&fw->lock);
	if (ret)
		free(r);
	return ret;
}

int nnfw_program_unload(struct nnfw *fw, uint32_t context, uint64_t addr)
{
	struct context *ctx;

	if (context >= NNACCEL_MAX_CONTEXTS)
		return -EINVAL;
	pthread_mutex_lock(&fw->lock);
	ctx = fw->contexts[context];
	if (ctx) {
		nnfw_loads_drop(ctx, &addr);
		if (STAILQ_EMPTY(&ctx->loads) && !ctx->loader.running)
			nnfw_sched_remove(fw, &ctx->loader);
		/* one that waits for its turn may wait for long */
		if (ctx->loading && ctx->loading->dropped)
			nnfw_engine_end(fw, &ctx->loader);
		nnfw_program_drop(fw, context, &addr);
	}
	pthread_mutex_unlock(&fw->lock);
	nnfw_program_reap(fw);
	return ctx ? 0 : -ENOENT;
}
