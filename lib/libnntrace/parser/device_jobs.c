// SPDX-License-Identifier: Apache-2.0
/* From events of the driver to jobs; from times of the card to times of the host. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "nntp.h"

#define UNKNOWN NNTRACE_DEVICE_UNKNOWN
#define MAX_TIME (INT64_MAX / 2) /* of input, so that differences and sums do not overflow */

/* The card's clock was @card at some moment from @before to @after of the host's. */
struct reading {
	uint32_t device, generation;
	int64_t before, after, card;
};

struct row {
	struct nntrace_device_job job; /* device times are the card's until finish() maps them */
	struct row *next; /* in its bucket */
	bool mapped;
};

struct nntrace_device {
	struct row **rows; /* in order of their first event */
	size_t num_rows, max_rows;
	struct row **buckets; /* the last job of each key; a power of two */
	size_t num_buckets;
	struct reading *readings;
	size_t num_readings, max_readings;
	struct nntrace_device_clock *clocks;
	size_t num_clocks;
	struct nntrace_device_job *jobs;
	size_t resets;
};

struct text {
	const char *at;
	size_t len;
};

struct nntrace_device *nntrace_device_new(void)
{
	return calloc(1, sizeof(struct nntrace_device));
}

void nntrace_device_free(struct nntrace_device *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->num_rows; i++)
		free(d->rows[i]);
	free(d->rows);
	free(d->buckets);
	free(d->readings);
	free(d->clocks);
	free(d->jobs);
	free(d);
}

/* Room for one more. */
static int device_jobs_grow(void **array, size_t count, size_t *max, size_t size)
{
	size_t want = *max ? *max * 2 : 64;
	void *more;

	if (count < *max)
		return 0;
	more = reallocarray(*array, want, size);
	if (!more)
		return -ENOMEM;
	*array = more;
	*max = want;
	return 0;
}

/* ---- fields ---- */

static bool parse_uint(struct text t, unsigned int base, uint64_t *value)
{
	*value = 0;
	if (!t.len)
		return false;
	for (size_t i = 0; i < t.len; i++) {
		unsigned int digit;

		if (t.at[i] >= '0' && t.at[i] <= '9')
			digit = (unsigned int)(t.at[i] - '0');
		else if (base == 16 && t.at[i] >= 'a' && t.at[i] <= 'f')
			digit = (unsigned int)(t.at[i] - 'a') + 10;
		else
			return false;
		if (__builtin_mul_overflow(*value, (uint64_t)base, value) ||
		    __builtin_add_overflow(*value, (uint64_t)digit, value))
			return false;
	}
	return true;
}

/* The value of field @name: after "name=", to the next space. */
static bool device_jobs_find(struct text fields, const char *name, struct text *value)
{
	size_t len = strlen(name), i = 0;

	while (i < fields.len) {
		size_t end = i;

		while (end < fields.len && fields.at[end] != ' ' && fields.at[end] != '\n')
			end++;
		if (end - i > len && !memcmp(fields.at + i, name, len) &&
		    fields.at[i + len] == '=') {
			*value = (struct text){ fields.at + i + len + 1, end - i - len - 1 };
			return true;
		}
		i = end + 1;
	}
	return false;
}

static bool get_u64(struct text fields, const char *name, uint64_t *value)
{
	struct text t;

	if (!device_jobs_find(fields, name, &t))
		return false;
	if (t.len > 2 && t.at[0] == '0' && t.at[1] == 'x')
		return parse_uint((struct text){ t.at + 2, t.len - 2 }, 16, value);
	return parse_uint(t, 10, value);
}

static bool get_u32(struct text fields, const char *name, uint32_t *value)
{
	uint64_t wide;

	if (!get_u64(fields, name, &wide) || wide > UINT32_MAX)
		return false;
	*value = (uint32_t)wide;
	return true;
}

static bool get_time(struct text fields, const char *name, int64_t *value)
{
	uint64_t wide;

	if (!get_u64(fields, name, &wide) || wide > MAX_TIME)
		return false;
	*value = (int64_t)wide;
	return true;
}

