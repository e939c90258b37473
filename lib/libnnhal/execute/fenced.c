// SPDX-License-Identifier: Apache-2.0
/*
 * Fenced executions. If the transport has fences and every argument is in place, the job is
 * submitted with its in-fences and the call returns its out-fence at once. Staged arguments do not
 * allow that: an input has no content before the in-fences signal, and an output needs the copy
 * back. Neither does an in-fence of user space, which the kernel cannot wait for. Then the call
 * waits for the in-fences, executes, and returns -1, "finished already", as NNAPI allows; or, of a
 * device that makes fences of user space, a task does so and the call returns its fence.
 *
 * The fence of a submitted job is public, so a lost job is not run again: its fence ends in error.
 *
 * @duration: without pending in-fences it is part of the deadline. Otherwise it begins when they
 * signal, which only the kernel sees: it becomes the job's running-time limit there.
 */
#include "execute/nnhal_execute.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/nnhal_base.h"
#include "values/nnhal_values.h"
#include "nnutil_process.h"
#include "nnutil_clock.h"
#include "nnutil_fence.h"
#include "transport/transport.h"

/*
 * The fences that an execution waits for: those it was given, then those of the executions that
 * promised its inputs. The latter are always added, because a given fence does not show which
 * fences it contains.
 */
struct waits {
	int *fds;
	uint32_t num_fds, num_given;
	struct nnhal_promise **writers;
	uint32_t num_writers;
	bool pending; /* a fence has not signalled yet */
	bool user; /* a fence is of user space */
};

static void waits_fini(struct waits *w)
{
	for (uint32_t i = w->num_given; i < w->num_fds; i++)
		close(w->fds[i]);
	for (uint32_t i = 0; i < w->num_writers; i++)
		w->writers[i]->ops->put(w->writers[i]);
	free(w->fds);
	free(w->writers);
}

/* Takes the reference to @writer over. */
static int add_writer(struct waits *w, struct nnhal_promise *writer)
{
	int fd = nnhal_fenced_dup_fence(writer);

	if (fd < 0) {
		writer->ops->put(writer);
		return fd == -1 ? 0 : fd;
	}
	w->writers[w->num_writers++] = writer;
	w->fds[w->num_fds++] = fd;
	w->pending = true;
	w->user |= !nnutil_fence_is_sync_file(fd);
	return 0;
}

/* An execution without in-fences does not wait: its inputs must be there. */
static int waits_init(struct waits *w, const struct nnhal_binding *b,
		      const struct nnhal_fenced_launch *l)
{
	struct nnhal_promise *writer;
	int ret = 0;

	*w = (struct waits){ .pending = l->pending };
	w->fds = calloc((size_t)l->num_wait_for + b->pm->num_inputs + 1, sizeof(int));
	w->writers = calloc((size_t)b->pm->num_inputs + 1, sizeof(struct nnhal_promise *));
	if (!w->fds || !w->writers)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->num_wait_for; i++) {
		w->fds[w->num_fds++] = l->wait_for[i];
		w->user |= b->pm->dev->t->fences && !nnutil_fence_is_sync_file(l->wait_for[i]);
	}
	w->num_given = w->num_fds;
	for (uint32_t i = 0; i < b->pm->num_inputs && l->num_wait_for && !ret; i++) {
		writer = b->buffers[i] ? nnhal_buf_writer(b->buffers[i]) : NULL;
		if (writer)
			ret = add_writer(w, writer);
	}
	return ret;
}

