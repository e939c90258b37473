// SPDX-License-Identifier: Apache-2.0
#include "worker_client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../hal/hal_test.h"
#include "descriptors.h"
#include "nnutil_clock.h"

/* A loaded machine, or a sanitizer: only a worker that hangs takes as long. */
#define PATIENCE_NS (120 * NNUTIL_NS_PER_S)

extern char **environ;

const char *client_spec = "cpu", *client_driver = "nnaccel";

/*
 * TSan lets each process sleep for a second at its end, and calls threads leaked that the vendor
 * library lets run out after its device is gone.
 */
static void end_at_once(void)
{
#ifdef __SANITIZE_THREAD__
	const char *options = getenv("TSAN_OPTIONS");
	char text[512];

	snprintf(text, sizeof(text), "%s:atexit_sleep_ms=0:report_thread_leaks=0",
		 options ? options : "");
	if (!options || !strstr(options, "atexit_sleep_ms"))
		setenv("TSAN_OPTIONS", text, 1);
#endif
}

void client_start(struct client *c)
{
	const char *mode = getenv("NNACCEL_WORKER_SANDBOX");
	char message[512] = "";
	int ends[2], log[2];
	char *argv[] = { (char *)"nnaccel-worker",	    (char *)"--library",
			 getenv("NNACCEL_WORKER_LIBRARY"),  (char *)"--sandbox",
			 (char *)(mode ? mode : "default"), NULL };
	struct nnipc_spawn_config config = { .program = getenv("NNACCEL_WORKER"),
					     .argv = argv,
					     .envp = environ };

	end_at_once();
	*c = (struct client){ .control.sock = -1, .lane.sock = -1 };
	assert_non_null(config.program);
	assert_int_equal(nnipc_socket_pair(ends), 0);
	assert_int_equal(pipe2(log, O_CLOEXEC), 0);
	config.socket = ends[1];
	config.log = log[1];
	if (nnipc_spawn(&config, &c->child, message, sizeof(message)))
		fail_msg("%s", message);
	close(ends[1]);
	close(log[1]);
	c->control.sock = ends[0];
	lines_open(&c->log, log[0]);
}

void client_hello(struct client *c)
{
	struct nnipc_frame *f = &c->control.in;
	struct nnipc_writer w = { 0 };
	char build[128], name[128];

	nnipc_put_u32(&w, NNIPC_VERSION);
	nnipc_put_u32(&w, NNIPC_VERSION);
	nnipc_put_u32(&w, (uint32_t)sysconf(_SC_PAGESIZE));
	client_send(c, NNIPC_HELLO, 0, 0, &w);
	assert_int_equal(nnipc_frame_receive(c->control.sock, f, PATIENCE_NS), 0);
	assert_int_equal(f->header.kind, NNIPC_HELLO);
	assert_int_equal(nnipc_get_u32(&f->reader), NNIPC_VERSION);
	assert_int_equal(nnipc_get_u32(&f->reader), sysconf(_SC_PAGESIZE));
	nnipc_get_text_into(&f->reader, build, sizeof(build));
	nnipc_get_text_into(&f->reader, name, sizeof(name));
	assert_int_equal(nnipc_reader_end(&f->reader), 0);
	assert_string_equal(name, client_driver);
}

int client_lane(struct client *c)
{
	struct nnipc_writer w = { 0 };
	int ends[2];

	assert_int_equal(nnipc_socket_pair(ends), 0);
	nnipc_put_fd_owned(&w, ends[1]);
	client_send(c, NNIPC_ONEWAY, NNIPC_SESSION_LANE, 0, &w);
	return ends[0];
}

int64_t client_try_open(struct client *c)
{
	struct nnipc_reader *r = &c->control.in.reader;
	struct nnipc_description d;
	char text[512];
	int64_t error;

	nnipc_put_text(&c->control.out, client_spec);
	assert_int_equal(nnipc_lane_call(&c->control, NNIPC_SESSION_OPEN, 0, PATIENCE_NS), 0);
	error = nnipc_get_i64(r);
	nnipc_get_text_into(r, c->how, sizeof(c->how));
	if (!error) {
		nnipc_get_description(r, &d);
		nnipc_get_text_into(r, text, sizeof(text));
		nnipc_get_text_into(r, text, sizeof(text));
		assert_non_null(d.name);
		nnipc_description_free(&d);
	}
	assert_int_equal(nnipc_reader_end(r), 0);
	return error;
}

void client_open(struct client *c)
{
	client_hello(c);
	if (client_try_open(c))
		fail_msg("OPEN: %s", c->how);
	c->lane.sock = client_lane(c);
}

