// SPDX-License-Identifier: Apache-2.0
/* Lowering: which device operations come out, with which shapes and quantization, and what is refused. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "lower_spec.h"
#include "nnaccel/nnaccel_opset.h"

#define SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define IMAGE "1x4x4x2"

static void test_opset(void **state)
{
	struct nnaccel_opset_header *header;
	struct nnaccel_opset_entry *entry;
	struct nnhal_opset opset;
	size_t size;
	uint8_t *bytes = spec_opset_bytes(&size), *wide;

	(void)state;
	header = (struct nnaccel_opset_header *)bytes;
	entry = (struct nnaccel_opset_entry *)(bytes + sizeof(*header));
	assert_int_equal(nnhal_opset_parse(bytes, size, &opset), 0);
	assert_int_equal(opset.version, NNPROG_OPSET_VERSION);
	assert_false(opset.ops[NNPROG_OP_NONE].present);
	for (uint32_t op = 1; op < NNPROG_OP_COUNT; op++) {
		assert_int_equal(opset.ops[op].present, nnprog_op_find(op) != NULL);
		if (!opset.ops[op].present)
			continue;
		assert_int_equal(opset.ops[op].types, nnprog_op_find(op)->types);
		assert_int_equal(opset.ops[op].max_rank, NNPROG_MAX_RANK);
		assert_int_equal(opset.ops[op].speed, op);
	}
	/* cut anywhere */
	for (size_t n = 0; n < size; n++) {
		uint8_t *cut = malloc(n ? n : 1);

		memcpy(cut, bytes, n);
		assert_int_equal(nnhal_opset_parse(cut, n, &opset), -EINVAL);
		assert_false(opset.ops[NNPROG_OP_CONV_2D].present);
		free(cut);
	}
	assert_int_equal(nnhal_opset_parse(NULL, 0, &opset), -EINVAL);
	assert_int_equal(nnhal_opset_parse(bytes, NNACCEL_OPSET_MAX_SIZE + 1, &opset), -EINVAL);

#define REFUSED_WITH(lvalue, value) do { \
		const __typeof__(lvalue) before_ = (lvalue); \
		(lvalue) = (value); \
		assert_int_equal(nnhal_opset_parse(bytes, size, &opset), -EINVAL); \
		(lvalue) = before_; \
	} while (0)
	REFUSED_WITH(header->magic, 1);
	REFUSED_WITH(header->version, 0);
	REFUSED_WITH(header->stride, 63);
	REFUSED_WITH(header->stride, 0);
	REFUSED_WITH(header->stride, UINT32_MAX);
	REFUSED_WITH(header->count, NNPROG_OP_COUNT);
	REFUSED_WITH(header->count, UINT32_MAX);
	REFUSED_WITH(entry[1].opcode, entry[0].opcode);
	REFUSED_WITH(entry[1].opcode, NNPROG_OP_NONE);
	REFUSED_WITH(entry[1].version, 0);
	memset(entry[2].name, 'x', sizeof(entry[2].name));
	assert_int_equal(nnhal_opset_parse(bytes, size, &opset), -EINVAL);
	entry[2].name[31] = 0;
	assert_int_equal(nnhal_opset_parse(bytes, size, &opset), 0);
	/* what we do not know is passed over */
	entry[2].opcode = htole32(NNPROG_OP_COUNT + 7);
	assert_int_equal(nnhal_opset_parse(bytes, size, &opset), 0);
	assert_false(opset.ops[3].present);

	/* entries of a newer contract are longer */
	wide = calloc(1, sizeof(*header) + 2 * 96);
	memcpy(wide, header, sizeof(*header));
	((struct nnaccel_opset_header *)wide)->stride = htole32(96);
	((struct nnaccel_opset_header *)wide)->count = htole32(2);
	memcpy(wide + sizeof(*header), &entry[0], sizeof(*entry));
	memcpy(wide + sizeof(*header) + 96, &entry[1], sizeof(*entry));
	assert_int_equal(nnhal_opset_parse(wide, sizeof(*header) + 2 * 96, &opset), 0);
	assert_true(opset.ops[1].present && opset.ops[2].present && !opset.ops[4].present);
	free(wide);
	free(bytes);
}

struct lower_case {
	uint32_t opcode;
	const char *in, *out;
	const char *ops;	/* device operations, or what the refusal says */
	int ret;
};

#define LSTM(extra) "F32:3x2x5 " extra " i=4 f=0 f=0 b=1 ~F32 ~F32 ~F32 ~F32"
#define LSTM_CIFG "~F32 F32:4x5 F32:4x5 F32:4x5 ~F32 F32:4x4 F32:4x4 F32:4x4 ~F32 ~F32 ~F32 ~F32 F32:4 " \
	"F32:4 F32:4 ~F32 ~F32 F32:2x4 F32:2x4"

