// SPDX-License-Identifier: Apache-2.0
#include "wire/nnipc_wire.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "nnutil_clock.h"

/* Kinds of the door's budget. */
enum { SILENT, SERVED };

struct nnipc_door_guest {
	struct nnipc_door *door;
	struct nnipc_peer peer;
	struct nnipc_door_guest *next;
};

/* A client that has not sent HELLO. */
struct silent {
	struct nnipc_peer peer;
	int64_t until;
};

/* What the thread at the door has. */
struct porch {
	struct nnipc_door *door;
	struct silent silent[NNIPC_DOOR_SILENT];
	struct pollfd polled[2 + NNIPC_DOOR_SILENT]; /* end, listener, silent ones */
	uint32_t num_silent;
};

void nnipc_peer_refuse(struct nnipc_peer *peer, const char *why)
{
	struct nnipc_writer w = { 0 };
	char byte;

	/*
	 * A message that is not taken would reset the connection, and our answer be lost. Its
	 * descriptors do not come in: to close one of a client's file system could take long.
	 */
	if (recv(peer->sock, &byte, 1, MSG_DONTWAIT) > 0) {
		nnipc_put_u32(&w, 0);
		nnipc_put_text(&w, why);
		nnipc_hello_send(peer->sock, &w);
	}
	close(peer->sock);
	peer->sock = -1;
}

static void door_refuse(const struct nnipc_door *door, struct nnipc_peer *peer, const char *why)
{
	nnipc_user_log(door->guard->log, peer->payer, "client %d of user %u is refused: %s",
		       (int)peer->pid, peer->user, why);
	nnipc_peer_refuse(peer, why);
}

/* ---- guests ---- */

/* The socket is closed under the lock, so that no one shuts another one of its number. */
static void guest_leave(struct nnipc_door_guest *g)
{
	struct nnipc_door *door = g->door;
	struct nnipc_door_guest **at = &door->guests;

	pthread_mutex_lock(&door->lock);
	while (*at != g)
		at = &(*at)->next;
	*at = g->next;
	door->count--;
	nnipc_budget_give(&door->budget, g->peer.payer, SERVED, 1);
	if (g->peer.sock >= 0)
		close(g->peer.sock);
	pthread_cond_broadcast(&door->left);
	pthread_mutex_unlock(&door->lock);
	free(g);
}

static void *guest_serve(void *cookie)
{
	struct nnipc_door_guest *g = cookie;

	g->door->guard->serve(g->door->guard->cookie, &g->peer);
	guest_leave(g);
	return NULL;
}

/* Count it, if the limits allow. False with @why. */
static bool door_admit(struct nnipc_door *door, struct nnipc_door_guest *g, char *why, size_t size)
{
	const int error = nnipc_budget_take(&door->budget, g->peer.payer, SERVED, 1);

	pthread_mutex_lock(&door->lock);
	if (error == -EDQUOT) {
		snprintf(why, size, "user %u has reached the limit of %u %s", g->peer.payer,
			 door->guard->max_per_user, door->guard->things);
	} else if (error) {
		snprintf(why, size, "it serves %u clients, what is left of %u is for other users",
			 door->count, door->guard->max);
	} else {
		g->next = door->guests;
		door->guests = g;
		door->count++;
	}
	pthread_mutex_unlock(&door->lock);
	return !error;
}

/* A HELLO has come. */
static void door_begin(struct nnipc_door *door, struct nnipc_peer *peer)
{
	struct nnipc_door_guest *g = malloc(sizeof(*g));
	pthread_t thread;
	char why[128];

	if (!g) {
		door_refuse(door, peer, "the service has no memory left");
		return;
	}
	*g = (struct nnipc_door_guest){ .door = door, .peer = *peer };
	if (!door_admit(door, g, why, sizeof(why))) {
		door_refuse(door, peer, why);
		free(g);
		return;
	}
	if (pthread_create(&thread, NULL, guest_serve, g)) {
		door_refuse(door, &g->peer, "the service has no thread left");
		guest_leave(g);
		return;
	}
	pthread_detach(thread);
}

/* ---- the porch ---- */

/* They are in the order in which they came. */
static uint32_t silent_oldest(const struct porch *p, uid_t user)
{
	uint32_t i = 0;

	while (p->silent[i].peer.payer != user)
		i++;
	return i;
}

static uid_t silent_user_with_most(const struct porch *p)
{
	uint64_t has, most = 0;
	uid_t user = 0;

	for (uint32_t i = 0; i < p->num_silent; i++) {
		has = nnipc_budget_of(&p->door->budget, p->silent[i].peer.payer, SILENT);
		if (has > most) {
			most = has;
			user = p->silent[i].peer.payer;
		}
	}
	return user;
}

static void silent_cut(struct porch *p, uint32_t i)
{
	const struct nnipc_peer *peer = &p->silent[i].peer;

	nnipc_user_log(p->door->guard->log, peer->payer,
		       "client %d of user %u has sent nothing, another one takes its place",
		       (int)peer->pid, peer->user);
	close(peer->sock);
	p->num_silent--;
	memmove(&p->silent[i], &p->silent[i + 1], (p->num_silent - i) * sizeof(p->silent[0]));
}

