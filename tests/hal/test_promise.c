// SPDX-License-Identifier: Apache-2.0
/*
 * A fenced execution promises outputs and then fails: every reader fails, before the launch or
 * afterwards. The fake transport decides how a job ends; chains of fences run on the device under
 * test.
 */
#include "descriptors.h"
#include "eventually.h"
#include "hal_test.h"
#include "task_state.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake_transport.h"
#include "nnutil_fence.h"
#include "driver/nnhal_driver.h"

#define MS 1000000ll

/** A buffer that @writer's output 0 goes to and @reader's input 0 comes from. */
static struct nnhal_buffer *between(struct nnhal_device *dev, struct nnhal_prepared_model *writer,
				    struct nnhal_prepared_model *reader, uint32_t *token)
{
	struct nnhal_prepared_model *models[] = { writer, reader };
	const struct nnhal_buffer_role in = { 1, 0, 1.0f }, out = { 0, 0, 1.0f };
	const struct nnhal_buffer_desc desc = { .size = sizeof(desc) };
	struct nnhal_buffer *b;

	assert_int_equal(dev->ops->allocate(dev, &desc, models, 2, &in, 1, &out, 1, &b, token),
			 NNHAL_NONE);
	return b;
}

/** Argument 0 of that kind is the device buffer @token. */
static void use_token(struct hal_call *c, bool output, uint32_t token)
{
	struct nnhal_request_argument *arg = output ? &c->outputs[0] : &c->inputs[0];

	c->pools[arg->pool = c->request.num_pools++] =
		(struct nnhal_request_pool){ .is_token = true, .token = token };
	arg->offset = arg->length = 0;
}

static enum nnhal_status copy_out(struct nnhal_buffer *b, uint64_t size)
{
	struct nnhal_memory to = { .fd = memfd_new(size),
				   .prot = PROT_READ | PROT_WRITE,
				   .size = size };
	enum nnhal_status status;

	status = b->ops->copy_to(b, &to);
	close(to.fd);
	return status;
}

/* ---- how the job ends ---- */

struct fixture {
	struct fake *fake;
	struct nnhal_device *dev;
	struct nnhal_prepared_model *pm; /* out[2,2] = a[2,2] + b[2] */
	struct hal_call writer, reader;
	struct nnhal_buffer *b;
};

static struct fixture f;

FIXTURE(fresh)
{
	struct nnhal_dev *dev;
	char message[256];
	uint32_t token;

	f.fake = fake_create();
	f.fake->base.fences = true;
	if (nnhal_dev_create(&f.fake->base, &dev, message, sizeof(message)))
		return -1;
	f.dev = &dev->base;
	f.pm = hal_prepare(f.dev, hal_model_add());
	f.b = between(f.dev, f.pm, f.pm, &token);
	hal_call_add(&f.writer, false);
	hal_call_add(&f.reader, false);
	use_token(&f.writer, true, token);
	use_token(&f.reader, false, token);
	return 0;
}

FIXTURE(done)
{
	hal_call_fini(&f.writer);
	hal_call_fini(&f.reader);
	f.b->ops->destroy(f.b);
	f.pm->ops->destroy(f.pm);
	f.dev->ops->destroy(f.dev);
	assert_true(EVENTUALLY(f.fake->destroyed));
	assert_int_equal(f.fake->mems, 0);
	assert_int_equal(f.fake->jobs_alive, 0);
	free(f.fake);
	return 0;
}

static struct nnhal_fenced_callback *launch(int *fence)
{
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_fenced_callback *cb;

	assert_int_equal(f.pm->ops->execute_fenced(f.pm, &f.writer.request, NULL, 0, &config,
						   NNHAL_NO_TIME, NNHAL_NO_TIME, fence, &cb),
			 NNHAL_NONE);
	assert_true(*fence >= 0);
	return cb;
}

/** The status of every reader; a refused reader submits no job. */
static void readers_say(enum nnhal_status expect)
{
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	uint32_t jobs = f.fake->num_jobs;

	for (int how = 0; how < HAL_EXECUTORS; how++) {
		memset(hal_out(&f.reader, 0), 0xa5, 16);
		assert_int_equal(hal_run(f.pm, how, &f.reader.request, &config, NNHAL_NO_TIME,
					 &result),
				 expect);
		nnhal_execution_result_clear(&result);
		if (expect)
			assert_int_equal(((uint8_t *)hal_out(&f.reader, 0))[0], 0xa5);
	}
	assert_int_equal(f.fake->num_jobs, expect ? jobs : jobs + HAL_EXECUTORS);
	assert_int_equal(copy_out(f.b, 16), expect);
}

