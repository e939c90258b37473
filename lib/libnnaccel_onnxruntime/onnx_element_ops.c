// SPDX-License-Identifier: Apache-2.0
/* Operators of each element: arithmetic, activations, normalizations by their formulas. */
#include <math.h>
#include <string.h>

#include "translator.h"

/* A float32 operation on operands, whose result has the dimensions of the current node's. */
static int translator_operation(struct translator *t, uint32_t opcode, const int *inputs,
				uint32_t count)
{
	uint32_t dims[ONNX_MAX_RANK], rank = onnx_dims(&t->g->values[t->node->outputs[0]], dims);
	int to = translator_temporary(t, NNMODEL_TENSOR_FLOAT32, dims, rank, 0, 0);

	translator_emit(t, opcode, inputs, count, to);
	return to;
}

/* One with an activation, which is none. */
static int translator_step(struct translator *t, uint32_t opcode, int a, int b)
{
	return translator_operation(t, opcode, (const int[]){ a, b, translator_int32(t, 0) }, 3);
}

static int translator_clamp(struct translator *t, int x, float low, float high)
{
	x = translator_operation(t, NNMODEL_MAXIMUM, (const int[]){ x, translator_number(t, low) },
				 2);
	return translator_operation(t, NNMODEL_MINIMUM,
				    (const int[]){ x, translator_number(t, high) }, 2);
}

static bool is_float(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0);

	if (x->type != ORT_FLOAT32)
		TRANSLATOR_REFUSE(t, "tensor %s is %s; only float32 is translated here", x->name,
				  onnx_type_name(x->type));
	return !t->error;
}

/* ---- two operands ---- */

static bool broadcast_fits(struct translator *t)
{
	for (uint32_t i = 0; i < t->node->num_inputs; i++)
		if (translator_input(t, i) != ONNX_NONE && translator_value(t, i)->rank > 4) {
			TRANSLATOR_REFUSE(
				t,
				"tensor %s has %u dimensions, and NNAPI broadcasts 4 at most; reshape it",
				translator_value(t, i)->name, translator_value(t, i)->rank);
			return false;
		}
	return true;
}

static void translate_arithmetic(struct translator *t)
{
	struct result r;
	int inputs[3];

	if (!broadcast_fits(t))
		return;
	r = translator_plan(t, 2, t->row->flags);
	inputs[0] = translator_argument(t, &r, 0);
	inputs[1] = translator_argument(t, &r, 1);
	inputs[2] = translator_int32(t, r.activation);
	translator_emit(t, t->row->opcode, inputs, 3, translator_result(t, &r));
}

/* Pow, PRelu, comparisons; Min and Max of two. */
static void translate_pair(struct translator *t)
{
	struct result r;
	int inputs[2];

	if (t->node->num_inputs != 2)
		TRANSLATOR_REFUSE(
			t, "only two inputs are translated; use a node for each further one");
	if (!broadcast_fits(t) || t->error)
		return;
	r = translator_plan(t, 2, t->row->flags);
	inputs[0] = translator_argument(t, &r, 0);
	inputs[1] = translator_argument(t, &r, 1);
	translator_emit(t, t->row->opcode, inputs, 2, translator_result(t, &r));
}

/* ---- one operand ---- */

static void translate_unary(struct translator *t)
{
	struct result r = translator_plan(t, 1, t->row->flags);
	int in = translator_argument(t, &r, 0);

	translator_emit(t, t->row->opcode, &in, 1, translator_result(t, &r));
}

static void translate_elu(struct translator *t)
{
	const struct result r = { .value = t->node->outputs[0] };
	int inputs[2];

	if (!is_float(t))
		return;
	inputs[0] = translator_operand(t, t->node->inputs[0]);
	inputs[1] = translator_float32(t, onnx_float(t->node, "alpha", 1));
	translator_emit(t, NNMODEL_ELU, inputs, 2, translator_result(t, &r));
}

