// SPDX-License-Identifier: Apache-2.0
/*
 * LSH_PROJECTION, RANDOM_MULTINOMIAL and DENSIFY; the public algorithms they name by known answers.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "kernels/kernel.h"
#include "op_harness.h"
#include "oracle.h"
#include "test_case.h"

/* Of bytes 1, 8, 15, ..., by FarmHash's own library: every branch of the lengths. */
TEST(test_fingerprint)
{
	static const struct {
		size_t len;
		uint64_t want;
	} known[] = {
		{ 0, 0x9ae16a3b2f90404fu },   { 1, 0x47a24c13b17e583eu },
		{ 3, 0x26b4da356b8b9558u },   { 4, 0xefc83e8c71df5af5u },
		{ 7, 0x1fafa9edd289ae25u },   { 8, 0xd442a22feec8439au },
		{ 15, 0x7f9b0297bac70335u },  { 16, 0x0db0c6c6cfc9cc97u },
		{ 17, 0x33fce0bef0c317a9u },  { 24, 0x92c6da0261997720u },
		{ 32, 0x3ff780b33fa8801au },  { 33, 0x9a5b1c0ff4a38467u },
		{ 48, 0xdebf10e37608eab3u },  { 64, 0x111fa8723e25adcau },
		{ 65, 0x0366ab6067b570b1u },  { 100, 0x7ac913e1ca079610u },
		{ 127, 0x3f0ed94dc9c5d70cu }, { 128, 0xce22f72c75b92bbfu },
		{ 129, 0x3dac9153fd008293u }, { 192, 0x9f7fed12508ba244u },
		{ 300, 0xfbd0e797a70bc97cu },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		uint8_t *bytes = malloc(known[i].len + 1);

		/* no byte beyond the given length is read */
		for (size_t k = 0; k < known[i].len; k++)
			bytes[k] = (uint8_t)(k * 7 + 1);
		assert_true(nnfw_fingerprint64(bytes, known[i].len) == known[i].want);
		free(bytes);
	}
}

/* Philox 4x32-10 by its definition. */
static void philox(const uint32_t counter[4], const uint32_t start[2], uint32_t words[4])
{
	uint32_t key[2] = { start[0], start[1] };

	for (int i = 0; i < 4; i++)
		words[i] = counter[i];
	for (int round = 0; round < 10; round++) {
		uint64_t a = (uint64_t)0xd2511f53u * words[0], b = (uint64_t)0xcd9e8d57u * words[2];

		words[0] = (uint32_t)(b >> 32) ^ words[1] ^ key[0];
		words[2] = (uint32_t)(a >> 32) ^ words[3] ^ key[1];
		words[1] = (uint32_t)b;
		words[3] = (uint32_t)a;
		key[0] += 0x9e3779b9u;
		key[1] += 0xbb67ae85u;
	}
}

