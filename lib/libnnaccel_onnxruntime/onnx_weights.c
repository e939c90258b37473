// SPDX-License-Identifier: Apache-2.0
#include "translator.h"

#include <math.h>
#include <string.h>

/* The 8-bit weights of the current node, if a quantized operation can have them. */
static bool weights_quantized(struct translator *t, uint32_t axis, struct weights *w)
{
	const struct onnx_node *n = translator_dequantizer(t, translator_input(t, 1));
	int view = translator_view(t, translator_input(t, 0)), bias = translator_input(t, 2);
	const struct onnx_value *x, *s, *z = NULL, *in;
	uint8_t flip, *bytes;
	float *scales;

	if (!n || view == ONNX_NONE)
		return false;
	in = &t->g->values[view];
	x = &t->g->values[n->inputs[0]];
	s = &t->g->values[n->inputs[1]];
	if (n->num_inputs > 2 && n->inputs[2] != ONNX_NONE)
		z = &t->g->values[n->inputs[2]];
	if ((x->type != ORT_INT8 && x->type != ORT_UINT8) ||
	    !translator_floats(t, translator_input(t, 1)) ||
	    (bias != ONNX_NONE && !translator_floats(t, bias)))
		return false;
	w->num_scales = (uint32_t)s->elements;
	w->scale = *(const float *)s->data;
	if (s->elements > 1 && onnx_axis(onnx_int(n, "axis", 1), x->rank) != (int)axis)
		return false;
	/* a different sign of the type is a different top bit, of the elements and of the zero
	 * point */
	flip = x->type != (s->elements > 1 ? (int)ORT_INT8 : in->type) ? 0x80 : 0;
	bytes = translator_alloc(t, x->elements, 1);
	scales = translator_alloc(t, s->elements, sizeof(*scales));
	if (!bytes || !scales)
		return false;
	for (uint64_t i = 0; i < s->elements; i++) {
		uint8_t zero = (z ? ((const uint8_t *)z->data)[i] : 0) ^ flip;

		scales[i] = ((const float *)s->data)[i];
		if (!isfinite(scales[i]) || scales[i] <= 0 || (s->elements > 1 && zero))
			return false;
		w->zero_point = in->type == ORT_INT8 || s->elements > 1 ? (int8_t)zero : zero;
	}
	for (uint64_t i = 0; i < x->elements; i++)
		bytes[i] = ((const uint8_t *)x->data)[i] ^ flip;
	w->scales = s->elements > 1 ? scales : NULL;
	w->data = bytes;
	w->size = 1;
	w->input_scale = in->scale;
	w->type = s->elements > 1	 ? NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL
		  : in->type == ORT_INT8 ? NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED
					 : NNMODEL_TENSOR_QUANT8_ASYMM;
	return true;
}

struct result weights_plan(struct translator *t, uint32_t axis, struct weights *w)
{
	bool quantized = weights_quantized(t, axis, w);
	struct result r =
		translator_plan(t, 1, RESULT_ACTIVATION | (quantized ? RESULT_QUANTIZED : 0));

	if (r.quantized)
		return r;
	*w = (struct weights){ .size = sizeof(float), .type = NNMODEL_TENSOR_FLOAT32 };
	w->data = translator_floats(t, translator_input(t, 1));
	if (!w->data)
		TRANSLATOR_REFUSE(
			t,
			"weights %s are not a constant of float32, int8 or uint8; make them an initializer",
			translator_value(t, 1)->name);
	return r;
}

int weights_operand(struct translator *t, const struct weights *w, const uint32_t *dims,
		    uint32_t rank, uint32_t channel_dim, const void *data)
{
	int operand = translator_constant(t, w->type, dims, rank, w->scales ? 0 : w->scale,
					  w->scales ? 0 : w->zero_point, data);

	if (w->scales && !t->error &&
	    nnmodel_set_channel_quant(t->out->model, (uint32_t)operand, channel_dim, w->scales,
				      w->num_scales))
		TRANSLATOR_REFUSE(t, "the weights' %u scales do not fit", w->num_scales);
	return operand;
}

/* Element @i of the bias; an int32 that is quantized keeps all of its bits. */
static double bias_element(const struct translator *t, const struct onnx_node *n,
			   const float *floats, uint64_t i)
{
	const struct onnx_value *x = n ? &t->g->values[n->inputs[0]] : NULL,
				*s = n ? &t->g->values[n->inputs[1]] : NULL;

	if (!x || x->type != ORT_INT32 || n->num_inputs > 2)
		return (double)floats[i];
	return (double)((const int32_t *)x->data)[i] *
	       (double)((const float *)s->data)[s->elements > 1 ? i : 0];
}

int weights_bias(struct translator *t, const struct weights *w, const struct result *r,
		 uint32_t units, float factor)
{
	int value = translator_input(t, 2);
	const struct onnx_value *v = translator_value(t, 2);
	const struct onnx_node *n = translator_dequantizer(t, value);
	const float *floats = value == ONNX_NONE ? NULL : translator_floats(t, value);
	float *real = translator_alloc(t, units, sizeof(*real));
	int32_t *steps = translator_alloc(t, units, sizeof(*steps));

	if (v && !floats && v->rank == 1 && v->fixed && v->elements == units && factor == 1)
		return translator_operand(t, value);
	if (v && (!floats || (v->elements != units && v->elements != 1) ||
		  (v->rank && v->elements != 1 && v->dims[v->rank - 1] != units)))
		TRANSLATOR_REFUSE(
			t,
			"bias %s is not a constant of %u elements; make it an initializer, or add it by Add",
			v->name, units);
	if (t->error)
		return 0;
	for (uint32_t i = 0; i < units && v; i++) {
		uint64_t from = v->elements == 1 ? 0 : i;
		double scale =
			(double)w->input_scale * (double)(w->scales ? w->scales[i] : w->scale);
		double step =
			r->quantized
				? round(bias_element(t, n, floats, from) * (double)factor / scale)
				: 0;

		real[i] = floats[from] * factor;
		steps[i] = step >= INT32_MAX   ? INT32_MAX
			   : step <= INT32_MIN ? INT32_MIN
					       : (int32_t)step;
	}
	if (!r->quantized)
		return translator_constant(t, NNMODEL_TENSOR_FLOAT32, &units, 1, 0, 0, real);
	return translator_constant(t, NNMODEL_TENSOR_INT32, &units, 1,
				   w->scales ? 0 : w->input_scale * w->scale, 0, steps);
}
