// SPDX-License-Identifier: Apache-2.0
/*
 * Fenced executions. Where the transport has fences and every argument is in place, the job is
 * submitted with its in-fences and the call returns its out-fence at once. What must be staged
 * cannot be promised that way (an input has no content before the in-fences signal, an output is
 * only there when it was copied back): then the call waits for the in-fences, runs, and answers -1,
 * "finished already", which the contract allows.
 *
 * The fence of a submitted job is public, so a lost job is not run again: its fence ends in error.
 *
 * @duration: without in-fences that are pending it is part of the deadline. Else it begins when
 * they signal, which only the kernel sees: it becomes the job's running-time limit there.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "fence.h"
#include "hal.h"
#include "trace.h"

#define REAPER_RETRY_US 10000 /* without memory to watch all fences */

struct nnhal_fenced {
	struct nnhal_fenced_callback base;
	atomic_uint refs; /* user, reaper */
	pthread_mutex_t lock; /* of what follows up to job */
	pthread_cond_t settled;
	bool done, waiting; /* @waiting: the reaper is in the transport with the job */
	enum nnhal_status status;
	struct nnhal_timing launched, fenced;
	struct nnhal_binding *binding; /* until done */
	struct nnhal_queue *queue;
	struct nnhal_tjob *job;
	struct nnhal_dev *dev;
	int fence; /* own descriptor, while the reaper has it */
	int *wait_for; /* own descriptors, for the times; NULL: not measured */
	uint32_t num_wait_for;
	struct nnhal_fenced *next; /* of the reaper's list */
};

/* Statuses that IFencedExecutionCallback may give. */
static enum nnhal_status fenced_status(enum nnhal_status status)
{
	return status == NNHAL_INVALID_ARGUMENT || status == NNHAL_OUTPUT_INSUFFICIENT_SIZE
		       ? NNHAL_GENERAL_FAILURE
		       : status;
}

/* The execution of a binding ended; a reusable one may begin its next. */
static void let_go(struct nnhal_binding *b)
{
	atomic_store_explicit(&b->busy, false, memory_order_release);
	nnhal_unbind(b);
}

static void close_fences(struct nnhal_fenced *f)
{
	for (uint32_t i = 0; i < f->num_wait_for; i++)
		nnhal_fd_close(f->wait_for[i]);
	free(f->wait_for);
	f->wait_for = NULL;
	f->num_wait_for = 0;
}

/* CLOCK_MONOTONIC when the last in-fence signalled, or @start_ns. */
static int64_t inputs_ready(const int *fds, uint32_t count, int64_t start_ns)
{
	int64_t at = start_ns, ns;

	for (uint32_t i = 0; i < count; i++)
		if (nnhal_fence_status(fds[i], &ns) == 1 && ns > at)
			at = ns;
	return at;
}

/* Under f->lock. The job has ended. */
static void finish(struct nnhal_fenced *f, const struct nnhal_tend *end)
{
	struct nnhal_execution_result result;
	struct nnhal_binding *b = f->binding;
	int64_t done_ns;

	nnhal_trace_notify();
	nnhal_result_init(&result);
	f->status = fenced_status(nnhal_result_read(b, f->job->seqno, end, &result));
	nnhal_execution_result_clear(&result);
	if (f->status == NNHAL_NONE && b->measure) {
		done_ns = end->done_ns ? (int64_t)end->done_ns : nnhal_monotonic_ns();
		f->launched = nnhal_timing_of(end, done_ns - b->start_ns);
		f->fenced = nnhal_timing_of(
			end, done_ns - inputs_ready(f->wait_for, f->num_wait_for, b->start_ns));
	}
	f->dev->t->ops->job_free(f->dev->t, f->job);
	nnhal_queue_put(f->dev, f->queue, nnhal_end_bans(end));
	close_fences(f);
	nnhal_binding_done(b, f, f->status);
	let_go(b);
	f->binding = NULL;
	f->done = true;
}

/*
 * Look whether the job ended, and finish it then; with @block wait until it did (only the reaper
 * does).
 */
static void settle(struct nnhal_fenced *f, bool block)
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
	} else if (!f->done) {
		ret = ops->wait(f->dev->t, f->job, false, &end);
		/* it ended, and the reaper is about to see it: the job is the reaper's to free */
		while (ret != -EAGAIN && f->waiting)
			pthread_cond_wait(&f->settled, &f->lock);
	}
	if (!f->done && ret != -EAGAIN) {
		if (ret)
			end = (struct nnhal_tend){ .status = NNACCEL_STATUS_UNPLUGGED,
						   .error = -ENODEV };
		finish(f, &end);
		pthread_cond_broadcast(&f->settled);
	}
	pthread_mutex_unlock(&f->lock);
}

