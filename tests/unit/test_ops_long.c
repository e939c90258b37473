// SPDX-License-Identifier: Apache-2.0
/*
 * Loops whose length a client chooses: each operation here runs one of them with millions of rounds
 * and ticks all along it, so that an abort is noticed soon. Measured in this thread's processor
 * time: no part of a run without a tick is longer than a fifth of it. The short form has fewer
 * rounds and measures nothing: each operation ticks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "op_harness.h"
#include "rounds.h"
#include "test_case.h"

#define MANY (short_form ? 1u << 18 : 5u << 20)

static void expect_ticks(const char *what, struct op_test *t)
{
	bool ticks = false;

	if (short_form) {
		assert_int_equal(op_run(t), 0);
		if (!t->ticks)
			fail_msg("%s: no tick", what);
		op_release();
		return;
	}
	/* pages that come late count as this thread's time: one of some attempts must do */
	for (int attempt = 0; attempt < 3 && !ticks; attempt++) {
		assert_int_equal(op_run(t), 0);
		ticks = t->gap_ns <= t->cpu_ns / 5 + 1000000;
	}
	if (!ticks) {
		print_error("%s: %lld us, of which %lld us without a tick (%llu ticks)\n", what,
			    (long long)t->cpu_ns / 1000, (long long)t->gap_ns / 1000,
			    (unsigned long long)t->ticks);
		fail();
	}
	op_release();
}

static struct nnfw_tensor tensor(uint32_t type, uint32_t rank, const uint32_t *dims)
{
	struct nnfw_tensor t = op_tensor(type, rank, dims);

	if (type == NNPROG_UINT8 || type == NNPROG_INT8)
		op_quantize(&t, 0.5f, 3);
	return t;
}

static struct nnfw_tensor output(uint32_t type)
{
	return type == NNPROG_UINT8 || type == NNPROG_INT8 ? op_output(type, 0.5f, 3)
							   : op_output(type, 0, 0);
}

static struct nnfw_tensor bias(uint32_t type, uint32_t n)
{
	struct nnfw_tensor t = op_tensor(
		type == NNPROG_UINT8 || type == NNPROG_INT8 ? NNPROG_INT32 : type, DIMS(n));

	if (t.dtype == NNPROG_INT32)
		t.scale = 0.25f;
	return t;
}

static const uint32_t types[] = { NNPROG_FLOAT32, NNPROG_FLOAT16, NNPROG_UINT8, NNPROG_INT8 };

#define EACH_TYPE(type) for (uint32_t i_ = 0, type = types[0]; i_ < 4; type = types[++i_ % 4])

/* Channels of one pixel; taps of one pixel. */
TEST(test_depthwise)
{
	const struct nnprog_attr_conv2d one = { .padding = NNPROG_PAD_VALID,
						.stride_w = 1,
						.stride_h = 1,
						.dilation_w = 1,
						.dilation_h = 1,
						.multiplier = 1 };
	struct nnprog_attr_conv2d two = one;

	two.multiplier = 2;
	EACH_TYPE(type)
	{
		struct op_test t = { .opcode = NNPROG_OP_DEPTHWISE_CONV_2D,
				     .attrs = &one,
				     .num_in = 3 };

		t.in[0] = tensor(type, DIMS(1, 1, 1, MANY));
		t.in[1] = tensor(type, DIMS(1, 1, 1, MANY));
		t.in[2] = bias(type, MANY);
		t.out[0] = output(type);
		expect_ticks("DEPTHWISE_CONV_2D, channels", &t);
		t.in[0] = tensor(type, DIMS(1, 2, MANY / 2, 1));
		t.in[1] = tensor(type, DIMS(1, 2, MANY / 2, 1));
		t.in[2] = bias(type, 1);
		t.out[0] = output(type);
		expect_ticks("DEPTHWISE_CONV_2D, taps", &t);
		t.attrs = &two;
		t.in[0] = tensor(type, DIMS(1, 1, 1, MANY / 2));
		t.in[1] = tensor(type, DIMS(1, 1, 1, MANY));
		t.in[2] = bias(type, MANY);
		t.out[0] = output(type);
		expect_ticks("DEPTHWISE_CONV_2D, multiplied channels", &t);
	}
}

