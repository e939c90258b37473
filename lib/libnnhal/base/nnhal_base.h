/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses, deadlines, worker threads, trace points of libnnhal. */
#ifndef NNHAL_BASE_H
#define NNHAL_BASE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "nnhal.h"
#include "nntrace.h"

/*
 * Trace points of the HAL. An entry point writes the mark of HIDL's generated server. To the
 * analyser this makes the process a driver process, and the time the driver's (LD); the caller of
 * the HAL marks its side as IPC (LI). Marks nested within the driver's time are detail of the same
 * layer and phase.
 *
 * The analyser measures a driver's execution from the begin of IPreparedModel::execute::server to
 * the begin of IExecutionCallback::notify::client, in any thread, and expects equal numbers of
 * both. So executions of every kind write exactly these names: NNHAL_TRACE_EXECUTE() if the
 * execution ends in the call, else NNHAL_TRACE_LAUNCH() in the call and nnhal_trace_notify() at its
 * end. The latter is a mark before the callback, not around it: the callback may wake the client,
 * which may end the process before this thread has written an end.
 */

/* @method: "IDevice::prepareModel_1_3"; its name decides the phase. */
#define NNHAL_TRACE_CALL(method) NNTRACE_NAME_1("HIDL::" method "::server")

#define NNHAL_TRACE_LAUNCH() NNHAL_TRACE_CALL("IPreparedModel::execute")

static inline void nnhal_trace_notify(void)
{
	NNTRACE_NAME_1("HIDL::IExecutionCallback::notify::client");
}

/* Before the callback of a preparation. */
static inline void nnhal_trace_prepared(void)
{
	NNTRACE_NAME_1("HIDL::IPreparedModelCallback::notify::client");
}

static inline void nnhal_trace_executed(const nntrace_scope_t *execution)
{
	if (__builtin_expect(*execution != 0, 0))
		nnhal_trace_notify();
}

#define NNHAL_TRACE_EXECUTE()                 \
	NNHAL_TRACE_LAUNCH();                 \
	nntrace_scope_t nnhal_trace_execution \
		__attribute__((cleanup(nnhal_trace_executed), unused)) = nntrace_scope_1

/* Parts of the driver's time. */
#define NNHAL_TRACE_PE(detail) NNTRACE_FULL(NNTRACE_LAYER_DRIVER, NNTRACE_PHASE_EXECUTION, detail)
#define NNHAL_TRACE_PC(detail) NNTRACE_FULL(NNTRACE_LAYER_DRIVER, NNTRACE_PHASE_COMPILATION, detail)
/* The device computes, as the host sees it. */
#define NNHAL_TRACE_PCO(detail) \
	NNTRACE_FULL(NNTRACE_LAYER_DRIVER, NNTRACE_PHASE_COMPUTATION, detail)

/* deadline.c: deadlines: CLOCK_BOOTTIME in nanoseconds, NNHAL_NO_TIME for none. */

/** NNHAL_NO_TIME or >= 0. */
bool nnhal_time_valid(int64_t ns);
bool nnhal_deadline_passed(int64_t deadline_ns);
/** For poll(): -1: none; 0: it has passed. Rounded up: at the end of that time it has passed. */
int nnhal_deadline_ms(int64_t deadline_ns);
/** Absolute CLOCK_MONOTONIC for the transport; 0: none. */
uint64_t nnhal_deadline_monotonic(int64_t deadline_ns);
/**
 * NONE: the deadline is in the future. PERSISTENT: it had passed at the call (@call_ns,
 * CLOCK_MONOTONIC), so the same call would fail again. TRANSIENT: it passed since the call.
 */
enum nnhal_status nnhal_deadline_missed(int64_t deadline_ns, int64_t call_ns);
/** The earlier of a deadline and now + duration. */
int64_t nnhal_deadline_with_duration(int64_t deadline_ns, int64_t duration_ns);

/** Wait until a fence of either kind (nnutil_fence.h) signals. 0; -ETIME: not before @deadline_ns
 * (CLOCK_BOOTTIME); -EIO: it failed. */
int nnhal_fence_wait(int fd, int64_t deadline_ns);

/* status.c: statuses of jobs, errno values and ErrorStatus. */

/** For nnhal_status_of() when there was no job. */
#define NNHAL_NO_JOB UINT32_MAX

/**
 * The one mapping to an ErrorStatus (Documentation/status-codes.rst): of the status of a job with
 * the errno of its fence, or of an errno alone (@status is NNHAL_NO_JOB).
 */
enum nnhal_status nnhal_status_of(uint32_t status, int error);
/** Whether the job was lost because of another job or the link: it may be run once more. */
bool nnhal_status_innocent(uint32_t status);
/** "BAD_PROGRAM" */
const char *nnhal_job_status_name(uint32_t status);

/* config_check.c: checks of configurations. */

/**
 * Hints and extension names of a configuration: NONE or INVALID_ARGUMENT. Hints of unknown
 * extensions are ignored.
 */
enum nnhal_status nnhal_hints_check(const struct nnhal_token_value *hints, uint32_t num_hints,
				    const struct nnmodel_extension *extensions,
				    uint32_t num_extensions, char *message);
/** NNHAL_NO_TIME or >= 0: NONE; else INVALID_ARGUMENT. */
enum nnhal_status nnhal_deadline_check(int64_t deadline_ns, char *message);
/** *@config becomes @older if the client's struct is older, hence smaller. */
enum nnhal_status nnhal_execution_config_check(const struct nnhal_execution_config **config,
					       struct nnhal_execution_config *older,
					       int64_t deadline_ns, char *message);

/* tasks.c: tasks of the library's worker threads. */

/** Run @work(@cookie) on a worker thread. 0 or -errno (it does not run then). */
int nnhal_run_async(void (*work)(void *cookie), void *cookie);

/* A count of references, embedded in an object that parts of it and tasks keep alive. */

struct nnhal_ref {
	atomic_uint count;
	void (*release)(struct nnhal_ref *ref); /* the last reference was dropped */
};

static inline void nnhal_ref_init(struct nnhal_ref *ref, void (*release)(struct nnhal_ref *ref))
{
	atomic_init(&ref->count, 1);
	ref->release = release;
}

static inline void nnhal_ref_get(struct nnhal_ref *ref)
{
	atomic_fetch_add_explicit(&ref->count, 1, memory_order_relaxed);
}

static inline void nnhal_ref_put(struct nnhal_ref *ref)
{
	if (atomic_fetch_sub_explicit(&ref->count, 1, memory_order_acq_rel) == 1)
		ref->release(ref);
}

#endif
