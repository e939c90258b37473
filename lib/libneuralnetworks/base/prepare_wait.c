// SPDX-License-Identifier: Apache-2.0
/* Preparing models on devices of the HAL, which answer by callback, and waiting for the answers. */
#include <stdio.h>
#include <string.h>

#include "nntrace.h"

#include "base/nnr_base.h"

void nnr_prepare_group_init(struct nnr_prepare_group *group)
{
	pthread_mutex_init(&group->lock, NULL);
	pthread_cond_init(&group->cond, NULL);
	group->pending = 0;
}

void nnr_prepare_group_fini(struct nnr_prepare_group *group)
{
	pthread_cond_destroy(&group->cond);
	pthread_mutex_destroy(&group->lock);
}

void nnr_prepare_group_expect(struct nnr_prepare_group *group)
{
	pthread_mutex_lock(&group->lock);
	group->pending++;
	pthread_mutex_unlock(&group->lock);
}

void nnr_prepare_group_done(struct nnr_prepare_group *group)
{
	/* signalled under the lock: the waiter frees the group as soon as nothing is pending */
	pthread_mutex_lock(&group->lock);
	if (--group->pending == 0)
		pthread_cond_broadcast(&group->cond);
	pthread_mutex_unlock(&group->lock);
}

void nnr_prepare_group_wait(struct nnr_prepare_group *group)
{
	pthread_mutex_lock(&group->lock);
	while (group->pending)
		pthread_cond_wait(&group->cond, &group->lock);
	pthread_mutex_unlock(&group->lock);
}

void nnr_prepare_answered(void *cookie, enum nnhal_status status,
			  struct nnhal_prepared_model *model, const char *message)
{
	struct nnr_prepare_answer *answer = cookie;

	answer->prepared = model;
	answer->status = status == NNHAL_NONE && !model ? NNHAL_GENERAL_FAILURE : status;
	answer->message[0] = '\0';
	if (message)
		strncat(answer->message, message, sizeof(answer->message) - 1);
	nnr_prepare_group_done(answer->group);
}

/* ---- one preparation ---- */

struct preparation {
	struct nnr_prepare_answer answer;
	struct nnhal_device *hal;
	const struct nnmodel *model;
	const struct nnhal_prepare_config *config;
};

static void prepare_wait_start(struct preparation *p)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_COMPILATION, "prepareModel");

	nnr_prepare_group_expect(p->answer.group);
	p->hal->ops->prepare_model(p->hal, p->model, p->config, nnr_prepare_answered, &p->answer);
}

static void start_on_thread(void *cookie)
{
	struct preparation *p = cookie;
	struct nnr_prepare_group *group = p->answer.group;

	prepare_wait_start(p);
	nnr_prepare_group_done(group);
}

/*
 * An execution may have to prepare a model: its fallback, or a specialized model. The trace format
 * does not allow a compilation within an execution, so another thread begins it while this one
 * waits.
 */
static void start_within_execution(struct preparation *p)
{
	if (nntrace_enabled()) {
		nnr_prepare_group_expect(p->answer.group);
		if (!nnr_thread_run(start_on_thread, p))
			return;
		/* no thread: no other thread uses the group yet */
		p->answer.group->pending--;
	}
	prepare_wait_start(p);
}

enum nnhal_status nnr_prepare_on(struct nnhal_device *hal, const struct nnmodel *model,
				 const struct nnhal_prepare_config *config,
				 struct nnhal_prepared_model **prepared, char *message, size_t size)
{
	struct nnr_prepare_group group;
	struct preparation p = {
		.answer = { .group = &group },
		.hal = hal,
		.model = model,
		.config = config,
	};

	nnr_prepare_group_init(&group);
	start_within_execution(&p);
	nnr_prepare_group_wait(&group);
	nnr_prepare_group_fini(&group);
	*prepared = p.answer.status == NNHAL_NONE ? p.answer.prepared : NULL;
	snprintf(message, size, "%s", p.answer.message);
	return p.answer.status;
}
