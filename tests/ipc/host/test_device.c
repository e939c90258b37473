// SPDX-License-Identifier: Apache-2.0
/*
 * The device of another process: what it answers while there is no worker, when it starts another
 * one, and that each callback comes once, whatever the worker does. With "limits": the crash limit,
 * and a worker that refuses without a word; NNACCEL_WORKER_CALL_MS is small then.
 */
#include "host_test.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "eventually.h"
#include "host/nnipc_host.h"
#include "messages/nnipc_messages.h"
#include "nnhal.h"
#include "values/nnhal_values.h"

static struct nnhal_device *open_device(const char *manner, const char *spec)
{
	struct nnhal_device *dev;
	char message[640] = "";

	if (nnhal_driver.open(host_spec(manner, spec), &dev, message, sizeof(message)))
		fail_msg("%s: %s", manner, message);
	return dev;
}

static struct nnhal_device_info info_of(struct nnhal_device *dev)
{
	struct nnhal_device_info info = { .size = sizeof(info) };

	assert_int_equal(dev->ops->get_info(dev, &info), 0);
	return info;
}

/* Kill the worker, and wait until the device knows. */
static void kill_worker(struct nnhal_device *dev)
{
	kill(info_of(dev).worker_pid, SIGKILL);
	assert_true(EVENTUALLY(dev->ops->get_status(dev) == NNHAL_OFFLINE));
}

/* ---- a thread that comes late ---- */

static atomic_bool late;
static atomic_uint callbacks_over;

struct work {
	void (*fn)(void *cookie);
	void *cookie;
};

static void run(void *cookie)
{
	struct work work = *(struct work *)cookie;

	free(cookie);
	work.fn(work.cookie);
	callbacks_over++;
}

int __real_nnipc_executor_run(void (*fn)(void *cookie), void *cookie);
int __wrap_nnipc_executor_run(void (*fn)(void *cookie), void *cookie);
int __wrap_nnipc_executor_run(void (*fn)(void *cookie), void *cookie)
{
	struct work *work = malloc(sizeof(*work));
	int ret;

	if (!work)
		return -ENOMEM;
	*work = (struct work){ fn, cookie };
	ret = __real_nnipc_executor_run(run, work);
	if (ret)
		free(work);
	return ret;
}

/* With "late" set, the thread of a preparation has its reply, and goes on after the next callback.
 */
int __real_nnipc_call(struct nnipc_connection *c, struct nnipc_lane *lane, uint32_t method,
		      uint64_t oid, enum nnipc_limit limit, int64_t deadline_ns);
int __wrap_nnipc_call(struct nnipc_connection *c, struct nnipc_lane *lane, uint32_t method,
		      uint64_t oid, enum nnipc_limit limit, int64_t deadline_ns);
int __wrap_nnipc_call(struct nnipc_connection *c, struct nnipc_lane *lane, uint32_t method,
		      uint64_t oid, enum nnipc_limit limit, int64_t deadline_ns)
{
	const unsigned int before = callbacks_over;
	int ret = __real_nnipc_call(c, lane, method, oid, limit, deadline_ns);

	if (late && (method == NNIPC_DEVICE_PREPARE_MODEL ||
		     method == NNIPC_DEVICE_PREPARE_MODEL_FROM_CACHE))
		assert_true(EVENTUALLY(callbacks_over > before));
	return ret;
}

/* The deadline until which the last call would have waited for a lane. */
static _Atomic int64_t lane_deadline_ns;

struct nnipc_lane *__real_nnipc_connection_lane(struct nnipc_connection *c, int64_t deadline_ns,
						int *error);
struct nnipc_lane *__wrap_nnipc_connection_lane(struct nnipc_connection *c, int64_t deadline_ns,
						int *error);
struct nnipc_lane *__wrap_nnipc_connection_lane(struct nnipc_connection *c, int64_t deadline_ns,
						int *error)
{
	lane_deadline_ns = deadline_ns;
	return __real_nnipc_connection_lane(c, deadline_ns, error);
}

/* ---- preparations ---- */

struct answer {
	atomic_uint calls;
	enum nnhal_status status;
	struct nnhal_prepared_model *model;
	char message[NNHAL_MESSAGE];
	pthread_t thread;
};

static void answered(void *cookie, enum nnhal_status status, struct nnhal_prepared_model *model,
		     const char *message)
{
	struct answer *a = cookie;

	a->status = status;
	a->model = model;
	a->thread = pthread_self();
	snprintf(a->message, sizeof(a->message), "%s", message ? message : "");
	a->calls++;
}

