// SPDX-License-Identifier: Apache-2.0
/*
 * "nnctl bench": latency of synchronous executions, and the shares of device, driver and host; with
 * --ops those of the operations.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/nnctl_base.h"
#include "commands/nnctl_commands.h"
#include "nnutil_clock.h"
#include "report/html_report.h"
#include "roofline/nnctl_roofline.h"
#include "session/nnctl_session.h"

#define DEFAULT_SECONDS 2.0
#define MAX_RUNS 1000000

struct samples {
	/* ms; measured: the round trips that device and driver are parts of */
	double *total, *measured, *device, *driver;
	size_t count;
};

static int run_once(struct session *s, bool measure, struct nnhal_timing *timing)
{
	NNTRACE_APP(NNTRACE_PHASE_EXECUTION, "run");
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	enum nnhal_status status = session_execute(s, measure, &result);

	*timing = result.timing;
	if (status != NNHAL_NONE)
		complain("the execution failed: %s%s%s", nnhal_status_name(status),
			 result.message[0] ? ": " : "", result.message);
	nnhal_execution_result_clear(&result);
	return status == NNHAL_NONE ? 0 : -1;
}

/* The first run loads the program and faults memory in. */
static int warm_up(struct session *s)
{
	NNTRACE_APP(NNTRACE_PHASE_WARMUP, "warm-up");
	struct nnhal_timing timing;

	if (run_once(s, false, &timing))
		return -1;
	return run_once(s, false, &timing) ? -1 : 0;
}

/* Measured and unmeasured runs alternate: the total does not contain the cost of measuring. */
static int bench_collect(struct session *s, const struct options *o, struct samples *samples)
{
	NNTRACE_APP(NNTRACE_PHASE_BENCHMARK, "runs");
	size_t want = o->runs ? (size_t)o->runs : MAX_RUNS;
	struct progress progress;
	struct nnhal_timing timing;
	int64_t begin;

	begin = nnutil_monotonic_ns();
	progress_start(&progress, "running");
	for (samples->count = 0; samples->count < want; samples->count++) {
		int64_t start = nnutil_monotonic_ns();
		size_t i = samples->count;

		if (!o->runs && i >= 10 && (double)(start - begin) / 1e9 > DEFAULT_SECONDS)
			break;
		if (run_once(s, false, &timing))
			return -1;
		samples->total[i] = (double)(nnutil_monotonic_ns() - start) / 1e6;
		start = nnutil_monotonic_ns();
		if (run_once(s, true, &timing))
			return -1;
		samples->measured[i] = (double)(nnutil_monotonic_ns() - start) / 1e6;
		samples->device[i] = (double)timing.on_device_ns / 1e6;
		samples->driver[i] = (double)timing.in_driver_ns / 1e6;
		progress_update(&progress, i, want);
	}
	progress_end(&progress);
	return 0;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void sort_doubles(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare_doubles);
}

/* The quantile @q (0 to 1) of @count sorted values, nearest rank. */
static double quantile(const double *sorted, size_t count, double q)
{
	size_t i = (size_t)(q * (double)count);

	if (!count)
		return 0;
	return sorted[i < count ? i : count - 1];
}

/* Medians over all runs, ms. */
struct shares {
	double median, measured, device, driver;
	bool known; /* the device reported its times; through the runtime only one chosen device
		       does */
	bool counted; /* copies are counted: only without the runtime */
	double staged; /* bytes a run */
};

static struct shares shares_of(const struct session *s, struct samples *p,
			       const struct nnhal_counters *before,
			       const struct nnhal_counters *after)
{
	double runs = (double)(after->executions - before->executions);
	struct shares shares = { .counted = s->dev != NULL };

	sort_doubles(p->total, p->count);
	sort_doubles(p->measured, p->count);
	sort_doubles(p->device, p->count);
	sort_doubles(p->driver, p->count);
	shares.median = quantile(p->total, p->count, 0.5);
	shares.measured = quantile(p->measured, p->count, 0.5);
	shares.device = quantile(p->device, p->count, 0.5);
	shares.driver = quantile(p->driver, p->count, 0.5);
	shares.known = p->device[0] >= 0 && p->driver[0] >= 0;
	if (runs > 0)
		shares.staged = (double)(after->bytes_staged_in - before->bytes_staged_in +
					 after->bytes_staged_out - before->bytes_staged_out) /
				runs;
	return shares;
}

/* Of the instructions that the operations use. */
static struct peak peak_of(const struct nnhal_device_info *info)
{
	return info->isa[0] ? peak_measure(info->isa) : (struct peak){ 0 };
}

