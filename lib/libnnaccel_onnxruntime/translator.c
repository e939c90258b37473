// SPDX-License-Identifier: Apache-2.0
#include "translator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- operands ---- */

int translator_check(struct translator *t, int number)
{
	if (number >= 0 || t->error)
		return t->error ? 0 : number;
	t->error = DELEGATE_REFUSE(t->reason, number == -ENOMEM ? -ENOMEM : -EINVAL, "%s",
				   number == -ENOMEM ? "out of memory" : "an operand is not valid");
	return 0;
}

void *translator_alloc(struct translator *t, size_t count, size_t size)
{
	void *memory = t->error ? NULL : calloc(count + 1, size);
	void **list = memory ? reallocarray(t->memory, t->num_memory + 1, sizeof(*list)) : NULL;

	if (list) {
		t->memory = list;
		list[t->num_memory++] = memory;
		return memory;
	}
	free(memory);
	translator_check(t, -ENOMEM);
	return NULL;
}

int translator_int32(struct translator *t, int64_t value)
{
	return t->error ? 0 : translator_check(t, nnmodel_add_int32(t->out->model, (int32_t)value));
}

int translator_float32(struct translator *t, float value)
{
	return t->error ? 0 : translator_check(t, nnmodel_add_float32(t->out->model, value));
}

int translator_bool(struct translator *t, bool value)
{
	return t->error ? 0 : translator_check(t, nnmodel_add_bool(t->out->model, value));
}

int translator_temporary(struct translator *t, uint32_t type, const uint32_t *dims, uint32_t rank,
			 float scale, int32_t zero)
{
	return t->error ? 0
			: translator_check(t, nnmodel_add_operand(t->out->model, type,
								  NNMODEL_TEMPORARY_VARIABLE, dims,
								  rank, scale, zero));
}

int translator_similar(struct translator *t, int operand, const uint32_t *dims, uint32_t rank)
{
	const struct nnmodel_operand *o = &t->out->model->main.operands[operand];

	return t->error ? 0 : translator_temporary(t, o->type, dims, rank, o->scale, o->zero_point);
}

int translator_constant(struct translator *t, uint32_t type, const uint32_t *dims, uint32_t rank,
			float scale, int32_t zero, const void *data)
{
	int operand = translator_temporary(t, type, dims, rank, scale, zero);
	size_t size = nnmodel_type_size(type);

	if (t->error)
		return 0;
	for (uint32_t i = 0; i < rank; i++)
		size *= dims[i];
	translator_check(t, nnmodel_set_value_in_file(t->out->model, &t->out->file,
						      (uint32_t)operand, data, size));
	return operand;
}

int translator_list(struct translator *t, const int64_t *list, uint32_t count)
{
	int32_t narrow[4 * ONNX_MAX_RANK];

	for (uint32_t i = 0; i < count; i++)
		narrow[i] = (int32_t)list[i];
	return translator_constant(t, NNMODEL_TENSOR_INT32, &count, 1, 0, 0, narrow);
}

int translator_number(struct translator *t, float value)
{
	return translator_constant(t, NNMODEL_TENSOR_FLOAT32, (const uint32_t[]){ 1 }, 1, 0, 0,
				   &value);
}

/* A larger constant is not made. */
#define MAX_FILL (1u << 24)

int translator_fill(struct translator *t, const struct onnx_value *like, uint32_t type,
		    double number)
{
	uint32_t dims[ONNX_MAX_RANK], rank = onnx_dims(like, dims);
	uint8_t *values;

	if (like->elements > MAX_FILL)
		TRANSLATOR_REFUSE(t, "tensor %s is too large to be filled with a number",
				  like->name);
	values = translator_alloc(t, like->elements, nnmodel_type_size(type));
	for (uint64_t i = 0; values && i < like->elements; i++) {
		if (type == NNMODEL_TENSOR_BOOL8)
			values[i] = number != 0;
		else if (type == NNMODEL_TENSOR_FLOAT32)
			((float *)values)[i] = (float)number;
		else
			((int32_t *)values)[i] = (int32_t)number;
	}
	return translator_constant(t, type, dims, rank, 0, 0, values);
}

