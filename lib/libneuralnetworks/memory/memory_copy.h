/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between memory objects of hosts and devices. Result codes; failures are logged. */
#ifndef NNR_MEMORY_COPY_H
#define NNR_MEMORY_COPY_H

#include "memory/memory_object.h"

/** All of @src to @dst, of which size, type and shape fit. */
int nnr_memory_copy(ANeuralNetworksMemory *src, ANeuralNetworksMemory *dst);
/** All of a device buffer to or from shared memory of the same size. */
int nnr_memory_read_buffer(ANeuralNetworksMemory *memory, const struct nnhal_memory *dst);
int nnr_memory_write_buffer(ANeuralNetworksMemory *memory, const struct nnhal_memory *src);
/** Whether type, scale, zero point and parameters of both are equal. */
bool nnr_memory_same_operand(const struct nnmodel_operand *a, const struct nnmodel_operand *b);

#endif
