// SPDX-License-Identifier: Apache-2.0
/*
 * Fences of user space: executions behind fences that the test makes, and their own fences. The
 * device is one that returns such fences (NNACCEL_FENCES=1).
 */
#include "eventually.h"
#include "hal_test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "child.h"
#include "descriptors.h"
#include "nnutil_fence.h"
#include "nnutil_process.h"

#define MS 1000000ll

struct run {
	int fence;
	struct nnhal_fenced_callback *cb;
	struct nnhal_timing launched, fenced;
};

static enum nnhal_status launch_until(struct nnhal_prepared_model *pm, struct hal_call *c,
				      const int *wait_for, uint32_t num, int64_t deadline_ns,
				      int64_t duration_ns, struct run *r)
{
	struct nnhal_execution_config config = hal_config(true);

	return pm->ops->execute_fenced(pm, &c->request, wait_for, num, &config, deadline_ns,
				       duration_ns, &r->fence, &r->cb);
}

static void launch(struct nnhal_prepared_model *pm, struct hal_call *c, const int *wait_for,
		   struct run *r)
{
	assert_int_equal(launch_until(pm, c, wait_for, wait_for != NULL, NNHAL_NO_TIME,
				      NNHAL_NO_TIME, r),
			 NNHAL_NONE);
	assert_true(r->fence >= 0);
}

static enum nnhal_status info(struct run *r)
{
	return r->cb->ops->get_execution_info(r->cb, &r->launched, &r->fenced);
}

static int status_of(int fence)
{
	return nnutil_fence_status(fence, NULL);
}

static void assert_pending(struct run *r)
{
	struct pollfd p = { .fd = r->fence, .events = POLLIN };

	assert_int_equal(poll(&p, 1, 0), 0);
	assert_int_equal(status_of(r->fence), 0);
	assert_int_equal(info(r), NNHAL_GENERAL_FAILURE);
	assert_int_equal(r->launched.in_driver_ns, NNHAL_NO_TIME);
}

/** Wait for the end, which is @expect with @error on the fence. */
static void assert_ended(struct run *r, enum nnhal_status expect, int error)
{
	hal_fence_wait(r->fence);
	assert_int_equal(status_of(r->fence), error ? error : 1);
	assert_int_equal(info(r), expect);
	if (expect)
		assert_int_equal(r->launched.in_driver_ns, NNHAL_NO_TIME);
	r->cb->ops->destroy(r->cb);
	close(r->fence);
}

static void make_fence(int *fence, int *signal)
{
	assert_int_equal(nnutil_fence_create(fence, signal), 0);
}

/* ---- one execution ---- */

TEST(test_pending)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	unsigned int files;
	struct hal_call c;
	struct run r;
	int in, signal;

	for (int round = 0; round < 4; round++) {
		hal_call_add(&c, round % 2);
		/* what the device keeps of the memory and of its watching of fences */
		make_fence(&in, &signal);
		launch(pm, &c, &in, &r);
		nnutil_fence_signal(signal, 0);
		assert_ended(&r, NNHAL_NONE, 0);
		close(in);
		memset(hal_out(&c, 0), 0xa5, 16);
		files = descriptors_open();
		make_fence(&in, &signal);
		launch(pm, &c, &in, &r);
		assert_pending(&r);
		assert_int_equal(((uint8_t *)hal_out(&c, 0))[0], 0xa5);
		/* it is the execution's own by now */
		close(in);
		nnutil_fence_signal(signal, 0);
		hal_fence_wait(r.fence);
		hal_check_add(&c);
		assert_ended(&r, NNHAL_NONE, 0);
		/* the time before the fence is the launch's only */
		assert_true(r.fenced.in_driver_ns <= r.launched.in_driver_ns);
		assert_true(r.fenced.on_device_ns <= r.fenced.in_driver_ns);
		assert_true(EVENTUALLY(descriptors_open() == files));
		hal_call_fini(&c);
	}
	pm->ops->destroy(pm);
}

/* Inputs are read when the in-fence has signalled. */
TEST(test_input_is_late)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	struct hal_call c;
	struct run r;
	int in, signal;

	for (int device_memory = 0; device_memory < 2; device_memory++) {
		float a[4];

		hal_call_add(&c, device_memory);
		memcpy(a, hal_in(&c, 0), sizeof(a));
		memset(hal_in(&c, 0), 0, sizeof(a));
		make_fence(&in, &signal);
		launch(pm, &c, &in, &r);
		memcpy(hal_in(&c, 0), a, sizeof(a));
		nnutil_fence_signal(signal, 0);
		hal_fence_wait(r.fence);
		hal_check_add(&c);
		assert_ended(&r, NNHAL_NONE, 0);
		close(in);
		hal_call_fini(&c);
	}
	pm->ops->destroy(pm);
}

