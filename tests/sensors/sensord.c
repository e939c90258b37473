// SPDX-License-Identifier: Apache-2.0
#include "sensord.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "descriptors.h"
#include "eventually.h"
#include "nnutil_clock.h"
#include "service_sensors.h"
#include "temp.h"
#include "test_case.h"

/* A wait for what must come: a test that is wrong ends so. */
#define PATIENCE_NS (60 * NNUTIL_NS_PER_S)

/* How much of its log a failure prints. */
#define LAST_WORDS 2000

/* The last one. */
static struct sensord *started;

/* ---- the service ---- */

/* The files are there. */
static void launch(struct sensord *s, bool sensors)
{
	/* in the VM there is a hub of sensors (uhid_sensors.c) */
	const char *iio = getenv("NNSENSORS_TEST_UHID") ? "--no-fusion" : "--no-iio";
	const char *argv[] = { "nnaccel-sensord", "--listen",  s->socket,  iio,
			       "--no-fusion",	  "--log",     "debug",	   "--config",
			       s->config,	  "--virtual", s->sensors, NULL };
	struct child_program program = { .path = SENSORD, .argv = argv };
	const char *path = temp_path("sensord.log");

	if (!sensors)
		argv[9] = NULL;
	started = s;
	/* a file: the service must not wait for a test that does not read */
	program.output = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	assert_true(program.output > 0);
	s->pid = child_execute(&program);
	lines_follow(&s->log, open(path, O_RDONLY | O_CLOEXEC), s->pid);
	unlink(path);
	close(program.output);
	if (!sensord_says(s, "nnaccel-sensord: listens on "))
		fail_msg("%s", s->log.text);
}

void sensord_start(struct sensord *s, const char *config, const char *sensors)
{
	static unsigned int number;

	s->socket = temp_path("sensord%u", ++number);
	s->config = temp_path("sensord%u.conf", number);
	s->sensors = temp_path("sensors%u.conf", number);
	temp_write_text(s->config, config ? config : "");
	if (sensors)
		temp_write_text(s->sensors, sensors);
	launch(s, sensors);
}

void sensord_restart(struct sensord *s)
{
	lines_close(&s->log);
	launch(s, !access(s->sensors, F_OK));
}

bool sensord_says(struct sensord *s, const char *text)
{
	return lines_next(&s->log, text);
}

static void clean_up(struct sensord *s)
{
	lines_close(&s->log);
	unlink(s->socket);
	unlink(s->config);
	unlink(s->sensors);
}

void sensord_stop(struct sensord *s)
{
	const int status = child_kill(s->pid, SIGTERM);
	const bool left = !access(s->socket, F_OK);

	if (status)
		fail_msg("the service ended with status %d: %s", status,
			 lines_rest(&s->log, LAST_WORDS));
	clean_up(s);
	/* the next one would find it */
	assert_false(left);
}

void sensord_kill(struct sensord *s)
{
	child_kill(s->pid, SIGKILL);
	clean_up(s);
}

unsigned int sensord_descriptors(const struct sensord *s)
{
	const int count = descriptors_open_of(s->pid);

	assert_true(count > 0);
	return (unsigned int)count;
}

/* ---- a client ---- */

int wire_dial_path(const char *path)
{
	return unix_dial(path, SOCK_SEQPACKET);
}

int wire_dial(const struct sensord *s)
{
	int sock = wire_dial_path(s->socket);

	assert_true(sock >= 0);
	return sock;
}

uint32_t wire_greet(int sock, char *why)
{
	const struct nnipc_header header = { .kind = NNIPC_HELLO };
	struct nnipc_writer w = { 0 };
	struct nnipc_frame f = { 0 };
	char text[256] = "";
	uint32_t version;

	nnipc_put_u32(&w, SENSOR_PROTOCOL_VERSION);
	nnipc_put_u32(&w, SENSOR_PROTOCOL_VERSION);
	assert_int_equal(nnipc_frame_send(sock, &header, &w), 0);
	nnipc_writer_fini(&w);
	assert_int_equal(nnipc_frame_receive(sock, &f, PATIENCE_NS), 0);
	assert_int_equal(f.header.kind, NNIPC_HELLO);
	version = nnipc_get_u32(&f.reader);
	nnipc_get_text_into(&f.reader, text, sizeof(text));
	assert_int_equal(nnipc_reader_end(&f.reader), 0);
	nnipc_frame_fini(&f);
	if (why)
		strcpy(why, text);
	return version;
}

