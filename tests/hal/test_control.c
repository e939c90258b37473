// SPDX-License-Identifier: Apache-2.0
/*
 * Loops that do not end, through every execution call: the limit by default and as chosen,
 * deadlines and durations, and that the device goes on. With NNHAL_TEST_LOOP_LIMIT=ignored the card
 * does not keep the limit: then the kernel bounds the job, by its deadline or its running time.
 */
#include "hal_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS 1000000ll
#define TRIES 10

static uint32_t tensor(struct nnmodel *m, uint32_t type, uint32_t lifetime)
{
	return hal_tensor(m, type, lifetime, HAL_DIMS(1), 1, 0, 0);
}

/** x -> @opcode, as subgraph @i of @model. @twice: x is both operands. */
static void add_subgraph(struct nnmodel *model, uint32_t i, uint32_t opcode, uint32_t type,
			 bool twice)
{
	struct nnmodel *part = nnmodel_new();
	uint32_t x = tensor(part, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT);
	uint32_t y = tensor(part, type, NNMODEL_SUBGRAPH_OUTPUT);

	assert_true(nnmodel_add_operation(part, opcode, (uint32_t[]){ x, x }, twice ? 2 : 1, &y,
					  1) >= 0);
	assert_int_equal(nnmodel_set_io(part, &x, 1, &y, 1), 0);
	model->referenced[i] = part->main;
	memset(&part->main, 0, sizeof(part->main));
	nnmodel_free(part);
}

static uint32_t subgraph(struct nnmodel *m, uint32_t n)
{
	int i = nnmodel_add_operand(m, NNMODEL_SUBGRAPH, NNMODEL_LIFETIME_SUBGRAPH, NULL, 0, 0, 0);

	assert_true(i >= 0);
	m->main.operands[i].location.offset = n;
	return (uint32_t)i;
}

/** while x == x: x = floor x. NaN ends it at once, a number never. */
static struct nnmodel *model_loop(void)
{
	struct nnmodel *m = nnmodel_new();
	uint32_t x, y;

	m->referenced = calloc(2, sizeof(*m->referenced));
	assert_non_null(m->referenced);
	m->num_referenced = 2;
	add_subgraph(m, 0, NNMODEL_EQUAL, NNMODEL_TENSOR_BOOL8, true);
	add_subgraph(m, 1, NNMODEL_FLOOR, NNMODEL_TENSOR_FLOAT32, false);
	x = tensor(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT);
	y = tensor(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_OUTPUT);
	assert_true(nnmodel_add_operation(m, NNMODEL_WHILE,
					  HAL_LIST(subgraph(m, 0), subgraph(m, 1), x),
					  HAL_LIST(y)) >= 0);
	assert_int_equal(nnmodel_set_io(m, HAL_LIST(x), HAL_LIST(y)), 0);
	return m;
}

/* ---- the execution calls ---- */

struct fixture {
	struct nnhal_prepared_model *pm;
	struct hal_call c;
};

struct outcome {
	enum nnhal_status status;
	bool clean; /* neither shapes nor timing */
	int64_t took_ns;
	char message[256];
};

static void fixture_init(struct fixture *f)
{
	f->pm = hal_prepare(hal_dev, model_loop());
	/* in place, so that on a card fenced executions are the kernel's */
	hal_call_init(&f->c, true, HAL_LIST(4), HAL_LIST(4));
}

static void fixture_fini(struct fixture *f)
{
	hal_call_fini(&f->c);
	f->pm->ops->destroy(f->pm);
}

/* Wait for the launched execution: the status of the fence's end. */
static enum nnhal_status wait_fenced(enum nnhal_status status, int fence,
				     struct nnhal_fenced_callback *cb,
				     struct nnhal_execution_result *result)
{
	struct nnhal_timing fenced;

	if (status)
		return status;
	hal_fence_wait(fence);
	status = cb->ops->get_execution_info(cb, &result->timing, &fenced);
	cb->ops->destroy(cb);
	if (fence >= 0)
		close(fence);
	return status;
}

