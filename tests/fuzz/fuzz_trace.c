// SPDX-License-Identifier: Apache-2.0
/* Hostile traces through the parser in both modes, every output, and the export. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "nntrace_parse.h"

static uint64_t inputs, runs, failed_runs, exports;

struct target {
	FILE *out;
	struct nntp_detail *detail;
	uint64_t runs, cells;
};

static int show_run(void *ctx, const struct nntp_run *run)
{
	struct target *t = ctx;

	t->runs++;
	for (size_t i = 0; i < run->num_threads; i++)
		t->cells += run->threads[i].count;
	for (unsigned int i = 0; i < 4; i++) {
		const struct nntp_format format = { i & 1, i & 2 };

		nntp_print_table(t->out, run, &format);
		nntp_print_json(t->out, run, &format);
	}
	nntp_print_tsv(t->out, run);
	nntp_print_tsv_threads(t->out, run);
	return nntp_detail_print(t->detail, t->out);
}

static void keep_scope(void *ctx, const struct nntp_scope_info *scope)
{
	nntp_detail_scope(((struct target *)ctx)->detail, scope);
}

static void forget(void *ctx)
{
	nntp_detail_reset(((struct target *)ctx)->detail);
}

static void diagnose(void *ctx, const struct nntp_diagnostic *d)
{
	(void)ctx;
	if (!d->text[0])
		abort();
}

static void parse(const void *bytes, size_t size, bool strict, FILE *out)
{
	struct target t = { .out = out, .detail = nntp_detail_new() };
	const struct nntp_callbacks cb = { .ctx = &t,
					   .run = show_run,
					   .diagnostic = diagnose,
					   .scope = keep_scope,
					   .run_begins = forget };
	struct nntp_result result;
	struct nntp_source *source;
	int ret;

	if (!t.detail || nntp_source_memory(bytes, size, &source))
		abort();
	ret = nntp_parse(source, strict, &cb, &result);
	if (ret && ret != -ENOMSG)
		abort();
	/* a run that was told was complete; one that failed has a reason */
	if (result.complete != t.runs ||
	    result.runs != result.complete + result.incomplete + result.failed ||
	    (result.failed && !result.errors))
		abort();
	runs += result.complete;
	failed_runs += result.failed;
	nntp_source_close(source);
	nntp_detail_free(t.detail);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *out = fopen("/dev/null", "w");
	struct nntp_source *source;
	uint64_t dropped;
	/* exactly as long, so that the sanitizer sees every byte too far */
	void *bytes = malloc(size ? size : 1);

	if (!out || !bytes)
		abort();
	memcpy(bytes, data, size);
	inputs++;
	parse(bytes, size, false, out);
	parse(bytes, size, true, out);
	if (nntp_source_memory(bytes, size, &source))
		abort();
	exports += nntp_export(source, out, NULL, NULL, &dropped) == 0;
	nntp_source_close(source);
	free(bytes);
	fclose(out);
	return 0;
}

/* ---- for the driver ---- */

