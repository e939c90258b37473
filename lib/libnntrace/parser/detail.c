// SPDX-License-Identifier: Apache-2.0
/* All scopes of a run by thread: the contributions to each sum, then the tree. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nntrace_parse.h"

struct entry {
	struct nntp_scope_info info; /* owns its mark */
};

struct nntp_detail {
	struct entry *entries;
	size_t count, max;
	bool no_memory;
};

struct nntp_detail *nntp_detail_new(void)
{
	return calloc(1, sizeof(struct nntp_detail));
}

void nntp_detail_reset(void *ctx)
{
	struct nntp_detail *d = ctx;

	for (size_t i = 0; i < d->count; i++)
		free((char *)d->entries[i].info.mark);
	d->count = 0;
}

void nntp_detail_free(struct nntp_detail *d)
{
	if (!d)
		return;
	nntp_detail_reset(d);
	free(d->entries);
	free(d);
}

void nntp_detail_scope(void *ctx, const struct nntp_scope_info *scope)
{
	struct nntp_detail *d = ctx;
	char *mark = malloc(scope->mark_len + 1);

	if (mark && d->count == d->max) {
		size_t want = d->max ? d->max * 2 : 256;
		struct entry *entries = reallocarray(d->entries, want, sizeof(*entries));

		if (entries) {
			d->entries = entries;
			d->max = want;
		}
	}
	if (!mark || d->count == d->max) {
		free(mark);
		d->no_memory = true;
		return;
	}
	memcpy(mark, scope->mark, scope->mark_len);
	mark[scope->mark_len] = '\0';
	d->entries[d->count].info = *scope;
	d->entries[d->count++].info.mark = mark;
}

static int by_order(const void *x, const void *y)
{
	const struct nntp_scope_info *a = &((const struct entry *)x)->info,
				     *b = &((const struct entry *)y)->info;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* The scopes of a sum together, in order of their begins. */
static int by_sum(const void *x, const void *y)
{
	const struct nntp_scope_info *a = &(*(const struct entry *const *)x)->info;
	const struct nntp_scope_info *b = &(*(const struct entry *const *)y)->info;

	if (a->loop != b->loop)
		return a->loop < b->loop ? -1 : 1;
	if (a->layer != b->layer)
		return a->layer > b->layer ? -1 : 1;
	if (a->phase != b->phase)
		return a->phase < b->phase ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static void print_sums(FILE *out, const struct entry **sorted, size_t count)
{
	for (size_t i = 0, end; i < count; i = end) {
		const struct nntp_scope_info *s = &sorted[i]->info;
		int64_t sum = 0;

		for (end = i;
		     end < count && sorted[end]->info.loop == s->loop &&
		     sorted[end]->info.layer == s->layer && sorted[end]->info.phase == s->phase;
		     end++)
			sum += sorted[end]->info.own_ns;
		fprintf(out, "  %s %s_%s %.6f ms, %zu scopes\n", nntp_loop_code(s->loop),
			nntp_layer_code(s->layer), nntp_phase_code(s->phase), (double)sum / 1e6,
			end - i);
		for (size_t k = i; k < end; k++)
			fprintf(out, "    %12.6f  %s\n", (double)sorted[k]->info.own_ns / 1e6,
				sorted[k]->info.mark);
	}
}

static int print_thread(FILE *out, const struct entry *e, size_t count)
{
	const struct entry **sorted = calloc(count, sizeof(const struct entry *));
	size_t counted = 0;

	if (!sorted)
		return -ENOMEM;
	fprintf(out, "%d %s\n", e->info.tid, e->info.driver ? "Driver" : "App");
	for (size_t i = 0; i < count; i++)
		if (e[i].info.counted)
			sorted[counted++] = &e[i];
	qsort(sorted, counted, sizeof(*sorted), by_sum);
	print_sums(out, sorted, counted);
	for (size_t i = 0; i < count; i++) {
		const struct nntp_scope_info *s = &e[i].info;

		fprintf(out, "  %14.6f %12.6f  %*s%s%s\n", (double)s->begin_ns / 1e9,
			(double)(s->end_ns - s->begin_ns) / 1e6, (int)(2 * s->depth), "", s->mark,
			s->counted	      ? ""
			: s->layer == NNTP_LX ? " (ignored)"
					      : " (detail)");
	}
	free(sorted);
	return 0;
}

int nntp_detail_print(struct nntp_detail *d, FILE *out)
{
	int ret = d->no_memory ? -ENOMEM : 0;

	if (d->count)
		qsort(d->entries, d->count, sizeof(*d->entries), by_order);
	for (size_t i = 0, end; !ret && i < d->count; i = end) {
		for (end = i; end < d->count && d->entries[end].info.tid == d->entries[i].info.tid;
		     end++)
			;
		ret = print_thread(out, &d->entries[i], end - i);
	}
	return ret;
}
