// SPDX-License-Identifier: Apache-2.0
/* Operators that NNAPI has not, by the formulas of others: of each element, and normalizations. */
#include <math.h>
#include <string.h>

#include "translator.h"

/* ---- of each element ---- */

/*
 * erf(x) by formula 7.1.26 of Abramowitz and Stegun, Handbook of Mathematical Functions, which is
 * within 1.5e-7: 1 - p(t) exp(-x * x) with t = 1 / (1 + 0.3275911 x), for x from 0. The sign of x
 * is x times a large number, within -1 and 1.
 */
static int translator_erf(struct translator *t, int x)
{
	static const float p[] = { 1.061405429f, -1.453152027f, 1.421413741f, -0.284496736f,
				   0.254829592f };
	int positive = translator_operation(t, NNMODEL_ABS, &x, 1), one = translator_number(t, 1);
	int reciprocal =
		translator_step(t, NNMODEL_DIV, one,
				translator_step(t, NNMODEL_ADD, one,
						translator_step(t, NNMODEL_MUL, positive,
								translator_number(t, 0.3275911f))));
	int sum = translator_step(t, NNMODEL_MUL, reciprocal, translator_number(t, p[0])), square;

	for (size_t i = 1; i < sizeof(p) / sizeof(p[0]); i++) {
		sum = translator_step(t, NNMODEL_ADD, sum, translator_number(t, p[i]));
		sum = translator_step(t, NNMODEL_MUL, sum, reciprocal);
	}
	square = translator_step(t, NNMODEL_MUL, x, x);
	square = translator_operation(t, NNMODEL_NEG, &square, 1);
	square = translator_operation(t, NNMODEL_EXP, &square, 1);
	sum = translator_step(t, NNMODEL_SUB, one, translator_step(t, NNMODEL_MUL, sum, square));
	x = translator_step(t, NNMODEL_MUL, x, translator_number(t, 1e30f));
	return translator_step(t, NNMODEL_MUL, sum, translator_clamp(t, x, -1, 1));
}

static void translate_erf(struct translator *t)
{
	if (translator_is_float(t))
		t->operands[t->node->outputs[0]] =
			translator_erf(t, translator_operand(t, t->node->inputs[0]));
}

/* x / 2 * (1 + erf(x / sqrt(2))), or with tanh(sqrt(2 / pi) * (x + 0.044715 * x * x * x)) in the
 * place of erf. */
static void translate_gelu(struct translator *t)
{
	const char *approximate = onnx_text(t->node, "approximate", "none");
	bool exact = !strcmp(approximate, "none");
	int x, y;

	if (!exact && strcmp(approximate, "tanh") != 0)
		TRANSLATOR_REFUSE(t, "attribute approximate is %.32s", approximate);
	if (!translator_is_float(t))
		return;
	x = translator_operand(t, t->node->inputs[0]);
	if (exact) {
		y = translator_erf(t, translator_step(t, NNMODEL_MUL, x,
						      translator_number(t, (float)M_SQRT1_2)));
	} else {
		y = translator_step(t, NNMODEL_MUL, translator_step(t, NNMODEL_MUL, x, x),
				    translator_number(t, 0.044715f));
		y = translator_step(t, NNMODEL_ADD, y, translator_number(t, 1));
		y = translator_step(t, NNMODEL_MUL, y, x);
		y = translator_step(t, NNMODEL_MUL, y,
				    translator_number(t, (float)(M_SQRT1_2 * M_2_SQRTPI)));
		y = translator_operation(t, NNMODEL_TANH, &y, 1);
	}
	y = translator_step(t, NNMODEL_ADD, y, translator_number(t, 1));
	x = translator_step(t, NNMODEL_MUL, x, translator_number(t, 0.5f));
	t->operands[t->node->outputs[0]] = translator_step(t, NNMODEL_MUL, x, y);
}

/* log(1 + exp(x)), as max(x, 0) + log(1 + exp(-|x|)), which does not overflow. */
static int translator_softplus(struct translator *t, int x)
{
	int y = translator_operation(t, NNMODEL_ABS, &x, 1);

	y = translator_operation(t, NNMODEL_NEG, &y, 1);
	y = translator_operation(t, NNMODEL_EXP, &y, 1);
	y = translator_step(t, NNMODEL_ADD, y, translator_number(t, 1));
	y = translator_operation(t, NNMODEL_LOG, &y, 1);
	return translator_step(t, NNMODEL_ADD, translator_operation(t, NNMODEL_RELU, &x, 1), y);
}

static void translate_softplus(struct translator *t)
{
	if (translator_is_float(t))
		t->operands[t->node->outputs[0]] =
			translator_softplus(t, translator_operand(t, t->node->inputs[0]));
}

/* x * tanh(softplus(x)) */
static void translate_mish(struct translator *t)
{
	int x, y;

	if (!translator_is_float(t))
		return;
	x = translator_operand(t, t->node->inputs[0]);
	y = translator_softplus(t, x);
	y = translator_operation(t, NNMODEL_TANH, &y, 1);
	t->operands[t->node->outputs[0]] = translator_step(t, NNMODEL_MUL, x, y);
}

