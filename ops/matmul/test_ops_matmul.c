// SPDX-License-Identifier: Apache-2.0
/* BATCH_MATMUL and TRANSPOSE_CONV_2D against definitions in double and in 64 bits. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "nnfw_ops.h"
#include "op_harness.h"
#include "oracle.h"
#include "test_case.h"

/* ---- BATCH_MATMUL ---- */

/* Element [i, j] of matrix @b of a tensor, or [j, i]. */
static double cell(const struct nnfw_tensor *t, uint64_t b, uint32_t i, uint32_t j, bool transposed)
{
	uint64_t rows = t->dims[t->rank - 2], columns = t->dims[t->rank - 1];
	uint64_t at = b * rows * columns + (transposed ? j * columns + i : i * columns + j);

	return oracle_number(t, at) - t->zero_point;
}

TEST(test_matmul_random)
{
	static const uint32_t types[] = { NNPROG_FLOAT32, NNPROG_FLOAT16, NNPROG_INT8,
					  NNPROG_INT32 };

	op_seed(100);
	for (uint32_t round = 0; round < 800; round++) {
		uint32_t type = types[round % 4], rank = op_random_range(2, 4), dims[4],
			 m = op_random_range(1, 9), n = op_random_range(1, 9);
		uint32_t k = op_random(5) ? op_random_range(1, 20) : op_random_range(30, 70);
		struct nnprog_attr_batch_matmul a = { op_random(2), op_random(2) };
		struct op_test t = { .opcode = NNPROG_OP_BATCH_MATMUL, .attrs = &a, .num_in = 2 };
		double *want;

		for (uint32_t d = 0; d + 2 < rank; d++)
			dims[d] = op_random_range(1, 3);
		dims[rank - 2] = a.adjoint_x ? k : m;
		dims[rank - 1] = a.adjoint_x ? m : k;
		t.in[0] = op_tensor(type, rank, dims);
		dims[rank - 2] = a.adjoint_y ? n : k;
		dims[rank - 1] = a.adjoint_y ? k : n;
		t.in[1] = op_tensor(type, rank, dims);
		t.out[0] = op_output(type, 0, 0);
		if (type == NNPROG_INT8) {
			op_quantize(&t.in[0], (float)op_uniform(0.01, 0.1), op_zero_point(type));
			op_quantize(&t.in[1], (float)op_uniform(0.01, 0.1), op_zero_point(type));
			t.out[0] =
				op_output(type, (float)op_uniform(0.05, 0.5), op_zero_point(type));
		}
		for (uint64_t i = 0; i < t.in[1].elements && oracle_is_float(&t.in[1]); i++)
			oracle_set_number(&t.in[1], i, oracle_number(&t.in[1], i) / sqrt(k));
		/* products that do not fit 32 bits */
		for (uint64_t i = 0; i < t.in[0].elements && type == NNPROG_INT32 && op_random(50);
		     i++)
			((int32_t *)t.in[0].data)[i] *= 1000003;
		want = op_want(&t);
		for (uint64_t i = 0; i < t.out[0].elements; i++) {
			uint32_t row = (uint32_t)(i / n % m), column = (uint32_t)(i % n);
			int64_t sum = 0;
			double real = 0;

			for (uint32_t j = 0; j < k; j++) {
				double x = cell(&t.in[0], i / n / m, row, j, a.adjoint_x);
				double y = cell(&t.in[1], i / n / m, j, column, a.adjoint_y);

				real += x * y;
				if (!oracle_is_float(&t.in[0]))
					sum += (int64_t)x * (int64_t)y;
			}
			want[i] = type == NNPROG_INT32 ? (int32_t)(uint32_t)(uint64_t)sum
				  : type == NNPROG_INT8
					  ? oracle_requantize(sum, t.in[0].scale, t.in[1].scale,
							      &t.out[0], 0)
					  : real;
		}
		op_compare(&t, want, "batch matmul");
	}
}

