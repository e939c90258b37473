// SPDX-License-Identifier: Apache-2.0
/* nnaccel-sensord as a process: what its calls answer, who may what, and what ends with whom. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "child.h"
#include "eventually.h"
#include "nnutil_clock.h"
#include "sensord.h"
#include "service_sensors.h"

#define HZ(rate) (1000000 / (rate)) /* period in us */
#define RECORD sizeof(struct nnsensors_record)

/* ---- calls ---- */

static void test_serves(void **state)
{
	struct nnsensors_info *infos, info;
	struct nnipc_lane lane;
	struct stat facts;
	struct sensord s;
	uint32_t count;

	(void)state;
	sensord_start(&s, NULL, SERVICE_SENSORS);
	assert_int_equal(stat(s.socket, &facts), 0);
	assert_int_equal(facts.st_mode & 0777, 0660);
	wire_open(&s, &lane);
	count = wire_list(&lane, &infos);
	assert_int_equal(count, SERVICE_SENSORS_COUNT);
	for (uint32_t i = 0; i < count; i++) {
		assert_true(infos[i].handle > 0);
		assert_string_equal(infos[i].permission, "");
	}
	free(infos);
	assert_int_equal(wire_default(&lane, NNSENSORS_TYPE_GYROSCOPE, &info), NNSENSORS_OK);
	assert_int_equal(info.type, NNSENSORS_TYPE_GYROSCOPE);
	assert_int_equal(info.handle, wire_handle(&lane, "gyro"));
	assert_int_equal(wire_default(&lane, NNSENSORS_TYPE_HINGE_ANGLE, &info),
			 NNSENSORS_NOT_EXIST);
	assert_int_equal(wire_default(&lane, -5, &info), NNSENSORS_NOT_EXIST);
	sensord_stop(&s);
	wire_await_hang_up(lane.sock);
	nnipc_lane_fini(&lane);
}

static void test_versions(void **state)
{
	static const struct {
		uint32_t lowest, highest, answer;
	} cases[] = { { 1, 1, 1 }, { 0, 9, 1 }, { 2, 9, 0 }, { 0, 0, 0 }, { 9, 1, 0 } };
	const struct nnipc_header header = { .kind = NNIPC_HELLO };
	struct nnipc_frame f = { 0 };
	struct nnipc_writer w = { 0 };
	struct sensord s;
	char why[256];

	(void)state;
	sensord_start(&s, NULL, NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int sock = wire_dial(&s);

		nnipc_put_u32(&w, cases[i].lowest);
		nnipc_put_u32(&w, cases[i].highest);
		assert_int_equal(nnipc_frame_send(sock, &header, &w), 0);
		nnipc_writer_reset(&w);
		assert_int_equal(nnipc_frame_receive(sock, &f, -1), 0);
		assert_int_equal(nnipc_get_u32(&f.reader), cases[i].answer);
		nnipc_get_text_into(&f.reader, why, sizeof(why));
		assert_int_equal(!why[0], cases[i].answer == 1);
		if (!cases[i].answer)
			wire_await_hang_up(sock);
		close(sock);
	}
	nnipc_writer_fini(&w);
	nnipc_frame_fini(&f);
	sensord_stop(&s);
}

static void test_queue_results(void **state)
{
	struct nnsensors_record record;
	struct nnipc_lane lane;
	struct wire_queue q;
	struct sensord s;
	int32_t accel;

	(void)state;
	sensord_start(&s, NULL, SERVICE_SENSORS);
	wire_open(&s, &lane);
	accel = wire_handle(&lane, "accel");
	wire_create_queue(&lane, &q);
	/* contract 1: an unknown handle is BAD_VALUE */
	assert_int_equal(wire_enable(&q, 0, HZ(50), 0), NNSENSORS_BAD_VALUE);
	assert_int_equal(wire_enable(&q, -1, HZ(50), 0), NNSENSORS_BAD_VALUE);
	assert_int_equal(wire_enable(&q, 9999, HZ(50), 0), NNSENSORS_BAD_VALUE);
	assert_int_equal(wire_enable(&q, accel, -1, 0), NNSENSORS_BAD_VALUE);
	assert_int_equal(wire_enable(&q, accel, HZ(50), -1), NNSENSORS_BAD_VALUE);
	assert_int_equal(wire_disable(&q, accel), NNSENSORS_BAD_VALUE);
	assert_false(wire_take(&q, &record));
	/* any period and latency is taken to what there is */
	assert_int_equal(wire_enable(&q, accel, 0, 0), NNSENSORS_OK);
	wire_await(&q, accel, &record);
	assert_int_equal(wire_enable(&q, accel, INT32_MAX, INT64_MAX), NNSENSORS_OK);
	/* enabled twice, one disable suffices */
	assert_int_equal(wire_enable(&q, accel, HZ(100), 0), NNSENSORS_OK);
	wire_await(&q, accel, &record);
	assert_int_equal(record.type, NNSENSORS_TYPE_ACCELEROMETER);
	assert_int_equal(wire_disable(&q, accel), NNSENSORS_OK);
	while (wire_take(&q, &record))
		;
	assert_int_equal(wire_disable(&q, accel), NNSENSORS_BAD_VALUE);
	assert_false(wire_wait(&q, &record, 50 * NNUTIL_NS_PER_MS));
	assert_int_equal(wire_destroy_queue(&q), NNSENSORS_OK);
	/* the object is no more */
	assert_int_equal(wire_call(&lane, SENSOR_QUEUE_DESTROY, q.oid), -ESTALE);
	nnipc_lane_fini(&lane);
	sensord_stop(&s);
}

