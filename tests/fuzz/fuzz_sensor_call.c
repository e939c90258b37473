// SPDX-License-Identifier: Apache-2.0
/*
 * What a hostile client sends to nnaccel-sensord: an input is a connection, a list of calls with
 * their descriptors, that the service's servants run on sensors of the target. Whatever it is,
 * calls are answered as the interface allows, and nothing is left of the connection: no descriptor,
 * no sensor that runs.
 *
 * A call: u32 method, u8 object (the last bits: which of the objects that it was given; 15: one
 * that there is not), u8 descriptors (count in the low 2 bits, kind of each in the next 2), u16
 * length, and so many bytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/sensord_core.h"
#include "fuzz_target.h"
#include "messages/sensor_messages.h"
#include "serve/sensord_serve.h"
#include "wire/nnipc_wire.h"

#define HEAD 8u
#define CALLS_MAX 32
#define FDS_MAX 3u
#define OIDS 15u
#define NO_OBJECT 15u
#define MEMORY_SIZE 4096

enum fd_kind { FD_MEMORY, FD_SAME_MEMORY, FD_READ_ONLY, FD_FILE };

static struct {
	uint64_t inputs, accepted, malformed, stale, unknown;
} counts;

static void require(bool holds, const char *what, uint32_t method)
{
	if (holds)
		return;
	fprintf(stderr, "method %x: %s\n", method, what);
	abort();
}

/* ---- the sensors ---- */

static struct {
	struct sensord_config config;
	struct nnipc_budget budget;
	struct sensor_demand demands[3];
	struct sensor_device *device;
	int32_t handles[3];
	int sockets[2];
	int memory; /* that is sent several times */
} world;

static int configure(struct sensor_device *device, const struct sensor_demand *demands)
{
	(void)device;
	memcpy(world.demands, demands, sizeof(world.demands));
	return 0;
}

static void describe(struct sensor *s, int32_t type, int32_t min_us, int32_t max_us)
{
	s->row = nnsensors_type_row(type);
	s->info = (struct nnsensors_info){
		.size = sizeof(s->info),
		.type = type,
		.version = 1,
		.flags = s->row->mode | (s->row->wake_up ? NNSENSORS_FLAG_WAKE_UP : 0),
		.min_delay_us = min_us,
		.max_delay_us = max_us,
		.max_range = 100,
		.resolution = 1,
	};
	strcpy(s->info.name, s->row->name);
	strcpy(s->info.vendor, "fuzz");
	strcpy(s->info.type_string, s->row->type_string);
	sensor_set_direct(s);
}

static void begin(void)
{
	static const struct sensor_device_ops ops = { .configure = configure };
	static struct sensor sensors[3];
	const struct sensor_device_config config = {
		.name = "fuzz",
		.ops = &ops,
		.sensors = sensors,
		.num_sensors = 3,
	};
	char rules[] = "[permission a]\ntypes = accelerometer\nabove-rate = 500\n"
		       "[limits]\nobjects = 6\nsensors = 5\n";
	char message[256];

	if (world.device)
		return;
	sensord_config_init(&world.config);
	require(!sensord_config_parse(&world.config, "rules", rules, message, sizeof(message)),
		message, 0);
	channel_fault_prepare();
	client_budget_init(&world.budget, &world.config.limits);
	describe(&sensors[0], NNSENSORS_TYPE_ACCELEROMETER, 1000, 1000000);
	describe(&sensors[1], NNSENSORS_TYPE_LIGHT, 0, 1000000);
	describe(&sensors[2], NNSENSORS_TYPE_SIGNIFICANT_MOTION, -1, 0);
	require(!device_add(&config, &world.device), "there is no device", 0);
	for (unsigned int i = 0; i < 3; i++)
		world.handles[i] = device_sensor(world.device, i)->info.handle;
	require(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, world.sockets), "no socket",
		0);
	world.memory = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	require(world.memory >= 0 && !fallocate(world.memory, 0, 0, MEMORY_SIZE), "no memory", 0);
}

static int is_off(struct sensor_device *device, void *argument)
{
	(void)device;
	(void)argument;
	for (int i = 0; i < 3; i++)
		if (world.demands[i].period_ns)
			return -EBUSY;
	return 0;
}

