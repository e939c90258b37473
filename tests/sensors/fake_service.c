// SPDX-License-Identifier: Apache-2.0
/* A sensor service in the test's process. */
#include "fake_service.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "descriptors.h"
#include "messages/sensor_messages.h"
#include "temp.h"
#include "values/nnsensors_values.h"
#include "wire/nnipc_wire.h"

#define MAX_CONNECTIONS 64
#define MAX_QUEUES 64

struct fake_queue {
	bool used;
	struct fake_connection *owner;
	uint64_t oid;
	struct sensor_queue_memory *memory;
	size_t size;
	int event_fd, waker_fd;
	struct nnsensors_record_ring ring[2];
	uint64_t number;
	bool enabled[FAKE_SENSORS + 1];
};

struct fake_connection {
	struct fake_service *service;
	int sock;
	bool used, joined;
	pthread_t thread;
	bool lied;
	uint64_t last_oid, channels;
};

struct fake_service {
	enum fake_lie lie;
	const char *path;
	int listener;
	pthread_t thread;
	pthread_mutex_t lock; /* protects all below */
	bool dead;
	struct fake_connection connections[MAX_CONNECTIONS];
	struct fake_queue queues[MAX_QUEUES];
	bool unplugged[FAKE_SENSORS + 1];
	uint32_t last_period;
	uint64_t last_latency;
};

static const struct nnsensors_info sensors[FAKE_SENSORS] = {
	{ .handle = FAKE_ACCELEROMETER,
	  .type = NNSENSORS_TYPE_ACCELEROMETER,
	  .version = 1,
	  .flags = NNSENSORS_FLAG_CONTINUOUS | NNSENSORS_FLAG_DIRECT_ASHMEM |
		   2 << NNSENSORS_FLAG_DIRECT_REPORT_SHIFT,
	  .min_delay_us = 5000,
	  .max_delay_us = 200000,
	  .fifo_reserved = 10,
	  .fifo_max = 100,
	  .max_range = 39.2f,
	  .resolution = 0.01f,
	  .power_ma = 0.5f,
	  .name = "fake accelerometer",
	  .vendor = "tests",
	  .type_string = "android.sensor.accelerometer" },
	{ .handle = FAKE_LIGHT,
	  .type = NNSENSORS_TYPE_LIGHT,
	  .version = 1,
	  .flags = NNSENSORS_FLAG_ON_CHANGE,
	  .max_range = 1000,
	  .name = "fake light",
	  .vendor = "tests",
	  .type_string = "android.sensor.light" },
	{ .handle = FAKE_GYROSCOPE,
	  .type = NNSENSORS_TYPE_GYROSCOPE,
	  .version = 1,
	  .flags = NNSENSORS_FLAG_CONTINUOUS | NNSENSORS_FLAG_DYNAMIC,
	  .min_delay_us = 5000,
	  .max_delay_us = 200000,
	  .max_range = 35,
	  .name = "fake gyroscope",
	  .vendor = "tests",
	  .type_string = "android.sensor.gyroscope" },
	{ .handle = FAKE_PROXIMITY,
	  .type = NNSENSORS_TYPE_PROXIMITY,
	  .version = 1,
	  .flags = NNSENSORS_FLAG_ON_CHANGE | NNSENSORS_FLAG_WAKE_UP,
	  .max_range = 5,
	  .name = "fake proximity",
	  .vendor = "tests",
	  .type_string = "android.sensor.proximity",
	  .permission = "denied" },
};

static const struct nnsensors_info *info_of(const struct fake_service *s, int32_t handle)
{
	if (handle < 1 || handle > FAKE_SENSORS || s->unplugged[handle])
		return NULL;
	return &sensors[handle - 1];
}

/* ---- queues ---- */

static void queue_free(struct fake_queue *q)
{
	if (!q->used)
		return;
	for (int i = 0; i < 2; i++)
		if (q->ring[i].num_records)
			nnsensors_record_ring_fini(&q->ring[i]);
	if (q->memory)
		munmap(q->memory, q->size);
	close(q->event_fd);
	close(q->waker_fd);
	memset(q, 0, sizeof(*q));
}

