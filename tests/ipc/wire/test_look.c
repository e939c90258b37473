// SPDX-License-Identifier: Apache-2.0
/* When who waits for a packet looks for it before sleeping: the policy of isolation.rst. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "nnutil_clock.h"
#include "wire/look.h"

#define US ((int64_t)1000)

/* A wait of @us; @seen if it looks. Whether it looked. */
static bool wait_us(struct nnipc_look *look, int64_t us, bool seen)
{
	static int64_t now = 1;
	bool looks;

	nnipc_look_begin(look, now, -1);
	looks = look->until_ns != 0;
	if (looks)
		assert_int_equal(look->until_ns - now, 100 * US);
	now += us * US;
	nnipc_look_end(look, now, looks && seen);
	now += US;
	return looks;
}

/* The affinity of the tests' machine is not theirs to say. */
static struct nnipc_look beside_another(void)
{
	struct nnipc_look look = { 0 };

	assert_false(wait_us(&look, 10, true));
	look.lonely = false;
	return look;
}

static void test_after_a_quick_wait(void **state)
{
	struct nnipc_look look = beside_another();

	(void)state;
	for (int i = 0; i < 100; i++)
		assert_true(wait_us(&look, 10, true));
	/* a long one was looked at in vain, and the next one sleeps */
	assert_true(wait_us(&look, 1000, false));
	assert_false(wait_us(&look, 10, true));
}

static void test_not_after_a_long_wait(void **state)
{
	struct nnipc_look look = { 0 };

	(void)state;
	for (int i = 0; i < 100; i++)
		assert_false(wait_us(&look, 250, true));
}

static void test_in_vain(void **state)
{
	struct nnipc_look look = beside_another();
	int sleeps, looks = 0;

	(void)state;
	/* 1, 2, 4... 64 waits that sleep at once between two that look, then always 64 */
	for (int round = 0; round < 9; round++) {
		assert_true(wait_us(&look, 150, false));
		look.lonely = false;
		for (sleeps = 0; sleeps < (round < 6 ? 1 << round : 64); sleeps++)
			assert_false(wait_us(&look, 150, false));
	}
	/* seen once: as if there had been no other */
	assert_true(wait_us(&look, 10, true));
	for (int i = 0; i < 10; i++)
		looks += wait_us(&look, 10, true);
	assert_int_equal(looks, 10);
}

static void test_alone_on_a_processor(void **state)
{
	struct nnipc_look look = { 0 };
	cpu_set_t all, one;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&one);
	for (size_t cpu = 0; !CPU_COUNT(&one); cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	for (int i = 0; i < 10; i++)
		assert_false(wait_us(&look, 10, true));
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	/* checked again after the next pause */
	wait_us(&look, 1000, true);
	wait_us(&look, 10, true);
	assert_int_equal(wait_us(&look, 10, true), CPU_COUNT(&all) > 1);
}

static void test_deadline(void **state)
{
	struct nnipc_look look = beside_another();
	int64_t now = nnutil_monotonic_ns();

	(void)state;
	nnipc_look_begin(&look, now, now + 7 * US);
	assert_int_equal(look.until_ns, now + 7 * US);
	while (nnipc_look_on(&look))
		;
	assert_true(nnutil_monotonic_ns() >= now + 7 * US);
	nnipc_look_end(&look, nnutil_monotonic_ns(), false);
	nnipc_look_begin(&look, now, -1);
	assert_false(nnipc_look_on(&look));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_after_a_quick_wait),
		cmocka_unit_test(test_not_after_a_long_wait),
		cmocka_unit_test(test_in_vain),
		cmocka_unit_test(test_alone_on_a_processor),
		cmocka_unit_test(test_deadline),
	};

	return cmocka_run_group_tests_name("ipc-look", tests, NULL, NULL);
}
