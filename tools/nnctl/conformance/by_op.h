/* SPDX-License-Identifier: Apache-2.0 */
/* Conformance examples counted by operation. */
#ifndef NNCTL_BY_OP_H
#define NNCTL_BY_OP_H

#include <cjson/cJSON.h>

#include "conformance/nnt.h"

/**
 * An example is about one operation, and may use others: the generator's variations put ADD before
 * inputs that are to be internal tensors, and networks use many.
 */
struct op_tally {
	uint32_t passed, failed; /* examples about it */
	uint32_t used, used_failed; /* examples with it anywhere */
};

#define BY_OP_SEVERAL (NNMODEL_OPCODE_COUNT + 1) /* examples about no one operation */
struct by_op {
	struct op_tally of[BY_OP_SEVERAL + 1]; /* by code; [NNMODEL_OPCODE_COUNT] is DENSIFY's */
};

void by_op_count(struct by_op *tally, const struct nnt *nnt, const struct nnt_example *ex,
		 bool passed);
void by_op_print(const struct by_op *tally);
/** Array of an object for each operation that was counted. */
cJSON *by_op_json(const struct by_op *tally);

#endif
