// SPDX-License-Identifier: Apache-2.0
/* Diagnostics, and the end of a run. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "nntp.h"

/* ---- diagnostics ---- */

static const char *const class_names[DIAG_CLASSES] = {
	[DIAG_LINE] = "bad-line",
	[DIAG_TAG] = "bad-tag",
	[DIAG_SIDE] = "no-side",
	[DIAG_END] = "extra-end",
	[DIAG_LAYER] = "layer-nesting",
	[DIAG_PHASE] = "phase-nesting",
	[DIAG_NO_PHASE] = "no-phase",
	[DIAG_DEPTH] = "too-deep",
	[DIAG_OPEN] = "missing-end",
	[DIAG_STARTS] = "start-without-wait",
	[DIAG_CALLBACKS] = "execute-without-callback",
	[DIAG_ORDER] = "time-order",
	[DIAG_LOOPS] = "one-loop",
};

#define MAX_SHOWN 10

static void trace_run_report(struct parse *p, enum nntp_severity severity, uint64_t line,
			     const char *class, const char *text)
{
	struct nntp_diagnostic d = { severity, line, class, text };

	if (p->cb->diagnostic)
		p->cb->diagnostic(p->cb->ctx, &d);
}

void diagnose(struct parse *p, enum nntp_severity severity, enum diagnostic_class class,
	      uint64_t line, const char *fmt, ...)
{
	char text[2 * MARK_SHOWN + 300];
	va_list ap;

	if (severity == NNTP_ERROR)
		p->result->errors++;
	else if (severity == NNTP_WARNING)
		p->result->warnings++;
	if (p->shown[class]++ >= MAX_SHOWN)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	trace_run_report(p, severity, line, class_names[class], text);
}

void diagnose_verbatim(struct parse *p, enum nntp_severity severity, const char *text)
{
	p->result->warnings++;
	trace_run_report(p, severity, 0, "", text);
}

void diagnose_rest(struct parse *p)
{
	char text[64];

	for (unsigned int i = 0; i < DIAG_CLASSES; i++) {
		if (p->shown[i] <= MAX_SHOWN)
			continue;
		snprintf(text, sizeof(text), "%llu more of these",
			 (unsigned long long)(p->shown[i] - MAX_SHOWN));
		trace_run_report(p, NNTP_NOTE, 0, class_names[i], text);
	}
}

/* ---- the end of a run ---- */

/* Whether a scope is open: the run is not complete then. */
static bool find_open(struct parse *p)
{
	bool any = false;

	for (size_t i = 0; i < p->num_active; i++) {
		struct thread *thread = p->active[i];
		const struct tracker *t = thread->tracker;
		const struct scope *s;

		if (!t->depth)
			continue;
		if (!any && !p->failed)
			diagnose_verbatim(p, NNTP_WARNING,
					  "Incomplete trace, not able to print all statistics");
		any = true;
		for (s = &t->stack[t->depth - 1]; s->dummy && s > t->stack; s--)
			;
		if (!p->failed)
			diagnose(p, NNTP_WARNING, DIAG_OPEN, s->line,
				 "%s (thread %d: %u scopes open at the end)",
				 PRINTED(t->text + s->text, s->text_len), thread->tid, t->depth);
		if (p->strict)
			thread->carried += t->depth;
	}
	return any;
}

/*
 * LR_PE and LD_PE. -EINVAL: an event has no counterpart; the reference fails then.
 */
static int apply_overrides(struct parse *p, struct run_sums *sums)
{
	bool any[NNTP_LOOPS] = { false };
	int64_t runtime[NNTP_LOOPS] = { 0 };
	int ret = 0;

	for (size_t i = 0; i < p->num_active; i++) {
		for (unsigned int l = 0; l < NNTP_LOOPS; l++) {
			const struct loop_overrides *o = &p->active[i]->tracker->over.loop[l];
			int64_t left;
			uint64_t unpaired = override_unpaired(o, p->strict, &left);

			runtime[l] += o->sum + left;
			any[l] |= o->any;
			if (!unpaired)
				continue;
			diagnose(
				p, p->strict ? NNTP_WARNING : NNTP_ERROR, DIAG_STARTS, 0,
				"run %u: %llu of ANeuralNetworksExecution_startCompute on thread %d without an "
				"ANeuralNetworksEvent_wait there",
				p->run, (unsigned long long)unpaired, p->active[i]->tid);
			if (!p->strict)
				ret = -EINVAL;
		}
	}
	for (unsigned int l = 0; l < NNTP_LOOPS; l++) {
		const struct loop_driver *d = &p->driver.loop[l];

		if (d->executes != d->notifies) {
			diagnose(
				p, p->strict ? NNTP_WARNING : NNTP_ERROR, DIAG_CALLBACKS, 0,
				"run %u: %llu of HIDL::IPreparedModel::execute::server but %llu of "
				"HIDL::IExecutionCallback::notify::client in %s",
				p->run, (unsigned long long)d->executes,
				(unsigned long long)d->notifies, nntp_loop_code(l));
			if (!p->strict)
				ret = -EINVAL;
		}
		/* strict: without times to override with, the scopes count */
		if (!p->strict || any[l])
			sums->cells[l][NNTP_LR][NNTP_PE].ns = runtime[l];
		if (!p->strict || d->any)
			sums->cells[l][NNTP_LD][NNTP_PE].ns = d->sum;
	}
	return ret;
}

