// SPDX-License-Identifier: Apache-2.0
#include "f32_binary/rows.h"

const struct nnfw_f32_binary_kernels nnfw_f32_binary_scalar = NNFW_F32_BINARY_ROW;