static void test_channel_results(void **state)
{
	const uint64_t size = 300 * RECORD;
	struct nnipc_lane lane;
	struct sensord s;
	int32_t accel, gyro, light, slow, token, first, second;
	uint64_t oid;
	int fd;

	(void)state;
	sensord_start(&s, NULL, SERVICE_SENSORS);
	wire_open(&s, &lane);
	accel = wire_handle(&lane, "accel");
	gyro = wire_handle(&lane, "gyro");
	light = wire_handle(&lane, "light");
	slow = wire_handle(&lane, "slow");
	fd = test_memfd(size);
	assert_int_equal(wire_create_ashmem(&lane, fd, size, size, &oid), NNSENSORS_OK);
	/* nothing runs yet */
	assert_int_equal(wire_configure(&lane, oid, -1, NNSENSORS_RATE_STOP, &token), NNSENSORS_OK);
	assert_int_equal(wire_configure(&lane, oid, accel, NNSENSORS_RATE_STOP, &token),
			 NNSENSORS_OK);
	/* contract 1, "configure errors in detail" */
	assert_int_equal(wire_configure(&lane, oid, -1, NNSENSORS_RATE_NORMAL, &token),
			 NNSENSORS_BAD_VALUE);
	assert_int_equal(wire_configure(&lane, oid, -2, NNSENSORS_RATE_NORMAL, &token),
			 NNSENSORS_NOT_EXIST);
	assert_int_equal(wire_configure(&lane, oid, 9999, NNSENSORS_RATE_STOP, &token),
			 NNSENSORS_NOT_EXIST);
	assert_int_equal(wire_configure(&lane, oid, accel, 4, &token), NNSENSORS_BAD_VALUE);
	assert_int_equal(wire_configure(&lane, oid, accel, UINT32_MAX, &token),
			 NNSENSORS_BAD_VALUE);
	assert_int_equal(wire_configure(&lane, oid, light, NNSENSORS_RATE_NORMAL, &token),
			 NNSENSORS_INVALID_OPERATION);
	assert_int_equal(wire_configure(&lane, oid, slow, NNSENSORS_RATE_NORMAL, &token),
			 NNSENSORS_OK);
	assert_int_equal(wire_configure(&lane, oid, slow, NNSENSORS_RATE_FAST, &token),
			 NNSENSORS_BAD_VALUE);
	/* tokens: of a sensor until STOP, never two of one number */
	assert_int_equal(wire_configure(&lane, oid, accel, NNSENSORS_RATE_NORMAL, &first),
			 NNSENSORS_OK);
	assert_int_equal(wire_configure(&lane, oid, gyro, NNSENSORS_RATE_NORMAL, &second),
			 NNSENSORS_OK);
	assert_int_not_equal(first, second);
	assert_int_equal(wire_configure(&lane, oid, accel, NNSENSORS_RATE_VERY_FAST, &token),
			 NNSENSORS_OK);
	assert_int_equal(token, first);
	assert_int_equal(wire_configure(&lane, oid, accel, NNSENSORS_RATE_STOP, &token),
			 NNSENSORS_OK);
	assert_int_equal(wire_configure(&lane, oid, accel, NNSENSORS_RATE_FAST, &token),
			 NNSENSORS_OK);
	assert_int_not_equal(token, second);
	assert_int_equal(wire_destroy_channel(&lane, oid), NNSENSORS_OK);
	assert_int_equal(wire_call(&lane, SENSOR_CHANNEL_DESTROY, oid), -ESTALE);
	close(fd);
	nnipc_lane_fini(&lane);
	sensord_stop(&s);
}