static const struct lower_case cases[] = {
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i=1 i=1 i=1 i=0", "F32:1x4x4x3", "CONV_2D", 0 },
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i=2 i=1 i=1 i=3", "F32:1x3x3x3", "CONV_2D", 0 },
	{ NNMODEL_CONV_2D, "F32:1x2x4x4 F32:3x2x2x2 F32:3 i=2 i=1 i=1 i=3 b=1", "F32:1x3x3x3",
	  "TRANSPOSE CONV_2D TRANSPOSE", 0 },
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i=2 i=1 i=1 i=3 b=0 i=2 i=2", "F32:1x2x2x3",
	  "CONV_2D", 0 },
	/* width before height: dilation, strides, paddings */
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i=2 i=1 i=1 i=3 b=0 i=2 i=1", "F32:1x3x2x3",
	  "CONV_2D", 0 },
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i=1 i=2 i=1 i=0", "F32:1x4x2x3", "CONV_2D", 0 },
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i=1 i=1 i=0 i=0 i=1 i=1 i=0", "F32:1x3x5x3",
	  "CONV_2D", 0 },
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i=1 i=1 i=0 i=0 i=1 i=1 i=0 b=0 i=1 i=1",
	  "F32:1x3x5x3", "CONV_2D", 0 },
	{ NNMODEL_CONV_2D, "Q8:" IMAGE "@0.5,3 Q8:3x2x2x2@0.25,7 I32:3@0.125 i=1 i=1 i=1 i=1",
	  "Q8:1x4x4x3@0.75,9", "CONV_2D", 0 },
	{ NNMODEL_CONV_2D, "Q8S:" IMAGE " QPC:3x2x2x2 I32:3 i=1 i=1 i=1 i=1", "Q8S:1x4x4x3", "CONV_2D", 0 },
	{ NNMODEL_CONV_2D, "Q8:" IMAGE " QPC:3x2x2x2 I32:3 i=1 i=1 i=1 i=1", "Q8:1x4x4x3", "CONV_2D", 0 },
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i i=1 i=1 i=0", "F32:1x4x4x3",
	  "input 3 (operand 3) must be a constant", -EOPNOTSUPP },
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i=3 i=1 i=1 i=0", "F32:1x4x4x3", "padding code",
	  -EOPNOTSUPP },
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i=1 i=0 i=1 i=0", "F32:1x4x4x3",
	  "input 4 (operand 4) is 0, must be at least 1", -EOPNOTSUPP },
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i=1 i=1 i=1 i=4", "F32:1x4x4x3",
	  "activation (operand 6) is 4", -EOPNOTSUPP },
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i=1 i=1 i=1 i=-1", "F32:1x4x4x3",
	  "activation (operand 6) is -1", -EOPNOTSUPP },
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i=-1 i=1 i=0 i=0 i=1 i=1 i=0", "F32:1x3x5x3",
	  "input 3 (operand 3) is -1", -EOPNOTSUPP },
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 ~F32 i=1 i=1 i=1 i=0", "F32:1x4x4x3",
	  "input 2 (operand 2) may not be omitted", -EOPNOTSUPP },
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x5 F32:3 i=1 i=1 i=1 i=0", "F32:1x4x4x3",
	  "operation 0 CONV_2D: ", -EINVAL },
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i=1 i=1 i=1 i=0", "F32:1x4x4x4",
	  "another shape than declared", -EINVAL },
	{ NNMODEL_CONV_2D, "Q8:" IMAGE " Q8:3x2x2x2 I32:3@0.5 i=1 i=1 i=1 i=1", "Q8:1x4x4x3", "bias", -EINVAL },
	{ NNMODEL_DEPTHWISE_CONV_2D, "F32:" IMAGE " F32:1x2x2x4 F32:4 i=1 i=1 i=1 i=2 i=0", "F32:1x4x4x4",
	  "DEPTHWISE_CONV_2D", 0 },
	{ NNMODEL_DEPTHWISE_CONV_2D, "Q8:" IMAGE " QPC:1x2x2x4/3 I32:4 i=0 i=0 i=0 i=0 i=1 i=1 i=2 i=0",
	  "Q8:1x3x3x4", "DEPTHWISE_CONV_2D", 0 },
	{ NNMODEL_DEPTHWISE_CONV_2D, "F32:1x2x4x4 F32:1x2x2x4 F32:4 i=1 i=1 i=1 i=2 i=0 b=1 i=1 i=1",
	  "F32:1x4x4x4", "TRANSPOSE DEPTHWISE_CONV_2D TRANSPOSE", 0 },
	{ NNMODEL_DEPTHWISE_CONV_2D, "F32:" IMAGE " F32:2x2x2x4 F32:4 i=1 i=1 i=1 i=2 i=0", "F32:1x4x4x4",
	  "first dimension", -EINVAL },
	{ NNMODEL_GROUPED_CONV_2D, "F32:" IMAGE " F32:2x2x2x1 F32:2 i=1 i=1 i=1 i=2 i=0 b=0", "F32:1x4x4x2",
	  "CONV_2D", 0 },
	{ NNMODEL_GROUPED_CONV_2D, "F32:" IMAGE " F32:2x2x2x1 F32:2 i=0 i=0 i=0 i=0 i=1 i=1 i=2 i=0 b=0",
	  "F32:1x3x3x2", "CONV_2D", 0 },
	{ NNMODEL_GROUPED_CONV_2D, "F32:" IMAGE " F32:2x2x2x1 F32:2 i=1 i=1 i=1 i=0 i=0 b=0", "F32:1x4x4x2",
	  "must be at least 1", -EOPNOTSUPP },

	{ NNMODEL_AVERAGE_POOL_2D, "Q8:" IMAGE "@0.5,3 i=2 i=2 i=2 i=2 i=2 i=0", "Q8:1x2x2x2@0.5,3",
	  "POOL_2D", 0 },
	{ NNMODEL_MAX_POOL_2D, "F32:1x2x4x4 i=0 i=0 i=0 i=0 i=2 i=2 i=2 i=2 i=0 b=1", "F32:1x2x2x2",
	  "TRANSPOSE POOL_2D TRANSPOSE", 0 },
	{ NNMODEL_L2_POOL_2D, "F32:" IMAGE " i=1 i=1 i=1 i=2 i=2 i=1", "F32:" IMAGE, "POOL_2D", 0 },
	{ NNMODEL_MAX_POOL_2D, "F32:" IMAGE " i=2 i=1 i=2 i=1 i=2 i=0", "F32:1x2x4x2", "POOL_2D", 0 },
	{ NNMODEL_MAX_POOL_2D, "F32:" IMAGE " i=2 i=1 i=1 i=1 i=3 i=0", "F32:1x2x4x2", "POOL_2D", 0 },
	/* the output of the model must have the input's quantization */
	{ NNMODEL_MAX_POOL_2D, "Q8:" IMAGE "@0.5,3 i=2 i=2 i=2 i=2 i=2 i=0", "Q8:1x2x2x2@0.5,4",
	  "output (operand 7) has scale 0.5, zero point 4, must be 0.5, 3", -EOPNOTSUPP },

	{ NNMODEL_ADD, "F32:2x3 F32:3 i=1", "F32:2x3", "BINARY", 0 },
	{ NNMODEL_SUB, "Q8S:2x3 Q8S:1x1 i=0", "Q8S:2x3@0.1", "BINARY", 0 },
	{ NNMODEL_MUL, "I32:2x3 I32:3 i=0", "I32:2x3", "BINARY", 0 },
	{ NNMODEL_DIV, "F32:2x0 F32:0x3 i=0", "F32:0x0", "BINARY", 0 },
	{ NNMODEL_ADD, "I32:2x3 I32:3 i=1", "I32:2x3", "activation", -EINVAL },
	{ NNMODEL_ADD, "F32:2x3 F32:4 i=0", "F32:2x3", "broadcast", -EINVAL },
	{ NNMODEL_ADD, "F32:2x3 F32:3 i", "F32:2x3", "must be a constant", -EOPNOTSUPP },

	{ NNMODEL_RELU, "F32:2x3", "F32:2x3", "UNARY", 0 },
	{ NNMODEL_RELU6, "Q8:2x3@0.5,3", "Q8:2x3@0.5,3", "UNARY", 0 },
	{ NNMODEL_RELU1, "Q8:2x3@0.5,3", "Q8:2x3@0.5,3", "UNARY", 0 },
	{ NNMODEL_RELU1, "Q8:2x3@0.5,3", "Q8:2x3@0.25,3", "output (operand 1)", -EOPNOTSUPP },
	{ NNMODEL_LOGISTIC, "Q8:2x3@0.5,3", "Q8:2x3@0.00390625,0", "UNARY", 0 },
	{ NNMODEL_LOGISTIC, "Q8S:2x3@0.5,3", "Q8S:2x3@0.00390625,-128", "UNARY", 0 },
	{ NNMODEL_LOGISTIC, "Q8S:2x3@0.5,3", "Q8S:2x3@0.00390625,0", "must be 0.00390625, -128", -EOPNOTSUPP },
	{ NNMODEL_TANH, "Q8:2x3@0.5,3", "Q8:2x3@0.0078125,128", "UNARY", 0 },
	{ NNMODEL_TANH, "Q8S:2x3@0.5,3", "Q8S:2x3@0.0078125,0", "UNARY", 0 },
	{ NNMODEL_TANH, "Q8:2x3@0.5,3", "Q8:2x3@0.0078125,0", "must be 0.0078125, 128", -EOPNOTSUPP },
	{ NNMODEL_ELU, "F32:2x3 f=0.5", "F32:2x3", "UNARY", 0 },
	{ NNMODEL_ELU, "F32:2x3 f", "F32:2x3", "must be a constant", -EOPNOTSUPP },
	{ NNMODEL_HARD_SWISH, "Q8:2x3@0.5,3", "Q8:2x3@0.25,1", "UNARY", 0 },
	{ NNMODEL_ABS, "I32:2x3", "I32:2x3", "UNARY", 0 },
	{ NNMODEL_NEG, "F16:2x3", "F16:2x3", "UNARY", 0 },
	{ NNMODEL_FLOOR, "F32:2x3", "F32:2x3", "UNARY", 0 },
	{ NNMODEL_EXP, "F32:2x3", "F32:2x3", "UNARY", 0 },
	{ NNMODEL_LOG, "F32:2x3", "F32:2x3", "UNARY", 0 },
	{ NNMODEL_SIN, "F32:2x3", "F32:2x3", "UNARY", 0 },
	{ NNMODEL_SQRT, "F32:2x3", "F32:2x3", "UNARY", 0 },
	{ NNMODEL_RSQRT, "Q8:2x3@0.5,3", "Q8:2x3@0.1,3", "UNARY", 0 },
	{ NNMODEL_LOGICAL_NOT, "B8:2x3", "B8:2x3", "UNARY", 0 },
	{ NNMODEL_ABS, "F32:1x1x1x1x1x1x1x1x1", "F32:1x1x1x1x1x1x1x1x1", "rank 9", -EOPNOTSUPP },

	{ NNMODEL_RESHAPE, "F32:2x3 I:2=3,-1", "F32:3x2", "RESHAPE", 0 },
	{ NNMODEL_RESHAPE, "F32:2x3 I:2", "F32:0x0", "RESHAPE", 0 },
	{ NNMODEL_RESHAPE, "F32:2x3 I:2=4,-1", "F32:4x2", "operation 0 RESHAPE: ", -EINVAL },
	{ NNMODEL_SQUEEZE, "F32:2x1x3x1 I:1=1", "F32:2x3x1", "RESHAPE", 0 },
	{ NNMODEL_SQUEEZE, "F32:2x1x3x1 I:2=-1,1", "F32:2x3", "RESHAPE", 0 },
	{ NNMODEL_SQUEEZE, "F32:2x1x3x1 ~I", "F32:2x3", "RESHAPE", 0 },
	{ NNMODEL_SQUEEZE, "F32:1x1 ~I", "F32:1", "RESHAPE", 0 },
	{ NNMODEL_SQUEEZE, "F32:0x1x3 I:1=1", "F32:0x3", "RESHAPE", 0 },
	{ NNMODEL_SQUEEZE, "F32:0x1x0 I:1=1", "F32:0x0", "REDUCE", 0 },
	{ NNMODEL_SQUEEZE, "F32:2x1x3 I:1=0", "F32:1x3", "axis 0", -EOPNOTSUPP },
	{ NNMODEL_SQUEEZE, "F32:2x1x3 I:1=3", "F32:2x3", "axis 3", -EOPNOTSUPP },
	{ NNMODEL_SQUEEZE, "F32:2x1x3 I:1=-4", "F32:2x3", "axis -4", -EOPNOTSUPP },
	{ NNMODEL_SQUEEZE, "F32:2x0x3 ~I", "F32:2x3", "must be known", -EOPNOTSUPP },
	{ NNMODEL_SQUEEZE, "F32:2x1x3 I:1", "F32:2x3", "REDUCE", 0 },
	{ NNMODEL_SQUEEZE, "F32:2x1x3 I:1", "F32:0x3", "axes (operand 1) must be a constant", -EOPNOTSUPP },
	{ NNMODEL_SQUEEZE, "F32:2x2x3 I:1", "F32:2x3", "axes (operand 1) must be a constant", -EOPNOTSUPP },
	{ NNMODEL_SQUEEZE, "F32 I:1=1", "F32", "rank", -EOPNOTSUPP },
	{ NNMODEL_EXPAND_DIMS, "F32:2x3 i=1", "F32:2x1x3", "RESHAPE", 0 },
	{ NNMODEL_EXPAND_DIMS, "F32:2x3 i=-1", "F32:2x3x1", "RESHAPE", 0 },
	{ NNMODEL_EXPAND_DIMS, "F32:2x3 i=-3", "F32:1x2x3", "RESHAPE", 0 },
	{ NNMODEL_EXPAND_DIMS, "I32:0x3 i=0", "I32:1x0x3", "RESHAPE", 0 },
	{ NNMODEL_EXPAND_DIMS, "Q8:0x0 i=1", "Q8:0x1x0", "CONCATENATION", 0 },
	{ NNMODEL_EXPAND_DIMS, "F32 i=0", "F32", "CONCATENATION", 0 },
	{ NNMODEL_EXPAND_DIMS, "F32 i=-1", "F32", "rank", -EOPNOTSUPP },
	{ NNMODEL_EXPAND_DIMS, "F32:2x3 i=3", "F32:2x3x1", "axis 3", -EOPNOTSUPP },
	{ NNMODEL_EXPAND_DIMS, "F32:2x3 i=-4", "F32:2x3x1", "axis -4", -EOPNOTSUPP },
	{ NNMODEL_TRANSPOSE, "F32:2x3x4 I:3=2,0,1", "F32:4x2x3", "TRANSPOSE", 0 },
	{ NNMODEL_TRANSPOSE, "F32:2x3 ~I", "F32:3x2", "TRANSPOSE", 0 },
	{ NNMODEL_TRANSPOSE, "F32:2x3 I:2", "F32:0x0", "TRANSPOSE", 0 },
	{ NNMODEL_TRANSPOSE, "F32:2x3 I:2=0,0", "F32:2x3", "permutation", -EINVAL },
	{ NNMODEL_CONCATENATION, "Q8:2x3@0.5 Q8:2x1@0.25,3 i=1", "Q8:2x4@0.125,9", "CONCATENATION", 0 },
	{ NNMODEL_CONCATENATION, "F32:2x3 F32:2x1 i=-1", "F32:2x4", "is -1", -EOPNOTSUPP },
	{ NNMODEL_CONCATENATION, "F32:2x3 F32:3x1 i=1", "F32:2x4", "CONCATENATION: ", -EINVAL },
	{ NNMODEL_PACK, "i=1 I32:2x3 I32:2x3", "I32:2x2x3", "CONCATENATION", 0 },
	{ NNMODEL_PACK, "i=2 F32:2x3 F32:2x3", "F32:2x3x2", "CONCATENATION", 0 },
	{ NNMODEL_PACK, "i=3 F32:2x3 F32:2x3", "F32:2x3x2", "PACK: ", -EINVAL },
	{ NNMODEL_PAD, "Q8:2x3@0.5,3 I:2x2=1,0,0,2", "Q8:3x5@0.5,3", "PAD", 0 },
	{ NNMODEL_PAD, "F32:2x3 I:2x2", "F32:0x0", "PAD", 0 },
	{ NNMODEL_PAD, "F32:2x3 I:2x2=-1,0,0,0", "F32:1x3", "paddings", -EINVAL },
	{ NNMODEL_PAD_V2, "F32:2x3 I:2x2=1,0,0,2 f=1.5", "F32:3x5", "PAD", 0 },
	{ NNMODEL_PAD_V2, "F32:2x3 I:2x2=1,0,0,2 f", "F32:3x5", "PAD", 0 },
	{ NNMODEL_PAD_V2, "Q8S:2x3 I:2x2=1,0,0,2 i=-7", "Q8S:3x5", "PAD", 0 },
	{ NNMODEL_PAD_V2, "Q8S:2x3 I:2x2=1,0,0,2 i", "Q8S:3x5", "must be a constant", -EOPNOTSUPP },

	{ NNMODEL_MEAN, "Q8:2x3@0.5,3 I:1=1 i=1", "Q8:2x1@0.5,3", "REDUCE", 0 },
	{ NNMODEL_MEAN, "F32:2x3 I:2=0,-1 i=0", "F32:1", "REDUCE", 0 },
	{ NNMODEL_MEAN, "F32:2x3 I:1 i=1", "F32:0x0", "REDUCE", 0 },
	{ NNMODEL_MEAN, "F32:2x3 I:1=2 i=0", "F32:2", "MEAN: ", -EINVAL },
	{ NNMODEL_REDUCE_SUM, "F32:2x3 I:1=0 b=1", "F32:1x3", "REDUCE", 0 },
	{ NNMODEL_REDUCE_PROD, "F32:2x3 I:1=0 b=0", "F32:3", "REDUCE", 0 },
	{ NNMODEL_REDUCE_MAX, "Q8S:2x3 I:1=0 b=0", "Q8S:3", "REDUCE", 0 },
	{ NNMODEL_REDUCE_MIN, "F16:2x3 I:1=0 b=0", "F16:3", "REDUCE", 0 },
	{ NNMODEL_REDUCE_ALL, "B8:2x3 I:1=0 b=0", "B8:3", "REDUCE", 0 },
	{ NNMODEL_REDUCE_ANY, "B8:2x3 I:1=0 b=0", "B8:3", "REDUCE", 0 },
	{ NNMODEL_ARGMAX, "F32:2x3 i=-1", "I32:2", "ARG_MINMAX", 0 },
	{ NNMODEL_ARGMIN, "Q8:3 i=0", "I32:1", "ARG_MINMAX", 0 },
	{ NNMODEL_ARGMIN, "Q8:3 i=1", "I32:1", "ARGMIN: ", -EINVAL },

	{ NNMODEL_RESIZE_BILINEAR, "F32:" IMAGE " i=8 i=6", "F32:1x6x8x2", "RESIZE", 0 },
	{ NNMODEL_RESIZE_BILINEAR, "F32:" IMAGE " f=2 f=1.5", "F32:1x6x8x2", "RESIZE", 0 },
	{ NNMODEL_RESIZE_BILINEAR, "Q8:1x2x4x4 i=8 i=6 b=1 b=1 b=0", "Q8:1x2x6x8",
	  "TRANSPOSE RESIZE TRANSPOSE", 0 },
	{ NNMODEL_RESIZE_NEAREST_NEIGHBOR, "F32:" IMAGE " i=8 i=6 b=0 b=0 b=1", "F32:1x6x8x2", "RESIZE", 0 },
	{ NNMODEL_RESIZE_BILINEAR, "F32:" IMAGE " i=8 i=6 b=0 b=1 b=1", "F32:1x6x8x2",
	  "align_corners together with half_pixel_centers", -EOPNOTSUPP },
	{ NNMODEL_RESIZE_BILINEAR, "F32:" IMAGE " i=8 i=0", "F32:1x6x8x2", "must be at least 1", -EOPNOTSUPP },

	{ NNMODEL_QUANTIZE, "F32:2x3", "Q8S:2x3@0.1,-3", "CONVERT", 0 },
	{ NNMODEL_DEQUANTIZE, "QPC:2x3/1", "F16:2x3", "CONVERT", 0 },
	{ NNMODEL_DEQUANTIZE, "Q8Y:2x3", "F32:2x3", "CONVERT", 0 },
	{ NNMODEL_CAST, "F32:2x3", "Q8:2x3", "CONVERT", 0 },
	{ NNMODEL_CAST, "B8:2x3", "B8:2x3", "CONVERT", 0 },
	{ NNMODEL_CAST, "Q16A:2x3", "Q16A:2x3", "CONVERT", 0 },

	{ NNMODEL_SOFTMAX, "F32:2x3 f=1", "F32:2x3", "SOFTMAX", 0 },
	{ NNMODEL_SOFTMAX, "Q8:2x3 f=1 i=0", "Q8:2x3@0.00390625,0", "SOFTMAX", 0 },
	{ NNMODEL_SOFTMAX, "Q8S:2x3 f=1", "Q8S:2x3@0.00390625,-128", "SOFTMAX", 0 },
	{ NNMODEL_SOFTMAX, "Q8:2x3 f=1", "Q8:2x3@0.0039,0", "must be 0.00390625, 0", -EOPNOTSUPP },
	{ NNMODEL_SOFTMAX, "F16:2x3 h=15360", "F16:2x3", "SOFTMAX", 0 },
	{ NNMODEL_SOFTMAX, "F16:2x3 h=0", "F16:2x3", "beta", -EINVAL },
	{ NNMODEL_SOFTMAX, "F32:2x3 f=0", "F32:2x3", "beta", -EINVAL },
	{ NNMODEL_SOFTMAX, "F32:2x3 f=1 i=2", "F32:2x3", "SOFTMAX: ", -EINVAL },
	{ NNMODEL_LOG_SOFTMAX, "F32:2x3 f=1 i=-2", "F32:2x3", "SOFTMAX", 0 },
	{ NNMODEL_FULLY_CONNECTED, "F32:2x3x4 F32:5x8 F32:5 i=1", "F32:3x5", "FULLY_CONNECTED", 0 },
	{ NNMODEL_FULLY_CONNECTED, "Q8:2x3@0.5,1 Q8:4x3@0.5,2 I32:4@0.25 i=0", "Q8:2x4", "FULLY_CONNECTED",
	  0 },
	{ NNMODEL_FULLY_CONNECTED, "F32:2x3x4 F32:5x8 F32:5 i=1", "F32:2x3x5", "another shape", -EINVAL },
	{ NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM, LSTM(LSTM_CIFG), "F32:3x2x4", "SEQUENCE_LSTM", 0 },
	{ NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM, LSTM(LSTM_CIFG), "F32:3x2x4 F32:2x4 F32:2x4", "SEQUENCE_LSTM",
	  0 },
	/* the input gate's weights without its bias */
	{ NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM, LSTM("F32:4x5 F32:4x5 F32:4x5 F32:4x5 F32:4x4 F32:4x4 F32:4x4 "
	  "F32:4x4 ~F32 ~F32 ~F32 ~F32 F32:4 F32:4 F32:4 ~F32 ~F32 F32:2x4 F32:2x4"), "F32:3x2x4",
	  "input gate", -EINVAL },
	{ NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM, LSTM("~F32 ~F32 F32:4x5 F32:4x5 ~F32 F32:4x4 F32:4x4 F32:4x4 "
	  "~F32 ~F32 ~F32 ~F32 F32:4 F32:4 F32:4 ~F32 ~F32 F32:2x4 F32:2x4"), "F32:3x2x4",
	  "input 2 (operand 2) may not be omitted", -EOPNOTSUPP },
};

