// SPDX-License-Identifier: Apache-2.0
/* Reaching the sensor service: its socket, and HELLO. */
#include "client/nnsensors_client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "messages/sensor_messages.h"
#include "nnutil_clock.h"
#include "nnutil_text.h"
#include "nnutil_process.h"
#include "nnutil_log.h"
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

int sensor_service_connect(const char *path, char *message, size_t size)
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
