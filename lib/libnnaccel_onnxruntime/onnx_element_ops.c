// SPDX-License-Identifier: Apache-2.0
/* Operators of each element that NNAPI has, or nearly has: arithmetic, comparisons, activations. */
#include <math.h>
#include <string.h>

#include "translator.h"

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

/* The type of an operand for a value of float32, bool, int32 or int64. */
static uint32_t value_type(const struct onnx_value *v)
{
	return v->type == ORT_BOOL	? NNMODEL_TENSOR_BOOL8
	       : v->type == ORT_FLOAT32 ? NNMODEL_TENSOR_FLOAT32
					: NNMODEL_TENSOR_INT32;
}

/* The only element of a constant. */
static double translator_only(struct translator *t, const struct onnx_value *v)
{
	const int64_t integer = v->type == ORT_INT64   ? *(const int64_t *)v->data
				: v->type == ORT_INT32 ? *(const int32_t *)v->data
						       : *(const bool *)v->data;

	if (v->type == ORT_FLOAT32)
		return (double)*(const float *)v->data;
	if (integer < INT32_MIN || integer > INT32_MAX)
		TRANSLATOR_REFUSE(t, "tensor %s has a number beyond 32 bits", v->name);
	return (double)integer;
}

/*
 * Input @i in the dimensions of the output, which SELECT does not make itself: one number is
 * copied to all elements, other inputs are added to zeros (BOOL8: or-ed with them).
 */
static int translator_spread(struct translator *t, uint32_t i)
{
	const struct onnx_value *x = translator_value(t, i),
				*y = &t->g->values[t->node->outputs[0]];
	const uint32_t type = value_type(x);
	uint32_t dims[ONNX_MAX_RANK], rank = onnx_dims(y, dims);
	int inputs[3], to;

	if (x->rank == y->rank && !memcmp(x->dims, y->dims, x->rank * sizeof(*x->dims)))
		return translator_operand(t, t->node->inputs[i]);
	if (x->data && x->elements == 1)
		return translator_fill(t, y, type, translator_only(t, x));
	inputs[0] = translator_operand(t, t->node->inputs[i]);
	inputs[1] = translator_fill(t, y, type, 0);
	inputs[2] = x->type == ORT_BOOL ? 0 : translator_int32(t, 0);
	to = translator_temporary(t, type, dims, rank, 0, 0);
	translator_emit(t, x->type == ORT_BOOL ? NNMODEL_LOGICAL_OR : NNMODEL_ADD, inputs,
			x->type == ORT_BOOL ? 2 : 3, to);
	return to;
}

static bool translator_selects(struct translator *t, const struct onnx_value *v)
{
	if (v->type != ORT_FLOAT32 && v->type != ORT_INT32 && v->type != ORT_INT64)
		TRANSLATOR_REFUSE(t,
				  "tensor %s is %s; float32, int32 and int64 are translated here",
				  v->name, onnx_type_name(v->type));
	return !t->error;
}

static void translate_where(struct translator *t)
{
	const struct result r = { .value = t->node->outputs[0] };
	int inputs[3];

	if (translator_value(t, 0)->type != ORT_BOOL)
		TRANSLATOR_REFUSE(t, "its condition is not bool");
	if (!broadcast_fits(t) || !translator_selects(t, translator_value(t, 1)))
		return;
	for (uint32_t i = 0; i < 3; i++)
		inputs[i] = translator_spread(t, i);
	translator_emit(t, NNMODEL_SELECT, inputs, 3, translator_result(t, &r));
}

static void translate_expand(struct translator *t)
{
	const struct result r = { .value = t->node->outputs[0] };
	const struct onnx_value *x = translator_value(t, 0), *y = &t->g->values[r.value];
	int inputs[2];

	if (y->rank > 4)
		TRANSLATOR_REFUSE(t, "its result has %u dimensions, and NNAPI broadcasts 4 at most",
				  y->rank);
	if (x->type != ORT_BOOL && !translator_selects(t, x))
		return;
	if (x->rank != y->rank || x->elements != y->elements) {
		t->operands[t->node->outputs[0]] = translator_spread(t, 0);
		return;
	}
	/* it repeats nothing, as with a batch of 1 */
	inputs[0] = translator_operand(t, t->node->inputs[0]);
	inputs[1] = x->type == ORT_BOOL ? inputs[0] : translator_list(t, y->dims, y->rank);
	translator_emit(t, x->type == ORT_BOOL ? NNMODEL_LOGICAL_OR : NNMODEL_RESHAPE, inputs, 2,
			translator_result(t, &r));
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

	if (!translator_is_float(t))
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
	if (!translator_is_float(t))
		return;
	t->operands[t->node->outputs[0]] =
		translator_clamp(t, translator_operand(t, t->node->inputs[0]),
				 fmaxf(bounds[0], -3e38f), fminf(bounds[1], 3e38f));
}

static void translate_leaky(struct translator *t)
{
	struct result r = translator_plan(t, 1, 0);
	int inputs[2] = { translator_argument(t, &r, 0), 0 };

	if (!translator_is_float(t))
		return;
	inputs[1] = translator_number(t, onnx_float(t->node, "alpha", 0.01f));
	translator_emit(t, NNMODEL_PRELU, inputs, 2, translator_result(t, &r));
}

/* From bool, by SELECT of 1 and 0. */
static void translate_bool(struct translator *t)
{
	const struct result r = { .value = t->node->outputs[0] };
	const struct onnx_value *y = &t->g->values[r.value];
	const uint32_t type = value_type(y);
	int inputs[3];

	inputs[0] = translator_operand(t, t->node->inputs[0]);
	inputs[1] = translator_fill(t, y, type, 1);
	inputs[2] = translator_fill(t, y, type, 0);
	translator_emit(t, NNMODEL_SELECT, inputs, 3, translator_result(t, &r));
}