/* Memory that is none, too small, sealed, read-only, or another channel's. */
static void test_channel_memory(void **state)
{
	char path[] = "/tmp/sensord-file-XXXXXX";
	struct nnipc_lane lane, other;
	struct sensord s;
	uint64_t oid, again;
	int fd, file, sealed, reader;
	char link[64];

	(void)state;
	sensord_start(&s, NULL, SERVICE_SENSORS);
	wire_open(&s, &lane);
	wire_open(&s, &other);
	fd = test_memfd(1024);
	sealed = test_memfd(1024);
	assert_int_equal(fcntl(sealed, F_ADD_SEALS, F_SEAL_WRITE), 0);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	reader = open(link, O_RDONLY | O_CLOEXEC);
	file = mkstemp(path);
	unlink(path);
	assert_int_equal(ftruncate(file, 1024), 0);
	assert_int_equal(wire_create_ashmem(&lane, -1, 1024, 1024, &oid), NNSENSORS_BAD_VALUE);
	assert_int_equal(wire_create_ashmem(&lane, file, 1024, 1024, &oid), NNSENSORS_BAD_VALUE);
	assert_int_equal(wire_create_ashmem(&lane, sealed, 1024, 1024, &oid), NNSENSORS_BAD_VALUE);
	assert_int_not_equal(wire_create_ashmem(&lane, reader, 1024, 1024, &oid), NNSENSORS_OK);
	assert_int_equal(wire_create_ashmem(&lane, fd, 4096, 4096, &oid), NNSENSORS_NO_MEMORY);
	assert_int_equal(wire_create_ashmem(&lane, fd, UINT64_MAX, UINT64_MAX, &oid),
			 NNSENSORS_NO_MEMORY);
	assert_int_equal(wire_create_ashmem(&lane, fd, 1024, 103, &oid), NNSENSORS_BAD_VALUE);
	assert_int_equal(wire_create_gralloc(&lane, fd, 103, &oid), NNSENSORS_BAD_VALUE);
	assert_int_not_equal(wire_create_gralloc(&lane, file, 1024, &oid), NNSENSORS_OK);
	assert_int_equal(wire_create_ashmem(&lane, fd, 1024, 1024, &oid), NNSENSORS_OK);
	/* one channel to a memory, whoever asks */
	assert_int_equal(wire_create_ashmem(&lane, fd, 1024, 1024, &again), NNSENSORS_NO_MEMORY);
	assert_int_equal(wire_create_ashmem(&other, fd, 1024, 104, &again), NNSENSORS_NO_MEMORY);
	/* it cannot shrink any more */
	assert_int_not_equal(ftruncate(fd, 0), 0);
	assert_int_equal(wire_destroy_channel(&lane, oid), NNSENSORS_OK);
	assert_int_equal(wire_create_ashmem(&other, fd, 1024, 104, &again), NNSENSORS_OK);
	close(fd);
	close(sealed);
	close(reader);
	close(file);
	nnipc_lane_fini(&lane);
	nnipc_lane_fini(&other);
	sensord_stop(&s);
}

/* An object is its connection's, of its kind, and its number is not used again. */
static void test_objects(void **state)
{
	struct nnipc_lane lane, other;
	struct wire_queue q, second;
	struct sensord s;
	uint64_t oid;
	int fd = test_memfd(1024);

	(void)state;
	sensord_start(&s, NULL, SERVICE_SENSORS);
	wire_open(&s, &lane);
	wire_open(&s, &other);
	wire_create_queue(&lane, &q);
	assert_int_equal(wire_create_ashmem(&lane, fd, 1024, 1024, &oid), NNSENSORS_OK);
	assert_int_equal(wire_call(&other, SENSOR_QUEUE_DESTROY, q.oid), -ESTALE);
	assert_int_equal(wire_call(&lane, SENSOR_CHANNEL_DESTROY, q.oid), -ESTALE);
	assert_int_equal(wire_call(&lane, SENSOR_QUEUE_DESTROY, oid), -ESTALE);
	assert_int_equal(wire_destroy_queue(&q), NNSENSORS_OK);
	wire_create_queue(&lane, &second);
	assert_true(second.oid != q.oid && second.oid != oid);
	wire_forget_queue(&second);
	close(fd);
	nnipc_lane_fini(&lane);
	nnipc_lane_fini(&other);
	sensord_stop(&s);
}

/* ---- permissions ---- */

