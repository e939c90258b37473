// SPDX-License-Identifier: Apache-2.0
/*
 * Trailing inputs that have their default value are not in the finished model; then older devices
 * can have it.
 */
#include <stdlib.h>

#include "memory/nnr_memory.h"
#include "model/nnr_model.h"
#include "rt_case.h"

/*
 * Inputs of an operation, a letter each:
 *	x	TENSOR_FLOAT32 [1, 4, 4, 1], the model's input
 *	w	constant filter [1, 2, 2, 1]
 *	v	constant TENSOR_FLOAT32 [1]
 *	s	constant TENSOR_INT32 [2], ones
 *	p	constant TENSOR_INT32 [2, 2], zeros
 *	f	FLOAT32 1.0
 *	0..9	constant INT32
 *	-	constant INT32 -1
 *	F T	constant BOOL
 *	?	BOOL, an input of the model
 *	m	BOOL false in a memory object
 *	i	INT32 1 that is an input of the model
 */
struct op_case {
	int32_t operation;
	const char *inputs;
	uint32_t left;
	uint32_t level;
};

static const struct op_case cases_of_pools[] = {
	{ ANEURALNETWORKS_AVERAGE_POOL_2D,
	  "x0000112"
	  "20F",
	  10, 1 },
	{ ANEURALNETWORKS_AVERAGE_POOL_2D,
	  "x0000112"
	  "20T",
	  11, 3 },
	{ ANEURALNETWORKS_AVERAGE_POOL_2D,
	  "x0000112"
	  "20?",
	  11, 3 },
	{ ANEURALNETWORKS_AVERAGE_POOL_2D,
	  "x0000112"
	  "20m",
	  11, 3 },
	{ ANEURALNETWORKS_AVERAGE_POOL_2D,
	  "x0000112"
	  "20",
	  10, 1 },
	{ ANEURALNETWORKS_AVERAGE_POOL_2D, "x111220F", 7, 1 },
	{ ANEURALNETWORKS_AVERAGE_POOL_2D, "x111220T", 8, 3 },
	{ ANEURALNETWORKS_MAX_POOL_2D,
	  "x0000112"
	  "20F",
	  10, 1 },
	{ ANEURALNETWORKS_MAX_POOL_2D,
	  "x0000112"
	  "20T",
	  11, 3 },
	{ ANEURALNETWORKS_MAX_POOL_2D, "x111220F", 7, 1 },
	{ ANEURALNETWORKS_MAX_POOL_2D, "x111220T", 8, 3 },
	{ ANEURALNETWORKS_L2_POOL_2D,
	  "x0000112"
	  "20F",
	  10, 1 },
	{ ANEURALNETWORKS_L2_POOL_2D,
	  "x0000112"
	  "20T",
	  11, 3 },
	{ ANEURALNETWORKS_L2_POOL_2D, "x111220F", 7, 1 },
	{ ANEURALNETWORKS_L2_POOL_2D, "x111220T", 8, 3 },
};