static void test_operations(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIZE(cases); i++) {
		struct nnmodel *m = spec_model(cases[i].opcode, cases[i].in, cases[i].out);
		struct nnhal_lowered program;
		struct nnmodel_error err;
		const int ret = spec_lower(m, &program, &err);
		const char *said = ret ? err.text : spec_program_ops(&program);

		if (ret != cases[i].ret ||
		    (ret ? !strstr(said, cases[i].ops) : strcmp(said, cases[i].ops))) {
			print_error("%s (%s): %d, %s\n", nnmodel_operation_name(cases[i].opcode),
				    cases[i].in, ret, said);
			fail();
		}
		if (ret)
			assert_int_equal(err.operation, 0);
		free(program.bytes);
		nnmodel_free(m);
	}
	/* every row has a case that is lowered */
	for (uint32_t op = 0; op < NNMODEL_OPCODE_COUNT; op++) {
		bool found = !nnmodel_op_find(op);

		for (size_t i = 0; i < SIZE(cases); i++)
			found |= cases[i].opcode == op && !cases[i].ret;
		if (!found)
			print_error("no case for %s\n", nnmodel_operation_name(op));
		assert_true(found);
	}
}

/* Two convolutions and a pooling in NCHW: transposed at both ends, once each. */
static void test_nchw_chain(void **state)
{
	struct nnmodel *m = nnmodel_new();
	struct nnhal_lowered program;
	struct nnmodel_error err;
	const struct nnprog_tensor *t;

	(void)state;
	assert_int_equal(spec_operand(m, "Q8:1x2x6x6@0.5,3"), 0);
	spec_operand(m, "Q8:3x3x3x2@0.5,1");
	spec_operand(m, "I32:3@0.25");
	spec_operand(m, "Q8:0x0x0x0@0.75,4");		/* 3: what passes between, of unknown shape */
	spec_operand(m, "i=1");
	spec_operand(m, "i=2");
	spec_operand(m, "i=0");
	spec_operand(m, "b=1");				/* 7 */
	spec_operand(m, "Q8@1,77");			/* 8: pooled; a temporary's declaration yields */
	spec_operand(m, "Q8:2x1x1x3@0.5,1");
	spec_operand(m, "I32:2@0.375");
	spec_operand(m, "Q8:0x0x0x0@0.25,5");		/* 11: output */
	m->main.operands[3].lifetime = m->main.operands[8].lifetime = NNMODEL_TEMPORARY_VARIABLE;
	spec_op(m, NNMODEL_CONV_2D, IN(0, 1, 2, 4, 4, 4, 6, 7), IN(3));
	spec_op(m, NNMODEL_MAX_POOL_2D, IN(3, 5, 5, 5, 5, 5, 6, 7), IN(8));
	spec_op(m, NNMODEL_CONV_2D, IN(8, 9, 10, 4, 4, 4, 6, 7), IN(11));
	m->main.operands[11].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	spec_set_io(m);
	assert_int_equal(spec_lower(m, &program, &err), 0);
	assert_string_equal(spec_program_ops(&program), "TRANSPOSE CONV_2D POOL_2D CONV_2D TRANSPOSE");
	t = spec_program_io(&program, true, 0);
	assert_int_equal(t->rank, 4);
	assert_memory_equal(t->dims, ((uint32_t[]) { 1, 2, 3, 3 }), 16);
	assert_int_equal(t->zero_point, 5);
	free(program.bytes);

	/* somebody else wants the tensor in between as it is declared */
	spec_operand(m, "F32:0x0x0x0");
	m->main.operands[12].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	spec_op(m, NNMODEL_DEQUANTIZE, IN(3), IN(12));
	spec_set_io(m);
	assert_int_equal(spec_lower(m, &program, &err), 0);
	assert_string_equal(spec_program_ops(&program),
			    "TRANSPOSE CONV_2D POOL_2D CONV_2D TRANSPOSE CONVERT TRANSPOSE");
	t = spec_program_io(&program, true, 1);
	assert_memory_equal(t->dims, ((uint32_t[]) { 1, 3, 6, 6 }), 16);
	free(program.bytes);
	nnmodel_free(m);
}

