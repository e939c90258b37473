// SPDX-License-Identifier: Apache-2.0
/* Lanes of a connection, and calls on them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/connection_private.h"
#include "messages/nnipc_messages.h"
#include "nnutil_clock.h"
#include "nnutil_process.h"

/* ---- making and freeing ---- */

/* Tell the worker of its end of a new lane. */
static int announce(struct nnipc_connection *c, int end)
{
	const struct nnipc_header header = { .kind = NNIPC_ONEWAY, .method = NNIPC_SESSION_LANE };
	const struct nnipc_session_lane args = { end };
	struct nnipc_writer w = { 0 };
	int ret;

	nnipc_put_session_lane(&w, &args);
	ret = nnipc_connection_tell(c, &header, &w);
	nnipc_writer_fini(&w);
	return ret;
}

static void slot_free(struct nnipc_slot *slot)
{
	nnutil_fd_close(slot->lane.sock);
	slot->lane.sock = -1;
	nnipc_lane_fini(&slot->lane);
	free(slot);
}

static int slot_new(struct nnipc_connection *c, struct nnipc_slot **slot)
{
	struct nnipc_slot *s = calloc(1, sizeof(*s));
	int ends[2], ret;

	if (!s)
		return -ENOMEM;
	ret = nnipc_socket_pair(ends);
	if (ret) {
		free(s);
		return ret;
	}
	s->lane.sock = nnutil_fd_keep(ends[0]);
	nnutil_fd_keep(ends[1]);
	ret = announce(c, ends[1]);
	nnutil_fd_close(ends[1]);
	if (ret) {
		slot_free(s);
		return ret;
	}
	*slot = s;
	return 0;
}

/* Under the lock. */
static void link_slot(struct nnipc_connection *c, struct nnipc_slot *slot)
{
	slot->next = c->slots;
	if (c->slots)
		c->slots->prev = slot;
	c->slots = slot;
}

/* Under the lock. */
static void unlink_slot(struct nnipc_connection *c, struct nnipc_slot *slot)
{
	if (slot->prev)
		slot->prev->next = slot->next;
	else
		c->slots = slot->next;
	if (slot->next)
		slot->next->prev = slot->prev;
	c->num_slots--;
	pthread_cond_broadcast(&c->changed);
}

/* ---- users ---- */

/* Under the lock, which is released. The number is taken: others make lanes at the same time. */
static struct nnipc_lane *add_slot(struct nnipc_connection *c, int *error)
{
	struct nnipc_slot *slot = NULL;

	c->num_slots++;
	pthread_mutex_unlock(&c->lock);
	*error = slot_new(c, &slot);
	pthread_mutex_lock(&c->lock);
	if (!*error && atomic_load(&c->dead))
		*error = -EPIPE; /* no thread would hang it up */
	if (!*error) {
		link_slot(c, slot);
		pthread_mutex_unlock(&c->lock);
		return &slot->lane;
	}
	c->num_slots--;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	if (slot)
		slot_free(slot);
	return NULL;
}

static bool lanes_are_busy(const struct nnipc_connection *c)
{
	return !atomic_load(&c->dead) && !c->idle && c->num_slots >= NNIPC_MAX_LANES;
}

/* Under the lock. 0: there is one, or room for one, or the generation is dead. */
static int await_lane(struct nnipc_connection *c, int64_t deadline_ns)
{
	int64_t most_ns;
	int late = -EBUSY;
	struct timespec until;

	if (!lanes_are_busy(c))
		return 0;
	/* settings have a lock of their own */
	pthread_mutex_unlock(&c->lock);
	most_ns = nnipc_limit_ns(NNIPC_LIMIT_CALL, NNHAL_NO_TIME);
	pthread_mutex_lock(&c->lock);
	if (deadline_ns >= 0) {
		const int64_t left = deadline_ns - nnutil_boottime_ns();

		late = left < most_ns ? -ETIME : late;
		most_ns = left < most_ns ? left : most_ns;
	}
	until = nnutil_timespec(nnutil_monotonic_ns() + (most_ns > 0 ? most_ns : 0));
	while (lanes_are_busy(c))
		if (pthread_cond_timedwait(&c->changed, &c->lock, &until) == ETIMEDOUT)
			return lanes_are_busy(c) ? late : 0;
	return 0;
}