void client_ready(struct client *c)
{
	client_start(c);
	client_open(c);
}

void client_send(struct client *c, uint8_t kind, uint32_t method, uint64_t oid,
		 struct nnipc_writer *w)
{
	const struct nnipc_header header = { .kind = kind, .method = method, .oid = oid };
	int ret = nnipc_frame_send(c->control.sock, &header, w);

	/* a worker that has seen enough has hung up */
	if (ret != -EPIPE && ret != -ECONNRESET)
		assert_int_equal(ret, 0);
	if (w)
		nnipc_writer_fini(w);
}

int client_call(struct client *c, uint32_t method, uint64_t oid)
{
	return nnipc_lane_call(&c->lane, method, oid, PATIENCE_NS);
}

void client_notified(struct client *c, uint32_t method, uint64_t callback)
{
	assert_int_equal(nnipc_frame_receive(c->control.sock, &c->note, PATIENCE_NS), 0);
	assert_int_equal(c->note.header.kind, NNIPC_ONEWAY);
	assert_int_equal(c->note.header.method, method);
	assert_int_equal(c->note.header.oid, callback);
}

/* Everything that the worker wrote, to the end of its pipe. */
static void read_log(struct client *c)
{
	print_message("%s", lines_rest(&c->log, sizeof(c->log.text)));
	lines_close(&c->log);
	if (strstr(c->log.text, "Sanitizer"))
		fail_msg("a sanitizer found something");
}

static int finish(struct client *c)
{
	int status = nnipc_child_wait(&c->child, PATIENCE_NS, c->how, sizeof(c->how));

	nnipc_lane_fini(&c->control);
	nnipc_lane_fini(&c->lane);
	nnipc_frame_fini(&c->note);
	read_log(c);
	return status;
}

int client_end(struct client *c)
{
	close(c->control.sock);
	c->control.sock = -1;
	return finish(c);
}

void client_dies(struct client *c, const char *line)
{
	int status = finish(c);

	if (status != 1)
		fail_msg("worker: %s; expected exit status 1", c->how);
	if (!strstr(c->log.text, line))
		fail_msg("the log has no \"%s\"", line);
}

void client_lives(struct client *c)
{
	int status;

	assert_int_equal(client_call(c, NNIPC_DEVICE_GET_STATUS, 0), 0);
	assert_int_equal(nnipc_get_u32(&c->lane.in.reader), NNHAL_AVAILABLE);
	status = client_end(c);
	if (status)
		fail_msg("worker: %s", c->how);
}

uint64_t client_prepare_add(struct client *c)
{
	struct nnhal_prepare_config config = NNHAL_PREPARE_CONFIG_INIT;
	struct nnmodel *m = hal_model_add();
	char text[256];
	uint64_t oid;

	nnipc_put_device_prepare_model(&c->lane.out,
				       &(struct nnipc_device_prepare_model){
					       .callback = 77, .config = &config, .model = m });
	assert_int_equal(client_call(c, NNIPC_DEVICE_PREPARE_MODEL, 0), 0);
	assert_int_equal(nnipc_get_status(&c->lane.in.reader), NNHAL_NONE);
	nnmodel_free(m);
	client_notified(c, NNIPC_NOTIFY_PREPARED, 77);
	assert_int_equal(nnipc_get_status(&c->note.reader), NNHAL_NONE);
	nnipc_get_text_into(&c->note.reader, text, sizeof(text));
	oid = nnipc_get_u64(&c->note.reader);
	assert_int_equal(nnipc_reader_end(&c->note.reader), 0);
	assert_true(oid != 0);
	return oid;
}

/* ---- harm ---- */

static unsigned int random_state;

void harm_seed(unsigned int seed)
{
	random_state = seed;
}

uint32_t harm_random(void)
{
	random_state = random_state * 1664525u + 1013904223u;
	return random_state >> 8;
}

void harm_send(int sock, const void *data, size_t size)
{
	ssize_t n = send(sock, data, size, MSG_NOSIGNAL);

	assert_true(n == (ssize_t)size || errno == EPIPE || errno == ECONNRESET);
}

struct nnipc_header harm_header(uint8_t kind, uint32_t method)
{
	return (struct nnipc_header){
		.magic = NNIPC_MAGIC, .version = NNIPC_VERSION, .kind = kind, .method = method
	};
}

void harm_drain(const struct client *c)
{
	static uint8_t packet[NNIPC_INLINE_MAX + 64];

	while (recv(c->control.sock, packet, sizeof(packet), MSG_DONTWAIT) > 0)
		;
}

int harm_count_fds(const struct client *c)
{
	int count = descriptors_open_of(c->child.pid);

	return count < 0 ? 0 : count;
}