void translator_emit_all(struct translator *t, uint32_t opcode, const int *inputs,
			 uint32_t num_inputs, const int *outputs, uint32_t num_outputs)
{
	uint32_t *origins, number;

	if (t->error)
		return;
	number = t->out->model->main.num_operations;
	origins = reallocarray(t->out->origins, number + 1, sizeof(*origins));
	if (!origins) {
		translator_check(t, -ENOMEM);
		return;
	}
	t->out->origins = origins;
	origins[number] = t->place;
	translator_check(t,
			 nnmodel_add_operation(t->out->model, opcode, (const uint32_t *)inputs,
					       num_inputs, (const uint32_t *)outputs, num_outputs));
}

void translator_emit(struct translator *t, uint32_t opcode, const int *inputs, uint32_t num_inputs,
		     int output)
{
	translator_emit_all(t, opcode, inputs, num_inputs, &output, 1);
}

int translator_operation(struct translator *t, uint32_t opcode, const int *inputs, uint32_t count)
{
	uint32_t dims[ONNX_MAX_RANK], rank = onnx_dims(&t->g->values[t->node->outputs[0]], dims);
	int to = translator_temporary(t, NNMODEL_TENSOR_FLOAT32, dims, rank, 0, 0);

	translator_emit(t, opcode, inputs, count, to);
	return to;
}

int translator_step(struct translator *t, uint32_t opcode, int a, int b)
{
	return translator_operation(t, opcode, (const int[]){ a, b, translator_int32(t, 0) }, 3);
}

int translator_clamp(struct translator *t, int x, float low, float high)
{
	x = translator_operation(t, NNMODEL_MAXIMUM, (const int[]){ x, translator_number(t, low) },
				 2);
	return translator_operation(t, NNMODEL_MINIMUM,
				    (const int[]){ x, translator_number(t, high) }, 2);
}

/* ---- values ---- */

bool translator_is_float(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0);

	if (x->type != ORT_FLOAT32)
		TRANSLATOR_REFUSE(t, "tensor %s is %s; only float32 is translated here", x->name,
				  onnx_type_name(x->type));
	return !t->error;
}

int translator_input(const struct translator *t, uint32_t i)
{
	return i < t->node->num_inputs ? t->node->inputs[i] : ONNX_NONE;
}

const struct onnx_value *translator_value(const struct translator *t, uint32_t i)
{
	int v = translator_input(t, i);

	return v == ONNX_NONE ? NULL : &t->g->values[v];
}

static const struct onnx_node *value_dequantizer(const struct translator *t, int value)
{
	int producer = value == ONNX_NONE ? ONNX_NONE : t->g->values[value].producer;

	if (producer == ONNX_NONE || !t->in[producer] ||
	    !onnx_is(&t->g->nodes[producer], "DequantizeLinear") ||
	    t->g->nodes[producer].num_inputs < 2 || t->g->nodes[producer].inputs[0] == ONNX_NONE ||
	    t->g->nodes[producer].inputs[1] == ONNX_NONE ||
	    t->g->values[t->g->nodes[producer].inputs[0]].elements != t->g->values[value].elements)
		return NULL;
	return &t->g->nodes[producer];
}

int translator_view(const struct translator *t, int value)
{
	const struct onnx_node *n = value_dequantizer(t, value);
	const struct onnx_value *v = n ? &t->g->values[n->inputs[0]] : NULL;

	return v && v->quant == ONNX_QUANT_KNOWN && (v->data || v->rank) ? n->inputs[0] : ONNX_NONE;
}

const struct onnx_node *translator_dequantizer(const struct translator *t, int value)
{
	const struct onnx_node *n = value_dequantizer(t, value);

	return n && t->g->values[n->inputs[0]].data ? n : NULL;
}

