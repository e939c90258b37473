// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include <nnaccel/nnaccel_status.h>

#include "coredump/coredump.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct name {
	uint32_t value;
	const char *text;
};

static const struct name reasons[] = {
	{ NNACCEL_DUMP_HUNG, "a job did not answer its abort" },
	{ NNACCEL_DUMP_PROTOCOL, "the card violated the device contract" },
	{ NNACCEL_DUMP_ADMIN, "a command went unanswered" },
	{ NNACCEL_DUMP_HEARTBEAT, "the heartbeat stood still" },
	{ NNACCEL_DUMP_FIRMWARE, "the firmware failed" },
	{ NNACCEL_DUMP_BUS, "the bus reported an error" },
	{ NNACCEL_DUMP_IDLE, "the card ran none of its jobs" },
	{ NNACCEL_DUMP_LOST, "the card died" },
};

static const struct name queue_flags[] = {
	{ NNACCEL_DUMP_QUEUE_HUNG, "hung" },
	{ NNACCEL_DUMP_QUEUE_DEAD, "dead" },
	{ NNACCEL_DUMP_QUEUE_ON_ENGINE, "on-engine" },
};

static const struct name job_flags[] = {
	{ NNACCEL_DUMP_JOB_BEGUN, "begun" },	   { NNACCEL_DUMP_JOB_ON_ENGINE, "on-engine" },
	{ NNACCEL_DUMP_JOB_ENDED, "ended" },	   { NNACCEL_DUMP_JOB_ABORTED, "abort-sent" },
	{ NNACCEL_DUMP_JOB_ACKED, "abort-acked" }, { NNACCEL_DUMP_JOB_DIRECT, "direct" },
};

static const struct name verdicts[] = {
	{ NNACCEL_STATUS_OK, "none" },
	{ NNACCEL_STATUS_FAULT, "FAULT" },
	{ NNACCEL_STATUS_CANCELED, "CANCELED" },
	{ NNACCEL_STATUS_DEADLINE, "DEADLINE" },
	{ NNACCEL_STATUS_MAX_TIME, "MAX_TIME" },
	{ NNACCEL_STATUS_NO_PROGRESS, "NO_PROGRESS" },
	{ NNACCEL_STATUS_LINK_LOST, "LINK_LOST" },
	{ NNACCEL_STATUS_INNOCENT, "INNOCENT" },
	{ NNACCEL_STATUS_INPUT_FAILED, "INPUT_FAILED" },
	{ NNACCEL_STATUS_BANNED, "BANNED" },
	{ NNACCEL_STATUS_UNPLUGGED, "UNPLUGGED" },
	{ NNACCEL_STATUS_EXPIRED, "EXPIRED" },
};

static const char *const device_states[] = { "online", "resetting", "link lost", "failed" };
static const char *const fw_states[] = { "boot", "ready", "running", "failed" };
static const char *const queue_states[] = { "detached", "shut", "attached" };
static const char *const job_states[] = { "waiting", "ready", "on-card", "done" };
static const char *const healths[] = { "ok", "banned (timeout)", "banned (fault)", "refused" };

/* A value with its name, or as a number. */
static void put_one_of(FILE *out, const char *label, uint32_t value, const char *const *names,
		       size_t count)
{
	if (value < count)
		fprintf(out, " %s %s", label, names[value]);
	else
		fprintf(out, " %s %#" PRIx32, label, value);
}

static void put_flags(FILE *out, uint32_t flags, const struct name *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (flags & names[i].value)
			fprintf(out, " %s", names[i].text);
		flags &= ~names[i].value;
	}
	if (flags)
		fprintf(out, " %#" PRIx32, flags);
}

/* A text of the card or of the driver: whatever it is, it cannot harm a terminal. */
static void put_text(FILE *out, const uint8_t *text, size_t size)
{
	for (size_t i = 0; i < size && text[i]; i++)
		fputc(text[i] >= ' ' && text[i] < 0x7f ? text[i] : '?', out);
}

static double ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

/* A record, with zeros for fields that its version does not have. */
static void print_coredump_get(const struct coredump *dump, uint32_t type, uint32_t i, void *record,
			       size_t size)
{
	const struct nnaccel_dump_section *s = &dump->sections[type];

	memset(record, 0, size);
	memcpy(record, dump->data + s->offset + (size_t)i * s->stride,
	       s->stride < size ? s->stride : size);
}

static void print_header(FILE *out, const struct nnaccel_dump_header *h)
{
	bool first = true;

	fprintf(out, "core dump %" PRIu32 ".%" PRIu32 " of nnaccel ", h->version >> 16,
		h->version & 0xffff);
	put_text(out, h->driver, sizeof(h->driver));
	fprintf(out, ", %.3f s after boot, failure %" PRIu64 " of the device\nreason:",
		ms(h->boot_ns) / 1e3, (uint64_t)h->number + 1);
	for (size_t i = 0; i < COUNT(reasons); i++) {
		if (!(h->reason & reasons[i].value))
			continue;
		fprintf(out, "%s %s", first ? "" : ";", reasons[i].text);
		first = false;
	}
	fprintf(out, "%s (%#" PRIx32 ")\n", first ? " unknown" : "", h->reason);
	if (h->flags & NNACCEL_DUMP_TRUNCATED)
		fprintf(out, "not all jobs or queues are shown\n");
}

