/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of tensors and lists, wherever they come from. Each returns false after a failure
 * in the struct fb of the model, at the offset @pos of a file; of a graph it means nothing.
 */
#ifndef NNIMPORT_GRAPH_CHECKS_H
#define NNIMPORT_GRAPH_CHECKS_H

#include "tflite.h"

/** tensor->type is one of the schema. */
bool tflite_check_type(struct fb *fb, size_t pos, const struct tflite_tensor *tensor);
/**
 * tensor->rank and ->dims, of which no more than NNIMPORT_MAX_RANK are set. Sets size and ranked.
 * @has_rank: a rank of 0 is that of a scalar, not of an unknown shape.
 */
bool tflite_check_shape(struct fb *fb, size_t pos, bool has_rank, struct tflite_tensor *tensor);
/** Scales, zero points and dimension, at least one scale, after the shape. Sets num_scales. */
bool tflite_check_quantization(struct tflite_model *model, struct tflite_tensor *tensor);
/**
 * Make a tensor, after its shape, a constant of @size > 0 bytes at @bytes, which must outlive it.
 * Values of INT4 become INT8.
 */
bool tflite_set_contents(struct tflite_model *model, size_t pos, const uint8_t *bytes, size_t size,
			 struct tflite_tensor *tensor);
/** Numbers of tensors; @optional: -1 is none. */
bool tflite_check_list(struct fb *fb, size_t pos, const int32_t *list, uint32_t count,
		       uint32_t num_tensors, bool optional, const char *what);

#endif
