/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The NDK headers, whose functions are exported, and the constants that every room needs.
 *
 * Result codes (ANEURALNETWORKS_*) are what functions named after the API return, and every other
 * int that is documented as "result code". Other functions return 0 or -errno.
 */
#ifndef NNR_NDK_H
#define NNR_NDK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#include "NeuralNetworksExtensions.h"
#include "NeuralNetworksOEM.h"
#include "nnaccel_runtime.h"
#pragma GCC visibility pop

#define NNR_RUNTIME_LEVEL 8u /* feature levels 1 to 8, as libnnmodel and libnnhal count them */
#define NNR_NONE UINT32_MAX /* no operation, operand, device... */
#define NNR_MAX_RANK 64u

#endif