bool translator_ints(const struct translator *t, uint32_t i, int64_t *list, uint32_t max,
		     uint32_t *count)
{
	const struct onnx_value *v = translator_value(t, i);

	if (!v || !v->data || v->elements > max || (v->type != ORT_INT64 && v->type != ORT_INT32))
		return false;
	*count = (uint32_t)v->elements;
	for (uint32_t j = 0; j < *count; j++)
		list[j] = v->type == ORT_INT64 ? ((const int64_t *)v->data)[j]
					       : ((const int32_t *)v->data)[j];
	return true;
}

static int32_t value_integer(const struct onnx_value *v, uint64_t i)
{
	return v->type == ORT_INT8    ? ((const int8_t *)v->data)[i]
	       : v->type == ORT_UINT8 ? ((const uint8_t *)v->data)[i]
				      : ((const int32_t *)v->data)[i];
}

/* A constant behind a DequantizeLinear, with a scale for all or one per channel of its axis. */
static const float *translator_dequantize(struct translator *t, const struct onnx_node *n)
{
	const struct onnx_value *x = &t->g->values[n->inputs[0]], *s = &t->g->values[n->inputs[1]],
				*z = NULL;
	int axis = s->elements == 1 ? 0 : onnx_axis(onnx_int(n, "axis", 1), x->rank);
	uint64_t inner = 1;
	float *values;

	if (n->num_inputs > 2 && n->inputs[2] != ONNX_NONE)
		z = &t->g->values[n->inputs[2]];
	if (!s->data || s->type != ORT_FLOAT32 ||
	    (z && (!z->data || z->type != x->type || z->elements != s->elements)) ||
	    (x->type != ORT_INT8 && x->type != ORT_UINT8 && x->type != ORT_INT32) ||
	    onnx_int(n, "block_size", 0) || axis < 0 ||
	    (s->elements != 1 && (s->rank != 1 || s->dims[0] != x->dims[axis])))
		return NULL;
	for (uint64_t i = 0; i < s->elements; i++)
		if (!isfinite(((const float *)s->data)[i]))
			return NULL;
	for (uint32_t i = (uint32_t)axis + 1; i < x->rank; i++)
		inner *= (uint64_t)x->dims[i];
	values = translator_alloc(t, x->elements, sizeof(*values));
	for (uint64_t i = 0; values && i < x->elements; i++) {
		uint64_t channel = s->elements == 1 ? 0 : i / inner % s->elements;

		values[i] = (float)((int64_t)value_integer(x, i) -
				    (z ? value_integer(z, channel) : 0)) *
			    ((const float *)s->data)[channel];
	}
	return values;
}

const float *translator_floats(struct translator *t, int value)
{
	const struct onnx_value *v = value == ONNX_NONE ? NULL : &t->g->values[value];
	const struct onnx_node *dequantizer;

	if (v && v->data)
		return v->type == ORT_FLOAT32 ? v->data : NULL;
	dequantizer = translator_dequantizer(t, value);
	return dequantizer ? translator_dequantize(t, dequantizer) : NULL;
}

