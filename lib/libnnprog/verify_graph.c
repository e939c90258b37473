// SPDX-License-Identifier: Apache-2.0
/*
 * Third stage of verification: what a subgraph computes. Operations run in their order; every value
 * is written once, before it is read; the declared shapes of tensors are those of the shape rules.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nnprog_verify.h"
#include "control_flow.h"
#include "plan.h"
#include "verify.h"
#include "rules.h"

/** Uses of one list of scales that a program may have for each of its bytes. */
#define WORK_PER_BYTE 64u

/** Inputs and outputs of the subgraph are its INPUT and OUTPUT tensors, each once. */
static int check_io(const struct nnprog *prog, uint32_t subgraph, struct nnprog_life *life,
		    struct nnprog_error *err)
{
	const struct nnprog_subgraph *sg = &prog->subgraphs[subgraph];
	const struct nnprog_tensor *t = prog->tensors + sg->first_tensor;
	const uint32_t *list = nnprog_list(prog, sg->inputs);
	uint32_t i, n, want;
	int ret;

	/* before the operations are walked, last counts the lists that name the tensor */
	for (i = 0; i < sg->num_tensors; i++) {
		life[i] = (struct nnprog_life){ NNPROG_NONE, 0 };
		ret = nnprog_pace(prog, 1);
		if (ret)
			return ret;
	}
	for (i = 0; i < sg->num_inputs + sg->num_outputs; i++) {
		n = list[i]; /* the outputs' list follows the inputs' */
		want = i < sg->num_inputs ? NNPROG_INPUT : NNPROG_OUTPUT;
		if (t[n].kind != want || life[n].last)
			return nnprog_refuse_at(err, nnprog_offset(prog, &list[i]), subgraph,
						NNPROG_NONE,
						"tensor %u cannot be %s %u of the subgraph", n,
						want == NNPROG_INPUT ? "input" : "output",
						want == NNPROG_INPUT ? i : i - sg->num_inputs);
		life[n].last = 1;
	}
	for (i = 0; i < sg->num_tensors; i++) {
		bool io = t[i].kind == NNPROG_INPUT || t[i].kind == NNPROG_OUTPUT;

		if (io && !life[i].last)
			return nnprog_refuse_at(
				err, nnprog_offset(prog, &t[i]), subgraph, NNPROG_NONE,
				"tensor %u is an input or output that the subgraph does not list",
				i);
		ret = nnprog_pace(prog, 1);
		if (ret)
			return ret;
		life[i].last = 0;
		if (t[i].kind == NNPROG_INPUT || t[i].kind == NNPROG_CONST)
			life[i].first = 0;
	}
	return 0;
}

/** Order of execution around operation @n. */
static int check_flow(const struct nnprog *prog, uint32_t subgraph, uint32_t n,
		      struct nnprog_life *life, struct nnprog_error *err)
{
	const struct nnprog_subgraph *sg = &prog->subgraphs[subgraph];
	const struct nnprog_tensor *t = prog->tensors + sg->first_tensor;
	const struct nnprog_operation *op = &prog->operations[sg->first_operation + n];
	const uint32_t *in = nnprog_list(prog, op->inputs), *out = nnprog_list(prog, op->outputs);

	for (uint32_t i = 0; i < op->num_inputs; i++) {
		if (t[in[i]].kind == NNPROG_OMITTED)
			continue;
		if (life[in[i]].first == NNPROG_NONE)
			return nnprog_refuse_at(err, nnprog_offset(prog, &in[i]), subgraph, n,
						"operation %u reads tensor %u before it is written",
						n, in[i]);
		life[in[i]].last = n;
	}
	for (uint32_t i = 0; i < op->num_outputs; i++) {
		if (t[out[i]].kind != NNPROG_TEMP && t[out[i]].kind != NNPROG_OUTPUT)
			return nnprog_refuse_at(
				err, nnprog_offset(prog, &out[i]), subgraph, n,
				"operation %u writes tensor %u, which is not writable", n, out[i]);
		if (life[out[i]].first != NNPROG_NONE)
			return nnprog_refuse_at(err, nnprog_offset(prog, &out[i]), subgraph, n,
						"operation %u writes tensor %u again", n, out[i]);
		life[out[i]] = (struct nnprog_life){ n, n };
	}
	return 0;
}

