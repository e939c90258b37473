// SPDX-License-Identifier: Apache-2.0
/* The end of a generation: any thread may find it, and all waiting calls return. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>

#include "host/connection_private.h"
#include "messages/nnipc_messages.h"
#include "nnutil_clock.h"
#include "nnutil_process.h"

/* How long a message waits for the reaper: a worker whose sockets are closed has all but ended. */
#define EXIT_REASON_NS NNUTIL_NS_PER_S
/* Different methods that an exit reason names. */
#define MAX_NAMED 6u

bool nnipc_connection_inherited(const struct nnipc_connection *c)
{
	return nnutil_process_inherited(c->process);
}

bool nnipc_connection_is_dead(const struct nnipc_connection *c)
{
	return nnipc_connection_inherited(c) || atomic_load(&c->dead);
}

/* ---- what was in flight ---- */

struct flight {
	uint32_t method, count;
};

static void count_in(struct flight *list, uint32_t method, uint32_t count)
{
	if (!method || !count)
		return;
	for (uint32_t i = 0; i < MAX_NAMED; i++) {
		if (list[i].method && list[i].method != method)
			continue;
		list[i].method = method;
		list[i].count += count;
		break;
	}
}

/* Under the lock. A launch is named by its callback, which lasts longer. */
static void write_flight(struct nnipc_connection *c)
{
	struct flight list[MAX_NAMED] = { 0 };
	size_t at = 0;

	count_in(list, NNIPC_PREPARED_EXECUTE, c->callbacks.executed);
	count_in(list, NNIPC_DEVICE_PREPARE_MODEL, c->callbacks.prepared);
	for (struct nnipc_slot *slot = c->slots; slot; slot = slot->next) {
		const uint32_t method = atomic_load(&slot->method);

		if (method != NNIPC_PREPARED_EXECUTE && method != NNIPC_DEVICE_PREPARE_MODEL &&
		    method != NNIPC_DEVICE_PREPARE_MODEL_FROM_CACHE)
			count_in(list, method, 1);
	}
	c->flight[0] = '\0';
	for (uint32_t i = 0; i < MAX_NAMED && list[i].method && at < sizeof(c->flight); i++) {
		at += (size_t)snprintf(c->flight + at, sizeof(c->flight) - at, "%s%s",
				       i ? ", " : " during ", nnipc_method_name(list[i].method));
		if (list[i].count > 1 && at < sizeof(c->flight))
			at += (size_t)snprintf(c->flight + at, sizeof(c->flight) - at, " x%u",
					       list[i].count);
	}
}

/* ---- the end ---- */

/* Under the lock. */
static void hang_up(struct nnipc_connection *c)
{
	atomic_store(&c->dead, true);
	c->stage = NNIPC_STAGE_OVER;
	if (c->control >= 0)
		shutdown(c->control, SHUT_RDWR);
	for (struct nnipc_slot *slot = c->slots; slot; slot = slot->next)
		shutdown(slot->lane.sock, SHUT_RDWR);
	pthread_cond_broadcast(&c->changed);
	eventfd_write(c->wake, 1);
}

void nnipc_connection_end(struct nnipc_connection *c, const char *why)
{
	pthread_mutex_lock(&c->lock);
	if (c->stage < NNIPC_STAGE_OVER) {
		c->ended = true;
		c->crashed = c->stage == NNIPC_STAGE_SERVING;
		c->kill = why != NULL;
		snprintf(c->why, sizeof(c->why), "%s", why ? why : "");
		write_flight(c);
		if (c->crashed && c->died)
			c->died(c->cookie, c->next, sizeof(c->next));
		hang_up(c);
	}
	pthread_mutex_unlock(&c->lock);
}

void nnipc_connection_stop(struct nnipc_connection *c)
{
	pthread_mutex_lock(&c->lock);
	if (c->stage < NNIPC_STAGE_OVER)
		hang_up(c);
	pthread_mutex_unlock(&c->lock);
}

int nnipc_connection_protocol_error(struct nnipc_connection *c, const char *what)
{
	if (!nnipc_connection_inherited(c))
		nnipc_connection_end(c, what);
	return -EPIPE;
}

void nnipc_connection_exit_reason(struct nnipc_connection *c, char *text, size_t size)
{
	const struct timespec until = nnutil_timespec(nnutil_monotonic_ns() + EXIT_REASON_NS);
	int ret = 0;

	if (size)
		text[0] = '\0';
	if (nnipc_connection_inherited(c) || !atomic_load(&c->dead))
		return;
	pthread_mutex_lock(&c->lock);
	while (c->stage < NNIPC_STAGE_REAPED && !ret)
		ret = pthread_cond_timedwait(&c->changed, &c->lock, &until);
	if (c->stage == NNIPC_STAGE_REAPED)
		snprintf(text, size, "%s", c->exit_reason);
	else
		snprintf(text, size, "worker %d ended%s", c->facts.pid, c->flight);
	pthread_mutex_unlock(&c->lock);
}

/* ---- messages without replies ---- */

int nnipc_connection_tell(struct nnipc_connection *c, const struct nnipc_header *header,
			  const struct nnipc_writer *w)
{
	struct pollfd fd = { .events = POLLOUT };
	const struct timespec limit = nnutil_timespec(nnipc_settings()->call_ns);
	int ret = -EPIPE;

	pthread_mutex_lock(&c->send);
	if (!atomic_load(&c->dead)) {
		fd.fd = c->control;
		/* these messages are one small packet: there is room for it, then */
		do {
			ret = ppoll(&fd, 1, &limit, NULL);
		} while (ret < 0 && errno == EINTR);
		ret = ret == 0 ? -ETIME : nnipc_frame_send(c->control, header, w);
	}
	pthread_mutex_unlock(&c->send);
	if (ret == -ETIME)
		return nnipc_connection_protocol_error(c, "does not read its messages");
	if (ret == -EPIPE)
		nnipc_connection_end(c, NULL);
	return ret;
}

void nnipc_connection_release(struct nnipc_connection *c, uint64_t oid)
{
	const struct nnipc_header header = { .kind = NNIPC_RELEASE, .oid = oid };

	if (!nnipc_connection_is_dead(c))
		nnipc_connection_tell(c, &header, NULL);
}