/* Several in-fences, signalled in the wrong order, one of them before the launch. */
TEST(test_many_in_fences)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	int in[5], signal[5];
	struct hal_call c;
	struct run r;

	hal_call_add(&c, false);
	for (int i = 0; i < 5; i++)
		make_fence(&in[i], &signal[i]);
	nnutil_fence_signal(signal[1], 0);
	assert_int_equal(launch_until(pm, &c, in, 5, NNHAL_NO_TIME, NNHAL_NO_TIME, &r), NNHAL_NONE);
	for (int i = 4; i >= 0; i--) {
		if (i == 1)
			continue;
		assert_pending(&r);
		nnutil_fence_signal(signal[i], 0);
	}
	hal_fence_wait(r.fence);
	hal_check_add(&c);
	assert_ended(&r, NNHAL_NONE, 0);
	for (int i = 0; i < 5; i++)
		close(in[i]);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

static void refused(struct nnhal_prepared_model *pm, struct hal_call *c, int fd)
{
	unsigned int files = descriptors_open();
	struct run r;

	assert_int_equal(launch_until(pm, c, &fd, 1, NNHAL_NO_TIME, NNHAL_NO_TIME, &r),
			 NNHAL_INVALID_ARGUMENT);
	assert_int_equal(r.fence, -1);
	assert_null(r.cb);
	assert_int_equal(descriptors_open(), files);
}

/* What is no fence, and fences that have failed. */
TEST(test_refused)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	static const int types[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET };
	struct hal_call c;
	int fds[2];

	hal_call_add(&c, false);
	refused(pm, &c, -1);
	refused(pm, &c, c.pools[0].memory.fd);
	fds[0] = eventfd(1, EFD_CLOEXEC);
	refused(pm, &c, fds[0]);
	close(fds[0]);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	refused(pm, &c, fds[0]);
	close(fds[0]);
	close(fds[1]);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(socketpair(AF_UNIX, types[i] | SOCK_CLOEXEC, 0, fds), 0);
		assert_int_equal(send(fds[1], "no fence", 8, 0), 8);
		refused(pm, &c, fds[0]);
		close(fds[0]);
		close(fds[1]);
	}
	for (int dies = 0; dies < 2; dies++) {
		make_fence(&fds[0], &fds[1]);
		if (dies)
			nnutil_fd_close(fds[1]);
		else
			nnutil_fence_signal(fds[1], -EIO);
		refused(pm, &c, fds[0]);
		close(fds[0]);
	}
	assert_int_equal(((uint8_t *)hal_out(&c, 0))[0], 0xa5);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

/* A deadline passes while the in-fence is pending; the execution ends without its signal. */
TEST(test_deadline)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	struct hal_call c;
	struct run late, other;
	int in, signal;

	hal_call_add(&c, true);
	make_fence(&in, &signal);
	/* behind the same fence without a deadline: it is not affected */
	launch(pm, &c, &in, &other);
	assert_int_equal(launch_until(pm, &c, &in, 1, hal_now_ns() + 20 * MS, NNHAL_NO_TIME, &late),
			 NNHAL_NONE);
	assert_ended(&late, NNHAL_MISSED_DEADLINE_TRANSIENT, -ETIME);
	assert_pending(&other);
	nnutil_fence_signal(signal, 0);
	assert_ended(&other, NNHAL_NONE, 0);
	hal_check_add(&c);
	close(in);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

/* A duration begins when the in-fence has signalled, and is over then if it is 1 ns. */
TEST(test_duration)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	struct hal_call c;
	int in, signal;
	struct run r;

	hal_call_add(&c, true);
	make_fence(&in, &signal);
	assert_int_equal(launch_until(pm, &c, &in, 1, NNHAL_NO_TIME, 1, &r), NNHAL_NONE);
	assert_pending(&r);
	nnutil_fence_signal(signal, 0);
	assert_ended(&r, NNHAL_MISSED_DEADLINE_TRANSIENT, -ETIME);
	assert_int_equal(((uint8_t *)hal_out(&c, 0))[0], 0xa5);
	close(in);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

