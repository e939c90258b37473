/* SPDX-License-Identifier: Apache-2.0 */
/* How much an operation has to do, for profiles: what no kernel can avoid. */
#ifndef NNFW_OP_WORK_H
#define NNFW_OP_WORK_H

#include "nnfw_op.h"

struct op_work {
	uint64_t macs; /* multiply-adds; 0: it has none, or none are counted */
	uint64_t elements; /* of its outputs */
	uint64_t bytes; /* of inputs, weights and outputs, each once */
};

/** Of an operation that has run. */
struct op_work nnfw_op_work(const struct nnfw_op_ctx *ctx);

#endif
