/* SPDX-License-Identifier: Apache-2.0 */
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
 * decimal, with the digits that bring back the same bits, or 0x and its bits (NaN, infinities).
 * A sensor's stamps increase; between sensors lines may be in any order.
 */
#ifndef NNSENSORS_RECORDING_H
#define NNSENSORS_RECORDING_H

#include <stddef.h>
#include <stdio.h>

#include "nnsensors.h"

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

#endif
