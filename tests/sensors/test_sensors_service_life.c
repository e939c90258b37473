// SPDX-License-Identifier: Apache-2.0
/*
 * nnaccel-sensord as a program: how it is started, how it ends, and hardware that hangs, refuses
 * and goes away under it.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "descriptors.h"
#include "eventually.h"
#include "nnutil_clock.h"
#include "nnutil_file.h"
#include "sensord.h"
#include "service_sensors.h"
#include "temp.h"
#include "test_case.h"

/* ---- the command line ---- */

static void service_limit_life(void)
{
	unsetenv("LISTEN_FDS");
	alarm(CHILD_SECONDS);
}

/* Run it with @arguments until it ends: its exit status. */
static int run(const char *const *arguments, struct lines *output)
{
	const char *argv[8] = { "nnaccel-sensord" };
	const struct child_program program = { .path = SENSORD,
					       .argv = argv,
					       .first = service_limit_life };

	memcpy(argv + 1, arguments, 6 * sizeof(*argv));
	return lines_run(output, &program);
}

TEST(test_options)
{
	static const struct {
		const char *arguments[6];
		int status;
		const char *says;
	} cases[] = {
		{ { "--help" }, 0, "usage: nnaccel-sensord" },
		{ { "--nosuch" }, 2, "nosuch" },
		{ { "--listen" }, 2, "requires an argument" },
		{ { "--listen", "/x", "behind" }, 2, "usage:" },
		{ { "--listen", "/x", "--mode", "8" }, 2, "--mode: invalid value \"8\"" },
		{ { "--listen", "/x", "--mode", "" }, 2, "--mode: invalid value \"\"" },
		{ { "--listen", "/x", "--group", "no such group" }, 2, "--group: invalid value" },
		{ { "--listen", "/x", "--log", "loud" }, 2, "--log: invalid value \"loud\"" },
		{ { "--listen", "/x", "--config", "/no/such/file" },
		  2,
		  "/no/such/file: No such file or directory" },
		{ { "--listen", "/no/such/folder/x", "--no-iio", "--no-fusion" },
		  1,
		  "cannot listen on /no/such/folder/x: No such file" },
		{ { "--no-iio", "--no-fusion" }, 1, "systemd has passed no socket" },
		{ { "--listen", "/tmp/x", "--virtual", "/no/such/file" }, 1, "/no/such/file" },
	};
	struct lines output;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(run(cases[i].arguments, &output), cases[i].status);
		if (!strstr(output.text, cases[i].says))
			fail_msg("case %zu: %s", i, output.text);
	}
}

/* Mistakes in files are named with file and line. */
TEST(test_wrong_files)
{
	const char *config = temp_path("conf"), *sensors = temp_path("sensors"),
		   *socket = temp_path("wrong");
	const char *const wrong_config[6] = { "--listen", socket, "--config", config };
	const char *const wrong_sensors[6] = { "--listen",    socket,	   "--no-iio",
					       "--no-fusion", "--virtual", sensors };
	struct lines output;
	char line[256];

	temp_write_text(config, "[iio]\nenable = perhaps\n");
	assert_int_equal(run(wrong_config, &output), 2);
	snprintf(line, sizeof(line), "nnaccel-sensord: %s:2: enable is yes or no\n", config);
	assert_string_equal(output.text, line);
	temp_write_text(sensors, "[sensor]\nname = a\ntype = nosuch\n");
	assert_int_equal(run(wrong_sensors, &output), 1);
	assert_non_null(strstr(output.text, "nosuch"));
}

/* ---- sockets ---- */

/* Two services on one socket, and one after another that was killed. */
TEST(test_one_socket)
{
	struct nnipc_lane lane;
	struct lines output;
	struct sensord s;

	sensord_start(&s, NULL, NULL);
	{
		const char *const second[6] = { "--listen", s.socket, "--no-iio", "--no-fusion" };

		assert_int_equal(run(second, &output), 1);
		assert_non_null(strstr(output.text, "Address already in use"));
	}
	wire_open(&s, &lane);
	nnipc_lane_fini(&lane);
	sensord_stop(&s);
}