static int lowest_fd(void)
{
	int fd = fcntl(world.memory, F_DUPFD_CLOEXEC, 0);

	close(fd);
	return fd;
}

static int make_fd(enum fd_kind kind)
{
	char path[32];
	int fd;

	switch (kind) {
	case FD_MEMORY:
		fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		if (fallocate(fd, 0, 0, MEMORY_SIZE))
			abort();
		return fd;
	case FD_SAME_MEMORY:
		return fcntl(world.memory, F_DUPFD_CLOEXEC, 0);
	case FD_READ_ONLY:
		snprintf(path, sizeof(path), "/proc/self/fd/%d", world.memory);
		return open(path, O_RDONLY | O_CLOEXEC);
	default:
		return open("/dev/null", O_RDWR | O_CLOEXEC);
	}
}

/* ---- a connection ---- */

struct connection {
	struct sensor_client client;
	uint64_t oids[OIDS];
	uint32_t num_oids;
	struct nnipc_writer out;
};

/* What was answered to a call that was accepted. */
static void check_answer(struct connection *c, uint32_t method)
{
	struct nnipc_reader r;
	enum nnsensors_result result;
	int fds[NNIPC_REPLY_FDS];

	require(!c->out.error && c->out.num_fds <= NNIPC_REPLY_FDS, "an answer that cannot be sent",
		method);
	for (uint32_t i = 0; i < c->out.num_fds; i++)
		fds[i] = fcntl(c->out.fds[i], F_DUPFD_CLOEXEC, 0);
	nnipc_reader_init(&r, c->out.data, c->out.size, fds, c->out.num_fds);
	result = sensor_get_result(&r);
	require(!r.error, "an answer without a result", method);
	switch (method) {
	case SENSOR_MANAGER_CREATE_ASHMEM:
	case SENSOR_MANAGER_CREATE_GRALLOC:
	case SENSOR_MANAGER_CREATE_QUEUE:
		if (result == NNSENSORS_OK && c->num_oids < OIDS)
			c->oids[c->num_oids++] = nnipc_get_u64(&r);
		require((c->out.num_fds == 2) ==
				(result == NNSENSORS_OK && method == SENSOR_MANAGER_CREATE_QUEUE),
			"a queue has two descriptors", method);
		break;
	case SENSOR_CHANNEL_CONFIGURE: {
		const int32_t token = (int32_t)nnipc_get_u32(&r);

		require(token >= 0 && (!token || result == NNSENSORS_OK), "a token of an error",
			method);
		break;
	}
	default:
		break;
	}
	require(!r.error, "an answer that is too short", method);
	for (uint32_t i = 0; i < c->out.num_fds; i++)
		close(fds[i]);
}

static void count_call(struct connection *c, uint32_t method, int ret)
{
	switch (ret) {
	case 0:
		counts.accepted++;
		check_answer(c, method);
		break;
	case -EBADMSG:
		counts.malformed++;
		break;
	case -ESTALE:
		counts.stale++;
		break;
	default:
		require(ret == -EOPNOTSUPP, "an error that ends the connection", method);
		counts.unknown++;
	}
}

