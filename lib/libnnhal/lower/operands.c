// SPDX-License-Identifier: Apache-2.0
/* Tensors of the program for operands of the model. */
#include <errno.h>
#include <stdlib.h>

#include "nnprog_attrs.h"
#include "nnprog_builder.h"
#include "nnprog_format.h"
#include "nnprog_opcode.h"
#include "nnhal_lowering.h"

/* Constants above this are not copied: no parameter is that large. */
#define PARAMETER_LIMIT (NNPROG_MAX_VALUES * sizeof(int32_t))

static const int32_t nchw_to_nhwc[4] = { 0, 2, 3, 1 };
static const int32_t nhwc_to_nchw[4] = { 0, 3, 1, 2 };

static bool dtype_of(const struct lower *l, uint32_t type, uint32_t *dtype)
{
	static const uint8_t dtypes[NNMODEL_TYPE_COUNT] = {
		[NNMODEL_FLOAT32] = NNPROG_FLOAT32,
		[NNMODEL_INT32] = NNPROG_INT32,
		[NNMODEL_UINT32] = NNPROG_UINT32,
		[NNMODEL_TENSOR_FLOAT32] = NNPROG_FLOAT32,
		[NNMODEL_TENSOR_INT32] = NNPROG_INT32,
		[NNMODEL_TENSOR_QUANT8_ASYMM] = NNPROG_UINT8,
		[NNMODEL_BOOL] = NNPROG_BOOL8,
		[NNMODEL_TENSOR_QUANT16_SYMM] = NNPROG_INT16,
		[NNMODEL_TENSOR_FLOAT16] = NNPROG_FLOAT16,
		[NNMODEL_TENSOR_BOOL8] = NNPROG_BOOL8,
		[NNMODEL_FLOAT16] = NNPROG_FLOAT16,
		[NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL] = NNPROG_INT8,
		[NNMODEL_TENSOR_QUANT16_ASYMM] = NNPROG_UINT16,
		[NNMODEL_TENSOR_QUANT8_SYMM] = NNPROG_INT8,
		[NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED] = NNPROG_INT8,
	};

	if (type > NNMODEL_TYPE_BASE_MAX) {
		const struct nnhal_lower_type *ext = nnhal_lower_type(l->model, type);

		if (ext)
			*dtype = ext->dtype;
		return ext;
	}
	if (type >= NNMODEL_SUBGRAPH)
		return false;
	*dtype = dtypes[type];
	return true;
}

static bool is_scalar(const struct lower *l, uint32_t type)
{
	const struct nnhal_lower_type *ext = nnhal_lower_type(l->model, type);

	return ext ? !ext->is_tensor : nnmodel_type_is_scalar(type);
}

static int shape_of(struct lower *l, uint32_t operand, struct nnprog_shape *shape)
{
	const struct nnmodel_operand *o = &l->graph->operands[operand];
	uint32_t i;

	*shape = (struct nnprog_shape){ 0 };
	if (is_scalar(l, o->type))
		return 0;
	if (o->rank > NNPROG_MAX_RANK)
		return lower_refuse(l, operand,
				    "operand %u has rank %u, the device takes at most %u", operand,
				    o->rank, NNPROG_MAX_RANK);
	shape->rank = o->rank ? o->rank : NNPROG_RANK_UNKNOWN;
	for (i = 0; i < o->rank; i++)
		shape->dims[i] = o->dims[i] ? o->dims[i] : NNPROG_DIM_UNKNOWN;
	return 0;
}

static int operands_describe(struct lower *l, uint32_t operand, struct nnprog_operand *d)
{
	const struct nnmodel_operand *o = &l->graph->operands[operand];

	*d = (struct nnprog_operand){ 0 };
	if (!dtype_of(l, o->type, &d->dtype))
		return lower_refuse(l, operand, "operand %u: type %s is not supported", operand,
				    nnmodel_type_name(o->type));
	if (o->lifetime == NNMODEL_NO_VALUE) {
		d->omitted = true;
		return 0;
	}
	d->scale = o->scale;
	d->zero_point = o->zero_point;
	d->scales = o->scales;
	d->num_scales = o->num_scales;
	d->channel_dim = o->channel_dim;
	return shape_of(l, operand, &d->shape);
}

