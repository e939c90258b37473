// SPDX-License-Identifier: Apache-2.0
/*
 * The program cache, keyed by (context, address, generation). It is only an optimisation: a job
 * names its program, which is loaded if it is absent. One queue loads a program; jobs of other
 * queues that need it wait without an engine. Verification errors are cached, so that an invalid
 * program is read once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nnprog_format.h"
#include "core.h"
#include "core_program.h"

/** Whether it was the last reference to a program that is not cached. Under the lock. */
static bool program_unref(struct nnfw *fw, struct program *p)
{
	bool last = !--p->refs && !p->cached;

	if (last)
		nnfw_program_uncharge(fw, p);
	else if (!p->refs)
		nnfw_program_idle(fw, p);
	if (!p->refs)
		nnfw_room_changed(fw);
	return last;
}

void nnfw_program_put(struct nnfw *fw, struct program *p)
{
	bool last, room;

	pthread_mutex_lock(&fw->lock);
	last = program_unref(fw, p);
	room = !TAILQ_EMPTY(&fw->garbage);
	pthread_mutex_unlock(&fw->lock);
	if (last)
		nnfw_program_free(fw, p);
	if (room)
		nnfw_program_reap(fw);
}

void nnfw_cache_put_ahead(struct nnfw *fw, struct context *ctx, struct program *p)
{
	bool last;

	pthread_mutex_lock(&fw->lock);
	last = p && program_unref(fw, p);
	ctx->ahead = NULL;
	pthread_cond_broadcast(&fw->idle);
	pthread_mutex_unlock(&fw->lock);
	if (last)
		nnfw_program_free(fw, p);
	nnfw_program_reap(fw);
}

void nnfw_program_reap(struct nnfw *fw)
{
	struct program *p;

	pthread_mutex_lock(&fw->lock);
	while ((p = TAILQ_FIRST(&fw->garbage))) {
		TAILQ_REMOVE(&fw->garbage, p, entry);
		pthread_mutex_unlock(&fw->lock);
		nnfw_program_free(fw, p);
		pthread_mutex_lock(&fw->lock);
	}
	pthread_mutex_unlock(&fw->lock);
}

void nnfw_program_drop(struct nnfw *fw, uint32_t context, const uint64_t *addr)
{
	struct program *p, *next;

	for (p = TAILQ_FIRST(&fw->programs); p; p = next) {
		next = TAILQ_NEXT(p, entry);
		if (p->context == context && (!addr || p->addr == *addr))
			nnfw_program_forget(fw, p);
	}
	nnfw_room_changed(fw);
}

static bool is_awaited(struct nnfw *fw, const struct program *p)
{
	for (uint32_t i = 0; i < NNACCEL_MAX_QUEUES; i++)
		if (fw->queues[i] && fw->queues[i]->parked == p)
			return true;
	return false;
}

/** A context whose loader alone has its program, for which no job waits; NULL. */
static struct context *find_ahead(struct nnfw *fw)
{
	for (uint32_t i = 0; i < NNACCEL_MAX_CONTEXTS; i++) {
		struct context *ctx = fw->contexts[i];

		if (ctx && ctx->ahead && ctx->ahead->refs == 1 && !is_awaited(fw, ctx->ahead))
			return ctx;
	}
	return NULL;
}

/** For @bytes that do not fit, of a job of @q: end a loading ahead, and wait. False: there is none.
 */
static bool wait_ahead(struct nnfw *fw, const struct queue *q, uint64_t bytes)
{
	int none = CANCEL_NO;
	struct context *ctx;

	if (bytes > fw->config.program_quota || !q || q->loader)
		return false;
	ctx = find_ahead(fw);
	if (!ctx)
		return false;
	atomic_compare_exchange_strong(&ctx->cancel, &none, CANCEL_ABORT);
	/* it ends without an engine: this thread may have the only one */
	nnfw_engine_end(fw, &ctx->loader);
	pthread_cond_wait(&fw->idle, &fw->lock);
	return true;
}

bool nnfw_cache_wait_ahead(struct nnfw *fw, const struct queue *q, uint64_t bytes)
{
	return !nnfw_room_make(fw, bytes) && wait_ahead(fw, q, bytes);
}

