/* SPDX-License-Identifier: Apache-2.0 */
/*
 * IFencedExecutionCallback: a fenced execution from its launch to its end. Its lock is taken before
 * others, but for the device's reaper. Private to libnnhal.
 */
#ifndef NNHAL_IFENCED_CALLBACK_H
#define NNHAL_IFENCED_CALLBACK_H

#include "device/reaper.h"
#include "execute/binding.h"
#include "memory/promise.h"

/** What a fenced execution needs that a task executes: execute/fenced_task.c. */
struct nnhal_fenced_task {
	struct nnhal_reaped waiting; /* the reaper watches an in-fence */
	uint32_t next; /* number of that in-fence */
	int signal; /* the maker's end of the fence */
	int64_t deadline_ns; /* CLOCK_BOOTTIME */
	int64_t duration_ns; /* from the end of the in-fences; NNHAL_NO_TIME: none, or counted */
};

struct nnhal_fenced {
	struct nnhal_fenced_callback base;
	struct nnhal_promise promise; /* to write its output buffers */
	atomic_uint refs; /* user, reaper or task, buffers, reusable execution */
	struct nnhal_dev *dev;
	pthread_mutex_t lock; /* protects the members up to @job */
	pthread_cond_t settled;
	bool done;
	bool waiting; /* the reaper is in the transport with the job */
	enum nnhal_status status;
	struct nnhal_timing launched, fenced;
	struct nnhal_binding *binding; /* until done */
	struct nnhal_queue *queue;
	struct nnhal_tjob *job; /* NULL: a task executes it, and says when it is done */
	struct nnhal_reaped reaped; /* its fence: own descriptor, until done */
	int *wait_for; /* own descriptors of in-fences; of a job for the times, or NULL */
	uint32_t num_wait_for;
	struct nnhal_fenced_task task;
};

struct nnhal_fenced *nnhal_fenced_new(struct nnhal_dev *dev);
struct nnhal_fenced *nnhal_fenced_get(struct nnhal_fenced *fenced);
void nnhal_fenced_put(struct nnhal_fenced *fenced);
/** If it has ended: read its result and release what it holds, without waiting. */
void nnhal_fenced_settle(struct nnhal_fenced *fenced);
/** The same, after waiting for its end; drops the reference that the reaper has or would have. */
void nnhal_fenced_finish(struct nnhal_fenced *fenced);
/** A descriptor of the promised execution's fence, the caller's; -1: it has ended; or -errno. */
int nnhal_fenced_dup_fence(struct nnhal_promise *promise);
/**
 * Under its lock: take note of its end and release what it holds. Its job, if it had one, was
 * freed.
 * @done_ns: CLOCK_MONOTONIC.
 */
void nnhal_fenced_conclude(struct nnhal_fenced *fenced, enum nnhal_status status,
			   const struct nnhal_tend *end, int64_t done_ns);
/** Duplicate in-fences. 0 or -errno. */
int nnhal_fenced_keep_fences(struct nnhal_fenced *fenced, const int *fds, uint32_t count);
void nnhal_fenced_close_fences(struct nnhal_fenced *fenced);
/** CLOCK_MONOTONIC when the last in-fence signalled, or @start_ns. */
int64_t nnhal_fenced_inputs_ready(const int *fds, uint32_t count, int64_t start_ns);
/** @status as IFencedExecutionCallback may answer it. */
enum nnhal_status nnhal_fenced_status(enum nnhal_status status);

#endif
