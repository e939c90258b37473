// SPDX-License-Identifier: Apache-2.0
/* Starting workers again. */
#include "host/nnipc_host.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "nnutil_clock.h"
#include "nnutil_process.h"
#include "nnutil_log.h"

struct nnipc_supervisor {
	struct nnipc_supervisor *next; /* constant once it is in the list */
	struct nnipc_target target; /* constant */
	struct nnipc_restart_policy policy;
	uint32_t restarts;
};

/* Of the list, and of all policies. Taken last; held for a moment only, also over fork(). */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct nnipc_supervisor *all;

static void supervisor_hold(void)
{
	pthread_mutex_lock(&lock);
}

/* A child has made no worker, and lost none. */
static void supervisor_release(bool child)
{
	for (struct nnipc_supervisor *s = all; child && s; s = s->next) {
		s->policy.crashes = 0;
		s->policy.offline_until_ns = 0;
		s->restarts = 0;
	}
	pthread_mutex_unlock(&lock);
}

/* Under the lock. */
static struct nnipc_supervisor *supervisor_find(const struct nnipc_target *target)
{
	struct nnipc_supervisor *s = all;

	while (s && !nnipc_target_equal(&s->target, target))
		s = s->next;
	return s;
}

struct nnipc_supervisor *nnipc_supervisor_get(const struct nnipc_target *target)
{
	static struct nnutil_fork_handler handler = { .before = supervisor_hold,
						      .after = supervisor_release };
	const unsigned int max_crashes = nnipc_settings()->max_crashes;
	struct nnipc_supervisor *s;

	nnutil_process_watch(&handler);
	pthread_mutex_lock(&lock);
	s = supervisor_find(target);
	if (!s) {
		s = calloc(1, sizeof(*s));
		if (s && nnipc_target_copy(&s->target, target)) {
			free(s);
			s = NULL;
		}
		if (s) {
			s->policy.max_crashes = max_crashes;
			s->next = all;
			all = s;
		}
	}
	pthread_mutex_unlock(&lock);
	return s;
}

/*
 * A worker ended, or never came to life. Under the lock of its connection. A service that made none
 * is no crash: it may have a place the next time.
 */
static void crashed(void *supervisor, char *next, size_t size)
{
	const int64_t now = nnutil_boottime_ns();
	struct nnipc_supervisor *s = supervisor;

	pthread_mutex_lock(&lock);
	nnipc_restart_crashed(&s->policy, now);
	nnipc_restart_text(&s->policy, now, next, size);
	pthread_mutex_unlock(&lock);
}

/* Whether the policy allows a start now. */
static int may_start(struct nnipc_supervisor *s, char *message, size_t size)
{
	const int64_t now = nnutil_boottime_ns();
	int64_t wait_ns;
	char next[96];
	int ret;

	pthread_mutex_lock(&lock);
	ret = nnipc_restart_wait(&s->policy, now, &wait_ns);
	nnipc_restart_text(&s->policy, now, next, sizeof(next));
	pthread_mutex_unlock(&lock);
	if (!ret)
		return 0;
	return nnutil_refuse(message, size, ret, "the worker of %s%s%s crashed; restart: %s",
			     s->target.spec ? s->target.spec : "the default device",
			     s->target.how == NNIPC_SERVICE ? " behind the service at " : "",
			     s->target.how == NNIPC_SERVICE ? s->target.path : "", next);
}

int nnipc_supervisor_start(struct nnipc_supervisor *s, const struct nnipc_description *expected,
			   struct nnipc_connection **c, char *message, size_t size)
{
	const char *difference;
	char next[96];
	int ret;

	*c = NULL;
	ret = may_start(s, message, size);
	if (ret)
		return ret;
	ret = nnipc_connection_open(&s->target, crashed, s, c, message, size);
	if (ret == -EPIPE || ret == -ETIME || ret == -EPROTO)
		crashed(s, next, sizeof(next));
	if (ret || !expected)
		return ret;
	difference = nnipc_description_differs(expected, nnipc_connection_description(*c));
	if (difference) {
		nnipc_connection_put(*c);
		*c = NULL;
		return nnutil_refuse(message, size, -ESTALE,
				     "the new worker has another device: its %s differs; open the "
				     "device anew",
				     difference);
	}
	pthread_mutex_lock(&lock);
	s->restarts++;
	pthread_mutex_unlock(&lock);
	return 0;
}

uint32_t nnipc_supervisor_restarts(struct nnipc_supervisor *s)
{
	uint32_t restarts;

	pthread_mutex_lock(&lock);
	restarts = s->restarts;
	pthread_mutex_unlock(&lock);
	return restarts;
}
