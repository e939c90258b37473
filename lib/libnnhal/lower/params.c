// SPDX-License-Identifier: Apache-2.0
/* Scalar parameters of an NNAPI operation. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnhal_lowering.h"

/* A copy of a constant scalar's bytes: the memory may be the client's. */
static int scalar(struct lower *l, uint32_t i, void *value, size_t size)
{
	const uint32_t operand = l->op->inputs[i];
	const struct nnmodel_operand *o = &l->graph->operands[operand];
	const void *data;
	size_t n;

	if (nnmodel_constant(l->model, l->maps, o, &data, &n) || n != size)
		return lower_refuse(l, operand, "input %u (operand %u) must be a constant", i,
				    operand);
	memcpy(value, data, size);
	return 0;
}

int lower_int32(struct lower *l, uint32_t i, int32_t *value)
{
	return scalar(l, i, value, sizeof(*value));
}

int lower_uint(struct lower *l, uint32_t i, int32_t least, uint32_t *value)
{
	int32_t v;
	int ret = lower_int32(l, i, &v);

	if (!ret && v < least)
		ret = lower_refuse(l, l->op->inputs[i],
				   "input %u (operand %u) is %d, must be at least %d", i,
				   l->op->inputs[i], v, least);
	if (!ret)
		*value = (uint32_t)v;
	return ret;
}

int lower_bool(struct lower *l, uint32_t i, bool *value)
{
	uint8_t v;
	const int ret = scalar(l, i, &v, sizeof(v));

	if (!ret)
		*value = v != 0;
	return ret;
}

static float params_widen(uint16_t half)
{
	const uint32_t exponent = half >> 10 & 0x1f, mantissa = half & 0x3ff;
	const float magnitude = exponent == 0x1f ? (mantissa ? NAN : INFINITY)
				: exponent ? ldexpf((float)(mantissa | 0x400), (int)exponent - 25)
					   : ldexpf((float)mantissa, -24);

	return half & 0x8000 ? -magnitude : magnitude;
}

int lower_float(struct lower *l, uint32_t i, float *value)
{
	uint16_t half;
	int ret;

	if (lower_operand(l, i)->type != NNMODEL_FLOAT16)
		return scalar(l, i, value, sizeof(*value));
	ret = scalar(l, i, &half, sizeof(half));
	if (!ret)
		*value = params_widen(half);
	return ret;
}

int lower_floats(struct lower *l, uint32_t first, uint32_t n, float *const *values)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; !ret && i < n; i++)
		ret = lower_float(l, first + i, values[i]);
	return ret;
}

int lower_activation(struct lower *l, uint32_t i, uint32_t *activation)
{
	static const uint32_t codes[] = {
		[NNMODEL_FUSED_NONE] = NNPROG_ACT_NONE,
		[NNMODEL_FUSED_RELU] = NNPROG_ACT_RELU,
		[NNMODEL_FUSED_RELU1] = NNPROG_ACT_RELU1,
		[NNMODEL_FUSED_RELU6] = NNPROG_ACT_RELU6,
	};
	int32_t v;
	int ret = lower_int32(l, i, &v);

	if (ret)
		return ret;
	if (v < 0 || v > NNMODEL_FUSED_RELU6)
		return lower_refuse(l, l->op->inputs[i],
				    "activation (operand %u) is %d, must be 0 to 3",
				    l->op->inputs[i], v);
	*activation = codes[v];
	if (*activation == NNPROG_ACT_NONE)
		*activation = l->plan->activation;
	return 0;
}

bool lower_input_is_int32(const struct nnmodel_subgraph *g, const struct nnmodel_operation *op,
			  uint32_t i)
{
	return g->operands[op->inputs[i]].type == NNMODEL_INT32;
}

int lower_paddings(struct lower *l, bool explicit, uint32_t i, struct lower_padding *padding,
		   uint32_t *num)
{
	uint32_t *const sides[4] = { &padding->left, &padding->right, &padding->top,
				     &padding->bottom };
	int32_t code;
	uint32_t k;
	int ret = 0;

	*padding = (struct lower_padding){ .mode = NNPROG_PAD_EXPLICIT };
	if (explicit) {
		*num = 4;
		for (k = 0; !ret && k < 4; k++)
			ret = lower_uint(l, i + k, 0, sides[k]);
		return ret;
	}
	*num = 1;
	ret = lower_int32(l, i, &code);
	if (ret)
		return ret;
	if (code != NNMODEL_PADDING_SAME && code != NNMODEL_PADDING_VALID)
		return lower_refuse(l, l->op->inputs[i],
				    "padding code (operand %u) is %d, must be 1 or 2",
				    l->op->inputs[i], code);
	padding->mode = code == NNMODEL_PADDING_SAME ? NNPROG_PAD_SAME : NNPROG_PAD_VALID;
	return 0;
}