void wire_open(const struct sensord *s, struct nnipc_lane *lane)
{
	char why[256];

	*lane = (struct nnipc_lane){ .sock = wire_dial(s) };
	if (wire_greet(lane->sock, why) != SENSOR_PROTOCOL_VERSION)
		fail_msg("%s", why);
	/* whose calls are answered is in the list of clients, and the service has all that it needs
	 */
	wire_count(lane);
}

void wire_await_hang_up(int sock)
{
	struct pollfd p = { .fd = sock, .events = POLLIN };
	char byte;

	assert_int_equal(poll(&p, 1, (int)(PATIENCE_NS / NNUTIL_NS_PER_MS)), 1);
	assert_true(recv(sock, &byte, 1, 0) <= 0);
}

int wire_call(struct nnipc_lane *lane, uint32_t method, uint64_t oid)
{
	return nnipc_lane_call(lane, method, oid, PATIENCE_NS);
}

/* A call that is answered: its result. */
static enum nnsensors_result call(struct nnipc_lane *lane, uint32_t method, uint64_t oid)
{
	const int ret = wire_call(lane, method, oid);

	if (ret)
		fail_msg("call %x: %s; the service: %s", method, strerror(-ret),
			 lines_rest(&started->log, LAST_WORDS));
	return sensor_get_result(&lane->in.reader);
}

static void end(struct nnipc_lane *lane)
{
	assert_int_equal(nnipc_reader_end(&lane->in.reader), 0);
	nnipc_frame_clear(&lane->in);
}

uint32_t wire_list(struct nnipc_lane *lane, struct nnsensors_info **infos)
{
	uint32_t count;

	assert_int_equal(call(lane, SENSOR_MANAGER_GET_SENSOR_LIST, 0), NNSENSORS_OK);
	count = nnipc_get_count(&lane->in.reader, 1, SENSOR_LIST_MAX);
	*infos = calloc(count + 1, sizeof(**infos));
	for (uint32_t i = 0; i < count; i++)
		sensor_get_info(&lane->in.reader, &(*infos)[i]);
	end(lane);
	return count;
}

enum nnsensors_result wire_default(struct nnipc_lane *lane, int32_t type,
				   struct nnsensors_info *info)
{
	enum nnsensors_result result;

	nnipc_put_u32(&lane->out, (uint32_t)type);
	result = call(lane, SENSOR_MANAGER_GET_DEFAULT_SENSOR, 0);
	if (result == NNSENSORS_OK)
		sensor_get_info(&lane->in.reader, info);
	end(lane);
	return result;
}

int32_t wire_handle(struct nnipc_lane *lane, const char *name)
{
	struct nnsensors_info *infos;
	uint32_t count = wire_list(lane, &infos);
	int32_t handle = 0;

	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(infos[i].name, name))
			handle = infos[i].handle;
	free(infos);
	if (!handle)
		fail_msg("there is no sensor %s", name);
	return handle;
}

static enum nnsensors_result create(struct nnipc_lane *lane, uint32_t method, uint64_t *oid)
{
	enum nnsensors_result result = call(lane, method, 0);

	*oid = result == NNSENSORS_OK ? nnipc_get_u64(&lane->in.reader) : 0;
	end(lane);
	return result;
}

enum nnsensors_result wire_create_ashmem(struct nnipc_lane *lane, int fd, uint64_t mem_size,
					 uint64_t size, uint64_t *oid)
{
	nnipc_put_fd(&lane->out, fd);
	nnipc_put_u64(&lane->out, mem_size);
	nnipc_put_u64(&lane->out, size);
	return create(lane, SENSOR_MANAGER_CREATE_ASHMEM, oid);
}

