// SPDX-License-Identifier: Apache-2.0
/* Operations of the NNAPI model, and what has to stand before and behind them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "importer.h"

/* Activations as the file numbers them. */
enum { ACT_RELU = 1, ACT_RELU1 = 2, ACT_RELU6 = 3, ACT_TANH = 4 };

static int add_operation(struct import *im, uint32_t opcode, const int *inputs, uint32_t num_inputs,
			 const int *outputs, uint32_t num_outputs)
{
	uint32_t *in = calloc((size_t)num_inputs + num_outputs, sizeof(*in)), *out, *positions;
	int ret = in ? 0 : -ENOMEM;

	out = in + num_inputs;
	for (uint32_t i = 0; i < num_inputs && !ret; i++) {
		in[i] = (uint32_t)inputs[i];
		ret = inputs[i] < 0 ? inputs[i] : 0;
	}
	for (uint32_t i = 0; i < num_outputs && !ret; i++) {
		out[i] = (uint32_t)outputs[i];
		ret = outputs[i] < 0 ? outputs[i] : 0;
	}
	if (!ret) {
		positions = realloc(im->positions, (im->num_positions + 1) * sizeof(*positions));
		ret = positions ? 0 : -ENOMEM;
		im->positions = positions ? positions : im->positions;
	}
	if (!ret) {
		im->positions[im->num_positions++] = im->position;
		ret = nnmodel_add_operation(im->nn, opcode, in, num_inputs, out, num_outputs);
	}
	free(in);
	/* Failed helpers have set a message; this one is kept only when there is none. */
	return ret < 0 ? import_failed(im, ret, "out of memory") : 0;
}

static int add_unary(struct import *im, uint32_t opcode, int from, int to)
{
	return add_operation(im, opcode, &from, 1, &to, 1);
}

/* The clamps of an activation of INT32, which NNAPI's activations do not take. */
static int clamp_int32(struct import *im, int32_t act, int from, int to)
{
	struct import_form form = import_form_of(im, to);
	bool both = act != ACT_RELU;
	int low = import_one(im, form.type, act == ACT_RELU1 ? -1.0f : 0.0f), mid, ret;

	mid = both ? import_temporary(im, &form) : to;
	ret = add_operation(im, NNMODEL_MAXIMUM, (const int[]){ from, low }, 2, &mid, 1);
	if (ret || !both)
		return ret;
	low = import_one(im, form.type, act == ACT_RELU1 ? 1.0f : 6.0f);
	return add_operation(im, NNMODEL_MINIMUM, (const int[]){ mid, low }, 2, &to, 1);
}

static int import_emit_activate(struct import *im, int from, int to)
{
	static const uint32_t opcodes[] = { [ACT_RELU] = NNMODEL_RELU,
					    [ACT_RELU1] = NNMODEL_RELU1,
					    [ACT_RELU6] = NNMODEL_RELU6,
					    [ACT_TANH] = NNMODEL_TANH };
	int32_t act = im->after;

	if (import_form_of(im, to).type == NNMODEL_TENSOR_INT32 && act != ACT_TANH)
		return clamp_int32(im, act, from, to);
	return add_unary(im, opcodes[act], from, to);
}

static bool same_quantization(const struct import_form *a, const struct import_form *b)
{
	return a->type == b->type && a->scale == b->scale && a->zero_point == b->zero_point;
}

/*
 * From the operand that the operation writes to the tensor. The order is that of the computation:
 * activation, quantization, shape. The last step writes the tensor's operand.
 */
static int make_output(struct import *im, const struct import_fix *fix)
{
	struct import_form at = import_form_of(im, fix->operand), form;
	int to = import_operand(im, im->op->outputs[fix->output]), from = fix->operand, ret = 0;
	bool shape, quant, act = im->after && !fix->output;
	int next;

	if (to < 0)
		return to;
	form = import_form_of(im, to);
	shape = form.rank != at.rank || memcmp(form.dims, at.dims, at.rank * sizeof(*at.dims));
	quant = !same_quantization(&at, &form);
	if (act) {
		next = quant || shape ? import_temporary(im, &at) : to;
		ret = import_emit_activate(im, from, next);
		from = next;
	}
	if (!ret && quant && at.type != NNMODEL_TENSOR_FLOAT32) {
		at.type = NNMODEL_TENSOR_FLOAT32;
		at.scale = 0;
		at.zero_point = 0;
		next = import_temporary(im, &at);
		ret = add_unary(im, NNMODEL_DEQUANTIZE, from, next);
		from = next;
	}
	if (!ret && quant) {
		at.type = form.type;
		at.scale = form.scale;
		at.zero_point = form.zero_point;
		next = shape ? import_temporary(im, &at) : to;
		ret = add_unary(im, NNMODEL_QUANTIZE, from, next);
		from = next;
	}
	return !ret && shape ? import_reshape(im, from, to) : ret;
}

