/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of the API: their names in log lines and traces, and the way to refuse one.
 *
 * NNTRACE_RT() of an API function is also its NNUTIL_CALL(). A function of the API without a trace
 * point has an NNUTIL_CALL(__func__).
 */
#ifndef NNR_REFUSE_H
#define NNR_REFUSE_H

#include "nnutil_log.h"
#include "nntrace.h"

#include "base/ndk.h"

#undef NNTRACE_RT
#define NNTRACE_RT(phase, detail) \
	NNUTIL_CALL(detail);      \
	NNTRACE_FULL(NNTRACE_LAYER_RUNTIME, phase, detail)

/** Log why the call is refused. The value is the result code ANEURALNETWORKS_@code. */
#define nnr_refuse(code, ...) (nnutil_log(NNUTIL_LOG_WARNING, __VA_ARGS__), ANEURALNETWORKS_##code)

#endif