void nnhal_fenced_settle(struct nnhal_fenced *f)
{
	settle(f, false);
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
	settle(f, false);
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

/* ---- letting go of finished jobs ---- */

/* What the reaper looks at: one more than it has jobs, the first to be told of new ones. */
struct watch {
	struct pollfd *fds;
	uint32_t max;
};

/* Under the lock: all jobs of the list; false: no memory for so many. */
static bool watch_all(const struct nnhal_reaper *r, struct watch *w, uint32_t *count)
{
	struct pollfd *fds;
	uint32_t n = 1;

	for (const struct nnhal_fenced *f = r->head; f; f = f->next)
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
	for (const struct nnhal_fenced *f = r->head; f; f = f->next)
		w->fds[n++] = (struct pollfd){ .fd = f->fence, .events = POLLIN };
	*count = n;
	return true;
}

/* @f has left the list. */
static void let_reaped_go(struct nnhal_fenced *f)
{
	pthread_mutex_lock(&f->lock);
	nnhal_fd_close(f->fence);
	f->fence = -1;
	pthread_mutex_unlock(&f->lock);
	nnhal_fenced_put(f);
}

/* Those of the first @count - 1 of the list whose fences signalled; the rest were not looked at. */
static void reap_signalled(struct nnhal_reaper *r, const struct watch *w, uint32_t count)
{
	struct nnhal_fenced **pos = &r->head, *f, *ended = NULL;

	pthread_mutex_lock(&r->lock);
	r->tail = NULL;
	for (uint32_t i = 1; (f = *pos); i++) {
		if (i < count && w->fds[i].revents) {
			*pos = f->next;
			f->next = ended;
			ended = f;
		} else {
			r->tail = f;
			pos = &f->next;
		}
	}
	pthread_mutex_unlock(&r->lock);
	while ((f = ended)) {
		ended = f->next;
		settle(f, true); /* it does not block: the fence is the job's */
		let_reaped_go(f);
	}
}

/* A task, while there are jobs: each is let go of when it ends, whatever the others do. */
static void reap(void *cookie)
{
	struct nnhal_dev *dev = cookie;
	struct nnhal_reaper *r = &dev->reaper;
	struct watch w = { 0 };
	eventfd_t unused;
	uint32_t count;

	pthread_mutex_lock(&r->lock);
	while (r->head) {
		bool all = watch_all(r, &w, &count);

		pthread_mutex_unlock(&r->lock);
		if (!all) {
			usleep(REAPER_RETRY_US);
		} else if (poll(w.fds, count, -1) > 0) {
			if (w.fds[0].revents)
				eventfd_read(r->news, &unused);
			reap_signalled(r, &w, count);
		}
		pthread_mutex_lock(&r->lock);
	}
	r->running = false;
	pthread_mutex_unlock(&r->lock);
	free(w.fds);
	nnhal_dev_put(dev);
}

/* Under the lock: a task that will see the next job. */
static int reaper_wake(struct nnhal_dev *dev)
{
	struct nnhal_reaper *r = &dev->reaper;
	int ret;

	if (r->news < 0)
		r->news = nnhal_fd_keep(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	if (r->news < 0)
		return -EMFILE;
	if (r->running)
		return eventfd_write(r->news, 1) ? -errno : 0;
	nnhal_dev_get(dev);
	ret = nnhal_run_async(reap, dev);
	if (ret)
		atomic_fetch_sub_explicit(&dev->refs, 1, memory_order_relaxed); /* never the last */
	else
		r->running = true;
	return ret;
}

/* Takes over a reference. Nothing changed on error. */
static int reaper_add(struct nnhal_dev *dev, struct nnhal_fenced *f)
{
	struct nnhal_reaper *r = &dev->reaper;
	int ret;

	pthread_mutex_lock(&r->lock);
	ret = reaper_wake(dev);
	if (!ret) {
		f->next = NULL;
		if (r->tail)
			r->tail->next = f;
		else
			r->head = f;
		r->tail = f;
	}
	pthread_mutex_unlock(&r->lock);
	return ret;
}

void nnhal_reaper_init(struct nnhal_reaper *r)
{
	pthread_mutex_init(&r->lock, NULL);
	r->news = -1;
}

void nnhal_reaper_fini(struct nnhal_reaper *r)
{
	nnhal_fd_close(r->news);
	pthread_mutex_destroy(&r->lock);
}

/* ---- launching ---- */

static struct nnhal_fenced *fenced_alloc(struct nnhal_dev *dev)
{
	struct nnhal_fenced *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->base.ops = &callback_ops;
	atomic_init(&f->refs, 1);
	f->fence = -1;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->settled, NULL);
	f->dev = nnhal_dev_get(dev);
	f->launched = f->fenced = (struct nnhal_timing){ NNHAL_NO_TIME, NNHAL_NO_TIME };
	return f;
}

static int keep_fences(struct nnhal_fenced *f, const int *fds, uint32_t count)
{
	f->wait_for = calloc(count + 1, sizeof(int));
	if (!f->wait_for)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		int fd = nnhal_fd_keep(fcntl(fds[i], F_DUPFD_CLOEXEC, 0));

		if (fd < 0)
			return -EMFILE;
		f->wait_for[f->num_wait_for++] = fd;
	}
	return 0;
}