struct nnipc_lane *nnipc_connection_lane(struct nnipc_connection *c, int64_t deadline_ns,
					 int *error)
{
	struct nnipc_lane *lane;
	int ret;

	*error = -EPIPE;
	if (nnipc_connection_is_dead(c))
		return NULL;
	pthread_mutex_lock(&c->lock);
	ret = await_lane(c, deadline_ns);
	if (ret) {
		pthread_mutex_unlock(&c->lock);
		*error = ret;
		return NULL;
	}
	if (!atomic_load(&c->dead) && !c->idle)
		return add_slot(c, error);
	lane = atomic_load(&c->dead) ? NULL : c->idle;
	if (lane) {
		c->idle = lane->next;
		*error = 0;
	}
	pthread_mutex_unlock(&c->lock);
	return lane;
}

void nnipc_connection_give(struct nnipc_connection *c, struct nnipc_lane *lane)
{
	struct nnipc_slot *slot = (struct nnipc_slot *)lane;
	bool over;

	if (nnipc_connection_inherited(c))
		return;
	nnipc_writer_reset(&lane->out);
	nnipc_frame_clear(&lane->in);
	pthread_mutex_lock(&c->lock);
	over = slot->retire || atomic_load(&c->dead);
	if (over) {
		unlink_slot(c, slot);
	} else {
		lane->next = c->idle;
		c->idle = lane;
		if (c->num_slots >= NNIPC_MAX_LANES)
			pthread_cond_broadcast(&c->changed);
	}
	pthread_mutex_unlock(&c->lock);
	if (over)
		slot_free(slot);
}

void nnipc_connection_free_idle(struct nnipc_connection *c)
{
	struct nnipc_lane *idle, *next;

	pthread_mutex_lock(&c->lock);
	idle = c->idle;
	c->idle = NULL;
	for (struct nnipc_lane *lane = idle; lane; lane = lane->next)
		unlink_slot(c, (struct nnipc_slot *)lane);
	pthread_mutex_unlock(&c->lock);
	for (; idle; idle = next) {
		next = idle->next;
		slot_free((struct nnipc_slot *)idle);
	}
}

/* ---- calls ---- */

static int too_late(struct nnipc_connection *c, uint32_t method, int64_t limit)
{
	char why[128];

	snprintf(why, sizeof(why), "%s did not return in %lld ms", nnipc_method_name(method),
		 (long long)(limit / NNUTIL_NS_PER_MS));
	return nnipc_connection_protocol_error(c, why);
}

static int no_reply(struct nnipc_connection *c, uint32_t method)
{
	char why[128];

	snprintf(why, sizeof(why), "invalid reply to %s", nnipc_method_name(method));
	return nnipc_connection_protocol_error(c, why);
}

int nnipc_call(struct nnipc_connection *c, struct nnipc_lane *lane, uint32_t method, uint64_t oid,
	       enum nnipc_limit limit, int64_t deadline_ns)
{
	struct nnipc_slot *slot = (struct nnipc_slot *)lane;
	int64_t most;
	int ret;

	if (nnipc_connection_inherited(c))
		return -EPIPE;
	most = nnipc_limit_ns(limit, deadline_ns);
	atomic_store_explicit(&slot->method, method, memory_order_relaxed);
	ret = nnipc_lane_call(lane, method, oid, most);
	switch (ret) {
	case 0:
	case -EOPNOTSUPP:
	case -EBADMSG:
	case -ESTALE:
	case -E2BIG:
		break;
	case -EPIPE:
		nnipc_connection_end(c, NULL);
		break;
	case -ETIME:
		ret = too_late(c, method, most);
		break;
	case -EPROTO:
		ret = no_reply(c, method);
		break;
	default:
		/* out of something: whether a reply is on its way is not known */
		slot->retire = true;
		break;
	}
	atomic_store_explicit(&slot->method, 0, memory_order_relaxed);
	return ret;
}
