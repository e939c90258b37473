// SPDX-License-Identifier: Apache-2.0
/*
 * Fenced executions: arguments, and on a card chains of sync_files over memory that is used in
 * place.
 */
#include "hal_test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static enum nnhal_status fenced(struct nnhal_prepared_model *pm, struct hal_call *c,
				const int *wait_for, uint32_t num, bool measure,
				int64_t duration_ns, int *fence, struct nnhal_fenced_callback **cb)
{
	struct nnhal_execution_config config = hal_config(measure);

	return pm->ops->execute_fenced(pm, &c->request, wait_for, num, &config, NNHAL_NO_TIME,
				       duration_ns, fence, cb);
}

TEST(test_bad_fences)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	struct nnhal_fenced_callback *cb;
	struct hal_call c;
	int fds[2], fence;

	hal_call_add(&c, true);
	fds[0] = -1;
	assert_int_equal(fenced(pm, &c, fds, 1, false, NNHAL_NO_TIME, &fence, &cb),
			 NNHAL_INVALID_ARGUMENT);
	assert_int_equal(fence, -1);
	assert_null(cb);
	/* open, but no sync_file */
	fds[0] = eventfd(1, EFD_CLOEXEC);
	assert_int_equal(fenced(pm, &c, fds, 1, false, NNHAL_NO_TIME, &fence, &cb),
			 NNHAL_INVALID_ARGUMENT);
	close(fds[0]);
	fds[0] = c.pools[1].memory.fd;
	assert_int_equal(fenced(pm, &c, fds, 1, false, NNHAL_NO_TIME, &fence, &cb),
			 NNHAL_INVALID_ARGUMENT);
	assert_int_equal(fenced(pm, &c, NULL, 1, false, NNHAL_NO_TIME, &fence, &cb),
			 NNHAL_INVALID_ARGUMENT);
	assert_int_equal(fenced(pm, &c, NULL, 0, false, -2, &fence, &cb), NNHAL_INVALID_ARGUMENT);
	assert_int_equal(((uint8_t *)hal_out(&c, 0))[0], 0xa5);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

/* A fence where there is one to be had: all memory in place. Else the work is over at return. */
TEST(test_kind_of_answer)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	struct nnhal_fenced_callback *cb;
	struct nnhal_timing launched, after;
	struct hal_call c;
	int fence;

	for (int device_memory = 0; device_memory < 2; device_memory++) {
		hal_call_add(&c, device_memory);
		assert_int_equal(fenced(pm, &c, NULL, 0, true, NNHAL_NO_TIME, &fence, &cb),
				 NNHAL_NONE);
		assert_int_equal(fence >= 0, (device_memory && hal_is_card()) || hal_user_fences());
		if (fence < 0)
			hal_check_add(&c);
		hal_fence_wait(fence);
		assert_int_equal(cb->ops->get_execution_info(cb, &launched, &after), NNHAL_NONE);
		assert_true(launched.on_device_ns >= 0);
		assert_true(launched.on_device_ns <= launched.in_driver_ns);
		assert_true(after.on_device_ns <= after.in_driver_ns);
		assert_true(after.in_driver_ns <= launched.in_driver_ns);
		hal_check_add(&c);
		/* again: the answer stays */
		assert_int_equal(cb->ops->get_execution_info(cb, &launched, &after), NNHAL_NONE);
		cb->ops->destroy(cb);
		if (fence >= 0)
			close(fence);
		hal_call_fini(&c);
	}
	pm->ops->destroy(pm);
}

TEST(test_not_measured)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	struct nnhal_fenced_callback *cb;
	struct nnhal_timing launched, after;
	struct hal_call c;
	int fence;

	hal_call_add(&c, true);
	assert_int_equal(fenced(pm, &c, NULL, 0, false, 60000000000ll, &fence, &cb), NNHAL_NONE);
	hal_fence_wait(fence);
	assert_int_equal(cb->ops->get_execution_info(cb, &launched, &after), NNHAL_NONE);
	assert_int_equal(launched.on_device_ns, NNHAL_NO_TIME);
	assert_int_equal(launched.in_driver_ns, NNHAL_NO_TIME);
	assert_int_equal(after.in_driver_ns, NNHAL_NO_TIME);
	cb->ops->destroy(cb);
	if (fence >= 0)
		close(fence);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

/*
 * The deadline passes before the launch: PERSISTENT if it had passed at the call, TRANSIENT if not.
 */
TEST(test_short_durations)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	struct nnhal_fenced_callback *cb;
	struct hal_call c;
	int fence;

	hal_call_add(&c, true);
	assert_int_equal(fenced(pm, &c, NULL, 0, false, 0, &fence, &cb),
			 NNHAL_MISSED_DEADLINE_PERSISTENT);
	assert_int_equal(fenced(pm, &c, NULL, 0, false, 1, &fence, &cb),
			 NNHAL_MISSED_DEADLINE_TRANSIENT);
	assert_null(cb);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