/* The descriptor of the memory, as the lie wants it. */
static int make_memory(struct fake_queue *q, enum fake_lie lie, size_t size)
{
	int fd = memfd_sealed(size, 0), seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

	q->size = size;
	if (size && lie != FAKE_QUEUE_SEALED_WRITE)
		q->memory = memfd_map(fd, size);
	if (lie == FAKE_QUEUE_SEALED_WRITE)
		seals |= F_SEAL_WRITE;
	if (lie != FAKE_QUEUE_UNSEALED && fcntl(fd, F_ADD_SEALS, seals))
		abort();
	return fd;
}

/* Something that is no memory. */
static int replace_memory(enum fake_lie lie, int fd)
{
	int pipe_fds[2], again;

	if (lie == FAKE_QUEUE_READ_ONLY) {
		again = descriptors_reopen(fd, O_RDONLY);
		close(fd);
		return again;
	}
	if (lie == FAKE_QUEUE_FILE) {
		const off_t size = lseek(fd, 0, SEEK_END);

		close(fd);
		fd = temp_file((size_t)size);
	}
	if (lie == FAKE_QUEUE_PIPE) {
		close(fd);
		if (pipe2(pipe_fds, O_CLOEXEC))
			abort();
		close(pipe_fds[1]);
		fd = pipe_fds[0];
	}
	return fd;
}

static void fill_memory(struct fake_queue *q, enum fake_lie lie)
{
	const size_t continuous = SENSOR_QUEUE_CONTINUOUS * sizeof(struct nnsensors_record);
	const size_t kept = SENSOR_QUEUE_KEPT * sizeof(struct nnsensors_record);
	struct sensor_queue_memory *m = q->memory;

	if (!m)
		return;
	m->magic = lie == FAKE_QUEUE_MAGIC ? 1 : SENSOR_QUEUE_MAGIC;
	m->continuous = SENSOR_QUEUE_CONTINUOUS;
	m->kept = SENSOR_QUEUE_KEPT;
	if (lie == FAKE_QUEUE_COUNT_0)
		m->kept = 0;
	if (lie == FAKE_QUEUE_COUNT_LIES)
		m->kept++;
	if (lie == FAKE_QUEUE_COUNT_OVERFLOWS)
		m->continuous = m->kept = UINT32_MAX;
	if (q->size < sensor_queue_memory_size(SENSOR_QUEUE_CONTINUOUS, SENSOR_QUEUE_KEPT))
		return;
	if (nnsensors_record_ring_init(&q->ring[0], m->records, continuous) ||
	    nnsensors_record_ring_init(&q->ring[1], m->records + SENSOR_QUEUE_CONTINUOUS, kept))
		abort();
}

static size_t size_of_memory(enum fake_lie lie)
{
	switch (lie) {
	case FAKE_QUEUE_EMPTY:
		return 0;
	case FAKE_QUEUE_TOO_SMALL:
		return sizeof(struct sensor_queue_memory);
	default:
		return sensor_queue_memory_size(SENSOR_QUEUE_CONTINUOUS, SENSOR_QUEUE_KEPT);
	}
}

static void make_waker(struct fake_queue *q)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds))
		abort();
	q->event_fd = fds[0];
	q->waker_fd = fds[1];
}

static void wake_client(const struct fake_queue *q)
{
	const uint64_t one = 1;

	send(q->waker_fd, &one, sizeof(one), MSG_NOSIGNAL);
}

static int event_descriptor(const struct fake_queue *q, enum fake_lie lie)
{
	int pipe_fds[2];

	if (lie != FAKE_QUEUE_PIPE_FOR_EVENTFD)
		return fcntl(q->event_fd, F_DUPFD_CLOEXEC, 0);
	if (pipe2(pipe_fds, O_CLOEXEC))
		abort();
	close(pipe_fds[1]);
	return pipe_fds[0];
}