/* More rows than one tile has. */
TEST(test_matmul_large)
{
	static const uint32_t types[] = { NNPROG_FLOAT32, NNPROG_FLOAT16, NNPROG_INT8 };
	struct nnprog_attr_batch_matmul a = { 1, 0 };

	op_seed(101);
	for (uint32_t i = 0; i < 3; i++) {
		struct op_test t = { .opcode = NNPROG_OP_BATCH_MATMUL, .attrs = &a, .num_in = 2 };
		double *want;

		/* a row of int8 is less work */
		const uint32_t rows = types[i] == NNPROG_INT8 ? 250000 : 2500;

		t.in[0] = op_tensor(types[i], DIMS(2, 3, rows));
		t.in[1] = op_tensor(types[i], DIMS(2, 3, 2));
		t.out[0] = op_output(types[i], 0, 0);
		if (types[i] == NNPROG_INT8) {
			op_quantize(&t.in[0], 0.05f, 3);
			op_quantize(&t.in[1], 0.05f, -7);
			t.out[0] = op_output(types[i], 0.5f, 1);
		}
		assert_int_equal(op_run(&t), 0);
		assert_true(t.ticks >= 4);
		want = op_results(&t);
		for (uint64_t o = 0; o < t.out[0].elements; o++) {
			for (uint32_t j = 0; j < 3; j++)
				want[o] +=
					cell(&t.in[0], o / 2 / rows, (uint32_t)(o / 2 % rows), j,
					     true) *
					cell(&t.in[1], o / 2 / rows, j, (uint32_t)(o % 2), false);
			if (types[i] == NNPROG_INT8)
				want[o] = oracle_requantize((int64_t)want[o], 0.05f, 0.05f,
							    &t.out[0], 0);
		}
		op_compare(&t, want, "large batch matmul");
	}
}

/* int8: many columns and long rows, which are several products; each side as it is and turned. */
TEST(test_matmul_of_bytes)
{
	static const uint32_t shapes[][4] = {
		{ 3, 70, 300, 130 },
		{ 2, 37, 64, 512 },
		{ 1, 5, 17000, 9 },
		{ 12, 1, 65, 257 },
	};

	op_seed(104);
	for (uint32_t round = 0; round < 16; round++) {
		const uint32_t *s = shapes[round / 4], batch = s[0], m = s[1], k = s[2], n = s[3];
		struct nnprog_attr_batch_matmul a = { round & 1, round >> 1 & 1 };
		struct op_test t = { .opcode = NNPROG_OP_BATCH_MATMUL, .attrs = &a, .num_in = 2 };
		double *want;

		t.in[0] = op_tensor(NNPROG_INT8,
				    DIMS(batch, a.adjoint_x ? k : m, a.adjoint_x ? m : k));
		t.in[1] = op_tensor(NNPROG_INT8,
				    DIMS(batch, a.adjoint_y ? n : k, a.adjoint_y ? k : n));
		op_quantize(&t.in[0], 0.05f, op_zero_point(NNPROG_INT8));
		op_quantize(&t.in[1], 0.05f, round & 4 ? 0 : op_zero_point(NNPROG_INT8));
		t.out[0] =
			op_output(NNPROG_INT8, 0.05f * (float)sqrt(k), op_zero_point(NNPROG_INT8));
		want = op_want(&t);
		for (uint64_t i = 0; i < t.out[0].elements; i++) {
			for (uint32_t j = 0; j < k; j++)
				want[i] += cell(&t.in[0], i / n / m, (uint32_t)(i / n % m), j,
						a.adjoint_x) *
					   cell(&t.in[1], i / n / m, j, (uint32_t)(i % n),
						a.adjoint_y);
			want[i] = oracle_requantize((int64_t)want[i], 0.05f, 0.05f, &t.out[0], 0);
		}
		op_compare(&t, want, "batch matmul of bytes");
	}
}

TEST(test_matmul_refusals)
{
	struct nnprog_attr_batch_matmul a = { 0 };
	struct op_test t = { .opcode = NNPROG_OP_BATCH_MATMUL, .attrs = &a, .num_in = 2 };

	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(2, 3, 4));
	t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(2, 4, 5));
	assert_int_equal(op_run(&t), 0);
	a.adjoint_y = 1;
	assert_int_equal(op_run(&t), -EINVAL);
	a.adjoint_y = 2;
	assert_int_equal(op_run(&t), -EINVAL);
	a.adjoint_y = 0;
	t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(1, 4, 5));
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(4, 5));
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(2, 4, 0));
	assert_int_equal(op_run(&t), -EINVAL);
	assert_non_null(strstr(t.error, "no elements"));
	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(4));
	t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(4));
	op_refused(&t);
}

/* ---- TRANSPOSE_CONV_2D ---- */