/* False: there is no place for a client of @user. */
static bool silent_take_place(struct porch *p, uid_t user)
{
	struct nnipc_budget *budget = &p->door->budget;
	uid_t other;

	if (!nnipc_budget_take(budget, user, SILENT, 1))
		return true;
	if (nnipc_budget_of(budget, user, SILENT)) {
		silent_cut(p, silent_oldest(p, user));
		return true;
	}
	if (!p->num_silent)
		return false;
	other = silent_user_with_most(p);
	silent_cut(p, silent_oldest(p, other));
	nnipc_budget_give(budget, other, SILENT, 1);
	return !nnipc_budget_take(budget, user, SILENT, 1);
}

static void accept_client(struct porch *p, int listener)
{
	struct nnipc_peer peer = { 0 };
	int sock = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (sock < 0) {
		/* without descriptors the listener would be ready again at once */
		if (errno == EMFILE || errno == ENFILE)
			nanosleep(&(struct timespec){ .tv_nsec = 10 * NNUTIL_NS_PER_MS }, NULL);
		return;
	}
	if (nnipc_peer_identify(&peer, sock) || !silent_take_place(p, peer.payer)) {
		nnipc_user_log(p->door->guard->log, peer.payer,
			       "too many clients wait, one is cut");
		close(sock);
		return;
	}
	p->silent[p->num_silent++] = (struct silent){
		.peer = peer,
		.until = nnutil_monotonic_ns() + NNIPC_PATIENCE_NS,
	};
}

/* @ready: those of poll(), in the order of the silent ones. */
static void look_at_silent(struct porch *p, const struct pollfd *ready)
{
	const int64_t now = nnutil_monotonic_ns();
	uint32_t kept = 0;

	for (uint32_t i = 0; i < p->num_silent; i++) {
		struct silent *s = &p->silent[i];

		if (!ready[i].revents && now < s->until) {
			p->silent[kept++] = *s;
			continue;
		}
		nnipc_budget_give(&p->door->budget, s->peer.payer, SILENT, 1);
		if (ready[i].revents & POLLIN) {
			door_begin(p->door, &s->peer);
		} else {
			nnipc_user_log(p->door->guard->log, s->peer.payer,
				       "client %d of user %u has sent nothing", (int)s->peer.pid,
				       s->peer.user);
			close(s->peer.sock);
		}
	}
	p->num_silent = kept;
}

/* Until the first silent client's time is over. */
static int next_timeout(const struct porch *p)
{
	const int64_t now = nnutil_monotonic_ns();
	int64_t least = INT64_MAX;

	for (uint32_t i = 0; i < p->num_silent; i++)
		if (p->silent[i].until - now < least)
			least = p->silent[i].until - now;
	if (least == INT64_MAX)
		return -1;
	return least < 0 ? 0 : (int)(least / NNUTIL_NS_PER_MS) + 1;
}

/* False: @end is readable. */
static bool wait_at_door(struct porch *p, int listener, int end)
{
	const uint32_t silent = p->num_silent;

	p->polled[0] = (struct pollfd){ .fd = end, .events = POLLIN };
	p->polled[1] = (struct pollfd){ .fd = listener, .events = POLLIN };
	for (uint32_t i = 0; i < silent; i++)
		p->polled[2 + i] =
			(struct pollfd){ .fd = p->silent[i].peer.sock, .events = POLLIN };
	if (poll(p->polled, 2 + silent, next_timeout(p)) < 0)
		return true;
	if (p->polled[0].revents)
		return false;
	look_at_silent(p, p->polled + 2);
	if (p->polled[1].revents)
		accept_client(p, listener);
	return true;
}

/* ---- the door ---- */

void nnipc_door_init(struct nnipc_door *door, const struct nnipc_door_guard *guard)
{
	const struct nnipc_budget_limit limits[] = {
		[SILENT] = { NNIPC_DOOR_SILENT, NNIPC_DOOR_SILENT_USER },
		[SERVED] = { guard->max, guard->max_per_user },
	};
	pthread_condattr_t clock;

	*door = (struct nnipc_door){ .guard = guard };
	nnipc_budget_init(&door->budget, limits, sizeof(limits) / sizeof(limits[0]));
	pthread_mutex_init(&door->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&door->left, &clock);
	pthread_condattr_destroy(&clock);
}

void nnipc_door_run(struct nnipc_door *door, int listener, int end)
{
	struct porch porch = { .door = door };

	while (wait_at_door(&porch, listener, end))
		;
	for (uint32_t i = 0; i < porch.num_silent; i++)
		close(porch.silent[i].peer.sock);
}

bool nnipc_door_close(struct nnipc_door *door, int64_t timeout_ns)
{
	const struct timespec until = nnutil_timespec(nnutil_monotonic_ns() + timeout_ns);
	bool empty;

	pthread_mutex_lock(&door->lock);
	for (struct nnipc_door_guest *g = door->guests; g; g = g->next)
		shutdown(g->peer.sock, SHUT_RDWR);
	while (door->guests && !pthread_cond_timedwait(&door->left, &door->lock, &until))
		;
	empty = !door->guests;
	pthread_mutex_unlock(&door->lock);
	return empty;
}
