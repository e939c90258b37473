/* SPDX-License-Identifier: Apache-2.0 */
/* Sensor types, rates, results; rings of records; recordings. */
#ifndef NNSENSORS_VALUES_H
#define NNSENSORS_VALUES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "nnsensors.h"

/*
 * sensor_types.c: the sensor types as a table: a row has all that differs by type. No other code
 * branches on types.
 */

/** enum sensor_payload - which members of nnsensors_payload an event has; the rest is 0 */
enum sensor_payload {
	SENSOR_PAYLOAD_NONE, /* no event of this type */
	SENSOR_PAYLOAD_SCALAR, /* data[0] */
	SENSOR_PAYLOAD_VEC3, /* x y z status */
	SENSOR_PAYLOAD_VEC4, /* data[0..3] */
	SENSOR_PAYLOAD_ROTATION, /* data[0..4] */
	SENSOR_PAYLOAD_UNCAL,
	SENSOR_PAYLOAD_STEP_COUNT,
	SENSOR_PAYLOAD_HEART_RATE,
	SENSOR_PAYLOAD_POSE, /* data[0..14] */
	SENSOR_PAYLOAD_META,
	SENSOR_PAYLOAD_DYNAMIC,
	SENSOR_PAYLOAD_ADDITIONAL,
	SENSOR_PAYLOAD_PRIVATE, /* data[0..15] */
};

/**
 * struct sensor_type - a sensor type
 * @type: number
 * @name: "accelerometer", in configurations and tools
 * @type_string: "android.sensor.accelerometer"
 * @unit: "m/s^2"; "" if it has none
 * @mode: NNSENSORS_FLAG_CONTINUOUS, ON_CHANGE, ONE_SHOT or SPECIAL
 * @wake_up: the natural flavour: what getDefaultSensor() looks for
 * @listed: may be in a list of sensors
 * @payload: of its events
 */
struct sensor_type {
	int32_t type;
	const char *name, *type_string, *unit;
	uint32_t mode;
	bool wake_up, listed;
	enum sensor_payload payload;
};

/** The row of a type; of private types one row for all; NULL: no such type. */
const struct sensor_type *nnsensors_type_row(int32_t type);
/** By @name or @type_string; NULL: no such type. */
const struct sensor_type *nnsensors_type_by_name(const char *name);
/** The i-th row; NULL: there are no more. The private types' row is the last. */
const struct sensor_type *nnsensors_type_at(size_t i);

/** Bytes of the payload that an event of this kind carries. */
size_t nnsensors_payload_size(enum sensor_payload payload);
/** Copy what the type has, zero the rest: hostile bytes do not travel in unused members. */
void nnsensors_payload_copy(enum sensor_payload payload, union nnsensors_payload *to,
			    const union nnsensors_payload *from);
/** How many floats a tool prints of it; 0: it is not floats. */
unsigned int nnsensors_payload_floats(enum sensor_payload payload);
/** The status behind the floats; NULL: it has none. */
int8_t *nnsensors_payload_status(enum sensor_payload payload, union nnsensors_payload *u);

/** ns between events at a level's nominal rate; 0: STOP or no level. */
int64_t nnsensors_rate_period_ns(enum nnsensors_rate_level level);
/** Whether @period_ns is in the level's legal window: (55 %, 220 %] of the nominal rate. */
bool nnsensors_rate_legal(enum nnsensors_rate_level level, int64_t period_ns);

/** Result from an errno, as Android's sensor framework maps them. */
enum nnsensors_result nnsensors_result_of(int error);