static enum nnhal_status launch_until(struct nnhal_device *dev, struct answer *a, bool from_cache,
				      int64_t deadline_ns)
{
	struct nnhal_prepare_config config = NNHAL_PREPARE_CONFIG_INIT;
	const uint8_t token[NNHAL_CACHE_TOKEN_SIZE] = { 1 };
	struct nnmodel model = { .size = sizeof(model) };
	int file = 0;

	*a = (struct answer){ 0 };
	config.deadline_ns = deadline_ns;
	if (from_cache)
		return dev->ops->prepare_model_from_cache(dev, deadline_ns, &file, 1, NULL, 0,
							  token, answered, a);
	return dev->ops->prepare_model(dev, &model, &config, answered, a);
}

static enum nnhal_status launch(struct nnhal_device *dev, struct answer *a, bool from_cache)
{
	return launch_until(dev, a, from_cache, NNHAL_NO_TIME);
}

/* Both kinds; the callback must have come once. */
static struct answer prepare(struct nnhal_device *dev, bool from_cache, enum nnhal_status expected)
{
	struct answer a;

	assert_int_equal(launch(dev, &a, from_cache), expected);
	assert_true(EVENTUALLY(a.calls == 1));
	return a;
}

static void works(struct nnhal_device *dev)
{
	for (int i = 0; i < 2; i++) {
		struct answer a = prepare(dev, i, NNHAL_NONE);

		assert_int_equal(a.status, NNHAL_NONE);
		assert_non_null(a.model);
		a.model->ops->destroy(a.model);
	}
}

/* ---- tests ---- */

static int none_found(void *cookie, const struct nnhal_extension *extension)
{
	(void)cookie;
	(void)extension;
	return 1;
}

static void check_constants(struct nnhal_device *dev)
{
	struct nnhal_capabilities caps = { .size = sizeof(caps) };
	uint32_t num_model, num_data;

	assert_string_equal(dev->ops->name(dev), "fake");
	assert_string_equal(dev->ops->version(dev), "1.0");
	assert_int_equal(dev->ops->type(dev), NNHAL_DEVICE_CPU);
	assert_int_equal(dev->ops->feature_level(dev), 8);
	assert_int_equal(dev->ops->get_capabilities(dev, &caps), NNHAL_NONE);
	assert_int_equal(dev->ops->get_number_of_cache_files(dev, &num_model, &num_data),
			 NNHAL_NONE);
	assert_int_equal(num_model, 1);
	assert_int_equal(num_data, 0);
	assert_int_equal(dev->ops->get_supported_extensions(dev, none_found, NULL), NNHAL_NONE);
}

TEST(test_without_worker)
{
	struct nnhal_device *dev = open_device("plain", "a");
	const char *name = dev->ops->name(dev), *version = dev->ops->version(dev);
	struct nnhal_device_info info = info_of(dev);
	const int pid = info.worker_pid;
	struct nnhal_counters counters = { .size = sizeof(counters) };

	assert_int_equal(info.isolation, NNHAL_ISOLATION_WORKER);
	assert_true(pid > 0);
	assert_int_equal(info.worker_restarts, 0);
	assert_string_equal(info.node, "fake node");
	assert_string_equal(info.sandbox, "user net");
	assert_string_equal(info.sandbox_missing, "landlock");
	assert_int_equal(dev->ops->get_status(dev), NNHAL_AVAILABLE);
	check_constants(dev);
	works(dev);

	kill_worker(dev);
	check_constants(dev);
	info = info_of(dev);
	assert_int_equal(info.state, NNHAL_STATE_FAILED);
	assert_int_equal(info.worker_pid, 0);
	assert_string_equal(info.node, "fake node");
	assert_int_equal(dev->ops->get_counters(dev, &counters), -ENODEV);
	/* asking has started nothing; a preparation does */
	assert_int_equal(dev->ops->get_status(dev), NNHAL_OFFLINE);
	works(dev);
	info = info_of(dev);
	assert_int_equal(info.state, NNHAL_STATE_ONLINE);
	assert_true(info.worker_pid > 0 && info.worker_pid != pid);
	assert_int_equal(info.worker_restarts, 1);
	assert_ptr_equal(dev->ops->name(dev), name);
	assert_ptr_equal(dev->ops->version(dev), version);
	dev->ops->destroy(dev);
}

