// SPDX-License-Identifier: Apache-2.0
/*
 * com.example.fibonacci: the worked example of an extension. FIBONACCI gives the first n numbers of
 * the sequence, quantized or as floats; n is a value, so the length of the output is known when it
 * runs.
 */
#include <math.h>
#include <string.h>

#include "nnhal_lowering.h"
#include "nnprog_attrs.h"
#include "nnprog_shape.h"

enum { INT64 = 0, TENSOR_QUANT64_ASYMM = 1 };
enum { FIBONACCI = 0 };

/* Data of a TENSOR_QUANT64_ASYMM operand: real = (q - zero_point) * scale. */
struct quant64 {
	double scale;
	int64_t zero_point;
};

struct attr_fibonacci {
	struct nnprog_attr_extension head;
	struct quant64 quant;
};

static const struct nnhal_lower_type types[] = {
	{ .code = INT64, .is_tensor = false, .byte_size = 8, .dtype = NNPROG_INT64 },
	{ .code = TENSOR_QUANT64_ASYMM, .is_tensor = true, .byte_size = 8, .dtype = NNPROG_INT64 },
};

static int check_input(struct lower *l)
{
	const struct nnmodel_operand *n = lower_operand(l, 0);
	uint32_t i;

	if (lower_is_extension_type(l, n->type, &lower_extension_fibonacci, INT64))
		return 0;
	if (n->type != NNMODEL_TENSOR_FLOAT32)
		return lower_refuse(l, l->op->inputs[0],
				    "input 0 is %s, not INT64 or TENSOR_FLOAT32",
				    nnmodel_type_name(n->type));
	for (i = 0; i < n->rank; i++)
		if (n->dims[i] > 1)
			return lower_refuse(l, l->op->inputs[0],
					    "input 0 has more than one element");
	return 0;
}

static int check_output(struct lower *l, struct quant64 *quant)
{
	const uint32_t operand = l->op->outputs[0];
	const struct nnmodel_operand *out = &l->graph->operands[operand];

	if (out->rank > 1)
		return lower_refuse(l, operand, "output 0 has rank %u, not 1", out->rank);
	*quant = (struct quant64){ 1.0, 0 };
	if (out->type == NNMODEL_TENSOR_FLOAT32)
		return 0;
	if (!lower_is_extension_type(l, out->type, &lower_extension_fibonacci,
				     TENSOR_QUANT64_ASYMM))
		return lower_refuse(l, operand,
				    "output 0 is %s, not TENSOR_QUANT64_ASYMM or TENSOR_FLOAT32",
				    nnmodel_type_name(out->type));
	if (out->extension_size != sizeof(*quant))
		return lower_refuse(l, operand,
				    "output 0 has %zu bytes of extension data instead of %zu",
				    out->extension_size, sizeof(*quant));
	memcpy(quant, out->extension_data, sizeof(*quant));
	if (!(isfinite(quant->scale) && quant->scale > 0))
		return lower_refuse(l, operand, "output 0: the scale is not a positive number");
	return 0;
}

static int lower_fibonacci(struct lower *l)
{
	struct attr_fibonacci attr = { .head.operation = FIBONACCI };
	uint32_t in, out;
	int ret;

	if (l->op->num_inputs != 1 || l->op->num_outputs != 1)
		return lower_refuse(l, LOWER_NONE,
				    "FIBONACCI: %u inputs and %u outputs instead of 1 and 1",
				    l->op->num_inputs, l->op->num_outputs);
	ret = check_input(l);
	if (!ret)
		ret = check_output(l, &attr.quant);
	if (!ret)
		ret = lower_in(l, 0, &in);
	if (!ret)
		ret = lower_out(l, 0, &out);
	if (!ret)
		ret = lower_emit_extension(l, lower_extension_fibonacci.name, &attr, sizeof(attr),
					   &in, 1, &out, 1);
	return ret;
}

static const struct lower_extension_op ops[] = {
	{ FIBONACCI, "FIBONACCI", lower_fibonacci },
};

const struct lower_extension lower_extension_fibonacci = {
	.name = "com.example.fibonacci",
	.types = types,
	.num_types = 2,
	.ops = ops,
	.num_ops = 1,
};