/* ---- chains ---- */

#define CHAIN 3

/* Each on the fence and the output of the one before; how the first in-fence ends decides. */
static void run_chain(bool tokens, int end, enum nnhal_status expect, int error)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	struct nnhal_prepared_model *models[] = { pm };
	const struct nnhal_buffer_role in_role = { 0, 0, 1.0f }, out_role = { 0, 0, 1.0f };
	const struct nnhal_buffer_desc desc = { .size = sizeof(desc) };
	struct nnhal_memory copy = { .fd = memfd_new(16),
				     .prot = PROT_READ | PROT_WRITE,
				     .size = 16 };
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_buffer *b[CHAIN - 1] = { NULL };
	int in, signal, not_waited;
	struct nnhal_fenced_callback *cb;
	struct hal_call c[CHAIN];
	struct run r[CHAIN];
	uint32_t token;

	for (int i = 0; i < CHAIN; i++)
		hal_call_add(&c[i], i % 2);
	for (int i = 0; i + 1 < CHAIN; i++) {
		struct nnhal_request_argument *out = &c[i].outputs[0], *to = &c[i + 1].inputs[0];

		out->pool = c[i].request.num_pools++;
		to->pool = c[i + 1].request.num_pools++;
		if (tokens) {
			assert_int_equal(hal_dev->ops->allocate(hal_dev, &desc, models, 1, &in_role,
								1, &out_role, 1, &b[i], &token),
					 NNHAL_NONE);
			c[i].pools[out->pool] =
				(struct nnhal_request_pool){ .is_token = true, .token = token };
			c[i + 1].pools[to->pool] = c[i].pools[out->pool];
			out->offset = out->length = to->offset = to->length = 0;
		} else {
			/* the memory of both is the first one's output */
			c[i].request.num_pools--;
			out->pool = 1;
			c[i + 1].pools[to->pool] = c[i].pools[1];
			to->offset = out->offset;
		}
	}
	make_fence(&in, &signal);
	for (int i = 0; i < CHAIN; i++)
		launch(pm, &c[i], i ? &r[i - 1].fence : &in, &r[i]);
	for (int i = 0; i < CHAIN; i++)
		assert_pending(&r[i]);
	if (tokens) {
		/* content that was only promised: not without waiting */
		assert_int_equal(b[0]->ops->copy_to(b[0], &copy), NNHAL_GENERAL_FAILURE);
		assert_int_equal(pm->ops->execute_fenced(pm, &c[1].request, NULL, 0, &config,
							 NNHAL_NO_TIME, NNHAL_NO_TIME, &not_waited,
							 &cb),
				 NNHAL_GENERAL_FAILURE);
		assert_int_equal(not_waited, -1);
		assert_null(cb);
	}
	if (end > 0)
		nnutil_fd_close(signal);
	else
		nnutil_fence_signal(signal, end);
	for (int i = CHAIN - 1; i >= 0; i--)
		assert_ended(&r[i], expect, error);
	if (tokens)
		for (int i = 0; i + 1 < CHAIN; i++)
			assert_int_equal(b[i]->ops->copy_to(b[i], &copy),
					 expect ? NNHAL_GENERAL_FAILURE : NNHAL_NONE);
	if (expect)
		assert_int_equal(((uint8_t *)hal_out(&c[CHAIN - 1], 0))[0], 0xa5);
	else
		for (int i = 0; i < 4; i++) /* a = {1,2,3,4}, b = {10,20} */
			assert_true(((float *)hal_out(&c[CHAIN - 1], 0))[i] ==
				    (float)(i + 1 + CHAIN * 10 * (i % 2 + 1)));
	for (int i = 0; i < CHAIN; i++)
		hal_call_fini(&c[i]);
	for (int i = 0; i + 1 < CHAIN; i++)
		if (b[i])
			b[i]->ops->destroy(b[i]);
	close(in);
	close(copy.fd);
	pm->ops->destroy(pm);
}

TEST(test_chain)
{
	for (int tokens = 0; tokens < 2; tokens++) {
		run_chain(tokens, 0, NNHAL_NONE, 0);
		run_chain(tokens, -EFAULT, NNHAL_GENERAL_FAILURE, -EFAULT);
		run_chain(tokens, -EINVAL, NNHAL_GENERAL_FAILURE, -EIO);
		/* the maker dies */
		run_chain(tokens, 1, NNHAL_GENERAL_FAILURE, -EPIPE);
	}
}