static void translate_hard_sigmoid(struct translator *t)
{
	int x;

	if (!translator_is_float(t))
		return;
	x = translator_step(t, NNMODEL_MUL, translator_operand(t, t->node->inputs[0]),
			    translator_number(t, onnx_float(t->node, "alpha", 0.2f)));
	x = translator_step(t, NNMODEL_ADD, x,
			    translator_number(t, onnx_float(t->node, "beta", 0.5f)));
	t->operands[t->node->outputs[0]] = translator_clamp(t, x, 0, 1);
}

static void translate_reciprocal(struct translator *t)
{
	if (translator_is_float(t))
		t->operands[t->node->outputs[0]] =
			translator_step(t, NNMODEL_DIV, translator_number(t, 1),
					translator_operand(t, t->node->inputs[0]));
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

	if (!translator_is_float(t) || !channels || rank > 4 || !x->fixed ||
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

/* (x - mean) / sqrt(variance + epsilon) over the dimensions from @axis on. */
static int translator_normalize(struct translator *t, int axis)
{
	uint32_t dims[ONNX_MAX_RANK], rank = onnx_dims(translator_value(t, 0), dims);
	int x = translator_operand(t, t->node->inputs[0]), variance[3], sum, root;
	int centered = translator_step(t, NNMODEL_SUB, x, translator_mean(t, x, axis));

	variance[0] = translator_mean(t, translator_step(t, NNMODEL_MUL, centered, centered), axis);
	variance[1] = translator_number(t, onnx_float(t->node, "epsilon", 1e-5f));
	variance[2] = translator_int32(t, 0);
	for (uint32_t i = (uint32_t)axis; i < rank; i++)
		dims[i] = 1;
	sum = translator_temporary(t, NNMODEL_TENSOR_FLOAT32, dims, rank, 0, 0);
	translator_emit(t, NNMODEL_ADD, variance, 3, sum);
	root = translator_temporary(t, NNMODEL_TENSOR_FLOAT32, dims, rank, 0, 0);
	translator_emit(t, NNMODEL_RSQRT, &sum, 1, root);
	return translator_step(t, NNMODEL_MUL, centered, root);
}

static void translate_layer_normalization(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0);
	int axis = onnx_axis(onnx_int(t->node, "axis", -1), x->rank), y;
	uint64_t size = 1;

	if (!translator_is_float(t) || axis < 0 || x->rank > 4 || !x->fixed) {
		TRANSLATOR_REFUSE(t, "tensor %s has more than 4 dimensions, or not the axis",
				  x->name);
		return;
	}
	for (uint32_t i = (uint32_t)axis; i < x->rank; i++)
		size *= (uint64_t)x->dims[i];
	for (uint32_t i = 1; i < 3 && translator_input(t, i) != ONNX_NONE; i++)
		if (translator_value(t, i)->elements != size ||
		    translator_value(t, i)->rank > x->rank)
			TRANSLATOR_REFUSE(t, "input %u has not the dimensions from the axis on", i);
	y = translator_step(t, NNMODEL_MUL, translator_normalize(t, axis),
			    translator_operand(t, t->node->inputs[1]));
	if (translator_input(t, 2) != ONNX_NONE)
		y = translator_step(t, NNMODEL_ADD, y, translator_operand(t, t->node->inputs[2]));
	t->operands[t->node->outputs[0]] = y;
}

/* Of each channel of each image; NNAPI's own operation has one factor for all channels. */
static void translate_instance_normalization(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0);
	uint32_t dims[ONNX_MAX_RANK];
	const float *p[2];
	int y;

	if (!translator_is_float(t) || x->rank < 3 || x->rank > 4 || !x->fixed) {
		TRANSLATOR_REFUSE(t, "tensor %s has not 3 or 4 fixed dimensions", x->name);
		return;
	}
	for (uint32_t i = 0; i < 2; i++) {
		p[i] = translator_floats(t, translator_input(t, i + 1));
		if (!p[i] || translator_value(t, i + 1)->elements != (uint64_t)x->dims[1]) {
			TRANSLATOR_REFUSE(t, "input %u is no constant of %lld float32", i + 1,
					  (long long)x->dims[1]);
			return;
		}
	}
	dims[0] = (uint32_t)x->dims[1];
	dims[1] = dims[2] = 1;
	y = translator_step(t, NNMODEL_MUL, translator_normalize(t, 2),
			    translator_constant(t, NNMODEL_TENSOR_FLOAT32, dims, x->rank - 1, 0, 0,
						p[0]));
	t->operands[t->node->outputs[0]] = translator_step(
		t, NNMODEL_ADD, y,
		translator_constant(t, NNMODEL_TENSOR_FLOAT32, dims, x->rank - 1, 0, 0, p[1]));
}

const struct onnx_operator onnx_formula_operators[] = {
	ONNX_ROW("Erf", translate_erf, 0, 1, .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("Gelu", translate_gelu, 0, 1, .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("Softplus", translate_softplus, 0, 1, .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("Mish", translate_mish, 0, 1, .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("HardSigmoid", translate_hard_sigmoid, 0, 1, .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("Reciprocal", translate_reciprocal, 0, 1, .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("BatchNormalization", translate_batch_normalization, 0, 5,
		 .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("LayerNormalization", translate_layer_normalization, 0, 2,
		 .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("InstanceNormalization", translate_instance_normalization, 0, 3,
		 .shape = ONNX_SHAPE_SAME),
	{ 0 },
};
