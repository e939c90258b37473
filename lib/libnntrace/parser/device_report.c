// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdlib.h>

#include "nntp.h"
#include "nnutil_node.h"

#define UNKNOWN NNTRACE_DEVICE_UNKNOWN

/* A part of a job's time: its name and its duration, or UNKNOWN. */
struct part {
	const char *name;
	int64_t (*of)(const struct nntrace_device_job *job);
};

static int64_t between(int64_t from, int64_t to)
{
	/* known times are not negative */
	return from == UNKNOWN || to == UNKNOWN ? UNKNOWN : to - from;
}

static int64_t queueing(const struct nntrace_device_job *job)
{
	return job->queueing_ns;
}

static int64_t doorbell(const struct nntrace_device_job *job)
{
	return between(job->started_ns, job->device_start_ns);
}

static int64_t on_device(const struct nntrace_device_job *job)
{
	return job->device_ns;
}

static int64_t interrupt(const struct nntrace_device_job *job)
{
	return job->interrupt_ns;
}

static int64_t whole(const struct nntrace_device_job *job)
{
	return between(job->queued_ns, job->done_ns);
}

static const struct part parts[] = {
	{ "queueing", queueing }, /* accepted to handed to the card */
	{ "doorbell", doorbell }, /* handed to the card to running there */
	{ "device", on_device },  { "interrupt", interrupt }, /* ended there to known here */
	{ "total", whole },
};

#define NUM_PARTS (sizeof(parts) / sizeof(parts[0]))

static int device_report_compare(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return (a > b) - (a < b);
}

static void print_summary(const struct nntrace_device_job *jobs, size_t count,
			  const struct part *part, int64_t *values, FILE *out)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t ns = part->of(&jobs[i]);

		if (ns == UNKNOWN)
			continue;
		values[n++] = ns;
		sum += (double)ns;
	}
	if (!n) {
		fprintf(out, "%-10s %8s %12s %10s %10s %10s %10s\n", part->name, "0", "n/a", "n/a",
			"n/a", "n/a", "n/a");
		return;
	}
	qsort(values, n, sizeof(*values), device_report_compare);
	fprintf(out, "%-10s %8zu %12.3f %10.3f %10.3f %10.3f %10.3f\n", part->name, n, sum / 1e6,
		(double)values[0] / 1e6, (double)values[(n - 1) / 2] / 1e6,
		(double)values[(n - 1) * 95 / 100] / 1e6, (double)values[n - 1] / 1e6);
}

static void print_clocks(const struct nntrace_device *d, FILE *out)
{
	const struct nntrace_device_clock *clocks;
	char name[NNUTIL_NODE_NAME];
	size_t count;

	clocks = nntrace_device_clocks(d, &count);
	for (size_t i = 0; i < count; i++) {
		nnutil_node_of_minor(clocks[i].device, name);
		fprintf(out,
			"clock of %s (generation %" PRIu32
			"): known to +-%.3f ms, drift %.1f ppm, %zu "
			"readings\n",
			name, clocks[i].generation, (double)clocks[i].bound_ns / 1e6,
			clocks[i].drift_ppm, clocks[i].readings);
	}
	if (!count)
		fputs("clock of the card: no reading in the trace, its times cannot be mapped\n",
		      out);
}

static void print_ms(FILE *out, int64_t ns)
{
	if (ns == UNKNOWN)
		fprintf(out, " %10s", "n/a");
	else
		fprintf(out, " %10.3f", (double)ns / 1e6);
}

static void print_each(const struct nntrace_device_job *jobs, size_t count, FILE *out)
{
	char name[NNUTIL_NODE_NAME];

	fputs("\ndevice   client  queue      seqno      queued at", out);
	for (size_t p = 0; p < NUM_PARTS; p++)
		fprintf(out, " %10s", parts[p].name);
	fputs("  end\n", out);
	for (size_t i = 0; i < count; i++) {
		const struct nntrace_device_job *job = &jobs[i];

		nnutil_node_of_minor(job->device, name);
		fprintf(out, "%-7s %7" PRIu64 " %6" PRIu32 " %10" PRIu64, name, job->client,
			job->queue, job->seqno);
		if (job->queued_ns == UNKNOWN)
			fprintf(out, " %14s", "n/a");
		else
			fprintf(out, " %14.6f", (double)job->queued_ns / 1e9);
		for (size_t p = 0; p < NUM_PARTS; p++)
			print_ms(out, parts[p].of(job));
		if (!job->ended)
			fputs("  not in the trace\n", out);
		else if (job->error)
			fprintf(out, "  status %#" PRIx32 ", error %d\n", job->status, job->error);
		else
			fputs("  ok\n", out);
	}
}

