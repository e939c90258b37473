// SPDX-License-Identifier: Apache-2.0
/* Operators that move elements, and reductions. */
#include <string.h>

#include "translator.h"

/* Integers of an attribute, or of a constant input in later operator sets. False: refused. @count
 * 0: neither. */
static bool node_ints(struct translator *t, const char *name, uint32_t input, int64_t *list,
		      uint32_t *count)
{
	int number = onnx_ints(t->node, name, list);

	*count = number > 0 ? (uint32_t)number : 0;
	if (number == -1 && translator_input(t, input) == ONNX_NONE)
		return true;
	if (number == -2 ||
	    (number == -1 && !translator_ints(t, input, list, 2 * ONNX_MAX_RANK, count))) {
		TRANSLATOR_REFUSE(
			t, "%s is no constant of %u integers at most; make it an initializer", name,
			2 * ONNX_MAX_RANK);
		return false;
	}
	return true;
}

static bool shape_known(struct translator *t, uint32_t max_rank)
{
	const struct onnx_value *x = translator_value(t, 0);

	if (!x->fixed || !x->rank || x->rank > max_rank)
		TRANSLATOR_REFUSE(
			t,
			"tensor %s has no fixed shape of 1 to %u dimensions; export the model with fixed shapes, or reshape it",
			x->name, max_rank);
	return !t->error;
}

/* The same of bool, by int32: NNAPI does not reshape BOOL8. */
static void translate_reshape_bool(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0),
				*y = &t->g->values[t->node->outputs[0]];
	const struct result r = { .value = t->node->outputs[0] };
	uint32_t dims[ONNX_MAX_RANK], rank = onnx_dims(x, dims);
	int number = translator_temporary(t, NNMODEL_TENSOR_INT32, dims, rank, 0, 0), moved;
	const int choice[] = { translator_operand(t, t->node->inputs[0]),
			       translator_fill(t, x, NNMODEL_TENSOR_INT32, 1),
			       translator_fill(t, x, NNMODEL_TENSOR_INT32, 0) };

	translator_emit(t, NNMODEL_SELECT, choice, 3, number);
	moved = translator_temporary(t, NNMODEL_TENSOR_INT32, dims, onnx_dims(y, dims), 0, 0);
	translator_emit(t, NNMODEL_RESHAPE,
			(const int[]){ number, translator_list(t, y->dims, y->rank) }, 2, moved);
	translator_emit(t, NNMODEL_GREATER,
			(const int[]){ moved, translator_list(t, (const int64_t[]){ 0 }, 1) }, 2,
			translator_result(t, &r));
}

/* The same elements in the dimensions of the output: Reshape, Flatten, Squeeze, Unsqueeze,
 * Identity. */
static void translate_reshape(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0),
				*y = &t->g->values[t->node->outputs[0]];
	struct result r;
	int inputs[2];

	if (!x->fixed || x->elements != y->elements || y->rank > 2 * ONNX_MAX_RANK) {
		TRANSLATOR_REFUSE(
			t, "tensor %s has no fixed shape; export the model with fixed input shapes",
			x->name);
		return;
	}
	if (x->type == ORT_BOOL && x->rank) {
		translate_reshape_bool(t);
		return;
	}
	r = translator_plan(t, 1, RESULT_QUANTIZED | RESULT_SAME);
	inputs[0] = translator_argument(t, &r, 0);
	inputs[1] = translator_list(t, y->dims, y->rank);
	translator_emit(t, NNMODEL_RESHAPE, inputs, 2, translator_result(t, &r));
}

static void translate_transpose(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0);
	int64_t order[2 * ONNX_MAX_RANK];
	int count = onnx_ints(t->node, "perm", order), inputs[2];
	struct result r;

	if (!shape_known(t, 4))
		return;
	for (uint32_t i = 0; count == -1 && i < x->rank; i++)
		order[i] = x->rank - 1 - i;
	if (count != -1 && count != (int)x->rank) {
		TRANSLATOR_REFUSE(t, "perm has not %u numbers", x->rank);
		return;
	}
	r = translator_plan(t, 1, RESULT_QUANTIZED | RESULT_SAME);
	inputs[0] = translator_argument(t, &r, 0);
	inputs[1] = translator_list(t, order, x->rank);
	translator_emit(t, NNMODEL_TRANSPOSE, inputs, 2, translator_result(t, &r));
}

