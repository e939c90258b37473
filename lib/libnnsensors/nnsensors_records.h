/* SPDX-License-Identifier: Apache-2.0 */
/**
 * DOC: nnsensors_records.h
 *
 * Reading a ring of records, the memory of a direct channel: floor(size / 104) records, written in
 * order, wrapping to the first. Counters begin at 1, count by 1 and leave 0 out; 0 is "never
 * written" or "being written". The writer never waits: a reader that is slower loses the oldest
 * records and gets their number. Neither side blocks, and a reader never writes: it may map the
 * memory read-only. Any number of readers.
 *
 * The memory is another process's as well: a reader trusts nothing in it.
 */
#ifndef NNSENSORS_RECORDS_H
#define NNSENSORS_RECORDS_H

#include "nnsensors.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct nnsensors_reader - a place in a ring; one thread at a time
 * @ring: the memory
 * @num_records: in it
 * @next: index of the next record
 * @counter: of the last one taken; 0: none yet
 */
struct nnsensors_reader {
	const struct nnsensors_record *ring;
	uint32_t num_records;
	uint32_t next;
	uint32_t counter;
};

/** nnsensors_reader_init() - read from the oldest record; @size: bytes of the memory at @ring */
void nnsensors_reader_init(struct nnsensors_reader *reader, const void *ring, size_t size);

/**
 * nnsensors_reader_take() - take the next record
 * @reader: the reader
 * @record: set to a copy that is whole: of one write
 * @lost: set to the number of records that were overwritten before this one could be taken
 *
 * Return: 1: @record is set; 0: there is no newer one; -EPROTO: the memory is no ring (a size that
 * is not 104).
 */
int nnsensors_reader_take(struct nnsensors_reader *reader, struct nnsensors_record *record,
			  uint64_t *lost);

#ifdef __cplusplus
}
#endif

#endif