static uint32_t count_io(const void *priv, uint32_t graph, bool output)
{
	const struct nnprog *prog = priv;

	return output ? prog->subgraphs[graph].num_outputs : prog->subgraphs[graph].num_inputs;
}

static void get_io(const void *priv, uint32_t graph, bool output, uint32_t i,
		   struct nnprog_operand *op)
{
	const struct nnprog *prog = priv;
	const struct nnprog_subgraph *sg = &prog->subgraphs[graph];
	const uint32_t *list = nnprog_list(prog, output ? sg->outputs : sg->inputs);

	nnprog_tensor_operand(prog, &prog->tensors[sg->first_tensor + list[i]], op);
}

static int verify_graph_infer(const struct nnprog *prog, uint32_t subgraph,
			      const struct nnprog_operation *op, const struct nnprog_op_desc *desc,
			      const struct nnprog_operand *operands, struct nnprog_operand *results,
			      struct nnprog_error *err)
{
	const struct nnprog_graphs graphs = { prog, prog->num_subgraphs, count_io, get_io };
	const void *attrs = prog->attrs + op->attrs;
	uint32_t unused[2];

	if (nnprog_control_graphs(op->opcode, attrs, unused))
		return nnprog_control_infer(&graphs, subgraph, op->opcode, attrs, operands,
					    op->num_inputs, results, op->num_outputs, err);
	return desc->infer(attrs, operands, op->num_inputs, results, op->num_outputs, err);
}

/** What an operation's rules say of it and of its outputs' shapes. */
static int check_rules(const struct nnprog *prog, uint32_t subgraph, uint32_t n,
		       const struct nnprog_op_desc *desc, struct nnprog_operand *operands,
		       struct nnprog_error *err)
{
	const struct nnprog_subgraph *sg = &prog->subgraphs[subgraph];
	const struct nnprog_tensor *t = prog->tensors + sg->first_tensor;
	const struct nnprog_operation *op = &prog->operations[sg->first_operation + n];
	const uint32_t *in = nnprog_list(prog, op->inputs), *out = nnprog_list(prog, op->outputs);
	struct nnprog_operand *results = operands + op->num_inputs;
	const void *attrs = prog->attrs + op->attrs;
	struct nnprog_error why = { .text = "" };

	for (uint32_t i = 0; i < op->num_inputs; i++)
		nnprog_tensor_operand(prog, &t[in[i]], &operands[i]);
	for (uint32_t i = 0; i < op->num_outputs; i++)
		nnprog_tensor_operand(prog, &t[out[i]], &results[i]);
	if (nnprog_check_operation(desc, operands, op->num_inputs, results, op->num_outputs,
				   &why) ||
	    (desc->check_attrs && desc->check_attrs(attrs, &why)) ||
	    verify_graph_infer(prog, subgraph, op, desc, operands, results, &why))
		return nnprog_refuse_at(err, nnprog_offset(prog, op), subgraph, n,
					"operation %u (%s): %s", n, desc->name, why.text);
	for (uint32_t i = 0; i < op->num_outputs; i++) {
		struct nnprog_operand declared;
		struct nnprog_shape shape;

		nnprog_tensor_operand(prog, &t[out[i]], &declared);
		shape = declared.shape;
		if (nnprog_shape_merge(&shape, &results[i].shape) ||
		    shape.rank != declared.shape.rank ||
		    (shape.rank <= NNPROG_MAX_RANK &&
		     memcmp(shape.dims, declared.shape.dims, shape.rank * sizeof(shape.dims[0]))))
			return nnprog_refuse_at(
				err, nnprog_offset(prog, &t[out[i]]), subgraph, n,
				"tensor %u: shape differs from the result of operation %u (%s)",
				out[i], n, desc->name);
	}
	return 0;
}

