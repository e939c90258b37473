// SPDX-License-Identifier: Apache-2.0
/* Temperature, power and clock of the emulated card follow its load. */
#include <math.h>

#include "card/card.h"
#include "test_case.h"

#define TICK_NS 100000000ull

static void must_be(double value, double expected, double most)
{
	if (fabs(value - expected) > most)
		fail_msg("%g instead of %g", value, expected);
}

/* @ticks with a part of the time busy, in thousandths of one engine of @engines. */
static void go_on(struct telemetry *t, int ticks, uint64_t busy, uint32_t engines)
{
	for (int i = 0; i < ticks; i++)
		telemetry_update(t, t->at_ns + TICK_NS, t->busy_ns + TICK_NS * busy / 1000, 0,
				 engines);
}

TEST(test_idle)
{
	struct telemetry t;

	telemetry_init(&t, 7);
	go_on(&t, 100, 0, 1);
	must_be(t.temperature, 39, 1e-9);
	must_be(t.power, 0.5, 1e-9);
	assert_int_equal(t.clock_mhz, 200);
}

TEST(test_busy_and_idle_again)
{
	struct telemetry t;
	double warm;

	telemetry_init(&t, 0);
	go_on(&t, 1, 1000, 1);
	must_be(t.power, 5, 1e-9);
	assert_int_equal(t.clock_mhz, TELEMETRY_MAX_CLOCK_MHZ);
	/* two thirds of the way to 75 degrees after the time constant, all of it at last */
	go_on(&t, 49, 1000, 1);
	must_be(t.temperature, 75 - 36 / 2.718281828, 1e-6);
	warm = t.temperature;
	go_on(&t, 1000, 1000, 1);
	must_be(t.temperature, 75, 1e-3);
	assert_true(t.temperature > warm);
	go_on(&t, 1, 0, 1);
	must_be(t.power, 0.5, 1e-9);
	assert_int_equal(t.clock_mhz, 200);
	assert_true(t.temperature < 75 && t.temperature > 74);
}

TEST(test_part_of_the_engines)
{
	struct telemetry t;

	telemetry_init(&t, 0);
	go_on(&t, 1, 1000, 4);
	must_be(t.power, 0.5 + 4.5 / 4, 1e-9);
	go_on(&t, 1, 500, 1);
	must_be(t.power, 0.5 + 4.5 / 2, 1e-9);
	/* no more than all */
	go_on(&t, 1, 9000, 1);
	must_be(t.power, 5, 1e-9);
}

/* A job that has not ended yet has added nothing to the busy time. */
TEST(test_job_that_runs)
{
	struct telemetry t;

	telemetry_init(&t, 0);
	telemetry_update(&t, TICK_NS, 0, 1, 2);
	must_be(t.power, 0.5 + 4.5 / 2, 1e-9);
	/* a clock that stands still changes nothing */
	telemetry_update(&t, TICK_NS, 0, 2, 2);
	must_be(t.power, 0.5 + 4.5 / 2, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_busy_and_idle_again),
		cmocka_unit_test(test_part_of_the_engines),
		cmocka_unit_test(test_job_that_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
