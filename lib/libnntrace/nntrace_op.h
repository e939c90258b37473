/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mark of an operation that ran, with its time and its work:
 *
 *	op GRAPH.NUMBER NAME TYPE ns=N macs=N elements=N bytes=N times=N
 *
 * "nnctl bench --ops" reads it. With NNTRACE_DETAIL=2 the firmware writes one after each operation
 * of a device in the process, and libnnhal one for each operation of a job on a card.
 */
#ifndef NNTRACE_OP_H
#define NNTRACE_OP_H

#include <stdint.h>

struct nntrace_op {
	uint32_t graph, number; /* of the subgraph, and of the operation in it */
	const char *name, *type; /* of the operation, and of its first input */
	uint64_t ns; /* of one time */
	uint64_t macs, elements, bytes; /* multiply-adds, elements of outputs, bytes touched; of one
					   time */
	uint64_t times; /* that it ran: not 1 in a loop of a job on a card */
};

void nntrace_op_mark(const struct nntrace_op *op);

#endif
