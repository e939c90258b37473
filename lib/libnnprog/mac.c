// SPDX-License-Identifier: Apache-2.0
/* Checks that the operations of multiply-adds share: CONV_2D and its relatives, FULLY_CONNECTED. */
#include <math.h>

#include "rules.h"
#include "nnprog_desc.h"

/*
 * The kernels take the bias in steps of
 * s_in * s_filter, so a bias with another scale is refused; a per-channel bias has scale 0.
 */
int nnprog_check_mac(const struct nnprog_operand *in, const struct nnprog_operand *out,
		     uint32_t channel_dim, struct nnprog_error *err)
{
	const struct nnprog_operand *filter = &in[1], *bias = &in[2];
	uint32_t type = in[0].dtype;
	float product;
	int ret = nnprog_need_type(out, type, "output", err);

	if (ret)
		return ret;
	if (!nnprog_is_quant8(type)) {
		if ((1u << type) & ~TYPES_FLOAT)
			return nnprog_refuse(err, "input: type %s", nnprog_dtype_name(type));
		ret = nnprog_need_type(filter, type, "filter", err);
		return ret ? ret : nnprog_need_type(bias, type, "bias", err);
	}
	ret = nnprog_need_type(bias, NNPROG_INT32, "bias", err);
	if (!ret)
		ret = nnprog_need_scale(&in[0], "input", err);
	if (!ret)
		ret = nnprog_need_scale(out, "output", err);
	if (ret)
		return ret;
	if (!nnprog_is_quant8(filter->dtype))
		return nnprog_refuse(err, "filter: type %s", nnprog_dtype_name(filter->dtype));
	if (bias->zero_point || bias->num_scales)
		return nnprog_refuse(err, "bias: zero point or scales per channel");
	if (!filter->num_scales) {
		ret = nnprog_need_scale(filter, "filter", err);
		if (ret)
			return ret;
		product = in[0].scale * filter->scale;
		if (!(fabsf(bias->scale - product) <= 1e-6f * fminf(bias->scale, product)))
			return nnprog_refuse(err, "bias: scale %g where input and filter give %g",
					     (double)bias->scale, (double)product);
		return nnprog_check_multiplier((double)in[0].scale * filter->scale / out->scale,
					       err);
	}
	if (filter->dtype != NNPROG_INT8 || filter->channel_dim != channel_dim ||
	    filter->zero_point)
		return nnprog_refuse(err, "filter: type, channel dimension %u or zero point %d",
				     filter->channel_dim, filter->zero_point);
	if (bias->scale != 0)
		return nnprog_refuse(err, "bias: scale must be 0 with a per-channel filter");
	if (!filter->scales)
		return nnprog_refuse(err, "filter: no scales");
	if (nnprog_dims_differ(nnprog_dim(filter, channel_dim), filter->num_scales))
		return nnprog_refuse(err, "filter: %u scales", filter->num_scales);
	for (uint32_t c = 0; c < filter->num_scales; c++) {
		ret = nnprog_check_multiplier((double)in[0].scale * filter->scales[c] / out->scale,
					      err);
		if (ret)
			return ret;
	}
	return 0;
}

int nnprog_check_mac_ranks(const struct nnprog_operand *in, struct nnprog_error *err)
{
	int ret = nnprog_need_rank(&in[0], 4, "input", err);

	if (!ret)
		ret = nnprog_need_rank(&in[1], 4, "filter", err);
	if (!ret)
		ret = nnprog_need_rank(&in[2], 1, "bias", err);
	return ret;
}

int nnprog_mac_channels(uint32_t from_filter, const struct nnprog_operand *bias, uint32_t *channels,
			struct nnprog_error *err)
{
	uint32_t from_bias = nnprog_dim(bias, 0);

	if (nnprog_dims_differ(from_filter, from_bias))
		return nnprog_refuse(err, "bias: %u elements where %u are needed", from_bias,
				     from_filter);
	*channels = nnprog_dim_known(from_filter) ? from_filter : from_bias;
	if (!*channels)
		return nnprog_refuse(err, "no output channels");
	return 0;
}
