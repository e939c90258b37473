/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reading side of a queue's memory: two rings become one sequence of events. The memory is the
 * service's as well and trusted for nothing. One thread at a time. Private to the room.
 */
#ifndef NNSENSORS_QUEUE_MEMORY_H
#define NNSENSORS_QUEUE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnsensors.h"
#include "nnsensors_records.h"

struct sensor_queue_memory;

/** One of the two rings, and the record of it that is due next. */
struct sensor_queue_ring {
	struct nnsensors_reader reader;
	struct nnsensors_record head;
	bool has; /* @head is set */
};

struct sensor_queue_rings {
	struct sensor_queue_memory *memory;
	size_t size;
	struct sensor_queue_ring ring[2]; /* continuous, kept */
	uint64_t lost; /* not reported yet */
};

/**
 * Map the memory behind @fd, which stays the caller's: kept from children of fork(). 0; -EPROTO: it
 * is no memory of a queue, or could become smaller; -ENOMEM.
 */
int sensor_queue_rings_map(struct sensor_queue_rings *rings, int fd);
void sensor_queue_rings_unmap(struct sensor_queue_rings *rings);

/**
 * Take the next record, of both rings the one with the lower number. @rings->lost grows by those
 * that are gone. 1; 0: there is none; -EPROTO: this is no ring.
 */
int sensor_queue_rings_take(struct sensor_queue_rings *rings, struct nnsensors_record *record);

/** The reader looks at the rings: the writer need not wake it. */
void sensor_queue_rings_awake(struct sensor_queue_rings *rings);
/** The reader goes to sleep, after a last look: wake it. */
void sensor_queue_rings_asleep(struct sensor_queue_rings *rings);

/** Most records that are in the rings at a time. */
uint32_t sensor_queue_rings_room(const struct sensor_queue_rings *rings);

#endif
