// SPDX-License-Identifier: Apache-2.0
/*
 * Inputs without elements: NNAPI's rule, operation by operation (which of its operations take them,
 * and which of the two errors the others end with).
 */
#include "ops_desc.h"

static enum nnprog_empty binary_rule(uint32_t kind)
{
	switch (kind) {
	case NNPROG_BINARY_ADD:
	case NNPROG_BINARY_SUB:
	case NNPROG_BINARY_MUL:
	case NNPROG_BINARY_DIV:
		return NNPROG_EMPTY_RUNS;
	case NNPROG_BINARY_MAXIMUM:
	case NNPROG_BINARY_MINIMUM:
	case NNPROG_BINARY_POW:
		return NNPROG_EMPTY_BAD_DATA;
	default:
		return NNPROG_EMPTY_FAILS;
	}
}

static enum nnprog_empty unary_rule(uint32_t kind)
{
	switch (kind) {
	case NNPROG_UNARY_RELU:
	case NNPROG_UNARY_RELU1:
	case NNPROG_UNARY_RELU6:
	case NNPROG_UNARY_LOGISTIC:
	case NNPROG_UNARY_TANH:
	case NNPROG_UNARY_HARD_SWISH:
		return NNPROG_EMPTY_RUNS;
	default:
		return NNPROG_EMPTY_FAILS;
	}
}

/* @input: no axes are none to reduce, whatever the operation. */
static enum nnprog_empty reduce_rule(uint32_t kind, uint32_t input)
{
	if (input)
		return NNPROG_EMPTY_RUNS;
	return kind == NNPROG_REDUCE_MEAN ? NNPROG_EMPTY_BAD_DATA : NNPROG_EMPTY_FAILS;
}

static enum nnprog_empty rule_of_attrs(uint32_t opcode, const void *attrs, uint32_t input)
{
	const struct nnprog_attr_conv2d *conv = attrs;
	const struct nnprog_attr_convert *convert = attrs;
	const struct nnprog_attr_softmax *softmax = attrs;
	const struct nnprog_attr_axis *axis = attrs;
	const struct nnprog_attr_binary *binary = attrs;
	const struct nnprog_attr_unary *unary = attrs;
	const struct nnprog_attr_reduce *reduce = attrs;

	switch (opcode) {
	case NNPROG_OP_CONV_2D:
		return conv->multiplier ? NNPROG_EMPTY_BAD_DATA : NNPROG_EMPTY_RUNS;
	case NNPROG_OP_BINARY:
		return binary_rule(binary->kind);
	case NNPROG_OP_UNARY:
		return unary_rule(unary->kind);
	case NNPROG_OP_SOFTMAX:
		return softmax->log ? NNPROG_EMPTY_FAILS : NNPROG_EMPTY_RUNS;
	case NNPROG_OP_CONCATENATION:
		return axis->pack ? NNPROG_EMPTY_FAILS : NNPROG_EMPTY_RUNS;
	case NNPROG_OP_GATHER:
		return axis->pack ? NNPROG_EMPTY_BAD_DATA : NNPROG_EMPTY_FAILS;
	case NNPROG_OP_REDUCE:
		return reduce_rule(reduce->kind, input);
	default: /* CONVERT */
		return convert->kind == NNPROG_CONVERT_CAST ? NNPROG_EMPTY_BAD_DATA
							    : NNPROG_EMPTY_RUNS;
	}
}

enum nnprog_empty nnprog_empty_rule(uint32_t opcode, const void *attrs, uint32_t rank,
				    uint32_t input)
{
	switch (opcode) {
	case NNPROG_OP_CONV_2D:
	case NNPROG_OP_BINARY:
	case NNPROG_OP_UNARY:
	case NNPROG_OP_SOFTMAX:
	case NNPROG_OP_CONCATENATION:
	case NNPROG_OP_GATHER:
	case NNPROG_OP_REDUCE:
	case NNPROG_OP_CONVERT:
		return rule_of_attrs(opcode, attrs, input);

	/* which extents may be 0 (the batch, the regions) is what infer() says */
	case NNPROG_OP_DEPTHWISE_CONV_2D:
	case NNPROG_OP_FULLY_CONNECTED:
	case NNPROG_OP_POOL_2D:
	case NNPROG_OP_RESIZE:
	case NNPROG_OP_TRANSPOSE:
	case NNPROG_OP_TRANSPOSE_CONV_2D:
	case NNPROG_OP_SLICE:
	case NNPROG_OP_ROI_ALIGN:
	case NNPROG_OP_AXIS_ALIGNED_BBOX_TRANSFORM:
	case NNPROG_OP_BOX_WITH_NMS_LIMIT:
	/* levels without entries, and matrices without values, are nothing special */
	case NNPROG_OP_DENSIFY:
	/* they hand on what comes */
	case NNPROG_OP_IF:
	case NNPROG_OP_WHILE:
	case NNPROG_OP_EXTENSION:
		return NNPROG_EMPTY_RUNS;

	case NNPROG_OP_RESHAPE:
	case NNPROG_OP_PAD:
	case NNPROG_OP_ARG_MINMAX:
	case NNPROG_OP_EXPAND_DIMS:
	case NNPROG_OP_SPLIT:
	case NNPROG_OP_HASHTABLE_LOOKUP:
	case NNPROG_OP_TILE:
	case NNPROG_OP_SPACE_DEPTH:
	case NNPROG_OP_SPACE_BATCH:
	case NNPROG_OP_QUANTIZED_16BIT_LSTM:
	case NNPROG_OP_RANDOM_MULTINOMIAL:
		return NNPROG_EMPTY_BAD_DATA;

	/* one step is NNAPI's RNN */
	case NNPROG_OP_SEQUENCE_RNN:
		return rank == 2 ? NNPROG_EMPTY_BAD_DATA : NNPROG_EMPTY_FAILS;
	default:
		return NNPROG_EMPTY_FAILS;
	}
}
