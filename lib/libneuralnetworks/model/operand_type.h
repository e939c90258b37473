/* SPDX-License-Identifier: Apache-2.0 */
/* Operand types: standard ones, OEM ones, and those of extensions. */
#ifndef NNR_OPERAND_TYPE_H
#define NNR_OPERAND_TYPE_H

#include "nnmodel.h"

#include "base/ndk.h"

/**
 * Check a client's @type against the rules of NeuralNetworks.h. @partial: unknown dimensions are
 * allowed. Result code (logged).
 */
int nnr_operand_type_validate(const ANeuralNetworksOperandType *type, bool partial);
bool nnr_type_is_tensor(uint32_t type);
/** All dimensions are known. Always true for scalars. */
bool nnr_dims_complete(uint32_t type, const uint32_t *dims, uint32_t rank);
/**
 * Bytes of a tensor or scalar. 0: a dimension or the rank of the tensor is unknown. UINT64_MAX:
 * above 2^32 - 1.
 */
uint64_t nnr_type_bytes(uint32_t type, const uint32_t *dims, uint32_t rank);
/** The same of a shape that is completely known, where 0 is a tensor without elements. */
uint64_t nnr_shape_bytes(uint32_t type, uint32_t rank, const uint32_t *dims);

static inline bool nnr_is_oem(uint32_t type)
{
	return type == ANEURALNETWORKS_OEM_SCALAR || type == ANEURALNETWORKS_TENSOR_OEM_BYTE;
}

#endif
