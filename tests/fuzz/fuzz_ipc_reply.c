// SPDX-License-Identifier: Apache-2.0
/* What a hostile worker sends to its client: a method and the bytes of its results; method 0:
 * HELLO. */
#include <stdio.h>

#include "ipc_messages.h"
#include "messages/methods.h"

static const struct ipc_layout layouts[] = {
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
#define LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

static struct ipc_counts counts;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ipc_message_run(layouts, LAYOUTS, data, size, &counts);
	return 0;
}

static size_t seeds(struct fuzz_seed **list)
{
	return ipc_message_seeds(layouts, LAYOUTS, list);
}

static bool seeds_accepted(size_t count)
{
	return counts.accepted == count;
}

static bool reached(uint64_t rounds)
{
	return counts.accepted >= rounds / 10 && counts.malformed >= rounds / 4;
}

static void report(void)
{
	printf("%llu messages: %llu accepted, %llu malformed, %llu of no method\n",
	       (unsigned long long)counts.inputs, (unsigned long long)counts.accepted,
	       (unsigned long long)counts.malformed, (unsigned long long)counts.unknown);
}

const struct fuzz_target fuzz_target = {
	.suffix = ".reply",
	.seeds = seeds,
	.mutate = ipc_message_mutate,
	.seeds_accepted = seeds_accepted,
	.reached = reached,
	.report = report,
};
