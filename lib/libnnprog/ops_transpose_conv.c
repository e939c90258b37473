// SPDX-License-Identifier: Apache-2.0
/* Descriptor of TRANSPOSE_CONV_2D. */
#include "ops_desc.h"

static int check_transpose_conv(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_transpose_conv *a = attrs;

	if (a->padding >= NNPROG_PAD_COUNT)
		return nnprog_refuse(err, "padding code %u", a->padding);
	if (a->padding != NNPROG_PAD_EXPLICIT &&
	    (a->pad_left || a->pad_right || a->pad_top || a->pad_bottom))
		return nnprog_refuse(err, "padding sizes without explicit padding");
	if (a->pad_left < 0 || a->pad_top < 0)
		return nnprog_refuse(err, "padding left %d, top %d", a->pad_left, a->pad_top);
	if (!a->stride_w || !a->stride_h)
		return nnprog_refuse(err, "stride is 0");
	return nnprog_check_activation(a->activation, err);
}

/** Height or width of the output, where all that it depends on is known. */
static int output_extent(const struct nnprog_attr_transpose_conv *a,
			 const struct nnprog_operand *in, uint32_t dim, const int32_t *wanted,
			 uint32_t *extent, struct nnprog_error *err)
{
	uint32_t n = nnprog_dim(&in[0], dim), filter = nnprog_dim(&in[1], dim);
	bool same = a->padding == NNPROG_PAD_SAME, height = dim == 1;
	int64_t head;

	if (same && wanted && wanted[dim] < 1)
		return nnprog_refuse(err, "output shape: %d", wanted[dim]);
	if (!nnprog_dim_known(n) || !nnprog_dim_known(filter) || (same && !wanted))
		return 0;
	if (nnprog_transpose_window(n, filter, height ? a->stride_h : a->stride_w, a->padding,
				    same ? (uint32_t)wanted[dim] : 0,
				    height ? a->pad_top : a->pad_left,
				    height ? a->pad_bottom : a->pad_right, extent, &head))
		return nnprog_refuse(err, "no %s is left", height ? "height" : "width");
	return 0;
}

static int infer_transpose_conv(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
				struct nnprog_operand *out, uint32_t num_out,
				struct nnprog_error *err)
{
	const struct nnprog_attr_transpose_conv *a = attrs;
	bool by_shape = num_in > 3 && !in[3].omitted;
	struct nnprog_shape *shape = &out[0].shape;
	uint32_t cout, four = 4;
	int ret;

	(void)num_out;
	ret = nnprog_check_mac_ranks(in, err);
	if (!ret)
		ret = nnprog_check_mac(in, &out[0], 0, err);
	if (ret)
		return ret;
	if (by_shape) {
		ret = nnprog_need_values(&in[3], "output shape", err);
		if (!ret)
			ret = nnprog_need_vector(&in[3], &four, "output shape", err);
		if (ret)
			return ret;
	} else if (a->padding == NNPROG_PAD_SAME) {
		return nnprog_refuse(err, "SAME padding without an output shape");
	}
	for (uint32_t i = 1; i < 4; i++) {
		if (!nnprog_dim(&in[0], i) || !nnprog_dim(&in[1], i))
			return nnprog_refuse(err, "only the batch may be 0");
	}
	if (nnprog_dims_differ(nnprog_dim(&in[0], 3), nnprog_dim(&in[1], 3)))
		return nnprog_refuse(err, "filter: %u channels for %u input channels",
				     nnprog_dim(&in[1], 3), nnprog_dim(&in[0], 3));
	ret = nnprog_mac_channels(nnprog_dim(&in[1], 0), &in[2], &cout, err);
	if (ret)
		return ret;
	*shape = nnprog_unknown_shape(4);
	shape->dims[0] = nnprog_dim(&in[0], 0);
	shape->dims[3] = cout;
	for (uint32_t i = 1; i <= 2 && !ret; i++)
		ret = output_extent(a, in, i, by_shape ? in[3].data : NULL, &shape->dims[i], err);
	return ret ? ret : nnprog_check_size(shape, out[0].dtype, err);
}

const struct nnprog_op_desc nnprog_op_transpose_conv = {
	.opcode = NNPROG_OP_TRANSPOSE_CONV_2D,
	.name = "TRANSPOSE_CONV_2D",
	.min_inputs = 3,
	.max_inputs = 4,
	.min_outputs = 1,
	.max_outputs = 1,
	.attrs_size = sizeof(struct nnprog_attr_transpose_conv),
	.optional_inputs = 1u << 3,
	.program_omits = 1u << 3,
	.value_inputs = 1u << 3,
	.types = TYPES_FLOAT | TYPES_QUANT8,
	.check_attrs = check_transpose_conv,
	.infer = infer_transpose_conv,
};
