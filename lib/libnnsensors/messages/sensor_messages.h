/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of the sensor service as messages (sensors.idl), and the memory of its queues. */
#ifndef NNSENSORS_MESSAGES_H
#define NNSENSORS_MESSAGES_H

#include "nnsensors.h"
#include "wire/nnipc_wire.h"

#define SENSOR_PROTOCOL_VERSION 1u

/** Most sensors and clients in an answer. */
#define SENSOR_LIST_MAX 4096u

/** Reads a result; one that does not exist is malformed. */
enum nnsensors_result sensor_get_result(struct nnipc_reader *r);

#include "messages/sensors_idl.h"

/* ---- the memory of a queue ---- */

#define SENSOR_QUEUE_MAGIC 0x5153534eu /* "NSSQ" */
/** Records of continuous sensors: the oldest are overwritten. */
#define SENSOR_QUEUE_CONTINUOUS 2048u
/** Records of all other sensors, and notices: what changes rarely is not pushed out by a stream. */
#define SENSOR_QUEUE_KEPT 512u

/**
 * struct sensor_queue_memory - the begin of the memfd of a queue, made and sealed by the service
 *
 * Two rings of records (values/record_ring.c). In a queue's record "token" is the sensor's handle,
 * reserved[0] and [1] are the low and high half of the event's number in the queue, from 1, counted
 * over both rings: the client merges the rings by it. What is lost the rings' readers tell.
 * reserved[2] is the event's flags.
 *
 * The service wakes the client when there is an event to be seen: only if the client sleeps, which
 * it says by exchanging 1 into @asleep (with an exchange: a store and the loads after it may change
 * places) before it looks at the rings a last time. The service stores 0 when it wakes the client.
 * What else a client writes to this memory harms its own events only: the service reads nothing
 * else from it.
 *
 * The event fd becomes readable then. It is the client's end of a pair of datagram sockets, and is
 * read until it is empty: 8 bytes each time, as of an eventfd. An eventfd itself is not safe: a
 * client could fill it and clear O_NONBLOCK, and so stop the service's thread.
 *
 * One thread of the service writes its events in order, but the rings are two: a client that has
 * found nothing in one and an event in the other looks at the first again before it takes the
 * event.
 *
 * A batched event (maxBatchReportLatencyUs > 0) is in the ring at once; the wake-up comes when the
 * latency is over, or when a ring is three quarters full of events without a wake-up.
 */
struct sensor_queue_memory {
	uint32_t magic; /* SENSOR_QUEUE_MAGIC */
	uint32_t continuous, kept; /* records of the rings */
	_Atomic uint32_t asleep;
	uint32_t reserved[22];
	struct nnsensors_record records[]; /* continuous, then kept */
};
_Static_assert(sizeof(struct sensor_queue_memory) == 104, "the rings begin at 104");

static inline size_t sensor_queue_memory_size(uint32_t continuous, uint32_t kept)
{
	return sizeof(struct sensor_queue_memory) +
	       ((size_t)continuous + kept) * sizeof(struct nnsensors_record);
}

/**
 * Notices travel as META_DATA in the kept ring. 1 is the interface's "flush complete"; ours are
 * above it and become callbacks of their own.
 */
enum sensor_notice {
	SENSOR_NOTICE_FLUSH_COMPLETE = 1,
	SENSOR_NOTICE_GONE = 0x10000, /* meta.sensor: handle of the sensor that was unplugged */
};

#endif
