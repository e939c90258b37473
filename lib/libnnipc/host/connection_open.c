// SPDX-License-Identifier: Apache-2.0
/* Opening: HELLO both ways, then ENUMERATE or OPEN on the control socket. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/connection_private.h"
#include "messages/nnipc_messages.h"
#include "nnutil_clock.h"
#include "nnutil_log.h"
#include "wire/nnipc_wire.h"

#define HELLO_NS (5 * NNUTIL_NS_PER_S)
#define OPEN_NS (30 * NNUTIL_NS_PER_S)
/* Longest text for people. */
#define MAX_TEXT 4096u

/* ---- errors ---- */

/* Until HELLO there is no worker behind a service: nothing has crashed, and another try is free. */
static int no_worker(const struct nnipc_connection *c, const char *why, char *message, size_t size)
{
	return nnutil_refuse(message, size, -ECONNREFUSED,
			     "no worker from the service at %s: %s; is there a place for one more, "
			     "and for this user? The log of nnaccel-hald has the reason",
			     c->target.path, why ? why : "it hung up");
}

/* The worker is of no use. @why: what it did; NULL: it ended. */
static int give_up(struct nnipc_connection *c, int error, const char *why, char *message,
		   size_t size)
{
	char text[640];

	nnipc_connection_end(c, why);
	if (c->target.how == NNIPC_SERVICE && !c->greeted && error != -ENOMEM)
		return no_worker(c, why, message, size);
	nnipc_connection_exit_reason(c, text, sizeof(text));
	return nnutil_refuse(message, size, error, "%s", text);
}

/* Of a call on the control socket. */
static int call_failed(struct nnipc_connection *c, int error, const char *what, char *message,
		       size_t size)
{
	char why[128];

	switch (error) {
	case -EPIPE:
		return give_up(c, error, NULL, message, size);
	case -ETIME:
		snprintf(why, sizeof(why), "%s was not answered in time", what);
		break;
	default:
		snprintf(why, sizeof(why), "the answer to %s is malformed (%s)", what,
			 strerror(-error));
		error = error == -ENOMEM ? error : -EPROTO;
		break;
	}
	return give_up(c, error, why, message, size);
}

/* ---- HELLO ---- */

/* It says why, and ends. */
static int read_refusal(struct nnipc_connection *c, struct nnipc_reader *r, char *message,
			size_t size)
{
	char *why = nnipc_get_text(r, MAX_TEXT);
	int ret = nnutil_refuse(message, size, -ECONNREFUSED, "%s%s",
				c->target.how == NNIPC_SERVICE ? "the service refuses: " : "",
				why ? why : "the worker refuses and does not say why");

	free(why);
	return ret;
}

static int read_hello(struct nnipc_connection *c, struct nnipc_frame *f, char *message, size_t size)
{
	const uint32_t version = nnipc_get_u32(&f->reader);
	const struct nnipc_header *h = &f->header;
	struct nnipc_welcome welcome;
	char text[160];
	int ret;

	if (h->kind != NNIPC_HELLO || h->method || h->oid || h->serial)
		return give_up(c, -EPROTO, "its first message is no HELLO", message, size);
	if (!version && !f->reader.error)
		return read_refusal(c, &f->reader, message, size);
	/* for people; pages may be of another size */
	nnipc_get_welcome(&f->reader, &welcome);
	nnipc_welcome_free(&welcome);
	ret = nnipc_reader_end(&f->reader);
	if (ret)
		return call_failed(c, ret, "HELLO", message, size);
	if (version != NNIPC_VERSION || h->version != NNIPC_VERSION) {
		snprintf(text, sizeof(text),
			 "it speaks version %u of the protocol, this library %u: install both from "
			 "one version",
			 version != NNIPC_VERSION ? version : h->version, NNIPC_VERSION);
		return give_up(c, -EPROTO, text, message, size);
	}
	/* the worker sends HELLO, also where the service has accepted the connection */
	if (c->target.how == NNIPC_SERVICE)
		c->facts.pid = f->pid;
	c->greeted = true;
	return 0;
}

static int say_hello(struct nnipc_connection *c, char *message, size_t size)
{
	const struct nnipc_hello hello = { NNIPC_VERSION, NNIPC_VERSION,
					   (uint32_t)sysconf(_SC_PAGESIZE) };
	struct nnipc_writer w = { 0 };
	struct nnipc_frame f = { .no_calls = true };
	int ret;

	nnipc_put_hello(&w, &hello);
	ret = nnipc_hello_exchange(c->control, &w, &f, HELLO_NS);
	ret = ret ? call_failed(c, ret, "HELLO", message, size) : read_hello(c, &f, message, size);
	nnipc_frame_fini(&f);
	return ret;
}

/* ---- OPEN and ENUMERATE ---- */

/* How an answer begins. 0: the rest follows. */
static int read_outcome(struct nnipc_connection *c, struct nnipc_reader *r, const char *what,
			char *message, size_t size)
{
	struct nnipc_outcome outcome;
	int ret = 0;

	nnipc_get_outcome(r, &outcome);
	if (r->error)
		ret = call_failed(c, r->error, what, message, size);
	else if (outcome.error)
		ret = nnutil_refuse(message, size, outcome.error, "%s",
				    outcome.message && *outcome.message ? outcome.message
									: strerror(-outcome.error));
	nnipc_outcome_free(&outcome);
	return ret;
}