/* Known answers of the algorithm's authors. */
TEST(test_philox)
{
	static const struct {
		uint32_t counter[4], key[2];
		uint32_t want[4];
	} known[] = {
		{ { 0 }, { 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
		{ { ~0u, ~0u, ~0u, ~0u },
		  { ~0u, ~0u },
		  { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
		{ { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
		  { 0xa4093822, 0x299f31d0 },
		  { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
	};
	uint32_t words[4];

	for (int i = 0; i < 3; i++) {
		philox(known[i].counter, known[i].key, words);
		assert_memory_equal(words, known[i].want, sizeof(words));
	}
}

TEST(test_lsh)
{
	static const uint32_t inputs[] = { NNPROG_FLOAT32, NNPROG_FLOAT16, NNPROG_INT32,
					   NNPROG_UINT8 };

	op_seed(70);
	for (uint32_t round = 0; round < 200; round++) {
		uint32_t type = op_random(2) ? NNPROG_FLOAT32 : NNPROG_FLOAT16,
			 rows = op_random_range(1, 4), length = op_random_range(1, 50);
		uint32_t hashes = op_random_range(1, 4),
			 bits = op_random(8) ? op_random_range(1, 8) : 32;
		struct nnprog_attr_lsh a = { .type = round % 3 + 1 };
		struct op_test t = { .opcode = NNPROG_OP_LSH_PROJECTION, .attrs = &a, .num_in = 3 };
		size_t size;

		t.in[0] = op_tensor(type, DIMS(hashes, bits));
		t.in[1] = op_tensor(inputs[op_random(4)], DIMS(rows, length));
		t.in[2] = a.type == 2 ? op_tensor(type, DIMS(rows)) : op_omitted();
		t.out[0] = op_output(NNPROG_INT32, 0, 0);
		assert_int_equal(op_run(&t), 0);
		size = t.in[1].size / rows;
		for (uint32_t i = 0; i < hashes; i++) {
			uint64_t signature = 0;

			for (uint32_t j = 0; j < bits; j++) {
				float seed = (float)oracle_number(&t.in[0], i * bits + j);
				double sum = 0;

				for (uint32_t r = 0; r < rows; r++) {
					uint8_t key[4 + 200];

					memcpy(key, &seed, 4);
					memcpy(key + 4, (uint8_t *)t.in[1].data + r * size, size);
					sum += (a.type == 2 ? oracle_number(&t.in[2], r) : 1) *
					       (double)(int64_t)nnfw_fingerprint64(key, 4 + size);
				}
				signature = 2 * signature + (sum > 0);
				if (a.type == 2)
					assert_int_equal(((int32_t *)t.out[0].data)[i * bits + j],
							 sum > 0);
			}
			if (a.type == 3)
				signature += (uint64_t)i << bits;
			if (a.type != 2)
				assert_int_equal(((uint32_t *)t.out[0].data)[i],
						 (uint32_t)signature);
		}
		t.in[2] = a.type == 2 ? op_omitted() : op_tensor(type, DIMS(rows));
		op_refused(&t);
	}
}

/* Class number @n that is drawn of @classes of equal mass. */
static uint32_t drawn(const int32_t seeds[2], uint32_t n, uint32_t classes)
{
	const uint32_t counter[4] = { n / 2, 0, (uint32_t)seeds[1], seeds[1] < 0 ? ~0u : 0 };
	const uint32_t key[2] = { (uint32_t)seeds[0], seeds[0] < 0 ? ~0u : 0 };
	uint32_t words[4], high, low;

	philox(counter, key, words);
	high = words[n % 2 * 2];
	low = words[n % 2 * 2 + 1];
	return (uint32_t)(ldexp((double)((uint64_t)(high & 0xfffff) << 32 | low), -52) * classes);
}

/* The draws of two seeds are the same with every library and processor. */
TEST(test_multinomial_draws)
{
	static const int32_t seeds[][2] = {
		{ 1, 0 }, { 37, 2009 }, { -5, -1 }, { INT32_MIN, INT32_MAX }
	};

	op_seed(73);
	for (size_t k = 0; k < sizeof(seeds) / sizeof(seeds[0]); k++) {
		struct nnprog_attr_multinomial a = { .samples = 501 };
		struct op_test t = { .opcode = NNPROG_OP_RANDOM_MULTINOMIAL,
				     .attrs = &a,
				     .num_in = 2 };

		t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(3, 8));
		memset(t.in[0].data, 0, t.in[0].size);
		t.in[1] = op_values(DIMS(2), seeds[k]);
		t.out[0] = op_output(NNPROG_INT32, 0, 0);
		assert_int_equal(op_run(&t), 0);
		for (uint32_t n = 0; n < 3 * a.samples; n++)
			assert_int_equal(((int32_t *)t.out[0].data)[n], drawn(seeds[k], n, 8));
		op_release();
	}
}

TEST(test_multinomial)
{
	op_seed(71);
	for (uint32_t round = 0; round < 24; round++) {
		uint32_t type = round % 2 ? NNPROG_FLOAT16 : NNPROG_FLOAT32,
			 batch = op_random_range(1, 3), classes = op_random_range(1, 6);
		struct nnprog_attr_multinomial a = { .samples = 20001 };
		struct op_test t = { .opcode = NNPROG_OP_RANDOM_MULTINOMIAL,
				     .attrs = &a,
				     .num_in = 2 };
		int32_t seeds[2] = { (int32_t)round - 8, 37 };

		t.in[0] = op_tensor(type, DIMS(batch, classes));
		if (classes > 2)
			oracle_set_number(&t.in[0], 1, round % 4 < 2 ? INFINITY : NAN);
		t.in[1] = op_values(DIMS(2), seeds);
		t.out[0] = op_output(NNPROG_INT32, 0, 0);
		assert_int_equal(op_run(&t), 0);
		for (uint32_t b = 0; b < batch; b++) {
			double total = 0, count[6] = { 0 };

			for (uint32_t s = 0; s < a.samples; s++) {
				int32_t c = ((int32_t *)t.out[0].data)[b * a.samples + s];

				assert_true(c >= 0 && (uint32_t)c < classes);
				count[c]++;
			}
			for (uint32_t c = 0; c < classes; c++) {
				double v = oracle_number(&t.in[0], b * classes + c);

				total += isfinite(v) ? exp(v) : 0;
			}
			for (uint32_t c = 0; c < classes; c++) {
				double v = oracle_number(&t.in[0], b * classes + c);
				double p = isfinite(v) ? exp(v) / total : 0;

				/* five standard deviations */
				assert_true(fabs(count[c] / a.samples - p) <=
					    5 * sqrt(p * (1 - p) / a.samples) + 1e-12);
			}
		}
		a.samples = 0;
		op_refused(&t);
	}
}

/* ---- DENSIFY ---- */

#define MAX 4096

struct layout {
	uint32_t rank, blocks, levels;
	int32_t traversal[8], map[4], format[8], size[8];
	/* the stored values of each level */
	int32_t segments[8][MAX], indices[8][MAX];
	uint32_t num_segments[8], num_indices[8];
	uint32_t dims[4];
	uint32_t num_values;
	double values[MAX], dense[MAX];
};

static double zero_of(const struct nnfw_tensor *t)
{
	return t->scale > 0 ? t->zero_point : 0;
}

/* Write down level @l under the prefix @index: rows of CSR keep a random part of their elements. */
static void build(struct layout *p, uint32_t l, int32_t *index, uint32_t type)
{
	if (l == p->levels) {
		uint32_t at[4] = { 0 };
		double v = type == NNPROG_BOOL8 ? 1 : op_random_range(1, 100);

		for (uint32_t k = 0; k < p->levels; k++) {
			uint32_t d = (uint32_t)(k < p->rank
							? p->traversal[k]
							: p->map[p->traversal[k] - (int)p->rank]);

			at[d] = at[d] * (uint32_t)p->size[k] + (uint32_t)index[k];
		}
		p->values[p->num_values++] = v;
		p->dense[oracle_flat(p->rank, p->dims, at)] = v;
		return;
	}
	if (p->format[l] && !p->num_segments[l])
		p->segments[l][p->num_segments[l]++] = 0;
	for (index[l] = 0; index[l] < p->size[l]; index[l]++) {
		if (p->format[l]) {
			if (op_random(3) == 0)
				continue;
			p->indices[l][p->num_indices[l]++] = index[l];
		}
		build(p, l + 1, index, type);
	}
	if (p->format[l])
		p->segments[l][p->num_segments[l]++] = (int32_t)p->num_indices[l];
}

static void make_layout(struct layout *p, uint32_t type, double zero)
{
	int32_t index[8];

	memset(p, 0, sizeof(*p));
	p->rank = op_random_range(1, 3);
	p->blocks = op_random(3);
	p->levels = p->rank + p->blocks;
	for (uint32_t i = 0; i < p->levels; i++) {
		uint32_t from = i < p->rank ? 0 : p->rank, j = op_random_range(from, i);

		/* inserted at a random place of its kind */
		p->traversal[i] = p->traversal[j];
		p->traversal[j] = (int32_t)i;
		p->format[i] = (int32_t)op_random(2);
		p->size[i] = (int32_t)op_random_range(1, 4);
	}
	for (uint32_t b = 0; b < p->blocks; b++)
		p->map[b] = (int32_t)op_random(p->rank);
	for (uint32_t l = 0; l < p->levels; l++) {
		uint32_t d = (uint32_t)(l < p->rank ? p->traversal[l]
						    : p->map[p->traversal[l] - (int)p->rank]);

		p->dims[d] = (p->dims[d] ? p->dims[d] : 1) * (uint32_t)p->size[l];
	}
	for (uint32_t i = 0; i < MAX; i++)
		p->dense[i] = zero;
	build(p, 0, index, type);
}

static struct op_test densify_test(const struct layout *p, uint32_t type, float scale,
				   int32_t zero_point)
{
	struct op_test t = { .opcode = NNPROG_OP_DENSIFY, .num_in = 5 + 2 * p->levels };

	t.in[0] = op_tensor(type, DIMS(p->num_values));
	op_quantize(&t.in[0], scale, zero_point);
	for (uint32_t i = 0; i < p->num_values; i++)
		oracle_set_number(&t.in[0], i, p->values[i]);
	t.in[1] = op_values(DIMS(p->levels), p->traversal);
	t.in[2] = p->blocks || op_random(2) ? op_values(DIMS(p->blocks), p->map) : op_omitted();
	t.in[3] = op_values(DIMS(p->levels), p->format);
	t.in[4] = op_values(DIMS(p->levels), p->size);
	for (uint32_t l = 0; l < p->levels; l++) {
		t.in[5 + 2 * l] = p->format[l] ? op_values(DIMS(p->num_segments[l]), p->segments[l])
					       : op_omitted();
		t.in[6 + 2 * l] = p->format[l] ? op_values(DIMS(p->num_indices[l]), p->indices[l])
					       : op_omitted();
	}
	t.out[0] = op_output(type, scale, zero_point);
	return t;
}

TEST(test_densify)
{
	static const uint32_t types[] = { NNPROG_FLOAT32, NNPROG_FLOAT16, NNPROG_INT32,
					  NNPROG_BOOL8,	  NNPROG_UINT8,	  NNPROG_INT8,
					  NNPROG_INT16,	  NNPROG_UINT16 };
	static struct layout p;

	op_seed(72);
	for (uint32_t round = 0; round < 400; round++) {
		uint32_t type = types[round % 8];
		bool quantized = round % 8 >= 4;
		struct nnfw_tensor like = { .scale = quantized ? 0.5f : 0,
					    .zero_point = type == NNPROG_INT16 || !quantized
								  ? 0
								  : (int)op_random(100) };
		struct op_test t;

		make_layout(&p, type, zero_of(&like));
		t = densify_test(&p, type, like.scale, like.zero_point);
		if (op_run(&t))
			fail_msg("round %u: %s", round, t.error);
		assert_int_equal(t.out[0].rank, p.rank);
		assert_memory_equal(t.out[0].dims, p.dims, p.rank * sizeof(uint32_t));
		oracle_compare(&t.out[0], p.dense, "densify");
		op_release();
	}
}

/* Random errors in the description: an error or a valid tensor, never an access out of bounds. */
TEST(test_densify_hostile)
{
	static const int32_t wild[] = { -1, INT32_MIN, INT32_MAX, 0, 1, 2, 5, 1000 };
	static struct layout p;
	uint32_t refused = 0;

	op_seed(73);
	for (uint32_t round = 0; round < 1000; round++) {
		uint32_t k, changed = 0;
		struct op_test t;
		int ret;

		make_layout(&p, NNPROG_FLOAT32, 0);
		/*
		 * shapes as the layout has them: absurd sizes are refused by the descriptor or
		 * change them
		 */
		t = densify_test(&p, NNPROG_FLOAT32, 0, 0);
		for (int tries = 0; tries < 3; tries++) {
			k = op_random_range(1, t.num_in - 1);
			if (k == 4 || t.in[k].omitted || !t.in[k].elements)
				continue;
			((int32_t *)t.in[k].data)[op_random((uint32_t)t.in[k].elements)] =
				wild[op_random(8)];
			changed++;
		}
		ret = op_run(&t);
		assert_true(ret == 0 || ret == -EINVAL || ret == -EOVERFLOW);
		assert_true(ret == 0 || changed);
		refused += ret != 0;
		op_release();
	}
	assert_true(refused > 200);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fingerprint),
		cmocka_unit_test(test_philox),
		cmocka_unit_test(test_lsh),
		cmocka_unit_test(test_multinomial),
		cmocka_unit_test(test_multinomial_draws),
		cmocka_unit_test(test_densify),
		cmocka_unit_test(test_densify_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
