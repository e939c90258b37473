// SPDX-License-Identifier: Apache-2.0
/*
 * Which programs use AMX, and when the process asks the kernel for it: each case is a process of
 * its own, because the permission and the comparison of products are the process's.
 */
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "core_programs.h"
#include "fake_platform.h"
#include "test_case.h"
#include "tiles_emulator.h"

#define N 512u
/* 26 and 4 million products. */
#define HEAVY 100u
#define LIGHT 16u

struct bench {
	struct fake fake;
	int8_t in[HEAVY * N], out[HEAVY * N];
	uint64_t seqno;
};

static struct bench *bench_start(uint32_t flags)
{
	const struct nnfw_config config = { .abi_version = NNFW_ABI_VERSION, .flags = flags };
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	fake_start(&b->fake, &config);
	assert_int_equal(nnfw_context_open(b->fake.fw, 1), 0);
	assert_int_equal(nnfw_queue_create(b->fake.fw, 1, 1, 1), 0);
	fake_allow(&b->fake, 1, b->in, sizeof(b->in), false);
	fake_allow(&b->fake, 1, b->out, sizeof(b->out), true);
	for (size_t i = 0; i < sizeof(b->in); i++)
		b->in[i] = (int8_t)(i * 40503u >> 8);
	return b;
}

static void bench_stop(struct bench *b)
{
	fake_stop(&b->fake);
	free(b);
}

/* Whether it ends with OK. Its output stays in @b. */
static bool run(struct bench *b, uint32_t rows)
{
	struct core_program p = program_products(rows, N);
	struct nnaccel_arg args[2] = {
		{ .addr = (uintptr_t)b->in, .size = rows * N, .rank = 2, .dims = { rows, N } },
		{ .addr = (uintptr_t)b->out, .size = rows * N },
	};
	struct nnaccel_job job = {
		.op = NNACCEL_JOB_RUN,
		.num_args = 2,
		.seqno = ++b->seqno,
		.program_addr = (uintptr_t)p.bytes,
		.program_size = p.size,
	};
	struct nnaccel_completion c;

	fake_allow(&b->fake, 1, p.bytes, p.size, false);
	assert_int_equal(nnfw_submit(b->fake.fw, 1, &job, args), 0);
	c = fake_wait(&b->fake, 1, job.seqno);
	free(p.bytes);
	return c.status == NNACCEL_STATUS_OK;
}

/* The instructions were executed; the processor's own cannot be counted. */
static bool amx_was_used(void)
{
	return tiles_emulated() ? tiles_grant.products > 0 : tiles_grant.requests > 0;
}

/* The bits are those of a firmware without AMX. */
static bool output_is_right(const struct bench *b, uint32_t rows)
{
	struct bench *other = bench_start(NNFW_CONFIG_NO_AMX);
	bool right = run(other, rows) && !memcmp(b->out, other->out, rows * N);

	bench_stop(other);
	return right;
}

static int light(void)
{
	struct bench *b = bench_start(0);

	CHECK(run(b, LIGHT));
	CHECK(!tiles_grant.requests && !tiles_grant.products);
	bench_stop(b);
	return 0;
}

static int heavy(void)
{
	struct bench *b = bench_start(0);
	unsigned int compared;

	CHECK(run(b, LIGHT));
	CHECK(run(b, HEAVY));
	CHECK(tiles_grant.requests == 1 && amx_was_used());
	CHECK(output_is_right(b, HEAVY));
	/* it is granted and compared now */
	compared = tiles_grant.products;
	CHECK(run(b, HEAVY - 1) && tiles_grant.requests == 1);
	CHECK(!tiles_emulated() || tiles_grant.products > compared);
	bench_stop(b);
	return 0;
}

static int light_beside_heavy(void)
{
	struct bench *b = bench_start(0);
	unsigned int products;

	CHECK(run(b, HEAVY));
	products = tiles_grant.products;
	CHECK(run(b, LIGHT) && tiles_grant.products == products);
	bench_stop(b);
	return 0;
}

static int refused_by_the_host(void)
{
	struct bench *b = bench_start(NNFW_CONFIG_NO_AMX);

	CHECK(run(b, HEAVY));
	CHECK(!tiles_grant.requests && !tiles_grant.products);
	bench_stop(b);
	return 0;
}

static int refused_by_the_kernel(void)
{
	struct bench *b = bench_start(0);

	tiles_grant.refused = true;
	CHECK(run(b, HEAVY));
	CHECK(tiles_grant.requests == 1 && !tiles_grant.products);
	CHECK(output_is_right(b, HEAVY));
	/* a later program requests it again: the small stack that was in the way may be gone */
	tiles_grant.refused = false;
	CHECK(run(b, HEAVY - 1));
	CHECK(tiles_grant.requests == 2 && amx_was_used());
	bench_stop(b);
	return 0;
}

static int another_set_is_named(void)
{
	struct bench *b;

	setenv("NNACCEL_ISA", "avx512vnni", 1);
	b = bench_start(0);
	CHECK(run(b, HEAVY));
	CHECK(!tiles_grant.requests && !tiles_grant.products);
	bench_stop(b);
	return 0;
}

static int wrong_products(void)
{
	unsigned int products;
	struct bench *b;

	if (!tiles_emulated())
		return 0;
	b = bench_start(0);
	tiles_grant.wrong = true;
	CHECK(run(b, HEAVY));
	products = tiles_grant.products;
	CHECK(products > 0);
	CHECK(output_is_right(b, HEAVY));
	CHECK(run(b, HEAVY - 1) && tiles_grant.products == products);
	bench_stop(b);
	return 0;
}

#define CASE(name)                                  \
	static void test_##name(void **s)           \
	{                                           \
		(void)s;                            \
		child_end(child_start(NULL, name)); \
	}

CASE(light)
CASE(heavy)
CASE(light_beside_heavy)
CASE(refused_by_the_host)
CASE(refused_by_the_kernel)
CASE(another_set_is_named)
CASE(wrong_products)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_light),
		cmocka_unit_test(test_heavy),
		cmocka_unit_test(test_light_beside_heavy),
		cmocka_unit_test(test_refused_by_the_host),
		cmocka_unit_test(test_refused_by_the_kernel),
		cmocka_unit_test(test_another_set_is_named),
		cmocka_unit_test(test_wrong_products),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
