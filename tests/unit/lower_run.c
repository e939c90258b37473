// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_platform.h"
#include "lower_run.h"
#include "test_case.h"

#define MAX_ARGS 32u

struct run_end run_model_end(const struct nnmodel *model, const struct buffer *in,
			     const struct buffer *out)
{
	struct nnaccel_arg args[MAX_ARGS] = { 0 };
	struct nnaccel_result *result = calloc(1, 4096);
	struct nnaccel_job job = {
		.op = NNACCEL_JOB_RUN,
		.seqno = 1,
		.program_generation = 1,
		.result_addr = (uintptr_t)result,
		.result_size = 4096,
	};
	struct nnhal_lowered program;
	struct nnaccel_completion c;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	const struct nnaccel_output_shape *shapes = (const void *)(result + 1);
	struct run_end end = { 0 };
	struct fake fake = { 0 };

	if (spec_lower(model, &program, &err)) {
		print_error("%s\n", err.text);
		fail();
	}
	fake_start(&fake, NULL);
	assert_int_equal(nnfw_context_open(fake.fw, 1), 0);
	assert_int_equal(nnfw_queue_create(fake.fw, 1, 1, 1), 0);
	for (int output = 0; output < 2; output++)
		for (const struct buffer *b = output ? out : in; b->data || b->omitted; b++) {
			struct nnaccel_arg *arg = &args[job.num_args++];

			assert_true(job.num_args <= MAX_ARGS);
			if (b->omitted) {
				arg->flags = NNACCEL_ARG_OMITTED;
				continue;
			}
			*arg = (struct nnaccel_arg){
				.addr = (uintptr_t)b->data,
				.size = b->size,
				.rank = b->rank,
			};
			memcpy(arg->dims, b->dims, sizeof(b->dims));
			fake_allow(&fake, 1, b->data, b->size, output);
		}
	fake_allow(&fake, 1, program.bytes, program.size, false);
	fake_allow(&fake, 1, result, 4096, true);
	job.program_addr = (uintptr_t)program.bytes;
	job.program_size = program.size;
	assert_int_equal(nnfw_submit(fake.fw, 1, &job, args), 0);
	c = fake_wait(&fake, 1, 1);
	end.status = c.status;
	snprintf(end.text, sizeof(end.text), "%s", result->text);
	for (uint32_t i = 0; i < result->num_outputs && i < 8; i++)
		end.extents[i] = shapes[i].dims[0];
	fake_stop(&fake);
	free(result);
	free(program.bytes);
	return end;
}

void run_model(const struct nnmodel *model, const struct buffer *in, const struct buffer *out)
{
	const struct run_end end = run_model_end(model, in, out);

	if (end.status != NNACCEL_STATUS_OK)
		print_error("status %u: %s\n", end.status, end.text);
	assert_int_equal(end.status, NNACCEL_STATUS_OK);
}

void expect_floats(const float *got, const float *want, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(fabsf(got[i] - want[i]) <= 1e-5f + 1e-5f * fabsf(want[i]))) {
			print_error("[%zu] %g, not %g\n", i, (double)got[i], (double)want[i]);
			fail();
		}
}

void run_op(uint32_t opcode, const char *in_spec, const char *out_spec, const struct buffer *in,
	    const struct buffer *out)
{
	struct nnmodel *m = spec_model(opcode, in_spec, out_spec);

	run_model(m, in, out);
	nnmodel_free(m);
}
