// SPDX-License-Identifier: Apache-2.0
/*
 * Clients of nnaccel-sensord side by side: each at its own rate; a client that stops harms no
 * other; objects end with their client; 200 clients.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "eventually.h"
#include "nnutil_clock.h"
#include "sensord.h"
#include "service_sensors.h"
#include "test_case.h"

/* ---- several clients ---- */

/*
 * Take @count events: none sooner after the one before than the period says, and some as soon. The
 * device samples each @grid_ns. A service that does not run in time gives up samples; a client
 * then gets the next one of the device.
 */
static void check_rate(struct wire_queue *q, int32_t handle, int64_t period_ns, int64_t grid_ns,
		       int count)
{
	struct nnsensors_record record;
	int64_t before, gap, off;
	int next = 0;

	wire_await(q, handle, &record);
	for (int i = 0; i < count; i++) {
		before = record.timestamp;
		wire_await(q, handle, &record);
		gap = record.timestamp - before;
		assert_true(gap >= period_ns - grid_ns / 10);
		off = (gap + grid_ns / 2) % grid_ns - grid_ns / 2;
		assert_in_range(off + grid_ns / 10, 0, 2 * grid_ns / 10);
		next += gap <= period_ns + grid_ns / 10;
	}
	assert_true(next);
}

TEST(test_two_rates)
{
	struct nnipc_lane fast;
	struct wire_queue slow_queue, fast_queue;
	const int64_t slow_ns = NNUTIL_NS_PER_S / 50, fast_ns = NNUTIL_NS_PER_S / 200;
	int32_t accel;

	wire_open(&served.service, &fast);
	accel = wire_handle(&served.lane, "accel");
	wire_create_queue(&served.lane, &slow_queue);
	wire_create_queue(&fast, &fast_queue);
	assert_int_equal(wire_enable(&slow_queue, accel, HZ(50), 0), NNSENSORS_OK);
	check_rate(&slow_queue, accel, slow_ns, slow_ns, 10);
	assert_int_equal(wire_enable(&fast_queue, accel, HZ(200), 0), NNSENSORS_OK);
	check_rate(&fast_queue, accel, fast_ns, fast_ns, 40);
	check_rate(&slow_queue, accel, slow_ns, fast_ns, 20);
	/* the fast one goes: nothing changes for the slow one */
	nnipc_lane_fini(&fast);
	check_rate(&slow_queue, accel, slow_ns, fast_ns, 20);
	wire_forget_queue(&slow_queue);
	wire_forget_queue(&fast_queue);
}

/* Stops itself with a queue that runs at 1 kHz, and sees afterwards what it has lost. */
static int stopped_client(void)
{
	struct nnsensors_record record;
	struct nnipc_lane lane;
	struct wire_queue q;
	int32_t accel;
	int64_t before;
	uint32_t number;

	wire_open(&served.service, &lane);
	accel = wire_handle(&lane, "accel");
	wire_create_queue(&lane, &q);
	CHECK(wire_enable(&q, accel, HZ(1000), 0) == NNSENSORS_OK);
	wire_await(&q, accel, &record);
	before = record.timestamp;
	number = (uint32_t)record.reserved[0];
	/* for as long as the other one likes, and lives */
	alarm(0);
	CHECK(!prctl(PR_SET_PDEATHSIG, SIGKILL));
	CHECK(!raise(SIGSTOP));
	alarm(CHILD_SECONDS);
	wire_await(&q, accel, &record);
	/* the oldest are gone, it learns how many, and what is there follows them */
	CHECK(q.lost > 0);
	CHECK(record.timestamp > before + (int64_t)q.lost * NNUTIL_NS_PER_MS / 2);
	CHECK((uint32_t)record.reserved[0] == number + (uint32_t)q.lost + 1);
	return 0;
}

static pid_t start_stopped_client(void)
{
	pid_t pid = child_start(NULL, stopped_client);
	int status;

	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	return pid;
}

TEST(test_stopped_client)
{
	struct nnsensors_record record;
	struct wire_queue q;
	int32_t accel;
	pid_t pid;

	pid = start_stopped_client();
	accel = wire_handle(&served.lane, "accel");
	wire_create_queue(&served.lane, &q);
	assert_int_equal(wire_enable(&q, accel, HZ(1000), 0), NNSENSORS_OK);
	for (uint32_t i = 0; i < SENSOR_QUEUE_CONTINUOUS + 500; i++)
		wire_await(&q, accel, &record);
	assert_int_equal(q.lost, 0);
	assert_int_equal(kill(pid, SIGCONT), 0);
	child_end(pid);
	wire_forget_queue(&q);
}

