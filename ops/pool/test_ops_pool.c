// SPDX-License-Identifier: Apache-2.0
/* POOL_2D and RESIZE against the oracle, worked examples, and what their descriptors refuse. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "op_harness.h"
#include "oracle.h"
#include "test_case.h"

static const uint32_t types[] = { NNPROG_FLOAT32, NNPROG_FLOAT16, NNPROG_UINT8, NNPROG_INT8 };

static void same_quantization(struct op_test *t)
{
	t->out[0] = op_output(t->in[0].dtype, 0, 0);
	if (t->in[0].dtype != NNPROG_UINT8 && t->in[0].dtype != NNPROG_INT8)
		return;
	op_quantize(&t->in[0], (float)op_uniform(0.01, 0.1), op_zero_point(t->in[0].dtype));
	t->out[0].scale = t->in[0].scale;
	t->out[0].zero_point = t->in[0].zero_point;
}

TEST(test_pool_random)
{
	op_seed(5);
	for (uint32_t round = 0; round < 480; round++) {
		struct nnprog_attr_pool2d a = {
			.kind = op_random(3),
			.padding = op_random(3),
			.stride_w = op_random_range(1, 3),
			.stride_h = op_random_range(1, 3),
			.filter_w = op_random_range(1, 6),
			.filter_h = op_random_range(1, 6),
			.activation = op_random(4),
		};
		struct op_test t = { .opcode = NNPROG_OP_POOL_2D, .attrs = &a, .num_in = 1 };
		uint32_t type = types[round % 4];
		double *want;

		if (a.kind == NNPROG_POOL_L2 && round % 4 > 1)
			a.kind = NNPROG_POOL_AVERAGE;
		if (a.padding == NNPROG_PAD_EXPLICIT) {
			a.pad_left = op_random(a.filter_w);
			a.pad_right = op_random(a.filter_w);
			a.pad_top = op_random(a.filter_h);
			a.pad_bottom = op_random(a.filter_h);
		}
		t.in[0] = op_tensor(type, DIMS(op_random(8) ? op_random_range(1, 2) : 0,
					       op_random_range(6, 12), op_random_range(6, 12),
					       op_random_range(1, 35)));
		same_quantization(&t);
		want = op_want(&t);
		oracle_pool(&a, t.in, &t.out[0], want);
		op_compare(&t, want, "pool");
	}
}

/* 8 bits: whole images and parts, channels that make vectors and that do not. */
TEST(test_pool_shapes)
{
	static const uint32_t shapes[][6] = {
		/* image, channels, filter, stride */
		{ 7, 7, 1280, 7, 7, 1 },   { 25, 5, 64, 25, 5, 1 },   { 12, 12, 100, 2, 2, 2 },
		{ 17, 19, 33, 17, 19, 1 }, { 64, 64, 67, 64, 64, 1 }, { 65, 64, 5, 65, 64, 1 },
		{ 40, 40, 16, 33, 31, 3 }, { 9, 9, 17000, 3, 3, 4 },
	};

	op_seed(55);
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		for (uint32_t round = 0; round < 8; round++) {
			const uint32_t *s = shapes[i];
			struct nnprog_attr_pool2d a = {
				.kind = round & 1 ? NNPROG_POOL_MAX : NNPROG_POOL_AVERAGE,
				.padding = round & 4 ? NNPROG_PAD_SAME : NNPROG_PAD_VALID,
				.stride_w = s[5],
				.stride_h = s[5],
				.filter_h = s[3],
				.filter_w = s[4],
				.activation = op_random(4),
			};
			struct op_test t = { .opcode = NNPROG_OP_POOL_2D,
					     .attrs = &a,
					     .num_in = 1 };
			double *want;

			/* windows of that many pixels are too many for the oracle */
			if (round & 4 && s[0] > 25)
				continue;
			t.in[0] = op_tensor(types[2 + (round >> 1 & 1)], DIMS(1, s[0], s[1], s[2]));
			/* sums at their extremes */
			memset(t.in[0].data, round & 2 ? 128 : 255, t.in[0].size / 2);
			same_quantization(&t);
			want = op_want(&t);
			oracle_pool(&a, t.in, &t.out[0], want);
			op_compare(&t, want, "pool shape");
		}
	}
}