static void translate_activation(struct translator *t)
{
	static const uint32_t opcodes[] = { 0, NNMODEL_RELU, NNMODEL_RELU1, NNMODEL_RELU6 };
	uint32_t activation = onnx_activation(t->g, t->node);
	float bounds[2] = { -INFINITY, INFINITY };
	struct result r;
	int in;

	if (activation) {
		r = translator_plan(t, 1, RESULT_QUANTIZED | RESULT_SAME);
		in = translator_argument(t, &r, 0);
		translator_emit(t, opcodes[activation], &in, 1, translator_result(t, &r));
		return;
	}
	bounds[0] = onnx_float(t->node, "min", bounds[0]);
	bounds[1] = onnx_float(t->node, "max", bounds[1]);
	for (uint32_t i = 0; i < 2; i++) {
		const float *bound = translator_input(t, i + 1) == ONNX_NONE
					     ? &bounds[i]
					     : translator_floats(t, translator_input(t, i + 1));

		if (!bound || (bound != &bounds[i] && translator_value(t, i + 1)->elements != 1)) {
			TRANSLATOR_REFUSE(t, "its bounds are no constants of float32");
			return;
		}
		bounds[i] = *bound;
	}
	if (!is_float(t))
		return;
	t->operands[t->node->outputs[0]] =
		translator_clamp(t, translator_operand(t, t->node->inputs[0]),
				 fmaxf(bounds[0], -3e38f), fminf(bounds[1], 3e38f));
}

static void translate_leaky(struct translator *t)
{
	struct result r = translator_plan(t, 1, 0);
	int inputs[2] = { translator_argument(t, &r, 0), 0 };

	if (!is_float(t))
		return;
	inputs[1] = translator_number(t, onnx_float(t->node, "alpha", 0.01f));
	translator_emit(t, NNMODEL_PRELU, inputs, 2, translator_result(t, &r));
}

static void translate_hard_sigmoid(struct translator *t)
{
	int x;

	if (!is_float(t))
		return;
	x = translator_step(t, NNMODEL_MUL, translator_operand(t, t->node->inputs[0]),
			    translator_number(t, onnx_float(t->node, "alpha", 0.2f)));
	x = translator_step(t, NNMODEL_ADD, x,
			    translator_number(t, onnx_float(t->node, "beta", 0.5f)));
	t->operands[t->node->outputs[0]] = translator_clamp(t, x, 0, 1);
}

static void translate_reciprocal(struct translator *t)
{
	if (is_float(t))
		t->operands[t->node->outputs[0]] =
			translator_step(t, NNMODEL_DIV, translator_number(t, 1),
					translator_operand(t, t->node->inputs[0]));
}

static void translate_cast(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0),
				*y = &t->g->values[t->node->outputs[0]];
	const struct result r = { .value = t->node->outputs[0] };
	int in;

	if ((x->type != ORT_FLOAT32 && x->type != ORT_INT32) ||
	    (y->type != ORT_FLOAT32 && y->type != ORT_INT32)) {
		TRANSLATOR_REFUSE(t, "from %s to %s; NNAPI casts between float32 and int32 here",
				  onnx_type_name(x->type), onnx_type_name(y->type));
		return;
	}
	in = translator_operand(t, t->node->inputs[0]);
	translator_emit(t, NNMODEL_CAST, &in, 1, translator_result(t, &r));
}

/* ---- normalizations ---- */

/* (x - mean) / sqrt(variance + epsilon) * scale + bias, of constants for each channel: one product,
 * one sum. */