static bool get_int(struct text fields, const char *name, int *value)
{
	bool negative;
	uint64_t wide;
	struct text t;

	if (!device_jobs_find(fields, name, &t) || !t.len)
		return false;
	negative = t.at[0] == '-';
	if (negative)
		t = (struct text){ t.at + 1, t.len - 1 };
	if (!parse_uint(t, 10, &wide) || wide > INT_MAX)
		return false;
	*value = negative ? -(int)wide : (int)wide;
	return true;
}

/* ---- jobs ---- */

static size_t bucket_of(const struct nntrace_device *d, const struct nntrace_device_job *name)
{
	uint64_t h = name->seqno * 0x9e3779b97f4a7c15u;

	h ^= ((uint64_t)name->device << 48) ^ (name->client << 20) ^ name->queue;
	h *= 0xff51afd7ed558ccdu;
	return (size_t)(h >> 32) & (d->num_buckets - 1);
}

static int device_jobs_rehash(struct nntrace_device *d)
{
	size_t count = d->num_buckets ? d->num_buckets * 2 : 256;
	struct row **buckets;

	if (d->num_rows < d->num_buckets)
		return 0;
	buckets = calloc(count, sizeof(*buckets));
	if (!buckets)
		return -ENOMEM;
	free(d->buckets);
	d->buckets = buckets;
	d->num_buckets = count;
	for (size_t i = 0; i < d->num_rows; i++) {
		size_t b = bucket_of(d, &d->rows[i]->job);

		d->rows[i]->next = buckets[b];
		buckets[b] = d->rows[i];
	}
	return 0;
}

/*
 * The job with @name's device, client, queue and seqno, created at its first event. A reloaded
 * driver counts from 1 again: with @fresh, a job that has ended is not reused.
 */
static int find_row(struct nntrace_device *d, const struct nntrace_device_job *name, bool fresh,
		    struct row **out)
{
	struct row *row;
	int ret;

	ret = device_jobs_rehash(d);
	if (ret)
		return ret;
	for (row = d->buckets[bucket_of(d, name)]; row; row = row->next)
		if (row->job.device == name->device && row->job.client == name->client &&
		    row->job.queue == name->queue && row->job.seqno == name->seqno)
			break;
	*out = row;
	if (row && !(fresh && row->job.ended))
		return 0;
	ret = device_jobs_grow((void **)&d->rows, d->num_rows, &d->max_rows, sizeof(*d->rows));
	if (ret)
		return ret;
	row = malloc(sizeof(*row));
	if (!row)
		return -ENOMEM;
	*row = (struct row){ .job = *name };
	row->job.tid = -1;
	row->job.queued_ns = row->job.scheduled_ns = row->job.started_ns = row->job.done_ns =
		UNKNOWN;
	row->job.device_start_ns = row->job.device_end_ns = row->job.bound_ns = UNKNOWN;
	row->job.device_ns = row->job.queueing_ns = row->job.interrupt_ns = UNKNOWN;
	row->next = d->buckets[bucket_of(d, name)];
	d->buckets[bucket_of(d, name)] = row;
	d->rows[d->num_rows++] = row;
	*out = row;
	return 0;
}

struct done {
	uint32_t status, generation;
	int error;
	int64_t start, stop; /* the card's */
};

static bool parse_done(struct text fields, struct done *done)
{
	return get_u32(fields, "status", &done->status) && get_int(fields, "error", &done->error) &&
	       get_time(fields, "device_start", &done->start) &&
	       get_time(fields, "device_end", &done->stop) &&
	       get_u32(fields, "generation", &done->generation);
}

static void add_done(struct nntrace_device_job *job, int64_t time_ns, const struct done *done)
{

	job->ended = 1;
	job->done_ns = time_ns;
	job->status = done->status;
	job->error = done->error;
	job->generation = done->generation;
	/* 0: it never ran; times of the card are not trusted to be in order */
	if (done->start && done->stop >= done->start) {
		job->device_start_ns = done->start;
		job->device_end_ns = done->stop;
		job->device_ns = done->stop - done->start;
	}
}

static int add_job(struct nntrace_device *d, int64_t time_ns, int32_t tid, const char *what,
		   struct text fields)
{
	struct nntrace_device_job name = { 0 };
	struct done done = { 0 };
	struct row *row;
	int ret;