static void add_thread(struct run_sums *sums, const struct tracker *t)
{
	for (unsigned int i = 0; i < NNTP_LOOPS; i++) {
		uint64_t executions = t->creates[i] ? t->creates[i] : t->application_executions[i];

		if (executions > sums->executions[i])
			sums->executions[i] = executions;
	}
	for (uint32_t i = 0; i < t->num_cells; i++) {
		const struct nntp_thread_cell *c = &t->cells[i];

		if (c->layer >= NNTP_TABLE_LAYERS || c->phase >= NNTP_TABLE_PHASES)
			continue;
		sums->cells[c->loop][c->layer][c->phase].ns += c->cell.ns;
		sums->cells[c->loop][c->layer][c->phase].nodes += c->cell.nodes;
	}
}

static int compare_threads(const void *x, const void *y)
{
	const struct thread *a = *(struct thread *const *)x, *b = *(struct thread *const *)y;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

static int trace_run_tell(struct parse *p, const struct run_sums *sums)
{
	struct nntp_thread_sums *threads = calloc(p->num_active + 1, sizeof(*threads));
	struct nntp_run run = {
		.index = p->run,
		.title = p->title ? p->title : "",
		.title_len = p->title_len,
		.strict = p->strict,
		.threads = threads,
		.num_threads = p->num_active,
	};
	int ret;

	if (!threads)
		return -ENOMEM;
	for (size_t i = 0; i < p->num_active; i++) {
		const struct thread *thread = p->active[i];

		threads[i] = (struct nntp_thread_sums){
			.tid = thread->tid,
			.tgid = thread->tgid,
			.driver = thread->driver,
			.count = thread->tracker->num_cells,
			.cells = thread->tracker->cells,
			.num_others = thread->tracker->num_others,
			.others = thread->tracker->others,
		};
	}
	totals_of(sums, &run);
	if (!run.has_loops && (run.executions[NNTP_IN_WARMUP] || run.executions[NNTP_IN_BENCHMARK]))
		diagnose(p, NNTP_WARNING, DIAG_LOOPS, 0,
			 "run %u has executions in one of warm-up and benchmark only: "
			 "they are shown in one table",
			 p->run);
	ret = p->cb->run(p->cb->ctx, &run);
	free(threads);
	return ret;
}

static int trace_run_settle(struct parse *p)
{
	struct run_sums *sums;
	int ret = 0;

	if (find_open(p) && !p->failed) {
		p->result->incomplete++;
		/* its nesting errors may follow from that */
		for (unsigned int i = 0; i < p->num_pending; i++)
			diagnose(p, NNTP_WARNING, p->pending[i].class, p->pending[i].line, "%s",
				 p->pending[i].text);
		return 0;
	}
	for (unsigned int i = 0; i < p->num_pending; i++)
		diagnose(p, NNTP_ERROR, p->pending[i].class, p->pending[i].line, "%s",
			 p->pending[i].text);
	sums = calloc(1, sizeof(*sums));
	if (!sums)
		return -ENOMEM;
	qsort(p->active, p->num_active, sizeof(*p->active), compare_threads);
	for (size_t i = 0; i < p->num_active; i++)
		add_thread(sums, p->active[i]->tracker);
	if (p->failed || p->num_pending || apply_overrides(p, sums)) {
		p->result->failed++;
	} else {
		ret = trace_run_tell(p, sums);
		p->result->complete++;
	}
	free(sums);
	return ret;
}

int run_end(struct parse *p)
{
	int ret;

	if (!p->active) {
		p->active = malloc(sizeof(*p->active));
		if (!p->active)
			return -ENOMEM;
		p->max_active = 1;
	}
	ret = trace_run_settle(p);
	p->result->runs++;
	for (size_t i = 0; i < p->num_active; i++) {
		tracker_free(p->active[i]->tracker);
		p->active[i]->tracker = NULL;
	}
	for (unsigned int i = 0; i < p->num_pending; i++)
		free(p->pending[i].text);
	driver_overrides_free(&p->driver);
	memset(p->open_loops, 0, sizeof(p->open_loops));
	p->num_active = p->num_pending = 0;
	p->loop = NNTP_IN_NONE;
	p->open = 0;
	p->failed = false;
	p->run++;
	return ret;
}

void run_free(struct parse *p)
{
	for (unsigned int i = 0; i < p->num_pending; i++)
		free(p->pending[i].text);
	driver_overrides_free(&p->driver);
	threads_free(&p->threads);
	free(p->active);
	free(p->title);
}