/* Under the lock. */
static void create_queue(struct fake_connection *c, struct nnipc_writer *out)
{
	const enum fake_lie lie = c->service->lie;
	struct fake_queue *q = c->service->queues;
	int memory;

	while (q < c->service->queues + MAX_QUEUES && q->used)
		q++;
	if (q == c->service->queues + MAX_QUEUES) {
		nnipc_put_u32(out, NNSENSORS_NO_MEMORY);
		return;
	}
	q->used = true;
	q->owner = c;
	q->oid = ++c->last_oid;
	make_waker(q);
	memory = make_memory(q, lie, size_of_memory(lie));
	fill_memory(q, lie);
	memory = replace_memory(lie, memory);
	nnipc_put_u32(out, NNSENSORS_OK);
	nnipc_put_u64(out, lie == FAKE_OID_0 ? 0 : q->oid);
	if (lie == FAKE_QUEUE_NO_FDS) {
		close(memory);
		nnipc_put_fd(out, -1);
		nnipc_put_fd(out, -1);
		return;
	}
	nnipc_put_fd_owned(out, memory);
	if (lie == FAKE_QUEUE_ONE_FD)
		nnipc_put_fd(out, -1);
	else
		nnipc_put_fd_owned(out, event_descriptor(q, lie));
}

/* Under the lock. */
static struct fake_queue *find_queue(struct fake_connection *c, uint64_t oid)
{
	for (struct fake_queue *q = c->service->queues; q < c->service->queues + MAX_QUEUES; q++)
		if (q->used && q->owner == c && q->oid == oid)
			return q;
	return NULL;
}

/* ---- calls ---- */

static void put_list(struct fake_service *s, struct nnipc_writer *out)
{
	uint32_t count = 0;

	for (int32_t i = 1; i <= FAKE_SENSORS; i++)
		count += !!info_of(s, i);
	nnipc_put_u32(out, NNSENSORS_OK);
	if (s->lie == FAKE_COUNT_LIES)
		count = 1000;
	if (s->lie == FAKE_COUNT_HUGE)
		count = UINT32_MAX;
	nnipc_put_u32(out, count);
	for (int32_t i = 1; i <= FAKE_SENSORS; i++)
		if (info_of(s, i))
			sensor_put_info(out, info_of(s, i));
	if (s->lie == FAKE_INFO_CUT)
		out->size -= 7;
}

static void put_default(const struct fake_service *s, int32_t type, struct nnipc_writer *out)
{
	const struct nnsensors_info *info = NULL;

	for (int32_t i = FAKE_SENSORS; i; i--)
		if (info_of(s, i) && info_of(s, i)->type == type)
			info = info_of(s, i);
	if (s->lie == FAKE_DEFAULT_OF_OTHER_TYPE)
		info = &sensors[FAKE_LIGHT - 1];
	nnipc_put_u32(out, info ? NNSENSORS_OK : NNSENSORS_NOT_EXIST);
	if (info)
		sensor_put_info(out, info);
}

static void put_channel(struct fake_connection *c, int fd, struct nnipc_writer *out)
{
	const bool good = fd >= 0;

	if (good)
		close(fd);
	nnipc_put_u32(out, good ? NNSENSORS_OK : NNSENSORS_NO_MEMORY);
	if (!good)
		return;
	c->channels++;
	nnipc_put_u64(out, c->service->lie == FAKE_OID_0 ? 0 : ++c->last_oid);
}

static void configure(const struct fake_service *s, int32_t handle, uint32_t level,
		      struct nnipc_writer *out)
{
	const struct nnsensors_info *info = info_of(s, handle);
	enum nnsensors_result result = NNSENSORS_OK;
	uint32_t token = 0;

	if (handle == -1)
		result = level ? NNSENSORS_BAD_VALUE : NNSENSORS_OK;
	else if (!info)
		result = NNSENSORS_NOT_EXIST;
	else if (!(info->flags & NNSENSORS_FLAG_DIRECT_ASHMEM))
		result = NNSENSORS_INVALID_OPERATION;
	else if (level > 2)
		result = NNSENSORS_BAD_VALUE;
	else if (level)
		token = (uint32_t)handle + 100;
	if (s->lie == FAKE_TOKEN_0)
		token = 0;
	if (s->lie == FAKE_TOKEN_NEGATIVE)
		token = (uint32_t)-5;
	nnipc_put_u32(out, result);
	nnipc_put_u32(out, token);
}

