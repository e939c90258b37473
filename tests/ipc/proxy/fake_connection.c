// SPDX-License-Identifier: Apache-2.0
#include "fake_connection.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "eventually.h"
#include "host/nnipc_host.h"

struct fake_lane {
	struct nnipc_lane lane;
	int worker;
	pthread_t thread;
	struct nnipc_connection *c;
};

void fake_init(struct nnipc_connection *c, nnipc_handler worker)
{
	memset(c, 0, sizeof(*c));
	atomic_init(&c->refs, 1);
	c->worker = worker;
	fake_settings = (struct nnipc_settings){ .call_ns = -1, .work_ns = -1 };
}

void fake_fini(struct nnipc_connection *c)
{
	assert_true(EVENTUALLY(!c->notifying));
	assert_int_equal(c->refs, 1);
	assert_int_equal(c->callback, 0);
	assert_null(c->watched);
}

int fake_descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* ---- the connection ---- */

void nnipc_connection_get(struct nnipc_connection *c)
{
	c->refs++;
}

void nnipc_connection_put(struct nnipc_connection *c)
{
	while (c->slow_end)
		usleep(100);
	c->refs--;
}

bool nnipc_connection_is_dead(const struct nnipc_connection *c)
{
	return c->dead;
}

bool nnipc_connection_inherited(const struct nnipc_connection *c)
{
	return c->inherited;
}

void nnipc_connection_exit_reason(struct nnipc_connection *c, char *text, size_t size)
{
	snprintf(text, size, "%s", c->dead ? "killed by the test" : "");
}

int nnipc_connection_protocol_error(struct nnipc_connection *c, const char *what)
{
	snprintf(c->protocol_error, sizeof(c->protocol_error), "%s", what);
	c->protocol_errors++;
	c->dead = true;
	/* as the connection's thread does */
	if (c->callback)
		fake_notify_later(c, NULL);
	return -EPIPE;
}

void nnipc_connection_release(struct nnipc_connection *c, uint64_t oid)
{
	assert_true(c->num_released < FAKE_MAX);
	c->released[c->num_released] = oid;
	c->num_released++;
}

struct nnipc_settings fake_settings;

const struct nnipc_settings *nnipc_settings(void)
{
	return &fake_settings;
}

/* ---- lanes ---- */

static void *serve(void *cookie)
{
	struct fake_lane *f = cookie;

	nnipc_lane_serve(f->worker, f->c->worker, f->c);
	close(f->worker);
	return NULL;
}

struct nnipc_lane *nnipc_connection_lane(struct nnipc_connection *c, int64_t deadline_ns,
					 int *error)
{
	struct fake_lane *f;
	int sockets[2];

	(void)deadline_ns;
	*error = c->dead ? -EPIPE : c->lane_error;
	if (*error)
		return NULL;
	f = calloc(1, sizeof(*f));
	assert_non_null(f);
	assert_int_equal(nnipc_socket_pair(sockets), 0);
	f->lane.sock = sockets[0];
	f->worker = sockets[1];
	f->c = c;
	assert_int_equal(pthread_create(&f->thread, NULL, serve, f), 0);
	return &f->lane;
}

int nnipc_call(struct nnipc_connection *c, struct nnipc_lane *lane, uint32_t method, uint64_t oid,
	       enum nnipc_limit limit, int64_t deadline_ns)
{
	int ret;

	c->limit = limit;
	c->limit_deadline_ns = deadline_ns;
	if (c->call_error)
		return c->call_error;
	ret = nnipc_lane_call(lane, method, oid, -1);
	return ret == -EPROTO ? nnipc_connection_protocol_error(c, "no reply") : ret;
}

void nnipc_connection_give(struct nnipc_connection *c, struct nnipc_lane *lane)
{
	struct fake_lane *f = (struct fake_lane *)lane;

	(void)c;
	nnipc_lane_fini(lane);
	pthread_join(f->thread, NULL);
	free(f);
}

/* ---- callbacks ---- */

uint64_t nnipc_callback_add(struct nnipc_connection *c, uint32_t method, nnipc_notified fn,
			    void *cookie)
{
	if (c->dead || c->no_callbacks)
		return 0;
	assert_int_equal(c->callback, 0);
	c->callback = 77;
	c->callback_method = method;
	c->notified = fn;
	c->cookie = cookie;
	return c->callback;
}

bool nnipc_callback_remove(struct nnipc_connection *c, uint64_t callback)
{
	c->removed++;
	if (c->callback != callback)
		return false;
	c->callback = 0;
	return true;
}

struct notification {
	struct nnipc_connection *c;
	nnipc_notified fn;
	void *cookie;
	uint32_t method;
	bool death;
	struct nnipc_writer w;
};

static void notify(void *cookie)
{
	struct notification *n = cookie;
	struct nnipc_connection *c = n->c;
	struct nnipc_reader in;

	nnipc_reader_init(&in, n->w.data, n->w.size, n->w.fds, n->w.num_fds);
	n->fn(n->cookie, n->death ? -EPIPE : 0, n->method, n->death ? NULL : &in);
	nnipc_writer_fini(&n->w);
	free(n);
	c->notifying--;
}

void fake_notify_later(struct nnipc_connection *c, struct nnipc_writer *w)
{
	struct notification *n = calloc(1, sizeof(*n));

	assert_non_null(n);
	assert_int_not_equal(c->callback, 0);
	*n = (struct notification){ .c = c,
				    .fn = c->notified,
				    .cookie = c->cookie,
				    .method = c->callback_method,
				    .death = !w };
	if (w)
		n->w = *w;
	c->callback = 0;
	c->notifying++;
	assert_int_equal(nnipc_executor_run(notify, n), 0);
}

void fake_notify(struct nnipc_connection *c, struct nnipc_writer *w)
{
	fake_notify_later(c, w);
	assert_true(EVENTUALLY(!c->notifying));
}

/* ---- rings ---- */

int nnipc_connection_watch(struct nnipc_connection *c, struct nnipc_watched_rings *node)
{
	if (c->dead)
		return -EPIPE;
	c->watched = node;
	return 0;
}

void nnipc_connection_unwatch(struct nnipc_connection *c, struct nnipc_watched_rings *node)
{
	assert_ptr_equal(c->watched, node);
	c->watched = NULL;
}