/* Each sum of a count of pixels: quotients of halves and whole numbers are exact. */
TEST(test_average_quotients)
{
	static const uint32_t counts[] = { 1, 2, 3, 7, 49, 125, 255, 256, 257, 1000, 4095, 4096 };

	op_seed(56);
	for (size_t i = 0; i < 2 * sizeof(counts) / sizeof(counts[0]); i++) {
		const uint32_t n = counts[i / 2], type = types[2 + i % 2];
		struct nnprog_attr_pool2d a = { .padding = NNPROG_PAD_VALID,
						.stride_w = 1,
						.stride_h = 1,
						.filter_w = n,
						.filter_h = 1 };
		struct op_test t = { .opcode = NNPROG_OP_POOL_2D, .attrs = &a, .num_in = 1 };

		t.in[0] = op_tensor(type, DIMS(1, 1, n, 1024));
		op_quantize(&t.in[0], 1, 0);
		t.out[0] = op_output(type, 1, 0);
		/* channel c: about c / 4 and a half, and one more or less of a pixel */
		for (uint32_t c = 0; c < 1024; c++) {
			int32_t whole = (int32_t)(c / 4) - (i % 2 ? 128 : 0);

			for (uint32_t p = 0; p < n; p++) {
				bool more = p < n / 2 + c % 4 - 1 && p < n;
				int32_t v = whole + more;

				v = i % 2 && v > 127 ? 127 : v > 255 ? 255 : v;
				((uint8_t *)t.in[0].data)[p * 1024 + c] = (uint8_t)v;
			}
		}
		assert_int_equal(op_run(&t), 0);
		for (uint32_t c = 0; c < 1024; c++) {
			int64_t sum = 0, want;

			for (uint32_t p = 0; p < n; p++)
				sum += (int64_t)oracle_number(&t.in[0], p * 1024 + c);
			want = (sum > 0 ? sum + n / 2 : sum - n / 2) / (int64_t)n;
			assert_int_equal((int64_t)oracle_number(&t.out[0], c), want);
		}
		op_release();
	}
}

/* n / 2 is added before the division, away from zero: halves go up in size. */
TEST(test_average_rounding)
{
	static const int8_t x[] = { 1, 2, -1, -2, 1, 1, -1, 0, -128, -127, 127, 126 };
	static const int8_t want[] = { 2, -2, 1, -1, -128, 127 };
	struct nnprog_attr_pool2d a = { .kind = NNPROG_POOL_AVERAGE,
					.padding = NNPROG_PAD_VALID,
					.stride_w = 2,
					.stride_h = 1,
					.filter_w = 2,
					.filter_h = 1 };
	struct op_test t = { .opcode = NNPROG_OP_POOL_2D, .attrs = &a, .num_in = 1 };

	t.in[0] = op_tensor(NNPROG_INT8, DIMS(1, 1, 12, 1));
	memcpy(t.in[0].data, x, sizeof(x));
	op_quantize(&t.in[0], 1, 0);
	t.out[0] = op_output(NNPROG_INT8, 1, 0);
	assert_int_equal(op_run(&t), 0);
	assert_memory_equal(t.out[0].data, want, sizeof(want));
	op_release();
}

