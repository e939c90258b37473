// SPDX-License-Identifier: Apache-2.0
/* Valid operations: element-wise, convolutions, pooling, shapes, reductions, conversions. */
#include <stdlib.h>
#include <string.h>

#include "model_op_cases.h"
#include "probes/nnctl_probes.h"

static const struct op_case basic[] = {
/* element-wise, two operands */
#define BINARY(op, l32, l16, lq, ls, li)                                                  \
	{ NNMODEL_##op, "F32:2x3 F32:3 i", "F32:2x3", l32, "", "", false, "01" },         \
		{ NNMODEL_##op, "F16:2x3 F16:3 i", "F16:2x3", l16, "", "", false, "01" }, \
		{ NNMODEL_##op, "Q8:2x3 Q8:3 i", "Q8:2x3", lq, "", "", false, "01" },     \
		{ NNMODEL_##op, "Q8S:2x3 Q8S:3 i", "Q8S:2x3", ls, "", "", false, "01" },  \
	{                                                                                 \
		NNMODEL_##op, "I32:2x3 I32:3 i", "I32:2x3", li, "", "", false, "01"       \
	}
	BINARY(ADD, 1, 3, 1, 4, 4),
	BINARY(SUB, 2, 3, 3, 4, 4),
	BINARY(MUL, 1, 3, 1, 4, 4),
	{ NNMODEL_DIV, "F32:2x3 F32:3 i", "F32", 3, "", "", false, "01" },
	{ NNMODEL_DIV, "F32:2x3 F32:3 i", "F32:2x3", 2, "", "", false, "01" },
	{ NNMODEL_DIV, "I32:2x3 I32:3 i", "I32:2x3", 4, "", "", false, "01" },

/* one operand */
#define UNARY(op, t, level, ranks)                                            \
	{                                                                     \
		NNMODEL_##op, t ":2x3", t ":2x3", level, "", "", false, ranks \
	}
	UNARY(RELU, "F32", 1, "0"),
	UNARY(RELU, "F16", 3, "0"),
	UNARY(RELU, "Q8", 1, "0"),
	UNARY(RELU, "Q8S", 4, "0"),
	UNARY(RELU1, "F32", 1, "0"),
	UNARY(RELU1, "Q8", 1, "0"),
	UNARY(RELU6, "F32", 1, "0"),
	UNARY(RELU6, "Q8S", 4, "0"),
	UNARY(LOGISTIC, "F32", 1, "0"),
	UNARY(LOGISTIC, "Q8", 1, "0"),
	UNARY(TANH, "F32", 1, "0"),
	UNARY(TANH, "Q8", 3, "0"),
	UNARY(TANH, "Q8S", 4, "0"),
	UNARY(FLOOR, "F32", 1, "0"),
	UNARY(FLOOR, "F16", 3, "0"),
	UNARY(HARD_SWISH, "F32", 4, ""),
	UNARY(HARD_SWISH, "Q8", 4, ""),
	UNARY(ABS, "F32", 3, ""),
	UNARY(ABS, "I32", 4, ""),
	UNARY(NEG, "I32", 3, ""),
	UNARY(NEG, "F16", 3, ""),
	UNARY(EXP, "F32", 3, ""),
	UNARY(LOG, "F16", 3, ""),
	UNARY(SIN, "F32", 3, ""),
	UNARY(SQRT, "F32", 3, ""),
	UNARY(RSQRT, "F32", 3, ""),
	UNARY(RSQRT, "Q8", 7, ""),
	UNARY(RSQRT, "Q8S", 7, ""),
	UNARY(LOGICAL_NOT, "B8", 3, ""),
	{ NNMODEL_ELU, "F32:2x3 f", "F32:2x3", 4, "", "", false, "" },
	{ NNMODEL_ELU, "F16:2x3 f16", "F16:2x3", 4, "", "", false, "" },

	/* convolutions: implicit and explicit padding, layout, dilation */
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i i i i", "F32:1x4x4x3", 1, "", "",
	  false, "01" },
	{ NNMODEL_CONV_2D, "F16:" IMAGE " F16:3x2x2x2 F16:3 i i i i", "F16:1x4x4x3", 3, "", "",
	  false, "01" },
	{ NNMODEL_CONV_2D, "Q8:" IMAGE " Q8:3x2x2x2 I32:3 i i i i", "Q8:1x4x4x3@0.5", 1, FILTERS,
	  "", false, "01" },
	/* the output's scale not above the product: level 3 */
	{ NNMODEL_CONV_2D, "Q8:" IMAGE " Q8:3x2x2x2 I32:3 i i i i", "Q8:1x4x4x3@0.25", 3, FILTERS,
	  "", false, "01" },
	{ NNMODEL_CONV_2D, "Q8:" IMAGE " QPC:3x2x2x2 I32:3 i i i i", "Q8:1x4x4x3", 3, FILTERS, "",
	  false, "01" },
	{ NNMODEL_CONV_2D, "Q8S:" IMAGE " Q8S:3x2x2x2 I32:3 i i i i", "Q8S:1x4x4x3", 4,
	  FILTERS_SIGNED, "", false, "01" },
	{ NNMODEL_CONV_2D, "Q8S:" IMAGE " QPC:3x2x2x2 I32:3 i i i i", "Q8S:1x4x4x3", 4,
	  FILTERS_SIGNED, "", false, "01" },
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i i i i b", "F32:1x4x4x3", 3, "", "7",
	  false, "01" },
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i i i i b i i", "F32:1x4x4x3", 3,
	  "7:i32", "", false, "01" }, /* ten inputs: INT32 there makes it explicit padding */
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i i i i i i i", "F32:1x4x4x3", 1,
	  "7:bool", "", false, "01" },
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i i i i i i i b", "F32:1x4x4x3", 3, "",
	  "10", false, "01" },
	{ NNMODEL_CONV_2D, "F32:" IMAGE " F32:3x2x2x2 F32:3 i i i i i i i b i i", "F32:1x4x4x3", 3,
	  "", "", false, "01" },
	{ NNMODEL_DEPTHWISE_CONV_2D, "F32:" IMAGE " F32:1x2x2x4 F32:4 i i i i i", "F32:1x4x4x4", 1,
	  "", "", false, "" },
	{ NNMODEL_DEPTHWISE_CONV_2D, "Q8:" IMAGE " QPC:1x2x2x4/3 I32:4 i i i i i", "Q8:1x4x4x4", 3,
	  "1:Q8", "", false, "" },
	{ NNMODEL_DEPTHWISE_CONV_2D, "F32:" IMAGE " F32:1x2x2x4 F32:4 i i i i i b", "F32:1x4x4x4",
	  3, "", "8", false, "" },
	{ NNMODEL_DEPTHWISE_CONV_2D, "F32:" IMAGE " F32:1x2x2x4 F32:4 i i i i i b i i",
	  "F32:1x4x4x4", 3, "8:i32", "", false, "" },
	{ NNMODEL_DEPTHWISE_CONV_2D, "Q8S:" IMAGE " Q8S:1x2x2x4 I32:4 i i i i i i i i",
	  "Q8S:1x4x4x4", 4, "8:bool", "", false, "" },
	{ NNMODEL_DEPTHWISE_CONV_2D, "F32:" IMAGE " F32:1x2x2x4 F32:4 i i i i i i i i b",
	  "F32:1x4x4x4", 3, "", "11", false, "" },
	{ NNMODEL_DEPTHWISE_CONV_2D, "F32:" IMAGE " F32:1x2x2x4 F32:4 i i i i i i i i b i i",
	  "F32:1x4x4x4", 3, "", "", false, "" },
	{ NNMODEL_GROUPED_CONV_2D, "F32:" IMAGE " F32:2x2x2x1 F32:2 i i i i i b", "F32:1x4x4x2", 3,
	  "", "", false, "" },
	{ NNMODEL_GROUPED_CONV_2D, "Q8:" IMAGE " QPC:2x2x2x1 I32:2 i i i i i i i i b", "Q8:1x4x4x2",
	  3, FILTERS, "", false, "" },

	/* pooling */
	{ NNMODEL_AVERAGE_POOL_2D, "F32:" IMAGE " i i i i i i", "F32:1x2x2x2", 1, "", "", false,
	  "0" },
	{ NNMODEL_AVERAGE_POOL_2D, "Q8:" IMAGE " i i i i i i b", "Q8:1x2x2x2", 3, "", "7", false,
	  "0" },
	{ NNMODEL_MAX_POOL_2D, "Q8S:" IMAGE " i i i i i i i i i", "Q8S:1x2x2x2", 4, "", "", false,
	  "0" },
	{ NNMODEL_MAX_POOL_2D, "F16:" IMAGE " i i i i i i i i i b", "F16:1x2x2x2", 3, "", "10",
	  false, "0" },
	{ NNMODEL_L2_POOL_2D, "F32:" IMAGE " i i i i i i", "F32:1x2x2x2", 1, "", "", false, "0" },

	/* shapes */
	{ NNMODEL_RESHAPE, "F32:2x3 I:2", "F32:3x2", 1, "", "", false, "0" },
	{ NNMODEL_RESHAPE, "I32:2x3 I:2", "I32:3x2", 6, "", "", false, "0" },
	{ NNMODEL_SQUEEZE, "Q8:2x1 I:1", "Q8:2", 2, "", "", false, "0" },
	{ NNMODEL_EXPAND_DIMS, "I32:2x3 i", "I32:2x1x3", 3, "", "", false, "" },
	{ NNMODEL_EXPAND_DIMS, "Q8S:2x3 i", "Q8S:2x1x3", 4, "", "", false, "" },
	{ NNMODEL_TRANSPOSE, "F16:2x3 I:2", "F16:3x2", 3, "", "", false, "0" },
	{ NNMODEL_TRANSPOSE, "F32:2x3 ~I", "F32:3x2", 2, "", "", false, "0" },
	{ NNMODEL_CONCATENATION, "F32:2x3 F32:2x3 F32:2x1 i", "F32:2x7", 1, "", "0 1 2", false,
	  "012" },
	{ NNMODEL_CONCATENATION, "Q8:2x3 Q8:2x3@0.25 i", "Q8:2x6", 3, "", "0 1", false, "01" },
	{ NNMODEL_CONCATENATION, "Q8:2x3 i", "Q8:2x3", 1, "", "", false, "0" },
	{ NNMODEL_PACK, "i I32:2x3 I32:2x3", "I32:2x2x3", 6, "", "1 2", false, "" },
	{ NNMODEL_PACK, "i Q8:2x3@0.25,7 Q8:2x3@0.25,7", "Q8:2x2x3@0.25,7", 6, "", "1 2", false,
	  "" },
	{ NNMODEL_PAD, "F32:2x3 I:2x2", "F32:3x4", 2, "", "", false, "0" },
	{ NNMODEL_PAD, "Q8:2x3@0.5,1 I:2x2", "Q8:3x4@0.5,1", 3, "", "", false, "0" },
	{ NNMODEL_PAD_V2, "F32:2x3 I:2x2 f", "F32:3x4", 3, "", "", false, "0" },
	{ NNMODEL_PAD_V2, "F16:2x3 I:2x2 f16", "F16:3x4", 3, "", "", false, "0" },
	{ NNMODEL_PAD_V2, "Q8S:2x3 I:2x2 i", "Q8S:3x4", 4, "", "", false, "0" },

	/* reductions */
	{ NNMODEL_MEAN, "F32:2x3 I:1 i", "F32:2", 2, "", "", false, "0" },
	{ NNMODEL_REDUCE_ALL, "B8:2x3 I:1 b", "B8:2", 3, "", "", false, "0" },
	{ NNMODEL_REDUCE_ANY, "B8:2x3 I:1 b", "B8:2", 3, "", "", false, "0" },
	{ NNMODEL_REDUCE_MAX, "Q8S:2x3 I:1 b", "Q8S:2", 4, "", "", false, "0" },
	{ NNMODEL_REDUCE_MIN, "Q8:2x3 I:1 b", "Q8:2", 3, "", "", false, "0" },
	{ NNMODEL_REDUCE_PROD, "F16:2x3 I:1 b", "F16:2", 3, "", "", false, "0" },
	{ NNMODEL_REDUCE_SUM, "F32:2x3 I:1 b", "F32:2", 3, "", "", false, "0" },
	{ NNMODEL_ARGMAX, "F32:2x3 i", "I32:2", 3, "0:F32,F16,I32,Q8,Q8S", "", false, "" },
	{ NNMODEL_ARGMIN, "Q8S:2x3 i", "I32:2", 4, "0:F32,F16,I32,Q8,Q8S", "", false, "" },

	/* resizing */
	{ NNMODEL_RESIZE_BILINEAR, "F32:" IMAGE " i i", "F32:1x8x8x2", 1, "", "", false, "0" },
	{ NNMODEL_RESIZE_BILINEAR, "F32:" IMAGE " f f", "F32:1x8x8x2", 3, "", "", false, "0" },
	{ NNMODEL_RESIZE_BILINEAR, "F16:" IMAGE " f16 f16 b", "F16:1x8x8x2", 3, "", "3", false,
	  "0" },
	{ NNMODEL_RESIZE_BILINEAR, "Q8:" IMAGE " i i b b", "Q8:1x8x8x2", 4, "", "3 4", false, "0" },
	{ NNMODEL_RESIZE_BILINEAR, "Q8S:" IMAGE " f f b b b", "Q8S:1x8x8x2", 4, "", "3 4 5", false,
	  "0" },
	{ NNMODEL_RESIZE_NEAREST_NEIGHBOR, "F32:" IMAGE " i i b", "F32:1x8x8x2", 3, "", "", false,
	  "0" },
	{ NNMODEL_RESIZE_NEAREST_NEIGHBOR, "F32:" IMAGE " f f b b b", "F32:1x8x8x2", 4, "", "3 4 5",
	  false, "0" },

	/* conversions */
	{ NNMODEL_QUANTIZE, "F32:2x3", "Q8:2x3", 3, "0:F32,F16 1:Q8,Q8S", "", false, "" },
	{ NNMODEL_QUANTIZE, "F16:2x3", "Q8S:2x3", 4, "0:F32,F16 1:Q8,Q8S", "", false, "" },
	{ NNMODEL_DEQUANTIZE, "Q8:2x3", "F32:2x3", 1, "0:Q8,Q8S,Q8Y,QPC 1:F32,F16", "", false,
	  "0" },
	{ NNMODEL_DEQUANTIZE, "QPC:2x3/1", "F16:2x3", 3, "0:Q8,Q8S,Q8Y,QPC 1:F32,F16", "", false,
	  "0" },
	{ NNMODEL_DEQUANTIZE, "Q8Y:2x3", "F32:2x3", 3, "0:Q8,Q8S,Q8Y,QPC 1:F32,F16", "", false,
	  "0" },
	{ NNMODEL_DEQUANTIZE, "Q8S:2x3", "F32:2x3", 4, "0:Q8,Q8S,Q8Y,QPC 1:F32,F16", "", false,
	  "0" },
	{ NNMODEL_CAST, "F32:2x3", "I32:2x3", 3, "0:F32,F16,I32,Q8 1:F32,F16,I32,Q8", "", false,
	  "" },
	{ NNMODEL_CAST, "B8:2x3", "B8:2x3", 4, "", "", false, "" },
	{ NNMODEL_CAST, "Q16A:2x3", "Q16A:2x3", 4, "", "", false, "" },
	{ NNMODEL_CAST, "Q8S:2x3", "Q8S:2x3", 4, "", "", false, "" },

	/* and the rest */
	{ NNMODEL_SOFTMAX, "F32:2x3 f", "F32:2x3", 1, "", "", true, "0" },
	{ NNMODEL_SOFTMAX, "Q8:2x3x4 f", "Q8:2x3x4", 3, "", "", true, "0" },
	{ NNMODEL_SOFTMAX, "F16:2x3 f16 i", "F16:2x3", 3, "", "2", false, "0" },
	{ NNMODEL_LOG_SOFTMAX, "F32:2x3 f i", "F32:2x3", 3, "", "", false, "" },
	{ NNMODEL_FULLY_CONNECTED, "F32:2x3 F32:4x3 F32:4 i", "F32:2x4", 1, "", "", false, "012" },
	{ NNMODEL_FULLY_CONNECTED, "Q8:2x3 Q8:4x3 I32:4 i", "Q8:2x4", 1, "", "", false, "012" },
	{ NNMODEL_FULLY_CONNECTED, "Q8S:2x3 Q8S:4x3 I32:4 i", "Q8S:2x4", 4, "", "", false, "012" },
	{ NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM, LSTM_INPUTS("F32", "f"), "F32:3x2x4", 3, "", "",
	  false, "0" },
	{ NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM, LSTM_INPUTS("F16", "f16"),
	  "F16:3x2x4 F16:2x4 F16:2x4", 4, "", "", false, "0" },
};
const struct op_cases op_cases_basic = OP_CASES(basic);

const struct op_case *op_case_at(size_t i)
{
	static const struct op_cases *const tables[] = { &op_cases_basic, &op_cases_more };

	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
		if (i < tables[t]->num)
			return &tables[t]->cases[i];
		i -= tables[t]->num;
	}
	return NULL;
}

/* Whether "3:Q8,QPC 4:F16" lists @name at @operand. */
static bool listed(const char *list, uint32_t operand, const char *name)
{
	const size_t len = strlen(name);

	while (*list) {
		bool here = strtoul(list, (char **)&list, 10) == operand;

		do {
			list++;
			if (here && !strncmp(list, name, len) && strchr(", ", list[len]))
				return true;
			list += strcspn(list, ", ");
		} while (*list == ',');
		list += *list == ' ';
	}
	return false;
}

bool op_case_allows(const struct op_case *c, uint32_t n, uint32_t type)
{
	return type < NNMODEL_SUBGRAPH && listed(c->types, n, probe_type_name(type));
}

bool op_case_drops(const struct op_case *c, uint32_t n)
{
	const char *list = c->drop;

	while (*list)
		if (strtoul(list, (char **)&list, 10) == n)
			return true;
	return false;
}
