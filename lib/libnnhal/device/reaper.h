/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reaper: a task that watches fences. It releases what fenced jobs hold when they end, also
 * when the client never asks how they ended, and begins executions when their in-fences have
 * signalled, so that no thread waits for each of them. The lock is taken last. Private to libnnhal.
 */
#ifndef NNHAL_REAPER_H
#define NNHAL_REAPER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/ref.h"

/** A job or what waits for a fence, embedded in its object. */
struct nnhal_reaped {
	struct nnhal_reaped *next;
	int fence; /* constant while the reaper has it, as is the deadline */
	int64_t deadline_ns; /* CLOCK_BOOTTIME, or NNHAL_NO_TIME */
	/**
	 * The fence signalled or the deadline has passed, and the job left the list. Called without
	 * locks.
	 */
	void (*ended)(struct nnhal_reaped *job);
};

struct nnhal_reaper {
	struct nnhal_ref *owner; /* held by the task */
	pthread_mutex_t lock; /* protects the members below */
	struct nnhal_reaped *head, *tail;
	bool running;
	int news; /* eventfd: the list has grown */
};

/** @owner outlives the reaper. */
void nnhal_reaper_init(struct nnhal_reaper *reaper, struct nnhal_ref *owner);
void nnhal_reaper_fini(struct nnhal_reaper *reaper);
/** 0 or -errno; ended() is not called then. */
int nnhal_reaper_add(struct nnhal_reaper *reaper, struct nnhal_reaped *job);

#endif
