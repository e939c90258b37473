// SPDX-License-Identifier: Apache-2.0
/*
 * TOPK: the k greatest of each row, descending, of equals the larger index first. A heap of the
 * best so far, as 64-bit numbers: the value in a form that orders as unsigned, then the index.
 * Zeros are equal whatever their sign; NaNs lie beyond the infinity of their sign.
 *
 * ARG_MINMAX: index of the greatest or least element along an axis; of equals the first.
 */
#include "half/half.h"
#include "isa/isa.h"
#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "q8_arg/q8_arg.h"

static inline uint32_t key_f32(float x)
{
	union {
		float f;
		uint32_t u;
	} v = { .f = x == 0 ? 0 : x };

	return v.u & 0x80000000u ? ~v.u : v.u | 0x80000000u;
}

static inline uint32_t key_f16(uint16_t x)
{
	return key_f32(nnfw_half_to_float(x));
}

static inline uint32_t key_s32(int32_t x)
{
	return (uint32_t)x ^ 0x80000000u;
}

/* Min-heap: the least is at the front; the element at @i may be too great for its place. */
static void topk_sift(uint64_t *heap, size_t n, size_t i)
{
	uint64_t moving = heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= n)
			break;
		if (child + 1 < n && heap[child + 1] < heap[child])
			child++;
		if (moving <= heap[child])
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = moving;
}

/* Sifts cost some cache lines each. */
#define SIFT_WORK 32u

static int topk_order(struct nnfw_work *work, uint64_t *heap, size_t k)
{
	for (size_t j = k / 2; j-- > 0;) {
		if (nnfw_work(work, SIFT_WORK))
			return -ECANCELED;
		topk_sift(heap, k, j);
	}
	return 0;
}

/* Elements [from, end) of a row join the heap of the k greatest. */
#define JOIN(T, KEY)                                                         \
	do {                                                                 \
		const T *x = row;                                            \
		for (size_t i = from; i < end; i++) {                        \
			uint64_t entry = (uint64_t)KEY(x[i]) << 32 | i;      \
                                                                             \
			if (i < k) {                                         \
				heap[i] = entry;                             \
				if (i + 1 == k && topk_order(work, heap, k)) \
					return -ECANCELED;                   \
			} else if (entry > heap[0]) {                        \
				heap[0] = entry;                             \
				topk_sift(heap, k, 0);                       \
			}                                                    \
		}                                                            \
	} while (0)

static int join(struct nnfw_work *work, uint32_t dtype, const void *row, size_t from, size_t end,
		uint64_t *heap, size_t k)
{
	switch (dtype) {
	case NNPROG_FLOAT32:
		JOIN(float, key_f32);
		break;
	case NNPROG_FLOAT16:
		JOIN(uint16_t, key_f16);
		break;
	case NNPROG_INT32:
		JOIN(int32_t, key_s32);
		break;
	case NNPROG_INT8:
		JOIN(int8_t, key_s32);
		break;
	default:
		JOIN(uint8_t, key_s32);
		break;
	}
	return 0;
}

static int store_row(struct nnfw_work *work, const void *row, size_t size, const uint64_t *best,
		     size_t k, void *values, int32_t *indices)
{
	for (size_t i = 0; i < k; i++) {
		uint32_t index = (uint32_t)best[i];

		if (nnfw_work(work, 4))
			return -ECANCELED;
		indices[i] = (int32_t)index;
		if (size == 1)
			((uint8_t *)values)[i] = ((const uint8_t *)row)[index];
		else if (size == 2)
			((uint16_t *)values)[i] = ((const uint16_t *)row)[index];
		else
			((uint32_t *)values)[i] = ((const uint32_t *)row)[index];
	}
	return 0;
}

/* Elements of a row that join between two ticks. */
#define STEP 8192u

static size_t topk_scratch(const struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_topk *a = ctx->attrs;

	return a->k * sizeof(uint64_t);
}

static int topk_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_topk *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0];
	size_t size = nnprog_dtype_size(in->dtype), k = a->k, n, rows;
	struct nnfw_work work = { .progress = ctx->progress };
	uint64_t *heap = ctx->scratch;
	int ret;

	n = in->dims[in->rank - 1];
	rows = in->elements / n;
	for (size_t r = 0; r < rows; r++) {
		const uint8_t *row = (const uint8_t *)in->data + r * n * size;

		for (size_t i = 0; i < n; i += STEP) {
			size_t count = n - i < STEP ? n - i : STEP;

			/* each may be sifted */
			ret = nnfw_work(&work, count * SIFT_WORK / 4);
			if (!ret)
				ret = join(&work, in->dtype, row, i, i + count, heap, k);
			if (ret)
				return ret;
		}
		/* the least goes to the end, again and again */
		for (size_t left = k; left > 1; left--) {
			uint64_t least = heap[0];

			if (nnfw_work(&work, SIFT_WORK))
				return -ECANCELED;
			heap[0] = heap[left - 1];
			heap[left - 1] = least;
			topk_sift(heap, left - 1, 0);
		}
		if (store_row(&work, row, size, heap, k, (uint8_t *)ctx->out[0].data + r * k * size,
			      (int32_t *)ctx->out[1].data + r * k))
			return -ECANCELED;
	}
	return 0;
}