static void test_permissions(void **state)
{
	const uint64_t size = 64 * RECORD;
	struct nnsensors_record record;
	struct nnsensors_info info;
	struct nnipc_lane lane;
	struct wire_queue q;
	struct sensord s;
	char config[512];
	int32_t accel, light, gyro, token, first;
	int64_t before;
	uint64_t oid;
	int fd = test_memfd(size);

	(void)state;
	snprintf(config, sizeof(config),
		 "[permission motion]\ntypes = accelerometer\nabove-rate = 100\nusers = %u\n"
		 "[permission eyes]\ntypes = light\n"
		 "[permission mine]\ntypes = gyroscope\ngroups = %u\n",
		 getuid() + 1, getegid());
	sensord_start(&s, config, SERVICE_SENSORS);
	wire_open(&s, &lane);
	accel = wire_handle(&lane, "accel");
	light = wire_handle(&lane, "light");
	gyro = wire_handle(&lane, "gyro");
	assert_int_equal(wire_default(&lane, NNSENSORS_TYPE_ACCELEROMETER, &info), NNSENSORS_OK);
	assert_string_equal(info.permission, "motion");
	wire_create_queue(&lane, &q);
	assert_int_equal(wire_enable(&q, light, HZ(5), 0), NNSENSORS_PERMISSION_DENIED);
	assert_int_equal(wire_enable(&q, gyro, 0, 0), NNSENSORS_OK);
	assert_int_equal(wire_disable(&q, gyro), NNSENSORS_OK);
	assert_int_equal(wire_enable(&q, accel, HZ(200), 0), NNSENSORS_PERMISSION_DENIED);
	assert_int_equal(wire_enable(&q, accel, 0, 0), NNSENSORS_PERMISSION_DENIED);
	assert_int_equal(wire_enable(&q, accel, HZ(100), 0), NNSENSORS_OK);
	/* a refusal changes nothing: it goes on at 100 Hz */
	assert_int_equal(wire_enable(&q, accel, HZ(200), 0), NNSENSORS_PERMISSION_DENIED);
	wire_await(&q, accel, &record);
	for (int i = 0; i < 10; i++) {
		before = record.timestamp;
		wire_await(&q, accel, &record);
		assert_true(record.timestamp - before >= 9 * NNUTIL_NS_PER_MS);
	}
	assert_int_equal(wire_create_ashmem(&lane, fd, size, size, &oid), NNSENSORS_OK);
	assert_int_equal(wire_configure(&lane, oid, accel, NNSENSORS_RATE_FAST, &token),
			 NNSENSORS_PERMISSION_DENIED);
	assert_int_equal(wire_configure(&lane, oid, accel, NNSENSORS_RATE_NORMAL, &first),
			 NNSENSORS_OK);
	assert_int_equal(wire_configure(&lane, oid, accel, NNSENSORS_RATE_FAST, &token),
			 NNSENSORS_PERMISSION_DENIED);
	assert_int_equal(wire_configure(&lane, oid, accel, NNSENSORS_RATE_NORMAL, &token),
			 NNSENSORS_OK);
	assert_int_equal(token, first);
	wire_forget_queue(&q);
	close(fd);
	nnipc_lane_fini(&lane);
	sensord_stop(&s);
}

/* Of another user and its groups, and what it sees of others. */
static struct sensord *shared_service;

static int as_another_user(void)
{
	const gid_t groups[] = { 54321 };
	struct nnsensors_client *clients;
	struct nnipc_lane lane;
	struct wire_queue q;
	uint32_t count;

	CHECK(!setgroups(1, groups));
	CHECK(!setgid(54322) && !setuid(54323));
	wire_open(shared_service, &lane);
	wire_create_queue(&lane, &q);
	CHECK(wire_enable(&q, wire_handle(&lane, "accel"), HZ(50), 0) == NNSENSORS_OK);
	CHECK(wire_enable(&q, wire_handle(&lane, "gyro"), HZ(50), 0) ==
	      NNSENSORS_PERMISSION_DENIED);
	count = wire_clients(&lane, &clients);
	CHECK(count == 1 && clients[0].uid == 54323 && clients[0].pid == getpid());
	CHECK(clients[0].queues == 1 && clients[0].sensors == 1 && !clients[0].channels);
	free(clients);
	return 0;
}

static void test_another_user(void **state)
{
	struct nnsensors_client *clients;
	struct nnipc_lane lane;
	struct sensord s;
	uint32_t count;

	(void)state;
	if (getuid()) {
		skip();
		return;
	}
	sensord_start(&s,
		      "[permission a]\ntypes = accelerometer\ngroups = 54321\n"
		      "[permission b]\ntypes = gyroscope\ngroups = 54324\n",
		      SERVICE_SENSORS);
	assert_int_equal(chmod(s.folder, 0755), 0);
	assert_int_equal(chmod(s.socket, 0666), 0);
	wire_open(&s, &lane);
	shared_service = &s;
	end_child(start_child(NULL, as_another_user));
	count = wire_clients(&lane, &clients);
	assert_true(count >= 1);
	free(clients);
	nnipc_lane_fini(&lane);
	sensord_stop(&s);
}

/* ---- limits ---- */

static bool is_served(const struct sensord *s)
{
	int sock = wire_dial(s);
	bool yes = wire_greet(sock, NULL) == SENSOR_PROTOCOL_VERSION;

	close(sock);
	return yes;
}

static void test_limit_of_connections(void **state)
{
	static const struct {
		const char *config, *why;
	} cases[] = {
		{ "[limits]\nconnections-per-user = 2\n",
		  "has reached the limit of 2 connections" },
		{ "[limits]\nconnections = 2\n",
		  "it serves 2 clients already, more are not allowed" },
	};
	struct nnipc_lane lanes[2];
	struct sensord s;
	char why[256];
	int sock;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sensord_start(&s, cases[i].config, NULL);
		wire_open(&s, &lanes[0]);
		wire_open(&s, &lanes[1]);
		sock = wire_dial(&s);
		assert_int_equal(wire_greet(sock, why), 0);
		assert_non_null(strstr(why, cases[i].why));
		wire_await_hang_up(sock);
		close(sock);
		nnipc_lane_fini(&lanes[0]);
		assert_true(EVENTUALLY(is_served(&s)));
		nnipc_lane_fini(&lanes[1]);
		sensord_stop(&s);
	}
}