/** Change the charge of a program; evicts idle ones. False: over the quota. */
static bool program_cache_charge(struct nnfw *fw, struct program *p, uint64_t bytes)
{
	while (bytes > p->bytes && !nnfw_room_make(fw, bytes - p->bytes))
		if (!wait_ahead(fw, p->loader, bytes - p->bytes))
			return false;
	nnfw_program_charge_bytes(fw, p, bytes);
	return true;
}

bool nnfw_program_charge(struct nnfw *fw, struct program *p, uint64_t bytes)
{
	bool fits;

	pthread_mutex_lock(&fw->lock);
	fits = program_cache_charge(fw, p, bytes + NNFW_ENTRY_BYTES);
	pthread_mutex_unlock(&fw->lock);
	nnfw_program_reap(fw);
	return fits;
}

bool nnfw_cache_discard(struct nnfw *fw, struct program *p, uint64_t bytes)
{
	uint64_t left;
	bool may;

	pthread_mutex_lock(&fw->lock);
	left = p->bytes - bytes;
	may = !p->in_place || fw->kept_bytes + left <= fw->config.program_quota / 2;
	if (may) {
		nnfw_program_charge_bytes(fw, p, left);
		p->kept = p->in_place;
		fw->kept_bytes += p->kept ? left : 0;
		nnfw_room_changed(fw);
	}
	pthread_mutex_unlock(&fw->lock);
	nnfw_program_reap(fw);
	return may;
}

struct program *nnfw_cache_find(struct nnfw *fw, uint32_t context, uint64_t addr)
{
	struct program *p;

	TAILQ_FOREACH_REVERSE(p, &fw->programs, program_list, entry)
	if (p->context == context && p->addr == addr)
		return p;
	return NULL;
}

struct program *nnfw_cache_add(struct nnfw *fw, struct queue *q, const struct program_request *r,
			       uint64_t bytes)
{
	struct program *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->context = q->context->id;
	p->addr = r->addr;
	p->size = r->size;
	p->loader = q;
	p->generation = r->generation;
	p->state = PROGRAM_LOADING;
	p->refs = 1;
	p->cached = true;
	nnfw_error_clear(&p->error);
	nnfw_program_charge_bytes(fw, p, bytes);
	fw->num_programs++;
	TAILQ_INSERT_TAIL(&fw->programs, p, entry);
	if (q->loader)
		q->context->ahead = p;
	return p;
}

/** Make the queues that wait for @p ready. Under the lock. */
static void unpark(struct nnfw *fw, const struct program *p)
{
	for (uint32_t i = 0; i < NNACCEL_MAX_QUEUES; i++) {
		struct queue *q = fw->queues[i];

		if (q && q->parked == p) {
			q->parked = NULL;
			nnfw_engine_ready(fw, q);
		}
	}
}

uint32_t nnfw_cache_settle(struct nnfw *fw, struct program *p, uint32_t status, uint64_t bytes,
			   struct job_error *error)
{
	struct program *gone = NULL;

	bytes += NNFW_ENTRY_BYTES;
	pthread_mutex_lock(&fw->lock);
	if (status == NNACCEL_STATUS_OK && !program_cache_charge(fw, p, bytes))
		status = nnfw_fail(
			&p->error, NNACCEL_STATUS_NO_MEMORY,
			"loaded program of %llu bytes does not fit into the quota of %llu",
			(unsigned long long)bytes, (unsigned long long)fw->config.program_quota);
	*error = p->error;
	if (p->loader->loader && status != NNACCEL_STATUS_OK) {
		p->loader->context->ahead = NULL;
		pthread_cond_broadcast(&fw->idle);
	}
	p->loader = NULL;
	if (status == NNACCEL_STATUS_OK) {
		p->state = PROGRAM_READY;
	} else {
		p->refs--;
		p->state = PROGRAM_BAD;
		if (status != NNACCEL_STATUS_BAD_PROGRAM && p->cached)
			nnfw_program_unlink(fw, p);
		if (p->cached) {
			nnfw_program_charge_bytes(fw, p, NNFW_ENTRY_BYTES);
			nnfw_program_idle(fw, p);
		} else {
			nnfw_program_uncharge(fw, p);
			gone = p;
		}
	}
	unpark(fw, p);
	nnfw_room_changed(fw);
	pthread_mutex_unlock(&fw->lock);
	if (gone)
		nnfw_program_free(fw, gone);
	nnfw_program_reap(fw);
	return status;
}