/* Width and height are distinguished; padding is not counted; a corner window has four elements. */
TEST(test_pool_order)
{
	struct nnprog_attr_pool2d a = {
		.kind = NNPROG_POOL_AVERAGE,
		.padding = NNPROG_PAD_EXPLICIT,
		.pad_left = 2,
		.pad_right = 1,
		.pad_top = 1,
		.pad_bottom = 0,
		.stride_w = 3,
		.stride_h = 1,
		.filter_w = 4,
		.filter_h = 2,
	};
	struct op_test t = { .opcode = NNPROG_OP_POOL_2D, .attrs = &a, .num_in = 1 };
	static const float x[] = { 1, 2, 4, 8, 16, 32, 64, 128 }; /* 2 rows of 4 */
	/* windows: columns [-2, 2) and [1, 5), rows [-1, 1) and [0, 2) */
	static const float want[] = { 1.5f, 14.f / 3, 51.f / 4, 238.f / 6 };

	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1, 2, 4, 1));
	memcpy(t.in[0].data, x, sizeof(x));
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	assert_int_equal(op_run(&t), 0);
	assert_int_equal(t.out[0].dims[1], 2);
	assert_int_equal(t.out[0].dims[2], 2);
	for (int i = 0; i < 4; i++)
		assert_true(fabsf(((float *)t.out[0].data)[i] - want[i]) < 1e-5f);
	op_release();

	a = (struct nnprog_attr_pool2d){ .padding = NNPROG_PAD_SAME,
					 .stride_w = 1,
					 .stride_h = 1,
					 .filter_w = 3,
					 .filter_h = 3 };
	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1, 2, 4, 1));
	memcpy(t.in[0].data, x, sizeof(x));
	assert_int_equal(op_run(&t), 0);
	assert_true(((float *)t.out[0].data)[0] == (1 + 2 + 16 + 32) / 4.0f);
	op_release();
}

#define POOL_REFUSED(change)                                                                   \
	do {                                                                                   \
		a = (struct nnprog_attr_pool2d){                                               \
			.stride_w = 1, .stride_h = 1, .filter_w = 3, .filter_h = 2             \
		};                                                                             \
		t = (struct op_test){ .opcode = NNPROG_OP_POOL_2D, .attrs = &a, .num_in = 1 }; \
		t.in[0] = op_tensor(NNPROG_UINT8, DIMS(1, 5, 5, 2));                           \
		same_quantization(&t);                                                         \
		change;                                                                        \
		assert_int_equal(op_run(&t), -EINVAL);                                         \
		op_release();                                                                  \
	} while (0)

TEST(test_pool_refusals)
{
	struct nnprog_attr_pool2d a;
	struct op_test t;

	POOL_REFUSED(a.stride_w = 0);
	POOL_REFUSED(a.stride_h = 0);
	POOL_REFUSED(a.filter_w = 0);
	POOL_REFUSED(a.filter_h = 0);
	POOL_REFUSED(a.filter_h = 6);
	POOL_REFUSED(a.filter_w = 6);
	POOL_REFUSED(a.pad_left = 3);
	POOL_REFUSED(a.pad_right = 3);
	POOL_REFUSED(a.pad_top = 2);
	POOL_REFUSED(a.pad_bottom = 2);
	POOL_REFUSED((a.padding = NNPROG_PAD_SAME, a.pad_left = 1));
	POOL_REFUSED(a.padding = 3);
	POOL_REFUSED(a.activation = 4);
	POOL_REFUSED(a.kind = 3);
	POOL_REFUSED(a.kind = NNPROG_POOL_L2);
	POOL_REFUSED(a.reserved = 1);
	POOL_REFUSED(t.out[0].scale *= 2);
	POOL_REFUSED(t.out[0].zero_point++);
	POOL_REFUSED(t.in[0].rank = 3);
	POOL_REFUSED(t.in[0].dims[2] = 0);
}

