// SPDX-License-Identifier: Apache-2.0
/*
 * SLICE, STRIDED_SLICE, SPLIT, REVERSE, GATHER, HASHTABLE_LOOKUP, SQUEEZE, EXPAND_DIMS, FILL, RANK.
 */
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

/* Dimensions of the greatest rank, and one more. */
static uint32_t ones[NNPROG_MAX_RANK + 1];

static const uint8_t *element(const struct nnfw_tensor *t, uint64_t i)
{
	return (const uint8_t *)t->data + i * nnprog_dtype_size(t->dtype);
}

static void random_tensor(struct op_test *t, uint32_t dtype, uint32_t rank, uint32_t most)
{
	uint32_t dims[8];

	for (uint32_t d = 0; d < rank; d++)
		dims[d] = op_random_range(1, most);
	t->in[0] = op_tensor(dtype, rank, dims);
	if (dtype == NNPROG_UINT8 || dtype == NNPROG_INT8)
		op_quantize(&t->in[0], 0.5f, op_zero_point(dtype));
	for (uint32_t i = 0; i < 3; i++)
		t->out[i] = op_output(dtype, t->in[0].scale, t->in[0].zero_point);
}

/* ---- SLICE ---- */

TEST(test_slice_random)
{
	op_seed(70);
	for (uint32_t round = 0; round < 600; round++) {
		uint32_t dtype = round % NNPROG_DTYPE_COUNT, rank = op_random_range(1, 6), at[8];
		struct op_test t = { .opcode = NNPROG_OP_SLICE, .num_in = 3 };
		int32_t begin[8], size[8];

		random_tensor(&t, dtype, rank, 5);
		for (uint32_t d = 0; d < rank; d++) {
			uint32_t rest;

			begin[d] = (int32_t)op_random(op_random(10) ? t.in[0].dims[d]
								    : t.in[0].dims[d] + 1);
			rest = t.in[0].dims[d] - (uint32_t)begin[d];
			size[d] = op_random(4) ? (int32_t)op_random(rest + 1) : -1;
			if (op_random(4) && !size[d] && rest)
				size[d] = 1;
		}
		t.in[1] = op_values(DIMS(rank), begin);
		t.in[2] = op_values(DIMS(rank), size);
		assert_int_equal(op_run(&t), 0);
		for (uint32_t d = 0; d < rank; d++)
			assert_int_equal(t.out[0].dims[d],
					 size[d] >= 0 ? (uint32_t)size[d]
						      : t.in[0].dims[d] - (uint32_t)begin[d]);
		for (uint64_t i = 0; i < t.out[0].elements; i++) {
			oracle_unflat(rank, t.out[0].dims, i, at);
			for (uint32_t d = 0; d < rank; d++)
				at[d] += (uint32_t)begin[d];
			assert_memory_equal(element(&t.out[0], i),
					    element(&t.in[0], oracle_flat(rank, t.in[0].dims, at)),
					    nnprog_dtype_size(dtype));
		}
		op_release();
	}
}

