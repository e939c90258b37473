// SPDX-License-Identifier: Apache-2.0
/*
 * A worker that speaks the protocol and has no device behind it. NNACCEL_WORKER_FAULT="WHERE/LIE"
 * names one message that it gets wrong, and how; without it all is honest: models are "prepared",
 * executions "run". WHERE is the name in the table of methods below, or "hello", "open", "prepared"
 * and "executed" (notifications), "control" (an unsolicited message after OPEN), "burst"
 * (an answer in the ring), "log", "shutdown", "spawn" (before it is a worker), "lent" (no message:
 * the descriptors that come with one).
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hostile_lie.h"
#include "messages/nnipc_messages.h"
#include "sandbox/sandbox.h"
#include "wire/nnipc_wire.h"

#define CONTROL 3
#define BAD_STATUS 77777u

static pthread_mutex_t control_lock = PTHREAD_MUTEX_INITIALIZER; /* writers of CONTROL */
static _Atomic uint64_t next_oid = 1;

static void start(void *(*fn)(void *), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fn, arg))
		_exit(8);
	pthread_detach(thread);
}

/* All that the descriptors of a message allow: "lent/harm". */
static void harm(const struct nnipc_frame *f)
{
	for (uint32_t i = 0; i < f->num_fds; i++) {
		const int fd = f->fds[i];

		if (pwrite(fd, "harm", 4, 1024) == 4)
			fprintf(stderr, "descriptor %d could be written\n", fd);
		if (lseek(fd, 4096, SEEK_SET) == 4096)
			fcntl(fd, F_SETFL, O_APPEND | O_NONBLOCK);
		if (!ftruncate(fd, 0))
			fprintf(stderr, "descriptor %d could be cut\n", fd);
	}
}

/* ---- answers ---- */

struct call {
	const char *where;
	struct nnipc_header header;
	struct nnipc_reader *in;
	struct nnipc_writer out;
	uint64_t callback; /* of a launch */
};

static void put_status(struct call *c)
{
	nnipc_put_u32(&c->out, hostile_is(c->where, "status") ? BAD_STATUS : NNHAL_NONE);
}

static void put_result(struct call *c)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;

	put_status(c);
	nnipc_put_result(&c->out, &result);
}

static void put_oid(struct call *c)
{
	nnipc_put_u64(&c->out, hostile_is(c->where, "oid-zero") ? 0 : next_oid++);
}

static void status_only(struct call *c)
{
	put_status(c);
}

static void launch(struct call *c)
{
	c->callback = nnipc_get_u64(c->in);
	put_status(c);
}

static void object(struct call *c)
{
	put_status(c);
	put_oid(c);
}

static void supported(struct call *c)
{
	struct nnmodel_error error = NNMODEL_ERROR_INIT;
	const bool reasons = nnipc_get_bool(c->in);
	struct nnmodel *m = nnipc_get_model(c->in);
	uint32_t count = m ? m->main.num_operations : 0, count_sent = count;

	nnmodel_free(m);
	put_status(c);
	nnipc_put_model_error(&c->out, &error);
	if (hostile_is(c->where, "count-less"))
		count_sent = 0;
	else if (hostile_is(c->where, "count-more"))
		count_sent = count + 1;
	else if (hostile_is(c->where, "count-huge"))
		count_sent = UINT32_MAX;
	nnipc_put_u32(&c->out, count_sent);
	for (uint32_t i = 0; i < count_sent && i < 1000; i++)
		nnipc_put_bool(&c->out, true);
	for (uint32_t i = 0; reasons && i < count_sent && i < 1000; i++)
		nnipc_put_text(&c->out, NULL);
}

static void info(struct call *c)
{
	struct nnhal_device_info i = { .size = sizeof(i) };

	nnipc_put_i64(&c->out, 0);
	nnipc_put_info(&c->out, &i);
}

static void counters(struct call *c)
{
	struct nnhal_counters n = { .size = sizeof(n) };

	nnipc_put_i64(&c->out, 0);
	nnipc_put_counters(&c->out, &n);
}

