// SPDX-License-Identifier: Apache-2.0
/*
 * The reading side of a ring of records, nnsensors_records.h. The contents of the ring are another
 * process's: they are loaded word by word, atomically, and no loop depends on it for its end.
 *
 * A record is whole if its counter is the same before and after the copy. The loads of the copy are
 * acquire: one that has seen a word of a newer record makes the second look at the counter see that
 * the old one is gone. On x86 these are plain loads.
 *
 * Counters count from 1 to 2^32 - 1: they are compared as the distance from one to the other.
 */
#include "nnsensors_records.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "values/nnsensors_values.h"

#define RECORD_WORDS (sizeof(struct nnsensors_record) / sizeof(uint32_t))
#define COUNTER_WORD (offsetof(struct nnsensors_record, counter) / sizeof(uint32_t))
/* How often a reader that writers overtake again and again looks for a place to go on. */
#define TRIES 8u

/* Records written from @from to @to. */
static uint32_t records_reader_distance(uint32_t from, uint32_t to)
{
	return to >= from ? to - from : to - from - 1;
}

static uint32_t records_reader_advance(uint32_t counter, uint64_t records)
{
	return (uint32_t)((counter - 1ull + records) % UINT32_MAX) + 1;
}

static const _Atomic uint32_t *words_at(const struct nnsensors_reader *reader, uint64_t index)
{
	return (const _Atomic uint32_t *)&reader->ring[index % reader->num_records];
}

static uint32_t counter_at(const struct nnsensors_reader *reader, uint64_t index)
{
	return atomic_load_explicit(&words_at(reader, index)[COUNTER_WORD], memory_order_acquire);
}

/* Whether the record @counter is at @index, and was while it was copied. */
static bool records_reader_copy(const struct nnsensors_reader *reader, uint64_t index,
				uint32_t counter, struct nnsensors_record *record)
{
	const _Atomic uint32_t *from = words_at(reader, index);
	uint32_t words[RECORD_WORDS];

	if (counter_at(reader, index) != counter)
		return false;
	for (size_t i = 0; i < RECORD_WORDS; i++)
		if (i != COUNTER_WORD)
			words[i] = atomic_load_explicit(&from[i], memory_order_acquire);
	words[COUNTER_WORD] = counter;
	if (atomic_load_explicit(&from[COUNTER_WORD], memory_order_relaxed) != counter)
		return false;
	memcpy(record, words, sizeof(*record));
	return true;
}

/* The record @counter at @index is taken. */
static int taken(struct nnsensors_reader *reader, uint64_t index, uint32_t counter,
		 const struct nnsensors_record *record)
{
	if (record->size != sizeof(*record))
		return -EPROTO;
	reader->next = (uint32_t)((index + 1) % reader->num_records);
	reader->counter = counter;
	return 1;
}

/*
 * How many records from @index on, where @counter or a newer one is, are of the same lap. A place
 * that is being written belongs to it.
 */
static uint32_t newest(const struct nnsensors_reader *reader, uint64_t index, uint32_t counter)
{
	uint32_t yes = 0, no = reader->num_records;

	while (no - yes > 1) {
		const uint32_t middle = yes + (no - yes) / 2;
		const uint32_t there = counter_at(reader, index + middle);

		if (there == 0 || records_reader_distance(counter, there) <= INT32_MAX)
			yes = middle;
		else
			no = middle;
	}
	return yes;
}

/* The writers have overtaken the reader: @counter, newer than @expected, was seen at @index. */
static int catch_up(struct nnsensors_reader *reader, uint64_t index, uint32_t counter,
		    uint32_t expected, struct nnsensors_record *record, uint64_t *lost)
{
	const uint32_t num = reader->num_records;
	/* the oldest record; if it is overwritten meanwhile, further and further away from it */
	const uint32_t skips[TRIES] = { 0, num / 8, num / 4, num / 2, num - 1 - num / 4 };

	for (unsigned int try = 0; try < TRIES; try++) {
		const uint32_t skip = try < 5 ? skips[try] : num - 1;
		const uint64_t ahead = (uint64_t)newest(reader, index, counter) + 1 + skip;
		const uint32_t oldest = records_reader_advance(counter, ahead + UINT32_MAX - num);
		uint32_t there;

		if (records_reader_copy(reader, index + ahead, oldest, record)) {
			*lost = records_reader_distance(expected, oldest);
			return taken(reader, index + ahead, oldest, record);
		}
		there = counter_at(reader, index);
		if (there != 0 && records_reader_distance(counter, there) <= INT32_MAX)
			counter = there;
	}
	return 0;
}

NNSENSORS_EXPORT void nnsensors_reader_init(struct nnsensors_reader *reader, const void *ring,
					    size_t size)
{
	const size_t num_records = size / sizeof(struct nnsensors_record);

	*reader = (struct nnsensors_reader){
		.ring = ring,
		.num_records = num_records < INT32_MAX ? (uint32_t)num_records : INT32_MAX,
	};
}

/* Whether a place with counter @there was written after the record @expected. */
static bool is_ahead(const struct nnsensors_reader *reader, uint32_t expected, uint32_t there)
{
	if (there == 0 || there == expected)
		return false;
	/* a reader's first record: all that are there are newer than the one before the first */
	return reader->counter == 0 || records_reader_distance(expected, there) <= INT32_MAX;
}

NNSENSORS_EXPORT int nnsensors_reader_take(struct nnsensors_reader *reader,
					   struct nnsensors_record *record, uint64_t *lost)
{
	const uint32_t num = reader->num_records;
	uint32_t expected, there;
	uint64_t before;

	*lost = 0;
	if (num == 0)
		return 0;
	expected = reader->counter == 0 ? 1 : records_reader_advance(reader->counter, 1);
	if (records_reader_copy(reader, reader->next, expected, record))
		return taken(reader, reader->next, expected, record);
	there = counter_at(reader, reader->next);
	if (is_ahead(reader, expected, there))
		return catch_up(reader, reader->next, there, expected, record, lost);
	/* the place may be being written, for the first time or a lap later: the one before it
	 * tells */
	before = (uint64_t)reader->next + num - 1;
	there = counter_at(reader, before);
	if (is_ahead(reader, expected, there))
		return catch_up(reader, before, there, expected, record, lost);
	return 0;
}
