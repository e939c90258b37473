/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device side of a trace: the driver's tracepoints (nnaccel:*) become a row for each job, with
 * the card's own times on the host's clock.
 *
 * Feed every event of the trace in file order, call finish, then read jobs and clocks. Times are ns
 * of the clock of the trace (CLOCK_BOOTTIME with "nnctl trace record"); an unknown time is
 * NNTRACE_DEVICE_UNKNOWN. Calls on one object must not overlap. Memory grows with the number of
 * jobs and clock readings in the trace.
 */
#ifndef NNTRACE_DEVICE_JOBS_H
#define NNTRACE_DEVICE_JOBS_H

#include <stddef.h>
#include <stdint.h>

#define NNTRACE_DEVICE_UNKNOWN INT64_MIN

struct nntrace_device;

struct nntrace_device_job {
	uint32_t device; /* N of /dev/accel/accelN */
	uint64_t client; /* an open file */
	uint32_t queue; /* of the client */
	uint64_t seqno; /* in the queue */
	int32_t tid; /* of the thread that submitted it; -1: not in the trace */
	uint32_t generation; /* of the firmware that ran it */
	uint32_t status; /* enum nnaccel_status */
	int error; /* errno of its fence, 0 or negative */
	/* its end is in the trace; else the fields below that come from the end are unknown */
	int ended;
	/*
	 * When it was accepted, its fences had signalled, it was handed to the card, and its end
	 * was known.
	 */
	int64_t queued_ns, scheduled_ns, started_ns, done_ns;
	/*
	 * When the card began and ended it, on the host's clock, with an error of at most bound_ns.
	 */
	int64_t device_start_ns, device_end_ns, bound_ns;
	/* duration on the card, by the card's clock */
	int64_t device_ns;
	/*
	 * From queued to handed over, and from the end on the card to known.
	 */
	int64_t queueing_ns, interrupt_ns;
};

/* The clock of a card, in one generation of its firmware, from the readings in the trace. */
struct nntrace_device_clock {
	uint32_t device, generation;
	size_t readings;
	int64_t offset_ns; /* host's minus card's at the first good reading */
	/* by which the host's clock is faster; 0 when all readings are at one time */
	double drift_ppm;
	int64_t bound_ns; /* largest error of the mapping, at the readings that it uses */
};

/* NULL: no memory. */
struct nntrace_device *nntrace_device_new(void);
void nntrace_device_free(struct nntrace_device *d);

/*
 * One event: @name without its system ("nnaccel_job_done"), @fields as printed ("device=0 client=3
 * ..."); neither needs a NUL. @tid: the thread in whose context it was traced. 0, also for events
 * that are not used here; -EINVAL: a field is missing or malformed, and the event is left out;
 * -ENOMEM.
 */
int nntrace_device_event(struct nntrace_device *d, int64_t time_ns, int32_t tid, const char *name,
			 size_t name_len, const char *fields, size_t fields_len);

/*
 * All events were fed: map the times. Jobs and clocks are valid from here to nntrace_device_free().
 * 0 or -ENOMEM.
 */
int nntrace_device_finish(struct nntrace_device *d);

/* In the order in which they were queued. */
const struct nntrace_device_job *nntrace_device_jobs(const struct nntrace_device *d, size_t *count);
const struct nntrace_device_clock *nntrace_device_clocks(const struct nntrace_device *d,
							 size_t *count);
/* Resets of cards in the trace. */
size_t nntrace_device_resets(const struct nntrace_device *d);

#endif
