// SPDX-License-Identifier: Apache-2.0
/* SELECT: the first choice where the condition is true; 8-bit codes become those of the output. */
#include "move.h"
#include "requant.h"

#define CHOOSE(T)                                                       \
	do {                                                            \
		const T *a = (const T *)x + at, *b = (const T *)y + at; \
		T *to = (T *)out + at;                                  \
		for (size_t i = 0; i < n; i++)                          \
			to[i] = condition[i] ? a[i] : b[i];             \
	} while (0)

static void choose(const uint8_t *condition, const void *x, const void *y, void *out, size_t at,
		   size_t n, size_t size)
{
	if (size == 1)
		CHOOSE(uint8_t);
	else if (size == 2)
		CHOOSE(uint16_t);
	else
		CHOOSE(uint32_t);
}

static int select_run(struct nnfw_op_ctx *ctx)
{
	const struct nnfw_tensor *x = &ctx->in[1], *y = &ctx->in[2], *out = &ctx->out[0];
	bool quant = nnfw_is_quant8(out->dtype);
	size_t size = nnprog_dtype_size(out->dtype);
	const uint8_t *condition = ctx->in[0].data;
	struct nnfw_work work = { .progress = ctx->progress };
	int16_t tx[256], ty[256];

	if (quant) {
		nnfw_requant_table(tx, x, out);
		nnfw_requant_table(ty, y, out);
	}
	for (size_t i = 0, n; i < out->elements; i += n) {
		size_t end = nnfw_slice(&work, i, out->elements);

		if (!end)
			return -ECANCELED;
		n = end - i;
		if (quant) {
			const uint8_t *a = (const uint8_t *)x->data + i,
				      *b = (const uint8_t *)y->data + i;
			uint8_t *to = (uint8_t *)out->data + i;

			for (size_t k = 0; k < n; k++)
				to[k] = (uint8_t)(condition[i + k] ? tx[a[k]] : ty[b[k]]);
		} else {
			choose(condition + i, x->data, y->data, out->data, i, n, size);
		}
	}
	return 0;
}

const struct nnfw_op nnfw_op_select = {
	.opcode = NNPROG_OP_SELECT,
	.types = NNFW_TYPE(BOOL8),
	.run = select_run,
};