/* The type of operand for a value; false: NNAPI has none, or its scale is unknown. */
static bool translator_type(struct translator *t, const struct onnx_value *v, uint32_t *type)
{
	switch (v->type) {
	case ORT_FLOAT32:
		*type = NNMODEL_TENSOR_FLOAT32;
		break;
	case ORT_INT32:
		*type = NNMODEL_TENSOR_INT32;
		break;
	case ORT_BOOL:
		*type = NNMODEL_TENSOR_BOOL8;
		break;
	case ORT_INT8:
	case ORT_UINT8:
		*type = v->type == ORT_INT8 ? NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED
					    : NNMODEL_TENSOR_QUANT8_ASYMM;
		if (v->quant != ONNX_QUANT_KNOWN)
			TRANSLATOR_REFUSE(
				t,
				v->quant == ONNX_QUANT_CONFLICT
					? "the QuantizeLinear and DequantizeLinear at tensor %s have not one constant scale; give them the same, per tensor"
					: "tensor %s has 8 bits and no single constant scale; quantize it per tensor by QuantizeLinear and DequantizeLinear",
				v->name);
		break;
	case ORT_INT64:
		*type = NNMODEL_TENSOR_INT32;
		if (!t->row || !t->row->int64)
			TRANSLATOR_REFUSE(
				t,
				"tensor %s is int64, and NNAPI has no such type; convert the model with int32 there",
				v->name);
		break;
	default:
		TRANSLATOR_REFUSE(
			t,
			"tensor %s is %s, and NNAPI has no such type here; convert the model with float32 or int32",
			v->name, onnx_type_name(v->type));
	}
	if (!v->fixed)
		TRANSLATOR_REFUSE(
			t,
			"tensor %s has no fixed shape; export the model with fixed input shapes, or give add_free_dimension_override_by_name the sizes",
			v->name);
	else if (!v->rank && !v->data)
		TRANSLATOR_REFUSE(
			t,
			"tensor %s is a scalar or of unknown rank; export the model with fixed shapes of rank 1 and more",
			v->name);
	return !t->error;
}

/* A new operand of @value. */
static int translator_new(struct translator *t, int value)
{
	const struct onnx_value *v = &t->g->values[value];
	uint32_t dims[ONNX_MAX_RANK], type;
	bool quantized = v->type == ORT_INT8 || v->type == ORT_UINT8;

	if (!translator_type(t, v, &type))
		return 0;
	t->operands[value] = translator_temporary(t, type, dims, onnx_dims(v, dims),
						  quantized ? v->scale : 0,
						  quantized ? v->zero_point : 0);
	return t->operands[value];
}

/* A constant of the graph; int64 as int32 where all elements are. */
static int translator_copy(struct translator *t, int value)
{
	const struct onnx_value *v = &t->g->values[value];
	const int64_t *wide = v->data;
	uint32_t dims[ONNX_MAX_RANK], rank = onnx_dims(v, dims);
	int32_t *narrow;

	if (v->type != ORT_INT64) {
		int operand = translator_new(t, value);

		if (!t->error)
			translator_check(t,
					 nnmodel_set_value_in_file(
						 t->out->model, &t->out->file, (uint32_t)operand,
						 v->data, v->elements * onnx_type_size(v->type)));
		return operand;
	}
	narrow = translator_alloc(t, v->elements, sizeof(*narrow));
	for (uint64_t i = 0; narrow && i < v->elements; i++) {
		if (wide[i] < INT32_MIN || wide[i] > INT32_MAX)
			TRANSLATOR_REFUSE(t, "tensor %s has a number beyond 32 bits", v->name);
		narrow[i] = (int32_t)wide[i];
	}
	t->operands[value] = translator_constant(t, NNMODEL_TENSOR_INT32, dims, rank, 0, 0, narrow);
	return t->operands[value];
}

static int translator_new_input(struct translator *t, int value)
{
	const struct onnx_value *v = &t->g->values[value];
	int *list, operand = translator_new(t, value);

	if (v->producer != ONNX_NONE && t->in[v->producer])
		TRANSLATOR_REFUSE(t, "tensor %s is read before it is computed", v->name);
	if (t->error)
		return 0;
	list = reallocarray(t->out->inputs, t->out->num_inputs + 1, sizeof(*list));
	if (!list)
		return translator_check(t, -ENOMEM);
	t->out->inputs = list;
	list[t->out->num_inputs++] = value;
	return operand;
}

