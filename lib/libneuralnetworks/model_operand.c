// SPDX-License-Identifier: Apache-2.0
/* Operands of models under construction, and their values. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "model.h"

int ANeuralNetworksModel_addOperand(ANeuralNetworksModel *model,
				    const ANeuralNetworksOperandType *type)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksModel_addOperand");
	struct nnr_model_builder *b;
	struct nnmodel_subgraph *main;
	uint32_t *dims = NULL;
	int result;

	if (!model || !type)
		return nnr_refuse(UNEXPECTED_NULL, "a pointer is missing");
	if (model->finished)
		return nnr_refuse(BAD_STATE, "the model is finished");
	if (nnr_is_extension((uint32_t)type->type) && !nnr_model_may_extend(model))
		return nnr_refuse(BAD_DATA, "this process may not use extensions");
	result = nnr_operand_type_validate(type, true);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	b = model->builder;
	main = &b->model->main;
	if (main->num_operands >= NNR_MAX_ENTRIES)
		return nnr_refuse(BAD_DATA, "%u operands are too many", main->num_operands);
	if (type->dimensionCount)
		dims = malloc(type->dimensionCount * sizeof(*dims));
	if ((type->dimensionCount && !dims) ||
	    nnr_grow(&main->operands, &b->operand_room, (size_t)main->num_operands + 1,
		     sizeof(*main->operands)) ||
	    nnr_grow(&b->large, &b->large_room, (size_t)main->num_operands + 1,
		     sizeof(*b->large))) {
		free(dims);
		return nnr_refuse(OUT_OF_MEMORY, "out of memory");
	}
	if (dims)
		memcpy(dims, type->dimensions, type->dimensionCount * sizeof(*dims));
	main->operands[main->num_operands++] = (struct nnmodel_operand){
		.type = (uint32_t)type->type,
		.lifetime = NNMODEL_TEMPORARY_VARIABLE,
		.rank = type->dimensionCount,
		.dims = dims,
		.scale = type->scale,
		.zero_point = type->zeroPoint,
	};
	return ANEURALNETWORKS_NO_ERROR;
}

/* The operand, which is about to get another value; NULL: there is none. */
static struct nnmodel_operand *find(struct nnr_model_builder *b, int32_t index)
{
	return (uint32_t)index < b->model->main.num_operands ? &b->model->main.operands[index]
							     : NULL;
}

static void set_large(struct nnr_model_builder *b, int32_t index, const void *buffer)
{
	b->num_large += (uint32_t) !!buffer - (uint32_t) !!b->large[index];
	b->large[index] = buffer;
}

/* Whether a value of @length bytes is one of the operand. */
static bool length_fits(const struct nnmodel_operand *o, size_t length)
{
	if (!nnr_dims_complete(o->type, o->dims, o->rank))
		return false;
	return length <= UINT32_MAX && length == nnr_type_bytes(o->type, o->dims, o->rank);
}

/* ---- values in buffers ---- */

int nnr_builder_values(struct nnr_model_builder *b, size_t size, size_t *offset)
{
	struct nnmodel *m = b->model;
	size_t start, end, room;
	uint8_t *moved;

	if (__builtin_add_overflow(m->values_size, NNR_VALUE_ALIGN - 1, &start))
		return -ENOMEM;
	start &= ~(size_t)(NNR_VALUE_ALIGN - 1);
	if (__builtin_add_overflow(start, size, &end) || end > SIZE_MAX / 2)
		return -ENOMEM;
	if (end > b->values_room) {
		room = 2 * end + 1024;
		moved = realloc(m->values, room);
		if (!moved)
			return -ENOMEM;
		m->values = moved;
		b->values_room = room;
	}
	if (end > m->values_size)
		memset(m->values + m->values_size, 0, end - m->values_size);
	m->values_size = end;
	*offset = start;
	return 0;
}

