// SPDX-License-Identifier: Apache-2.0
/* Operands of models under construction, and their values. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/nnr_base.h"
#include "model/nnr_model.h"
#include "registry/nnr_registry.h"

int nnr_model_add_operand(ANeuralNetworksModel *model, const ANeuralNetworksOperandType *type)
{
	struct nnr_model_builder *b = model->builder;
	struct nnmodel_subgraph *main = &b->model->main;
	uint32_t *dims = NULL;
	int result;

	if (nnr_is_extension((uint32_t)type->type) && !nnr_model_may_extend(model))
		return nnr_refuse(BAD_DATA, "this process may not use extensions");
	result = nnr_operand_type_validate(type, true);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
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

/* NULL: the operand does not exist. */
static struct nnmodel_operand *operand_values_find(const struct nnr_model_builder *b, int32_t index)
{
	return (uint32_t)index < b->model->main.num_operands ? &b->model->main.operands[index]
							     : NULL;
}

static int no_operand(int32_t index)
{
	return nnr_refuse(BAD_DATA, "operand %d does not exist", index);
}

static int wrong_length(const struct nnmodel_operand *o, int32_t index, size_t length)
{
	return nnr_refuse(BAD_DATA, "operand %d (%s): a value of %zu bytes does not fit", index,
			  nnmodel_type_name(o->type), length);
}

static void set_large(struct nnr_model_builder *b, int32_t index, const void *buffer)
{
	b->num_large += (uint32_t) !!buffer - (uint32_t) !!b->large[index];
	b->large[index] = buffer;
}

/* Whether the operand can have a value of @length bytes. */
static bool length_fits(const struct nnmodel_operand *o, size_t length)
{
	if (!nnr_dims_complete(o->type, o->dims, o->rank))
		return false;
	return length <= UINT32_MAX && length == nnr_type_bytes(o->type, o->dims, o->rank);
}

static int set_small(struct nnr_model_builder *b, int32_t index, struct nnmodel_operand *o,
		     const void *buffer, size_t length)
{
	size_t offset = o->location.offset;

	/* setting it repeatedly takes no more room */
	if ((o->lifetime != NNMODEL_CONSTANT_COPY || o->location.length != length) &&
	    nnr_builder_values(b, length, &offset))
		return nnr_refuse(OUT_OF_MEMORY, "out of memory");
	memcpy(b->model->values + offset, buffer, length);
	set_large(b, index, NULL);
	o->lifetime = NNMODEL_CONSTANT_COPY;
	o->location = (struct nnmodel_location){ .offset = offset, .length = length };
	return ANEURALNETWORKS_NO_ERROR;
}

int nnr_model_set_value(ANeuralNetworksModel *model, int32_t index, const void *buffer,
			size_t length)
{
	struct nnmodel_operand *o = operand_values_find(model->builder, index);

	if (!o)
		return no_operand(index);
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
		return wrong_length(o, index, length);
	if (length <= ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES)
		return set_small(model->builder, index, o, buffer, length);
	set_large(model->builder, index, buffer);
	o->lifetime = NNMODEL_CONSTANT_REFERENCE;
	o->location = (struct nnmodel_location){ .length = length };
	return ANEURALNETWORKS_NO_ERROR;
}

/* ---- values in memory objects, and models ---- */

int nnr_model_check_shared_value(const ANeuralNetworksModel *model, int32_t index, size_t length)
{
	const struct nnmodel_operand *o = operand_values_find(model->builder, index);

	if (!o)
		return no_operand(index);
	return length_fits(o, length) ? ANEURALNETWORKS_NO_ERROR : wrong_length(o, index, length);
}

int nnr_model_set_shared_value(ANeuralNetworksModel *model, int32_t index, uint64_t id,
			       const struct nnmodel_pool *pool, size_t offset, size_t length)
{
	struct nnmodel_operand *o = operand_values_find(model->builder, index);
	uint32_t number;
	int ret = nnr_builder_pool(model->builder, id, pool, &number);

	if (ret)
		return ret == -ENOMEM ? nnr_refuse(OUT_OF_MEMORY, "out of memory")
				      : nnr_refuse(OP_FAILED,
						   "cannot duplicate the memory's descriptor: %s",
						   strerror(-ret));
	set_large(model->builder, index, NULL);
	o->lifetime = NNMODEL_CONSTANT_REFERENCE;
	o->location = (struct nnmodel_location){ number, offset, length };
	return ANEURALNETWORKS_NO_ERROR;
}

int nnr_model_set_model_value(ANeuralNetworksModel *model, int32_t index,
			      const ANeuralNetworksModel *value)
{
	struct nnmodel_operand *o = operand_values_find(model->builder, index);
	uint32_t number;
	int result;

	if (!o)
		return no_operand(index);
	number = nnr_builder_import(model->builder, value->data, &result);
	if (number == NNR_NONE) {
		nnutil_log(NNUTIL_LOG_WARNING, "operand %d: cannot copy the model: %s", index,
			   result == ANEURALNETWORKS_OUT_OF_MEMORY ? "out of memory"
								   : "out of file descriptors");
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
		return "scales and scaleCount contradict each other";
	if (o->type != NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL)
		return "its type has no channels";
	if (params->channelDim >= o->rank)
		return "it has no such channel dimension";
	if (!params->scaleCount || params->scaleCount != o->dims[params->channelDim])
		return "it needs one scale per channel";
	for (i = 0; i < params->scaleCount; i++)
		if (!isfinite(params->scales[i]) || params->scales[i] <= 0)
			return "scales must be positive";
	return NULL;
}

int nnr_model_set_channel_quant(ANeuralNetworksModel *model, int32_t index,
				const ANeuralNetworksSymmPerChannelQuantParams *params)
{
	struct nnmodel_operand *o = operand_values_find(model->builder, index);
	const char *mistake;
	float *scales;

	if (!o)
		return no_operand(index);
	mistake = channel_mistake(o, params);
	if (mistake)
		return nnr_refuse(BAD_DATA, "operand %d (%s): %s", index,
				  nnmodel_type_name(o->type), mistake);
	scales = malloc(params->scaleCount * sizeof(*scales));
	if (!scales)
		return nnr_refuse(OUT_OF_MEMORY, "out of memory");
	memcpy(scales, params->scales, params->scaleCount * sizeof(*scales));
	free(o->scales);
	o->scales = scales;
	o->num_scales = params->scaleCount;
	o->channel_dim = params->channelDim;
	return ANEURALNETWORKS_NO_ERROR;
}

int nnr_model_set_extension_data(ANeuralNetworksModel *model, int32_t index, const void *data,
				 size_t length)
{
	struct nnmodel_operand *o = operand_values_find(model->builder, index);
	void *copy = NULL;

	if (!o)
		return no_operand(index);
	if (!nnr_is_extension(o->type))
		return nnr_refuse(BAD_DATA, "operand %d: type %s is not of an extension", index,
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
