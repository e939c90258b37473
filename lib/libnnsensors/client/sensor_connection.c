// SPDX-License-Identifier: Apache-2.0
/* A connection to the sensor service: its socket and HELLO, its opening, its lifetime, its end. */
#include "client/nnsensors_client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "nnutil_clock.h"
#include "nnutil_log.h"
#include "nnutil_process.h"
#include "nnutil_text.h"
#include "messages/sensor_messages.h"
#include "wire/nnipc_wire.h"

/* A service that is stopped sends no HELLO. */
#define HELLO_NS (5 * NNUTIL_NS_PER_S)
/* Longest text for people. */
#define MAX_TEXT 4096u

static const struct nnipc_service sensord = {
	.name = "the sensor service",
	.program = "nnaccel-sensord",
	.too_long = -ENOENT,
	.wrong_type = -EPROTO, /* a service of another kind */
};

/* ---- HELLO ---- */

static int read_refusal(const char *path, struct nnipc_reader *r, char *message, size_t size)
{
	char *why = nnipc_get_text(r, MAX_TEXT);
	int ret = nnutil_refuse(message, size, -EUSERS, "the sensor service at %s refuses: %s",
				path, why ? why : "it does not say why");

	free(why);
	return ret;
}

static int read_hello(const char *path, struct nnipc_frame *f, char *message, size_t size)
{
	const struct nnipc_header *h = &f->header;
	struct nnipc_reader *r = &f->reader;
	const uint32_t version = nnipc_get_u32(r);

	if (h->kind != NNIPC_HELLO || h->method || h->oid || h->serial || r->error)
		return nnutil_refuse(message, size, -EPROTO,
				     "the program that listens at %s is not a sensor service",
				     path);
	if (!version)
		return read_refusal(path, r, message, size);
	free(nnipc_get_text(r, MAX_TEXT));
	if (nnipc_reader_end(r))
		return nnutil_refuse(message, size, -EPROTO,
				     "malformed HELLO from the sensor service at %s", path);
	if (version != SENSOR_PROTOCOL_VERSION || h->version != NNIPC_VERSION)
		return nnutil_refuse(message, size, -EPROTO,
				     "the sensor service at %s speaks version %u of the protocol, "
				     "this library %u: install both from one version",
				     path, version, SENSOR_PROTOCOL_VERSION);
	return 0;
}

static int hello_failed(const char *path, int error, char *message, size_t size)
{
	switch (error) {
	case -EPIPE:
		return nnutil_refuse(message, size, -EPROTO,
				     "the program that listens at %s hung up without a HELLO",
				     path);
	case -ETIME:
		return nnutil_refuse(message, size, error,
				     "the sensor service at %s does not answer", path);
	case -EPROTO:
		return nnutil_refuse(message, size, error,
				     "the program that listens at %s is not a sensor service",
				     path);
	default:
		return nnutil_refuse(message, size, error,
				     "no HELLO of the sensor service at %s: %s", path,
				     strerror(-error));
	}
}

static int say_hello(int sock, const char *path, char *message, size_t size)
{
	struct nnipc_frame f = { .no_calls = true };
	struct nnipc_writer w = { 0 };
	int ret;

	nnipc_put_u32(&w, SENSOR_PROTOCOL_VERSION);
	nnipc_put_u32(&w, SENSOR_PROTOCOL_VERSION);
	ret = nnipc_hello_exchange(sock, &w, &f, HELLO_NS);
	ret = ret ? hello_failed(path, ret, message, size) : read_hello(path, &f, message, size);
	nnipc_frame_fini(&f);
	return ret;
}

/*
 * A socket on which both sides have sent HELLO, kept from children of fork(), the caller's. @path
 * NULL: of the environment, or the default. -errno with @message, as nnsensors_manager_open() says.
 */
static int service_connect(const char *path, char *message, size_t size)
{
	int sock, ret;

	if (!path)
		path = nnutil_env_text("NNSENSORS_SOCKET");
	if (!path || !*path)
		path = NNSENSORS_SOCKET_DEFAULT;
	sock = nnipc_service_connect(&sensord, path, message, size);
	if (sock < 0)
		return sock;
	ret = say_hello(sock, path, message, size);
	if (!ret)
		return sock;
	nnutil_fd_close(sock);
	return ret;
}

