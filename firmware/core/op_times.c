// SPDX-License-Identifier: Apache-2.0
#include "core_run.h"

#include <endian.h>
#include <string.h>

#include "core_program.h"

uint32_t nnfw_op_times_room(const struct job *job, const struct program *program)
{
	const uint64_t before =
		sizeof(struct nnaccel_result) +
		(uint64_t)program->main->num_outputs * sizeof(struct nnaccel_output_shape);
	const uint32_t all = program->prog.header->sections[NNPROG_OPERATIONS].count;
	uint64_t room;

	if (!job->desc.result_addr || job->desc.result_size <= before)
		return 0;
	room = (job->desc.result_size - before) / sizeof(struct nnaccel_op_time);
	return room < all ? (uint32_t)room : all;
}

void nnfw_op_times_add(struct run *run, const struct frame *frame, const struct nnfw_op_ctx *ctx,
		       uint64_t ns)
{
	const uint32_t at = frame->graph->sg->first_operation + frame->pc;
	struct op_work work;
	struct op_time *t;

	if (at >= run->num_times)
		return;
	work = nnfw_op_work(ctx);
	t = &run->times[at];
	t->times++;
	t->ns += ns;
	t->macs = work.macs;
	t->elements = work.elements;
	t->bytes = work.bytes;
	t->subgraph = (uint32_t)(frame->graph - run->program->graphs);
	t->operation = frame->pc;
	t->opcode = ctx->desc->opcode;
	t->dtype = ctx->num_in ? ctx->in[0].dtype : NNACCEL_OP_TIME_NO_TYPE;
}

uint32_t nnfw_op_times_count(const struct run *run)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < run->num_times; i++)
		count += run->times[i].times != 0;
	return count;
}

void nnfw_op_times_write(const struct run *run, struct nnaccel_op_time *to)
{
	for (uint32_t i = 0; i < run->num_times; i++) {
		const struct op_time *t = &run->times[i];
		struct nnaccel_op_time entry = {
			.subgraph = htole32(t->subgraph),
			.operation = htole32(t->operation),
			.opcode = htole32(t->opcode),
			.type = htole32(t->dtype),
			.times = htole64(t->times),
			.ns = htole64(t->ns),
			.macs = htole64(t->macs),
			.elements = htole64(t->elements),
			.bytes = htole64(t->bytes),
		};

		if (t->times)
			memcpy(to++, &entry, sizeof(entry));
	}
}
