/* SPDX-License-Identifier: Apache-2.0 */
/* NNAPI operations by what they do, in the order of its documentation. */
#ifndef NNCTL_OP_FAMILY_H
#define NNCTL_OP_FAMILY_H

#include <stdint.h>

enum op_family {
	FAMILY_BINARY,
	FAMILY_CONVOLUTION,
	FAMILY_POOLING,
	FAMILY_UNARY,
	FAMILY_CONVERSION,
	FAMILY_COMPARISON,
	FAMILY_MOVEMENT,
	FAMILY_REDUCTION,
	FAMILY_NORMALIZATION,
	FAMILY_RESIZE,
	FAMILY_REGION,
	FAMILY_BOX,
	FAMILY_RECURRENT,
	FAMILY_SAMPLING,
	FAMILY_CONTROL,
	FAMILY_NONE, /* not NNAPI's */
};

enum op_family op_family(uint32_t opcode);
const char *op_family_name(enum op_family family);

#endif