static enum nnsensors_result create_queue(struct nnipc_lane *lane, struct wire_queue *q)
{
	enum nnsensors_result result;

	assert_int_equal(wire_call(lane, SENSOR_CREATE_QUEUE, 0), 0);
	result = sensor_get_result(&lane->in.reader);
	if (result == NNSENSORS_OK)
		*q = (struct wire_queue){ .lane = lane, .oid = nnipc_get_u64(&lane->in.reader) };
	nnipc_frame_clear(&lane->in);
	return result;
}

static void test_limit_of_objects(void **state)
{
	struct nnipc_lane one, two;
	struct wire_queue q, last;
	struct sensord s;
	uint64_t oid;
	int fd = test_memfd(1024);

	(void)state;
	sensord_start(&s, "[limits]\nobjects = 3\nobjects-per-user = 5\nsensors = 2\n",
		      SERVICE_SENSORS);
	wire_open(&s, &one);
	wire_open(&s, &two);
	assert_int_equal(create_queue(&one, &q), NNSENSORS_OK);
	assert_int_equal(create_queue(&one, &last), NNSENSORS_OK);
	assert_int_equal(wire_create_ashmem(&one, fd, 1024, 1024, &oid), NNSENSORS_OK);
	assert_int_equal(create_queue(&one, &last), NNSENSORS_NO_MEMORY);
	assert_int_equal(create_queue(&two, &last), NNSENSORS_OK);
	assert_int_equal(create_queue(&two, &last), NNSENSORS_OK);
	assert_int_equal(create_queue(&two, &last), NNSENSORS_NO_MEMORY);
	assert_int_equal(wire_destroy_channel(&one, oid), NNSENSORS_OK);
	assert_int_equal(create_queue(&two, &last), NNSENSORS_OK);
	/* sensors of a connection */
	assert_int_equal(wire_enable(&q, wire_handle(&one, "accel"), HZ(50), 0), NNSENSORS_OK);
	assert_int_equal(wire_enable(&q, wire_handle(&one, "gyro"), HZ(50), 0), NNSENSORS_OK);
	assert_int_equal(wire_enable(&q, wire_handle(&one, "slow"), HZ(50), 0),
			 NNSENSORS_NO_MEMORY);
	assert_int_equal(wire_enable(&q, wire_handle(&one, "gyro"), HZ(100), 0), NNSENSORS_OK);
	assert_int_equal(wire_disable(&q, wire_handle(&one, "gyro")), NNSENSORS_OK);
	assert_int_equal(wire_enable(&q, wire_handle(&one, "slow"), HZ(50), 0), NNSENSORS_OK);
	close(fd);
	nnipc_lane_fini(&one);
	nnipc_lane_fini(&two);
	sensord_stop(&s);
}

/* ---- several clients ---- */

/* Take @count events: each as far from the one before as the period says. */
static void check_rate(struct wire_queue *q, int32_t handle, int64_t period_ns, int count)
{
	struct nnsensors_record record;
	int64_t before;

	wire_await(q, handle, &record);
	for (int i = 0; i < count; i++) {
		before = record.timestamp;
		wire_await(q, handle, &record);
		assert_in_range(record.timestamp - before, period_ns - period_ns / 10,
				period_ns + period_ns / 10);
	}
	assert_int_equal(q->lost, 0);
}

static void test_two_rates(void **state)
{
	struct nnipc_lane slow, fast;
	struct wire_queue slow_queue, fast_queue;
	struct sensord s;
	int32_t accel;

	(void)state;
	sensord_start(&s, NULL, SERVICE_SENSORS);
	wire_open(&s, &slow);
	wire_open(&s, &fast);
	accel = wire_handle(&slow, "accel");
	wire_create_queue(&slow, &slow_queue);
	wire_create_queue(&fast, &fast_queue);
	assert_int_equal(wire_enable(&slow_queue, accel, HZ(50), 0), NNSENSORS_OK);
	check_rate(&slow_queue, accel, NNUTIL_NS_PER_S / 50, 10);
	assert_int_equal(wire_enable(&fast_queue, accel, HZ(200), 0), NNSENSORS_OK);
	check_rate(&fast_queue, accel, NNUTIL_NS_PER_S / 200, 40);
	check_rate(&slow_queue, accel, NNUTIL_NS_PER_S / 50, 20);
	/* the fast one goes: nothing changes for the slow one */
	nnipc_lane_fini(&fast);
	check_rate(&slow_queue, accel, NNUTIL_NS_PER_S / 50, 20);
	wire_forget_queue(&slow_queue);
	wire_forget_queue(&fast_queue);
	nnipc_lane_fini(&slow);
	sensord_stop(&s);
}

