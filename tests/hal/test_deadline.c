// SPDX-License-Identifier: Apache-2.0
/*
 * Quality of service: deadlines before the launch, in the queue and during the run, of preparations
 * and executions; exhausted resources; priorities. Cases that need a device under control use the
 * fake transport, the others the device under test.
 */
#include "descriptors.h"
#include "eventually.h"
#include "hal_test.h"

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_transport.h"
#include "base/nnhal_base.h"
#include "driver/nnhal_driver.h"

#define MS 1000000ll
#define WORKERS 64 /* base/tasks.c has at most so many */

static enum nnhal_status prepare_until(struct nnhal_device *dev, struct nnmodel *m,
				       int64_t deadline_ns, struct hal_prepared *done)
{
	struct nnhal_prepare_config config = hal_prepare_config();
	struct hal_prepared *p = hal_prepared_new();

	config.deadline_ns = deadline_ns;
	/* a deadline is never an error of the launch */
	assert_int_equal(dev->ops->prepare_model(dev, m, &config, hal_prepared_cb, p), NNHAL_NONE);
	nnmodel_free(m);
	*done = hal_prepared_wait(p);
	if (done->model)
		done->model->ops->destroy(done->model);
	return done->status;
}

/* ---- preparation ---- */

TEST(test_prepare_expired)
{
	struct hal_prepared done;

	assert_int_equal(prepare_until(hal_dev, hal_model_add(), hal_now_ns(), &done),
			 NNHAL_MISSED_DEADLINE_PERSISTENT);
	assert_int_equal(prepare_until(hal_dev, hal_model_add(), 0, &done),
			 NNHAL_MISSED_DEADLINE_PERSISTENT);
	assert_int_equal(prepare_until(hal_dev, hal_model_add(), INT64_MAX, &done), NNHAL_NONE);
}

/* 5 ms, as in VTS: in time or MISSED_DEADLINE, no other status. */
TEST(test_prepare_short)
{
	struct hal_prepared done;
	enum nnhal_status status;

	status = prepare_until(hal_dev, hal_model_add(), hal_now_ns() + 5 * MS, &done);
	assert_true(status == NNHAL_NONE || status == NNHAL_MISSED_DEADLINE_TRANSIENT);
}

/* A compilation that takes longer is given up. How soon: test_lowering_stops_at_once(). */
TEST(test_prepare_aborted)
{
	const uint32_t ops = 8000;
	struct hal_prepared done;
	int64_t start, whole;
	struct nnmodel *m;

	m = hal_model_long(ops, 4);
	start = hal_now_ns();
	assert_int_equal(prepare_until(hal_dev, m, NNHAL_NO_TIME, &done), NNHAL_NONE);
	whole = hal_now_ns() - start;
	m = hal_model_long(ops, 4);
	start = hal_now_ns();
	/* the second one may well be faster, but not by so much */
	assert_int_equal(prepare_until(hal_dev, m, start + whole / 10, &done),
			 NNHAL_MISSED_DEADLINE_TRANSIENT);
	assert_non_null(strstr(done.message, "deadline"));
}

struct clock {
	unsigned int calls, late; /* @late: from that call on */
};

static bool stop_when_late(void *cookie)
{
	struct clock *c = cookie;

	return ++c->calls >= c->late;
}

/* The deadline passes at any point: among the operations, or after the last of them. */
TEST(test_lowering_stops_at_once)
{
	const uint32_t ops = 100;
	struct nnhal_dev *dev = (struct nnhal_dev *)hal_dev; /* linked in: our own */
	struct nnmodel *m = hal_model_long(ops, 4);
	struct clock whole = { 0, UINT32_MAX };
	struct nnhal_lower_client client = { .stop = stop_when_late, .cookie = &whole };
	struct nnhal_lowered lowered;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;

	assert_int_equal(nnhal_lower_model_for(&client, m, &dev->opset, &lowered, &err), 0);
	free(lowered.bytes);
	/* each operation twice, and each temporary */
	assert_true(whole.calls >= 2 * ops + ops - 1);
	for (unsigned int late = 1; late <= whole.calls; late++) {
		struct clock c = { 0, late };

		client.cookie = &c;
		assert_int_equal(nnhal_lower_model_for(&client, m, &dev->opset, &lowered, &err),
				 -ETIME);
		assert_int_equal(c.calls, late);
		assert_null(lowered.bytes);
		assert_int_not_equal(err.text[0], '\0');
	}
	nnmodel_free(m);
}