/* One call of @data; its bytes. 0: there is no more. */
static size_t run_call(struct connection *c, const uint8_t *data, size_t size)
{
	struct nnipc_header header = { .kind = NNIPC_CALL, .serial = 1 };
	struct nnipc_reader in;
	int fds[FDS_MAX];
	uint16_t length;
	uint8_t which;

	if (size < HEAD)
		return 0;
	memcpy(&header.method, data, sizeof(header.method));
	which = data[4] & 15;
	if (which)
		header.oid = which == NO_OBJECT	    ? UINT64_MAX
			     : which <= c->num_oids ? c->oids[which - 1]
						    : which;
	header.num_fds = data[5] & 3;
	memcpy(&length, data + 6, sizeof(length));
	if (length > size - HEAD)
		length = (uint16_t)(size - HEAD);
	for (uint32_t i = 0; i < header.num_fds; i++)
		fds[i] = make_fd((enum fd_kind)(data[5] >> (2 + 2 * i) & 3));
	nnipc_reader_init(&in, data + HEAD, length, fds, header.num_fds);
	count_call(c, header.method, sensor_servant_call(&c->client, &header, &in, &c->out));
	nnipc_writer_reset(&c->out);
	/* as the frame does */
	for (uint32_t i = 0; i < header.num_fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return HEAD + length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct connection c = { 0 };
	struct nnipc_peer peer;
	size_t used;
	int lowest;

	begin();
	lowest = lowest_fd();
	counts.inputs++;
	require(!nnipc_peer_identify(&peer, world.sockets[0]), "who is it?", 0);
	require(!sensor_client_init(&c.client, &world.config, &world.budget, &peer), "no client",
		0);
	client_registry_add(&c.client);
	for (int i = 0; i < CALLS_MAX && (used = run_call(&c, data, size)); i++) {
		data += used;
		size -= used;
	}
	sensor_client_clear(&c.client);
	client_registry_remove(&c.client);
	sensor_client_fini(&c.client);
	nnipc_writer_fini(&c.out);
	require(!device_call(world.device, is_off, NULL), "a sensor without subscribers runs", 0);
	require(lowest_fd() == lowest, "a descriptor is left", 0);
	return 0;
}

/* ---- for the driver ---- */

struct script {
	uint8_t bytes[2048];
	size_t size;
};

static void add(struct script *s, uint32_t method, uint8_t object, uint8_t fds,
		const struct nnipc_writer *w)
{
	const uint16_t length = w ? (uint16_t)w->size : 0;
	uint8_t *at = s->bytes + s->size;

	memcpy(at, &method, sizeof(method));
	at[4] = object;
	at[5] = fds;
	memcpy(at + 6, &length, sizeof(length));
	if (length)
		memcpy(at + HEAD, w->data, length);
	s->size += HEAD + length;
}

/* Numbers: a digit of @widths each, 1, 4 or 8 bytes. */
static void add_numbers(struct script *s, uint32_t method, uint8_t object, uint8_t fds,
			const char *widths, const uint64_t *numbers)
{
	struct nnipc_writer w = { 0 };

	for (; *widths; widths++, numbers++) {
		if (*widths == '1')
			nnipc_put_u8(&w, (uint8_t)*numbers);
		else if (*widths == '4')
			nnipc_put_u32(&w, (uint32_t)*numbers);
		else
			nnipc_put_u64(&w, *numbers);
	}
	add(s, method, object, fds, &w);
	nnipc_writer_fini(&w);
}

#define NUMBERS(...) ((const uint64_t[]){ __VA_ARGS__ })
#define ONE(kind) (1 | (kind) << 2)

static void script_manager(struct script *s)
{
	add(s, SENSOR_MANAGER_GET_SENSOR_LIST, 0, 0, NULL);
	add_numbers(s, SENSOR_MANAGER_GET_DEFAULT_SENSOR, 0, 0, "4", NUMBERS(1));
	add_numbers(s, SENSOR_MANAGER_GET_DEFAULT_SENSOR, 0, 0, "4", NUMBERS(36));
	add(s, SENSOR_MANAGER_GET_CLIENTS, 0, 0, NULL);
}

static void script_queue(struct script *s)
{
	add(s, SENSOR_MANAGER_CREATE_QUEUE, 0, 0, NULL);
	for (int i = 0; i < 3; i++)
		add_numbers(s, SENSOR_QUEUE_ENABLE, 1, 0, "448",
			    NUMBERS((uint64_t)world.handles[i], 20000, 0));
	add_numbers(s, SENSOR_QUEUE_ENABLE, 1, 0, "448",
		    NUMBERS((uint64_t)world.handles[0], 1000, 500000));
	add_numbers(s, SENSOR_QUEUE_DISABLE, 1, 0, "4", NUMBERS((uint64_t)world.handles[1]));
	add(s, SENSOR_MANAGER_GET_CLIENTS, 0, 0, NULL);
	add(s, SENSOR_QUEUE_DESTROY, 1, 0, NULL);
}

static void script_channel(struct script *s)
{
	add_numbers(s, SENSOR_MANAGER_CREATE_ASHMEM, 0, ONE(FD_SAME_MEMORY), "188",
		    NUMBERS(1, MEMORY_SIZE, 1040));
	add_numbers(s, SENSOR_MANAGER_CREATE_ASHMEM, 0, ONE(FD_MEMORY), "188",
		    NUMBERS(1, MEMORY_SIZE, MEMORY_SIZE));
	add_numbers(s, SENSOR_MANAGER_CREATE_GRALLOC, 0, ONE(FD_MEMORY), "18", NUMBERS(1, 1040));
	for (uint64_t level = 0; level < 4; level++)
		add_numbers(s, SENSOR_CHANNEL_CONFIGURE, 1, 0, "44",
			    NUMBERS((uint64_t)world.handles[0], level));
	add_numbers(s, SENSOR_CHANNEL_CONFIGURE, 2, 0, "44",
		    NUMBERS((uint64_t)world.handles[0], 1));
	add_numbers(s, SENSOR_CHANNEL_CONFIGURE, 1, 0, "44", NUMBERS(UINT32_MAX, 0));
	add(s, SENSOR_CHANNEL_DESTROY, 1, 0, NULL);
}

static void script_limits(struct script *s)
{
	for (int i = 0; i < 7; i++)
		add(s, SENSOR_MANAGER_CREATE_QUEUE, 0, 0, NULL);
	for (uint8_t i = 1; i <= 6; i++)
		add_numbers(s, SENSOR_QUEUE_ENABLE, i, 0, "448",
			    NUMBERS((uint64_t)world.handles[0], 50000, 0));
}

static size_t seeds(struct fuzz_seed **list)
{
	static const struct {
		const char *name;
		void (*write)(struct script *s);
	} scripts[] = {
		{ "manager", script_manager },
		{ "queue", script_queue },
		{ "channel", script_channel },
		{ "limits", script_limits },
	};
	size_t count = 0;

	begin();
	*list = NULL;
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		struct script s = { .size = 0 };

		scripts[i].write(&s);
		fuzz_add_seed(list, &count, scripts[i].name, s.bytes, s.size);
	}
	return count;
}

