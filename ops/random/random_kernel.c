// SPDX-License-Identifier: Apache-2.0
/*
 * LSH_PROJECTION: bits that say on which side of random planes the input lies. The planes are
 * fingerprints of a seed before each row's bytes; sums are in double.
 *
 * RANDOM_MULTINOMIAL: classes drawn with probabilities e^logit, by Philox 4x32-10 under two seeds.
 * Both seeds 0: other numbers in every run.
 */
#include <Random123/philox.h>
#include <math.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "kernels/kernel.h"
#include "nnfw_ops.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnutil_file.h"

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

#define TICK 4096u

/* Random words: four from each value of a counter, under a key. */
struct stream {
	philox4x32_ctr_t counter;
	philox4x32_key_t key;
};

static void next_words(struct stream *s, uint32_t words[4])
{
	const philox4x32_ctr_t r = philox4x32(s->counter, s->key);

	memcpy(words, r.v, sizeof(r.v));
	for (int i = 0; i < 4 && !++s->counter.v[i];)
		i++;
}

/* [0, 1) with 52 random bits. */
static double random_uniform(uint32_t high, uint32_t low)
{
	return ldexp((double)((uint64_t)(high & 0xfffffu) << 32 | low), -52);
}

/* Cumulative masses of a row of logits; logits that are not finite have none. Their total. */
static int random_accumulate(struct nnfw_work *work, const struct nnfw_tensor *logits, size_t row,
			     float *mem, double *sums, double *out)
{
	size_t classes = logits->dims[1];
	double total = 0;
	float max = -INFINITY;

	if (nnfw_real_load_long(work, mem, logits, row * classes, classes))
		return -ECANCELED;
	for (size_t c = 0; c < classes; c++) {
		if (nnfw_work(work, 1))
			return -ECANCELED;
		if (isfinite(mem[c]) && mem[c] > max)
			max = mem[c];
	}
	for (size_t c = 0; c < classes; c++) {
		if (nnfw_work(work, 4))
			return -ECANCELED;
		if (isfinite(mem[c]))
			total += exp((double)mem[c] - (double)max);
		sums[c] = total;
	}
	*out = total;
	return 0;
}

/* First class whose cumulative mass is above @at, or the last one. */
static int32_t random_find(const double *sums, size_t classes, double at)
{
	size_t lo = 0, hi = classes - 1;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;

		if (sums[middle] > at)
			hi = middle;
		else
			lo = middle + 1;
	}
	return (int32_t)lo;
}

static struct stream seeded(const int32_t *seeds)
{
	uint32_t words[4] = { (uint32_t)seeds[0], 0, (uint32_t)seeds[1], 0 };

	/* 64-bit seeds that were sign extended: one is the key, one half of the counter */
	words[1] = seeds[0] < 0 ? UINT32_MAX : 0;
	words[3] = seeds[1] < 0 ? UINT32_MAX : 0;
	if (!seeds[0] && !seeds[1] &&
	    getrandom(words, sizeof(words), GRND_NONBLOCK) != sizeof(words)) {
		struct timespec now;

		clock_gettime(CLOCK_REALTIME, &now);
		words[0] = (uint32_t)now.tv_sec;
		words[2] = (uint32_t)now.tv_nsec;
	}
	return (struct stream){ .counter = { { 0, 0, words[2], words[3] } },
				.key = { { words[0], words[1] } } };
}

static size_t multinomial_scratch(const struct nnfw_op_ctx *ctx)
{
	size_t classes = ctx->in[0].dims[1];

	return nnfw_align(classes * sizeof(float)) + nnfw_align(classes * sizeof(double));
}

static int multinomial_run(struct nnfw_op_ctx *ctx)
{
	const struct nnprog_attr_multinomial *a = ctx->attrs;
	const int32_t *given = ctx->in[1].data;
	int32_t seeds[2] = { NNUTIL_READ_ONCE(given[0]), NNUTIL_READ_ONCE(given[1]) },
		*out = ctx->out[0].data;
	size_t batch = ctx->in[0].dims[0], classes = ctx->in[0].dims[1];
	struct stream stream = seeded(seeds);
	uint8_t *next = ctx->scratch;
	float *mem = nnfw_take(&next, classes * sizeof(float));
	double *sums = nnfw_take(&next, classes * sizeof(double));
	struct nnfw_work work = { .progress = ctx->progress };
	uint32_t words[4], used = 4;

	for (size_t b = 0; b < batch; b++) {
		double total;

		if (random_accumulate(&work, &ctx->in[0], b, mem, sums, &total))
			return -ECANCELED;
		for (size_t s = 0; s < a->samples; s++, used += 2) {
			if (s % TICK == 0 && nnfw_progress_tick(ctx->progress))
				return -ECANCELED;
			if (used == 4) {
				next_words(&stream, words);
				used = 0;
			}
			*out++ = random_find(sums, classes,
					     random_uniform(words[used], words[used + 1]) * total);
		}
	}
	return 0;
}

const struct nnfw_op nnfw_op_lsh_projection = {
	.opcode = NNPROG_OP_LSH_PROJECTION,
	.types = NNFW_TYPES_FLOAT,
	.scratch = lsh_scratch,
	.run = lsh_run,
};

const struct nnfw_op nnfw_op_random_multinomial = {
	.opcode = NNPROG_OP_RANDOM_MULTINOMIAL,
	.types = NNFW_TYPES_FLOAT,
	.scratch = multinomial_scratch,
	.run = multinomial_run,
};
