// SPDX-License-Identifier: Apache-2.0
/* "nnctl trace report": tables of the runs of a trace. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nnctl_base.h"
#include "nntp.h"
#include "nntrace_parse.h"
#include "trace/nnctl_trace.h"

struct report {
	const char *path;
	struct nntp_format format;
	bool strict, json, tsv, tsv_threads, detail, device, each_job;
	unsigned int printed;
	struct nntp_detail *scopes;
	struct nntrace_device *jobs;
	int error;
	struct progress progress;
};

enum {
	OPT_TOTAL_TIMES = 256,
	OPT_PER_EXECUTION,
	OPT_DETAIL,
	OPT_JSON,
	OPT_STRICT,
	OPT_DEVICE,
	OPT_JOBS,
	OPT_TSV,
	OPT_TSV_THREADS
};

static const struct option options[] = {
	{ "total-times", no_argument, NULL, OPT_TOTAL_TIMES },
	{ "per-execution", no_argument, NULL, OPT_PER_EXECUTION },
	{ "print-detail", no_argument, NULL, OPT_DETAIL },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "device", no_argument, NULL, OPT_DEVICE },
	{ "jobs", no_argument, NULL, OPT_JOBS },
	{ "tsv", no_argument, NULL, OPT_TSV },
	{ "tsv-threads", no_argument, NULL, OPT_TSV_THREADS },
	{ 0 },
};

static int parse_options(struct report *r, int argc, char **argv)
{
	int option;

	optind = 1;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case OPT_TOTAL_TIMES:
			r->format.total_times = true;
			break;
		case OPT_PER_EXECUTION:
			r->format.per_execution = true;
			break;
		case OPT_DETAIL:
			r->detail = true;
			break;
		case OPT_JSON:
			r->json = true;
			break;
		case OPT_STRICT:
			r->strict = true;
			break;
		case OPT_DEVICE:
			r->device = true;
			break;
		case OPT_JOBS:
			r->device = r->each_job = true;
			break;
		case OPT_TSV:
			r->tsv = true;
			break;
		case OPT_TSV_THREADS:
			r->tsv_threads = true;
			break;
		default:
			return usage("report: unknown option %s", argv[optind - 1]);
		}
	}
	if (argc - optind != 1)
		return usage("report: exactly one file is needed (- is standard input)");
	if (r->json + r->tsv + r->tsv_threads > 1 ||
	    (r->detail && (r->json || r->tsv || r->tsv_threads)))
		return usage(
			"report: only one of --json, --tsv, --tsv-threads and --print-detail can be given");
	r->path = argv[optind];
	return 0;
}

static int show_run(void *ctx, const struct nntp_run *run)
{
	struct report *r = ctx;

	if (r->json) {
		fputs(r->printed ? ",\n" : "", stdout);
		nntp_print_json(stdout, run, &r->format);
	} else if (r->tsv) {
		nntp_print_tsv(stdout, run);
	} else if (r->tsv_threads) {
		nntp_print_tsv_threads(stdout, run);
	} else {
		nntp_print_table(stdout, run, &r->format);
		if (r->detail)
			r->error = nntp_detail_print(r->scopes, stdout);
	}
	r->printed++;
	return r->error;
}

static void show_diagnostic(void *ctx, const struct nntp_diagnostic *d)
{
	struct report *r = ctx;
	static const char *const severities[] = { "note: ", "warning: ", "" };

	progress_end(&r->progress);
	fflush(stdout);
	if (!*d->class)
		fprintf(stderr, "%s\n", d->text);
	else if (d->line)
		fprintf(stderr, "%s:%llu: %s%s: %s\n", r->path, (unsigned long long)d->line,
			severities[d->severity], d->class, d->text);
	else
		fprintf(stderr, "%s: %s%s: %s\n", r->path, severities[d->severity], d->class,
			d->text);
}

static void show_progress(void *ctx, uint64_t done, uint64_t total)
{
	struct report *r = ctx;

	progress_update(&r->progress, (size_t)(done >> 20), (size_t)(total >> 20));
}

static void keep_scope(void *ctx, const struct nntp_scope_info *scope)
{
	struct report *r = ctx;

	nntp_detail_scope(r->scopes, scope);
}

static void forget_scopes(void *ctx)
{
	struct report *r = ctx;

	nntp_detail_reset(r->scopes);
}

/* Malformed events are left out: a trace can be cut anywhere. */
static void keep_event(void *ctx, int64_t ns, int32_t tid, const char *name, size_t name_len,
		       const char *fields, size_t fields_len)
{
	struct report *r = ctx;
	char shown_name[128], shown_fields[1024];
	int ret = nntrace_device_event(r->jobs, ns, tid, name, name_len, fields, fields_len);

	if (ret == -EINVAL)
		fprintf(stderr, "%s: warning: bad-event: %s: %s\n", r->path,
			nntp_printable(shown_name, sizeof(shown_name), name, name_len),
			nntp_printable(shown_fields, sizeof(shown_fields), fields, fields_len));
	else if (ret)
		r->error = ret;
}