static void create_memory(struct call *c)
{
	uint64_t size = nnipc_get_u64(c->in);
	int fd = memfd_create("memory", MFD_CLOEXEC | MFD_ALLOW_SEALING), pipes[2];

	if (hostile_is(c->where, "memory-small"))
		size = 1;
	if (fd < 0 || ftruncate(fd, (off_t)size))
		_exit(8);
	/* a memory that could shrink would kill the client with SIGBUS */
	if (!hostile_is(c->where, "memory-unsealed"))
		fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	if (hostile_is(c->where, "memory-pipe")) {
		close(fd);
		if (pipe(pipes))
			_exit(8);
		fd = pipes[0];
	}
	nnipc_put_i64(&c->out, hostile_is(c->where, "errno-positive") ? 5 : 0);
	if (hostile_is(c->where, "memory-none"))
		nnipc_put_fd(&c->out, -1);
	else
		nnipc_put_fd_owned(&c->out, fd);
}

static void allocate(struct call *c)
{
	object(c);
	nnipc_put_u32(&c->out, hostile_is(c->where, "token-zero") ? 0 : 1);
}

static void fenced(struct call *c)
{
	int fd = -1, pipes[2];

	if (hostile_is(c->where, "fence-pipe") && !pipe(pipes))
		fd = pipes[0];
	else if (hostile_is(c->where, "fence-eventfd"))
		fd = eventfd(0, EFD_CLOEXEC);
	else if (hostile_is(c->where, "fence-file"))
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	else if (hostile_is(c->where, "fence-memfd"))
		fd = memfd_create("fence", MFD_CLOEXEC);
	put_status(c);
	if (fd >= 0)
		nnipc_put_fd_owned(&c->out, fd);
	else
		nnipc_put_fd(&c->out, -1);
	put_oid(c);
}

static void fenced_info(struct call *c)
{
	const struct nnhal_timing none = { NNHAL_NO_TIME, NNHAL_NO_TIME };

	put_status(c);
	nnipc_put_timing(&c->out, &none);
	nnipc_put_timing(&c->out, &none);
}

/* ---- bursts ---- */

struct burst {
	struct nnipc_ring *requests, *results;
};

static void overwrite(int ring, uint8_t byte)
{
	off_t size = lseek(ring, 0, SEEK_END);
	void *map = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 0);

	if (map == MAP_FAILED)
		_exit(8);
	memset(map, byte, (size_t)size);
	munmap(map, (size_t)size);
}

static void answer_burst(struct burst *b, uint32_t method, uint64_t serial)
{
	struct call c = { .where = "burst" };
	int times = hostile_is("burst", "twice") ? 2 : 1;

	if (hostile_is("burst", "exit"))
		_exit(7);
	if (hostile_is("burst", "never"))
		hostile_hang();
	nnipc_put_u32(&c.out, hostile_is("burst", "method") ? 0x999 : method);
	nnipc_put_u64(&c.out, hostile_is("burst", "serial") ? serial + 1 : serial);
	if (method == NNIPC_BURST_EXECUTE)
		put_result(&c);
	else
		put_status(&c);
	if (hostile_is("burst", "cut"))
		c.out.size--;
	if (hostile_is("burst", "tiny"))
		c.out.size = 3;
	if (hostile_is("burst", "empty"))
		c.out.size = 0;
	if (hostile_is("burst", "long"))
		nnipc_put_u64(&c.out, 0);
	if (hostile_is("burst", "garbage"))
		memset(c.out.data + 12, 0xff, c.out.size - 12);
	while (times--)
		nnipc_ring_put(b->results, c.out.data, (uint32_t)c.out.size);
	while (hostile_is("burst", "flood"))
		nnipc_ring_put(b->results, c.out.data, (uint32_t)c.out.size);
	nnipc_writer_fini(&c.out);
}

static void *serve_burst(void *arg)
{
	struct burst *b = arg;
	const uint8_t *bytes;
	uint32_t size;

	while (!nnipc_ring_get(b->requests, &bytes, &size, -1)) {
		struct nnipc_reader r;

		nnipc_reader_init(&r, bytes, size, NULL, 0);
		uint32_t method = nnipc_get_u32(&r);
		uint64_t serial = nnipc_get_u64(&r);

		answer_burst(b, method, serial);
	}
	return NULL;
}