TEST(test_resize_random)
{
	op_seed(6);
	for (uint32_t round = 0; round < 480; round++) {
		struct nnprog_attr_resize a = { .kind = op_random(2) };
		struct op_test t = { .opcode = NNPROG_OP_RESIZE, .attrs = &a, .num_in = 2 };
		int32_t size[2] = { (int32_t)op_random_range(1, 15),
				    (int32_t)op_random_range(1, 15) };
		uint32_t h = op_random_range(1, 9), w = op_random_range(1, 9), mode = op_random(3);
		double *want;

		a.align_corners = mode == 1;
		a.half_pixel_centers = mode == 2;
		t.in[0] = op_tensor(types[round % 4], DIMS(op_random(8) ? op_random_range(1, 2) : 0,
							   h, w, op_random_range(1, 40)));
		same_quantization(&t);
		if (op_random(2)) {
			t.in[1] = op_values(DIMS(2), size);
		} else {
			t.in[1] = op_omitted();
			a.scale_h = (float)size[0] / (float)h * 1.01f;
			a.scale_w = (float)size[1] / (float)w * 1.01f;
		}
		assert_int_equal(op_run(&t), 0);
		if (!t.in[1].omitted) {
			assert_int_equal(t.out[0].dims[1], size[0]);
			assert_int_equal(t.out[0].dims[2], size[1]);
		} else {
			assert_int_equal(t.out[0].dims[1], (uint32_t)floorf((float)h * a.scale_h));
			assert_int_equal(t.out[0].dims[2], (uint32_t)floorf((float)w * a.scale_w));
		}
		want = calloc(t.out[0].elements + 1, sizeof(*want));
		oracle_resize(&a, t.in, &t.out[0], want);
		op_compare(&t, want, "resize");
	}
}

struct example {
	uint32_t kind, align, half, n_in, n_out;
	float in[4], out[5];
};

TEST(test_resize_examples)
{
	static const struct example examples[] = {
		{ NNPROG_RESIZE_BILINEAR, 0, 0, 2, 4, { 10, 30 }, { 10, 20, 30, 30 } },
		{ NNPROG_RESIZE_BILINEAR, 1, 0, 2, 4, { 10, 30 }, { 10, 50 / 3.0f, 70 / 3.0f, 30 } },
		{ NNPROG_RESIZE_BILINEAR, 0, 1, 2, 4, { 10, 30 }, { 10, 15, 25, 30 } },
		{ NNPROG_RESIZE_NEAREST, 0, 0, 2, 3, { 0, 1 }, { 0, 0, 1 } },
		{ NNPROG_RESIZE_NEAREST, 1, 0, 2, 3, { 0, 1 }, { 0, 1, 1 } },
		{ NNPROG_RESIZE_NEAREST, 0, 1, 2, 3, { 0, 1 }, { 0, 1, 1 } },
		{ NNPROG_RESIZE_NEAREST, 1, 0, 3, 5, { 0, 1, 2 }, { 0, 1, 1, 2, 2 } },
		{ NNPROG_RESIZE_NEAREST, 0, 1, 3, 5, { 0, 1, 2 }, { 0, 0, 1, 2, 2 } },
	};

	for (size_t k = 0; k < sizeof(examples) / sizeof(examples[0]); k++) {
		const struct example *e = &examples[k];
		struct nnprog_attr_resize a = { .kind = e->kind,
						.align_corners = e->align,
						.half_pixel_centers = e->half };
		struct op_test t = { .opcode = NNPROG_OP_RESIZE, .attrs = &a, .num_in = 2 };
		int32_t size[2] = { 1, (int32_t)e->n_out };

		t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1, 1, e->n_in, 1));
		memcpy(t.in[0].data, e->in, e->n_in * sizeof(float));
		t.in[1] = op_values(DIMS(2), size);
		t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
		assert_int_equal(op_run(&t), 0);
		for (uint32_t i = 0; i < e->n_out; i++)
			assert_true(fabsf(((float *)t.out[0].data)[i] - e->out[i]) < 1e-4f);
		op_release();
	}
}

#define RESIZE_REFUSED(change)                                                                \
	do {                                                                                  \
		int32_t size[2] = { 4, 5 };                                                   \
                                                                                              \
		a = (struct nnprog_attr_resize){ 0 };                                         \
		t = (struct op_test){ .opcode = NNPROG_OP_RESIZE, .attrs = &a, .num_in = 2 }; \
		t.in[0] = op_tensor(NNPROG_UINT8, DIMS(1, 5, 5, 2));                          \
		t.in[1] = op_values(DIMS(2), size);                                           \
		same_quantization(&t);                                                        \
		change;                                                                       \
		assert_int_equal(op_run(&t), -EINVAL);                                        \
		op_release();                                                                 \
	} while (0)