/* ADD then RELU6 through operand 3; 4 is the output. */
static struct nnmodel *relu_after_add(const char *between, const char *out)
{
	struct nnmodel *m = nnmodel_new();

	spec_operand(m, "Q8:2x3@0.5,3");
	spec_operand(m, "Q8:3@0.25,1");
	spec_operand(m, "i=0");
	spec_operand(m, between);
	spec_operand(m, out);
	m->main.operands[3].lifetime = NNMODEL_TEMPORARY_VARIABLE;
	m->main.operands[4].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	spec_op(m, NNMODEL_ADD, IN(0, 1, 2), IN(3));
	spec_op(m, NNMODEL_RELU6, IN(3), IN(4));
	spec_set_io(m);
	return m;
}

static void expect_ops(struct nnmodel *m, const char *ops)
{
	struct nnhal_lowered program;
	struct nnmodel_error err;

	if (spec_lower(m, &program, &err))
		print_error("%s\n", err.text);
	assert_string_equal(spec_program_ops(&program), ops);
	free(program.bytes);
}

static void test_fused_activation(void **state)
{
	struct nnhal_lowered program;
	struct nnmodel_error err;
	struct nnmodel *m;
	struct nnprog prog;
	struct nnprog_error prog_err;

	(void)state;
	m = relu_after_add("Q8:2x3@0.1,7", "Q8:2x3@0.1,7");
	assert_int_equal(spec_lower(m, &program, &err), 0);
	assert_string_equal(spec_program_ops(&program), "BINARY");
	assert_int_equal(nnprog_verify(program.bytes, program.size, &prog, &prog_err), 0);
	assert_int_equal(((const struct nnprog_attr_binary *)(prog.attrs + prog.operations[0].attrs))
			 ->activation, NNPROG_ACT_RELU6);
	free(program.bytes);

	/* two readers; an activation of its own; something in between that is an output */
	spec_operand(m, "Q8:2x3@0.1,7");
	m->main.operands[5].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	spec_op(m, NNMODEL_RELU1, IN(3), IN(5));
	spec_set_io(m);
	expect_ops(m, "BINARY UNARY UNARY");
	nnmodel_free(m);

	m = relu_after_add("Q8:2x3@0.1,7", "Q8:2x3@0.1,7");
	assert_int_equal(nnmodel_set_value(m, 2, (int32_t[]) { NNMODEL_FUSED_RELU }, 4), 0);
	expect_ops(m, "BINARY UNARY");
	nnmodel_free(m);

	m = relu_after_add("Q8:2x3@0.1,7", "Q8:2x3@0.1,7");
	m->main.operands[3].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	spec_set_io(m);
	expect_ops(m, "BINARY UNARY");
	nnmodel_free(m);

	/* a model output that declares another quantization is refused, fused or not */
	m = relu_after_add("Q8:2x3@0.1,7", "Q8:2x3@0.2,7");
	assert_int_equal(spec_lower(m, &program, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.text, "RELU6: output (operand 4)"));
	nnmodel_free(m);

	/* dimensions that either end knows hold; those of the middle too */
	m = relu_after_add("Q8:2x3@0.1,7", "Q8:0x0@0.1,7");
	expect_ops(m, "BINARY");
	m->main.operands[3].dims[1] = 4;
	assert_int_equal(spec_lower(m, &program, &err), -EINVAL);
	nnmodel_free(m);
}

