// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>

#include "nnprog_verify.h"
#include "plan.h"
#include "verify.h"

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
		ret = nnprog_verify_nesting(prog, err);
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
