// SPDX-License-Identifier: Apache-2.0
/*
 * Weights that operations have packed are given back: results stay, the charge falls, and a program
 * that cannot be loaded again stays loaded.
 */
#include <stdlib.h>
#include <string.h>

#include "core_programs.h"
#include "fake_platform.h"
#include "test_case.h"

#define WIDE 256u
#define LAYERS 8u
/* Of all matrices of a program. */
#define WEIGHTS ((uint64_t)LAYERS * WIDE * WIDE * sizeof(float))
/* But for the first and the last page of each. */
#define LEAST (WEIGHTS - (uint64_t)LAYERS * 2 * 4096)
#define PROGRAMS 4

struct bench {
	struct fake fake;
	struct core_program programs[PROGRAMS];
	float in[WIDE], out[WIDE];
	uint64_t seqno, discarded;
	bool damaged; /* bytes outside of the program, or that are no whole pages */
};

/* As the kernel does it: pages of zeros. */
static void on_discard(struct fake *fake, const struct nnfw_map *map, void *from, size_t size)
{
	struct bench *b = fake->hook;
	const uintptr_t at = (uintptr_t)from, begin = (uintptr_t)map->ptr;

	b->damaged |= at % 4096 || size % 4096 || at < begin || at + size > begin + map->len;
	memset(from, 0, size);
	b->discarded += size;
}

/* How the firmware gets the programs: as copies, or in place; and then, whether it may discard. */
enum memory { COPIED, IN_PLACE, IN_PLACE_KEPT };

static struct bench *bench(uint64_t quota, enum memory memory)
{
	const struct nnfw_config config = { .abi_version = NNFW_ABI_VERSION,
					    .program_quota = quota };
	struct bench *b = calloc(1, sizeof(*b));

	b->fake.hook = b;
	b->fake.constant = memory != COPIED;
	b->fake.on_discard = memory == IN_PLACE_KEPT ? NULL : on_discard;
	fake_start(&b->fake, &config);
	assert_int_equal(nnfw_context_open(b->fake.fw, 1), 0);
	fake_allow(&b->fake, 1, b->in, sizeof(b->in), false);
	fake_allow(&b->fake, 1, b->out, sizeof(b->out), true);
	for (int i = 0; i < PROGRAMS; i++) {
		b->programs[i] = program_layers(WIDE, LAYERS);
		fake_allow(&b->fake, 1, b->programs[i].bytes, b->programs[i].size, false);
	}
	assert_int_equal(nnfw_queue_create(b->fake.fw, 1, 1, 1), 0);
	for (uint32_t i = 0; i < WIDE; i++)
		b->in[i] = (float)(i % 5) - 2;
	return b;
}

static void finish(struct bench *b)
{
	assert_false(b->damaged);
	fake_stop(&b->fake);
	for (int i = 0; i < PROGRAMS; i++)
		free(b->programs[i].bytes);
	free(b);
}

static uint32_t run(struct bench *b, int program)
{
	const struct nnaccel_arg args[2] = {
		{ .addr = (uintptr_t)b->in, .size = sizeof(b->in), .rank = 2, .dims = { 1, WIDE } },
		{ .addr = (uintptr_t)b->out, .size = sizeof(b->out) },
	};
	const struct nnaccel_job job = { .op = NNACCEL_JOB_RUN,
					 .num_args = 2,
					 .seqno = ++b->seqno,
					 .program_addr = (uintptr_t)b->programs[program].bytes,
					 .program_size = b->programs[program].size };

	memset(b->out, 0, sizeof(b->out));
	assert_int_equal(nnfw_submit(b->fake.fw, 1, &job, args), 0);
	return fake_wait(&b->fake, 1, b->seqno).status;
}

static uint64_t charged(struct bench *b)
{
	struct nnfw_stats stats;

	nnfw_stats(b->fake.fw, &stats);
	return stats.program_bytes;
}

static uint64_t loads(struct bench *b)
{
	struct nnfw_stats stats;

	nnfw_stats(b->fake.fw, &stats);
	return stats.bytes_loaded / b->programs[0].size;
}

/* A run after the weights have gone, beside one of a firmware that cannot give them back. */
TEST(test_results_stay)
{
	struct bench *b = bench(0, IN_PLACE_KEPT);
	float want[WIDE];
	uint64_t all;

	assert_int_equal(run(b, 0), NNACCEL_STATUS_OK);
	memcpy(want, b->out, sizeof(want));
	all = charged(b);
	finish(b);

	b = bench(0, IN_PLACE);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(run(b, 0), NNACCEL_STATUS_OK);
		assert_memory_equal(b->out, want, sizeof(want));
	}
	assert_true(b->discarded >= LEAST && b->discarded <= WEIGHTS);
	assert_int_equal(charged(b), all - b->discarded);
	finish(b);
}

/* A copy of the firmware's own is made again from the client's memory, which stays as it is. */
TEST(test_copy)
{
	struct bench *b = bench(0, COPIED);
	float want[WIDE];
	uint64_t one;

	assert_int_equal(run(b, 0), NNACCEL_STATUS_OK);
	assert_int_equal(b->discarded, 0);
	one = charged(b);
	memcpy(want, b->out, sizeof(want));
	finish(b);
	/* room for one that is being loaded: each load drops the other program */
	b = bench(one + WEIGHTS + WEIGHTS / 2, COPIED);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(run(b, i % 2), NNACCEL_STATUS_OK);
		assert_memory_equal(b->out, want, sizeof(want));
	}
	assert_int_equal(loads(b), 4);
	finish(b);
}

/* Programs that have given their weights back have half of the quota; the others can be dropped. */
TEST(test_half_of_the_quota)
{
	struct bench *b = bench(0, IN_PLACE);
	uint64_t kept;

	assert_int_equal(run(b, 0), NNACCEL_STATUS_OK);
	kept = charged(b);
	finish(b);

	/* two are kept, and there is room for one more as it is loaded */
	b = bench(4 * kept + kept / 2, IN_PLACE);
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < PROGRAMS; i++)
			assert_int_equal(run(b, i), NNACCEL_STATUS_OK);
	assert_true(b->discarded >= 2 * LEAST && b->discarded <= 2 * WEIGHTS);
	/* of the first two one load each, of the others one each round */
	assert_int_equal(loads(b), 2 + 2 * 3);
	/* the client takes one away, and another one has its place */
	assert_int_equal(nnfw_program_unload(b->fake.fw, 1, (uintptr_t)b->programs[0].bytes), 0);
	assert_int_equal(run(b, 2), NNACCEL_STATUS_OK);
	finish(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results_stay),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_half_of_the_quota),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