TEST(test_slice_refusals)
{
	static const struct {
		int32_t begin[2], size[2];
		int ret;
	} cases[] = {
		{ { 0, 0 }, { 3, 4 }, 0 },
		{ { 3, 0 }, { 0, 4 }, 0 },
		{ { 3, 0 }, { -1, 4 }, 0 },
		{ { 4, 0 }, { -1, 4 }, -EINVAL },
		{ { 4, 0 }, { 0, 4 }, -EINVAL },
		{ { 1, 0 }, { 3, 4 }, -EINVAL },
		{ { -1, 0 }, { 1, 4 }, -EINVAL },
		{ { 0, 0 }, { -2, 4 }, -EINVAL },
		{ { INT32_MAX, 0 }, { INT32_MAX, 4 }, -EINVAL },
		{ { INT32_MIN, 0 }, { INT32_MIN, 4 }, -EINVAL },
	};
	struct op_test t = { .opcode = NNPROG_OP_SLICE, .num_in = 3 };

	t.in[0] = op_tensor(NNPROG_INT32, DIMS(3, 4));
	t.out[0] = op_output(NNPROG_INT32, 0, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		t.in[1] = op_values(DIMS(2), cases[i].begin);
		t.in[2] = op_values(DIMS(2), cases[i].size);
		assert_int_equal(op_run(&t), cases[i].ret);
	}
	t.in[2] = op_values(DIMS(1), cases[0].size);
	assert_int_equal(op_run(&t), -EINVAL);
	/* a zero-sized input is one of those that are fine */
	t.in[0] = op_tensor(NNPROG_INT32, DIMS(0, 4));
	t.in[1] = op_values(DIMS(2), (int32_t[]){ 0, 1 });
	t.in[2] = op_values(DIMS(2), (int32_t[]){ -1, 2 });
	assert_int_equal(op_run(&t), 0);
	assert_int_equal(t.out[0].dims[1], 2);
	op_release();
}

/* ---- STRIDED_SLICE ---- */

/* The indices that are taken, one after the other. */
static uint32_t take(int64_t dim, int64_t begin, int64_t end, int64_t stride, bool begin_masked,
		     bool end_masked, int64_t *list)
{
	uint32_t n = 0;

	begin = begin < 0 ? begin + dim : begin;
	end = end < 0 ? end + dim : end;
	if (begin_masked)
		begin = stride > 0 ? 0 : dim - 1;
	if (end_masked)
		end = stride > 0 ? dim : -1;
	if (stride > 0 && begin < 0)
		begin = 0;
	if (stride < 0 && begin >= dim)
		begin = dim - 1;
	for (int64_t i = begin; i >= 0 && i < dim && (stride > 0 ? i < end : i > end); i += stride)
		list[n++] = i;
	return n;
}

TEST(test_strided_slice_random)
{
	uint32_t shrunk = 0, empty = 0;

	op_seed(71);
	for (uint32_t round = 0; round < 3000; round++) {
		uint32_t dtype = round % NNPROG_DTYPE_COUNT, rank = op_random_range(1, 5), n[8],
			 at[8], kept = 0;
		struct nnprog_attr_strided_slice a = { op_random(32), op_random(32), 0, 0 };
		struct op_test t = { .opcode = NNPROG_OP_STRIDED_SLICE, .attrs = &a, .num_in = 4 };
		int32_t begin[8], end[8], strides[8];
		int64_t list[8][8];
		bool bad = false;

		random_tensor(&t, dtype, rank, 6);
		for (uint32_t d = 0; d < rank; d++) {
			begin[d] = (int32_t)op_random(20) - 10;
			end[d] = (int32_t)op_random(20) - 10;
			strides[d] = (int32_t)op_random(7) - 3;
			strides[d] = strides[d] ? strides[d] : 1;
			if (!op_random(3))
				end[d] = begin[d] + (strides[d] > 0 ? 1 : -1);
			n[d] = take(t.in[0].dims[d], begin[d], end[d], strides[d],
				    a.begin_mask >> d & 1, a.end_mask >> d & 1, list[d]);
			if (n[d] == 1 && strides[d] > 0 && op_random(2))
				a.shrink_mask |= 1u << d;
			if (!op_random(60)) {
				a.shrink_mask |= 1u << d;
				bad |= n[d] != 1 || strides[d] < 0;
			}
		}
		t.in[1] = op_values(DIMS(rank), begin);
		t.in[2] = op_values(DIMS(rank), end);
		t.in[3] = op_values(DIMS(rank), strides);
		assert_int_equal(op_run(&t), bad ? -EINVAL : 0);
		for (uint32_t d = 0; d < rank && !bad; d++)
			if (!(a.shrink_mask >> d & 1))
				assert_int_equal(t.out[0].dims[kept++], n[d]);
		if (!bad && !kept)
			assert_int_equal(t.out[0].dims[kept++], 1);
		if (!bad)
			assert_int_equal(t.out[0].rank, kept);
		shrunk += a.shrink_mask && !bad;
		empty += !bad && !t.out[0].elements;
		for (uint64_t i = 0; i < t.out[0].elements && !bad; i++) {
			/*
			 * removed dimensions have one element: row-major order is the same with
			 * them
			 */
			oracle_unflat(rank, n, i, at);
			for (uint32_t d = 0; d < rank; d++)
				at[d] = (uint32_t)list[d][at[d]];
			assert_memory_equal(element(&t.out[0], i),
					    element(&t.in[0], oracle_flat(rank, t.in[0].dims, at)),
					    nnprog_dtype_size(dtype));
		}
		op_release();
	}
	assert_true(shrunk > 100 && empty > 100);
}