/* ---- ends ---- */

/* Timers that a descriptor of the service has armed: a sensor that runs has one. */
static unsigned int armed_timers(void)
{
	unsigned int armed = 0;

	for (int fd = 0; fd < 256; fd++) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", (int)served.service.pid, fd);
		armed += lines_count(path, "it_value:") - lines_count(path, "it_value: (0, 0)");
	}
	return armed;
}

static bool all_is_gone(unsigned int descriptors)
{
	uint32_t objects, sensors, clients;

	wire_totals(&served.lane, &objects, &sensors, &clients);
	return !objects && !sensors && clients == 1 &&
	       sensord_descriptors(&served.service) == descriptors && !armed_timers();
}

/* Until it is killed: two queues, a channel, four sensors. */
static int doomed_client(void)
{
	const uint64_t size = 100 * sizeof(struct nnsensors_record);
	struct nnsensors_record record;
	struct wire_queue one, two;
	struct nnipc_lane lane;
	int32_t accel, gyro, token;
	uint64_t oid;

	wire_open(&served.service, &lane);
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

static bool has(uint32_t objects_wanted, uint32_t sensors_wanted)
{
	uint32_t objects, sensors, clients;

	wire_totals(&served.lane, &objects, &sensors, &clients);
	return objects == objects_wanted && sensors == sensors_wanted;
}

TEST(test_killed_client)
{
	struct nnsensors_client *clients;
	unsigned int descriptors;
	pid_t pid;

	descriptors = sensord_descriptors(&served.service);
	assert_int_equal(wire_clients(&served.lane, &clients), 1);
	assert_int_equal(clients[0].pid, getpid());
	assert_int_equal(clients[0].uid, getuid());
	assert_string_equal(clients[0].comm, "test_sensors_se");
	free(clients);
	pid = child_start(NULL, doomed_client);
	assert_true(EVENTUALLY(has(3, 4)));
	assert_true(EVENTUALLY(armed_timers()));
	child_kill(pid, SIGKILL);
	assert_true(EVENTUALLY(all_is_gone(descriptors)));
}

enum ending { SILENT, GREETED, CALLING, QUEUED, ENABLED, REPORTING, UNREAD, ENDINGS };

static void begin_ending(const struct sensord *s, enum ending ending, struct nnipc_lane *lane)
{
	const struct nnipc_header call = {
		.kind = NNIPC_CALL,
		.method = SENSOR_MANAGER_GET_SENSOR_LIST,
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
TEST(test_hang_ups)
{
	struct nnipc_lane ends;
	unsigned int descriptors;

	descriptors = sensord_descriptors(&served.service);
	for (int round = 0; round < 5; round++)
		for (int ending = 0; ending < ENDINGS; ending++) {
			begin_ending(&served.service, (enum ending)ending, &ends);
			nnipc_lane_fini(&ends);
		}
	assert_true(EVENTUALLY(all_is_gone(descriptors)));
}

/* It ends in order with clients in every state, and leaves nothing that hinders the next one. */
TEST(test_service_ends)
{
	struct nnipc_lane lanes[ENDINGS];
	struct sensord s;

	sensord_start(&s, NULL, SERVICE_SENSORS);
	for (int ending = 0; ending < ENDINGS; ending++)
		begin_ending(&s, (enum ending)ending, &lanes[ending]);
	/* asserts it */
	sensord_stop(&s);
	for (int ending = 0; ending < ENDINGS; ending++)
		nnipc_lane_fini(&lanes[ending]);
}

TEST(test_one_shot)
{
	struct nnsensors_record record;
	struct wire_queue q;
	int32_t once;

	once = wire_handle(&served.lane, "once");
	wire_create_queue(&served.lane, &q);
	for (int round = 0; round < 2; round++) {
		assert_int_equal(wire_enable(&q, once, 0, 0), NNSENSORS_OK);
		wire_await(&q, once, &record);
		assert_true(record.u.data[0] == 1.0f);
		/* it has disabled itself */
		assert_true(EVENTUALLY(has(1, 0)));
		assert_int_equal(wire_disable(&q, once), NNSENSORS_BAD_VALUE);
		assert_false(wire_take(&q, &record));
	}
	wire_forget_queue(&q);
}

/* Counts that "nnctl sensors top" shows. */
TEST(test_counts)
{
	struct nnsensors_client *clients;
	struct nnsensors_record record;
	struct wire_queue q;
	uint64_t before;
	int32_t accel;

	accel = wire_handle(&served.lane, "accel");
	wire_create_queue(&served.lane, &q);
	assert_int_equal(wire_enable(&q, accel, HZ(400), 0), NNSENSORS_OK);
	for (int i = 0; i < 100; i++)
		wire_await(&q, accel, &record);
	assert_int_equal(wire_disable(&q, accel), NNSENSORS_OK);
	wire_clients(&served.lane, &clients);
	before = clients[0].delivered;
	assert_true(before >= 100);
	free(clients);
	/* a queue that is gone counts */
	assert_int_equal(wire_destroy_queue(&q), NNSENSORS_OK);
	wire_clients(&served.lane, &clients);
	assert_int_equal(clients[0].delivered, before);
	assert_int_equal(clients[0].queues, 0);
	free(clients);
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
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)s->pid);
	return SANITIZED ? 0 : lines_number(path, "VmRSS:");
}

struct reader {
	struct nnipc_lane lane;
	struct wire_queue q;
	uint64_t count;
};

/* Events of its queue, until now. */
static uint64_t reached(const struct reader *r)
{
	return r->count + r->q.lost;
}

/* Each event follows the one before, but for those that it learns to be lost. */
static void check_next(struct reader *r, const struct nnsensors_record *record)
{
	r->count++;
	assert_int_equal((uint32_t)record->reserved[0], (uint32_t)reached(r));
}

static void read_all(struct reader *r)
{
	struct nnsensors_record record;

	while (wire_take(&r->q, &record))
		check_next(r, &record);
}

/* It is one user that has all of them. */
FIXTURE(many_begin)
{
	sensord_start(&served.service, "[limits]\nevents = 1000000\nevents-per-user = 500000\n",
		      SERVICE_SENSORS);
	wire_open(&served.service, &served.lane);
	return 0;
}

/*
 * Each at 1 kHz, and one that is stopped meanwhile. A reader that a busy machine keeps away for two
 * seconds loses events, and learns how many; the service's memory stays what it is.
 */
TEST(test_many_clients)
{
	static struct reader readers[MANY];
	const char *wanted = getenv("SENSORS_SECONDS");
	const int64_t seconds = wanted ? strtol(wanted, NULL, 10) : SECONDS;
	const int64_t begin = nnutil_monotonic_ns();
	struct rlimit limit;
	uint64_t last, lost = 0;
	int64_t enabled;
	pid_t stopped;
	long kib;

	stopped = start_stopped_client();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (size_t i = 0; i < MANY; i++) {
		wire_open(&served.service, &readers[i].lane);
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
	kib = memory_kib(&served.service);
	enabled = nnutil_monotonic_ns();
	/* long enough for the stopped one to lose events */
	while (nnutil_monotonic_ns() - enabled < seconds * NNUTIL_NS_PER_S ||
	       reached(&readers[0]) < SENSOR_QUEUE_CONTINUOUS + 500) {
		struct nnsensors_record record;

		for (size_t i = 0; i < MANY; i++)
			read_all(&readers[i]);
		/* until there is something again */
		if (wire_wait(&readers[0].q, &record, NNUTIL_NS_PER_S))
			check_next(&readers[0], &record);
	}
	assert_true(memory_kib(&served.service) <= kib + 2048);
	/* the one that came last: a machine that stands still takes samples from all of them */
	read_all(&readers[MANY - 1]);
	last = reached(&readers[MANY - 1]);
	assert_true(last > 0);
	for (size_t i = 0; i < MANY; i++) {
		read_all(&readers[i]);
		assert_true(reached(&readers[i]) >= last);
		lost += readers[i].q.lost;
		wire_forget_queue(&readers[i].q);
		nnipc_lane_fini(&readers[i].lane);
	}
	print_message("%d clients, %.1f s, %llu events of the last one, %llu lost, %ld KiB\n", MANY,
		      (double)(nnutil_monotonic_ns() - begin) * 1e-9, (unsigned long long)last,
		      (unsigned long long)lost, memory_kib(&served.service));
	assert_int_equal(kill(stopped, SIGCONT), 0);
	child_end(stopped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_two_rates, served_begin, served_end),
		cmocka_unit_test_setup_teardown(test_stopped_client, served_begin, served_end),
		cmocka_unit_test_setup_teardown(test_killed_client, served_begin, served_end),
		cmocka_unit_test_setup_teardown(test_hang_ups, served_begin, served_end),
		cmocka_unit_test(test_service_ends),
		cmocka_unit_test_setup_teardown(test_one_shot, served_begin, served_end),
		cmocka_unit_test_setup_teardown(test_counts, served_begin, served_end),
		cmocka_unit_test_setup_teardown(test_many_clients, many_begin, served_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