static const struct kind {
	uint32_t in, filter;
	bool per_channel;
} kinds[] = {
	{ NNPROG_FLOAT32, NNPROG_FLOAT32, false }, { NNPROG_FLOAT16, NNPROG_FLOAT16, false },
	{ NNPROG_UINT8, NNPROG_UINT8, false },	   { NNPROG_UINT8, NNPROG_INT8, true },
	{ NNPROG_INT8, NNPROG_INT8, false },	   { NNPROG_INT8, NNPROG_INT8, true },
};

/* Extent of the output and the padding before it, by nnprog_window()'s rule. */
static int64_t extent_of(uint32_t padding, int64_t in, int64_t filter, int64_t stride,
			 int64_t wanted, int64_t before, int64_t after, int64_t *head)
{
	int64_t needed;

	*head = before;
	if (padding == NNPROG_PAD_VALID)
		*head = after = 0;
	if (padding == NNPROG_PAD_SAME) {
		needed = ((wanted + stride - 1) / stride - 1) * stride + filter;
		*head = needed > wanted ? (needed - wanted) / 2 : 0;
		after = needed - wanted - *head;
	}
	return in * stride + filter - stride - *head - after;
}

/* Scatters every product. */
static void transpose_conv(const struct nnprog_attr_transpose_conv *a, const struct op_test *t,
			   int64_t top, int64_t left, double *want)
{
	const struct nnfw_tensor *in = &t->in[0], *filter = &t->in[1], *bias = &t->in[2],
				 *out = &t->out[0];
	uint32_t cout = filter->dims[0], cin = filter->dims[3], at[4];

	for (uint64_t i = 0; i < in->elements; i++) {
		oracle_unflat(4, in->dims, i, at);
		for (uint64_t f = 0; f < filter->elements; f += cin) {
			uint64_t fx = f / cin % filter->dims[2],
				 fy = f / cin / filter->dims[2] % filter->dims[1];
			uint64_t c = f / cin / filter->dims[2] / filter->dims[1];
			int64_t y = (int64_t)at[1] * a->stride_h - top + (int64_t)fy;
			int64_t x = (int64_t)at[2] * a->stride_w - left + (int64_t)fx;
			double zero = filter->num_scales ? 0 : filter->zero_point;

			if (y < 0 || x < 0 || y >= out->dims[1] || x >= out->dims[2])
				continue;
			want[((at[0] * (uint64_t)out->dims[1] + (uint64_t)y) * out->dims[2] +
			      (uint64_t)x) *
				     cout +
			     c] += (oracle_number(in, i) - in->zero_point) *
				   (oracle_number(filter, f + at[3]) - zero);
		}
	}
	for (uint64_t i = 0; i < out->elements; i++) {
		want[i] += oracle_number(bias, i % cout);
		if (oracle_is_float(out))
			want[i] = oracle_activate(want[i], a->activation);
		else
			want[i] = oracle_requantize((int64_t)want[i], in->scale,
						    filter->num_scales ? filter->scales[i % cout]
								       : filter->scale,
						    out, a->activation);
	}
}

/* Of 8 bits. */
static void quantize_operands(struct op_test *t, const struct kind *k, uint32_t terms)
{
	op_quantize(&t->in[0], (float)op_uniform(0.01, 0.1), op_zero_point(k->in));
	if (k->per_channel) {
		op_quantize_channels(&t->in[1], 0, 0.02f);
	} else {
		op_quantize(&t->in[1], (float)op_uniform(0.01, 0.05), op_zero_point(k->filter));
		op_quantize(&t->in[2], t->in[0].scale * t->in[1].scale, 0);
	}
	t->out[0] = op_output(k->in, (float)op_uniform(0.02, 0.1) * (float)(1 + terms / 16),
			      op_zero_point(k->in));
}

static void random_operands(struct op_test *t, const struct kind *k, uint32_t cin, uint32_t cout)
{
	uint32_t fh = op_random_range(1, 4), fw = op_random_range(1, 4), terms = fh * fw * cin;
	bool quant = k->in == NNPROG_UINT8 || k->in == NNPROG_INT8;

	t->in[0] = op_tensor(k->in, DIMS(op_random(8) ? op_random_range(1, 2) : 0,
					 op_random_range(1, 7), op_random_range(1, 7), cin));
	t->in[1] = op_tensor(k->filter, DIMS(cout, fh, fw, cin));
	t->in[2] = op_tensor(quant ? NNPROG_INT32 : k->in, DIMS(cout));
	t->out[0] = op_output(k->in, 0, 0);
	if (!quant) {
		for (uint64_t i = 0; i < t->in[1].elements; i++)
			oracle_set_number(&t->in[1], i, oracle_number(&t->in[1], i) / sqrt(terms));
		return;
	}
	quantize_operands(t, k, terms);
}