TEST(test_strided_slice_refusals)
{
	struct nnprog_attr_strided_slice a = { 0 };
	struct op_test t = { .opcode = NNPROG_OP_STRIDED_SLICE, .attrs = &a, .num_in = 4 };

	t.in[0] = op_tensor(NNPROG_UINT8, DIMS(5));
	t.out[0] = op_output(NNPROG_UINT8, 0, 0);
	t.in[1] = op_values(DIMS(1), (int32_t[]){ -1 });
	t.in[2] = op_values(DIMS(1), (int32_t[]){ -6 });
	t.in[3] = op_values(DIMS(1), (int32_t[]){ -2 });
	assert_int_equal(op_run(&t), 0);
	assert_int_equal(t.out[0].dims[0], 3);
	t.in[3] = op_values(DIMS(1), (int32_t[]){ 0 });
	assert_int_equal(op_run(&t), -EINVAL);
	/* the limits of int32 cause no overflow */
	t.in[1] = op_values(DIMS(1), (int32_t[]){ INT32_MAX });
	t.in[2] = op_values(DIMS(1), (int32_t[]){ INT32_MIN });
	t.in[3] = op_values(DIMS(1), (int32_t[]){ INT32_MIN });
	assert_int_equal(op_run(&t), 0);
	assert_int_equal(t.out[0].dims[0], 1);
	t.in[3] = op_values(DIMS(1), (int32_t[]){ INT32_MAX });
	assert_int_equal(op_run(&t), 0);
	assert_int_equal(t.out[0].dims[0], 0);
	a.shrink_mask = 1u << NNPROG_MAX_RANK;
	assert_int_equal(op_run(&t), -EINVAL);
	a.shrink_mask = 0;
	t.in[0] = op_tensor(NNPROG_UINT8, DIMS(0));
	assert_int_equal(op_run(&t), -EINVAL);
	assert_non_null(strstr(t.error, "no elements"));
	op_release();
}

/* Contents in client memory that change after inference are noticed, not followed. */
TEST(test_slices_changed)
{
	const struct nnfw_op *slice = nnfw_op_table[NNPROG_OP_SLICE];
	const struct nnfw_op *strided = nnfw_op_table[NNPROG_OP_STRIDED_SLICE];
	struct nnprog_attr_strided_slice a = { 0 };
	struct nnfw_tensor in[4], out;
	struct nnfw_op_ctx ctx = { .attrs = &a, .in = in, .num_in = 3, .out = &out, .num_out = 1 };

	in[0] = op_tensor(NNPROG_UINT8, DIMS(4));
	in[1] = op_values(DIMS(1), (int32_t[]){ 1 });
	in[2] = op_values(DIMS(1), (int32_t[]){ 2 });
	in[3] = op_values(DIMS(1), (int32_t[]){ 1 });
	out = op_tensor(NNPROG_UINT8, DIMS(2));
	assert_int_equal(slice->run(&ctx), 0);
	for (int32_t bad = -5; bad <= 5; bad++) {
		*(int32_t *)in[1].data = bad;
		assert_int_equal(slice->run(&ctx), bad >= 0 && bad <= 2 ? 0 : -EINVAL);
	}
	*(int32_t *)in[1].data = 1;
	*(int32_t *)in[2].data = 3;
	assert_int_equal(slice->run(&ctx), -EINVAL);
	ctx.num_in = 4;
	assert_int_equal(strided->run(&ctx), 0);
	*(int32_t *)in[2].data = 4;
	assert_int_equal(strided->run(&ctx), -EINVAL);
	*(int32_t *)in[2].data = 3;
	*(int32_t *)in[3].data = 0;
	assert_int_equal(strided->run(&ctx), -EINVAL);
	op_release();
}

