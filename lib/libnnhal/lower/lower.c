// SPDX-License-Identifier: Apache-2.0
/* The two questions: the program of a model, and which of its operations the device takes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"

static int lower_operation(struct lower *l, uint32_t n)
{
	l->op = &l->graph->operations[n];
	l->plan = &l->plans[n];
	if (l->plan->skip)
		return 0;
	if (l->op->type >= NNMODEL_OPCODE_COUNT)
		return lower_refuse(l, LOWER_NONE, "the driver knows no extensions");
	l->row = &lower_table[l->op->type];
	if (!l->row->lower)
		return lower_refuse(l, LOWER_NONE, "not supported by this driver");
	return l->row->lower(l);
}

static void set_text(struct nnmodel_error *err, const char *what, int error)
{
	err->subgraph = 0;
	err->operation = err->operand = UINT32_MAX;
	snprintf(err->text, sizeof(err->text), "%s: %s", what, strerror(-error));
}

int nnhal_lower_model(const struct nnmodel *model, const struct nnhal_opset *opset,
		      struct nnhal_lowered *out, struct nnmodel_error *err)
{
	struct nnmodel_maps *maps = NULL;
	struct nnmodel_error unused;
	struct lower l;
	uint32_t i;
	int ret;

	if (!err)
		err = &unused;
	*err = (struct nnmodel_error) { .operation = UINT32_MAX, .operand = UINT32_MAX };
	*out = (struct nnhal_lowered) { 0 };
	ret = nnmodel_map_pools(model, &maps);
	if (ret) {
		set_text(err, "the constants cannot be read", ret);
		return ret == -ENOMEM ? ret : -EINVAL;
	}
	ret = lower_init(&l, model, maps, opset, false, err);
	if (!ret) {
		ret = lower_inputs(&l);
		for (i = 0; !ret && i < model->main.num_operations; i++)
			ret = lower_operation(&l, i);
		if (!ret)
			ret = lower_finish(&l, out);
		lower_fini(&l);
	}
	nnmodel_unmap_pools(maps);
	if (ret == -ENOMEM)
		set_text(err, "lowering", ret);
	return ret;
}

static int give_reason(char **reasons, uint32_t i, const char *text)
{
	if (!reasons)
		return 0;
	reasons[i] = strdup(text);
	return reasons[i] ? 0 : -ENOMEM;
}

int nnhal_lower_supported(const struct nnmodel *model, const struct nnhal_opset *opset, bool *supported,
			  char **reasons)
{
	const uint32_t n = model->main.num_operations;
	struct nnmodel_maps *maps = NULL;
	struct nnmodel_error err = { 0 };
	struct lower l = { 0 };
	uint32_t i;
	int ret;

	for (i = 0; i < n; i++) {
		supported[i] = false;
		if (reasons)
			reasons[i] = NULL;
	}
	ret = nnmodel_map_pools(model, &maps);
	if (ret && ret != -ENOMEM) {
		set_text(&err, "the constants cannot be read", ret);
		for (i = 0, ret = 0; !ret && i < n; i++)
			ret = give_reason(reasons, i, err.text);
		goto out;
	}
	if (!ret)
		ret = lower_init(&l, model, maps, opset, true, &err);
	if (!ret)
		ret = lower_inputs(&l);
	for (i = 0; !ret && i < n; i++) {
		ret = lower_operation(&l, i);
		supported[i] = !ret;
		if (ret && ret != -ENOMEM)
			ret = give_reason(reasons, i, err.text);
	}
	lower_fini(&l);
out:
	nnmodel_unmap_pools(maps);
	for (i = 0; ret && reasons && i < n; i++) {
		free(reasons[i]);
		reasons[i] = NULL;
	}
	return ret;
}
