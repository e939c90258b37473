// SPDX-License-Identifier: Apache-2.0
#include "op_mark.h"

#include <inttypes.h>
#include <stdio.h>

#include "nnprog_desc.h"
#include "nnutil_clock.h"
#include "op_work.h"
#include "program.h"

void nnfw_op_mark_begin(struct op_mark *mark, const struct nnprog_op_desc *desc)
{
	const int detail = nntrace_detail();
	char text[64];
	int n;

	*mark = (struct op_mark){ 0 };
	if (!detail)
		return;
	n = snprintf(text, sizeof(text),
		     NNTRACE_MARK("", NNTRACE_LAYER_CPU, NNTRACE_PHASE_COMPUTATION, "%s"),
		     desc->name);
	mark->scope = nntrace_begin(text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
	if (detail > 1 && mark->scope)
		mark->start_ns = nnutil_monotonic_ns();
}

static void write_work(int64_t ns, const struct run *run, const struct frame *frame,
		       const struct nnfw_op_ctx *ctx)
{
	const struct op_work work = nnfw_op_work(ctx);
	nntrace_scope_t scope;
	char text[256];
	int n;

	n = snprintf(text, sizeof(text),
		     NNTRACE_MARK("", NNTRACE_LAYER_CPU, NNTRACE_PHASE_UNSPECIFIED,
				  "op %td.%" PRIu32 " %s %s ns=%" PRId64 " macs=%" PRIu64
				  " elements=%" PRIu64 " bytes=%" PRIu64),
		     frame->graph - run->program->graphs, frame->pc, ctx->desc->name,
		     ctx->num_in ? nnprog_dtype_name(ctx->in[0].dtype) : "none", ns, work.macs,
		     work.elements, work.bytes);
	scope = nntrace_begin(text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
	nntrace_scope_end(&scope);
}

void nnfw_op_mark_end(const struct op_mark *mark, const struct run *run, const struct frame *frame,
		      const struct nnfw_op_ctx *ctx)
{
	const int64_t ns = mark->start_ns ? nnutil_monotonic_ns() - mark->start_ns : 0;

	nntrace_scope_end(&mark->scope);
	if (mark->start_ns)
		write_work(ns, run, frame, ctx);
}
