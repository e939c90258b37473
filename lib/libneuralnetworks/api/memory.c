// SPDX-License-Identifier: Apache-2.0
/* ANeuralNetworksMemory. */
#include "base/nnr_base.h"
#include "memory/nnr_memory.h"
#include "plan/nnr_plan.h"

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
