// SPDX-License-Identifier: Apache-2.0
/* The program of a model, and which operations of a model the device supports. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnhal_lowering.h"
#include "nnmodel_common.h"
#include "nnprog_builder.h"
#include "nnprog_format.h"
#include "nnutil_align.h"

const struct lower_row *lower_find(uint32_t opcode)
{
	for (const struct lower_family *const *f = lower_families; *f; f++)
		for (uint32_t i = 0; i < (*f)->num; i++)
			if ((*f)->rows[i].opcode == opcode)
				return &(*f)->rows[i];
	return NULL;
}

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* The whole pages of a constant are mapped, what is before and after them is copied. */
static int share(void *cookie, void *to, const void *from, size_t size)
{
	const struct lower *l = cookie;
	const size_t page = page_size(), head = -(uintptr_t)to & (page - 1);
	const size_t body = size > head ? nnutil_align_down(size - head, page) : 0;
	const uint8_t *source = from;
	uint8_t *target = to;
	uint64_t offset;
	int fd, ret;

	fd = body ? nnmodel_sealed_file(l->model, l->maps, source + head, body, &offset) : -1;
	if (fd < 0) {
		memcpy(target, source, size);
		return 0;
	}
	ret = l->client->share(l->client->cookie, target + head, body, fd, offset);
	if (ret)
		return ret;
	memcpy(target, source, head);
	memcpy(target + head + body, source + head + body, size - head - body);
	return 0;
}

/* A client that shares pages runs the program in this process. */
static void lower_share_constants(struct lower *l, const struct nnhal_lower_client *client)
{
	if (!client->share)
		return;
	nnprog_builder_unsummed(l->builder);
	if (!nnmodel_any_sealed(l->maps) || page_size() > NNPROG_MAX_GAP)
		return;
	l->client = client;
	nnprog_builder_share(l->builder, share, l, page_size());
}

static int lower_operation(struct lower *l, uint32_t n)
{
	l->op = &l->graph->operations[n];
	l->plan = &l->plans[n];
	if (l->plan->skip)
		return 0;
	if (l->op->type > NNMODEL_TYPE_BASE_MAX)
		return lower_extension_operation(l);
	l->row = lower_find(l->op->type);
	if (!l->row)
		return lower_refuse(l, LOWER_NONE, "not supported by this driver");
	return l->row->lower(l);
}

static void set_text(struct nnmodel_error *err, const char *what, int error)
{
	err->subgraph = 0;
	err->operation = err->operand = UINT32_MAX;
	snprintf(err->text, sizeof(err->text), "%s: %s", what, strerror(-error));
}

static int lower_graph(struct lower *l, const struct nnmodel_subgraph *graph, const char *name)
{
	uint32_t i;
	int ret = lower_begin_graph(l, graph, name);

	if (!ret)
		lower_fuse(l);
	if (!ret)
		ret = lower_inputs(l);
	for (i = 0; !ret && i < graph->num_operations; i++)
		ret = l->stop && l->stop(l->stop_cookie) ? -ETIME : lower_operation(l, i);
	return ret ? ret : lower_end_graph(l);
}

static int lower_graphs(struct lower *l)
{
	uint32_t i;
	int ret = lower_graph(l, &l->model->main, "main");

	for (i = 0; !ret && i < l->graphs->num; i++)
		ret = lower_graph(l, &l->model->referenced[l->graphs->order[i]], NULL);
	return ret;
}

int nnhal_lower_model(const struct nnmodel *model, const struct nnhal_opset *opset,
		      struct nnhal_lowered *out, struct nnmodel_error *err)
{
	return nnhal_lower_model_for(&(struct nnhal_lower_client){ 0 }, model, opset, out, err);
}

int nnhal_lower_model_for(const struct nnhal_lower_client *client, const struct nnmodel *model,
			  const struct nnhal_opset *opset, struct nnhal_lowered *out,
			  struct nnmodel_error *err)
{
	struct nnmodel_maps *maps = NULL;
	struct lower_graphs graphs;
	struct nnmodel_error unused = NNMODEL_ERROR_INIT;
	struct lower l = { 0 };
	int ret;

