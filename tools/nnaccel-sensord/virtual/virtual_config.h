/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of virtual sensors. Lines "key = value" below "[sensor]" or "[recording]"; empty lines, and
 * lines that begin with # or ;, say nothing. Documentation/sensors.rst has the keys.
 */
#ifndef SENSORD_VIRTUAL_CONFIG_H
#define SENSORD_VIRTUAL_CONFIG_H

#include "core/sensor_device.h"
#include "virtual/generator.h"

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

#endif
