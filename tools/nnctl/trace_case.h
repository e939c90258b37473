/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a trace calls a case: one command on one model, a run of its own in the analyser's tables.
 */
#ifndef NNCTL_TRACE_CASE_H
#define NNCTL_TRACE_CASE_H

#include "nntrace.h"

/** Until the end of the scope. @model: a path, of which the last part is the title. */
#define TRACE_CASE(command, model)                                                       \
	nntrace_scope_t trace_case __attribute__((cleanup(nntrace_scope_end), unused)) = \
		nntrace_enabled() ? trace_case_begin(command, model) : 0

nntrace_scope_t trace_case_begin(const char *command, const char *model);

#endif