static const char seed_trace[] =
	"# tracer: nop\n"
	"#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n"
	"  drv-7 (    7) [000] ...1  10.000001: tracing_mark_write: B|7|HIDL::IDevice::getType::server\n"
	"  drv-7 (    7) [000] ...1  10.000002: tracing_mark_write: E|7\n"
	"  app-5 (    5) [001] ...1  10.000003: tracing_mark_write: B|5|[NN_LA_PO]case\n"
	"  app-5 (    5) [001] ...1  10.000004: tracing_mark_write: B|5|[NN_LA_PWU]loop\n"
	"  app-5 (-----) [001] ...1  10.000005: tracing_mark_write: B|5|[NN_LA_PE]infer\n"
	"  app-5 [001] ...1  10.000006: tracing_mark_write: B|5|[NN_LR_PE]ANeuralNetworksExecution_startCompute\n"
	"  app-5 (    5) [001] ...1  10.000007: tracing_mark_write: E|5\n"
	"  drv-7 (    7) [000] ...1  10.000008: tracing_mark_write: B|7|HIDL::IPreparedModel::execute::server\n"
	"  drv-7 (    7) [000] ...1  10.000009: tracing_mark_write: B|7|HIDL::IExecutionCallback::notify::client\n"
	"  app-5 (    5) [001] ...1  10.000010: nnaccel_job_queued: device=0 client=1 queue=1 hw_queue=0 seqno=1 "
	"args=1 generation=1\n"
	"  app-5 (    5) [001] ...1  10.000011: nnaccel_job_done: device=0 client=1 queue=1 seqno=1 status=0 error=0 "
	"device_start=1 device_end=2 generation=1\n"
	"  drv-7 (    7) [000] ...1  10.000012: tracing_mark_write: E|7\n"
	"  drv-7 (    7) [000] ...1  10.000013: tracing_mark_write: E|7\n"
	"  app-5 (    5) [001] 10.000014: print: tracing_mark_write: B|5|[NN_LR_PE]ANeuralNetworksEvent_wait\n"
	"  app-5 (    5) [001] ...1  10.000015: tracing_mark_write: E|5\n"
	"  app-5 (    5) [001] ...1  10.000016: tracing_mark_write: E|5\n"
	"  app-5 (    5) [001] ...1  10.000017: tracing_mark_write: B|5|[NN_LR_PIO]setInput\n"
	"  app-5 (    5) [001] ...1  10.000018: tracing_mark_write: B|5|[SW][NN_LR_PR]execute\n"
	"  app-5 (    5) [001] ...1  10.000019: tracing_mark_write: B|5|[SUB][NN_LR_PE]convert\n"
	"  app-5 (    5) [001] ...1  10.000020: tracing_mark_write: E\n"
	"  app-5 (    5) [001] ...1  10.000021: tracing_mark_write: E|5\n"
	"  app-5 (    5) [001] ...1  10.000022: tracing_mark_write: E|5\n"
	"  app-5 (    5) [001] ...1  10.000023: tracing_mark_write: E|5\n"
	"  app-5 (    5) [001] ...1  10.000024: tracing_mark_write: E|5\n"
	"  app-5 (    5) [001] ...1  10.000025: tracing_mark_write: C|5|memory|17\n";

static size_t mutate_once(char *text, size_t len, uint64_t *seed)
{
	static const char *const words[] = {
		"\n",	       "[SW]", "[SUB]",	 "[NN_LA_PO]x", "[NN_LU_PU]u",
		"E",	       "B|5|", "HIDL::", "::server",	"::client",
		"99999999999", "-",    "(",	 "]",		"[",
		"|",	       "\xff", "_PI",	 "</script>",	"ANeuralNetworksExecution_create",
	};
	const char *word = words[fuzz_random(seed) % (sizeof(words) / sizeof(words[0]))];
	size_t at = fuzz_random(seed) % len, n = strlen(word), line, end;

	switch (fuzz_random(seed) % 6) {
	case 0: /* a byte */
		text[at] = (char)fuzz_random(seed);
		return len;
	case 1: /* a word over what is there */
		if (len - at < n)
			return len;
		memcpy(text + at, word, n);
		return len;
	case 2: /* a word more */
		memmove(text + at + n, text + at, len - at);
		memcpy(text + at, word, n);
		return len + n;
	case 3: /* cut off */
		return fuzz_random(seed) % 16 ? len : at + 1;
	default: /* a line less, or twice */
		for (line = at; line && text[line - 1] != '\n'; line--)
			;
		for (end = at; end < len && text[end] != '\n'; end++)
			;
		end += end < len;
		if (fuzz_random(seed) % 2 && end - line < len) {
			memmove(text + line, text + end, len - end);
			return len - (end - line);
		}
		memmove(text + end + (end - line), text + end, len - end);
		memcpy(text + end, text + line, end - line);
		return len + (end - line);
	}
}