static void translate_concat(struct translator *t)
{
	const struct onnx_value *y = &t->g->values[t->node->outputs[0]];
	int axis = onnx_axis(onnx_int(t->node, "axis", 0), y->rank), *inputs;
	uint32_t count = t->node->num_inputs;
	struct result r;

	if (!shape_known(t, 4))
		return;
	for (uint32_t i = 0; i < count; i++)
		if (translator_input(t, i) == ONNX_NONE)
			axis = -1;
	if (axis < 0) {
		TRANSLATOR_REFUSE(t, "its axis is none of the output, or an input is missing");
		return;
	}
	r = translator_plan(t, count, RESULT_QUANTIZED);
	inputs = translator_alloc(t, (size_t)count + 1, sizeof(*inputs));
	for (uint32_t i = 0; inputs && i < count; i++)
		inputs[i] = translator_argument(t, &r, i);
	if (!inputs)
		return;
	inputs[count] = translator_int32(t, axis);
	translator_emit(t, NNMODEL_CONCATENATION, inputs, count + 1, translator_result(t, &r));
}

static void translate_pad(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0),
				*y = &t->g->values[t->node->outputs[0]];
	const char *mode = onnx_text(t->node, "mode", "constant");
	int64_t pads[2 * ONNX_MAX_RANK], axes[2 * ONNX_MAX_RANK], pairs[2 * ONNX_MAX_RANK] = { 0 };
	bool reflect = !strcmp(mode, "reflect");
	int32_t narrow[2 * ONNX_MAX_RANK];
	uint32_t count, num_axes;
	const float *fill = NULL;
	float value = onnx_float(t->node, "value", 0);
	int inputs[3];
	struct result r;

	if (!shape_known(t, 4) || !node_ints(t, "pads", 1, pads, &count) ||
	    !node_ints(t, "axes", 3, axes, &num_axes))
		return;
	if (translator_input(t, 2) != ONNX_NONE) {
		fill = translator_floats(t, translator_input(t, 2));
		value = fill && translator_value(t, 2)->elements == 1 ? *fill : 1;
	}
	for (uint32_t i = 0; !num_axes && i < x->rank; i++)
		axes[i] = i;
	num_axes = num_axes ? num_axes : x->rank;
	if (count != 2 * num_axes || (!reflect && strcmp(mode, "constant") != 0)) {
		TRANSLATOR_REFUSE(
			t, "its pads do not fit, or mode %s is none of constant and reflect", mode);
		return;
	}
	if (!reflect && value != 0) {
		TRANSLATOR_REFUSE(
			t, "it pads with another number than a constant 0; use 0, or Concat");
		return;
	}
	for (uint32_t i = 0; i < num_axes; i++) {
		int axis = onnx_axis(axes[i], x->rank);

		if (axis < 0 || pads[i] < 0 || pads[num_axes + i] < 0 || pads[i] > INT32_MAX ||
		    pads[num_axes + i] > INT32_MAX ||
		    (reflect &&
		     (pads[i] >= x->dims[axis] || pads[num_axes + i] >= x->dims[axis])) ||
		    x->dims[axis] + pads[i] + pads[num_axes + i] != y->dims[axis]) {
			TRANSLATOR_REFUSE(
				t,
				"its pads are negative, do not fit, or reflect more than there is; use Slice or Concat");
			return;
		}
		pairs[2 * axis] = pads[i];
		pairs[2 * axis + 1] = pads[num_axes + i];
	}
	r = translator_plan(t, 1, RESULT_QUANTIZED | RESULT_SAME);
	inputs[0] = translator_argument(t, &r, 0);
	for (uint32_t i = 0; i < 2 * x->rank; i++)
		narrow[i] = (int32_t)pairs[i];
	inputs[1] = translator_constant(t, NNMODEL_TENSOR_INT32, (const uint32_t[]){ x->rank, 2 },
					2, 0, 0, narrow);
	inputs[2] = translator_int32(t, 0);
	translator_emit(t, reflect ? NNMODEL_MIRROR_PAD : NNMODEL_PAD, inputs, reflect ? 3 : 2,
			translator_result(t, &r));
}

