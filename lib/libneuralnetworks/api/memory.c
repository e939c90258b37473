// SPDX-License-Identifier: Apache-2.0
/* ANeuralNetworksMemory, and ANeuralNetworksMemoryDesc. */
#include "base/nnr_base.h"

#include <stdlib.h>

#include "memory/nnr_memory.h"
#include "plan/nnr_plan.h"
#include "model/nnr_model.h"

int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd, size_t offset,
				       ANeuralNetworksMemory **memory)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksMemory_createFromFd");

	if (!memory)
		return nnr_refuse(UNEXPECTED_NULL, "memory is NULL");
	*memory = NULL;
	return nnr_memory_create_from_fd(size, protect, fd, offset, memory);
}

int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer *ahwb,
						    ANeuralNetworksMemory **memory)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksMemory_createFromAHardwareBuffer");

	if (memory)
		*memory = NULL;
	if (!ahwb || !memory)
		return nnr_refuse(UNEXPECTED_NULL, "ahwb or memory is NULL");
	return nnr_memory_create_from_hardware_buffer(ahwb, memory);
}

int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc *desc,
					 ANeuralNetworksMemory **memory)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "ANeuralNetworksMemory_createFromDesc");

	if (memory)
		*memory = NULL;
	if (!desc || !memory)
		return nnr_refuse(UNEXPECTED_NULL, "desc or memory is NULL");
	if (!desc->finished)
		return nnr_refuse(BAD_STATE, "the descriptor is not finished");
	return nnr_memory_create_from_desc(desc, memory);
}

void ANeuralNetworksMemory_free(ANeuralNetworksMemory *memory)
{
	NNTRACE_RT(NNTRACE_PHASE_TERMINATION, "ANeuralNetworksMemory_free");

	nnr_memory_put(memory);
}

int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory *src, const ANeuralNetworksMemory *dst)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "ANeuralNetworksMemory_copy");

	if (!src || !dst)
		return nnr_refuse(UNEXPECTED_NULL, "src or dst is NULL");
	/* const in the API means the objects; their contents and state change */
	return nnr_memory_copy((ANeuralNetworksMemory *)src, (ANeuralNetworksMemory *)dst);
}

/* ---- descriptors ---- */

int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc **desc)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "ANeuralNetworksMemoryDesc_create");

	if (!desc)
		return nnr_refuse(UNEXPECTED_NULL, "desc is NULL");
	*desc = calloc(1, sizeof(**desc));
	return *desc ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_OUT_OF_MEMORY;
}

void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc *desc)
{
	if (!desc)
		return;
	nnr_roles_free(desc->roles, desc->num_roles);
	free(desc);
}

/* The first checks of functions that change a descriptor. @pointers: all arguments are there. */
static int check_open(const ANeuralNetworksMemoryDesc *desc, bool pointers)
{
	if (!desc || !pointers)
		return nnr_refuse(UNEXPECTED_NULL, "an argument is NULL");
	if (desc->finished)
		return nnr_refuse(BAD_STATE, "the memory descriptor is finished");
	return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc *desc,
					   const ANeuralNetworksCompilation *compilation,
					   uint32_t index, float frequency)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "ANeuralNetworksMemoryDesc_addInputRole");
	int result = check_open(desc, compilation);

	return result == ANEURALNETWORKS_NO_ERROR
		       ? nnr_memory_desc_add_role(desc, compilation, true, index, frequency)
		       : result;
}

int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc *desc,
					    const ANeuralNetworksCompilation *compilation,
					    uint32_t index, float frequency)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "ANeuralNetworksMemoryDesc_addOutputRole");
	int result = check_open(desc, compilation);

	return result == ANEURALNETWORKS_NO_ERROR
		       ? nnr_memory_desc_add_role(desc, compilation, false, index, frequency)
		       : result;
}

int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc *desc, uint32_t rank,
					    const uint32_t *dimensions)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "ANeuralNetworksMemoryDesc_setDimensions");
	int result = check_open(desc, dimensions || !rank);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	if ((rank && desc->operand && !nnr_type_is_tensor(desc->operand->type)) ||
	    !nnr_dims_merge(&desc->rank, desc->dims, rank, dimensions))
		return nnr_refuse(BAD_DATA, "the dimensions contradict those of the roles");
	return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc *desc)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "ANeuralNetworksMemoryDesc_finish");
	int result = check_open(desc, true);

	if (result != ANEURALNETWORKS_NO_ERROR)
		return result;
	if (!desc->num_roles)
		return nnr_refuse(BAD_DATA,
				  "the memory descriptor has no role: call addInputRole() "
				  "or addOutputRole()");
	desc->finished = true;
	return ANEURALNETWORKS_NO_ERROR;
}
