// SPDX-License-Identifier: Apache-2.0
/* The signature of main, its inputs and outputs, from untrusted bytes. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "nnmodel_common.h"
#include "nnmodel_rows.h"

#define MIN_OPERAND 32u /* bytes of one */

static bool parse_signature_positive(float scale)
{
	return scale > 0 && isfinite(scale);
}

struct reader {
	struct source s;
	struct nnmodel *model;
	bool prefix[0x8000]; /* declared by an extension */
};

/* As nnmodel_validate() would have it. */
static bool type_is_sound(const struct reader *r, const struct nnmodel_operand *o)
{
	const struct nnmodel_type_info *info = nnmodel_type_info(o->type);

	if (nnmodel_is_extension(o->type))
		return o->type >> 16 <= 0x7fff && r->prefix[o->type >> 16] && o->scale == 0 &&
		       o->zero_point == 0 && !o->num_scales && !o->channel_dim;
	if (!info || o->extension_size || o->type == NNMODEL_SUBGRAPH || (info->scalar && o->rank))
		return false;
	if (info->quant != NNMODEL_QUANT_CHANNEL && (o->num_scales || o->channel_dim))
		return false;
	switch (info->quant) {
	case NNMODEL_QUANT_OPTIONAL:
		return (o->scale == 0 || parse_signature_positive(o->scale)) && o->zero_point == 0;
	case NNMODEL_QUANT_REQUIRED:
		return parse_signature_positive(o->scale) &&
		       o->zero_point >= info->zero_point_min &&
		       o->zero_point <= info->zero_point_max;
	case NNMODEL_QUANT_CHANNEL:
		if (o->channel_dim >= o->rank || !o->num_scales ||
		    o->num_scales != o->dims[o->channel_dim])
			return false;
		for (uint32_t i = 0; i < o->num_scales; i++)
			if (!parse_signature_positive(o->scales[i]))
				return false;
		/* fall through */
	default:
		return o->scale == 0 && o->zero_point == 0;
	}
}

/* The table of extensions comes first: types refer to it. */
static int get_extensions(struct reader *r)
{
	struct nnmodel *m = r->model;
	int ret = nnmodel_get_extensions(&r->s, m);

	if (!ret)
		ret = nnmodel_validate_extensions(m);
	for (uint32_t i = 0; !ret && i < m->num_extensions; i++)
		r->prefix[m->extensions[i].prefix] = true;
	return ret;
}

/* -EINVAL; -ENOMEM. On error too the allocations belong to the model. */
static int get_operand(struct reader *r, uint32_t lifetime)
{
	int n = nnmodel_add_operand(r->model, 0, lifetime, NULL, 0, 0, 0);
	struct nnmodel_operand *o;
	int ret;

	if (n < 0)
		return n;
	o = &r->model->main.operands[n];
	ret = nnmodel_get_type(&r->s, o);
	if (!ret) {
		o->extension_size = nnmodel_get_u64(&r->s);
		ret = nnmodel_get_copy(&r->s, o->extension_size, &o->extension_data);
	}
	return ret || type_is_sound(r, o) ? ret : -EINVAL;
}

static int get_operands(struct reader *r, uint32_t lifetime, uint32_t *count)
{
	int ret = 0;

	*count = nnmodel_get_count(&r->s, MIN_OPERAND);
	for (uint32_t i = 0; i < *count && !ret; i++)
		ret = get_operand(r, lifetime);
	return r->s.failed ? -EINVAL : ret;
}

int nnmodel_parse_signature(const void *bytes, size_t size, struct nnmodel **out)
{
	struct reader *r = calloc(1, sizeof(*r));
	struct nnmodel *model = nnmodel_new();
	uint32_t num_in = 0, num_out = 0, i, *list = NULL;
	int ret = r && model ? 0 : -ENOMEM;

	*out = NULL;
	if (!ret) {
		r->s = (struct source){ bytes, size, false };
		r->model = model;
		ret = get_extensions(r);
	}
	if (!ret)
		ret = get_operands(r, NNMODEL_SUBGRAPH_INPUT, &num_in);
	if (!ret)
		ret = get_operands(r, NNMODEL_SUBGRAPH_OUTPUT, &num_out);
	if (!ret && r->s.left)
		ret = -EINVAL;
	free(r);
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