static struct nnmodel *requantize(const char *in, const char *between, const char *out)
{
	struct nnmodel *m = nnmodel_new();

	spec_operand(m, in);
	spec_operand(m, between);
	spec_operand(m, out);
	m->main.operands[1].lifetime = NNMODEL_TEMPORARY_VARIABLE;
	m->main.operands[2].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	spec_op(m, NNMODEL_DEQUANTIZE, IN(0), IN(1));
	spec_op(m, NNMODEL_QUANTIZE, IN(1), IN(2));
	spec_set_io(m);
	return m;
}

static void test_fused_requantize(void **state)
{
	static const struct {
		const char *in, *between, *out, *ops;
	} pairs[] = {
		{ "Q8:2x3@0.5,3", "F32:2x3", "Q8S:2x3@0.4,-3", "CONVERT" },
		{ "Q8S:2x3@0.5,3", "F32:2x3", "Q8:2x3@0.4,3", "CONVERT" },
		{ "Q8Y:2x3@0.5", "F32:2x3", "Q8:2x3@0.4,3", "CONVERT" },
		{ "Q8:2x3@0.5,3", "F16:2x3", "Q8S:2x3@0.4,-3", "CONVERT CONVERT" },
		{ "QPC:2x3", "F32:2x3", "Q8S:2x3@0.4,-3", "CONVERT CONVERT" },
	};
	struct nnhal_lowered program;
	struct nnmodel_error err;
	struct nnmodel *m;

	(void)state;
	for (size_t i = 0; i < SIZE(pairs); i++) {
		m = requantize(pairs[i].in, pairs[i].between, pairs[i].out);
		expect_ops(m, pairs[i].ops);
		nnmodel_free(m);
	}
	m = requantize("Q8:2x3@0.5,3", "F32:2x3", "Q8S:2x3@0.4,-3");
	m->main.operands[1].dims[0] = 3;
	assert_int_equal(spec_lower(m, &program, &err), -EINVAL);
	m->main.operands[1].dims[0] = 0;
	expect_ops(m, "CONVERT");
	/* the float is wanted */
	m->main.operands[1].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	spec_set_io(m);
	expect_ops(m, "CONVERT CONVERT");
	nnmodel_free(m);
}

