// SPDX-License-Identifier: Apache-2.0
/*
 * com.example.fibonacci, the worked example of a vendor extension (Documentation/extensions.rst).
 *
 * Operation 0, FIBONACCI. in: n, one element, FLOAT32 (truncated) or INT64, at least 1; out: [n],
 * FLOAT32 or INT64. Element i is fib(i) / scale + zero_point, fib being 1, 1, 2, 3, 5, ... modulo
 * 2^64; attributes have scale and zero point of the output, 1 and 0 for FLOAT32.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_desc.h"
#include "nnprog_opcode.h"

struct attr_fibonacci {
	struct nnprog_attr_extension head;
	double scale;
	int64_t zero_point;
};

static int extension_fibonacci_refuse(struct nnprog_error *err, const char *text)
{
	*err = (struct nnprog_error){ .subgraph = UINT32_MAX, .operation = UINT32_MAX };
	strncpy(err->text, text, sizeof(err->text) - 1);
	return -EINVAL;
}

static int check_attrs(const void *attrs, struct nnprog_error *err)
{
	struct attr_fibonacci a;

	memcpy(&a, attrs, sizeof(a));
	if (a.head.reserved)
		return extension_fibonacci_refuse(err, "reserved field is not 0");
	if (!(isfinite(a.scale) && a.scale > 0))
		return extension_fibonacci_refuse(err, "scale is not a positive number");
	return 0;
}

/* n of what the input holds; 0: no length that can be. */
static uint32_t length_of(uint32_t dtype, const void *data)
{
	int64_t whole;
	float real;

	if (dtype == NNPROG_INT64) {
		memcpy(&whole, data, sizeof(whole));
	} else {
		memcpy(&real, data, sizeof(real));
		whole = real >= 1.0f && real < 0x1p31f ? (int64_t)real : 0;
	}
	return whole >= 1 && whole < NNPROG_DIM_UNKNOWN ? (uint32_t)whole : 0;
}

static bool one_element(const struct nnprog_shape *shape)
{
	uint64_t elements;

	return !nnprog_shape_complete(shape) ||
	       (!nnprog_shape_elements(shape, &elements) && elements == 1);
}

static int extension_fibonacci_infer(const void *attrs, const struct nnprog_operand *in,
				     uint32_t num_in, struct nnprog_operand *out, uint32_t num_out,
				     struct nnprog_error *err)
{
	uint64_t bytes;

	(void)attrs;
	(void)num_in;
	(void)num_out;
	if (in[0].dtype != NNPROG_FLOAT32 && in[0].dtype != NNPROG_INT64)
		return extension_fibonacci_refuse(err, "n is neither float32 nor int64");
	if (!one_element(&in[0].shape))
		return extension_fibonacci_refuse(err, "n is not one element");
	if (out[0].dtype != NNPROG_FLOAT32 && out[0].dtype != NNPROG_INT64)
		return extension_fibonacci_refuse(err, "the output is neither float32 nor int64");
	out[0].shape = (struct nnprog_shape){ .rank = 1, .dims = { NNPROG_DIM_UNKNOWN } };
	if (!in[0].data)
		return 0;
	out[0].shape.dims[0] = length_of(in[0].dtype, in[0].data);
	if (!out[0].shape.dims[0])
		return extension_fibonacci_refuse(err, "n is below 1 or too large");
	if (nnprog_shape_bytes(&out[0].shape, out[0].dtype, &bytes)) {
		extension_fibonacci_refuse(err, "n is too large");
		return -EOVERFLOW;
	}
	return 0;
}

static int extension_fibonacci_run(struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *out = &ctx->out[0];
	uint64_t now = 1, next = 1, sum;
	struct attr_fibonacci a;

	memcpy(&a, ctx->attrs, sizeof(a));
	for (uint64_t i = 0; i < out->elements; i++) {
		double value = (double)now / a.scale + (double)a.zero_point;

		/*
		 * saturate, so that the conversion is defined
		 */
		if (out->dtype == NNPROG_FLOAT32)
			((float *)out->data)[i] = (float)value;
		else
			((uint64_t *)out->data)[i] = value >= 0x1p64 ? UINT64_MAX
						     : value > 0     ? (uint64_t)value
								     : 0;
		sum = now + next;
		now = next;
		next = sum;
		if (i % 4096 == 4095 && nnfw_progress_tick(ctx->progress))
			return -ECANCELED;
	}
	return 0;
}

static const struct nnfw_extension_op ops[] = {
	{
		.operation = 0,
		.desc = {
			.opcode = NNPROG_OP_EXTENSION, .name = "FIBONACCI",
			.min_inputs = 1, .max_inputs = 1, .min_outputs = 1, .max_outputs = 1,
			.attrs_size = sizeof(struct attr_fibonacci),
			.value_inputs = 1u << 0,
			.types = 1u << NNPROG_FLOAT32 | 1u << NNPROG_INT64,
			.check_attrs = check_attrs, .infer = extension_fibonacci_infer,
			.empty = NNPROG_EMPTY_RUNS,
		},
		.op = {
			.opcode = NNPROG_OP_EXTENSION,
			.types = 1u << NNPROG_FLOAT32 | 1u << NNPROG_INT64,
			.run = extension_fibonacci_run,
		},
	},
};

const struct nnfw_extension nnfw_extension_fibonacci = { "com.example.fibonacci", ops, 1 };
