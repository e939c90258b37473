// SPDX-License-Identifier: Apache-2.0
/* The result of a job: struct nnaccel_result in client memory. */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "core_program.h"
#include "core_run.h"

static void fill_output(struct nnaccel_output_shape *to, const struct run_arg *arg,
			const struct nnfw_tensor *t)
{
	memset(to, 0, sizeof(*to));
	if (!nnfw_tensor_complete(t))
		return;
	to->flags =
		htole32(NNACCEL_OUTPUT_KNOWN | (arg->insufficient ? 0 : NNACCEL_OUTPUT_SUFFICIENT));
	to->rank = htole32(t->rank);
	for (uint32_t i = 0; i < t->rank; i++)
		to->dims[i] = htole32(t->dims[i]);
	to->size = htole64(t->size);
}

/** Number of output shapes that fit into @room bytes; none before the run has begun. */
static uint32_t count_outputs(const struct job *job, size_t room)
{
	uint32_t n = job->run ? job->run->program->main->num_outputs : 0;

	return n < room / sizeof(struct nnaccel_output_shape)
		       ? n
		       : (uint32_t)(room / sizeof(struct nnaccel_output_shape));
}

uint32_t nnfw_result_write(struct nnfw *fw, const struct queue *q, struct job *job, uint32_t status)
{
	const struct job_error *error = &job->error;
	const struct nnfw_platform *platform = &fw->platform;
	const struct run *run = job->run;
	struct nnaccel_result r;
	struct nnaccel_output_shape shape;
	struct nnfw_map map = { 0 };
	uint32_t outputs = 0, times = 0;
	uint64_t len, fault = 0;
	int ret;

	if (!job->desc.result_addr || !job->desc.result_size)
		return NNACCEL_STATUS_OK;
	if (job->desc.result_size > sizeof(r))
		outputs = count_outputs(job, job->desc.result_size - sizeof(r));
	len = sizeof(r) + outputs * sizeof(shape);
	if (run)
		times = nnfw_op_times_count(run);
	len += times * sizeof(struct nnaccel_op_time);
	if (len > job->desc.result_size)
		len = job->desc.result_size;
	memset(&r, 0, sizeof(r));
	r.seqno = htole64(job->desc.seqno);
	r.status = htole32(status);
	r.num_outputs = htole32(outputs);
	r.offset = htole64(status == NNACCEL_STATUS_BAD_PROGRAM ? error->offset : 0);
	r.operation = htole32(status == NNACCEL_STATUS_EXEC_FAILED ? error->operation : NNFW_NONE);
	r.subgraph = htole32(status == NNACCEL_STATUS_EXEC_FAILED ? error->subgraph : NNFW_NONE);
	r.num_op_times = htole32(times);
	if (run) {
		r.bytes_direct = htole64(run->bytes_direct);
		r.bytes_bounced = htole64(run->bytes_bounced);
		r.arena_peak = htole64(run->arena->peak);
	}
	if (status != NNACCEL_STATUS_OK)
		memcpy(r.text, error->text, strnlen(error->text, sizeof(r.text) - 1));

	ret = platform->dma_map(platform->priv, q->context->id, job->desc.result_addr, len, true,
				&map, &fault);
	if (ret == -EFAULT && status != NNACCEL_STATUS_FAULT)
		job->error.fault = fault;
	if (ret)
		return ret == -EFAULT ? NNACCEL_STATUS_FAULT : NNACCEL_STATUS_NO_MEMORY;
	memcpy(map.ptr, &r, len < sizeof(r) ? len : sizeof(r));
	for (uint32_t i = 0; i < outputs; i++) {
		const struct run_arg *arg = &run->args[run->program->main->num_inputs + i];

		fill_output(&shape, arg, &run->main.tensors[arg->tensor]);
		memcpy((char *)map.ptr + sizeof(r) + i * sizeof(shape), &shape, sizeof(shape));
	}
	if (times)
		nnfw_op_times_write(
			run, (void *)((char *)map.ptr + sizeof(r) + outputs * sizeof(shape)));
	platform->dma_unmap(platform->priv, q->context->id, &map, true);
	return NNACCEL_STATUS_OK;
}