int translator_operand(struct translator *t, int value)
{
	const struct onnx_value *v = &t->g->values[value];
	uint32_t dims[ONNX_MAX_RANK];
	const float *floats;
	int view, from;

	if (t->error)
		return 0;
	if (t->operands[value] >= 0)
		return t->operands[value];
	if (v->data)
		return translator_copy(t, value);
	if (!value_dequantizer(t, value))
		return translator_new_input(t, value);
	view = translator_view(t, value);
	floats = translator_floats(t, value);
	if (floats && v->type == ORT_FLOAT32) {
		t->operands[value] = translator_constant(t, NNMODEL_TENSOR_FLOAT32, dims,
							 onnx_dims(v, dims), 0, 0, floats);
		return t->operands[value];
	}
	if (view == ONNX_NONE || v->type != ORT_FLOAT32) {
		TRANSLATOR_REFUSE(
			t,
			"the scale of %s is not one constant of the tensor, or it has not 8 bits; quantize activations per tensor to int8 or uint8",
			v->name);
		return 0;
	}
	from = translator_operand(t, view);
	translator_new(t, value);
	translator_emit(t, NNMODEL_DEQUANTIZE, &from, 1, t->operands[value]);
	return t->operands[value];
}

int translator_argument(struct translator *t, const struct result *r, uint32_t i)
{
	int value = translator_input(t, i);

	return translator_operand(t, r->quantized ? translator_view(t, value) : value);
}

/* ---- results ---- */

/* The only node that needs @value, if it is one of this model; NULL. */
static const struct onnx_node *value_reader(const struct translator *t, int value)
{
	const struct onnx_value *v = &t->g->values[value];

	return v->consumers == 1 && !v->output && t->in[v->consumer] && !t->done[v->consumer]
		       ? &t->g->nodes[v->consumer]
		       : NULL;
}

static void translator_take(struct translator *t, const struct onnx_node *n, struct result *r)
{
	t->done[n - t->g->nodes] = true;
	r->value = n->outputs[0];
}

static bool translator_quantizes(const struct translator *t, const struct onnx_node *n,
				 uint32_t data, unsigned int flags)
{
	const struct onnx_value *out, *first = NULL;
	int32_t zero;

	if (!n || !onnx_is(n, "QuantizeLinear") || n->num_outputs != 1 ||
	    n->outputs[0] == ONNX_NONE)
		return false;
	out = &t->g->values[n->outputs[0]];
	zero = out->type == ORT_INT8 ? t->row->zero_signed : t->row->zero_unsigned;
	if (out->quant != ONNX_QUANT_KNOWN ||
	    (t->row->scale != 0 &&
	     (fabsf(out->scale - t->row->scale) > 1e-6f * out->scale || out->zero_point != zero)))
		return false;
	for (uint32_t i = 0; i < data; i++) {
		int view = translator_view(t, translator_input(t, i));

		if (view == ONNX_NONE || t->g->values[view].type != out->type)
			return false;
		if (!i)
			first = &t->g->values[view];
	}
	return first && (!(flags & RESULT_SAME) ||
			 (out->scale == first->scale && out->zero_point == first->zero_point));
}

struct result translator_plan(struct translator *t, uint32_t data, unsigned int flags)
{
	struct result r = { .value = t->node->outputs[0] };
	const struct onnx_node *next = value_reader(t, r.value);

	if (flags & RESULT_ACTIVATION && next && next->inputs[0] == r.value &&
	    next->num_outputs == 1 && next->outputs[0] != ONNX_NONE &&
	    onnx_activation(t->g, next)) {
		r.activation = onnx_activation(t->g, next);
		translator_take(t, next, &r);
		next = value_reader(t, r.value);
	}
	if (flags & RESULT_QUANTIZED && translator_quantizes(t, next, data, flags)) {
		r.quantized = true;
		translator_take(t, next, &r);
	}
	return r;
}

int translator_result(struct translator *t, const struct result *r)
{
	return t->error ? 0 : translator_new(t, r->value);
}

int translator_like(struct translator *t, const struct result *r, const uint32_t *dims,
		    uint32_t rank)
{
	const struct onnx_value *v = &t->g->values[r->value];
	uint32_t type;

	if (t->error || !translator_type(t, v, &type))
		return 0;
	return translator_temporary(t, type, dims, rank, r->quantized ? v->scale : 0,
				    r->quantized ? v->zero_point : 0);
}
