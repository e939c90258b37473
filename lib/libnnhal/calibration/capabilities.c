// SPDX-License-Identifier: Apache-2.0
/*
 * Capabilities: which types the operation set takes, and how fast a calibration found them. A type
 * that no operation takes is FLT_MAX, which NNAPI reads as "unsupported". Without a calibration
 * everything else is 1.0, as fast as the CPU. Power is not measured: it is set equal to time.
 */
#include <float.h>
#include <math.h>

#include "calibration/nnhal_calibration.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"

/* Programs that stand for a type; the geometric mean of their ratios counts. */
#define P(program) (1u << NNHAL_CAL_##program)
#define FLOATS (P(FLOAT_CONV) | P(FLOAT_GEMM) | P(FLOAT_ADD))
#define INT8S P(INT8_CONV)
#define OTHERS P(FLOAT_ADD) /* moved and compared, hardly computed with */

static const struct {
	uint32_t type, dtype, programs;
} type_map[] = {
	{ NNMODEL_FLOAT32, NNPROG_FLOAT32, FLOATS },
	{ NNMODEL_INT32, NNPROG_INT32, P(INT32_ADD) },
	{ NNMODEL_UINT32, NNPROG_UINT32, P(INT32_ADD) },
	{ NNMODEL_TENSOR_FLOAT32, NNPROG_FLOAT32, FLOATS },
	{ NNMODEL_TENSOR_INT32, NNPROG_INT32, P(INT32_ADD) },
	{ NNMODEL_TENSOR_QUANT8_ASYMM, NNPROG_UINT8, INT8S },
	{ NNMODEL_BOOL, NNPROG_BOOL8, OTHERS },
	{ NNMODEL_TENSOR_QUANT16_SYMM, NNPROG_INT16, OTHERS },
	{ NNMODEL_TENSOR_FLOAT16, NNPROG_FLOAT16, P(HALF_ADD) },
	{ NNMODEL_TENSOR_BOOL8, NNPROG_BOOL8, OTHERS },
	{ NNMODEL_FLOAT16, NNPROG_FLOAT16, P(HALF_ADD) },
	{ NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL, NNPROG_INT8, INT8S },
	{ NNMODEL_TENSOR_QUANT16_ASYMM, NNPROG_UINT16, OTHERS },
	{ NNMODEL_TENSOR_QUANT8_SYMM, NNPROG_INT8, INT8S },
	{ NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED, NNPROG_INT8, INT8S },
};

static const struct nnhal_performance never = { FLT_MAX, FLT_MAX };

static struct nnhal_performance performance_of(const struct nnhal_calibration *cal,
					       uint32_t programs)
{
	double logs = 0;
	uint32_t count = 0;
	float ratio;

	for (uint32_t i = 0; cal && i < NNHAL_CAL_PROGRAMS; i++) {
		ratio = programs & 1u << i ? nnhal_calibration_ratio(cal, i) : 0;
		if (ratio > 0) {
			logs += log(ratio);
			count++;
		}
	}
	ratio = count ? (float)exp(logs / count) : 1.0f;
	return (struct nnhal_performance){ ratio, ratio };
}

static bool takes(const struct nnhal_opset *opset, uint32_t dtype)
{
	for (uint32_t op = 0; op < NNPROG_OP_COUNT; op++)
		if (opset->ops[op].present && opset->ops[op].types & 1u << dtype)
			return true;
	return false;
}

void nnhal_capabilities(struct nnhal_dev *dev, struct nnhal_capabilities *caps)
{
	const struct nnhal_opset *opset = &dev->opset;
	struct nnhal_calibration calibration;
	const struct nnhal_calibration *cal =
		nnhal_calibration_get(dev, &calibration) ? &calibration : NULL;
	size_t i;

	for (i = 0; i < NNMODEL_TYPE_COUNT; i++)
		caps->operand[i] = never;
	for (i = 0; i < sizeof(type_map) / sizeof(type_map[0]); i++)
		if (takes(opset, type_map[i].dtype))
			caps->operand[type_map[i].type] = performance_of(cal, type_map[i].programs);
	/* relaxed float arithmetic is done in float32 */
	caps->relaxed_scalar = caps->operand[NNMODEL_FLOAT32];
	caps->relaxed_tensor = caps->operand[NNMODEL_TENSOR_FLOAT32];
	caps->if_performance = opset->ops[NNPROG_OP_IF].present ? performance_of(cal, P(IF))
								: never;
	caps->while_performance =
		opset->ops[NNPROG_OP_WHILE].present ? performance_of(cal, P(WHILE)) : never;
}
