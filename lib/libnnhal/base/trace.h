/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trace points of the HAL. An entry point writes the mark that HIDL's generated server would, which
 * makes this process a driver process to the analyser and the time within the driver's (LD);
 * whoever calls the HAL marks his side of it as IPC (LI). What is nested within the driver's time
 * is detail: the same layer and phase.
 *
 * The analyser takes a driver's execution from the begin of IPreparedModel::execute::server to the
 * begin of IExecutionCallback::notify::client, in whatever thread, and needs as many of one as of
 * the other. So each execution of each kind writes exactly these names: NNHAL_TRACE_EXECUTE() where
 * it ends in the call, else NNHAL_TRACE_LAUNCH() in the call and nnhal_trace_notify() at its end.
 * That is a mark before the callback, not around it: when the callback wakes the client up, the
 * client may end the process before this thread has written an end. Private to libnnhal.
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
/* The device computes, as far as the host can see. */
#define NNHAL_TRACE_PCO(detail) \
	NNTRACE_FULL(NNTRACE_LAYER_DRIVER, NNTRACE_PHASE_COMPUTATION, detail)

#endif