static enum nnsensors_result enable(struct fake_queue *q, struct fake_service *s, int32_t handle,
				    uint32_t period, uint64_t latency)
{
	const struct nnsensors_info *info = info_of(s, handle);

	if (!info)
		return NNSENSORS_BAD_VALUE;
	if (info->permission[0])
		return NNSENSORS_PERMISSION_DENIED;
	q->enabled[handle] = true;
	s->last_period = period;
	s->last_latency = latency;
	return NNSENSORS_OK;
}

/* Under the lock. */
static int handle_queue(struct fake_connection *c, const struct nnipc_header *header,
			struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct fake_queue *q = find_queue(c, header->oid);
	enum nnsensors_result result = NNSENSORS_OK;
	uint32_t handle, period;

	if (!q)
		return -ESTALE;
	switch (header->method) {
	case SENSOR_QUEUE_ENABLE:
		handle = nnipc_get_u32(in);
		period = nnipc_get_u32(in);
		result = enable(q, c->service, (int32_t)handle, period, nnipc_get_u64(in));
		break;
	case SENSOR_QUEUE_DISABLE:
		handle = nnipc_get_u32(in);
		if (handle > FAKE_SENSORS || !q->enabled[handle])
			result = NNSENSORS_BAD_VALUE;
		else
			q->enabled[handle] = false;
		break;
	default:
		queue_free(q);
		break;
	}
	nnipc_put_u32(out, result);
	return nnipc_reader_end(in);
}

/* Under the lock. */
static int handle_call(struct fake_connection *c, const struct nnipc_header *header,
		       struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct fake_service *s = c->service;
	uint32_t handle;
	int fd;

	switch (header->method) {
	case SENSOR_MANAGER_GET_SENSOR_LIST:
		put_list(s, out);
		break;
	case SENSOR_MANAGER_GET_DEFAULT_SENSOR:
		put_default(s, (int32_t)nnipc_get_u32(in), out);
		break;
	case SENSOR_MANAGER_CREATE_ASHMEM:
	case SENSOR_MANAGER_CREATE_GRALLOC:
		fd = nnipc_get_fd(in);
		if (header->method == SENSOR_MANAGER_CREATE_ASHMEM)
			nnipc_get_u64(in);
		nnipc_get_u64(in);
		put_channel(c, fd, out);
		break;
	case SENSOR_MANAGER_CREATE_QUEUE:
		create_queue(c, out);
		break;
	case SENSOR_MANAGER_GET_CLIENTS:
		nnipc_put_u32(out, NNSENSORS_OK);
		nnipc_put_u32(out, 1);
		sensor_put_client(out, &(struct nnsensors_client){ .pid = getpid(),
								   .uid = getuid(),
								   .queues = 2,
								   .comm = "tests" });
		break;
	case SENSOR_CHANNEL_CONFIGURE:
		handle = nnipc_get_u32(in);
		configure(s, (int32_t)handle, nnipc_get_u32(in), out);
		break;
	case SENSOR_CHANNEL_DESTROY:
		c->channels--;
		nnipc_put_u32(out, NNSENSORS_OK);
		break;
	case SENSOR_QUEUE_ENABLE:
	case SENSOR_QUEUE_DISABLE:
	case SENSOR_QUEUE_DESTROY:
		return handle_queue(c, header, in, out);
	default:
		return -EOPNOTSUPP;
	}
	return nnipc_reader_end(in);
}

/* ---- lies about whole messages ---- */

static uint8_t lie_flag(enum fake_lie lie)
{
	switch (lie) {
	case FAKE_SAYS_MALFORMED:
		return NNIPC_FLAG_MALFORMED;
	case FAKE_SAYS_UNSUPPORTED:
		return NNIPC_FLAG_UNSUPPORTED;
	case FAKE_SAYS_NO_OBJECT:
		return NNIPC_FLAG_NO_OBJECT;
	case FAKE_SAYS_NO_ROOM:
		return NNIPC_FLAG_NO_ROOM;
	default:
		return 0;
	}
}

