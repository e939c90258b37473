/* SPDX-License-Identifier: Apache-2.0 */
/* Sensors from a file, generated or recorded. */
#ifndef NNACCEL_SENSORD_VIRTUAL_H
#define NNACCEL_SENSORD_VIRTUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sensord_core.h"
#include "values/nnsensors_values.h"

/*
 * motion.c: a device that lies still, is carried, shaken or dropped: what its motion sensors say.
 */

enum motion_kind { MOTION_STILL, MOTION_WALK, MOTION_SHAKE, MOTION_FALL };

/**
 * struct motion - how it is moved
 * @kind: see motion.c for what each is
 * @frequency: Hz; 0: the kind's own
 * @amplitude: in the sensor's unit; 0: the kind's own
 */
struct motion {
	enum motion_kind kind;
	double frequency, amplitude;
};

/** Whether sensors of @type can tell of motion. */
bool motion_has(int32_t type);
/** The first three floats of a sensor of @type at @time_ns. */
void motion_values(const struct motion *motion, int32_t type, int64_t time_ns, double values[3]);
/** Position in a period of @frequency Hz at @time_ns: 0 <= n < 1. */
double motion_phase(double frequency, int64_t time_ns);

/*
 * generator.c: values of a generated sensor. But for the noise, they are a function of the sample's
 * time stamp alone: a test computes the expected value from the stamp.
 */

#define GENERATOR_VALUES 16u

enum generator_kind {
	GENERATOR_CONSTANT, /* values */
	GENERATOR_SINE, /* values + amplitudes sin(2 pi frequency t + phases) */
	GENERATOR_STEPS, /* frequency times a second: the next value, one more, or an event */
	GENERATOR_MOTION, /* motion.c */
};

/**
 * struct generator - what a sensor says
 * @kind: see there
 * @motion: of GENERATOR_MOTION, with its own frequency and amplitude
 * @num_values: how many of @values were given; the others are 0
 * @values, @amplitudes, @phases: of each float of the payload; phases in degrees
 * @frequency: Hz, of GENERATOR_SINE and GENERATOR_STEPS
 * @noise: standard deviation of what is added to each float
 * @seed: of the noise
 */
struct generator {
	enum generator_kind kind;
	struct motion motion;
	unsigned int num_values;
	float values[GENERATOR_VALUES], amplitudes[GENERATOR_VALUES], phases[GENERATOR_VALUES];
	double frequency, noise;
	uint64_t seed;
};

/** Whether a sensor with this row and reporting mode can have @generator; @why otherwise. */
bool generator_fits(const struct generator *generator, const struct sensor_type *row, int32_t type,
		    uint32_t mode, const char **why);

/**
 * generator_make() - the payload of a sample
 * @generator: of the sensor
 * @info: of the sensor: values end at its range, and are multiples of its resolution
 * @row: of its type
 * @time_ns: the sample's stamp
 * @random: state of the noise, @generator->seed at first
 * @payload: set
 */
void generator_make(const struct generator *generator, const struct nnsensors_info *info,
		    const struct sensor_type *row, int64_t time_ns, uint64_t *random,
		    union nnsensors_payload *payload);
/** The next number of @random's sequence, 0 <= n < 1. */
double generator_random(uint64_t *random);

/*
 * Files of virtual sensors. Lines "key = value" below "[sensor]" or "[recording]"; empty lines, and
 * lines that begin with # or ;, say nothing. Documentation/sensors.rst has the keys.
 */

#define VIRTUAL_FILE_MAX (1u << 20)
#define VIRTUAL_SENSORS_MAX 256u
#define VIRTUAL_RECORDINGS_MAX 16u
#define VIRTUAL_PATH_MAX 1024u

/**
 * struct virtual_faults - what goes wrong; 0: nothing
 * @drop, @backwards: every that many-th sample is missing; has a stamp before the last one's
 * @jitter_ns: stamps are up to that much too early
 * @stall_after_ns, @stall_for_ns: no samples from then on, of the time it is on; for: 0: for ever
 * @unplug_after_ns: the device goes, of the time since a sensor of it was first switched on
 * @hang_ns: how long the hardware takes to be switched
 * @refused_ns: periods up to this are refused
 */