static int report_html(const struct session *s, const struct options *o, const struct samples *p,
		       const struct shares *is, const struct profile *ops,
		       const struct nnhal_device_info *info)
{
	const struct peak peak = ops->count ? peak_of(info) : (struct peak){ 0 };
	size_t length;
	const char *title = session_title(o->model, &length);
	char model[128];

	snprintf(model, sizeof(model), "%.*s", (int)length, title);
	return html_report_write(
		&(struct html_report){
			.model = model,
			.device = session_where(s),
			.isa = info->isa,
			.ms = p->total,
			.runs = p->count,
			.median_ms = is->median,
			.p95_ms = quantile(p->total, p->count, 0.95),
			.p99_ms = quantile(p->total, p->count, 0.99),
			.prepare_ms = (double)s->prepare_ns / 1e6,
			.known = is->known,
			.device_ms = is->device,
			.driver_ms = is->driver - is->device,
			.host_ms = is->measured - is->driver,
			.profile = ops,
			.peak = &peak,
		},
		o->report);
}

static void report_text(const struct session *s, const struct samples *p, const struct shares *is,
			const struct profile *ops, const struct nnhal_device_info *info)
{
	printf("%s, %zu runs: median %.3f ms, p95 %.3f, p99 %.3f\n", session_where(s), p->count,
	       is->median, quantile(p->total, p->count, 0.95), quantile(p->total, p->count, 0.99));
	if (is->known)
		printf("  share: device %.1f %%, driver %.1f %%, host %.1f %%\n",
		       100 * is->device / is->measured,
		       100 * (is->driver - is->device) / is->measured,
		       100 * (is->measured - is->driver) / is->measured);
	else
		printf("  share: not measured; the runtime measures on one chosen device (--devices D)\n");
	if (is->counted)
		printf("  bytes copied per run: %.0f\n", is->staged);
	if (ops->count) {
		const struct peak peak = peak_of(info);

		roofline_print(ops, &peak, info->isa);
	}
}

static void add_known(cJSON *j, const char *name, bool known, double value)
{
	if (known)
		cJSON_AddNumberToObject(j, name, value);
	else
		cJSON_AddNullToObject(j, name);
}

static void report_json(const struct session *s, const struct samples *p, const struct shares *is,
			const struct profile *ops, const struct nnhal_device_info *info)
{
	cJSON *j = cJSON_CreateObject();

	cJSON_AddStringToObject(j, "device", session_where(s));
	cJSON_AddNumberToObject(j, "runs", (double)p->count);
	cJSON_AddNumberToObject(j, "prepare_ms", (double)s->prepare_ns / 1e6);
	cJSON_AddNumberToObject(j, "median_ms", is->median);
	cJSON_AddNumberToObject(j, "p95_ms", quantile(p->total, p->count, 0.95));
	cJSON_AddNumberToObject(j, "p99_ms", quantile(p->total, p->count, 0.99));
	cJSON_AddNumberToObject(j, "min_ms", p->total[0]);
	add_known(j, "device_ms", is->known, is->device);
	add_known(j, "driver_ms", is->known, is->driver - is->device);
	add_known(j, "host_ms", is->known, is->measured - is->driver);
	add_known(j, "bytes_copied", is->counted, is->staged);
	if (ops->count) {
		const struct peak peak = peak_of(info);

		cJSON_AddItemToObject(j, "profile", roofline_json(ops, &peak, info->isa));
	}
	json_print(j);
}

static int bench(struct session *s, const struct options *o, struct samples *samples,
		 const struct profile *ops)
{
	struct nnhal_device_info info = { .size = sizeof(info) };
	struct nnhal_counters before = { .size = sizeof(before) },
			      after = { .size = sizeof(after) };
	struct shares shares;
	TRACE_CASE("bench", o->model);

	if (session_load(s, o->model, false) || options_open(o, s) || session_burst(s) ||
	    options_fill_inputs(o, s))
		return 1;
	nnhal_device_get_counters(s->dev, &before);
	if (warm_up(s) || bench_collect(s, o, samples))
		return 1;
	nnhal_device_get_counters(s->dev, &after);
	shares = shares_of(s, samples, &before, &after);
	nnhal_device_get_info(s->dev, &info);
	if (o->json)
		report_json(s, samples, &shares, ops, &info);
	else
		report_text(s, samples, &shares, ops, &info);
	return o->report && report_html(s, o, samples, &shares, ops, &info) ? 1 : 0;
}

int cmd_bench(int argc, char **argv)
{
	struct samples samples = { 0 };
	struct profile ops = { 0 };
	struct options o;
	struct session s;
	double *memory = NULL;
	size_t room;
	int ret;

	ret = options_parse(&o, argc, argv,
			    "ARGUMENT device devices runtime input mean std runs ops report json");
	if (ret)
		return ret;
	/* first: this process has no threads yet */
	if (o.ops && profile_run(argc, argv, &ops)) {
		profile_free(&ops);
		return 1;
	}
	room = o.runs ? (size_t)o.runs : MAX_RUNS;
	memory = calloc(room * 4, sizeof(*memory));
	if (!memory) {
		complain("out of memory");
		profile_free(&ops);
		return 1;
	}
	samples =
		(struct samples){ memory, memory + room, memory + 2 * room, memory + 3 * room, 0 };
	ret = bench(&s, &o, &samples, &ops);
	free(memory);
	profile_free(&ops);
	session_close(&s);
	return ret;
}
