/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device side of a trace: the driver's tracepoints (nnaccel:*) become a row for each job, with
 * the card's own times on the host's clock.
 *
 * Feed every event of the trace in file order, finish, then look at jobs and clocks. Times are ns
 * on the clock of the trace (CLOCK_BOOTTIME for what "nnctl trace record" writes); an unknown time
 * is NNTRACE_DEVICE_UNKNOWN. One thread at a time uses an object. Memory grows with the number of
 * jobs and of clock readings in the trace.
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
	/* its end is in the trace; else what follows is unknown where it would be later */
	int ended;
	/*
	 * When it was accepted, free of fences to wait for, handed to the card, and known to have
	 * ended.
	 */
	int64_t queued_ns, scheduled_ns, started_ns, done_ns;
	/*
	 * When the card began and ended it, on the host's clock, and by how much that may be wrong.
	 */
	int64_t device_start_ns, device_end_ns, bound_ns;
	/* How long the card ran it, by its own clock. */
	int64_t device_ns;
	/*
	 * queued to handed over; end on the card to known. NNTRACE_DEVICE_UNKNOWN where a side is.
	 */
	int64_t queueing_ns, interrupt_ns;
};

/* A card's clock, as far as the readings in the trace tell: of one generation of its firmware. */
struct nntrace_device_clock {
	uint32_t device, generation;
	size_t readings;
	int64_t offset_ns; /* host's minus card's at the first good reading */
	/* how much faster the host's runs; 0 when all readings are of one moment */
	double drift_ppm;
	int64_t bound_ns; /* of the mapping at the readings that it uses */
};

/* NULL: no memory. */
struct nntrace_device *nntrace_device_new(void);
void nntrace_device_free(struct nntrace_device *d);

/*
 * One event: @name without its system ("nnaccel_job_done"), @fields as printed ("device=0 client=3
 * ..."), neither needs to be ended by a NUL. @tid: the thread in whose context it was traced. 0,
 * also for events that mean nothing here; -EINVAL: a field is missing or garbled, and the event was
 * left out; -ENOMEM.
 */
int nntrace_device_event(struct nntrace_device *d, int64_t time_ns, int32_t tid, const char *name,
			 size_t name_len, const char *fields, size_t fields_len);

/*
 * All events were fed. Maps times; jobs and clocks are valid from here to nntrace_device_free(). 0
 * or -ENOMEM.
 */
int nntrace_device_finish(struct nntrace_device *d);

/* In the order of their being queued. */
const struct nntrace_device_job *nntrace_device_jobs(const struct nntrace_device *d, size_t *count);
const struct nntrace_device_clock *nntrace_device_clocks(const struct nntrace_device *d,
							 size_t *count);
/* Resets of cards in the trace. */
size_t nntrace_device_resets(const struct nntrace_device *d);

#endif
