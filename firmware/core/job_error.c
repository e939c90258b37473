// SPDX-License-Identifier: Apache-2.0
/* Why a job failed. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core.h"
#include "core_program.h"
#include "core_run.h"

void nnfw_error_clear(struct job_error *error)
{
	error->offset = 0;
	error->operation = error->subgraph = NNFW_NONE;
	error->fault = 0;
	error->text[0] = 0;
}

uint32_t nnfw_fail(struct job_error *error, uint32_t status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	return status;
}

uint32_t nnfw_fail_at(struct run *run, const struct frame *frame, uint32_t operation,
		      uint32_t status, const char *format, ...)
{
	struct job_error *error = &run->job->error;
	int n = 0;
	va_list args;

	error->operation = operation;
	error->subgraph = (uint32_t)(frame->graph - run->program->graphs);
	if (error->subgraph)
		n = snprintf(error->text, sizeof(error->text), "subgraph %u: ", error->subgraph);
	n += snprintf(error->text + n, sizeof(error->text) - (size_t)n,
		      "operation %u (%s): ", operation, frame->graph->ops[operation].desc->name);
	va_start(args, format);
	vsnprintf(error->text + n, sizeof(error->text) - (size_t)n, format, args);
	va_end(args);
	return status;
}

uint32_t nnfw_no_memory(struct run *run, uint64_t size)
{
	/* outputs that were too small are the better information for the client */
	if (run->insufficient)
		return NNACCEL_STATUS_OUTPUT_INSUFFICIENT;
	return nnfw_fail(&run->job->error, NNACCEL_STATUS_NO_MEMORY,
			 "no room for %llu bytes in an arena of %llu", (unsigned long long)size,
			 (unsigned long long)run->arena->limit);
}
