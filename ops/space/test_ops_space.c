// SPDX-License-Identifier: Apache-2.0
/* TILE, MIRROR_PAD, SPACE_DEPTH, SPACE_BATCH, CHANNEL_SHUFFLE, TOPK: every element's way. */
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

static const uint8_t *element(const struct nnfw_tensor *t, uint64_t i)
{
	return (const uint8_t *)t->data + i * nnprog_dtype_size(t->dtype);
}

static void make_input(struct op_test *t, uint32_t dtype, uint32_t rank, const uint32_t *dims)
{
	t->in[0] = op_tensor(dtype, rank, dims);
	if (dtype == NNPROG_UINT8 || dtype == NNPROG_INT8)
		op_quantize(&t->in[0], 0.5f, op_zero_point(dtype));
	t->out[0] = op_output(dtype, t->in[0].scale, t->in[0].zero_point);
}

static void random_input(struct op_test *t, uint32_t dtype, uint32_t rank, uint32_t most)
{
	uint32_t dims[8];

	for (uint32_t d = 0; d < rank; d++)
		dims[d] = op_random_range(1, most);
	make_input(t, dtype, rank, dims);
}

/* Output element @i is the input's element @at. */
static void same(const struct op_test *t, uint64_t i, const uint32_t *at)
{
	assert_memory_equal(element(&t->out[0], i),
			    element(&t->in[0], oracle_flat(t->in[0].rank, t->in[0].dims, at)),
			    nnprog_dtype_size(t->in[0].dtype));
}

/* ---- TILE, MIRROR_PAD ---- */

TEST(test_tile_random)
{
	op_seed(80);
	for (uint32_t round = 0; round < 400; round++) {
		uint32_t dtype = round % NNPROG_DTYPE_COUNT, rank = op_random_range(1, 5), at[8];
		struct op_test t = { .opcode = NNPROG_OP_TILE, .num_in = 2 };
		int32_t multiples[5];

		random_input(&t, dtype, rank, 4);
		for (uint32_t d = 0; d < rank; d++)
			multiples[d] = op_random(40) ? (int32_t)op_random_range(1, 3) : 0;
		t.in[1] = op_values(DIMS(rank), multiples);
		assert_int_equal(op_run(&t), 0);
		for (uint32_t d = 0; d < rank; d++)
			assert_int_equal(t.out[0].dims[d],
					 t.in[0].dims[d] * (uint32_t)multiples[d]);
		for (uint64_t i = 0; i < t.out[0].elements; i++) {
			oracle_unflat(rank, t.out[0].dims, i, at);
			for (uint32_t d = 0; d < rank; d++)
				at[d] %= t.in[0].dims[d];
			same(&t, i, at);
		}
		op_release();
	}
}

TEST(test_tile_refusals)
{
	const struct nnfw_op *op = nnfw_op_table[NNPROG_OP_TILE];
	struct op_test t = { .opcode = NNPROG_OP_TILE, .num_in = 2 };
	struct nnfw_op_ctx ctx = { .in = t.in, .num_in = 2, .out = t.out, .num_out = 1 };

	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(2, 3));
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	t.in[1] = op_values(DIMS(2), (int32_t[]){ 1, -1 });
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[1] = op_values(DIMS(1), (int32_t[]){ 1 });
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[1] = op_values(DIMS(2), (int32_t[]){ INT32_MAX, INT32_MAX });
	assert_int_equal(op_run(&t), -EOVERFLOW);
	t.in[1] = op_values(DIMS(2), (int32_t[]){ 2, 2 });
	assert_int_equal(op_run(&t), 0);
	/* changed since inference */
	*(int32_t *)t.in[1].data = 3;
	assert_int_equal(op->run(&ctx), -EINVAL);
	t.in[1] = op_values(DIMS(2), (int32_t[]){ 2, 2 });
	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(2, 0));
	op_refused(&t);
}

