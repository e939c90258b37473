// SPDX-License-Identifier: Apache-2.0
#include "tflite.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "importer.h"

/*
 * types[], of the operators in ops/, by code; 0: it has no options, or none that a translation
 * reads
 */
#include "nnimport_options.h"

/* The member of the union that belongs to operator @opcode; 0: none is read. */
static uint8_t tflite_options_type(int opcode)
{
	return opcode >= 0 && (size_t)opcode < sizeof(types) ? types[opcode] : 0;
}

/* Field numbers of the schema's tables. */
enum { MODEL_VERSION, MODEL_CODES, MODEL_SUBGRAPHS, MODEL_DESCRIPTION, MODEL_BUFFERS };
enum { CODE_DEPRECATED, CODE_CUSTOM, CODE_VERSION, CODE_BUILTIN };
enum { GRAPH_TENSORS, GRAPH_INPUTS, GRAPH_OUTPUTS, GRAPH_OPERATORS, GRAPH_NAME };
enum {
	TENSOR_SHAPE,
	TENSOR_TYPE,
	TENSOR_BUFFER,
	TENSOR_NAME,
	TENSOR_QUANT,
	TENSOR_VARIABLE,
	TENSOR_SPARSITY,
	TENSOR_SIGNATURE,
	TENSOR_HAS_RANK
};
enum {
	QUANT_MIN,
	QUANT_MAX,
	QUANT_SCALE,
	QUANT_ZERO_POINT,
	QUANT_DETAILS_TYPE,
	QUANT_DETAILS,
	QUANT_DIMENSION
};
enum { OP_CODE, OP_INPUTS, OP_OUTPUTS, OP_OPTIONS_TYPE, OP_OPTIONS };
enum { BUFFER_DATA, BUFFER_OFFSET, BUFFER_SIZE };

#define SCHEMA_VERSION 3
#define CUSTOM 32

/* A list of tables may name one table often. A table of its own takes this many bytes at least. */
#define MIN_TABLE 16u
/* Lists of tensors that may be one in the file. */
#define SHARED_LISTS (1u << 20)

static int32_t *read_list(struct fb *fb, const struct fb_table *t, unsigned int field,
			  struct tflite_model *model, uint32_t *count)
{
	struct fb_vector vec;
	int32_t *list;

	if (!fb_vec(t, field, 4, &vec))
		return NULL;
	model->listed += 4 * (size_t)vec.count;
	if (model->listed > SHARED_LISTS + fb->size) {
		fb_fail(fb, vec.pos,
			"the lists of tensors have more entries than a file of %zu bytes",
			fb->size);
		return NULL;
	}
	list = calloc(vec.count + 1, sizeof(*list));
	if (!list)
		return NULL;
	for (uint32_t i = 0; i < vec.count; i++)
		list[i] = fb_vec_i32(fb, &vec, i);
	*count = vec.count;
	return list;
}

static bool read_shape(struct fb *fb, const struct fb_table *t, struct tflite_tensor *tensor)
{
	struct fb_vector shape;

	if (!fb_vec(t, TENSOR_SHAPE, 4, &shape))
		return false;
	tensor->rank = shape.count;
	for (uint32_t i = 0; i < shape.count && i < NNIMPORT_MAX_RANK; i++)
		tensor->dims[i] = fb_vec_i32(fb, &shape, i);
	return tflite_check_shape(fb, shape.pos, fb_i8(t, TENSOR_HAS_RANK, 0), tensor);
}

static bool read_quantization(const struct fb_table *t, struct tflite_model *model,
			      struct tflite_tensor *tensor)
{
	struct fb_table quant;

	if (!fb_subtable(t, TENSOR_QUANT, &quant))
		return false;
	if (!quant.pos)
		return true;
	if (!fb_vec(&quant, QUANT_SCALE, 4, &tensor->scale) ||
	    !fb_vec(&quant, QUANT_ZERO_POINT, 8, &tensor->zero_point))
		return false;
	if (!tensor->scale.count)
		return true;
	tensor->quantized_dimension = fb_i32(&quant, QUANT_DIMENSION, 0);
	return tflite_check_quantization(model, tensor);
}

/*
 * Contents of a buffer: in its table, or, of files above 2 GB and of some converters, behind the
 * FlatBuffer at an offset from the beginning of the file. Offset 1 is a placeholder for none.
 */
