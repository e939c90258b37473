// SPDX-License-Identifier: Apache-2.0
/* Programs for jobs that are due, and loading ahead of the first job. */
#include <errno.h>
#include <stdlib.h>

#include "crew.h"
#include "discard.h"
#include "engine.h"
#include "load.h"
#include "loader.h"
#include "program_cache.h"
#include "scheduler.h"

uint32_t nnfw_program_get(struct nnfw *fw, struct queue *q, uint64_t addr, uint64_t size,
			  uint64_t generation, struct program **program, struct job_error *error,
			  bool *park)
{
	uint32_t status = NNACCEL_STATUS_OK;
	struct program *p;
	uint64_t bytes = 0;

	*program = NULL;
	*park = false;
	pthread_mutex_lock(&fw->lock);
	do {
		p = nnfw_cache_find(fw, q->context->id, addr);
		if (p && (p->generation != generation || p->size != size)) {
			nnfw_cache_drop(fw, p);
			p = NULL;
		}
	} while (!p && nnfw_cache_wait_ahead(fw, q, size + NNFW_ENTRY_BYTES));
	if (p) {
		TAILQ_REMOVE(&fw->programs, p, entry);
		TAILQ_INSERT_TAIL(&fw->programs, p, entry);
		if (p->state == PROGRAM_LOADING) {
			*park = true;
			if (!q->loader) {
				q->parked = p;
				if (p->loader->loader)
					nnfw_engine_raise(fw, p->loader, q->priority);
			}
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
	status = nnfw_cache_add(fw, q, addr, size, generation, &p, error);
	pthread_mutex_unlock(&fw->lock);
	nnfw_program_reap(fw);
	if (status)
		return status;
	status = nnfw_load(fw, p, &q->progress, &bytes);
	status = nnfw_cache_settle(fw, p, status, bytes, error);
	if (status == NNACCEL_STATUS_OK) {
		nnfw_program_discard(fw, p);
		*program = p;
	}
	return status;
}

void nnfw_load_ahead(struct nnfw *fw, struct context *ctx)
{
	struct load_request *r = STAILQ_FIRST(&ctx->loads);
	struct queue *q = &ctx->loader;
	struct program *p = NULL;
	struct job_error error;
	int aborted = CANCEL_ABORT;
	bool park;

	STAILQ_REMOVE_HEAD(&ctx->loads, next);
	ctx->pending_loads--;
	ctx->loading = r;
	/* that of the request before this one */
	atomic_compare_exchange_strong(&ctx->cancel, &aborted, CANCEL_NO);
	q->progress.cancel = &ctx->cancel;
	pthread_mutex_unlock(&fw->lock);
	nnfw_error_clear(&error);
	nnfw_program_get(fw, q, r->addr, r->size, r->generation, &p, &error, &park);
	nnfw_cache_put_ahead(fw, ctx, p);
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
