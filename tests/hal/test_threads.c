// SPDX-License-Identifier: Apache-2.0
/*
 * Many threads on one object, objects destroyed while work is in flight, callbacks that call back.
 */
#include "hal_test.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 8
#define ROUNDS 40

struct worker {
	struct nnhal_prepared_model *pm;
	unsigned int seed;
	int failures;
};

/* cmocka's asserts belong to the main thread: workers count. */
static void *run_many(void *arg)
{
	struct worker *w = arg;
	struct nnhal_execution_config config = hal_config(true);

	for (int i = 0; i < ROUNDS; i++) {
		struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
		struct hal_call c;
		float a = (float)(w->seed + (unsigned int)i), *out;

		hal_call_init(&c, i % 3 == 0, HAL_LIST(16, 8), HAL_LIST(16));
		for (int k = 0; k < 4; k++)
			((float *)hal_in(&c, 0))[k] = a + (float)k;
		memcpy(hal_in(&c, 1), (const float[]){ 1000, 2000 }, 8);
		if (hal_run(w->pm, i % HAL_EXECUTORS, &c.request, &config, NNHAL_NO_TIME, &result))
			w->failures++;
		out = hal_out(&c, 0);
		for (int k = 0; k < 4; k++)
			w->failures += out[k] != a + (float)k + (k % 2 ? 2000 : 1000);
		w->failures += result.timing.on_device_ns > result.timing.in_driver_ns;
		nnhal_execution_result_clear(&result);
		hal_call_fini(&c);
	}
	return NULL;
}

TEST(test_one_model)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	struct worker workers[THREADS];
	pthread_t threads[THREADS];

	for (unsigned int i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){ pm, i * 1000, 0 };
		assert_int_equal(pthread_create(&threads[i], NULL, run_many, &workers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(workers[i].failures, 0);
	}
	pm->ops->destroy(pm);
}

/* The same input memory in the requests of every thread. */
static struct hal_call shared;

static void *run_shared(void *arg)
{
	struct worker *w = arg;
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct hal_call mine;
	int own;

	hal_call_add(&mine, true);
	own = mine.pools[0].memory.fd;
	mine.pools[0] = shared.pools[0];
	for (int i = 0; i < ROUNDS; i++) {
		if (w->pm->ops->execute_synchronously(w->pm, &mine.request, &config, NNHAL_NO_TIME,
						      &result))
			w->failures++;
		nnhal_execution_result_clear(&result);
	}
	w->failures += ((float *)hal_out(&mine, 0))[3] != 24;
	mine.pools[0].memory.fd = own;
	hal_call_fini(&mine);
	return NULL;
}

TEST(test_shared_memory)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	struct worker workers[THREADS];
	pthread_t threads[THREADS];

	hal_call_add(&shared, true);
	for (unsigned int i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){ pm, 0, 0 };
		assert_int_equal(pthread_create(&threads[i], NULL, run_shared, &workers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(workers[i].failures, 0);
	}
	hal_call_fini(&shared);
	pm->ops->destroy(pm);
}

struct flight {
	sem_t done;
	atomic_int calls, failures;
};

static void landed(void *cookie, enum nnhal_status status,
		   const struct nnhal_execution_result *result)
{
	struct flight *f = cookie;

	(void)result;
	f->calls++;
	f->failures += status != NNHAL_NONE;
	sem_post(&f->done);
}

/* The work ends by itself, its callbacks come, its results are right. */
TEST(test_destroyed_in_flight)
{
	const uint32_t elements = 1 << 16, bytes = elements * 4;
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_device *dev = hal_open();
	struct nnhal_prepared_model *pm = hal_prepare(dev, hal_model_long(10, elements));
	struct hal_call c[6];
	struct flight f = { 0 };

	sem_init(&f.done, 0, 0);
	for (int i = 0; i < 6; i++) {
		hal_call_init(&c[i], i % 2, &bytes, 1, &bytes, 1);
		memset(hal_in(&c[i], 0), 0, bytes);
		assert_int_equal(pm->ops->execute(pm, &c[i].request, &config, NNHAL_NO_TIME, landed,
						  &f),
				 NNHAL_NONE);
	}
	pm->ops->destroy(pm);
	dev->ops->destroy(dev);
	for (int i = 0; i < 6; i++)
		sem_wait(&f.done);
	assert_int_equal(f.calls, 6);
	assert_int_equal(f.failures, 0);
	for (int i = 0; i < 6; i++) {
		assert_true(((float *)hal_out(&c[i], 0))[elements - 1] == 0.0f);
		hal_call_fini(&c[i]);
	}
	sem_destroy(&f.done);
}

