/* SPDX-License-Identifier: Apache-2.0 */
/* Times of the operations of a run, for a client whose result memory has room for them. */
#ifndef NNFW_OP_TIMES_H
#define NNFW_OP_TIMES_H

#include "job_run.h"

/** Sums over all times that an operation ran, but for the work, which is that of the last time. */
struct op_time {
	uint64_t times, ns; /* 0 times: it did not run */
	uint64_t macs, elements, bytes;
	uint32_t subgraph, operation, opcode, dtype;
};

/** Entries for a run of @program: as many as the result memory of @job has room for. */
uint32_t nnfw_op_times_room(const struct job *job, const struct program *program);
/** The operation at the frame's pc has run, in @ns. */
void nnfw_op_times_add(struct run *run, const struct frame *frame, const struct nnfw_op_ctx *ctx,
		       uint64_t ns);
/** Number of operations that ran. */
uint32_t nnfw_op_times_count(const struct run *run);
/** Write the entry of each to @to, which the client can change. */
void nnfw_op_times_write(const struct run *run, struct nnaccel_op_time *to);

#endif
