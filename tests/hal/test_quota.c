// SPDX-License-Identifier: Apache-2.0
/*
 * Models about as large as the memory that the device keeps for programs (NNACCEL_PROGRAM_QUOTA=8,
 * MiB): what does not fit packed runs unpacked, and what does not fit at all is refused by the
 * preparation. No execution finds out.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal_test.h"

#define QUOTA ((uint64_t)8 << 20)
#define DEPTH 256u

static struct nnmodel *model(uint32_t units)
{
	return hal_model_matrix(units, DEPTH);
}

static void check(const float *in, const float *out, uint32_t units)
{
	for (uint32_t u = 0; u < units; u++) {
		float sum = 0;

		for (uint32_t i = u * DEPTH; i < (u + 1) * DEPTH; i++)
			sum += in[i % DEPTH] * ((float)((i * 7 + i / DEPTH) % 13) - 6);
		if (out[u] != sum)
			fail_msg("unit %u: %f, not %f", u, (double)out[u], (double)sum);
	}
}

static void run(struct nnhal_prepared_model *pm, uint32_t units)
{
	const struct nnhal_execution_config config = hal_config(false);

	for (enum hal_executor how = 0; how < HAL_ALL_EXECUTORS; how++) {
		struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
		struct hal_call c;

		hal_call_init(&c, false, HAL_LIST(DEPTH * sizeof(float)),
			      HAL_LIST(units * (uint32_t)sizeof(float)));
		for (uint32_t i = 0; i < DEPTH; i++)
			((float *)hal_in(&c, 0))[i] = (float)(i % 5) - 2;
		assert_int_equal(hal_run(pm, how, &c.request, &config, NNHAL_NO_TIME, &result),
				 NNHAL_NONE);
		check(hal_in(&c, 0), hal_out(&c, 0), units);
		nnhal_execution_result_clear(&result);
		hal_call_fini(&c);
	}
}

/* Weights from a quarter of the quota up to all but what tables take. */
TEST(test_up_to_the_quota)
{
	static const uint32_t percents[] = { 25, 49, 51, 60, 75, 90, 97 };

	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		uint32_t units = (uint32_t)(QUOTA * percents[i] / 100 / DEPTH / sizeof(float));
		struct nnhal_prepared_model *pm = hal_prepare(hal_dev, model(units));

		run(pm, units);
		pm->ops->destroy(pm);
	}
}

/* Two at a time: the one that runs may be packed, the other one makes room. */
TEST(test_two_models)
{
	uint32_t units = (uint32_t)(QUOTA / 2 / DEPTH / sizeof(float)) + 1;
	struct nnhal_prepared_model *pm[2];

	for (int i = 0; i < 2; i++)
		pm[i] = hal_prepare(hal_dev, model(units));
	for (int i = 0; i < 4; i++)
		run(pm[i % 2], units);
	for (int i = 0; i < 2; i++)
		pm[i]->ops->destroy(pm[i]);
}

struct user {
	struct nnhal_prepared_model *pm;
	uint32_t units;
};

static void *use(void *arg)
{
	const struct user *u = arg;

	for (int i = 0; i < 40; i++)
		run(u->pm, u->units);
	return NULL;
}

/* Each waits for the other's execution. */
TEST(test_two_models_at_once)
{
	uint32_t units = (uint32_t)(QUOTA / 2 / DEPTH / sizeof(float)) + 1;
	struct user users[2];
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		users[i] = (struct user){ hal_prepare(hal_dev, model(units)), units };
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, use, &users[i]), 0);
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		users[i].pm->ops->destroy(users[i].pm);
	}
}

/* Weights alone would fit, with the program's tables they do not: refused, with the numbers. */
TEST(test_beyond_the_quota)
{
	struct nnhal_prepare_config config = hal_prepare_config();
	char quota[32];

	snprintf(quota, sizeof(quota), "at most %llu", (unsigned long long)QUOTA);
	for (uint32_t more = 0; more < 3; more++) {
		struct hal_prepared *p = hal_prepared_new(), done;
		struct nnmodel *m =
			model((uint32_t)(QUOTA / DEPTH / sizeof(float)) - 16 + 1000 * more);

		hal_dev->ops->prepare_model(hal_dev, m, &config, hal_prepared_cb, p);
		done = hal_prepared_wait(p);
		nnmodel_free(m);
		assert_int_equal(done.status, NNHAL_RESOURCE_EXHAUSTED_PERSISTENT);
		if (!strstr(done.message, quota) || !strstr(done.message, "takes"))
			fail_msg("message '%s'", done.message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_up_to_the_quota),
		cmocka_unit_test(test_two_models),
		cmocka_unit_test(test_two_models_at_once),
		cmocka_unit_test(test_beyond_the_quota),
	};

	return cmocka_run_group_tests_name("hal_quota", tests, hal_setup, hal_teardown);
}