/* DepthToSpace, SpaceToDepth of images, NCHW. */
static void translate_blocks(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0);
	int64_t size = onnx_int(t->node, "blocksize", 0);
	struct result r;
	int inputs[3];

	if (!shape_known(t, 4))
		return;
	if (x->rank != 4 || strcmp(onnx_text(t->node, "mode", "DCR"), "DCR") != 0 || size < 1 ||
	    size > INT32_MAX) {
		TRANSLATOR_REFUSE(
			t, "NNAPI moves blocks in mode DCR, of images of 4 dimensions, only");
		return;
	}
	r = translator_plan(t, 1, RESULT_QUANTIZED | RESULT_SAME);
	inputs[0] = translator_argument(t, &r, 0);
	inputs[1] = translator_int32(t, size);
	inputs[2] = translator_bool(t, true);
	translator_emit(t, t->row->opcode, inputs, 3, translator_result(t, &r));
}

static void translate_tile(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0);
	int64_t repeats[2 * ONNX_MAX_RANK];
	uint32_t count;
	struct result r;
	int inputs[2];

	if (!shape_known(t, 4) || !node_ints(t, "repeats", 1, repeats, &count))
		return;
	for (uint32_t i = 0; i < count; i++)
		if (count != x->rank || repeats[i] < 1 || repeats[i] > INT32_MAX) {
			TRANSLATOR_REFUSE(t, "repeats has not a number from 1 for each dimension");
			return;
		}
	r = translator_plan(t, 1, RESULT_QUANTIZED | RESULT_SAME);
	inputs[0] = translator_argument(t, &r, 0);
	inputs[1] = translator_list(t, repeats, count);
	translator_emit(t, NNMODEL_TILE, inputs, 2, translator_result(t, &r));
}

/* ---- parts ---- */

/* Elements @begin to @begin + @size * @step of each dimension go to output @output. */
static void translator_slice(struct translator *t, const int64_t *begin, const int64_t *step,
			     uint32_t output)
{
	const struct onnx_value *x = translator_value(t, 0),
				*y = &t->g->values[t->node->outputs[output]];
	struct result r = { .value = t->node->outputs[output] };
	int64_t end[ONNX_MAX_RANK];
	bool steps = false;
	int inputs[7];

	for (uint32_t i = 0; i < x->rank; i++) {
		steps |= step[i] != 1;
		end[i] = begin[i] + y->dims[i] * step[i];
		if (y->rank != x->rank || begin[i] < 0 ||
		    begin[i] + (y->dims[i] - 1) * step[i] >= x->dims[i]) {
			TRANSLATOR_REFUSE(t, "its part is not in tensor %s", x->name);
			return;
		}
		end[i] = end[i] > x->dims[i] ? x->dims[i] : end[i];
	}
	if (steps && x->rank > 4) {
		TRANSLATOR_REFUSE(t, "NNAPI has steps in 4 dimensions at most");
		return;
	}
	if (t->node->num_outputs == 1)
		r = translator_plan(t, 1, RESULT_QUANTIZED | RESULT_SAME);
	inputs[0] = translator_argument(t, &r, 0);
	inputs[1] = translator_list(t, begin, x->rank);
	inputs[2] = translator_list(t, steps ? end : y->dims, x->rank);
	inputs[3] = steps ? translator_list(t, step, x->rank) : 0;
	for (int i = 4; steps && i < 7; i++)
		inputs[i] = translator_int32(t, 0);
	translator_emit(t, steps ? NNMODEL_STRIDED_SLICE : NNMODEL_SLICE, inputs, steps ? 7 : 3,
			translator_result(t, &r));
}

static void translate_slice(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0);
	int64_t starts[2 * ONNX_MAX_RANK], axes[2 * ONNX_MAX_RANK], steps[2 * ONNX_MAX_RANK];
	int64_t begin[ONNX_MAX_RANK] = { 0 }, step[ONNX_MAX_RANK];
	uint32_t count, num_axes, num_steps;

	if (!shape_known(t, ONNX_MAX_RANK) || !node_ints(t, "starts", 1, starts, &count) ||
	    !node_ints(t, "axes", 3, axes, &num_axes) ||
	    !node_ints(t, "steps", 4, steps, &num_steps))
		return;
	for (uint32_t i = 0; i < ONNX_MAX_RANK; i++)
		step[i] = 1;
	for (uint32_t i = 0; i < count; i++) {
		int axis = onnx_axis(num_axes > i ? axes[i] : i, x->rank);

		if (axis < 0 || (num_steps > i && (steps[i] < 1 || steps[i] > INT32_MAX))) {
			TRANSLATOR_REFUSE(
				t, "it has a step below 1, or an axis that tensor %s has not",
				x->name);
			return;
		}
		step[axis] = num_steps > i ? steps[i] : 1;
		begin[axis] = starts[i] < -x->dims[axis]  ? 0
			      : starts[i] < 0		  ? starts[i] + x->dims[axis]
			      : starts[i] > x->dims[axis] ? x->dims[axis]
							  : starts[i];
	}
	translator_slice(t, begin, step, 0);
}