static void print_device(FILE *out, const struct coredump *dump)
{
	struct nnaccel_dump_device d;

	print_coredump_get(dump, NNACCEL_DUMP_DEVICE, 0, &d, sizeof(d));
	fprintf(out, "card: ");
	put_text(out, d.name, sizeof(d.name));
	fprintf(out,
		", firmware %" PRIu32 ".%" PRIu32 ".%" PRIu32 ", contract %" PRIu32 ".%" PRIu32
		", opset %" PRIu32 ", %" PRIu32 " engines, caps %#" PRIx32 "\n",
		d.fw_version >> 16, d.fw_version >> 8 & 0xff, d.fw_version & 0xff,
		d.contract_version >> 16, d.contract_version & 0xffff, d.opset_version, d.engines,
		d.caps);
	fprintf(out, "state:");
	put_one_of(out, "was", d.state, device_states, COUNT(device_states));
	fprintf(out, ", link %" PRIu32 ",", d.link);
	put_one_of(out, "firmware", d.fw_state, fw_states, COUNT(fw_states));
	fprintf(out, " error %" PRIu32 ", host %" PRIu32 ", generation %" PRIu32, d.fw_error,
		d.host_state, dump->header.generation);
	if (d.card_generation != dump->header.generation)
		fprintf(out, " (now %" PRIu32 ")", d.card_generation);
	fprintf(out,
		"\nheartbeat %" PRIu64 ", clock %.3f ms, %" PRIu64
		" jobs done, last activity %.1f ms ago\n",
		(uint64_t)d.heartbeat, ms(d.clock_ns), (uint64_t)d.jobs_done,
		ms(d.activity_age_ns));
	fprintf(out,
		"rings: completions %" PRIu32 "..%" PRIu32 "%s, commands %" PRIu32 "..%" PRIu32
		"\n",
		d.cq_head, d.cq_tail, d.cq_stalled ? " stalled" : "", d.admin_head, d.admin_tail);
	fprintf(out,
		"counters: %" PRIu64 " submitted, %" PRIu64 " completed, %" PRIu64
		" failed, %" PRIu64 " aborts, %" PRIu64 " resets, %" PRIu64 " links lost\n",
		(uint64_t)d.jobs_submitted, (uint64_t)d.jobs_completed, (uint64_t)d.jobs_failed,
		(uint64_t)d.aborts, (uint64_t)d.resets, (uint64_t)d.links_lost);
}

static void print_queue(FILE *out, const struct nnaccel_dump_queue *q)
{
	fprintf(out, "queue %" PRIu32 ": client %" PRIu64 " context %" PRIu32 " priority %" PRIu32,
		q->queue, (uint64_t)q->client, q->context, q->priority);
	put_one_of(out, "state", q->state, queue_states, COUNT(queue_states));
	put_one_of(out, "health", q->health, healths, COUNT(healths));
	put_flags(out, q->flags, queue_flags, COUNT(queue_flags));
	fprintf(out,
		", %" PRIu32 " jobs, last %" PRIu64 ", lost before %" PRIu32 ", ring %" PRIu32
		"..%" PRIu32 "; card: job %" PRIu64 " progress %" PRIu64 " ran %.3f ms\n",
		q->live, (uint64_t)q->last_seqno, q->innocent, q->ring_head, q->ring_tail,
		(uint64_t)q->card_seqno, (uint64_t)q->card_progress, ms(q->card_run_ns));
}

static void print_verdict(FILE *out, uint32_t verdict)
{
	for (size_t i = 0; i < COUNT(verdicts); i++) {
		if (verdicts[i].value == verdict) {
			fprintf(out, " verdict %s", verdicts[i].text);
			return;
		}
	}
	fprintf(out, " verdict %#" PRIx32, verdict);
}

static void print_job(FILE *out, const struct nnaccel_dump_job *j)
{
	fprintf(out, "job %" PRIu32 "/%" PRIu64 ":", j->queue, (uint64_t)j->seqno);
	put_one_of(out, "state", j->state, job_states, COUNT(job_states));
	put_flags(out, j->flags, job_flags, COUNT(job_flags));
	print_verdict(out, j->verdict);
	fprintf(out,
		", submitted %.1f ms ago, %.1f ms on the card, ran %.3f ms (limit %.3f), stalled %.1f ms,"
		" since its abort %.1f ms, progress %" PRIu64 ", %" PRIu32 " arguments, %" PRIu32
		" buffers, program %#" PRIx64 "+%#" PRIx64 "\n",
		ms(j->age_ns), ms(j->card_ns), ms(j->run_ns), ms(j->max_ns), ms(j->stall_ns),
		ms(j->defy_ns), (uint64_t)j->progress, j->num_args, j->num_bos,
		(uint64_t)j->program_addr, (uint64_t)j->program_size);
}

void coredump_print(FILE *out, const struct coredump *dump)
{
	struct nnaccel_dump_command c;
	struct nnaccel_dump_queue q;
	struct nnaccel_dump_job j;

	print_header(out, &dump->header);
	print_device(out, dump);
	for (uint32_t i = 0; i < dump->sections[NNACCEL_DUMP_QUEUES].count; i++) {
		print_coredump_get(dump, NNACCEL_DUMP_QUEUES, i, &q, sizeof(q));
		print_queue(out, &q);
	}
	for (uint32_t i = 0; i < dump->sections[NNACCEL_DUMP_JOBS].count; i++) {
		print_coredump_get(dump, NNACCEL_DUMP_JOBS, i, &j, sizeof(j));
		print_job(out, &j);
	}
	for (uint32_t i = 0; i < dump->sections[NNACCEL_DUMP_COMMANDS].count; i++) {
		print_coredump_get(dump, NNACCEL_DUMP_COMMANDS, i, &c, sizeof(c));
		fprintf(out,
			"command %" PRIu32 ": operation %" PRIu32 " queue %" PRIu32 " job %" PRIu64
			"%s\n",
			c.id, c.op, c.queue, (uint64_t)c.seqno, c.waited ? ", waited for" : "");
	}
	if (dump->unknown)
		fprintf(out, "%" PRIu32 " sections of a later version are not shown\n",
			dump->unknown);
}