/* ---- reusable ---- */

TEST(test_reusable)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	struct nnhal_execution_config config = hal_config(true);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_execution *e;
	struct nnhal_fenced_callback *cb;
	int in, signal, none;
	struct hal_call c;
	struct run r;

	hal_call_add(&c, false);
	assert_int_equal(pm->ops->create_reusable_execution(pm, &c.request, &config, &e),
			 NNHAL_NONE);
	for (int round = 0; round < 3; round++) {
		memset(hal_out(&c, 0), 0xa5, 16);
		make_fence(&in, &signal);
		assert_int_equal(e->ops->execute_fenced(e, &in, 1, NNHAL_NO_TIME, NNHAL_NO_TIME,
							&r.fence, &r.cb),
				 NNHAL_NONE);
		assert_pending(&r);
		/* one at a time */
		assert_int_equal(e->ops->execute_fenced(e, NULL, 0, NNHAL_NO_TIME, NNHAL_NO_TIME,
							&none, &cb),
				 NNHAL_GENERAL_FAILURE);
		assert_int_equal(none, -1);
		assert_int_equal(e->ops->execute_synchronously(e, NNHAL_NO_TIME, &result),
				 NNHAL_GENERAL_FAILURE);
		if (round == 2)
			e->ops->destroy(e);
		nnutil_fence_signal(signal, 0);
		hal_fence_wait(r.fence);
		hal_check_add(&c);
		if (round < 2)
			/* it is free as soon as the fence has signalled */
			assert_int_equal(e->ops->execute_synchronously(e, NNHAL_NO_TIME, &result),
					 NNHAL_NONE);
		nnhal_execution_result_clear(&result);
		assert_ended(&r, NNHAL_NONE, 0);
		close(in);
	}
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

/* ---- lifetimes ---- */

/* Everything is destroyed while the execution waits. It runs, and its fence signals. */
TEST(test_abandoned)
{
	struct nnhal_device *dev = hal_open();
	struct nnhal_prepared_model *pm = hal_prepare(dev, hal_model_add());
	struct hal_call c;
	int in, signal;
	struct run r;

	hal_call_add(&c, false);
	make_fence(&in, &signal);
	launch(pm, &c, &in, &r);
	close(in);
	r.cb->ops->destroy(r.cb);
	pm->ops->destroy(pm);
	dev->ops->destroy(dev);
	assert_int_equal(status_of(r.fence), 0);
	nnutil_fence_signal(signal, 0);
	hal_fence_wait(r.fence);
	assert_int_equal(status_of(r.fence), 1);
	hal_check_add(&c);
	close(r.fence);
	hal_call_fini(&c);
}

/* More executions wait than there are worker threads; other work of the device goes on. */
TEST(test_many_waiting)
{
	enum { MANY = 100 };
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	struct nnhal_execution_config config = hal_config(false);
	static struct hal_call c[MANY];
	static struct run r[MANY];
	int in, signal;

	make_fence(&in, &signal);
	for (int i = 0; i < MANY; i++) {
		hal_call_add(&c[i], i % 2);
		launch(pm, &c[i], &in, &r[i]);
	}
	/* a preparation and an asynchronous execution need threads as well */
	for (int i = 0; i < 2; i++) {
		struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
		struct nnhal_prepared_model *other = hal_prepare(hal_dev, hal_model_add());
		struct hal_call d;

		hal_call_add(&d, false);
		assert_int_equal(hal_run(other, HAL_ASYNC, &d.request, &config, NNHAL_NO_TIME,
					 &result),
				 NNHAL_NONE);
		hal_check_add(&d);
		nnhal_execution_result_clear(&result);
		hal_call_fini(&d);
		other->ops->destroy(other);
	}
	for (int i = 0; i < MANY; i++)
		assert_pending(&r[i]);
	nnutil_fence_signal(signal, 0);
	for (int i = 0; i < MANY; i++) {
		hal_fence_wait(r[i].fence);
		hal_check_add(&c[i]);
		assert_ended(&r[i], NNHAL_NONE, 0);
		hal_call_fini(&c[i]);
	}
	close(in);
	pm->ops->destroy(pm);
}