/*
 * What an execution waits for: the fences that it was given, then those of the executions that
 * promised what it reads. Whether a fence that was given is or contains the writer's cannot be
 * seen, so it is waited for in any case.
 */
struct waits {
	int *fds;
	uint32_t num_fds, num_given;
	struct nnhal_fenced **writers;
	uint32_t num_writers;
	bool pending; /* some of them have not signalled */
};

static void waits_fini(struct waits *w)
{
	for (uint32_t i = w->num_given; i < w->num_fds; i++)
		close(w->fds[i]);
	for (uint32_t i = 0; i < w->num_writers; i++)
		nnhal_fenced_put(w->writers[i]);
	free(w->fds);
	free(w->writers);
}

/*
 * The caller's descriptor of the fence that ends @f; -1: it has ended; or -errno. The reaper closes
 * it when it has.
 */
static int fence_of(struct nnhal_fenced *f)
{
	int fd = -1;

	pthread_mutex_lock(&f->lock);
	if (f->fence >= 0 && !f->done) {
		fd = fcntl(f->fence, F_DUPFD_CLOEXEC, 0);
		if (fd < 0)
			fd = -EMFILE;
	}
	pthread_mutex_unlock(&f->lock);
	return fd;
}

/* Takes @writer over. */
static int add_writer(struct waits *w, struct nnhal_fenced *writer)
{
	int fd = fence_of(writer);

	if (fd < 0) {
		nnhal_fenced_put(writer);
		return fd == -1 ? 0 : fd;
	}
	w->writers[w->num_writers++] = writer;
	w->fds[w->num_fds++] = fd;
	w->pending = true;
	return 0;
}

/* Who was given no fence waits for nothing: what it reads must be there. */
static int waits_init(struct waits *w, const struct nnhal_binding *b,
		      const struct nnhal_fenced_launch *l)
{
	struct nnhal_fenced *writer;
	int ret = 0;

	*w = (struct waits){ .pending = l->pending };
	w->fds = calloc((size_t)l->num_wait_for + b->pm->num_inputs + 1, sizeof(int));
	w->writers = calloc((size_t)b->pm->num_inputs + 1, sizeof(struct nnhal_fenced *));
	if (!w->fds || !w->writers)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->num_wait_for; i++)
		w->fds[w->num_fds++] = l->wait_for[i];
	w->num_given = w->num_fds;
	for (uint32_t i = 0; i < b->pm->num_inputs && l->num_wait_for && !ret; i++) {
		writer = b->buffers[i] ? nnhal_buf_writer(b->buffers[i]) : NULL;
		if (writer)
			ret = add_writer(w, writer);
	}
	return ret;
}

/* Submit with fences and answer the out-fence. Takes the binding over on success. */
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
		ret = keep_fences(f, w->fds, w->num_fds);
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
	ret = nnhal_queue_submit(f->dev, b->pm->priority, &submit, &f->queue, &f->job);
	if (ret)
		goto err_fences;
	f->binding = b;
	ret = t->ops->export_fence(t, f->job, sync_fence);
	if (!ret) {
		f->fence = nnhal_fd_keep(fcntl(*sync_fence, F_DUPFD_CLOEXEC, 0));
		if (f->fence < 0) {
			close(*sync_fence);
			ret = -EMFILE;
		}
	}
	nnhal_binding_begin(b, f);
	nnhal_fenced_get(f);
	if (ret || reaper_add(f->dev, f)) {
		/* no thread or descriptor for it: end it here, and answer "finished already" */
		if (!ret)
			close(*sync_fence);
		*sync_fence = -1;
		settle(f, true);
		let_reaped_go(f);
	}
	return NNHAL_NONE;

