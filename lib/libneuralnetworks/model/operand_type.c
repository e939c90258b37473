// SPDX-License-Identifier: Apache-2.0
/*
 * Operand types: their kind, their size, and the validity of a client's description of an operand.
 */
#include <math.h>

#include "base/nnr_base.h"
#include "model/nnr_model.h"
#include "nnmodel_shape.h"
#include "registry/nnr_registry.h"

bool nnr_type_is_tensor(uint32_t type)
{
	struct nnr_extension_type_info info;

	if (nnr_is_extension(type))
		return nnr_extension_type(type, &info) && info.is_tensor;
	return type == ANEURALNETWORKS_TENSOR_OEM_BYTE ||
	       (type < NNMODEL_TYPE_COUNT && !nnmodel_type_is_scalar(type));
}

bool nnr_dims_complete(uint32_t type, const uint32_t *dims, uint32_t rank)
{
	return !nnr_type_is_tensor(type) || nnmodel_shape_complete(rank, dims);
}

uint64_t nnr_type_element(uint32_t type)
{
	struct nnr_extension_type_info info;

	if (nnr_is_extension(type))
		return nnr_extension_type(type, &info) ? info.byte_size : 0;
	return type == ANEURALNETWORKS_TENSOR_OEM_BYTE ? 1 : nnmodel_type_size(type);
}

uint64_t nnr_type_bytes(uint32_t type, const uint32_t *dims, uint32_t rank)
{
	uint64_t bytes;

	if (!nnr_dims_complete(type, dims, rank))
		return 0;
	return nnmodel_shape_bytes(nnr_type_element(type), rank, dims, &bytes) ? UINT64_MAX : bytes;
}

uint64_t nnr_shape_bytes(uint32_t type, uint32_t rank, const uint32_t *dims)
{
	uint32_t i;

	for (i = 0; i < rank; i++)
		if (!dims[i])
			return 0;
	return nnr_type_bytes(type, dims, rank);
}

/* ---- types of clients ---- */

static int operand_type_refuse(const char *why, const ANeuralNetworksOperandType *type)
{
	return nnr_refuse(BAD_DATA, "operand of %s, rank %u: %s",
			  nnmodel_type_name((uint32_t)type->type), type->dimensionCount, why);
}

static bool quantized(const ANeuralNetworksOperandType *type, int32_t least, int32_t most)
{
	return isfinite(type->scale) && type->scale > 0 && type->zeroPoint >= least &&
	       type->zeroPoint <= most;
}

static bool quantization_valid(const ANeuralNetworksOperandType *type)
{
	switch (type->type) {
	case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
		return quantized(type, 0, 255);
	case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
		return quantized(type, -128, 127);
	case ANEURALNETWORKS_TENSOR_QUANT16_ASYMM:
		return quantized(type, 0, 65535);
	case ANEURALNETWORKS_TENSOR_QUANT8_SYMM:
	case ANEURALNETWORKS_TENSOR_QUANT16_SYMM:
		return quantized(type, 0, 0);
	case ANEURALNETWORKS_TENSOR_INT32: /* a bias has the scale of what it is added to */
	case ANEURALNETWORKS_OEM_SCALAR:
	case ANEURALNETWORKS_TENSOR_OEM_BYTE:
		return true;
	default:
		return type->scale == 0 && type->zeroPoint == 0;
	}
}

int nnr_operand_type_validate(const ANeuralNetworksOperandType *type, bool partial)
{
	const uint32_t code = (uint32_t)type->type;
	uint64_t bytes;

	if (!type->dimensionCount != !type->dimensions)
		return operand_type_refuse("dimensionCount and dimensions contradict each other",
					   type);
	if (nnr_is_extension(code)
		    ? !nnr_extension_type(code, NULL)
		    : code >= NNMODEL_TYPE_COUNT && code != ANEURALNETWORKS_OEM_SCALAR &&
			      code != ANEURALNETWORKS_TENSOR_OEM_BYTE)
		return operand_type_refuse("unknown operand type", type);
	if (!nnr_type_is_tensor(code) && type->dimensionCount)
		return operand_type_refuse("a scalar has no dimensions", type);
	if (!quantization_valid(type))
		return operand_type_refuse("scale or zero point is invalid for the type", type);
	if (type->dimensionCount > NNR_MAX_RANK)
		return operand_type_refuse("too many dimensions", type);
	if (!partial && !nnr_dims_complete(code, type->dimensions, type->dimensionCount))
		return operand_type_refuse("all dimensions must be known", type);
	if (nnmodel_shape_bytes(nnr_type_element(code), type->dimensionCount, type->dimensions,
				&bytes))
		return operand_type_refuse("its size is 4 GiB or more", type);
	return ANEURALNETWORKS_NO_ERROR;
}

/* ---- shapes that are not known completely ---- */

bool nnr_dims_merge(uint32_t *rank, uint32_t *dims, uint32_t other_rank, const uint32_t *other_dims)
{
	return other_rank <= NNR_MAX_RANK &&
	       nnmodel_shape_merge(rank, dims, other_rank, other_dims);
}

bool nnr_operand_unknown(const struct nnmodel_operand *operand)
{
	return operand->lifetime != NNMODEL_NO_VALUE &&
	       !nnr_dims_complete(operand->type, operand->dims, operand->rank);
}

static bool any_unknown(const struct nnmodel_subgraph *graph, const uint32_t *operands,
			uint32_t num)
{
	uint32_t i;

	for (i = 0; i < num; i++)
		if (nnr_operand_unknown(&graph->operands[operands[i]]))
			return true;
	return false;
}

bool nnr_flow_unknown(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
		      const struct nnmodel_operation *op)
{
	uint32_t i;

	if (any_unknown(graph, op->inputs, op->num_inputs) ||
	    any_unknown(graph, op->outputs, op->num_outputs))
		return true;
	for (i = 0; i < op->num_inputs; i++) {
		const struct nnmodel_operand *o = &graph->operands[op->inputs[i]];
		const struct nnmodel_subgraph *inner;

		if (o->lifetime != NNMODEL_LIFETIME_SUBGRAPH)
			continue;
		inner = &model->referenced[o->location.offset];
		if (any_unknown(inner, inner->inputs, inner->num_inputs) ||
		    any_unknown(inner, inner->outputs, inner->num_outputs))
			return true;
	}
	return false;
}
