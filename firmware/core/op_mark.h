/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks of operations in a trace, with NNTRACE_DETAIL=1 one around each. NNTRACE_DETAIL=2 adds one
 * after each operation with its time (by a clock that costs less than a mark) and its work:
 * nntrace_op.h.
 */
#ifndef NNFW_OP_MARK_H
#define NNFW_OP_MARK_H

#include "job_run.h"
#include "nntrace.h"

struct op_mark {
	nntrace_scope_t scope;
	int64_t start_ns; /* 0: no second mark */
};

void nnfw_op_mark_begin(struct op_mark *mark, const struct nnprog_op_desc *desc);
void nnfw_op_mark_end(const struct op_mark *mark, const struct run *run, const struct frame *frame,
		      const struct nnfw_op_ctx *ctx);

#endif