static void translate_batch_normalization(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0);
	const uint32_t channels = x->rank > 1 ? (uint32_t)x->dims[1] : 0;
	const float *p[4], epsilon = onnx_float(t->node, "epsilon", 1e-5f);
	float *scale = translator_alloc(t, channels, sizeof(*scale)),
	      *bias = translator_alloc(t, channels, sizeof(*bias));
	uint32_t dims[4] = { 1, 1, 1, 1 }, rank = x->rank;
	int product;

	if (!is_float(t) || !channels || rank > 4 || !x->fixed ||
	    onnx_int(t->node, "training_mode", 0)) {
		TRANSLATOR_REFUSE(
			t,
			"tensor %s has no channels, or more than 4 dimensions, or this is training",
			x->name);
		return;
	}
	for (uint32_t i = 0; i < 4; i++) {
		p[i] = translator_floats(t, translator_input(t, i + 1));
		if (!p[i] || translator_value(t, i + 1)->elements != channels) {
			TRANSLATOR_REFUSE(t, "input %u is no constant of %u float32", i + 1,
					  channels);
			return;
		}
	}
	for (uint32_t i = 0; i < channels; i++) {
		scale[i] = p[0][i] / sqrtf(p[3][i] + epsilon);
		bias[i] = p[1][i] - p[2][i] * scale[i];
	}
	dims[0] = channels;
	for (uint32_t i = 2; i < rank; i++)
		dims[i - 1] = 1;
	product = translator_step(t, NNMODEL_MUL, translator_operand(t, t->node->inputs[0]),
				  translator_constant(t, NNMODEL_TENSOR_FLOAT32, dims, rank - 1, 0,
						      0, scale));
	t->operands[t->node->outputs[0]] = translator_step(
		t, NNMODEL_ADD, product,
		translator_constant(t, NNMODEL_TENSOR_FLOAT32, dims, rank - 1, 0, 0, bias));
}

/* The mean along dimensions from @axis on, which stay as 1. */
static int translator_mean(struct translator *t, int x, int axis)
{
	const struct onnx_value *v = translator_value(t, 0);
	uint32_t dims[ONNX_MAX_RANK], rank = onnx_dims(v, dims);
	int64_t axes[ONNX_MAX_RANK];
	uint32_t count = 0;
	int inputs[3], to;

	for (uint32_t i = (uint32_t)axis; i < rank; i++) {
		axes[count++] = i;
		dims[i] = 1;
	}
	inputs[0] = x;
	inputs[1] = translator_list(t, axes, count);
	inputs[2] = translator_int32(t, 1);
	to = translator_temporary(t, NNMODEL_TENSOR_FLOAT32, dims, rank, 0, 0);
	translator_emit(t, NNMODEL_MEAN, inputs, 3, to);
	return to;
}

static void translate_layer_normalization(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0);
	int axis = onnx_axis(onnx_int(t->node, "axis", -1), x->rank), centered, squares, sum, root,
	    one[3];
	uint32_t dims[ONNX_MAX_RANK], rank = onnx_dims(x, dims);
	uint64_t size = 1;

	if (!is_float(t) || axis < 0 || rank > 4 || !x->fixed) {
		TRANSLATOR_REFUSE(t, "tensor %s has more than 4 dimensions, or not the axis",
				  x->name);
		return;
	}
	for (uint32_t i = (uint32_t)axis; i < rank; i++)
		size *= (uint64_t)x->dims[i];
	for (uint32_t i = 1; i < 3 && translator_input(t, i) != ONNX_NONE; i++)
		if (translator_value(t, i)->elements != size || translator_value(t, i)->rank > rank)
			TRANSLATOR_REFUSE(t, "input %u has not the dimensions from the axis on", i);
	one[0] = translator_operand(t, t->node->inputs[0]);
	centered = translator_step(t, NNMODEL_SUB, one[0], translator_mean(t, one[0], axis));
	squares = translator_mean(t, translator_step(t, NNMODEL_MUL, centered, centered), axis);
	for (uint32_t i = (uint32_t)axis; i < rank; i++)
		dims[i] = 1;
	sum = translator_temporary(t, NNMODEL_TENSOR_FLOAT32, dims, rank, 0, 0);
	one[0] = squares;
	one[1] = translator_number(t, onnx_float(t->node, "epsilon", 1e-5f));
	one[2] = translator_int32(t, 0);
	translator_emit(t, NNMODEL_ADD, one, 3, sum);
	root = translator_temporary(t, NNMODEL_TENSOR_FLOAT32, dims, rank, 0, 0);
	translator_emit(t, NNMODEL_RSQRT, &sum, 1, root);
	centered = translator_step(t, NNMODEL_MUL, centered, root);
	centered = translator_step(t, NNMODEL_MUL, centered,
				   translator_operand(t, t->node->inputs[1]));
	if (translator_input(t, 2) != ONNX_NONE)
		centered = translator_step(t, NNMODEL_ADD, centered,
					   translator_operand(t, t->node->inputs[2]));
	t->operands[t->node->outputs[0]] = centered;
}

