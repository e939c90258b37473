// SPDX-License-Identifier: Apache-2.0
/* Products of matrices: Gemm, MatMul; and Softmax, whose rows are those of matrices. */
#include <string.h>

#include "translator.h"

/* Rows of [units, depth] from the graph's order. @turned: it is [depth, units]. */
static const void *matrix_rows(struct translator *t, const struct weights *w, uint32_t units,
			       uint32_t depth, bool turned)
{
	uint8_t *rows;

	if (!turned || t->error)
		return w->data;
	rows = translator_alloc(t, (size_t)units * depth, w->size);
	for (size_t u = 0; rows && u < units; u++)
		for (size_t d = 0; d < depth; d++)
			memcpy(rows + (u * depth + d) * w->size,
			       (const uint8_t *)w->data + (d * units + u) * w->size, w->size);
	return rows;
}

static void scale_rows(struct translator *t, struct weights *w, size_t count, float factor)
{
	float *scaled = factor == 1 ? NULL : translator_alloc(t, count, sizeof(*scaled));

	if (w->size == 1)
		w->scale *= factor;
	for (size_t i = 0; scaled && w->size != 1 && i < count; i++)
		scaled[i] = ((const float *)w->data)[i] * factor;
	if (scaled && w->size != 1)
		w->data = scaled;
}

/*
 * Data times constant weights. Where the weights have scales of their own per unit, NNAPI has only
 * a convolution: of images of one pixel.
 */
static void translate_dense(struct translator *t, bool turned, float alpha, float beta)
{
	const struct onnx_value *v = translator_value(t, 1), *y;
	const uint32_t depth = (uint32_t)v->dims[turned ? 0 : 1],
		       units = (uint32_t)v->dims[turned ? 1 : 0];
	uint32_t dims[ONNX_MAX_RANK], rank, rows, count = 3;
	int64_t shape[ONNX_MAX_RANK];
	struct weights w;
	struct result r = weights_plan(t, turned ? 1 : 0, &w);
	int inputs[16], in, out;

	if (t->error)
		return;
	if (alpha != 1 && w.scales) {
		TRANSLATOR_REFUSE(
			t,
			"alpha is not 1, and the weights have scales per channel; multiply the scales by alpha");
		return;
	}
	y = &t->g->values[r.value];
	rows = (uint32_t)(y->elements / units);
	scale_rows(t, &w, (size_t)units * depth, alpha);
	in = translator_argument(t, &r, 0);
	if (w.scales) {
		const int64_t image[] = { rows, 1, 1, depth };
		const struct onnx_value *x =
			&t->g->values[translator_view(t, translator_input(t, 0))];
		int pair[2] = { in, translator_list(t, image, 4) };

		in = translator_temporary(t,
					  x->type == ORT_INT8 ? NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED
							      : NNMODEL_TENSOR_QUANT8_ASYMM,
					  (const uint32_t[]){ rows, 1, 1, depth }, 4, x->scale,
					  x->zero_point);
		translator_emit(t, NNMODEL_RESHAPE, pair, 2, in);
	}
	inputs[0] = in;
	inputs[1] = weights_operand(t, &w,
				    w.scales ? (const uint32_t[]){ units, 1, 1, depth }
					     : (const uint32_t[]){ units, depth },
				    w.scales ? 4 : 2, 0, matrix_rows(t, &w, units, depth, turned));
	inputs[2] = weights_bias(t, &w, &r, units, beta);
	for (int i = 0; w.scales && i < 6; i++)
		inputs[count++] = translator_int32(t, i >= 4);
	inputs[count++] = translator_int32(t, r.activation);
	rank = onnx_dims(y, dims);
	if (!w.scales && rank == 2) {
		translator_emit(t, NNMODEL_FULLY_CONNECTED, inputs, count,
				translator_result(t, &r));
		return;
	}
	out = w.scales ? translator_like(t, &r, (const uint32_t[]){ rows, 1, 1, units }, 4)
		       : translator_like(t, &r, (const uint32_t[]){ rows, units }, 2);
	translator_emit(t, w.scales ? NNMODEL_CONV_2D : NNMODEL_FULLY_CONNECTED, inputs, count,
			out);
	for (uint32_t i = 0; i < rank; i++)
		shape[i] = dims[i];
	inputs[0] = out;
	inputs[1] = translator_list(t, shape, rank);
	translator_emit(t, NNMODEL_RESHAPE, inputs, 2, translator_result(t, &r));
}

/* The product of two tensors that are no constants, or of a constant first one. */
static struct result translate_product(struct translator *t, bool turn_x, bool turn_y, int *product)
{
	const struct onnx_value *x = translator_value(t, 0), *y = translator_value(t, 1);
	bool fits = x->fixed && y->fixed && x->rank == y->rank && x->rank >= 2;
	int view = translator_view(t, translator_input(t, 0));
	struct result r = { .value = t->node->outputs[0] };
	int inputs[4];