static void test_unknown_shapes(void **state)
{
	struct nnmodel *m = spec_model(NNMODEL_CONV_2D, "F32:0x0x0x2 F32:3x2x2x2 F32:3 i=1 i=2 i=2 i=0", "F32");
	struct nnhal_lowered program;
	struct nnmodel_error err;
	const struct nnprog_tensor *t;

	(void)state;
	assert_int_equal(spec_lower(m, &program, &err), 0);
	t = spec_program_io(&program, true, 0);
	assert_int_equal(t->rank, 4);
	assert_int_equal(t->dims[1], NNPROG_DIM_UNKNOWN);
	assert_int_equal(t->dims[3], 3);
	assert_int_equal(t->size, 0);
	free(program.bytes);
	nnmodel_free(m);

	/* what the input does not say the output's declaration does */
	m = spec_model(NNMODEL_RELU, "F32", "F32:2x3");
	assert_int_equal(spec_lower(m, &program, &err), 0);
	t = spec_program_io(&program, true, 0);
	assert_int_equal(t->rank, 2);
	assert_int_equal(t->dims[1], 3);
	free(program.bytes);
	nnmodel_free(m);
}

static void test_support(void **state)
{
	struct nnmodel *m = nnmodel_new();
	struct nnhal_opset opset = spec_opset();
	struct nnhal_lowered program;
	struct nnmodel_error err;
	bool supported[4];
	char *reasons[4];

	(void)state;
	/* RELU, an operation that the device lacks, ADD on its result, an extension's */
	spec_operand(m, "F32:2x3");
	for (uint32_t i = 1; i < 5; i++) {
		spec_operand(m, "F32:2x3");
		m->main.operands[i].lifetime = i < 4 ? NNMODEL_TEMPORARY_VARIABLE
						     : NNMODEL_SUBGRAPH_OUTPUT;
	}
	spec_operand(m, "i=0");
	m->extensions = calloc(1, sizeof(*m->extensions));
	m->extensions[0] = (struct nnmodel_extension) { strdup("a.b"), 1 };
	m->num_extensions = 1;
	spec_op(m, NNMODEL_RELU, IN(0), IN(1));
	spec_op(m, NNMODEL_CAST, IN(1), IN(2));
	spec_op(m, NNMODEL_ADD, IN(2, 1, 5), IN(3));
	spec_op(m, 0x00010007, IN(3), IN(4));
	spec_set_io(m);
	assert_int_equal(nnmodel_validate(m, NULL, &err), 0);
	opset.ops[NNPROG_OP_CONVERT].present = false;
	assert_int_equal(nnhal_lower_supported(m, &opset, supported, reasons), 0);
	assert_true(supported[0] && !supported[1] && supported[2] && !supported[3]);
	assert_null(reasons[0]);
	assert_string_equal(reasons[1], "operation 1 CAST: the device has no CONVERT");
	assert_null(reasons[2]);
	assert_non_null(strstr(reasons[3], "operation 3 extension operation 1:7: "));
	free(reasons[1]);
	free(reasons[3]);
	assert_int_equal(nnhal_lower_model(m, &opset, &program, &err), -EOPNOTSUPP);
	assert_int_equal(err.operation, 1);
	assert_null(program.bytes);

	/* a device that lacks an operation, a type, a rank */
	opset.ops[NNPROG_OP_UNARY].present = false;
	assert_int_equal(nnhal_lower_supported(m, &opset, supported, reasons), 0);
	assert_true(!supported[0] && supported[2]);
	assert_non_null(strstr(reasons[0], "the device has no UNARY"));
	for (uint32_t i = 0; i < 4; i++)
		free(reasons[i]);
	opset = spec_opset();
	opset.ops[NNPROG_OP_BINARY].types &= ~(1u << NNPROG_FLOAT32);
	opset.ops[NNPROG_OP_UNARY].max_rank = 1;
	assert_int_equal(nnhal_lower_supported(m, &opset, supported, reasons), 0);
	assert_true(!supported[0] && !supported[2]);
	assert_non_null(strstr(reasons[0], "takes rank 1 at most"));
	assert_non_null(strstr(reasons[2], "does not take"));
	for (uint32_t i = 0; i < 4; i++)
		free(reasons[i]);
	nnmodel_free(m);
}