static void configure_burst(struct call *c)
{
	struct burst *b = calloc(1, sizeof(*b));
	int sock = nnipc_get_fd(c->in), requests = nnipc_get_fd(c->in),
	    results = nnipc_get_fd(c->in);

	if (!b || nnipc_ring_attach(requests, &b->requests) ||
	    nnipc_ring_attach(results, &b->results))
		_exit(8);
	if (hostile_is("burst", "close"))
		close(sock);
	start(serve_burst, b);
	if (hostile_is("burst", "results-garbage"))
		overwrite(results, 0xff);
	if (hostile_is("burst", "results-zeros"))
		overwrite(results, 0);
	if (hostile_is("burst", "requests-garbage"))
		overwrite(requests, 0xff);
	if (hostile_is("burst", "requests-zeros"))
		overwrite(requests, 0);
	if (hostile_is("burst", "shrink") && (!ftruncate(results, 0) || !ftruncate(requests, 0)))
		fprintf(stderr, "the rings could be shrunk\n");
	close(requests);
	close(results);
	object(c);
}

/* ---- methods ---- */

static const struct {
	uint32_t method;
	const char *where;
	void (*answer)(struct call *c);
} methods[] = {
	{ NNIPC_DEVICE_GET_SUPPORTED_OPERATIONS, "supported", supported },
	{ NNIPC_DEVICE_PREPARE_MODEL, "prepare", launch },
	{ NNIPC_DEVICE_PREPARE_MODEL_FROM_CACHE, "prepare-cached", launch },
	{ NNIPC_DEVICE_GET_STATUS, "get-status", status_only },
	{ NNIPC_DEVICE_ALLOCATE, "allocate", allocate },
	{ NNIPC_DEVICE_CREATE_MEMORY, "create-memory", create_memory },
	{ NNIPC_DEVICE_GET_INFO, "info", info },
	{ NNIPC_DEVICE_GET_COUNTERS, "counters", counters },
	{ NNIPC_PREPARED_EXECUTE, "execute", launch },
	{ NNIPC_PREPARED_EXECUTE_SYNCHRONOUSLY, "sync", put_result },
	{ NNIPC_PREPARED_EXECUTE_FENCED, "fenced", fenced },
	{ NNIPC_PREPARED_CONFIGURE_BURST, "configure-burst", configure_burst },
	{ NNIPC_PREPARED_CREATE_REUSABLE_EXECUTION, "reusable", object },
	{ NNIPC_FENCED_GET_EXECUTION_INFO, "fenced-info", fenced_info },
	{ NNIPC_EXECUTION_EXECUTE_SYNCHRONOUSLY, "reusable-sync", put_result },
	{ NNIPC_EXECUTION_EXECUTE_FENCED, "reusable-fenced", fenced },
	{ NNIPC_BUFFER_COPY_TO, "copy-to", status_only },
	{ NNIPC_BUFFER_COPY_FROM, "copy-from", status_only },
	{ NNIPC_BUFFER_DESTROY, "buffer-destroy", status_only },
};

static void notify(uint32_t method, uint64_t callback)
{
	struct nnipc_header header = { .kind = NNIPC_ONEWAY, .method = method, .oid = callback };
	struct call c = { .where = method == NNIPC_NOTIFY_PREPARED ? "prepared" : "executed" };

	if (hostile_is(c.where, "callback-unknown"))
		header.oid += 1000;
	if (hostile_is(c.where, "callback-zero"))
		header.oid = 0;
	if (hostile_is(c.where, "other-callback"))
		header.method = method == NNIPC_NOTIFY_PREPARED ? NNIPC_NOTIFY_EXECUTED
								: NNIPC_NOTIFY_PREPARED;
	if (method == NNIPC_NOTIFY_EXECUTED) {
		put_result(&c);
	} else if (hostile_is(c.where, "error-with-model")) {
		nnipc_put_status(&c.out, NNHAL_GENERAL_FAILURE);
		nnipc_put_text(&c.out, "a model all the same");
		nnipc_put_u64(&c.out, next_oid++);
	} else {
		put_status(&c);
		nnipc_put_text(&c.out, NULL);
		put_oid(&c);
	}
	pthread_mutex_lock(&control_lock);
	hostile_send(CONTROL, c.where, &header, &c.out);
	while (hostile_is(c.where, "flood"))
		nnipc_frame_send(CONTROL, &header, &c.out);
	pthread_mutex_unlock(&control_lock);
	nnipc_writer_fini(&c.out);
}