enum nnsensors_result wire_create_gralloc(struct nnipc_lane *lane, int fd, uint64_t size,
					  uint64_t *oid)
{
	nnipc_put_fd(&lane->out, fd);
	nnipc_put_u64(&lane->out, size);
	return create(lane, SENSOR_MANAGER_CREATE_GRALLOC, oid);
}

enum nnsensors_result wire_configure(struct nnipc_lane *lane, uint64_t oid, int32_t handle,
				     uint32_t level, int32_t *token)
{
	enum nnsensors_result result;

	nnipc_put_u32(&lane->out, (uint32_t)handle);
	nnipc_put_u32(&lane->out, level);
	result = call(lane, SENSOR_CHANNEL_CONFIGURE, oid);
	*token = (int32_t)nnipc_get_u32(&lane->in.reader);
	end(lane);
	/* the token is 0 on STOP and on any error */
	assert_true(result == NNSENSORS_OK && level ? *token > 0 : *token == 0);
	return result;
}

enum nnsensors_result wire_destroy_channel(struct nnipc_lane *lane, uint64_t oid)
{
	enum nnsensors_result result = call(lane, SENSOR_CHANNEL_DESTROY, oid);

	end(lane);
	return result;
}

uint32_t wire_clients(struct nnipc_lane *lane, struct nnsensors_client **clients)
{
	uint32_t count;

	assert_int_equal(call(lane, SENSOR_MANAGER_GET_CLIENTS, 0), NNSENSORS_OK);
	count = nnipc_get_count(&lane->in.reader, 1, SENSOR_LIST_MAX);
	*clients = calloc(count + 1, sizeof(**clients));
	for (uint32_t i = 0; i < count; i++)
		sensor_get_client(&lane->in.reader, &(*clients)[i]);
	end(lane);
	return count;
}

void wire_totals(struct nnipc_lane *lane, uint32_t *objects, uint32_t *sensors, uint32_t *clients)
{
	struct nnsensors_client *list;

	*objects = *sensors = 0;
	*clients = wire_clients(lane, &list);
	for (uint32_t i = 0; i < *clients; i++) {
		*objects += list[i].queues + list[i].channels;
		*sensors += list[i].sensors;
	}
	free(list);
}

uint32_t wire_count(struct nnipc_lane *lane)
{
	uint32_t objects, sensors, clients;

	wire_totals(lane, &objects, &sensors, &clients);
	return clients;
}

uint32_t wire_enabled(struct nnipc_lane *lane)
{
	uint32_t objects, sensors, clients;

	wire_totals(lane, &objects, &sensors, &clients);
	return sensors;
}

/* ---- a queue ---- */

void wire_create_queue(struct nnipc_lane *lane, struct wire_queue *q)
{
	const struct nnsensors_record *rings;

	*q = (struct wire_queue){ .lane = lane };
	assert_int_equal(call(lane, SENSOR_MANAGER_CREATE_QUEUE, 0), NNSENSORS_OK);
	q->oid = nnipc_get_u64(&lane->in.reader);
	q->memory_fd = nnipc_get_fd(&lane->in.reader);
	q->event_fd = nnipc_get_fd(&lane->in.reader);
	end(lane);
	assert_true(q->memory_fd >= 0 && q->event_fd >= 0);
	assert_int_equal(fcntl(q->memory_fd, F_GET_SEALS) & F_SEAL_SHRINK, F_SEAL_SHRINK);
	q->size = sensor_queue_memory_size(SENSOR_QUEUE_CONTINUOUS, SENSOR_QUEUE_KEPT);
	q->memory = mmap(NULL, q->size, PROT_READ | PROT_WRITE, MAP_SHARED, q->memory_fd, 0);
	assert_ptr_not_equal(q->memory, MAP_FAILED);
	assert_int_equal(q->memory->magic, SENSOR_QUEUE_MAGIC);
	assert_int_equal(q->memory->continuous, SENSOR_QUEUE_CONTINUOUS);
	assert_int_equal(q->memory->kept, SENSOR_QUEUE_KEPT);
	rings = q->memory->records;
	nnsensors_reader_init(&q->continuous, rings, SENSOR_QUEUE_CONTINUOUS * sizeof(*rings));
	nnsensors_reader_init(&q->kept, rings + SENSOR_QUEUE_CONTINUOUS,
			      SENSOR_QUEUE_KEPT * sizeof(*rings));
}