/* From any thread. */
static struct outcome run_call(struct fixture *f, enum hal_executor how, float x, int64_t loop_ns,
			       int64_t deadline_ns)
{
	struct nnhal_execution_config config = hal_config(true);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct outcome o = { .took_ns = hal_now_ns() };

	config.loop_timeout_ns = loop_ns;
	memcpy(hal_in(&f->c, 0), &x, sizeof(x));
	memset(hal_out(&f->c, 0), 0xa5, 4);
	o.status = hal_run(f->pm, how, &f->c.request, &config, deadline_ns, &result);
	o.took_ns = hal_now_ns() - o.took_ns;
	o.clean = !result.num_shapes && result.timing.in_driver_ns == NNHAL_NO_TIME;
	memcpy(o.message, result.message, sizeof(o.message));
	nnhal_execution_result_clear(&result);
	return o;
}

/* That it ended for this reason, and not before its time. */
static void check(enum hal_executor how, const struct outcome *o, const char *reason,
		  int64_t least_ns)
{
	if (o->status != NNHAL_MISSED_DEADLINE_TRANSIENT || !o->clean)
		fail_msg("%s: %s, \"%s\"", hal_executor_name(how), nnhal_status_name(o->status),
			 o->message);
	/* fenced executions have no message */
	if (!hal_is_fenced(how) && !strstr(o->message, reason))
		fail_msg("%s: \"%s\", not \"%s\"", hal_executor_name(how), o->message, reason);
	if (o->took_ns < least_ns)
		fail_msg("%s: %lld ms, not %lld or more", hal_executor_name(how),
			 (long long)(o->took_ns / MS), (long long)(least_ns / MS));
}

/*
 * Run the loop with a limit, and a deadline after @duration_ns or none, and check its end, until it
 * ends sooner than it could for another reason, in @other_ns. A busy machine may be late, but not
 * each time.
 */
static void check_run(struct fixture *f, enum hal_executor how, int64_t loop_ns,
		      int64_t duration_ns, int64_t other_ns)
{
	const bool limited = duration_ns == NNHAL_NO_TIME;
	struct outcome o;

	for (int i = 0; i < TRIES; i++) {
		o = run_call(f, how, 1, loop_ns,
			     limited ? NNHAL_NO_TIME : hal_now_ns() + duration_ns);
		/* late: the loop has not begun */
		if (!limited && strstr(o.message, "passed before the launch"))
			continue;
		check(how, &o, limited ? "LOOP_TIMEOUT" : "DEADLINE",
		      limited ? loop_ns : duration_ns - 1 * MS);
		if (o.took_ns < other_ns)
			return;
	}
	fail_msg("%s: always %lld ms or more", hal_executor_name(how), (long long)(other_ns / MS));
}

/* No queue is banned, no memory is left. */
static void check_alive(struct fixture *f, enum hal_executor how)
{
	struct outcome o = run_call(f, how, __builtin_nanf(""), NNHAL_NO_TIME, NNHAL_NO_TIME);

	if (o.status)
		fail_msg("%s, afterwards: %s, \"%s\"", hal_executor_name(how),
			 nnhal_status_name(o.status), o.message);
	assert_memory_equal(hal_out(&f->c, 0), hal_in(&f->c, 0), 4);
}

/* ---- tests ---- */

static struct fixture f;

FIXTURE(fresh)
{
	fixture_init(&f);
	return 0;
}

FIXTURE(done)
{
	fixture_fini(&f);
	return 0;
}

/* [VTS] 1 ms; again and again */
TEST(test_limit)
{
	for (enum hal_executor how = 0; how < HAL_ALL_EXECUTORS; how++)
		for (int i = 0; i < 3; i++) {
			check_run(&f, how, 1 * MS, NNHAL_NO_TIME, NNHAL_LOOP_TIMEOUT_DEFAULT_NS);
			check_alive(&f, how);
		}
	/* 0 is the least limit, not "no limit" */
	check_run(&f, HAL_SYNC, 0, NNHAL_NO_TIME, NNHAL_LOOP_TIMEOUT_DEFAULT_NS);
}

/* Neither the default nor at once. */
TEST(test_chosen)
{
	for (enum hal_executor how = 0; how < HAL_ALL_EXECUTORS; how++)
		check_run(&f, how, 250 * MS, NNHAL_NO_TIME, NNHAL_LOOP_TIMEOUT_DEFAULT_NS);
	check_alive(&f, HAL_SYNC);
}

