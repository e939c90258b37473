/* SPDX-License-Identifier: Apache-2.0 */
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
 * which may end the process before this thread has written an end. Private to libnnhal.
 */
#ifndef NNHAL_TRACE_H
#define NNHAL_TRACE_H

#include "nntrace.h"

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

#endif