/* Index @i of an endless reflection of [0, n). */
static int64_t reflected(int64_t i, int64_t n, bool symmetric)
{
	if (i < 0)
		return symmetric ? -1 - i : -i;
	if (i >= n)
		return symmetric ? 2 * n - 1 - i : 2 * n - 2 - i;
	return i;
}

TEST(test_mirror_random)
{
	op_seed(81);
	for (uint32_t round = 0; round < 400; round++) {
		uint32_t dtype = round % NNPROG_DTYPE_COUNT, rank = op_random_range(1, 5), at[8];
		struct nnprog_attr_mirror_pad a = { .symmetric = op_random(2) };
		struct op_test t = { .opcode = NNPROG_OP_MIRROR_PAD, .attrs = &a, .num_in = 2 };
		int32_t pads[10];

		random_input(&t, dtype, rank, 4);
		for (uint32_t d = 0; d < rank; d++) {
			pads[2 * d] = (int32_t)op_random(t.in[0].dims[d] + a.symmetric);
			pads[2 * d + 1] = (int32_t)op_random(t.in[0].dims[d] + a.symmetric);
		}
		t.in[1] = op_values(DIMS(rank, 2), pads);
		assert_int_equal(op_run(&t), 0);
		for (uint64_t i = 0; i < t.out[0].elements; i++) {
			oracle_unflat(rank, t.out[0].dims, i, at);
			for (uint32_t d = 0; d < rank; d++)
				at[d] = (uint32_t)reflected((int64_t)at[d] - pads[2 * d],
							    t.in[0].dims[d], a.symmetric);
			same(&t, i, at);
		}
		op_release();
	}
}

TEST(test_mirror_cases)
{
	static const int32_t reflect[] = { 3, 2, 1, 2, 3, 2, 1 },
			     symmetric[] = { 3, 2, 1, 1, 2, 3, 3, 2, 1 };
	struct nnprog_attr_mirror_pad a = { 0 };
	struct op_test t = { .opcode = NNPROG_OP_MIRROR_PAD, .attrs = &a, .num_in = 2 };

	t.in[0] = op_values(DIMS(3), (int32_t[]){ 1, 2, 3 });
	t.out[0] = op_output(NNPROG_INT32, 0, 0);
	t.in[1] = op_values(DIMS(1, 2), (int32_t[]){ 2, 2 });
	assert_int_equal(op_run(&t), 0);
	assert_memory_equal(t.out[0].data, reflect, sizeof(reflect));
	t.in[1] = op_values(DIMS(1, 2), (int32_t[]){ 3, 3 });
	assert_int_equal(op_run(&t), -EINVAL);
	a.symmetric = 1;
	assert_int_equal(op_run(&t), 0);
	assert_memory_equal(t.out[0].data, symmetric, sizeof(symmetric));
	t.in[1] = op_values(DIMS(1, 2), (int32_t[]){ 4, 0 });
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[1] = op_values(DIMS(1, 2), (int32_t[]){ 0, -1 });
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[1] = op_values(DIMS(2), (int32_t[]){ 0, 0 });
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[1] = op_values(DIMS(1, 2), (int32_t[]){ 0, 0 });
	a.symmetric = 2;
	assert_int_equal(op_run(&t), -EINVAL);
	a.symmetric = 1;
	t.in[0] = op_tensor(NNPROG_INT32, DIMS(0));
	op_refused(&t);
}

/* ---- SPACE_DEPTH, SPACE_BATCH, CHANNEL_SHUFFLE ---- */

