// SPDX-License-Identifier: Apache-2.0
#include "importer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Each is an operation of its own. */
#define MAX_GROUPS 1024

enum { FIRST_REST = 3, MOST_INPUTS = 16 };

/* Part @i of @count of a constant, along its first dimension. */
static int constant_part(struct import *im, int operand, int32_t i, int32_t count)
{
	const struct nnmodel_operand *o = &im->nn->main.operands[operand];
	const size_t length = (size_t)o->location.length / (size_t)count;
	const uint32_t channels = o->num_scales / (uint32_t)count;
	struct import_form form = import_form_of(im, operand);
	uint8_t *copy;
	int ret;

	if (!import_is_constant(im, operand))
		return import_lacks(im, "its weights and bias must be constants");
	/* what the constant is in may move */
	copy = malloc(length + 1);
	if (!copy)
		return import_failed(im, -ENOMEM, "out of memory");
	form.dims[0] /= count;
	ret = import_read_constant(im, operand, (size_t)i * length, copy, length);
	ret = ret ? ret : import_constant(im, &form, copy, length);
	free(copy);
	o = &im->nn->main.operands[operand];
	if (ret >= 0 && channels &&
	    nnmodel_set_channel_quant(im->nn, (uint32_t)ret, o->channel_dim,
				      o->scales + (size_t)i * channels, channels))
		return import_failed(im, -ENOMEM, "out of memory");
	return ret;
}

/* Group @i: its channels, weights and result, which is returned. */
static int emit_group(struct import *im, uint32_t opcode, const struct import_groups *g, int32_t i)
{
	struct import_form x = import_form_of(im, g->x), y = import_form_of(im, g->out);
	int32_t begin[4] = { 0 };
	int in[MOST_INPUTS], out, ret;

	x.dims[3] /= g->count;
	y.dims[3] /= g->count;
	begin[3] = i * x.dims[3];
	in[0] = import_temporary(im, &x);
	ret = IMPORT_EMIT(im, NNMODEL_SLICE, in[0], g->x, import_int32_tensor(im, begin, 4),
			  import_int32_tensor(im, x.dims, 4));
	if (ret)
		return ret;
	in[1] = constant_part(im, g->filter, i, g->count);
	in[2] = in[1] < 0 ? in[1] : constant_part(im, g->bias, i, g->count);
	memcpy(in + FIRST_REST, g->rest, g->num_rest * sizeof(*in));
	out = import_temporary(im, &y);
	ret = import_emit(im, opcode, in, FIRST_REST + g->num_rest, &out, 1);
	return ret ? ret : out;
}

int import_emit_groups(struct import *im, uint32_t opcode, const struct import_groups *g)
{
	int parts[MAX_GROUPS + 1];

	if (g->x < 0 || g->filter < 0 || g->bias < 0 || g->out < 0)
		return -EINVAL;
	if (g->count > MAX_GROUPS)
		return import_lacks(im, "it has %d groups, may have %d", g->count, MAX_GROUPS);
	for (int32_t i = 0; i < g->count; i++) {
		parts[i] = emit_group(im, opcode, g, i);
		if (parts[i] < 0)
			return parts[i];
	}
	parts[g->count] = nnmodel_add_int32(im->nn, 3);
	return import_emit(im, NNMODEL_CONCATENATION, parts, (uint32_t)g->count + 1, &g->out, 1);
}