/* ---- SPLIT, REVERSE ---- */

TEST(test_split_random)
{
	op_seed(72);
	for (uint32_t round = 0; round < 300; round++) {
		uint32_t dtype = round % NNPROG_DTYPE_COUNT, rank = op_random_range(1, 5),
			 axis = op_random(rank), at[8];
		struct nnprog_attr_axis a = { (int32_t)axis - (op_random(2) ? (int32_t)rank : 0),
					      0 };
		struct op_test t = { .opcode = NNPROG_OP_SPLIT,
				     .attrs = &a,
				     .num_in = 1,
				     .num_out = op_random_range(1, 3) };
		uint32_t extent;

		random_tensor(&t, dtype, rank, 6);
		extent = t.in[0].dims[axis] / t.num_out;
		if (t.in[0].dims[axis] % t.num_out) {
			op_refused(&t);
			continue;
		}
		assert_int_equal(op_run(&t), 0);
		for (uint32_t k = 0; k < t.num_out; k++) {
			assert_int_equal(t.out[k].dims[axis], extent);
			for (uint64_t i = 0; i < t.out[k].elements; i++) {
				oracle_unflat(rank, t.out[k].dims, i, at);
				at[axis] += k * extent;
				assert_memory_equal(element(&t.out[k], i),
						    element(&t.in[0],
							    oracle_flat(rank, t.in[0].dims, at)),
						    nnprog_dtype_size(dtype));
			}
		}
		op_release();
	}
}

TEST(test_reverse_random)
{
	op_seed(73);
	for (uint32_t round = 0; round < 300; round++) {
		uint32_t dtype = round % NNPROG_DTYPE_COUNT, rank = op_random_range(1, 8), at[8];
		int32_t axis = (int32_t)op_random(rank + 2) - 1;
		struct op_test t = { .opcode = NNPROG_OP_REVERSE, .num_in = 2 };
		bool bad = axis < 0 || axis >= (int32_t)rank;

		random_tensor(&t, dtype, rank, 3);
		t.in[1] = op_values(DIMS(1), &axis);
		assert_int_equal(op_run(&t), bad ? -EINVAL : 0);
		for (uint64_t i = 0; i < t.out[0].elements && !bad; i++) {
			oracle_unflat(rank, t.out[0].dims, i, at);
			at[axis] = t.in[0].dims[axis] - 1 - at[axis];
			assert_memory_equal(element(&t.out[0], i),
					    element(&t.in[0], oracle_flat(rank, t.in[0].dims, at)),
					    nnprog_dtype_size(dtype));
		}
		op_release();
	}
}

/* ---- GATHER, HASHTABLE_LOOKUP ---- */