/* Where all lanes are in use, a preparation waits until its own deadline. */
TEST(test_waits_for_a_lane)
{
	static const int64_t deadlines[] = { NNHAL_NO_TIME, INT64_MAX / 2 };
	struct nnhal_device *dev = open_device("plain", "lanes");

	for (int i = 0; i < 4; i++) {
		struct answer a;

		assert_int_equal(launch_until(dev, &a, i % 2, deadlines[i / 2]), NNHAL_NONE);
		assert_true(EVENTUALLY(a.calls == 1));
		assert_true(lane_deadline_ns == deadlines[i / 2]);
		a.model->ops->destroy(a.model);
	}
	dev->ops->destroy(dev);
}

/* A launch whose status never came is made once more; so is getSupportedOperations. */
TEST(test_once_more)
{
	struct nnmodel model = { .size = sizeof(model) };
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	struct nnhal_device *dev;
	bool supported[1];

	for (int i = 0; i < 2; i++) {
		struct answer a;

		dev = open_device("prepare-dies", i ? "cached" : "not");
		host_make_once();
		a = prepare(dev, i, NNHAL_NONE);
		assert_int_equal(a.status, NNHAL_NONE);
		assert_non_null(a.model);
		a.model->ops->destroy(a.model);
		assert_int_equal(info_of(dev).worker_restarts, 1);
		dev->ops->destroy(dev);
	}
	dev = open_device("prepare-dies", "supported");
	host_make_once();
	assert_int_equal(dev->ops->get_supported_operations(dev, &model, supported, NULL, &err),
			 NNHAL_INVALID_ARGUMENT);
	assert_string_equal(err.text, "fake says no");
	assert_int_equal(info_of(dev).worker_restarts, 1);
	dev->ops->destroy(dev);
}

/* Then it is given up, and the reason says what happened. */
TEST(test_dies_always)
{
	struct nnhal_device *dev;

	for (int i = 0; i < 2; i++) {
		struct answer a;

		dev = open_device("prepare-dies-always", i ? "cached" : "not");
		a = prepare(dev, i, NNHAL_DEAD_OBJECT);
		assert_int_equal(a.status, NNHAL_DEAD_OBJECT);
		assert_null(a.model);
		assert_non_null(strstr(a.message, "signal 9"));
		assert_int_equal(dev->ops->get_status(dev), NNHAL_OFFLINE);
		assert_int_equal(info_of(dev).worker_restarts, 1);
		dev->ops->destroy(dev);
	}
}

/*
 * The worker has answered the call, and dies. The call returns that answer, whether its thread sees
 * the reply before the death or after it.
 */
TEST(test_dies_later)
{
	struct nnhal_device *dev;
	struct answer a;

	for (int i = 0; i < 4; i++) {
		late = i & 1;
		dev = open_device("prepare-dies-launched", i & 2 ? "cached" : NULL);
		a = prepare(dev, i & 2, NNHAL_NONE);
		late = false;
		assert_int_equal(a.status, NNHAL_DEAD_OBJECT);
		assert_null(a.model);
		assert_non_null(strstr(a.message, "signal 11"));
		assert_non_null(strstr(a.message, "IDevice::prepareModel"));
		dev->ops->destroy(dev);
		assert_int_equal(a.calls, 1);
	}
}

/* The client has its answer when the call returns, from the thread that called. */
TEST(test_refused)
{
	struct nnhal_device *dev = open_device("prepare-refuses", NULL);

	for (int i = 0; i < 50; i++) {
		struct answer a;

		assert_int_equal(launch(dev, &a, i % 2), NNHAL_INVALID_ARGUMENT);
		assert_int_equal(a.calls, 1);
		assert_int_equal(a.status, NNHAL_INVALID_ARGUMENT);
		assert_null(a.model);
		assert_string_equal(a.message, "no such thing");
		assert_true(pthread_equal(a.thread, pthread_self()));
	}
	assert_int_equal(dev->ops->get_status(dev), NNHAL_AVAILABLE);
	dev->ops->destroy(dev);
}

TEST(test_notified_twice)
{
	struct nnhal_device *dev = open_device("prepare-twice", NULL);
	struct answer a;

	/* the order of the second one and the reply is chance; the client is called once */
	launch(dev, &a, false);
	assert_true(EVENTUALLY(a.calls == 1));
	assert_true(EVENTUALLY(dev->ops->get_status(dev) == NNHAL_OFFLINE));
	assert_true(a.status == NNHAL_NONE || a.status == NNHAL_DEAD_OBJECT);
	if (a.model)
		a.model->ops->destroy(a.model);
	dev->ops->destroy(dev);
	assert_int_equal(a.calls, 1);
}