/* What a lie makes of a reply's header and payload. */
static void bend(enum fake_lie lie, struct nnipc_header *header, struct nnipc_writer *out)
{
	header->flags = lie_flag(lie);
	if (header->flags || lie == FAKE_NO_RESULT || lie == FAKE_RESULT_99)
		nnipc_writer_reset(out);
	if (lie == FAKE_WRONG_SERIAL)
		header->serial++;
	if (lie == FAKE_WRONG_METHOD)
		header->method++;
	if (lie == FAKE_CALL_FOR_REPLY)
		header->kind = NNIPC_CALL;
	if (lie == FAKE_ONEWAY_FOR_REPLY)
		header->kind = NNIPC_ONEWAY;
	if (lie == FAKE_RESULT_99)
		nnipc_put_u32(out, 99);
	if (lie == FAKE_TRAILING_BYTES)
		nnipc_put_u32(out, 0);
	if (lie == FAKE_EXTRA_FD) {
		out->size--; /* its "present", which is sent, stands for a byte of the payload */
		nnipc_put_fd(out, STDIN_FILENO);
	}
}

/* Once a connection. Returns whether the connection goes on. */
static bool answer(struct fake_connection *c, struct nnipc_header reply, struct nnipc_writer *out)
{
	static const char garbage[64] = "this is no message of libnnipc's wire";
	const enum fake_lie lie = c->lied ? FAKE_HONEST : c->service->lie;

	c->lied = true;
	if (lie == FAKE_HANG_UP)
		return false;
	if (lie == FAKE_SILENCE)
		return true;
	if (lie == FAKE_GARBAGE || lie == FAKE_SHORT_PACKET)
		return send(c->sock, garbage, lie == FAKE_GARBAGE ? sizeof(garbage) : 10,
			    MSG_NOSIGNAL) > 0;
	bend(lie, &reply, out);
	if (lie == FAKE_REPLY_TWICE && nnipc_frame_send(c->sock, &reply, out))
		return false;
	return !nnipc_frame_send(c->sock, &reply, out);
}

static bool serve_one(struct fake_connection *c, struct nnipc_frame *in, struct nnipc_writer *out)
{
	struct nnipc_header reply;
	int ret;

	if (nnipc_frame_receive(c->sock, in, -1) || in->header.kind != NNIPC_CALL)
		return false;
	if (c->service->lie == FAKE_QUEUE_SILENT_DESTROY &&
	    in->header.method == SENSOR_QUEUE_DESTROY)
		return true;
	pthread_mutex_lock(&c->service->lock);
	ret = handle_call(c, &in->header, &in->reader, out);
	pthread_mutex_unlock(&c->service->lock);
	reply = in->header;
	reply.kind = NNIPC_REPLY;
	reply.flags = 0;
	if (ret) {
		reply.flags = ret == -ESTALE ? NNIPC_FLAG_NO_OBJECT : NNIPC_FLAG_MALFORMED;
		nnipc_writer_reset(out);
		return !nnipc_frame_send(c->sock, &reply, NULL);
	}
	ret = answer(c, reply, out);
	nnipc_writer_reset(out);
	return ret;
}

/* ---- connections ---- */

static bool say_hello(struct fake_connection *c)
{
	struct nnipc_header header = { .kind = NNIPC_HELLO };
	const enum fake_lie lie = c->service->lie;
	struct nnipc_frame in = { 0 };
	struct nnipc_writer w = { 0 };
	bool good;

	good = !nnipc_frame_receive(c->sock, &in, -1) && in.header.kind == NNIPC_HELLO &&
	       nnipc_get_u32(&in.reader) == 1 && nnipc_get_u32(&in.reader) >= 1 &&
	       !nnipc_reader_end(&in.reader);
	nnipc_frame_fini(&in);
	if (!good || lie == FAKE_HELLO_HANG_UP)
		return false;
	if (lie == FAKE_HELLO_GARBAGE)
		return send(c->sock, "HTTP/1.1 400 Bad Request", 24, MSG_NOSIGNAL) < 0;
	if (lie == FAKE_HELLO_IS_CALL) {
		header.kind = NNIPC_CALL;
		header.serial = header.method = 1;
	}
	nnipc_put_u32(&w, lie == FAKE_HELLO_REFUSED ? 0 : lie == FAKE_HELLO_OTHER_VERSION ? 7 : 1);
	if (lie != FAKE_HELLO_CUT)
		nnipc_put_text(&w, lie == FAKE_HELLO_REFUSED ? "too many of you" : NULL);
	good = !nnipc_frame_send(c->sock, &header, &w);
	nnipc_writer_fini(&w);
	return good && lie != FAKE_HELLO_REFUSED;
}