/* Elements between two ticks. */
#define TICK 262144u

/*
 * Indices along @lines lines of elements @inner apart, of which [@from, @to) are looked at; those
 * before have been, of one line, and gave @best. It is not read from @out, which is the client's.
 * The comparison is fixed outside the loop. Returns the last line's.
 */
#define SCAN(T, VALUE)                                                                     \
	do {                                                                               \
		const T *x = (const T *)data + at;                                         \
		for (size_t i = 0; i < lines; i++, x++) {                                  \
			best = from ? best : 0;                                            \
                                                                                           \
			for (size_t k = from ? from : 1; k < to; k++) {                    \
				if (is_min ? VALUE(x[k * inner]) < VALUE(x[best * inner])  \
					   : VALUE(x[k * inner]) > VALUE(x[best * inner])) \
					best = k;                                          \
			}                                                                  \
			out[i] = (int32_t)best;                                            \
		}                                                                          \
	} while (0)

#define PLAIN(x) (x)

NNFW_INLINE size_t scan(uint32_t dtype, const void *data, size_t at, size_t from, size_t to,
			size_t inner, size_t lines, int32_t *out, size_t best, bool is_min)
{
	switch (dtype) {
	case NNPROG_FLOAT32:
		SCAN(float, PLAIN);
		break;
	case NNPROG_FLOAT16:
		SCAN(uint16_t, nnfw_half_to_float);
		break;
	case NNPROG_INT32:
		SCAN(int32_t, PLAIN);
		break;
	case NNPROG_INT8:
		SCAN(int8_t, PLAIN);
		break;
	default:
		SCAN(uint8_t, PLAIN);
		break;
	}
	return best;
}

/* Rows of 8-bit codes, dense. */
struct arg_rows {
	const uint8_t *src;
	int32_t *out;
	size_t n;
	uint8_t flip;
};

static int arg_units(void *arg, uint32_t slot, size_t first, size_t end,
		     struct nnfw_progress *progress)
{
	const struct arg_rows *a = arg;
	const size_t step = STEP / a->n + 1;
	struct nnfw_work work = { .progress = progress };

	(void)slot;
	for (size_t r = first, rows; r < end; r += rows) {
		rows = end - r < step ? end - r : step;
		if (nnfw_work(&work, rows * a->n))
			return -ECANCELED;
		NNFW_KERNELS(q8_arg)->max(a->out + r, a->src + r * a->n, rows, a->n, a->flip);
	}
	return 0;
}

static int arg_of_rows(struct nnfw_op_ctx *ctx, size_t rows, size_t n, bool is_min)
{
	const struct nnfw_tensor *in = &ctx->in[0];
	struct arg_rows a = { .src = in->data,
			      .out = ctx->out[0].data,
			      .n = n,
			      .flip = in->dtype == NNPROG_INT8 ? 0x80 : 0 };

	a.flip ^= is_min ? 0xff : 0;
	return nnfw_split(ctx, rows, STEP * 4 / n + 1, arg_units, &a);
}

static int arg_minmax_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_arg_minmax *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0];
	int32_t *out = ctx->out[0].data;
	size_t outer, n, inner, step, best = 0, since_tick = 0;
	uint32_t axis;

	axis = nnfw_axis(a->axis, in->rank);
	outer = nnfw_extent(in, 0, axis);
	n = in->dims[axis];
	inner = nnfw_extent(in, axis + 1, in->rank);
	if (nnfw_is_quant8(in->dtype) && inner == 1 && n <= STEP)
		return arg_of_rows(ctx, outer, n, a->is_min);
	step = n < TICK ? TICK / n : 1;
	for (size_t o = 0; o < outer; o++) {
		for (size_t i = 0; i < inner; i += step) {
			size_t lines = inner - i < step ? inner - i : step, at = o * n * inner + i;

			for (size_t k = 0; k < n; k += TICK) {
				size_t end = n - k < TICK ? n : k + TICK;

				since_tick += lines * (end - k);
				if (since_tick >= TICK) {
					int ret = nnfw_progress_tick(ctx->progress);

					if (ret)
						return ret;
					since_tick = 0;
				}
				if (a->is_min)
					best = scan(in->dtype, in->data, at, k, end, inner, lines,
						    out, best, true);
				else
					best = scan(in->dtype, in->data, at, k, end, inner, lines,
						    out, best, false);
			}
			out += lines;
		}
	}
	return 0;
}

const struct nnfw_op nnfw_op_topk = {
	.opcode = NNPROG_OP_TOPK,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8 | NNFW_TYPE(INT32),
	.scratch = topk_scratch,
	.run = topk_run,
};

const struct nnfw_op nnfw_op_arg_minmax = {
	.opcode = NNPROG_OP_ARG_MINMAX,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8 | NNFW_TYPE(INT32),
	.run = arg_minmax_run,
};
