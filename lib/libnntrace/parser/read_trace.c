// SPDX-License-Identifier: Apache-2.0
/* The two readings of a trace: the first finds threads and processes, the second their scopes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nntp.h"

#define PROGRESS_LINES 8192

static void progress(struct parse *p, uint64_t line, uint64_t before)
{
	if (p->cb->progress && line % PROGRESS_LINES == 0)
		p->cb->progress(p->cb->ctx, before + source_position(p->source),
				2 * source_size(p->source));
}

/* ---- the first reading ---- */

static int learn_mark(struct parse *p, const struct line *line)
{
	struct thread *thread;
	int32_t tgid;
	bool ours;

	if (line->body.at[0] != 'B' && line->body.at[0] != 'E')
		return 0;
	thread = threads_get(&p->threads, line->tid);
	if (!thread)
		return -ENOMEM;
	tgid = thread_tgid(thread, line);
	if (line->body.at[0] == 'E')
		return 0;
	ours = span_has(line->body, "[NN");
	if (ours) {
		thread->tracked = true;
		p->has_runtime |= span_has(line->body, "NN_LR");
	}
	if (!span_has(line->body, "HIDL::IDevice") || !span_has(line->body, "::server"))
		return 0;
	thread->tracked = true;
	return threads_add_driver(&p->threads, tgid);
}

/* Also counts marks and events. */
static int read_trace_learn(struct parse *p, uint64_t *known)
{
	struct span text;
	struct line line;
	uint64_t number;
	int ret;

	*known = 0;
	ret = source_rewind(p->source);
	while (!ret && (ret = source_next(p->source, &text, &number)) > 0) {
		enum line_kind kind = line_parse(text, &line);

		ret = kind == LINE_MARK && line.body.len ? learn_mark(p, &line) : 0;
		*known += kind == LINE_MARK || kind == LINE_EVENT;
		progress(p, number, 0);
	}
	return ret;
}

/* ---- the second ---- */

static void read_trace_fail(struct parse *p)
{
	p->failed = true;
}

static int keep_title(struct parse *p, struct span body)
{
	char *title = malloc(body.len + 1);

	if (!title)
		return -ENOMEM;
	memcpy(title, body.at, body.len);
	title[body.len] = '\0';
	free(p->title);
	p->title = title;
	p->title_len = body.len;
	return 0;
}

/* A case of the application begins. Marks before the first case belong to it. */
static int begin_case(struct parse *p, struct span body)
{
	int ret = 0;

	if (p->began) {
		ret = run_end(p);
		if (p->cb->run_begins)
			p->cb->run_begins(p->cb->ctx);
	}
	p->began = true;
	return ret ? ret : keep_title(p, body);
}

static int get_tracker(struct parse *p, struct thread *thread, int32_t tgid)
{
	if (thread->tracker)
		return 0;
	if (p->num_active == p->max_active) {
		size_t want = p->max_active ? p->max_active * 2 : 16;
		struct thread **active = reallocarray(p->active, want, sizeof(*active));

		if (!active)
			return -ENOMEM;
		p->active = active;
		p->max_active = want;
	}
	thread->tracker = calloc(1, sizeof(*thread->tracker));
	if (!thread->tracker)
		return -ENOMEM;
	thread->tgid = tgid;
	thread->driver = threads_is_driver(&p->threads, tgid);
	p->active[p->num_active++] = thread;
	return 0;
}

static void tell_scope(struct parse *p, const struct thread *thread, const struct scope *s,
		       int64_t end, bool counted, int64_t own)
{
	struct nntp_scope_info info = {
		.tid = thread->tid,
		.tgid = thread->tgid,
		.driver = thread->driver,
		.order = s->order,
		.depth = thread->tracker->depth,
		.begin_ns = s->begin,
		.end_ns = end,
		.mark = thread->tracker->text + s->text,
		.mark_len = s->text_len,
		.layer = s->layer,
		.phase = s->phase,
		.loop = s->loop,
		.counted = counted,
		.own_ns = own,
	};

	p->cb->scope(p->cb->ctx, &info);
}

static void leave_loop(struct parse *p, const struct scope *s)
{
	unsigned int loop = s->loop;

	if (!p->strict || !s->opened_loop)
		return;
	if (p->open_loops[loop])
		p->open_loops[loop]--;
	p->loop = p->open_loops[NNTP_IN_BENCHMARK] ? NNTP_IN_BENCHMARK
		  : p->open_loops[NNTP_IN_WARMUP]  ? NNTP_IN_WARMUP
						   : NNTP_IN_NONE;
}