TEST(test_conv)
{
	const struct nnprog_attr_conv2d a = { .padding = NNPROG_PAD_VALID,
					      .stride_w = 1,
					      .stride_h = 1,
					      .dilation_w = 1,
					      .dilation_h = 1,
					      .groups = 1 };

	EACH_TYPE(type)
	{
		struct op_test t = { .opcode = NNPROG_OP_CONV_2D, .attrs = &a, .num_in = 3 };

		t.in[0] = tensor(type, DIMS(1, 2, MANY / 2 + 1, 1));
		t.in[1] = tensor(type, DIMS(1, 2, MANY / 2, 1));
		t.in[2] = bias(type, 1);
		t.out[0] = output(type);
		if (type == NNPROG_UINT8 || type == NNPROG_INT8) {
			expect_ticks("CONV_2D, a patch", &t);
			continue;
		}
		/*
		 * the library's product of it is one piece, which is bounded; the patches are
		 * copied with ticks
		 */
		assert_int_equal(op_run(&t), 0);
		assert_true(t.ticks > (short_form ? 5 : 100));
		op_release();
	}
}

TEST(test_pool)
{
	for (uint32_t kind = 0; kind < NNPROG_POOL_COUNT; kind++) {
		EACH_TYPE(type)
		{
			struct nnprog_attr_pool2d a = { .kind = kind,
							.padding = NNPROG_PAD_VALID,
							.stride_w = 1,
							.stride_h = 1,
							.filter_w = MANY,
							.filter_h = 1 };
			struct op_test t = { .opcode = NNPROG_OP_POOL_2D,
					     .attrs = &a,
					     .num_in = 1 };

			if (kind == NNPROG_POOL_L2 && type != NNPROG_FLOAT32 &&
			    type != NNPROG_FLOAT16)
				continue;
			t.in[0] = tensor(type, DIMS(1, 1, MANY, 1));
			t.out[0] = output(type);
			expect_ticks("POOL_2D, a row of the window", &t);
			a.filter_w = 2;
			t.in[0] = tensor(type, DIMS(1, 1, 2, MANY));
			t.out[0] = output(type);
			expect_ticks("POOL_2D, channels", &t);
		}
	}
}

/* Samples that a number in the model asks for, of one element: an abort comes within moments. */
TEST(test_roi)
{
	const struct nnprog_attr_roi a = { .height = 1,
					   .width = 1,
					   .height_ratio = 1,
					   .width_ratio = 1,
					   .height_samples = INT32_MAX,
					   .width_samples = INT32_MAX };
	struct nnprog_attr_roi channels = a;
	const int32_t batch[1] = { 0 };

	channels.height_samples = channels.width_samples = 2;
	for (uint32_t i = 0; i < 2; i++) {
		struct op_test t = { .opcode = NNPROG_OP_ROI_ALIGN,
				     .attrs = i ? &channels : &a,
				     .num_in = 3 };
		float *box;

		t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1, 2, 2, i ? MANY : 1));
		t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(1, 4));
		t.in[2] = op_values(DIMS(1), batch);
		t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
		box = t.in[1].data;
		box[0] = box[1] = 0;
		box[2] = box[3] = 2;
		if (i) {
			expect_ticks("ROI_ALIGN, channels", &t);
			t.opcode = NNPROG_OP_ROI_POOLING;
			channels.height_samples = channels.width_samples = 0;
			t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1, 2, 2, MANY));
			t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(1, 4));
			box = t.in[1].data;
			box[0] = box[1] = 0;
			box[2] = box[3] = 2;
			t.in[2] = op_values(DIMS(1), batch);
			t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
			expect_ticks("ROI_POOLING, channels", &t);
			continue;
		}
		/* some of 2^62 */
		op_cancel_at(50);
		assert_int_equal(op_run(&t), -ECANCELED);
		op_cancel_at(0);
		if (!short_form && t.gap_ns > t.cpu_ns / 5 + 1000000)
			fail_msg("ROI_ALIGN, samples: %lld us without a tick",
				 (long long)t.gap_ns / 1000);
		op_release();
	}
}

