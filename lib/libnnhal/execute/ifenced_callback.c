// SPDX-License-Identifier: Apache-2.0
/*
 * IFencedExecutionCallback. Ending a launched job is up to the first that checks after its fence
 * signalled: the client, a reader of a buffer that it writes, or the device's reaper. An execution
 * in a task is ended by the task, before its fence signals.
 */
#include "execute/nnhal_execute.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>

#include "values/nnhal_values.h"
#include "nnutil_process.h"
#include "base/nnhal_base.h"
#include "nnutil_clock.h"
#include "nnutil_fence.h"

/* Statuses that IFencedExecutionCallback may give. */
enum nnhal_status nnhal_fenced_status(enum nnhal_status status)
{
	return status == NNHAL_INVALID_ARGUMENT || status == NNHAL_OUTPUT_INSUFFICIENT_SIZE
		       ? NNHAL_GENERAL_FAILURE
		       : status;
}

void nnhal_fenced_close_fences(struct nnhal_fenced *f)
{
	for (uint32_t i = 0; i < f->num_wait_for; i++)
		nnutil_fd_close(f->wait_for[i]);
	free(f->wait_for);
	f->wait_for = NULL;
	f->num_wait_for = 0;
}

/* CLOCK_MONOTONIC when the last in-fence signalled, or @start_ns. */
int64_t nnhal_fenced_inputs_ready(const int *fds, uint32_t count, int64_t start_ns)
{
	int64_t at = start_ns, ns;

	for (uint32_t i = 0; i < count; i++)
		if (nnutil_fence_status(fds[i], &ns) == 1 && ns > at)
			at = ns;
	return at;
}

void nnhal_fenced_conclude(struct nnhal_fenced *f, enum nnhal_status status,
			   const struct nnhal_tend *end, int64_t done_ns)
{
	struct nnhal_binding *b = f->binding;

	f->status = nnhal_fenced_status(status);
	if (f->status == NNHAL_NONE && b->measure) {
		f->launched = nnhal_timing_of(end, done_ns - b->start_ns);
		f->fenced = nnhal_timing_of(
			end, done_ns - nnhal_fenced_inputs_ready(f->wait_for, f->num_wait_for,
								 b->start_ns));
	}
	nnhal_fenced_close_fences(f);
	nnhal_binding_done(b, &f->promise, f->status);
	nnhal_binding_release(b);
	f->binding = NULL;
	f->done = true;
}

/* Under f->lock. The job has ended. */
static void ifenced_callback_finish(struct nnhal_fenced *f, const struct nnhal_tend *end)
{
	struct nnhal_execution_result result;
	enum nnhal_status status;

	nnhal_trace_notify();
	nnhal_result_init(&result);
	status = nnhal_result_read(f->binding, f->job->seqno, end, &result);
	nnhal_execution_result_clear(&result);
	f->dev->t->ops->job_free(f->dev->t, f->job);
	nnhal_queue_put(&f->dev->queues, f->queue, nnhal_end_bans(end));
	nnhal_fenced_conclude(f, status, end,
			      end->done_ns ? (int64_t)end->done_ns : nnutil_monotonic_ns());
}

/* If the job ended, finish it; with @block (the reaper only) wait for its end. */
static void ifenced_callback_settle(struct nnhal_fenced *f, bool block)
{
	const struct nnhal_transport_ops *ops = f->dev->t->ops;
	struct nnhal_tend end = { 0 };
	int ret = 0;

	pthread_mutex_lock(&f->lock);
	if (!f->done && block) {
		f->waiting = true;
		pthread_mutex_unlock(&f->lock);
		ret = ops->wait(f->dev->t, f->job, true, &end);
		pthread_mutex_lock(&f->lock);
		f->waiting = false;
	} else if (!f->done && !f->job) {
		ret = -EAGAIN;
	} else if (!f->done) {
		ret = ops->wait(f->dev->t, f->job, false, &end);
		/* it ended, and the reaper is in the transport with it: the reaper frees the job */
		while (ret != -EAGAIN && f->waiting)
			pthread_cond_wait(&f->settled, &f->lock);
	}
	if (!f->done && ret != -EAGAIN) {
		if (ret)
			end = (struct nnhal_tend){ .status = NNACCEL_STATUS_UNPLUGGED,
						   .error = -ENODEV };
		ifenced_callback_finish(f, &end);
		pthread_cond_broadcast(&f->settled);
	}
	pthread_mutex_unlock(&f->lock);
}

struct nnhal_fenced *nnhal_fenced_get(struct nnhal_fenced *f)
{
	atomic_fetch_add_explicit(&f->refs, 1, memory_order_relaxed);
	return f;
}

