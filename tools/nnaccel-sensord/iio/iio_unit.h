/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An IIO device as this backend sees it: what of it are sensors, from which channels, with which
 * numbers. Read once, when the device comes; libiio is not needed afterwards.
 */
#ifndef SENSORD_IIO_UNIT_H
#define SENSORD_IIO_UNIT_H

#include "core/sensor_device.h"
#include "iio/iio_dir.h"
#include "iio/iio_scan.h"
#include "iio/iio_table.h"

/** More channels of a device are not looked at. */
#define IIO_CHANNELS_MAX 64u
/** Files that set a frequency: of the device, and of its kinds of channels. */
#define IIO_RATE_FILES_MAX 8u
/** Periods of sensors without files for rates, polled by a timer of ours. */
#define IIO_POLL_MIN_NS 10000000ll
#define IIO_POLL_MAX_NS 10000000000ll
/** Likewise, by a timer of the kernel (hrtimer trigger). */
#define IIO_TIMER_MIN_NS 5000000ll
#define IIO_TIMER_MAX_NS 1000000000ll

/** struct iio_places - where the kernel's folders are; tests have others */
struct iio_places {
	const char *sysfs; /* /sys/bus/iio/devices */
	const char *dev; /* /dev */
	const char *configfs; /* /sys/kernel/config/iio */
};

/** What a service has. */
extern const struct iio_places iio_system_places;

/**
 * struct iio_source - a channel that a sensor uses, or that takes place in a scan
 * @name: "accel_x", of files "in_accel_x_raw"
 * @index: in a scan; negative: it is in none
 * @element: likewise
 * @scale, @offset: value = (raw + offset) * scale
 * @bias: the driver's calibration, in raw units
 * @input: its file has a value that is processed already
 */
struct iio_source {
	char name[IIO_FILE_MAX / 2];
	long index;
	struct iio_element element;
	double scale, offset, bias;
	bool input;
};

/** struct iio_rate_file - a file that sets a frequency, and what it can be set to */
struct iio_rate_file {
	char name[IIO_FILE_MAX];
	unsigned int num_periods; /* 0: any from min to max */
	int64_t periods_ns[SENSOR_RATES_MAX]; /* ascending */
	double hz[SENSOR_RATES_MAX]; /* what to write for it */
	int64_t min_ns, max_ns;
};

/**
 * struct iio_bound - a sensor of the device
 * @kind: row of the table
 * @sources: of its channels, as the row has them
 * @value: as the row's, or IIO_VALUE_NEAR where the channel has no unit
 * @limit: of NEAR
 * @matrix: mount matrix
 * @buffered: all of its channels are in the scan
 * @readable: all of its channels have a file with the value
 * @rate_file: sets its frequency; negative: none does
 * @event_file: "events/in_steps_change_en"; empty: there is none
 */
struct iio_bound {
	struct iio_kind kind;
	struct iio_source *sources[IIO_KIND_CHANNELS];
	unsigned int num_sources;
	double limit, matrix[9];
	bool buffered, readable;
	int rate_file;
	char event_file[IIO_FILE_MAX];
};

/** struct iio_unit - a device */
struct iio_unit {
	const struct iio_places *places;
	char id[32]; /* iio:device0 */
	char name[NNSENSORS_NAME_MAX];
	char label[NNSENSORS_NAME_MAX];
	int dir; /* its folder in sysfs */
	char scan_dir[32], buffer_dir[32];
	bool has_buffer;
	unsigned int num_sources;
	struct iio_source sources[IIO_CHANNELS_MAX]; /* those in the scan by index first */
	long timestamp; /* place in @sources; negative: there is none */
	unsigned int num_rate_files;
	struct iio_rate_file rate_files[IIO_RATE_FILES_MAX];
	uint32_t fifo; /* scans of the hardware's FIFO */
	unsigned int num_sensors;
	struct iio_bound bound[SENSORS_PER_DEVICE];
	struct sensor sensors[SENSORS_PER_DEVICE];
};

struct iio_device;

/**
 * iio_unit_create() - read what a device has
 * @device: of a context of libiio; not needed afterwards
 * @places: where its files are; stays the caller's
 * @unit: set to the unit. NULL with 0: it has no sensor
 *
 * Return: 0; -ENOMEM; -ENOENT, -ENODEV: it is gone.
 */
int iio_unit_create(const struct iio_device *device, const struct iio_places *places,
		    struct iio_unit **unit);
void iio_unit_destroy(struct iio_unit *unit);

/** A channel's value of the file for it, in IIO's unit; @count of them: 4 of a quaternion. */
int iio_unit_read(const struct iio_unit *unit, const struct iio_source *source, double *values,
		  unsigned int count);

/* ---- iio_rates.c ---- */

/** The place in unit->rate_files of the file that sets @channel's frequency; negative: none does.
 */
int iio_rates_of(struct iio_unit *unit, const char *channel);
/** Set periods and limits of a sensor. */
void iio_rates_fill(const struct iio_unit *unit, const struct iio_bound *bound,
		    struct sensor *sensor);
/** Set the frequency of @file to the slowest that is not slower than @period_ns: *@actual_ns. */
int iio_rates_set(const struct iio_unit *unit, const struct iio_rate_file *file, int64_t period_ns,
		  int64_t *actual_ns);

#endif