/* A call on a lane: reply, and for launches the notification, before or after it. */
static void answer(int sock, struct nnipc_frame *f)
{
	struct call c = { .where = "unknown", .header = f->header, .in = &f->reader };
	uint32_t note = f->header.method == NNIPC_PREPARED_EXECUTE ? NNIPC_NOTIFY_EXECUTED
								   : NNIPC_NOTIFY_PREPARED;
	const struct nnipc_header reply = { .kind = NNIPC_REPLY,
					    .method = f->header.method,
					    .serial = f->header.serial };

	if (hostile_is("lent", "harm"))
		harm(f);
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (methods[i].method == f->header.method) {
			c.where = methods[i].where;
			methods[i].answer(&c);
		}
	if (c.callback && hostile_is(c.where, "notify-first")) {
		notify(note, c.callback);
		c.callback = 0;
	}
	/* a launch that failed, in whatever way, has no other end */
	if (!strcmp(hostile_plan.where, c.where) && !hostile_is(c.where, "twice"))
		c.callback = 0;
	hostile_send(sock, c.where, &reply, &c.out);
	if (c.callback)
		notify(note, c.callback);
	nnipc_writer_fini(&c.out);
}

static void *serve_lane(void *arg)
{
	int sock = (int)(intptr_t)arg;
	struct nnipc_frame f = { .pid = 0 };

	while (!nnipc_frame_receive(sock, &f, -1))
		if (f.header.kind == NNIPC_CALL)
			answer(sock, &f);
	nnipc_frame_fini(&f);
	close(sock);
	return NULL;
}

/* ---- the session ---- */

static void hello(struct nnipc_frame *f)
{
	const struct nnipc_header header = { .kind = NNIPC_HELLO };
	struct nnipc_writer w = { .size = 0 };

	if (nnipc_frame_receive(CONTROL, f, -1))
		_exit(9);
	if (hostile_is("hello", "refuses")) {
		nnipc_put_u32(&w, 0);
		nnipc_put_u32(&w, 4096);
		nnipc_put_text(&w, "no");
		nnipc_put_text(&w, "I do not want to");
	} else {
		nnipc_put_u32(&w, hostile_is("hello", "version-99") ? 99 : NNIPC_VERSION);
		nnipc_put_u32(&w, hostile_is("hello", "page") ? 12345
							      : (uint32_t)sysconf(_SC_PAGESIZE));
		nnipc_put_text(&w, "hostile");
		nnipc_put_text(&w, "hostile");
	}
	hostile_send(CONTROL, "hello", &header, &w);
	nnipc_writer_fini(&w);
}

static void put_device(struct nnipc_writer *w)
{
	struct nnipc_description d = { .name = (char *)"hostile", .version = (char *)"1" };
	const struct nnhal_performance one = { 1, 1 };

	d.type = NNHAL_DEVICE_CPU;
	d.feature_level = 8;
	d.capabilities.size = sizeof(d.capabilities);
	d.capabilities.relaxed_scalar = d.capabilities.relaxed_tensor = one;
	d.capabilities.if_performance = d.capabilities.while_performance = one;
	for (uint32_t i = 0; i < NNMODEL_TYPE_COUNT; i++)
		d.capabilities.operand[i] = one;
	if (hostile_is("open", "other"))
		d.version = (char *)"2";
	if (hostile_is("open", "no-name"))
		d.name = NULL;
	if (hostile_is("open", "cache-files"))
		d.num_model_cache = d.num_data_cache = UINT32_MAX;
	nnipc_put_description(w, &d);
}