TEST(test_transpose_conv_random)
{
	uint32_t refused = 0;

	op_seed(102);
	for (uint32_t round = 0; round < 600; round++) {
		const struct kind *k = &kinds[round % 6];
		struct nnprog_attr_transpose_conv a = {
			.padding = op_random(3),
			.stride_w = op_random_range(1, 4),
			.stride_h = op_random_range(1, 4),
			.activation = op_random(4),
		};
		struct op_test t = { .opcode = NNPROG_OP_TRANSPOSE_CONV_2D,
				     .attrs = &a,
				     .num_in = 3 };
		int32_t wanted[4] = { 77, 0, 0, 99 };
		int64_t h, w, top, left;
		double *want;

		random_operands(&t, k, op_random_range(1, 9), op_random_range(1, 6));
		if (a.padding == NNPROG_PAD_EXPLICIT) {
			a.pad_left = (int32_t)op_random(4);
			a.pad_top = (int32_t)op_random(4);
			a.pad_right = (int32_t)op_random(6) - 2;
			a.pad_bottom = (int32_t)op_random(6) - 2;
		}
		if (a.padding == NNPROG_PAD_SAME || op_random(2)) {
			/* mostly the quantization that follows from the inputs */
			wanted[1] = (int32_t)(t.in[0].dims[1] * a.stride_h - op_random(a.stride_h));
			wanted[2] = (int32_t)(t.in[0].dims[2] * a.stride_w - op_random(a.stride_w));
			if (!op_random(4))
				wanted[1 + op_random(2)] = (int32_t)op_random_range(1, 20);
			t.in[3] = op_values(DIMS(4), wanted);
			t.num_in = 4;
		}
		h = extent_of(a.padding, t.in[0].dims[1], t.in[1].dims[1], a.stride_h, wanted[1],
			      a.pad_top, a.pad_bottom, &top);
		w = extent_of(a.padding, t.in[0].dims[2], t.in[1].dims[2], a.stride_w, wanted[2],
			      a.pad_left, a.pad_right, &left);
		if (h <= 0 || w <= 0) {
			assert_int_equal(op_run(&t), -EINVAL);
			refused++;
			op_release();
			continue;
		}
		assert_int_equal(op_run(&t), 0);
		assert_int_equal(t.out[0].dims[0], t.in[0].dims[0]);
		assert_int_equal(t.out[0].dims[1], h);
		assert_int_equal(t.out[0].dims[2], w);
		want = op_results(&t);
		transpose_conv(&a, &t, top, left, want);
		op_compare(&t, want, "transpose conv");
	}
	assert_true(refused > 0 && refused < 100);
}

/* Width and height may not be confused; rows of more than a tile. */
TEST(test_transpose_conv_order)
{
	struct nnprog_attr_transpose_conv a = {
		.stride_w = 3, .stride_h = 1, .pad_left = 1, .pad_bottom = -2
	};
	struct op_test t = { .opcode = NNPROG_OP_TRANSPOSE_CONV_2D, .attrs = &a, .num_in = 3 };
	double *want;

	op_seed(103);
	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1, 2, 600, 3));
	t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(40, 2, 5, 3));
	t.in[2] = op_tensor(NNPROG_FLOAT32, DIMS(40));
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	assert_int_equal(op_run(&t), 0);
	assert_int_equal(t.out[0].dims[1], 2 * 1 + 2 - 1 + 2);
	assert_int_equal(t.out[0].dims[2], 600 * 3 + 5 - 3 - 1);
	want = op_results(&t);
	transpose_conv(&a, &t, 0, 1, want);
	op_compare(&t, want, "transpose conv in tiles");
}

