// SPDX-License-Identifier: Apache-2.0
/*
 * Capabilities from the operation set alone: for each operand type the device operations that take it,
 * and their speed class as the firmware measured it (0: not measured, then as fast as a CPU). Types that
 * no operation takes are FLT_MAX, which NNAPI reads as "not here".
 */
#include <float.h>

#include "hal.h"

static const struct {
	uint32_t type, dtype;
} type_map[] = {
	{ NNMODEL_FLOAT32, NNPROG_FLOAT32 },
	{ NNMODEL_INT32, NNPROG_INT32 },
	{ NNMODEL_UINT32, NNPROG_UINT32 },
	{ NNMODEL_TENSOR_FLOAT32, NNPROG_FLOAT32 },
	{ NNMODEL_TENSOR_INT32, NNPROG_INT32 },
	{ NNMODEL_TENSOR_QUANT8_ASYMM, NNPROG_UINT8 },
	{ NNMODEL_BOOL, NNPROG_BOOL8 },
	{ NNMODEL_TENSOR_QUANT16_SYMM, NNPROG_INT16 },
	{ NNMODEL_TENSOR_FLOAT16, NNPROG_FLOAT16 },
	{ NNMODEL_TENSOR_BOOL8, NNPROG_BOOL8 },
	{ NNMODEL_FLOAT16, NNPROG_FLOAT16 },
	{ NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL, NNPROG_INT8 },
	{ NNMODEL_TENSOR_QUANT16_ASYMM, NNPROG_UINT16 },
	{ NNMODEL_TENSOR_QUANT8_SYMM, NNPROG_INT8 },
	{ NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED, NNPROG_INT8 },
};

/* The slowest operation counts: what is promised must hold for any model of that type. */
static struct nnhal_performance performance_of(const struct nnhal_opset *opset, uint32_t dtype)
{
	struct nnhal_performance none = { FLT_MAX, FLT_MAX }, p = { 1.0f, 1.0f };
	uint32_t slowest = 0;
	bool found = false;

	for (uint32_t op = 0; op < NNPROG_OP_COUNT; op++) {
		if (!opset->ops[op].present || !(opset->ops[op].types & 1u << dtype))
			continue;
		if (!found || opset->ops[op].speed < slowest)
			slowest = opset->ops[op].speed;
		found = true;
	}
	if (!found)
		return none;
	if (slowest)
		p.exec_time = p.power_usage = 1.0f / (float)slowest;
	return p;
}

void nnhal_capabilities(const struct nnhal_opset *opset, struct nnhal_capabilities *caps)
{
	struct nnhal_performance never = { FLT_MAX, FLT_MAX };
	size_t i;

	for (i = 0; i < NNMODEL_TYPE_COUNT; i++)
		caps->operand[i] = never;
	for (i = 0; i < sizeof(type_map) / sizeof(type_map[0]); i++)
		caps->operand[type_map[i].type] = performance_of(opset, type_map[i].dtype);
	/* relaxed float arithmetic is done in float32 */
	caps->relaxed_scalar = caps->operand[NNMODEL_FLOAT32];
	caps->relaxed_tensor = caps->operand[NNMODEL_TENSOR_FLOAT32];
	caps->if_performance = never;
	caps->while_performance = never;
}
