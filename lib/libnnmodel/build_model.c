// SPDX-License-Identifier: Apache-2.0
/*
 * Building, copying and freeing models. Arrays grow by realloc() one entry at a time, so that
 * models whose arrays were allocated elsewhere (exactly, or larger) can be extended by the same
 * functions.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnmodel_rows.h"

/* Alignment of a constant in nnmodel.values: enough for every element type and vector load. */
#define VALUE_ALIGN 64u

const struct nnmodel_sized nnmodel_sized_model = NNMODEL_SIZED(nnmodel, extensions, NULL);
const struct nnmodel_sized nnmodel_sized_error = NNMODEL_SIZED(nnmodel_error, operand, NULL);

struct nnmodel *nnmodel_new(void)
{
	struct nnmodel *model = calloc(1, sizeof(*model));

	if (model)
		model->size = sizeof(*model);
	return model;
}

static void operand_clear(struct nnmodel_operand *o)
{
	free(o->dims);
	free(o->scales);
	free(o->extension_data);
}

static void subgraph_clear(struct nnmodel_subgraph *g)
{
	uint32_t i;

	for (i = 0; g->operands && i < g->num_operands; i++)
		operand_clear(&g->operands[i]);
	for (i = 0; g->operations && i < g->num_operations; i++) {
		free(g->operations[i].inputs);
		free(g->operations[i].outputs);
	}
	free(g->operands);
	free(g->operations);
	free(g->inputs);
	free(g->outputs);
}

void nnmodel_free(struct nnmodel *model)
{
	uint32_t i;

	if (!model)
		return;
	subgraph_clear(&model->main);
	for (i = 0; model->referenced && i < model->num_referenced; i++)
		subgraph_clear(&model->referenced[i]);
	for (i = 0; model->pools && i < model->num_pools; i++)
		if (model->pools[i].fd >= 0)
			close(model->pools[i].fd);
	for (i = 0; model->extensions && i < model->num_extensions; i++)
		free(model->extensions[i].name);
	free(model->referenced);
	free(model->values);
	free(model->pools);
	free(model->extensions);
	free(model);
}

/*
 * A copy of @n entries; NULL stays NULL when there is nothing. *@ok becomes false without memory.
 */
static void *copy_array(const void *src, size_t n, size_t size, bool *ok)
{
	size_t bytes;
	void *dst;

	if (!n)
		return NULL;
	if (!src || __builtin_mul_overflow(n, size, &bytes) || !(dst = malloc(bytes))) {
		*ok = false;
		return NULL;
	}
	return memcpy(dst, src, bytes);
}

/* @dst is zeroed. On failure @dst owns what was copied and can be cleared. */
static bool subgraph_copy(struct nnmodel_subgraph *dst, const struct nnmodel_subgraph *src)
{
	bool ok = true;
	uint32_t i;

	dst->inputs = copy_array(src->inputs, src->num_inputs, sizeof(*src->inputs), &ok);
	dst->outputs = copy_array(src->outputs, src->num_outputs, sizeof(*src->outputs), &ok);
	dst->num_inputs = src->num_inputs;
	dst->num_outputs = src->num_outputs;

	if (src->num_operands) {
		dst->operands = calloc(src->num_operands, sizeof(*dst->operands));
		if (!dst->operands || !src->operands)
			return false;
	}
	dst->num_operands = src->num_operands;
	for (i = 0; i < src->num_operands; i++) {
		const struct nnmodel_operand *from = &src->operands[i];
		struct nnmodel_operand *to = &dst->operands[i];

		*to = *from;
		to->dims = copy_array(from->dims, from->rank, sizeof(*from->dims), &ok);
		to->scales = copy_array(from->scales, from->num_scales, sizeof(*from->scales), &ok);
		to->extension_data = copy_array(from->extension_data, from->extension_size, 1, &ok);
	}

	if (src->num_operations) {
		dst->operations = calloc(src->num_operations, sizeof(*dst->operations));
		if (!dst->operations || !src->operations)
			return false;
	}
	dst->num_operations = src->num_operations;
	for (i = 0; i < src->num_operations; i++) {
		const struct nnmodel_operation *from = &src->operations[i];
		struct nnmodel_operation *to = &dst->operations[i];

		*to = *from;
		to->inputs = copy_array(from->inputs, from->num_inputs, sizeof(*from->inputs), &ok);
		to->outputs =
			copy_array(from->outputs, from->num_outputs, sizeof(*from->outputs), &ok);
	}
	return ok;
}

static struct nnmodel *clone(const struct nnmodel *model)
{
	struct nnmodel *copy = nnmodel_new();
	bool ok;
	uint32_t i;

	if (!copy)
		return NULL;
	ok = subgraph_copy(&copy->main, &model->main);
	if (ok && model->num_referenced) {
		copy->referenced = calloc(model->num_referenced, sizeof(*copy->referenced));
		ok = copy->referenced && model->referenced;
		if (ok)
			copy->num_referenced = model->num_referenced;
	}
	for (i = 0; ok && i < model->num_referenced; i++)
		ok = subgraph_copy(&copy->referenced[i], &model->referenced[i]);