	if (!err)
		err = &unused;
	*err = (struct nnmodel_error){ .size = sizeof(*err),
				       .operation = UINT32_MAX,
				       .operand = UINT32_MAX };
	*out = (struct nnhal_lowered){ 0 };
	ret = nnmodel_map_pools(model, &maps);
	if (ret) {
		set_text(err, "the constants cannot be read", ret);
		return ret == -ENOMEM ? ret : -EINVAL;
	}
	ret = lower_graphs_init(&graphs, model, err);
	if (!ret)
		ret = lower_init(&l, model, maps, &graphs, opset, false, err);
	l.stop = client->stop;
	l.stop_cookie = client->cookie;
	if (!ret) {
		nnprog_builder_stop(l.builder, client->stop, client->cookie);
		nnprog_builder_memory(l.builder, client->memory, client->cookie);
		lower_share_constants(&l, client);
	}
	if (!ret)
		ret = lower_graphs(&l);
	if (!ret)
		ret = lower_finish(&l, out);
	lower_fini(&l);
	lower_graphs_fini(&graphs, model);
	nnmodel_unmap_pools(maps);
	if (ret == -ENOMEM || ret == -ETIME)
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

/* One subgraph, operation by operation; the subgraphs that it uses have been checked. */
static int lower_judge(struct lower *l, const struct nnmodel_subgraph *graph, bool *supported,
		       char **reasons)
{
	uint32_t i;
	int ret = lower_begin_graph(l, graph, NULL);

	if (!ret)
		ret = lower_inputs(l);
	for (i = 0; !ret && i < graph->num_operations; i++) {
		ret = lower_operation(l, i);
		supported[i] = !ret;
		if (ret && ret != -ENOMEM)
			ret = give_reason(reasons, i, l->err->text);
	}
	return ret;
}

/*
 * The same for a referenced subgraph: its first unsupported operation is the reason of its refusal.
 */
static int judge_referenced(struct lower *l, struct lower_graphs *graphs, uint32_t n)
{
	const struct nnmodel_subgraph *graph = &l->model->referenced[n];
	bool *supported = calloc(graph->num_operations + 1ul, sizeof(*supported));
	char **reasons = calloc(graph->num_operations + 1ul, sizeof(*reasons));
	uint32_t i;
	int ret = -ENOMEM;

	if (supported && reasons)
		ret = lower_judge(l, graph, supported, reasons);
	for (i = 0; reasons && i < graph->num_operations; i++) {
		if (!ret && !graphs->refused[n]) {
			graphs->refused[n] = reasons[i];
			reasons[i] = NULL;
		}
		free(reasons[i]);
	}
	free(reasons);
	free(supported);
	return ret;
}

static int judge_all(const struct nnmodel *model, const struct nnmodel_maps *maps,
		     struct lower_graphs *graphs, const struct nnhal_opset *opset, bool *supported,
		     char **reasons, struct nnmodel_error *err)
{
	struct lower l = { 0 };
	uint32_t i;
	int ret = lower_init(&l, model, maps, graphs, opset, true, err);

	for (i = graphs->num; !ret && i--;)
		ret = judge_referenced(&l, graphs, graphs->order[i]);
	if (!ret)
		ret = lower_judge(&l, &model->main, supported, reasons);
	lower_fini(&l);
	return ret;
}

int nnhal_lower_supported(const struct nnmodel *model, const struct nnhal_opset *opset,
			  bool *supported, char **reasons)
{
	const uint32_t n = model->main.num_operations;
	struct nnmodel_maps *maps = NULL;
	struct lower_graphs graphs = { 0 };
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	uint32_t i;
	int ret;

	for (i = 0; i < n; i++) {
		supported[i] = false;
		if (reasons)
			reasons[i] = NULL;
	}
	ret = nnmodel_map_pools(model, &maps);
	if (ret && ret != -ENOMEM)
		set_text(&err, "the constants cannot be read", ret);
	if (!ret)
		ret = lower_graphs_init(&graphs, model, &err);
	if (ret && ret != -ENOMEM)
		for (i = 0, ret = 0; !ret && i < n; i++)
			ret = give_reason(reasons, i, err.text);
	else if (!ret)
		ret = judge_all(model, maps, &graphs, opset, supported, reasons, &err);
	lower_graphs_fini(&graphs, model);
	nnmodel_unmap_pools(maps);
	for (i = 0; ret && reasons && i < n; i++) {
		free(reasons[i]);
		reasons[i] = NULL;
	}
	return ret;
}
