// SPDX-License-Identifier: Apache-2.0
/* Events: the completion of an execution, or a fence from outside. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnutil_fence.h"

#include "base/nnr_base.h"
#include "run/nnr_run.h"

ANeuralNetworksEvent *nnr_event_new(void)
{
	ANeuralNetworksEvent *event = calloc(1, sizeof(*event));

	if (!event)
		return NULL;
	nnr_fork_watch();
	event->process = nnr_process_number();
	pthread_mutex_init(&event->lock, NULL);
	pthread_cond_init(&event->cond, NULL);
	event->fence_fd = -1;
	return event;
}

void nnr_event_complete(ANeuralNetworksEvent *event, int result)
{
	pthread_mutex_lock(&event->lock);
	event->complete = true;
	event->result = nnr_event_code(result);
	/* under the lock: a waiter may free the event as soon as it is complete */
	pthread_cond_broadcast(&event->cond);
	pthread_mutex_unlock(&event->lock);
}

/* The first waiter waits for the fence and ends the execution. The others wait for the first. */
static int fence_event_wait(ANeuralNetworksEvent *event)
{
	int (*finish)(void *, int) = event->finish;
	int result;

	event->finishing = true;
	pthread_mutex_unlock(&event->lock);
	result = nnutil_fence_wait(event->fence_fd) ? ANEURALNETWORKS_OP_FAILED
						    : ANEURALNETWORKS_NO_ERROR;
	if (finish)
		result = finish(event->cookie, result);
	pthread_mutex_lock(&event->lock);
	event->complete = true;
	event->result = nnr_event_code(result);
	pthread_cond_broadcast(&event->cond);
	return event->result;
}

/*
 * It was made before fork(): its lock cannot be used. A fence from outside is as good in the child;
 * an execution is the parent's.
 */
static int inherited_wait(const ANeuralNetworksEvent *event)
{
	if (event->fence_fd < 0 || event->finish)
		return ANEURALNETWORKS_DEAD_OBJECT;
	return nnutil_fence_wait(event->fence_fd) ? ANEURALNETWORKS_OP_FAILED
						  : ANEURALNETWORKS_NO_ERROR;
}

int nnr_event_wait(ANeuralNetworksEvent *event)
{
	int result;

	if (event->process != nnr_process_number())
		return inherited_wait(event);
	pthread_mutex_lock(&event->lock);
	if (!event->complete && event->fence_fd >= 0 && !event->finishing) {
		result = fence_event_wait(event);
	} else {
		while (!event->complete)
			pthread_cond_wait(&event->cond, &event->lock);
		result = event->result;
	}
	pthread_mutex_unlock(&event->lock);
	return result;
}

void nnr_event_free(ANeuralNetworksEvent *event)
{
	const bool inherited = event->process != nnr_process_number();

	if (!inherited)
		nnr_event_wait(event);
	if (event->fence_fd >= 0)
		close(event->fence_fd);
	if (!inherited) {
		pthread_cond_destroy(&event->cond);
		pthread_mutex_destroy(&event->lock);
	}
	free(event);
}

int nnr_event_create_from_fence(int fd, ANeuralNetworksEvent **event)
{
	ANeuralNetworksEvent *made;

	/* 0 is not a fence in the NDK */
	if (fd <= 0)
		return nnr_refuse(BAD_DATA, "%d is not a fence", fd);
	made = nnr_event_new();
	if (!made)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	made->fence_fd = fcntl(fd, F_DUPFD_CLOEXEC, 1);
	if (made->fence_fd < 0) {
		nnutil_log(NNUTIL_LOG_WARNING, "cannot duplicate file descriptor %d: %s", fd,
			   strerror(errno));
		nnr_event_complete(made, ANEURALNETWORKS_OP_FAILED);
		nnr_event_free(made);
		return ANEURALNETWORKS_OP_FAILED;
	}
	*event = made;
	return ANEURALNETWORKS_NO_ERROR;
}