void nntrace_device_print(const struct nntrace_device *d, FILE *out, int each)
{
	const struct nntrace_device_job *jobs;
	size_t count, failed = 0, open = 0;
	int64_t *values;

	jobs = nntrace_device_jobs(d, &count);
	for (size_t i = 0; i < count; i++) {
		failed += jobs[i].ended && jobs[i].error;
		open += !jobs[i].ended;
	}
	fprintf(out, "Device: %zu jobs, %zu failed, %zu without an end, %zu resets\n", count,
		failed, open, nntrace_device_resets(d));
	print_clocks(d, out);
	values = calloc(count + 1, sizeof(*values));
	if (!values) {
		fputs("out of memory\n", out);
		return;
	}
	fprintf(out, "%-10s %8s %12s %10s %10s %10s %10s\n", "ms", "jobs", "sum", "min", "median",
		"p95", "max");
	for (size_t p = 0; p < NUM_PARTS; p++)
		print_summary(jobs, count, &parts[p], values, out);
	free(values);
	if (each)
		print_each(jobs, count, out);
}

static void json_ns(FILE *out, const char *name, int64_t ns)
{
	if (ns == UNKNOWN)
		fprintf(out, ", \"%s\": null", name);
	else
		fprintf(out, ", \"%s\": %" PRId64, name, ns);
}

void nntrace_device_print_json(const struct nntrace_device *d, FILE *out)
{
	const struct nntrace_device_clock *clocks;
	const struct nntrace_device_job *jobs;
	size_t count;

	fputs("{\n  \"clocks\": [", out);
	clocks = nntrace_device_clocks(d, &count);
	for (size_t i = 0; i < count; i++)
		fprintf(out,
			"%s\n    { \"device\": %" PRIu32 ", \"generation\": %" PRIu32
			", \"readings\": %zu, "
			"\"offset_ns\": %" PRId64 ", \"bound_ns\": %" PRId64
			", \"drift_ppm\": %.3f }",
			i ? "," : "", clocks[i].device, clocks[i].generation, clocks[i].readings,
			clocks[i].offset_ns, clocks[i].bound_ns, clocks[i].drift_ppm);
	fputs("\n  ],\n  \"jobs\": [", out);
	jobs = nntrace_device_jobs(d, &count);
	for (size_t i = 0; i < count; i++) {
		const struct nntrace_device_job *job = &jobs[i];

		fprintf(out,
			"%s\n    { \"device\": %" PRIu32 ", \"client\": %" PRIu64
			", \"queue\": %" PRIu32 ", \"seqno\": %" PRIu64 ", \"tid\": %" PRId32
			", \"ended\": %s, \"status\": %" PRIu32
			", \"error\": %d, \"generation\": %" PRIu32,
			i ? "," : "", job->device, job->client, job->queue, job->seqno, job->tid,
			job->ended ? "true" : "false", job->status, job->error, job->generation);
		json_ns(out, "queued_ns", job->queued_ns);
		json_ns(out, "scheduled_ns", job->scheduled_ns);
		json_ns(out, "started_ns", job->started_ns);
		json_ns(out, "device_start_ns", job->device_start_ns);
		json_ns(out, "device_end_ns", job->device_end_ns);
		json_ns(out, "done_ns", job->done_ns);
		json_ns(out, "bound_ns", job->bound_ns);
		for (size_t p = 0; p < NUM_PARTS; p++)
			json_ns(out, parts[p].name, parts[p].of(job));
		fputs(" }", out);
	}
	fprintf(out, "\n  ],\n  \"resets\": %zu\n}\n", nntrace_device_resets(d));
}
