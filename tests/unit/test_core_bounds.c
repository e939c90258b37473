// SPDX-License-Identifier: Apache-2.0
/*
 * Outputs whose extents only run() knows, by way of BOX_WITH_NMS_LIMIT: as arguments, as
 * temporaries that others read, with declared shapes that come true or not, inside a branch, and
 * where the bound itself is too much.
 */
#include <stdlib.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_builder.h"
#include "nnprog_format.h"
#include "nnprog_opcode.h"
#include "control_programs.h"
#include "fake_platform.h"
#include "test_case.h"

#define ROIS 6u

struct bench {
	struct fake fake;
	struct core_program program;
	uint64_t seqno;
	struct {
		struct nnaccel_result head;
		struct nnaccel_output_shape outputs[4];
	} result;
	_Alignas(64) float scores[ROIS][2];
	_Alignas(64) float rois[ROIS][8];
	_Alignas(64) int32_t batch[ROIS];
	_Alignas(64) uint8_t flag[4];
	_Alignas(64) float out[64];
	struct nnaccel_arg args[8];
};

/** Inputs of main or a branch. */
static void put_inputs(struct nnprog_builder *b, uint32_t in[3])
{
	in[0] = control_tensor(b, NNPROG_FLOAT32, NNPROG_INPUT, 2, CONTROL_DIMS(UNKNOWN, 2));
	in[1] = control_tensor(b, NNPROG_FLOAT32, NNPROG_INPUT, 2, CONTROL_DIMS(UNKNOWN, 8));
	in[2] = control_vector(b, NNPROG_INT32, NNPROG_INPUT, UNKNOWN);
}

/** Scores of @kind and extent; the other inputs are not read. */
static uint32_t put_nms(struct nnprog_builder *b, const uint32_t in[3], uint32_t kind,
			uint32_t extent)
{
	const struct nnprog_attr_box_nms attr = {
		.score_threshold = 0.5f,
		.max_detections = -1,
		.iou_threshold = 0.5f,
		.sigma = 1,
	};
	uint32_t out[4];

	out[0] = control_vector(b, NNPROG_FLOAT32, kind, extent);
	out[1] = control_tensor(b, NNPROG_FLOAT32, NNPROG_TEMP, NNPROG_RANK_UNKNOWN, NULL);
	out[2] = control_tensor(b, NNPROG_INT32, NNPROG_TEMP, NNPROG_RANK_UNKNOWN, NULL);
	out[3] = control_tensor(b, NNPROG_INT32, NNPROG_TEMP, NNPROG_RANK_UNKNOWN, NULL);
	control_op(b, NNPROG_OP_BOX_WITH_NMS_LIMIT, &attr, sizeof(attr), in, 3, out, 4);
	return out[0];
}

static struct core_program program_argument(uint32_t extent)
{
	struct nnprog_builder *b = control_begin();
	uint32_t in[3], out;

	put_inputs(b, in);
	out = put_nms(b, in, NNPROG_OUTPUT, extent);
	control_io(b, in, 3, &out, 1);
	return control_end(b);
}

/** The scores doubled. */
static struct core_program program_temporary(uint32_t extent)
{
	struct nnprog_builder *b = control_begin();
	uint32_t in[3], t, out;

	put_inputs(b, in);
	t = put_nms(b, in, NNPROG_TEMP, extent);
	out = control_vector(b, NNPROG_FLOAT32, NNPROG_OUTPUT, UNKNOWN);
	control_binary(b, NNPROG_BINARY_ADD, t, t, out);
	control_io(b, in, 3, &out, 1);
	return control_end(b);
}

static struct core_program program_branch(void)
{
	struct nnprog_builder *b = control_begin();
	uint32_t in[4], out;

	in[0] = control_vector(b, NNPROG_BOOL8, NNPROG_INPUT, 1);
	put_inputs(b, in + 1);
	out = control_vector(b, NNPROG_FLOAT32, NNPROG_OUTPUT, UNKNOWN);
	control_if(b, 1, 1, in, 4, &out, 1);
	control_io(b, in, 4, &out, 1);
	control_graph(b);
	put_inputs(b, in + 1);
	out = put_nms(b, in + 1, NNPROG_OUTPUT, UNKNOWN);
	control_io(b, in + 1, 3, &out, 1);
	return control_end(b);
}

static struct bench *bench(struct core_program p, uint64_t arena_limit)
{
	struct nnfw_config config = { .abi_version = NNFW_ABI_VERSION, .arena_limit = arena_limit };
	struct bench *b = aligned_alloc(64, (sizeof(*b) + 63) / 64 * 64);

	assert_non_null(b);
	memset(b, 0, sizeof(*b));
	fake_start(&b->fake, &config);
	b->program = p;
	assert_int_equal(nnfw_context_open(b->fake.fw, 1), 0);
	assert_int_equal(nnfw_queue_create(b->fake.fw, 1, 1, 1), 0);
	fake_allow(&b->fake, 1, p.bytes, p.size, false);
	fake_allow(&b->fake, 1, b, sizeof(*b), true);
	for (uint32_t i = 0; i < ROIS; i++) {
		/* far apart, so that each that scores is kept */
		for (uint32_t k = 0; k < 8; k++)
			b->rois[i][k] = (float)(100 * i + (k % 4 < 2 ? 0 : 10));
		b->scores[i][1] = i % 2 ? 0.6f + 0.01f * (float)i : 0.1f;
	}
	return b;
}