TEST(test_heatmap)
{
	struct op_test t = { .opcode = NNPROG_OP_HEATMAP_MAX_KEYPOINT, .num_in = 2, .num_out = 2 };
	const uint32_t side = short_form ? 600 : 2400;
	float *box;

	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1, side, side, 1));
	t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(1, 4));
	box = t.in[1].data;
	box[0] = box[1] = 0;
	box[2] = box[3] = 2;
	t.out[0] = t.out[1] = op_output(NNPROG_FLOAT32, 0, 0);
	expect_ticks("HEATMAP_MAX_KEYPOINT", &t);
}

/* ---- recurrent ---- */

static struct nnfw_tensor scaled(struct nnfw_tensor t, float scale)
{
	op_quantize(&t, scale, 0);
	return t;
}

TEST(test_quantized_lstm)
{
	const struct nnprog_attr_quantized_lstm a = { .intermediate = { 1.0f / 4096, 1.0f / 4096,
									1.0f / 4096, 1.0f / 4096 },
						      .hidden_scale = 1.0f / 128 };

	/* an input of one unit; units, through a projection */
	for (int many_units = 0; many_units < 2; many_units++) {
		struct op_test t = {
			.opcode = NNPROG_OP_QUANTIZED_LSTM, .attrs = &a, .num_in = 24, .num_out = 3
		};
		const uint32_t input = many_units ? 1 : MANY, units = many_units ? MANY / 8 : 1;

		t.in[0] = scaled(op_tensor(NNPROG_INT8, DIMS(1, input)), 1.0f / 128);
		for (int k = 1; k < 24; k++)
			t.in[k] = op_omitted();
		for (int k = 0; k < 4; k++) {
			t.in[1 + k] = scaled(op_tensor(NNPROG_INT8, DIMS(units, input)), 0.01f);
			t.in[5 + k] = scaled(op_tensor(NNPROG_INT8, DIMS(units, 1)), 0.01f);
			t.in[12 + k] = op_tensor(NNPROG_INT32, DIMS(units));
			t.in[20 + k] = scaled(op_tensor(NNPROG_INT16, DIMS(units)), 0.001f);
		}
		t.in[16] = scaled(op_tensor(NNPROG_INT8, DIMS(1, units)), 0.01f);
		t.in[18] = scaled(op_tensor(NNPROG_INT8, DIMS(1, 1)), 1.0f / 128);
		t.in[19] = scaled(op_tensor(NNPROG_INT16, DIMS(1, units)), 1.0f / 2048);
		t.out[0] = t.out[2] = op_output(NNPROG_INT8, 1.0f / 128, 0);
		t.out[1] = op_output(NNPROG_INT16, 1.0f / 2048, 0);
		expect_ticks(many_units ? "QUANTIZED_LSTM, units" : "QUANTIZED_LSTM, input", &t);
	}
}

TEST(test_quantized_16bit_lstm)
{
	struct op_test t = { .opcode = NNPROG_OP_QUANTIZED_16BIT_LSTM, .num_in = 15, .num_out = 2 };

	t.in[0] = op_tensor(NNPROG_UINT8, DIMS(1, MANY));
	op_quantize(&t.in[0], 1.0f / 128, 128);
	for (int k = 0; k < 4; k++) {
		t.in[1 + k] = op_tensor(NNPROG_UINT8, DIMS(1, MANY));
		t.in[5 + k] = op_tensor(NNPROG_UINT8, DIMS(1, 1));
		op_quantize(&t.in[1 + k], 0.01f, 128);
		op_quantize(&t.in[5 + k], 0.01f, 128);
		t.in[9 + k] = op_tensor(NNPROG_INT32, DIMS(1));
		t.in[9 + k].scale = 0.01f / 128;
	}
	t.in[13] = scaled(op_tensor(NNPROG_INT16, DIMS(1, 1)), 1.0f / 2048);
	t.in[14] = op_tensor(NNPROG_UINT8, DIMS(1, 1));
	op_quantize(&t.in[14], 1.0f / 128, 128);
	t.out[0] = op_output(NNPROG_INT16, 1.0f / 2048, 0);
	t.out[1] = op_output(NNPROG_UINT8, 1.0f / 128, 128);
	expect_ticks("QUANTIZED_16BIT_LSTM", &t);
}