static const struct op_case cases_of_convolutions[] = {
	{ ANEURALNETWORKS_CONV_2D,
	  "xwv0000"
	  "110",
	  10, 1 },
	{ ANEURALNETWORKS_CONV_2D,
	  "xwv0000"
	  "110F",
	  10, 1 },
	{ ANEURALNETWORKS_CONV_2D,
	  "xwv0000"
	  "110T",
	  11, 3 },
	{ ANEURALNETWORKS_CONV_2D,
	  "xwv0000"
	  "110F11",
	  10, 1 },
	{ ANEURALNETWORKS_CONV_2D,
	  "xwv0000"
	  "110T11",
	  11, 3 },
	{ ANEURALNETWORKS_CONV_2D,
	  "xwv0000"
	  "110F21",
	  13, 3 }, /* never one dilation */
	{ ANEURALNETWORKS_CONV_2D,
	  "xwv0000"
	  "110F12",
	  13, 3 },
	{ ANEURALNETWORKS_CONV_2D,
	  "xwv0000"
	  "110F22",
	  13, 3 },
	{ ANEURALNETWORKS_CONV_2D,
	  "xwv0000"
	  "110?11",
	  11, 3 },
	{ ANEURALNETWORKS_CONV_2D,
	  "xwv0000"
	  "110F1i",
	  13, 3 },
	{ ANEURALNETWORKS_CONV_2D,
	  "xwv"
	  "1110",
	  7, 1 },
	{ ANEURALNETWORKS_CONV_2D,
	  "xwv"
	  "1110F",
	  7, 1 },
	{ ANEURALNETWORKS_CONV_2D,
	  "xwv"
	  "1110T",
	  8, 3 },
	{ ANEURALNETWORKS_CONV_2D,
	  "xwv"
	  "1110F11",
	  7, 1 },
	{ ANEURALNETWORKS_CONV_2D,
	  "xwv"
	  "1110T11",
	  8, 3 },
	{ ANEURALNETWORKS_CONV_2D,
	  "xwv"
	  "1110F21",
	  10, 3 },
	{ ANEURALNETWORKS_CONV_2D,
	  "xwv"
	  "1110F12",
	  10, 3 },
	{ ANEURALNETWORKS_DEPTHWISE_CONV_2D,
	  "xwv0000"
	  "1110",
	  11, 1 },
	{ ANEURALNETWORKS_DEPTHWISE_CONV_2D,
	  "xwv0000"
	  "1110F",
	  11, 1 },
	{ ANEURALNETWORKS_DEPTHWISE_CONV_2D,
	  "xwv0000"
	  "1110T",
	  12, 3 },
	{ ANEURALNETWORKS_DEPTHWISE_CONV_2D,
	  "xwv0000"
	  "1110F11",
	  11, 1 },
	{ ANEURALNETWORKS_DEPTHWISE_CONV_2D,
	  "xwv0000"
	  "1110T11",
	  12, 3 },
	{ ANEURALNETWORKS_DEPTHWISE_CONV_2D,
	  "xwv0000"
	  "1110F21",
	  14, 3 },
	{ ANEURALNETWORKS_DEPTHWISE_CONV_2D,
	  "xwv0000"
	  "1110F12",
	  14, 3 },
	{ ANEURALNETWORKS_DEPTHWISE_CONV_2D,
	  "xwv"
	  "11110",
	  8, 1 },
	{ ANEURALNETWORKS_DEPTHWISE_CONV_2D,
	  "xwv"
	  "11110F",
	  8, 1 },
	{ ANEURALNETWORKS_DEPTHWISE_CONV_2D,
	  "xwv"
	  "11110T",
	  9, 3 },
	{ ANEURALNETWORKS_DEPTHWISE_CONV_2D,
	  "xwv"
	  "11110F11",
	  8, 1 },
	{ ANEURALNETWORKS_DEPTHWISE_CONV_2D,
	  "xwv"
	  "11110T11",
	  9, 3 },
	{ ANEURALNETWORKS_DEPTHWISE_CONV_2D,
	  "xwv"
	  "11110F21",
	  11, 3 },
	{ ANEURALNETWORKS_DEPTHWISE_CONV_2D,
	  "xwv"
	  "11110F12",
	  11, 3 },
};

static const struct op_case cases_of_others[] = {
	{ ANEURALNETWORKS_DEPTH_TO_SPACE, "x1F", 2, 1 },
	{ ANEURALNETWORKS_DEPTH_TO_SPACE, "x1T", 3, 3 },
	{ ANEURALNETWORKS_SPACE_TO_DEPTH, "x2F", 2, 1 },
	{ ANEURALNETWORKS_SPACE_TO_DEPTH, "x2T", 3, 3 },
	{ ANEURALNETWORKS_BATCH_TO_SPACE_ND, "xsF", 2, 2 },
	{ ANEURALNETWORKS_BATCH_TO_SPACE_ND, "xsT", 3, 3 },
	{ ANEURALNETWORKS_SPACE_TO_BATCH_ND, "xspF", 3, 2 },
	{ ANEURALNETWORKS_SPACE_TO_BATCH_ND, "xspT", 4, 3 },
	{ ANEURALNETWORKS_L2_NORMALIZATION, "x-", 1, 1 },
	{ ANEURALNETWORKS_L2_NORMALIZATION, "x3", 2, 3 },
	{ ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION, "x1fff-", 5, 1 },
	{ ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION, "x1fff3", 6, 3 },
	{ ANEURALNETWORKS_SOFTMAX, "xf-", 2, 1 },
	{ ANEURALNETWORKS_SOFTMAX, "xf3", 3, 3 },
	{ ANEURALNETWORKS_SOFTMAX, "xfi", 3, 3 },
	{ ANEURALNETWORKS_RESIZE_BILINEAR, "x88F", 3, 1 },
	{ ANEURALNETWORKS_RESIZE_BILINEAR, "x88T", 4, 3 },
	{ ANEURALNETWORKS_RESIZE_BILINEAR, "x88FFF", 3, 1 },
	{ ANEURALNETWORKS_RESIZE_BILINEAR, "x88TFF", 4, 3 },
	{ ANEURALNETWORKS_RESIZE_BILINEAR, "x88FTF", 5, 4 },
	{ ANEURALNETWORKS_RESIZE_BILINEAR, "x88FFT", 6, 4 },
	{ ANEURALNETWORKS_RESIZE_NEAREST_NEIGHBOR, "x88F", 4, 3 },
	{ ANEURALNETWORKS_RESIZE_NEAREST_NEIGHBOR, "x88FFF", 4, 3 },
	{ ANEURALNETWORKS_RESIZE_NEAREST_NEIGHBOR, "x88FTF", 5, 4 },
	{ ANEURALNETWORKS_RESIZE_NEAREST_NEIGHBOR, "x88FFT", 6, 4 },
	/* the other operands are unchanged */
	{ ANEURALNETWORKS_LOG_SOFTMAX, "xf-", 3, 3 },
	{ ANEURALNETWORKS_ADD, "xx0", 3, 1 },
};

