// SPDX-License-Identifier: Apache-2.0
/* Marks as trace events: a track for each thread. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nntp.h"
#include "nnutil_text.h"

#define PROGRESS_LINES 8192

/*
 * The open scopes of a thread, outermost first. A dummy is the scope below one that a switch began;
 * it is not exported.
 */
struct open_scopes {
	uint8_t *dummy;
	uint32_t depth, max;
	int32_t tgid;
};

struct exporter {
	struct chrome chrome;
	struct threads threads;
	struct nntrace_device *jobs;
	int64_t last; /* the latest time in the trace */
	uint64_t dropped;
};

static void put_string(struct chrome *c, const char *key, struct span value)
{
	fprintf(c->out, ",\"%s\":", key);
	nntp_print_json_string(c->out, value.at, value.len);
}

/* ---- threads ---- */

static struct thread *get_thread(struct exporter *e, const struct line *line)
{
	struct thread *thread = threads_get(&e->threads, line->tid);
	int32_t tgid;

	if (!thread)
		return NULL;
	tgid = thread_tgid(thread, line);
	if (thread->open)
		return thread;
	thread->open = calloc(1, sizeof(*thread->open));
	if (!thread->open)
		return NULL;
	thread->open->tgid = tgid < 0 ? line->tid : tgid;
	chrome_name(&e->chrome, thread->open->tgid, line->tid, line->comm.at, line->comm.len);
	if (thread->open->tgid == line->tid)
		chrome_name(&e->chrome, line->tid, -1, line->comm.at, line->comm.len);
	return thread;
}

static int chrome_export_push(struct open_scopes *o, bool dummy)
{
	if (o->depth == o->max) {
		uint32_t want = o->max ? o->max * 2 : 16;
		uint8_t *more = realloc(o->dummy, want);

		if (!more)
			return -ENOMEM;
		o->dummy = more;
		o->max = want;
	}
	o->dummy[o->depth++] = dummy;
	return 0;
}

/* End the innermost scope, if there is one. */
static void chrome_export_pop(struct exporter *e, struct thread *thread, int64_t ns)
{
	struct open_scopes *o = thread->open;

	if (!o->depth) {
		e->dropped++;
		return;
	}
	if (o->dummy[--o->depth])
		return;
	chrome_begin(&e->chrome, 'E', o->tgid, thread->tid, ns);
	chrome_end(&e->chrome);
}

static int begin_scope(struct exporter *e, struct thread *thread, const struct line *line)
{
	struct span tag, title = mark_title(line->body, &tag);
	bool is_switch = span_has(line->body, "[SW]") && tag.len;
	int ret = 0;

	if (is_switch && thread->open->depth) {
		chrome_export_pop(e, thread, line->ns);
		ret = chrome_export_push(thread->open, true);
	}
	ret = ret ? ret : chrome_export_push(thread->open, false);
	if (ret)
		return ret;
	chrome_begin(&e->chrome, 'B', thread->open->tgid, thread->tid, line->ns);
	put_string(&e->chrome, "name", title);
	put_string(&e->chrome, "cat",
		   tag.len > 3 ? (struct span){ tag.at + 3, tag.len - 3 }
			       : (struct span){ "other", 5 });
	chrome_end(&e->chrome);
	return 0;
}

/* The value of a counter; 0 for text that is no number. */
static int64_t counter_value(struct span text)
{
	char number[21] = "";
	int64_t value = 0;

	if (text.len < sizeof(number)) {
		memcpy(number, text.at, text.len);
		nnutil_parse_i64(number, 10, INT64_MIN, INT64_MAX, &value);
	}
	return value;
}