TEST(test_lstm)
{
	const struct nnprog_attr_lstm a = { .activation = 4,
					    .cell_clip = 0.5f,
					    .projection_clip = 0.5f };
	const uint32_t units = MANY / 4;

	for (int norm = 0; norm < 2; norm++) {
		struct op_test t = {
			.opcode = NNPROG_OP_SEQUENCE_LSTM, .attrs = &a, .num_in = 24, .num_out = 3
		};

		t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1, 1));
		for (int k = 0; k < 4; k++) {
			t.in[1 + k] = op_tensor(NNPROG_FLOAT32, DIMS(units, 1));
			t.in[5 + k] = op_tensor(NNPROG_FLOAT32, DIMS(units, 1));
			t.in[12 + k] = op_tensor(NNPROG_FLOAT32, DIMS(units));
			t.in[20 + k] = norm ? op_tensor(NNPROG_FLOAT32, DIMS(units)) : op_omitted();
		}
		for (int k = 9; k < 12; k++)
			t.in[k] = op_tensor(NNPROG_FLOAT32, DIMS(units));
		t.in[16] = op_tensor(NNPROG_FLOAT32, DIMS(1, units));
		t.in[17] = op_omitted();
		t.in[18] = op_tensor(NNPROG_FLOAT32, DIMS(1, 1));
		t.in[19] = op_tensor(NNPROG_FLOAT32, DIMS(1, units));
		for (int k = 0; k < 3; k++)
			t.out[k] = op_output(NNPROG_FLOAT32, 0, 0);
		expect_ticks(norm ? "SEQUENCE_LSTM with layer normalization" : "SEQUENCE_LSTM", &t);
	}
}

TEST(test_svdf)
{
	const struct nnprog_attr_svdf a = { .rank = 1, .activation = 1 };

	for (int many_filters = 0; many_filters < 2; many_filters++) {
		struct op_test t = {
			.opcode = NNPROG_OP_SVDF, .attrs = &a, .num_in = 5, .num_out = 2
		};
		const uint32_t filters = many_filters ? MANY : 1, memory = many_filters ? 1 : MANY;

		t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1, 1));
		t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(filters, 1));
		t.in[2] = op_tensor(NNPROG_FLOAT32, DIMS(filters, memory));
		t.in[3] = op_tensor(NNPROG_FLOAT32, DIMS(filters));
		t.in[4] = op_tensor(NNPROG_FLOAT32, DIMS(1, MANY));
		t.out[0] = t.out[1] = op_output(NNPROG_FLOAT32, 0, 0);
		expect_ticks(many_filters ? "SVDF, filters" : "SVDF, memory", &t);
	}
}

/* ---- moving and choosing ---- */