static void constant_tensor(ANeuralNetworksModel *model, int32_t index, int32_t type,
			    const uint32_t *dims, uint32_t rank, const void *value, size_t size)
{
	rt_operand(model, type, dims, rank);
	RT_OK(ANeuralNetworksModel_setOperandValue(model, index, value, size));
}

static void add_letter(ANeuralNetworksModel *model, int32_t index, char letter,
		       const ANeuralNetworksMemory *memory, uint32_t *inputs, uint32_t *num_inputs)
{
	static const float zeros[4];
	static const int32_t ones[2] = { 1, 1 }, no[4];
	static const float one = 1;
	const uint8_t flag = letter == 'T';

	switch (letter) {
	case 'x':
		rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(1, 4, 4, 1));
		inputs[(*num_inputs)++] = (uint32_t)index;
		break;
	case 'w':
		constant_tensor(model, index, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(1, 2, 2, 1),
				zeros, sizeof(zeros));
		break;
	case 'v':
		constant_tensor(model, index, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(1), zeros, 4);
		break;
	case 's':
		constant_tensor(model, index, ANEURALNETWORKS_TENSOR_INT32, RT_DIMS(2), ones,
				sizeof(ones));
		break;
	case 'p':
		constant_tensor(model, index, ANEURALNETWORKS_TENSOR_INT32, RT_DIMS(2, 2), no,
				sizeof(no));
		break;
	case 'f':
		constant_tensor(model, index, ANEURALNETWORKS_FLOAT32, NULL, 0, &one, sizeof(one));
		break;
	case 'F':
	case 'T':
		constant_tensor(model, index, ANEURALNETWORKS_BOOL, NULL, 0, &flag, 1);
		break;
	case 'm':
		rt_operand(model, ANEURALNETWORKS_BOOL, NULL, 0);
		RT_OK(ANeuralNetworksModel_setOperandValueFromMemory(model, index, memory, 8, 1));
		break;
	case '?':
	case 'i':
		rt_operand(model, letter == 'i' ? ANEURALNETWORKS_INT32 : ANEURALNETWORKS_BOOL,
			   NULL, 0);
		inputs[(*num_inputs)++] = (uint32_t)index;
		break;
	default:
		rt_int32(model, index, letter == '-' ? -1 : letter - '0');
	}
}

static void check(const struct op_case *c, const ANeuralNetworksMemory *memory)
{
	const uint32_t num = (uint32_t)strlen(c->inputs), out = num;
	uint32_t numbers[16], inputs[16], num_inputs = 0, i;
	ANeuralNetworksModel *model = rt_model();
	const struct nnmodel_operation *op;

	for (i = 0; i < num; i++) {
		numbers[i] = i;
		add_letter(model, (int32_t)i, c->inputs[i], memory, inputs, &num_inputs);
	}
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(0, 0, 0, 0));
	RT_OK(ANeuralNetworksModel_addOperation(model, c->operation, num, numbers, 1, &out));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, num_inputs, inputs, 1, &out));
	RT_OK(ANeuralNetworksModel_finish(model));
	op = &model->data->model->main.operations[0];
	if (op->num_inputs != c->left || model->data->feature_level != c->level)
		print_error("%s %s: %u inputs at level %u\n",
			    nnmodel_operation_name((uint32_t)c->operation), c->inputs,
			    op->num_inputs, model->data->feature_level);
	assert_int_equal(op->num_inputs, c->left);
	assert_int_equal(model->data->feature_level, c->level);
	/* their operands were removed as well; the model's inputs stay */
	assert_int_equal(model->data->model->main.num_inputs, num_inputs);
	assert_int_equal(model->data->model->main.num_operands, c->left + 1);
	ANeuralNetworksModel_free(model);
}

static void check_all(const struct op_case *cases, size_t num)
{
	ANeuralNetworksMemory *memory;

	RT_OK(nnr_memory_create_host(64, &memory));
	for (size_t i = 0; i < num; i++)
		check(&cases[i], memory);
	ANeuralNetworksMemory_free(memory);
}

TEST(pools)
{
	check_all(cases_of_pools, sizeof(cases_of_pools) / sizeof(cases_of_pools[0]));
}

TEST(convolutions)
{
	check_all(cases_of_convolutions,
		  sizeof(cases_of_convolutions) / sizeof(cases_of_convolutions[0]));
}

TEST(others)
{
	check_all(cases_of_others, sizeof(cases_of_others) / sizeof(cases_of_others[0]));
}

int main(int argc, char **argv)
{
	const struct rt_case cases[] = {
		RT_CASE(pools, NULL),
		RT_CASE(convolutions, NULL),
		RT_CASE(others, NULL),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
