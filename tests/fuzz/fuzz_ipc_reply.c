// SPDX-License-Identifier: Apache-2.0
/* What a hostile worker sends to its client: a method and the bytes of its results; method 0:
 * HELLO. */
#include "ipc_messages.h"
#include "messages/nnipc_messages.h"

const struct ipc_layout ipc_layouts[] = {
	{ 0, { V_U32, V_U32, V_TEXT, V_TEXT, V_END } },
	{ NNIPC_SESSION_ENUMERATE, { V_U64, V_TEXT, V_REASONS, V_END } },
	{ NNIPC_SESSION_OPEN, { V_U64, V_TEXT, V_DESCRIPTION, V_TEXT, V_TEXT, V_END } },
	{ NNIPC_DEVICE_GET_CAPABILITIES, { V_STATUS, V_CAPABILITIES, V_END } },
	{ NNIPC_DEVICE_GET_NUMBER_OF_CACHE_FILES, { V_STATUS, V_U32, V_U32, V_END } },
	{ NNIPC_DEVICE_GET_SUPPORTED_OPERATIONS,
	  { V_STATUS, V_MODEL_ERROR, V_SUPPORTED, V_REASONS, V_END } },
	{ NNIPC_DEVICE_PREPARE_MODEL, { V_STATUS, V_END } },
	{ NNIPC_DEVICE_GET_STATUS, { V_U32, V_END } },
	{ NNIPC_DEVICE_ALLOCATE, { V_STATUS, V_U64, V_U32, V_END } },
	{ NNIPC_DEVICE_CREATE_MEMORY, { V_U64, V_FD, V_END } },
	{ NNIPC_DEVICE_GET_INFO, { V_U64, V_INFO, V_END } },
	{ NNIPC_DEVICE_GET_COUNTERS, { V_U64, V_COUNTERS, V_END } },
	{ NNIPC_PREPARED_EXECUTE_SYNCHRONOUSLY, { V_STATUS, V_RESULT, V_END } },
	{ NNIPC_PREPARED_EXECUTE_FENCED, { V_STATUS, V_FD, V_U64, V_END } },
	{ NNIPC_PREPARED_CONFIGURE_BURST, { V_STATUS, V_U64, V_END } },
	{ NNIPC_FENCED_GET_EXECUTION_INFO, { V_STATUS, V_TIMING, V_TIMING, V_END } },
	{ NNIPC_NOTIFY_PREPARED, { V_STATUS, V_TEXT, V_U64, V_END } },
	{ NNIPC_NOTIFY_EXECUTED, { V_STATUS, V_RESULT, V_END } },
};
const size_t ipc_num_layouts = sizeof(ipc_layouts) / sizeof(ipc_layouts[0]);
const char ipc_suffix[] = ".reply";
