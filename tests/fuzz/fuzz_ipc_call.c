// SPDX-License-Identifier: Apache-2.0
/* What a hostile client sends to a worker: a method and the bytes of its arguments. */
#include <stdio.h>

#include "ipc_messages.h"
#include "messages/methods.h"

static const struct ipc_layout layouts[] = {
	{ NNIPC_SESSION_ENUMERATE, { V_END } },
	{ NNIPC_SESSION_OPEN, { V_TEXT, V_END } },
	{ NNIPC_SESSION_LANE, { V_FD, V_END } },
	{ NNIPC_DEVICE_GET_SUPPORTED_OPERATIONS, { V_BOOL, V_MODEL, V_END } },
	{ NNIPC_DEVICE_PREPARE_MODEL, { V_U64, V_PREPARE_CONFIG, V_MODEL, V_END } },
	{ NNIPC_DEVICE_PREPARE_MODEL_FROM_CACHE, { V_U64, V_U64, V_FDS, V_FDS, V_TOKEN, V_END } },
	{ NNIPC_DEVICE_ALLOCATE, { V_BOOL, V_BUFFER_DESC, V_OIDS, V_ROLES, V_ROLES, V_END } },
	{ NNIPC_DEVICE_CREATE_MEMORY, { V_U64, V_END } },
	{ NNIPC_PREPARED_EXECUTE, { V_U64, V_REQUEST, V_EXECUTION_CONFIG, V_U64, V_END } },
	{ NNIPC_PREPARED_EXECUTE_SYNCHRONOUSLY, { V_REQUEST, V_EXECUTION_CONFIG, V_U64, V_END } },
	{ NNIPC_PREPARED_EXECUTE_FENCED,
	  { V_REQUEST, V_FDS, V_EXECUTION_CONFIG, V_U64, V_U64, V_END } },
	{ NNIPC_PREPARED_CONFIGURE_BURST, { V_FD, V_FD, V_FD, V_END } },
	{ NNIPC_PREPARED_CREATE_REUSABLE_EXECUTION, { V_REQUEST, V_EXECUTION_CONFIG, V_END } },
	{ NNIPC_BURST_EXECUTE,
	  { V_U32, V_SLOT_REQUEST, V_OIDS, V_EXECUTION_CONFIG, V_U64, V_END } },
	{ NNIPC_BURST_RELEASE_MEMORY, { V_U64, V_U32, V_END } },
	{ NNIPC_BURST_MEMORY, { V_U32, V_MEMORY, V_END } },
	{ NNIPC_EXECUTION_EXECUTE_SYNCHRONOUSLY, { V_U64, V_END } },
	{ NNIPC_EXECUTION_EXECUTE_FENCED, { V_FDS, V_U64, V_U64, V_END } },
	{ NNIPC_BUFFER_COPY_TO, { V_MEMORY, V_END } },
	{ NNIPC_BUFFER_COPY_FROM, { V_MEMORY, V_NUMBERS, V_END } },
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
	.suffix = ".call",
	.seeds = seeds,
	.mutate = ipc_message_mutate,
	.seeds_accepted = seeds_accepted,
	.reached = reached,
	.report = report,
};
