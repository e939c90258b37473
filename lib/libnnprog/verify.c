// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>

#include "control_flow.h"
#include "nnprog_verify.h"
#include "plan.h"
#include "verify.h"

/*
 * Subgraphs that use subgraphs. An operation names later ones only, so one walk in the order of the
 * numbers sees every use of a subgraph before the subgraph itself, and recursion is impossible.
 */

static int verify_visit(const struct nnprog *prog, uint32_t graph, uint8_t *depth,
			struct nnprog_error *err)
{
	const struct nnprog_subgraph *sg = &prog->subgraphs[graph];

	for (uint32_t n = 0; n < sg->num_operations; n++) {
		const struct nnprog_operation *op = &prog->operations[sg->first_operation + n];
		uint32_t graphs[2];
		int ret = nnprog_pace(prog, 1);

		if (ret)
			return ret;
		if (!nnprog_control_graphs(op->opcode, prog->attrs + op->attrs, graphs))
			continue;
		for (uint32_t i = 0; i < 2; i++) {
			if (graphs[i] <= graph || graphs[i] >= prog->num_subgraphs)
				return nnprog_refuse_at(
					err, nnprog_offset(prog, op), graph, n,
					"operation %u: subgraph %u of %u cannot be used in "
					"subgraph %u",
					n, graphs[i], prog->num_subgraphs, graph);
			if (depth[graph] == NNPROG_MAX_DEPTH)
				return nnprog_refuse_at(
					err, nnprog_offset(prog, op), graph, n,
					"operation %u: subgraphs nest deeper than %u", n,
					NNPROG_MAX_DEPTH);
			if (depth[graphs[i]] <= depth[graph])
				depth[graphs[i]] = depth[graph] + 1;
		}
	}
	return 0;
}

/* The nesting of subgraphs: each is used by an earlier one, and none is nested too deeply. */
static int verify_nesting(const struct nnprog *prog, struct nnprog_error *err)
{
	uint8_t *depth; /* 0: not used so far */
	int ret = 0;

	depth = calloc(prog->num_subgraphs, 1);
	if (!depth) {
		nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE, "out of memory");
		return -ENOMEM;
	}
	depth[0] = 1;
	for (uint32_t i = 0; i < prog->num_subgraphs && !ret; i++) {
		if (!depth[i])
			ret = nnprog_refuse_at(err, nnprog_offset(prog, &prog->subgraphs[i]), i,
					       NNPROG_NONE, "subgraph %u is not used", i);
		else
			ret = verify_visit(prog, i, depth, err);
	}
	free(depth);
	return ret;
}

/** Tables sized by the program itself: the largest subgraph and the largest operation. */
static int verify_subgraphs(const struct nnprog *prog, struct nnprog_error *err)
{
	uint32_t tensors = 1, operands = 1;
	struct nnprog_life *life;
	struct nnprog_operand *list;
	uint64_t work = 0;
	int ret = 0;

	for (uint32_t i = 0; i < prog->num_subgraphs; i++) {
		const struct nnprog_subgraph *sg = &prog->subgraphs[i];
		const struct nnprog_operation *op = prog->operations + sg->first_operation;

		if (sg->num_tensors > tensors)
			tensors = sg->num_tensors;
		for (uint32_t n = 0; n < sg->num_operations && !ret; n++) {
			if (op[n].num_inputs + op[n].num_outputs > operands)
				operands = op[n].num_inputs + op[n].num_outputs;
			ret = nnprog_pace(prog, 1);
		}
		if (ret)
			return ret;
	}
	life = malloc((size_t)tensors * sizeof(*life));
	list = malloc((size_t)operands * sizeof(*list));
	if (!life || !list) {
		nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE, "out of memory");
		ret = -ENOMEM;
	}
	if (!ret)
		ret = verify_nesting(prog, err);
	for (uint32_t i = 0; i < prog->num_subgraphs && !ret; i++) {
		ret = nnprog_verify_graph(prog, i, life, list, &work, err);
		if (!ret)
			ret = nnprog_verify_arena(prog, i, life, err);
	}
	free(list);
	free(life);
	return ret;
}

static int verify(const void *bytes, size_t size, struct nnprog *prog, struct nnprog_error *err)
{
	int ret = nnprog_verify_layout(bytes, size, prog, err);

	if (!ret)
		ret = nnprog_verify_entries(prog, err);
	if (!ret)
		ret = verify_subgraphs(prog, err);
	return ret;
}

int nnprog_verify(const void *bytes, size_t size, struct nnprog *prog, struct nnprog_error *err)
{
	prog->pace = NULL;
	prog->summed = false;
	return verify(bytes, size, prog, err);
}

int nnprog_verify_summed(const void *bytes, size_t size, struct nnprog *prog,
			 struct nnprog_error *err)
{
	prog->pace = NULL;
	prog->summed = true;
	return verify(bytes, size, prog, err);
}

int nnprog_verify_paced(const void *bytes, size_t size, struct nnprog *prog,
			int (*tick)(void *cookie), void *cookie, struct nnprog_error *err)
{
	struct nnprog_pace pace = { .tick = tick, .cookie = cookie };
	int ret;

	prog->pace = &pace;
	prog->summed = false;
	ret = verify(bytes, size, prog, err);
	prog->pace = NULL;
	return ret;
}
