// SPDX-License-Identifier: Apache-2.0
/*
 * IF and WHILE that no device takes as a whole. The planner guarantees that the shapes of their
 * inputs and outputs are known.
 */
#include <string.h>

#include "nnutil_clock.h"

#include "base/nnr_base.h"
#include "run/nnr_run.h"

static void cpu_access(const struct nnr_argument *arg, bool write, bool begin)
{
	if (arg->kind == NNR_ARG_MEMORY)
		nnr_memory_cpu_access(arg->memory, write, begin);
}

/* The one element of a condition. */
static int read_condition(const struct nnr_argument *arg, bool *value)
{
	uint8_t *data;
	int result = nnr_argument_data(arg, &data);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	cpu_access(arg, false, true);
	*value = *data != 0;
	cpu_access(arg, false, false);
	return result;
}

/* A value of one graph becomes an input of another, at the same place. */
static void pass(struct nnr_scope *to, uint32_t operand, const struct nnr_argument *value)
{
	nnr_scope_place(to, operand, value);
}

/* The place of an output, with the shape that the graph declares for what it writes there. */
static void if_while_direct(struct nnr_scope *to, uint32_t operand,
			    const struct nnr_argument *place)
{
	const struct nnmodel_operand *o = &to->graph->operands[operand];
	struct nnr_argument arg = *place;

	if (arg.kind != NNR_ARG_NO_VALUE) {
		arg.rank = o->rank;
		arg.dims = o->dims;
	}
	nnr_scope_place(to, operand, &arg);
}

static int produced(struct nnr_invocation *inv, struct nnr_scope *scope, uint32_t operand,
		    const struct nnr_argument *from)
{
	const struct nnhal_output_shape shape = { .rank = from->rank,
						  .dims = from->dims,
						  .sufficient = true };

	return nnr_scope_produced(inv, scope, operand, &shape);
}

/* ---- IF ---- */

int nnr_if_run(struct nnr_invocation *inv, struct nnr_scope *scope, const struct nnr_node *node)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "nnr_if_run");
	const struct nnmodel_operation *op = &scope->graph->operations[node->operation];
	struct nnr_scope *branch;
	uint32_t chosen, i;
	bool condition;
	int result = read_condition(&scope->args[op->inputs[0]], &condition);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	chosen = node->graphs[condition ? 0 : 1];
	branch = &inv->scopes[chosen];
	if (branch->graph->num_inputs != op->num_inputs - 3 ||
	    branch->graph->num_outputs != op->num_outputs)
		return ANEURALNETWORKS_OP_FAILED;
	for (i = 3; i < op->num_inputs; i++)
		pass(branch, branch->graph->inputs[i - 3], &scope->args[op->inputs[i]]);
	for (i = 0; i < op->num_outputs; i++)
		if_while_direct(branch, branch->graph->outputs[i], &scope->args[op->outputs[i]]);
	result = nnr_graph_run(inv, chosen);
	for (i = 0; i < op->num_outputs && result == ANEURALNETWORKS_NO_ERROR; i++)
		result = produced(inv, scope, op->outputs[i],
				  &branch->args[branch->graph->outputs[i]]);
	return result;
}

/* ---- WHILE ---- */

static int copy_value(const struct nnr_argument *to, const struct nnr_argument *from)
{
	uint8_t *dst, *src;
	int result;

	if (to->kind == NNR_ARG_NO_VALUE || from->kind == NNR_ARG_NO_VALUE)
		return ANEURALNETWORKS_NO_ERROR;
	result = nnr_argument_data(to, &dst);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = nnr_argument_data(from, &src);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	cpu_access(from, false, true);
	cpu_access(to, true, true);
	memmove(dst, src, from->length);
	cpu_access(to, true, false);
	cpu_access(from, false, false);
	return result;
}

static int evaluate_condition(struct nnr_invocation *inv, const struct nnr_node *node,
			      const struct nnr_while *loop, bool *value)
{
	struct nnr_scope *cond = &inv->scopes[node->graphs[0]];
	/* a word, of which staging copies one byte, the size in the model */
	uint64_t word = 0;
	const struct nnr_argument place = { .kind = NNR_ARG_POINTER, .buffer = &word, .length = 1 };
	uint32_t i;
	int result;

	if (cond->graph->num_inputs != loop->num_inputs || cond->graph->num_outputs != 1)
		return ANEURALNETWORKS_OP_FAILED;
	for (i = 0; i < loop->num_inputs; i++)
		pass(cond, cond->graph->inputs[i], &loop->vars[i]);
	if_while_direct(cond, cond->graph->outputs[0], &place);
	result = nnr_graph_run(inv, node->graphs[0]);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = read_condition(&cond->args[cond->graph->outputs[0]], value);
	return result;
}

static int run_body(struct nnr_invocation *inv, const struct nnr_node *node, struct nnr_while *loop,
		    uint32_t turn)
{
	struct nnr_scope *body = &inv->scopes[node->graphs[1]];
	uint32_t i;
	int result;

	if (body->graph->num_inputs != loop->num_inputs)
		return ANEURALNETWORKS_OP_FAILED;
	for (i = 0; i < loop->num_inputs; i++)
		pass(body, body->graph->inputs[i], &loop->vars[i]);
	for (i = 0; i < loop->num_state; i++) {
		const struct nnr_temporary *buffer = &loop->buffers[turn][i];
		const struct nnr_argument place = {
			.kind = NNR_ARG_MEMORY,
			.memory = buffer->memory,
			.offset = buffer->offset,
			.length = buffer->capacity,
		};

		if_while_direct(body, body->graph->outputs[i], &place);
	}
	result = nnr_graph_run(inv, node->graphs[1]);
	/* the dims are the scope's: they stay, as the next turn's are the same operands' */
	for (i = 0; i < loop->num_state && result == ANEURALNETWORKS_NO_ERROR; i++)
		loop->vars[i] = body->args[body->graph->outputs[i]];
	return result;
}

static int turns(struct nnr_invocation *inv, const struct nnr_node *node, struct nnr_while *loop)
{
	const int64_t start = nnutil_boottime_ns();
	uint32_t turn;
	bool condition;
	int result;

	for (turn = 0;; turn ^= 1) {
		result = evaluate_condition(inv, node, loop, &condition);
		if (result != ANEURALNETWORKS_NO_ERROR || !condition)
			return result;
		result = run_body(inv, node, loop, turn);
		if (result != ANEURALNETWORKS_NO_ERROR)
			return result;
		if ((uint64_t)(nnutil_boottime_ns() - start) >= inv->run->loop_timeout_ns) {
			nnutil_log(NNUTIL_LOG_WARNING,
				   "a WHILE loop did not end within its timeout of %llu ns",
				   (unsigned long long)inv->run->loop_timeout_ns);
			inv->final = true;
			return ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT;
		}
	}
}

int nnr_while_run(struct nnr_invocation *inv, struct nnr_scope *scope, const struct nnr_node *node,
		  struct nnr_while *loop)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "nnr_while_run");
	const struct nnmodel_operation *op = &scope->graph->operations[node->operation];
	uint32_t i;
	int result;

	for (i = 0; i < loop->num_inputs; i++)
		loop->vars[i] = scope->args[op->inputs[i + 2]];
	result = turns(inv, node, loop);
	for (i = 0; i < op->num_outputs && result == ANEURALNETWORKS_NO_ERROR; i++) {
		result = copy_value(&scope->args[op->outputs[i]], &loop->vars[i]);
		if (result == ANEURALNETWORKS_NO_ERROR)
			result = produced(inv, scope, op->outputs[i], &loop->vars[i]);
	}
	return result;
}