static void translate_split(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0);
	int axis = onnx_axis(onnx_int(t->node, "axis", 0), x->rank);
	int64_t begin[ONNX_MAX_RANK] = { 0 }, step[ONNX_MAX_RANK];

	if (!shape_known(t, ONNX_MAX_RANK))
		return;
	if (axis < 0) {
		TRANSLATOR_REFUSE(t, "its axis is none of tensor %s", x->name);
		return;
	}
	for (uint32_t i = 0; i < ONNX_MAX_RANK; i++)
		step[i] = 1;
	for (uint32_t i = 0; i < t->node->num_outputs && !t->error; i++) {
		translator_slice(t, begin, step, i);
		begin[axis] += t->g->values[t->node->outputs[i]].dims[axis];
	}
}

/* Constant indices, which count from the beginning in NNAPI. */
static int translator_places(struct translator *t, const struct onnx_value *i, int64_t size)
{
	int32_t *places = translator_alloc(t, i->elements, sizeof(*places));
	uint32_t dims[ONNX_MAX_RANK], rank = onnx_dims(i, dims);

	for (uint64_t j = 0; places && j < i->elements; j++) {
		int64_t place = i->type == ORT_INT64 ? ((const int64_t *)i->data)[j]
						     : ((const int32_t *)i->data)[j];

		place += place < 0 ? size : 0;
		if (place < 0 || place >= size)
			TRANSLATOR_REFUSE(t, "index %llu is not one of %lld", (unsigned long long)j,
					  (long long)size);
		places[j] = (int32_t)place;
	}
	return translator_constant(t, NNMODEL_TENSOR_INT32, dims, rank, 0, 0, places);
}

/* Indices of a tensor: @size is added to those below 0. */
static int translator_indices(struct translator *t, int value, int64_t size)
{
	uint32_t dims[ONNX_MAX_RANK], rank = onnx_dims(&t->g->values[value], dims);
	int raw = translator_operand(t, value),
	    below = translator_temporary(t, NNMODEL_TENSOR_BOOL8, dims, rank, 0, 0),
	    moved = translator_temporary(t, NNMODEL_TENSOR_INT32, dims, rank, 0, 0),
	    places = translator_temporary(t, NNMODEL_TENSOR_INT32, dims, rank, 0, 0);

	translator_emit(t, NNMODEL_LESS,
			(const int[]){ raw, translator_list(t, (const int64_t[]){ 0 }, 1) }, 2,
			below);
	translator_emit(t, NNMODEL_ADD,
			(const int[]){ raw, translator_list(t, &size, 1), translator_int32(t, 0) },
			3, moved);
	translator_emit(t, NNMODEL_SELECT, (const int[]){ below, moved, raw }, 3, places);
	return places;
}

static void translate_gather(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0), *i = translator_value(t, 1);
	int axis = onnx_axis(onnx_int(t->node, "axis", 0), x->rank), inputs[3], out;
	uint32_t dims[ONNX_MAX_RANK], rank;
	struct result r;

	if (!shape_known(t, ONNX_MAX_RANK))
		return;
	if (axis < 0 || !i->fixed || (i->type != ORT_INT64 && i->type != ORT_INT32)) {
		TRANSLATOR_REFUSE(
			t,
			"its axis is none of tensor %s, or indices %s have no fixed shape or are not int32 or int64",
			x->name, i->name);
		return;
	}
	inputs[2] = i->data ? translator_places(t, i, x->dims[axis])
			    : translator_indices(t, t->node->inputs[1], x->dims[axis]);
	r = translator_plan(t, 1, RESULT_QUANTIZED | RESULT_SAME);
	inputs[0] = translator_argument(t, &r, 0);
	inputs[1] = translator_int32(t, axis);
	if (i->rank) {
		translator_emit(t, NNMODEL_GATHER, inputs, 3, translator_result(t, &r));
		return;
	}
	/* one index that drops the dimension */
	rank = onnx_dims(x, dims);
	dims[axis] = 1;
	out = translator_like(t, &r, dims, rank);
	translator_emit(t, NNMODEL_GATHER, inputs, 3, out);
	inputs[0] = out;
	inputs[1] = translator_list(t, t->g->values[r.value].dims, t->g->values[r.value].rank);
	translator_emit(t, NNMODEL_RESHAPE, inputs, 2, translator_result(t, &r));
}