TEST(test_lies)
{
	struct nnhal_device *dev = open_device("prepare-lies", NULL);
	struct answer a;

	launch(dev, &a, false);
	assert_true(EVENTUALLY(a.calls == 1));
	assert_int_equal(a.status, NNHAL_DEAD_OBJECT);
	assert_null(a.model);
	dev->ops->destroy(dev);
	assert_int_equal(a.calls, 1);

	dev = open_device("garbage", NULL);
	assert_int_equal(dev->ops->get_status(dev), NNHAL_OFFLINE);
	dev->ops->destroy(dev);
}

TEST(test_memory)
{
	struct nnhal_device *dev = open_device("plain", "memory");
	int fd;

	assert_int_equal(dev->ops->create_memory(dev, 0, &fd), -EINVAL);
	assert_int_equal(fd, -1);
	assert_int_equal(dev->ops->create_memory(dev, 5000, &fd), 0);
	assert_true(fd >= 0);
	close(fd);
	/* it is one of the calls that start a worker */
	kill_worker(dev);
	assert_int_equal(dev->ops->create_memory(dev, 5000, &fd), 0);
	close(fd);
	dev->ops->destroy(dev);

	for (int i = 0; i < 2; i++) {
		dev = open_device(i ? "memory-unsealed" : "memory-pipe", NULL);
		assert_int_equal(dev->ops->create_memory(dev, 5000, &fd), -ENODEV);
		assert_int_equal(fd, -1);
		assert_int_equal(dev->ops->get_status(dev), NNHAL_OFFLINE);
		dev->ops->destroy(dev);
	}
}

TEST(test_arguments)
{
	struct nnhal_device *dev = open_device("plain", "arguments");
	struct nnhal_prepared_model stranger = { 0 }, *models[] = { &stranger };
	struct nnhal_buffer *buffer = (struct nnhal_buffer *)dev;
	struct nnhal_prepare_config config = NNHAL_PREPARE_CONFIG_INIT;
	struct nnmodel model = { .size = sizeof(model) };
	uint32_t token = 7;
	struct answer a = { 0 };

	assert_int_equal(dev->ops->prepare_model(dev, &model, &config, NULL, NULL),
			 NNHAL_INVALID_ARGUMENT);
	assert_int_equal(dev->ops->prepare_model(dev, NULL, &config, answered, &a),
			 NNHAL_INVALID_ARGUMENT);
	assert_int_equal(a.calls, 1);
	assert_int_equal(dev->ops->prepare_model(dev, &model, NULL, answered, &a),
			 NNHAL_INVALID_ARGUMENT);
	assert_int_equal(a.calls, 2);
	assert_int_equal(dev->ops->get_supported_operations(dev, &model, NULL, NULL, NULL),
			 NNHAL_INVALID_ARGUMENT);
	assert_int_equal(dev->ops->get_supported_extensions(dev, NULL, NULL),
			 NNHAL_INVALID_ARGUMENT);
	assert_int_equal(dev->ops->allocate(dev, NULL, models, 1, NULL, 0, NULL, 0, &buffer,
					    &token),
			 NNHAL_INVALID_ARGUMENT);
	assert_null(buffer);
	assert_int_equal(token, 0);
	/* nothing of it was worth a worker */
	assert_int_equal(info_of(dev).worker_restarts, 0);
	dev->ops->destroy(dev);
}

/* A worker with another device does not take the place of the old one. */
TEST(test_another_device)
{
	struct nnhal_device *dev = open_device("changes", NULL);
	char *version = strdup(dev->ops->version(dev));
	struct answer a;

	kill_worker(dev);
	for (int i = 0; i < 3; i++) {
		a = prepare(dev, false, NNHAL_DEAD_OBJECT);
		assert_int_equal(a.status, NNHAL_DEAD_OBJECT);
		assert_non_null(strstr(a.message, "open the device anew"));
		assert_int_equal(dev->ops->get_status(dev), NNHAL_OFFLINE);
		assert_string_equal(dev->ops->version(dev), version);
	}
	assert_int_equal(info_of(dev).worker_restarts, 0);
	dev->ops->destroy(dev);
	/* a new device object has the new one */
	dev = open_device("changes", NULL);
	works(dev);
	dev->ops->destroy(dev);
	free(version);
}

/* Many threads find the worker dead at the same time: one new worker is enough. */
#define THREADS 8

static void *prepare_thread(void *dev)
{
	works(dev);
	return NULL;
}

TEST(test_one_start)
{
	struct nnhal_device *dev = open_device("plain", "threads");
	pthread_t threads[THREADS];

	kill_worker(dev);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, prepare_thread, dev), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(info_of(dev).worker_restarts, 1);
	dev->ops->destroy(dev);
}

static int collect(void *cookie, const char *spec)
{
	strcat(strcat(cookie, spec), ";");
	return 0;
}