TEST(test_move)
{
	const struct nnprog_attr_topk topk = { .k = MANY };
	const struct nnprog_attr_multinomial samples = { .samples = MANY };
	const struct nnprog_attr_resize bilinear = { .kind = NNPROG_RESIZE_BILINEAR };
	struct op_test t;

	t = (struct op_test){ .opcode = NNPROG_OP_TILE, .num_in = 2 };
	t.in[0] = op_tensor(NNPROG_UINT8, DIMS(1));
	t.in[1] = op_values(DIMS(1), (int32_t[]){ (int32_t)MANY * 4 });
	t.out[0] = op_output(NNPROG_UINT8, 0, 0);
	expect_ticks("TILE", &t);
	t = (struct op_test){ .opcode = NNPROG_OP_PAD, .num_in = 2 };
	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1));
	t.in[1] = op_values(DIMS(1, 2), (int32_t[]){ (int32_t)MANY, (int32_t)MANY });
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	expect_ticks("PAD", &t);
	t = (struct op_test){ .opcode = NNPROG_OP_TOPK, .attrs = &topk, .num_in = 1, .num_out = 2 };
	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(MANY));
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	t.out[1] = op_output(NNPROG_INT32, 0, 0);
	expect_ticks("TOPK", &t);
	t = (struct op_test){ .opcode = NNPROG_OP_HASHTABLE_LOOKUP, .num_in = 3, .num_out = 2 };
	t.in[0] = op_tensor(NNPROG_INT32, DIMS(MANY / 4));
	t.in[1] = op_tensor(NNPROG_INT32, DIMS(3));
	t.in[2] = op_tensor(NNPROG_FLOAT32, DIMS(3, 1));
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	t.out[1] = op_output(NNPROG_UINT8, 0, 0);
	expect_ticks("HASHTABLE_LOOKUP", &t);
	t = (struct op_test){ .opcode = NNPROG_OP_RANDOM_MULTINOMIAL,
			      .attrs = &samples,
			      .num_in = 2 };
	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1, 3));
	t.in[1] = op_values(DIMS(2), (int32_t[]){ 1, 2 });
	t.out[0] = op_output(NNPROG_INT32, 0, 0);
	expect_ticks("RANDOM_MULTINOMIAL", &t);
	t = (struct op_test){ .opcode = NNPROG_OP_RESIZE, .attrs = &bilinear, .num_in = 2 };
	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1, 1, 1, MANY / 2));
	t.in[1] = op_values(DIMS(2), (int32_t[]){ 1, 2 });
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	expect_ticks("RESIZE, channels", &t);
	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1, 1, 2, 1));
	t.in[1] = op_values(DIMS(2), (int32_t[]){ 1, (int32_t)MANY });
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	expect_ticks("RESIZE, a row", &t);
}

TEST(test_proposals)
{
	const struct nnprog_attr_proposals a = { .height_stride = 1,
						 .width_stride = 1,
						 .pre_nms_max = -1,
						 .post_nms_max = 4,
						 .iou_threshold = 0.5f };
	struct op_test t = {
		.opcode = NNPROG_OP_GENERATE_PROPOSALS, .attrs = &a, .num_in = 4, .num_out = 3
	};
	const uint32_t n = short_form ? 1u << 16 : 1u << 20;
	float *info;

	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1, 1, 1, n));
	t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(1, 1, 1, 4 * n));
	t.in[2] = op_tensor(NNPROG_FLOAT32, DIMS(n, 4));
	for (uint32_t i = 0; i < n; i++)
		memcpy((float *)t.in[2].data + 4 * i, (const float[4]){ 0, 0, 5, 5 }, 16);
	t.in[3] = op_tensor(NNPROG_FLOAT32, DIMS(1, 2));
	info = t.in[3].data;
	info[0] = info[1] = 10;
	t.out[0] = t.out[1] = op_output(NNPROG_FLOAT32, 0, 0);
	t.out[2] = op_output(NNPROG_INT32, 0, 0);
	expect_ticks("GENERATE_PROPOSALS", &t);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_depthwise),
		cmocka_unit_test(test_conv),
		cmocka_unit_test(test_pool),
		cmocka_unit_test(test_roi),
		cmocka_unit_test(test_heatmap),
		cmocka_unit_test(test_quantized_lstm),
		cmocka_unit_test(test_quantized_16bit_lstm),
		cmocka_unit_test(test_lstm),
		cmocka_unit_test(test_svdf),
		cmocka_unit_test(test_move),
		cmocka_unit_test(test_proposals),
	};

	rounds_init(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