	if (ok) {
		copy->values = copy_array(model->values, model->values_size, 1, &ok);
		copy->values_size = model->values_size;
		copy->relaxed = model->relaxed;
	}
	if (ok && model->num_pools) {
		copy->pools = copy_array(model->pools, model->num_pools, sizeof(*copy->pools), &ok);
		/* num_pools counts the descriptors that are ours */
		for (i = 0; ok && i < model->num_pools; i++) {
			copy->pools[i].fd = fcntl(model->pools[i].fd, F_DUPFD_CLOEXEC, 0);
			ok = copy->pools[i].fd >= 0;
			if (ok)
				copy->num_pools++;
		}
	}
	if (ok && model->num_extensions) {
		copy->extensions = calloc(model->num_extensions, sizeof(*copy->extensions));
		ok = copy->extensions && model->extensions;
		for (i = 0; ok && i < model->num_extensions; i++) {
			copy->extensions[i].prefix = model->extensions[i].prefix;
			if (model->extensions[i].name)
				copy->extensions[i].name = strdup(model->extensions[i].name);
			ok = copy->extensions[i].name;
			copy->num_extensions++;
		}
	}
	if (!ok) {
		nnmodel_free(copy);
		return NULL;
	}
	return copy;
}

struct nnmodel *nnmodel_clone(const struct nnmodel *model)
{
	struct nnmodel older;

	model = nnmodel_known(model, &older);
	return model ? clone(model) : NULL;
}

/* Room for one more entry in *@array that has @count. 0 or -errno. */
static int build_model_grow(void *array, uint32_t count, size_t size)
{
	void **p = array;
	void *bigger;
	size_t bytes;

	/* numbers are returned as int */
	if (count >= INT_MAX || __builtin_mul_overflow((size_t)count + 1, size, &bytes))
		return -ENOMEM;
	bigger = realloc(*p, bytes);
	if (!bigger)
		return -ENOMEM;
	*p = bigger;
	return 0;
}

int nnmodel_add_operand(struct nnmodel *model, uint32_t type, uint32_t lifetime,
			const uint32_t *dims, uint32_t rank, float scale, int32_t zero_point)
{
	struct nnmodel_subgraph *g = &model->main;
	struct nnmodel_operand *o;
	bool ok = true;
	uint32_t *copy;
	int ret;

	if (rank && !dims)
		return -EINVAL;
	ret = build_model_grow(&g->operands, g->num_operands, sizeof(*g->operands));
	if (ret)
		return ret;
	copy = copy_array(dims, rank, sizeof(*dims), &ok);
	if (!ok)
		return -ENOMEM;
	o = &g->operands[g->num_operands];
	*o = (struct nnmodel_operand){
		.type = type,
		.lifetime = lifetime,
		.rank = rank,
		.dims = copy,
		.scale = scale,
		.zero_point = zero_point,
	};
	return (int)g->num_operands++;
}

int nnmodel_set_channel_quant(struct nnmodel *model, uint32_t operand, uint32_t channel_dim,
			      const float *scales, uint32_t num_scales)
{
	struct nnmodel_operand *o;
	bool ok = true;
	float *copy;

	if (operand >= model->main.num_operands || !num_scales || !scales)
		return -EINVAL;
	copy = copy_array(scales, num_scales, sizeof(*scales), &ok);
	if (!ok)
		return -ENOMEM;
	o = &model->main.operands[operand];
	free(o->scales);
	o->scales = copy;
	o->num_scales = num_scales;
	o->channel_dim = channel_dim;
	return 0;
}

int nnmodel_add_value(struct nnmodel *model, const void *value, size_t size,
		      struct nnmodel_location *location)
{
	size_t start, end;
	uint8_t *bigger;

	if (__builtin_add_overflow(model->values_size, VALUE_ALIGN - 1, &start))
		return -ENOMEM;
	start &= ~(size_t)(VALUE_ALIGN - 1);
	if (__builtin_add_overflow(start, size, &end))
		return -ENOMEM;
	bigger = realloc(model->values, end ? end : 1);
	if (!bigger)
		return -ENOMEM;
	model->values = bigger;
	memset(bigger + model->values_size, 0, start - model->values_size);
	if (size)
		memcpy(bigger + start, value, size);
	model->values_size = end;
	*location = (struct nnmodel_location){ .offset = start, .length = size };
	return 0;
}

int nnmodel_set_value(struct nnmodel *model, uint32_t operand, const void *value, size_t size)
{
	struct nnmodel_operand *o;
	int ret;

	if (operand >= model->main.num_operands || (size && !value))
		return -EINVAL;
	o = &model->main.operands[operand];
	ret = nnmodel_add_value(model, value, size, &o->location);
	if (!ret)
		o->lifetime = NNMODEL_CONSTANT_COPY;
	return ret;
}