TEST(test_kept)
{
	struct nnhal_fenced_callback *cb;
	int fence;

	f.fake->jobs[0].hold = true;
	cb = launch(&fence);
	/* promised, but they do not wait for it */
	readers_say(NNHAL_GENERAL_FAILURE);
	fake_release();
	hal_fence_wait(fence);
	readers_say(NNHAL_NONE);
	cb->ops->destroy(cb);
	close(fence);
}

TEST(test_broken)
{
	static const uint32_t statuses[] = {
		NNACCEL_STATUS_FAULT,	  NNACCEL_STATUS_INNOCENT,     NNACCEL_STATUS_LINK_LOST,
		NNACCEL_STATUS_DEADLINE,  NNACCEL_STATUS_LOOP_TIMEOUT, NNACCEL_STATUS_INPUT_FAILED,
		NNACCEL_STATUS_UNPLUGGED,
	};
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_timing launched, fenced;

	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
		struct nnhal_fenced_callback *cb;
		int fence;

		/* the old content is lost as well */
		f.fake->num_jobs = 0;
		f.fake->jobs[0] = (struct fake_job){ 0 };
		assert_int_equal(hal_run(f.pm, HAL_SYNC, &f.writer.request, &config, NNHAL_NO_TIME,
					 &result),
				 NNHAL_NONE);
		nnhal_execution_result_clear(&result);
		assert_int_equal(copy_out(f.b, 16), NNHAL_NONE);

		f.fake->jobs[1] = (struct fake_job){ .status = statuses[i], .hold = true };
		cb = launch(&fence);
		fake_release();
		hal_fence_wait(fence);
		/* no one asks in every other round: a reader is the first to look */
		if (i % 2)
			assert_int_not_equal(cb->ops->get_execution_info(cb, &launched, &fenced),
					     NNHAL_NONE);
		readers_say(NNHAL_GENERAL_FAILURE);
		assert_int_not_equal(cb->ops->get_execution_info(cb, &launched, &fenced),
				     NNHAL_NONE);
		cb->ops->destroy(cb);
		close(fence);
	}
}

/* The callback was destroyed. */
TEST(test_abandoned)
{
	struct nnhal_fenced_callback *cb;
	int fence;

	f.fake->jobs[0] = (struct fake_job){ .status = NNACCEL_STATUS_NO_PROGRESS, .hold = true };
	cb = launch(&fence);
	cb->ops->destroy(cb);
	fake_release();
	hal_fence_wait(fence);
	close(fence);
	readers_say(NNHAL_GENERAL_FAILURE);
	/* another writer, another promise */
	cb = launch(&fence);
	hal_fence_wait(fence);
	close(fence);
	readers_say(NNHAL_NONE);
	cb->ops->destroy(cb);
}

/* A reader that wrote it since: the end of the first is no news. */
TEST(test_written_since)
{
	struct nnhal_memory from = { .fd = memfd_new(16), .prot = PROT_READ, .size = 16 };
	struct nnhal_fenced_callback *cb;
	int fence;

	f.fake->jobs[0] = (struct fake_job){ .status = NNACCEL_STATUS_FAULT, .hold = true };
	cb = launch(&fence);
	assert_int_equal(f.b->ops->copy_from(f.b, &from, 0, NULL), NNHAL_NONE);
	fake_release();
	hal_fence_wait(fence);
	readers_say(NNHAL_NONE);
	cb->ops->destroy(cb);
	close(fence);
	close(from.fd);
}

/* ---- several writers ---- */

/* Called once after the next critical section of that lock, in whichever thread. */
static struct {
	pthread_mutex_t *_Atomic lock;
	void (*happens)(void);
} gap;

int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	pthread_mutex_t *expect = mutex;
	int ret = __real_pthread_mutex_unlock(mutex);

	if (mutex && atomic_compare_exchange_strong(&gap.lock, &expect, NULL))
		gap.happens();
	return ret;
}

