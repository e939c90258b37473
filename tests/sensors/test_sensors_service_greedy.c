// SPDX-License-Identifier: Apache-2.0
/*
 * Clients of nnaccel-sensord that take all that they can get: what the service refuses a user, and
 * what is left for another one. The limits are those of the policy in Documentation/sensors.rst.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "eventually.h"
#include "nnutil_file.h"
#include "sensord.h"
#include "service_sensors.h"
#include "skip.h"
#include "temp.h"
#include "test_case.h"

#define MIB (1ull << 20)
/* A limit of objects that is no matter here. */
#define MANY_OBJECTS "[limits]\nobjects = 4096\nobjects-per-user = 4096\n"
/* Of a user, as the service has it without a configuration. */
#define USER_MIB 128u
#define USER_EVENTS 25000u

#define BYSTANDER 54323

static struct sensord service;

static void begin(const char *config)
{
	sensord_start(&service, config, SERVICE_SENSORS);
	assert_int_equal(chmod(temp_folder(), 0755), 0);
	assert_int_equal(chmod(service.socket, 0666), 0);
}

/* Run @body as a user that has nothing yet. */
static void check_bystander(int (*body)(void))
{
	if (getuid())
		print_message("only root can be a bystander\n");
	else
		child_run(NULL, body);
}

static int become_bystander(void)
{
	CHECK(!setgid(BYSTANDER) && !setuid(BYSTANDER));
	return 0;
}

/* ---- bytes ---- */

/* A channel into new memory without pages. */
static enum nnsensors_result create_channel(struct nnipc_lane *lane, uint64_t size, uint64_t *oid)
{
	const int fd = test_memfd(size);
	const enum nnsensors_result result = wire_create_ashmem(lane, fd, size, size, oid);

	close(fd);
	return result;
}

static uint32_t take_channels(struct nnipc_lane *lane, uint64_t size)
{
	uint32_t count = 0;
	uint64_t oid;

	while (create_channel(lane, size, &oid) == NNSENSORS_OK) {
		count++;
		/* it would go on for ever */
		assert_true(count < 100);
	}
	return count;
}

static int bystander_has_bytes(void)
{
	struct nnipc_lane lane;
	uint64_t oid;

	CHECK(!become_bystander());
	wire_open(&service, &lane);
	CHECK(create_channel(&lane, 64 * MIB, &oid) == NNSENSORS_OK);
	return 0;
}

TEST(test_bytes)
{
	struct nnipc_lane one, two;
	struct wire_queue q;
	uint32_t count;
	uint64_t oid;

	begin(MANY_OBJECTS);
	wire_open(&service, &one);
	wire_open(&service, &two);
	/* what a record costs beside its place is charged as well */
	count = take_channels(&one, 4 * MIB);
	assert_in_range(count, USER_MIB / 4 * 9 / 10, USER_MIB / 4 - 1);
	/* of the user, not of the connection */
	assert_int_equal(take_channels(&two, 4 * MIB), 0);
	/* small ones and queues are bytes, too */
	assert_in_range(take_channels(&two, MIB / 4), 1, 16);
	assert_int_equal(wire_call(&two, SENSOR_MANAGER_CREATE_QUEUE, 0), 0);
	assert_int_equal(sensor_get_result(&two.in.reader), NNSENSORS_NO_MEMORY);
	nnipc_frame_clear(&two.in);
	/* more than any channel may have, also where a sum would overflow */
	assert_int_equal(create_channel(&two, 65 * MIB, &oid), NNSENSORS_NO_MEMORY);
	check_bystander(bystander_has_bytes);
	/* what goes is given back: to the byte, however often */
	nnipc_lane_fini(&one);
	nnipc_lane_fini(&two);
	for (int round = 0; round < 3; round++) {
		wire_open(&service, &one);
		assert_true(EVENTUALLY(wire_count(&one) == 1));
		assert_int_equal(take_channels(&one, 4 * MIB), count);
		nnipc_lane_fini(&one);
	}
	wire_open(&service, &two);
	assert_true(EVENTUALLY(wire_count(&two) == 1));
	for (int round = 0; round < 300; round++) {
		assert_int_equal(create_channel(&two, MIB, &oid), NNSENSORS_OK);
		assert_int_equal(wire_destroy_channel(&two, oid), NNSENSORS_OK);
		wire_create_queue(&two, &q);
		assert_int_equal(wire_destroy_queue(&q), NNSENSORS_OK);
	}
	nnipc_lane_fini(&two);
	sensord_stop(&service);
}

/* ---- events ---- */

/* Enable the accelerometer on one more queue at @hz; queues and their memory stay. */
static enum nnsensors_result enable_one(struct nnipc_lane *lane, int32_t accel, int32_t hz,
					struct wire_queue *q)
{
	wire_create_queue(lane, q);
	wire_forget_queue(q);
	return wire_enable(q, accel, HZ(hz), 0);
}