/* "C|pid|name|value", "S|pid|name|cookie", "F|pid|name|cookie", "I|pid|name" */
static void other_mark(struct exporter *e, struct thread *thread, const struct line *line)
{
	const char *end = line->body.at + line->body.len, *name, *value;
	char kind = line->body.at[0], ph = kind == 'S'	 ? 'b'
					   : kind == 'F' ? 'e'
					   : kind == 'C' ? 'C'
							 : 'i';
	struct span what, rest;

	if (line->body.len < 3 || line->body.at[1] != '|' || !strchr("CSFI", kind))
		return;
	name = memchr(line->body.at + 2, '|', line->body.len - 2);
	if (!name++)
		return;
	value = memchr(name, '|', (size_t)(end - name));
	if (!value && kind != 'I')
		return;
	what = (struct span){ name, (size_t)((value ? value : end) - name) };
	rest = (struct span){ value ? value + 1 : end, value ? (size_t)(end - value - 1) : 0 };
	chrome_begin(&e->chrome, ph, thread->open->tgid, thread->tid, line->ns);
	put_string(&e->chrome, "name", what);
	if (kind == 'C')
		fprintf(e->chrome.out, ",\"args\":{\"value\":%" PRId64 "}", counter_value(rest));
	else if (kind == 'I')
		fputs(",\"s\":\"t\"", e->chrome.out);
	else {
		put_string(&e->chrome, "cat", (struct span){ "async", 5 });
		put_string(&e->chrome, "id", rest);
	}
	chrome_end(&e->chrome);
}

static int add_mark(struct exporter *e, const struct line *line)
{
	struct thread *thread = line->body.len ? get_thread(e, line) : NULL;

	if (!thread)
		return line->body.len ? -ENOMEM : 0;
	if (line->body.at[0] == 'B')
		return begin_scope(e, thread, line);
	if (line->body.at[0] == 'E')
		chrome_export_pop(e, thread, line->ns);
	else
		other_mark(e, thread, line);
	return 0;
}

static int add_event(struct exporter *e, const struct line *line)
{
	int ret = nntrace_device_event(e->jobs, line->ns, line->tid, line->name.at, line->name.len,
				       line->body.at, line->body.len);

	if (span_is(line->name, "nnaccel_reset")) {
		chrome_begin(&e->chrome, 'i', CHROME_CARD_PID(0), 0, line->ns);
		put_string(&e->chrome, "name", (struct span){ "reset", 5 });
		put_string(&e->chrome, "s", (struct span){ "g", 1 });
		chrome_end(&e->chrome);
	}
	return ret == -EINVAL ? 0 : ret;
}

/* ---- the file ---- */

static void end_scopes(struct exporter *e)
{
	for (size_t i = 0; i < e->threads.num_buckets; i++) {
		for (struct thread *t = e->threads.buckets[i]; t; t = t->next) {
			while (t->open && t->open->depth)
				chrome_export_pop(e, t, e->last);
			if (t->open)
				free(t->open->dummy);
			free(t->open);
			t->open = NULL;
		}
	}
}

static int32_t process_of(void *ctx, int32_t tid)
{
	struct exporter *e = ctx;
	const struct thread *thread = threads_get(&e->threads, tid);

	return thread && thread->seen_tgid >= 0 ? thread->seen_tgid : tid;
}

static int export_lines(struct exporter *e, struct nntp_source *source,
			void (*progress)(void *ctx, uint64_t done, uint64_t total), void *ctx)
{
	struct span text;
	struct line line;
	uint64_t number;
	bool any = false;
	int ret;

	ret = source_rewind(source);
	while (!ret && (ret = source_next(source, &text, &number)) > 0) {
		enum line_kind kind = line_parse(text, &line);

		ret = 0;
		if (kind == LINE_MARK)
			ret = add_mark(e, &line);
		else if (kind == LINE_EVENT)
			ret = add_event(e, &line);
		else
			continue;
		any = true;
		if (line.ns > e->last)
			e->last = line.ns;
		if (progress && number % PROGRESS_LINES == 0)
			progress(ctx, source_position(source), source_size(source));
	}
	return ret ? ret : any || source_has_header(source) ? 0 : -ENOMSG;
}

int nntp_export(struct nntp_source *source, FILE *out,
		void (*progress)(void *ctx, uint64_t done, uint64_t total), void *ctx,
		uint64_t *dropped)
{
	struct exporter e = { .chrome = { .out = out }, .jobs = nntrace_device_new() };
	int ret = e.jobs ? 0 : -ENOMEM;

	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", out);
	if (!ret)
		ret = export_lines(&e, source, progress, ctx);
	end_scopes(&e);
	if (!ret)
		ret = nntrace_device_finish(e.jobs);
	if (!ret)
		chrome_jobs(&e.chrome, e.jobs, process_of, &e);
	fputs("\n]}\n", out);
	*dropped = e.dropped;
	nntrace_device_free(e.jobs);
	threads_free(&e.threads);
	return ret ? ret : ferror(out) ? -EIO : 0;
}
