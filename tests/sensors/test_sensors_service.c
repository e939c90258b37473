// SPDX-License-Identifier: Apache-2.0
/* nnaccel-sensord as a process: what its calls answer, who may what, and its limits. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "descriptors.h"
#include "eventually.h"
#include "nnutil_clock.h"
#include "sensord.h"
#include "service_sensors.h"
#include "skip.h"
#include "temp.h"
#include "test_case.h"

#define RECORD sizeof(struct nnsensors_record)

/* ---- calls ---- */

TEST(test_serves)
{
	struct nnsensors_info *infos, info;
	struct nnipc_lane lane;
	struct stat facts;
	struct sensord s;
	uint32_t count;

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

TEST(test_versions)
{
	static const struct {
		uint32_t lowest, highest, answer;
	} cases[] = { { 1, 1, 1 }, { 0, 9, 1 }, { 2, 9, 0 }, { 0, 0, 0 }, { 9, 1, 0 } };
	const struct nnipc_header header = { .kind = NNIPC_HELLO };
	struct nnipc_frame f = { 0 };
	struct nnipc_writer w = { 0 };
	struct sensord s;
	char why[256];

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

TEST(test_queue_results)
{
	struct nnsensors_record record;
	struct wire_queue q;
	int32_t accel;

	accel = wire_handle(&served.lane, "accel");
	wire_create_queue(&served.lane, &q);
	/* an unknown handle is BAD_VALUE */
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
	assert_int_equal(wire_call(&served.lane, SENSOR_QUEUE_DESTROY, q.oid), -ESTALE);
}

TEST(test_channel_results)
{
	const uint64_t size = 300 * RECORD;
	int32_t accel, gyro, light, slow, token, first, second;
	uint64_t oid;
	int fd;

	accel = wire_handle(&served.lane, "accel");
	gyro = wire_handle(&served.lane, "gyro");
	light = wire_handle(&served.lane, "light");
	slow = wire_handle(&served.lane, "slow");
	fd = test_memfd(size);
	assert_int_equal(wire_create_ashmem(&served.lane, fd, size, size, &oid), NNSENSORS_OK);
	/* nothing runs yet */
	assert_int_equal(wire_configure(&served.lane, oid, -1, NNSENSORS_RATE_STOP, &token),
			 NNSENSORS_OK);
	assert_int_equal(wire_configure(&served.lane, oid, accel, NNSENSORS_RATE_STOP, &token),
			 NNSENSORS_OK);
	/* errors of configure */
	assert_int_equal(wire_configure(&served.lane, oid, -1, NNSENSORS_RATE_NORMAL, &token),
			 NNSENSORS_BAD_VALUE);
	assert_int_equal(wire_configure(&served.lane, oid, -2, NNSENSORS_RATE_NORMAL, &token),
			 NNSENSORS_NOT_EXIST);
	assert_int_equal(wire_configure(&served.lane, oid, 9999, NNSENSORS_RATE_STOP, &token),
			 NNSENSORS_NOT_EXIST);
	assert_int_equal(wire_configure(&served.lane, oid, accel, 4, &token), NNSENSORS_BAD_VALUE);
	assert_int_equal(wire_configure(&served.lane, oid, accel, UINT32_MAX, &token),
			 NNSENSORS_BAD_VALUE);
	assert_int_equal(wire_configure(&served.lane, oid, light, NNSENSORS_RATE_NORMAL, &token),
			 NNSENSORS_INVALID_OPERATION);
	assert_int_equal(wire_configure(&served.lane, oid, slow, NNSENSORS_RATE_NORMAL, &token),
			 NNSENSORS_OK);
	assert_int_equal(wire_configure(&served.lane, oid, slow, NNSENSORS_RATE_FAST, &token),
			 NNSENSORS_BAD_VALUE);
	/* tokens: of a sensor until STOP, never two of one number */
	assert_int_equal(wire_configure(&served.lane, oid, accel, NNSENSORS_RATE_NORMAL, &first),
			 NNSENSORS_OK);
	assert_int_equal(wire_configure(&served.lane, oid, gyro, NNSENSORS_RATE_NORMAL, &second),
			 NNSENSORS_OK);
	assert_int_not_equal(first, second);
	assert_int_equal(wire_configure(&served.lane, oid, accel, NNSENSORS_RATE_VERY_FAST, &token),
			 NNSENSORS_OK);
	assert_int_equal(token, first);
	assert_int_equal(wire_configure(&served.lane, oid, accel, NNSENSORS_RATE_STOP, &token),
			 NNSENSORS_OK);
	assert_int_equal(wire_configure(&served.lane, oid, accel, NNSENSORS_RATE_FAST, &token),
			 NNSENSORS_OK);
	assert_int_not_equal(token, second);
	assert_int_equal(wire_destroy_channel(&served.lane, oid), NNSENSORS_OK);
	assert_int_equal(wire_call(&served.lane, SENSOR_CHANNEL_DESTROY, oid), -ESTALE);
	close(fd);
}

/* Memory that is none, too small, sealed, read-only, or another channel's. */
TEST(test_channel_memory)
{
	struct nnipc_lane other;
	uint64_t oid, again;
	int fd, file, sealed, reader;

	wire_open(&served.service, &other);
	fd = test_memfd(1024);
	sealed = test_memfd(1024);
	assert_int_equal(fcntl(sealed, F_ADD_SEALS, F_SEAL_WRITE), 0);
	reader = descriptors_reopen(fd, O_RDONLY);
	file = temp_file(1024);
	assert_int_equal(wire_create_ashmem(&served.lane, -1, 1024, 1024, &oid),
			 NNSENSORS_BAD_VALUE);
	assert_int_equal(wire_create_ashmem(&served.lane, file, 1024, 1024, &oid),
			 NNSENSORS_BAD_VALUE);
	assert_int_equal(wire_create_ashmem(&served.lane, sealed, 1024, 1024, &oid),
			 NNSENSORS_BAD_VALUE);
	assert_int_not_equal(wire_create_ashmem(&served.lane, reader, 1024, 1024, &oid),
			     NNSENSORS_OK);
	assert_int_equal(wire_create_ashmem(&served.lane, fd, 4096, 4096, &oid),
			 NNSENSORS_NO_MEMORY);
	assert_int_equal(wire_create_ashmem(&served.lane, fd, UINT64_MAX, UINT64_MAX, &oid),
			 NNSENSORS_NO_MEMORY);
	assert_int_equal(wire_create_ashmem(&served.lane, fd, 1024, 103, &oid),
			 NNSENSORS_BAD_VALUE);
	assert_int_equal(wire_create_gralloc(&served.lane, fd, 103, &oid), NNSENSORS_BAD_VALUE);
	assert_int_not_equal(wire_create_gralloc(&served.lane, file, 1024, &oid), NNSENSORS_OK);
	assert_int_equal(wire_create_ashmem(&served.lane, fd, 1024, 1024, &oid), NNSENSORS_OK);
	/* one channel to a memory, for all clients together */
	assert_int_equal(wire_create_ashmem(&served.lane, fd, 1024, 1024, &again),
			 NNSENSORS_NO_MEMORY);
	assert_int_equal(wire_create_ashmem(&other, fd, 1024, 104, &again), NNSENSORS_NO_MEMORY);
	/* it cannot shrink any more */
	assert_int_not_equal(ftruncate(fd, 0), 0);
	assert_int_equal(wire_destroy_channel(&served.lane, oid), NNSENSORS_OK);
	assert_int_equal(wire_create_ashmem(&other, fd, 1024, 104, &again), NNSENSORS_OK);
	close(fd);
	close(sealed);
	close(reader);
	close(file);
	nnipc_lane_fini(&other);
}

/* An object is its connection's, of its kind, and its number is not used again. */
TEST(test_objects)
{
	struct nnipc_lane other;
	struct wire_queue q, second;
	uint64_t oid;
	int fd = test_memfd(1024);

	wire_open(&served.service, &other);
	wire_create_queue(&served.lane, &q);
	assert_int_equal(wire_create_ashmem(&served.lane, fd, 1024, 1024, &oid), NNSENSORS_OK);
	assert_int_equal(wire_call(&other, SENSOR_QUEUE_DESTROY, q.oid), -ESTALE);
	assert_int_equal(wire_call(&served.lane, SENSOR_CHANNEL_DESTROY, q.oid), -ESTALE);
	assert_int_equal(wire_call(&served.lane, SENSOR_QUEUE_DESTROY, oid), -ESTALE);
	assert_int_equal(wire_destroy_queue(&q), NNSENSORS_OK);
	wire_create_queue(&served.lane, &second);
	assert_true(second.oid != q.oid && second.oid != oid);
	wire_forget_queue(&second);
	close(fd);
	nnipc_lane_fini(&other);
}

/* ---- permissions ---- */

TEST(test_permissions)
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

/* What is computed from a sensor that a rule is about; and what needs a rule. */
TEST(test_permissions_computed)
{
	static const char sensors[] = SERVICE_SENSORS "[sensor]\n"
						      "name = down\n"
						      "type = gravity\n"
						      "device = hub\n"
						      "rates = 50\n"
						      "generator = constant\n"
						      "values = 0 0 9.8\n"
						      "range = 20\n"
						      "resolution = 0.01\n"
						      "[sensor]\n"
						      "name = heart\n"
						      "type = heart_rate\n"
						      "device = wrist\n"
						      "rates = 1\n"
						      "generator = steps\n"
						      "values = 60 70\n"
						      "frequency = 2\n"
						      "range = 200\n"
						      "resolution = 1\n";
	struct nnsensors_info info;
	struct nnipc_lane lane;
	struct wire_queue q;
	struct sensord s;
	char config[256];

	for (int named = 0; named < 2; named++) {
		const int result = named ? NNSENSORS_OK : NNSENSORS_PERMISSION_DENIED;

		snprintf(config, sizeof(config),
			 "[permission motion]\ntypes = accelerometer\nusers = %u\n%s",
			 getuid() + !named,
			 named ? "[permission body]\ntypes = heart_rate\nabove-rate = 1000\n" : "");
		sensord_start(&s, config, sensors);
		wire_open(&s, &lane);
		wire_create_queue(&lane, &q);
		assert_int_equal(wire_enable(&q, wire_handle(&lane, "down"), HZ(50), 0), result);
		assert_int_equal(wire_enable(&q, wire_handle(&lane, "heart"), HZ(1), 0), result);
		assert_int_equal(wire_enable(&q, wire_handle(&lane, "gyro"), HZ(50), 0),
				 NNSENSORS_OK);
		assert_int_equal(wire_default(&lane, NNSENSORS_TYPE_GRAVITY, &info), NNSENSORS_OK);
		assert_string_equal(info.permission, "motion");
		wire_forget_queue(&q);
		nnipc_lane_fini(&lane);
		sensord_stop(&s);
	}
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

TEST(test_another_user)
{
	struct nnsensors_client *clients;
	struct nnipc_lane lane;
	struct sensord s;
	uint32_t count;

	if (getuid())
		skip_host("only root can be another user");
	sensord_start(&s,
		      "[permission a]\ntypes = accelerometer\ngroups = 54321\n"
		      "[permission b]\ntypes = gyroscope\ngroups = 54324\n",
		      SERVICE_SENSORS);
	assert_int_equal(chmod(temp_folder(), 0755), 0);
	assert_int_equal(chmod(s.socket, 0666), 0);
	wire_open(&s, &lane);
	shared_service = &s;
	child_run(NULL, as_another_user);
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

TEST(test_limit_of_connections)
{
	static const struct {
		const char *config, *why;
	} cases[] = {
		{ "[limits]\nconnections-per-user = 2\n",
		  "has reached the limit of 2 connections" },
		{ "[limits]\nconnections = 3\n",
		  "it serves 2 clients, what is left of 3 is for other users" },
	};
	struct nnipc_lane lanes[2];
	struct sensord s;
	char why[256];
	int sock;

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

	assert_int_equal(wire_call(lane, SENSOR_MANAGER_CREATE_QUEUE, 0), 0);
	result = sensor_get_result(&lane->in.reader);
	if (result == NNSENSORS_OK)
		*q = (struct wire_queue){ .lane = lane, .oid = nnipc_get_u64(&lane->in.reader) };
	nnipc_frame_clear(&lane->in);
	return result;
}

TEST(test_limit_of_objects)
{
	struct nnipc_lane one, two;
	struct wire_queue q, last;
	struct sensord s;
	uint64_t oid;
	int fd = test_memfd(1024);

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_serves),
		cmocka_unit_test(test_versions),
		cmocka_unit_test_setup_teardown(test_queue_results, served_begin, served_end),
		cmocka_unit_test_setup_teardown(test_channel_results, served_begin, served_end),
		cmocka_unit_test_setup_teardown(test_channel_memory, served_begin, served_end),
		cmocka_unit_test_setup_teardown(test_objects, served_begin, served_end),
		cmocka_unit_test(test_permissions),
		cmocka_unit_test(test_permissions_computed),
		cmocka_unit_test(test_another_user),
		cmocka_unit_test(test_limit_of_connections),
		cmocka_unit_test(test_limit_of_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