static bool read_buffer(struct fb *fb, const struct fb_vector *buffers, uint32_t buffer,
			const char *name, struct fb_vector *data)
{
	struct fb_table table;
	uint64_t offset, size;

	if (!fb_vec_table(fb, buffers, buffer, &table) || !fb_vec(&table, BUFFER_DATA, 1, data))
		return false;
	offset = fb_u64(&table, BUFFER_OFFSET, 0);
	size = fb_u64(&table, BUFFER_SIZE, 0);
	if (data->count || offset <= 1)
		return !fb->failed;
	if (offset > fb->size || size > fb->size - offset || size > UINT32_MAX)
		return fb_fail(fb, table.pos,
			       "buffer %u of tensor %s is %llu bytes at %llu, outside the file",
			       buffer, name, (unsigned long long)size, (unsigned long long)offset);
	*data = (struct fb_vector){ .pos = (size_t)offset, .count = (uint32_t)size };
	return true;
}

static bool read_contents(struct fb *fb, const struct fb_table *t, const struct fb_vector *buffers,
			  struct tflite_model *model, struct tflite_tensor *tensor)
{
	uint32_t buffer = (uint32_t)fb_i32(t, TENSOR_BUFFER, 0);
	struct fb_table sparsity;
	struct fb_vector data;

	if (!fb_subtable(t, TENSOR_SPARSITY, &sparsity))
		return false;
	if (!buffer)
		return true;
	if (buffer >= buffers->count)
		return fb_fail(fb, t->pos, "tensor %s uses buffer %u of %u", tensor->name, buffer,
			       buffers->count);
	if (!read_buffer(fb, buffers, buffer, tensor->name, &data))
		return false;
	if (!data.count)
		return true;
	if (!sparsity.pos)
		return tflite_set_contents(model, data.pos, fb->base + data.pos, data.count,
					   tensor);
	if (!tflite_may_make(model, tensor->size))
		return fb_fail(fb, data.pos,
			       "tensor %s: its constants are too large for a file of %zu bytes",
			       tensor->name, fb->size);
	return tflite_densify(fb, &sparsity, &data, tensor);
}

static bool read_tensor(struct fb *fb, const struct fb_table *t, const struct fb_vector *buffers,
			struct tflite_model *model, struct tflite_tensor *tensor)
{
	if (!fb_string(t, TENSOR_NAME, tensor->name, sizeof(tensor->name)))
		return false;
	tensor->type = fb_i8(t, TENSOR_TYPE, 0);
	tensor->variable = fb_i8(t, TENSOR_VARIABLE, 0);
	return tflite_check_type(fb, t->pos, tensor) && read_shape(fb, t, tensor) &&
	       read_quantization(t, model, tensor) && read_contents(fb, t, buffers, model, tensor);
}

static bool read_operator(struct fb *fb, const struct fb_table *t, const struct fb_vector *codes,
			  struct tflite_model *model, struct tflite_operator *op)
{
	uint32_t num_tensors = model->num_tensors;
	uint32_t index = (uint32_t)fb_i32(t, OP_CODE, 0);
	struct fb_table code;
	int old_code;

	op->offset = t->pos;
	if (index >= codes->count)
		return fb_fail(fb, t->pos, "an operation uses operator code %u of %u", index,
			       codes->count);
	if (!fb_vec_table(fb, codes, index, &code))
		return false;
	/* Codes above 126 do not fit the old byte field, which then says 127. */
	old_code = fb_i8(&code, CODE_DEPRECATED, 0);
	op->opcode = fb_i32(&code, CODE_BUILTIN, 0);
	if (old_code > op->opcode)
		op->opcode = old_code;
	op->version = fb_i32(&code, CODE_VERSION, 1);
	if (op->opcode == CUSTOM && !fb_string(&code, CODE_CUSTOM, op->custom, sizeof(op->custom)))
		return false;
	op->inputs = read_list(fb, t, OP_INPUTS, model, &op->num_inputs);
	op->outputs = read_list(fb, t, OP_OUTPUTS, model, &op->num_outputs);
	/* as TensorFlow Lite has it: options of another operator are none */
	op->options = (struct fb_table){ .fb = fb };
	if ((uint8_t)fb_i8(t, OP_OPTIONS_TYPE, 0) == tflite_options_type(op->opcode) &&
	    !fb_subtable(t, OP_OPTIONS, &op->options))
		return false;
	return op->inputs && op->outputs &&
	       tflite_check_list(fb, t->pos, op->inputs, op->num_inputs, num_tensors, true,
				 "operation input") &&
	       tflite_check_list(fb, t->pos, op->outputs, op->num_outputs, num_tensors, false,
				 "operation output");
}