	if (time_ns < 0 || time_ns > MAX_TIME || !get_u32(fields, "device", &name.device) ||
	    !get_u64(fields, "client", &name.client) || !get_u32(fields, "queue", &name.queue) ||
	    !get_u64(fields, "seqno", &name.seqno) ||
	    (!strcmp(what, "done") && !parse_done(fields, &done)))
		return -EINVAL;
	ret = find_row(d, &name, !strcmp(what, "queued"), &row);
	if (ret)
		return ret;
	if (!strcmp(what, "queued")) {
		row->job.queued_ns = time_ns;
		row->job.tid = tid;
	} else if (!strcmp(what, "scheduled")) {
		row->job.scheduled_ns = time_ns;
	} else if (!strcmp(what, "started")) {
		row->job.started_ns = time_ns;
	} else if (!strcmp(what, "done")) {
		add_done(&row->job, time_ns, &done);
	}
	return 0;
}

static int add_reading(struct nntrace_device *d, struct text fields)
{
	struct reading r;
	int ret;

	if (!get_u32(fields, "device", &r.device) ||
	    !get_u32(fields, "generation", &r.generation) ||
	    !get_time(fields, "before", &r.before) || !get_time(fields, "clock", &r.card) ||
	    !get_time(fields, "after", &r.after) || r.after < r.before)
		return -EINVAL;
	ret = device_jobs_grow((void **)&d->readings, d->num_readings, &d->max_readings,
			       sizeof(*d->readings));
	if (ret)
		return ret;
	d->readings[d->num_readings++] = r;
	return 0;
}

int nntrace_device_event(struct nntrace_device *d, int64_t time_ns, int32_t tid, const char *name,
			 size_t name_len, const char *fields, size_t fields_len)
{
	static const char *const steps[] = { "queued", "scheduled", "started", "abort", "done" };
	const char job[] = "nnaccel_job_";
	const size_t job_len = sizeof(job) - 1;
	struct text f = { fields, fields_len };

	if (name_len == strlen("nnaccel_clock") && !memcmp(name, "nnaccel_clock", name_len))
		return add_reading(d, f);
	if (name_len == strlen("nnaccel_reset") && !memcmp(name, "nnaccel_reset", name_len)) {
		d->resets++;
		return 0;
	}
	if (name_len <= job_len || memcmp(name, job, job_len))
		return 0;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (strlen(steps[i]) == name_len - job_len &&
		    !memcmp(name + job_len, steps[i], name_len - job_len))
			return add_job(d, time_ns, tid, steps[i], f);
	return 0;
}

/* ---- clocks ---- */

static int compare_readings(const void *x, const void *y)
{
	const struct reading *a = x, *b = y;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->generation != b->generation)
		return a->generation < b->generation ? -1 : 1;
	return (a->before > b->before) - (a->before < b->before);
}

static int64_t middle(const struct reading *r)
{
	return r->before + (r->after - r->before) / 2;
}

static const struct reading *best_of(const struct reading *r, size_t count)
{
	const struct reading *best = r;

	for (size_t i = 1; i < count; i++)
		if (r[i].after - r[i].before < best->after - best->before)
			best = &r[i];
	return best;
}

/* Two oscillators differ by at most one in this many: 200 ppm. */
#define UNCOMPARED 5000

/*
 * A line through the best reading in each half of the time.
 */
struct clock_line {
	const struct reading *a, *b;
	int64_t bound;
};

static struct clock_line line_of(const struct reading *r, size_t count)
{
	int64_t split = r[0].before + (r[count - 1].before - r[0].before) / 2;
	size_t early = 1;
	struct clock_line l;

	while (early < count && r[early].before <= split)
		early++;
	l.a = best_of(r, early);
	l.b = early < count ? best_of(r + early, count - early) : l.a;
	/* the clock of the card stood still or went back: use one reading only */
	if (l.b->card <= l.a->card || middle(l.b) <= middle(l.a))
		l.b = l.a;
	l.bound = (l.a->after - l.a->before + 1) / 2;
	if ((l.b->after - l.b->before + 1) / 2 > l.bound)
		l.bound = (l.b->after - l.b->before + 1) / 2;
	if (l.bound > (middle(l.b) - middle(l.a)) / (2 * UNCOMPARED)) {
		/*
		 * too close to each other for a slope: use one, and the drift that is possible
		 */
		l.a = l.b = best_of(r, count);
		l.bound = (l.a->after - l.a->before + 1) / 2;
	}
	return l;
}