void sensor_connection_free(struct sensor_connection *c)
{
	nnutil_fd_close(c->lane.sock);
	c->lane.sock = -1;
	nnipc_lane_fini(&c->lane);
	nnutil_fd_close(c->epoll);
	nnutil_fd_close(c->wake);
	pthread_cond_destroy(&c->idle);
	pthread_mutex_destroy(&c->lock);
	pthread_mutex_destroy(&c->call);
	free(c);
}

void sensor_connection_get(struct sensor_connection *c)
{
	atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
}

void sensor_connection_put(struct sensor_connection *c)
{
	if (atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) > 1)
		return;
	if (sensor_connection_inherited(c)) {
		/* descriptors are closed already; the lane's memory may be half changed */
		free(c);
		return;
	}
	if (pthread_equal(pthread_self(), c->dispatcher)) {
		/* it frees the connection when it comes back from the callback */
		pthread_detach(c->dispatcher);
		c->orphan = true;
		atomic_store(&c->stop, true);
		return;
	}
	atomic_store(&c->stop, true);
	eventfd_write(c->wake, 1);
	pthread_join(c->dispatcher, NULL);
	sensor_connection_free(c);
}

bool sensor_connection_inherited(const struct sensor_connection *c)
{
	return nnutil_process_inherited(c->process);
}

bool sensor_connection_is_dead(const struct sensor_connection *c)
{
	return sensor_connection_inherited(c) || atomic_load(&c->dead);
}

void sensor_connection_end(struct sensor_connection *c, const char *why)
{
	if (atomic_exchange(&c->dead, true))
		return;
	if (why)
		nnutil_log(NNUTIL_LOG_ERROR, "the connection to the sensor service ends: %s", why);
	/* a call that waits returns; the dispatcher tells the queues */
	shutdown(c->lane.sock, SHUT_RDWR);
	eventfd_write(c->wake, 1);
}

/* ---- opening ---- */

/* The service may wait for hardware. */
#define CALL_MS 30000u
/* a day: more is no limit that anybody waits for */
#define MAX_MS 86400000u

static int connection_open_init(struct sensor_connection *c)
{
	struct epoll_event wake = { .events = EPOLLIN, .data.ptr = NULL };
	/* replies are read by the caller: only the end is of interest */
	struct epoll_event end = { .events = EPOLLRDHUP | EPOLLET, .data.ptr = c };

	c->epoll = nnutil_fd_keep(epoll_create1(EPOLL_CLOEXEC));
	if (c->epoll < 0)
		return -errno;
	c->wake = nnutil_fd_keep(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	if (c->wake < 0 || epoll_ctl(c->epoll, EPOLL_CTL_ADD, c->wake, &wake) ||
	    epoll_ctl(c->epoll, EPOLL_CTL_ADD, c->lane.sock, &end))
		return -errno;
	return sensor_dispatch_start(c);
}

int sensor_connection_open(const char *path, struct sensor_connection **connection, char *message,
			   size_t size)
{
	struct sensor_connection *c;
	int ret;

	/* before the first descriptor: children close it */
	nnutil_process_watch(NULL);
	c = calloc(1, sizeof(*c));
	if (!c)
		return nnutil_refuse(message, size, -ENOMEM, "no memory for a connection");
	c->process = nnutil_process_number();
	c->call_ns =
		(int64_t)nnutil_env_number("NNSENSORS_CALL_MS", MAX_MS, CALL_MS) * NNUTIL_NS_PER_MS;
	c->epoll = c->wake = -1;
	atomic_init(&c->refs, 1);
	pthread_mutex_init(&c->call, NULL);
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->idle, NULL);
	c->lane.sock = service_connect(path, message, size);
	ret = c->lane.sock < 0 ? c->lane.sock : 0;
	if (!ret) {
		ret = connection_open_init(c);
		if (ret)
			nnutil_refuse(message, size, ret,
				      "no thread or descriptors for a connection: %s",
				      strerror(-ret));
	}
	if (ret)
		sensor_connection_free(c);
	else
		*connection = c;
	return ret;
}
