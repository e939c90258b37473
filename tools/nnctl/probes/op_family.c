// SPDX-License-Identifier: Apache-2.0
/* Names of the groups of operations; ops/ has the group of each. */
#include "probes/nnctl_probes.h"

static const char *const names[FAMILY_NONE + 1] = {
	[FAMILY_BINARY] = "element-wise arithmetic",
	[FAMILY_CONVOLUTION] = "convolution",
	[FAMILY_POOLING] = "pooling",
	[FAMILY_UNARY] = "activation and unary",
	[FAMILY_CONVERSION] = "conversion",
	[FAMILY_COMPARISON] = "comparison, logic, selection",
	[FAMILY_MOVEMENT] = "shape and data movement",
	[FAMILY_REDUCTION] = "reduction",
	[FAMILY_NORMALIZATION] = "normalization and products",
	[FAMILY_RESIZE] = "resizing",
	[FAMILY_REGION] = "regions and key points",
	[FAMILY_BOX] = "bounding boxes",
	[FAMILY_RECURRENT] = "recurrent",
	[FAMILY_SAMPLING] = "hashing, sampling, sparsity",
	[FAMILY_CONTROL] = "control flow",
	[FAMILY_NONE] = "none",
};

const char *op_family_name(enum op_family family)
{
	return names[family <= FAMILY_NONE ? family : FAMILY_NONE];
}
