/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A real nnaccel-sensord with sensors of a file, and clients that speak the bytes of its wire: what
 * a test of the service needs. Asserts that all goes well unless it says otherwise.
 */
#ifndef TESTS_SENSORD_H
#define TESTS_SENSORD_H

#include <stdbool.h>
#include <sys/types.h>

#include "lines.h"
#include "messages/sensor_messages.h"
#include "nnsensors_records.h"
#include "wire/nnipc_wire.h"

/* ---- the service ---- */

struct sensord {
	pid_t pid;
	struct lines log;
	const char *socket, *config, *sensors; /* in temp_folder() */
};

/**
 * Start it with a configuration and a file of virtual sensors; either may be NULL. Fused sensors
 * are off; the kernel's too, unless NNSENSORS_TEST_UHID is set (tests/vm/guest.d/57-sensors.sh).
 */
void sensord_start(struct sensord *s, const char *config, const char *sensors);
/** Start it again, after it was killed and waited for. */
void sensord_restart(struct sensord *s);
/** Read the log until it has @text, from what was not found yet. False: it ended before. */
bool sensord_says(struct sensord *s, const char *text);
/** End it by SIGTERM: it must end with 0, and take its socket away. */
void sensord_stop(struct sensord *s);
/** End it by SIGKILL. */
void sensord_kill(struct sensord *s);
/** How many descriptors it has open: a number to compare. */
unsigned int sensord_descriptors(const struct sensord *s);

/* ---- a client on the wire ---- */

/** A socket that has sent nothing. */
int wire_dial(const struct sensord *s);
/** The same of a path; -errno. */
int wire_dial_path(const char *path);
/** HELLO both ways: the version; 0: refused, with @why (256 bytes; may be NULL). */
uint32_t wire_greet(int sock, char *why);
/** Both. */
void wire_open(const struct sensord *s, struct nnipc_lane *lane);
/** The other end has hung up, within the time of a test. */
void wire_await_hang_up(int sock);
/** A call whose arguments are in lane->out: nnipc_lane_call(). */
int wire_call(struct nnipc_lane *lane, uint32_t method, uint64_t oid);

/** The sensors; the caller frees them. */
uint32_t wire_list(struct nnipc_lane *lane, struct nnsensors_info **infos);
enum nnsensors_result wire_default(struct nnipc_lane *lane, int32_t type,
				   struct nnsensors_info *info);
/** The handle of the sensor that is called so. */
int32_t wire_handle(struct nnipc_lane *lane, const char *name);
/** *@oid is 0 unless it is OK. */
enum nnsensors_result wire_create_ashmem(struct nnipc_lane *lane, int fd, uint64_t mem_size,
					 uint64_t size, uint64_t *oid);
enum nnsensors_result wire_create_gralloc(struct nnipc_lane *lane, int fd, uint64_t size,
					  uint64_t *oid);
enum nnsensors_result wire_configure(struct nnipc_lane *lane, uint64_t oid, int32_t handle,
				     uint32_t level, int32_t *token);
enum nnsensors_result wire_destroy_channel(struct nnipc_lane *lane, uint64_t oid);
/** The clients that it may see; the caller frees them. */
uint32_t wire_clients(struct nnipc_lane *lane, struct nnsensors_client **clients);
/** Of all clients that @lane sees: queues and channels; enabled sensors; the number of clients. */
void wire_totals(struct nnipc_lane *lane, uint32_t *objects, uint32_t *sensors, uint32_t *clients);

/** The number of clients, and of enabled sensors. */
uint32_t wire_count(struct nnipc_lane *lane);
uint32_t wire_enabled(struct nnipc_lane *lane);

/* ---- a queue on the wire ---- */

struct wire_queue {
	struct nnipc_lane *lane;
	uint64_t oid;
	int memory_fd, event_fd;
	struct sensor_queue_memory *memory;
	size_t size;
	struct nnsensors_reader continuous, kept;
	uint64_t lost;
};

/** wire_enable()'s period of a rate. */
#define HZ(rate) (1000000 / (rate))

void wire_create_queue(struct nnipc_lane *lane, struct wire_queue *q);
enum nnsensors_result wire_enable(struct wire_queue *q, int32_t handle, int32_t period_us,
				  int64_t latency_us);
enum nnsensors_result wire_disable(struct wire_queue *q, int32_t handle);
/** The next event of either ring that is there; false: none. */
bool wire_take(struct wire_queue *q, struct nnsensors_record *record);
/** The same, and wait for it by the event descriptor, at most @timeout_ns. */
bool wire_wait(struct wire_queue *q, struct nnsensors_record *record, int64_t timeout_ns);
/** Take events until one of @handle comes. Fails the test if none does. */
void wire_await(struct wire_queue *q, int32_t handle, struct nnsensors_record *record);
/** Unmap and close, without a message to the service. */
void wire_forget_queue(struct wire_queue *q);
enum nnsensors_result wire_destroy_queue(struct wire_queue *q);

/* ---- a case ---- */

/** Set up and tear down: a service with SERVICE_SENSORS, and a client of it. */
extern struct served {
	struct sensord service;
	struct nnipc_lane lane;
} served;

int served_begin(void **state);
int served_end(void **state);

/* ---- memory ---- */

/** A memfd of @size bytes that can be sealed, with all of its pages. */
int test_memfd(uint64_t size);

#endif
