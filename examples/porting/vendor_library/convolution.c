// SPDX-License-Identifier: Apache-2.0
/*
 * NNAPI's CONV_2D as a job of the unit. The model is valid: libnnmodel has checked types, ranks and
 * the number of operands.
 */
#include <string.h>

#include "conv8.h"

__attribute__((format(printf, 3, 4))) static bool convolution_refuse(char *why, size_t size,
								     const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, size, fmt, args);
	va_end(args);
	return false;
}

/* ---- what the unit does not take, before its form ---- */

static bool shape_complete(const struct nnmodel_operand *operand)
{
	for (uint32_t i = 0; i < operand->rank; i++)
		if (!operand->dims[i])
			return false;
	return operand->rank > 0;
}

static bool is_constant(const struct nnmodel_operand *operand)
{
	return operand->lifetime == NNMODEL_CONSTANT_COPY ||
	       operand->lifetime == NNMODEL_CONSTANT_REFERENCE;
}

static bool operands_taken(const struct nnmodel_operand *in, const struct nnmodel_operand *filter,
			   const struct nnmodel_operand *bias, const struct nnmodel_operand *out,
			   char *why, size_t size)
{
	if (in->type != NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED)
		return convolution_refuse(why, size,
					  "input of %s, the unit takes "
					  "TENSOR_QUANT8_ASYMM_SIGNED: quantize the model to int8",
					  nnmodel_type_name(in->type));
	if (is_constant(in))
		return convolution_refuse(why, size,
					  "constant input, the unit reads memory of requests: "
					  "compute the operation when the model is made");
	if (!is_constant(filter) || !is_constant(bias))
		return convolution_refuse(why, size,
					  "%s that is computed, the unit loads constants: make it "
					  "a constant",
					  is_constant(filter) ? "bias" : "filter");
	if (!shape_complete(in) || !shape_complete(out))
		return convolution_refuse(why, size,
					  "%s with an unknown dimension, the unit is set up for "
					  "one shape: give the model its shape",
					  shape_complete(in) ? "output" : "input");
	return true;
}

/* ---- parameters ---- */

/* The parameters behind the bias; false: one is no constant. */
static bool parameters_read(const struct nnmodel *model, const struct nnmodel_operation *op,
			    int32_t values[10], char *why, size_t size)
{
	for (uint32_t i = 3; i < op->num_inputs; i++) {
		const struct nnmodel_operand *operand = &model->main.operands[op->inputs[i]];
		const void *value;
		size_t bytes;

		/* scalars in pools: models that the runtime makes have none */
		if (nnmodel_constant(model, NULL, operand, &value, &bytes))
			return convolution_refuse(why, size,
						  "parameter %u that is computed, the unit is set "
						  "up once: make it a constant",
						  i);
		values[i - 3] = 0;
		memcpy(&values[i - 3], value, bytes < sizeof(int32_t) ? bytes : sizeof(int32_t));
	}
	return true;
}

/* Along one axis of the image. @scheme: of NNAPI, or 0 where the model has the padding. */
static bool axis_fits(uint32_t scheme, int32_t before, int32_t after, uint32_t in, uint32_t filter,
		      uint32_t stride, uint32_t out, uint32_t *padding)
{
	uint64_t covered, padded;

	if (!filter || before < 0 || after < 0)
		return false;
	if (scheme == NNMODEL_PADDING_SAME) {
		covered = ((uint64_t)in + stride - 1) / stride * stride - stride + filter;
		*padding = covered > in ? (uint32_t)(covered - in) / 2 : 0;
		return out == (in + stride - 1) / stride;
	}
	*padding = (uint32_t)before;
	padded = (uint64_t)in + (uint32_t)before + (uint32_t)after;
	return padded >= filter && out == (padded - filter) / stride + 1;
}