static void permute(struct nnprog_shape *shape, const int32_t *permutation)
{
	struct nnprog_shape from = *shape;
	uint32_t i;

	if (from.rank == NNPROG_RANK_UNKNOWN) {
		shape->rank = 4;
		for (i = 0; i < 4; i++)
			shape->dims[i] = NNPROG_DIM_UNKNOWN;
		return;
	}
	for (i = 0; i < 4; i++)
		shape->dims[i] = from.dims[permutation[i]];
}

static int emit_transpose(struct lower *l, uint32_t from, bool to_nhwc, uint32_t to)
{
	uint32_t *shared = to_nhwc ? &l->to_nhwc : &l->to_nchw;
	int ret;

	if (*shared == LOWER_NONE) {
		ret = lower_const_ints(l, to_nhwc ? nchw_to_nhwc : nhwc_to_nchw, 4, shared);
		if (ret)
			return ret;
	}
	return lower_emit(l, NNPROG_OP_TRANSPOSE, NULL, 0, (uint32_t[]){ from, *shared }, 2, &to,
			  1);
}

/* Kind of the tensor that stands for a variable when it is written. */
static uint32_t written_kind(const struct nnmodel_operand *o)
{
	return o->lifetime == NNMODEL_SUBGRAPH_OUTPUT ? NNPROG_OUTPUT : NNPROG_TEMP;
}

/* The NCHW tensor of an operand that exists as [N,H,W,C] only. */
static int make_nchw(struct lower *l, uint32_t operand)
{
	struct lower_operand *state = &l->operands[operand];
	struct nnprog_operand d = lower_get(l, state->nhwc);
	int ret;

	permute(&d.shape, nhwc_to_nchw);
	d.data = NULL;
	ret = lower_add_tensor(l, &d, written_kind(&l->graph->operands[operand]), NULL, 0,
			       &state->tensor);
	return ret ? ret : emit_transpose(l, state->nhwc, false, state->tensor);
}

/* The tensor of an operand that is read. */
static int tensor_of(struct lower *l, uint32_t operand, uint32_t *tensor)
{
	const struct nnmodel_operand *o = &l->graph->operands[operand];
	struct lower_operand *state = &l->operands[operand];
	uint32_t kind = NNPROG_INPUT;
	struct nnprog_operand d;
	const void *data = NULL;
	size_t size = 0;
	int ret = 0;

	if (state->tensor == LOWER_NONE && state->nhwc != LOWER_NONE) {
		ret = make_nchw(l, operand);
	} else if (state->tensor == LOWER_NONE) {
		ret = operands_describe(l, operand, &d);
		if (ret)
			return ret;
		switch (o->lifetime) {
		case NNMODEL_CONSTANT_COPY:
		case NNMODEL_CONSTANT_REFERENCE:
			kind = NNPROG_CONST;
			ret = nnmodel_constant(l->model, l->maps, o, &data, &size);
			if (ret)
				return lower_contradict(l, operand,
							"operand %u: the constant is out of bounds",
							operand);
			if (l->dry && size > PARAMETER_LIMIT) {
				kind = NNPROG_INPUT;
				data = NULL;
				size = 0;
			}
			break;
		case NNMODEL_NO_VALUE:
			kind = NNPROG_OMITTED;
			break;
		case NNMODEL_SUBGRAPH_INPUT:
			break;
		default:
			/* its writer is unsupported */
			if (!l->dry)
				return lower_contradict(l, operand,
							"operand %u is read before it is written",
							operand);
		}
		if (kind == NNPROG_CONST && size > PARAMETER_LIMIT)
			ret = lower_keep_constant(l, &d, data, size, &state->tensor);
		else
			ret = lower_add_tensor(l, &d, kind, data, size, &state->tensor);
	}
	*tensor = state->tensor;
	return ret;
}

static uint32_t input_operand(const struct lower *l, uint32_t i)
{
	return !i && l->plan->input != LOWER_NONE ? l->plan->input : l->op->inputs[i];
}

int lower_in_opt(struct lower *l, uint32_t i, uint32_t *tensor)
{
	return tensor_of(l, input_operand(l, i), tensor);
}

int lower_given(struct lower *l, uint32_t i)
{
	const uint32_t operand = input_operand(l, i);

	if (l->graph->operands[operand].lifetime == NNMODEL_NO_VALUE)
		return lower_refuse(l, operand, "input %u (operand %u) may not be omitted", i,
				    operand);
	return 0;
}