/* ---- waiting for a worker ---- */

static sem_t gate, gone;

static void wait_at_gate(void *cookie)
{
	(void)cookie;
	sem_wait(&gate);
	sem_post(&gone);
}

/* All worker threads of the process are busy until workers_free(). */
static void workers_busy(void)
{
	sem_init(&gate, 0, 0);
	sem_init(&gone, 0, 0);
	for (int i = 0; i < WORKERS; i++)
		assert_int_equal(nnhal_run_async(wait_at_gate, NULL), 0);
}

static void workers_free(void)
{
	for (int i = 0; i < WORKERS; i++)
		sem_post(&gate);
	for (int i = 0; i < WORKERS; i++)
		sem_wait(&gone);
	sem_destroy(&gate);
	sem_destroy(&gone);
}

TEST(test_prepare_queued)
{
	const uint8_t token[NNHAL_CACHE_TOKEN_SIZE] = { 0 };
	struct nnhal_prepare_config config = hal_prepare_config();
	struct hal_prepared *p[2] = { hal_prepared_new(), hal_prepared_new() };
	struct nnmodel *m = hal_model_add();
	int fd = memfd_new(0);
	struct hal_prepared done;

	config.model_cache = &fd;
	config.num_model_cache = 1;
	config.token = token;
	assert_int_equal(hal_dev->ops->prepare_model(hal_dev, m, &config, hal_prepared_cb, p[0]),
			 NNHAL_NONE);
	done = hal_prepared_wait(p[0]);
	assert_int_equal(done.status, NNHAL_NONE);
	done.model->ops->destroy(done.model);

	p[0] = hal_prepared_new();
	workers_busy();
	config.deadline_ns = hal_now_ns() + 30 * MS;
	assert_int_equal(hal_dev->ops->prepare_model(hal_dev, m, &config, hal_prepared_cb, p[0]),
			 NNHAL_NONE);
	assert_int_equal(hal_dev->ops->prepare_model_from_cache(hal_dev, config.deadline_ns, &fd, 1,
								NULL, 0, token, hal_prepared_cb,
								p[1]),
			 NNHAL_NONE);
	assert_true(EVENTUALLY(hal_now_ns() > config.deadline_ns));
	assert_int_equal(p[0]->calls + p[1]->calls, 0);
	workers_free();
	/* it had time at the call: another call may well succeed */
	for (int i = 0; i < 2; i++)
		assert_int_equal(hal_prepared_wait(p[i]).status, NNHAL_MISSED_DEADLINE_TRANSIENT);
	nnmodel_free(m);
	close(fd);
}

struct executed {
	sem_t done;
	enum nnhal_status status;
	uint32_t num_shapes;
};

static void executed(void *cookie, enum nnhal_status status,
		     const struct nnhal_execution_result *result)
{
	struct executed *e = cookie;

	e->status = status;
	e->num_shapes = result->num_shapes;
	sem_post(&e->done);
}

static void launch(struct nnhal_prepared_model *pm, struct hal_call *c, int64_t deadline_ns,
		   struct executed *e)
{
	struct nnhal_execution_config config = hal_config(false);

	memset(e, 0, sizeof(*e));
	sem_init(&e->done, 0, 0);
	assert_int_equal(pm->ops->execute(pm, &c->request, &config, deadline_ns, executed, e),
			 NNHAL_NONE);
}