TEST(test_gather_random)
{
	op_seed(74);
	for (uint32_t round = 0; round < 600; round++) {
		uint32_t dtype = round % NNPROG_DTYPE_COUNT, rank = op_random_range(1, 4),
			 more = op_random(4);
		uint32_t axis = op_random(rank), dims[4], at[8], own[8], where[8];
		struct nnprog_attr_axis a = { (int32_t)axis - (op_random(2) ? (int32_t)rank : 0),
					      0 };
		struct op_test t = { .opcode = NNPROG_OP_GATHER, .attrs = &a, .num_in = 2 };
		int32_t *indices, extent;
		bool bad = false;

		random_tensor(&t, dtype, rank, 4);
		for (uint32_t d = 0; d < more; d++)
			dims[d] = op_random_range(1, 3);
		t.in[1] = op_tensor(NNPROG_INT32, more, dims);
		indices = t.in[1].data;
		extent = (int32_t)t.in[0].dims[axis];
		for (uint64_t i = 0; i < t.in[1].elements; i++) {
			indices[i] = (int32_t)op_random((uint32_t)extent);
			if (!op_random(100)) {
				indices[i] = op_random(2) ? -1 : extent;
				bad = true;
			}
		}
		assert_int_equal(op_run(&t), bad ? -EINVAL : 0);
		if (!bad)
			assert_int_equal(t.out[0].rank, rank - 1 + more);
		for (uint64_t i = 0; i < t.out[0].elements && !bad; i++) {
			oracle_unflat(t.out[0].rank, t.out[0].dims, i, at);
			for (uint32_t d = 0; d < more; d++)
				where[d] = at[axis + d];
			for (uint32_t d = 0; d < rank; d++)
				own[d] =
					d < axis ? at[d]
					: d > axis
						? at[d - 1 + more]
						: (uint32_t)indices[oracle_flat(more, dims, where)];
			assert_memory_equal(element(&t.out[0], i),
					    element(&t.in[0], oracle_flat(rank, t.in[0].dims, own)),
					    nnprog_dtype_size(dtype));
		}
		op_release();
	}
}

TEST(test_gather_refusals)
{
	struct nnprog_attr_axis a = { 2, 0 };
	struct op_test t = { .opcode = NNPROG_OP_GATHER, .attrs = &a, .num_in = 2 };

	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(2, 3));
	t.in[1] = op_values(DIMS(1), (int32_t[]){ INT32_MIN });
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	assert_int_equal(op_run(&t), -EINVAL);
	a.axis = 1;
	assert_int_equal(op_run(&t), -EINVAL);
	*(int32_t *)t.in[1].data = 2;
	assert_int_equal(op_run(&t), 0);
	t.in[1] = op_tensor(NNPROG_INT32, DIMS(0));
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[1] = op_tensor(NNPROG_INT32, NNPROG_MAX_RANK, ones);
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(1));
	op_refused(&t);
}

TEST(test_hashtable_random)
{
	op_seed(75);
	for (uint32_t round = 0; round < 300; round++) {
		uint32_t dtype = round % NNPROG_DTYPE_COUNT, n = op_random_range(1, 9),
			 k = op_random_range(1, 8), rank = op_random_range(1, 4);
		struct op_test t = { .opcode = NNPROG_OP_HASHTABLE_LOOKUP,
				     .num_in = 3,
				     .num_out = 2 };
		uint32_t dims[4] = { n };
		size_t row = nnprog_dtype_size(dtype);
		int32_t keys[9], lookups[8];

		for (uint32_t d = 1; d < rank; d++) {
			dims[d] = op_random_range(1, 3);
			row *= dims[d];
		}
		for (uint32_t i = 0; i < n; i++)
			keys[i] = (i ? keys[i - 1] : -10) + (int32_t)op_random_range(1, 3);
		for (uint32_t i = 0; i < k; i++)
			lookups[i] = (int32_t)op_random(30) - 12;
		t.in[0] = op_values(DIMS(k), lookups);
		t.in[1] = op_values(DIMS(n), keys);
		t.in[2] = op_tensor(dtype, rank, dims);
		t.out[0] = op_output(dtype, 0, 0);
		t.out[1] = op_output(NNPROG_UINT8, 1, 0);
		assert_int_equal(op_run(&t), 0);
		for (uint32_t i = 0; i < k; i++) {
			const uint8_t *got = (const uint8_t *)t.out[0].data + i * row;
			uint8_t zeros[128] = { 0 };
			uint32_t at;

			for (at = 0; at < n && keys[at] != lookups[i]; at++)
				;
			assert_int_equal(((uint8_t *)t.out[1].data)[i], at < n);
			assert_memory_equal(
				got, at < n ? (const uint8_t *)t.in[2].data + at * row : zeros,
				row);
		}
		op_release();
	}
}