/* Submit with fences and return the out-fence. Takes the binding over on success. */
static enum nnhal_status submit_fenced(struct nnhal_fenced *f, struct nnhal_binding *b,
				       const struct nnhal_fenced_launch *l, const struct waits *w,
				       int *sync_fence)
{
	NNHAL_TRACE_LAUNCH();
	struct nnhal_transport *t = f->dev->t;
	char message[NNHAL_MESSAGE];
	struct nnhal_tsubmit submit;
	enum nnhal_status status;
	int ret;

	status = nnhal_binding_ready(b, w->writers, w->num_writers, message);
	if (status) {
		nnhal_trace_notify();
		return status;
	}
	if (b->measure) {
		ret = nnhal_fenced_keep_fences(f, w->fds, w->num_fds);
		if (ret)
			goto err_fences;
	}
	nnhal_binding_stage_in(b);
	nnhal_binding_submit(b, nnhal_deadline_monotonic(l->deadline_ns), &submit);
	if (w->pending) {
		submit.wait_fds = w->fds;
		submit.num_wait_fds = w->num_fds;
		if (l->duration_ns != NNHAL_NO_TIME)
			submit.max_ns = (uint64_t)l->duration_ns;
	}
	ret = nnhal_queue_submit(&f->dev->queues, b->pm->priority, &submit, &f->queue, &f->job);
	if (ret)
		goto err_fences;
	f->binding = b;
	ret = t->ops->export_fence(t, f->job, sync_fence);
	if (!ret) {
		f->reaped.fence = nnutil_fd_keep(fcntl(*sync_fence, F_DUPFD_CLOEXEC, 0));
		if (f->reaped.fence < 0) {
			close(*sync_fence);
			ret = -EMFILE;
		}
	}
	nnhal_binding_begin(b, &f->promise);
	nnhal_fenced_get(f);
	if (ret || nnhal_reaper_add(&f->dev->reaper, &f->reaped)) {
		/*
		 * no thread or descriptor for the reaper: end it here, and answer "finished
		 * already"
		 */
		if (!ret)
			close(*sync_fence);
		*sync_fence = -1;
		nnhal_fenced_finish(f);
	}
	return NNHAL_NONE;

err_fences:
	nnhal_trace_notify();
	nnhal_fenced_close_fences(f);
	return ret == -EINVAL ? NNHAL_GENERAL_FAILURE : nnhal_status_of(NNHAL_NO_JOB, ret);
}

/* Have a task wait for the in-fences and execute. Takes the binding over on success. */
static enum nnhal_status task_fenced(struct nnhal_fenced *f, struct nnhal_binding *b,
				     const struct nnhal_fenced_launch *l, const struct waits *w,
				     int *sync_fence)
{
	NNHAL_TRACE_LAUNCH();
	char message[NNHAL_MESSAGE];
	enum nnhal_status status = nnhal_binding_ready(b, w->writers, w->num_writers, message);

	if (status) {
		nnhal_trace_notify();
		nnhal_fenced_task_drop(f, sync_fence);
		return status;
	}
	f->binding = b;
	nnhal_binding_begin(b, &f->promise);
	nnhal_fenced_task_start(f, l->deadline_ns, w->pending ? l->duration_ns : NNHAL_NO_TIME);
	return NNHAL_NONE;
}

/* Whether the kernel can do it all, from the in-fences to the end. */
static bool can_submit(const struct nnhal_binding *b, const struct waits *w)
{
	return b->pm->dev->t->fences && !b->staged_out &&
	       !(w->pending && (b->staged_in || w->user));
}

/* Wait for the in-fences in this thread, then execute. */
static enum nnhal_status run_fenced(struct nnhal_fenced *f, struct nnhal_binding *b,
				    const struct nnhal_fenced_launch *l, const struct waits *w)
{
	NNHAL_TRACE_EXECUTE();
	struct nnhal_execution_result result;
	struct nnhal_tend end = { 0 };
	enum nnhal_status status;
	int64_t ready_ns, deadline_ns = l->deadline_ns, now;

	for (uint32_t i = 0; i < w->num_fds; i++) {
		int ret = nnhal_fence_wait(w->fds[i], deadline_ns);

		if (ret == -ETIME)
			return NNHAL_MISSED_DEADLINE_TRANSIENT;
		if (ret)
			return NNHAL_GENERAL_FAILURE;
	}
	ready_ns = nnhal_fenced_inputs_ready(w->fds, w->num_fds, b->start_ns);
	if (w->pending)
		deadline_ns = nnhal_deadline_with_duration(deadline_ns, l->duration_ns);
	nnhal_result_init(&result);
	status = nnhal_fenced_status(nnhal_execute_binding(b, deadline_ns, &result, &end));
	nnhal_execution_result_clear(&result);
	if (status)
		return status;
	if (b->measure) {
		now = nnutil_monotonic_ns();
		f->launched = nnhal_timing_of(&end, now - b->start_ns);
		f->fenced = nnhal_timing_of(&end, now - ready_ns);
	}
	nnhal_binding_release(b);
	f->done = true;
	return NNHAL_NONE;
}