TEST(test_killed_service)
{
	struct nnipc_lane lane;
	struct wire_queue q;
	struct sensord s;

	sensord_start(&s, NULL, SERVICE_SENSORS);
	wire_open(&s, &lane);
	wire_create_queue(&lane, &q);
	assert_int_equal(kill(s.pid, SIGKILL), 0);
	wire_await_hang_up(lane.sock);
	child_wait(s.pid);
	/* the socket that is left over is no hindrance */
	assert_int_equal(access(s.socket, F_OK), 0);
	sensord_restart(&s);
	wire_forget_queue(&q);
	nnipc_lane_fini(&lane);
	wire_open(&s, &lane);
	nnipc_lane_fini(&lane);
	sensord_stop(&s);
}

/* As systemd starts it. */
static pid_t start_with_socket(int sock)
{
	static const char *const argv[] = {
		"nnaccel-sensord", "--no-iio", "--no-fusion", "--config",
		"/dev/null",	   "--log",    "off",	      NULL
	};
	const struct child_program program = {
		.path = SENSORD, .argv = argv, .first = service_limit_life, .socket = sock
	};

	return child_execute(&program);
}

TEST(test_systemd_socket)
{
	const char *path = temp_path("passed");
	int sock = unix_bind(path, SOCK_SEQPACKET), client;
	pid_t pid;

	assert_int_equal(listen(sock, 5), 0);
	/* a client may be there before the service */
	client = wire_dial_path(path);
	assert_true(client >= 0);
	pid = start_with_socket(sock);
	assert_int_equal(wire_greet(client, NULL), SENSOR_PROTOCOL_VERSION);
	assert_int_equal(child_kill(pid, SIGTERM), 0);
	wire_await_hang_up(client);
	close(client);
	/* the socket is systemd's: the next client starts the next service */
	client = wire_dial_path(path);
	assert_true(client >= 0);
	close(client);
	close(sock);
}

TEST(test_wrong_systemd_socket)
{
	static const int types[] = { SOCK_SEQPACKET, SOCK_STREAM };

	for (size_t i = 0; i < 2; i++) {
		/* one that does not listen, one of another type */
		int sock = unix_bind(temp_path("passed"), types[i]);

		if (types[i] == SOCK_STREAM)
			assert_int_equal(listen(sock, 5), 0);
		assert_int_equal(child_wait(start_with_socket(sock)), 1);
		close(sock);
	}
}

/* ---- hardware ---- */

#define HANGING_SENSORS          \
	SERVICE_SENSORS          \
	"[sensor]\n"             \
	"name = hanging\n"       \
	"type = gravity\n"       \
	"device = hangs\n"       \
	"rates = 50\n"           \
	"generator = constant\n" \
	"values = 0 0 9.8\n"     \
	"hang = %d\n"

struct hanging {
	struct sensord service;
	atomic_bool over;
};

/* Enables the sensor that hangs, on a connection of its own. */
static void *enable_hanging(void *cookie)
{
	struct hanging *h = cookie;
	struct nnipc_lane lane;
	struct wire_queue q;
	enum nnsensors_result result;

	wire_open(&h->service, &lane);
	wire_create_queue(&lane, &q);
	result = wire_enable(&q, wire_handle(&lane, "hanging"), 20000, 0);
	h->over = true;
	wire_forget_queue(&q);
	nnipc_lane_fini(&lane);
	return (void *)(uintptr_t)result;
}

