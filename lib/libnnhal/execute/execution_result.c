// SPDX-License-Identifier: Apache-2.0
/*
 * How an execution ended. The kernel vouches for the job's status. What the device wrote beside it
 * (struct nnaccel_result, in client memory) is hostile: it is copied once, then every field is
 * checked against model and request. A contradiction is GENERAL_FAILURE, never a wrong shape.
 */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "execute/nnhal_execute.h"
#include "values/nnhal_values.h"
#include "base/nnhal_base.h"
#include "nnmodel_shape.h"

struct nnhal_timing nnhal_timing_of(const struct nnhal_tend *end, int64_t in_driver_ns)
{
	struct nnhal_timing t = { 0, in_driver_ns > 0 ? in_driver_ns : 0 };
	uint64_t device = end->end_ns > end->start_ns ? end->end_ns - end->start_ns : 0;

	/* the device's clock is not trusted: its time is at most that of the whole call */
	t.on_device_ns = device < (uint64_t)t.in_driver_ns ? (int64_t)device : t.in_driver_ns;
	return t;
}

bool nnhal_end_bans(const struct nnhal_tend *end)
{
	return end->status == NNACCEL_STATUS_NO_PROGRESS || end->status == NNACCEL_STATUS_FAULT ||
	       end->status == NNACCEL_STATUS_BANNED;
}

/* The device's text, printable. */
static void sanitize(char *to, const __u8 *from, size_t size)
{
	size_t i;

	for (i = 0; i + 1 < size && from[i]; i++)
		to[i] = from[i] >= 0x20 && from[i] < 0x7f ? (char)from[i] : '?';
	to[i] = '\0';
}

static void execution_result_describe(const struct nnhal_tend *end, const struct nnaccel_result *r,
				      char *message)
{
	const char *name = nnhal_job_status_name(end->status);
	char text[NNACCEL_RESULT_TEXT] = "";
	const char *sep;

	if (r)
		sanitize(text, r->text, sizeof(text));
	sep = text[0] ? ": " : "";
	switch (end->status) {
	case NNACCEL_STATUS_FAULT:
		nnhal_message(message, "%s at device address 0x%llx%s%s", name,
			      (unsigned long long)end->fault_addr, sep, text);
		break;
	case NNACCEL_STATUS_BAD_PROGRAM:
		nnhal_message(message, "%s at offset %llu%s%s", name,
			      r ? (unsigned long long)le64toh(r->offset) : 0ull, sep, text);
		break;
	case NNACCEL_STATUS_EXEC_FAILED:
		nnhal_message(message, "%s in subgraph %d, operation %d%s%s", name,
			      r ? (int)le32toh(r->subgraph) : -1,
			      r ? (int)le32toh(r->operation) : -1, sep, text);
		break;
	default:
		nnhal_message(message, "%s%s%s", name, sep, text);
	}
}

/*
 * Check one entry against what is known of the output: @arg, and the model if its shape is
 * complete.
 */
static bool judge_shape(const struct nnhal_io *io, const struct nnaccel_arg *arg,
			const struct nnaccel_output_shape *from, struct nnhal_judged *j)
{
	uint32_t flags = le32toh(from->flags);
	const uint32_t *expect = io->complete ? io->dims : arg->dims;
	uint32_t expect_rank = io->complete ? io->rank : arg->rank;
	const struct nnmodel_declared declared = { .element = io->element,
						   .room = arg->size,
						   .max_rank = NNACCEL_MAX_RANK,
						   .rank = expect_rank,
						   .dims = expect };
	struct nnmodel_reported reported = { .dims = j->dims };
	uint64_t bytes;

	if (flags & ~(NNACCEL_OUTPUT_SUFFICIENT | NNACCEL_OUTPUT_KNOWN))
		return false;
	j->sufficient = flags & NNACCEL_OUTPUT_SUFFICIENT;
	j->known = flags & NNACCEL_OUTPUT_KNOWN;
	j->size = le64toh(from->size);
	j->rank = le32toh(from->rank);
	if (!j->known) {
		/* the shape that model and request specify */
		j->rank = expect_rank;
		memcpy(j->dims, expect, sizeof(j->dims));
		return true;
	}
	for (uint32_t i = 0; i < NNACCEL_MAX_RANK; i++)
		j->dims[i] = i < j->rank ? le32toh(from->dims[i]) : 0;
	if (io->scalar && j->rank)
		return false;
	reported.rank = j->rank;
	reported.sufficient = j->sufficient;
	return nnmodel_shape_accept(&declared, &reported, &bytes) == NNMODEL_ACCEPTED &&
	       bytes == j->size;
}

/* @copy: private copy of the result. Fills @judged, one per output. */
static bool execution_result_judge(const struct nnhal_binding *b, const uint8_t *copy,
				   uint64_t seqno, const struct nnhal_tend *end,
				   struct nnhal_judged *judged)
{
	const struct nnaccel_result *r = (const void *)copy;
	const struct nnaccel_output_shape *shapes = (const void *)(r + 1);
	uint32_t n = b->pm->num_outputs, insufficient = 0;

