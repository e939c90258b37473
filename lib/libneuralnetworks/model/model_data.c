// SPDX-License-Identifier: Apache-2.0
/*
 * Finished models, counted; and whether a model with OEM types and operations, of which only we
 * know, is valid.
 */
#include <errno.h>
#include <string.h>

#include "base/nnr_base.h"
#include "model/nnr_model.h"
#include "registry/nnr_registry.h"

struct nnr_model_data *nnr_model_data_get(struct nnr_model_data *data)
{
	atomic_fetch_add_explicit(&data->refs, 1, memory_order_relaxed);
	return data;
}

void nnr_model_data_put(struct nnr_model_data *data)
{
	if (!data || atomic_fetch_sub_explicit(&data->refs, 1, memory_order_acq_rel) != 1)
		return;
	nnmodel_free(data->model);
	free(data->added_to_run);
	free(data->referenced_ids);
	free(data->pool_ids);
	free(data);
}

bool nnr_model_may_extend(const ANeuralNetworksModel *model)
{
	return model->support_library || nnr_extensions_allowed();
}

/* ---- OEM ---- */

static bool has_oem(const struct nnmodel_subgraph *g)
{
	uint32_t i;

	for (i = 0; i < g->num_operands; i++)
		if (nnr_is_oem(g->operands[i].type))
			return true;
	for (i = 0; i < g->num_operations; i++)
		if (g->operations[i].type == ANEURALNETWORKS_OEM_OPERATION)
			return true;
	return false;
}

static bool model_has_oem(const struct nnmodel *model)
{
	uint32_t i;

	if (has_oem(&model->main))
		return true;
	for (i = 0; i < model->num_referenced; i++)
		if (has_oem(&model->referenced[i]))
			return true;
	return false;
}

/* The highest prefix that no extension has. 0: all are used. */
static uint32_t free_prefix(const struct nnmodel *model)
{
	uint32_t prefix = 0x7fff, i;

	for (i = 0; prefix && i < model->num_extensions; i++)
		if (model->extensions[i].prefix == prefix) {
			prefix--;
			i = UINT32_MAX;
		}
	return prefix;
}

/* @dst shares all with @src but its two lists. */
static bool translate(struct nnmodel_subgraph *dst, const struct nnmodel_subgraph *src,
		      uint32_t prefix)
{
	uint32_t i;

	*dst = *src;
	dst->operands = nnr_array(src->num_operands, sizeof(*dst->operands));
	dst->operations = nnr_array(src->num_operations, sizeof(*dst->operations));
	if (!dst->operands || !dst->operations)
		return false;
	for (i = 0; i < src->num_operands; i++) {
		dst->operands[i] = src->operands[i];
		if (!nnr_is_oem(src->operands[i].type))
			continue;
		dst->operands[i].type |= prefix << 16;
		dst->operands[i].scale = 0;
		dst->operands[i].zero_point = 0;
	}
	for (i = 0; i < src->num_operations; i++) {
		dst->operations[i] = src->operations[i];
		if (src->operations[i].type == ANEURALNETWORKS_OEM_OPERATION)
			dst->operations[i].type |= prefix << 16;
	}
	return true;
}

/*
 * OEM operations and types are checked like those of an extension: only the device knows their
 * rules.
 */
static int validate_translated(const struct nnmodel *model, uint32_t *feature_level,
			       struct nnmodel_error *err)
{
	struct nnmodel copy = *model; /* of this runtime, so of its size */
	uint32_t prefix = free_prefix(model), i;
	int ret = -ENOMEM;
	bool ok;

	copy.extensions = nnr_array((size_t)model->num_extensions + 1, sizeof(*copy.extensions));
	copy.referenced = nnr_array(model->num_referenced, sizeof(*copy.referenced));
	ok = copy.extensions && copy.referenced && translate(&copy.main, &model->main, prefix);
	for (i = 0; ok && i < model->num_referenced; i++)
		ok = translate(&copy.referenced[i], &model->referenced[i], prefix);
	if (ok) {
		if (model->num_extensions)
			memcpy(copy.extensions, model->extensions,
			       model->num_extensions * sizeof(*copy.extensions));
		copy.extensions[copy.num_extensions++] =
			(struct nnmodel_extension){ (char *)"oem.of_feature_level_1",
						    (uint16_t)prefix };
		ret = nnmodel_validate(&copy, feature_level, err);
	}
	if (copy.main.operands != model->main.operands)
		free(copy.main.operands);
	if (copy.main.operations != model->main.operations)
		free(copy.main.operations);
	for (i = 0; copy.referenced && i < model->num_referenced; i++) {
		free(copy.referenced[i].operands);
		free(copy.referenced[i].operations);
	}
	free(copy.referenced);
	free(copy.extensions);
	return ret;
}

int nnr_model_validate(const struct nnmodel *model, uint32_t *feature_level,
		       struct nnmodel_error *err)
{
	return model_has_oem(model) ? validate_translated(model, feature_level, err)
				    : nnmodel_validate(model, feature_level, err);
}