int lower_in(struct lower *l, uint32_t i, uint32_t *tensor)
{
	const int ret = lower_given(l, i);

	return ret ? ret : tensor_of(l, input_operand(l, i), tensor);
}

int lower_in_declared(struct lower *l, uint32_t i, uint32_t *tensor)
{
	const struct nnprog_attr_convert attr = { .kind = NNPROG_CONVERT_RELABEL };
	const struct nnmodel_operand *o = &l->graph->operands[input_operand(l, i)];
	struct nnprog_operand d;
	uint32_t from;
	int ret;

	ret = lower_in_opt(l, i, &from);
	if (ret)
		return ret;
	*tensor = from;
	d = lower_get(l, from);
	if (d.omitted || d.num_scales || (d.scale == o->scale && d.zero_point == o->zero_point))
		return 0;
	/* the same numbers under the other quantization */
	d.scale = o->scale;
	d.zero_point = o->zero_point;
	d.data = NULL;
	ret = lower_add_tensor(l, &d, NNPROG_TEMP, NULL, 0, tensor);
	return ret ? ret
		   : lower_emit(l, NNPROG_OP_CONVERT, &attr, sizeof(attr), &from, 1, tensor, 1);
}

int lower_in_image(struct lower *l, uint32_t i, bool nchw, uint32_t *tensor)
{
	const uint32_t operand = input_operand(l, i);
	struct lower_operand *state = &l->operands[operand];
	struct nnprog_operand d;
	uint32_t from;
	int ret;

	if (!nchw)
		return lower_in(l, i, tensor);
	if (state->nhwc == LOWER_NONE) {
		ret = lower_in(l, i, &from);
		if (ret)
			return ret;
		d = lower_get(l, from);
		d.data = NULL;
		if (d.shape.rank != NNPROG_RANK_UNKNOWN && d.shape.rank != 4)
			return lower_refuse(l, operand,
					    "input %u (operand %u) has rank %u, must be 4", i,
					    operand, d.shape.rank);
		permute(&d.shape, nchw_to_nhwc);
		ret = lower_add_tensor(l, &d, NNPROG_TEMP, NULL, 0, tensor);
		if (!ret)
			ret = emit_transpose(l, from, true, *tensor);
		if (ret)
			return ret;
		state->nhwc = *tensor;
	}
	*tensor = state->nhwc;
	return 0;
}

/* Declared dimensions that the shape of output @i must agree with. */
static int output_shape(struct lower *l, uint32_t i, uint32_t target, struct nnprog_shape *shape)
{
	const uint32_t others[2] = { l->op->outputs[i], i ? LOWER_NONE : l->plan->also };
	struct nnprog_shape other;
	uint32_t k;
	int ret;

	ret = shape_of(l, target, shape);
	for (k = 0; !ret && k < 2; k++) {
		if (others[k] == LOWER_NONE || others[k] == target)
			continue;
		ret = shape_of(l, others[k], &other);
		if (!ret && nnprog_shape_merge(shape, &other))
			return lower_contradict(l, others[k],
						"operands %u and %u differ in dimensions",
						others[k], target);
	}
	return ret;
}

/* @computed: the quantization follows from the operation; else it is as declared. */
static int make_output(struct lower *l, uint32_t i, bool computed, float scale, int32_t zero_point,
		       bool nchw, uint32_t *tensor)
{
	const bool bound = !i && l->plan->output != LOWER_NONE;
	const uint32_t target = bound ? l->plan->output : l->op->outputs[i];
	const struct nnmodel_operand *declared = &l->graph->operands[l->op->outputs[i]];
	const struct nnmodel_operand *o = &l->graph->operands[target];
	struct lower_operand *state = &l->operands[target];
	struct nnprog_operand d;
	int ret;

	ret = operands_describe(l, target, &d);
	if (ret)
		return ret;
	if (d.omitted)
		return lower_refuse(l, target, "output %u (operand %u) may not be omitted", i,
				    target);
	if (computed && o->lifetime == NNMODEL_SUBGRAPH_OUTPUT &&
	    (o->scale != scale || o->zero_point != zero_point))
		return lower_refuse(
			l, target,
			"output (operand %u) has scale %g, zero point %d, must be %g, %d", target,
			(double)o->scale, o->zero_point, (double)scale, zero_point);
	d.scale = computed ? scale : declared->scale;
	d.zero_point = computed ? zero_point : declared->zero_point;
	ret = output_shape(l, i, target, &d.shape);
	if (ret)
		return ret;
	if (!nchw) {
		ret = lower_add_tensor(l, &d, written_kind(o), NULL, 0, &state->tensor);
		*tensor = state->tensor;
		return ret;
	}
	if (d.shape.rank != NNPROG_RANK_UNKNOWN && d.shape.rank != 4)
		return lower_contradict(l, target, "output (operand %u) has rank %u, must be 4",
					target, d.shape.rank);
	permute(&d.shape, nchw_to_nhwc);
	ret = lower_add_tensor(l, &d, NNPROG_TEMP, NULL, 0, &state->nhwc);
	*tensor = state->nhwc;
	return ret;
}

