/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A subgraph of a .tflite file (schema version 3), or a graph of nnimport_graph.h, as C structs.
 * All is checked here but the meaning of operations. Data pointers point into the bytes of the file
 * or the graph, which must outlive them.
 */
#ifndef NNIMPORT_TFLITE_H
#define NNIMPORT_TFLITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flatbuffer.h"
#include "nnimport.h"
#include "nnimport_graph.h"

struct tflite_tensor {
	char name[128];
	int type; /* enum nnimport_type */
	uint32_t rank; /* 0: scalar, or of unknown shape */
	bool ranked; /* the shape is known; else the importer computes it */
	/* >= 0; 0 only in tensors that no operation reads or writes */
	int32_t dims[NNIMPORT_MAX_RANK];
	bool variable; /* state that operations change */
	const void *data; /* constant contents, or NULL: in the file, or owned */
	void *owned; /* what data points to, when it was computed; tflite_free() */
	size_t size; /* bytes of the tensor, and of data */
	uint32_t num_scales; /* 0: not quantized */
	/* of a file: where its numbers are; of a graph: how many there are */
	struct fb_vector scale, zero_point;
	/* of a graph: the numbers; read both by tflite_scale() and tflite_zero_point() */
	const float *scales;
	const int32_t *zero_points;
	int32_t quantized_dimension;
};

struct tflite_operator {
	int opcode; /* BuiltinOperator */
	int version;
	char custom[64]; /* name of a CUSTOM operation */
	uint32_t num_inputs, num_outputs;
	int32_t *inputs, *outputs; /* tensor numbers; -1: an omitted optional input */
	struct fb_table options; /* of a file */
	const struct nnimport_graph_option *values; /* of a graph: its options */
	uint32_t num_values;
	size_t offset; /* in the file, for messages */
};

struct tflite_model {
	struct fb fb; /* of a graph: no bytes, and a size by what it lists */
	char description[128];
	uint32_t num_tensors, num_operators, num_inputs, num_outputs;
	struct tflite_tensor *tensors;
	struct tflite_operator *operators;
	int32_t *inputs, *outputs;
	size_t listed; /* bytes of the lists of operators and of the model */
	size_t made; /* bytes of constants that are not in the file as they are */
};

void tflite_free(struct tflite_model *model);

/** Count @bytes more of constants. False: a file of this size may not make that many. */
bool tflite_may_make(struct tflite_model *model, size_t bytes);

/** Make a tensor a constant. It then owns @data, of tensor->size bytes. */
void tflite_set_constant(struct tflite_tensor *t, void *data);
/** Number of elements: the product of the dimensions. */
size_t tflite_elements(const struct tflite_tensor *t);
/** Scale and zero point number @i; @i < tensor->num_scales. */
float tflite_scale(const struct tflite_model *model, const struct tflite_tensor *t, uint32_t i);
int64_t tflite_zero_point(const struct tflite_model *model, const struct tflite_tensor *t,
			  uint32_t i);

#endif