#define PICK(a) a[fuzz_random(seed) % (sizeof(a) / sizeof(a[0]))]

static size_t put_line(char *text, uint32_t tid, uint32_t us, const char *mark)
{
	return (size_t)sprintf(text, "  t-%u (%u) [000] .... 1.%06u: tracing_mark_write: %s\n", tid,
			       tid, us, mark);
}

/*
 * Lines that are right by themselves, whose ends have begins; half of the traces have codes that
 * may nest, too.
 */
static size_t random_lines(char *text, uint64_t *seed)
{
	static const char *const layers[] = { "LA", "LR", "LI", "LD", "LC", "LU", "LO", "LX", "LQ" };
	static const char *const phases[] = { "PO", "PWU", "PBM", "PI",	 "PP",	"PC", "PE",
					      "PT", "PU",  "PIO", "PTR", "PCO", "PR" };
	static const char *const nested[] = { "LR_PE", "LR_PE", "LR_PI", "LU_PE", "LX_PE" };
	static const char *const names[] = {
		"f",
		"ANeuralNetworksExecution_create",
		"ANeuralNetworksExecution_compute",
		"ANeuralNetworksEvent_wait",
		"ANeuralNetworksEvent_free",
		"ANeuralNetworksExecution_startCompute",
	};
	static const char *const prefixes[] = { "", "", "", "[SW]", "[SUB]" };
	size_t len = (size_t)sprintf(text, "# TASK-PID FUNCTION\n");
	uint32_t us = 0, lines = fuzz_random(seed) % 60, depth[3] = { 0 };
	bool may_nest = fuzz_random(seed) % 2;
	char mark[200];

	while (lines--) {
		uint32_t t = fuzz_random(seed) % 3;

		us += fuzz_random(seed) % 100;
		if (depth[t] && fuzz_random(seed) % 2) {
			depth[t]--;
			len += put_line(text + len, 5 + t, us, "E|5");
			continue;
		}
		if (may_nest)
			sprintf(mark, "B|5|[NN_%s]%s", PICK(nested), names[fuzz_random(seed) % 5]);
		else
			sprintf(mark, "B|5|%s[NN_%s_%s]%s", PICK(prefixes), PICK(layers),
				PICK(phases), PICK(names));
		depth[t] += strstr(mark, "[SW]") ? 2 : 1;
		len += put_line(text + len, 5 + t, us, mark);
	}
	for (uint32_t t = 0; t < 3; t++)
		for (us++; depth[t]; depth[t]--)
			len += put_line(text + len, 5 + t, us, "E|5");
	return len;
}

/* Half of the inputs are mutations, half are random lines. */
static size_t mutate(uint8_t *data, size_t size, uint64_t *random)
{
	if (fuzz_random(random) % 2)
		return random_lines((char *)data, random);
	/* each at most doubles it */
	for (uint32_t i = 1 + fuzz_random(random) % 5; i--;)
		size = mutate_once((char *)data, size, random);
	return size;
}

static size_t seeds(struct fuzz_seed **list)
{
	size_t count = 0;

	*list = NULL;
	fuzz_add_seed(list, &count, "all", seed_trace, sizeof(seed_trace) - 1);
	return count;
}

/* One run in each mode. */
static bool seeds_accepted(size_t count)
{
	return runs == 2 * count;
}

static bool reached(uint64_t rounds)
{
	return runs >= rounds / 20 && failed_runs >= rounds / 20 && exports >= inputs / 2;
}

static void report(void)
{
	printf("%llu inputs: runs %llu complete, %llu failed, %llu exports\n",
	       (unsigned long long)inputs, (unsigned long long)runs,
	       (unsigned long long)failed_runs, (unsigned long long)exports);
}

const struct fuzz_target fuzz_target = {
	.suffix = ".trace",
	.seeds = seeds,
	.mutate = mutate,
	.seeds_accepted = seeds_accepted,
	.reached = reached,
	.report = report,
};
