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

/*
 * The operation that an example tests: IF or WHILE if main has one, else its one operation beside
 * ADD. Files of examples do not name it.
 */
static uint32_t subject(const struct nnt *nnt, const struct nnt_example *ex)
{
	const struct nnt_subgraph *main = &nnt->subgraphs[ex->first_subgraph];
	uint32_t found = NNMODEL_ADD;

	for (uint32_t i = 0; i < main->operation_count; i++) {
		const uint32_t op = slot(nnt->operations[main->first_operation + i].type);

		if (nnmodel_names_subgraphs(op))
			return op;
		if (op == NNMODEL_ADD || op == found)
			continue;
		found = found == NNMODEL_ADD ? op : BY_OP_SEVERAL;
	}
	return found;
}

void by_op_count(struct by_op *tally, const struct nnt *nnt, const struct nnt_example *ex,
		 bool passed)
{
	bool seen[BY_OP_SEVERAL + 1] = { false };
	struct op_tally *about = &tally->of[subject(nnt, ex)];

	about->passed += passed;
	about->failed += !passed;
	for (uint32_t g = 0; g < ex->subgraph_count; g++) {
		const struct nnt_subgraph *graph = &nnt->subgraphs[ex->first_subgraph + g];

		for (uint32_t i = 0; i < graph->operation_count; i++)
			seen[slot(nnt->operations[graph->first_operation + i].type)] = true;
	}
	for (uint32_t i = 0; i < BY_OP_SEVERAL; i++) {
		tally->of[i].used += seen[i];
		tally->of[i].used_failed += seen[i] && !passed;
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
		printf("%-34s %8u %7u %7u\n", op_family_name(f), sum.passed + sum.failed,
		       sum.passed, sum.failed);
		for (uint32_t i = 0; i < BY_OP_SEVERAL; i++) {
			const struct op_tally *t = &tally->of[i];

			if (op_family(slot_opcode(i)) == f && t->used)
				printf("  %-32s %8u %7u %7u %8u %7u\n",
				       nnmodel_operation_name(slot_opcode(i)),
				       t->passed + t->failed, t->passed, t->failed, t->used,
				       t->used_failed);
		}
	}
	if (several->passed || several->failed)
		printf("%-34s %8u %7u %7u\n", "several operations",
		       several->passed + several->failed, several->passed, several->failed);
}

cJSON *by_op_json(const struct by_op *tally)
{
	cJSON *list = cJSON_CreateArray();

	for (uint32_t i = 0; i <= BY_OP_SEVERAL; i++) {
		const struct op_tally *t = &tally->of[i];
		const bool several = i == BY_OP_SEVERAL;
		cJSON *j;

		if (!t->used && !t->passed && !t->failed)
			continue;
		j = cJSON_CreateObject();
		cJSON_AddStringToObject(j, "operation",
					several ? "several"
						: nnmodel_operation_name(slot_opcode(i)));
		if (!several)
			cJSON_AddStringToObject(j, "family",
						op_family_name(op_family(slot_opcode(i))));
		cJSON_AddNumberToObject(j, "examples", t->passed + t->failed);
		cJSON_AddNumberToObject(j, "passed", t->passed);
		cJSON_AddNumberToObject(j, "failed", t->failed);
		if (!several) {
			cJSON_AddNumberToObject(j, "used_in", t->used);
			cJSON_AddNumberToObject(j, "used_in_failed", t->used_failed);
		}
		cJSON_AddItemToArray(list, j);
	}
	return list;
}
