// SPDX-License-Identifier: Apache-2.0
#include "nntp.h"

#include <string.h>

#include "nntrace_parse.h"
#include "nnutil_node.h"

#define UNKNOWN NNTRACE_DEVICE_UNKNOWN

void chrome_begin(struct chrome *c, char ph, int32_t pid, int32_t tid, int64_t ns)
{
	fprintf(c->out, "%s{\"ph\":\"%c\",\"pid\":%d,\"tid\":%d,\"ts\":%lld.%03lld",
		c->events++ ? ",\n" : "", ph, pid, tid, (long long)(ns / 1000),
		(long long)(ns % 1000));
}

void chrome_end(struct chrome *c)
{
	fputc('}', c->out);
}

void chrome_name(struct chrome *c, int32_t pid, int32_t tid, const char *name, size_t len)
{
	fprintf(c->out, "%s{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"%s\",\"args\":{\"name\":",
		c->events++ ? ",\n" : "", pid, tid < 0 ? pid : tid,
		tid < 0 ? "process_name" : "thread_name");
	nntp_print_json_string(c->out, name, len);
	fputs("}}", c->out);
}

/* ---- jobs ---- */

/*
 * In the driver, the jobs of a queue overlap: they are asynchronous events. The card runs the jobs
 * of a queue one after the other: they are on a track. Arrows lead from the thread that submitted a
 * job to the job on the card, and back to the thread when the end is known.
 */

/* The track of a queue, which is unique among the clients of a card. */
static int32_t track_of(const struct nntrace_device_job *job)
{
	return (int32_t)((job->client & 0x3fffff) << 8 | (job->queue & 0xff)) + 1;
}

static void put_job(struct chrome *c, const struct nntrace_device_job *job)
{
	fprintf(c->out,
		",\"args\":{\"client\":%llu,\"queue\":%u,\"seqno\":%llu,\"status\":%u,\"error\":%d}",
		(unsigned long long)job->client, job->queue, (unsigned long long)job->seqno,
		job->status, job->error);
}

static void chrome_step(struct chrome *c, const struct nntrace_device_job *job, const char *name,
			int64_t from, int64_t to)
{
	static const char phs[] = "be";

	if (from == UNKNOWN || to == UNKNOWN)
		return;
	for (unsigned int i = 0; i < 2; i++) {
		chrome_begin(c, phs[i], CHROME_CARD_PID(job->device), track_of(job),
			     i ? (to > from ? to : from) : from);
		fprintf(c->out, ",\"name\":\"%s\",\"cat\":\"driver\",\"id\":\"%u.%llu.%u.%llu\"",
			name, job->device, (unsigned long long)job->client, job->queue,
			(unsigned long long)job->seqno);
		if (!i)
			put_job(c, job);
		chrome_end(c);
	}
}

/* On the card: by the card's clock, else by the driver's times. */
static void on_card(struct chrome *c, const struct nntrace_device_job *job, int64_t from,
		    int64_t to)
{
	int64_t ns = to > from ? to - from : 0;

	chrome_begin(c, 'X', CHROME_CARD_PID(job->device), track_of(job), from);
	fprintf(c->out, ",\"dur\":%lld.%03lld,\"name\":\"job %llu\",\"cat\":\"%s\"",
		(long long)(ns / 1000), (long long)(ns % 1000), (unsigned long long)job->seqno,
		job->device_start_ns != UNKNOWN ? "device" : "driver");
	put_job(c, job);
	chrome_end(c);
}

static void arrow(struct chrome *c, char ph, uint64_t id, int32_t pid, int32_t tid, int64_t ns)
{
	chrome_begin(c, ph, pid, tid, ns);
	fprintf(c->out, ",\"id\":%llu,\"name\":\"job\",\"cat\":\"job\"%s", (unsigned long long)id,
		ph == 'f' ? ",\"bp\":\"e\"" : "");
	chrome_end(c);
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

void chrome_jobs(struct chrome *c, const struct nntrace_device *d,
		 int32_t (*process_of)(void *ctx, int32_t tid), void *ctx)
{
	size_t count;
	const struct nntrace_device_job *jobs = nntrace_device_jobs(d, &count);
	char name[64];

	for (size_t i = 0; i < count; i++) {
		const struct nntrace_device_job *job = &jobs[i];
		int64_t from = job->device_start_ns != UNKNOWN ? job->device_start_ns
							       : job->started_ns;
		int64_t to = job->device_end_ns != UNKNOWN ? job->device_end_ns : job->done_ns;
		int64_t at;

		/* repeated when queues alternate; viewers keep the last name, which is the same */
		if (!i || track_of(job) != track_of(job - 1) || job->device != job[-1].device) {
			nnutil_node_of_minor(job->device, name);
			chrome_name(c, CHROME_CARD_PID(job->device), -1, name, strlen(name));
			chrome_name(c, CHROME_CARD_PID(job->device), track_of(job), name,
				    (size_t)snprintf(name, sizeof(name), "client %llu queue %u",
						     (unsigned long long)job->client, job->queue));
		}
		chrome_step(c, job, "job", job->queued_ns, job->done_ns);
		chrome_step(c, job, "queueing", job->queued_ns, job->started_ns);
		chrome_step(c, job, "interrupt", job->device_end_ns, job->done_ns);
		if (from == UNKNOWN || to == UNKNOWN)
			continue;
		on_card(c, job, from, to);
		if (job->tid < 0 || job->queued_ns == UNKNOWN || job->done_ns == UNKNOWN)
			continue;
		at = later(from, job->queued_ns);
		arrow(c, 's', i + 1, process_of(ctx, job->tid), job->tid, job->queued_ns);
		arrow(c, 't', i + 1, CHROME_CARD_PID(job->device), track_of(job), at);
		arrow(c, 'f', i + 1, process_of(ctx, job->tid), job->tid, later(at, job->done_ns));
	}
}