static int set_small(struct nnr_model_builder *b, int32_t index, struct nnmodel_operand *o,
		     const void *buffer, size_t length)
{
	size_t offset = o->location.offset;

	/* set again and again, it takes no more room */
	if ((o->lifetime != NNMODEL_CONSTANT_COPY || o->location.length != length) &&
	    nnr_builder_values(b, length, &offset))
		return nnr_refuse(OUT_OF_MEMORY, "out of memory");
	memcpy(b->model->values + offset, buffer, length);
	set_large(b, index, NULL);
	o->lifetime = NNMODEL_CONSTANT_COPY;
	o->location = (struct nnmodel_location){ .offset = offset, .length = length };
	return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel *model, int32_t index,
					 const void *buffer, size_t length)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksModel_setOperandValue");
	struct nnmodel_operand *o;

	if (!model || (!buffer && length))
		return nnr_refuse(UNEXPECTED_NULL, "a pointer is missing");
	if (model->finished)
		return nnr_refuse(BAD_STATE, "the model is finished");
	o = find(model->builder, index);
	if (!o)
		return nnr_refuse(BAD_DATA, "there is no operand %d", index);
	if (buffer && !length)
		return nnr_refuse(BAD_DATA, "operand %d: a value of 0 bytes", index);
	if (!buffer) {
		set_large(model->builder, index, NULL);
		o->lifetime = NNMODEL_NO_VALUE;
		o->location = (struct nnmodel_location){ 0 };
		return ANEURALNETWORKS_NO_ERROR;
	}
	if (length > UINT32_MAX ||
	    (o->type != ANEURALNETWORKS_OEM_SCALAR && !length_fits(o, length)))
		return nnr_refuse(BAD_DATA, "operand %d (%s): a value of %zu bytes", index,
				  nnmodel_type_name(o->type), length);
	if (length <= ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES)
		return set_small(model->builder, index, o, buffer, length);
	set_large(model->builder, index, buffer);
	o->lifetime = NNMODEL_CONSTANT_REFERENCE;
	o->location = (struct nnmodel_location){ .length = length };
	return ANEURALNETWORKS_NO_ERROR;
}

/* ---- values elsewhere ---- */

int ANeuralNetworksModel_setOperandValueFromMemory(ANeuralNetworksModel *model, int32_t index,
						   const ANeuralNetworksMemory *memory,
						   size_t offset, size_t length)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksModel_setOperandValueFromMemory");
	struct nnmodel_operand *o;
	uint32_t pool;
	int result;

	if (!model || !memory)
		return nnr_refuse(UNEXPECTED_NULL, "a pointer is missing");
	if (model->finished)
		return nnr_refuse(BAD_STATE, "the model is finished");
	o = find(model->builder, index);
	if (!o)
		return nnr_refuse(BAD_DATA, "there is no operand %d", index);
	if (!length_fits(o, length))
		return nnr_refuse(BAD_DATA, "operand %d (%s): a value of %zu bytes", index,
				  nnmodel_type_name(o->type), length);
	result = nnr_memory_validate_constant(memory, offset, length);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	result = nnr_builder_pool(model->builder, (uint64_t)memory->id,
				  &(struct nnmodel_pool){
					  .fd = memory->shared.fd,
					  .prot = memory->shared.prot & (PROT_READ | PROT_WRITE),
					  .offset = memory->shared.offset,
					  .size = memory->shared.size,
				  },
				  &pool);
	if (result)
		return result == -ENOMEM ? nnr_refuse(OUT_OF_MEMORY, "out of memory")
					 : nnr_refuse(OP_FAILED, "%s", strerror(-result));
	set_large(model->builder, index, NULL);
	o->lifetime = NNMODEL_CONSTANT_REFERENCE;
	o->location = (struct nnmodel_location){ pool, offset, length };
	return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksModel_setOperandValueFromModel(ANeuralNetworksModel *model, int32_t index,
						  const ANeuralNetworksModel *value)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksModel_setOperandValueFromModel");
	struct nnmodel_operand *o;
	uint32_t number;
	int result;

	if (!model || !value)
		return nnr_refuse(UNEXPECTED_NULL, "a pointer is missing");
	if (model->finished)
		return nnr_refuse(BAD_STATE, "the model is finished");
	if (!value->finished || value->invalid)
		return nnr_refuse(BAD_STATE, "the value is no finished, valid model");
	o = find(model->builder, index);
	if (!o)
		return nnr_refuse(BAD_DATA, "there is no operand %d", index);
	number = nnr_builder_import(model->builder, value->data, &result);
	if (number == NNR_NONE) {
		nnr_log_refusal(__func__, "the model cannot be taken over");
		return result;
	}
	set_large(model->builder, index, NULL);
	o->lifetime = NNMODEL_LIFETIME_SUBGRAPH;
	o->location = (struct nnmodel_location){ .offset = number };
	return ANEURALNETWORKS_NO_ERROR;
}

