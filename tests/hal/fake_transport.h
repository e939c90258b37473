/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A transport whose jobs end as the test decides, for failures that no healthy device has. It
 * records its calls. Jobs end at once; a successful job leaves the right outputs and result of
 * hal_model_add().
 */
#ifndef FAKE_TRANSPORT_H
#define FAKE_TRANSPORT_H

#include <stdatomic.h>

#include "transport/transport.h"

#define FAKE_MAX_JOBS 16
#define FAKE_MAX_WAITS 8

/** Results of the next jobs; jobs beyond the last entry succeed. */
struct fake_job {
	uint32_t status; /* enum nnaccel_status */
	int error; /* else what the status implies */
	int submit; /* not 0: submit fails with it */
	int wait; /* not 0: waiting fails with it */
	unsigned int delay_us; /* before the job ends */
	bool hold; /* it ends when fake_release() says; its fence is an eventfd */
	const char *text;
	uint64_t fault_addr, start_ns, end_ns;
	/** Spoil the result that was written; may be NULL. */
	void (*spoil)(struct nnaccel_result *result);
};

struct fake {
	struct nnhal_transport base; /* .fences may be set: then memfds are used in place, too */
	struct fake_job jobs[FAKE_MAX_JOBS];
	atomic_uint num_jobs; /* submitted so far */
	atomic_uint queues_created, queues_destroyed;
	atomic_int mems, jobs_alive;
	atomic_bool destroyed;
	struct nnhal_tsubmit last; /* only its scalars may be looked at */
	/* own descriptors of the last job's in-fences; the fake transport does not wait for them */
	int waits[FAKE_MAX_WAITS];
	uint32_t num_waits;
	uint32_t last_priority; /* of the queue of @last */
	uint64_t arena_size, program_quota; /* that the device claims to have */
};

struct fake *fake_create(void);
/** Let held jobs end: their outputs are written, their fences signal. */
void fake_release(void);
/** Only the job with that number, as they were submitted, from 1. */
void fake_release_job(uint64_t number);

#endif