static bool image_fits(struct conv_unit_job *job, bool named, const int32_t values[10])
{
	const uint32_t scheme = named ? (uint32_t)values[0] : 0;
	const int32_t none[4] = { 0 }, *pads = named ? none : values;

	if (named && scheme != NNMODEL_PADDING_SAME && scheme != NNMODEL_PADDING_VALID)
		return false;
	return axis_fits(scheme, pads[0], pads[1], job->in_width, job->form.filter_width,
			 job->form.stride_width, job->out_width, &job->left) &&
	       axis_fits(scheme, pads[2], pads[3], job->in_height, job->form.filter_height,
			 job->form.stride_height, job->out_height, &job->top);
}

/* Shapes that contradict each other are valid for NNAPI until a device prepares the model. */
static bool tensors_agree(const struct nnmodel_operand *in, const struct nnmodel_operand *filter,
			  const struct nnmodel_operand *bias, const struct nnmodel_operand *out)
{
	return in->rank == 4 && filter->rank == 4 && bias->rank == 1 && out->rank == 4 &&
	       in->dims[0] == out->dims[0] && in->dims[3] == filter->dims[3] &&
	       filter->dims[0] == bias->dims[0] && filter->dims[0] == out->dims[3];
}

/* Ten inputs are both forms: a BOOL there is the layout of the form whose padding has a name. */
static bool padding_by_name(const struct nnmodel *model, const struct nnmodel_operation *op)
{
	return op->num_inputs == 7 ||
	       (op->num_inputs >= 8 && model->main.operands[op->inputs[7]].type == NNMODEL_BOOL);
}

bool conv8_convolution_read(const struct nnmodel *model, const struct nnmodel_operation *op,
			    struct conv8_convolution *conv, char *why, size_t size)
{
	const struct nnmodel_operand *operands = model->main.operands, *in, *filter, *out;
	const bool named = padding_by_name(model, op);
	int32_t values[10] = { 0 };
	uint32_t activation;
	const uint32_t stride = named ? 1 : 4, layout = stride + 3, given = op->num_inputs - 3;
	struct conv_unit_job *job = &conv->job;

	if (op->type != NNMODEL_CONV_2D)
		return convolution_refuse(why, size,
					  "the unit computes CONV_2D alone: another device takes "
					  "this operation");
	*conv = (struct conv8_convolution){ .in = op->inputs[0],
					    .filter = op->inputs[1],
					    .bias = op->inputs[2],
					    .out = op->outputs[0] };
	in = &operands[conv->in];
	filter = &operands[conv->filter];
	out = &operands[conv->out];
	if (!operands_taken(in, filter, &operands[conv->bias], out, why, size) ||
	    !parameters_read(model, op, values, why, size))
		return false;
	if (given > layout && values[layout])
		return convolution_refuse(why, size,
					  "layout NCHW, the unit takes NHWC: transpose the model");
	job->form = (struct conv_unit_form){
		.in_channels = in->dims[3],
		.out_channels = filter->dims[0],
		.filter_height = filter->dims[1],
		.filter_width = filter->dims[2],
		.stride_width = (uint32_t)values[stride],
		.stride_height = (uint32_t)values[stride + 1],
		.dilation_width = given > layout + 1 ? (uint32_t)values[layout + 1] : 1,
		.dilation_height = given > layout + 2 ? (uint32_t)values[layout + 2] : 1,
		.filter_zero_point = filter->zero_point,
	};
	if (conv_unit_refuses(&job->form, why, size))
		return false;
	activation = (uint32_t)values[stride + 2];
	if (activation > NNMODEL_FUSED_RELU6)
		return convolution_refuse(why, size, "activation %u, NNAPI has 0 to 3: correct it",
					  activation);
	job->batch = in->dims[0];
	job->in_height = in->dims[1];
	job->in_width = in->dims[2];
	job->out_height = out->dims[1];
	job->out_width = out->dims[2];
	if (!tensors_agree(in, filter, &operands[conv->bias], out) ||
	    !image_fits(job, named, values))
		return convolution_refuse(why, size,
					  "shapes or padding that contradict each other: the model "
					  "needs a correction");
	job->in_zero_point = in->zero_point;
	job->out_zero_point = out->zero_point;
	conv_unit_bounds(activation, out->scale, out->zero_point, &job->lowest, &job->highest);
	return true;
}