/* Stops itself with a queue that runs at 1 kHz, and sees afterwards what it has lost. */
static int stopped_client(void)
{
	struct nnsensors_record record;
	struct nnipc_lane lane;
	struct wire_queue q;
	int32_t accel;
	int64_t before;

	wire_open(shared_service, &lane);
	accel = wire_handle(&lane, "accel");
	wire_create_queue(&lane, &q);
	CHECK(wire_enable(&q, accel, HZ(1000), 0) == NNSENSORS_OK);
	wire_await(&q, accel, &record);
	before = record.timestamp;
	CHECK(!raise(SIGSTOP));
	wire_await(&q, accel, &record);
	/* the oldest are gone, it is told how many, and what is there is the newest */
	CHECK(q.lost > 0);
	CHECK(record.timestamp > before + (int64_t)q.lost * NNUTIL_NS_PER_MS / 2);
	CHECK(nnutil_boottime_ns() - record.timestamp <
	      (SENSOR_QUEUE_CONTINUOUS + 2000) * NNUTIL_NS_PER_MS);
	return 0;
}

static void test_stopped_client(void **state)
{
	struct nnsensors_record record;
	struct nnipc_lane lane;
	struct wire_queue q;
	struct sensord s;
	int32_t accel;
	int status;
	pid_t pid;

	(void)state;
	sensord_start(&s, NULL, SERVICE_SENSORS);
	shared_service = &s;
	pid = start_child(NULL, stopped_client);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	wire_open(&s, &lane);
	accel = wire_handle(&lane, "accel");
	wire_create_queue(&lane, &q);
	assert_int_equal(wire_enable(&q, accel, HZ(1000), 0), NNSENSORS_OK);
	for (uint32_t i = 0; i < SENSOR_QUEUE_CONTINUOUS + 500; i++)
		wire_await(&q, accel, &record);
	assert_int_equal(q.lost, 0);
	assert_int_equal(kill(pid, SIGCONT), 0);
	end_child(pid);
	wire_forget_queue(&q);
	nnipc_lane_fini(&lane);
	sensord_stop(&s);
}

/* ---- ends ---- */

/* Timers that a descriptor of the service has armed: a sensor that runs has one. */
static unsigned int armed_timers(const struct sensord *s)
{
	unsigned int armed = 0;

	for (int fd = 0; fd < 256; fd++) {
		char path[64], line[128];
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", (int)s->pid, fd);
		file = fopen(path, "re");
		while (file && fgets(line, sizeof(line), file))
			armed += !strncmp(line, "it_value:", 9) && !strstr(line, "(0, 0)");
		if (file)
			fclose(file);
	}
	return armed;
}

static bool all_is_gone(const struct sensord *s, struct nnipc_lane *lane, unsigned int descriptors)
{
	uint32_t objects, sensors, clients;

	wire_totals(lane, &objects, &sensors, &clients);
	return !objects && !sensors && clients == 1 && sensord_descriptors(s) == descriptors &&
	       !armed_timers(s);
}

/* Until it is killed: two queues, a channel, four sensors. */
static int doomed_client(void)
{
	const uint64_t size = 100 * RECORD;
	struct nnsensors_record record;
	struct wire_queue one, two;
	struct nnipc_lane lane;
	int32_t accel, gyro, token;
	uint64_t oid;

	wire_open(shared_service, &lane);
	accel = wire_handle(&lane, "accel");
	gyro = wire_handle(&lane, "gyro");
	wire_create_queue(&lane, &one);
	wire_create_queue(&lane, &two);
	CHECK(wire_create_ashmem(&lane, test_memfd(size), size, size, &oid) == NNSENSORS_OK);
	CHECK(wire_enable(&one, accel, HZ(200), 0) == NNSENSORS_OK);
	CHECK(wire_enable(&one, gyro, HZ(200), 0) == NNSENSORS_OK);
	CHECK(wire_enable(&two, accel, HZ(200), 0) == NNSENSORS_OK);
	CHECK(wire_configure(&lane, oid, accel, NNSENSORS_RATE_FAST, &token) == NNSENSORS_OK);
	wire_await(&two, accel, &record);
	for (;;)
		pause();
}

static bool has(struct nnipc_lane *lane, uint32_t objects_wanted, uint32_t sensors_wanted)
{
	uint32_t objects, sensors, clients;

	wire_totals(lane, &objects, &sensors, &clients);
	return objects == objects_wanted && sensors == sensors_wanted;
}

static void test_killed_client(void **state)
{
	struct nnsensors_client *clients;
	struct nnipc_lane lane;
	struct sensord s;
	unsigned int descriptors;
	pid_t pid;

	(void)state;
	sensord_start(&s, NULL, SERVICE_SENSORS);
	shared_service = &s;
	wire_open(&s, &lane);
	descriptors = sensord_descriptors(&s);
	assert_int_equal(wire_clients(&lane, &clients), 1);
	assert_int_equal(clients[0].pid, getpid());
	assert_int_equal(clients[0].uid, getuid());
	assert_string_equal(clients[0].comm, "test_sensors_se");
	free(clients);
	pid = start_child(NULL, doomed_client);
	assert_true(EVENTUALLY(has(&lane, 3, 4)));
	assert_true(EVENTUALLY(armed_timers(&s)));
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(EVENTUALLY(all_is_gone(&s, &lane, descriptors)));
	nnipc_lane_fini(&lane);
	sensord_stop(&s);
}

