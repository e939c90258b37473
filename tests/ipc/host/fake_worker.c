// SPDX-License-Identifier: Apache-2.0
/* A worker that does what a test says: fake_worker.h. */
#include "fake_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "messages/nnipc_messages.h"
#include "sandbox/sandbox.h"
#include "wire/nnipc_wire.h"

#define SOCKET 3

static const char *manner, *once;
static pthread_mutex_t sending = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint releases;
static atomic_bool deaf;

static bool is(const char *name)
{
	return !strcmp(manner, name);
}

static void die(int number)
{
	struct rlimit none = { 0 };

	setrlimit(RLIMIT_CORE, &none);
	/* sanitizers catch some */
	signal(number, SIG_DFL);
	raise(number);
	_exit(99);
}

static int sleep_for_ever(void)
{
	for (;;)
		pause();
	return 0;
}

/* ---- control socket ---- */

static void notify(uint32_t method, uint64_t callback, const struct nnipc_writer *w)
{
	const struct nnipc_header header = { .kind = NNIPC_ONEWAY,
					     .method = method,
					     .oid = callback };

	pthread_mutex_lock(&sending);
	nnipc_frame_send(SOCKET, &header, w);
	pthread_mutex_unlock(&sending);
}

static void notify_prepared(uint64_t callback, enum nnhal_status status, const char *text,
			    uint64_t oid)
{
	struct nnipc_writer w = { 0 };

	nnipc_put_status(&w, status);
	nnipc_put_text(&w, text);
	nnipc_put_u64(&w, oid);
	notify(NNIPC_NOTIFY_PREPARED, callback, &w);
	nnipc_writer_fini(&w);
}

/* ---- a device ---- */

static void open_device(struct nnipc_writer *out)
{
	struct nnipc_description d = { .name = strdup("fake"),
				       .version = NULL,
				       .type = NNHAL_DEVICE_CPU,
				       .feature_level = 8,
				       .capabilities.size = sizeof(d.capabilities),
				       .num_model_cache = 1 };
	const bool fails = is("open-fails");

	if (asprintf(&d.version, "1.%d", is("changes") ? (int)getpid() : 0) < 0)
		_exit(98);
	if (is("nameless")) {
		free(d.name);
		d.name = NULL;
	}
	nnipc_put_i64(out, fails ? -ENODEV : 0);
	nnipc_put_text(out, fails ? "no card" : NULL);
	if (is("open-garbage"))
		nnipc_put_u64(out, UINT64_MAX);
	else if (!fails)
		nnipc_put_description(out, &d);
	if (!fails) {
		nnipc_put_text(out, "user net");
		nnipc_put_text(out, "landlock");
	}
	nnipc_description_free(&d);
}

static int prepare(struct nnipc_reader *in, struct nnipc_writer *out)
{
	const uint64_t callback = nnipc_get_u64(in);
	enum nnhal_status status = NNHAL_NONE;

	if (is("prepare-dies-always") || (is("prepare-dies") && !unlink(once)))
		die(SIGKILL);
	if (is("prepare-refuses") || is("prepare-refuses-mutely"))
		status = NNHAL_INVALID_ARGUMENT;
	else if (is("prepare-lies"))
		notify_prepared(callback, NNHAL_NONE, NULL, 0);
	else if (!is("prepare-dies-launched"))
		notify_prepared(callback, NNHAL_NONE, NULL, 11);
	if (is("prepare-twice"))
		notify_prepared(callback, NNHAL_NONE, NULL, 12);
	nnipc_put_status(out, status);
	return 0;
}

/* What comes after the reply to a preparation. */
static void after_prepare(uint64_t callback)
{
	if (is("prepare-dies-launched"))
		die(SIGSEGV);
	if (is("prepare-refuses"))
		notify_prepared(callback, NNHAL_INVALID_ARGUMENT, "no such thing", 0);
}

static void create_memory(struct nnipc_reader *in, struct nnipc_writer *out)
{
	const uint64_t size = nnipc_get_u64(in);
	int fd, ends[2];

	if (is("memory-pipe")) {
		if (pipe(ends))
			_exit(98);
		fd = ends[0];
	} else {
		fd = memfd_create("fake", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		if (ftruncate(fd, (off_t)size))
			_exit(98);
		if (!is("memory-unsealed"))
			fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK);
	}
	nnipc_put_i64(out, 0);
	nnipc_put_fd_owned(out, fd);
}

