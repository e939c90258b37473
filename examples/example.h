/* SPDX-License-Identifier: Apache-2.0 */
/* What the examples share: the end of the program when a call fails. */
#ifndef NNAPI_EXAMPLE_H
#define NNAPI_EXAMPLE_H

#include <stdio.h>
#include <stdlib.h>

#include <android/NeuralNetworks.h>

/* Every function of NNAPI returns a ResultCode. */
#define TRY(call)                                                                          \
	do {                                                                               \
		int result_ = (call);                                                      \
		if (result_ != ANEURALNETWORKS_NO_ERROR) {                                 \
			fprintf(stderr, "%s:%d: %s gives %d\n", __FILE__, __LINE__, #call, \
				result_);                                                  \
			exit(1);                                                           \
		}                                                                          \
	} while (0)

/* A fully specified or scalar operand without quantization. */
static inline ANeuralNetworksOperandType operand(int32_t type, uint32_t rank, const uint32_t *dims)
{
	return (ANeuralNetworksOperandType){ .type = type,
					     .dimensionCount = rank,
					     .dimensions = dims };
}

#endif