enum ending { SILENT, GREETED, CALLING, QUEUED, ENABLED, REPORTING, UNREAD, ENDINGS };

static void begin_ending(const struct sensord *s, enum ending ending, struct nnipc_lane *lane)
{
	const struct nnipc_header call = {
		.kind = NNIPC_CALL,
		.method = SENSOR_GET_SENSOR_LIST,
		.serial = 1,
	};
	struct wire_queue q;
	uint64_t oid;
	int32_t token;
	int fd;

	*lane = (struct nnipc_lane){ .sock = wire_dial(s) };
	if (ending == SILENT)
		return;
	assert_int_equal(wire_greet(lane->sock, NULL), SENSOR_PROTOCOL_VERSION);
	if (ending == CALLING || ending == UNREAD)
		assert_int_equal(nnipc_frame_send(lane->sock, &call, NULL), 0);
	if (ending == UNREAD)
		assert_int_equal(
			poll(&(struct pollfd){ .fd = lane->sock, .events = POLLIN }, 1, -1), 1);
	if (ending == QUEUED || ending == ENABLED)
		wire_create_queue(lane, &q);
	if (ending == ENABLED)
		assert_int_equal(wire_enable(&q, wire_handle(lane, "accel"), HZ(400), 0),
				 NNSENSORS_OK);
	if (ending == QUEUED || ending == ENABLED)
		wire_forget_queue(&q);
	if (ending != REPORTING)
		return;
	fd = test_memfd(4096);
	assert_int_equal(wire_create_ashmem(lane, fd, 4096, 4096, &oid), NNSENSORS_OK);
	assert_int_equal(wire_configure(lane, oid, wire_handle(lane, "accel"),
					NNSENSORS_RATE_VERY_FAST, &token),
			 NNSENSORS_OK);
	close(fd);
}

/* A hang-up in every state a connection can be in. */
static void test_hang_ups(void **state)
{
	struct nnipc_lane lane, ends;
	unsigned int descriptors;
	struct sensord s;

	(void)state;
	sensord_start(&s, NULL, SERVICE_SENSORS);
	wire_open(&s, &lane);
	descriptors = sensord_descriptors(&s);
	for (int round = 0; round < 5; round++)
		for (int ending = 0; ending < ENDINGS; ending++) {
			begin_ending(&s, (enum ending)ending, &ends);
			nnipc_lane_fini(&ends);
		}
	assert_true(EVENTUALLY(all_is_gone(&s, &lane, descriptors)));
	nnipc_lane_fini(&lane);
	sensord_stop(&s);
}

/* It ends in order with clients in every state, and leaves nothing that hinders the next one. */
static void test_service_ends(void **state)
{
	struct nnipc_lane lanes[ENDINGS];
	struct sensord s;

	(void)state;
	sensord_start(&s, NULL, SERVICE_SENSORS);
	for (int ending = 0; ending < ENDINGS; ending++)
		begin_ending(&s, (enum ending)ending, &lanes[ending]);
	sensord_stop(&s);
	assert_int_equal(access(s.socket, F_OK), -1);
	for (int ending = 0; ending < ENDINGS; ending++)
		nnipc_lane_fini(&lanes[ending]);
}

static void test_one_shot(void **state)
{
	struct nnsensors_record record;
	struct nnipc_lane lane;
	struct wire_queue q;
	struct sensord s;
	int32_t once;

	(void)state;
	sensord_start(&s, NULL, SERVICE_SENSORS);
	wire_open(&s, &lane);
	once = wire_handle(&lane, "once");
	wire_create_queue(&lane, &q);
	for (int round = 0; round < 2; round++) {
		assert_int_equal(wire_enable(&q, once, 0, 0), NNSENSORS_OK);
		wire_await(&q, once, &record);
		assert_true(record.u.data[0] == 1.0f);
		/* it has disabled itself */
		assert_true(EVENTUALLY(has(&lane, 1, 0)));
		assert_int_equal(wire_disable(&q, once), NNSENSORS_BAD_VALUE);
		assert_false(wire_take(&q, &record));
	}
	wire_forget_queue(&q);
	nnipc_lane_fini(&lane);
	sensord_stop(&s);
}