TEST(test_space_depth_random)
{
	op_seed(82);
	for (uint32_t round = 0; round < 300; round++) {
		uint32_t dtype = round % NNPROG_DTYPE_COUNT, b = op_random_range(1, 3), at[4],
			 from[4];
		uint32_t n = op_random_range(1, 2), h = op_random_range(1, 4),
			 w = op_random_range(1, 4), c = op_random_range(1, 4);
		struct nnprog_attr_space_depth a = { b, op_random(2) };
		struct op_test t = { .opcode = NNPROG_OP_SPACE_DEPTH, .attrs = &a, .num_in = 1 };

		if (a.to_depth)
			make_input(&t, dtype, DIMS(n, h * b, w * b, c));
		else
			make_input(&t, dtype, DIMS(n, h, w, c * b * b));
		assert_int_equal(op_run(&t), 0);
		assert_int_equal(t.out[0].dims[1], a.to_depth ? h : h * b);
		for (uint64_t i = 0; i < t.out[0].elements; i++) {
			oracle_unflat(4, t.out[0].dims, i, at);
			from[0] = at[0];
			if (a.to_depth) {
				from[1] = at[1] * b + at[3] / c / b;
				from[2] = at[2] * b + at[3] / c % b;
				from[3] = at[3] % c;
			} else {
				from[1] = at[1] / b;
				from[2] = at[2] / b;
				from[3] = (at[1] % b * b + at[2] % b) * c + at[3];
			}
			same(&t, i, from);
		}
		op_release();
	}
}

TEST(test_space_batch_random)
{
	op_seed(83);
	for (uint32_t round = 0; round < 500; round++) {
		uint32_t dtype = round % NNPROG_DTYPE_COUNT, n = op_random_range(1, 3),
			 c = op_random_range(1, 3);
		int32_t block[2] = { (int32_t)op_random_range(1, 3),
				     (int32_t)op_random_range(1, 3) },
			pads[4] = { 0 };
		uint32_t bh = (uint32_t)block[0], bw = (uint32_t)block[1],
			 h = op_random_range(1, 4), w = op_random_range(1, 4);
		uint32_t at[4], space[4], batch[4];
		struct nnprog_attr_space_batch a = { op_random(2), 0 };
		struct op_test t = { .opcode = NNPROG_OP_SPACE_BATCH, .attrs = &a, .num_in = 2 };
		uint8_t border[4] = { 0 };

		if (a.to_batch && op_random(4)) {
			t.num_in = 3;
			for (int i = 0; i < 4; i++)
				pads[i] = (int32_t)op_random(4);
			for (int i = 0; i < 2; i++) {
				uint32_t *extent = i ? &w : &h, b = i ? bw : bh;
				uint32_t sum = (uint32_t)pads[2 * i] + (uint32_t)pads[2 * i + 1];

				/* the image is the whole blocks minus the padding */
				while (*extent * b <= sum)
					++*extent;
			}
			t.in[2] = op_values(DIMS(2, 2), pads);
		}
		t.in[1] = op_values(DIMS(2), block);
		if (a.to_batch)
			make_input(&t, dtype,
				   DIMS(n, h * bh - (uint32_t)pads[0] - (uint32_t)pads[1],
					w * bw - (uint32_t)pads[2] - (uint32_t)pads[3], c));
		else
			make_input(&t, dtype, DIMS(n * bh * bw, h, w, c));
		border[0] = (uint8_t)t.in[0].zero_point;
		assert_int_equal(op_run(&t), 0);
		for (uint64_t i = 0; i < t.out[0].elements; i++) {
			oracle_unflat(4, t.out[0].dims, i, at);
			if (!a.to_batch) {
				batch[0] = (at[1] % bh * bw + at[2] % bw) * n + at[0];
				batch[1] = at[1] / bh;
				batch[2] = at[2] / bw;
				batch[3] = at[3];
				same(&t, i, batch);
				continue;
			}
			space[0] = at[0] % n;
			space[1] = at[1] * bh + at[0] / n / bw - (uint32_t)pads[0];
			space[2] = at[2] * bw + at[0] / n % bw - (uint32_t)pads[2];
			space[3] = at[3];
			if (space[1] < t.in[0].dims[1] && space[2] < t.in[0].dims[2])
				same(&t, i, space);
			else
				assert_memory_equal(element(&t.out[0], i), border,
						    nnprog_dtype_size(dtype));
		}
		op_release();
	}
}