TEST(test_hashtable_refusals)
{
	struct op_test t = { .opcode = NNPROG_OP_HASHTABLE_LOOKUP, .num_in = 3, .num_out = 2 };

	t.in[0] = op_values(DIMS(2), (int32_t[]){ INT32_MIN, INT32_MAX });
	/* keys out of order: whatever is found lies inside */
	t.in[1] = op_values(DIMS(3), (int32_t[]){ INT32_MAX, 0, INT32_MIN });
	t.in[2] = op_tensor(NNPROG_FLOAT32, DIMS(3, 2));
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	t.out[1] = op_output(NNPROG_UINT8, 1, 0);
	assert_int_equal(op_run(&t), 0);
	t.in[2] = op_tensor(NNPROG_FLOAT32, DIMS(2, 2));
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[2] = op_tensor(NNPROG_FLOAT32, DIMS(3, 0));
	assert_int_equal(op_run(&t), -EINVAL);
	t.in[2] = op_tensor(NNPROG_FLOAT32, DIMS(3, 2));
	t.out[1].dtype = NNPROG_BOOL8;
	op_refused(&t);
}

/* ---- SQUEEZE, EXPAND_DIMS, FILL, RANK ---- */

TEST(test_squeeze)
{
	static const struct {
		uint32_t rank, dims[4];
		int32_t axes[3], n; /* n < 0: omitted */
		uint32_t out_rank, out[4];
		int ret;
	} cases[] = {
		{ 4, { 1, 3, 1, 2 }, { 0 }, -1, 2, { 3, 2 }, 0 },
		{ 4, { 1, 3, 1, 2 }, { 0 }, 1, 3, { 3, 1, 2 }, 0 },
		{ 4, { 1, 3, 1, 2 }, { -2, 2 }, 2, 3, { 1, 3, 2 }, 0 },
		{ 4, { 1, 3, 1, 2 }, { 0, 2, -4 }, 3, 2, { 3, 2 }, 0 },
		{ 2, { 1, 1 }, { 0 }, -1, 1, { 1 }, 0 },
		{ 2, { 1, 1 }, { 0, 1 }, 2, 1, { 1 }, 0 },
		{ 2, { 1, 3 }, { 1 }, 1, 0, { 0 }, -EINVAL },
		{ 2, { 1, 3 }, { 2 }, 1, 0, { 0 }, -EINVAL },
		{ 2, { 1, 3 }, { -3 }, 1, 0, { 0 }, -EINVAL },
		{ 2, { 1, 0 }, { 0 }, 1, 0, { 0 }, -EINVAL },
	};

	for (uint32_t dtype = 0; dtype < NNPROG_DTYPE_COUNT; dtype++) {
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			struct op_test t = { .opcode = NNPROG_OP_SQUEEZE, .num_in = 2 };

			t.in[0] = op_tensor(dtype, cases[i].rank, cases[i].dims);
			t.in[1] = cases[i].n < 0
					  ? op_omitted()
					  : op_values(DIMS((uint32_t)cases[i].n), cases[i].axes);
			t.out[0] = op_output(dtype, 0, 0);
			assert_int_equal(op_run(&t), cases[i].ret);
			if (!cases[i].ret) {
				assert_int_equal(t.out[0].rank, cases[i].out_rank);
				assert_memory_equal(t.out[0].dims, cases[i].out,
						    cases[i].out_rank * 4);
				assert_memory_equal(t.out[0].data, t.in[0].data, t.in[0].size);
			}
			op_release();
		}
	}
}