/* ---- reductions ---- */

/* The operation with a quantized form has a number where the others have a BOOL. */
static void translate_reduce(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0);
	uint32_t count;
	bool keep = onnx_int(t->node, "keepdims", 1);
	int64_t axes[2 * ONNX_MAX_RANK];
	int inputs[3];
	struct result r;

	if (!shape_known(t, 4) || !node_ints(t, "axes", 1, axes, &count))
		return;
	if (!count && onnx_int(t->node, "noop_with_empty_axes", 0)) {
		TRANSLATOR_REFUSE(t, "it has no axes and does nothing; remove it");
		return;
	}
	for (uint32_t i = 0; !count && i < x->rank; i++)
		axes[i] = i;
	count = count ? count : x->rank;
	for (uint32_t i = 0; i < count; i++)
		axes[i] = onnx_axis(axes[i], x->rank);
	r = translator_plan(t, 1, t->row->flags);
	inputs[0] = translator_argument(t, &r, 0);
	inputs[1] = translator_list(t, axes, count);
	inputs[2] = t->row->flags ? translator_int32(t, keep) : translator_bool(t, keep);
	translator_emit(t, t->row->opcode, inputs, 3, translator_result(t, &r));
}

/* ArgMax, ArgMin: NNAPI drops the dimension. */
static void translate_place(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0);
	const struct result r = { .value = t->node->outputs[0] };
	const int axis = onnx_axis(onnx_int(t->node, "axis", 0), x->rank);
	const bool keep = onnx_int(t->node, "keepdims", 1);
	uint32_t dims[ONNX_MAX_RANK], rank = 0;
	int inputs[2], out;

	if (!shape_known(t, 4))
		return;
	if (axis < 0 || x->rank < 2 || onnx_int(t->node, "select_last_index", 0)) {
		TRANSLATOR_REFUSE(
			t,
			"its axis is none of tensor %s, the only one, or select_last_index is not 0",
			x->name);
		return;
	}
	inputs[0] = translator_operand(t, t->node->inputs[0]);
	inputs[1] = translator_int32(t, axis);
	for (uint32_t i = 0; i < x->rank; i++)
		if (i != (uint32_t)axis)
			dims[rank++] = (uint32_t)x->dims[i];
	out = keep ? translator_temporary(t, NNMODEL_TENSOR_INT32, dims, rank, 0, 0)
		   : translator_result(t, &r);
	translator_emit(t, t->row->opcode, inputs, 2, out);
	if (!keep)
		return;
	inputs[0] = out;
	inputs[1] = translator_list(t, t->g->values[r.value].dims, x->rank);
	translator_emit(t, NNMODEL_RESHAPE, inputs, 2, translator_result(t, &r));
}

/*
 * Of equal elements ONNX takes the first, NNAPI the last: the places are those of the reversed
 * dimension, which count from its end.
 */
static int topk_reverse(struct translator *t, int x)
{
	const struct onnx_value *v = translator_value(t, 0);
	const int64_t axis = v->rank - 1;
	uint32_t dims[ONNX_MAX_RANK], rank = onnx_dims(v, dims);
	int reversed = translator_similar(t, x, dims, rank);

	translator_emit(t, NNMODEL_REVERSE, (const int[]){ x, translator_list(t, &axis, 1) }, 2,
			reversed);
	return reversed;
}

static void topk_places(struct translator *t, int from_end, int64_t last)
{
	const struct result places = { .value = t->node->outputs[1] };
	const int inputs[] = { translator_list(t, &last, 1), from_end, translator_int32(t, 0) };

	translator_emit(t, NNMODEL_SUB, inputs, 3, translator_result(t, &places));
}