/* The fake's fences are eventfds, which the kernel calls no sync_files. */
int __real_nnutil_fence_status(int fd, int64_t *signalled_ns);
int __wrap_nnutil_fence_status(int fd, int64_t *signalled_ns);
static bool signalled(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

static bool of_fake(int fd)
{
	char path[64], name[64] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, name, sizeof(name) - 1) > 0 && !strcmp(name, "anon_inode:[eventfd]");
}

int __wrap_nnutil_fence_status(int fd, int64_t *signalled_ns)
{
	if (!of_fake(fd))
		return __real_nnutil_fence_status(fd, signalled_ns);
	if (signalled_ns)
		*signalled_ns = 0;
	return signalled(fd);
}

bool __wrap_nnutil_fence_is_sync_file(int fd);
bool __wrap_nnutil_fence_is_sync_file(int fd)
{
	return of_fake(fd);
}

static struct {
	int fence;
	struct nnhal_fenced_callback *cb;
} second;

static void launch_second(void)
{
	second.cb = launch(&second.fence);
}

static void end_callback(struct nnhal_fenced_callback *cb, int fence, enum nnhal_status expect)
{
	struct nnhal_timing launched, fenced;

	hal_fence_wait(fence);
	assert_int_equal(cb->ops->get_execution_info(cb, &launched, &fenced), expect);
	cb->ops->destroy(cb);
	close(fence);
}

/*
 * The first writer's end is taken note of while the second is launched: its promise stays, and is
 * broken.
 */
TEST(test_promised_meanwhile)
{
	struct nnhal_fenced_callback *cb;
	int fence;

	f.fake->jobs[0].hold = true;
	f.fake->jobs[1] = (struct fake_job){ .status = NNACCEL_STATUS_FAULT, .hold = true };
	cb = launch(&fence);
	gap.happens = launch_second;
	atomic_store(&gap.lock, &((struct nnhal_buf *)f.b)->lock);
	fake_release();
	end_callback(cb, fence, NNHAL_NONE);
	assert_true(EVENTUALLY(f.fake->num_jobs >= 2));
	assert_int_equal(f.fake->num_jobs, 2);
	readers_say(NNHAL_GENERAL_FAILURE);
	fake_release();
	end_callback(second.cb, second.fence, NNHAL_GENERAL_FAILURE);
	readers_say(NNHAL_GENERAL_FAILURE);
}

static void *run_writer(void *unused)
{
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	enum nnhal_status status;

	status = f.pm->ops->execute_synchronously(f.pm, &f.writer.request, &config, NNHAL_NO_TIME,
						  &result);
	nnhal_execution_result_clear(&result);
	(void)unused;
	return (void *)(intptr_t)status;
}

/* A synchronous execution succeeds; the fenced one that is launched after it fails. */
TEST(test_promised_during_another)
{
	struct nnhal_fenced_callback *cb;
	pthread_t thread;
	void *status;
	int fence;

	f.fake->jobs[0].hold = true;
	f.fake->jobs[1] = (struct fake_job){ .status = NNACCEL_STATUS_FAULT, .hold = true };
	assert_int_equal(pthread_create(&thread, NULL, run_writer, NULL), 0);
	assert_true(EVENTUALLY(f.fake->num_jobs >= 1));
	cb = launch(&fence);
	assert_int_equal(f.fake->num_jobs, 2);
	fake_release_job(1);
	assert_int_equal(pthread_join(thread, &status), 0);
	assert_int_equal((intptr_t)status, NNHAL_NONE);
	readers_say(NNHAL_GENERAL_FAILURE);
	fake_release();
	end_callback(cb, fence, NNHAL_GENERAL_FAILURE);
	assert_int_equal(copy_out(f.b, 16), NNHAL_GENERAL_FAILURE);
}

/* ---- letting go ---- */

/* One long execution and others behind it: the others end, and their queue slots are free again. */
TEST(test_behind_a_long_one)
{
	struct nnhal_fenced_callback *longest, *cb;
	int fence, long_fence;

	f.fake->jobs[0].hold = true;
	longest = launch(&long_fence);
	/* more than all queues take at a time */
	for (int i = 0; i < 40; i++) {
		cb = launch(&fence);
		hal_fence_wait(fence);
		close(fence);
		cb->ops->destroy(cb);
		assert_true(EVENTUALLY(f.fake->jobs_alive == 1));
	}
	fake_release();
	end_callback(longest, long_fence, NNHAL_NONE);
}

/* ---- which fence ---- */