err_fences:
	nnhal_trace_notify();
	close_fences(f);
	return ret == -EINVAL ? NNHAL_GENERAL_FAILURE : nnhal_status_of(NNHAL_NO_JOB, ret);
}

/* Wait for the in-fences here, run, and be finished. */
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
	ready_ns = inputs_ready(w->fds, w->num_fds, b->start_ns);
	if (w->pending)
		deadline_ns = nnhal_deadline_with_duration(deadline_ns, l->duration_ns);
	nnhal_result_init(&result);
	status = fenced_status(nnhal_execute_binding(b, deadline_ns, &result, &end));
	nnhal_execution_result_clear(&result);
	if (status)
		return status;
	if (b->measure) {
		now = nnhal_monotonic_ns();
		f->launched = nnhal_timing_of(&end, now - b->start_ns);
		f->fenced = nnhal_timing_of(&end, now - ready_ns);
	}
	let_go(b);
	f->done = true;
	return NNHAL_NONE;
}

/* Everything that is not a sync_file, or is one in error, is refused. */
enum nnhal_status nnhal_fenced_check(struct nnhal_fenced_launch *l)
{
	int64_t ns;

	if (!nnhal_time_valid(l->deadline_ns) || !nnhal_time_valid(l->duration_ns) ||
	    (l->num_wait_for && !l->wait_for))
		return NNHAL_INVALID_ARGUMENT;
	for (uint32_t i = 0; i < l->num_wait_for; i++) {
		int state = nnhal_fence_status(l->wait_for[i], &ns);

		if (state < 0)
			return NNHAL_INVALID_ARGUMENT;
		l->pending |= state == 0;
	}
	return NNHAL_NONE;
}

static enum nnhal_status launch(struct nnhal_fenced *f, struct nnhal_binding *b,
				struct nnhal_fenced_launch *l, int *sync_fence)
{
	struct nnhal_dev *dev = b->pm->dev;
	enum nnhal_status status;
	struct waits w;
	int ret = waits_init(&w, b, l);

	if (!w.pending)
		l->deadline_ns = nnhal_deadline_with_duration(l->deadline_ns, l->duration_ns);
	/* no time is left, whatever is waited for: nothing is launched */
	status = ret		  ? nnhal_status_of(NNHAL_NO_JOB, ret)
		 : l->duration_ns ? nnhal_deadline_missed(l->deadline_ns, l->call_ns)
				  : NNHAL_MISSED_DEADLINE_PERSISTENT;
	if (!status)
		status = dev->t->fences && !b->staged_out && !(b->staged_in && w.pending)
				 ? submit_fenced(f, b, l, &w, sync_fence)
				 : run_fenced(f, b, l, &w);
	waits_fini(&w);
	return status;
}

enum nnhal_status nnhal_fenced_run(struct nnhal_binding *b, struct nnhal_fenced_launch *l,
				   int *sync_fence, struct nnhal_fenced **fenced,
				   struct nnhal_fenced_callback **callback)
{
	enum nnhal_status status;
	struct nnhal_fenced *f;

	f = b->complete ? fenced_alloc(b->pm->dev) : NULL;
	if (!f) {
		status = b->complete ? NNHAL_RESOURCE_EXHAUSTED_TRANSIENT : NNHAL_INVALID_ARGUMENT;
		let_go(b);
		return status;
	}
	status = launch(f, b, l, sync_fence);
	if (status) {
		let_go(b);
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
		.call_ns = nnhal_monotonic_ns(),
	};
	struct nnhal_execution_config older;
	char message[NNHAL_MESSAGE];
	enum nnhal_status status;
	struct nnhal_binding *b;

	*sync_fence = -1;
	*callback = NULL;
	status = nnhal_execution_config_check(&config, &older, deadline_ns, message);
	if (!status)
		status = nnhal_fenced_check(&l);
	if (!status)
		status = nnhal_bind((struct nnhal_pm *)model, request, config, &b, message);
	return status ? status : nnhal_fenced_run(b, &l, sync_fence, NULL, callback);
}