int import_emit(struct import *im, uint32_t opcode, const int *inputs, uint32_t num_inputs,
		const int *outputs, uint32_t num_outputs)
{
	int ret = add_operation(im, opcode, inputs, num_inputs, outputs, num_outputs);

	/* the fixes of outputs that this operation writes; each is done once */
	for (uint32_t i = 0; i < num_outputs && !ret; i++)
		for (uint32_t k = im->num_fixes; k-- > 0 && !ret;)
			if (im->fixes[k].operand == outputs[i]) {
				const struct import_fix fix = im->fixes[k];

				im->fixes[k] = im->fixes[--im->num_fixes];
				ret = make_output(im, &fix);
			}
	return ret;
}

static int shape_operand(struct import *im, int operand)
{
	struct import_form form = import_form_of(im, operand);

	return import_int32_tensor(im, form.dims, form.rank);
}

int import_convert_bool(struct import *im, int from, int to)
{
	struct import_form form = import_form_of(im, from);
	int one, zero;

	if (form.type != NNMODEL_TENSOR_BOOL8) {
		zero = import_one(im, form.type, 0);
		return add_operation(im, NNMODEL_NOT_EQUAL, (const int[]){ from, zero }, 2, &to, 1);
	}
	form.type = NNMODEL_TENSOR_INT32;
	one = import_repeated(im, import_one(im, form.type, 1), &form);
	zero = import_repeated(im, import_one(im, form.type, 0), &form);
	return add_operation(im, NNMODEL_SELECT, (const int[]){ from, one, zero }, 3, &to, 1);
}

/* BOOL8 has no RESHAPE: it goes through INT32. */
int import_reshape(struct import *im, int from, int to)
{
	struct import_form a, b;
	int ret, first, second;

	if (from < 0 || to < 0)
		return from < 0 ? from : to;
	if (import_form_of(im, from).type != NNMODEL_TENSOR_BOOL8)
		return add_operation(im, NNMODEL_RESHAPE,
				     (const int[]){ from, shape_operand(im, to) }, 2, &to, 1);
	a = import_form_of(im, from);
	b = import_form_of(im, to);
	a.type = b.type = NNMODEL_TENSOR_INT32;
	first = import_temporary(im, &a);
	second = import_temporary(im, &b);
	ret = first < 0 ? first : import_convert_bool(im, from, first);
	if (!ret)
		ret = import_reshape(im, first, second);
	return ret ? ret : import_convert_bool(im, second, to);
}

int import_reshaped(struct import *im, int from, const int32_t *dims, uint32_t rank)
{
	struct import_form form = import_form_of(im, from);
	int to, ret;

	if (from < 0 || (form.rank == rank && !memcmp(form.dims, dims, rank * sizeof(*dims))))
		return from;
	form.rank = rank;
	memcpy(form.dims, dims, rank * sizeof(*dims));
	to = import_temporary(im, &form);
	ret = import_reshape(im, from, to);
	return ret ? ret : to;
}

/* NNAPI's TILE has no BOOL8. */
static int repeat_bool(struct import *im, int operand, const struct import_form *to)
{
	struct import_form form = import_form_of(im, operand);
	int ints, out, ret;

	form.type = NNMODEL_TENSOR_INT32;
	ints = import_temporary(im, &form);
	form = *to;
	form.type = NNMODEL_TENSOR_BOOL8;
	form.scale = 0;
	form.zero_point = 0;
	out = import_temporary(im, &form);
	ret = ints < 0 ? ints : import_convert_bool(im, operand, ints);
	if (ret || out < 0)
		return ret ? ret : out;
	ints = import_repeated(im, ints, &form);
	ret = ints < 0 ? ints : import_convert_bool(im, ints, out);
	return ret ? ret : out;
}

/* An operand repeated until it has a shape that it broadcasts to. */
int import_repeated(struct import *im, int operand, const struct import_form *to)
{
	struct import_form from = import_form_of(im, operand);
	int32_t times[NNIMPORT_MAX_RANK], dims[NNIMPORT_MAX_RANK];
	bool same = from.rank == to->rank;
	int out, ret;

	if (operand < 0 || from.rank > to->rank)
		return operand < 0 ? operand
				   : import_failed(im, -EINVAL, "its inputs do not broadcast");
	for (uint32_t i = 0; i < to->rank; i++) {
		uint32_t pad = to->rank - from.rank;

		dims[i] = i < pad ? 1 : from.dims[i - pad];
		times[i] = to->dims[i] / dims[i];
		if (dims[i] != to->dims[i] && dims[i] != 1)
			return import_failed(im, -EINVAL, "extents %d and %d do not broadcast",
					     dims[i], to->dims[i]);
		same = same && times[i] == 1;
	}
	if (same)
		return operand;
	if (from.type == NNMODEL_TENSOR_BOOL8)
		return repeat_bool(im, operand, to);
	operand = import_reshaped(im, operand, dims, to->rank);
	from = import_form_of(im, operand);
	memcpy(from.dims, to->dims, sizeof(from.dims));
	out = import_temporary(im, &from);
	ret = IMPORT_EMIT(im, NNMODEL_TILE, out, operand, import_int32_tensor(im, times, to->rank));
	return ret ? ret : out;
}

int import_copy(struct import *im, int from, int to)
{
	if (import_form_of(im, from).type == NNMODEL_TENSOR_BOOL8)
		return add_operation(im, NNMODEL_LOGICAL_OR, (const int[]){ from, from }, 2, &to,
				     1);
	return import_reshape(im, from, to);
}
