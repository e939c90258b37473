/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sensor service's methods as messages of libnnipc's wire. Both sides include this; a row
 * says what travels.
 *
 * A connection is one SOCK_SEQPACKET socket to the service's socket, and is one client: a lane
 * (wire/lane.c), one call at a time. Its first message in both directions is HELLO:
 *
 *   client  u32 lowest version, u32 highest version
 *   service u32 version (0: refused), text why it refused
 *
 * A client that hangs up gives back all that it had. Events do not travel on the connection: each
 * queue has memory of its own, see struct sensor_queue_memory.
 *
 *   method              object   arguments                        results (after u32 result)
 *   GET_SENSOR_LIST     0                                         u32 n, n x info
 *   GET_DEFAULT_SENSOR  0        u32 type                         info if OK
 *   CREATE_ASHMEM       0        fd, u64 mem_size, u64 size       u64 channel if OK
 *   CREATE_GRALLOC      0        fd, u64 size                     u64 channel if OK
 *   CREATE_QUEUE        0                                         u64 queue, 2 fds: memory, event
 *   GET_CLIENTS         0                                         u32 n, n x client
 *   CHANNEL_CONFIGURE   channel  u32 handle, u32 level            u32 token
 *   CHANNEL_DESTROY     channel
 *   QUEUE_ENABLE        queue    u32 handle, u32 period, u64 latency
 *   QUEUE_DISABLE       queue    u32 handle
 *   QUEUE_DESTROY       queue
 *
 * The memory of CREATE_ASHMEM has all pages of size already (fallocate()), else it is NO_MEMORY.
 *
 * A signed number travels as the unsigned one with the same bits. An object id is not used again in
 * a connection; an unknown one, or one of the other kind, is answered NNIPC_FLAG_NO_OBJECT.
 */
#ifndef NNSENSORS_MESSAGES_H
#define NNSENSORS_MESSAGES_H

#include "nnsensors.h"
#include "wire/nnipc_wire.h"

#define SENSOR_PROTOCOL_VERSION 1u

enum sensor_method {
	SENSOR_GET_SENSOR_LIST = 0x801,
	SENSOR_GET_DEFAULT_SENSOR = 0x802,
	SENSOR_CREATE_ASHMEM = 0x803,
	SENSOR_CREATE_GRALLOC = 0x804,
	SENSOR_CREATE_QUEUE = 0x805,
	SENSOR_GET_CLIENTS = 0x806,
	SENSOR_CHANNEL_CONFIGURE = 0x811,
	SENSOR_CHANNEL_DESTROY = 0x812,
	SENSOR_QUEUE_ENABLE = 0x821,
	SENSOR_QUEUE_DISABLE = 0x822,
	SENSOR_QUEUE_DESTROY = 0x823,
};

/** Most sensors and clients in an answer. */
#define SENSOR_LIST_MAX 4096u

void sensor_put_info(struct nnipc_writer *w, const struct nnsensors_info *info);
/** Texts are cut and end with 0; a number that its member cannot have is malformed. */
void sensor_get_info(struct nnipc_reader *r, struct nnsensors_info *info);
void sensor_put_client(struct nnipc_writer *w, const struct nnsensors_client *client);
void sensor_get_client(struct nnipc_reader *r, struct nnsensors_client *client);
/** Reads a result; one that does not exist is malformed. */
enum nnsensors_result sensor_get_result(struct nnipc_reader *r);

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