/* No descriptor is left for a fence: then the execution is over at the return. */
TEST(test_no_descriptors)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	struct rlimit before, few;
	enum nnhal_status status;
	int taken[256], n = 0;
	struct hal_call c;
	struct run r;

	hal_call_add(&c, true);
	/* the first one brings what the device keeps */
	launch(pm, &c, NULL, &r);
	assert_ended(&r, NNHAL_NONE, 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = 256;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	for (int spare = 0; spare < 6; spare++) {
		memset(hal_out(&c, 0), 0xa5, 16);
		while (n < 256 && (taken[n] = dup(0)) >= 0)
			n++;
		assert_true(n < 256);
		for (int i = 0; i < spare; i++)
			close(taken[--n]);
		status = launch_until(pm, &c, NULL, 0, NNHAL_NO_TIME, NNHAL_NO_TIME, &r);
		while (n)
			close(taken[--n]);
		if (status) {
			assert_int_equal(status, NNHAL_RESOURCE_EXHAUSTED_TRANSIENT);
			continue;
		}
		hal_fence_wait(r.fence);
		hal_check_add(&c);
		assert_int_equal(info(&r), NNHAL_NONE);
		r.cb->ops->destroy(r.cb);
		if (r.fence >= 0)
			close(r.fence);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

/* ---- processes ---- */

/*
 * The process that executes is killed: its fence fails for each holder, and so do waiting
 * executions.
 */
TEST(test_killed)
{
	struct nnhal_prepared_model *pm;
	int way[2], in, signal, fence;
	struct nnhal_device *dev;
	struct hal_call c;
	struct run r;
	pid_t pid;
	char byte;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, way), 0);
	make_fence(&in, &signal);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		hal_forked();
		close(way[0]);
		dev = hal_open();
		pm = hal_prepare(dev, hal_model_add());
		hal_call_add(&c, false);
		launch(pm, &c, &in, &r);
		if (unix_send(way[1], "", 1, &r.fence, 1) != 1)
			_exit(3);
		for (;;)
			pause();
	}
	close(way[1]);
	assert_int_equal(unix_receive(way[0], &byte, 1, &fence), 1);
	assert_int_equal(status_of(fence), 0);
	/* one of this process waits for it */
	pm = hal_prepare(hal_dev, hal_model_add());
	hal_call_add(&c, false);
	launch(pm, &c, &fence, &r);
	assert_pending(&r);
	assert_int_equal(kill(pid, SIGKILL), 0);
	hal_fence_wait(fence);
	assert_int_equal(status_of(fence), -EPIPE);
	assert_ended(&r, NNHAL_GENERAL_FAILURE, -EPIPE);
	assert_int_equal(((uint8_t *)hal_out(&c, 0))[0], 0xa5);
	assert_int_equal(child_wait(pid), -SIGKILL);
	nnutil_fence_signal(signal, 0);
	close(in);
	close(fence);
	close(way[0]);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

/* A child has the fence of its parent's execution; its objects are the parent's. */
TEST(test_fork)
{
	struct nnhal_prepared_model *pm = hal_prepare(hal_dev, hal_model_add());
	int in, signal;
	struct hal_call c;
	struct run r;
	pid_t pid;

	hal_call_add(&c, false);
	make_fence(&in, &signal);
	launch(pm, &c, &in, &r);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct pollfd p = { .fd = r.fence, .events = POLLIN };

		hal_forked();
		if (info(&r) != NNHAL_DEAD_OBJECT)
			_exit(1);
		r.cb->ops->destroy(r.cb);
		if (poll(&p, 1, -1) != 1 || status_of(r.fence) != 1)
			_exit(2);
		_exit(0);
	}
	nnutil_fence_signal(signal, 0);
	assert_int_equal(child_wait(pid), 0);
	hal_check_add(&c);
	assert_ended(&r, NNHAL_NONE, 0);
	close(in);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

static int setup(void **state)
{
	/* for every device */
	setenv("NNACCEL_FENCES", "1", 1);
	return hal_setup(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pending),
		cmocka_unit_test(test_input_is_late),
		cmocka_unit_test(test_many_in_fences),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_deadline),
		cmocka_unit_test(test_duration),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_reusable),
		cmocka_unit_test(test_abandoned),
		cmocka_unit_test(test_many_waiting),
		cmocka_unit_test(test_no_descriptors),
#ifndef __SANITIZE_THREAD__
		/* TSan lets no child of a process with threads start any */
		forks_among_threads(test_killed),
		forks_among_threads(test_fork),
#endif
	};

	return cmocka_run_group_tests_name("hal-user-fences", tests, setup, hal_teardown);
}