int lower_out(struct lower *l, uint32_t i, uint32_t *tensor)
{
	return make_output(l, i, false, 0, 0, false, tensor);
}

int lower_out_quant(struct lower *l, uint32_t i, float scale, int32_t zero_point, uint32_t *tensor)
{
	return make_output(l, i, true, scale, zero_point, false, tensor);
}

int lower_out_like(struct lower *l, uint32_t i, uint32_t like, uint32_t *tensor)
{
	return lower_out_image(l, i, false, like, tensor);
}

int lower_out_image(struct lower *l, uint32_t i, bool nchw, uint32_t like, uint32_t *tensor)
{
	const struct nnprog_operand op = like == LOWER_NONE ? (struct nnprog_operand){ 0 }
							    : lower_get(l, like);

	return make_output(l, i, like != LOWER_NONE, op.scale, op.zero_point, nchw, tensor);
}

/* Scale of coordinates in QUANT16_ASYMM; their zero point is 0. */
#define BOX_SCALE 0.125f

int lower_out_boxes(struct lower *l, uint32_t i, uint32_t *tensor)
{
	const uint32_t type = l->graph->operands[l->op->outputs[i]].type;

	return type == NNMODEL_TENSOR_QUANT16_ASYMM ? lower_out_quant(l, i, BOX_SCALE, 0, tensor)
						    : lower_out(l, i, tensor);
}

/* The first operation that reads @operand, for a message; or NULL. */
static const struct nnmodel_operation *first_reader(const struct lower *l, uint32_t operand)
{
	uint32_t i, k;

	for (i = 0; i < l->graph->num_operations; i++)
		for (k = 0; k < l->graph->operations[i].num_inputs; k++)
			if (l->graph->operations[i].inputs[k] == operand)
				return &l->graph->operations[i];
	return NULL;
}

int lower_inputs(struct lower *l)
{
	uint32_t i, tensor;
	int ret = 0;

	for (i = 0; !ret && i < l->graph->num_inputs; i++) {
		const uint32_t operand = l->graph->inputs[i];

		l->op = NULL;
		ret = tensor_of(l, operand, &tensor);
		if (ret && !l->dry) {
			l->op = first_reader(l, operand);
			ret = tensor_of(l, operand, &tensor);
		}
		/* the operations that read it report the error */
		if (l->dry && ret != -ENOMEM)
			ret = 0;
	}
	return ret;
}

int lower_end_graph(struct lower *l)
{
	const struct nnmodel_subgraph *g = l->graph;
	uint32_t *in_list, *out_list;
	uint32_t i;
	int ret = 0;

	l->op = NULL;
	in_list = calloc(g->num_inputs + 1ul, sizeof(*in_list));
	out_list = calloc(g->num_outputs + 1ul, sizeof(*out_list));
	if (!in_list || !out_list)
		ret = -ENOMEM;
	for (i = 0; !ret && i < g->num_inputs; i++)
		in_list[i] = l->operands[g->inputs[i]].tensor;
	for (i = 0; !ret && i < g->num_outputs; i++)
		ret = tensor_of(l, g->outputs[i], &out_list[i]);
	if (!ret)
		ret = nnprog_builder_io(l->builder, in_list, g->num_inputs, out_list,
					g->num_outputs);
	free(in_list);
	free(out_list);
	return ret;
}
