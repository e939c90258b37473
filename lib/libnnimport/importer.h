/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts that the translations of operations share: operands of tensors, options, refusals. Private
 * to the importer.
 */
#ifndef NNIMPORT_IMPORTER_H
#define NNIMPORT_IMPORTER_H

#include "nnimport.h"
#include "tflite.h"

struct import {
	const struct tflite_model *tfl;
	struct nnmodel *nn;
	int32_t *operands; /* NNAPI operand of each tensor, -1: none yet */
	struct nnimport *result;
	const struct tflite_operator *op;
	uint32_t position; /* of op */
};

/** Refuse the current operation: NNAPI cannot express it. Returns -EOPNOTSUPP. */
int import_lacks(struct import *im, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** Fail: the file is inconsistent (-EINVAL) or memory ran out. Returns @err. */
int import_failed(struct import *im, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** Tensor behind input or output number @i of the operation; NULL: it is omitted. */
const struct tflite_tensor *import_input_tensor(const struct import *im, uint32_t i);
const struct tflite_tensor *import_output_tensor(const struct import *im, uint32_t i);
/** Whether the operation has @min to @max inputs and @outputs outputs; else fails. */
int import_check_counts(struct import *im, uint32_t min, uint32_t max, uint32_t outputs);

/**
 * NNAPI operand of a tensor, of input or output number @i; made when first needed. Negative:
 * failed.
 */
int import_operand(struct import *im, int32_t tensor);
int import_input(struct import *im, uint32_t i);
int import_output(struct import *im, uint32_t i);
/** As import_input(), but an operand of @type without value for an omitted input. */
int import_optional(struct import *im, uint32_t i, uint32_t type);
/** A temporary like a tensor but of another type or shape (@dims NULL: the same). */
int import_temporary(struct import *im, uint32_t type, const int32_t *dims, uint32_t rank,
		     float scale, int32_t zero_point);
/** A constant INT32 tensor of one dimension. */
int import_int32_tensor(struct import *im, const int32_t *values, uint32_t count);
/** Bias of a convolution-like operation with @units outputs: input 2, or zeros. */
int import_bias(struct import *im, uint32_t units);
/** NNAPI operand type of a tensor, or UINT32_MAX. */
uint32_t import_type(const struct tflite_tensor *t);
/** Scalar of the float type that goes with tensor @t: FLOAT16 for FLOAT16 tensors, else FLOAT32. */
int import_float_for(struct import *im, const struct tflite_tensor *t, float value);
/** The INT32 values of a constant input; at most @max. Count, or negative: not a constant INT32. */
int import_constant_ints(struct import *im, uint32_t i, int32_t *values, uint32_t max);
/** Fused activation in option @field as NNAPI's FuseCode; negative: NNAPI lacks it. */
int import_activation(struct import *im, unsigned int field);
/** Implicit padding code in option @field. */
int import_padding(struct import *im, unsigned int field);
/** Add the NNAPI operation. Fails when a number in @inputs is negative. */
int import_emit(struct import *im, uint32_t opcode, const int *inputs, uint32_t num_inputs,
		const int *outputs, uint32_t num_outputs);
/** Axis in [-rank, rank) made non-negative. */
int32_t import_axis(int32_t axis, uint32_t rank);

struct import_row {
	int opcode;
	uint32_t nn_opcode;
	/** 0, or negative after import_lacks() or import_failed(). NULL: not translated. */
	int (*import)(struct import *im, const struct import_row *row);
};

#define IMPORT_EMIT(im, opcode, output, ...)                                                     \
	import_emit(im, opcode, (const int[]){ __VA_ARGS__ },                                    \
		    sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int), (const int[]){ output }, \
		    1)

#endif
