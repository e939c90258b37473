// SPDX-License-Identifier: Apache-2.0
/* The I/O thread of a connection: from the start of the worker to its reaping. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>

#include "host/connection_private.h"
#include "nnutil_clock.h"
#include "nnutil_log.h"
#include "nnutil_process.h"
#include "wire/nnipc_wire.h"

/* Limits for a worker to exit: after it hung up; after the last reference went. */
#define DEAD_GRACE_NS (500 * NNUTIL_NS_PER_MS)
#define SHUTDOWN_GRACE_NS (2 * NNUTIL_NS_PER_S)
/* A message that has begun is there at once. */
#define MESSAGE_NS (5 * NNUTIL_NS_PER_S)
/* Between attempts to make a thread for a callback. */
#define RETRY_MS 10

/* ---- start ---- */

static const struct nnipc_service hald = {
	.name = "the service",
	.program = "nnaccel-hald",
	.credentials = true, /* of the worker, see read_hello() */
	.too_long = -EINVAL,
	.wrong_type = -EPROTOTYPE,
};

static int start_process(struct nnipc_connection *c, int *sock)
{
	int ret;

	if (c->target.how == NNIPC_WORKER) {
		ret = nnipc_worker_process_start(&c->worker, &c->target, sock, c->start_message,
						 sizeof(c->start_message));
		c->started = c->worker.child;
		c->facts.pid = c->started.pid;
		return ret;
	}
	c->worker.log.fd = -1;
	ret = nnipc_service_connect(&hald, c->target.path, c->start_message,
				    sizeof(c->start_message));
	*sock = ret;
	return ret < 0 ? ret : 0;
}

/* The opener waits until the stage is another. */
static bool connection_thread_start(struct nnipc_connection *c)
{
	int sock = -1, ret = start_process(c, &sock);

	pthread_mutex_lock(&c->lock);
	c->start_error = ret;
	if (!ret) {
		c->control = sock;
		c->stage = NNIPC_STAGE_OPENING;
	} else {
		atomic_store(&c->dead, true);
		c->stage = NNIPC_STAGE_REAPED;
	}
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	return !ret;
}

/* ---- service ---- */

static enum nnipc_stage stage_of(struct nnipc_connection *c)
{
	enum nnipc_stage stage;

	pthread_mutex_lock(&c->lock);
	stage = c->stage;
	pthread_mutex_unlock(&c->lock);
	return stage;
}

static void read_control(struct nnipc_connection *c)
{
	int ret;

	c->frame.no_calls = true;
	ret = nnipc_frame_receive(c->control, &c->frame, MESSAGE_NS);
	switch (ret) {
	case 0:
		nnipc_connection_notified(c);
		break;
	case -EPIPE:
		nnipc_connection_end(c, NULL);
		break;
	case -ETIME:
	case -EPROTO:
		nnipc_connection_protocol_error(c, "a message of it is malformed");
		break;
	default:
		/* a callback would be lost */
		nnipc_connection_protocol_error(c,
						"no memory or descriptors in this process for its "
						"message");
		break;
	}
}

/* Wait for something to happen, and see to it. */
static void connection_thread_turn(struct nnipc_connection *c, enum nnipc_stage stage)
{
	const bool serving = stage == NNIPC_STAGE_SERVING;
	const int64_t rest = nnipc_log_pipe_rest(&c->worker.log, nnutil_monotonic_ns());
	struct pollfd fds[] = {
		{ .fd = c->wake, .events = POLLIN },
		{ .fd = rest ? -1 : c->worker.log.fd, .events = POLLIN },
		{ .fd = serving ? c->control : -1, .events = POLLIN },
		{ .fd = c->worker.child.pid ? c->worker.child.pidfd : -1, .events = POLLIN },
	};
	const bool behind = nnipc_connection_catch_up(c);
	const int wait_ms = rest ? (int)(rest / NNUTIL_NS_PER_MS) + 1 : -1;
	eventfd_t count;

	if (poll(fds, 4, behind ? RETRY_MS : wait_ms) < 0)
		return;
	if (fds[0].revents)
		eventfd_read(c->wake, &count);
	if (fds[1].revents && !nnipc_log_pipe_read(&c->worker.log))
		nnipc_log_pipe_close(&c->worker.log);
	if (fds[2].revents)
		read_control(c);
	else if (fds[3].revents)
		/* another process holds its socket, and nothing is left to read there */
		nnipc_connection_end(c, NULL);
}

/* ---- the end ---- */

static void close_rings(struct nnipc_connection *c)
{
	pthread_mutex_lock(&c->lock);
	for (struct nnipc_watched_rings *node = c->rings; node; node = node->next)
		for (int i = 0; i < 2; i++)
			if (node->rings[i])
				nnipc_ring_close(node->rings[i]);
	pthread_mutex_unlock(&c->lock);
}