void nnhal_fenced_put(struct nnhal_fenced *f)
{
	if (atomic_fetch_sub_explicit(&f->refs, 1, memory_order_acq_rel) != 1)
		return;
	pthread_mutex_destroy(&f->lock);
	pthread_cond_destroy(&f->settled);
	nnhal_dev_put(f->dev);
	free(f);
}

void nnhal_fenced_settle(struct nnhal_fenced *f)
{
	ifenced_callback_settle(f, false);
}

/* ---- as a promise to buffers ---- */

static struct nnhal_fenced *of_promise(struct nnhal_promise *promise)
{
	return (struct nnhal_fenced *)((char *)promise - offsetof(struct nnhal_fenced, promise));
}

static void promise_get(struct nnhal_promise *promise)
{
	nnhal_fenced_get(of_promise(promise));
}

static void promise_put(struct nnhal_promise *promise)
{
	nnhal_fenced_put(of_promise(promise));
}

static void promise_settle(struct nnhal_promise *promise)
{
	ifenced_callback_settle(of_promise(promise), false);
}

static const struct nnhal_promise_ops promise_ops = {
	.get = promise_get,
	.put = promise_put,
	.settle = promise_settle,
};

/* The reaper or the task closes the fence when the execution has ended. */
int nnhal_fenced_dup_fence(struct nnhal_promise *promise)
{
	struct nnhal_fenced *f = of_promise(promise);
	int fd = -1;

	pthread_mutex_lock(&f->lock);
	if (f->reaped.fence >= 0 && !f->done) {
		fd = fcntl(f->reaped.fence, F_DUPFD_CLOEXEC, 0);
		if (fd < 0)
			fd = -EMFILE;
	}
	pthread_mutex_unlock(&f->lock);
	return fd;
}

/* ---- as a job of the reaper ---- */

/* Ends the job, and drops the reference of the reaper. */
void nnhal_fenced_finish(struct nnhal_fenced *f)
{
	ifenced_callback_settle(f, true);
	pthread_mutex_lock(&f->lock);
	nnutil_fd_close(f->reaped.fence);
	f->reaped.fence = -1;
	pthread_mutex_unlock(&f->lock);
	nnhal_fenced_put(f);
}

static void reaped_ended(struct nnhal_reaped *job)
{
	/* this does not block: the fence is the job's */
	nnhal_fenced_finish(
		(struct nnhal_fenced *)((char *)job - offsetof(struct nnhal_fenced, reaped)));
}

/* ---- as the client's callback ---- */

static void callback_destroy(struct nnhal_fenced_callback *base)
{
	struct nnhal_fenced *f = (struct nnhal_fenced *)base;

	if (!nnhal_inherited(f->dev))
		nnhal_fenced_put(f);
}

static enum nnhal_status get_execution_info(struct nnhal_fenced_callback *base,
					    struct nnhal_timing *launched,
					    struct nnhal_timing *fenced)
{
	struct nnhal_fenced *f = (struct nnhal_fenced *)base;
	enum nnhal_status status = NNHAL_GENERAL_FAILURE;

	*launched = *fenced = (struct nnhal_timing){ NNHAL_NO_TIME, NNHAL_NO_TIME };
	if (nnhal_inherited(f->dev))
		return NNHAL_DEAD_OBJECT;
	ifenced_callback_settle(f, false);
	pthread_mutex_lock(&f->lock);
	if (f->done) {
		status = f->status;
		*launched = f->launched;
		*fenced = f->fenced;
	}
	pthread_mutex_unlock(&f->lock);
	return status;
}

static const struct nnhal_fenced_callback_ops callback_ops = {
	.size = sizeof(callback_ops),
	.destroy = callback_destroy,
	.get_execution_info = get_execution_info,
};

struct nnhal_fenced *nnhal_fenced_new(struct nnhal_dev *dev)
{
	struct nnhal_fenced *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->base.ops = &callback_ops;
	f->promise.ops = &promise_ops;
	f->reaped.ended = reaped_ended;
	atomic_init(&f->refs, 1);
	f->reaped.fence = -1;
	f->reaped.deadline_ns = NNHAL_NO_TIME;
	f->task.signal = -1;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->settled, NULL);
	f->dev = nnhal_dev_get(dev);
	f->launched = f->fenced = (struct nnhal_timing){ NNHAL_NO_TIME, NNHAL_NO_TIME };
	return f;
}

int nnhal_fenced_keep_fences(struct nnhal_fenced *f, const int *fds, uint32_t count)
{
	f->wait_for = calloc(count + 1, sizeof(int));
	if (!f->wait_for)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		int fd = nnutil_fd_keep(fcntl(fds[i], F_DUPFD_CLOEXEC, 0));

		if (fd < 0)
			return -EMFILE;
		f->wait_for[f->num_wait_for++] = fd;
	}
	return 0;
}