struct chain {
	struct nnhal_prepared_model *pm;
	struct hal_call *call;
	sem_t done;
	int left;
	atomic_int failures;
};

/* No lock is held here: the callback may execute, wait for an execution, and destroy. */
static void next_link(void *cookie, enum nnhal_status status,
		      const struct nnhal_execution_result *result)
{
	struct chain *c = cookie;
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_execution_result mine = NNHAL_EXECUTION_RESULT_INIT;

	(void)result;
	c->failures += status != NNHAL_NONE;
	c->failures += c->pm->ops->execute_synchronously(c->pm, &c->call->request, &config,
							 NNHAL_NO_TIME, &mine) != NNHAL_NONE;
	nnhal_execution_result_clear(&mine);
	if (--c->left > 0) {
		c->failures += c->pm->ops->execute(c->pm, &c->call->request, &config, NNHAL_NO_TIME,
						   next_link, c) != NNHAL_NONE;
	} else {
		c->pm->ops->destroy(c->pm);
		sem_post(&c->done);
	}
}

TEST(test_callbacks_call_back)
{
	struct nnhal_execution_config config = hal_config(false);
	struct hal_call call;
	struct chain c = { .left = 20, .call = &call };

	hal_call_add(&call, false);
	sem_init(&c.done, 0, 0);
	c.pm = hal_prepare(hal_dev, hal_model_add());
	assert_int_equal(c.pm->ops->execute(c.pm, &call.request, &config, NNHAL_NO_TIME, next_link,
					    &c),
			 NNHAL_NONE);
	sem_wait(&c.done);
	assert_int_equal(c.failures, 0);
	hal_check_add(&call);
	hal_call_fini(&call);
	sem_destroy(&c.done);
}

/* Models of every priority and many shapes come and go at a time. */
static void *live_and_die(void *arg)
{
	struct worker *w = arg;
	struct nnhal_execution_config run = hal_config(false);

	for (unsigned int i = 0; i < 6; i++) {
		struct nnhal_prepare_config config = hal_prepare_config();
		struct hal_prepared *p = hal_prepared_new(), done;
		struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
		struct nnmodel *m = hal_model_add();
		struct hal_call c;

		config.priority = (w->seed + i) % 3;
		hal_dev->ops->prepare_model(hal_dev, m, &config, hal_prepared_cb, p);
		nnmodel_free(m);
		done = hal_prepared_wait(p);
		if (!done.model) {
			w->failures++;
			continue;
		}
		hal_call_add(&c, false);
		if (hal_run(done.model, HAL_SYNC, &c.request, &run, NNHAL_NO_TIME, &result) ||
		    ((float *)hal_out(&c, 0))[0] != 11)
			w->failures++;
		done.model->ops->destroy(done.model);
		nnhal_execution_result_clear(&result);
		hal_call_fini(&c);
	}
	return NULL;
}

TEST(test_models_come_and_go)
{
	struct worker workers[THREADS];
	pthread_t threads[THREADS];

	for (unsigned int i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){ NULL, i, 0 };
		assert_int_equal(pthread_create(&threads[i], NULL, live_and_die, &workers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(workers[i].failures, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_model),
		cmocka_unit_test(test_shared_memory),
		cmocka_unit_test(test_destroyed_in_flight),
		cmocka_unit_test(test_callbacks_call_back),
		cmocka_unit_test(test_models_come_and_go),
	};

	return cmocka_run_group_tests_name("hal-threads", tests, hal_setup, hal_teardown);
}
