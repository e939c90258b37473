// SPDX-License-Identifier: Apache-2.0
/*
 * LSH_PROJECTION: bits that say on which side of random planes the input lies. The planes are
 * fingerprints of a seed before each row's bytes; sums are in double.
 */
#include <string.h>

#include "fingerprint.h"
#include "real.h"

enum { HASH = 0, INPUT, WEIGHT };
enum { SPARSE_DEPRECATED = 1, DENSE, SPARSE };

static size_t row_size(const struct nnfw_op_ctx *ctx)
{
	return ctx->in[INPUT].size / ctx->in[INPUT].dims[0];
}

static size_t lsh_scratch(const struct nnfw_op_ctx *ctx)
{
	return nnfw_align(sizeof(float) + row_size(ctx)) + nnfw_real_view_size(&ctx->in[HASH]) +
	       nnfw_real_view_size(&ctx->in[WEIGHT]);
}

/* One bit; @key has room for a seed and a row. */
static int sign(struct nnfw_op_ctx *ctx, struct nnfw_work *work, float seed, const float *weights,
		uint8_t *key, uint32_t *bit)
{
	const uint8_t *row = ctx->in[INPUT].data;
	size_t size = row_size(ctx);
	double sum = 0;

	memcpy(key, &seed, sizeof(seed));
	for (uint32_t i = 0; i < ctx->in[INPUT].dims[0]; i++, row += size) {
		double value;

		if (nnfw_work(work, size / 4 + 16))
			return -ECANCELED;
		memcpy(key + sizeof(seed), row, size);
		value = (double)(int64_t)nnfw_fingerprint64(key, sizeof(seed) + size);
		sum += weights ? (double)weights[i] * value : value;
	}
	*bit = sum > 0;
	return 0;
}

static int lsh_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_lsh *a = ctx->attrs;
	uint32_t hashes = ctx->in[HASH].dims[0], bits = ctx->in[HASH].dims[1];
	uint8_t *next = ctx->scratch, *key = nnfw_take(&next, sizeof(float) + row_size(ctx));
	struct nnfw_work work = { .progress = ctx->progress };
	const float *seeds, *weights;
	int32_t *out = ctx->out[0].data;

	if (nnfw_real_view(ctx->progress, &ctx->in[HASH], &next, &seeds) ||
	    nnfw_real_view(ctx->progress, &ctx->in[WEIGHT], &next, &weights))
		return -ECANCELED;

	for (uint32_t i = 0; i < hashes; i++) {
		uint64_t signature = 0;

		for (uint32_t j = 0; j < bits; j++) {
			size_t n = (size_t)i * bits + j;
			uint32_t bit;
			int ret = sign(ctx, &work, seeds[n], weights, key, &bit);

			if (ret)
				return ret;
			signature = signature << 1 | bit;
			if (a->type == DENSE)
				out[n] = (int32_t)bit;
		}
		if (a->type == SPARSE)
			signature += (uint64_t)i << bits;
		if (a->type != DENSE)
			out[i] = (int32_t)(uint32_t)signature;
	}
	return 0;
}

const struct nnfw_op nnfw_op_lsh_projection = {
	.opcode = NNPROG_OP_LSH_PROJECTION,
	.types = NNFW_TYPES_FLOAT,
	.scratch = lsh_scratch,
	.run = lsh_run,
};