/* Close the innermost scope. */
static int end_scope(struct parse *p, struct thread *thread, const struct line *line,
		     uint64_t number)
{
	struct tracker *t = thread->tracker;
	struct scope s;
	bool counted;
	int64_t own;
	int ret;

	if (!t->depth && p->strict && thread->carried) {
		/* the end of a scope of the run before, which was cut off */
		thread->carried--;
		return 0;
	}
	if (!t->depth) {
		diagnose(p, NNTP_ERROR, DIAG_END, number,
			 "%s (thread %d has no open scope: did the trace begin "
			 "within one?)",
			 PRINTED(line->body.at, line->body.len), line->tid);
		read_trace_fail(p);
		return 0;
	}
	ret = tracker_pop(t, line->ns, p->strict, &s, &counted, &own);
	p->open--;
	if (ret || s.dummy)
		return ret;
	leave_loop(p, &s);
	if (s.name != NAME_NONE) {
		ret = override_api(&t->over, s.name, s.loop, s.begin, line->ns, s.in_api,
				   p->strict);
		if (!ret && s.name == NAME_CREATE)
			t->creates[s.loop]++;
		if (!ret && !p->strict)
			ret = override_driver(&p->driver, s.name, s.loop, s.begin, false);
		if (p->strict && s.name == NAME_EXECUTE_SYNC)
			override_driver_sync(&p->driver, s.loop, line->ns - s.begin);
	}
	if (p->cb->scope)
		tell_scope(p, thread, &s, line->ns, counted, own);
	return ret;
}

/* Keep an error until it is known whether the run is complete. */
static int add_pending(struct parse *p, enum diagnostic_class class, uint64_t number,
		       const struct scope *outer, const struct tracker *t, const struct scope *s)
{
	struct pending *e;
	char *text;
	int n;

	if (p->num_pending == MAX_PENDING)
		return 0;
	if (outer)
		n = asprintf(&text, "%s (%s_%s inside %s_%s %s of line %llu)",
			     PRINTED(t->text + s->text, s->text_len), nntp_layer_code(s->layer),
			     nntp_phase_code(s->phase), nntp_layer_code(outer->layer),
			     nntp_phase_code(outer->phase),
			     PRINTED(t->text + outer->text, outer->text_len),
			     (unsigned long long)outer->line);
	else
		n = asprintf(&text, "%s (at the top level, where there is no phase to be of)",
			     PRINTED(t->text + s->text, s->text_len));
	if (n < 0)
		return -ENOMEM;
	e = &p->pending[p->num_pending++];
	*e = (struct pending){ class, number, text };
	return 0;
}

static void enter_loop(struct parse *p, const struct mark *m)
{
	if (m->layer != NNTP_LA || (m->phase != NNTP_PWU && m->phase != NNTP_PBM))
		return;
	/* left in strict mode only: the comparison in the reference is always false */
	p->loop = m->phase == NNTP_PWU ? NNTP_IN_WARMUP : NNTP_IN_BENCHMARK;
	p->open_loops[p->loop]++;
}

static int read_trace_push(struct parse *p, struct thread *thread, const struct mark *m,
			   const struct line *line, uint64_t number)
{
	struct tracker *t = thread->tracker;
	const struct scope *outer;
	struct scope *s;
	enum nesting nesting;
	int ret;

	enter_loop(p, m);
	if (m->layer == NNTP_LA && m->phase == NNTP_PE)
		t->application_executions[p->loop]++;
	nesting = tracker_push(t, m, line->body, line->ns, number, p->order++, p->loop, p->strict,
			       &outer);
	s = &t->stack[t->depth - 1];
	s->opened_loop = m->layer == NNTP_LA && (m->phase == NNTP_PWU || m->phase == NNTP_PBM);
	p->open++;
	if (p->strict && s->name >= NAME_EXECUTE) {
		ret = override_driver(&p->driver, s->name, s->loop, s->begin, true);
		if (ret)
			return ret;
	}
	switch (nesting) {
	case NEST_PHASE:
		return add_pending(p, DIAG_PHASE, number, outer, t, s);
	case NEST_LAYER:
		return add_pending(p, DIAG_LAYER, number, outer, t, s);
	case NEST_NO_PHASE:
		if (!p->strict)
			return add_pending(p, DIAG_NO_PHASE, number, NULL, t, s);
		diagnose(p, NNTP_WARNING, DIAG_NO_PHASE, number,
			 "%s (at the top level: taken for PI)",
			 PRINTED(line->body.at, line->body.len));
		return 0;
	default:
		return 0;
	}
}