/* Refuses descriptors that are no fence, and fences in error. */
enum nnhal_status nnhal_fenced_check(struct nnhal_fenced_launch *l)
{
	if (!nnhal_time_valid(l->deadline_ns) || !nnhal_time_valid(l->duration_ns) ||
	    (l->num_wait_for && !l->wait_for))
		return NNHAL_INVALID_ARGUMENT;
	for (uint32_t i = 0; i < l->num_wait_for; i++) {
		int state = nnutil_fence_status(l->wait_for[i], NULL);

		if (state < 0)
			return NNHAL_INVALID_ARGUMENT;
		l->pending |= state == 0;
	}
	return NNHAL_NONE;
}

static enum nnhal_status fenced_launch(struct nnhal_fenced *f, struct nnhal_binding *b,
				       struct nnhal_fenced_launch *l, int *sync_fence)
{
	enum nnhal_status status;
	struct waits w;
	int ret = waits_init(&w, b, l);

	if (!w.pending)
		l->deadline_ns = nnhal_deadline_with_duration(l->deadline_ns, l->duration_ns);
	/* without time left nothing is launched, whatever the in-fences */
	status = ret		  ? nnhal_status_of(NNHAL_NO_JOB, ret)
		 : l->duration_ns ? nnhal_deadline_missed(l->deadline_ns, l->call_ns)
				  : NNHAL_MISSED_DEADLINE_PERSISTENT;
	if (!status && can_submit(b, &w))
		status = submit_fenced(f, b, l, &w, sync_fence);
	else if (!status && b->pm->dev->user_fences &&
		 !nnhal_fenced_task_prepare(f, w.fds, w.num_fds, sync_fence))
		status = task_fenced(f, b, l, &w, sync_fence);
	else if (!status)
		status = run_fenced(f, b, l, &w);
	waits_fini(&w);
	return status;
}

enum nnhal_status nnhal_fenced_run(struct nnhal_binding *b, struct nnhal_fenced_launch *l,
				   int *sync_fence, struct nnhal_fenced **fenced,
				   struct nnhal_fenced_callback **callback)
{
	enum nnhal_status status;
	struct nnhal_fenced *f;

	f = b->complete ? nnhal_fenced_new(b->pm->dev) : NULL;
	if (!f) {
		status = b->complete ? NNHAL_RESOURCE_EXHAUSTED_TRANSIENT : NNHAL_INVALID_ARGUMENT;
		nnhal_binding_release(b);
		return status;
	}
	status = fenced_launch(f, b, l, sync_fence);
	if (status) {
		nnhal_binding_release(b);
		nnhal_fenced_put(f);
		return status;
	}
	if (fenced)
		*fenced = nnhal_fenced_get(f);
	*callback = &f->base;
	return NNHAL_NONE;
}

enum nnhal_status nnhal_execute_fenced(struct nnhal_prepared_model *model,
				       const struct nnhal_request *request, const int *wait_for,
				       uint32_t num_wait_for,
				       const struct nnhal_execution_config *config,
				       int64_t deadline_ns, int64_t duration_ns, int *sync_fence,
				       struct nnhal_fenced_callback **callback)
{
	NNHAL_TRACE_PE("executeFenced");
	struct nnhal_fenced_launch l = {
		.wait_for = wait_for,
		.num_wait_for = num_wait_for,
		.deadline_ns = deadline_ns,
		.duration_ns = duration_ns,
		.call_ns = nnutil_monotonic_ns(),
	};
	char message[NNHAL_MESSAGE];
	enum nnhal_status status;
	struct nnhal_binding *b;

	*sync_fence = -1;
	*callback = NULL;
	status = nnhal_fenced_check(&l);
	if (!status)
		status = nnhal_bind((struct nnhal_pm *)model, request, config, deadline_ns, &b,
				    message);
	return status ? status : nnhal_fenced_run(b, &l, sync_fence, NULL, callback);
}