struct looper {
	struct fixture f;
	pthread_t thread;
	enum hal_executor how;
	struct outcome outcome;
};

static void *loop_by_default(void *arg)
{
	struct looper *l = arg;

	l->outcome = run_call(&l->f, l->how, 1, NNHAL_NO_TIME, NNHAL_NO_TIME);
	return NULL;
}

/*
 * All at the same time: an execution that waits for a queue has the limits of those before it, then
 * its own.
 */
TEST(test_default)
{
	struct looper loopers[HAL_ALL_EXECUTORS];

	for (enum hal_executor how = 0; how < HAL_ALL_EXECUTORS; how++) {
		loopers[how].how = how;
		fixture_init(&loopers[how].f);
	}
	for (enum hal_executor how = 0; how < HAL_ALL_EXECUTORS; how++)
		assert_int_equal(pthread_create(&loopers[how].thread, NULL, loop_by_default,
						&loopers[how]),
				 0);
	for (enum hal_executor how = 0; how < HAL_ALL_EXECUTORS; how++)
		pthread_join(loopers[how].thread, NULL);
	for (enum hal_executor how = 0; how < HAL_ALL_EXECUTORS; how++) {
		check(how, &loopers[how].outcome, "LOOP_TIMEOUT", NNHAL_LOOP_TIMEOUT_DEFAULT_NS);
		check_alive(&loopers[how].f, how);
		fixture_fini(&loopers[how].f);
	}
}

/* A deadline before the loop's limit; on a card the kernel ends the job. */
TEST(test_deadline)
{
	for (enum hal_executor how = 0; how < HAL_ALL_EXECUTORS; how++) {
		check_run(&f, how, NNHAL_LOOP_TIMEOUT_MAXIMUM_NS, 50 * MS,
			  NNHAL_LOOP_TIMEOUT_MAXIMUM_NS);
		check_alive(&f, how);
	}
}

/* A loop behind @slow, with 50 ms from the end of that one on: how long both took. */
static int64_t loop_behind(struct nnhal_prepared_model *slow, struct hal_call *first, bool reusable)
{
	struct nnhal_execution_config config = hal_config(false), looping = hal_config(true);
	struct nnhal_execution_result result = { .size = sizeof(result),
						 .timing = { NNHAL_NO_TIME, NNHAL_NO_TIME } };
	struct nnhal_fenced_callback *cb, *loop = NULL;
	struct nnhal_execution *e = NULL;
	int64_t took = hal_now_ns();
	enum nnhal_status status;
	int ahead, fence = -1;

	looping.loop_timeout_ns = NNHAL_LOOP_TIMEOUT_MAXIMUM_NS;
	assert_int_equal(slow->ops->execute_fenced(slow, &first->request, NULL, 0, &config,
						   NNHAL_NO_TIME, NNHAL_NO_TIME, &ahead, &cb),
			 NNHAL_NONE);
	assert_int_equal(ahead >= 0, hal_is_card() || hal_user_fences());
	if (reusable) {
		assert_int_equal(f.pm->ops->create_reusable_execution(f.pm, &f.c.request, &looping,
								      &e),
				 NNHAL_NONE);
		status = e->ops->execute_fenced(e, &ahead, ahead >= 0, NNHAL_NO_TIME, 50 * MS,
						&fence, &loop);
	} else {
		status = f.pm->ops->execute_fenced(f.pm, &f.c.request, &ahead, ahead >= 0, &looping,
						   NNHAL_NO_TIME, 50 * MS, &fence, &loop);
	}
	status = wait_fenced(status, fence, loop, &result);
	took = hal_now_ns() - took;
	assert_int_equal(status, NNHAL_MISSED_DEADLINE_TRANSIENT);
	assert_int_equal(result.timing.in_driver_ns, NNHAL_NO_TIME);
	assert_true(took >= 50 * MS);
	/* the execution behind the in-fence was not affected */
	assert_int_equal(wait_fenced(NNHAL_NONE, ahead, cb, &result), NNHAL_NONE);
	if (e)
		e->ops->destroy(e);
	return took;
}

/*
 * A duration and an in-fence: on a card the duration becomes the job's running-time limit in the
 * kernel. The in-fence takes longer than the duration, which begins when it signals. The loop's own
 * limit would end it later each time, a busy machine at times.
 */