static int begin_scope(struct parse *p, struct thread *thread, const struct line *line,
		       uint64_t number)
{
	struct mark mark;
	int ret;

	switch (mark_parse(line->body, thread->driver, p->strict, &mark)) {
	case MARK_BAD_TAG:
		diagnose(p, NNTP_ERROR, DIAG_TAG, number, "%s",
			 PRINTED(line->body.at, line->body.len));
		read_trace_fail(p);
		break;
	case MARK_NO_SIDE:
		diagnose(p, NNTP_ERROR, DIAG_SIDE, number,
			 "%s (neither ::client nor ::server nor ::passthrough)",
			 PRINTED(line->body.at, line->body.len));
		read_trace_fail(p);
		break;
	case MARK_OK:
		break;
	}
	if (p->failed) {
		/* keep the scope, so that its end does not end another one */
		mark.layer = NNTP_LX;
		mark.name = NAME_NONE;
	}
	if (mark.is_switch) {
		ret = end_scope(p, thread, line, number);
		if (ret)
			return ret;
	}
	ret = tracker_reserve(thread->tracker, line->body.len);
	if (ret == -E2BIG) {
		diagnose(p, NNTP_ERROR, DIAG_DEPTH, number, "%s (thread %d has %d scopes open)",
			 PRINTED(line->body.at, line->body.len), line->tid, MAX_DEPTH);
		read_trace_fail(p);
		return 0;
	}
	if (ret)
		return ret;
	if (mark.is_switch) {
		tracker_push_dummy(thread->tracker, line->ns, number);
		p->open++;
	}
	ret = read_trace_push(p, thread, &mark, line, number);
	if (p->open > p->result->most_open)
		p->result->most_open = p->open;
	return ret;
}

static void check_order(struct parse *p, struct thread *thread, const struct line *line,
			uint64_t number)
{
	if (thread->has_last && line->ns < thread->last_ns)
		diagnose(p, NNTP_WARNING, DIAG_ORDER, number,
			 "%s (thread %d: %lld ns earlier than its mark before)",
			 PRINTED(line->body.at, line->body.len), line->tid,
			 (long long)(thread->last_ns - line->ns));
	thread->has_last = true;
	thread->last_ns = line->ns;
}

/* "B|" and "E|", or "E" alone; the reference accepts any text that begins with these letters. */
static bool is_scope_mark(struct span body)
{
	return body.len == 1 ? body.at[0] == 'E' : body.at[1] == '|';
}

static int read_mark(struct parse *p, const struct line *line, uint64_t number)
{
	struct thread *thread;
	int32_t tgid;
	int ret;

	if (!line->body.len || (line->body.at[0] != 'B' && line->body.at[0] != 'E'))
		return 0;
	p->result->marks++;
	thread = threads_get(&p->threads, line->tid);
	if (!thread)
		return -ENOMEM;
	tgid = thread_tgid(thread, line);
	if (tgid < 0) {
		diagnose(p, NNTP_ERROR, DIAG_LINE, number, "%s (which process?)",
			 PRINTED(line->body.at, line->body.len));
		read_trace_fail(p);
	}
	if (!thread->tracked || (p->strict && !is_scope_mark(line->body)))
		return 0;
	check_order(p, thread, line, number);
	if (line->body.at[0] == 'B' && span_has(line->body, "[NN_LA_PO]")) {
		ret = begin_case(p, line->body);
		if (ret)
			return ret;
	}
	ret = get_tracker(p, thread, tgid);
	if (ret)
		return ret;
	return line->body.at[0] == 'B' ? begin_scope(p, thread, line, number)
				       : end_scope(p, thread, line, number);
}

static int read_marks(struct parse *p)
{
	struct span text;
	struct line line;
	uint64_t number;
	int ret;

	threads_forget_tgids(&p->threads);
	ret = source_rewind(p->source);
	while (!ret && (ret = source_next(p->source, &text, &number)) > 0) {
		ret = 0;
		p->result->lines++;
		switch (line_parse(text, &line)) {
		case LINE_MARK:
			ret = read_mark(p, &line, number);
			break;
		case LINE_EVENT:
			if (p->cb->event)
				p->cb->event(p->cb->ctx, line.ns, line.tid, line.name.at,
					     line.name.len, line.body.at, line.body.len);
			break;
		case LINE_BAD:
			diagnose(p, NNTP_ERROR, DIAG_LINE, number, "%s",
				 PRINTED(text.at, text.len));
			read_trace_fail(p);
			break;
		case LINE_OTHER:
			break;
		}
		progress(p, number, source_size(p->source));
	}
	return ret;
}

int nntp_parse(struct nntp_source *source, bool strict, const struct nntp_callbacks *cb,
	       struct nntp_result *result)
{
	struct parse p = { .source = source, .cb = cb, .result = result, .strict = strict };
	uint64_t known;
	int ret;

	*result = (struct nntp_result){ 0 };
	ret = read_trace_learn(&p, &known);
	if (!ret && !known && !source_has_header(source))
		ret = -ENOMSG;
	if (!ret && !p.has_runtime)
		diagnose_verbatim(
			&p, NNTP_WARNING,
			"*** No NNAPI Runtime trace present - check your systrace setup ***");
	if (!ret)
		ret = read_marks(&p);
	if (!ret)
		ret = run_end(&p);
	diagnose_rest(&p);
	run_free(&p);
	return ret;
}