/* Whether another device was enabled, and sent events, while the hardware hung for @seconds. */
static bool others_go_on(int seconds)
{
	const int64_t begin = nnutil_monotonic_ns();
	char sensors[sizeof(HANGING_SENSORS) + 16];
	struct hanging h = { .over = false };
	struct nnsensors_record record;
	struct nnsensors_client *clients;
	struct nnipc_lane lane;
	struct wire_queue q;
	pthread_t thread;
	void *result;
	int32_t accel;
	bool meanwhile;

	snprintf(sensors, sizeof(sensors), HANGING_SENSORS, seconds);
	sensord_start(&h.service, NULL, sensors);
	wire_open(&h.service, &lane);
	accel = wire_handle(&lane, "accel");
	wire_create_queue(&lane, &q);
	assert_int_equal(pthread_create(&thread, NULL, enable_hanging, &h), 0);
	assert_true(EVENTUALLY(wire_count(&lane) == 2));
	assert_int_equal(wire_enable(&q, accel, 5000, 0), NNSENSORS_OK);
	for (int i = 0; i < 20; i++)
		wire_await(&q, accel, &record);
	wire_clients(&lane, &clients);
	free(clients);
	meanwhile = !h.over;
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_int_equal((uintptr_t)result, NNSENSORS_OK);
	assert_true(nnutil_monotonic_ns() - begin >= seconds * NNUTIL_NS_PER_S);
	wire_forget_queue(&q);
	nnipc_lane_fini(&lane);
	sensord_stop(&h.service);
	return meanwhile;
}

/*
 * Only the caller waits for hardware that hangs; other devices go on. If they waited for
 * it, they would at each length of the hang; a busy machine is slow at the short ones.
 */
TEST(test_hanging_hardware)
{
	assert_true(others_go_on(1) || others_go_on(4) || others_go_on(16) || others_go_on(50));
}

/* Hardware that refuses a rate: the caller gets the error, and it runs as before. */
TEST(test_refused_rate)
{
	static const char sensors[] = "[sensor]\n"
				      "name = accel\n"
				      "type = accelerometer\n"
				      "rates = 50 100 200\n"
				      "generator = constant\n"
				      "values = 0 0 9.8\n"
				      "refuse-rate = 200\n";
	struct nnsensors_record record;
	struct nnipc_lane lane;
	struct wire_queue q;
	struct sensord s;
	int32_t accel, token;
	int64_t before;
	uint64_t oid;
	int fd = test_memfd(4096);

	sensord_start(&s, NULL, sensors);
	wire_open(&s, &lane);
	accel = wire_handle(&lane, "accel");
	wire_create_queue(&lane, &q);
	assert_int_not_equal(wire_enable(&q, accel, 5000, 0), NNSENSORS_OK);
	/* a start that failed is none */
	assert_int_equal(wire_disable(&q, accel), NNSENSORS_BAD_VALUE);
	assert_int_equal(wire_enable(&q, accel, 20000, 0), NNSENSORS_OK);
	wire_await(&q, accel, &record);
	assert_int_not_equal(wire_enable(&q, accel, 5000, 0), NNSENSORS_OK);
	for (int i = 0; i < 10; i++) {
		before = record.timestamp;
		wire_await(&q, accel, &record);
		assert_true(record.timestamp - before > 18 * NNUTIL_NS_PER_MS);
	}
	assert_int_equal(wire_create_ashmem(&lane, fd, 4096, 4096, &oid), NNSENSORS_OK);
	assert_int_not_equal(wire_configure(&lane, oid, accel, NNSENSORS_RATE_FAST, &token),
			     NNSENSORS_OK);
	assert_int_equal(wire_configure(&lane, oid, accel, NNSENSORS_RATE_NORMAL, &token),
			 NNSENSORS_OK);
	close(fd);
	wire_forget_queue(&q);
	nnipc_lane_fini(&lane);
	sensord_stop(&s);
}

