// SPDX-License-Identifier: Apache-2.0
/* The reaper: what is to be done when fences signal. */
#include "device/nnhal_device.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/nnhal_base.h"
#include "nnutil_process.h"

#define RETRY_US 10000 /* after there was no memory to watch all fences */

/* What the task polls: the eventfd, then the fence of each job in the order of the list. */
struct watch {
	struct pollfd *fds;
	uint32_t max;
	int timeout_ms; /* of the earliest deadline; -1: none */
};

/* Under the lock: watch all jobs of the list. False: out of memory. */
static bool watch_all(const struct nnhal_reaper *r, struct watch *w, uint32_t *count)
{
	struct pollfd *fds;
	int64_t first_ns = NNHAL_NO_TIME;
	uint32_t n = 1;

	for (const struct nnhal_reaped *job = r->head; job; job = job->next)
		n++;
	if (n > w->max) {
		fds = reallocarray(w->fds, 2 * (size_t)n, sizeof(*fds));
		if (!fds)
			return false;
		w->fds = fds;
		w->max = 2 * n;
	}
	w->fds[0] = (struct pollfd){ .fd = r->news, .events = POLLIN };
	n = 1;
	for (const struct nnhal_reaped *job = r->head; job; job = job->next) {
		w->fds[n++] = (struct pollfd){ .fd = job->fence, .events = POLLIN };
		if (job->deadline_ns != NNHAL_NO_TIME &&
		    (first_ns == NNHAL_NO_TIME || job->deadline_ns < first_ns))
			first_ns = job->deadline_ns;
	}
	w->timeout_ms = nnhal_deadline_ms(first_ns);
	*count = n;
	return true;
}

/*
 * End the watched jobs whose fences signalled or whose deadline has passed. Jobs behind the first
 * @count - 1 were not watched.
 */
static void reap_ended(struct nnhal_reaper *r, const struct watch *w, uint32_t count)
{
	struct nnhal_reaped **pos = &r->head, *job, *ended = NULL;

	pthread_mutex_lock(&r->lock);
	r->tail = NULL;
	for (uint32_t i = 1; (job = *pos); i++) {
		if (i < count && (w->fds[i].revents || nnhal_deadline_passed(job->deadline_ns))) {
			*pos = job->next;
			job->next = ended;
			ended = job;
		} else {
			r->tail = job;
			pos = &job->next;
		}
	}
	pthread_mutex_unlock(&r->lock);
	while ((job = ended)) {
		ended = job->next;
		job->ended(job);
	}
}

/* The task: runs while there are jobs. */
static void reaper_reap(void *cookie)
{
	struct nnhal_reaper *r = cookie;
	struct watch w = { 0 };
	eventfd_t unused;
	uint32_t count;

	pthread_mutex_lock(&r->lock);
	while (r->head) {
		bool all = watch_all(r, &w, &count);

		pthread_mutex_unlock(&r->lock);
		if (!all) {
			usleep(RETRY_US);
		} else if (poll(w.fds, count, w.timeout_ms) >= 0) {
			if (w.fds[0].revents)
				eventfd_read(r->news, &unused);
			reap_ended(r, &w, count);
		}
		pthread_mutex_lock(&r->lock);
	}
	r->running = false;
	pthread_mutex_unlock(&r->lock);
	free(w.fds);
	nnhal_ref_put(r->owner);
}

/* Under the lock: a task that will see the next job. */
static int wake(struct nnhal_reaper *r)
{
	int ret;

	if (r->news < 0)
		r->news = nnutil_fd_keep(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	if (r->news < 0)
		return -EMFILE;
	if (r->running)
		return eventfd_write(r->news, 1) ? -errno : 0;
	nnhal_ref_get(r->owner);
	ret = nnhal_run_async(reaper_reap, r);
	if (ret)
		nnhal_ref_put(r->owner); /* never the last */
	else
		r->running = true;
	return ret;
}

int nnhal_reaper_add(struct nnhal_reaper *r, struct nnhal_reaped *job)
{
	int ret;

	pthread_mutex_lock(&r->lock);
	ret = wake(r);
	if (!ret) {
		job->next = NULL;
		if (r->tail)
			r->tail->next = job;
		else
			r->head = job;
		r->tail = job;
	}
	pthread_mutex_unlock(&r->lock);
	return ret;
}

void nnhal_reaper_init(struct nnhal_reaper *r, struct nnhal_ref *owner)
{
	*r = (struct nnhal_reaper){ .owner = owner, .news = -1 };
	pthread_mutex_init(&r->lock, NULL);
}

void nnhal_reaper_fini(struct nnhal_reaper *r)
{
	nnutil_fd_close(r->news);
	pthread_mutex_destroy(&r->lock);
}