static void translate_topk(struct translator *t)
{
	const struct onnx_value *x = translator_value(t, 0);
	const struct result values = { .value = t->node->outputs[0] };
	const bool places = t->node->num_outputs > 1;
	uint32_t count, dims[ONNX_MAX_RANK], rank;
	int inputs[2], outputs[2];
	int64_t k;

	if (!translator_ints(t, 1, &k, 1, &count) || count != 1 || k < 1 || k > INT32_MAX) {
		TRANSLATOR_REFUSE(t,
				  "its number of elements is no constant; make it an initializer");
		return;
	}
	if (!x->rank || onnx_axis(onnx_int(t->node, "axis", -1), x->rank) != (int)x->rank - 1 ||
	    !onnx_int(t->node, "largest", 1)) {
		TRANSLATOR_REFUSE(
			t,
			"NNAPI takes the largest elements of the last dimension; use Transpose or Neg before it");
		return;
	}
	rank = onnx_dims(x, dims);
	dims[rank - 1] = (uint32_t)k;
	inputs[0] = translator_operand(t, translator_input(t, 0));
	if (places)
		inputs[0] = topk_reverse(t, inputs[0]);
	inputs[1] = translator_int32(t, k);
	outputs[0] = translator_result(t, &values);
	outputs[1] = translator_temporary(t, NNMODEL_TENSOR_INT32, dims, rank, 0, 0);
	translator_emit_all(t, NNMODEL_TOPK_V2, inputs, 2, outputs, 2);
	if (places)
		topk_places(t, outputs[1], x->dims[x->rank - 1] - 1);
}

const struct onnx_operator onnx_shape_operators[] = {
	ONNX_ROW("Reshape", translate_reshape, 0, 1, .int64 = true, .shape = ONNX_SHAPE_ELEMENTS),
	ONNX_ROW("Flatten", translate_reshape, 0, 1, .int64 = true, .shape = ONNX_SHAPE_ELEMENTS),
	ONNX_ROW("Squeeze", translate_reshape, 0, 1, .int64 = true, .shape = ONNX_SHAPE_ELEMENTS),
	ONNX_ROW("Unsqueeze", translate_reshape, 0, 1, .int64 = true, .shape = ONNX_SHAPE_ELEMENTS),
	ONNX_ROW("Identity", translate_reshape, 0, 1, .int64 = true, .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("Transpose", translate_transpose, 0, 1, .int64 = true,
		 .shape = ONNX_SHAPE_TRANSPOSE),
	ONNX_ROW("Concat", translate_concat, 0, 1, .int64 = true, .shape = ONNX_SHAPE_CONCAT),
	ONNX_ROW("Pad", translate_pad, 0, 1, ),
	ONNX_ROW("DepthToSpace", translate_blocks, NNMODEL_DEPTH_TO_SPACE, 1,
		 .shape = ONNX_SHAPE_FIRST),
	ONNX_ROW("SpaceToDepth", translate_blocks, NNMODEL_SPACE_TO_DEPTH, 1,
		 .shape = ONNX_SHAPE_FIRST),
	ONNX_ROW("Tile", translate_tile, 0, 2, .int64 = true),
	ONNX_ROW("Slice", translate_slice, 0, 1, .int64 = true),
	ONNX_ROW("Split", translate_split, 0, 1, .many = true, .int64 = true,
		 .shape = ONNX_SHAPE_SPLIT),
	ONNX_ROW("Gather", translate_gather, 0, 2, .int64 = true, .shape = ONNX_SHAPE_GATHER),
	ONNX_ROW("ReduceMean", translate_reduce, NNMODEL_MEAN, 1,
		 .flags = RESULT_QUANTIZED | RESULT_SAME, .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("ReduceSum", translate_reduce, NNMODEL_REDUCE_SUM, 1, .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("ReduceMax", translate_reduce, NNMODEL_REDUCE_MAX, 1, .int64 = true,
		 .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("ReduceMin", translate_reduce, NNMODEL_REDUCE_MIN, 1, .int64 = true,
		 .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("ReduceProd", translate_reduce, NNMODEL_REDUCE_PROD, 1, .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("ArgMax", translate_place, NNMODEL_ARGMAX, 1, .int64 = true,
		 .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("ArgMin", translate_place, NNMODEL_ARGMIN, 1, .int64 = true,
		 .shape = ONNX_SHAPE_SAME),
	ONNX_ROW("TopK", translate_topk, 0, 2, .many = true, .int64 = true,
		 .shape = ONNX_SHAPE_FIRST),
	{ 0 },
};
