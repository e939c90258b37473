/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a ring of records: direct channels, whose memory is the client's, and the memory of event
 * queues, which is ours. The reading side is nnsensors_records.h.
 *
 * Any number of threads write, and none waits. A place in the ring is taken with one atomic add, so
 * counters are in order. A writer whose place is still being written (by one that was preempted for
 * as long as the ring takes to come round) hands its record to that writer, who writes it next: a
 * place that was left out would hold up every reader for a lap. A writer that comes a lap late
 * finds a newer record in its place and leaves it. The state of a place is in memory of our own:
 * memory that the client may write decides nothing.
 */
#ifndef NNSENSORS_RECORD_RING_H
#define NNSENSORS_RECORD_RING_H

#include <stdatomic.h>
#include <stdint.h>

#include "nnsensors.h"

struct nnsensors_handed_record;

struct nnsensors_record_ring {
	struct nnsensors_record *records; /* stays the owner's */
	uint32_t num_records;
	_Atomic uint64_t next; /* sequence: place next % num_records, see nnsensors_record_counter()
				*/
	_Atomic uint64_t busy_lost; /* records dropped because @handed was full */
	/* private to record_ring.c */
	_Atomic uint64_t *places; /* of each place: lap and state */
	struct nnsensors_handed_record *handed;
	_Atomic uint32_t handed_used; /* a bit for each of @handed */
};

/**
 * Zeroes the memory, all @size bytes: floor(size / 104) records. It is aligned to 8. 0; -EINVAL:
 * room for no record, or for more than 2^31 - 1; -ENOMEM.
 */
int nnsensors_record_ring_init(struct nnsensors_record_ring *ring, void *memory, uint64_t size);
/** Bytes that a ring of so many records has beside the memory. */
uint64_t nnsensors_record_ring_bytes(uint64_t num_records);
/** No writer is in the ring any more. */
void nnsensors_record_ring_fini(struct nnsensors_record_ring *ring);

/** The counter of the record that is number @sequence, from 0: 1 to 2^32 - 1, then 1 again. */
static inline uint32_t nnsensors_record_counter(uint64_t sequence)
{
	return (uint32_t)(sequence % UINT32_MAX) + 1;
}

/**
 * Write the next record: all of @record but size and counter, which are the ring's. The counter of
 * the place becomes 0, then the record is written, then the counter. False: the record is lost, the
 * place was busy and 32 others waited to be written.
 */
bool nnsensors_record_ring_put(struct nnsensors_record_ring *ring,
			       const struct nnsensors_record *record);

#endif