TEST(test_duration)
{
	const uint32_t elements = 1 << 20, bytes = elements * 4;
	struct nnhal_prepared_model *slow = hal_prepare(hal_dev, hal_model_long(60, elements));
	const float x = 1;
	struct hal_call first;
	int tries;

	hal_call_init(&first, true, &bytes, 1, &bytes, 1);
	memcpy(hal_in(&f.c, 0), &x, sizeof(x));
	for (int reusable = 0; reusable < 2; reusable++) {
		for (tries = 0; tries < TRIES; tries++)
			if (loop_behind(slow, &first, reusable) < NNHAL_LOOP_TIMEOUT_MAXIMUM_NS)
				break;
		assert_true(tries < TRIES);
	}
	check_alive(&f, HAL_FENCED);
	hal_call_fini(&first);
	slow->ops->destroy(slow);
}

struct late_looper {
	struct looper l;
	int64_t run_ns;
	atomic_bool over;
};

static void *loop_until_late(void *arg)
{
	struct late_looper *late = arg;

	late->l.outcome = run_call(&late->l.f, late->l.how, 1, NNHAL_LOOP_TIMEOUT_MAXIMUM_NS,
				   hal_now_ns() + late->run_ns);
	late->over = true;
	return NULL;
}

/* Run 21 jobs beside a loop with a deadline in @run_ns: how many of them end before the loop. */
static unsigned int jobs_beside_loop(struct nnhal_prepared_model *pm, int64_t run_ns)
{
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct late_looper late = { .l.how = HAL_SYNC, .run_ns = run_ns };
	unsigned int meanwhile = 0;
	struct hal_call c;

	fixture_init(&late.l.f);
	hal_call_add(&c, false);
	assert_int_equal(pthread_create(&late.l.thread, NULL, loop_until_late, &late), 0);
	usleep(100000); /* the loop gets onto the device: no event says so */
	for (int i = 0; i < 21; i++) {
		assert_int_equal(hal_run(pm, HAL_SYNC, &c.request, &config, NNHAL_NO_TIME, &result),
				 NNHAL_NONE);
		meanwhile += !late.over;
		nnhal_execution_result_clear(&result);
	}
	hal_check_add(&c);
	pthread_join(late.l.thread, NULL);
	check(HAL_SYNC, &late.l.outcome, "DEADLINE", run_ns - 1 * MS);
	fixture_fini(&late.l.f);
	hal_call_fini(&c);
	return meanwhile;
}

/*
 * A loop delays other jobs by a context switch, not by its remaining time: most of them end before
 * it does. Jobs that wait for it never do, however long it is; on a busy machine a short one ends
 * first.
 */
TEST(test_others_meanwhile)
{
	/* on a card another client; in process all share the one thread of the firmware */
	struct nnhal_device *dev = hal_is_card() ? hal_open() : hal_dev;
	struct nnhal_prepared_model *pm = hal_prepare(dev, hal_model_add());
	int64_t run_ns = 1500 * MS;
	unsigned int meanwhile;

	while ((meanwhile = jobs_beside_loop(pm, run_ns)) <= 10 &&
	       2 * run_ns < NNHAL_LOOP_TIMEOUT_MAXIMUM_NS)
		run_ns *= 2;
	if (meanwhile <= 10)
		fail_msg("only %u of 21 jobs ended before the loop", meanwhile);
	pm->ops->destroy(pm);
	if (dev != hal_dev)
		dev->ops->destroy(dev);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fresh, done)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_limit),    CASE(test_chosen),	  CASE(test_default),
		CASE(test_deadline), CASE(test_duration), cmocka_unit_test(test_others_meanwhile),
	};

	const struct CMUnitTest without_limit[] = {
		CASE(test_deadline),
		CASE(test_duration),
		cmocka_unit_test(test_others_meanwhile),
	};
	const char *limit = getenv("NNHAL_TEST_LOOP_LIMIT");

	if (limit && !strcmp(limit, "ignored"))
		return cmocka_run_group_tests_name("hal-control", without_limit, hal_setup,
						   hal_teardown);
	return cmocka_run_group_tests_name("hal-control", tests, hal_setup, hal_teardown);
}