static enum nnhal_status collect(struct executed *e)
{
	sem_wait(&e->done);
	sem_destroy(&e->done);
	return e->status;
}

TEST(test_execution_queued_for_a_worker)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	struct executed e;
	struct hal_call c;
	int64_t deadline_ns;

	hal_call_add(&c, false);
	workers_busy();
	deadline_ns = hal_now_ns() + 20 * MS;
	launch(pm, &c, deadline_ns, &e);
	assert_true(EVENTUALLY(hal_now_ns() > deadline_ns));
	workers_free();
	assert_int_equal(collect(&e), NNHAL_MISSED_DEADLINE_TRANSIENT);
	assert_int_equal(e.num_shapes, 0);
	assert_int_equal(((uint8_t *)hal_out(&c, 0))[0], 0xa5);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

/* ---- executions ---- */

#define LONG_OPS 400
#define LONG_ELEMENTS 262144u

static void call_long(struct hal_call *c)
{
	hal_call_init(c, true, HAL_LIST(LONG_ELEMENTS * 4), HAL_LIST(LONG_ELEMENTS * 4));
}

TEST(test_execution_expired)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	struct nnhal_execution_config config = hal_config(true);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct hal_call c;

	hal_call_add(&c, false);
	for (int how = 0; how < HAL_EXECUTORS; how++) {
		assert_int_equal(hal_run(pm, how, &c.request, &config, hal_now_ns(), &result),
				 NNHAL_MISSED_DEADLINE_PERSISTENT);
		assert_int_equal(result.num_shapes, 0);
		assert_int_equal(result.timing.in_driver_ns, NNHAL_NO_TIME);
		assert_int_equal(((uint8_t *)hal_out(&c, 0))[0], 0xa5);
		nnhal_execution_result_clear(&result);
		assert_int_equal(hal_status(pm, how, &c.request, &config, INT64_MAX), NNHAL_NONE);
		memset(c.out_map, 0xa5, c.out_size);
	}
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

