// SPDX-License-Identifier: Apache-2.0
#include "execute/nnhal_execute.h"

#include <endian.h>

#include "nnprog_desc.h"
#include "nnprog_shape.h"
#include "nntrace.h"
#include "nntrace_op.h"

#define MAX_OP_TIMES 4096u

uint32_t nnhal_op_times_wanted(const struct nnhal_pm *pm)
{
	if (!pm->dev->t->op_times || !nntrace_enabled() || nntrace_detail() < 2)
		return 0;
	return pm->num_operations < MAX_OP_TIMES ? pm->num_operations : MAX_OP_TIMES;
}

/* The device's numbers are only printed, but for the names. */
static void entry_mark(const struct nnaccel_op_time *entry)
{
	const struct nnprog_op_desc *desc = nnprog_op_find(le32toh(entry->opcode));
	const uint32_t type = le32toh(entry->type);
	const uint64_t times = le64toh(entry->times);

	if (!desc || !times)
		return;
	nntrace_op_mark(&(struct nntrace_op){
		.graph = le32toh(entry->subgraph),
		.number = le32toh(entry->operation),
		.name = desc->name,
		.type = type == NNACCEL_OP_TIME_NO_TYPE ? "none" : nnprog_dtype_name(type),
		.ns = le64toh(entry->ns) / times,
		.macs = le64toh(entry->macs),
		.elements = le64toh(entry->elements),
		.bytes = le64toh(entry->bytes),
		.times = times,
	});
}

void nnhal_op_times_mark(const struct nnaccel_result *result, const struct nnaccel_op_time *entries,
			 uint32_t count)
{
	const uint32_t written = le32toh(result->num_op_times);

	for (uint32_t i = 0; i < count && i < written; i++)
		entry_mark(&entries[i]);
}