/* A duration of 20 ms for an execution that takes far longer. */
TEST(test_duration)
{
	const uint32_t elements = 1 << 20, bytes = elements * 4;
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_long(400, elements));
	struct nnhal_fenced_callback *cb;
	struct nnhal_timing launched, after;
	enum nnhal_status status;
	struct hal_call c;
	int fence;

	hal_call_init(&c, true, &bytes, 1, &bytes, 1);
	status = fenced(pm, &c, NULL, 0, true, 20000000, &fence, &cb);
	if (status == NNHAL_NONE) {
		hal_fence_wait(fence);
		status = cb->ops->get_execution_info(cb, &launched, &after);
		assert_int_equal(launched.in_driver_ns, NNHAL_NO_TIME);
		cb->ops->destroy(cb);
		close(fence);
	}
	assert_int_equal(status, NNHAL_MISSED_DEADLINE_TRANSIENT);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

/* out[4] = in[4] + in[4], three times, each on the last one's fence and output. */
static struct nnmodel *doubling(uint32_t ops)
{
	struct nnmodel *m = nnmodel_new();
	const uint32_t elements = 1 << 18;
	uint32_t in, prev, next, act;

	in = prev =
		hal_tensor(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT, &elements, 1, 0, 0);
	act = (uint32_t)nnmodel_add_int32(m, NNMODEL_FUSED_NONE);
	for (uint32_t i = 0; i < ops; i++) {
		next = hal_tensor(m, NNMODEL_TENSOR_FLOAT32,
				  i + 1 < ops ? NNMODEL_TEMPORARY_VARIABLE
					      : NNMODEL_SUBGRAPH_OUTPUT,
				  &elements, 1, 0, 0);
		assert_true(nnmodel_add_operation(m, NNMODEL_ADD, HAL_LIST(prev, prev, act),
						  HAL_LIST(next)) >= 0);
		prev = next;
	}
	assert_int_equal(nnmodel_set_io(m, &in, 1, &prev, 1), 0);
	return m;
}

TEST(test_chain_of_three)
{
	const uint32_t elements = 1 << 18, bytes = elements * 4;
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, doubling(4));
	struct nnhal_fenced_callback *cb[3];
	struct nnhal_timing launched, after;
	struct hal_call c[3];
	float *in, *out;
	int fence[3];

	hal_call_init(&c[0], true, &bytes, 1, &bytes, 1);
	in = hal_in(&c[0], 0);
	for (uint32_t i = 0; i < elements; i++)
		in[i] = (float)(i % 7);
	for (int i = 0; i < 3; i++) {
		if (i) {
			hal_call_init(&c[i], true, &bytes, 1, &bytes, 1);
			/* the input is the output of the execution before */
			close(c[i].pools[0].memory.fd);
			c[i].pools[0] = c[i - 1].pools[1];
			c[i].pools[0].memory.prot = 1;
			c[i].pools[0].memory.fd = dup(c[i - 1].pools[1].memory.fd);
		}
		assert_int_equal(fenced(pm, &c[i], i && fence[i - 1] >= 0 ? &fence[i - 1] : NULL,
					i && fence[i - 1] >= 0, true, 60000000000ll, &fence[i],
					&cb[i]),
				 NNHAL_NONE);
		assert_int_equal(fence[i] >= 0, hal_is_card() || hal_user_fences());
	}
	if (fence[2] >= 0) {
		/*
		 * VTS: before its fence has signalled there is no result; afterwards the last
		 * status is NONE. It may signal during the query
		 */
		struct pollfd p = { .fd = fence[2], .events = POLLIN };
		enum nnhal_status status;

		status = cb[2]->ops->get_execution_info(cb[2], &launched, &after);
		if (poll(&p, 1, 0) == 0)
			assert_int_equal(status, NNHAL_GENERAL_FAILURE);
	}
	hal_fence_wait(fence[2]);
	out = hal_out(&c[2], 0);
	for (uint32_t i = 0; i < elements; i++)
		assert_true(out[i] == (float)(i % 7) * 4096.0f);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(cb[i]->ops->get_execution_info(cb[i], &launched, &after),
				 NNHAL_NONE);
		assert_true(launched.on_device_ns <= launched.in_driver_ns);
		assert_true(after.in_driver_ns <= launched.in_driver_ns);
		cb[i]->ops->destroy(cb[i]);
		if (fence[i] >= 0)
			close(fence[i]);
		hal_call_fini(&c[i]);
	}
	pm->ops->destroy(pm);
}

