// SPDX-License-Identifier: Apache-2.0
/*
 * The writing side of a ring of records.
 *
 * Each place has a word in our own memory: the lap of the newest record that was given to the place
 * (from 1), and its state. FREE: no thread writes. BUSY: a thread writes. HANDED + i: a thread
 * writes, and has to write handed[i] next. Laps only grow, so a word never comes back: the thread
 * that changes HANDED + i to another state owns handed[i].
 *
 * In the ring every word is stored atomically with release order, also those of the body: a reader
 * that has seen a word of the new record (acquire) then sees that the old counter is gone. On x86
 * these are plain stores.
 */
#include "values/nnsensors_values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FREE 0u
#define BUSY 1u
#define HANDED 2u
#define STATE_BITS 8
#define NUM_HANDED 32u

#define RECORD_WORDS (sizeof(struct nnsensors_record) / sizeof(uint32_t))
#define COUNTER_WORD (offsetof(struct nnsensors_record, counter) / sizeof(uint32_t))

struct nnsensors_handed_record {
	uint64_t sequence;
	struct nnsensors_record record;
};

static inline uint64_t place_word(uint64_t lap, uint32_t state)
{
	return lap << STATE_BITS | state;
}

static inline uint32_t state_of(uint64_t word)
{
	return word & ((1u << STATE_BITS) - 1);
}

uint64_t nnsensors_record_ring_bytes(uint64_t num_records)
{
	const struct nnsensors_record_ring *ring = NULL;

	return num_records * sizeof(*ring->places) + NUM_HANDED * sizeof(*ring->handed);
}

int nnsensors_record_ring_init(struct nnsensors_record_ring *ring, void *memory, uint64_t size)
{
	const uint64_t num_records = size / sizeof(struct nnsensors_record);

	memset(ring, 0, sizeof(*ring));
	if (num_records == 0 || num_records > INT32_MAX)
		return -EINVAL;
	ring->records = memory;
	ring->num_records = (uint32_t)num_records;
	ring->places = calloc(num_records, sizeof(*ring->places));
	ring->handed = calloc(NUM_HANDED, sizeof(*ring->handed));
	if (!ring->places || !ring->handed) {
		nnsensors_record_ring_fini(ring);
		return -ENOMEM;
	}
	memset(memory, 0, size);
	return 0;
}

void nnsensors_record_ring_fini(struct nnsensors_record_ring *ring)
{
	free((void *)ring->places);
	free(ring->handed);
	memset(ring, 0, sizeof(*ring));
}

/* By the one thread that has the place. */
static void write_record(struct nnsensors_record *place, const struct nnsensors_record *record,
			 uint32_t counter)
{
	_Atomic uint32_t *to = (_Atomic uint32_t *)place;
	uint32_t words[RECORD_WORDS];

	memcpy(words, record, sizeof(words));
	words[offsetof(struct nnsensors_record, size) / sizeof(uint32_t)] = sizeof(*record);
	atomic_store_explicit(&to[COUNTER_WORD], 0, memory_order_relaxed);
	for (size_t i = 0; i < RECORD_WORDS; i++)
		if (i != COUNTER_WORD)
			atomic_store_explicit(&to[i], words[i], memory_order_release);
	atomic_store_explicit(&to[COUNTER_WORD], counter, memory_order_release);
}

/* ---- records that another writer writes ---- */

/* NUM_HANDED: all are in use. A thread has one at most, and so has each busy place. */
static uint32_t handed_take(struct nnsensors_record_ring *ring)
{
	uint32_t used = atomic_load_explicit(&ring->handed_used, memory_order_relaxed), i;

	do {
		if (used == UINT32_MAX)
			return NUM_HANDED;
		i = (uint32_t)__builtin_ctz(~used);
	} while (!atomic_compare_exchange_weak_explicit(&ring->handed_used, &used, used | 1u << i,
							memory_order_acquire,
							memory_order_relaxed));
	return i;
}

static void handed_give_back(struct nnsensors_record_ring *ring, uint32_t i)
{
	atomic_fetch_and_explicit(&ring->handed_used, ~(1u << i), memory_order_release);
}

/* ---- writing ---- */

/* This thread has the place: write, and go on with what was handed to it meanwhile. */
static void write_and_leave(struct nnsensors_record_ring *ring, uint64_t sequence,
			    const struct nnsensors_record *record)
{
	const uint64_t index = sequence % ring->num_records;
	_Atomic uint64_t *place = &ring->places[index];
	uint64_t word = place_word(sequence / ring->num_records + 1, BUSY);

	write_record(&ring->records[index], record, nnsensors_record_counter(sequence));
	for (;;) {
		const uint32_t state = state_of(word);
		const struct nnsensors_handed_record *h;

		if (!atomic_compare_exchange_weak_explicit(
			    place, &word, state == BUSY ? word - BUSY + FREE : word - state + BUSY,
			    memory_order_acq_rel, memory_order_acquire))
			continue;
		if (state == BUSY)
			return;
		h = &ring->handed[state - HANDED];
		write_record(&ring->records[index], &h->record,
			     nnsensors_record_counter(h->sequence));
		handed_give_back(ring, state - HANDED);
		word = word - state + BUSY;
	}
}

bool nnsensors_record_ring_put(struct nnsensors_record_ring *ring,
			       const struct nnsensors_record *record)
{
	const uint64_t sequence = atomic_fetch_add_explicit(&ring->next, 1, memory_order_relaxed);
	const uint64_t lap = sequence / ring->num_records + 1;
	_Atomic uint64_t *place = &ring->places[sequence % ring->num_records];
	uint64_t word = atomic_load_explicit(place, memory_order_relaxed);
	uint32_t mine = NUM_HANDED; /* of ring->handed */

	/* once a lap later: another has overwritten this record before it was written */
	while (word >> STATE_BITS < lap) {
		const uint32_t state = state_of(word);

		if (state != FREE && mine == NUM_HANDED) {
			mine = handed_take(ring);
			if (mine == NUM_HANDED) {
				atomic_fetch_add_explicit(&ring->busy_lost, 1,
							  memory_order_relaxed);
				return false;
			}
			ring->handed[mine] = (struct nnsensors_handed_record){ sequence, *record };
		}
		if (!atomic_compare_exchange_weak_explicit(
			    place, &word, place_word(lap, state == FREE ? BUSY : HANDED + mine),
			    memory_order_acq_rel, memory_order_relaxed))
			continue;
		if (state == FREE) {
			write_and_leave(ring, sequence, record);
			break;
		}
		mine = NUM_HANDED;
		/* what was handed before this one is overwritten before it was written */
		if (state != BUSY)
			handed_give_back(ring, state - HANDED);
		break;
	}
	if (mine != NUM_HANDED)
		handed_give_back(ring, mine);
	return true;
}