const struct onnx_operator onnx_element_operators[] = {
	ONNX_ROW("Add", translate_arithmetic, NNMODEL_ADD, 2,
		 .flags = RESULT_ACTIVATION | RESULT_QUANTIZED),
	ONNX_ROW("Sub", translate_arithmetic, NNMODEL_SUB, 2,
		 .flags = RESULT_ACTIVATION | RESULT_QUANTIZED),
	ONNX_ROW("Mul", translate_arithmetic, NNMODEL_MUL, 2,
		 .flags = RESULT_ACTIVATION | RESULT_QUANTIZED),
	ONNX_ROW("Div", translate_arithmetic, NNMODEL_DIV, 2, .flags = RESULT_ACTIVATION),
	ONNX_ROW("Pow", translate_pair, NNMODEL_POW, 2, ),
	ONNX_ROW("PRelu", translate_pair, NNMODEL_PRELU, 2, .flags = RESULT_QUANTIZED),
	ONNX_ROW("Min", translate_pair, NNMODEL_MINIMUM, 2, ),
	ONNX_ROW("Max", translate_pair, NNMODEL_MAXIMUM, 2, ),
	ONNX_ROW("Relu", translate_activation, 0, 1, ),
	ONNX_ROW("Clip", translate_activation, 0, 1, ),
	ONNX_ROW("LeakyRelu", translate_leaky, 0, 1, ),
	ONNX_ROW("Elu", translate_elu, 0, 1, ),
	ONNX_ROW("Sigmoid", translate_unary, NNMODEL_LOGISTIC, 1, .flags = RESULT_QUANTIZED,
		 .scale = 1.0f / 256, .zero_unsigned = 0, .zero_signed = -128),
	ONNX_ROW("Tanh", translate_unary, NNMODEL_TANH, 1, .flags = RESULT_QUANTIZED,
		 .scale = 1.0f / 128, .zero_unsigned = 128, .zero_signed = 0),
	ONNX_ROW("HardSwish", translate_unary, NNMODEL_HARD_SWISH, 1, .flags = RESULT_QUANTIZED),
	ONNX_ROW("Sqrt", translate_unary, NNMODEL_SQRT, 1, ),
	ONNX_ROW("Exp", translate_unary, NNMODEL_EXP, 1, ),
	ONNX_ROW("Log", translate_unary, NNMODEL_LOG, 1, ),
	ONNX_ROW("Neg", translate_unary, NNMODEL_NEG, 1, ),
	ONNX_ROW("Abs", translate_unary, NNMODEL_ABS, 1, ),
	ONNX_ROW("Floor", translate_unary, NNMODEL_FLOOR, 1, ),
	ONNX_ROW("Sin", translate_unary, NNMODEL_SIN, 1, ),
	ONNX_ROW("HardSigmoid", translate_hard_sigmoid, 0, 1, ),
	ONNX_ROW("Reciprocal", translate_reciprocal, 0, 1, ),
	ONNX_ROW("Cast", translate_cast, 0, 1, ),
	ONNX_ROW("BatchNormalization", translate_batch_normalization, 0, 5, ),
	ONNX_ROW("LayerNormalization", translate_layer_normalization, 0, 2, ),
	{ 0 },
};
