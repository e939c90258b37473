// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>

#include "nnprog_format.h"
#include "core_run.h"

/** Beyond these, what every arena would keep is too much, and the operations cost more. */
#define MAX_OPERANDS 4096u
#define MAX_TENSORS 2048u

/** Whether everything about @op but the addresses of arguments is known. */
static bool is_fixed(const struct program_graph *g, const struct program_op *op)
{
	if (op->control || !op->fixed_shapes || op->desc->run_shapes || op->num_dead)
		return false;
	/* what has no elements may not be allowed, and has no address */
	for (uint32_t i = 0; i < op->num_in; i++)
		if (!g->tensors[op->in[i]].omitted && !g->tensors[op->in[i]].elements)
			return false;
	for (uint32_t i = 0; i < op->num_out; i++)
		if (!g->tensors[op->out[i]].elements)
			return false;
	return true;
}

uint32_t nnfw_operands_count(const struct program *p)
{
	const struct program_graph *g = &p->graphs[0];
	uint32_t count = 0;

	if (g->sg->num_tensors > MAX_TENSORS || !g->fixed_shapes)
		return 0;
	for (uint32_t n = 0; n < g->sg->num_operations; n++) {
		const struct program_op *op = &g->ops[n];

		if (op->num_in + op->num_out > MAX_OPERANDS - count || !is_fixed(g, op))
			return 0;
		count += op->num_in + op->num_out;
	}
	return count;
}

uint64_t nnfw_operands_bytes(const struct program *p)
{
	return nnfw_operands_count(p) * sizeof(struct operand_use);
}

/** Number operand @operand of tensor @tensor; remember it if it is an argument. */
static void plan_operand(struct program_graph *g, uint32_t operand, uint32_t tensor)
{
	uint32_t kind = g->declared[tensor].kind;

	if (kind == NNPROG_INPUT || kind == NNPROG_OUTPUT)
		g->uses[g->num_uses++] = (struct operand_use){ operand, tensor };
}

int nnfw_operands_plan(struct program *p)
{
	struct program_graph *g = &p->graphs[0];
	uint32_t count = nnfw_operands_count(p), next = 0;

	if (!count)
		return 0;
	g->uses = malloc(nnfw_operands_bytes(p));
	if (!g->uses)
		return -ENOMEM;
	for (uint32_t n = 0; n < g->sg->num_operations; n++) {
		struct program_op *op = &g->ops[n];

		op->first_operand = next;
		for (uint32_t i = 0; i < op->num_in; i++)
			plan_operand(g, next++, op->in[i]);
		for (uint32_t i = 0; i < op->num_out; i++)
			plan_operand(g, next++, op->out[i]);
	}
	g->num_placed = count;
	return 0;
}

bool nnfw_operands_fit(const struct program *p, const struct job *job)
{
	if (!p->graphs[0].num_placed)
		return false;
	for (uint32_t i = 0; i < job->desc.num_args && i < job->max_args; i++)
		if (job->args[i].flags & NNACCEL_ARG_OMITTED)
			return false;
	return true;
}

void nnfw_operands_place(struct run *run)
{
	const struct program_graph *g = run->main.graph;
	struct nnfw_tensor *next = run->placed;

	for (uint32_t n = 0; n < g->sg->num_operations; n++) {
		const struct program_op *op = &g->ops[n];

		for (uint32_t i = 0; i < op->num_in; i++)
			*next++ = run->main.tensors[op->in[i]];
		for (uint32_t i = 0; i < op->num_out; i++)
			*next++ = run->main.tensors[op->out[i]];
	}
}

void nnfw_operands_bind(struct run *run)
{
	const struct program_graph *g = run->main.graph;

	for (uint32_t i = 0; i < g->num_uses; i++)
		run->placed[g->uses[i].operand].data = run->main.tensors[g->uses[i].tensor].data;
}