/*
 * Recordings of events: what "nnctl sensors record" writes and the virtual sensors play. Text, a
 * line per item, so that people and other programs can read, make and change them:
 *
 *	nnsensors recording 1
 *	# a comment; empty lines are passed over, too
 *	sensor,3,accelerometer,0x0,1,2500,200000,0,0,78.4,0.0024,0.18
 *	name,3,BMI160 accelerometer
 *	vendor,3,Bosch
 *	event,3,123456789012,0.02,-0.11,9.79,3
 *
 * sensor: its number in the file (the handle that it had), type (name, or number of a private one),
 * flags, version, smallest and largest period in us, FIFO reserved and at most, range, resolution,
 * power. name, vendor and type_string (of private types) have the rest of the line as text and come
 * behind the sensor's line. All sensors come before the first event.
 *
 * event: the sensor's number, the time stamp in ns, and what the type's payload has: floats, and
 * behind them the status of those that have one; the step counter's whole number. A float is
 * decimal, with the digits that bring back the same bits, or 0x and its bits (NaN, infinities). A
 * sensor's stamps increase; between sensors lines may be in any order.
 */

#define NNSENSORS_RECORDING_FIRST_LINE "nnsensors recording 1"
#define NNSENSORS_RECORDING_SENSORS_MAX 256u
/** Bytes of a file that nnsensors_recording_read() takes. */
#define NNSENSORS_RECORDING_SIZE_MAX (1u << 28)
/** A line of any kind has room in this, with its end. */
#define NNSENSORS_RECORDING_LINE_MAX 512u

/**
 * struct nnsensors_recording - a file that was read
 * @sensors: info.handle is the number in the file; info.permission is empty
 * @events: in the file's order; event.sensor is the number in the file
 */
struct nnsensors_recording {
	uint32_t num_sensors;
	struct nnsensors_info *sensors;
	size_t num_events;
	struct nnsensors_event *events;
};

/** Whether events of a type can be recorded: what sensors have, but DYNAMIC_SENSOR_META. */
bool nnsensors_recording_has(int32_t type);

/* ---- writing; 0 or -errno of the stream ---- */

/** The first line. */
int nnsensors_recording_begin(FILE *file);
/** A sensor; its number is info->handle. -EINVAL: its type is none of a list of sensors. */
int nnsensors_recording_put_sensor(FILE *file, const struct nnsensors_info *info);
/**
 * An event of a sensor of the file. Events of types that no sensor has (META_DATA,
 * ADDITIONAL_INFO) and of DYNAMIC_SENSOR_META are -EINVAL, and nothing is written.
 */
int nnsensors_recording_put_event(FILE *file, const struct nnsensors_event *event);

/* ---- reading ---- */

/**
 * nnsensors_recording_parse() - a recording in memory
 * @text: the file; @text[@size] is NUL; is changed
 * @size: its bytes
 * @recording: set to what it says; nnsensors_recording_fini() gives it back
 * @message: set to why it is refused, with the number of the line
 * @message_size: bytes of @message
 *
 * Return: 0; -EINVAL: @message says why; -ENOMEM.
 */
int nnsensors_recording_parse(char *text, size_t size, struct nnsensors_recording *recording,
			      char *message, size_t message_size);
/** The same of the file @path; -errno of reading it, too. */
int nnsensors_recording_read(const char *path, struct nnsensors_recording *recording, char *message,
			     size_t message_size);
void nnsensors_recording_fini(struct nnsensors_recording *recording);

/*
 * record_ring.c: writing a ring of records: direct channels, whose memory is the client's, and the
 * memory of event queues, which is ours. The reading side is nnsensors_records.h.
 *
 * Any number of threads write, and none waits. A place in the ring is taken with one atomic add, so
 * counters are in order. A writer whose place is still being written (by one that was preempted for
 * as long as the ring takes to come round) hands its record to that writer, who writes it next: a
 * place that was left out would hold up every reader for a lap. A writer that comes a lap late
 * finds a newer record in its place and leaves it. The state of a place is in memory of our own:
 * memory that the client may write decides nothing.
 */

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

/* Visibility of what libnnsensors.so exports. */

/** A function of a public header; nnsensors.map lists them. */
#define NNSENSORS_EXPORT __attribute__((visibility("default")))

#endif
