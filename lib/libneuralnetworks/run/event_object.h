/* SPDX-License-Identifier: Apache-2.0 */
/* Events: the completion of an execution, or a fence from outside. */
#ifndef NNR_EVENT_OBJECT_H
#define NNR_EVENT_OBJECT_H

#include <pthread.h>

#include "base/ndk.h"

/**
 * One of three kinds:
 * - async: nnr_event_complete() completes it, from a worker thread;
 * - fence: @fence_fd, perhaps with @finish, which ends the execution;
 * - done: complete from the start.
 */
struct ANeuralNetworksEvent {
	unsigned int process; /* that it was made in */
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool complete;
	int result; /* result code, once complete */
	int fence_fd; /* -1: none */
	/*
	 * Called once, without the lock, by the first wait or free. The argument is the fence's
	 * result, the value is the event's.
	 */
	int (*finish)(void *cookie, int result);
	void *cookie;
	bool finishing;
};
/** NULL: out of memory. */
ANeuralNetworksEvent *nnr_event_new(void);
void nnr_event_complete(ANeuralNetworksEvent *event, int result);
/** Wait until it is complete. Result code. */
int nnr_event_wait(ANeuralNetworksEvent *event);
/** Wait until it is complete, and free it. */
void nnr_event_free(ANeuralNetworksEvent *event);
/** An event for a duplicate of @fd. Result code (logged). */
int nnr_event_create_from_fence(int fd, ANeuralNetworksEvent **event);

#endif
