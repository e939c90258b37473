// SPDX-License-Identifier: Apache-2.0
/* A preparation for clients that have nothing else to do meanwhile. */
#include <pthread.h>
#include <stdio.h>

#include "values/nnhal_values.h"

struct awaited {
	pthread_mutex_t lock; /* protects the members below */
	pthread_cond_t changed;
	bool answered;
	enum nnhal_status status;
	struct nnhal_prepared_model *model;
	char *message;
	size_t size;
};

static void awaited_answer(void *cookie, enum nnhal_status status,
			   struct nnhal_prepared_model *model, const char *message)
{
	struct awaited *a = cookie;

	/* signalled under the lock: the client's thread frees it as soon as it is answered */
	pthread_mutex_lock(&a->lock);
	a->answered = true;
	a->status = status == NNHAL_NONE && !model ? NNHAL_GENERAL_FAILURE : status;
	a->model = model;
	if (a->size)
		snprintf(a->message, a->size, "%s", a->status && message ? message : "");
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
}

NNHAL_EXPORT enum nnhal_status nnhal_prepare_model(struct nnhal_device *dev,
						   const struct nnmodel *model,
						   const struct nnhal_prepare_config *config,
						   struct nnhal_prepared_model **prepared,
						   char *message, size_t size)
{
	const struct nnhal_prepare_config defaults = NNHAL_PREPARE_CONFIG_INIT;
	struct awaited a = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER,
		.message = message,
		.size = message ? size : 0,
	};

	/* the callback comes once, whatever the call returns */
	dev->ops->prepare_model(dev, model, config ? config : &defaults, awaited_answer, &a);
	pthread_mutex_lock(&a.lock);
	while (!a.answered)
		pthread_cond_wait(&a.changed, &a.lock);
	pthread_mutex_unlock(&a.lock);
	pthread_mutex_destroy(&a.lock);
	pthread_cond_destroy(&a.changed);
	*prepared = a.model;
	return a.status;
}
