// SPDX-License-Identifier: Apache-2.0
/* Memory from a descriptor: a buffer of the device, or shared memory of the host. */
#include <stdlib.h>
#include <string.h>

#include "nntrace.h"
#include "nnutil_log.h"

#include "base/nnr_base.h"
#include "model/nnr_model.h"
#include "plan/nnr_plan.h"

/* Where the roles lead: the steps, each once, and their roles as the device counts them. */
struct places {
	ANeuralNetworksDevice *device; /* of the first step */
	bool several; /* another device, or the runtime itself, takes part */
	bool no_memory;
	struct nnhal_prepared_model **models;
	struct nnhal_buffer_role *inputs, *outputs;
	uint32_t num_models, num_inputs, num_outputs;
	/* of the role that is being looked at */
	float frequency;
};

static bool model_number(struct places *p, struct nnhal_prepared_model *model, uint32_t *number)
{
	struct nnhal_prepared_model **grown;
	uint32_t i;

	for (i = 0; i < p->num_models && p->models[i] != model; i++)
		;
	*number = i;
	if (i < p->num_models)
		return true;
	grown = realloc(p->models, (i + 1) * sizeof(*grown));
	if (!grown)
		return false;
	p->models = grown;
	grown[p->num_models++] = model;
	return true;
}

static int found_step(void *cookie, struct nnr_step *step, bool input, uint32_t step_index)
{
	struct places *p = cookie;
	struct nnhal_buffer_role **list = input ? &p->inputs : &p->outputs, *grown;
	uint32_t *num = input ? &p->num_inputs : &p->num_outputs, model;

	if (!step || (p->device && step->device != p->device)) {
		p->several = true;
		return 1;
	}
	p->device = step->device;
	grown = realloc(*list, (*num + 1) * sizeof(*grown));
	if (grown)
		*list = grown;
	if (!grown || !model_number(p, step->prepared, &model)) {
		p->no_memory = true;
		return 1;
	}
	grown[(*num)++] = (struct nnhal_buffer_role){
		.model_index = model,
		.io_index = step_index,
		.probability = p->frequency,
	};
	return 0;
}

static void find_places(const ANeuralNetworksMemoryDesc *desc, struct places *p)
{
	uint32_t i;

	for (i = 0; i < desc->num_roles && !p->several && !p->no_memory; i++) {
		p->frequency = desc->roles[i].frequency;
		nnr_plan_for_each_role(desc->roles[i].plan, desc->roles[i].input,
				       desc->roles[i].index, found_step, p);
	}
}

/* A buffer of the device's. False: it has none for us. */
static bool allocate_on_device(const ANeuralNetworksMemoryDesc *desc, const struct places *p,
			       ANeuralNetworksMemory *memory)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_INITIALIZATION, "allocate");
	const struct nnhal_buffer_desc shape = { .size = sizeof(shape),
						 .rank = desc->rank,
						 .dims = desc->dims };
	struct nnhal_buffer *buffer = NULL;
	struct nnhal_device *hal;
	enum nnhal_status status;
	uint32_t token = 0;

	if (p->device->feature_level < 4)
		return false;
	hal = nnr_device_enter(p->device);
	status = hal->ops->allocate(hal, &shape, p->models, p->num_models, p->inputs, p->num_inputs,
				    p->outputs, p->num_outputs, &buffer, &token);
	nnr_device_leave(p->device);
	if (status == NNHAL_NONE && buffer && token) {
		memory->buffer = buffer;
		memory->token = token;
		memory->device = p->device;
		return true;
	}
	nnutil_log(NNUTIL_LOG_INFO, "%s: no device memory for these roles: %s", p->device->name,
		   status == NNHAL_NONE ? "no buffer in the answer" : nnhal_status_name(status));
	if (buffer)
		buffer->ops->destroy(buffer);
	return false;
}

static int allocate_on_host(uint64_t bytes, ANeuralNetworksMemory *memory)
{
	ANeuralNetworksMemory *host;
	int result = nnr_memory_create_host(bytes, &host);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return ANEURALNETWORKS_OP_FAILED;
	memory->shared = host->shared;
	host->shared.fd = -1;
	nnr_memory_put(host);
	return ANEURALNETWORKS_NO_ERROR;
}

static int role_memory_allocate(const ANeuralNetworksMemoryDesc *desc, const struct places *p,
				ANeuralNetworksMemory *memory)
{
	uint64_t bytes = nnr_type_bytes(desc->operand->type, desc->dims, desc->rank);
	bool known = bytes && bytes != UINT64_MAX;
	bool one = p->device && !p->several;

	if (one && !p->device->is_reference && allocate_on_device(desc, p, memory))
		return ANEURALNETWORKS_NO_ERROR;
	/*
	 * the reference device allocates as the host does, for its own roles even if they are
	 * explicit
	 */
	if (known && ((one && p->device->is_reference) || !desc->explicit_devices))
		return allocate_on_host(bytes, memory);
	return nnr_refuse(OP_FAILED, "cannot allocate memory for these roles: %s",
			  !known ? "the size is unknown" : "their devices cannot share memory");
}

static bool role_memory_describe(const ANeuralNetworksMemoryDesc *desc,
				 ANeuralNetworksMemory *memory)
{
	uint32_t i;

	memory->from_desc = true;
	memory->operand = desc->operand;
	memory->dims = calloc(NNR_MAX_RANK, sizeof(*memory->dims));
	memory->initial_dims = calloc(NNR_MAX_RANK, sizeof(*memory->initial_dims));
	memory->free_roles = nnr_roles_free;
	memory->roles = calloc(desc->num_roles, sizeof(*memory->roles));
	if (!memory->dims || !memory->initial_dims || !memory->roles)
		return false;
	memory->rank = desc->rank;
	memory->initial_rank = desc->rank;
	memcpy(memory->dims, desc->dims, desc->rank * sizeof(*desc->dims));
	memcpy(memory->initial_dims, desc->dims, desc->rank * sizeof(*desc->dims));
	for (i = 0; i < desc->num_roles; i++) {
		memory->roles[i] = desc->roles[i];
		nnr_plan_get(desc->roles[i].plan);
		memory->num_roles++;
	}
	return true;
}

int nnr_memory_create_from_desc(const ANeuralNetworksMemoryDesc *desc,
				ANeuralNetworksMemory **memory)
{
	ANeuralNetworksMemory *made = nnr_memory_alloc();
	struct places places = { 0 };
	int result;

	if (!made || !role_memory_describe(desc, made)) {
		nnr_memory_put(made);
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	find_places(desc, &places);
	result = places.no_memory ? ANEURALNETWORKS_OUT_OF_MEMORY
				  : role_memory_allocate(desc, &places, made);
	free(places.models);
	free(places.inputs);
	free(places.outputs);
	if (result != ANEURALNETWORKS_NO_ERROR) {
		nnr_memory_put(made);
		return result;
	}
	*memory = made;
	return ANEURALNETWORKS_NO_ERROR;
}