struct virtual_faults {
	uint64_t drop, backwards;
	int64_t jitter_ns, stall_after_ns, stall_for_ns, unplug_after_ns, hang_ns, refused_ns;
	bool stalls;
};

/** struct virtual_sensor - a section [sensor] */
struct virtual_sensor {
	unsigned int line; /* of the section */
	char device[32]; /* sensors with the same one are one device's */
	struct sensor sensor; /* info, row and periods */
	struct generator generator;
	struct virtual_faults faults;
};

/** struct virtual_recording - a section [recording] */
struct virtual_recording {
	unsigned int line;
	bool once; /* it is not played over and over */
	char path[VIRTUAL_PATH_MAX]; /* as it was written: relative to the file's folder */
	char prefix[NNSENSORS_NAME_MAX]; /* of the sensors' names */
};

struct virtual_config {
	unsigned int num_sensors, num_recordings;
	struct virtual_sensor *sensors;
	struct virtual_recording *recordings;
};

/**
 * virtual_config_parse() - a file in memory
 * @text: the file; @text[@size] is NUL; is changed
 *
 * 0: virtual_config_fini() gives @config back; -EINVAL: @message says which line, and why; -ENOMEM.
 */
int virtual_config_parse(char *text, size_t size, struct virtual_config *config, char *message,
			 size_t message_size);
void virtual_config_fini(struct virtual_config *config);

/*
 * played_device.c: a device whose sensors say what a recording says, at the pace of its stamps. It
 * begins when the first sensor is switched on, and again behind its end.
 */

/**
 * played_device_add() - a device of a recording's sensors
 * @name: of the device
 * @recording: taken over, also on failure
 * @prefix: before the sensors' names
 * @once: it ends at its end
 * @device: as of device_add(), as the result
 * @message: set to why a sensor is not valid
 */
int played_device_add(const char *name, struct nnsensors_recording *recording, const char *prefix,
		      bool once, struct sensor_device **device, char *message, size_t size);

/*
 * virtual_device.c: a device of generated sensors. A sample is computed for the moment at which it
 * is due, and has that stamp: a machine that was too busy to look is late with its samples, but
 * loses none, up to virtual_catch_up_ns.
 */

/** 500 ms; tests set another one before there is a device. */
extern int64_t virtual_catch_up_ns;

/** A device of @n sensors of a file, which are copied. As device_add(). */
int virtual_device_add(const char *name, const struct virtual_sensor *const *sensors,
		       unsigned int n, struct sensor_device **device);

/* virtual_keys.c: the keys of a file of virtual sensors. */

#define VIRTUAL_KEYS_MAX 64u

/**
 * struct virtual_section - a section while it is read: one of @sensor and @recording
 * @seen: keys that were there, by their place in the table
 * @mode, @has_range...: what decides over defaults at the end
 */
struct virtual_section {
	struct virtual_sensor *sensor;
	struct virtual_recording *recording;
	uint64_t seen;
	uint32_t mode;
	bool has_mode, has_wake_up, has_generator, wake_up;
	char *message;
	size_t message_size;
};

/** Take "@key = @value". 0 or -EINVAL, and the section's message says why. */
int virtual_key_take(struct virtual_section *section, const char *key, char *value);
/** The section's end: defaults, and whether it is whole. Likewise. */
int virtual_section_end(struct virtual_section *section);

/*
 * virtual_sensors.c: sensors from a file: generated (constant, sine, noise, steps) or recorded by
 * "nnctl sensors record". For tests and for people without sensors; the format is in
 * Documentation/sensors.rst.
 */

/** Add the devices that file @path describes. 0; -EINVAL, -ENOENT...: @message says which line. */
int virtual_sensors_add(const char *path, char *message, size_t size);

#endif