/** Scales of the subgraphs that an operation names, which its rules compare with its own. */
static uint64_t control_work(const struct nnprog *prog, const struct nnprog_operation *op)
{
	uint32_t graphs[2];
	uint64_t work = 0;

	if (!nnprog_control_graphs(op->opcode, prog->attrs + op->attrs, graphs))
		return 0;
	for (uint32_t k = 0; k < 2; k++) {
		const struct nnprog_subgraph *sg = &prog->subgraphs[graphs[k]];
		const uint32_t *list = nnprog_list(prog, sg->inputs);

		/* the outputs' list follows the inputs' */
		for (uint32_t i = 0; i < sg->num_inputs + sg->num_outputs; i++)
			work += prog->tensors[sg->first_tensor + list[i]].num_scales;
	}
	return work;
}

int nnprog_verify_graph(const struct nnprog *prog, uint32_t subgraph, struct nnprog_life *life,
			struct nnprog_operand *operands, uint64_t *work, struct nnprog_error *err)
{
	const struct nnprog_subgraph *sg = &prog->subgraphs[subgraph];
	const struct nnprog_tensor *t = prog->tensors + sg->first_tensor;
	int ret = check_io(prog, subgraph, life, err);

	for (uint32_t n = 0; n < sg->num_operations && !ret; n++) {
		const struct nnprog_operation *op = &prog->operations[sg->first_operation + n];
		const uint32_t *list = nnprog_list(prog, op->inputs);
		uint64_t before = *work;

		for (uint32_t i = 0; i < op->num_inputs + op->num_outputs; i++)
			*work += t[list[i]].num_scales;
		*work += control_work(prog, op);
		if (*work > WORK_PER_BYTE * prog->header->total_size)
			return nnprog_refuse_at(
				err, nnprog_offset(prog, op), subgraph, n,
				"operation %u: per-channel scales are used too often", n);
		/* the rules of an operation cost more than its entry */
		ret = nnprog_pace(prog,
				  16 + 4 * (op->num_inputs + op->num_outputs) + (*work - before));
		if (!ret)
			ret = check_flow(prog, subgraph, n, life, err);
		/* an extension's operation is verified by nnprog_verify_extension() */
		if (!ret && nnprog_op_find(op->opcode))
			ret = check_rules(prog, subgraph, n, nnprog_op_find(op->opcode), operands,
					  err);
	}
	for (uint32_t i = 0; i < sg->num_tensors && !ret; i++) {
		ret = nnprog_pace(prog, 1);
		if (!ret && t[i].kind != NNPROG_OMITTED && life[i].first == NNPROG_NONE)
			ret = nnprog_refuse_at(err, nnprog_offset(prog, &t[i]), subgraph,
					       NNPROG_NONE, "tensor %u is never written", i);
	}
	return ret;
}

int nnprog_verify_extension(const struct nnprog *prog, uint32_t subgraph, uint32_t n,
			    const struct nnprog_op_desc *desc, struct nnprog_error *err)
{
	const struct nnprog_operation *op =
		&prog->operations[prog->subgraphs[subgraph].first_operation + n];
	struct nnprog_operand *operands;
	int ret;

	if (op->attrs_size != desc->attrs_size)
		return nnprog_refuse_at(err, nnprog_offset(prog, op), subgraph, n,
					"operation %u (%s): attributes of %u bytes", n, desc->name,
					op->attrs_size);
	operands = calloc(op->num_inputs + op->num_outputs + 1ul, sizeof(*operands));
	if (!operands) {
		nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE, "out of memory");
		return -ENOMEM;
	}
	ret = check_rules(prog, subgraph, n, desc, operands, err);
	free(operands);
	return ret;
}