/* 8 bits: channels of several panels, many taps, and rows that are several products. */
TEST(test_transpose_conv_of_bytes)
{
	static const struct {
		uint32_t h, w, cin, cout, fh, fw, stride_h, stride_w;
	} shapes[] = {
		{ 4, 5, 70, 130, 3, 3, 2, 2 },
		{ 3, 40, 33, 65, 2, 4, 1, 3 },
		{ 1, 2, 17000, 3, 2, 1, 1, 1 },
		{ 5, 4, 16, 7, 1, 1, 3, 2 },
	};

	op_seed(105);
	for (uint32_t round = 0; round < 16; round++) {
		const struct kind *k = &kinds[2 + round % 4];
		const uint32_t i = round / 4, cin = shapes[i].cin, cout = shapes[i].cout;
		struct nnprog_attr_transpose_conv a = { .padding = NNPROG_PAD_VALID,
							.stride_w = shapes[i].stride_w,
							.stride_h = shapes[i].stride_h,
							.activation = op_random(4) };
		struct op_test t = { .opcode = NNPROG_OP_TRANSPOSE_CONV_2D,
				     .attrs = &a,
				     .num_in = 3 };
		double *want;

		t.in[0] = op_tensor(k->in, DIMS(2, shapes[i].h, shapes[i].w, cin));
		t.in[1] = op_tensor(k->filter, DIMS(cout, shapes[i].fh, shapes[i].fw, cin));
		t.in[2] = op_tensor(NNPROG_INT32, DIMS(cout));
		quantize_operands(&t, k, shapes[i].fh * shapes[i].fw * cin);
		want = op_want(&t);
		transpose_conv(&a, &t, 0, 0, want);
		op_compare(&t, want, "transpose conv of bytes");
	}
}