/* int64 is int32 on both sides. From float32 it is refused: numbers beyond 32 bits would change. */
static void translate_cast(struct translator *t)
{
	const int from = translator_value(t, 0)->type, to = t->g->values[t->node->outputs[0]].type;
	const struct result r = { .value = t->node->outputs[0] };
	bool integer = from == ORT_INT32 || from == ORT_INT64;
	int in;

	if ((from != ORT_BOOL && from != ORT_FLOAT32 && !integer) ||
	    (to != ORT_FLOAT32 && to != ORT_INT32 && !(to == ORT_INT64 && from != ORT_FLOAT32))) {
		TRANSLATOR_REFUSE(
			t,
			"from %s to %s; NNAPI casts from bool, float32, int32 and int64 to float32 and int32 here, and to int64 where the numbers stay",
			onnx_type_name(from), onnx_type_name(to));
		return;
	}
	if (from == ORT_BOOL) {
		translate_bool(t);
		return;
	}
	in = translator_operand(t, t->node->inputs[0]);
	translator_emit(t, NNMODEL_CAST, &in, 1, translator_result(t, &r));
}

const struct onnx_operator onnx_element_operators[] = {
	ONNX_ROW("Add", translate_arithmetic, NNMODEL_ADD, 2,
		 .flags = RESULT_ACTIVATION | RESULT_QUANTIZED, .shape = ONNX_SHAPE_BROADCAST),
	ONNX_ROW("Sub", translate_arithmetic, NNMODEL_SUB, 2,
		 .flags = RESULT_ACTIVATION | RESULT_QUANTIZED, .shape = ONNX_SHAPE_BROADCAST),
	ONNX_ROW("Mul", translate_arithmetic, NNMODEL_MUL, 2,
		 .flags = RESULT_ACTIVATION | RESULT_QUANTIZED, .shape = ONNX_SHAPE_BROADCAST),
	ONNX_ROW("Div", translate_arithmetic, NNMODEL_DIV, 2, .flags = RESULT_ACTIVATION,
		 .shape = ONNX_SHAPE_BROADCAST),
	ONNX_ROW("Pow", translate_pair, NNMODEL_POW, 2, .shape = ONNX_SHAPE_BROADCAST),
	ONNX_ROW("PRelu", translate_pair, NNMODEL_PRELU, 2, .flags = RESULT_QUANTIZED,
		 .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("Min", translate_pair, NNMODEL_MINIMUM, 2, .int64 = true,
		 .shape = ONNX_SHAPE_BROADCAST),
	ONNX_ROW("Max", translate_pair, NNMODEL_MAXIMUM, 2, .int64 = true,
		 .shape = ONNX_SHAPE_BROADCAST),
	ONNX_ROW("Equal", translate_pair, NNMODEL_EQUAL, 2, .int64 = true,
		 .shape = ONNX_SHAPE_BROADCAST),
	ONNX_ROW("Less", translate_pair, NNMODEL_LESS, 2, .int64 = true,
		 .shape = ONNX_SHAPE_BROADCAST),
	ONNX_ROW("LessOrEqual", translate_pair, NNMODEL_LESS_EQUAL, 2, .int64 = true,
		 .shape = ONNX_SHAPE_BROADCAST),
	ONNX_ROW("Greater", translate_pair, NNMODEL_GREATER, 2, .int64 = true,
		 .shape = ONNX_SHAPE_BROADCAST),
	ONNX_ROW("GreaterOrEqual", translate_pair, NNMODEL_GREATER_EQUAL, 2, .int64 = true,
		 .shape = ONNX_SHAPE_BROADCAST),
	ONNX_ROW("And", translate_pair, NNMODEL_LOGICAL_AND, 2, .shape = ONNX_SHAPE_BROADCAST),
	ONNX_ROW("Or", translate_pair, NNMODEL_LOGICAL_OR, 2, .shape = ONNX_SHAPE_BROADCAST),
	ONNX_ROW("Not", translate_unary, NNMODEL_LOGICAL_NOT, 1, .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("Where", translate_where, NNMODEL_SELECT, 3, .int64 = true,
		 .shape = ONNX_SHAPE_BROADCAST),
	ONNX_ROW("Expand", translate_expand, 0, 1, .int64 = true),
	ONNX_ROW("Relu", translate_activation, 0, 1, .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("Clip", translate_activation, 0, 1, .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("LeakyRelu", translate_leaky, 0, 1, .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("Elu", translate_elu, 0, 1, .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("Sigmoid", translate_unary, NNMODEL_LOGISTIC, 1, .flags = RESULT_QUANTIZED,
		 .scale = 1.0f / 256, .zero_unsigned = 0, .zero_signed = -128,
		 .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("Tanh", translate_unary, NNMODEL_TANH, 1, .flags = RESULT_QUANTIZED,
		 .scale = 1.0f / 128, .zero_unsigned = 128, .zero_signed = 0,
		 .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("HardSwish", translate_unary, NNMODEL_HARD_SWISH, 1, .flags = RESULT_QUANTIZED,
		 .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("Sqrt", translate_unary, NNMODEL_SQRT, 1, .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("Exp", translate_unary, NNMODEL_EXP, 1, .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("Log", translate_unary, NNMODEL_LOG, 1, .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("Neg", translate_unary, NNMODEL_NEG, 1, .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("Abs", translate_unary, NNMODEL_ABS, 1, .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("Floor", translate_unary, NNMODEL_FLOOR, 1, .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("Sin", translate_unary, NNMODEL_SIN, 1, .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("Cast", translate_cast, 0, 1, .int64 = true, .shape = ONNX_SHAPE_SAME),
	{ 0 },
};
