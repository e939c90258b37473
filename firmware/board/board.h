/* SPDX-License-Identifier: Apache-2.0 */
/* What slot and card share: registers, fault specifications, command lines. */
#ifndef NNACCEL_BOARD_H
#define NNACCEL_BOARD_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnaccel/nnaccel_ring.h"

/*
 * Access to the register page and to rings. They are shared with the processors of the guest, so
 * every access is one atomic load or store of little-endian data. Loads acquire, stores release.
 */

/** BAR2 of the emulated card, bytes: a power of two, at least NNACCEL_REGS_SIZE. */
#define NNBOARD_BAR2_SIZE (1ull << 20)

static inline uint32_t reg_get32(const __le32 *reg)
{
	return le32toh(__atomic_load_n(reg, __ATOMIC_ACQUIRE));
}

static inline uint64_t reg_get64(const __le64 *reg)
{
	return le64toh(__atomic_load_n(reg, __ATOMIC_ACQUIRE));
}

static inline void reg_set32(__le32 *reg, uint32_t value)
{
	__atomic_store_n(reg, htole32(value), __ATOMIC_RELEASE);
}

static inline void reg_set64(__le64 *reg, uint64_t value)
{
	__atomic_store_n(reg, htole64(value), __ATOMIC_RELEASE);
}

/*
 * fault_spec.c: fault modes: failures of the card on purpose. A specification is text, given to
 * nnaccel-slot and passed on to nnaccel-card:
 *
 *   none                   healthy
 *   die-at-job=N           the process kills itself when job N starts
 *   hang-at-job=N          job N never ends or makes progress; ABORT is ignored
 *   hang-abortable=N       job N makes no progress until it is aborted
 *   stop-heartbeat=N       the heartbeat stops when job N starts; jobs still run
 *   nonsense=KIND@N        the completion of job N is invalid: bad-queue, bad-seqno, bad-status,
 *                          bad-kind, duplicate, bad-tail, bad-generation, time-backwards
 *   slow-job=N,MS          job N takes MS milliseconds longer and makes progress meanwhile
 *   ignore-loop-limit      loops have no limit
 *   early-death=K          the process dies before it is READY, K times in a row
 *   slow-start=MS          a start takes MS milliseconds longer, with cleared registers
 *   other-contract         contract_version has the next major number
 *   no-preempt             no engine time, no preemption: a job that has begun runs until it ends
 *   ack-early=N            from job N on an ABORT is acknowledged 3 s before ring slots are freed
 *   refuse-queues          a context gets one queue: another QUEUE_CREATE is NO_MEMORY
 *
 * Jobs are counted from 1 over all queues of one generation, in the order in which the card takes
 * them. ",always" after a specification keeps it for every generation; otherwise a fault that has
 * fired is removed at the next restart.
 */

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
	FAULT_SLOW_START,
	FAULT_OTHER_CONTRACT,
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
	uint32_t ms; /* SLOW, SLOW_START */
	uint32_t times; /* EARLY_DEATH: remaining deaths */
	bool always;
};

/** Bytes that hold any specification as text. */
#define FAULT_TEXT_SIZE 80

/** 0, or -EINVAL with *@spec untouched. */
int fault_parse(const char *text, struct fault_spec *spec);
/** The text that fault_parse() reads; @size at least FAULT_TEXT_SIZE. */
void fault_format(const struct fault_spec *spec, char *text, size_t size);

/* command_line.c: command lines of slot and card: a table of options, one parser. */

/** An option; the target that is set says what its argument is. */
struct board_option {
	const char *name; /* without -- */
	bool *flag; /* takes no argument */
	const char **text;
	uint64_t *number; /* at most max */
	uint64_t max;
	struct fault_spec *fault;
	int (*parse)(void *priv, const char *text); /* any other argument; 0 or -EINVAL */
	void *priv;
};

/**
 * Parse the command line of @program, which has options only. 0, or -EINVAL after a message about
 * the option that is wrong.
 */
int board_parse_options(const char *program, int argc, char **argv,
			const struct board_option *options, size_t count);

#endif