static bool read_graph(struct fb *fb, const struct fb_table *graph, const struct fb_vector *codes,
		       const struct fb_vector *buffers, struct tflite_model *model)
{
	struct fb_vector tensors, operators;
	struct fb_table t;

	if (!fb_vec(graph, GRAPH_TENSORS, 4, &tensors) ||
	    !fb_vec(graph, GRAPH_OPERATORS, 4, &operators))
		return false;
	if (tensors.count > fb->size / MIN_TABLE || operators.count > fb->size / MIN_TABLE)
		return fb_fail(fb, graph->pos,
			       "%u tensors and %u operations are more than a file of %zu bytes has",
			       tensors.count, operators.count, fb->size);
	model->tensors = calloc(tensors.count + 1, sizeof(*model->tensors));
	model->operators = calloc(operators.count + 1, sizeof(*model->operators));
	if (!model->tensors || !model->operators)
		return false;
	model->num_tensors = tensors.count;
	for (uint32_t i = 0; i < tensors.count; i++)
		if (!fb_vec_table(fb, &tensors, i, &t) ||
		    !read_tensor(fb, &t, buffers, model, &model->tensors[i]))
			return false;
	model->num_operators = operators.count;
	for (uint32_t i = 0; i < operators.count; i++)
		if (!fb_vec_table(fb, &operators, i, &t) ||
		    !read_operator(fb, &t, codes, model, &model->operators[i]))
			return false;
	model->inputs = read_list(fb, graph, GRAPH_INPUTS, model, &model->num_inputs);
	model->outputs = read_list(fb, graph, GRAPH_OUTPUTS, model, &model->num_outputs);
	return model->inputs && model->outputs &&
	       tflite_check_list(fb, graph->pos, model->inputs, model->num_inputs, tensors.count,
				 false, "model input") &&
	       tflite_check_list(fb, graph->pos, model->outputs, model->num_outputs, tensors.count,
				 false, "model output");
}

static bool read_model(struct fb *fb, uint32_t number, struct tflite_model *model)
{
	struct fb_vector codes, subgraphs, buffers;
	struct fb_table root, graph;
	int version;

	if (!fb_root(fb, "TFL3", &root))
		return false;
	version = fb_i32(&root, MODEL_VERSION, 0);
	if (version != SCHEMA_VERSION)
		return fb_fail(fb, root.pos, "schema version %d instead of %d", version,
			       SCHEMA_VERSION);
	if (!fb_string(&root, MODEL_DESCRIPTION, model->description, sizeof(model->description)) ||
	    !fb_vec(&root, MODEL_CODES, 4, &codes) ||
	    !fb_vec(&root, MODEL_SUBGRAPHS, 4, &subgraphs) ||
	    !fb_vec(&root, MODEL_BUFFERS, 4, &buffers))
		return false;
	if (!subgraphs.count)
		return fb_fail(fb, root.pos, "the model has no subgraph");
	if (number >= subgraphs.count)
		return fb_fail(fb, root.pos, "there is no subgraph %u of %u", number,
			       subgraphs.count);
	return fb_vec_table(fb, &subgraphs, number, &graph) &&
	       read_graph(fb, &graph, &codes, &buffers, model);
}

int tflite_parse_graph(const void *bytes, size_t size, uint32_t graph, size_t made,
		       struct tflite_model *model, char *error, size_t error_size)
{
	memset(model, 0, sizeof(*model));
	model->made = made;
	fb_init(&model->fb, bytes, size);
	/* Reads of scalars return defaults after a failure: ask once at the end. */
	if (read_model(&model->fb, graph, model) && !model->fb.failed)
		return 0;
	if (!model->fb.failed) {
		snprintf(error, error_size, "out of memory");
		tflite_free(model);
		return -ENOMEM;
	}
	snprintf(error, error_size, "offset %zu: %s", model->fb.error_offset, model->fb.error);
	tflite_free(model);
	return -EINVAL;
}

int tflite_parse(const void *bytes, size_t size, struct tflite_model *model, char *error,
		 size_t error_size)
{
	return tflite_parse_graph(bytes, size, 0, 0, model, error, error_size);
}
