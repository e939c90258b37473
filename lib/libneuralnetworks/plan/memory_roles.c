// SPDX-License-Identifier: Apache-2.0
/* Memory descriptors: what a memory will be used for. */
#include <stdlib.h>
#include <string.h>

#include "memory/memory.h"

int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc **desc)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "ANeuralNetworksMemoryDesc_create");

	if (!desc) {
		nnutil_log(NNUTIL_LOG_WARNING,
			"ANeuralNetworksMemoryDesc_create: nowhere to put the descriptor");
		return ANEURALNETWORKS_UNEXPECTED_NULL;
	}
	*desc = calloc(1, sizeof(**desc));
	return *desc ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_OUT_OF_MEMORY;
}

void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc *desc)
{
	uint32_t i;

	if (!desc)
		return;
	for (i = 0; i < desc->num_roles; i++)
		nnr_plan_put(desc->roles[i].plan);
	free(desc->roles);
	free(desc);
}

static bool same_channel_quant(const struct nnmodel_operand *a, const struct nnmodel_operand *b)
{
	return a->channel_dim == b->channel_dim && a->num_scales == b->num_scales &&
	       (!a->num_scales ||
		!memcmp(a->scales, b->scales, a->num_scales * sizeof(*a->scales)));
}

static bool same_extension_data(const struct nnmodel_operand *a, const struct nnmodel_operand *b)
{
	return a->extension_size == b->extension_size &&
	       (!a->extension_size ||
		!memcmp(a->extension_data, b->extension_data, a->extension_size));
}

bool nnr_memory_same_operand(const struct nnmodel_operand *a, const struct nnmodel_operand *b)
{
	return a->type == b->type && a->scale == b->scale && a->zero_point == b->zero_point &&
	       same_channel_quant(a, b) && same_extension_data(a, b);
}

/* The operand of a role; NULL when there is none, logged. */
static const struct nnmodel_operand *role_operand(const ANeuralNetworksCompilation *compilation,
						  bool input, uint32_t index)
{
	const struct nnmodel_subgraph *main = &compilation->plan->data->model->main;

	if (index >= (input ? main->num_inputs : main->num_outputs)) {
		nnutil_log(NNUTIL_LOG_WARNING, "a role for %s %u, but there are %u",
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
			"roles of a memory descriptor differ in type or quantization");
		return false;
	}
	if ((!nnr_type_is_tensor(operand->type) && desc->rank) ||
	    !nnr_dims_merge(&desc->rank, desc->dims, operand->rank, operand->dims)) {
		nnutil_log(NNUTIL_LOG_WARNING, "roles of a memory descriptor differ in shape");
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

static int desc_add_role(ANeuralNetworksMemoryDesc *desc,
			 const ANeuralNetworksCompilation *compilation, bool input, uint32_t index,
			 float frequency)
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

	if (!desc || !compilation) {
		nnutil_log(NNUTIL_LOG_WARNING, "a role without a descriptor or a compilation");
		return ANEURALNETWORKS_UNEXPECTED_NULL;
	}
	if (desc->finished) {
		nnutil_log(NNUTIL_LOG_WARNING, "a role for a finished memory descriptor");
		return ANEURALNETWORKS_BAD_STATE;
	}
	for (i = 0; i < desc->num_roles; i++)
		if (desc->roles[i].compilation == compilation && desc->roles[i].input == input &&
		    desc->roles[i].index == index) {
			nnutil_log(NNUTIL_LOG_WARNING, "the same role twice");
			return ANEURALNETWORKS_BAD_DATA;
		}
	if (!compilation->finished || !compilation->plan) {
		nnutil_log(NNUTIL_LOG_WARNING, "a role of a compilation that is not finished or failed");
		return ANEURALNETWORKS_BAD_DATA;
	}
	operand = role_operand(compilation, input, index);
	if (!operand)
		return ANEURALNETWORKS_BAD_DATA;
	result = nnr_compilation_renew(compilation);
	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	if (!(frequency > 0.0f && frequency <= 1.0f)) {
		nnutil_log(NNUTIL_LOG_WARNING, "a role's frequency is above 0 and at most 1");
		return ANEURALNETWORKS_BAD_DATA;
	}
	role.plan = compilation->plan;
	if (!merge_role(desc, operand))
		return ANEURALNETWORKS_BAD_DATA;
	if (!add_role(desc, &role))
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	desc->operand = operand;
	desc->explicit_devices |= compilation->explicit_devices;
	return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc *desc,
					   const ANeuralNetworksCompilation *compilation,
					   uint32_t index, float frequency)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "ANeuralNetworksMemoryDesc_addInputRole");

	return desc_add_role(desc, compilation, true, index, frequency);
}

int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc *desc,
					    const ANeuralNetworksCompilation *compilation,
					    uint32_t index, float frequency)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "ANeuralNetworksMemoryDesc_addOutputRole");

	return desc_add_role(desc, compilation, false, index, frequency);
}

int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc *desc, uint32_t rank,
					    const uint32_t *dimensions)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "ANeuralNetworksMemoryDesc_setDimensions");

	if (!desc || (!dimensions && rank)) {
		nnutil_log(NNUTIL_LOG_WARNING,
			"ANeuralNetworksMemoryDesc_setDimensions: a pointer is missing");
		return ANEURALNETWORKS_UNEXPECTED_NULL;
	}
	if (desc->finished) {
		nnutil_log(NNUTIL_LOG_WARNING, "dimensions for a finished memory descriptor");
		return ANEURALNETWORKS_BAD_STATE;
	}
	if ((rank && desc->operand && !nnr_type_is_tensor(desc->operand->type)) ||
	    !nnr_dims_merge(&desc->rank, desc->dims, rank, dimensions)) {
		nnutil_log(NNUTIL_LOG_WARNING, "dimensions that contradict the memory's roles");
		return ANEURALNETWORKS_BAD_DATA;
	}
	return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc *desc)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "ANeuralNetworksMemoryDesc_finish");

	if (!desc) {
		nnutil_log(NNUTIL_LOG_WARNING, "ANeuralNetworksMemoryDesc_finish: no descriptor");
		return ANEURALNETWORKS_UNEXPECTED_NULL;
	}
	if (desc->finished) {
		nnutil_log(NNUTIL_LOG_WARNING, "a memory descriptor is finished once");
		return ANEURALNETWORKS_BAD_STATE;
	}
	if (!desc->num_roles) {
		nnutil_log(NNUTIL_LOG_WARNING, "a memory descriptor needs a role");
		return ANEURALNETWORKS_BAD_DATA;
	}
	desc->finished = true;
	return ANEURALNETWORKS_NO_ERROR;
}