/* Wait for the worker. Log a vendor library that fails while the worker ends. */
static void connection_thread_reap(struct nnipc_connection *c, bool kill, bool ended, char *how,
				   size_t size)
{
	const int64_t grace_ns = ended ? DEAD_GRACE_NS : SHUTDOWN_GRACE_NS;
	bool late = false;
	int status;

	if (!c->worker.child.pid)
		return;
	status = nnipc_worker_process_end(&c->worker, kill ? 0 : grace_ns, &late, how, size);
	if (!ended && late)
		nnutil_log(NNUTIL_LOG_ERROR, "worker %d of %s did not end when it should: killed",
			   c->facts.pid, nnipc_connection_name(c));
	else if (!ended && status)
		nnutil_log(NNUTIL_LOG_ERROR, "worker %d of %s failed at its end: %s", c->facts.pid,
			   nnipc_connection_name(c), how);
}

/* Under the lock. */
static void write_exit_reason(struct nnipc_connection *c, const char *how)
{
	const char *last = c->worker.log.last;
	int at;

	at = snprintf(c->exit_reason, sizeof(c->exit_reason), "worker %d of %s: ", c->facts.pid,
		      nnipc_connection_name(c));
	if (c->why[0])
		at += snprintf(c->exit_reason + at, sizeof(c->exit_reason) - (size_t)at,
			       "killed: %s", c->why);
	else
		at += snprintf(c->exit_reason + at, sizeof(c->exit_reason) - (size_t)at, "%s", how);
	at += snprintf(c->exit_reason + at, sizeof(c->exit_reason) - (size_t)at, "%s%s%s",
		       c->flight, c->next[0] ? "; restart: " : "", c->next);
	if (*last)
		snprintf(c->exit_reason + at, sizeof(c->exit_reason) - (size_t)at,
			 "; its last line: %.*s", 200, last);
}

/* Objects of a dead generation may live for long, and need neither. */
static void close_sockets(struct nnipc_connection *c)
{
	/* who tells the worker something, looks under this lock whether there is one */
	pthread_mutex_lock(&c->send);
	nnutil_fd_close(c->control);
	nnutil_fd_close(c->wake);
	c->control = c->wake = -1;
	pthread_mutex_unlock(&c->send);
}

/* More than the socket's buffer holds: a process that the worker left could send for ever. */
#define REST_MAX 512

/* Another thread may have seen the death first: what the worker sent before is still there. */
static void read_rest(struct nnipc_connection *c)
{
	c->frame.no_calls = true;
	for (int left = REST_MAX; left && !nnipc_frame_receive(c->control, &c->frame, 0); left--)
		nnipc_connection_notified(c);
}

static void connection_finish(struct nnipc_connection *c)
{
	char how[64] = "it hung up";
	bool kill, ended, crashed;

	pthread_mutex_lock(&c->lock);
	kill = c->kill;
	ended = c->ended;
	crashed = c->crashed;
	pthread_mutex_unlock(&c->lock);

	if (kill && c->worker.child.pid)
		nnipc_child_kill(&c->worker.child);
	if (crashed && !kill)
		read_rest(c);
	nnipc_connection_abandon(c);
	close_rings(c);
	connection_thread_reap(c, kill, ended, how, sizeof(how));
	nnipc_connection_free_idle(c);

	pthread_mutex_lock(&c->lock);
	write_exit_reason(c, how);
	c->stage = NNIPC_STAGE_REAPED;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	if (crashed) {
		nnutil_log(NNUTIL_LOG_ERROR, "%s", c->exit_reason);
		close_sockets(c);
	}
	while (nnipc_connection_catch_up(c))
		poll(NULL, 0, RETRY_MS);
	nnipc_frame_fini(&c->frame);
}

static void *io_thread(void *cookie)
{
	struct nnipc_connection *c = cookie;
	enum nnipc_stage stage;

	if (!connection_thread_start(c))
		return NULL;
	while ((stage = stage_of(c)) < NNIPC_STAGE_OVER)
		connection_thread_turn(c, stage);
	connection_finish(c);
	return NULL;
}

int nnipc_connection_start(struct nnipc_connection *c, char *message, size_t size)
{
	sigset_t before;
	int ret;

	nnutil_signals_block(&before);
	ret = -pthread_create(&c->io, NULL, io_thread, c);
	nnutil_signals_restore(&before);
	if (ret)
		return nnutil_refuse(message, size, ret, "no thread for a worker: %s",
				     strerror(-ret));
	pthread_setname_np(c->io, "nnipc");
	pthread_mutex_lock(&c->lock);
	while (c->stage == NNIPC_STAGE_STARTING)
		pthread_cond_wait(&c->changed, &c->lock);
	ret = c->start_error;
	pthread_mutex_unlock(&c->lock);
	if (ret) {
		pthread_join(c->io, NULL);
		nnutil_refuse(message, size, ret, "%s", c->start_message);
	}
	return ret;
}

int nnipc_connection_serve(struct nnipc_connection *c)
{
	int ret = -EPIPE;

	pthread_mutex_lock(&c->lock);
	if (c->stage == NNIPC_STAGE_OPENING) {
		c->stage = NNIPC_STAGE_SERVING;
		eventfd_write(c->wake, 1);
		ret = 0;
	}
	pthread_mutex_unlock(&c->lock);
	return ret;
}
