// SPDX-License-Identifier: Apache-2.0
/*
 * Fenced executions in a task. The reaper watches their in-fences one after the other; when all
 * have signalled the execution is given to a worker thread. So any number of executions can wait,
 * and none takes a thread from those that others wait for.
 *
 * The end is recorded before the fence signals, under the execution's lock: the outputs and the
 * result are visible once the fence has signalled, and not earlier. A lost job is run once more,
 * since its end was never visible. If this process dies, its fences end in error.
 */
#include "execute/nnhal_execute.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "base/nnhal_base.h"
#include "nnutil_clock.h"
#include "nnutil_fence.h"
#include "nnutil_process.h"
#include "transport/transport.h"
#include "values/nnhal_values.h"

/* The errno of its fence. */
static int error_of(enum nnhal_status status, const struct nnhal_tend *end)
{
	switch (status) {
	case NNHAL_NONE:
		return 0;
	case NNHAL_MISSED_DEADLINE_TRANSIENT:
	case NNHAL_MISSED_DEADLINE_PERSISTENT:
		return -ETIME;
	default:
		return end->error < 0 ? end->error : -EIO;
	}
}

static void end_task(struct nnhal_fenced *f, enum nnhal_status status, const struct nnhal_tend *end)
{
	nnhal_trace_notify();
	pthread_mutex_lock(&f->lock);
	nnhal_fenced_conclude(f, status, end, nnutil_monotonic_ns());
	nnutil_fd_close(f->reaped.fence);
	f->reaped.fence = -1;
	nnutil_fence_signal(f->task.signal, error_of(f->status, end));
	f->task.signal = -1;
	pthread_mutex_unlock(&f->lock);
	nnhal_fenced_put(f);
}

/* Those that the reaper watched have signalled, or will not. @error: of the fence that failed. */
static enum nnhal_status wait_inputs(const struct nnhal_fenced *f, int *error)
{
	for (uint32_t i = 0; i < f->num_wait_for; i++) {
		int ret = nnhal_fence_wait(f->wait_for[i], f->task.deadline_ns);

		if (ret == -ETIME)
			return NNHAL_MISSED_DEADLINE_TRANSIENT;
		if (!ret)
			continue;
		ret = nnutil_fence_status(f->wait_for[i], NULL);
		*error = ret < 0 ? ret : -EIO;
		return NNHAL_GENERAL_FAILURE;
	}
	return NNHAL_NONE;
}

static void fenced_task_run(void *cookie)
{
	struct nnhal_fenced *f = cookie;
	struct nnhal_binding *b = f->binding; /* this task ends it */
	struct nnhal_execution_result result;
	struct nnhal_tend end = { 0 };
	enum nnhal_status status;
	int64_t deadline_ns;

	nnhal_result_init(&result);
	status = wait_inputs(f, &end.error);
	deadline_ns = nnhal_deadline_with_duration(f->task.deadline_ns, f->task.duration_ns);
	if (!status)
		status = nnhal_deadline_missed(deadline_ns, b->start_ns);
	if (!status)
		status = nnhal_execute_begun(b, deadline_ns, &result, &end);
	nnhal_execution_result_clear(&result);
	end_task(f, status, &end);
}

static void run_later(struct nnhal_fenced *f)
{
	/* no thread: then in this one */
	if (nnhal_run_async(fenced_task_run, f))
		fenced_task_run(f);
}

/* Have the reaper watch the next in-fence. */
static void wait_more(struct nnhal_fenced *f)
{
	struct nnhal_fenced_task *t = &f->task;

	while (t->next < f->num_wait_for && nnutil_fence_status(f->wait_for[t->next], NULL) == 1)
		t->next++;
	if (t->next < f->num_wait_for) {
		t->waiting.fence = f->wait_for[t->next];
		if (!nnhal_reaper_add(&f->dev->reaper, &t->waiting))
			return;
	}
	run_later(f);
}

static void watched_ended(struct nnhal_reaped *waiting)
{
	struct nnhal_fenced *f =
		(struct nnhal_fenced *)((char *)waiting -
					offsetof(struct nnhal_fenced, task.waiting));

	if (nnutil_fence_status(waiting->fence, NULL) == 1)
		wait_more(f);
	else
		run_later(f); /* too late, or failed */
}

int nnhal_fenced_task_prepare(struct nnhal_fenced *f, const int *wait_for, uint32_t num_wait_for,
			      int *sync_fence)
{
	int ret = nnhal_fenced_keep_fences(f, wait_for, num_wait_for);

	if (!ret)
		ret = nnutil_fence_create(sync_fence, &f->task.signal);
	if (!ret) {
		f->reaped.fence = nnutil_fd_keep(fcntl(*sync_fence, F_DUPFD_CLOEXEC, 0));
		if (f->reaped.fence < 0)
			ret = -EMFILE;
	}
	if (ret)
		nnhal_fenced_task_drop(f, sync_fence);
	return ret;
}

void nnhal_fenced_task_drop(struct nnhal_fenced *f, int *sync_fence)
{
	nnhal_fenced_close_fences(f);
	nnutil_fd_close(f->task.signal);
	nnutil_fd_close(f->reaped.fence);
	f->task.signal = f->reaped.fence = -1;
	if (*sync_fence >= 0)
		close(*sync_fence);
	*sync_fence = -1;
}

void nnhal_fenced_task_start(struct nnhal_fenced *f, int64_t deadline_ns, int64_t duration_ns)
{
	f->task.deadline_ns = f->task.waiting.deadline_ns = deadline_ns;
	f->task.duration_ns = duration_ns;
	f->task.waiting.ended = watched_ended;
	nnhal_fenced_get(f); /* the task's */
	wait_more(f);
}