TEST(test_driver)
{
	char found[512] = "", expected[512], message[640];
	struct nnhal_device *dev;

	assert_int_equal(nnhal_driver.abi_version, NNHAL_ABI_VERSION);
	setenv("NNACCEL_IPC_TARGET", host_spec("plain", NULL), 1);
	assert_int_equal(nnhal_driver.enumerate(collect, found), 0);
	snprintf(expected, sizeof(expected), "%s;", host_spec("plain", "one"));
	snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected), "%s;",
		 host_spec("plain", "two:with=option"));
	assert_string_equal(found, expected);
	assert_int_equal(nnhal_driver.open(NULL, &dev, message, sizeof(message)), 0);
	check_constants(dev);
	dev->ops->destroy(dev);
	unsetenv("NNACCEL_IPC_TARGET");
	assert_int_equal(nnhal_driver.open("nosuch", &dev, message, sizeof(message)), -EINVAL);
	assert_null(dev);
	assert_int_equal(nnhal_driver.open("nosuch", &dev, NULL, 0), -EINVAL);
}

/* ---- limits ---- */

TEST(test_refused_mutely)
{
	struct nnhal_device *dev = open_device("prepare-refuses-mutely", NULL);
	struct answer a;

	launch(dev, &a, false);
	assert_int_equal(a.calls, 1);
	assert_int_equal(a.status, NNHAL_DEAD_OBJECT);
	assert_non_null(strstr(a.message, "without calling its callback"));
	dev->ops->destroy(dev);
}

/* Too many crashes: the device rests, also for new device objects; others do not. */
TEST(test_too_many_crashes)
{
	struct nnhal_device *dev = open_device("plain", "crashes"), *other;
	char message[640];
	struct answer a;
	uint32_t tries = 0;

	for (int i = 0; i < 3; i++) {
		kill_worker(dev);
		/* a call before its time fails at once, and says when to come back */
		for (;;) {
			launch(dev, &a, false);
			assert_true(EVENTUALLY(a.calls == 1));
			if (a.status == NNHAL_NONE)
				break;
			assert_int_equal(a.status, NNHAL_DEAD_OBJECT);
			assert_non_null(strstr(a.message, "ms or later"));
			usleep(1000); /* clock: a poll until a start is allowed */
			tries++;
		}
		a.model->ops->destroy(a.model);
	}
	/* 100 ms and 1 s of it */
	assert_true(tries > 0);
	kill_worker(dev);
	a = prepare(dev, false, NNHAL_DEAD_OBJECT);
	assert_non_null(strstr(a.message, "4 crashes in a minute"));
	assert_int_equal(nnhal_driver.open(host_spec("plain", "crashes"), &other, message,
					   sizeof(message)),
			 -EPERM);
	assert_null(other);
	assert_non_null(strstr(message, "4 crashes in a minute"));
	assert_int_equal(info_of(dev).worker_restarts, 3);
	dev->ops->destroy(dev);
	dev = open_device("plain", "innocent");
	works(dev);
	dev->ops->destroy(dev);
}

/* One that dies at each start is a crash, too. */
TEST(test_crash_loop)
{
	struct nnhal_device *dev;
	char message[640];
	int ret, starts = 0;

	do {
		ret = nnhal_driver.open(host_spec("quits", NULL), &dev, message, sizeof(message));
		assert_true(ret == -EPIPE || ret == -EAGAIN || ret == -EPERM);
		starts += ret == -EPIPE;
		usleep(1000); /* clock: a poll until no start is allowed */
	} while (ret != -EPERM);
	assert_int_equal(starts, 4);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		HOST_TEST(test_without_worker), HOST_TEST(test_waits_for_a_lane),
		HOST_TEST(test_once_more),	HOST_TEST(test_dies_always),
		HOST_TEST(test_dies_later),	HOST_TEST(test_refused),
		HOST_TEST(test_notified_twice), HOST_TEST(test_lies),
		HOST_TEST(test_memory),		HOST_TEST(test_arguments),
		HOST_TEST(test_another_device), HOST_TEST(test_one_start),
		HOST_TEST(test_driver),
	};
	const struct CMUnitTest limits[] = {
		HOST_TEST(test_refused_mutely),
		HOST_TEST(test_too_many_crashes),
		HOST_TEST(test_crash_loop),
	};

	if (argc < 2)
		return 2;
	host_init(argv[1]);
	if (argc > 2)
		return cmocka_run_group_tests_name("ipc-device-limits", limits, NULL, NULL);
	return cmocka_run_group_tests_name("ipc-device", tests, NULL, NULL);
}
