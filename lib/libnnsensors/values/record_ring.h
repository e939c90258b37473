/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a ring of records: direct channels, whose memory is the client's, and the memory of event
 * queues, which is ours. The reading side is nnsensors_records.h.
 *
 * Any number of threads write, and none waits. A place in the ring is taken with one atomic add, so
 * counters are in order; a place whose writer of a lap ago has not finished (it was preempted for as
 * long as the ring takes to come round) is left to that writer, and the record is lost and counted.
 * Whether a place is busy is noted in memory of our own: what the client may write to decides
 * nothing.
 */
#ifndef NNSENSORS_RECORD_RING_H
#define NNSENSORS_RECORD_RING_H

#include <stdatomic.h>
#include <stdint.h>

#include "nnsensors.h"

struct nnsensors_record_ring {
	struct nnsensors_record *records; /* stays the owner's */
	uint32_t num_records;
	_Atomic uint64_t next; /* sequence: place next % num_records, see record_counter() */
	_Atomic uint64_t busy_lost; /* records lost to a busy place */
	_Atomic uint8_t *busy; /* of each place */
};

/** Zeroes the memory: floor(size / 104) records, at least one. 0; -EINVAL; -ENOMEM. */
int nnsensors_record_ring_init(struct nnsensors_record_ring *ring, void *memory, uint64_t size);
/** No writer is in the ring any more. */
void nnsensors_record_ring_fini(struct nnsensors_record_ring *ring);

/** The counter of the record that is number @sequence, from 0: 1 to 2^32 - 1, then 1 again. */
static inline uint32_t nnsensors_record_counter(uint64_t sequence)
{
	return (uint32_t)(sequence % UINT32_MAX) + 1;
}

/**
 * Write the next record: all of @record but size and counter, which are the ring's. The counter of
 * the place becomes 0, then the record is written, then the counter. False: the place was busy.
 */
bool nnsensors_record_ring_put(struct nnsensors_record_ring *ring,
			       const struct nnsensors_record *record);

#endif
