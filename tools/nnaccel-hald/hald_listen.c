// SPDX-License-Identifier: Apache-2.0
/*
 * One thread accepts and waits for HELLOs, so that a silent client holds up nobody; each client
 * that is served has a thread.
 */
#include "hald_listen.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "hald_client.h"
#include "hald_log.h"
#include "nnutil_clock.h"

/* Most clients that have not said HELLO; the next one is cut at once. */
#define MOST_SILENT 256u

struct served {
	struct service *service;
	struct hald_client client;
	struct served *next;
};

struct silent {
	struct hald_client client;
	int64_t until;
};

struct service {
	const struct hald_options *options;
	pthread_mutex_t lock; /* protects served and count */
	struct served *served;
	uint32_t count;
	/* the main thread's */
	struct silent silent[MOST_SILENT];
	uint32_t num_silent;
};

/* ---- the socket ---- */

static int fail(const char *what, const char *path)
{
	const int error = -errno;

	hald_log("%s %s: %s", what, path, strerror(-error));
	return error;
}

/* A socket that nobody listens on is left over from a service that was killed. */
static int remove_stale(const struct sockaddr_un *address)
{
	int probe = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int connected =
		probe < 0 ? -1 : connect(probe, (const struct sockaddr *)address, sizeof(*address));
	int error = errno;

	if (probe >= 0)
		close(probe);
	if (connected && error == ENOENT)
		return 0;
	if (connected && error == ECONNREFUSED && !unlink(address->sun_path))
		return 0;
	errno = connected ? error : EADDRINUSE;
	return fail("cannot listen on", address->sun_path);
}

static int open_socket(const struct hald_options *o)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const mode_t old = umask(0777);
	int sock = -1;
	int error;

	if (strlen(o->listen) >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		error = fail("cannot listen on", o->listen);
		goto out;
	}
	strcpy(address.sun_path, o->listen);
	error = remove_stale(&address);
	if (error)
		goto out;
	sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sock < 0 || bind(sock, (const struct sockaddr *)&address, sizeof(address)) ||
	    (o->group != (gid_t)-1 && chown(o->listen, (uid_t)-1, o->group)) ||
	    chmod(o->listen, o->mode) || listen(sock, 64)) {
		error = fail("cannot listen on", o->listen);
		if (sock >= 0)
			close(sock);
	}
out:
	umask(old);
	return error ? error : sock;
}

/* ---- clients ---- */

/* Under the lock. */
static uint32_t served_of_user(const struct service *s, uid_t user)
{
	uint32_t count = 0;

	for (const struct served *c = s->served; c; c = c->next)
		count += c->client.user == user;
	return count;
}

static void forget(struct served *c)
{
	struct service *s = c->service;
	struct served **at = &s->served;

	pthread_mutex_lock(&s->lock);
	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	s->count--;
	pthread_mutex_unlock(&s->lock);
	free(c);
}

static void *serve(void *cookie)
{
	struct served *c = cookie;

	hald_client_serve(&c->client, c->service->options);
	forget(c);
	return NULL;
}

/* Count it, if the limits allow. False with @why. */
static bool admit(struct service *s, struct served *c, char *why, size_t size)
{
	const struct hald_options *o = s->options;
	bool admitted = false;

	pthread_mutex_lock(&s->lock);
	if (s->count >= o->max) {
		snprintf(why, size, "it serves %u clients already, more are not allowed", o->max);
	} else if (served_of_user(s, c->client.user) >= o->max_per_user) {
		snprintf(why, size, "user %u has reached the limit of %u open devices",
			 c->client.user, o->max_per_user);
	} else {
		c->next = s->served;
		s->served = c;
		s->count++;
		admitted = true;
	}
	pthread_mutex_unlock(&s->lock);
	return admitted;
}