static size_t mutate_once(uint8_t *data, size_t size, uint64_t *random)
{
	const size_t at = fuzz_random(random) % (size + 1);
	const size_t length = 1 + fuzz_random(random) % 24;

	switch (fuzz_random(random) % 6) {
	case 0: /* some bytes less */
		if (at + length > size)
			return at;
		memmove(data + at, data + at + length, size - at - length);
		return size - length;
	case 1: /* a part once more */
		if (at + length > size || size + length > FUZZ_MAX)
			return size;
		memmove(data + at + length, data + at, size - at);
		return size + length;
	case 2:
		if (at < size)
			data[at] ^= (uint8_t)(1u << fuzz_random(random) % 8);
		return size;
	case 3:
		if (at < size)
			data[at] = (uint8_t)(fuzz_random(random) % 16);
		return size;
	default:
		fuzz_mutate_word(data, size, random);
		return size;
	}
}

static size_t mutate(uint8_t *data, size_t size, uint64_t *random)
{
	for (uint32_t k = 1 + fuzz_random(random) % 3; k; k--)
		size = mutate_once(data, size, random);
	return size;
}

/* All calls of the scripts are well-formed and about objects that there are. */
static bool seeds_accepted(size_t count)
{
	return counts.inputs == count && !counts.malformed && !counts.unknown && !counts.stale;
}

static bool reached(uint64_t rounds)
{
	return counts.accepted >= rounds && counts.malformed >= rounds / 8 &&
	       counts.stale >= rounds / 32;
}

static void report(void)
{
	printf("%llu connections: calls accepted %llu, malformed %llu, of no object %llu, of no "
	       "method %llu\n",
	       (unsigned long long)counts.inputs, (unsigned long long)counts.accepted,
	       (unsigned long long)counts.malformed, (unsigned long long)counts.stale,
	       (unsigned long long)counts.unknown);
}

static void stop(void)
{
	if (!world.device)
		return;
	device_put(world.device);
	world.device = NULL;
	sensor_list_clear();
	nnipc_budget_fini(&world.budget);
	sensord_config_fini(&world.config);
	close(world.memory);
	close(world.sockets[0]);
	close(world.sockets[1]);
}

const struct fuzz_target fuzz_target = {
	.suffix = ".calls",
	.seeds = seeds,
	.mutate = mutate,
	.seeds_accepted = seeds_accepted,
	.reached = reached,
	.report = report,
	.stop = stop,
};