/* Constants in a pool that its owner changes under us. */
static void test_pools(void **state)
{
	struct nnmodel *m = spec_model(NNMODEL_FULLY_CONNECTED, "F32:2x3 F32:4x3 F32:4 i=0", "F32:2x4");
	const struct nnhal_opset opset = spec_opset();
	const int fd = memfd_create("weights", MFD_CLOEXEC);
	struct nnhal_lowered program;
	struct nnmodel_error err;
	bool supported;
	char *reason;

	(void)state;
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_equal(nnmodel_add_pool(m, fd, PROT_READ, 0, 4096), 0);
	assert_int_equal(nnmodel_set_value_from_pool(m, 1, 0, 64, 48), 0);
	assert_int_equal(nnmodel_set_value_from_pool(m, 2, 0, 128, 16), 0);
	spec_set_io(m);
	assert_int_equal(spec_lower(m, &program, &err), 0);
	free(program.bytes);
	assert_int_equal(ftruncate(fd, 100), 0);
	assert_int_equal(nnhal_lower_model(m, &opset, &program, &err), -EINVAL);
	assert_non_null(strstr(err.text, "constants cannot be read"));
	assert_int_equal(nnhal_lower_supported(m, &opset, &supported, &reason), 0);
	assert_false(supported);
	assert_non_null(strstr(reason, "constants cannot be read"));
	free(reason);
	nnmodel_free(m);
}

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)random_state * n >> 32);
}