	for (uint32_t i = 0; fits && i + 2 < x->rank; i++)
		fits = x->dims[i] == y->dims[i];
	if (!fits) {
		TRANSLATOR_REFUSE(
			t,
			"%s and %s are not tensors of one rank from 2 with the same first dimensions; reshape or expand them",
			x->name, y->name);
		return r;
	}
	/* the quantized form is of int8 only */
	r = translator_plan(t, 2,
			    view != ONNX_NONE && t->g->values[view].type == ORT_INT8 && !product
				    ? RESULT_QUANTIZED
				    : 0);
	inputs[0] = translator_argument(t, &r, 0);
	inputs[1] = translator_argument(t, &r, 1);
	inputs[2] = translator_bool(t, turn_x);
	inputs[3] = translator_bool(t, turn_y);
	if (product) {
		uint32_t dims[ONNX_MAX_RANK], rank = onnx_dims(&t->g->values[r.value], dims);

		*product = translator_like(t, &r, dims, rank);
	}
	translator_emit(t, NNMODEL_BATCH_MATMUL, inputs, 4,
			product ? *product : translator_result(t, &r));
	return r;
}

static bool is_constant_matrix(const struct translator *t, uint32_t i)
{
	const struct onnx_value *v = translator_value(t, i);

	return v->rank == 2 && v->fixed &&
	       (v->data || translator_dequantizer(t, translator_input(t, i)));
}

static void translate_matmul(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0), *w = translator_value(t, 1);

	if (!is_constant_matrix(t, 1) || !x->fixed || x->rank < 2 || x->rank > 4)
		translate_product(t, false, false, NULL);
	else if (x->dims[x->rank - 1] != w->dims[0])
		TRANSLATOR_REFUSE(t, "rows of %lld do not fit to weights of %lld",
				  (long long)x->dims[x->rank - 1], (long long)w->dims[0]);
	else
		translate_dense(t, true, 1, 1);
}

static void translate_gemm(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0), *w = translator_value(t, 1);
	bool turn_x = onnx_int(t->node, "transA", 0), turn_w = onnx_int(t->node, "transB", 0);
	float alpha = onnx_float(t->node, "alpha", 1), beta = onnx_float(t->node, "beta", 1);
	int product, inputs[3];
	struct result r;

	if (is_constant_matrix(t, 1) && !turn_x && x->rank == 2 && x->fixed) {
		if (x->dims[1] != w->dims[turn_w ? 1 : 0])
			TRANSLATOR_REFUSE(t, "rows of %lld do not fit to the weights",
					  (long long)x->dims[1]);
		else
			translate_dense(t, !turn_w, alpha, beta);
		return;
	}
	if (alpha != 1 || beta != 1) {
		TRANSLATOR_REFUSE(
			t,
			"alpha and beta are 1 where the second matrix is no constant; multiply by Mul");
		return;
	}
	if (translator_input(t, 2) == ONNX_NONE) {
		translate_product(t, turn_x, turn_w, NULL);
		return;
	}
	r = translate_product(t, turn_x, turn_w, &product);
	inputs[0] = product;
	inputs[1] = translator_argument(t, &r, 2);
	inputs[2] = translator_int32(t, 0);
	translator_emit(t, NNMODEL_ADD, inputs, 3, translator_result(t, &r));
}

/* ---- Softmax ---- */

static void translate_softmax(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0);
	const bool rows = t->node->version < 13;
	int axis = onnx_axis(onnx_int(t->node, "axis", rows ? 1 : -1), x->rank);
	struct result r;
	int inputs[3];

	/* before operator set 13, all dimensions from the axis on are one */
	for (uint32_t i = axis < 0 ? 0 : (uint32_t)axis + 1; rows && axis >= 0 && i < x->rank; i++)
		if (x->dims[i] != 1) {
			TRANSLATOR_REFUSE(
				t,
				"axis %d is not the last one, and before operator set 13 that joins dimensions; convert to 13 or later",
				axis);
			return;
		}
	if (axis < 0) {
		TRANSLATOR_REFUSE(t, "the axis is none of tensor %s", x->name);
		return;
	}
	r = translator_plan(t, 1, t->row->flags);
	inputs[0] = translator_argument(t, &r, 0);
	inputs[1] = translator_float32(t, 1);
	inputs[2] = translator_int32(t, axis);
	translator_emit(t, t->row->opcode, inputs, 3, translator_result(t, &r));
}

const struct onnx_operator onnx_matrix_operators[] = {
	ONNX_ROW("Gemm", translate_gemm, 0, 2, .shape = ONNX_SHAPE_GEMM),
	ONNX_ROW("MatMul", translate_matmul, 0, 2, .shape = ONNX_SHAPE_MATMUL),
	ONNX_ROW("Softmax", translate_softmax, NNMODEL_SOFTMAX, 1, .flags = RESULT_QUANTIZED,
		 .scale = 1.0f / 256, .zero_unsigned = 0, .zero_signed = -128,
		 .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("LogSoftmax", translate_softmax, NNMODEL_LOG_SOFTMAX, 1, .shape = ONNX_SHAPE_SAME),
	{ 0 },
};