int nnmodel_set_value_from_pool(struct nnmodel *model, uint32_t operand, uint32_t pool,
				uint64_t offset, uint64_t length)
{
	uint64_t end;

	if (operand >= model->main.num_operands || pool >= model->num_pools ||
	    __builtin_add_overflow(offset, length, &end) || end > model->pools[pool].size)
		return -EINVAL;
	model->main.operands[operand].lifetime = NNMODEL_CONSTANT_REFERENCE;
	model->main.operands[operand].location = (struct nnmodel_location){
		.pool = pool,
		.offset = offset,
		.length = length,
	};
	return 0;
}

static int add_scalar(struct nnmodel *model, uint32_t type, const void *value, size_t size)
{
	int operand = nnmodel_add_operand(model, type, NNMODEL_CONSTANT_COPY, NULL, 0, 0, 0);
	int ret;

	if (operand < 0)
		return operand;
	ret = nnmodel_set_value(model, (uint32_t)operand, value, size);
	if (ret) {
		model->main.num_operands--;
		return ret;
	}
	return operand;
}

int nnmodel_add_int32(struct nnmodel *model, int32_t value)
{
	return add_scalar(model, NNMODEL_INT32, &value, sizeof(value));
}

int nnmodel_add_float32(struct nnmodel *model, float value)
{
	return add_scalar(model, NNMODEL_FLOAT32, &value, sizeof(value));
}

int nnmodel_add_bool(struct nnmodel *model, bool value)
{
	const uint8_t byte = value;

	return add_scalar(model, NNMODEL_BOOL, &byte, sizeof(byte));
}

int nnmodel_add_operation(struct nnmodel *model, uint32_t type, const uint32_t *inputs,
			  uint32_t num_inputs, const uint32_t *outputs, uint32_t num_outputs)
{
	struct nnmodel_subgraph *g = &model->main;
	struct nnmodel_operation op = {
		.type = type,
		.num_inputs = num_inputs,
		.num_outputs = num_outputs,
	};
	bool ok = true;
	int ret;

	if ((num_inputs && !inputs) || (num_outputs && !outputs))
		return -EINVAL;
	ret = build_model_grow(&g->operations, g->num_operations, sizeof(*g->operations));
	if (ret)
		return ret;
	op.inputs = copy_array(inputs, num_inputs, sizeof(*inputs), &ok);
	op.outputs = copy_array(outputs, num_outputs, sizeof(*outputs), &ok);
	if (!ok) {
		free(op.inputs);
		free(op.outputs);
		return -ENOMEM;
	}
	g->operations[g->num_operations] = op;
	return (int)g->num_operations++;
}

int nnmodel_set_io(struct nnmodel *model, const uint32_t *inputs, uint32_t num_inputs,
		   const uint32_t *outputs, uint32_t num_outputs)
{
	struct nnmodel_subgraph *g = &model->main;
	uint32_t *in, *out;
	bool ok = true;
	uint32_t i;

	for (i = 0; i < num_inputs; i++)
		if (!inputs || inputs[i] >= g->num_operands)
			return -EINVAL;
	for (i = 0; i < num_outputs; i++)
		if (!outputs || outputs[i] >= g->num_operands)
			return -EINVAL;
	in = copy_array(inputs, num_inputs, sizeof(*inputs), &ok);
	out = copy_array(outputs, num_outputs, sizeof(*outputs), &ok);
	if (!ok) {
		free(in);
		free(out);
		return -ENOMEM;
	}
	free(g->inputs);
	free(g->outputs);
	g->inputs = in;
	g->outputs = out;
	g->num_inputs = num_inputs;
	g->num_outputs = num_outputs;
	for (i = 0; i < num_inputs; i++)
		g->operands[in[i]].lifetime = NNMODEL_SUBGRAPH_INPUT;
	for (i = 0; i < num_outputs; i++)
		g->operands[out[i]].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	return 0;
}

int nnmodel_add_pool(struct nnmodel *model, int fd, int prot, uint64_t offset, uint64_t size)
{
	int ret;

	if (fd < 0 || !size)
		return -EINVAL;
	ret = build_model_grow(&model->pools, model->num_pools, sizeof(*model->pools));
	if (ret)
		return ret;
	model->pools[model->num_pools] = (struct nnmodel_pool){
		.fd = fd,
		.prot = prot,
		.offset = offset,
		.size = size,
	};
	return (int)model->num_pools++;
}

int nnmodel_copy_referenced(struct nnmodel *model, uint32_t subgraph)
{
	struct nnmodel_subgraph copy = { 0 };
	int ret;

	if (subgraph >= model->num_referenced)
		return -EINVAL;
	ret = build_model_grow(&model->referenced, model->num_referenced,
			       sizeof(*model->referenced));
	if (ret)
		return ret;
	if (!subgraph_copy(&copy, &model->referenced[subgraph])) {
		subgraph_clear(&copy);
		return -ENOMEM;
	}
	model->referenced[model->num_referenced] = copy;
	return (int)model->num_referenced++;
}