static struct nnhal_fenced_callback *launch_reader(int wait_for, int *fence,
						   enum nnhal_status expect)
{
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_fenced_callback *cb;

	assert_int_equal(f.pm->ops->execute_fenced(f.pm, &f.reader.request, &wait_for, 1, &config,
						   NNHAL_NO_TIME, NNHAL_NO_TIME, fence, &cb),
			 expect);
	return cb;
}

/* A reader that was given another's fence, pending or not, waits for the writer's as well. */
TEST(test_another_fence)
{
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_fenced_callback *writer, *reader;
	int fence, out, other = eventfd(0, EFD_CLOEXEC), over = eventfd(1, EFD_CLOEXEC);

	for (int i = 0; i < 2; i++) {
		uint32_t jobs = f.fake->num_jobs;

		f.fake->jobs[jobs].hold = true;
		f.fake->jobs[jobs + 1].hold = true;
		writer = launch(&fence);
		reader = launch_reader(i ? over : other, &out, NNHAL_NONE);
		assert_int_equal(f.fake->num_jobs, jobs + 2);
		assert_int_equal(f.fake->num_waits, 2);
		assert_false(signalled(f.fake->waits[1]));
		fake_release_job(jobs + 1);
		assert_true(signalled(f.fake->waits[1]));
		fake_release();
		end_callback(writer, fence, NNHAL_NONE);
		end_callback(reader, out, NNHAL_NONE);
	}
	/* without a fence it would have to be there */
	f.fake->jobs[f.fake->num_jobs].hold = true;
	writer = launch(&fence);
	assert_int_equal(f.pm->ops->execute_fenced(f.pm, &f.reader.request, NULL, 0, &config,
						   NNHAL_NO_TIME, NNHAL_NO_TIME, &out, &reader),
			 NNHAL_GENERAL_FAILURE);
	fake_release();
	end_callback(writer, fence, NNHAL_NONE);
	close(other);
	close(over);
}

struct user_fence {
	int signal;
	uint32_t jobs; /* when it was signalled */
};

static void *signal_user_fence(void *cookie)
{
	struct user_fence *u = cookie;

	/* the launch waits */
	if (!EVENTUALLY(thread_asleep(getpid())))
		return cookie;
	u->jobs = f.fake->num_jobs;
	nnutil_fence_signal(u->signal, 0);
	return NULL;
}

/*
 * A fence of user space among those of the kernel is kept from the kernel: the job is submitted
 * when all have signalled. One that has signalled already is no matter.
 */
TEST(test_fence_of_user_space)
{
	const bool at_once = hal_user_fences();
	struct nnhal_execution_config config = hal_config(false);
	int over = eventfd(1, EFD_CLOEXEC), out, fences[2] = { over };
	struct nnhal_fenced_callback *cb;
	struct user_fence u;
	pthread_t thread;
	void *failed;

	assert_int_equal(nnutil_fence_create(&fences[1], &u.signal), 0);
	if (!at_once)
		assert_int_equal(pthread_create(&thread, NULL, signal_user_fence, &u), 0);
	assert_int_equal(f.pm->ops->execute_fenced(f.pm, &f.writer.request, fences, 2, &config,
						   NNHAL_NO_TIME, NNHAL_NO_TIME, &out, &cb),
			 NNHAL_NONE);
	assert_int_equal(out >= 0, at_once);
	if (at_once)
		assert_int_equal(pthread_create(&thread, NULL, signal_user_fence, &u), 0);
	hal_fence_wait(out);
	assert_int_equal(pthread_join(thread, &failed), 0);
	assert_null(failed);
	assert_int_equal(u.jobs, 0);
	assert_int_equal(f.fake->num_jobs, 1);
	assert_int_equal(f.fake->num_waits, 0);
	if (out >= 0)
		end_callback(cb, out, NNHAL_NONE);
	else
		cb->ops->destroy(cb);
	readers_say(NNHAL_NONE);

	f.fake->jobs[f.fake->num_jobs].hold = true;
	assert_int_equal(f.pm->ops->execute_fenced(f.pm, &f.writer.request, fences, 2, &config,
						   NNHAL_NO_TIME, NNHAL_NO_TIME, &out, &cb),
			 NNHAL_NONE);
	assert_true(out >= 0);
	assert_int_equal(f.fake->num_waits, 0);
	fake_release();
	end_callback(cb, out, NNHAL_NONE);
	close(fences[1]);
	close(over);
}

