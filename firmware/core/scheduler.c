// SPDX-License-Identifier: Apache-2.0
/*
 * The scheduling policy. Queues of priority REALTIME come first, round robin. Then contexts round
 * robin, and within a context its ready queue of the highest priority, equals round robin. Programs
 * are loaded ahead when no job wants the engine. A turn ends with the job, or, if another queue is
 * ready, at the first tick after the quantum; at once if a REALTIME queue is ready.
 */
#include "core.h"

static uint32_t level(const struct queue *q)
{
	return atomic_load_explicit(&q->level, memory_order_relaxed);
}

static void scheduler_insert(struct nnfw *fw, struct queue *q, uint32_t at)
{
	struct context *ctx = q->context;

	q->listed = true;
	atomic_store_explicit(&q->level, at, memory_order_relaxed);
	if (at == NNFW_ENDING) {
		TAILQ_INSERT_TAIL(&fw->ending, q, entry);
		return;
	}
	if (at == NNFW_BACKGROUND) {
		TAILQ_INSERT_TAIL(&fw->background, q, entry);
		return;
	}
	atomic_fetch_add_explicit(&fw->num_ready, 1, memory_order_relaxed);
	if (at == NNFW_REALTIME) {
		TAILQ_INSERT_TAIL(&fw->realtime, q, entry);
		atomic_fetch_add_explicit(&fw->num_realtime, 1, memory_order_relaxed);
		return;
	}
	TAILQ_INSERT_TAIL(&ctx->ready[at], q, entry);
	if (!ctx->listed) {
		ctx->listed = true;
		TAILQ_INSERT_TAIL(&fw->contexts_ready, ctx, entry);
	}
}

bool nnfw_sched_list(struct nnfw *fw, struct queue *q)
{
	struct job *job = STAILQ_FIRST(&q->jobs);

	if (q->listed || q->running || q->closing || q->parked || q->room.waits)
		return false;
	if (q->loader) {
		if (STAILQ_EMPTY(&q->context->loads))
			return false;
		scheduler_insert(fw, q, level(q));
		return true;
	}
	if (!job)
		return false;
	scheduler_insert(fw, q,
			 atomic_load_explicit(&job->cancel, memory_order_relaxed) ? NNFW_ENDING
										  : q->priority);
	return true;
}

void nnfw_sched_list_suspended(struct nnfw *fw, struct queue *q)
{
	scheduler_insert(fw, q, level(q));
}

static bool has_ready(const struct context *ctx)
{
	for (uint32_t i = 0; i < NNFW_REALTIME; i++)
		if (!TAILQ_EMPTY(&ctx->ready[i]))
			return true;
	return false;
}

void nnfw_sched_remove(struct nnfw *fw, struct queue *q)
{
	struct context *ctx = q->context;
	uint32_t at = level(q);

	if (!q->listed)
		return;
	q->listed = false;
	if (at == NNFW_ENDING || at == NNFW_BACKGROUND) {
		TAILQ_REMOVE(at == NNFW_ENDING ? &fw->ending : &fw->background, q, entry);
		return;
	}
	atomic_fetch_sub_explicit(&fw->num_ready, 1, memory_order_relaxed);
	if (at == NNFW_REALTIME) {
		TAILQ_REMOVE(&fw->realtime, q, entry);
		atomic_fetch_sub_explicit(&fw->num_realtime, 1, memory_order_relaxed);
		return;
	}
	TAILQ_REMOVE(&ctx->ready[at], q, entry);
	if (!has_ready(ctx)) {
		ctx->listed = false;
		TAILQ_REMOVE(&fw->contexts_ready, ctx, entry);
	}
}

struct queue *nnfw_sched_next(struct nnfw *fw)
{
	struct queue *q = TAILQ_FIRST(&fw->realtime);
	struct context *ctx = TAILQ_FIRST(&fw->contexts_ready);

	if (q)
		return q;
	for (uint32_t i = NNFW_REALTIME; ctx && i-- && !q;)
		q = TAILQ_FIRST(&ctx->ready[i]);
	return q ? q : TAILQ_FIRST(&fw->background);
}

void nnfw_sched_take(struct nnfw *fw, struct queue *q)
{
	struct context *ctx = q->context;

	if (level(q) < NNFW_REALTIME) {
		TAILQ_REMOVE(&fw->contexts_ready, ctx, entry);
		TAILQ_INSERT_TAIL(&fw->contexts_ready, ctx, entry);
	}
	nnfw_sched_remove(fw, q);
}

bool nnfw_sched_raise(struct nnfw *fw, struct queue *loader, uint32_t priority)
{
	uint32_t now = level(loader);

	if (now != NNFW_BACKGROUND && now >= priority)
		return false;
	if (!loader->listed) {
		atomic_store_explicit(&loader->level, priority, memory_order_relaxed);
		return false;
	}
	nnfw_sched_remove(fw, loader);
	scheduler_insert(fw, loader, priority);
	return true;
}

bool nnfw_sched_preempt(struct nnfw *fw, const struct queue_progress *progress)
{
	uint32_t waiting = atomic_load_explicit(&fw->num_ready, memory_order_relaxed);
	uint32_t realtime, own;

	if (!waiting || fw->config.flags & NNFW_CONFIG_NO_PREEMPT)
		return false;
	own = level(progress->queue);
	if (own == NNFW_BACKGROUND)
		return true;
	realtime = atomic_load_explicit(&fw->num_realtime, memory_order_relaxed);
	if (own != NNFW_REALTIME && realtime)
		return true;
	if (own == NNFW_REALTIME && !realtime)
		return false;
	return fw->platform.clock_ns(fw->platform.priv) - progress->since_ns >=
	       fw->config.quantum_ns;
}
