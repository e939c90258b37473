// SPDX-License-Identifier: Apache-2.0
/*
 * Subgraphs that use subgraphs. An operation names later ones only, so one walk in the order of the
 * numbers sees every use of a subgraph before the subgraph itself, and recursion is impossible.
 */
#include <errno.h>
#include <stdlib.h>

#include "nnprog_verify.h"
#include "control_flow.h"
#include "plan.h"
#include "verify.h"

static int visit(const struct nnprog *prog, uint32_t graph, uint8_t *depth,
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

int nnprog_verify_nesting(const struct nnprog *prog, struct nnprog_error *err)
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
			ret = visit(prog, i, depth, err);
	}
	free(depth);
	return ret;
}