static int device_call(uint32_t method, struct nnipc_reader *in, struct nnipc_writer *out)
{
	switch (method) {
	case NNIPC_DEVICE_GET_STATUS:
		nnipc_put_u32(out, NNHAL_AVAILABLE);
		break;
	case NNIPC_DEVICE_PREPARE_MODEL:
	case NNIPC_DEVICE_PREPARE_MODEL_FROM_CACHE:
		return prepare(in, out);
	case NNIPC_DEVICE_CREATE_MEMORY:
		create_memory(in, out);
		break;
	case NNIPC_DEVICE_GET_INFO: {
		const struct nnhal_device_info info = { .size = sizeof(info), .node = "fake node" };

		nnipc_put_i64(out, 0);
		nnipc_put_info(out, &info);
		break;
	}
	case NNIPC_DEVICE_GET_SUPPORTED_OPERATIONS:
		if (is("prepare-dies") && !unlink(once))
			die(SIGKILL);
		nnipc_put_status(out, NNHAL_INVALID_ARGUMENT);
		nnipc_put_model_error(out,
				      &(struct nnmodel_error){ .size = sizeof(struct nnmodel_error),
							       .text = "fake says no" });
		nnipc_put_u32(out, 0);
		break;
	default:
		return -EOPNOTSUPP;
	}
	if (is("garbage"))
		nnipc_put_u8(out, 1);
	return 0;
}

/* ---- orders ---- */

static void order_notify(struct nnipc_reader *in)
{
	const uint32_t method = nnipc_get_u32(in);
	const uint64_t callback = nnipc_get_u64(in);
	const uint32_t times = nnipc_get_u32(in);
	struct nnipc_writer w = { 0 };
	size_t size;
	const void *bytes = nnipc_get_bytes(in, &size);

	nnipc_put_raw(&w, bytes, size);
	for (uint32_t i = 0; i < times; i++)
		notify(method, callback, &w);
	nnipc_writer_fini(&w);
}

static void order_print(struct nnipc_reader *in)
{
	const uint32_t times = nnipc_get_u32(in);
	char *line = nnipc_get_text(in, 4096);

	for (uint32_t i = 0; i < times; i++)
		dprintf(2, "%s\n", line);
	free(line);
}

static void order_environment(struct nnipc_reader *in, struct nnipc_writer *out)
{
	char *name = nnipc_get_text(in, 256);

	nnipc_put_text(out, getenv(name));
	free(name);
}

static int order(uint32_t method, struct nnipc_reader *in, struct nnipc_writer *out)
{
	switch ((enum fake_method)method) {
	case FAKE_PID:
		nnipc_put_u32(out, (uint32_t)getpid());
		return 0;
	case FAKE_HANG:
		return sleep_for_ever();
	case FAKE_KILL:
		die((int)nnipc_get_u32(in));
		return 0;
	case FAKE_EXIT:
		_exit((int)nnipc_get_u32(in));
	case FAKE_NOTIFY:
		order_notify(in);
		return 0;
	case FAKE_PRINT:
		order_print(in);
		return 0;
	case FAKE_HANG_UP:
		return -EIO;
	case FAKE_ENVIRONMENT:
		order_environment(in, out);
		return 0;
	case FAKE_DEAF:
		deaf = true;
		return 0;
	case FAKE_RELEASES:
		nnipc_put_u32(out, releases);
		return 0;
	case FAKE_GARBAGE:
		return write(SOCKET, "garbage", 7) == 7 ? 0 : -EIO;
	case FAKE_WRONG_SERIAL:
		break;
	}
	return -EOPNOTSUPP;
}

/* ---- lanes ---- */

