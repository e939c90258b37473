// SPDX-License-Identifier: Apache-2.0
#include "nntrace_op.h"

#include <inttypes.h>
#include <stdio.h>

#include "nntrace.h"

void nntrace_op_mark(const struct nntrace_op *op)
{
	nntrace_scope_t scope;
	char text[320];
	int n;

	n = snprintf(text, sizeof(text),
		     NNTRACE_MARK("", NNTRACE_LAYER_CPU, NNTRACE_PHASE_UNSPECIFIED,
				  "op %" PRIu32 ".%" PRIu32 " %s %s ns=%" PRIu64 " macs=%" PRIu64
				  " elements=%" PRIu64 " bytes=%" PRIu64 " times=%" PRIu64),
		     op->graph, op->number, op->name, op->type, op->ns, op->macs, op->elements,
		     op->bytes, op->times);
	scope = nntrace_begin(text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
	nntrace_scope_end(&scope);
}
