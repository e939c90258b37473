/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The built-in models of "nnctl validate": one network, in float32 and in int8, with known answers.
 * Its data are small integers, and every scale is one, so that each tensor has the same real values
 * in both types, and every sum is exact: a device has these answers to the bit, or it is wrong.
 */
#ifndef NNCTL_SELFTEST_MODELS_H
#define NNCTL_SELFTEST_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnmodel.h"

/** Height and width, and channels of the input. */
#define SELFTEST_SIDE 6u
#define SELFTEST_CHANNELS 4u
/** Filters of the convolutions. */
#define SELFTEST_FILTERS 8u
/** Height and width of the filters, and of the tensor behind the pooling. */
#define SELFTEST_KERNEL 3u
#define SELFTEST_POOLED 3u
#define SELFTEST_FEATURES (SELFTEST_POOLED * SELFTEST_POOLED * SELFTEST_FILTERS)
#define SELFTEST_CLASSES 10u
#define SELFTEST_PIXELS (SELFTEST_SIDE * SELFTEST_SIDE * SELFTEST_CHANNELS)
/** Inputs with known answers. */
#define SELFTEST_INPUTS 4u

enum selftest_model { SELFTEST_FLOAT32, SELFTEST_INT8, SELFTEST_MODELS };

/** The real values of the output, for each input. */
extern const int16_t selftest_answers[SELFTEST_INPUTS][SELFTEST_CLASSES];

/** "float32", "int8" */
const char *selftest_name(enum selftest_model which);
/** The model, for nnmodel_free(); NULL: out of memory. */
struct nnmodel *selftest_model(enum selftest_model which);
/** Bytes of input and output. */
size_t selftest_input_size(enum selftest_model which);
size_t selftest_output_size(enum selftest_model which);
/** Write input number @number, as the model takes it. */
void selftest_fill_input(enum selftest_model which, uint32_t number, void *input);
/**
 * Whether @output is the answer to input number @number; if not, @message says which element
 * differs.
 */
bool selftest_judge(enum selftest_model which, uint32_t number, const void *output, char *message,
		    size_t size);

/* ---- the data ---- */

enum selftest_data {
	SELFTEST_CONV_WEIGHTS = 2, /* [filter][y][x][channel], -1 to 1 */
	SELFTEST_CONV_BIAS,
	SELFTEST_DEPTHWISE_WEIGHTS, /* [y][x][filter], -1 to 1 */
	SELFTEST_DEPTHWISE_BIAS,
	SELFTEST_DENSE_WEIGHTS, /* [class][feature], -1 to 1; most are 0 */
	SELFTEST_DENSE_BIAS,
	SELFTEST_FIRST_INPUT = 101, /* of input 0; [y][x][channel], -2 to 2 */
};

/** Element @i, before its scale. */
int selftest_value(uint32_t data, uint32_t i);
/** Scale of a convolution's filter number @filter: 1 or 2, and so of its bias. */
int selftest_conv_scale(uint32_t filter);
int selftest_depthwise_scale(uint32_t filter);

#endif
