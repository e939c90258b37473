// SPDX-License-Identifier: Apache-2.0
/* Roles: the inputs and outputs of compilations that a memory is for. */
#include <stdlib.h>
#include <string.h>

#include "base/nnr_base.h"
#include "memory/nnr_memory.h"
#include "model/nnr_model.h"
#include "plan/nnr_plan.h"

/* The operand of a role. NULL: it does not exist (logged). */
static const struct nnmodel_operand *role_operand(const ANeuralNetworksCompilation *compilation,
						  bool input, uint32_t index)
{
	const struct nnmodel_subgraph *main = &compilation->plan->data->model->main;

	if (index >= (input ? main->num_inputs : main->num_outputs)) {
		nnutil_log(NNUTIL_LOG_WARNING, "%s %u does not exist: the model has %u",
			   input ? "input" : "output", index,
			   input ? main->num_inputs : main->num_outputs);
		return NULL;
	}
	return &main->operands[input ? main->inputs[index] : main->outputs[index]];
}

static bool merge_role(ANeuralNetworksMemoryDesc *desc, const struct nnmodel_operand *operand)
{
	if (desc->operand && !nnr_memory_same_operand(desc->operand, operand)) {
		nnutil_log(NNUTIL_LOG_WARNING,
			   "the roles of a memory descriptor differ in type or quantization");
		return false;
	}
	if ((!nnr_type_is_tensor(operand->type) && desc->rank) ||
	    !nnr_dims_merge(&desc->rank, desc->dims, operand->rank, operand->dims)) {
		nnutil_log(NNUTIL_LOG_WARNING, "the roles of a memory descriptor differ in shape");
		return false;
	}
	return true;
}

static bool add_role(ANeuralNetworksMemoryDesc *desc, const struct nnr_role *role)
{
	struct nnr_role *roles = realloc(desc->roles, (desc->num_roles + 1) * sizeof(*roles));

	if (!roles)
		return false;
	desc->roles = roles;
	roles[desc->num_roles] = *role;
	nnr_plan_get(role->plan);
	desc->num_roles++;
	return true;
}

int nnr_memory_desc_add_role(ANeuralNetworksMemoryDesc *desc,
			     const ANeuralNetworksCompilation *compilation, bool input,
			     uint32_t index, float frequency)
{
	struct nnr_role role = {
		.compilation = compilation,
		.input = input,
		.index = index,
		.frequency = frequency,
	};
	const struct nnmodel_operand *operand;
	uint32_t i;
	int result;

	for (i = 0; i < desc->num_roles; i++)
		if (desc->roles[i].compilation == compilation && desc->roles[i].input == input &&
		    desc->roles[i].index == index)
			return nnr_refuse(BAD_DATA, "the descriptor has this role already");
	if (!compilation->finished || !compilation->plan)
		return nnr_refuse(BAD_DATA, "the compilation is not finished, or failed");
	operand = role_operand(compilation, input, index);
	if (!operand)
		return ANEURALNETWORKS_BAD_DATA;
	result = nnr_compilation_renew(compilation);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	if (!(frequency > 0.0f && frequency <= 1.0f))
		return nnr_refuse(BAD_DATA, "the frequency must be above 0 and at most 1");
	role.plan = compilation->plan;
	if (!merge_role(desc, operand))
		return ANEURALNETWORKS_BAD_DATA;
	if (!add_role(desc, &role))
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	desc->operand = operand;
	desc->explicit_devices |= compilation->explicit_devices;
	return ANEURALNETWORKS_NO_ERROR;
}

void nnr_roles_free(struct nnr_role *roles, uint32_t num_roles)
{
	uint32_t i;

	for (i = 0; i < num_roles; i++)
		nnr_plan_put(roles[i].plan);
	free(roles);
}

/* ---- arguments ---- */

static bool has_role(const ANeuralNetworksMemory *memory, const struct nnr_plan *plan, bool input,
		     uint32_t index)
{
	uint32_t i;

	for (i = 0; i < memory->num_roles; i++)
		if (memory->roles[i].plan == plan && memory->roles[i].input == input &&
		    memory->roles[i].index == index)
			return true;
	return false;
}

int nnr_memory_validate_argument(const ANeuralNetworksMemory *memory, const struct nnr_plan *plan,
				 bool input, uint32_t index, const ANeuralNetworksOperandType *type,
				 size_t offset, size_t length)
{
	uint32_t dims[NNR_MAX_RANK], rank;

	if (!memory->from_desc)
		return nnr_memory_validate_range(memory, offset, length);
	if (nnr_inherited(memory->roles[0].plan))
		return nnr_refuse(
			DEAD_OBJECT,
			"a memory from a descriptor, made before fork(), is the parent's");
	if (!has_role(memory, plan, input, index))
		return nnr_refuse(
			BAD_DATA,
			"the memory's descriptor has no role for %s %u of this compilation",
			input ? "input" : "output", index);
	if (offset || length)
		return nnr_refuse(BAD_DATA, "a memory from a descriptor is used as a whole: offset "
					    "and length must be 0");
	if (!type)
		return ANEURALNETWORKS_NO_ERROR;
	rank = memory->initial_rank;
	if (rank)
		memcpy(dims, memory->initial_dims, rank * sizeof(*dims));
	if (!nnr_dims_merge(&rank, dims, type->dimensionCount, type->dimensions))
		return nnr_refuse(BAD_DATA,
				  "the dimensions contradict those of the memory's descriptor");
	return ANEURALNETWORKS_NO_ERROR;
}