enum nnsensors_result wire_enable(struct wire_queue *q, int32_t handle, int32_t period_us,
				  int64_t latency_us)
{
	enum nnsensors_result result;

	nnipc_put_u32(&q->lane->out, (uint32_t)handle);
	nnipc_put_u32(&q->lane->out, (uint32_t)period_us);
	nnipc_put_i64(&q->lane->out, latency_us);
	result = call(q->lane, SENSOR_QUEUE_ENABLE, q->oid);
	end(q->lane);
	return result;
}

enum nnsensors_result wire_disable(struct wire_queue *q, int32_t handle)
{
	enum nnsensors_result result;

	nnipc_put_u32(&q->lane->out, (uint32_t)handle);
	result = call(q->lane, SENSOR_QUEUE_DISABLE, q->oid);
	end(q->lane);
	return result;
}

bool wire_take(struct wire_queue *q, struct nnsensors_record *record)
{
	uint64_t lost = 0;
	int got = nnsensors_reader_take(&q->continuous, record, &lost);

	assert_true(got >= 0);
	q->lost += lost;
	if (!got) {
		got = nnsensors_reader_take(&q->kept, record, &lost);
		assert_true(got >= 0);
		q->lost += lost;
	}
	return got;
}

bool wire_wait(struct wire_queue *q, struct nnsensors_record *record, int64_t timeout_ns)
{
	const int64_t until = nnutil_monotonic_ns() + timeout_ns;
	struct pollfd p = { .fd = q->event_fd, .events = POLLIN };
	uint64_t count;

	while (!wire_take(q, record)) {
		const int64_t left = until - nnutil_monotonic_ns();

		atomic_exchange(&q->memory->asleep, 1);
		/* the rings' writer may not have seen it */
		if (wire_take(q, record))
			return true;
		/* clock: the caller's limit */
		if (left <= 0 || poll(&p, 1, (int)(left / NNUTIL_NS_PER_MS) + 1) < 1)
			return false;
		while (recv(q->event_fd, &count, sizeof(count), MSG_DONTWAIT) == sizeof(count))
			;
	}
	return true;
}

void wire_await(struct wire_queue *q, int32_t handle, struct nnsensors_record *record)
{
	do
		assert_true(wire_wait(q, record, PATIENCE_NS));
	while (record->token != handle);
}

void wire_forget_queue(struct wire_queue *q)
{
	munmap(q->memory, q->size);
	close(q->memory_fd);
	close(q->event_fd);
}

enum nnsensors_result wire_destroy_queue(struct wire_queue *q)
{
	enum nnsensors_result result = call(q->lane, SENSOR_QUEUE_DESTROY, q->oid);

	end(q->lane);
	wire_forget_queue(q);
	return result;
}

/* ---- a case ---- */

struct served served;

int served_begin(void **state)
{
	(void)state;
	sensord_start(&served.service, NULL, SERVICE_SENSORS);
	wire_open(&served.service, &served.lane);
	return 0;
}

int served_end(void **state)
{
	(void)state;
	nnipc_lane_fini(&served.lane);
	sensord_stop(&served.service);
	return 0;
}

/* ---- memory ---- */

int test_memfd(uint64_t size)
{
	int fd = memfd_sealed(size, 0);

	assert_int_equal(fallocate(fd, 0, 0, (off_t)size), 0);
	return fd;
}
