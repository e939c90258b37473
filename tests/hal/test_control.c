// SPDX-License-Identifier: Apache-2.0
/*
 * Loops that do not end, through every executor: the loop limit, deadlines, and that the device goes on. With
 * NNHAL_TEST_LOOP_LIMIT=ignored the card does not keep the limit: only what bounds it all the same is tested.
 */
#include "hal_test.h"

#include <stdlib.h>
#include <string.h>

static uint32_t tensor(struct nnmodel *m, uint32_t type, uint32_t lifetime)
{
	return hal_tensor(m, type, lifetime, HAL_DIMS(1), 1, 0, 0);
}

/** x -> @opcode, as subgraph @i of @model. @twice: x is both operands. */
static void add_subgraph(struct nnmodel *model, uint32_t i, uint32_t opcode, uint32_t type, bool twice)
{
	struct nnmodel *part = nnmodel_new();
	uint32_t x = tensor(part, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT);
	uint32_t y = tensor(part, type, NNMODEL_SUBGRAPH_OUTPUT);

	assert_true(nnmodel_add_operation(part, opcode, (uint32_t[]){ x, x }, twice ? 2 : 1, &y, 1) >= 0);
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
	assert_true(nnmodel_add_operation(m, NNMODEL_WHILE, HAL_LIST(subgraph(m, 0), subgraph(m, 1), x),
					  HAL_LIST(y)) >= 0);
	assert_int_equal(nnmodel_set_io(m, HAL_LIST(x), HAL_LIST(y)), 0);
	return m;
}

struct fixture {
	struct nnhal_prepared_model *pm;
	struct hal_call c;
};

static struct fixture f;

static int fresh(void **state)
{
	*state = &f;
	f.pm = hal_prepare(hal_dev, model_loop());
	hal_call_init(&f.c, false, HAL_LIST(4), HAL_LIST(4));
	return 0;
}

static int done(void **state)
{
	(void)state;
	hal_call_fini(&f.c);
	f.pm->ops->destroy(f.pm);
	return 0;
}

/** Run with x; how long it took. */
static int64_t run(int how, float x, int64_t loop_ns, int64_t deadline_ns, enum nnhal_status expect,
		   const char *message)
{
	struct nnhal_execution_config config = hal_config(true);
	struct nnhal_execution_result result;
	int64_t began = hal_now_ns();

	config.loop_timeout_ns = loop_ns;
	memcpy(hal_in(&f.c, 0), &x, sizeof(x));
	memset(hal_out(&f.c, 0), 0xa5, 4);
	assert_int_equal(hal_run(f.pm, how, &f.c.request, &config, deadline_ns, &result), expect);
	began = hal_now_ns() - began;
	if (expect) {
		assert_int_equal(result.num_shapes, 0);
		assert_int_equal(result.timing.in_driver_ns, NNHAL_NO_TIME);
		if (how != HAL_FENCED && !strstr(result.message, message))
			fail_msg("\"%s\", not \"%s\"", result.message, message);
	}
	nnhal_execution_result_clear(&result);
	return began;
}

static void test_limit(void **state)
{
	(void)state;
	for (int how = 0; how < HAL_EXECUTORS; how++)
		for (int i = 0; i < 3; i++) {
			run(how, 1, 1000000, NNHAL_NO_TIME, NNHAL_MISSED_DEADLINE_TRANSIENT, "LOOP_TIMEOUT");
			/* nobody is banned, nothing is left */
			run(how, __builtin_nanf(""), 1000000, NNHAL_NO_TIME, NNHAL_NONE, "");
			assert_memory_equal(hal_out(&f.c, 0), hal_in(&f.c, 0), 4);
		}
	/* 0 is the least limit, not none */
	run(HAL_SYNC, 1, 0, NNHAL_NO_TIME, NNHAL_MISSED_DEADLINE_TRANSIENT, "LOOP_TIMEOUT");
}

static void test_default(void **state)
{
	int64_t took;

	(void)state;
	took = run(HAL_SYNC, 1, NNHAL_NO_TIME, NNHAL_NO_TIME, NNHAL_MISSED_DEADLINE_TRANSIENT, "LOOP_TIMEOUT");
	assert_true(took >= NNHAL_LOOP_TIMEOUT_DEFAULT_NS);
	assert_true(took < NNHAL_LOOP_TIMEOUT_MAXIMUM_NS);
}

/* A deadline before the loop's limit. */
static void test_deadline(void **state)
{
	(void)state;
	for (int how = 0; how < HAL_EXECUTORS; how++) {
		int64_t took = run(how, 1, NNHAL_LOOP_TIMEOUT_MAXIMUM_NS, hal_now_ns() + 50000000,
				   NNHAL_MISSED_DEADLINE_TRANSIENT, "DEADLINE");

		assert_true(took >= 50000000 - 1000000);
		assert_true(took < NNHAL_LOOP_TIMEOUT_MAXIMUM_NS / 2);
	}
	run(HAL_SYNC, __builtin_nanf(""), NNHAL_NO_TIME, NNHAL_NO_TIME, NNHAL_NONE, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, done)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_limit),
		TEST(test_default),
		TEST(test_deadline),
	};

	const struct CMUnitTest without_limit[] = {
		TEST(test_deadline),
	};
	const char *limit = getenv("NNHAL_TEST_LOOP_LIMIT");

	if (limit && !strcmp(limit, "ignored"))
		return cmocka_run_group_tests_name("hal-control", without_limit, hal_setup, hal_teardown);
	return cmocka_run_group_tests_name("hal-control", tests, hal_setup, hal_teardown);
}