/* A sensor that is unplugged in use. */
TEST(test_unplugged)
{
	static const char sensors[] = "[sensor]\n"
				      "name = accel\n"
				      "type = accelerometer\n"
				      "rates = 50 100 200\n"
				      "generator = constant\n"
				      "values = 0 0 9.8\n"
				      "unplug-after = 0.3\n";
	struct nnsensors_record record;
	struct nnsensors_info *infos;
	struct nnipc_lane lane;
	struct wire_queue q;
	struct sensord s;
	int32_t accel, token;
	uint64_t oid;
	int fd = test_memfd(4096);

	sensord_start(&s, NULL, sensors);
	wire_open(&s, &lane);
	accel = wire_handle(&lane, "accel");
	wire_create_queue(&lane, &q);
	assert_int_equal(wire_create_ashmem(&lane, fd, 4096, 4096, &oid), NNSENSORS_OK);
	assert_int_equal(wire_configure(&lane, oid, accel, NNSENSORS_RATE_NORMAL, &token),
			 NNSENSORS_OK);
	assert_int_equal(wire_enable(&q, accel, 5000, 0), NNSENSORS_OK);
	do
		assert_true(wire_wait(&q, &record, 60 * NNUTIL_NS_PER_S));
	while (record.type != NNSENSORS_TYPE_META_DATA);
	assert_int_equal(record.u.meta.what, SENSOR_NOTICE_GONE);
	assert_int_equal(record.u.meta.sensor, accel);
	/* it has no subscriber any more, and its number is no sensor's */
	assert_true(EVENTUALLY(wire_enabled(&lane) == 0));
	assert_int_equal(wire_disable(&q, accel), NNSENSORS_BAD_VALUE);
	assert_int_equal(wire_enable(&q, accel, 5000, 0), NNSENSORS_BAD_VALUE);
	assert_int_equal(wire_configure(&lane, oid, accel, NNSENSORS_RATE_NORMAL, &token),
			 NNSENSORS_NOT_EXIST);
	assert_int_equal(wire_configure(&lane, oid, -1, NNSENSORS_RATE_STOP, &token), NNSENSORS_OK);
	assert_int_equal(wire_list(&lane, &infos), 0);
	free(infos);
	assert_int_equal(wire_destroy_channel(&lane, oid), NNSENSORS_OK);
	close(fd);
	wire_forget_queue(&q);
	nnipc_lane_fini(&lane);
	sensord_stop(&s);
}

/* ---- many at a time ---- */

#define STORM_THREADS 12
#define STORM_ROUNDS 15

static void *storm(void *service)
{
	struct nnsensors_client *clients;
	struct nnsensors_record record;
	struct nnipc_lane lane;
	struct wire_queue q;
	int32_t accel, gyro, token;
	uint64_t oid;

	for (int round = 0; round < STORM_ROUNDS; round++) {
		int fd = test_memfd(4096);

		wire_open(service, &lane);
		accel = wire_handle(&lane, "accel");
		gyro = wire_handle(&lane, "gyro");
		wire_create_queue(&lane, &q);
		wire_enable(&q, accel, 1000 * (1 + round % 10), 0);
		wire_create_ashmem(&lane, fd, 4096, 4096, &oid);
		wire_configure(&lane, oid, gyro, 1 + (uint32_t)round % 3, &token);
		wire_await(&q, accel, &record);
		wire_clients(&lane, &clients);
		free(clients);
		/* some in order, some by hanging up */
		if (round % 2) {
			wire_destroy_channel(&lane, oid);
			wire_destroy_queue(&q);
		} else {
			wire_forget_queue(&q);
		}
		nnipc_lane_fini(&lane);
		close(fd);
	}
	return NULL;
}

static bool is_empty(struct nnipc_lane *lane)
{
	uint32_t objects, sensors, clients;

	wire_totals(lane, &objects, &sensors, &clients);
	return !objects && !sensors && clients == 1;
}

/* Clients that come, enable, ask for others, and go, all at the same time. */
TEST(test_storm)
{
	pthread_t threads[STORM_THREADS];
	struct nnipc_lane lane;
	struct sensord s;
	unsigned int descriptors;

	sensord_start(&s, NULL, SERVICE_SENSORS);
	wire_open(&s, &lane);
	descriptors = sensord_descriptors(&s);
	for (int i = 0; i < STORM_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, storm, &s), 0);
	for (int i = 0; i < STORM_THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_true(EVENTUALLY(is_empty(&lane)));
	assert_true(EVENTUALLY(sensord_descriptors(&s) == descriptors));
	nnipc_lane_fini(&lane);
	sensord_stop(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_wrong_files),
		cmocka_unit_test(test_one_socket),
		cmocka_unit_test(test_killed_service),
		cmocka_unit_test(test_systemd_socket),
		cmocka_unit_test(test_wrong_systemd_socket),
		cmocka_unit_test(test_hanging_hardware),
		cmocka_unit_test(test_refused_rate),
		cmocka_unit_test(test_unplugged),
		cmocka_unit_test(test_storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