static void open_device(struct nnipc_frame *f)
{
	struct nnipc_writer w = { .size = 0 };
	struct nnipc_header header = { .kind = NNIPC_REPLY };

	do {
		if (nnipc_frame_receive(CONTROL, f, -1))
			_exit(0);
	} while (f->header.kind != NNIPC_CALL);
	header.method = f->header.method;
	header.serial = f->header.serial;
	nnipc_put_i64(&w, hostile_is("open", "errno") ? -5 : hostile_is("open", "errno-positive"));
	nnipc_put_text(&w, hostile_is("open", "errno") ? "the device burnt" : NULL);
	put_device(&w);
	nnipc_put_text(&w, "");
	nnipc_put_text(&w, "seccomp");
	hostile_send(CONTROL, "open", &header, &w);
	nnipc_writer_fini(&w);
}

/* An unsolicited message: the notification of a callback that does not exist. */
static void after_open(void)
{
	struct nnipc_header header = { .kind = NNIPC_ONEWAY,
				       .method = NNIPC_NOTIFY_PREPARED,
				       .oid = 4711 };
	struct nnipc_writer w = { .size = 0 };

	if (strcmp(hostile_plan.where, "control") != 0)
		return;
	if (hostile_is("control", "release"))
		header = (struct nnipc_header){ .kind = NNIPC_RELEASE, .oid = 1 };
	if (hostile_is("control", "lane"))
		header =
			(struct nnipc_header){ .kind = NNIPC_ONEWAY, .method = NNIPC_SESSION_LANE };
	if (!hostile_is("control", "release")) {
		nnipc_put_status(&w, NNHAL_GENERAL_FAILURE);
		nnipc_put_text(&w, NULL);
		nnipc_put_u64(&w, 0);
	}
	hostile_send(CONTROL, "control", &header, &w);
	nnipc_writer_fini(&w);
}

static void *flood_log(void *arg)
{
	static char text[65536];

	memset(text, hostile_is("log", "binary") ? 1 : 'x', sizeof(text));
	if (hostile_is("log", "lines"))
		for (size_t i = 31; i < sizeof(text); i += 32)
			text[i] = '\n';
	while (write(2, text, sizeof(text)) > 0)
		;
	return arg;
}

/* What makes this process a worker; a lie about it is to end, or never to call it. */
static void become_worker(int argc, char **argv)
{
	struct nnipc_sandbox sandbox = { .mode = NNIPC_SANDBOX_OFF };
	char message[256];

	if (hostile_is("spawn", "never"))
		hostile_hang();
	if (hostile_is("spawn", "exit"))
		_exit(7);
	for (int i = 1; i + 1 < argc; i++)
		if (!strcmp(argv[i], "--sandbox"))
			nnipc_sandbox_mode_parse(argv[i + 1], &sandbox.mode);
	if (nnipc_sandbox_enter(&sandbox, message, sizeof(message)))
		_exit(8);
}

int main(int argc, char **argv)
{
	static char plan[128];
	const char *fault = getenv("NNACCEL_WORKER_FAULT");
	struct nnipc_frame f = { .pid = 0 };
	char *slash;

	snprintf(plan, sizeof(plan), "%s", fault ? fault : "");
	slash = strchr(plan, '/');
	if (slash) {
		*slash = '\0';
		hostile_plan = (struct hostile_plan){ plan, slash + 1 };
	}
	become_worker(argc, argv);
	if (!strcmp(hostile_plan.where, "log"))
		start(flood_log, NULL);
	hello(&f);
	open_device(&f);
	after_open();
	while (!nnipc_frame_receive(CONTROL, &f, -1))
		if (f.header.kind == NNIPC_ONEWAY && f.header.method == NNIPC_SESSION_LANE)
			start(serve_lane, (void *)(intptr_t)nnipc_get_fd(&f.reader));
	if (hostile_is("shutdown", "never"))
		hostile_hang();
	_exit(0);
}
