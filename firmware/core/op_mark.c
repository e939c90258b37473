// SPDX-License-Identifier: Apache-2.0
#include "core_run.h"

#include <stdio.h>

#include "nnprog_desc.h"
#include "nntrace_op.h"
#include "nnutil_clock.h"
#include "core_program.h"

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

	nntrace_op_mark(&(struct nntrace_op){
		.graph = (uint32_t)(frame->graph - run->program->graphs),
		.number = frame->pc,
		.name = ctx->desc->name,
		.type = ctx->num_in ? nnprog_dtype_name(ctx->in[0].dtype) : "none",
		.ns = (uint64_t)ns,
		.macs = work.macs,
		.elements = work.elements,
		.bytes = work.bytes,
		.times = 1,
	});
}

void nnfw_op_mark_end(const struct op_mark *mark, const struct run *run, const struct frame *frame,
		      const struct nnfw_op_ctx *ctx)
{
	const int64_t ns = mark->start_ns ? nnutil_monotonic_ns() - mark->start_ns : 0;

	nntrace_scope_end(&mark->scope);
	if (mark->start_ns)
		write_work(ns, run, frame, ctx);
}
