/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fault modes: the card made to fail on purpose. A specification is text, given to nnaccel-slot and
 * passed on to nnaccel-card:
 *
 *   none                   healthy
 *   die-at-job=N           the process kills itself when job N starts
 *   hang-at-job=N          job N never ends, its progress stands still, ABORT is ignored
 *   hang-abortable=N       job N stands still until it is aborted
 *   stop-heartbeat=N       the heartbeat stops when job N starts; jobs go on
 *   nonsense=KIND@N        the completion of job N is wrong: bad-queue, bad-seqno, bad-status,
 *                          bad-kind, duplicate, bad-tail, bad-generation, time-backwards
 *   slow-job=N,MS          job N takes MS milliseconds longer and makes progress all the time
 *   ignore-loop-limit      the clock that loop limits are measured with all but stands still
 *   early-death=K          the process dies before it is READY, K times in a row
 *   no-preempt             no time on the engine, no turns: a job that has begun runs until it ends
 *   ack-early=N            from job N on an ABORT is acknowledged before slots of its ring are
 * freed: that takes 3 s refuse-queues          a context gets one queue: QUEUE_CREATE for another
 * answers NO_MEMORY
 *
 * Jobs are counted from 1 over all queues of one generation, in the order in which the card took
 * them. ",always" behind a specification keeps it for every generation; without it a fault that has
 * fired is gone after the next restart, and one that has not stays.
 */
#ifndef NNBOARD_FAULT_SPEC_H
#define NNBOARD_FAULT_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fault_mode {
	FAULT_NONE,
	FAULT_DIE,
	FAULT_HANG,
	FAULT_HANG_ABORTABLE,
	FAULT_STOP_HEARTBEAT,
	FAULT_NONSENSE,
	FAULT_SLOW,
	FAULT_IGNORE_LOOP_LIMIT,
	FAULT_EARLY_DEATH,
	FAULT_NO_PREEMPT,
	FAULT_ACK_EARLY,
	FAULT_REFUSE_QUEUES,
	FAULT_MODE_COUNT
};

enum fault_nonsense {
	NONSENSE_BAD_QUEUE,
	NONSENSE_BAD_SEQNO,
	NONSENSE_BAD_STATUS,
	NONSENSE_BAD_KIND,
	NONSENSE_DUPLICATE,
	NONSENSE_BAD_TAIL,
	NONSENSE_BAD_GENERATION,
	NONSENSE_TIME_BACKWARDS,
	NONSENSE_COUNT
};

struct fault_spec {
	enum fault_mode mode;
	enum fault_nonsense nonsense; /* NONSENSE */
	uint64_t job; /* job N, from 1 */
	uint32_t ms; /* SLOW */
	uint32_t times; /* EARLY_DEATH: deaths that are left */
	bool always;
};

/** Bytes that hold any specification as text. */
#define FAULT_TEXT_SIZE 80

/** 0, or -EINVAL with *@spec untouched. */
int fault_parse(const char *text, struct fault_spec *spec);
/** The text that fault_parse() reads; @size at least FAULT_TEXT_SIZE. */
void fault_format(const struct fault_spec *spec, char *text, size_t size);

#endif