static void show_device(struct report *r)
{
	r->error = nntrace_device_finish(r->jobs);
	if (r->error)
		return;
	if (r->json)
		nntrace_device_print_json(r->jobs, stdout);
	else
		nntrace_device_print(r->jobs, stdout, r->each_job);
}

static int report(struct report *r, struct nntp_source *source)
{
	const struct nntp_callbacks callbacks = {
		.ctx = r,
		.run = show_run,
		.diagnostic = show_diagnostic,
		.progress = show_progress,
		.scope = r->detail ? keep_scope : NULL,
		.run_begins = r->detail ? forget_scopes : NULL,
		.event = r->device ? keep_event : NULL,
	};
	struct nntp_result result;
	int ret;

	if (r->json)
		fputs(r->device ? "{\n\"runs\": [\n" : "[\n", stdout);
	else if (r->tsv)
		puts("#columns\trun\tscope\tlayer\tphase\ttotal_ms\tself_ms\tnodes");
	else if (r->tsv_threads)
		puts("#columns\trun\ttid\ttgid\trole\tapp_phase\tlayer\tphase\tsum_ms\tnodes");
	progress_start(&r->progress, "reading (MiB)");
	ret = nntp_parse(source, r->strict, &callbacks, &result);
	progress_end(&r->progress);
	if (r->json)
		fputs(r->device ? "],\n\"device\": " : "]\n", stdout);
	if (r->device && !ret && !r->error)
		show_device(r);
	else if (r->device && r->json)
		fputs("null", stdout);
	if (r->json && r->device)
		fputs("\n}\n", stdout);
	if (ret == -ENOMSG)
		complain("%s: contains no trace (ftrace text, or trace.dat, is expected)", r->path);
	else if (ret || r->error)
		complain("%s: %s", r->path, strerror(ret ? -ret : -r->error));
	if (fflush(stdout) || ferror(stdout)) {
		complain("standard output: %s", strerror(errno));
		ret = -EIO;
	}
	return ret || r->error || result.failed || result.errors ? EXIT_FAILURE : 0;
}

int trace_report(int argc, char **argv)
{
	struct report r = { 0 };
	struct nntp_source *source;
	char message[512];
	int ret = parse_options(&r, argc, argv);

	if (ret)
		return ret;
	if (nntp_source_open(r.path, &source, message, sizeof(message))) {
		complain("%s", message);
		return EXIT_FAILURE;
	}
	r.scopes = r.detail ? nntp_detail_new() : NULL;
	r.jobs = r.device ? nntrace_device_new() : NULL;
	if ((r.detail && !r.scopes) || (r.device && !r.jobs)) {
		complain("out of memory");
		ret = EXIT_FAILURE;
	} else {
		ret = report(&r, source);
	}
	nntp_detail_free(r.scopes);
	nntrace_device_free(r.jobs);
	nntp_source_close(source);
	return ret;
}
