// SPDX-License-Identifier: Apache-2.0
/* ARG_MINMAX: index of the greatest or least element along an axis; of equals the first. */
#include "ops.h"

/* Elements between two ticks. */
#define TICK 262144u

/* Indices along @lines lines of elements @inner apart, of which [@from, @to) are looked at; those
 * before have been. The comparison is fixed outside the loop. */
#define SCAN(T, VALUE)                                                                     \
	do {                                                                               \
		const T *x = (const T *)data + at;                                         \
		for (size_t i = 0; i < lines; i++, x++) {                                  \
			size_t best = from ? (size_t)out[i] : 0;                           \
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

NNFW_INLINE void scan(uint32_t dtype, const void *data, size_t at, size_t from, size_t to,
		      size_t inner, size_t lines, int32_t *out, bool is_min)
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
}

static int arg_minmax_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_arg_minmax *a = ctx->attrs;
	const struct nnfw_tensor *in = &ctx->in[0];
	int32_t *out = ctx->out[0].data;
	size_t outer, n, inner, step, since_tick = 0;
	uint32_t axis;

	axis = nnfw_axis(a->axis, in->rank);
	outer = nnfw_extent(in, 0, axis);
	n = in->dims[axis];
	inner = nnfw_extent(in, axis + 1, in->rank);
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
					scan(in->dtype, in->data, at, k, end, inner, lines, out,
					     true);
				else
					scan(in->dtype, in->data, at, k, end, inner, lines, out,
					     false);
			}
			out += lines;
		}
	}
	return 0;
}

const struct nnfw_op nnfw_op_arg_minmax = {
	.opcode = NNPROG_OP_ARG_MINMAX,
	.types = NNFW_TYPES_FLOAT | NNFW_TYPES_QUANT8 | NNFW_TYPE(INT32),
	.run = arg_minmax_run,
};