static uint32_t random_value(void)
{
	static const uint32_t values[] = { 0, 1, 2, 3, 4, 5, 7, 8, 64, 127, 128, 255, 256, 65535, 65536,
					   0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff };

	return values[random_below(SIZE(values))];
}

/* Change one thing of @m; what it points to stays of the right length. */
static void mutate(struct nnmodel *m)
{
	static const float scales[] = { 0, -1, 0.5f, 1, 1e-38f, 1e38f, 3, 1.f / 256, 1.f / 128 };
	struct nnmodel_operand *o = &m->main.operands[random_below(m->main.num_operands)];
	struct nnmodel_operation *op = &m->main.operations[random_below(m->main.num_operations)];

	switch (random_below(12)) {
	case 0:
		o->scale = scales[random_below(SIZE(scales))];
		break;
	case 1:
		o->zero_point = (int32_t)random_value();
		break;
	case 2:
		if (o->rank)
			o->dims[random_below(o->rank)] = random_value();
		break;
	case 3:		/* fewer dims than there are; constants keep their size */
		o->rank = o->rank ? random_below(o->rank + 1) : 0;
		break;
	case 4:
		spec_retype(m, (uint32_t)(o - m->main.operands), random_below(NNMODEL_SUBGRAPH));
		break;
	case 5:
		if (op->num_inputs)
			op->inputs[random_below(op->num_inputs)] = random_below(m->main.num_operands + 1);
		break;
	case 6:
		op->type = random_below(NNMODEL_OPCODE_COUNT);
		break;
	case 7:
		op->num_inputs = random_below(op->num_inputs + 1);
		break;
	case 8:
		o->lifetime = random_below(8);
		break;
	case 9:
		o->location.offset = random_value();
		break;
	default:	/* a parameter */
		if (m->values_size)
			m->values[random_below((uint32_t)m->values_size / 4) * 4] =
				(uint8_t)random_value();
	}
}

/* Whatever passes validation is lowered or refused; what is lowered passes the verifier. */
static void test_mutations(void **state)
{
	const struct nnhal_opset opset = spec_opset();
	uint32_t accepted = 0, lowered = 0;

	(void)state;
	for (uint32_t n = 0; n < 150 * SIZE(cases); n++) {
		const struct lower_case *c = &cases[n % SIZE(cases)];
		struct nnmodel *m = spec_model(c->opcode, c->in, c->out);
		struct nnhal_lowered program;
		struct nnmodel_error err;
		struct nnprog prog;
		struct nnprog_error prog_err;
		bool supported;
		int ret;

		for (uint32_t k = random_below(3); k < 3; k++)
			mutate(m);
		if (random_below(4))
			spec_set_io(m);
		if (!nnmodel_validate(m, NULL, &err)) {
			accepted++;
			assert_int_equal(nnhal_lower_supported(m, &opset, &supported, NULL), 0);
			ret = nnhal_lower_model(m, &opset, &program, &err);
			assert_true(!ret || ret == -EOPNOTSUPP || ret == -EINVAL);
			assert_int_equal(supported, !ret);
			if (!ret) {
				lowered++;
				assert_int_equal(nnprog_verify(program.bytes, program.size, &prog,
							       &prog_err), 0);
				free(program.bytes);
			} else {
				assert_true(strlen(err.text) > 0);
			}
		}
		nnmodel_free(m);
	}
	/* both sides were seen */
	assert_true(accepted > 1000 && lowered > 500 && lowered < accepted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_opset),
		cmocka_unit_test(test_operations),
		cmocka_unit_test(test_nchw_chain),
		cmocka_unit_test(test_fused_activation),
		cmocka_unit_test(test_fused_requantize),
		cmocka_unit_test(test_unknown_shapes),
		cmocka_unit_test(test_support),
		cmocka_unit_test(test_pools),
		cmocka_unit_test(test_mutations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