static uint32_t take_events(struct nnipc_lane *lane, int32_t accel, int32_t hz,
			    struct wire_queue *last)
{
	struct wire_queue q;
	uint32_t count = 0;

	while (enable_one(lane, accel, hz, &q) == NNSENSORS_OK) {
		*last = q;
		count++;
		/* it would go on for ever */
		assert_true(count < 200);
	}
	return count;
}

static int bystander_has_events(void)
{
	struct nnsensors_record record;
	struct nnipc_lane lane;
	struct wire_queue q;
	int32_t accel;

	CHECK(!become_bystander());
	wire_open(&service, &lane);
	accel = wire_handle(&lane, "accel");
	wire_create_queue(&lane, &q);
	CHECK(wire_enable(&q, accel, HZ(1000), 0) == NNSENSORS_OK);
	wire_await(&q, accel, &record);
	return 0;
}

TEST(test_events)
{
	const uint64_t size = 100 * sizeof(struct nnsensors_record);
	struct nnipc_lane one, two;
	struct wire_queue q;
	int32_t accel, token;
	uint64_t oid;

	begin(MANY_OBJECTS);
	wire_open(&service, &one);
	wire_open(&service, &two);
	accel = wire_handle(&one, "accel");
	assert_int_equal(take_events(&one, accel, 1000, &q), USER_EVENTS / 1000);
	/* of the user, not of the connection; of channels as of queues */
	assert_int_equal(create_channel(&two, size, &oid), NNSENSORS_OK);
	assert_int_equal(wire_configure(&two, oid, accel, NNSENSORS_RATE_VERY_FAST, &token),
			 NNSENSORS_NO_MEMORY);
	check_bystander(bystander_has_events);
	/* the same rate once more is no other, a slower one leaves room */
	assert_int_equal(wire_enable(&q, accel, HZ(1000), 0), NNSENSORS_OK);
	assert_int_equal(wire_enable(&q, accel, HZ(200), 0), NNSENSORS_OK);
	assert_int_equal(wire_configure(&two, oid, accel, NNSENSORS_RATE_VERY_FAST, &token),
			 NNSENSORS_OK);
	/* a refused one goes on as it was */
	assert_int_equal(wire_enable(&q, accel, HZ(1000), 0), NNSENSORS_NO_MEMORY);
	assert_int_equal(wire_configure(&two, oid, accel, NNSENSORS_RATE_STOP, &token),
			 NNSENSORS_OK);
	assert_int_equal(wire_enable(&q, accel, HZ(1000), 0), NNSENSORS_OK);
	assert_int_equal(wire_disable(&q, accel), NNSENSORS_OK);
	assert_int_equal(wire_enable(&q, accel, HZ(1000), 0), NNSENSORS_OK);
	nnipc_lane_fini(&one);
	assert_true(EVENTUALLY(wire_count(&two) == 1));
	for (int round = 0; round < 60; round++) {
		assert_int_equal(enable_one(&two, accel, 1000, &q), NNSENSORS_OK);
		if (round % 2)
			assert_int_equal(wire_disable(&q, accel), NNSENSORS_OK);
		assert_int_equal(wire_call(&two, SENSOR_QUEUE_DESTROY, q.oid), 0);
		nnipc_frame_clear(&two.in);
	}
	nnipc_lane_fini(&two);
	sensord_stop(&service);
}

/* A subscription is looked at for each sample, however few events it takes: it is charged ten. */
TEST(test_slow_events)
{
	struct nnipc_lane lane;
	struct wire_queue q;

	begin("[limits]\nevents-per-user = 100\n");
	wire_open(&service, &lane);
	assert_int_equal(take_events(&lane, wire_handle(&lane, "accel"), 5, &q), 10);
	nnipc_lane_fini(&lane);
	sensord_stop(&service);
}

/* A sensor that ends its subscription itself gives its events back. */
TEST(test_one_shot_events)
{
	struct nnsensors_record record;
	struct wire_queue q, other;
	struct nnipc_lane lane;
	int32_t once, slow;

	begin("[limits]\nevents-per-user = 10\n");
	wire_open(&service, &lane);
	once = wire_handle(&lane, "once");
	slow = wire_handle(&lane, "slow");
	wire_create_queue(&lane, &q);
	wire_create_queue(&lane, &other);
	for (int round = 0; round < 3; round++) {
		assert_int_equal(wire_enable(&other, slow, HZ(1), 0), NNSENSORS_OK);
		assert_int_equal(wire_enable(&q, once, 0, 0), NNSENSORS_NO_MEMORY);
		assert_int_equal(wire_disable(&other, slow), NNSENSORS_OK);
		assert_int_equal(wire_enable(&q, once, 0, 0), NNSENSORS_OK);
		wire_await(&q, once, &record);
		assert_true(EVENTUALLY(wire_enabled(&lane) == 0));
	}
	wire_forget_queue(&q);
	wire_forget_queue(&other);
	nnipc_lane_fini(&lane);
	sensord_stop(&service);
}