/* Once in a process, whatever the level of detail: the user believes in a sandbox. */
static void log_missing(uint32_t layers)
{
	char text[128];

	if (!layers)
		return;
	nnipc_layers_text(layers, text, sizeof(text));
	nnutil_log(NNUTIL_LOG_ERROR,
		   "this machine does not allow these layers of a worker's sandbox: %s; \"nnctl "
		   "doctor\" has advice",
		   text);
}

/*
 * Which layers a worker of this process has. That its second Landlock domain is there is its own
 * report; the rest is not.
 */
static int inspect(struct nnipc_connection *c, char *why, size_t size)
{
	const enum nnipc_sandbox_mode mode = nnipc_settings()->sandbox;
	struct nnipc_layers *names = &c->facts.layers;
	const bool closed = strstr(names->present, nnipc_layer_name(NNIPC_LAYER_LANDLOCK)) != NULL;
	uint32_t layers;
	int ret;

	if (c->target.how != NNIPC_WORKER || mode == NNIPC_SANDBOX_OFF)
		return 0;
	ret = nnipc_child_layers(&c->started, &layers, why, size);
	if (ret == -ESRCH)
		return ret;
	if (!closed)
		layers &= ~(uint32_t)NNIPC_LAYER_LANDLOCK;
	nnipc_layers_text(layers, names->present, sizeof(names->present));
	nnipc_layers_text(NNIPC_LAYER_ALL & ~layers, names->missing, sizeof(names->missing));
	if (mode == NNIPC_SANDBOX_LEARN)
		return 0;
	if (!ret)
		ret = nnipc_layers_suffice(mode, layers, why, size);
	if (!ret)
		log_missing(nnipc_layers_news(layers));
	return ret;
}

static int open_device(struct nnipc_connection *c, char *message, size_t size)
{
	const struct nnipc_session_open args = { c->target.spec };
	struct nnipc_opened opened = { &c->description, &c->facts.layers };
	struct nnipc_lane lane = { .sock = c->control };
	struct nnipc_reader *r = &lane.in.reader;
	char why[192] = "";
	int ret;

	nnipc_put_session_open(&lane.out, &args);
	ret = nnipc_lane_call(&lane, NNIPC_SESSION_OPEN, 0, OPEN_NS);
	if (ret)
		ret = call_failed(c, ret, "OPEN", message, size);
	else
		ret = read_outcome(c, r, "OPEN", message, size);
	if (!ret) {
		nnipc_get_opened(r, &opened);
		ret = nnipc_reader_end(r);
		if (!ret && (!c->description.name || !c->description.version))
			ret = -EBADMSG;
		if (!ret)
			ret = inspect(c, why, sizeof(why));
		if (!ret)
			ret = nnipc_connection_serve(c);
		if (ret == -EPERM)
			ret = give_up(c, ret, why, message, size);
		else if (ret)
			ret = call_failed(c, ret == -ESRCH ? -EPIPE : ret, "OPEN", message, size);
	}
	lane.sock = -1;
	nnipc_lane_fini(&lane);
	return ret;
}

static int connection_open_enumerate(struct nnipc_connection *c, struct nnipc_specifications *specs,
				     char *message, size_t size)
{
	struct nnipc_lane lane = { .sock = c->control };
	int ret = nnipc_lane_call(&lane, NNIPC_SESSION_ENUMERATE, 0, OPEN_NS);

	if (ret)
		ret = call_failed(c, ret, "ENUMERATE", message, size);
	else
		ret = read_outcome(c, &lane.in.reader, "ENUMERATE", message, size);
	if (!ret) {
		nnipc_get_specifications(&lane.in.reader, specs);
		ret = nnipc_reader_end(&lane.in.reader);
		if (ret)
			ret = call_failed(c, ret, "ENUMERATE", message, size);
	}
	lane.sock = -1;
	nnipc_lane_fini(&lane);
	return ret;
}

/* ---- public ---- */

/* A connection after HELLO. */
static int connection_open_begin(const struct nnipc_target *target, nnipc_died died, void *cookie,
				 struct nnipc_connection **connection, char *message, size_t size)
{
	struct nnipc_connection *c;
	int ret = nnipc_connection_new(target, died, cookie, &c);

	if (ret)
		return nnutil_refuse(message, size, ret, "no memory or descriptors for a worker");
	ret = nnipc_connection_start(c, message, size);
	if (ret) {
		nnipc_connection_discard(c);
		return ret;
	}
	ret = say_hello(c, message, size);
	if (ret)
		nnipc_connection_put(c);
	else
		*connection = c;
	return ret;
}

int nnipc_connection_open(const struct nnipc_target *target, nnipc_died died, void *cookie,
			  struct nnipc_connection **connection, char *message, size_t size)
{
	struct nnipc_connection *c = NULL;
	int ret;

	*connection = NULL;
	ret = connection_open_begin(target, died, cookie, &c, message, size);
	if (ret)
		return ret;
	ret = open_device(c, message, size);
	if (ret)
		nnipc_connection_put(c);
	else
		*connection = c;
	return ret;
}

int nnipc_connection_enumerate(const struct nnipc_target *target,
			       int (*found)(void *cookie, const char *spec), void *cookie,
			       char *message, size_t size)
{
	struct nnipc_specifications specs = { 0 };
	struct nnipc_connection *c = NULL;
	int ret;

	ret = connection_open_begin(target, NULL, NULL, &c, message, size);
	if (ret)
		return ret;
	ret = connection_open_enumerate(c, &specs, message, size);
	/* before the callbacks: they may open devices, and this worker is not needed any more */
	nnipc_connection_put(c);
	for (uint32_t i = 0; i < specs.count && !ret; i++)
		ret = found(cookie, specs.list[i]);
	nnipc_specifications_free(&specs);
	return ret;
}