static void finish(struct bench *b)
{
	fake_stop(&b->fake);
	free(b->program.bytes);
	free(b);
}

static void expect(struct bench *b, uint32_t first, uint64_t out_size, uint32_t status,
		   const char *text)
{
	const char *message = (const char *)b->result.head.text;
	struct nnaccel_job job = { .op = NNACCEL_JOB_RUN,
				   .num_args = first + 4,
				   .seqno = ++b->seqno,
				   .program_addr = (uintptr_t)b->program.bytes,
				   .program_size = b->program.size,
				   .result_addr = (uintptr_t)&b->result,
				   .result_size = sizeof(b->result) };
	struct nnaccel_completion c;

	b->args[0] = (struct nnaccel_arg){ .addr = (uintptr_t)b->flag, .size = 1 };
	b->args[first] = (struct nnaccel_arg){ .addr = (uintptr_t)b->scores,
					       .size = sizeof(b->scores),
					       .rank = 2,
					       .dims = { ROIS, 2 } };
	b->args[first + 1] = (struct nnaccel_arg){
		.addr = (uintptr_t)b->rois, .size = sizeof(b->rois), .rank = 2, .dims = { ROIS, 8 }
	};
	b->args[first + 2] = (struct nnaccel_arg){
		.addr = (uintptr_t)b->batch, .size = sizeof(b->batch), .rank = 1, .dims = { ROIS }
	};
	b->args[first + 3] = (struct nnaccel_arg){ .addr = (uintptr_t)b->out, .size = out_size };
	memset(b->out, 0xa5, sizeof(b->out));
	assert_int_equal(nnfw_submit(b->fake.fw, 1, &job, b->args), 0);
	c = fake_wait(&b->fake, 1, job.seqno);
	if (c.status != status || !strstr(message, text))
		fail_msg("status %u \"%s\", not %u \"%s\"", c.status, message, status, text);
}

/** Boxes 1, 3 and 5 of six have a score, best first. No byte behind them is written. */
static void check_scores(const struct bench *b, float factor)
{
	static const uint8_t untouched[4] = { 0xa5, 0xa5, 0xa5, 0xa5 };

	assert_int_equal(b->result.outputs[0].rank, 1);
	assert_int_equal(b->result.outputs[0].dims[0], 3);
	assert_int_equal(b->result.outputs[0].size, 12);
	for (uint32_t i = 0; i < 3; i++)
		assert_true(b->out[i] == factor * b->scores[5 - 2 * i][1]);
	assert_memory_equal(&b->out[3], untouched, 4);
}

TEST(test_argument)
{
	struct bench *b = bench(program_argument(UNKNOWN), 0);

	expect(b, 0, 12, NNACCEL_STATUS_OK, "");
	check_scores(b, 1);
	expect(b, 0, sizeof(b->out), NNACCEL_STATUS_OK, "");
	check_scores(b, 1);
	expect(b, 0, 11, NNACCEL_STATUS_OUTPUT_INSUFFICIENT, "needs 12 bytes");
	assert_int_equal(b->result.outputs[0].flags, NNACCEL_OUTPUT_KNOWN);
	assert_int_equal(b->result.outputs[0].dims[0], 3);
	assert_true(((uint8_t *)b->out)[0] == 0xa5);
	/* none at all */
	for (uint32_t i = 0; i < ROIS; i++)
		b->scores[i][1] = 0;
	expect(b, 0, 12, NNACCEL_STATUS_OK, "");
	assert_int_equal(b->result.outputs[0].dims[0], 0);
	finish(b);
}

TEST(test_declared)
{
	struct bench *b = bench(program_argument(3), 0);

	expect(b, 0, 12, NNACCEL_STATUS_OK, "");
	check_scores(b, 1);
	b->scores[3][1] = 0;
	expect(b, 0, 12, NNACCEL_STATUS_EXEC_FAILED,
	       "output 0 has another shape than the program declares");
	finish(b);
}

TEST(test_temporary)
{
	for (int declared = 0; declared < 2; declared++) {
		struct bench *b = bench(program_temporary(declared ? 3 : UNKNOWN), 0);

		expect(b, 0, 12, NNACCEL_STATUS_OK, "");
		check_scores(b, 2);
		b->scores[0][1] = 0.9f;
		if (declared) {
			expect(b, 0, 64, NNACCEL_STATUS_EXEC_FAILED, "another shape");
		} else {
			expect(b, 0, 64, NNACCEL_STATUS_OK, "");
			assert_int_equal(b->result.outputs[0].dims[0], 4);
			assert_true(b->out[0] == 2 * 0.9f);
		}
		finish(b);
	}
}

TEST(test_branch)
{
	struct bench *b = bench(program_branch(), 0);

	for (b->flag[0] = 0; b->flag[0] < 2; b->flag[0]++) {
		expect(b, 1, 12, NNACCEL_STATUS_OK, "");
		check_scores(b, 1);
	}
	expect(b, 1, 8, NNACCEL_STATUS_OUTPUT_INSUFFICIENT, "needs 12 bytes");
	finish(b);
}

TEST(test_no_room)
{
	/* the largest outputs alone are 24 + 96 + 24 + 24 bytes */
	struct bench *b = bench(program_argument(UNKNOWN), 100);

	expect(b, 0, 12, NNACCEL_STATUS_NO_MEMORY, "no room");
	finish(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_argument),  cmocka_unit_test(test_declared),
		cmocka_unit_test(test_temporary), cmocka_unit_test(test_branch),
		cmocka_unit_test(test_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