static int answer(int sock, struct nnipc_frame *f, struct nnipc_writer *out)
{
	struct nnipc_header reply = f->header;
	const uint32_t method = f->header.method;
	struct nnipc_reader again = f->reader;
	int ret = method >= 0xf00 ? order(method, &f->reader, out)
				  : device_call(method, &f->reader, out);

	reply.kind = NNIPC_REPLY;
	if (method == FAKE_WRONG_SERIAL) {
		reply.serial += 7;
		ret = 0;
	}
	reply.flags = ret == -EOPNOTSUPP ? NNIPC_FLAG_UNSUPPORTED : 0;
	if (ret && !reply.flags)
		return ret;
	ret = nnipc_frame_send(sock, &reply, ret ? NULL : out);
	if (method == NNIPC_DEVICE_PREPARE_MODEL || method == NNIPC_DEVICE_PREPARE_MODEL_FROM_CACHE)
		after_prepare(nnipc_get_u64(&again));
	return ret;
}

static void *lane_thread(void *cookie)
{
	const int sock = (int)(intptr_t)cookie;
	struct nnipc_frame f = { 0 };
	struct nnipc_writer out = { 0 };

	while (!nnipc_frame_receive(sock, &f, -1) && !answer(sock, &f, &out))
		nnipc_writer_reset(&out);
	nnipc_frame_fini(&f);
	nnipc_writer_fini(&out);
	close(sock);
	return NULL;
}

static void start_lane(struct nnipc_frame *f)
{
	const int sock = nnipc_get_fd(&f->reader);
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 256 * 1024);
	if (pthread_create(&thread, &attr, lane_thread, (void *)(intptr_t)sock))
		_exit(98);
	pthread_attr_destroy(&attr);
}

static int serve(void)
{
	struct nnipc_frame f = { 0 };
	struct nnipc_writer out = { 0 };

	for (;;) {
		while (deaf)
			pause();
		if (nnipc_frame_receive(SOCKET, &f, -1))
			break;
		if (f.header.kind == NNIPC_CALL) {
			struct nnipc_header reply = f.header;

			if (is("open-dies"))
				die(SIGABRT);
			reply.kind = NNIPC_REPLY;
			if (f.header.method == NNIPC_SESSION_OPEN) {
				open_device(&out);
			} else {
				nnipc_put_i64(&out, 0);
				nnipc_put_text(&out, NULL);
				nnipc_put_u32(&out, 2);
				nnipc_put_text(&out, "one");
				nnipc_put_text(&out, "two:with=option");
			}
			nnipc_frame_send(SOCKET, &reply, &out);
			nnipc_writer_reset(&out);
		} else if (f.header.kind == NNIPC_RELEASE) {
			releases++;
		} else if (f.header.method == NNIPC_SESSION_LANE) {
			start_lane(&f);
		}
	}
	nnipc_frame_fini(&f);
	nnipc_writer_fini(&out);
	return is("stubborn") ? sleep_for_ever() : 0;
}

/* ---- start ---- */

static void hello(void)
{
	const struct nnipc_header header = { .kind = is("no-hello") ? NNIPC_ONEWAY : NNIPC_HELLO };
	struct nnipc_writer w = { 0 };
	struct nnipc_frame f = { 0 };

	nnipc_frame_receive(SOCKET, &f, -1);
	nnipc_frame_fini(&f);
	nnipc_put_u32(&w, is("refuses") ? 0 : is("future") ? 7 : NNIPC_VERSION);
	if (is("refuses")) {
		nnipc_put_text(&w, "not permitted");
	} else {
		nnipc_put_u32(&w, 4096);
		nnipc_put_text(&w, "a test");
		nnipc_put_text(&w, "fake");
	}
	nnipc_frame_send(SOCKET, &header, &w);
	nnipc_writer_fini(&w);
}

int main(int argc, char **argv)
{
	struct nnipc_sandbox sandbox = { .mode = NNIPC_SANDBOX_OFF };
	char message[256], path[4096];

	for (int i = 1; i + 1 < argc; i++)
		if (!strcmp(argv[i], "--library"))
			manner = argv[i + 1];
	if (!manner || !strrchr(manner, '/'))
		return 2;
	snprintf(path, sizeof(path), "%.*s/once", (int)(strrchr(manner, '/') - manner), manner);
	once = path;
	manner = strrchr(manner, '/') + 1;
	if (nnipc_sandbox_enter(&sandbox, message, sizeof(message)))
		return 3;
	signal(SIGPIPE, SIG_IGN);
	if (is("mute"))
		sleep_for_ever();
	if (is("quits")) {
		dprintf(2, "nnapi: it rains\n");
		return 5;
	}
	hello();
	return serve();
}
