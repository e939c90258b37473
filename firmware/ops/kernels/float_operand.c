// SPDX-License-Identifier: Apache-2.0
#include "half/half.h"
#include "kernels/kernel.h"

int nnfw_float_view(struct nnfw_work *work, const struct nnfw_tensor *t, float *mem,
		    const float **out)
{
	*out = t->dtype == NNPROG_FLOAT32 ? t->data : mem;
	return t->dtype == NNPROG_FLOAT32 ? 0
					  : nnfw_half_load_long(work, mem, t->data, t->elements);
}

int nnfw_load_half(const struct nnfw_op_ctx *ctx, const struct nnfw_tensor *t, void **state,
		   size_t *size)
{
	struct nnfw_work work = { .progress = ctx->progress };

	if (t->dtype != NNPROG_FLOAT16 || !t->constant || !t->data)
		return 0;
	*size = nnfw_align(t->elements * sizeof(float));
	*state = nnfw_alloc_state(ctx, *size);
	if (!*state)
		return -ENOMEM;
	return nnfw_half_load_long(&work, *state, t->data, t->elements);
}