	if (le64toh(r->seqno) != seqno || le32toh(r->status) != end->status ||
	    le32toh(r->num_outputs) != n)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (!judge_shape(&b->pm->outputs[i], &b->args[b->pm->num_inputs + i], &shapes[i],
				 &judged[i]))
			return false;
		insufficient += !judged[i].sufficient;
		if (end->status == NNACCEL_STATUS_OK && !judged[i].known)
			return false;
	}
	return end->status == NNACCEL_STATUS_OK ? insufficient == 0 : insufficient > 0;
}

static int publish(const struct nnhal_judged *judged, uint32_t count,
		   struct nnhal_execution_result *result)
{
	result->shapes = calloc(count + 1, sizeof(*result->shapes));
	if (!result->shapes)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		struct nnhal_output_shape *shape = &result->shapes[i];

		shape->dims = calloc(judged[i].rank + 1, sizeof(*shape->dims));
		if (!shape->dims)
			return -ENOMEM;
		result->num_shapes++;
		shape->rank = judged[i].rank;
		memcpy(shape->dims, judged[i].dims, judged[i].rank * sizeof(*shape->dims));
		shape->sufficient = judged[i].sufficient;
	}
	return 0;
}

static void count(struct nnhal_binding *b, const struct nnaccel_result *r)
{
	uint64_t bounced = le64toh(r->bytes_bounced), most = b->result_size;

	/* no more than the arguments have */
	for (uint32_t i = 0; i < b->num_args; i++)
		most += b->args[i].size;
	if (bounced > most)
		bounced = most;
	atomic_fetch_add_explicit(&b->pm->dev->counters.bounced, bounced, memory_order_relaxed);
	atomic_fetch_add_explicit(&b->pm->dev->counters.in_place, b->in_place,
				  memory_order_relaxed);
	atomic_fetch_add_explicit(&b->pm->dev->counters.executions, 1, memory_order_relaxed);
}

/* A device buffer has one shape, which its readers rely on. */
static bool fits_buffer(const struct nnhal_buf *buffer, const struct nnhal_judged *j)
{
	if (!buffer)
		return true;
	if (!j->sufficient)
		return false;
	return !j->known || (j->rank == buffer->io.rank &&
			     !memcmp(j->dims, buffer->io.dims, j->rank * sizeof(*j->dims)));
}

static const struct nnaccel_op_time *op_times_of(const struct nnhal_binding *b, const uint8_t *copy)
{
	return (const void *)(copy + sizeof(struct nnaccel_result) +
			      b->pm->num_outputs * sizeof(struct nnaccel_output_shape));
}

/* @copy and @judged have the right size. */
static enum nnhal_status read_result(struct nnhal_binding *b, uint64_t seqno,
				     const struct nnhal_tend *end, uint8_t *copy,
				     struct nnhal_judged *judged,
				     struct nnhal_execution_result *result)
{
	const struct nnaccel_result *r = (const void *)copy;
	enum nnhal_status status = nnhal_status_of(end->status, end->error);
	uint32_t n = b->pm->num_outputs;
	bool mine;

	memcpy(copy, b->staging->mem->cpu, b->result_size);
	mine = le64toh(r->seqno) == seqno && le32toh(r->status) == end->status;
	if (mine)
		count(b, r);
	if (status != NNHAL_NONE && status != NNHAL_OUTPUT_INSUFFICIENT_SIZE) {
		execution_result_describe(end, mine ? r : NULL, result->message);
		return status;
	}
	if (!execution_result_judge(b, copy, seqno, end, judged))
		return nnhal_refuse(result->message, NNHAL_GENERAL_FAILURE,
				    "the device's result contradicts the request (status %s)",
				    nnhal_job_status_name(end->status));
	if (b->num_op_times)
		nnhal_op_times_mark(r, op_times_of(b, copy), b->num_op_times);
	for (uint32_t i = 0; i < n; i++)
		if (!fits_buffer(b->buffers[b->pm->num_inputs + i], &judged[i]))
			return nnhal_refuse(result->message, NNHAL_GENERAL_FAILURE,
					    "output %u does not fit its device buffer", i);
	if (!(b->lean && b->complete && status == NNHAL_NONE) && publish(judged, n, result)) {
		nnhal_execution_result_clear(result);
		return nnhal_refuse(result->message, NNHAL_RESOURCE_EXHAUSTED_TRANSIENT,
				    "out of memory");
	}
	if (status != NNHAL_NONE) {
		execution_result_describe(end, r, result->message);
		return status;
	}
	if (b->staged_out) {
		uint64_t *sizes = (uint64_t *)copy; /* the copy is not needed any more */

		for (uint32_t i = 0; i < n; i++)
			sizes[i] = judged[i].size;
		nnhal_binding_stage_out(b, sizes);
	}
	return NNHAL_NONE;
}

enum nnhal_status nnhal_result_read(struct nnhal_binding *b, uint64_t seqno,
				    const struct nnhal_tend *end,
				    struct nnhal_execution_result *result)
{
	NNHAL_TRACE_PE("result");
	uint32_t n = b->pm->num_outputs;
	struct nnhal_judged *judged = b->judged;

	memset(judged, 0, (n + 1) * sizeof(*judged));
	return read_result(b, seqno, end, (uint8_t *)(judged + n + 1), judged, result);
}
