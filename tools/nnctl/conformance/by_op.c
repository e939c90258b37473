// SPDX-License-Identifier: Apache-2.0
#include "conformance/nnctl_conformance.h"

#include <stdio.h>

#include "probes/nnctl_probes.h"

static uint32_t slot(uint32_t opcode)
{
	if (opcode < NNMODEL_OPCODE_COUNT)
		return opcode;
	return opcode == NNMODEL_DENSIFY ? NNMODEL_OPCODE_COUNT : BY_OP_SEVERAL;
}

static uint32_t slot_opcode(uint32_t i)
{
	return i == NNMODEL_OPCODE_COUNT ? NNMODEL_DENSIFY : i;
}

const char *by_op_name(uint32_t i)
{
	return i == BY_OP_SEVERAL ? "several" : nnmodel_operation_name(slot_opcode(i));
}

/* NNMODEL_TYPE_COUNT: it lacks the operand. */
static uint32_t operation_type(const struct nnt *nnt, const struct nnt_subgraph *graph,
			       const struct nnt_operation *operation)
{
	const struct probe_place place = probe_typed_operand(operation->type);
	const uint32_t count = place.output ? operation->output_count : operation->input_count;
	const uint32_t first = place.output ? operation->outputs : operation->inputs;
	const uint32_t index = place.index == UINT32_MAX ? count - 1 : place.index;

	if (!count || index >= count)
		return NNMODEL_TYPE_COUNT;
	return nnt->operands[graph->first_operand + nnt->pool[first + index]].type;
}

struct by_op_subject by_op_subject(const struct nnt *nnt, const struct nnt_example *ex)
{
	const struct nnt_subgraph *main = &nnt->subgraphs[ex->first_subgraph];
	struct by_op_subject found = { .slot = NNMODEL_ADD, .type = NNMODEL_TYPE_COUNT };

	for (uint32_t i = 0; i < main->operation_count; i++) {
		const struct nnt_operation *operation = &nnt->operations[main->first_operation + i];
		const uint32_t op = slot(operation->type);

		if (nnmodel_names_subgraphs(op))
			return (struct by_op_subject){ op, operation_type(nnt, main, operation) };
		if (op == found.slot) {
			if (found.type == NNMODEL_TYPE_COUNT)
				found.type = operation_type(nnt, main, operation);
			continue;
		}
		if (op == NNMODEL_ADD)
			continue;
		if (found.slot != NNMODEL_ADD)
			return (struct by_op_subject){ BY_OP_SEVERAL, NNMODEL_TYPE_COUNT };
		found = (struct by_op_subject){ op, operation_type(nnt, main, operation) };
	}
	return found;
}

static void tally_add(struct op_tally *tally, enum by_op_result result)
{
	tally->passed += result == BY_OP_PASSED;
	tally->failed += result == BY_OP_FAILED;
	tally->unsupported += result == BY_OP_UNSUPPORTED;
}

void by_op_count(struct by_op *tally, const struct nnt *nnt, const struct nnt_example *ex,
		 enum by_op_result result)
{
	const struct by_op_subject subject = by_op_subject(nnt, ex);
	bool seen[BY_OP_SEVERAL + 1] = { false };

	tally_add(&tally->of[subject.slot], result);
	if (subject.type < NNMODEL_TYPE_COUNT)
		tally_add(&tally->of_type[subject.slot][subject.type], result);
	for (uint32_t g = 0; g < ex->subgraph_count; g++) {
		const struct nnt_subgraph *graph = &nnt->subgraphs[ex->first_subgraph + g];

		for (uint32_t i = 0; i < graph->operation_count; i++)
			seen[slot(nnt->operations[graph->first_operation + i].type)] = true;
	}
	for (uint32_t i = 0; i < BY_OP_SEVERAL; i++) {
		tally->of[i].used += seen[i];
		tally->of[i].used_failed += seen[i] && result == BY_OP_FAILED;
	}
}

static struct op_tally family_sum(const struct by_op *tally, enum op_family family)
{
	struct op_tally sum = { 0 };

	for (uint32_t i = 0; i < BY_OP_SEVERAL; i++) {
		if (op_family(slot_opcode(i)) != family)
			continue;
		sum.passed += tally->of[i].passed;
		sum.failed += tally->of[i].failed;
		sum.unsupported += tally->of[i].unsupported;
		sum.used += tally->of[i].used;
	}
	return sum;
}

void by_op_print(const struct by_op *tally)
{
	const struct op_tally *several = &tally->of[BY_OP_SEVERAL];

	printf("%-34s %8s %7s %7s %8s %7s\n", "operation", "examples", "passed", "failed",
	       "used in", "failed");
	for (enum op_family f = 0; f < FAMILY_NONE; f++) {
		const struct op_tally sum = family_sum(tally, f);

		if (!sum.used)
			continue;
		printf("%-34s %8u %7u %7u\n", op_family_name(f),
		       sum.passed + sum.failed + sum.unsupported, sum.passed, sum.failed);
		for (uint32_t i = 0; i < BY_OP_SEVERAL; i++) {
			const struct op_tally *t = &tally->of[i];

			if (op_family(slot_opcode(i)) == f && t->used)
				printf("  %-32s %8u %7u %7u %8u %7u\n",
				       nnmodel_operation_name(slot_opcode(i)),
				       t->passed + t->failed + t->unsupported, t->passed, t->failed,
				       t->used, t->used_failed);
		}
	}
	if (several->passed || several->failed)
		printf("%-34s %8u %7u %7u\n", "several operations",
		       several->passed + several->failed, several->passed, several->failed);
}

static cJSON *tally_json(const struct op_tally *t)
{
	cJSON *j = cJSON_CreateObject();

	cJSON_AddNumberToObject(j, "examples", t->passed + t->failed + t->unsupported);
	cJSON_AddNumberToObject(j, "passed", t->passed);
	cJSON_AddNumberToObject(j, "failed", t->failed);
	if (t->unsupported)
		cJSON_AddNumberToObject(j, "unsupported", t->unsupported);
	return j;
}

static bool tally_is_empty(const struct op_tally *t)
{
	return !t->passed && !t->failed && !t->unsupported;
}

static cJSON *types_json(const struct op_tally types[NNMODEL_TYPE_COUNT])
{
	cJSON *list = cJSON_CreateArray(), *j;

	for (uint32_t i = 0; i < NNMODEL_TYPE_COUNT; i++) {
		if (tally_is_empty(&types[i]))
			continue;
		j = tally_json(&types[i]);
		cJSON_AddStringToObject(j, "type", nnmodel_type_name(i));
		cJSON_AddItemToArray(list, j);
	}
	return list;
}

cJSON *by_op_json(const struct by_op *tally)
{
	cJSON *list = cJSON_CreateArray();

	for (uint32_t i = 0; i <= BY_OP_SEVERAL; i++) {
		const struct op_tally *t = &tally->of[i];
		const bool several = i == BY_OP_SEVERAL;
		cJSON *j;

		if (!t->used && tally_is_empty(t))
			continue;
		j = tally_json(t);
		cJSON_AddStringToObject(j, "operation", by_op_name(i));
		if (!several) {
			cJSON_AddStringToObject(j, "family",
						op_family_name(op_family(slot_opcode(i))));
			cJSON_AddNumberToObject(j, "used_in", t->used);
			cJSON_AddNumberToObject(j, "used_in_failed", t->used_failed);
			cJSON_AddItemToObject(j, "types", types_json(tally->of_type[i]));
		}
		cJSON_AddItemToArray(list, j);
	}
	return list;
}