TEST(test_execution_running)
{
	struct nnhal_prepared_model *pm =
		hal_prepare(hal_dev, hal_model_long(LONG_OPS, LONG_ELEMENTS));
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct hal_call c;
	int64_t start;

	call_long(&c);
	for (int how = 0; how < HAL_EXECUTORS; how++) {
		start = hal_now_ns();
		assert_int_equal(hal_run(pm, how, &c.request, &config, start + 20 * MS, &result),
				 NNHAL_MISSED_DEADLINE_TRANSIENT);
		assert_true(hal_now_ns() - start >= 20 * MS);
		assert_true(hal_now_ns() - start < 5000 * MS);
		assert_int_equal(result.num_shapes, 0);
		nnhal_execution_result_clear(&result);
	}
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

/* Four queues of a priority, each with a long job: the next execution waits behind one of them. */
TEST(test_execution_queued)
{
	struct nnhal_prepared_model *slow =
		hal_prepare(hal_dev, hal_model_long(LONG_OPS, LONG_ELEMENTS));
	struct nnhal_prepared_model *quick = hal_prepare(hal_dev, hal_model_add());
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct hal_call calls[4], c;
	struct executed e[4];

	hal_call_add(&c, false);
	for (int i = 0; i < 4; i++) {
		call_long(&calls[i]);
		launch(slow, &calls[i], hal_now_ns() + 600 * MS, &e[i]);
	}
	/* the jobs get onto their queues: no event says so, and a loaded machine starts threads
	 * late */
	usleep(150000);
	assert_int_equal(hal_run(quick, HAL_SYNC, &c.request, &config, hal_now_ns() + 20 * MS,
				 &result),
			 NNHAL_MISSED_DEADLINE_TRANSIENT);
	nnhal_execution_result_clear(&result);
	assert_int_equal(((uint8_t *)hal_out(&c, 0))[0], 0xa5);
	for (int i = 0; i < 4; i++) {
		enum nnhal_status status = collect(&e[i]);

		assert_true(status == NNHAL_NONE || status == NNHAL_MISSED_DEADLINE_TRANSIENT);
		hal_call_fini(&calls[i]);
	}
	/* the queues live */
	assert_int_equal(hal_status(quick, HAL_SYNC, &c.request, &config, NNHAL_NO_TIME),
			 NNHAL_NONE);
	hal_check_add(&c);
	hal_call_fini(&c);
	quick->ops->destroy(quick);
	slow->ops->destroy(slow);
}

/* ---- too large ---- */

/*
 * Intermediate tensors of 800 MB each, two live at a time: refused before any memory is allocated.
 */
TEST(test_model_too_large)
{
	struct nnhal_device_info info = { .size = sizeof(info) };
	struct hal_prepared done;
	uint32_t elements = 200000000;

	assert_int_equal(nnhal_device_get_info(hal_dev, &info), 0);
	assert_true(info.arena_size > 0 && info.program_quota > 0);
	if (info.arena_size > 8ull * elements)
		elements = 500000000;
	assert_true(info.arena_size < 8ull * elements);
	assert_int_equal(prepare_until(hal_dev, hal_model_long(4, elements), NNHAL_NO_TIME, &done),
			 NNHAL_RESOURCE_EXHAUSTED_PERSISTENT);
	assert_non_null(strstr(done.message, "too large"));
}

/* ---- on the fake transport ---- */

static struct fake *fake;
static struct nnhal_device *fake_dev;

FIXTURE(fake_setup)
{
	struct nnhal_dev *dev;
	char message[256];

	fake = fake_create();
	if (nnhal_dev_create(&fake->base, &dev, message, sizeof(message)))
		return -1;
	fake_dev = &dev->base;
	return 0;
}

FIXTURE(fake_teardown)
{
	fake_dev->ops->destroy(fake_dev);
	assert_true(EVENTUALLY(fake->destroyed));
	assert_int_equal(fake->mems, 0);
	free(fake);
	return 0;
}

TEST(test_limits)
{
	struct hal_prepared done;

	fake->program_quota = 100;
	assert_int_equal(prepare_until(fake_dev, hal_model_add(), NNHAL_NO_TIME, &done),
			 NNHAL_RESOURCE_EXHAUSTED_PERSISTENT);
	assert_non_null(strstr(done.message, "program"));
	fake->program_quota = 0;
	fake->arena_size = 1000;
	assert_int_equal(prepare_until(fake_dev, hal_model_add(), NNHAL_NO_TIME, &done),
			 NNHAL_NONE);
	assert_int_equal(prepare_until(fake_dev, hal_model_long(3, 1000), NNHAL_NO_TIME, &done),
			 NNHAL_RESOURCE_EXHAUSTED_PERSISTENT);
	assert_non_null(strstr(done.message, "intermediate"));
	fake->base.max_args = 2;
	assert_int_equal(prepare_until(fake_dev, hal_model_add(), NNHAL_NO_TIME, &done),
			 NNHAL_RESOURCE_EXHAUSTED_PERSISTENT);
	assert_non_null(strstr(done.message, "inputs and outputs"));
}

TEST(test_exhausted)
{
	static const int errors[] = { -ENOMEM, -ENOSPC, -EBUSY, -EMFILE };
	struct nnhal_prepared_model *pm = hal_prepare(fake_dev, hal_model_add());
	struct nnhal_execution_config config = hal_config(false);
	struct executed e[2];
	struct hal_call c, calls[2];

	hal_call_add(&c, false);
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		fake->num_jobs = 0;
		fake->jobs[0].submit = errors[i];
		assert_int_equal(hal_status(pm, HAL_SYNC, &c.request, &config, NNHAL_NO_TIME),
				 NNHAL_RESOURCE_EXHAUSTED_TRANSIENT);
	}
	fake->jobs[0].submit = 0;
	fake->num_jobs = 0;
	fake->jobs[0].status = NNACCEL_STATUS_NO_MEMORY;
	assert_int_equal(hal_status(pm, HAL_ASYNC, &c.request, &config, NNHAL_NO_TIME),
			 NNHAL_RESOURCE_EXHAUSTED_TRANSIENT);

	/* every queue is full */
	fake->num_jobs = 0;
	fake->base.max_queues = 1;
	fake->base.max_inflight = 2;
	fake->jobs[0] = fake->jobs[1] = (struct fake_job){ .hold = true };
	for (int i = 0; i < 2; i++) {
		hal_call_add(&calls[i], false);
		launch(pm, &calls[i], NNHAL_NO_TIME, &e[i]);
	}
	assert_true(EVENTUALLY(fake->num_jobs == 2));
	assert_int_equal(hal_status(pm, HAL_SYNC, &c.request, &config, NNHAL_NO_TIME),
			 NNHAL_RESOURCE_EXHAUSTED_TRANSIENT);
	fake_release();
	for (int i = 0; i < 2; i++) {
		assert_int_equal(collect(&e[i]), NNHAL_NONE);
		hal_check_add(&calls[i]);
		hal_call_fini(&calls[i]);
	}
	assert_int_equal(hal_status(pm, HAL_SYNC, &c.request, &config, NNHAL_NO_TIME), NNHAL_NONE);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

/* Queues have the priority of the model; a cache entry keeps it. */
TEST(test_priorities)
{
	const uint8_t token[NNHAL_CACHE_TOKEN_SIZE] = { 0 };
	struct nnhal_prepare_config config = hal_prepare_config();
	struct nnhal_execution_config run = hal_config(false);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	int fd = memfd_new(0);
	struct hal_prepared *p, done;
	struct hal_call c;

	hal_call_add(&c, false);
	config.model_cache = &fd;
	config.num_model_cache = 1;
	config.token = token;
	for (uint32_t i = 0; i < 6; i++) {
		p = hal_prepared_new();
		config.priority = i / 2;
		if (i % 2) {
			assert_int_equal(fake_dev->ops->prepare_model_from_cache(
						 fake_dev, NNHAL_NO_TIME, &fd, 1, NULL, 0, token,
						 hal_prepared_cb, p),
					 0);
		} else {
			struct nnmodel *m = hal_model_add();

			assert_int_equal(fake_dev->ops->prepare_model(fake_dev, m, &config,
								      hal_prepared_cb, p),
					 0);
			nnmodel_free(m);
		}
		done = hal_prepared_wait(p);
		assert_int_equal(done.status, NNHAL_NONE);
		assert_int_equal(hal_run(done.model, HAL_SYNC, &c.request, &run, NNHAL_NO_TIME,
					 &result),
				 NNHAL_NONE);
		nnhal_execution_result_clear(&result);
		assert_int_equal(fake->last_priority, i / 2);
		done.model->ops->destroy(done.model);
	}
	hal_call_fini(&c);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prepare_expired),
		cmocka_unit_test(test_prepare_short),
		cmocka_unit_test(test_prepare_aborted),
		cmocka_unit_test(test_lowering_stops_at_once),
		cmocka_unit_test(test_prepare_queued),
		cmocka_unit_test(test_execution_queued_for_a_worker),
		cmocka_unit_test(test_execution_expired),
		cmocka_unit_test(test_execution_running),
		cmocka_unit_test(test_execution_queued),
		cmocka_unit_test(test_model_too_large),
		cmocka_unit_test_setup_teardown(test_limits, fake_setup, fake_teardown),
		cmocka_unit_test_setup_teardown(test_exhausted, fake_setup, fake_teardown),
		cmocka_unit_test_setup_teardown(test_priorities, fake_setup, fake_teardown),
	};

	return cmocka_run_group_tests_name("hal-deadline", tests, hal_setup, hal_teardown);
}