/* A HELLO has come. */
static void begin(struct service *s, const struct hald_client *client)
{
	struct served *c = malloc(sizeof(*c));
	struct hald_client refused = *client;
	pthread_t thread;
	char why[128];

	if (!c) {
		hald_client_refuse(&refused, "the service has no memory left");
		return;
	}
	*c = (struct served){ .service = s, .client = *client };
	if (!admit(s, c, why, sizeof(why))) {
		hald_client_refuse(&refused, why);
		free(c);
		return;
	}
	if (pthread_create(&thread, NULL, serve, c)) {
		forget(c);
		hald_client_refuse(&refused, "the service has no thread left");
		return;
	}
	pthread_detach(thread);
}

/* No user can fill the places of all. */
static bool too_many_silent(const struct service *s, uid_t user)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->num_silent; i++)
		count += s->silent[i].client.user == user;
	return s->num_silent == MOST_SILENT || count >= 2 * s->options->max_per_user;
}

static void accept_client(struct service *s, int listener)
{
	struct hald_client client;
	int sock = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (sock < 0) {
		/* without descriptors the listener would be ready again at once */
		if (errno == EMFILE || errno == ENFILE)
			nanosleep(&(struct timespec){ .tv_nsec = 10 * NNUTIL_NS_PER_MS }, NULL);
		return;
	}
	if (hald_client_identify(&client, sock) || too_many_silent(s, client.user)) {
		hald_log("too many clients wait; one is cut");
		close(sock);
		return;
	}
	s->silent[s->num_silent++] = (struct silent){
		.client = client,
		.until = nnutil_monotonic_ns() + HALD_PATIENCE_NS,
	};
}

/* @ready: those of poll(), in the order of the silent ones. */
static void look_at_silent(struct service *s, const struct pollfd *ready)
{
	const int64_t now = nnutil_monotonic_ns();
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->num_silent; i++) {
		struct silent *c = &s->silent[i];

		if (ready[i].revents & POLLIN) {
			begin(s, &c->client);
		} else if (ready[i].revents || now >= c->until) {
			hald_log("client %d of user %u said nothing", (int)c->client.pid,
				 c->client.user);
			close(c->client.sock);
		} else {
			s->silent[kept++] = *c;
		}
	}
	s->num_silent = kept;
}

/* Until the first silent client's time is over. */
static int next_timeout(const struct service *s)
{
	const int64_t now = nnutil_monotonic_ns();
	int64_t least = INT64_MAX;

	for (uint32_t i = 0; i < s->num_silent; i++)
		if (s->silent[i].until - now < least)
			least = s->silent[i].until - now;
	if (least == INT64_MAX)
		return -1;
	return least < 0 ? 0 : (int)(least / NNUTIL_NS_PER_MS) + 1;
}

static void loop(struct service *s, int listener, int signals)
{
	static struct pollfd poll_fds[2 + MOST_SILENT];

	for (;;) {
		const uint32_t silent = s->num_silent;

		poll_fds[0] = (struct pollfd){ .fd = signals, .events = POLLIN };
		poll_fds[1] = (struct pollfd){ .fd = listener, .events = POLLIN };
		for (uint32_t i = 0; i < silent; i++)
			poll_fds[2 + i] =
				(struct pollfd){ .fd = s->silent[i].client.sock, .events = POLLIN };
		if (poll(poll_fds, 2 + silent, next_timeout(s)) < 0)
			continue;
		if (poll_fds[0].revents)
			return;
		look_at_silent(s, poll_fds + 2);
		if (poll_fds[1].revents)
			accept_client(s, listener);
	}
}

int hald_listen(const struct hald_options *options)
{
	static struct service service = { .lock = PTHREAD_MUTEX_INITIALIZER };
	int listener, signals;
	sigset_t ends;

	service.options = options;
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	signals = signalfd(-1, &ends, SFD_CLOEXEC);
	if (signals < 0)
		return EXIT_FAILURE;
	listener = open_socket(options);
	if (listener < 0)
		return EXIT_FAILURE;
	hald_log("listens on %s for devices of %s, sandbox %s", options->listen, options->library,
		 nnipc_sandbox_mode_name(options->sandbox));
	loop(&service, listener, signals);
	unlink(options->listen);
	/* workers end with us: their wardens see to it */
	hald_log("ends");
	_exit(EXIT_SUCCESS);
}