TEST(test_transpose_conv_windows)
{
	static const struct {
		uint32_t in, filter, stride, padding, wanted;
		int32_t before, after;
		uint32_t out; /* 0: refused */
		int64_t head;
	} cases[] = {
		{ 2, 3, 2, NNPROG_PAD_EXPLICIT, 0, 0, 0, 5, 0 },
		{ 3, 3, 2, NNPROG_PAD_EXPLICIT, 0, 0, 1, 6, 0 },
		{ 3, 3, 2, NNPROG_PAD_EXPLICIT, 0, 1, 0, 6, 1 },
		{ 3, 3, 2, NNPROG_PAD_VALID, 1, 0, 0, 7, 0 },
		{ 3, 3, 2, NNPROG_PAD_SAME, 6, 0, 0, 6, 0 },
		{ 3, 3, 2, NNPROG_PAD_SAME, 5, 0, 0, 5, 1 },
		{ 3, 1, 4, NNPROG_PAD_SAME, 12, 0, 0, 12, 0 },
		{ 1, 1, 1, NNPROG_PAD_EXPLICIT, 0, 1, 0, 0, 0 },
		{ 1, 1, 1, NNPROG_PAD_SAME, 0, 0, 0, 0, 0 },
		{ 0, 1, 1, NNPROG_PAD_VALID, 0, 0, 0, 0, 0 },
		{ UINT32_MAX - 1, UINT32_MAX - 1, UINT32_MAX, NNPROG_PAD_VALID, 0, 0, 0, 0, 0 },
		{ 1, 1, UINT32_MAX, NNPROG_PAD_SAME, INT32_MAX, 0, 0, INT32_MAX, 0 },
		{ 1, 1, 1, NNPROG_PAD_EXPLICIT, 0, 0, INT32_MIN, (uint32_t)INT32_MAX + 2, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t out;
		int64_t head;
		int ret = nnprog_transpose_window(cases[i].in, cases[i].filter, cases[i].stride,
						  cases[i].padding, cases[i].wanted,
						  cases[i].before, cases[i].after, &out, &head);

		assert_int_equal(ret, cases[i].out ? 0 : -EINVAL);
		assert_int_equal(out, cases[i].out);
		if (!ret)
			assert_int_equal(head, cases[i].head);
	}
}

TEST(test_transpose_conv_refusals)
{
	struct nnprog_attr_transpose_conv good = { .padding = NNPROG_PAD_SAME,
						   .stride_w = 2,
						   .stride_h = 2 };
	struct nnprog_attr_transpose_conv a = good;
	struct op_test t = { .opcode = NNPROG_OP_TRANSPOSE_CONV_2D, .attrs = &a, .num_in = 4 };
	const struct nnfw_op *op = nnfw_op_table[NNPROG_OP_TRANSPOSE_CONV_2D];
	struct nnfw_op_ctx ctx = {
		.attrs = &a, .in = t.in, .num_in = 4, .out = t.out, .num_out = 1
	};

	t.in[0] = op_tensor(NNPROG_UINT8, DIMS(1, 3, 3, 2));
	op_quantize(&t.in[0], 0.5f, 100);
	t.in[1] = op_tensor(NNPROG_UINT8, DIMS(4, 2, 2, 2));
	op_quantize(&t.in[1], 0.25f, 100);
	t.in[2] = op_tensor(NNPROG_INT32, DIMS(4));
	op_quantize(&t.in[2], 0.125f, 0);
	t.in[3] = op_values(DIMS(4), (int32_t[]){ 1, 6, 6, 4 });
	t.out[0] = op_output(NNPROG_UINT8, 1, 0);
	assert_int_equal(op_run(&t), 0);
	/* the output shape changes after inference */
	((int32_t *)t.in[3].data)[1] = 5;
	assert_int_equal(op->run(&ctx), -EINVAL);
	((int32_t *)t.in[3].data)[1] = -6;
	assert_int_equal(op->run(&ctx), -EINVAL);
	assert_int_equal(op_run(&t), -EINVAL);
	((int32_t *)t.in[3].data)[1] = 6;
	t.num_in = 3;
	assert_int_equal(op_run(&t), -EINVAL);
	t.num_in = 4;
	a.stride_w = 0;
	assert_int_equal(op_run(&t), -EINVAL);
	a = good;
	a.pad_top = 1;
	assert_int_equal(op_run(&t), -EINVAL);
	a.padding = NNPROG_PAD_EXPLICIT;
	assert_int_equal(op_run(&t), 0);
	a.pad_top = -1;
	assert_int_equal(op_run(&t), -EINVAL);
	a = good;
	a.activation = 4;
	assert_int_equal(op_run(&t), -EINVAL);
	a = good;
	t.in[2].scale = 0.13f;
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[2].scale = 0.125f;
	t.in[2].dims[0] = 3;
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[2].dims[0] = 4;
	t.in[0].dims[3] = 1;
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[0] = op_tensor(NNPROG_UINT8, DIMS(1, 0, 3, 2));
	op_quantize(&t.in[0], 0.5f, 100);
	op_refused(&t);
}

/* Many taps of each pixel: to add them to the image ticks as well as what is before and behind it.
 */
TEST(test_transpose_conv_ticks)
{
	static const uint32_t types[] = { NNPROG_FLOAT32, NNPROG_FLOAT16, NNPROG_UINT8,
					  NNPROG_INT8 };
	const uint32_t taps = 1u << 20, pixels = 8;
	const struct nnprog_attr_transpose_conv a = { .padding = NNPROG_PAD_VALID,
						      .stride_w = 1,
						      .stride_h = 1 };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const bool quant = types[i] == NNPROG_UINT8 || types[i] == NNPROG_INT8;
		struct op_test t = { .opcode = NNPROG_OP_TRANSPOSE_CONV_2D,
				     .attrs = &a,
				     .num_in = 3 };

		t.in[0] = op_tensor(types[i], DIMS(1, 1, pixels, 1));
		t.in[1] = op_tensor(types[i], DIMS(1, 1, taps, 1));
		t.in[2] = op_tensor(quant ? NNPROG_INT32 : types[i], DIMS(1));
		t.out[0] = op_output(types[i], quant ? 0.5f : 0, 0);
		if (quant) {
			op_quantize(&t.in[0], 0.5f, 3);
			op_quantize(&t.in[1], 0.5f, 3);
			op_quantize(&t.in[2], 0.25f, 0);
		}
		assert_int_equal(op_run(&t), 0);
		/* each 65536 elements, of a few ns each */
		assert_true(t.ticks >= (uint64_t)pixels * taps / 65536);
		op_release();
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matmul_random),
		cmocka_unit_test(test_matmul_large),
		cmocka_unit_test(test_matmul_of_bytes),
		cmocka_unit_test(test_matmul_refusals),
		cmocka_unit_test(test_transpose_conv_random),
		cmocka_unit_test(test_transpose_conv_order),
		cmocka_unit_test(test_transpose_conv_of_bytes),
		cmocka_unit_test(test_transpose_conv_windows),
		cmocka_unit_test(test_transpose_conv_refusals),
		cmocka_unit_test(test_transpose_conv_ticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