/* Counts that "nnctl sensors top" shows. */
static void test_counts(void **state)
{
	struct nnsensors_client *clients;
	struct nnsensors_record record;
	struct nnipc_lane lane;
	struct wire_queue q;
	struct sensord s;
	uint64_t before;
	int32_t accel;

	(void)state;
	sensord_start(&s, NULL, SERVICE_SENSORS);
	wire_open(&s, &lane);
	accel = wire_handle(&lane, "accel");
	wire_create_queue(&lane, &q);
	assert_int_equal(wire_enable(&q, accel, HZ(400), 0), NNSENSORS_OK);
	for (int i = 0; i < 100; i++)
		wire_await(&q, accel, &record);
	assert_int_equal(wire_disable(&q, accel), NNSENSORS_OK);
	wire_clients(&lane, &clients);
	before = clients[0].delivered;
	assert_true(before >= 100);
	free(clients);
	/* a queue that is gone counts */
	assert_int_equal(wire_destroy_queue(&q), NNSENSORS_OK);
	wire_clients(&lane, &clients);
	assert_int_equal(clients[0].delivered, before);
	assert_int_equal(clients[0].queues, 0);
	free(clients);
	nnipc_lane_fini(&lane);
	sensord_stop(&s);
}

/* ---- many clients ---- */

/* A service that a sanitizer slows down does not keep 200 times 1 kHz on a busy machine. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#define MANY 20
#else
#define SANITIZED 0
#define MANY 200
#endif
/* How long; ten minutes by hand: SENSORS_SECONDS=600. */
#define SECONDS 3

/* 0 with a sanitizer, whose own memory grows. */
static long memory_kib(const struct sensord *s)
{
	char path[64], line[256];
	long kib = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)s->pid);
	file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, "VmRSS:", 6))
			kib = strtol(line + 6, NULL, 10);
	fclose(file);
	return SANITIZED ? 0 : kib;
}

struct reader {
	struct nnipc_lane lane;
	struct wire_queue q;
	uint64_t count;
};

/* All that is there: each event follows the one before. */
static void read_all(struct reader *r)
{
	struct nnsensors_record record;

	while (wire_take(&r->q, &record)) {
		r->count++;
		assert_int_equal((uint32_t)record.reserved[0], (uint32_t)r->count);
	}
	assert_int_equal(r->q.lost, 0);
}

/* Each at 1 kHz: who reads loses nothing, and the service's memory stays what it is. */
static void test_many_clients(void **state)
{
	static struct reader readers[MANY];
	const char *wanted = getenv("SENSORS_SECONDS");
	const int64_t seconds = wanted ? strtol(wanted, NULL, 10) : SECONDS;
	const int64_t begin = nnutil_monotonic_ns();
	struct rlimit limit;
	struct sensord s;
	uint64_t last;
	int64_t enabled;
	long kib = 0;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	sensord_start(&s, NULL, SERVICE_SENSORS);
	for (size_t i = 0; i < MANY; i++) {
		wire_open(&s, &readers[i].lane);
		wire_create_queue(&readers[i].lane, &readers[i].q);
	}
	for (size_t i = 0; i < MANY; i++) {
		assert_int_equal(wire_enable(&readers[i].q, wire_handle(&readers[i].lane, "accel"),
					     HZ(1000), 0),
				 NNSENSORS_OK);
		/* a machine that is busy takes its time for 200 of them */
		for (size_t j = 0; j < i; j++)
			read_all(&readers[j]);
	}
	enabled = nnutil_monotonic_ns();
	while (nnutil_monotonic_ns() - enabled < seconds * NNUTIL_NS_PER_S) {
		struct nnsensors_record record;

		for (size_t i = 0; i < MANY; i++)
			read_all(&readers[i]);
		if (!kib && nnutil_monotonic_ns() - enabled > NNUTIL_NS_PER_S)
			kib = memory_kib(&s);
		/* until there is something again */
		if (wire_wait(&readers[0].q, &record, NNUTIL_NS_PER_S))
			assert_int_equal((uint32_t)record.reserved[0],
					 (uint32_t)++readers[0].count);
	}
	assert_true(memory_kib(&s) <= kib + 2048);
	/* the one that came last: a machine that stands still takes samples from all of them */
	read_all(&readers[MANY - 1]);
	last = readers[MANY - 1].count;
	assert_true(last > 0);
	for (size_t i = 0; i < MANY; i++) {
		read_all(&readers[i]);
		assert_true(readers[i].count >= last);
		wire_forget_queue(&readers[i].q);
		nnipc_lane_fini(&readers[i].lane);
	}
	print_message("%d clients, %.1f s, %llu events of the last one, %ld KiB\n", MANY,
		      (double)(nnutil_monotonic_ns() - begin) * 1e-9,
		      (unsigned long long)readers[MANY - 1].count, memory_kib(&s));
	sensord_stop(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_serves),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_queue_results),
		cmocka_unit_test(test_channel_results),
		cmocka_unit_test(test_channel_memory),
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_permissions),
		cmocka_unit_test(test_another_user),
		cmocka_unit_test(test_limit_of_connections),
		cmocka_unit_test(test_limit_of_objects),
		cmocka_unit_test(test_two_rates),
		cmocka_unit_test(test_stopped_client),
		cmocka_unit_test(test_killed_client),
		cmocka_unit_test(test_hang_ups),
		cmocka_unit_test(test_service_ends),
		cmocka_unit_test(test_one_shot),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_many_clients),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
