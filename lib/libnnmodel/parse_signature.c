// SPDX-License-Identifier: Apache-2.0
/* The signature of main, its inputs and outputs, from bytes that nobody vouches for. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "internal.h"
#include "source.h"

static bool positive(float scale)
{
	return scale > 0 && isfinite(scale);
}

/* As nnmodel_validate() would have it. */
static bool type_is_sound(const struct nnmodel_operand *o)
{
	const struct nnmodel_type_info *info = nnmodel_type_info(o->type);

	if (!info || o->type == NNMODEL_SUBGRAPH || (info->scalar && o->rank))
		return false;
	if (info->quant != NNMODEL_QUANT_CHANNEL && (o->num_scales || o->channel_dim))
		return false;
	switch (info->quant) {
	case NNMODEL_QUANT_OPTIONAL:
		return (o->scale == 0 || positive(o->scale)) && o->zero_point == 0;
	case NNMODEL_QUANT_REQUIRED:
		return positive(o->scale) && o->zero_point >= info->zero_point_min &&
		       o->zero_point <= info->zero_point_max;
	case NNMODEL_QUANT_CHANNEL:
		if (o->channel_dim >= o->rank || !o->num_scales ||
		    o->num_scales != o->dims[o->channel_dim])
			return false;
		for (uint32_t i = 0; i < o->num_scales; i++)
			if (!positive(o->scales[i]))
				return false;
		/* fall through */
	default:
		return o->scale == 0 && o->zero_point == 0;
	}
}

/* -EINVAL; -ENOMEM. What was allocated is the model's on error as well. */
static int get_operand(struct source *s, struct nnmodel *model, uint32_t lifetime)
{
	int n = nnmodel_add_operand(model, 0, lifetime, NULL, 0, 0, 0);
	int ret;

	if (n < 0)
		return n;
	ret = nnmodel_get_type(s, &model->main.operands[n]);
	return ret || type_is_sound(&model->main.operands[n]) ? ret : -EINVAL;
}

static int get_operands(struct source *s, struct nnmodel *model, uint32_t lifetime, uint32_t *count)
{
	int ret = 0;

	*count = nnmodel_get_count(s, sizeof(uint32_t));
	for (uint32_t i = 0; i < *count && !ret; i++)
		ret = get_operand(s, model, lifetime);
	return s->failed ? -EINVAL : ret;
}

int nnmodel_parse_signature(const void *bytes, size_t size, struct nnmodel **out)
{
	struct source s = { bytes, size, false };
	struct nnmodel *model = nnmodel_new();
	uint32_t num_in = 0, num_out = 0, i, *list = NULL;
	int ret;

	*out = NULL;
	if (!model)
		return -ENOMEM;
	ret = get_operands(&s, model, NNMODEL_SUBGRAPH_INPUT, &num_in);
	if (!ret)
		ret = get_operands(&s, model, NNMODEL_SUBGRAPH_OUTPUT, &num_out);
	if (!ret && s.left)
		ret = -EINVAL;
	if (!ret) {
		list = calloc((size_t)num_in + num_out + 1, sizeof(*list));
		ret = list ? 0 : -ENOMEM;
	}
	if (!ret) {
		for (i = 0; i < num_in + num_out; i++)
			list[i] = i;
		ret = nnmodel_set_io(model, list, num_in, list + num_in, num_out);
	}
	free(list);
	if (ret)
		nnmodel_free(model);
	else
		*out = model;
	return ret;
}