/* ---- parameters of types ---- */

static const char *channel_mistake(const struct nnmodel_operand *o,
				   const ANeuralNetworksSymmPerChannelQuantParams *params)
{
	uint32_t i;

	if (!params->scales != !params->scaleCount)
		return "scales are missing, or there should be none";
	if (o->type != NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL)
		return "its type has no channels";
	if (params->channelDim >= o->rank)
		return "it has no such channel dimension";
	if (!params->scaleCount || params->scaleCount != o->dims[params->channelDim])
		return "there must be a scale per channel";
	for (i = 0; i < params->scaleCount; i++)
		if (!isfinite(params->scales[i]) || params->scales[i] <= 0)
			return "scales must be positive";
	return NULL;
}

int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
	ANeuralNetworksModel *model, int32_t index,
	const ANeuralNetworksSymmPerChannelQuantParams *channelQuant)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION,
		   "ANeuralNetworksModel_setOperandSymmPerChannelQuantParams");
	struct nnmodel_operand *o;
	const char *mistake;
	float *scales;

	if (!model || !channelQuant)
		return nnr_refuse(UNEXPECTED_NULL, "a pointer is missing");
	if (model->finished)
		return nnr_refuse(BAD_STATE, "the model is finished");
	o = find(model->builder, index);
	if (!o)
		return nnr_refuse(BAD_DATA, "there is no operand %d", index);
	mistake = channel_mistake(o, channelQuant);
	if (mistake)
		return nnr_refuse(BAD_DATA, "operand %d (%s): %s", index,
				  nnmodel_type_name(o->type), mistake);
	scales = malloc(channelQuant->scaleCount * sizeof(*scales));
	if (!scales)
		return nnr_refuse(OUT_OF_MEMORY, "out of memory");
	memcpy(scales, channelQuant->scales, channelQuant->scaleCount * sizeof(*scales));
	free(o->scales);
	o->scales = scales;
	o->num_scales = channelQuant->scaleCount;
	o->channel_dim = channelQuant->channelDim;
	return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksModel_setOperandExtensionData(ANeuralNetworksModel *model, int32_t index,
						 const void *data, size_t length)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksModel_setOperandExtensionData");
	struct nnmodel_operand *o;
	void *copy = NULL;

	if (!model || (!data && length))
		return nnr_refuse(UNEXPECTED_NULL, "a pointer is missing");
	if (model->finished)
		return nnr_refuse(BAD_STATE, "the model is finished");
	o = find(model->builder, index);
	if (!o)
		return nnr_refuse(BAD_DATA, "there is no operand %d", index);
	if (!nnr_is_extension(o->type))
		return nnr_refuse(BAD_DATA, "operand %d is %s, of no extension", index,
				  nnmodel_type_name(o->type));
	if (data && !length)
		return nnr_refuse(BAD_DATA, "operand %d: data of 0 bytes", index);
	if (data) {
		copy = malloc(length);
		if (!copy)
			return nnr_refuse(OUT_OF_MEMORY, "out of memory");
		memcpy(copy, data, length);
	}
	free(o->extension_data);
	o->extension_data = copy;
	o->extension_size = length;
	return ANEURALNETWORKS_NO_ERROR;
}