/* ---- places ---- */

#define CROWD 12
#define CROWD_SILENT 40

static int crowd_ready;
static uid_t crowd_user;

/* Silent connections of a user, until it is killed. */
static int be_silent(void)
{
	CHECK(!setgid(crowd_user) && !setuid(crowd_user));
	for (int i = 0; i < CROWD_SILENT; i++)
		CHECK(wire_dial(&service) >= 0);
	CHECK(write(crowd_ready, "", 1) == 1);
	for (;;)
		pause();
}

/*
 * Users that fill the porch do not keep others out: neither another user, nor another client of
 * theirs. None of them is waited for.
 */
TEST(test_silent)
{
	struct nnipc_lane lane;
	pid_t crowd[CROWD];
	int ready[2];
	char byte;

	if (getuid())
		skip_host("only root can be many users");
	begin(NULL);
	assert_int_equal(pipe(ready), 0);
	crowd_ready = ready[1];
	for (int i = 0; i < CROWD; i++) {
		crowd_user = 54000 + (uid_t)i;
		crowd[i] = child_start(NULL, be_silent);
		assert_int_equal(read(ready[0], &byte, 1), 1);
	}
	wire_open(&service, &lane);
	nnipc_lane_fini(&lane);
	check_bystander(bystander_has_events);
	for (int i = 0; i < CROWD; i++)
		child_kill(crowd[i], SIGKILL);
	/* one user, as its own next client */
	for (int i = 0; i < CROWD_SILENT; i++)
		assert_true(wire_dial(&service) >= 0);
	wire_open(&service, &lane);
	nnipc_lane_fini(&lane);
	close(ready[0]);
	close(ready[1]);
	sensord_stop(&service);
}

/* Connections of a user leave room for another one, when the limit in all is reached first. */
TEST(test_connections)
{
	struct nnipc_lane lanes[4];
	char why[256];
	int sock;

	begin("[limits]\nconnections = 7\n");
	for (int i = 0; i < 4; i++)
		wire_open(&service, &lanes[i]);
	sock = wire_dial(&service);
	assert_int_equal(wire_greet(sock, why), 0);
	close(sock);
	check_bystander(bystander_has_events);
	for (int i = 0; i < 4; i++)
		nnipc_lane_fini(&lanes[i]);
	sensord_stop(&service);
}

/* ---- subordinate users ---- */

#define OWNER 54400
#define SUBORDINATE 300000

static uid_t subordinate;

/* In a file system of this process's own. */
static bool have_subordinates(void)
{
	const char *path = temp_path("subuid");
	char line[64];

	snprintf(line, sizeof(line), "%d:%d:65536\n", OWNER, SUBORDINATE);
	temp_write_text(path, line);
	return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount(path, "/etc/subuid", NULL, MS_BIND, NULL);
}

static int refused_subordinate(void)
{
	char why[256];

	CHECK(!setgid(subordinate) && !setuid(subordinate));
	CHECK(!wire_greet(wire_dial(&service), why));
	CHECK(strstr(why, "user 54400 has reached the limit of 2 connections"));
	return 0;
}

static int served_subordinate(void)
{
	CHECK(!setgid(subordinate) && !setuid(subordinate));
	CHECK(wire_greet(wire_dial(&service), NULL) == SENSOR_PROTOCOL_VERSION);
	CHECK(write(crowd_ready, "", 1) == 1);
	for (;;)
		pause();
}

/* A user does not become many by its subordinates. */
TEST(test_subordinates)
{
	pid_t pids[2];
	int ready[2];
	char byte;

	if (getuid())
		skip_host("only root can be many users");
	if (!have_subordinates())
		skip_host("no mount namespace with another /etc/subuid");
	begin("[limits]\nconnections-per-user = 2\n");
	assert_int_equal(pipe(ready), 0);
	crowd_ready = ready[1];
	for (int i = 0; i < 2; i++) {
		subordinate = SUBORDINATE + (uid_t)i;
		pids[i] = child_start(NULL, served_subordinate);
		assert_int_equal(read(ready[0], &byte, 1), 1);
	}
	subordinate = SUBORDINATE + 2;
	child_run(NULL, refused_subordinate);
	subordinate = OWNER;
	child_run(NULL, refused_subordinate);
	check_bystander(bystander_has_events);
	for (int i = 0; i < 2; i++)
		child_kill(pids[i], SIGKILL);
	close(ready[0]);
	close(ready[1]);
	sensord_stop(&service);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_slow_events),
		cmocka_unit_test(test_one_shot_events),
		cmocka_unit_test(test_silent),
		cmocka_unit_test(test_connections),
		/* the last: it changes what this process has mounted */
		cmocka_unit_test(test_subordinates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