/* Callback, model and device are destroyed while the jobs run. The jobs end by themselves. */
TEST(test_abandoned)
{
	const uint32_t elements = 1 << 18, bytes = elements * 4;
	struct nnhal_device *dev = hal_open();
	struct nnhal_prepared_model *pm = hal_prepare(dev, doubling(4));
	struct nnhal_fenced_callback *cb;
	uint32_t num_fences = 0;
	int fences[7], fence;
	/* outputs of their own: those without fences to wait for may run at the same time */
	struct hal_call c[8];
	float *in, *out;

	for (int i = 0; i < 8; i++) {
		hal_call_init(&c[i], true, &bytes, 1, &bytes, 1);
		in = hal_in(&c[i], 0);
		for (uint32_t k = 0; k < elements; k++)
			in[k] = 1;
	}
	for (int i = 0; i < 7; i++) {
		assert_int_equal(fenced(pm, &c[i], NULL, 0, false, NNHAL_NO_TIME, &fence, &cb),
				 NNHAL_NONE);
		cb->ops->destroy(cb);
		if (fence >= 0)
			fences[num_fences++] = fence;
	}
	/* the last waits for the others: when its fence signals no execution is under way */
	assert_int_equal(fenced(pm, &c[7], num_fences ? fences : NULL, num_fences, false,
				NNHAL_NO_TIME, &fence, &cb),
			 NNHAL_NONE);
	cb->ops->destroy(cb);
	for (uint32_t i = 0; i < num_fences; i++)
		close(fences[i]);
	pm->ops->destroy(pm);
	dev->ops->destroy(dev);
	hal_fence_wait(fence);
	if (fence >= 0)
		close(fence);
	for (int i = 0; i < 8; i++) {
		out = hal_out(&c[i], 0);
		assert_true(out[0] == 16.0f && out[elements - 1] == 16.0f);
		hal_call_fini(&c[i]);
	}
}

/* The in-process device waits for the card's fences, too: devices chain by sync_files. */
TEST(test_fence_of_another_device)
{
	const uint32_t elements = 1 << 18, bytes = elements * 4;
	struct nnhal_prepared_model *pm, *cpu_pm;
	struct nnhal_fenced_callback *cb, *cpu_cb;
	struct nnhal_timing launched, after;
	struct nnhal_device *cpu;
	struct hal_call c, d;
	char message[256];
	int fence, none;
	float *in, *out;

	assert_int_equal(nnhal_open("cpu", &cpu, message, sizeof(message)), 0);
	pm = hal_prepare(hal_dev, doubling(4));
	cpu_pm = hal_prepare(cpu, doubling(1));
	hal_call_init(&c, true, &bytes, 1, &bytes, 1);
	hal_call_init(&d, false, &bytes, 1, &bytes, 1);
	in = hal_in(&c, 0);
	for (uint32_t i = 0; i < elements; i++)
		in[i] = 1;
	assert_int_equal(fenced(pm, &c, NULL, 0, false, NNHAL_NO_TIME, &fence, &cb), NNHAL_NONE);
	assert_true(fence >= 0);
	close(d.pools[0].memory.fd);
	d.pools[0] = c.pools[1];
	d.pools[0].memory.prot = 1;
	d.pools[0].memory.fd = dup(c.pools[1].memory.fd);
	assert_int_equal(fenced(cpu_pm, &d, &fence, 1, true, NNHAL_NO_TIME, &none, &cpu_cb),
			 NNHAL_NONE);
	/* the other device is in this process, wherever the first one is */
	assert_int_equal(none >= 0, getenv("NNACCEL_FENCES") != NULL);
	hal_fence_wait(none);
	out = hal_out(&d, 0);
	assert_true(out[0] == 32.0f && out[elements - 1] == 32.0f);
	assert_int_equal(cpu_cb->ops->get_execution_info(cpu_cb, &launched, &after), NNHAL_NONE);
	assert_true(after.in_driver_ns <= launched.in_driver_ns);
	cpu_cb->ops->destroy(cpu_cb);
	cb->ops->destroy(cb);
	if (none >= 0)
		close(none);
	close(fence);
	hal_call_fini(&c);
	hal_call_fini(&d);
	pm->ops->destroy(pm);
	cpu_pm->ops->destroy(cpu_pm);
	cpu->ops->destroy(cpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_fences),   cmocka_unit_test(test_kind_of_answer),
		cmocka_unit_test(test_not_measured), cmocka_unit_test(test_short_durations),
		cmocka_unit_test(test_duration),     cmocka_unit_test(test_chain_of_three),
		cmocka_unit_test(test_abandoned),
	};
	const struct CMUnitTest card_tests[] = {
		cmocka_unit_test(test_fence_of_another_device),
	};
	int failed = cmocka_run_group_tests_name("hal-fenced", tests, hal_setup, hal_teardown);

	/* in process there are no fences to be had */
	if (hal_spec_is_card())
		failed += cmocka_run_group_tests_name("hal-fenced-card", card_tests, hal_setup,
						      hal_teardown);
	return failed;
}