TEST(test_resize_refusals)
{
	struct nnprog_attr_resize a;
	struct op_test t;

	RESIZE_REFUSED((a.align_corners = 1, a.half_pixel_centers = 1));
	RESIZE_REFUSED(
		(a.kind = NNPROG_RESIZE_NEAREST, a.align_corners = 1, a.half_pixel_centers = 1));
	RESIZE_REFUSED(a.kind = 2);
	RESIZE_REFUSED(a.align_corners = 2);
	RESIZE_REFUSED(a.half_pixel_centers = 2);
	RESIZE_REFUSED(((int32_t *)t.in[1].data)[0] = 0);
	RESIZE_REFUSED(((int32_t *)t.in[1].data)[1] = -1);
	RESIZE_REFUSED(t.in[1] = op_omitted());
	RESIZE_REFUSED((t.in[1] = op_omitted(), a.scale_h = 0.1f, a.scale_w = 1));
	RESIZE_REFUSED((t.in[1] = op_omitted(), a.scale_h = NAN, a.scale_w = 1));
	RESIZE_REFUSED(t.in[0].rank = 3);
	RESIZE_REFUSED(t.in[0].dims[1] = 0);
	RESIZE_REFUSED(t.out[0].scale *= 2);
	RESIZE_REFUSED(t.out[0].dtype = NNPROG_INT8);
}

/* SAME padding, operations' worked examples: in, filter, stride, dilation -> out, head, tail. */
TEST(test_window)
{
	static const uint32_t rows[][7] = {
		{ 5, 3, 2, 1, 3, 1, 1 }, { 6, 3, 2, 1, 3, 0, 1 }, { 7, 2, 2, 1, 4, 0, 1 },
		{ 4, 3, 1, 2, 4, 2, 2 }, { 0, 3, 1, 1, 0, 0, 0 },
	};
	uint32_t out, head, tail;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint32_t *r = rows[i];

		assert_int_equal(nnprog_window(r[0], r[1], r[2], r[3], NNPROG_PAD_SAME, 0, 0, &out,
					       &head, &tail),
				 0);
		assert_int_equal(out, r[4]);
		assert_int_equal(head, r[5]);
		assert_int_equal(tail, r[6]);
	}
	assert_int_equal(nnprog_window(7, 3, 2, 1, NNPROG_PAD_VALID, 0, 0, &out, &head, &tail), 0);
	assert_int_equal(out, 3);
	assert_int_equal(nnprog_window(7, 3, 2, 1, NNPROG_PAD_EXPLICIT, 2, 1, &out, &head, &tail),
			 0);
	assert_int_equal(out, 4);
	assert_int_equal(head, 2);
	assert_int_equal(tail, 1);
	assert_int_equal(nnprog_window(7, 8, 1, 1, NNPROG_PAD_VALID, 0, 0, &out, &head, &tail),
			 -EINVAL);
	assert_int_equal(nnprog_window(7, 3, 0, 1, NNPROG_PAD_VALID, 0, 0, &out, &head, &tail),
			 -EINVAL);
	assert_int_equal(nnprog_window(UINT32_MAX - 1, UINT32_MAX, 1, UINT32_MAX, NNPROG_PAD_SAME,
				       0, 0, &out, &head, &tail),
			 -EINVAL);
	assert_int_equal(nnprog_window(UINT32_MAX - 1, 1, 1, 1, NNPROG_PAD_EXPLICIT, UINT32_MAX,
				       UINT32_MAX, &out, &head, &tail),
			 -EINVAL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pool_random),	  cmocka_unit_test(test_pool_shapes),
		cmocka_unit_test(test_average_quotients), cmocka_unit_test(test_average_rounding),
		cmocka_unit_test(test_pool_order),	  cmocka_unit_test(test_pool_refusals),
		cmocka_unit_test(test_resize_random),	  cmocka_unit_test(test_resize_examples),
		cmocka_unit_test(test_resize_refusals),	  cmocka_unit_test(test_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
