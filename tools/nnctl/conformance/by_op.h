/* SPDX-License-Identifier: Apache-2.0 */
/* Conformance examples counted by operation. */
#ifndef NNCTL_BY_OP_H
#define NNCTL_BY_OP_H

#include <cjson/cJSON.h>

#include "nnt.h"

/**
 * An example tests one operation and may use others: variations put ADD in front of inputs to make
 * them internal tensors, and networks use many.
 */
struct op_tally {
	uint32_t passed, failed; /* examples that test it */
	uint32_t used, used_failed; /* examples that use it */
};

#define BY_OP_SEVERAL (NNMODEL_OPCODE_COUNT + 1) /* examples that test more than one operation */
struct by_op {
	struct op_tally of[BY_OP_SEVERAL + 1]; /* by code; [NNMODEL_OPCODE_COUNT] is DENSIFY's */
};

void by_op_count(struct by_op *tally, const struct nnt *nnt, const struct nnt_example *ex,
		 bool passed);
void by_op_print(const struct by_op *tally);
/** Array with an object for each counted operation. */
cJSON *by_op_json(const struct by_op *tally);

#endif