static double rate_of(const struct clock_line *l)
{
	if (l->a == l->b)
		return 1;
	return (double)(middle(l->b) - middle(l->a)) / (double)(l->b->card - l->a->card);
}

/* The result of a slope is clamped. */
static bool device_jobs_map(const struct clock_line *l, int64_t card, int64_t *host)
{
	double since = (double)(card - l->a->card) * rate_of(l);

	if (!(since > -4e18 && since < 4e18))
		return false;
	*host = middle(l->a) + (int64_t)since;
	return *host >= 0 && *host <= MAX_TIME;
}

/* Outside of the readings, the error of the slope adds to the bound. */
static int64_t bound_at(const struct clock_line *l, int64_t host)
{
	int64_t span = middle(l->b) - middle(l->a), out = 0;
	double more;

	if (host < middle(l->a))
		out = middle(l->a) - host;
	else if (host > middle(l->b))
		out = host - middle(l->b);
	if (!span)
		return l->bound + out / UNCOMPARED;
	more = 2.0 * (double)l->bound * (double)out / (double)span;
	return more < 4e18 ? l->bound + (int64_t)more : INT64_MAX;
}

static void map_rows(struct nntrace_device *d, const struct reading *of, const struct clock_line *l)
{
	for (size_t i = 0; i < d->num_rows; i++) {
		struct nntrace_device_job *job = &d->rows[i]->job;
		int64_t start, end;

		if (job->device != of->device || job->generation != of->generation ||
		    job->device_start_ns == UNKNOWN || d->rows[i]->mapped)
			continue;
		if (!device_jobs_map(l, job->device_start_ns, &start) ||
		    !device_jobs_map(l, job->device_end_ns, &end))
			continue;
		job->device_start_ns = start;
		job->device_end_ns = end;
		job->bound_ns = bound_at(l, end);
		d->rows[i]->mapped = true;
	}
}

static int map_clocks(struct nntrace_device *d)
{
	qsort(d->readings, d->num_readings, sizeof(*d->readings), compare_readings);
	d->clocks = calloc(d->num_readings + 1, sizeof(*d->clocks));
	if (!d->clocks)
		return -ENOMEM;
	for (size_t i = 0, end; i < d->num_readings; i = end) {
		const struct reading *r = &d->readings[i];
		struct clock_line l;

		for (end = i; end < d->num_readings && d->readings[end].device == r->device &&
			      d->readings[end].generation == r->generation;
		     end++)
			;
		l = line_of(r, end - i);
		d->clocks[d->num_clocks++] = (struct nntrace_device_clock){
			.device = r->device,
			.generation = r->generation,
			.readings = end - i,
			.offset_ns = middle(l.a) - l.a->card,
			.drift_ppm = (rate_of(&l) - 1) * 1e6,
			.bound_ns = l.bound,
		};
		map_rows(d, r, &l);
	}
	return 0;
}

int nntrace_device_finish(struct nntrace_device *d)
{
	int ret = d->num_readings ? map_clocks(d) : 0;

	if (ret)
		return ret;
	d->jobs = calloc(d->num_rows + 1, sizeof(*d->jobs));
	if (!d->jobs)
		return -ENOMEM;
	for (size_t i = 0; i < d->num_rows; i++) {
		struct nntrace_device_job *job = &d->jobs[i];

		*job = d->rows[i]->job;
		if (!d->rows[i]->mapped)
			job->device_start_ns = job->device_end_ns = UNKNOWN;
		if (job->queued_ns != UNKNOWN && job->started_ns != UNKNOWN)
			job->queueing_ns = job->started_ns - job->queued_ns;
		if (job->device_end_ns != UNKNOWN && job->done_ns != UNKNOWN)
			job->interrupt_ns = job->done_ns - job->device_end_ns;
	}
	return 0;
}

const struct nntrace_device_job *nntrace_device_jobs(const struct nntrace_device *d, size_t *count)
{
	*count = d->jobs ? d->num_rows : 0;
	return d->jobs;
}

const struct nntrace_device_clock *nntrace_device_clocks(const struct nntrace_device *d,
							 size_t *count)
{
	*count = d->num_clocks;
	return d->clocks;
}

size_t nntrace_device_resets(const struct nntrace_device *d)
{
	return d->resets;
}