TEST(test_space_refusals)
{
	struct nnprog_attr_space_depth d = { 2, 1 };
	struct nnprog_attr_space_batch b = { 1, 0 };
	struct op_test t = { .opcode = NNPROG_OP_SPACE_DEPTH, .attrs = &d, .num_in = 1 };
	struct op_test s = { .opcode = NNPROG_OP_SPACE_BATCH, .attrs = &b, .num_in = 3 };
	const struct nnfw_op *op = nnfw_op_table[NNPROG_OP_SPACE_BATCH];
	struct nnfw_op_ctx ctx = {
		.attrs = &b, .in = s.in, .num_in = 3, .out = s.out, .num_out = 1
	};

	make_input(&t, NNPROG_FLOAT32, DIMS(1, 4, 3, 4));
	assert_int_equal(op_run(&t), -EINVAL);
	d.to_depth = 0;
	assert_int_equal(op_run(&t), 0);
	d.block = 0;
	assert_int_equal(op_run(&t), -EINVAL);
	d.block = 65536;
	assert_int_equal(op_run(&t), -EINVAL);
	d.block = 1;
	make_input(&t, NNPROG_FLOAT32, DIMS(0, 4, 4, 4));
	assert_int_equal(op_run(&t), -EINVAL);
	make_input(&t, NNPROG_FLOAT32, DIMS(4, 4, 4));
	assert_int_equal(op_run(&t), -EINVAL);

	make_input(&s, NNPROG_FLOAT32, DIMS(1, 4, 4, 1));
	s.in[1] = op_values(DIMS(2), (int32_t[]){ 2, 3 });
	s.in[2] = op_values(DIMS(2, 2), (int32_t[]){ 0, 0, 1, 1 });
	assert_int_equal(op_run(&s), 0);
	((int32_t *)s.in[2].data)[3] = 4;
	assert_int_equal(op->run(&ctx), -EINVAL);
	((int32_t *)s.in[2].data)[3] = -2;
	assert_int_equal(op_run(&s), -EINVAL);
	assert_int_equal(op->run(&ctx), -EINVAL);
	s.in[2] = op_values(DIMS(2, 2), (int32_t[]){ 0, 0, 0, 1 });
	assert_int_equal(op_run(&s), -EINVAL);
	s.in[2] = op_values(DIMS(2, 2), (int32_t[]){ INT32_MAX, INT32_MAX, 1, 1 });
	assert_int_equal(op_run(&s), -EOVERFLOW);
	s.in[2] = op_values(DIMS(2, 2), (int32_t[]){ 0, 0, 1, 1 });
	s.in[1] = op_values(DIMS(2), (int32_t[]){ 0, 3 });
	assert_int_equal(op_run(&s), -EINVAL);
	s.in[1] = op_values(DIMS(2), (int32_t[]){ INT32_MAX, INT32_MAX });
	assert_int_equal(op_run(&s), -EINVAL);
	s.in[1] = op_values(DIMS(2), (int32_t[]){ 2, 3 });
	b.to_batch = 0;
	assert_int_equal(op_run(&s), -EINVAL);
	s.num_in = 2;
	assert_int_equal(op_run(&s), -EINVAL);
	make_input(&s, NNPROG_FLOAT32, DIMS(6, 4, 4, 1));
	assert_int_equal(op_run(&s), 0);
	op_release();
}

TEST(test_shuffle_random)
{
	op_seed(84);
	for (uint32_t round = 0; round < 300; round++) {
		uint32_t dtype = round % NNPROG_DTYPE_COUNT, rank = op_random_range(1, 4),
			 axis = op_random(rank);
		uint32_t groups = op_random_range(1, 4), depth = op_random_range(1, 4), dims[4],
			 at[8];
		struct nnprog_attr_channel_shuffle a = {
			groups,
			(int32_t)axis - (op_random(2) ? (int32_t)rank : 0),
		};
		struct op_test t = { .opcode = NNPROG_OP_CHANNEL_SHUFFLE,
				     .attrs = &a,
				     .num_in = 1 };

		for (uint32_t d = 0; d < rank; d++)
			dims[d] = d == axis ? groups * depth : op_random_range(1, 4);
		make_input(&t, dtype, rank, dims);
		assert_int_equal(op_run(&t), 0);
		for (uint64_t i = 0; i < t.out[0].elements; i++) {
			oracle_unflat(rank, dims, i, at);
			/* out[k * groups + g] = in[g * depth + k] */
			at[axis] = at[axis] % groups * depth + at[axis] / groups;
			same(&t, i, at);
		}
		if (dims[axis] > 1) {
			a.groups = dims[axis] + 1;
			assert_int_equal(op_run(&t), -EINVAL);
		}
		a.groups = 0;
		op_refused(&t);
	}
}

