/* SPDX-License-Identifier: Apache-2.0 */
/* The programs that are measured. Private to libnnhal. */
#ifndef NNHAL_SAMPLE_MODELS_H
#define NNHAL_SAMPLE_MODELS_H

#include "nnmodel.h"

enum nnhal_calibration_program {
	NNHAL_CAL_FLOAT_CONV, /* CONV_2D, float32 */
	NNHAL_CAL_FLOAT_GEMM, /* FULLY_CONNECTED, float32 */
	NNHAL_CAL_FLOAT_ADD,
	NNHAL_CAL_HALF_ADD, /* float16 */
	NNHAL_CAL_INT32_ADD,
	NNHAL_CAL_INT8_CONV, /* CONV_2D, int8 with per-channel filters */
	NNHAL_CAL_IF,
	NNHAL_CAL_WHILE,
	NNHAL_CAL_PROGRAMS
};

/** "float_conv" */
const char *nnhal_calibration_name(enum nnhal_calibration_program program);
/** A model with one input and one output; NULL: out of memory. */
struct nnmodel *nnhal_calibration_model(enum nnhal_calibration_program program);

#endif
