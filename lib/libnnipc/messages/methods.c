// SPDX-License-Identifier: Apache-2.0
/* Names of the methods, as those of IDevice and its like. */
#include "messages/nnipc_messages.h"

#include <stddef.h>
#include <stdio.h>

static const struct {
	uint32_t method;
	const char *name;
} names[] = {
	{ NNIPC_SESSION_ENUMERATE, "session::enumerate" },
	{ NNIPC_SESSION_OPEN, "session::open" },
	{ NNIPC_SESSION_LANE, "session::lane" },
	{ NNIPC_DEVICE_GET_CAPABILITIES, "IDevice::getCapabilities" },
	{ NNIPC_DEVICE_GET_NUMBER_OF_CACHE_FILES, "IDevice::getNumberOfCacheFilesNeeded" },
	{ NNIPC_DEVICE_GET_SUPPORTED_OPERATIONS, "IDevice::getSupportedOperations" },
	{ NNIPC_DEVICE_PREPARE_MODEL, "IDevice::prepareModel" },
	{ NNIPC_DEVICE_GET_STATUS, "IDevice::getStatus" },
	{ NNIPC_DEVICE_GET_SUPPORTED_EXTENSIONS, "IDevice::getSupportedExtensions" },
	{ NNIPC_DEVICE_PREPARE_MODEL_FROM_CACHE, "IDevice::prepareModelFromCache" },
	{ NNIPC_DEVICE_ALLOCATE, "IDevice::allocate" },
	{ NNIPC_DEVICE_CREATE_MEMORY, "IDevice::createMemory" },
	{ NNIPC_DEVICE_GET_INFO, "IDevice::getInfo" },
	{ NNIPC_DEVICE_GET_COUNTERS, "IDevice::getCounters" },
	{ NNIPC_PREPARED_EXECUTE, "IPreparedModel::execute" },
	{ NNIPC_PREPARED_EXECUTE_SYNCHRONOUSLY, "IPreparedModel::executeSynchronously" },
	{ NNIPC_PREPARED_EXECUTE_FENCED, "IPreparedModel::executeFenced" },
	{ NNIPC_PREPARED_CONFIGURE_BURST, "IPreparedModel::configureExecutionBurst" },
	{ NNIPC_PREPARED_CREATE_REUSABLE_EXECUTION, "IPreparedModel::createReusableExecution" },
	{ NNIPC_FENCED_GET_EXECUTION_INFO, "IFencedExecutionCallback::getExecutionInfo" },
	{ NNIPC_BURST_EXECUTE, "IBurst::executeSynchronously" },
	{ NNIPC_BURST_RELEASE_MEMORY, "IBurst::releaseMemoryResource" },
	{ NNIPC_BURST_MEMORY, "IBurst::memory" },
	{ NNIPC_EXECUTION_EXECUTE_SYNCHRONOUSLY, "IExecution::executeSynchronously" },
	{ NNIPC_EXECUTION_EXECUTE_FENCED, "IExecution::executeFenced" },
	{ NNIPC_BUFFER_COPY_TO, "IBuffer::copyTo" },
	{ NNIPC_BUFFER_COPY_FROM, "IBuffer::copyFrom" },
	{ NNIPC_BUFFER_DESTROY, "IBuffer::destroy" },
	{ NNIPC_NOTIFY_PREPARED, "IPreparedModelCallback::notify" },
	{ NNIPC_NOTIFY_EXECUTED, "IExecutionCallback::notify" },
};

const char *nnipc_method_name(uint32_t method)
{
	static _Thread_local char unknown[24];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].method == method)
			return names[i].name;
	snprintf(unknown, sizeof(unknown), "method 0x%03x", method);
	return unknown;
}
