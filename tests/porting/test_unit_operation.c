// SPDX-License-Identifier: Apache-2.0
/*
 * CONV_2D of a firmware with a unit (examples/porting/unit_operation.c): op_run() compares it with
 * nnaccel's kernel to the bit, the oracle with arithmetic; jobs of the unit are counted.
 */
#include <string.h>

#include "conv_unit.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "op_harness.h"
#include "oracle.h"
#include "test_case.h"

static uint32_t rows;

void __real_conv_unit_run(const struct conv_unit_job *job, size_t first, size_t end);
void __wrap_conv_unit_run(const struct conv_unit_job *job, size_t first, size_t end);

void __wrap_conv_unit_run(const struct conv_unit_job *job, size_t first, size_t end)
{
	rows += (uint32_t)(end - first);
	__real_conv_unit_run(job, first, end);
}

/* A convolution of the unit's forms, to be changed. */
struct sample {
	struct nnprog_attr_conv2d attrs;
	uint32_t type, filter_type, in_channels, out_channels, filter;
	bool per_channel;
	int32_t filter_zero_point;
};

static struct sample plain_sample(void)
{
	return (struct sample){
		.attrs = { .padding = NNPROG_PAD_SAME,
			   .stride_w = 1,
			   .stride_h = 1,
			   .dilation_w = 1,
			   .dilation_h = 1,
			   .groups = 1 },
		.type = NNPROG_INT8,
		.filter_type = NNPROG_INT8,
		.in_channels = 8,
		.out_channels = 16,
		.filter = 3,
		.per_channel = true,
	};
}

/* Runs it, and returns how many output rows the unit has computed. */
static uint32_t unit_rows_of(const struct sample *s)
{
	struct op_test t = { .opcode = NNPROG_OP_CONV_2D, .attrs = &s->attrs, .num_in = 3 };
	double *want;

	t.in[0] =
		op_tensor(s->type, DIMS(op_random_range(1, 2), op_random_range(14, 16),
					op_random_range(14, 16), s->in_channels * s->attrs.groups));
	t.in[1] = op_tensor(s->filter_type,
			    DIMS(s->out_channels, s->filter, s->filter, s->in_channels));
	op_quantize(&t.in[0], (float)op_uniform(0.01, 0.1), op_zero_point(s->type));
	t.in[2] = op_tensor(NNPROG_INT32, DIMS(s->out_channels));
	if (s->per_channel) {
		op_quantize_channels(&t.in[1], 0, 0.02f);
	} else {
		op_quantize(&t.in[1], (float)op_uniform(0.01, 0.05), s->filter_zero_point);
		op_quantize(&t.in[2], t.in[0].scale * t.in[1].scale, 0);
	}
	t.out[0] = op_output(s->type,
			     (float)op_uniform(0.02, 0.1) *
				     (float)(1 + s->filter * s->filter * s->in_channels / 16),
			     op_zero_point(s->type));
	rows = 0;
	want = op_want(&t);
	oracle_conv(&s->attrs, false, t.in, &t.out[0], want);
	op_compare(&t, want, "conv");
	return rows;
}

TEST(test_forms_of_the_unit)
{
	op_seed(1);
	for (uint32_t round = 0; round < 60; round++) {
		struct sample s = plain_sample();

		s.in_channels = 8 * op_random_range(1, 3);
		s.out_channels = 8 * op_random_range(1, 3);
		s.filter = op_random_range(1, 7);
		s.per_channel = op_random(2);
		s.attrs.stride_w = op_random_range(1, 2);
		s.attrs.stride_h = op_random_range(1, 2);
		s.attrs.padding = op_random(3);
		s.attrs.activation = op_random(4);
		if (s.attrs.padding == NNPROG_PAD_EXPLICIT) {
			s.attrs.pad_left = op_random(s.filter);
			s.attrs.pad_bottom = op_random(s.filter);
		}
		assert_true(unit_rows_of(&s) > 0);
	}
}

/* What the unit does not take runs in nnaccel's kernel, right as before. */
#define ELSEWHERE(...)                                 \
	do {                                           \
		struct sample s = plain_sample();      \
		__VA_ARGS__;                           \
		assert_int_equal(unit_rows_of(&s), 0); \
	} while (0)

TEST(test_other_forms)
{
	ELSEWHERE(s.in_channels = 9);
	ELSEWHERE(s.out_channels = 6);
	ELSEWHERE(s.attrs.stride_w = 3);
	ELSEWHERE(s.attrs.dilation_h = 2);
	ELSEWHERE(s.attrs.groups = 2);
	ELSEWHERE(s.type = NNPROG_UINT8);
	ELSEWHERE(s.per_channel = false; s.filter_zero_point = 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms_of_the_unit),
		cmocka_unit_test(test_other_forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
