// SPDX-License-Identifier: Apache-2.0
/* One tensor: checks of its quantization, and the operand that shape rules see. */
#include <math.h>
#include <string.h>

#include "nnprog_verify.h"
#include "verify.h"

#define BAD_SCALE "per-channel scale is not a positive number"

bool nnprog_check_scales(const float *scales, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!(isfinite(scales[i]) && scales[i] > 0))
			return false;
	return true;
}

const char *nnprog_check_quantization(const struct nnprog_operand *op)
{
	int32_t low, high;
	bool any = op->scale != 0 || op->num_scales;

	switch (op->dtype) {
	case NNPROG_UINT8:
		low = 0, high = UINT8_MAX;
		break;
	case NNPROG_INT8:
		low = INT8_MIN, high = INT8_MAX;
		break;
	case NNPROG_INT16:
		low = INT16_MIN, high = INT16_MAX;
		break;
	case NNPROG_UINT16:
		low = 0, high = UINT16_MAX;
		break;
	case NNPROG_INT32:
		low = 0, high = 0;
		break;
	default:
		if (any || op->zero_point || op->channel_dim)
			return "quantization of a type that cannot have it";
		return NULL;
	}
	if (!op->num_scales) {
		if (!(isfinite(op->scale) && op->scale >= 0))
			return "scale is not a positive number";
		if (op->zero_point < low || op->zero_point > high)
			return "zero point outside the type's range";
		if (op->channel_dim)
			return "channel dimension without per-channel scales";
		return NULL;
	}
	if (op->dtype != NNPROG_INT8 && op->dtype != NNPROG_INT32)
		return "per-channel scales of a type that cannot have them";
	if (op->scale != 0 || op->zero_point)
		return "per-channel scales together with a scale or zero point";
	if (op->shape.rank > NNPROG_MAX_RANK || op->channel_dim >= op->shape.rank ||
	    op->shape.dims[op->channel_dim] != op->num_scales)
		return "per-channel scales do not match the channel dimension";
	/* verification takes more of them at its own pace */
	if (op->scales && !nnprog_check_scales(op->scales, op->num_scales))
		return BAD_SCALE;
	return NULL;
}

void nnprog_tensor_operand(const struct nnprog *prog, const struct nnprog_tensor *t,
			   struct nnprog_operand *op)
{
	*op = (struct nnprog_operand){
		.dtype = t->dtype,
		.omitted = t->kind == NNPROG_OMITTED,
		.omittable = t->kind == NNPROG_INPUT,
		.shape.rank = t->rank,
		.scale = t->scale,
		.zero_point = t->zero_point,
		.scales = t->num_scales ? prog->scales + t->scales : NULL,
		.num_scales = t->num_scales,
		.channel_dim = t->channel_dim,
		.data = t->kind == NNPROG_CONST ? prog->data + t->offset : NULL,
	};
	memcpy(op->shape.dims, t->dims, sizeof(op->shape.dims));
}
