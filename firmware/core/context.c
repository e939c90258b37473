// SPDX-License-Identifier: Apache-2.0
/* Contexts: address spaces with their queues and programs. */
#include <errno.h>
#include <stdlib.h>

#include "core.h"
#include "core_program.h"

static void context_release(struct context *ctx)
{
	nnfw_queue_fini(&ctx->loader);
	free(ctx);
}

void nnfw_context_stop(struct nnfw *fw, struct context *ctx)
{
	nnfw_loads_drop(ctx, NULL);
	atomic_store_explicit(&ctx->cancel, CANCEL_CLOSE, memory_order_relaxed);
	nnfw_queue_stop(fw, &ctx->loader);
}

int nnfw_context_open(struct nnfw *fw, uint32_t context)
{
	struct context *ctx;
	int ret = 0;

	if (context >= NNACCEL_MAX_CONTEXTS)
		return -EINVAL;
	ctx = calloc(1, sizeof(*ctx));
	if (!ctx)
		return -ENOMEM;
	ctx->id = context;
	STAILQ_INIT(&ctx->loads);
	nnfw_queue_init(fw, &ctx->loader, ctx, NNFW_NONE, NNFW_BACKGROUND);
	ctx->loader.loader = true;
	for (uint32_t i = 0; i < NNFW_REALTIME; i++)
		TAILQ_INIT(&ctx->ready[i]);
	pthread_mutex_lock(&fw->lock);
	if (fw->contexts[context])
		ret = -EEXIST;
	else if (fw->stopping)
		ret = -ENOENT;
	else
		fw->contexts[context] = ctx;
	pthread_mutex_unlock(&fw->lock);
	if (ret)
		context_release(ctx);
	return ret;
}

int nnfw_context_close(struct nnfw *fw, uint32_t context)
{
	struct context *ctx;
	struct queue *q;
	bool mine[NNACCEL_MAX_QUEUES] = { false };
	bool others;

	if (context >= NNACCEL_MAX_CONTEXTS)
		return -EINVAL;
	pthread_mutex_lock(&fw->lock);
	ctx = fw->contexts[context];
	if (!ctx || ctx->closing) {
		pthread_mutex_unlock(&fw->lock);
		return -ENOENT;
	}
	ctx->closing = true;
	nnfw_context_stop(fw, ctx);
	/* stop all queues before waiting for any */
	for (uint32_t i = 0; i < NNACCEL_MAX_QUEUES; i++) {
		q = fw->queues[i];
		if (q && q->context == ctx && !q->closing) {
			nnfw_queue_stop(fw, q);
			mine[i] = true;
		}
	}
	for (uint32_t i = 0; i < NNACCEL_MAX_QUEUES; i++)
		if (mine[i])
			nnfw_queue_finish(fw, fw->queues[i]);
	/* wait for queues that other threads are destroying */
	do {
		others = ctx->loader.running || ctx->loader.crew.helpers;
		for (uint32_t i = 0; i < NNACCEL_MAX_QUEUES; i++)
			others |= fw->queues[i] && fw->queues[i]->context == ctx;
		if (others)
			pthread_cond_wait(&fw->idle, &fw->lock);
	} while (others);
	nnfw_program_drop(fw, context, NULL);
	fw->contexts[context] = NULL;
	pthread_mutex_unlock(&fw->lock);
	nnfw_program_reap(fw);
	context_release(ctx);
	return 0;
}