/* ---- TOPK ---- */

TEST(test_topk_random)
{
	static const uint32_t types[] = { NNPROG_FLOAT32, NNPROG_FLOAT16, NNPROG_INT32,
					  NNPROG_UINT8, NNPROG_INT8 };

	op_seed(85);
	for (uint32_t round = 0; round < 500; round++) {
		uint32_t dtype = types[round % 5], rank = op_random_range(1, 3), n;
		struct nnprog_attr_topk a = { 0 };
		struct op_test t = {
			.opcode = NNPROG_OP_TOPK, .attrs = &a, .num_in = 1, .num_out = 2
		};
		bool used[64];

		random_input(&t, dtype, rank, op_random(4) ? 6 : 40);
		n = t.in[0].dims[rank - 1];
		/* few values, so that many are equal; zeros of both signs */
		for (uint64_t i = 0; i < t.in[0].elements && op_random(500); i++) {
			double v = (double)op_random(5) - (dtype == NNPROG_UINT8 ? 0 : 2);

			oracle_set_number(&t.in[0], i, v == 0 && op_random(2) ? -v : v);
		}
		a.k = op_random_range(1, n);
		t.out[1] = op_output(NNPROG_INT32, 0, 0);
		assert_int_equal(op_run(&t), 0);
		for (uint64_t r = 0; r < t.in[0].elements / n; r++) {
			memset(used, 0, sizeof(used));
			for (uint32_t k = 0; k < a.k; k++) {
				uint32_t best = UINT32_MAX;

				/* the greatest of the rest, the last of equals */
				for (uint32_t i = 0; i < n; i++) {
					if (!used[i] &&
					    (best == UINT32_MAX ||
					     oracle_number(&t.in[0], r * n + i) >=
						     oracle_number(&t.in[0], r * n + best)))
						best = i;
				}
				used[best] = true;
				assert_int_equal(((int32_t *)t.out[1].data)[r * a.k + k], best);
				assert_memory_equal(element(&t.out[0], r * a.k + k),
						    element(&t.in[0], r * n + best),
						    nnprog_dtype_size(dtype));
			}
		}
		a.k = n + 1;
		assert_int_equal(op_run(&t), -EINVAL);
		a.k = 0;
		op_refused(&t);
	}
}

/* NaN has an unspecified place, and every element appears exactly once. */
TEST(test_topk_nan)
{
	struct nnprog_attr_topk a = { .k = 9 };
	struct op_test t = { .opcode = NNPROG_OP_TOPK, .attrs = &a, .num_in = 1, .num_out = 2 };
	uint32_t seen = 0;

	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(9));
	for (uint64_t i = 0; i < 9; i += 2)
		oracle_set_number(&t.in[0], i, i & 4 ? NAN : -INFINITY);
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	t.out[1] = op_output(NNPROG_INT32, 0, 0);
	assert_int_equal(op_run(&t), 0);
	for (int i = 0; i < 9; i++)
		seen |= 1u << ((int32_t *)t.out[1].data)[i];
	assert_int_equal(seen, 511);
	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(0, 9));
	op_refused(&t);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tile_random),
		cmocka_unit_test(test_tile_refusals),
		cmocka_unit_test(test_mirror_random),
		cmocka_unit_test(test_mirror_cases),
		cmocka_unit_test(test_space_depth_random),
		cmocka_unit_test(test_space_batch_random),
		cmocka_unit_test(test_space_refusals),
		cmocka_unit_test(test_shuffle_random),
		cmocka_unit_test(test_topk_random),
		cmocka_unit_test(test_topk_nan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