TEST(test_expand_dims)
{
	static const uint32_t want[3][3] = { { 1, 2, 3 }, { 2, 1, 3 }, { 2, 3, 1 } };

	for (int32_t axis = -4; axis <= 3; axis++) {
		struct nnprog_attr_axis a = { axis, 0 };
		struct op_test t = { .opcode = NNPROG_OP_EXPAND_DIMS, .attrs = &a, .num_in = 1 };
		bool bad = axis < -3 || axis > 2;

		t.in[0] = op_tensor(NNPROG_FLOAT16, DIMS(2, 3));
		t.out[0] = op_output(NNPROG_FLOAT16, 0, 0);
		assert_int_equal(op_run(&t), bad ? -EINVAL : 0);
		if (!bad) {
			assert_int_equal(t.out[0].rank, 3);
			assert_memory_equal(t.out[0].dims, want[axis < 0 ? axis + 3 : axis], 12);
			assert_memory_equal(t.out[0].data, t.in[0].data, t.in[0].size);
		}
		t.in[0] = op_tensor(NNPROG_FLOAT16, NNPROG_MAX_RANK, ones);
		assert_int_equal(op_run(&t), -EINVAL);
		t.in[0] = op_tensor(NNPROG_FLOAT16, DIMS(2, 0));
		op_refused(&t);
	}
}

TEST(test_fill_rank)
{
	for (uint32_t dtype = 0; dtype < NNPROG_DTYPE_COUNT; dtype++) {
		struct op_test t = { .opcode = NNPROG_OP_FILL, .num_in = 2 };
		struct op_test r = { .opcode = NNPROG_OP_RANK, .num_in = 1 };

		t.in[0] = op_values(DIMS(3), (int32_t[]){ 3, 1, 5 });
		t.in[1] = op_tensor(dtype, 0, (uint32_t[]){ 0 });
		t.out[0] = op_output(dtype, 0, 0);
		assert_int_equal(op_run(&t), 0);
		assert_int_equal(t.out[0].elements, 15);
		for (uint32_t i = 0; i < 15; i++)
			assert_memory_equal(element(&t.out[0], i), t.in[1].data,
					    nnprog_dtype_size(dtype));
		for (uint32_t rank = 1; rank <= 8; rank++) {
			r.in[0] = op_tensor(dtype, rank, (uint32_t[]){ 1, 2, 1, 2, 1, 2, 1, 2 });
			r.out[0] = op_output(NNPROG_INT32, 0, 0);
			assert_int_equal(op_run(&r), 0);
			assert_int_equal(r.out[0].rank, 0);
			assert_int_equal(*(int32_t *)r.out[0].data, rank);
		}
		t.in[0] = op_values(DIMS(2), (int32_t[]){ 3, 0 });
		assert_int_equal(op_run(&t), 0);
		assert_int_equal(t.out[0].elements, 0);
		t.in[0] = op_values(DIMS(2), (int32_t[]){ 3, -1 });
		assert_int_equal(op_run(&t), -EINVAL);
		t.in[0] = op_values(DIMS(2), (int32_t[]){ INT32_MAX, INT32_MAX });
		assert_int_equal(op_run(&t), -EOVERFLOW);
		t.in[0] = op_values(DIMS(NNPROG_MAX_RANK + 1), (const int32_t *)ones);
		assert_int_equal(op_run(&t), -EINVAL);
		t.in[0] = op_tensor(NNPROG_INT32, DIMS(0));
		op_refused(&t);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slice_random),
		cmocka_unit_test(test_slice_refusals),
		cmocka_unit_test(test_strided_slice_random),
		cmocka_unit_test(test_strided_slice_refusals),
		cmocka_unit_test(test_slices_changed),
		cmocka_unit_test(test_split_random),
		cmocka_unit_test(test_reverse_random),
		cmocka_unit_test(test_gather_random),
		cmocka_unit_test(test_gather_refusals),
		cmocka_unit_test(test_hashtable_random),
		cmocka_unit_test(test_hashtable_refusals),
		cmocka_unit_test(test_squeeze),
		cmocka_unit_test(test_expand_dims),
		cmocka_unit_test(test_fill_rank),
	};

	for (uint32_t i = 0; i <= NNPROG_MAX_RANK; i++)
		ones[i] = 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
