// SPDX-License-Identifier: Apache-2.0
/* Spinning for a packet before sleeping: the policy of isolation.rst. */
#include <sched.h>

#include "nnutil_clock.h"
#include "test_case.h"
#include "wire/nnipc_wire.h"

#define US ((int64_t)1000)

/* A wait of @us; @seen: a spin finds the packet. Returns whether it spun. */
static bool wait_us(struct nnipc_spin *spin, int64_t us, bool seen)
{
	static int64_t now = 1;
	bool spins;

	nnipc_spin_begin(spin, now, -1);
	spins = spin->until_ns != 0;
	if (spins)
		assert_int_equal(spin->until_ns - now, 100 * US);
	now += us * US;
	nnipc_spin_end(spin, now, spins && seen);
	now += US;
	return spins;
}

/* The affinity of the tests' machine is not theirs to say. */
static struct nnipc_spin beside_another(void)
{
	struct nnipc_spin spin = { 0 };

	assert_false(wait_us(&spin, 10, true));
	spin.single_cpu = false;
	return spin;
}

TEST(test_after_a_quick_wait)
{
	struct nnipc_spin spin = beside_another();

	for (int i = 0; i < 100; i++)
		assert_true(wait_us(&spin, 10, true));
	/* the spin of a long one fails, and the next one sleeps */
	assert_true(wait_us(&spin, 1000, false));
	assert_false(wait_us(&spin, 10, true));
}

TEST(test_not_after_a_long_wait)
{
	struct nnipc_spin spin = { 0 };

	for (int i = 0; i < 100; i++)
		assert_false(wait_us(&spin, 250, true));
}

TEST(test_failed_spins)
{
	struct nnipc_spin spin = beside_another();
	int sleeps, spins = 0;

	/* 1, 2, 4... 64 waits that sleep at once between two that spin, then always 64 */
	for (int round = 0; round < 9; round++) {
		assert_true(wait_us(&spin, 150, false));
		spin.single_cpu = false;
		for (sleeps = 0; sleeps < (round < 6 ? 1 << round : 64); sleeps++)
			assert_false(wait_us(&spin, 150, false));
	}
	/* one spin that finds the packet clears the count */
	assert_true(wait_us(&spin, 10, true));
	for (int i = 0; i < 10; i++)
		spins += wait_us(&spin, 10, true);
	assert_int_equal(spins, 10);
}

TEST(test_alone_on_a_processor)
{
	struct nnipc_spin spin = { 0 };
	cpu_set_t all, one;

	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&one);
	for (size_t cpu = 0; !CPU_COUNT(&one); cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	for (int i = 0; i < 10; i++)
		assert_false(wait_us(&spin, 10, true));
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	/* checked again after the next pause */
	wait_us(&spin, 1000, true);
	wait_us(&spin, 10, true);
	assert_int_equal(wait_us(&spin, 10, true), CPU_COUNT(&all) > 1);
}

TEST(test_deadline)
{
	struct nnipc_spin spin = beside_another();
	int64_t now = nnutil_monotonic_ns();

	nnipc_spin_begin(&spin, now, now + 7 * US);
	assert_int_equal(spin.until_ns, now + 7 * US);
	while (nnipc_spin_again(&spin))
		;
	assert_true(nnutil_monotonic_ns() >= now + 7 * US);
	nnipc_spin_end(&spin, nnutil_monotonic_ns(), false);
	nnipc_spin_begin(&spin, now, -1);
	assert_false(nnipc_spin_again(&spin));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_after_a_quick_wait),
		cmocka_unit_test(test_not_after_a_long_wait),
		cmocka_unit_test(test_failed_spins),
		cmocka_unit_test(test_alone_on_a_processor),
		cmocka_unit_test(test_deadline),
	};

	return cmocka_run_group_tests_name("ipc-spin", tests, NULL, NULL);
}