/* ---- chains ---- */

#define ELEMENTS (1u << 20)
#define BYTES (ELEMENTS * 4)

/**
 * Three executions by fences; the first is too slow for its @duration_ns. In process each has ended
 * at its launch, so the readers of a failure find it then; on a card they were launched on the
 * promise and fail with it.
 */
static void run_chain(struct nnhal_prepared_model *const *models, struct hal_call *calls,
		      int64_t duration_ns, enum nnhal_status status[3])
{
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_fenced_callback *cb[3];
	struct nnhal_timing launched, fenced;
	int fence[3] = { -1, -1, -1 };

	for (int i = 0; i < 3; i++)
		status[i] = models[i]->ops->execute_fenced(
			models[i], &calls[i].request, &fence[i - !!i], i && fence[i - 1] >= 0,
			&config, NNHAL_NO_TIME, i ? NNHAL_NO_TIME : duration_ns, &fence[i], &cb[i]);
	for (int i = 0; i < 3; i++) {
		if (status[i])
			continue;
		hal_fence_wait(fence[i]);
		status[i] = cb[i]->ops->get_execution_info(cb[i], &launched, &fenced);
		cb[i]->ops->destroy(cb[i]);
		if (fence[i] >= 0)
			close(fence[i]);
	}
}

/*
 * The input's promise was broken; where the launch came too late for it, the in-fence had failed by
 * then.
 */
static void assert_broken(enum nnhal_status status)
{
	if (status != NNHAL_INVALID_ARGUMENT)
		assert_int_equal(status, NNHAL_GENERAL_FAILURE);
}

TEST(test_chain)
{
	struct nnhal_prepared_model *slow = hal_prepare(hal_dev, hal_model_long(100, ELEMENTS));
	struct nnhal_prepared_model *models[3] = { slow };
	struct nnhal_buffer *b[2];
	enum nnhal_status status[3];
	struct hal_call calls[3];
	uint32_t token[2];

	models[1] = hal_prepare(hal_dev, hal_model_long(1, ELEMENTS));
	models[2] = hal_prepare(hal_dev, hal_model_long(1, ELEMENTS));
	for (int i = 0; i < 3; i++)
		hal_call_init(&calls[i], true, HAL_LIST(BYTES), HAL_LIST(BYTES));
	for (int i = 0; i < 2; i++) {
		b[i] = between(hal_dev, models[i], models[i + 1], &token[i]);
		use_token(&calls[i], true, token[i]);
		use_token(&calls[i + 1], false, token[i]);
	}
	for (int round = 0; round < 2; round++) {
		run_chain(models, calls, 2 * MS, status);
		assert_int_equal(status[0], NNHAL_MISSED_DEADLINE_TRANSIENT);
		assert_broken(status[1]);
		assert_broken(status[2]);
		for (int i = 0; i < 2; i++)
			assert_int_equal(copy_out(b[i], BYTES), NNHAL_GENERAL_FAILURE);
		assert_int_equal(((uint8_t *)hal_out(&calls[2], 0))[0], 0xa5);
	}
	/* the failure leaves no trace: the same buffers, and a chain that succeeds */
	run_chain(models, calls, NNHAL_NO_TIME, status);
	for (int i = 0; i < 3; i++)
		assert_int_equal(status[i], NNHAL_NONE);
	assert_int_equal(copy_out(b[1], BYTES), NNHAL_NONE);
	assert_int_equal(((float *)hal_out(&calls[2], 0))[0], 0);
	for (int i = 0; i < 3; i++) {
		hal_call_fini(&calls[i]);
		models[i]->ops->destroy(models[i]);
	}
	for (int i = 0; i < 2; i++)
		b[i]->ops->destroy(b[i]);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fresh, done)

int main(void)
{
	const struct CMUnitTest fake_tests[] = {
		CASE(test_kept),
		CASE(test_broken),
		CASE(test_abandoned),
		CASE(test_written_since),
		CASE(test_promised_meanwhile),
		CASE(test_promised_during_another),
		CASE(test_another_fence),
		CASE(test_fence_of_user_space),
		CASE(test_behind_a_long_one),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chain),
	};
	int failed = cmocka_run_group_tests_name("hal-promise-fake", fake_tests, NULL, NULL);

	return failed + cmocka_run_group_tests_name("hal-promise", tests, hal_setup, hal_teardown);
}
