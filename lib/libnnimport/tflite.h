/* SPDX-License-Identifier: Apache-2.0 */
/* A .tflite file: read, checked. */
#ifndef NNACCEL_TFLITE_H
#define NNACCEL_TFLITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnimport.h"
#include "nnimport_graph.h"

/*
 * flatbuffer.c: reading FlatBuffers from untrusted files. Every access is checked against the
 * buffer when it is made. The first failure is kept with its byte offset; every access after it
 * fails.
 */

struct fb {
	const uint8_t *base;
	size_t size;
	bool failed;
	size_t error_offset;
	char error[96];
};

struct fb_table {
	struct fb *fb;
	size_t pos; /* of the table; 0: no table (every field is absent) */
	size_t vtable, vtable_size, table_size;
};

struct fb_vector {
	size_t pos; /* of the first element */
	uint32_t count; /* 0 for an absent vector */
};

void fb_init(struct fb *fb, const void *base, size_t size);
/** Record a failure (the first wins). Always false. */
bool fb_fail(struct fb *fb, size_t offset, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** The root table; false on failure. */
bool fb_root(struct fb *fb, const char identifier[4], struct fb_table *table);

/** Scalar fields with their default. On failure the default. */
int8_t fb_i8(const struct fb_table *t, unsigned int field, int8_t def);
int32_t fb_i32(const struct fb_table *t, unsigned int field, int32_t def);
uint64_t fb_u64(const struct fb_table *t, unsigned int field, uint64_t def);
float fb_f32(const struct fb_table *t, unsigned int field, float def);

/** A sub-table field; absent: table->pos 0 and true. False on failure. */
bool fb_subtable(const struct fb_table *t, unsigned int field, struct fb_table *table);
/** A vector field of elements of @element bytes; absent: count 0 and true. */
bool fb_vec(const struct fb_table *t, unsigned int field, size_t element, struct fb_vector *vec);
/** Table number @i of a vector of tables; @i < vec->count. */
bool fb_vec_table(struct fb *fb, const struct fb_vector *vec, uint32_t i, struct fb_table *table);
/** Elements, unsigned where smaller than 32 bits; @i < vec->count, the vector having been read with
 * that element size. */
uint8_t fb_vec_u8(const struct fb *fb, const struct fb_vector *vec, uint32_t i);
uint16_t fb_vec_u16(const struct fb *fb, const struct fb_vector *vec, uint32_t i);
int32_t fb_vec_i32(const struct fb *fb, const struct fb_vector *vec, uint32_t i);
int64_t fb_vec_i64(const struct fb *fb, const struct fb_vector *vec, uint32_t i);
float fb_vec_f32(const struct fb *fb, const struct fb_vector *vec, uint32_t i);
/** A string field copied into @buf, cut to its size, control characters replaced; absent: "". */
bool fb_string(const struct fb_table *t, unsigned int field, char *buf, size_t size);

/*
 * tflite.c: a subgraph of a .tflite file (schema version 3), or a graph of nnimport_graph.h, as C
 * structs. All is checked here but the meaning of operations. Data pointers point into the bytes of
 * the file or the graph, which must outlive them.
 */

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

/* Names of the BuiltinOperator codes. */

/** "CONV_2D" of a BuiltinOperator, or "operator 200". */
const char *tflite_operator_name(const struct tflite_operator *op);

/* parse_file.c: from the bytes of a file to struct tflite_model. */

/**
 * Read @size bytes at @bytes. 0, or -EINVAL with "offset 123: ..." in @error (@error_size bytes),
 * or -ENOMEM.
 */
int tflite_parse(const void *bytes, size_t size, struct tflite_model *model, char *error,
		 size_t error_size);
/** The same with another subgraph than the first; @made: of others, as in struct tflite_model. */
int tflite_parse_graph(const void *bytes, size_t size, uint32_t graph, size_t made,
		       struct tflite_model *model, char *error, size_t error_size);

/* read_model.c: from struct tflite_model to the result of the library. */

/* sparsity.c: sparse tensors made dense. */

/**
 * Contents of a tensor whose buffer @data lists elements in the order of the table @sparsity
 * (SparsityParameters). False on failure: the reason is in @fb, or there is no memory.
 */
bool tflite_densify(struct fb *fb, const struct fb_table *sparsity, const struct fb_vector *data,
		    struct tflite_tensor *tensor);

#endif