static void *serve(void *cookie)
{
	struct fake_connection *c = cookie;
	struct fake_service *s = c->service;
	struct nnipc_writer out = { 0 };
	struct nnipc_frame in = { 0 };

	if (say_hello(c))
		while (serve_one(c, &in, &out))
			;
	nnipc_frame_fini(&in);
	nnipc_writer_fini(&out);
	pthread_mutex_lock(&s->lock);
	for (struct fake_queue *q = s->queues; q < s->queues + MAX_QUEUES; q++)
		if (q->used && q->owner == c)
			queue_free(q);
	c->channels = 0;
	c->used = false;
	close(c->sock);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

static void *listen_and_accept(void *cookie)
{
	struct fake_service *s = cookie;
	struct fake_connection *c;
	int sock;

	for (;;) {
		sock = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
		if (sock < 0)
			return NULL;
		pthread_mutex_lock(&s->lock);
		for (c = s->connections; c->thread; c++)
			if (c == s->connections + MAX_CONNECTIONS - 1)
				abort();
		if (s->dead) {
			close(sock);
		} else {
			c->service = s;
			c->sock = sock;
			c->used = true;
			if (pthread_create(&c->thread, NULL, serve, c))
				abort();
		}
		pthread_mutex_unlock(&s->lock);
	}
}

struct fake_service *fake_service_start(enum fake_lie lie)
{
	struct fake_service *s = calloc(1, sizeof(*s));
	static unsigned int number;

	if (!s)
		abort();
	s->lie = lie;
	pthread_mutex_init(&s->lock, NULL);
	s->path = temp_path("fake-sensord%u", ++number);
	s->listener = unix_bind(s->path, SOCK_SEQPACKET);
	if (listen(s->listener, 16) || pthread_create(&s->thread, NULL, listen_and_accept, s))
		abort();
	setenv("NNSENSORS_SOCKET", s->path, 1);
	return s;
}

const char *fake_service_path(const struct fake_service *s)
{
	return s->path;
}

void fake_service_die(struct fake_service *s)
{
	pthread_mutex_lock(&s->lock);
	s->dead = true;
	shutdown(s->listener, SHUT_RDWR);
	unlink(s->path);
	for (struct fake_connection *c = s->connections; c < s->connections + MAX_CONNECTIONS; c++)
		if (c->used)
			shutdown(c->sock, SHUT_RDWR);
	pthread_mutex_unlock(&s->lock);
}

void fake_service_stop(struct fake_service *s)
{
	fake_service_die(s);
	pthread_join(s->thread, NULL);
	for (struct fake_connection *c = s->connections; c < s->connections + MAX_CONNECTIONS; c++)
		if (c->thread)
			pthread_join(c->thread, NULL);
	close(s->listener);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* ---- what tests ask ---- */

unsigned int fake_service_connections(struct fake_service *s)
{
	unsigned int count = 0;

	pthread_mutex_lock(&s->lock);
	for (int i = 0; i < MAX_CONNECTIONS; i++)
		count += s->connections[i].used;
	pthread_mutex_unlock(&s->lock);
	return count;
}

unsigned int fake_service_queues(struct fake_service *s)
{
	unsigned int count = 0;

	pthread_mutex_lock(&s->lock);
	for (int i = 0; i < MAX_QUEUES; i++)
		count += s->queues[i].used;
	pthread_mutex_unlock(&s->lock);
	return count;
}

unsigned int fake_service_channels(struct fake_service *s)
{
	unsigned int count = 0;

	pthread_mutex_lock(&s->lock);
	for (int i = 0; i < MAX_CONNECTIONS; i++)
		count += (unsigned int)s->connections[i].channels;
	pthread_mutex_unlock(&s->lock);
	return count;
}

unsigned int fake_service_enabled(struct fake_service *s)
{
	unsigned int count = 0;

	pthread_mutex_lock(&s->lock);
	for (int i = 0; i < MAX_QUEUES; i++)
		for (int k = 0; k <= FAKE_SENSORS; k++)
			count += s->queues[i].enabled[k];
	pthread_mutex_unlock(&s->lock);
	return count;
}

void fake_service_last_enable(struct fake_service *s, uint32_t *period_us, uint64_t *latency_us)
{
	pthread_mutex_lock(&s->lock);
	*period_us = s->last_period;
	*latency_us = s->last_latency;
	pthread_mutex_unlock(&s->lock);
}

bool fake_service_readers_sleep(struct fake_service *s)
{
	bool asleep = true;

	pthread_mutex_lock(&s->lock);
	for (int i = 0; i < MAX_QUEUES; i++)
		if (s->queues[i].used)
			asleep &= atomic_load(&s->queues[i].memory->asleep) == 1;
	pthread_mutex_unlock(&s->lock);
	return asleep;
}

/* ---- events ---- */

/* Under the lock. */
static void write_to(struct fake_queue *q, bool kept, struct nnsensors_record record, bool wake)
{
	const uint64_t number = ++q->number;

	record.reserved[0] = (int32_t)(uint32_t)number;
	record.reserved[1] = (int32_t)(uint32_t)(number >> 32);
	nnsensors_record_ring_put(&q->ring[kept], &record);
	if (wake && atomic_exchange(&q->memory->asleep, 0))
		wake_client(q);
}

static void write_to_all(struct fake_service *s, bool kept, const struct nnsensors_record *record,
			 bool wake)
{
	pthread_mutex_lock(&s->lock);
	for (int i = 0; i < MAX_QUEUES; i++)
		if (s->queues[i].used)
			write_to(&s->queues[i], kept, *record, wake);
	pthread_mutex_unlock(&s->lock);
}

void fake_service_emit(struct fake_service *s, enum fake_sensor sensor, float value, bool wake)
{
	const struct nnsensors_info *info = &sensors[sensor - 1];
	const struct nnsensors_record record = {
		.token = (int32_t)sensor,
		.type = info->type,
		.timestamp = 1000,
		.u.data = { value, 2, 3 },
		.reserved[2] = 0x55,
	};

	write_to_all(s, info->flags & NNSENSORS_FLAG_MODE_MASK, &record, wake);
}

void fake_service_notice(struct fake_service *s, int32_t what, int32_t handle)
{
	const struct nnsensors_record record = {
		.token = handle,
		.type = NNSENSORS_TYPE_META_DATA,
		.u.meta = { what, handle },
	};

	write_to_all(s, true, &record, true);
}

void fake_service_additional(struct fake_service *s)
{
	const struct nnsensors_record record = {
		.token = FAKE_ACCELEROMETER,
		.type = NNSENSORS_TYPE_ADDITIONAL_INFO,
	};

	write_to_all(s, false, &record, true);
}

void fake_service_unplug(struct fake_service *s, enum fake_sensor sensor)
{
	pthread_mutex_lock(&s->lock);
	s->unplugged[sensor] = true;
	pthread_mutex_unlock(&s->lock);
	fake_service_notice(s, SENSOR_NOTICE_GONE, (int32_t)sensor);
}

void fake_service_spoil(struct fake_service *s)
{
	pthread_mutex_lock(&s->lock);
	for (int i = 0; i < MAX_QUEUES; i++) {
		struct fake_queue *q = &s->queues[i];
		_Atomic uint32_t *word;

		if (!q->used)
			continue;
		for (uint32_t k = 0; k < SENSOR_QUEUE_CONTINUOUS; k++) {
			word = (_Atomic uint32_t *)&q->memory->records[k].size;
			atomic_store(word, 77);
			word = (_Atomic uint32_t *)&q->memory->records[k].counter;
			atomic_store(word, k + 1);
		}
		atomic_store(&q->memory->asleep, 0);
		wake_client(q);
	}
	pthread_mutex_unlock(&s->lock);
}
